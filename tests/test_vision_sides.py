"""On which side of its only visible index a card lies: the picture tells, packs of two corners stay as they are."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
import pytest

from tests.vision_factories import Table
from vision.assemble import assemble
from vision.certainty import Certainty
from vision.frames import Image

CLOTH, STOCK = (70, 120, 60), (240, 242, 244)


def drawn(places: Sequence[tuple[float, float, float]]) -> Image:
    """Bare cards at (x, y) mm, turned, the first lowest, on cloth; 2 px/mm."""
    image = np.full((900, 1100, 3), CLOTH, np.uint8)
    for x, y, turn in places:
        box = cv2.boxPoints(((2 * x, 2 * y), (120, 176), -turn)).astype(np.int32)
        cv2.fillConvexPoly(image, box, STOCK)
    return image


def centres(table: Table, image: Image) -> dict[str, tuple[float, float]]:
    """Where each card was found to lie, in mm."""
    cards, _ = assemble(table.indices(), Certainty(), packs=2, px_per_mm=2.0, image=image)
    return {
        str(name): tuple(outline.mean(0) / 2)
        for name, outline in zip(cards.names, cards.outline, strict=True)
    }


def row(names: Sequence[str], step: float, corner: str, last: Sequence[str], turn: float = 0.0):
    """A row from left to right; of all but the last only one corner shows. Returns it drawn and as indices."""
    table, places = Table(), []
    for n, name in enumerate(names):
        at = (
            250 + (n - 2) * step * np.cos(np.radians(turn)),
            200 - (n - 2) * step * np.sin(np.radians(turn)),
        )
        places.append((*at, turn))
        table.lay(name, *at, turn, (corner,) if n < len(names) - 1 else last)
    return table, places


@pytest.mark.parametrize("turn", [0.0, 30.0, 180.0])
def test_a_row_that_shows_its_lower_left_corners_lies_to_their_right(turn):
    table, places = row(
        ["D2", "HQ", "S7", "C9", "H5"], 15, "bottom left", ("bottom left", "bottom right"), turn
    )
    found = centres(table, drawn(places))
    for name, (x, y, _) in zip(["D2", "HQ", "S7", "C9", "H5"], places, strict=True):
        assert found[name] == pytest.approx((x, y), abs=7), name


@pytest.mark.parametrize("turn", [0.0, 150.0])
def test_a_row_of_a_pack_with_two_corners_stays_where_it_lies(turn):
    table, places = row(["D2", "HQ", "S7", "C9", "H5"], 15, "top left", ("top left", "bottom right"), turn)
    found = centres(table, drawn(places))
    for name, (x, y, _) in zip(["D2", "HQ", "S7", "C9", "H5"], places, strict=True):
        assert found[name] == pytest.approx((x, y), abs=7), name


def test_on_a_cloth_as_light_as_the_cards_nothing_is_turned_round():
    table, places = row(["D2", "HQ", "S7"], 15, "top left", ("top left", "bottom right"))
    found = centres(table, np.full((900, 1100, 3), STOCK, np.uint8))
    assert found["D2"] == pytest.approx(places[0][:2], abs=7)


def test_jokers_that_print_four_corners_are_one_card_each():
    table = Table().lay("BJ", 200, 200, corners=("top left", "bottom left", "top right", "bottom right"))
    table.lay("S9", 300, 200)
    found = centres(table, drawn([(200, 200, 0), (300, 200, 0)]))
    assert found["BJ"] == pytest.approx((200, 200), abs=7)
    assert len(found) == 2
