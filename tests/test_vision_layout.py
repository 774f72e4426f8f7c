"""Rows: which cards lie in one, and from whose left they are told."""

from __future__ import annotations

from tests.vision_factories import cards_at
from vision.cards_read import CardsRead
from vision.layout import rows_of


def told(cards: CardsRead, viewer: tuple[float, float] | None = None) -> list[str]:
    return [" ".join(str(cards.names[i]) for i in row) for row in rows_of(cards, viewer)]


def test_an_overlapped_row_is_told_from_left_to_right() -> None:
    assert told(cards_at(("S9", 230, 200, 2), ("S7", 150, 203, 0), ("S8", 190, 198, -2))) == ["S7 S8 S9"]


def test_a_row_that_faces_the_far_side_is_told_from_that_sides_left() -> None:
    assert told(cards_at(("S7", 230, 200, 180), ("S8", 190, 200, 180), ("S9", 150, 200, 180))) == ["S7 S8 S9"]


def test_a_row_that_faces_the_right_is_told_from_that_players_left() -> None:
    # Who sits at the right has the picture's lower edge at the left hand.
    assert told(cards_at(("S8", 400, 160, 90), ("S7", 400, 200, 90), ("S9", 400, 120, 90))) == ["S7 S8 S9"]


def test_cards_with_both_corners_in_view_are_told_as_the_picture_shows_them() -> None:
    cards = cards_at(("S9", 360, 200, 180), ("S7", 100, 200, 0), ("S8", 230, 200, 180), corners=2)
    assert told(cards) == ["S7 S8 S9"]


def test_a_known_viewer_settles_it() -> None:
    cards = cards_at(("S7", 100, 200, 0), ("S8", 230, 200, 0), corners=2)
    assert told(cards, (0.0, -1.0)) == ["S8 S7"]


def test_two_rows_one_above_the_other() -> None:
    cards = cards_at(("H4", 140, 420, 0), ("S7", 100, 200, 0), ("H3", 100, 420, 0), ("S8", 140, 200, 0))
    assert told(cards) == ["S7 S8", "H3 H4"]


def test_a_fan_is_one_row() -> None:
    cards = cards_at(("S2", 100, 240, 40), ("S3", 150, 215, 20), ("S4", 205, 205, 0), ("S5", 260, 215, -20))
    assert told(cards) == ["S2 S3 S4 S5"]


def test_a_card_across_another_is_a_row_of_its_own() -> None:
    assert sorted(told(cards_at(("S2", 100, 200, 0), ("S3", 110, 210, 90)))) == ["S2", "S3"]


def test_no_cards_no_rows() -> None:
    assert rows_of(CardsRead.empty()) == []
