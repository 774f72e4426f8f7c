"""A table for tests of the service: what cameras would say of a script, frame by frame, without any pixels.

As a program it runs the service on such a table until the match is over, or until it is killed:
`python -m tests.service_tables DATA PROFILE SEED [MISSED]`.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from api.runner import ALIVE, JOURNAL, Runner, lock_folder
from api.service import TableService, Told
from calibration.setup import CameraSetup, Plane, TableSetup
from calibration.setup_file import default_zones
from devices.simulator.bots import Habits, play_match
from table import sightings as sight
from table.events import Correction, Event
from table.journal import Journal
from table.rulesets import load_profile
from table.sightings import Sighting, TrackedCard
from tests.recorder_eyes import Eyes, Record, Watched
from vision.frames import Frame

KNOWN_AFTER = 0.25
"""Seconds from cards at rest to the frame with which that is known."""
PICTURE = np.zeros((16, 16, 3), np.uint8)
PLANE = Plane(np.array([[1.0, 0, 500], [0, -1.0, 500], [0, 0, 1]]))


def setup_of(profile: str, cameras: Sequence[str] = ("above",)) -> TableSetup:
    game = load_profile(profile).game
    seen = tuple(CameraSetup(name, "simulated", (1000, 1000), PLANE, 5.0) for name in cameras)
    return TableSetup("test", profile, seen, default_zones(game))


@cache
def scripted(profile: str, seed: int) -> ScriptedTable:
    """The scripted table of one deal."""
    return ScriptedTable(profile, script(profile, seed))


def script(profile: str, seed: int, deals: int = 1) -> Record:
    habits = Habits(stoppages=0, on_the_limit=0, chatter=0)
    return play_match(load_profile(profile), random.Random(seed), deals=deals, habits=habits).events


class _Listening(Watched):
    """Notes what eyes show, in order."""

    def __init__(self, profile: str) -> None:
        super().__init__(load_profile(profile))
        self.seen: list[Sighting] = []
        self.heard: list[Event] = []

    def see(self, sighting: Sighting) -> list[Event]:
        self.seen.append(sighting)
        return super().see(sighting)

    def hear(self, event: Event) -> list[Event]:
        # What nobody says out loud comes from the referee's keys.
        self.heard.append(event if event.source else replace(event, source="referee"))
        return super().hear(self.heard[-1])


class ScriptedTable:
    """A script as what cameras see and what is heard.

    Attributes:
        seen: all sightings, in order.
        heard: all inputs, in order.
        expected: the events that must be in the record, as cameras can tell them.
    """

    def __init__(self, profile: str, events: Record, seed: int = 1) -> None:
        table = _Listening(profile)
        eyes = Eyes(table, random.Random(seed))
        eyes.show(events)
        self.seen, self.expected = table.seen, eyes.expected
        # What the referee corrects has been recorded and shown to him before.
        self.heard = [replace(e, at=(e.at or 0) + 1) if isinstance(e, Correction) else e for e in table.heard]
        self.ends = float(events[-1]["at"]) + 5.0

    def watch(self, start: float | None = None) -> ScriptedWatch:
        """Eyes that open at `start`, s; None: before anything happened."""
        return ScriptedWatch(self, start)

    def source(self, start: float = 0.0, camera: str = "above", fps: float = 5.0) -> ScriptedSource:
        return ScriptedSource(camera, start, self.ends, fps)


class ScriptedWatch:
    """Says what the script says, as soon as a frame is new enough; what lay there when it began is new to it."""

    def __init__(self, table: ScriptedTable, start: float | None) -> None:
        self._coming = [one for one in table.seen if start is None or one.at > start]
        self._lying: list[Sighting] = []
        if start is not None:
            past = [one for one in table.seen if one.at <= start]
            self._lying = [
                sight.Laid(at=start, zone=zone, seat=seat, cards=cards, row=cards)
                for (zone, seat), cards in lying_after(past).items()
                if cards
            ]

    def see(self, frames: Sequence[Frame], now: float | None = None) -> list[Sighting]:
        if not frames:
            return []
        newest = max(frame.at for frame in frames)
        told, self._lying = self._lying, []
        while self._coming and self._coming[0].at + KNOWN_AFTER <= newest:
            told.append(self._coming.pop(0))
        return told


def lying_after(past: Sequence[Sighting]) -> dict[tuple[str, int | None], tuple[TrackedCard, ...]]:
    """The cards that lie face up in each zone after these sightings."""
    lying: dict[tuple[str, int | None], tuple[TrackedCard, ...]] = {}
    for one in past:
        key = (one.zone, one.seat)
        before = lying.get(key, ())
        if isinstance(one, sight.Laid):
            lying[key] = one.row or (*before, *one.cards)
        elif isinstance(one, sight.Lifted | sight.TurnedOver):
            gone = {card.track for card in one.cards}
            lying[key] = tuple(card for card in before if card.track not in gone)
    return lying


class ScriptedSource:
    """Black frames on time."""

    def __init__(self, name: str, start: float, end: float, fps: float) -> None:
        self.name, self._at, self._end, self._step = name, start, end, 1 / fps

    def read(self) -> Frame | None:
        if self._at > self._end:
            return None
        frame = Frame(PICTURE, round(self._at, 3), self.name)
        self._at += self._step
        return frame

    def close(self) -> None:
        self._at = self._end + 1


def run(
    table: ScriptedTable,
    data: Path,
    profile: str,
    missed: float = 0.0,
    told: Callable[[Told], None] | None = None,
) -> TableService:
    """The service on a scripted table with its journal in `data`; begins where the journal ends, `missed` s later."""
    with lock_folder(data), Journal(data / JOURNAL) as journal:
        last = max((event.at for event in journal.events() if event.at is not None), default=None)
        start = None if last is None else last + missed
        service = TableService(setup_of(profile), table.watch(start), journal)
        heard = [event for event in table.heard if start is None or not missed or (event.at or 0) >= start]
        service.listen(told or (lambda _: None))
        runner = Runner(service, inputs=heard, alive=data / ALIVE)
        runner.all_at_once([table.source(start or 0.0)])
        return service


def kinds(events: Iterator[Event] | Sequence[Event]) -> list[str]:
    return [event.name or getattr(event, "kind", "") for event in events]


if __name__ == "__main__":
    folder, rules, number = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    shown = scripted(rules, number)
    print("ready", flush=True)
    gone = float(sys.argv[4]) if len(sys.argv) > 4 else 0.0
    run(shown, folder, rules, gone, lambda told: print("event", told.event.seq, flush=True))
    print("over", flush=True)
