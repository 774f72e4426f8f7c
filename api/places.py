"""Where the cameras of a running table are: measured while it is idle, told when they moved, accepted in one step."""

from __future__ import annotations

import queue
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from pathlib import Path

from calibration.drift import MOVED, WARN, DriftState, DriftWatch
from calibration.notes import CannotCalibrate, Note
from calibration.setup import CameraSetup, TableSetup
from calibration.setup_edit import SetupEditor
from calibration.toml_keys import BadTableFile
from table.events import Event
from table.texts import text
from vision.frames import Frame
from vision.table_watch import TableWatch


class Places:
    """Keeps an eye on the table's tags while it is watched.

    Args:
        setup: of the table; one without tags is not measured.
        watch: what looks at the table: it knows when nothing moves, and takes over places that are accepted.
        path: the setup file, into which accepted places are written; None: into none.
        every: seconds between two looks of a camera.
    """

    def __init__(
        self, setup: TableSetup, watch: object, path: Path | None = None, every: float | None = None
    ) -> None:
        self._drift = DriftWatch(setup) if every is None else DriftWatch(setup, every)
        self._watch = watch if isinstance(watch, TableWatch) else None
        self._path = path
        self._asked: queue.SimpleQueue[tuple[Sequence[str] | None, Future[tuple[CameraSetup, ...]]]]
        self._asked = queue.SimpleQueue()

    @property
    def states(self) -> Mapping[str, DriftState]:
        """Of each camera: `ok`, `warn`, `moved` or `unknown`; empty for a table without tags."""
        return self._drift.states if self._drift.watches else {}

    @property
    def setup(self) -> TableSetup:
        """The table's setup with the cameras where they were last accepted."""
        return self._drift.setup

    def see(self, frames: Iterable[Frame]) -> None:
        """Measure where it is time to and nothing moves before the camera; then do what was asked for."""
        if not self._drift.watches:
            self._answer()
            return
        for frame in frames:
            if self._watch is None:
                self._drift.see(frame)
            elif self._watch.idle(frame.source):
                self._measure(frame, self._watch)
        self._answer()

    def _measure(self, frame: Frame, watch: TableWatch) -> None:
        """See where a camera is; one that stands where it was set up is taken to be there again.

        It may have been knocked while nobody looked, and been put back since: all that was seen then is its way back.
        """
        place = watch.place(frame.source)
        before = self.states[frame.source]
        now = self._drift.see(frame, place)
        if now is not before and now.state in (WARN, MOVED) and (back := self._drift.back(frame.source)):
            watch.put_place(back)

    def accept(self, cameras: Sequence[str] | None = None) -> Future[tuple[CameraSetup, ...]]:
        """Ask, from any thread, that cameras count as set up where they are now; done with the next frames.

        Args:
            cameras: names; None for all that see enough tags.

        Returns:
            The cameras with their new planes, once they are in use and in the setup file; CannotCalibrate where a
            camera sees too few tags, KeyError where there is none of that name, BadTableFile where the file cannot be
            written (the running table has the new places all the same).
        """
        answer: Future[tuple[CameraSetup, ...]] = Future()
        self._asked.put((cameras, answer))
        return answer

    def lines(self, lang: str) -> list[str]:
        """What there is to say, one line each; nothing while all is well."""
        notes: dict[str, Note] = {}
        for state in self.states.values():
            notes.update({str(one): one for one in state.notes})
        return [told(one, lang) for one in notes.values()]

    def unsure(self, zone: str) -> bool:
        """Whether a zone is seen only by cameras that are not where they were set up, or lies on a mat that slipped."""
        if not self._drift.watches:
            return False
        moved, slipped = self._drift.moved(), self._drift.slipped()
        if not moved and not slipped:
            return False
        seers = self._watch.seers(zone) if self._watch is not None else tuple(self._drift.states)
        return bool(seers) and (
            all(camera in moved for camera in seers) or any(camera in slipped for camera in seers)
        )

    def _answer(self) -> None:
        while not self._asked.empty():
            cameras, answer = self._asked.get()
            if not answer.set_running_or_notify_cancel():
                continue  # whoever asked has given up
            try:
                answer.set_result(self._accept(cameras))
            except (CannotCalibrate, KeyError, BadTableFile) as error:
                answer.set_exception(error)

    def _accept(self, cameras: Sequence[str] | None) -> tuple[CameraSetup, ...]:
        accepted = self._drift.accept(cameras)
        if self._watch is not None:
            for camera in accepted:
                self._watch.put_place(camera)
        if self._path is not None and accepted:
            write_places(self._path, accepted)
        return accepted


def write_places(path: Path, cameras: Iterable[CameraSetup]) -> None:
    """Write the planes of cameras into the setup file; all else in it stays as it is.

    Raises:
        BadTableFile: it cannot be read or written, or has no such camera.
    """
    editor = SetupEditor(path)
    for camera in cameras:
        editor.put_plane(camera.name, camera.plane)
        editor.put_calibration(camera.name, camera.calibration)
    editor.save()


def told(what: Note | CannotCalibrate, lang: str) -> str:
    """A note, or why something cannot be done, as a line of text."""
    note = what.note if isinstance(what, CannotCalibrate) else what
    return text(f"calibration.{note.key}", lang, **note.fields)


def doubted(event: Event, doubt_below: float) -> Event:
    """An event of which the cameras are not sure: what follows from it is to be checked, whatever it says."""
    if not getattr(event, "cards", ()):
        return event
    return replace(
        event, confidence=min(doubt_below * 0.99, 1.0 if event.confidence is None else event.confidence)
    )
