"""What cards are in Guandan and which beat which: rule lines, worked vectors and disputes on combinations."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from table.cards import RANKS, parse_cards
from table.guandan.combos import Reading, check_level, readings


def names(cards: str, level: str) -> list[str]:
    return [str(reading) for reading in readings(parse_cards(cards), level)]


def reading(text: str) -> Reading:
    type_, size, rank = text.split(":")
    return Reading(type_, rank, int(size))


@pytest.mark.rule("GDO-06", "GDO-07", "GDO-09", "GDO-15", "GDE-10", "GDE-02")
@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("S7", ["single:1:7"]),
        ("BJ", ["single:1:BJ"]),
        ("S7 D7", ["pair:2:7"]),
        ("S7 S7", ["pair:2:7"]),  # two packs hold identical cards
        ("LJ LJ", ["pair:2:LJ"]),
        ("BJ BJ", ["pair:2:BJ"]),
        ("LJ BJ", []),  # different ranks
        ("S7 S8", []),
        ("S7 D7 C7", ["triple:3:7"]),
        ("LJ LJ BJ", []),
        ("LJ LJ BJ BJ", ["joker_bomb:4:BJ"]),
        ("LJ BJ BJ H2", []),  # no wild stands in for a joker
        ("", []),
    ],
)
def test_singles_pairs_triples_and_jokers(cards: str, expected: list[str]) -> None:
    assert names(cards, "2") == expected


@pytest.mark.rule("GDO-08", "GDO-10", "GDO-11", "GDO-12", "GDO-13", "GDO-14", "GDE-03", "GDE-05", "GDE-06")
@pytest.mark.rule("GDE-07", "GDE-08", "GDE-09")
@pytest.mark.parametrize(
    ("cards", "expected"),
    [
        ("S3 D3 S4 D4 S5 C5", ["pairs:6:5"]),
        ("S3 D3 S4 D4", []),  # never two pairs
        ("S3 D3 S4 D4 S5 C5 S6 C6", []),  # nor four
        ("S3 D3 S4 D4 S6 C6", []),
        ("S3 D3 C3 S4 D4 C4", ["plate:6:4"]),
        ("S3 D3 C3 S5 D5 C5", []),
        ("S3 D3 C3 S4 D4 C4 S5 D5 C5", []),
        ("S3 D3 C3 S4 D4", ["full_house:5:3"]),
        ("S3 D3 C3 LJ LJ", ["full_house:5:3"]),
        ("S3 D3 C3 LJ BJ", []),
        ("S3 D3 C3 S4", []),
        ("S3 D4 C5 S6 D7", ["straight:5:7"]),
        ("S3 D4 C5 S6", []),
        ("S3 D4 C5 S6 D7 C8", []),
        ("SJ DQ CK SA LJ", []),
        ("S3 S4 S5 S6 S7", ["straight_flush:5:7"]),
        ("C10 CJ CQ CK CA", ["straight_flush:5:A"]),
        ("S3 D3 C3 S3", ["bomb:4:3"]),
        ("S3 S3 H3 H3 C3 C3 D3 D3", ["bomb:8:3"]),
    ],
)
def test_combinations_without_wilds(cards: str, expected: list[str]) -> None:
    assert names(cards, "2") == expected


@pytest.mark.rule("GDO-16", "GDE-05")
@pytest.mark.parametrize(
    ("level", "cards", "expected"),
    [
        ("9", "SA C2 D3 S4 S5", ["straight:5:5"]),
        ("9", "SA DA S2 D2 S3 D3", ["pairs:6:3"]),
        ("9", "SA DA CA S2 D2 C2", ["plate:6:2"]),
        ("9", "SQ SK DA S2 S3", []),  # no wrap
        ("9", "SK DK SA DA S2 D2", []),
        ("9", "SK DK CK SA DA CA", ["plate:6:A"]),
        ("9", "S7 C8 D9 S10 SJ", ["straight:5:J"]),  # the level card at its natural rank
        ("9", "S8 C8 D9 S9 S10 D10", ["pairs:6:10"]),
        ("9", "SA C9 D3 S4 S5", []),
    ],
)
def test_sequences_count_natural_ranks_and_the_ace_may_be_one(
    level: str, cards: str, expected: list[str]
) -> None:
    assert names(cards, level) == expected


@pytest.mark.rule("GDO-04", "GDO-12", "GDO-13", "GDO-14", "GDO-15", "GDO-16", "GDE-04")
@pytest.mark.parametrize(
    ("level", "cards", "expected"),
    [
        ("5", "S3 S4 H5 C6 S7", ["straight:5:7"]),
        ("5", "S3 S4 H5 S6 S7", ["straight_flush:5:7"]),
        ("A", "S10 SJ CQ SK SA", ["straight:5:A"]),
        ("A", "SA C2 D3 S4 S5", ["straight:5:5"]),
        ("2", "SJ SQ CK SA D2", []),
        ("5", "SA CA SK CK H5 H5", ["plate:6:A", "pairs:6:A"]),
        ("5", "S7 C7 S8 C8 H5 H5", ["plate:6:8", "pairs:6:9", "pairs:6:8"]),
        ("5", "S7 C7 D7 S8 C8 H5", ["plate:6:8"]),
        ("9", "S7 C7 D7 H9 H9", ["bomb:5:7", "full_house:5:7"]),
        ("5", "H5 H5", ["pair:2:5"]),
        ("5", "H5", ["single:1:5"]),
        ("5", "H5 LJ", []),
        ("5", "LJ LJ H5", []),
        ("5", "LJ BJ", []),
        ("3", "S9 C9 H3 LJ BJ", []),
        ("3", "S9 S9 H9 H9 C9 C9 D9 D9 H3 H3", ["bomb:10:9"]),
        ("6", "H3 H4 H5 H6 H7", ["straight_flush:5:7"]),
    ],
)
def test_worked_vectors(level: str, cards: str, expected: list[str]) -> None:
    assert names(cards, level) == expected


@pytest.mark.rule("GDO-14")
def test_five_level_cards_are_first_of_all_a_bomb() -> None:
    assert names("S4 C4 D4 H4 H4", "4")[0] == "bomb:5:4"


@pytest.mark.rule("GDE-06", "GDO-12")
def test_dispute_a40_the_straights_below_34567() -> None:
    assert names("S2 C3 D4 S5 S6", "9") == ["straight:5:6"]
    assert reading("straight:5:6").beats(reading("straight:5:5"), "9")


@pytest.mark.rule("GDO-13")
def test_dispute_a46_one_suit_in_a_row_is_a_straight_flush_and_not_a_straight() -> None:
    assert names("S3 S4 H9 S6 S7", "9") == ["straight_flush:5:7"]


@pytest.mark.rule("GDO-48")
@pytest.mark.parametrize("cards", ["SA CA SK CK H5 H5", "S7 C7 S8 C8 H5 H5"])
def test_dispute_a47_two_wilds_leave_more_than_one_reading(cards: str) -> None:
    assert len(names(cards, "5")) > 1


@pytest.mark.rule("GDO-15", "GDO-47", "GDE-02")
def test_dispute_a48_four_jokers_beat_a_bomb_of_ten() -> None:
    assert reading("joker_bomb:4:BJ").beats(reading("bomb:10:A"), "2")
    assert not reading("bomb:10:A").beats(reading("joker_bomb:4:BJ"), "2")


@pytest.mark.rule("GDO-43", "GDE-11")
def test_order_of_single_cards_at_level_10() -> None:
    order = ["2", "3", "4", "5", "6", "7", "8", "9", "J", "Q", "K", "A", "10", "LJ", "BJ"]
    singles = [Reading("single", rank, 1) for rank in order]
    for low, high in itertools.pairwise(singles):
        assert high.beats(low, "10")
        assert not low.beats(high, "10")


@pytest.mark.rule("GDO-46", "GDO-47", "GDO-14", "GDO-15", "GDE-03")
def test_ladder_of_bombs() -> None:
    ladder = [
        "triple:3:A", "bomb:4:3", "bomb:4:A", "bomb:5:2", "straight_flush:5:5", "straight_flush:5:A",
        "bomb:6:2", "bomb:7:2", "bomb:8:2", "bomb:9:2", "bomb:10:2", "joker_bomb:4:BJ",
    ]  # fmt: skip
    for i, low in enumerate(ladder):
        for high in ladder[i + 1 :]:
            assert reading(high).beats(reading(low), "9"), (high, low)
            assert not reading(low).beats(reading(high), "9"), (low, high)


@pytest.mark.rule("GDO-44", "GDO-45", "GDO-46", "GDO-64", "GDE-12")
@pytest.mark.parametrize(
    ("play", "prior", "level", "expected"),
    [
        ("pair:2:8", "pair:2:7", "2", True),
        ("pair:2:7", "pair:2:7", "2", False),  # equal never beats
        ("pair:2:5", "pair:2:A", "5", True),  # the level above the ace
        ("pair:2:LJ", "pair:2:5", "5", True),
        ("triple:3:8", "pair:2:7", "2", False),  # other types cannot
        ("plate:6:8", "pairs:6:7", "2", False),
        ("straight:5:6", "straight:5:5", "5", True),
        ("straight:5:5", "straight:5:6", "5", False),  # natural rank in a sequence
        ("full_house:5:8", "full_house:5:7", "2", True),
        ("full_house:5:2", "full_house:5:A", "2", True),  # by the triple, the level counts
        ("bomb:4:2", "full_house:5:A", "9", True),
        ("bomb:4:2", "bomb:4:A", "2", True),
        ("straight_flush:5:6", "straight_flush:5:5", "5", True),
        ("straight:5:A", "bomb:4:3", "2", False),
    ],
)
def test_what_beats_what(play: str, prior: str, level: str, expected: bool) -> None:
    assert reading(play).beats(reading(prior), level) is expected


@pytest.mark.rule("GDO-45", "GDE-12")
def test_a_full_house_is_compared_by_its_triple_only() -> None:
    (low,) = readings(parse_cards("S7 D7 C7 SA DA"), "2")
    (high,) = readings(parse_cards("S8 D8 C8 S3 D3"), "2")
    assert high.beats(low, "2")


def test_a_level_that_is_no_rank_is_named_in_the_error() -> None:
    with pytest.raises(ValueError, match="not a level: '1'"):
        check_level("1")


_SIZES = {"single": 1, "pair": 2, "triple": 3, "straight": 5, "pairs": 6, "plate": 6, "full_house": 5}
_plain = st.sampled_from(sorted(_SIZES)).flatmap(
    lambda type_: st.sampled_from(RANKS).map(lambda rank: Reading(type_, rank, _SIZES[type_]))
)
_bombs = st.one_of(
    st.builds(Reading, st.just("bomb"), st.sampled_from(RANKS), st.integers(4, 10)),
    st.builds(Reading, st.just("straight_flush"), st.sampled_from(RANKS[3:]), st.just(5)),
    st.just(Reading("joker_bomb", "BJ", 4)),
)
_any = st.one_of(_plain, _bombs)


@pytest.mark.rule("GDO-44", "GDO-46", "GDO-47")
@given(_any, _any, _any, st.sampled_from(RANKS))
def test_beating_is_a_strict_order(a: Reading, b: Reading, c: Reading, level: str) -> None:
    assert not a.beats(a, level)
    assert not (a.beats(b, level) and b.beats(a, level))
    if a.beats(b, level) and b.beats(c, level):
        assert a.beats(c, level)


@pytest.mark.rule("GDO-44", "GDO-46")
@given(
    st.sampled_from(sorted(_SIZES)), st.sampled_from(RANKS), st.sampled_from(RANKS), st.sampled_from(RANKS)
)
def test_within_a_type_one_of_two_different_ranks_beats_the_other(
    type_: str, one: str, two: str, level: str
) -> None:
    first, second = (Reading(type_, rank, _SIZES[type_]) for rank in (one, two))
    assert (first.beats(second, level) or second.beats(first, level)) is (one != two)
