"""A simulated camera as a source of frames, with what can go wrong with one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from devices.simulator.conditions import CameraFault
from devices.simulator.motions import Lie, Timeline
from devices.simulator.view import HandAt, View
from devices.sources import SourceFailed
from vision.frames import Frame


@dataclass(frozen=True, slots=True)
class Looks:
    """What a camera looks at.

    Attributes:
        timeline: of the table.
        resting: hands that rest there all the time.
        faults: of this camera.
        spans: stretches of time of which it gives frames, s; None for all.
    """

    timeline: Timeline
    resting: tuple[HandAt, ...] = ()
    faults: tuple[CameraFault, ...] = ()
    spans: tuple[tuple[float, float], ...] | None = None


class SimulatedSource:
    """Frames of one camera over the simulated table: the same for the same table.

    Args:
        name: of the camera.
        fps: pictures a second.
        phase: when its first picture is taken, s.
        looks: what it looks at.
        make_view: paints what it sees; called with how far it was knocked, mm.
    """

    def __init__(
        self, name: str, fps: float, phase: float, looks: Looks, make_view: Callable[[float], View]
    ) -> None:
        self._name = name
        self._fps = fps
        self._phase = phase
        self._looks = looks
        self._make_view = make_view
        self._lie = Lie(looks.timeline)
        self._view: View | None = None
        self._knocked = 0.0
        self._number = 0
        self._span = 0
        self._failed: set[CameraFault] = set()
        self._kept: NDArray[np.uint8] | None = None
        self._closed = False

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._name

    def rename(self, name: str) -> None:
        """Give the camera the name that a table file has for it."""
        self._name = name

    @property
    def view(self) -> View:
        """What paints its pictures."""
        if self._view is None:
            self._view = self._make_view(self._knocked)
        return self._view

    def start_at(self, at: float) -> None:
        """Leave out the frames before a time, s: for a match that goes on."""
        self._number = max(self._number, math.ceil((at - self._phase) * self._fps - 1e-9))

    def read(self) -> Frame | None:
        """The next frame; None when the match is over or the source has ended.

        Raises:
            SourceFailed: the camera is unplugged at this time.
        """
        while not self._closed:
            at = self._at(self._number)
            if at > self._looks.timeline.end or self._holds("end", at):
                self.close()
                break
            if self._skips(at):
                continue
            if (fault := self._holds("unplug", at)) is not None:
                self._unplugged(fault)
                continue
            self._number += 1
            if self._holds("stall", at) is None:
                return self._frame(at)
        return None

    def close(self) -> None:
        """No more frames; lets its memory go."""
        self._closed = True
        self._view = None
        self._kept = None

    def picture(self, at: float, number: int = 0) -> NDArray[np.uint8]:
        """What the camera sees at a moment, whatever is wrong with it."""
        lying = self._lie.until(at)
        trips = self._looks.timeline.moving(at)
        carried = [thing for trip in trips for thing in trip.carried(at)]
        hands = [HandAt(trip.seat, *trip.tip(at)) for trip in trips]
        return self.view.frame(lying, carried, [*hands, *self._looks.resting], number, at)

    def _at(self, number: int) -> float:
        return round(self._phase + number / self._fps, 4)

    def _holds(self, kind: str, at: float) -> CameraFault | None:
        return next((f for f in self._looks.faults if f.kind == kind and f.holds(at)), None)

    def _skips(self, at: float) -> bool:
        """Whether nothing happens now: the next frame is then one of the next stretch in which something does."""
        spans = self._looks.spans
        if spans is None:
            return False
        while self._span < len(spans) and spans[self._span][1] < at:
            self._span += 1
        if self._span == len(spans):
            self.close()
            return True
        start = spans[self._span][0]
        if at >= start:
            return False
        self._number = max(self._number + 1, math.ceil((start - self._phase) * self._fps - 1e-9))
        return True

    def _unplugged(self, fault: CameraFault) -> None:
        """Fail, once if the camera comes back, else at every reading."""
        if fault.until is not None and fault in self._failed:
            self._number = max(self._number + 1, math.ceil((fault.until - self._phase) * self._fps - 1e-9))
            return
        self._failed.add(fault)
        raise SourceFailed(
            f"camera {self._name}: no longer there; check its cable, the table goes on without it"
        )

    def _frame(self, at: float) -> Frame:
        knocked = self._holds("knocked", at)
        if knocked is not None and self._knocked != knocked.mm:
            self._knocked, self._view = knocked.mm, None
        if self._holds("freeze", at) is not None and self._kept is not None:
            return Frame(self._kept, at, self._name)
        image = self.picture(at, self._number)
        if self._holds("dark", at) is not None:
            image = image // 24
        self._kept = image if any(fault.kind == "freeze" for fault in self._looks.faults) else None
        return Frame(image, at, self._name)


def fault_spans(faults: Sequence[CameraFault]) -> list[tuple[float, float]]:
    """Stretches around faults of which every camera gives frames, so that they can be noticed: s."""
    spans = []
    for fault in faults:
        end = math.inf if fault.until is None else fault.until
        spans.append((fault.at - 0.5, min(end, fault.at + 3.0)))
        if fault.until is not None:
            spans.append((fault.until - 0.5, fault.until + 1.5))
    return spans
