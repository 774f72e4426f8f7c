"""The place of a wild in the left-to-right order, and the spoken word, tell what a play means (GDO-48)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table.cards import Card, format_cards, full_packs, parse_cards
from table.guandan.combos import laid_out, layout_readings, plays, readings, spoken

PACK = sorted(full_packs(2).elements(), key=lambda card: card.index)


def names(cards: str, level: str, says: str | None = None) -> list[str]:
    return [str(reading) for reading in layout_readings(parse_cards(cards), level, says=says)]


@pytest.mark.rule("GDO-48")
@pytest.mark.parametrize(
    ("level", "cards", "expected"),
    [
        ("5", "S7 C7 S8 C8 H5 H5", ["pairs:6:9"]),
        ("5", "H5 H5 S7 C7 S8 C8", ["pairs:6:8"]),
        ("5", "S7 C7 H5 S8 C8 H5", ["plate:6:8"]),
        ("5", "S8 C8 H5 S7 C7 H5", ["plate:6:8"]),  # descending is an order as well
        ("5", "H5 H5 S8 C8 S7 C7", ["pairs:6:9"]),
        ("5", "SA CA SK CK H5 H5", ["pairs:6:A"]),
        ("5", "SA CA H5 SK CK H5", ["plate:6:A"]),
        ("J", "HJ S5 D6 S7 HJ", ["straight:5:8"]),
        ("J", "S5 D6 S7 HJ HJ", ["straight:5:9"]),
        ("J", "HJ HJ S5 D6 S7", ["straight:5:7"]),
        ("9", "S7 S7 S8 S8 H9", ["full_house:5:8"]),
        ("9", "S7 S7 H9 S8 S8", ["full_house:5:7"]),
        ("9", "H9 H9 S7 C7 D7", ["full_house:5:7"]),
        ("9", "S2 C3 D4 H9 SA", ["straight:5:5"]),  # the ace that is 1 may lie at the end
    ],
)
def test_the_place_of_the_wilds_picks_the_reading(level: str, cards: str, expected: list[str]) -> None:
    assert names(cards, level) == expected


@pytest.mark.rule("GDO-48")
@pytest.mark.parametrize(
    ("level", "cards"),
    [
        ("9", "H9 S7"),  # left of its like
        ("5", "H5 S7 C7 S8 C8 H5"),
        ("5", "S3 S4 C6 H5 S7"),
        ("9", "BJ BJ H9 C3 C3"),
    ],
)
def test_a_misplaced_wild_leaves_no_reading(level: str, cards: str) -> None:
    assert readings(parse_cards(cards), level)
    assert names(cards, level) == []


@pytest.mark.rule("GDO-48")
def test_wilds_to_the_right_of_a_triple_leave_two_readings_until_somebody_speaks() -> None:
    assert names("S7 C7 D7 H9 H9", "9") == ["bomb:5:7", "full_house:5:7"]
    assert names("S7 C7 D7 H9 H9", "9", says="三带对") == ["full_house:5:7"]
    assert names("S7 C7 D7 H9 H9", "9", says="bomb") == ["bomb:5:7"]


@pytest.mark.rule("GDO-48")
def test_where_the_other_cards_are_in_no_order_the_place_of_the_wild_tells_nothing() -> None:
    assert names("S5 C8 C6 H9 H9", "9") == ["straight:5:9", "straight:5:8"]


@pytest.mark.rule("GDO-48")
def test_without_wilds_the_order_is_free() -> None:
    assert names("S5 C8 C6 D7 S9", "2") == ["straight:5:9"]


@pytest.mark.rule("GDO-48")
def test_the_assignment_is_the_one_that_the_layout_shows() -> None:
    (found,) = layout_readings(parse_cards("S7 C7 S8 C8 H5 H5"), "5")
    assert format_cards(found.assignment) == "S7 C7 S8 C8 H9 H9"


@pytest.mark.parametrize(
    ("says", "expected"),
    [
        ("顺子9", ("straight", "9")),
        ("straight 5-9", ("straight", "9")),
        ("A2345 straight", ("straight", "5")),
        ("同花顺10JQKA", ("straight_flush", "A")),
        ("钢板 K", ("plate", "K")),
        ("三连对 778899", ("pairs", "9")),
        ("full house 777 88", ("full_house", "7")),
        ("三带二 7", ("full_house", "7")),
        ("5张炸弹 7", ("bomb", "7")),
        ("pair of 8s", ("pair", "8")),
        ("不要", (None, None)),
        ("", (None, None)),
    ],
)
def test_spoken_meanings(says: str, expected: tuple[str | None, str | None]) -> None:
    assert spoken(says) == expected


@pytest.mark.rule("GDO-48")
@given(st.lists(st.sampled_from(range(108)), min_size=6, max_size=10, unique=True), st.data())
def test_a_play_laid_by_the_rule_has_the_meaning_for_which_it_was_laid(
    chosen: list[int], data: st.DataObject
) -> None:
    wild = Card("H", "7")
    hand = [*[PACK[i] for i in chosen if PACK[i] != wild][:8], wild, wild]
    play = data.draw(st.sampled_from(plays(hand, "7")))
    meant = data.draw(st.sampled_from(play.readings))
    laid = laid_out(play.cards, meant, data.draw(st.booleans()))
    assert meant in layout_readings(laid, "7")
