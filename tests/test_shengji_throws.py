"""Throws: what stops them, what must be played, and what they cost."""

from __future__ import annotations

import pytest

from table.shengji.throws import fine, forced, stops
from tests.shengji_tools import EVENT, OFFICIAL, cards, lead, order, rules


def thrown(text, hands, profile=OFFICIAL[2], level="2", trump="S", thrower=0, **options):
    """The stops of a throw and what it is cut down to."""
    by, keys = order(level, trump, profile), rules(profile, **options).throw
    found = stops(lead(text, by), thrower, {seat: cards(hand) for seat, hand in hands.items()}, by, keys)
    return found, [str(unit) for unit in forced(lead(text, by), found, keys)], fine(found, keys)


@pytest.mark.rule("SJO-30")
def test_a_lone_pair_stops_no_tractor_and_equal_stops_no_single():
    """Dispute A1."""
    hands = {1: "H2 H3 H3 H5 H3", 2: "HA HA", 3: "S5"}
    found, must, _ = thrown("HA HKx2 HQx2", hands, OFFICIAL[3], "4", "C")
    assert not found
    assert must == []


@pytest.mark.rule("SJO-31", "SJE-23")
@pytest.mark.parametrize(
    ("hand", "must"), [("HK", ["HQ"]), ("H5x2", ["H4 H4"]), ("HK H5x2", ["HQ", "H4 H4"]), ("H3x2 HJ", [])]
)
def test_the_beaten_part_is_forced(hand, must):
    """Dispute A2."""
    assert sorted(thrown("HQ H4x2", {1: hand, 2: "D3", 3: "D4"})[1]) == sorted(must)


@pytest.mark.rule("SJO-31", "SJE-22", "SJE-23")
@pytest.mark.parametrize(
    ("choice", "first_single", "first_pair"),
    [
        ("next_player", ["HQ", "H4 H4"], ["H4 H4", "HQ"]),
        ("first_blocker", ["HQ"], ["H4 H4"]),
        ("smallest_beaten", ["H4 H4"], ["H4 H4"]),
        ("smallest_of_all", ["H4 H4"], ["H4 H4"]),
    ],
)
def test_who_decides_where_two_players_each_beat_a_part(choice, first_single, first_pair):
    """Dispute A3."""
    single_first = thrown("HQ H4x2", {1: "HK", 2: "H5x2", 3: "D4"}, throw__choice=choice)
    pair_first = thrown("HQ H4x2", {1: "H5x2", 2: "HK", 3: "D4"}, throw__choice=choice)
    assert sorted(single_first[1]) == sorted(first_single)
    assert sorted(pair_first[1]) == sorted(first_pair)


def test_the_smallest_part_of_all_is_forced_by_that_key_even_where_it_holds():
    assert thrown("HQ H4x2", {1: "HK", 2: "D3", 3: "D4"}, throw__choice="smallest_of_all")[1] == ["H4 H4"]


@pytest.mark.rule("SJO-30")
def test_the_partners_cards_stop_a_throw_too():
    """Dispute A4."""
    hands = {1: "D3", 2: "HK", 3: "D4"}
    assert thrown("HQ H4x2", hands)[1] == ["HQ"]
    assert thrown("HQ H4x2", hands, throw__partner_stops=False)[1] == []


@pytest.mark.rule("SJO-30")
def test_trumps_stop_no_throw_of_a_side_suit():
    """Dispute A5."""
    assert thrown("HQ H4x2", {1: "BJ BJ S5x2 H3", 2: "S10", 3: "LJ"})[1] == []


@pytest.mark.rule("SJO-30")
def test_a_triple_holds_the_pair_and_a_longer_tractor_the_shorter_that_stop_a_throw():
    assert thrown("HQ H4x2", {1: "H5x3", 2: "D3", 3: "D4"}, OFFICIAL[3])[1] == ["H4 H4"]
    tractor = thrown("HA H3x2 H4x2", {1: "H5x2 H6x2 H7x2", 2: "D3", 3: "D4"})
    assert tractor[1] == ["H3 H3 H4 H4"]
    assert thrown("HA H3x2 H4x2 H5x2", {1: "H6x2 H7x2", 2: "D3", 3: "D4"})[1] == []


@pytest.mark.rule("SJE-22")
@pytest.mark.parametrize(
    ("hand", "cost"), [("HK", 10), ("H5x2", 20), ("HK H5x2", 30), ("D3", 0), ("H9x2 H7x3", 20)]
)
def test_the_event_fines_the_parts_that_do_not_stand(hand, cost):
    assert thrown("HQ H4x2", {1: hand, 2: "D3", 3: "D4"}, EVENT)[2] == cost


@pytest.mark.rule("SJE-22")
def test_a_beaten_triple_costs_thirty():
    assert thrown("HA H4x3", {1: "H5x3", 2: "D3", 3: "D4"}, EVENT)[2] == 30


def test_a_fine_for_each_attempt_by_key():
    assert thrown("HQ H4x2", {1: "HK"}, throw__fine_per_attempt=10)[2] == 10


@pytest.mark.rule("SJE-24", "SJE-21")
@pytest.mark.parametrize("text", ["HAx2 HK", "HA HKx2", "HA HQx2 HJx2", "H9 H8x2 H4x2"])
def test_the_events_throws_stand_where_nobody_beats_a_part(text):
    assert thrown(text, {1: "H3 H3", 2: "D3", 3: "S4 S4"}, EVENT, "3", "S")[1] == []


@pytest.mark.rule("SJE-23")
@pytest.mark.parametrize(("hand", "must"), [("HJ", ["H9"]), ("HQx2", ["H4 H4", "H9"]), ("H5x2", ["H4 H4"])])
def test_98844_is_cut_down_to_what_is_beaten(hand, must):
    """QQ beats 88, 44 and the 9: of the two pairs the smaller is forced, the 9 is the other choice."""
    found = thrown("H9 H8x2 H4x2", {1: hand}, EVENT, "3", "S")[1]
    assert sorted(found) == sorted(must)


@pytest.mark.rule("SJO-31")
def test_of_several_beaten_singles_the_smallest_is_forced():
    assert thrown("HQ H9 H7", {1: "HK", 2: "D3", 3: "D4"})[1] == ["H7"]
