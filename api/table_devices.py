"""Seat boxes, dealers and deal folders of a running table: what they say is recorded, how they do is shown."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

from api.sealed_record import AnotherDeal, SealedRecord, looks_at
from api.service import TableService, Told
from calibration.setup import TableSetup
from devices.health import DeviceHealth
from devices.seal_format import Facts, facts_of
from devices.seal_key import check_apart, key_path, public_key
from devices.seal_opening import opened_hands, openings
from devices.sealed_feed import KINDS, SealedFeed
from devices.seatbox import Asked, Claims, Inbox, SeatBox
from devices.serial_link import DeviceLink
from devices.serial_ports import Ports, ports
from devices.words import NOTHING, Words, words
from table.events import Event
from table.hearing import awaited_until, heard
from table.rulesets import load_profile
from table.seats import Seat

SEALED: Final = "sealed"
INBOX: Final = "presses.jsonl"
AGAIN_S: Final = 2.0
"""Presses that happened so long before the last sign of life may not have reached the journal."""
LATELY_S: Final = 60.0
"""What was pressed on a box before it was switched on is lost; for so long after that nobody is accused by its silence."""
_SETTLES_S: Final = 3.0
"""So long what is told of a box may wait for cameras before it stands in the record."""
_LOOK_S: Final = 1.0


class TableDevices:
    """The devices of a table. `start` and `step` are called in the table's own thread.

    Args:
        setup: of the table.
        data: its data folder.
        there: tells the ports of this machine.
        environment: where the seal key is (`devices.seal_key`).
        clock: seconds of a clock that only runs forward.
        wall: Unix time, s.

    Attributes:
        trouble: what is wrong beside the devices' own health; nothing while all is well.

    Raises:
        SealError: sealed deals cannot be kept: the key lies where it may not, or cannot be read or made.
        OSError: the data folder cannot be written.
    """

    def __init__(
        self,
        setup: TableSetup,
        data: Path,
        *,
        there: Ports = ports,
        environment: Mapping[str, str] | None = None,
        clock: Callable[[], float] = time.monotonic,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self.trouble: Words = NOTHING
        self._setup = setup
        self._data = data
        self._there = there
        self._clock = clock
        self._wall = wall
        self._packs = load_profile(setup.profile).with_options(dict(setup.options)).whole("packs")
        self._boxes: list[tuple[DeviceLink, SeatBox]] = []
        self._inbox: Inbox | None = None
        self._service: TableService | None = None
        self._hear: Callable[[Event], None] = lambda _: None
        self._now: Callable[[], float | None] = lambda: None
        self._record = SealedRecord()
        self._asked: set[str] = set()
        self._settled: set[str] = set()
        self._bound: set[tuple[str, int]] = set()
        self._known: list[Facts] = []
        self._heard: dict[Seat, tuple[float, float] | None] = {}
        self._settling: dict[Seat, float] = {}
        self._looks = 0
        self._looked_at = -1e9
        sealing = [device for device in setup.devices if device.kind in KINDS]
        self._feed: SealedFeed | None = None
        if sealing:
            key = key_path(os.environ if environment is None else environment)
            check_apart(key, data)
            public_key(key)
            self._feed = SealedFeed(sealing, data / SEALED, key, self._packs)
        if any(device.kind == "seatbox" for device in setup.devices):
            self._inbox = Inbox(data / INBOX)

    def start(
        self,
        service: TableService,
        hear: Callable[[Event], None],
        now: Callable[[], float | None],
        alive: float | None = None,
    ) -> None:
        """Begin to listen.

        Args:
            service: of the table; listened to from now on.
            hear: takes inputs, from any thread.
            now: the record's time, from any thread.
            alive: when somebody last looked at the table before a restart, s of the record; None for a new match.
        """
        self._service, self._hear, self._now = service, hear, now
        for told in service.told:
            self._record.note(told.event)
        self._looks = self._record.looks
        service.listen(self._noted)
        if self._inbox is not None:
            # Those that the journal holds are passed over there, but for those that it holds as part of a correction.
            there = {_press(event) for event in service.referee.effective()}
            for event in self._inbox.since(alive - AGAIN_S) if alive is not None else ():
                if _press(event) not in there:
                    hear(event)
            claims = Claims()
            for device in self._setup.devices:
                if device.kind == "seatbox":
                    box = SeatBox(device, claims, self._inbox, hear, now, self._clock)
                    box.receiver.resumed = alive is not None
                    self._boxes.append((DeviceLink(device, box, there=self._there, clock=self._clock), box))
        for link, _ in self._boxes:
            link.start()
        self._heard = {seat: None for _, box in self._boxes for seat in box.device.seats}
        service.unheard = self.unheard
        if self._feed is not None:
            self._feed.start()

    def stop(self) -> None:
        """Let all ports go."""
        for link, _ in self._boxes:
            link.stop()
        if self._feed is not None:
            self._feed.stop()
        if self._inbox is not None:
            self._inbox.close()

    def step(self) -> None:
        """Do what is due: light the lamps of those on turn, bind deals that were dealt, open those that may be known.

        Cheap; call it often.
        """
        self._light()
        self._settle()
        feed = self._feed
        if feed is None:
            return
        news = feed.news()
        if not news and self._clock() - self._looked_at < _LOOK_S:
            return
        self._looked_at = self._clock()
        for one in news:
            if "unopened" in one:
                self.trouble = one["why"]
                # It is asked for again when the program is started again; a person may open it before.
        self._bind()
        self._open(feed)

    def unheard(self, at: float) -> tuple[Seat, ...]:
        """Seats of which presses up to a time may not be known: their box has not told everything, or was off of late.

        Args:
            at: s of the record.
        """
        return tuple(
            seat
            for seat, known in self._heard.items()
            if known is None or known[1] < at or known[0] > at - LATELY_S
        )

    def health(self) -> list[DeviceHealth]:
        """How all devices do, those of the setup file in its order."""
        found = {box.device.name: box.health(link.why, link.reopened) for link, box in self._boxes}
        if self._feed is not None:
            sealing = self._feed.health()
            for one in sealing if self.trouble else ():
                one.reason = one.reason or words("sealed_fault", error=self.trouble)
            found |= {one.name: one for one in sealing}
        waiting = {
            device.name: DeviceHealth(device.name, device.kind, words("not_listened"), seats=device.seats)
            for device in self._setup.devices
        }
        return list((waiting | found).values())

    def health_json(self) -> list[dict[str, Any]]:
        """The same for displays."""
        return [one.to_json() for one in self.health()]

    def _settle(self) -> None:
        """Note how far boxes have been heard; tell the record of those that it waits for.

        What was pressed until then has been handed over before: it goes into the record first.
        """
        for _, box in self._boxes:
            self._heard |= box.heard()
        state = self._service.state if self._service is not None else None
        waiting = state.unheard if state is not None else ()
        self._settling = {seat: begun for seat, begun in self._settling.items() if seat in waiting}
        for seat in waiting:
            known = self._heard.get(seat)
            assert self._service is not None
            assert state is not None
            needed = awaited_until(state, seat)
            if known is None or known[1] < max(needed, self._settling.get(seat, 0.0)):
                continue
            self._settling[seat] = known[1] + _SETTLES_S
            self._service.hear(heard(seat, known[1], lost=known[0] > needed - LATELY_S))

    def _light(self) -> None:
        """The lamp of a box is lit while its player is on turn."""
        state = self._service.state if self._service is not None else None
        due = {running.wait.seat for running in state.clock.running} if state is not None else set()
        for _, box in self._boxes:
            box.light(due)

    def _noted(self, told: Told) -> None:
        self._record.note(told.event)
        # What was recorded may have begun a deal, or ended one.
        self._looked_at = min(self._looked_at, self._clock() - _LOOK_S)

    def _bind(self) -> None:
        """Bind the hands of the deal that has begun, once its cards are dealt; note who has looked."""
        if self._record.wants():
            self._known = facts_of(self._data / SEALED)
            for event in self._record.sealing(self._known, self._now(), self._wall()):
                # Until it is recorded the deal still wants it.
                if (key := (getattr(event, "sealed", ""), getattr(event, "seat", -1))) not in self._bound:
                    self._bound.add(key)
                    self._hear(event)
        looks = looks_at(openings(self._data / SEALED), self._looks, self._now())
        self._looks += len(looks)
        for event in looks:
            self._hear(event)

    def _open(self, feed: SealedFeed) -> None:
        """Ask for the deals that may be known by now; put into the record those that are."""
        for sealed in self._record.closed():
            hands = opened_hands(self._data / SEALED, sealed)
            if hands is None or sealed in self._settled:
                continue
            self._settled.add(sealed)
            try:
                for event in self._record.opening(sealed, hands, self._now()):
                    self._hear(event)
            except AnotherDeal as error:
                self.trouble = error.reason
        if set(self._record.closed()) - {facts.deal for facts in self._known}:
            self._known = facts_of(self._data / SEALED)
        for sealed, policy in self._record.may_open(self._known):
            if sealed not in self._asked | self._settled and feed.open(sealed, policy):
                self._asked.add(sealed)


def _press(event: Event) -> tuple[str, float | None, int | None]:
    """What tells presses apart."""
    return event.name, event.at, getattr(event, "seat", None)


class AskedDevices:
    """The devices of a setup file while no table runs: asked who they are; nothing that they say is taken.

    Args:
        setup: of the table.
        there: tells the ports of this machine.
    """

    def __init__(self, setup: TableSetup, there: Ports = ports) -> None:
        self._talks = []
        claims = Claims()
        for device in setup.devices:
            if device.kind != "deal-folder":
                talk = Asked(device, claims)
                self._talks.append((DeviceLink(device, talk, there=there), talk))
        self._folders = [device for device in setup.devices if device.kind == "deal-folder"]

    def after(self, seconds: float) -> list[DeviceHealth]:
        """How they do after so many seconds."""
        for link, _ in self._talks:
            link.start()
        time.sleep(seconds)
        found = [talk.health(link.why, link.reopened) for link, talk in self._talks]
        for link, _ in self._talks:
            link.stop()
        for device in self._folders:
            gone = words("folder_gone", folder=device.port, error="no such folder")
            reason = {} if Path(device.port).is_dir() else gone
            found.append(DeviceHealth(device.name, device.kind, reason, port=device.port))
        return found
