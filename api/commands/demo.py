"""`paizhuo demo`: a Guandan match on the simulated table, watched live in the terminal and at a local page."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from random import Random
from typing import Annotated

import typer

from api.app import HOST
from api.at_table import (
    PORT,
    AllowHostOption,
    HostOption,
    NoPageOption,
    PortOption,
    RecordVideoOption,
    SecondsOption,
    Wishes,
    fail,
    watch_table,
)
from api.commands.read import language
from api.tables import Opened, opened_simulated
from devices.simulator.bots import play_match
from devices.simulator.conditions import Conditions
from devices.simulator.show import VIOLATIONS, show_match
from devices.simulator.table import SimulatedTable
from devices.sources import Clock
from table.rulesets import BadProfile, load_profile

_SEED = 7
_UNWATCHED_S = 90.0


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    deals: Annotated[int, typer.Option("--deals", min=1, help="How many deals. 副数。")] = 1,
    seed: Annotated[int, typer.Option("--seed", help="Of the match. 随机种子。")] = _SEED,
    profile: Annotated[str, typer.Option("--profile", help="The rules. 规则集。")] = "guandan-official",
    faults: Annotated[
        str,
        typer.Option("--faults", help=f"Violations to plant, of: {', '.join(VIOLATIONS)}; or none. 违例。"),
    ] = ",".join(VIOLATIONS),
    cameras: Annotated[int, typer.Option("--cameras", help="1 (4K), 2 or 4 (1080p). 相机数。")] = 1,
    fps: Annotated[float, typer.Option("--fps", min=1, max=60, help="Of the cameras. 帧率。")] = 15.0,
    data: Annotated[
        Path | None,
        typer.Option(
            "--data",
            metavar="DIR",
            help="Keep the data; again: go on. 保留数据；再次运行则续接。",
            show_default=False,
        ),
    ] = None,
    port: PortOption = PORT,
    host: HostOption = HOST,
    allow_host: AllowHostOption = None,
    no_page: NoPageOption = False,
    record_video: RecordVideoOption = None,
    speed: Annotated[float, typer.Option("--speed", min=0.1, help="Times real time. 倍速。")] = 1.0,
    fast: Annotated[bool, typer.Option("--fast", help="As fast as it goes. 全速。")] = False,
    seconds: SecondsOption = None,
) -> None:
    """Watch a match on the simulated table, with a few planted violations, as real cameras would be watched.

    在模拟牌桌上观看一场比赛，其中有几处违例；所用程序与真实相机完全相同。

    Bots play, hands lay rendered cards, and the pictures go through the same code as those of real cameras.
    """
    lang = language()
    if seconds is None and not sys.stdout.isatty():
        # Nobody watches (a build, a pipe): enough to see all of it at work.
        seconds = _UNWATCHED_S
    planted = [name.strip() for name in faults.split(",") if name.strip() not in ("", "none")]
    try:
        rules = load_profile(profile)
        if rules.game == "guandan":
            events = show_match(rules, seed, deals, planted)
        else:
            events = play_match(rules, Random(seed), deals=deals).events
        table = SimulatedTable(events, profile=profile, seed=seed, cameras=cameras, how=Conditions(fps=fps))
    except (BadProfile, ValueError, OSError) as error:
        raise fail(error) from None

    def opened(start: float, _: Clock) -> Opened:
        return opened_simulated(table, start)

    with tempfile.TemporaryDirectory(prefix="paizhuo-demo-") as folder:
        wishes = Wishes(
            data or Path(folder),
            lang,
            None if no_page else port,
            record_video,
            None if fast else speed,
            seconds,
            host=host,
            names=tuple(allow_host or ()),
        )
        watch_table(table.setup, opened, wishes)
