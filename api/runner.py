"""Runs one table from its first frame to its last: live against the clock, by hand, or all at once."""

from __future__ import annotations

import fcntl
import queue
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from api.feeds import Health, LiveFeed, merged
from api.live import Board
from api.parts import Parts
from api.service import Receipt, TableService, Told
from devices.recorded import Tape
from devices.sources import Clock, Source
from table.event_json import event_to_json
from table.events import Correction, Event, Ruling
from vision.frames import Frame
from vision.table_watch import TableWatch
from vision.tracker import VISIBLE

JOURNAL: Final = "journal.sqlite"
EVIDENCE: Final = "evidence"
ALIVE: Final = "alive"
_ALIVE_S: Final = 1.0


class FolderInUse(OSError):
    """Another process keeps its table in the same folder."""


class Runner:
    """Drives a service with frames and inputs.

    Args:
        service: the table.
        board: where displays find its newest pictures; None for nobody.
        tape: records what the cameras give; None records nothing.
        inputs: events that are known to come (of a simulated table, of a recording), each heard when its time has
            come; one with `step` in `extra` is heard before that step.
        alive: file in which the time of the newest frame is kept, so that a restart knows what it missed.
        clock: seconds of a clock that only runs forward: how often displays are told goes by it.
        parts: the state for displays, kept up to date; None for nobody.
        record_clock: seconds since the record began, for the time when no camera tells it.

    Attributes:
        cameras: how each camera does.
        trouble: what is wrong with the recording on tape; empty while all is well.
        record_clock: seconds since the record began; None where only frames tell it.
    """

    def __init__(
        self,
        service: TableService,
        board: Board | None = None,
        tape: Tape | None = None,
        inputs: Sequence[Event] = (),
        alive: Path | None = None,
        clock: Callable[[], float] = time.monotonic,
        parts: Parts | None = None,
        record_clock: Clock | None = None,
    ) -> None:
        self.service = service
        self.board = board
        self.trouble = ""
        self.cameras: dict[str, Health] = {
            camera.name: Health(camera.name) for camera in service.setup.cameras
        }
        self._tape = tape
        self._coming = sorted(inputs, key=lambda event: event.at or 0.0)
        self._inbox: queue.SimpleQueue[tuple[Event, Receipt | None]] = queue.SimpleQueue()
        self._first_in: list[tuple[Event, Receipt | None]] = []
        self._parts = parts
        self.record_clock = record_clock
        self._feed: LiveFeed | None = None
        self._first = True
        self._alive = alive
        self._clock = clock
        self._alive_at = -np.inf

    def hear(self, event: Event) -> None:
        """Take an input from any thread; one without a time happens when it is heard."""
        self._inbox.put((event, None))

    def ask(self, event: Event, allow: Callable[[], None] | None = None) -> Future[list[Told]]:
        """Take an input from any thread, for somebody who waits until it is in the journal.

        Args:
            event: one without a time happens when it is heard.
            allow: see `Receipt`.
        """
        receipt = Receipt(Future(), allow)
        self._inbox.put((event, receipt))
        return receipt.done

    def now(self) -> float | None:
        """The time of the record at this moment, s; None before it is known. From any thread."""
        now = self._feed.now() if self._feed is not None else None
        if now is None and self.record_clock is not None and (self._feed is None or not self.service.steps):
            now = self.record_clock()
        newest = self.service.now
        return newest if now is None else now if newest is None else max(now, newest)

    def all_at_once(
        self,
        sources: Sequence[Source],
        on_step: Callable[[Sequence[Told]], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Look at everything as fast as it goes, frames in capture order; nothing is dropped.

        Args:
            sources: of the table's cameras.
            on_step: called with what was recorded in each step in which something was.
            stop: asked after every step.
        """
        for frames in merged(sources, self.cameras):
            frames = (
                tuple(self._tape.through(frame) for frame in frames) if self._tape is not None else frames
            )
            told = self._step(frames, None)
            if told and on_step is not None:
                on_step(told)
            self._show(self.service.now, frames)
            if stop():
                self._coming = []
                break
        for source in sources:
            source.close()
        self._end(on_step)

    def live(
        self,
        feed: LiveFeed,
        *,
        on_step: Callable[[Sequence[Told]], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
    ) -> None:
        """Look at frames as they come until every source has ended, or `stop` says so.

        Args:
            feed: not started yet.
            on_step: called after every step, and several times a second while no frames come.
            stop: asked after every step.
        """
        self._feed = feed
        feed.start()
        try:
            while not feed.over and not stop():
                taken = feed.take()
                self.cameras = {one.name: one for one in feed.health()}
                told = self._step(*taken, at=feed.now()) if taken is not None else self._unseen()
                self._show(feed.now(), () if taken is None else taken[0])
                if on_step is not None:
                    on_step(told)
            if not feed.over:
                self._coming = []
        finally:
            feed.stop()
        self._end(on_step)

    def by_hand(
        self,
        *,
        on_step: Callable[[Sequence[Told]], None] | None = None,
        stop: Callable[[], bool] = lambda: False,
        wait: float = 0.2,
    ) -> None:
        """Keep a table that no camera looks at, until `stop` says so: everything is put in by hand.

        Args:
            on_step: called several times a second, and after everything that was recorded.
            stop: asked as often.
            wait: s between two looks at the time, while nobody puts anything in.
        """
        while not stop():
            told = self._pass_time(self.now() or 0.0, wait)
            self._show(self.now(), ())
            if on_step is not None:
                on_step(told)
        self._coming = []
        self._end(on_step)

    def prepare(self) -> Callable[[Frame], Frame] | None:
        """What a live feed has to do with each frame before it is looked at."""
        return self._tape.through if self._tape is not None else None

    def _step(self, frames: Sequence[Frame], handed: float | None, at: float | None = None) -> list[Told]:
        newest = max(frame.at for frame in frames)
        if self._first:
            self._first = False
            self._begin(min(frame.at for frame in frames))
        self._hear_until(newest, at)
        told = self.service.step(frames, handed)
        self._note_alive(newest)
        if self._tape is not None:
            self._on_tape(lambda tape: tape.keep(frames, self.service.steps))
        return told

    def _unseen(self) -> list[Told]:
        """No frame has come: where no camera gives any, time passes all the same and inputs are recorded at once."""
        if not all(one.why or one.ended for one in self.cameras.values()):
            return []
        at = self.now()
        return [] if at is None else self._pass_time(at, 0.0)

    def _pass_time(self, at: float, wait: float) -> list[Told]:
        if self._first:
            self._first = False
            self._begin(at)
        if wait:
            # What is put in ends the wait.
            with suppress(queue.Empty):
                self._first_in.append(self._inbox.get(timeout=wait))
            at = max(at, self.now() or at)
        self._hear_until(at, at)
        told = self.service.pass_time(at)
        self._note_alive(at)
        return told

    def _begin(self, at: float) -> None:
        """Open the match, or name what was missed since the last time that somebody looked."""
        resumed = self.service.resumed_at
        if resumed is not None:
            self.service.missed(max(resumed, self._was_alive()), at)
        elif not any(event.name == "match_started" for event in self._coming):
            self.service.start(at)

    def was_alive(self) -> float | None:
        """When somebody last looked at the table before a restart, s of the record; None of a new match."""
        if self.service.resumed_at is None:
            return None
        return max(self.service.resumed_at, self._was_alive())

    def _was_alive(self) -> float:
        """When somebody last looked at the table, s of the record."""
        try:
            return float(self._alive.read_text()) if self._alive is not None else -np.inf
        except (OSError, ValueError):
            return -np.inf

    def _note_alive(self, at: float) -> None:
        if self._alive is None or at - self._alive_at < _ALIVE_S:
            return
        self._alive_at = at
        try:
            # Overwritten in place: a line this short is there as a whole or not at all.
            with self._alive.open("r+" if self._alive.exists() else "w") as file:
                file.write(f"{at:14.3f}\n")
        except OSError:
            # A full disk: the journal says so; without this note a gap is at worst told longer than it was.
            return

    def _hear_until(self, newest: float, now: float | None) -> None:
        step = self.service.steps + 1
        while self._coming and self._has_come(self._coming[0], newest, step):
            self._heard(self._coming.pop(0), step)
        while self._first_in or not self._inbox.empty():
            event, receipt = self._first_in.pop() if self._first_in else self._inbox.get()
            if event.at is None:
                at = newest if now is None else now
                if isinstance(event, Correction | Ruling) and receipt is not None:
                    # It says nothing of when anybody acted: no need to wait for what cameras still see before it.
                    at = min(at, newest - self.service.hold)
                event = replace(event, at=at)
            self._heard(event, step, receipt)

    def _has_come(self, event: Event, newest: float, step: int) -> bool:
        before = event.extra.get("step")
        return step >= before if isinstance(before, int) else (event.at or 0.0) <= newest

    def _heard(self, event: Event, step: int, receipt: Receipt | None = None) -> None:
        if "step" in event.extra:
            event = replace(event, extra={key: value for key, value in event.extra.items() if key != "step"})
        if self._tape is not None:
            self._on_tape(lambda tape: tape.hear(event_to_json(event), step))
        self.service.hear(event, receipt)

    def _on_tape(self, write: Callable[[Tape], None]) -> None:
        """A recording that cannot be written ends; the table goes on."""
        try:
            assert self._tape is not None
            write(self._tape)
        except OSError as error:
            self.trouble = f"the recording ends here: {error.strerror or error}"
            self._close_tape()

    def _close_tape(self) -> None:
        if self._tape is not None:
            tape, self._tape = self._tape, None
            tape.close()

    def _end(self, on_step: Callable[[Sequence[Told]], None] | None) -> None:
        # Somebody may have put something in a moment ago: it is not lost because the table stops.
        at = self.now() or 0.0
        self._hear_until(at, at)
        told: list[Told] = []
        for event in self._coming:
            told += self._unwatched(event.at)
            self._heard(event, self.service.steps + 1)
        self._coming = []
        told += self.service.finish()
        self._close_tape()
        self._show(None, (), force=True)
        if on_step is not None:
            on_step(told)

    def _unwatched(self, at: float | None) -> list[Told]:
        """Let time pass until something is heard after the last picture: its zones are blind by then, as they were.

        A film that was cut must not turn what nobody saw into what did not happen.
        """
        newest = self.service.now
        if not self.cameras or newest is None or at is None or at <= newest:
            return []
        return self.service.pass_time(at)

    def _show(self, at: float | None, frames: Sequence[Frame], force: bool = False) -> None:
        if self.board is not None:
            self.board.show(frames)
        if self._parts is not None:
            outlines = outlines_of(self.service.watch)
            self._parts.update(self._clock(), at, self.cameras.values(), outlines, [self.trouble], force)


def outlines_of(watch: object) -> Callable[[str], list[Mapping[str, Any]]] | None:
    """The cards on the table as the watch follows them, for drawing; None for what follows no cards."""
    if not isinstance(watch, TableWatch):
        return None

    def outlines(camera: str) -> list[Mapping[str, Any]]:
        cards: list[Mapping[str, Any]] = []
        for tracks in watch.tracks().values():
            for track in tracks:
                px = np.round(watch.outline_px(camera, track), 1)
                names = track.evidence.listed(1) if track.face_up else ()
                cards.append(
                    {
                        "name": names[0][0].pretty if names else "",
                        "doubtful": bool(track.doubtful) and bool(names),
                        "covered": track.state != VISIBLE,
                        "px": px.tolist(),
                    }
                )
        return cards

    return outlines


def lock_folder(folder: Path) -> IO[str]:
    """Hold a folder for this process as long as the file that is returned stays open.

    Raises:
        FolderInUse: another process holds it.
        OSError: it cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    held = (folder / ".lock").open("w")
    try:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        held.close()
        raise FolderInUse(str(folder)) from None
    return held
