"""Cards that nobody can read, watched over time on rendered frames: none of them is passed over in silence."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import cast

import pytest

from table.sightings import Laid
from tests.live_scenes import Lying
from tests.test_live_watch import Live
from tests.vision_factories import cards_at
from vision.card_reader import CardReader
from vision.cards_read import Reading
from vision.frames import Image


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader.open(1)


def test_the_first_card_in_a_zone_is_told_though_nobody_can_read_it(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lying.append(Lying("blotted LJ", 0, -210))
    live.pass_time(15)
    (laid,) = live.of(Laid)
    assert [card.unread for card in laid.cards] == [True]


def test_what_nobody_can_read_is_told_in_less_than_four_tenths_of_a_second(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lying.append(Lying("blotted S7", 0, -210))
    live.pass_time(6, fps=15.0)
    (laid,) = live.of(Laid)
    assert live.scene.at - laid.at < 0.4
    assert len(laid.cards) == 1


class Faint:
    """A reader that at first takes a card that it cannot read for a joker, hardly believed."""

    def __init__(self, reader: CardReader) -> None:
        self.reader = reader
        self.joker_at = reader.joker_at
        self.wrong = 0

    def read_zones(self, crops: Sequence[Image], packs: int, least: float) -> list[Reading]:
        found = self.reader.read_zones(crops, packs, least)
        if self.wrong:
            self.wrong -= 1
            height, width = crops[0].shape[:2]
            joker = cards_at(("LJ", width / 2, height / 2, 0.0), confidence=0.26)
            found[0] = replace(found[0], cards=joker)
        return found


def test_what_is_taken_for_another_card_at_first_and_read_never_again_is_told_as_unread(
    reader: CardReader,
) -> None:
    faint = Faint(reader)
    live = Live(cast("CardReader", faint))
    faint.wrong = 1
    live.scene.lying.append(Lying("blotted S7", 0, -210))
    live.pass_time(15)
    assert names_of(live) == ["?"]


def names_of(live: Live) -> list[str]:
    """Names of all cards laid, from left to right; `?` for what nobody could read."""
    return [str(card.card or "?") for laid in live.of(Laid) for card in laid.cards]


@pytest.mark.parametrize(
    ("lost", "step"), [(0, 12), (0, 26), (2, 8), (2, 26), (4, 14), (4, 26)], ids=lambda value: str(value)
)
def test_a_card_that_is_not_found_in_a_row_is_told_as_unread(
    reader: CardReader, lost: int, step: float
) -> None:
    live = Live(reader)
    names = ["S3", "H3", "D3", "C9", "S9"]
    live.scene.lay(" ".join(names), -40, -210, step)
    live.scene.lying[lost].what = f"blotted {names[lost]}"
    live.pass_time(15)
    assert names_of(live) == [*names[:lost], "?", *names[lost + 1 :]]
