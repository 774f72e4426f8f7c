"""Packs that print their index in all four corners: one card, not two or four; twins of two packs stay two."""

from __future__ import annotations

import pytest

from tests.vision_factories import Table
from vision.assemble import assemble
from vision.certainty import Certainty

ALL = ("top left", "top right", "bottom left", "bottom right")
LEFT = ("top left", "bottom left")


def read(table: Table) -> list[str]:
    cards, _ = assemble(table.indices(), Certainty(), packs=2, px_per_mm=2.0)
    return sorted(map(str, cards.names))


@pytest.mark.parametrize("turn", [0.0, 37.0, 180.0, 265.0])
def test_four_corners_are_one_card(turn):
    assert read(Table().lay("S9", 100, 100, turn, ALL)) == ["S9"]


def test_a_row_of_a_four_cornered_pack_counts_each_card_once():
    table = (
        Table()
        .lay("S9", 100, 100, corners=LEFT)
        .lay("H4", 120, 100, corners=LEFT)
        .lay("CK", 140, 100, corners=ALL)
    )
    assert read(table) == ["CK", "H4", "S9"]


def test_twins_a_step_apart_stay_two_in_a_four_cornered_pack():
    assert read(Table().lay("S9", 100, 100, corners=LEFT).lay("S9", 118, 100, corners=ALL)) == ["S9", "S9"]


def test_twins_of_a_two_cornered_pack_whose_indices_stand_side_by_side_stay_two():
    table = Table().lay("S9", 100, 100, corners=("top left",)).lay("S9", 118, 100)
    assert read(table) == ["S9", "S9"]


@pytest.mark.parametrize("corners", [ALL, ("top left", "top right"), LEFT, ("top right", "bottom left")])
def test_the_outline_lies_where_the_card_lies_whichever_corners_show(corners):
    table = Table().lay("H4", 300, 100, corners=ALL).lay("S9", 100, 100, corners=corners)
    cards, _ = assemble(table.indices(), Certainty(), packs=2, px_per_mm=2.0)
    nine = [str(name) for name in cards.names].index("S9")
    assert cards.outline[nine].mean(0) == pytest.approx((200, 200), abs=12)
