"""Seat boxes: what players press (pass, the number of cards left, a call for the referee) becomes events of the record.

A press is on disk before the box is told that it was taken; a press that was told late keeps the time at which it
happened. After a restart the presses that may not have reached the journal are given once more.
"""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from devices.health import SILENT_S, DeviceHealth, of_version
from devices.protocol import VERSION, Hello, NotALine, Receiver, Said
from table.events import BadEvent, CountCalled, Event, Pass, RefereeCalled, event_from_json, event_to_json
from table.seats import Seat

COUNTS: Final = (1, 10)
"""The counts that a box can call."""
SOURCE: Final = "seatbox"
_KEPT: Final = 400
"""Lines of the inbox that a restart keeps."""
RecordClock = Callable[[], float | None]
"""The seconds of the record now; None while the record has not begun."""


class Inbox:
    """The presses of all boxes of a table, on disk.

    Args:
        path: of the file; made when it does not exist.

    Raises:
        OSError: it cannot be read or written.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = threading.Lock()
        path.parent.mkdir(parents=True, exist_ok=True)
        self._lines = list(_read(path))[-_KEPT:]
        self._last = {(one["serial"], one["boot"]): int(one["line"]) for one in self._lines}
        text = "".join(json.dumps(one) + "\n" for one in self._lines)
        fresh = path.with_suffix(".new")
        fresh.write_text(text, encoding="ascii")
        fresh.replace(path)
        self._file = path.open("a", encoding="ascii")

    def last_of(self, serial: str, boot: str) -> int | None:
        """The last line on disk of a box since it was switched on; None of one that is not known."""
        with self._lock:
            return self._last.get((serial, boot))

    def keep(self, hello: Hello, said: list[tuple[int, Event | None]]) -> None:
        """Put lines with what they came to on disk.

        Raises:
            OSError: they are not.
        """
        with self._lock:
            for number, event in said:
                line: dict[str, Any] = {"serial": hello.serial, "boot": hello.boot, "line": number}
                if event is not None:
                    line["event"] = event_to_json(event)
                self._file.write(json.dumps(line) + "\n")
            self._file.flush()
            os.fsync(self._file.fileno())
            self._last[hello.serial, hello.boot] = said[-1][0]

    def since(self, at: float) -> list[Event]:
        """Presses that happened at or after `at`, s of the record, as far as they were there when it was opened."""
        events = []
        for one in self._lines:
            try:
                event = event_from_json(one["event"])
            except (KeyError, BadEvent):
                continue
            if event.at is not None and event.at >= at:
                events.append(event)
        return events

    def close(self) -> None:
        """Close the file."""
        with self._lock:
            self._file.close()


def _read(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of an inbox that are whole."""
    if not path.exists():
        return
    for line in path.read_text(encoding="ascii", errors="replace").splitlines():
        try:
            one = json.loads(line)
            (str(one["serial"]), str(one["boot"]), int(one["line"]))
        except (ValueError, KeyError, TypeError):
            # Power went while it was written: the box was never told that the line was taken, and tells it again.
            continue
        yield one


class Claims:
    """Whose box is whose: a seat has one box.

    The first that claims a seat keeps it as long as it is there: a press from the wrong box would be held against
    somebody, a press that is missing is only a gap. Once it is silent another box may take its place.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._held: dict[Seat, tuple[str, Callable[[], bool]]] = {}

    def claim(self, seat: Seat, name: str, there: Callable[[], bool]) -> str:
        """Claim a seat.

        Args:
            seat: which.
            name: of the device.
            there: says whether the device still talks.

        Returns:
            The device that has the seat: `name` where the claim holds.
        """
        with self._lock:
            holder = self._held.get(seat)
            if holder is None or holder[0] == name or not holder[1]():
                self._held[seat] = (name, there)
                return name
            return holder[0]

    def holds(self, seat: Seat, name: str) -> bool:
        """Whether the seat is that device's."""
        with self._lock:
            return self._held.get(seat, ("",))[0] == name


class SeatBox:
    """The conversation with one box (`serial_link.Talk`).

    Args:
        device: as the setup file names it.
        claims: of the table's seats.
        inbox: where presses are kept.
        hear: takes the events; called in the box's own thread.
        now: the record's clock.
        clock: seconds of a clock that only runs forward.
    """

    def __init__(
        self,
        device: DeviceSetup,
        claims: Claims,
        inbox: Inbox,
        hear: Callable[[Event], None],
        now: RecordClock,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._device = device
        self._claims = claims
        self._inbox = inbox
        self._hear = hear
        self._now = now
        self._clock = clock
        self._receiver = Receiver(inbox.last_of, self._judged)
        self._seats: tuple[Seat, ...] = device.seats
        self._why = self._note = ""
        self._heard_at = self._opened_at = -1e9
        self._unbegun = True
        self._health = DeviceHealth(device.name, device.kind, seats=device.seats)

    def opened(self, port: str) -> None:
        """See `Talk`."""
        self._health.port = port
        self._opened_at = self._clock()
        self._receiver.opened()

    def take(self, data: bytes) -> None:
        """See `Talk`."""
        now = self._now()
        if (now is None) is not self._unbegun:
            # Until now the box's clock was compared with another one than the record's.
            self._unbegun = now is None
            self._receiver.clock.reset()
        heard = self._receiver.heard
        said = self._receiver.take(data, self._clock() if now is None else now)
        if self._receiver.heard > heard:
            self._heard_at = self._clock()
        hello = self._receiver.hello
        if not said or hello is None:
            return
        events = [(one.number, self._event(one, now)) for one in said]
        try:
            self._inbox.keep(hello, events)
        except (OSError, ValueError) as error:
            self._receiver.again()
            self._why = (
                f"what it says cannot be kept ({getattr(error, 'strerror', None) or error}); free some space"
            )
            return
        self._receiver.confirm()
        self._why = ""
        for _, event in events:
            if event is not None:
                self._hear(event)

    def due(self) -> bytes:
        """See `Talk`."""
        now = self._clock()
        if self._receiver.refused == "seat" and now - self._opened_at > SILENT_S:
            # Perhaps the other box is gone by now.
            self._opened_at = now
            self._receiver.opened()
        return self._receiver.due(now)

    def alive(self) -> bool:
        """See `Talk`."""
        return self._clock() - self._heard_at < SILENT_S

    def tell(self, words: str) -> None:
        """Light a lamp, beep (docs/serial-protocol.md); a device that has none passes it over."""
        self._receiver.send(words)

    def health(self, link_why: str, reopened: int) -> DeviceHealth:
        """How the box does.

        Args:
            link_why: what is wrong with its port.
            reopened: how often that came back.
        """
        found = replace(self._health, seats=self._seats, reopened=max(reopened, 0), note=self._note)
        found.introduced(self._receiver.hello)
        found.counted(self._receiver.counts)
        found.why = link_why or self._why
        waited = self._clock() - max(self._heard_at, self._opened_at)
        if not found.why and self._receiver.hello is None and waited > SILENT_S:
            found.why = "says nothing that is understood; check its baud rate and that it speaks the protocol"
        elif not found.why and waited > SILENT_S:
            found.why = f"silent for {waited:.0f} s; check its cable and its supply"
        return found

    def _judged(self, hello: Hello) -> str:
        """Why a box that introduced itself is not listened to, in a word for it; empty where it is."""
        self._why, self._note = of_version(hello, VERSION)
        if self._why:
            return "version"
        if hello.kind != self._device.kind:
            self._why = (
                f"is a {hello.kind[:16]}, the setup file says {self._device.kind}; correct one of them"
            )
            return "kind"
        seats = self._device.seats or (() if hello.seat is None else (hello.seat,))
        if not seats:
            self._why = "does not say whose it is; set its switch, or `seat` in the setup file"
            return "seat"
        for seat in seats:
            holder = self._claims.claim(seat, self._device.name, self.alive)
            if holder != self._device.name:
                self._why = (
                    f"claims seat {seat}, which {holder} has; it is not listened to: set its switch to another seat, "
                    "or unplug one of the two"
                )
                return "seat"
        self._seats = seats
        return ""

    def _event(self, said: Said, now: float | None) -> Event | None:
        """What a line comes to; None where it says nothing for the record, or what is not understood."""
        try:
            return self._pressed(said, now)
        except NotALine:
            self._receiver.counts.odd += 1
            return None

    def _pressed(self, said: Said, now: float | None) -> Event | None:
        place = 1 if said.word == "COUNT" else 0
        kind = {"PASS": Pass, "COUNT": CountCalled, "CALL": RefereeCalled}.get(said.word)
        if kind is None:
            return None
        which = said.whole(place, 0, len(self._seats) - 1) if len(said.words) > place else 0
        seat = self._seats[which]
        if not self._claims.holds(seat, self._device.name):
            return None
        at = None if now is None else round(self._receiver.clock.at(said.ms, now), 3)
        if at is not None and at < 0:
            return None
        if kind is CountCalled:
            return CountCalled(seat=seat, count=said.whole(0, *COUNTS), at=at, source=SOURCE)
        event: Event = kind(seat=seat, at=at, source=SOURCE)
        return event
