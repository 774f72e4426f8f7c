"""`paizhuo bench idle`: what a table costs at which nothing happens, in processor time and in memory."""

from __future__ import annotations

import json
from typing import Annotated, Any

import cv2
import typer

from api.commands.read import complain, language, open_reader
from table.texts import text


def bench_idle(
    minutes: Annotated[
        str, typer.Option("--minutes", help="Of film, after which memory is read. 读取内存的时刻（分钟）。")
    ] = "10,60",
    fps: Annotated[float, typer.Option("--fps", min=1, max=60, help="Of the cameras. 帧率。")] = 15.0,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed",
            min=0.1,
            help="Seconds of film a second through the live feed (1: real time); else as fast as it goes. 倍速。",
            show_default=False,
        ),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of the simulated table. 随机种子。")] = 7,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Measure an idle table under two 1080p cameras: processor time of a second of film, memory over time.

    测量静止牌桌（两路 1080p）的开销：每秒画面占用的处理器时间，以及内存随时间的变化。

    Frames are rendered beforehand by another process; the service looks at them through the code of a real table.
    """
    import api.at_table  # noqa: F401  # what `paizhuo run` has in memory counts here too
    from api.idle_bench import measure, rss_mb

    lang = language()
    try:
        marks = sorted(float(part) for part in minutes.split(","))
    except ValueError:
        marks = []
    if not marks or marks[0] < 1:
        complain(text("bench.idle_minutes", lang, value=minutes))
        raise typer.Exit(2)
    before = rss_mb()
    reader = open_reader()
    cv2.setNumThreads(1)
    numbers = measure(reader, marks, fps, speed, seed).numbers(fps, speed)
    numbers["rss_mb"] = {"imports": round(before, 1), **numbers["rss_mb"]}
    if as_json:
        print(json.dumps(numbers))
        return
    for line in _lines(numbers, lang):
        print(line)


def _lines(numbers: dict[str, Any], lang: str) -> list[str]:
    how = "bench.idle_live" if numbers["speed"] else "bench.idle_fast"
    lines = [text(how, lang, seconds=f"{numbers['film_s']:.0f}", speed=f"{numbers['speed']:g}")]
    for key in ("core_share_per_camera", "core_share", "decode_share_per_camera"):
        lines.append(f"{text(f'bench.idle_{key}', lang, kb=numbers['jpeg_kb']):58} {numbers[key]:8.1%}")
    for mark, value in numbers["rss_mb"].items():
        known = mark in ("imports", "weights")
        name = text(f"bench.idle_{mark}", lang) if known else text("bench.idle_after", lang, mark=mark)
        lines.append(f"{name:58} {value:8.1f}")
    lines.append(f"{text('bench.idle_growth', lang):58} {numbers['growth_mb']:8.1f}")
    return [*lines, text("bench.idle_counts", lang, **{k: numbers[k] for k in ("readings", "events")})]
