"""What `run`, `demo` and `replay` share: from a setup and its sources to a table that is watched until it ends."""

from __future__ import annotations

import json
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import cv2
import typer

from api.app import HOST
from api.commands.read import complain, open_reader
from api.desk import Desk
from api.feeds import LiveFeed
from api.lacks import Lacks
from api.node import Address, NotServed, make_desk, serve
from api.places import Places
from api.runner import EVIDENCE, JOURNAL, FolderInUse, Runner, lock_folder
from api.service import NoWatch, TableService, Told
from api.table_devices import TableDevices
from api.tables import Opened, open_table
from api.terminal import Lines, Screen, summary
from calibration.setup import TableSetup
from calibration.toml_keys import BadTableFile
from devices.recorded import Tape
from devices.seal_format import SealError
from devices.sources import Clock, SourceFailed
from table.event_json import BadEvent, event_from_json
from table.events import Event
from table.journal import BrokenJournal, Journal
from table.texts import text
from table.transcript import line_text
from vision.evidence import Evidence
from vision.table_watch import TableWatch

BAD_INPUT: Final = 2
CUT: Final = 1
PORT: Final = 8770
RECORD: Final = "record.jsonl"
STARTED: Final = "started"

PortOption = Annotated[int, typer.Option("--port", min=0, max=65535, help="Port of the page. 页面端口。")]
HostOption = Annotated[
    str,
    typer.Option(
        "--host",
        help="Address to listen on; other than this machine's needs tokens. 监听地址；对外需有令牌。",
    ),
]
AllowHostOption = Annotated[
    list[str] | None,
    typer.Option(
        "--allow-host",
        metavar="NAME",
        help="A further name of this machine. 本机的其他主机名。",
        show_default=False,
    ),
]
NoPageOption = Annotated[bool, typer.Option("--no-page", help="No page. 不开页面。")]
InputsOption = Annotated[
    Path | None,
    typer.Option(
        "--inputs", help="Inputs that no camera sees, JSON lines. 相机看不到的输入。", show_default=False
    ),
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="CAMERA=PLACE",
        help="Another film, folder or device for a camera. 为某路相机另指定影片、文件夹或设备。",
        show_default=False,
    ),
]
RecordVideoOption = Annotated[
    Path | None,
    typer.Option(
        "--record-video", metavar="DIR", help="Record what cameras give. 录制相机画面。", show_default=False
    ),
]
SecondsOption = Annotated[
    float | None,
    typer.Option("--seconds", min=0, help="Stop after so long. 运行秒数。", show_default=False),
]


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a table is to be watched.

    Attributes:
        data: folder of its journal and evidence.
        lang: `zh` or `en`.
        port: of the page; None for no page.
        tape: folder in which what cameras give is recorded; None records nothing.
        speed: seconds of the record to a second of the wall; None: as fast as it goes, nothing dropped.
        seconds: of the record after which to stop; None: at the end.
        evidence: whether stills and clips are kept.
        log: whether the log is shown while the table runs.
        host: address that the page listens on; another than this machine's own needs tokens.
        names: further host names under which it may be asked for.
        table_file: the setup file; None for a table without one.
    """

    data: Path
    lang: str
    port: int | None = None
    tape: Path | None = None
    speed: float | None = 1.0
    seconds: float | None = None
    evidence: bool = True
    log: bool = True
    host: str = HOST
    names: tuple[str, ...] = ()
    table_file: Path | None = None


def fail(message: object, status: int = BAD_INPUT) -> typer.Exit:
    """One line for the user, and the exit that ends the command."""
    complain(message)
    return typer.Exit(status)


def watch_table(
    setup: TableSetup, open_sources: Callable[[float, Clock], Opened], wishes: Wishes
) -> TableService:
    """Watch a table until it ends, is stopped by Ctrl+C, or has run for long enough.

    Args:
        setup: of the table.
        open_sources: opens its sources, given the time of the record at which to begin, and the record's clock.
        wishes: how.

    Returns:
        The service at its end, its journal closed.

    Raises:
        typer.Exit: after one line that says what was wrong: 2 for what cannot begin, 1 for a camera that was lost or
            a film that was cut, and for what could not be recorded.
    """
    with ExitStack() as stack:
        journal = _opened_journal(wishes, stack)
        service = _service(setup, journal, wishes)
        if wishes.log and journal.last_seq:
            at = f"{service.resumed_at or 0:.0f}"
            print(text("live.resumed", wishes.lang, events=journal.last_seq, at=at), flush=True)
        try:
            clock = record_clock(wishes.data / STARTED)
            if service.evidence is not None and any("segments" in one.options for one in setup.cameras):
                from api.clips import (
                    CameraRecordings,
                )  # its library of films is for tables that record theirs

                service.evidence.recordings = CameraRecordings(setup, time.time() - clock())
            opened = open_sources(service.resumed_at or 0.0, clock)
            tape = Tape(wishes.tape, setup) if wishes.tape is not None else None
        except (SourceFailed, BadTableFile) as error:
            raise fail(error) from None
        except OSError as error:
            raise fail(
                text("live.unwritten", wishes.lang, path=wishes.tape, error=error.strerror or error)
            ) from None
        devices = _devices(setup, wishes)
        desk = make_desk(
            service, wishes.data, clock, tape=tape, inputs=opened.inputs,
            evidence=wishes.data / EVIDENCE if wishes.evidence else None, table_file=wishes.table_file,
            devices=devices.health_json if devices is not None else list,
        )  # fmt: skip
        runner = desk.runner
        if devices is not None:
            devices.start(service, runner.hear, runner.now, runner.was_alive())
            stack.callback(devices.stop)
        address = _page(desk, wishes, stack)
        started = time.perf_counter()
        told = Lacks(
            lambda: runner.cameras.values(), devices.health if devices else list, wishes.lang, complain
        )
        with stopping() as stopped:
            _run(runner, opened, wishes, stopped, address, told, devices)
        unwritten = _written(wishes.data / RECORD, journal)
        if wishes.log:
            for line in service.referee.finish():
                print(line_text(line, wishes.lang))
            print(summary(service, time.perf_counter() - started, wishes.lang), flush=True)
        lacks = [one.why for one in runner.cameras.values() if one.why]
        lacks += [
            line
            for line in (
                service.trouble,
                runner.trouble,
                devices.trouble.get(wishes.lang) if devices else "",
                unwritten,
            )
            if line
        ]
        for lack in lacks:
            if lack not in told.told:
                complain(lack)
        if lacks:
            raise typer.Exit(CUT)
        return service


def _written(path: Path, journal: Journal) -> str:
    """Write the record of a match beside its journal; one line where that cannot be done."""
    try:
        path.write_text(journal.export(), encoding="utf-8")
    except OSError as error:
        path.unlink(missing_ok=True)
        return (
            f"{path}: not written ({error.strerror or error}); free some space and start again: "
            "the journal beside it holds everything"
        )
    return ""


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


def opening(setup: TableSetup, told: Sequence[Event]) -> Callable[[float, Clock], Opened]:
    """Opens the sources of a table for `watch_table`, with inputs that are known beforehand beside their own."""

    def opened(start: float, clock: Clock) -> Opened:
        there = open_table(setup, start, clock)
        there.inputs = [*there.inputs, *told]
        return there

    return opened


def record_clock(started: Path) -> Clock:
    """Seconds since the record began, also after a restart: the file holds when that was, in Unix time.

    Raises:
        OSError: the file cannot be written.
    """
    try:
        since = float(started.read_text())
    except (OSError, ValueError):
        since = time.time()
        started.write_text(f"{since:.3f}\n")
    # Within one run the clock never jumps, whatever is done to the machine's.
    offset = time.time() - since - time.monotonic()
    return lambda: time.monotonic() + offset


def _opened_journal(wishes: Wishes, stack: ExitStack) -> Journal:
    try:
        stack.enter_context(lock_folder(wishes.data))
        return stack.enter_context(Journal(wishes.data / JOURNAL))
    except FolderInUse:
        raise fail(text("live.in_use", wishes.lang, folder=wishes.data)) from None
    except BrokenJournal as error:
        raise fail(error) from None
    except OSError as error:
        raise fail(
            text("live.unwritten", wishes.lang, path=wishes.data, error=error.strerror or error)
        ) from None


def _service(setup: TableSetup, journal: Journal, wishes: Wishes) -> TableService:
    """The service of a table; one that no camera looks at needs no reader and has no evidence."""
    if not setup.cameras:
        return TableService(setup, NoWatch(), journal)
    reader = open_reader()
    cv2.setNumThreads(1)
    evidence = Evidence(wishes.data / EVIDENCE, setup, keep=wishes.evidence)
    service = TableService(setup, TableWatch(setup, reader), journal, evidence=evidence)
    service.places = Places(setup, service.watch, wishes.table_file)
    return service


def _page(desk: Desk, wishes: Wishes, stack: ExitStack) -> str:
    if wishes.port is None:
        return ""
    try:
        page = serve(desk, Address(wishes.port, wishes.host, wishes.names), wishes.lang)
    except NotServed as error:
        raise fail(error) from None
    page.start()
    stack.callback(page.stop)
    print(text("live.page_at", wishes.lang, address=page.address), flush=True)
    return page.address


def _devices(setup: TableSetup, wishes: Wishes) -> TableDevices | None:
    """The devices of a table, where it has any and time passes as it does for them."""
    if not setup.devices:
        return None
    if wishes.speed is None:
        names = ", ".join(device.name for device in setup.devices)
        complain(text("live.devices_left_out", wishes.lang, names=names))
        return None
    try:
        return TableDevices(setup, wishes.data)
    except SealError as error:
        raise fail(error.reason[wishes.lang]) from None
    except OSError as error:
        raise fail(
            text("live.unwritten", wishes.lang, path=wishes.data, error=error.strerror or error)
        ) from None


def _run(
    runner: Runner,
    opened: Opened,
    wishes: Wishes,
    stopped: Callable[[], bool],
    address: str,
    lacks: Lacks,
    devices: TableDevices | None = None,
) -> None:
    service = runner.service
    first: list[float] = []

    def enough() -> bool:
        if devices is not None:
            # Asked several times a second, in the table's own thread.
            devices.step()
        if service.now is not None and not first:
            first.append(service.now)
        over = (
            wishes.seconds is not None
            and service.now is not None
            and service.now - first[0] >= wishes.seconds
        )
        return stopped() or over

    def lasting() -> bool:
        lacks()
        return enough()

    quiet = _quiet if not wishes.log else Lines(wishes.lang)
    if not service.setup.cameras:
        runner.by_hand(on_step=quiet, stop=lasting)
        return
    if wishes.speed is None:
        runner.all_at_once(opened.sources, quiet, stop=enough)
        return
    feed = LiveFeed(
        opened.sources, opened.paced, speed=wishes.speed, prepare=runner.prepare(), record=runner.record_clock
    )
    if not (wishes.log and sys.stdout.isatty()):
        runner.live(feed, on_step=quiet, stop=lasting)
        return
    there = devices.health if devices is not None else list
    with Screen(service, feed.health, feed.now, wishes.lang, address, devices=there) as screen:
        runner.live(feed, on_step=screen, stop=enough)


def _quiet(told: Sequence[Told]) -> None:
    """Nobody looks."""


@contextmanager
def stopping() -> Iterator[Callable[[], bool]]:
    """Ctrl+C and SIGTERM ask the table to stop between two steps; a second Ctrl+C interrupts at once."""
    asked: list[int] = []
    before = {int(number): signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}

    def ask(number: int, _frame: object) -> None:
        asked.append(number)
        signal.signal(number, before[number])

    for number in before:
        signal.signal(number, ask)
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
