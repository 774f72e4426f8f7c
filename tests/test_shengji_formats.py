"""Decompositions of a set of cards into units."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from table.cards import Card
from table.shengji.formats import best_reading, readings
from table.shengji.order import order_for
from table.shengji.structure import spoken_reading
from tests.shengji_tools import OFFICIAL, cards, order


def _kinds(units) -> list[str]:
    return [unit.kind for unit in units]


@pytest.mark.rule("SJO-28", "SJE-19")
def test_a_triple_and_an_adjacent_pair_are_read_both_ways_but_never_as_one():
    found = readings(cards("H5x3 H6x2"), order("10", "S", OFFICIAL[3]))
    assert ["tractor", "single"] in [_kinds(units) for units in found]
    assert ["triple", "pair"] in [_kinds(units) for units in found]
    assert all(len(units) > 1 for units in found)


@pytest.mark.rule("SJE-19")
@pytest.mark.parametrize(
    ("says", "kinds"),
    [
        (None, ["tractor", "single"]), ("三条加一对", ["triple", "pair"]),
        ("拖拉机加一单张", ["tractor", "single"]), ("triple and a pair", ["triple", "pair"]),
    ],
)  # fmt: skip
def test_the_structure_of_a_throw_is_what_its_player_says(says, kinds):
    units = spoken_reading(cards("H5x3 H6x2"), says, order("10", "S", OFFICIAL[3]))
    assert _kinds(units) == kinds


def test_the_usual_reading_has_the_largest_units():
    by = order("10", "S", OFFICIAL[3])
    assert _kinds(best_reading(cards("HKx2 HAx2 HQ"), by)) == ["tractor", "single"]
    assert _kinds(best_reading(cards("H5x3 H6x3 H7x2"), by)) == ["triple_tractor", "pair"]
    assert _kinds(best_reading(cards("HAx2 HQx2 H5"), by)) == ["pair", "pair", "single"]


def _brute(left: tuple[Card, ...], by) -> set[tuple[tuple[str, ...], ...]]:
    """Every partition of the cards into units, found by trying every subset that holds the first card."""
    if not left:
        return {()}
    first, rest = left[0], left[1:]
    found = set()
    for mask in range(1 << len(rest)):
        chosen = (first, *(card for i, card in enumerate(rest) if mask >> i & 1))
        if not _is_unit(chosen, by):
            continue
        others = tuple(card for i, card in enumerate(rest) if not mask >> i & 1)
        for more in _brute(others, by):
            found.add(tuple(sorted((tuple(sorted(map(str, chosen))), *more))))
    return found


def _is_unit(chosen: tuple[Card, ...], by) -> bool:
    names = {card: chosen.count(card) for card in chosen}
    places = sorted(by.place(card) for card in names)
    if len(set(names.values())) > 1 or len(set(places)) != len(places):
        return False
    if len(names) == 1:
        return True
    return min(names.values()) >= 2 and places[-1] - places[0] == len(places) - 1


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(cards("H4 H5 H6 H7")), min_size=1, max_size=7), st.just("S"))
def test_every_decomposition_of_side_cards_is_found_once(found, trump):
    by = order_for("10", trump)
    mine = [
        tuple(sorted(tuple(sorted(map(str, unit.cards))) for unit in units))
        for units in readings(tuple(found), by)
    ]
    assert len(mine) == len(set(mine))
    assert set(mine) == _brute(tuple(found), by)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(cards("SA H10 D10 S10 LJ")), min_size=1, max_size=7))
def test_every_decomposition_of_trumps_with_equal_level_cards_is_found_once(found):
    by = order_for("10", "S")
    mine = [
        tuple(sorted(tuple(sorted(map(str, unit.cards))) for unit in units))
        for units in readings(tuple(found), by)
    ]
    assert len(mine) == len(set(mine))
    assert set(mine) == _brute(tuple(found), by)
