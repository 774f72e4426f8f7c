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

from api.app import Page, PortTaken, make_app
from api.auth import TOKENS, Tokens
from api.commands.read import complain, open_reader
from api.desk import Desk
from api.feeds import LiveFeed
from api.http.access import Door
from api.http.app import make_node
from api.live import Board, shown_box
from api.outputs import Outputs
from api.parts import Parts, Streams
from api.runner import ALIVE, EVIDENCE, JOURNAL, FolderInUse, Runner, lock_folder
from api.service import TableService, Told
from api.tables import Opened, open_table
from api.terminal import Lines, Screen, summary
from calibration.setup import TableSetup
from calibration.toml_keys import BadTableFile
from devices.recorded import Tape
from devices.sources import Clock, SourceFailed
from table.events import BadEvent, Event, event_from_json
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
NoPageOption = Annotated[bool, typer.Option("--no-page", help="No page. 不开页面。")]
InputsOption = Annotated[
    Path | None,
    typer.Option(
        "--inputs", help="Inputs that no camera sees, JSON lines. 相机看不到的输入。", show_default=False
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
    """

    data: Path
    lang: str
    port: int | None = None
    tape: Path | None = None
    speed: float | None = 1.0
    seconds: float | None = None
    evidence: bool = True
    log: bool = True


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
        reader = open_reader()
        cv2.setNumThreads(1)
        evidence = Evidence(wishes.data / EVIDENCE, setup, keep=wishes.evidence)
        service = TableService(setup, TableWatch(setup, reader), journal, evidence=evidence)
        if wishes.log and journal.last_seq:
            at = f"{service.resumed_at or 0:.0f}"
            print(text("live.resumed", wishes.lang, events=journal.last_seq, at=at), flush=True)
        try:
            clock = record_clock(wishes.data / STARTED)
            opened = open_sources(service.resumed_at or 0.0, clock)
            tape = Tape(wishes.tape, setup) if wishes.tape is not None else None
        except (SourceFailed, BadTableFile) as error:
            raise fail(error) from None
        except OSError as error:
            raise fail(
                text("live.unwritten", wishes.lang, path=wishes.tape, error=error.strerror or error)
            ) from None
        board = Board({camera.name: shown_box(setup, camera) for camera in setup.cameras})
        outputs = Outputs()
        streams = Streams(int(time.time() * 1000), outputs.put)
        runner = Runner(
            service,
            board,
            tape,
            opened.inputs,
            wishes.data / ALIVE,
            parts=Parts(service, streams),
            record_clock=clock,
        )
        desk = Desk(
            service,
            runner,
            streams,
            board,
            outputs,
            wishes.data,
            wishes.data / EVIDENCE if wishes.evidence else None,
        )
        address = _page(desk, wishes, stack)
        started = time.perf_counter()
        with stopping() as stopped:
            _run(runner, opened, wishes, stopped, address)
        (wishes.data / RECORD).write_text(journal.export(), encoding="utf-8")
        if wishes.log:
            for line in service.referee.finish():
                print(line_text(line, wishes.lang))
            print(summary(service, time.perf_counter() - started, wishes.lang), flush=True)
        lacks = [one.why for one in runner.cameras.values() if one.why]
        lacks += [line for line in (service.trouble, runner.trouble) if line]
        for lack in lacks:
            complain(lack)
        if lacks:
            raise typer.Exit(CUT)
        return service


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


def _page(desk: Desk, wishes: Wishes, stack: ExitStack) -> str:
    if wishes.port is None:
        return ""
    app = make_node(desk, Door(Tokens(wishes.data / TOKENS), local=True))
    app.mount("/old", make_app(desk.board, desk.evidence, desk.runner.hear))
    try:
        page = Page(app, wishes.port)
    except PortTaken:
        raise fail(text("live.port_taken", wishes.lang, port=wishes.port)) from None
    page.start()
    stack.callback(page.stop)
    print(text("live.page_at", wishes.lang, address=page.address), flush=True)
    return page.address


def _run(runner: Runner, opened: Opened, wishes: Wishes, stopped: Callable[[], bool], address: str) -> None:
    service = runner.service
    first: list[float] = []

    def enough() -> bool:
        if service.now is not None and not first:
            first.append(service.now)
        over = (
            wishes.seconds is not None
            and service.now is not None
            and service.now - first[0] >= wishes.seconds
        )
        return stopped() or over

    quiet = _quiet if not wishes.log else Lines(wishes.lang)
    if wishes.speed is None:
        runner.all_at_once(opened.sources, quiet, stop=enough)
        return
    feed = LiveFeed(opened.sources, opened.paced, speed=wishes.speed, prepare=runner.prepare())
    if not (wishes.log and sys.stdout.isatty()):
        runner.live(feed, on_step=quiet, stop=enough)
        return
    with Screen(service, feed.health, feed.now, wishes.lang, address) as screen:
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
