"""`paizhuo referee`: a table without cameras, kept by hand at the referee's display."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.app import HOST
from api.at_table import (
    PORT,
    AllowHostOption,
    HostOption,
    PortOption,
    SecondsOption,
    Wishes,
    fail,
    watch_table,
)
from api.commands.read import language
from api.tables import Opened
from calibration.setup import TableSetup
from calibration.setup_file import default_zones
from table.rulesets import BadProfile, load_profile

DATA = Path("paizhuo-data") / "by-hand"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("referee")(referee)


def referee(
    profile: Annotated[str, typer.Option("--profile", help="The rules. 规则集。")] = "guandan-official",
    players: Annotated[
        str, typer.Option("--players", help="Four names, parted by commas. 四人姓名，以逗号分隔。")
    ] = "",
    name: Annotated[str, typer.Option("--name", help="Of the table. 牌桌名。")] = "table",
    data: Annotated[
        Path, typer.Option("--data", metavar="DIR", help="Folder of the journal. 数据文件夹。")
    ] = DATA,
    port: PortOption = PORT,
    host: HostOption = HOST,
    allow_host: AllowHostOption = None,
    seconds: SecondsOption = None,
) -> None:
    """Keep a table by hand, without any camera: the referee's display takes plays, passes and all else.

    无相机，由裁判手工记录：出牌、过牌等均在裁判页面上录入。

    Every input is in the journal before anybody sees it. Started again with the same data folder, the match goes on.
    """
    lang = language()
    names = [one.strip() for one in players.replace("，", ",").split(",")] if players else [""] * 4
    if len(names) != 4:
        raise fail(f"--players: expected four names parted by commas, got {players!r}")
    try:
        rules = load_profile(profile)
    except BadProfile as error:
        raise fail(error) from None
    setup = TableSetup(
        name,
        profile,
        (),
        default_zones(rules.game),
        rules.whole("packs"),
        (names[0], names[1], names[2], names[3]),
    )
    wishes = Wishes(
        data, lang, port, seconds=seconds, evidence=False, host=host, names=tuple(allow_host or ())
    )
    watch_table(setup, lambda start, clock: Opened(()), wishes)
