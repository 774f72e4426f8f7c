"""Seat boxes: what players press (pass, the number of cards left, a call for the referee) becomes events of the record.

A press is on disk before the box is told that it was taken; a press that was told late keeps the time at which it
happened. After a restart the presses that may not have reached the journal are given once more.
"""

from __future__ import annotations

import json
import math
import os
import threading
import time
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from devices.protocol import Hello, NotALine, Said
from devices.talk import CannotKeep, DeviceTalk
from devices.words import NOTHING, Words, words
from table.event_json import BadEvent, event_from_json, event_to_json
from table.events import CountCalled, Event, Pass, RefereeCalled
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
        # Not buffered: what could not be written must not be written later, when it is told again.
        self._file = path.open("ab", buffering=0)
        self._size = os.fstat(self._file.fileno()).st_size

    def last_of(self, serial: str, boot: str) -> int | None:
        """The last line on disk of a box since it was switched on; None of one that is not known."""
        with self._lock:
            return self._last.get((serial, boot))

    def keep(self, hello: Hello, said: list[tuple[int, Event | None]]) -> None:
        """Put lines with what they came to on disk.

        Raises:
            OSError: they are not, and the file is as it was.
        """
        text = ""
        for number, event in said:
            line: dict[str, Any] = {"serial": hello.serial, "boot": hello.boot, "line": number}
            if event is not None:
                line["event"] = event_to_json(event)
            text += json.dumps(line) + "\n"
        with self._lock:
            try:
                left = text.encode("ascii")
                while left:
                    left = left[self._file.write(left) :]
                os.fsync(self._file.fileno())
            except OSError:
                with suppress(OSError):
                    os.ftruncate(self._file.fileno(), self._size)
                raise
            self._size += len(text)
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


class Asked(DeviceTalk):
    """A device that is only asked who it is: its lines stay with it.

    Args:
        device: as the setup file names it.
        claims: of the table's seats.
    """

    def __init__(self, device: DeviceSetup, claims: Claims) -> None:
        super().__init__(device, lambda serial, boot: None, lambda: None)
        self._claims = claims
        self._health.seats = device.seats if device.kind == "seatbox" else ()

    def accept(self, hello: Hello) -> str:
        """Whether it would be listened to."""
        if self.device.kind != "seatbox":
            return ""
        seats, self.why = whose(self.device, hello, self._claims, self.alive)
        self._health.seats = seats or self._health.seats
        return "" if seats else "seat"

    def take(self, data: bytes) -> None:
        """Read, and never acknowledge."""
        heard = self.receiver.heard
        self.receiver.take(data, self._clock())
        if self.receiver.heard > heard:
            self._heard_at = self._clock()


def whose(
    device: DeviceSetup, hello: Hello, claims: Claims, there: Callable[[], bool]
) -> tuple[tuple[Seat, ...], Words]:
    """The seats of a box; none where they are not its own, and why."""
    seats = device.seats or (() if hello.seat is None else (hello.seat,))
    if not seats:
        return (), words("no_seat")
    for seat in seats:
        holder = claims.claim(seat, device.name, there)
        if holder != device.name:
            return (), words("seat_taken", seat=seat, holder=holder)
    return seats, NOTHING


class SeatBox(DeviceTalk):
    """The conversation with one box.

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
        super().__init__(device, inbox.last_of, now, clock)
        self._claims = claims
        self._inbox = inbox
        self._hear = hear
        self._seats: tuple[Seat, ...] = device.seats
        self._lit: dict[int, bool] = {}
        self._health.seats = device.seats
        self._heard: tuple[float, float] | None = None

    def accept(self, hello: Hello) -> str:
        """Whether the seats that it stands for are its own."""
        seats, self.why = whose(self.device, hello, self._claims, self.alive)
        if seats:
            self._seats = self._health.seats = seats
        return "" if seats else "seat"

    def opened(self, port: str) -> None:
        """See `Talk`: what its lamps show is not known any more."""
        super().opened(port)
        self._lit = {}

    def take(self, data: bytes) -> None:
        """See `Talk`."""
        super().take(data)
        receiver, now = self.receiver, self._now()
        if receiver.settled is None or now is None:
            return
        start = -math.inf if receiver.whole_from is None else receiver.clock.at(receiver.whole_from, now)
        self._heard = (start, receiver.clock.at(receiver.settled, now))
        receiver.settled = None

    def heard(self) -> dict[Seat, tuple[float, float] | None]:
        """From when to when all that was pressed for a seat is known, s of the record; None while nothing is."""
        return {seat: self._heard for seat in self._seats if self._claims.holds(seat, self.device.name)}

    def light(self, due: Collection[Seat]) -> None:
        """Light the lamps of those who are on turn; a box that has none passes it over."""
        if self.receiver.hello is None or self.receiver.refused:
            return
        for place, seat in enumerate(self._seats):
            on = seat in due
            if self._lit.get(place, False) is not on:
                self._lit[place] = on
                self.receiver.send(f"LAMP {place} {'on' if on else 'off'}")

    def keep(self, said: list[Said], now: float | None) -> Callable[[], None]:
        """Presses go to the inbox first."""
        hello = self.receiver.hello
        assert hello is not None
        events = [(one.number, self._event(one, now)) for one in said]
        try:
            self._inbox.keep(hello, events)
        except (OSError, ValueError) as error:
            raise CannotKeep("cannot_keep", error=getattr(error, "strerror", None) or error) from None

        def heard() -> None:
            for _, event in events:
                if event is not None:
                    self._hear(event)

        return heard

    def _event(self, said: Said, now: float | None) -> Event | None:
        """What a line comes to; None where it says nothing for the record, or what is not understood."""
        try:
            return self._pressed(said, now)
        except NotALine:
            self.receiver.counts.odd += 1
            return None

    def _pressed(self, said: Said, now: float | None) -> Event | None:
        place = 1 if said.word == "COUNT" else 0
        if said.word not in ("PASS", "COUNT", "CALL"):
            return None
        which = said.whole(place, 0, len(self._seats) - 1) if len(said.words) > place else 0
        seat = self._seats[which]
        if not self._claims.holds(seat, self.device.name):
            return None
        at = None if now is None else round(self.receiver.clock.at(said.ms, now), 3)
        if at is not None and at < 0:
            # Pressed before the record began.
            return None
        if said.word == "COUNT":
            return CountCalled(seat=seat, count=said.whole(0, *COUNTS), at=at, source=SOURCE)
        if said.word == "PASS":
            return Pass(seat=seat, at=at, source=SOURCE)
        return RefereeCalled(seat=seat, at=at, source=SOURCE)
