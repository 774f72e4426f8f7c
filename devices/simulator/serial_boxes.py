"""Four seat boxes at a simulated table: what its players press goes through real ports, at the table's own time."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from calibration.device_setup import DeviceSetup
from devices.simulator.serial_device import Device, Running
from devices.simulator.serial_wire import Noise, Wire
from devices.sources import Source
from table.events import CountCalled, Event, Pass, RefereeCalled
from vision.frames import Frame

_PATIENCE_S: Final = 30.0


class BoxesOfTable:
    """A box at each seat; use it as a context manager.

    Args:
        folder: for the ports' names.
        noise: of their wires.

    Attributes:
        devices: the boxes as a setup file would name them.
    """

    def __init__(self, folder: Path, noise: Noise | None = None) -> None:
        self._at = 0.0
        wires = [Wire(folder / f"box{seat}", noise) for seat in range(4)]
        self.devices = tuple(
            DeviceSetup(f"box {seat}", "seatbox", (seat,), port=wire.path) for seat, wire in enumerate(wires)
        )
        self._running = [
            Running(Device(wire, "seatbox", f"B{seat}", clock=lambda: round(self._at * 1000)))
            for seat, wire in enumerate(wires)
        ]

    def __enter__(self) -> BoxesOfTable:
        for one in self._running:
            one.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        for one in self._running:
            one.__exit__()

    def now(self) -> float:
        """The time of the table, s."""
        return self._at

    def time_is(self, at: float) -> None:
        """The table's time goes on."""
        self._at = max(self._at, at)

    def press(self, event: Event) -> None:
        """Press what an event says (see `pressable`) when it says so, and wait until the press was taken."""
        assert isinstance(event, Pass | CountCalled | RefereeCalled)
        words = {Pass: "PASS", RefereeCalled: "CALL"}.get(type(event), "")
        if isinstance(event, CountCalled):
            words = f"COUNT {event.count}"
        device = self._running[event.seat].device
        device.say(words, round((event.at or 0.0) * 1000))
        until = time.monotonic() + _PATIENCE_S
        while device.waiting:
            if time.monotonic() > until:
                raise TimeoutError(f"box {event.seat}: nobody takes its presses")
            time.sleep(0.001)


def pressable(event: Event) -> bool:
    """Whether a box can say this."""
    if isinstance(event, CountCalled):
        return 1 <= event.count <= 10
    return isinstance(event, Pass | RefereeCalled)


class Pressing:
    """Frames of a source (fulfils `Source`); before each, what is due by then is pressed.

    Args:
        source: whose frames; of several sources of a table each gets the same `due`.
        boxes: where presses go.
        due: shared by the sources: what is still to be pressed, in order of time.
    """

    def __init__(self, source: Source, boxes: BoxesOfTable, due: Due) -> None:
        self._source = source
        self._boxes = boxes
        self._due = due

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._source.name

    def read(self) -> Frame | None:
        """The next frame; see `Source`."""
        frame = self._source.read()
        # At the end the rest is pressed: nothing more comes to wait for.
        self._due.press_until(self._boxes, float("inf") if frame is None else frame.at)
        return frame

    def close(self) -> None:
        """Let the source go."""
        self._source.close()


class Due:
    """Presses that are still to come."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._coming: Sequence[Event] = sorted(events, key=lambda event: event.at or 0.0)
        self._lock = threading.Lock()

    def press_until(self, boxes: BoxesOfTable, at: float) -> None:
        """Press what is due at `at`, s."""
        with self._lock:
            now = [event for event in self._coming if (event.at or 0.0) <= at]
            self._coming = self._coming[len(now) :]
            boxes.time_is(at if at != float("inf") else boxes.now() + 1.0)
            for event in now:
                boxes.press(event)
