"""Tracks without pictures: hand-written readings of one zone, one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from calibration.setup import play_zones
from tests.vision_factories import cards_at
from vision.placing import canonical, overlap, owner, turn_of
from vision.tracker import Tracker
from vision.tracks import COVERED, GONE, OVER, VISIBLE, Changes, ZoneReading

ZONES = play_zones()
ZONE = ZONES[0]


@dataclass
class EverythingMoved:
    """The eye for motion of somebody who sees where cards lie, and who saw everything change."""

    lying: list[np.ndarray] = field(default_factory=list)
    changed: float = 1.0
    moving: bool = False
    shows: float | None = None

    def changed_share(self, outline: np.ndarray) -> float:
        return self.changed

    def bare(self, outline: np.ndarray, others: np.ndarray) -> bool:
        return all(overlap(outline, other) < 0.6 for other in [*self.lying, *others])

    def visible(self, outline: np.ndarray) -> bool:
        return True

    def calm(self, outline: np.ndarray) -> bool:
        return not self.moving

    def still_since(self, outline: np.ndarray) -> float:
        return 7.0

    def support(self, outline: np.ndarray, others: np.ndarray) -> float | None:
        return self.shows


class Seen:
    """Reads what the test says, in mm of the zone's player: x to the right, y down, each card 60x88 mm."""

    def __init__(self, packs: int = 2) -> None:
        self.tracker, self.rest = Tracker(ZONES, packs), 0.0

    def read(
        self,
        *places: tuple[str, float, float, float],
        look: EverythingMoved | None = None,
        backs: Sequence[tuple[float, float]] = (),
        confidence: float = 0.97,
    ) -> Changes:
        self.rest += 1
        cards = cards_at(*((name, 2 * x, 2 * y, turn) for name, x, y, turn in places), confidence=confidence)
        outlines = _table(cards.outline / 2)
        boxes = np.array(
            [[(x - 30, y - 44), (x + 30, y - 44), (x + 30, y + 44), (x - 30, y + 44)] for x, y in backs]
        )
        reading = ZoneReading(cards, outlines, _table(boxes.reshape(-1, 4, 2)), self.rest)
        return self.tracker.update(ZONE, reading, look or EverythingMoved())

    def states(self) -> dict[int, str]:
        return {track.number: track.state for track in self.tracker.of_zone(ZONE.name)}

    def tell(self) -> None:
        for track in self.tracker.tracks:
            track.told = True


def _table(points: np.ndarray) -> np.ndarray:
    return np.asarray(points, float) * [1, -1] + ZONE.centre


def test_a_card_keeps_its_track() -> None:
    seen = Seen()
    assert len(seen.read(("S7", 0, 0, 0)).born) == 1
    assert not seen.read(("S7", 1.5, -1, 2)).born
    assert seen.states() == {1: VISIBLE}


def test_identical_cards_of_two_packs_stay_two_tracks() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0), ("S7", 16, 0, 0))
    changes = seen.read(("S7", 17, 1, 0), ("S7", 1, 0, 0))
    assert not changes.born
    assert sorted(round(float(t.centre[0])) for t in seen.tracker.tracks) == [1, 17]


def test_a_card_under_a_newer_one_is_covered_not_gone() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    for _ in range(3):
        changes = seen.read(("H9", 12, 20, 0))
    assert not changes.gone
    assert seen.states() == {1: COVERED, 2: VISIBLE}


def test_a_card_whose_place_is_bare_twice_is_gone() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    assert not seen.read().gone
    changes = seen.read()
    assert [track.state for track in changes.gone] == [GONE]
    assert changes.gone[0].missed_at == 7.0


def test_a_card_that_one_reading_misses_stays_as_long_as_its_place_does_not_change() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    for _ in range(5):
        assert not seen.read(look=EverythingMoved(changed=0.0)).gone
    assert seen.states() == {1: VISIBLE}


def test_a_card_swept_away_while_the_zone_was_read_is_gone_by_the_next_readings() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    seen.read(look=EverythingMoved(moving=True))
    gone = [track for _ in range(2) for track in seen.read(look=EverythingMoved(changed=0.0)).gone]
    assert [track.number for track in gone] == [1]


def test_what_something_strange_covers_is_neither_gone_nor_told() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    hand = EverythingMoved(lying=[_table(np.array([[-60, -60], [60, -60], [60, 60], [-60, 60]]))])
    for _ in range(5):
        assert not seen.read(look=hand).gone


def test_a_back_where_a_card_lay_turns_it_over_and_its_face_turns_it_up() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    changes = seen.read(backs=[(3, 2)])
    assert [t.number for t in changes.over] == [1]
    assert seen.states() == {1: OVER}
    assert [t.number for t in seen.read(("S7", 2, 1, 0)).up] == [1]


def test_a_row_that_is_knocked_askew_keeps_its_tracks() -> None:
    seen = Seen()
    row = [("S7", 0, 0), ("H7", 16, 0), ("S7", 32, 0), ("C3", 48, 0)]
    seen.read(*((name, x, y, 0) for name, x, y in row))
    seen.tell()
    a = np.radians(12)
    turned = [(n, x * np.cos(a) + 20, -x * np.sin(a) + 14, 12) for n, x, _ in row]
    changes = seen.read(*turned)
    assert not changes.born
    assert len(changes.moved) == 4
    names = {t.number: str(t.evidence.listed()[0][0]) for t in seen.tracker.tracks}
    assert names == {1: "S7", 2: "H7", 3: "S7", 4: "C3"}
    assert sorted(t.number for t in seen.tracker.tracks) == [
        t.number for t in sorted(seen.tracker.tracks, key=lambda t: float(t.centre[0]))
    ]


def test_the_same_name_laid_over_an_older_card_is_a_card_of_its_own() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    # The older card still shows beside the newer one: its place is not bare.
    look = EverythingMoved(lying=[_table(np.array([[-30, -44], [30, -44], [30, 44], [-30, 44]]))])
    changes = seen.read(("S7", 22, 10, 0), look=look)
    assert len(changes.born) == 1
    assert len(seen.tracker.tracks) == 2


def test_another_card_on_the_very_place_is_new() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    assert len(seen.read(("HK", 2, 1, 0)).born) == 1


def test_more_copies_than_packs_make_the_weakest_doubtful() -> None:
    seen = Seen(packs=2)
    seen.read(("S7", -60, 0, 0), ("S7", 0, 0, 0), confidence=0.98)
    seen.read(("S7", -60, 0, 0), ("S7", 0, 0, 0), ("S7", 60, 0, 0), confidence=0.95)
    assert [t.beyond for t in seen.tracker.tracks] == [False, False, True]


def test_readings_that_disagree_leave_doubt() -> None:
    seen = Seen()
    seen.read(("DJ", 0, 0, 0))
    seen.read(("CJ", 0, 0, 0), look=EverythingMoved(changed=0.0))
    (track,) = seen.tracker.tracks
    told = track.as_seen(ZONE)
    assert told.doubtful
    assert {str(card) for card, _ in told.chances[:2]} == {"DJ", "CJ"}


def test_a_doubtful_reading_does_not_become_sure_by_being_repeated() -> None:
    seen = Seen()
    for _ in range(10):
        seen.read(("DJ", 0, 0, 0), look=EverythingMoved(changed=0.0), confidence=0.7)
    assert seen.tracker.tracks[0].doubtful


@pytest.mark.parametrize("turn", [0.0, 8.0, -8.0])
def test_a_card_where_two_zones_overlap_is_its_for_whom_it_stands_upright(turn: float) -> None:
    corner = np.array([150.0, -150.0])
    upright = np.array([[-30, 44], [30, 44], [30, -44], [-30, -44]])
    a = np.radians(turn)
    turned = upright @ np.array([[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]])
    assert owner(turned + corner, ZONES) == "seat 0"
    sideways = turned @ np.array([[0, 1], [-1, 0]])
    assert owner(sideways + corner, ZONES) == "seat 1"


def test_a_card_askew_between_two_zones_goes_where_its_neighbours_are() -> None:
    a = np.radians(45)
    askew = np.array([[-30, 44], [30, 44], [30, -44], [-30, -44]]) @ np.array(
        [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    )
    place = askew + np.array([150.0, -150.0])
    assert owner(place, ZONES, [(place + 15, "seat 1")]) == "seat 1"
    assert owner(place, ZONES, [(place + 15, "seat 0")]) == "seat 0"


def test_a_card_has_no_top() -> None:
    upright = np.array([[-30, 44], [30, 44], [30, -44], [-30, -44]]) + np.array(ZONE.centre)
    assert turn_of(upright, ZONE) == pytest.approx(turn_of(np.roll(upright, 2, axis=0), ZONE))
    assert canonical(np.roll(upright, 2, axis=0), ZONE) == pytest.approx(upright)
