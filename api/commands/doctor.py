"""`paizhuo doctor`: whether this machine, its cameras, ports, table file, weights, clock and disk are fit for a table."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Annotated

import typer

from api.camera_check import LOOK_S, cameras, plugged_in
from api.commands.read import language
from api.doctor import (
    FIT,
    NOTE,
    UNFIT,
    WARN,
    Finding,
    clock,
    disk,
    exit_status,
    finding,
    guarded,
    machine,
    models,
    serial,
)
from api.tables import read_setup
from calibration.setup import TableSetup
from calibration.toml_keys import BadTableFile
from table.texts import text

_MARKS = {FIT: "✓", WARN: "!", UNFIT: "✗", NOTE: "·"}
_DATA = Path("paizhuo-data")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("doctor")(doctor)


def doctor(
    table: Annotated[
        Path | None, typer.Argument(help="Setup file of the table, TOML. 牌桌设置文件。", show_default=False)
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option("--data", metavar="DIR", help="Folder of the journal. 数据文件夹。", show_default=False),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.5, help="How long cameras are watched. 观察相机的秒数。")
    ] = LOOK_S,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Say whether this machine and a table's cameras and devices are fit, and what to change.

    检查这台机器以及牌桌的相机和设备是否合用，并说明该改什么。

    Exit status: 0 fit, 1 usable with something to change, 2 unfit. 退出状态：0 合用，1 可用但有待改进，2 不合用。
    """
    lang = language()
    found: list[Finding] = []
    for area, check in _checks(table, data, seconds):
        for one in guarded(area, check):
            if not as_json:
                if not found or found[-1].area != one.area:
                    print(text(f"doctor.area_{one.area}", lang), flush=True)
                print(f"  {_MARKS[one.level]} {one.words[lang]}", flush=True)
            found.append(one)
    status = exit_status(found)
    if as_json:
        lines = [
            {"area": one.area, "level": one.level, "key": one.key, "text": one.words,
             "values": {key: value if isinstance(value, int | float) else str(value)
                        for key, value in one.values.items()}}
            for one in found
        ]  # fmt: skip
        print(json.dumps({"status": status, "findings": lines}, ensure_ascii=False))
    else:
        count = sum(one.level in (WARN, UNFIT) for one in found)
        print(text(f"doctor.status_{status}", lang, count=count))
    raise typer.Exit(status)


def _checks(
    table: Path | None, data: Path | None, seconds: float
) -> Iterator[tuple[str, Callable[[], Iterator[Finding]]]]:
    """The checks in their order; what is quick comes first."""
    yield "machine", machine
    yield "clock", clock
    setup: TableSetup | None = None
    if table is not None:
        try:
            setup = read_setup(table)
        except BadTableFile as error:
            bad = finding("table", UNFIT, "table_bad", error=error)
            yield "table", lambda: iter([bad])
        else:
            good = _described(table, setup)
            yield "table", lambda: iter([good])
    yield "disk", lambda: disk(data or _data_of(setup))
    yield "ports", lambda: serial(setup)
    yield "models", models
    if setup is None:
        yield "cameras", plugged_in
    else:
        of_table = setup
        yield "cameras", lambda: cameras(of_table, seconds)


def _described(path: Path, setup: TableSetup) -> Finding:
    return finding(
        "table", FIT, "table_good", path=path, name=setup.name, profile=setup.profile, cameras=len(setup.cameras),
        zones=len(setup.zones), devices=len(setup.devices),
    )  # fmt: skip


def _data_of(setup: TableSetup | None) -> Path:
    """Where `paizhuo run` would keep the journal of this table."""
    return _DATA if setup is None else _DATA / (re.sub(r"[^\w-]+", "_", setup.name) or "table")
