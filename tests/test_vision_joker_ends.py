"""A joker that the finder does not know is read where the outline of its card says that its print must be."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from devices.simulator.decks import demo_deck
from table.sightings import Laid
from tests.live_scenes import Lying
from tests.test_live_watch import Live
from vision.card_reader import CardReader
from vision.cards_read import Reading
from vision.frames import Image
from vision.indices import FIRST_JOKER

OUTLINE = np.array([[100, 60], [220, 60], [220, 236], [100, 236]], float)
DECK = demo_deck()


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader.open(1)


def on_the_table(name: str) -> Image:
    picture = np.full((300, 340, 3), (60, 110, 50), np.uint8)
    picture[60:236, 100:220] = cv2.resize(DECK.faces[name], (120, 176), interpolation=cv2.INTER_AREA)
    return picture


@pytest.mark.parametrize("name", ["BJ", "LJ"])
@pytest.mark.parametrize("corner", [0, 2])
def test_a_joker_is_named_whichever_way_up_its_outline_is_given_and_left_in_doubt(
    reader: CardReader, name: str, corner: int
) -> None:
    read = reader.joker_at(on_the_table(name), np.roll(OUTLINE, corner, axis=0))
    assert [str(card) for card in read.names] == [name]
    assert read.doubtful.all()


@pytest.mark.parametrize("name", ["S2", "HK", "DA", "CJ"])
def test_no_other_card_is_taken_for_a_joker(reader: CardReader, name: str) -> None:
    assert not len(reader.joker_at(on_the_table(name), OUTLINE))


def test_paper_without_print_is_no_joker(reader: CardReader) -> None:
    picture = on_the_table("S2")
    picture[60:236, 100:220] = 235
    assert not len(reader.joker_at(picture, OUTLINE))


class BlindToJokers(CardReader):
    """A reader whose finder knows no joker of this pack."""

    def read_zones(
        self, zones: Sequence[Image], packs: int | None = None, least: float | None = None
    ) -> list[Reading]:
        out = super().read_zones(zones, packs, least)
        return [Reading(r.cards[r.cards.card < FIRST_JOKER], r.backs, r.px_per_mm) for r in out]


def test_a_lone_joker_that_is_not_found_is_told_by_its_name_in_doubt() -> None:
    live = Live(BlindToJokers.open(1))
    live.scene.lying.append(Lying("BJ", 0, -210))
    live.pass_time(15)
    (laid,) = live.of(Laid)
    assert [(str(card.card), card.doubtful) for card in laid.cards] == [("BJ", True)]
