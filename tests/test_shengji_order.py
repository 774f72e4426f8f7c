"""Trumps, their order, adjacency and points."""

from __future__ import annotations

import pytest

from table.cards import RANKS, Card
from table.shengji.formats import best_reading, is_combination
from table.shengji.order import TRUMP, order_for, points_of
from tests.shengji_tools import EVENT, OFFICIAL, cards, order


def _order_of(names: str, by) -> list[str]:
    """The cards from low to high; equal ones joined by =."""
    found = sorted(cards(names), key=by.place)
    text: list[str] = []
    for i, card in enumerate(found):
        equal = i and by.place(card) == by.place(found[i - 1])
        if equal:
            text[-1] += f"={card}"
        else:
            text.append(str(card))
    return text


@pytest.mark.rule("SJO-04", "SJO-06", "SJO-42")
def test_trumps_from_low_to_high_with_equal_level_cards_of_the_other_suits():
    by = order("10", "S")
    assert _order_of("BJ LJ S10 H10 D10 C10 SA S2 S9", by) == [
        "S2", "S9", "SA", "H10=D10=C10", "S10", "LJ", "BJ",
    ]  # fmt: skip
    assert {by.group(card) for card in cards("BJ LJ S10 H10 D10 C10 SA S2")} == {TRUMP}


@pytest.mark.rule("SJO-03", "SJO-05")
def test_side_suits_run_from_2_to_A_without_the_level():
    by = order("10", "S")
    assert _order_of("HA HK HQ HJ H9 H8 H2", by) == ["H2", "H8", "H9", "HJ", "HQ", "HK", "HA"]
    assert {by.group(card) for card in cards("HA H2 H9")} == {"H"}
    assert by.place(Card.parse("HJ")) == by.place(Card.parse("H9")) + 1


@pytest.mark.rule("SJE-06", "SJE-07")
def test_2_is_always_trump_at_the_event_between_level_and_ace():
    by = order("3", "S", EVENT)
    assert _order_of("BJ LJ S3 H3 C3 S2 H2 D2 SA SK S4", by) == [
        "S4", "SK", "SA", "H2=D2", "S2", "H3=C3", "S3", "LJ", "BJ",
    ]  # fmt: skip
    assert by.group(Card.parse("H2")) == TRUMP
    assert min(by.place(Card.parse("H" + rank)) for rank in "456789") == by.place(Card.parse("H4"))


@pytest.mark.rule("SJE-06")
def test_at_level_2_the_event_has_no_other_permanent_trump():
    assert _order_of("LJ S2 H2 SA", order("2", "S", EVENT)) == ["SA", "H2", "S2", "LJ"]


def test_5_3_2_can_be_permanent_by_key_the_highest_first():
    by = order_for("8", "D", permanent=("5", "3", "2"))
    assert _order_of("LJ D8 S8 D5 C5 D3 H3 D2 S2 DA", by) == [
        "DA", "S2", "D2", "H3", "D3", "C5", "D5", "S8", "D8", "LJ",
    ]  # fmt: skip


@pytest.mark.rule("SJO-07", "SJO-27")
def test_without_a_trump_suit_only_level_cards_and_jokers_are_trump_and_level_cards_are_equal():
    by = order_for("10", "NT")
    assert _order_of("BJ LJ S10 H10 D10", by) == ["S10=H10=D10", "LJ", "BJ"]
    assert by.group(Card.parse("SA")) == "S"
    assert not is_combination(cards("S10x2 H10x2"), by)
    assert is_combination(cards("H10x2 LJx2"), by)
    assert is_combination(cards("LJx2 BJx2"), by)


def test_at_the_level_beyond_A_only_jokers_are_trump():
    by = order_for("NT", "NT")
    assert [str(card) for card in cards("S2 HA LJ BJ") if by.group(card) == TRUMP] == ["LJ", "BJ"]


@pytest.mark.parametrize(
    ("level", "trump", "message"),
    [("1", "S", "not a level: '1'"), ("5", "X", "not a trump: 'X'")],
)
def test_a_wrong_level_or_trump_is_named(level, trump, message):
    with pytest.raises(ValueError, match=message):
        order_for(level, trump)


@pytest.mark.parametrize(
    "tractor",
    [
        "H2x2 H3x2", "H9x2 HJx2", "S2x2 S3x2", "S9x2 SJx2", "SAx2 D10x2", "C10x2 S10x2", "S10x2 LJx2",
        "LJx2 BJx2", "S10x2 LJx2 BJx2", "SKx2 SAx2 C10x2 S10x2 LJx2 BJx2",
    ],
)  # fmt: skip
@pytest.mark.rule("SJO-24", "SJO-25")
def test_official_tractors_at_level_10_with_trump_spades(tractor):
    assert is_combination(cards(tractor), order("10", "S"))


@pytest.mark.parametrize("not_one", ["H9x2 H10x2", "S10x2 SJx2", "D10x2 C10x2", "H9x2 HQx2", "D10 C10"])
@pytest.mark.rule("SJO-24", "SJO-26")
def test_what_is_no_tractor_at_level_10_with_trump_spades(not_one):
    by = order("10", "S")
    assert by.only_group(cards(not_one)) is None or not is_combination(cards(not_one), by)


@pytest.mark.parametrize(
    "tractor",
    [
        "BJx2 LJx2", "LJx2 S3x2", "S3x2 H3x2", "H3x2 S2x2", "S2x2 C2x2", "C2x2 SAx2", "C2x2 SAx2 SKx2",
        "DKx2 DQx2",
        "DJx2 D10x2", "DJx3 D10x3", "C5x2 C4x2",
    ],
)  # fmt: skip
@pytest.mark.rule("SJE-16")
def test_tractors_of_the_event_at_level_3_with_trump_spades(tractor):
    assert is_combination(cards(tractor), order("3", "S", EVENT))


@pytest.mark.parametrize(
    "not_one",
    [
        "D5x2 D4", "D5 D4x2", "D7x2 D5x2", "DAx2 DQx2", "H3x2 C3x2", "D4x2 D3x2", "H2x2 C2x2", "BJx2 H3x2",
        "LJx2 H3x2", "D5x3 D6x2", "D5x2 D6x3",
    ],
)  # fmt: skip
@pytest.mark.rule("SJE-17", "SJE-18", "SJE-19")
def test_what_is_no_tractor_at_the_event_at_level_3_with_trump_spades(not_one):
    by = order("3", "S", EVENT)
    assert by.only_group(cards(not_one)) is None or not is_combination(cards(not_one), by)


@pytest.mark.rule("SJO-25")
def test_a_house_rule_may_forbid_tractors_across_the_level():
    """Dispute A20."""
    assert is_combination(cards("H2x2 H4x2"), order("3", "S"))
    closed = order_for("3", "S", across_level=False)
    assert not is_combination(cards("H2x2 H4x2"), closed)
    assert is_combination(cards("H4x2 H5x2"), closed)
    assert is_combination(cards("SAx2 H3x2"), closed)


@pytest.mark.rule("SJO-08")
def test_a_pack_holds_a_hundred_points():
    pack = [Card(suit, rank) for suit in "SHCD" for rank in RANKS]
    assert points_of(pack) == 100
    assert points_of(cards("S5 H10 DK LJ CA")) == 25


@pytest.mark.rule("SJO-23", "SJO-28", "SJE-15")
@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("H5", "single"), ("H5x2", "pair"), ("H5x3", "triple"), ("H5x2 H6x2", "tractor"),
        ("H5x3 H6x3", "triple_tractor"), ("H5x4", "quad"),
    ],
)  # fmt: skip
def test_kinds_of_combinations(text, kind):
    (unit,) = best_reading(cards(text), order("10", "S", OFFICIAL[3]))
    assert unit.kind == kind
