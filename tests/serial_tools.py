"""Helpers for tests of serial devices: shuffled deals, boxes on real ports, waiting for what other threads do."""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from calibration.device_setup import DeviceSetup
from devices.seatbox import Claims, Inbox, SeatBox
from devices.serial_link import DeviceLink
from table.cards import full_packs
from table.event_json import event_to_json
from table.events import Event
from table.journal import Journal

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


class PaizhuoRun:
    """`paizhuo run` as a process of its own, everything that it prints kept.

    Args:
        folder: the data folder is `data` in it, the seal key lies beside it.
        setup: text of the setup file.
    """

    def __init__(self, folder: Path, setup: str) -> None:
        self.data = folder / "data"
        (folder / "table.toml").write_text(setup)
        key = {"PAIZHUO_SEAL_KEY": str(folder / "keys" / "seal.key"), "PAIZHUO_LANG": "en"}
        command = ["run", str(folder / "table.toml"), "--data", str(self.data), "--port", "0"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "api.cli", *command],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **key},
        )  # fmt: skip
        self.printed = b""
        assert self.process.stdout is not None
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()
        until(lambda: b"http://" in self.printed, "the page", 90)
        found = re.search(rb"http://[\d.:]+/", self.printed)
        assert found is not None
        self.address = found.group().decode()

    def _read(self, pipe: IO[bytes]) -> None:
        for line in pipe:
            self.printed += line

    def put(self, **event: object) -> None:
        """What the referee puts in."""
        body = json.dumps(event).encode()
        request = urllib.request.Request(
            f"{self.address}api/v1/inputs", body, {"content-type": "application/json"}
        )
        urllib.request.urlopen(request).read()

    def journal(self) -> list[Event]:
        """The events in the journal."""
        with Journal(self.data / "journal.sqlite", verify=False) as journal:
            return list(journal.events())

    def names(self) -> list[str]:
        """The names of the events in the journal."""
        return [event.name for event in self.journal()]

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        self.process.terminate()
        self.process.wait(30)
