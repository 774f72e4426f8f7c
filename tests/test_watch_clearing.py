"""While cards are being turned over or taken away, a hand and what it holds is no play."""

from __future__ import annotations

import numpy as np
import pytest

from table.sightings import Laid, Sighting
from tests.test_live_tracker import ZONE, EverythingMoved, Seen
from vision.zone_watch import LAST_WORD, Rest, ZoneWatch

HAND = np.array([[-70, 70], [70, 70], [70, -70], [-70, -70]]) + np.asarray(ZONE.centre)


class Cleared:
    """A zone with a card that was told; then a hand lies on it, and something of the hand is read."""

    def __init__(self, confidence: float) -> None:
        self.seen, self.watch = Seen(), ZoneWatch(ZONE, [])
        self.seen.read(("S7", 0, 0, 0))
        self.seen.tell()
        self.changes = self.seen.read(
            ("LJ", 40, 60, 0), look=EverythingMoved(lying=[HAND]), confidence=confidence
        )
        self.watch.rest = Rest(2.0, settled=True)

    def told(self, readings: int) -> list[Sighting]:
        assert self.watch.rest is not None
        self.watch.rest.readings = readings
        out = self.watch.tell(self.seen.tracker, [self.changes], 3, last=True)
        return [one for one in out if isinstance(one, Laid)]


def test_what_is_hardly_read_while_something_lies_on_the_cards_is_no_play() -> None:
    zone = Cleared(confidence=0.6)
    assert zone.told(LAST_WORD) == []
    assert zone.watch.flush(zone.seen.tracker) == []


def test_it_is_told_with_its_doubt_where_the_hand_stays() -> None:
    zone = Cleared(confidence=0.6)
    assert zone.told(LAST_WORD) == []
    (laid,) = zone.told(6)
    assert laid.cards[0].doubtful


@pytest.mark.parametrize("readings", [2, LAST_WORD])
def test_a_card_surely_read_beside_the_hand_waits_for_nothing(readings: int) -> None:
    zone = Cleared(confidence=0.97)
    zone.seen.tracker.tracks[-1].evidence.corners = 2
    (laid,) = zone.told(readings)
    assert [str(card.card) for card in laid.cards] == ["LJ"]


def test_what_is_hardly_read_where_cards_are_taken_up_is_no_play() -> None:
    seen, watch = Seen(), ZoneWatch(ZONE, [])
    seen.read(("S7", 0, 0, 0))
    seen.tell()
    watch.rest = Rest(2.0, readings=2, settled=True)
    seen.read(look=EverythingMoved())
    gone = seen.read(("LJ", 90, 0, 0), confidence=0.6)
    told = watch.tell(seen.tracker, [gone], 3, last=True)
    assert [type(one).__name__ for one in told] == ["Lifted"]
    assert watch.flush(seen.tracker) == []
