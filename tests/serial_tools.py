"""Helpers for tests of serial devices: shuffled deals, boxes on real ports, waiting for what other threads do."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from calibration.device_setup import DeviceSetup
from devices.seatbox import Claims, Inbox, SeatBox
from devices.serial_link import DeviceLink
from table.cards import full_packs
from table.events import Event, event_to_json

PATIENCE_S = 20.0


def until(said: Callable[[], object], what: str = "", patience: float = PATIENCE_S) -> None:
    """Wait until something is so; fail where it never is."""
    end = time.monotonic() + patience
    while not said():
        assert time.monotonic() < end, f"never so: {what}"
        time.sleep(0.01)


def shuffled(seed: int, kitty: int = 0) -> list[tuple[str, str]]:
    """Two packs as a dealer deals them: place and face of each card."""
    cards = [str(card) for card in full_packs(2).elements()]
    random.Random(seed).shuffle(cards)
    dealt = len(cards) - kitty
    return [(str(i % 4) if i < dealt else "K", card) for i, card in enumerate(cards)]


def hands_of(dealt: list[tuple[str, str]]) -> dict[str, list[str]]:
    """The faces that each place got."""
    hands: dict[str, list[str]] = {}
    for place, face in dealt:
        hands.setdefault(place, []).append(face)
    return hands


def box_at(port: Path | str, name: str = "box", seat: int | None = 0) -> DeviceSetup:
    return DeviceSetup(name, "seatbox", () if seat is None else (seat,), port=str(port))


class Boxes:
    """The program's end of some boxes: what they said, as short words, and how they do."""

    def __init__(
        self,
        folder: Path,
        devices: list[DeviceSetup],
        now: Callable[[], float | None] = time.monotonic,
    ) -> None:
        self.heard: list[Event] = []
        self.inbox = Inbox(folder / "presses.jsonl")
        claims = Claims()
        self.boxes = [SeatBox(device, claims, self.inbox, self.heard.append, now) for device in devices]
        self.links = [DeviceLink(device, box) for device, box in zip(devices, self.boxes, strict=True)]

    def words(self) -> list[str]:
        """What was heard: name, seat and count of each event."""
        plain = [event_to_json(event) for event in self.heard]
        return [" ".join(str(one[key]) for key in ("event", "seat", "count") if key in one) for one in plain]

    def why(self, number: int = 0) -> str:
        """What is wrong with a box."""
        return self.boxes[number].health(self.links[number].why, self.links[number].reopened).why


@contextmanager
def listening(
    folder: Path, devices: list[DeviceSetup], now: Callable[[], float | None] = time.monotonic
) -> Iterator[Boxes]:
    """Listen to boxes for a while."""
    boxes = Boxes(folder, devices, now)
    for link in boxes.links:
        link.start()
    try:
        yield boxes
    finally:
        for link in boxes.links:
            link.stop()
        boxes.inbox.close()
