"""`paizhuo run`: watches a live table by its setup file, keeps its journal, tells what it finds."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Annotated

import typer

from api.at_table import PORT, Wishes, fail, watch_table
from api.commands.read import language
from api.tables import Opened, open_table, read_setup
from calibration.setup_file import BadSetup
from devices.sources import Clock
from table.events import BadEvent, Event, event_from_json
from table.texts import text

DATA = Path("paizhuo-data")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("run")(run)


def run(
    table: Annotated[Path, typer.Argument(help="Setup file of the table, TOML. 牌桌设置文件。")],
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", metavar="DIR", help="Folder of journal and evidence. 数据文件夹。", show_default=False
        ),
    ] = None,
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, help="Port of the page. 页面端口。")
    ] = PORT,
    no_page: Annotated[bool, typer.Option("--no-page", help="No page. 不开页面。")] = False,
    inputs: Annotated[
        Path | None,
        typer.Option(
            "--inputs", help="Inputs that no camera sees, JSON lines. 相机看不到的输入。", show_default=False
        ),
    ] = None,
    record_video: Annotated[
        Path | None,
        typer.Option(
            "--record-video",
            metavar="DIR",
            help="Record what cameras give. 录制相机画面。",
            show_default=False,
        ),
    ] = None,
    speed: Annotated[
        float, typer.Option("--speed", min=0.01, help="Of files and simulated tables. 文件与模拟牌桌的速度。")
    ] = 1.0,
    fast: Annotated[
        bool, typer.Option("--fast", help="As fast as it goes, nothing dropped. 全速，不丢帧。")
    ] = False,
    seconds: Annotated[
        float | None,
        typer.Option("--seconds", min=0, help="Stop after so long. 运行秒数。", show_default=False),
    ] = None,
) -> None:
    """Watch a live table: the trick log, the clock and the findings, in the terminal and at a local page.

    观看一张牌桌：牌谱、计时与判罚提示，显示在终端与本机页面上。

    Every event is in the journal before anybody sees it. Started again with the same data folder, the match goes on.
    """
    lang = language()
    try:
        setup = read_setup(table)
    except BadSetup as error:
        raise fail(error) from None
    told = read_inputs(inputs, lang) if inputs is not None else []
    wishes = Wishes(
        data or DATA / (re.sub(r"[^\w-]+", "_", setup.name) or "table"),
        lang,
        None if no_page else port,
        record_video,
        None if fast else speed,
        seconds,
    )

    def opened(start: float, clock: Clock) -> Opened:
        there = open_table(setup, start, clock)
        there.inputs = [*there.inputs, *told]
        return there

    watch_table(setup, opened, wishes)


def read_inputs(path: Path, lang: str) -> list[Event]:
    """Inputs from a file of JSON lines, or the end of the command with one line."""
    events = []
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise fail(
            text("live.unreadable", lang, path=path, error=getattr(error, "strerror", None) or error)
        ) from None
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            events.append(event_from_json(json.loads(line)))
        except (ValueError, BadEvent) as error:
            raise fail(text("live.bad_inputs", lang, path=path, line=number, error=error)) from None
    return events
