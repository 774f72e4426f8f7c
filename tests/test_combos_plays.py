"""Every play from a hand, against trying all sets of its cards."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table.cards import RANKS, Card, full_packs, parse_cards
from table.guandan.combos import ComboRules, Reading, plays, readings

PACK = sorted(full_packs(2).elements(), key=lambda card: card.index)
SWITCHES = [
    ComboRules(),
    *(
        replace(ComboRules(), **{name: not getattr(ComboRules(), name)})
        for name in (
            "full_house_joker_pair", "five_alike_full_house", "one_suit_plain_straight", "wild_under_declare",
            "wild_straight_flush_is_bomb", "joker_bomb_supreme",
        )
    ),
]  # fmt: skip


def brute_force(
    hand: list[Card], level: str, prior: Reading | None, rules: ComboRules
) -> dict[tuple[Card, ...], tuple[Reading, ...]]:
    found: dict[tuple[Card, ...], tuple[Reading, ...]] = {}
    ordered = sorted(hand, key=lambda card: card.index)
    for size in range(1, len(hand) + 1):
        for cards in set(combinations(ordered, size)):
            may = tuple(
                r for r in readings(cards, level, rules) if prior is None or r.beats(prior, level, rules)
            )
            if may:
                found[cards] = may
    return found


@st.composite
def hands(draw: st.DrawFn) -> tuple[list[Card], str]:
    """Up to eight cards: near in rank, often of one suit, often with wilds and jokers."""
    level = draw(st.sampled_from(RANKS))
    low = draw(st.integers(0, 12))
    near = {RANKS[(low + i) % 13] for i in range(draw(st.sampled_from([2, 3, 5, 6, 13])))}
    suits = draw(st.sampled_from(["SHCD", "SHCD", "H", "S", "HD"]))
    pool = [card for card in PACK if card.rank in near and card.suit in suits]
    pool = list((Counter(pool) | Counter({Card("H", level): 2})).elements())
    if draw(st.booleans()):
        pool += parse_cards("LJ LJ BJ BJ")
    chosen = draw(st.lists(st.sampled_from(range(len(pool))), min_size=1, max_size=8, unique=True))
    hand = [pool[i] for i in chosen]
    wanted = draw(st.integers(0, 2)) - hand.count(Card("H", level))
    return (hand + [Card("H", level)] * max(0, wanted))[-8:], level


@st.composite
def priors(draw: st.DrawFn) -> Reading | None:
    type_, size = draw(
        st.sampled_from(
            [
                ("", 0), ("", 0), ("single", 1), ("pair", 2), ("triple", 3), ("straight", 5), ("pairs", 6),
                ("plate", 6), ("full_house", 5), ("bomb", 4), ("bomb", 5), ("straight_flush", 5),
            ]
        )
    )  # fmt: skip
    return Reading(type_, draw(st.sampled_from(RANKS[3:])), size) if type_ else None


@pytest.mark.rule("GDO-39", "GDO-64")
@given(hands(), priors(), st.sampled_from(SWITCHES))
def test_plays_are_exactly_the_sets_that_can_be_read_and_beat(
    held: tuple[list[Card], str], prior: Reading | None, rules: ComboRules
) -> None:
    hand, level = held
    made = plays(hand, level, prior, rules)
    assert {play.cards: play.readings for play in made} == brute_force(hand, level, prior, rules)
    assert len({play.cards for play in made}) == len(made)


@given(hands())
def test_a_reading_says_what_each_card_stands_for(held: tuple[list[Card], str]) -> None:
    hand, level = held
    wild = Card("H", level)
    for play in plays(hand, level):
        for reading in play.readings:
            assert len(reading.assignment) == len(play.cards)
            assert all(
                card in (stands_for, wild)
                for card, stands_for in zip(play.cards, reading.assignment, strict=True)
            )
            # Read at a level at which none of them is wild, the assignment is what it was said to be.
            other = next(r for r in RANKS if all(card.rank != r for card in reading.assignment))
            assert reading in readings(reading.assignment, other)


@pytest.mark.rule("GDO-39")
def test_only_some_types_on_request() -> None:
    hand = parse_cards("S3 D3 C3 H3 S4")
    assert {r.type for play in plays(hand, "9", types=("bomb", "pair")) for r in play.readings} == {
        "bomb",
        "pair",
    }
