"""Cards that nobody can read, watched over time on rendered frames: none of them is passed over in silence."""

from __future__ import annotations

import pytest

from table.sightings import Laid
from tests.live_scenes import Lying
from tests.test_live_watch import Live
from vision.card_reader import CardReader


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader.open(1)


def test_the_first_card_in_a_zone_is_told_though_nobody_can_read_it(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lying.append(Lying("blotted LJ", 0, -210))
    live.pass_time(15)
    (laid,) = live.of(Laid)
    assert [card.unread for card in laid.cards] == [True]
