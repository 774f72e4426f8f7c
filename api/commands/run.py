"""`paizhuo run`: watches a live table by its setup file, keeps its journal, tells what it finds."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated

import typer

from api.app import HOST
from api.at_table import (
    PORT,
    AllowHostOption,
    HostOption,
    InputsOption,
    NoPageOption,
    PortOption,
    RecordVideoOption,
    SecondsOption,
    SourceOption,
    Wishes,
    fail,
    opening,
    read_inputs,
    watch_table,
)
from api.commands.read import language
from api.tables import read_setup, with_sources
from calibration.toml_keys import BadTableFile

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
    port: PortOption = PORT,
    host: HostOption = HOST,
    allow_host: AllowHostOption = None,
    no_page: NoPageOption = False,
    inputs: InputsOption = None,
    record_video: RecordVideoOption = None,
    speed: Annotated[
        float, typer.Option("--speed", min=0.01, help="Of files and simulated tables. 文件与模拟牌桌的速度。")
    ] = 1.0,
    fast: Annotated[
        bool, typer.Option("--fast", help="As fast as it goes, nothing dropped. 全速，不丢帧。")
    ] = False,
    seconds: SecondsOption = None,
    source: SourceOption = None,
) -> None:
    """Watch a live table: the trick log, the clock and the findings, in the terminal and at a local page.

    观看一张牌桌：牌谱、计时与判罚提示，显示在终端与本机页面上。

    Every event is in the journal before anybody sees it. Started again with the same data folder, the match goes on.
    """
    lang = language()
    try:
        setup = with_sources(read_setup(table), source or [])
    except BadTableFile as error:
        raise fail(error) from None
    told = read_inputs(inputs, lang) if inputs is not None else []
    wishes = Wishes(
        data or DATA / (re.sub(r"[^\w-]+", "_", setup.name) or "table"),
        lang,
        None if no_page else port,
        record_video,
        None if fast else speed,
        seconds,
        host=host,
        names=tuple(allow_host or ()),
        table_file=table,
    )

    watch_table(setup, opening(setup, told), wishes)
