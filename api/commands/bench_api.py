"""`paizhuo bench api` and `paizhuo bench soak`: how late pages and outputs are told, and whether a node holds out."""

from __future__ import annotations

import asyncio
import json
import tempfile
from pathlib import Path
from typing import Annotated, Any

import typer

from api.commands.read import complain, language, need_weights
from table.texts import text

JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")]
SeedOption = Annotated[int, typer.Option("--seed", help="Of the bots. 随机种子。")]


def bench_api(
    viewers: Annotated[int, typer.Option("--viewers", min=0, help="Pages. 页面数。")] = 50,
    overlays: Annotated[int, typer.Option("--overlays", min=0, help="Outputs. 图文输出数。")] = 10,
    slow: Annotated[int, typer.Option("--slow", min=0, help="Pages on a bad line. 慢速页面数。")] = 3,
    stuck: Annotated[int, typer.Option("--stuck", min=0, help="Pages that never read. 不读取的页面数。")] = 3,
    seconds: Annotated[float, typer.Option("--seconds", min=1, help="How long. 时长（秒）。")] = 120.0,
    by_hand: Annotated[
        bool, typer.Option("--by-hand", help="Matches put in by hand, no pictures. 手工录入，无画面。")
    ] = False,
    speed: Annotated[float, typer.Option("--speed", min=0.1, help="Of matches by hand. 倍速。")] = 4.0,
    seed: SeedOption = 7,
    as_json: JsonOption = False,
) -> None:
    """Measure how long an event takes from the journal to pages and outputs while a table runs.

    测量事件从入账到页面与图文输出的时间；牌桌同时在运行，另有慢速与不读取的页面。
    """
    _run(viewers, overlays, slow, stuck, seconds, speed if by_hand else None, seed, as_json)


def bench_soak(
    hours: Annotated[float, typer.Option("--hours", min=0.001, help="How long. 时长（小时）。")] = 1.0,
    speed: Annotated[float, typer.Option("--speed", min=0.1, help="Times real time. 倍速。")] = 10.0,
    viewers: Annotated[int, typer.Option("--viewers", min=1, help="Pages. 页面数。")] = 5,
    overlays: Annotated[int, typer.Option("--overlays", min=0, help="Outputs. 图文输出数。")] = 2,
    seed: SeedOption = 7,
    as_json: JsonOption = False,
) -> None:
    """Run match after match and watch a node's memory, the numbers it tells and its heartbeat.

    连续进行比赛，观察内存、编号与心跳。
    """
    _run(viewers, overlays, 1, 1, hours * 3600, speed, seed, as_json)


def _run(
    viewers: int,
    overlays: int,
    slow: int,
    stuck: int,
    seconds: float,
    speed: float | None,
    seed: int,
    as_json: bool,
) -> None:
    from api.load_bench import NoNode, by_hand_command, measure, numbers, simulated_command
    from api.load_clients import NotLetIn

    if speed is None:
        need_weights()
    with tempfile.TemporaryDirectory(prefix="paizhuo-bench-") as folder:
        data = Path(folder)
        command = simulated_command(data, seed, 9) if speed is None else by_hand_command(data, speed, seed)
        try:
            load = asyncio.run(measure(command, data, seconds, viewers, overlays, slow, stuck))
        except (NoNode, NotLetIn) as error:
            complain(error)
            raise typer.Exit(1) from None
    found = numbers(load)
    if as_json:
        print(json.dumps(found))
        return
    for line in _lines(found, language()):
        print(line)


def _lines(found: dict[str, Any], lang: str) -> list[str]:
    rows = [
        ("events", found["events"]), ("viewers", _times(found["viewer_ms"])), ("overlays", _times(found["overlay_ms"])),
        ("lost", found["lost_numbers"]), ("silence", found["longest_silence_s"]), ("closed", found["closed"]),
        ("slow_closed", found["slow_closed"]),
        ("memory", "  ".join(f"{key} {value}" for key, value in found["memory_mb"].items())),
    ]  # fmt: skip
    return [f"{text(f'api.bench_{key}', lang):44} {value}" for key, value in rows]


def _times(times: dict[str, Any]) -> str:
    return "  ".join(f"{key} {value}" for key, value in times.items())
