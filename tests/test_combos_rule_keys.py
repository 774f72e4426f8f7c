"""Where two engines differ about combinations the profile decides: each difference a key, each key a test."""

from __future__ import annotations

import pytest

from table.cards import parse_cards
from table.guandan.combos import ComboRules, Reading, readings


def names(cards: str, level: str, rules: ComboRules | None = None) -> list[str]:
    return [str(reading) for reading in readings(parse_cards(cards), level, rules or ComboRules())]


@pytest.mark.rule("GDO-13")
def test_a_straight_flush_may_be_called_a_plain_straight_only_where_the_profile_says_so() -> None:
    allowed = ComboRules(one_suit_plain_straight=True)
    assert names("S3 S4 S5 S6 S7", "9") == ["straight_flush:5:7"]
    assert names("S3 S4 S5 S6 S7", "9", allowed) == ["straight_flush:5:7", "straight:5:7"]
    assert names("S3 S4 H9 S6 S7", "9", allowed) == ["straight_flush:5:7", "straight:5:7"]


@pytest.mark.rule("GDO-11")
def test_a_full_house_may_hold_a_pair_of_jokers_unless_the_profile_forbids_it() -> None:
    assert names("S3 D3 C3 BJ BJ", "9") == ["full_house:5:3"]
    assert names("S3 D3 H9 BJ BJ", "9") == ["full_house:5:3"]
    assert names("S3 D3 C3 BJ BJ", "9", ComboRules(full_house_joker_pair=False)) == []


@pytest.mark.rule("GDO-11", "GDO-14")
def test_five_alike_are_a_full_house_only_where_the_profile_says_so() -> None:
    assert names("S3 D3 C3 H3 S3", "9") == ["bomb:5:3"]
    assert names("S3 D3 C3 H3 H9", "9") == ["bomb:5:3"]
    assert names("S3 D3 C3 H3 S3", "9", ComboRules(five_alike_full_house=True)) == [
        "bomb:5:3",
        "full_house:5:3",
    ]


@pytest.mark.rule("GDO-48", "GDO-04")
def test_wilds_may_mean_less_than_they_could_unless_the_profile_forbids_it() -> None:
    strict = ComboRules(wild_under_declare=False)
    assert names("S7 C7 S8 C8 H5 H5", "5", strict) == ["plate:6:8", "pairs:6:9"]
    assert names("S7 C7 D7 H9 H9", "9", strict) == ["bomb:5:7"]
    assert names("S7 C7 S8 C8 H9", "9", strict) == ["full_house:5:8"]
    assert names("S7 C7 S8 C8 H9", "9") == ["full_house:5:8", "full_house:5:7"]


@pytest.mark.rule("GDO-13", "GDO-47")
def test_a_straight_flush_with_a_wild_is_a_bomb_unless_the_profile_forbids_it() -> None:
    strict = ComboRules(wild_straight_flush_is_bomb=False)
    assert names("S3 S4 H9 S6 S7", "9") == ["straight_flush:5:7"]
    assert names("S3 S4 H9 S6 S7", "9", strict) == ["straight:5:7"]
    # At its own place among hearts it is no wild.
    assert names("H3 H4 H5 H6 H7", "6", strict) == ["straight_flush:5:7"]


@pytest.mark.rule("GDO-47", "GDE-02")
def test_a_bomb_of_ten_beats_four_jokers_only_where_the_profile_says_so() -> None:
    ten, nine, jokers = Reading("bomb", "3", 10), Reading("bomb", "3", 9), Reading("joker_bomb", "BJ", 4)
    lesser = ComboRules(joker_bomb_supreme=False)
    assert jokers.beats(ten, "2")
    assert ten.beats(jokers, "2", lesser)
    assert jokers.beats(nine, "2", lesser)


@pytest.mark.rule("GDO-47", "GDE-03")
def test_the_bomb_above_a_straight_flush_is_set_by_the_profile() -> None:
    flush, six = Reading("straight_flush", "A", 5), Reading("bomb", "2", 6)
    assert six.beats(flush, "9")
    assert flush.beats(six, "9", ComboRules(straight_flush_beats_bomb_of=6))


def test_a_profile_gives_its_keys_and_keeps_the_rest() -> None:
    rules = ComboRules.from_profile({"combos.five_alike_full_house": True, "clock.play": 20})
    assert rules == ComboRules(five_alike_full_house=True)
