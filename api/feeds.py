"""Brings frames to the service: from everything at once as fast as it goes, or live, each camera in a thread of its own.

Offline, frames of all cameras are merged in capture order and nothing is dropped. Live, what comes from a file or a
simulated table is held back until its time has come; of a real camera only the newest frame counts.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from devices.sources import Clock, Source, SourceFailed
from devices.watchdog import WatchedCamera
from table.texts import both
from vision.frames import Frame

TOGETHER_S: Final = 0.02
"""Frames of several cameras captured within this are looked at in one step."""
_SILENT_S: Final = 2.0
_PATIENCE: Final = 200
_LAG_S: Final = 0.5


@dataclass(slots=True)
class Health:
    """How a camera does.

    Attributes:
        name: of the camera.
        why: what is wrong with it, one line; empty while it gives frames.
        frames: frames it gave; `dropped`: those that came too fast to be looked at.
        fps: frames a second over the last seconds.
        ended: there will be no more.
        last: capture time of its newest frame, s of the record.
        reason: `why` in both languages, where it is known in both.
        notes: what is amiss though pictures come, in both languages.
        restarts: how often it had to be opened again; `faults`: how often for what.
        repeats: old pictures that came again and did not count; `broken`: those that were waste.
    """

    name: str
    why: str = ""
    frames: int = 0
    dropped: int = 0
    fps: float = 0.0
    ended: bool = False
    last: float | None = None
    reason: Mapping[str, str] = field(default_factory=dict)
    notes: list[Mapping[str, str]] = field(default_factory=list)
    restarts: int = 0
    faults: Mapping[str, int] = field(default_factory=dict)
    repeats: int = 0
    broken: int = 0


def merged(sources: Sequence[Source], health: dict[str, Health] | None = None) -> Iterator[tuple[Frame, ...]]:
    """All frames in capture order, those of one moment together; those of a recording as they were together then.

    Args:
        sources: read as they are needed; one that fails is tried again with each step.
        health: filled with how each camera does.
    """
    health = {} if health is None else health
    heads: dict[str, Frame] = {}
    failures: dict[str, int] = {}
    open_ = {source.name: source for source in sources}
    for name in open_:
        health[name] = Health(name)
    while True:
        for name, source in list(open_.items()):
            if name in heads:
                continue
            try:
                frame = source.read()
            except SourceFailed as error:
                health[name].why = str(error)
                failures[name] = failures.get(name, 0) + 1
                if failures[name] > _PATIENCE:
                    del open_[name]
                continue
            failures[name] = 0
            if frame is None:
                health[name].ended = True
                # A source that failed last and gave nothing since has ended because of that.
                health[name].why = getattr(source, "warning", "") or health[name].why
                del open_[name]
                continue
            heads[name] = frame
            note = health[name]
            note.why, note.frames, note.last = "", note.frames + 1, frame.at
        if not heads:
            if not open_:
                return
            continue
        batch = _first_moment(heads)
        for frame in batch:
            del heads[frame.source]
        yield batch


def _first_moment(heads: dict[str, Frame]) -> tuple[Frame, ...]:
    """The earliest frame and those that belong to it, in capture order."""
    first = min(heads.values(), key=lambda frame: (getattr(frame, "step", 0), frame.at))
    step = getattr(first, "step", 0)
    if step:
        same = [frame for frame in heads.values() if getattr(frame, "step", 0) == step]
    else:
        same = [frame for frame in heads.values() if frame.at <= first.at + TOGETHER_S]
    return tuple(sorted(same, key=lambda frame: (frame.at, frame.source)))


def _note_watched(slot: _Slot, source: WatchedCamera) -> None:
    """What a live camera's own watchdog knows of it."""
    health, status = slot.health, source.status
    if status.fault:
        # A camera can be slow and still give pictures.
        health.reason = status.reason
        health.why = status.reason.get("en", status.fault)
    elif not health.frames and not health.why:
        health.reason = {
            lang: f"{health.name}: {what}" for lang, what in both("devices_cameras.starting").items()
        }
        health.why = health.reason["en"]
    health.notes = list(status.notes.values())
    health.restarts, health.faults = status.restarts, dict(status.faults)
    health.repeats, health.broken = status.repeats, status.broken
    health.dropped = slot.overtaken + status.dropped


@dataclass(slots=True)
class _Slot:
    frames: deque[tuple[Frame, float]]
    health: Health
    overtaken: int = 0
    arrivals: deque[float] = field(default_factory=lambda: deque(maxlen=40))


class LiveFeed:
    """Frames as they come, each source read by a thread of its own.

    Args:
        sources: with their names.
        paced: names of those that give frames sooner than they happen (files, simulated tables).
        speed: seconds of the record to a second of the wall, for those.
        prepare: done with each frame in the thread that reads it (what a recording needs).
        clock: seconds of a clock that only runs forward.
        record: the record's clock, by which live cameras stamp their frames: where all are live it is the time, however
            late a frame arrives. Left out, it is taken from the frames.
    """

    def __init__(
        self,
        sources: Iterable[Source],
        paced: Iterable[str],
        *,
        speed: float = 1.0,
        prepare: Callable[[Frame], Frame] | None = None,
        clock: Callable[[], float] = time.perf_counter,
        record: Clock | None = None,
    ) -> None:
        self._sources = list(sources)
        self._paced = set(paced)
        self._record = None if self._paced else record
        self.speed = speed
        self._prepare = prepare
        self._clock = clock
        self._changed = threading.Condition()
        self._stopped = threading.Event()
        self._began: tuple[float, float] | None = None
        self._slots = {
            source.name: _Slot(deque(maxlen=3 if source.name in self._paced else 1), Health(source.name))
            for source in self._sources
        }
        self._threads = [
            threading.Thread(target=self._pump, args=(source,), name=f"camera {source.name}", daemon=True)
            for source in self._sources
        ]

    def start(self) -> None:
        """Begin to read."""
        for thread in self._threads:
            thread.start()

    def stop(self) -> None:
        """Stop reading and let the sources go."""
        self._stopped.set()
        with self._changed:
            self._changed.notify_all()
        for source in self._sources:
            if isinstance(source, WatchedCamera):
                # It may wait for a picture for long; closing it ends that.
                source.close()
        for thread in self._threads:
            thread.join(timeout=5)
        for source in self._sources:
            source.close()

    def take(self, timeout: float = 0.2) -> tuple[list[Frame], float] | None:
        """The frames of the next moment and when the first of them was there; None after `timeout` without any."""
        with self._changed:
            if not any(slot.frames for slot in self._slots.values()):
                self._changed.wait(timeout)
            heads = {name: slot.frames[0][0] for name, slot in self._slots.items() if slot.frames}
            if not heads:
                return None
            batch = _first_moment(heads)
            handed = min(self._slots[frame.source].frames.popleft()[1] for frame in batch)
        return list(batch), handed

    @property
    def over(self) -> bool:
        """Whether every source has ended and every frame has been taken."""
        return all(slot.health.ended and not slot.frames for slot in self._slots.values())

    def now(self) -> float | None:
        """The time of the record at this moment; None before the first frame."""
        if self._began is None:
            return None
        if self._record is not None:
            return self._record()
        wall, at = self._began
        return at + (self._clock() - wall) * self.speed

    def health(self) -> list[Health]:
        """How each camera does now."""
        now = self._clock()
        out = []
        for slot in self._slots.values():
            health, times = slot.health, slot.arrivals
            if len(times) > 1:
                health.fps = (len(times) - 1) / max(now - times[0], 1e-6)
            if not health.why and not health.ended and times and now - times[-1] > _SILENT_S:
                health.why = f"{health.name}: no picture for {now - times[-1]:.0f} s"
            out.append(health)
        for source in self._sources:
            if isinstance(source, WatchedCamera):
                _note_watched(self._slots[source.name], source)
        return out

    def _pump(self, source: Source) -> None:
        slot = self._slots[source.name]
        wait = 0.5
        while not self._stopped.is_set():
            try:
                frame = source.read()
            except SourceFailed as error:
                slot.health.why, slot.health.reason = str(error), error.reason
                if isinstance(source, WatchedCamera):
                    # It waits by itself before it opens the camera again.
                    continue
                # Tried again, each time later: a camera that was plugged in again comes back by itself.
                self._stopped.wait(wait / self.speed if source.name in self._paced else wait)
                wait = min(wait * 2, 30.0) if source.name not in self._paced else wait
                continue
            if frame is None:
                slot.health.ended = True
                slot.health.why = getattr(source, "warning", "") or slot.health.why
                break
            wait = 0.5
            if self._prepare is not None:
                frame = self._prepare(frame)
            self._hold_back(source.name, frame)
            with self._changed:
                if len(slot.frames) == slot.frames.maxlen:
                    slot.overtaken += 1
                    slot.health.dropped = slot.overtaken
                handed = self._clock()
                slot.frames.append((frame, handed))
                slot.arrivals.append(handed)
                slot.health.frames += 1
                slot.health.last = frame.at
                slot.health.why, slot.health.reason = "", {}
                self._changed.notify_all()
        with self._changed:
            self._changed.notify_all()

    def _hold_back(self, name: str, frame: Frame) -> None:
        """Wait until the frame's time has come; where the machine cannot keep up, time goes slower."""
        with self._changed:
            now = self._clock()
            if self._began is None:
                self._began = (now, frame.at)
            wall, at = self._began
            due = wall + (frame.at - at) / self.speed
            if name not in self._paced:
                # The clock of the record is that of the cameras.
                self._began = (now, frame.at)
            elif now > due + _LAG_S:
                self._began = (now, frame.at)
        if name in self._paced and due > now:
            self._stopped.wait(due - now)
