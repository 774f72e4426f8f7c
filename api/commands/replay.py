"""`paizhuo replay`: a record, a journal or a recorded table once more, with the same events, findings and results."""

from __future__ import annotations

import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from api.at_table import CUT, InputsOption, Wishes, fail, opening, read_inputs, watch_table
from api.bundles import BadBundle, open_bundle
from api.commands.judge import no_record, nothing_read
from api.commands.read import complain, language
from api.runner import JOURNAL
from api.service import Told
from api.tables import read_setup
from api.terminal import as_lines
from calibration.setup import TableSetup
from calibration.toml_keys import BadTableFile
from devices.recorded import INPUTS, TABLE
from table.event_json import event_to_json
from table.events import Event
from table.journal import BrokenJournal, Journal
from table.record import read_record
from table.rulesets import Profile
from table.session import Referee
from table.texts import text
from table.transcript import line_text

_VIDEO = (".mkv", ".avi", ".mp4", ".mov", ".webm", ".m4v")


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("replay")(replay)


def replay(
    what: Annotated[
        Path,
        typer.Argument(
            help="Record, bundle, journal, data folder, recording or video. 牌局记录、打包文件、日志、录制文件夹或视频。"
        ),
    ],
    table: Annotated[
        Path | None,
        typer.Option("--table", help="Setup file, for a video. 视频的牌桌设置文件。", show_default=False),
    ] = None,
    inputs: InputsOption = None,
    speed: Annotated[
        float | None,
        typer.Option(
            "--speed", min=0.01, help="Times real time; else as fast as it goes. 倍速。", show_default=False
        ),
    ] = None,
    fast: Annotated[
        bool, typer.Option("--fast", help="As fast as it goes (the default). 全速（默认）。")
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Events and findings as JSON lines. 输出 JSON 行。")
    ] = False,
) -> None:
    """Replay a record, or a recorded table from its pictures.

    重放牌局记录，或由录像从像素开始重放。

    A record is folded again; a recording goes through the same pipeline as live cameras. Both print the events, findings
    and results of the live run.
    """
    lang = language()
    pace = None if fast else speed
    if not what.exists():
        raise fail(text("live.unreadable", lang, path=what, error="No such file or directory"))
    if (what / JOURNAL).is_file():
        what = what / JOURNAL
    if what.is_dir() or what.suffix.lower() in _VIDEO:
        _pictures(what, table, inputs, pace, as_json, lang)
    else:
        _record(what, pace, as_json, lang)


def _record(path: Path, speed: float | None, as_json: bool, lang: str) -> None:
    """Fold a record, journal or bundle again, at its own pace where that is wanted."""
    profile = None
    if path.suffix.lower() == ".zip":
        events, profile = _bundle(path)
    else:
        events = _journal(path) if path.suffix == ".sqlite" else _lines(path, lang)
    referee = Referee(profile)
    began: tuple[float, float] | None = None
    for event in events:
        if speed is not None and event.at is not None:
            began = began or (time.monotonic(), event.at)
            time.sleep(max(0.0, began[0] + (event.at - began[1]) / speed - time.monotonic()))
        _tell(Told(event, tuple(referee.push(event))), as_json, lang)
    for trouble in referee.troubles:
        complain(f"{path}: {trouble.text}")
    if referee.state is None:
        raise fail(f"{path}: nothing can be judged: no match_started with a known profile")
    for line in referee.finish():
        print(json.dumps(line, ensure_ascii=False) if as_json else line_text(line, lang))


def _bundle(path: Path) -> tuple[list[Event], Profile | None]:
    """The record of a bundle whose hashes hold, and the rules that came with it."""
    try:
        bundle = open_bundle(path)
    except BadBundle as error:
        raise fail(error) from None
    for problem in bundle.problems:
        complain(f"{path}: {problem}")
    return bundle.events, bundle.profile


def _journal(path: Path) -> list[Event]:
    try:
        with Journal(path) as journal:
            return list(journal.events())
    except BrokenJournal as error:
        raise fail(error) from None


def _lines(path: Path, lang: str) -> list[Event]:
    try:
        record = read_record(path)
    except OSError as error:
        raise fail(text("live.unreadable", lang, path=path, error=error.strerror or error)) from None
    if nothing_read(record):
        raise fail(no_record(record, path))
    for problem in record.problems:
        complain(f"{path}: {problem}")
    return record.events


def _pictures(
    path: Path, table: Path | None, inputs: Path | None, speed: float | None, as_json: bool, lang: str
) -> None:
    """Watch a recording once more, from its pixels."""
    folder = path if path.is_dir() else path.parent
    table = table or folder / TABLE
    if not table.is_file():
        raise fail(text("live.no_setup", lang, path=table))
    beside = folder / INPUTS
    inputs = inputs or (beside if beside.is_file() else None)
    try:
        setup = read_setup(table)
        setup = setup if path.is_dir() else seen_on(path, setup)
    except BadTableFile as error:
        raise fail(error) from None
    heard = read_inputs(inputs, lang) if inputs is not None else []

    with tempfile.TemporaryDirectory() as data:
        wishes = Wishes(Path(data), lang, speed=speed, evidence=False, log=not as_json)
        status = 0
        try:
            watch_table(setup, opening(setup, heard), wishes)
        except typer.Exit as error:
            if error.exit_code != CUT or not as_json:
                raise
            status = CUT
        if as_json:
            _record_json(Path(data) / JOURNAL)
        if status:
            raise typer.Exit(status)


def seen_on(video: Path, setup: TableSetup) -> TableSetup:
    """The table as a video shows it: one of those that its setup names, or what its only camera saw.

    Raises:
        BadTableFile: it has several cameras, and none of them gave this video.
    """
    places = [camera.options.get("path") for camera in setup.cameras]
    if any(isinstance(place, str) and Path(place).resolve() == video.resolve() for place in places):
        return setup
    if len(setup.cameras) != 1:
        names = ", ".join(camera.name for camera in setup.cameras) or "none"
        raise BadTableFile(
            f"{video}: whose pictures are these? The table's cameras: {names}; "
            "name the folder of a recording, or use `paizhuo run TABLE.toml --fast --source CAMERA=VIDEO`"
        )
    (camera,) = setup.cameras
    return replace(setup, cameras=(replace(camera, kind="video", options={"path": str(video)}),))


def _record_json(journal: Path) -> None:
    referee = Referee()
    for event in _journal(journal):
        _tell(Told(event, tuple(referee.push(event))), True, "en")
    for line in referee.finish():
        print(json.dumps(line, ensure_ascii=False))


def _tell(told: Told, as_json: bool, lang: str) -> None:
    lines: list[Any] = as_lines(told, lang)
    if as_json:
        lines = [json.dumps(line, ensure_ascii=False) for line in (event_to_json(told.event), *told.lines)]
    for line in lines:
        print(line, flush=True)
