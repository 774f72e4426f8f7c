"""Declaring, overturning and reinforcing trump."""

from __future__ import annotations

import pytest

from table.shengji.bidding import Bidding, applied, first_banker, show, taken_back, turned_suit
from tests.shengji_tools import EVENT, OFFICIAL, cards, rules


def bid(shows, profile=OFFICIAL[2], level="5", banker=None, **options):
    """What each showing was: its name, or its problem."""
    keys = rules(profile, **options)
    bidding, found = Bidding(level, banker), []
    for seat, text in shows:
        shown = show(bidding, seat, cards(text), keys)
        found.append(shown.problem or shown.what)
        bidding = applied(bidding, shown)
    return found, bidding


NO_TRUMP = {"declare__no_trump": True, "declare__jokers": "two_or_more"}


@pytest.mark.rule("SJO-12", "SJO-14", "SJO-17", "SJE-05")
def test_the_last_declaration_that_counts_fixes_the_trump_suit():
    found, bidding = bid([(0, "D5"), (1, "C5x2")])
    assert found == ["declare", "overturn"]
    assert bidding.standing.trump == "C"
    assert bid([(0, "D6")])[0] == ["not_level"]
    assert bid([(0, "D5 C5")])[0] == ["mixed"]


@pytest.mark.rule("SJO-13")
def test_the_ladder_of_declarations():
    ladder = ["D5", "C5x2", "LJx2", "BJx2", "H5x3", "LJx3", "BJx3"]
    for i, low in enumerate(ladder):
        for j, high in enumerate(ladder):
            found, _ = bid([(0, low), (1, high)], OFFICIAL[3], **NO_TRUMP)
            if i == j and "J" in low:
                continue
            assert found[1] == ("overturn" if j > i else "weaker"), (low, high)


@pytest.mark.rule("SJE-09", "SJE-10")
def test_more_cards_overturn_and_equal_counts_do_not():
    assert bid([(0, "D5"), (1, "C5")], EVENT)[0] == ["declare", "weaker"]
    assert bid([(0, "D5x2"), (1, "C5x3"), (2, "H5x3")], EVENT)[0] == ["declare", "overturn", "weaker"]
    assert bid([(0, "H2"), (3, "S2x2"), (0, "H2")], EVENT, "2")[0] == ["declare", "overturn", "overturned"]


@pytest.mark.rule("SJE-11", "SJO-15")
def test_nobody_overturns_himself_but_may_reinforce():
    """Dispute A22."""
    assert bid([(0, "D5"), (0, "C5x2")])[0] == ["declare", "own"]
    found, bidding = bid([(0, "D5"), (0, "D5")])
    assert found == ["declare", "reinforce"]
    assert bidding.standing.count == 2
    assert bid([(0, "D5"), (1, "C5x2"), (0, "D5")])[0][2] == "overturned"
    assert bid([(0, "D5"), (0, "C5x2")], declare__overturn_own=True)[0][1] == "overturn"
    assert bid([(0, "D5"), (0, "D5")], declare__reinforce="never")[0][1] == "reinforce"


def test_reinforcing_may_be_laid_as_the_added_card_or_as_all_cards():
    assert bid([(0, "D5"), (0, "D5x2")])[1].standing.count == 2
    assert bid([(0, "D5x2"), (0, "D5")], OFFICIAL[3])[1].standing.count == 3
    assert bid([(0, "D5x2"), (0, "D5")])[0][1] == "too_many"


@pytest.mark.rule("SJO-16")
def test_a_reinforced_pair_of_two_packs_falls_to_jokers_only():
    start = [(0, "D5"), (0, "D5")]
    assert bid([*start, (1, "C5x2")], **NO_TRUMP)[0][2] == "weaker"
    assert bid([*start, (1, "LJx2")], **NO_TRUMP)[0][2] == "overturn"
    assert bid([*start, (1, "LJx2"), (2, "BJx2")], **NO_TRUMP)[1].standing.trump is None


@pytest.mark.rule("SJO-17", "SJO-07", "SJE-05")
def test_jokers_declare_only_where_the_profile_has_it_and_never_one_alone():
    assert bid([(0, "LJx2")])[0] == ["joker"]
    assert bid([(0, "BJx3")], EVENT)[0] == ["joker"]
    assert bid([(0, "LJ")], **NO_TRUMP)[0] == ["joker"]
    assert bid([(0, "LJx2")], **NO_TRUMP)[0] == ["declare"]


@pytest.mark.parametrize(
    ("policy", "shown", "good"),
    [
        ("two_or_more", "LJx2", True), ("all_packs", "LJx2", False), ("all_packs", "LJx3", True),
        ("small_all_big_one_less", "BJx2", True), ("small_all_big_one_less", "LJx2", False),
        ("none", "LJx3", False),
    ],
)  # fmt: skip
def test_how_many_jokers_declare_by_key(policy, shown, good):
    found, _ = bid([(0, shown)], OFFICIAL[3], declare__no_trump=True, declare__jokers=policy)
    assert (found == ["declare"]) is good


def test_strength_by_key_suits_break_ties_or_jokers_count_like_level_cards():
    assert bid([(0, "D5x2"), (1, "S5x2")], declare__stronger="count_jokers_suits")[0][1] == "overturn"
    assert bid([(0, "D5"), (1, "S5")], declare__stronger="count_jokers_suits")[0][1] == "weaker"
    assert bid([(0, "D5x2"), (1, "LJx2")], **NO_TRUMP, declare__stronger="count")[0][1] == "weaker"


def test_reinforcing_a_tied_declaration_by_key():
    shows = [(0, "D5x2"), (1, "S5x2"), (0, "D5")]
    options = {"declare__stronger": "count_jokers_suits"}
    assert bid(shows, OFFICIAL[3], **options)[0][2] == "overturned"
    equal = [(0, "D5"), (1, "C5x2"), (0, "D5")]
    assert bid(equal, OFFICIAL[3], declare__reinforce="while_equivalent")[0][2] == "overturned"


@pytest.mark.rule("SJE-12")
def test_after_the_kitty_is_taken_nobody_overturns_but_by_key():
    keys = rules(EVENT)
    bidding = applied(Bidding("5"), show(Bidding("5"), 0, cards("D5"), keys))
    assert show(bidding, 1, cards("C5x2"), keys, after_kitty=True).problem == "after_kitty"
    free = rules(EVENT, declare__after_kitty=True)
    assert show(bidding, 1, cards("C5x2"), free, after_kitty=True).problem == ""


@pytest.mark.rule("SJO-20")
def test_partner_of_the_banker_speaks_first_and_then_in_turn():
    options = {"banker": 0, "declare__order": "partner_first"}
    assert bid([(2, "D5"), (3, "C5x2")], **options)[0] == ["declare", "overturn"]
    assert bid([(3, "D5"), (2, "C5x2")], **options)[0] == ["declare", "order"]


@pytest.mark.rule("SJO-20")
def test_where_trump_is_fixed_in_advance_showing_does_not_count():
    assert bid([(0, "D5")], declare__by="fixed")[0] == ["fixed"]


@pytest.mark.rule("SJO-19", "SJE-14")
@pytest.mark.parametrize(
    ("procedure", "turned", "suit"),
    [
        ("first_kitty_card", "H9", "H"), ("first_kitty_card", "LJ", None), ("first_kitty_card", "LJ D3", "D"),
        ("random_kitty_card", "C2", "C"), ("level_or_highest", "H9", None),
        ("level_or_highest", "H9 D5", "D"), ("level_or_highest", "H9 D3 CA SA H7 LJ D4 D6", "C"),
    ],
)  # fmt: skip
def test_a_card_of_the_kitty_names_trump_where_nobody_declared(procedure, turned, suit):
    """Dispute A23."""
    assert turned_suit(cards(turned), "5", procedure, 8) == suit


@pytest.mark.rule("SJO-18", "SJE-13")
def test_the_first_deals_banker_is_who_declared_last_or_by_key_first():
    _, bidding = bid([(0, "D5"), (1, "C5x2")])
    assert first_banker(bidding, rules()) == 1
    assert first_banker(bidding, rules(declare__first_banker="first")) == 0
    assert first_banker(Bidding("5"), rules()) is None


def test_a_declaration_taken_back_leaves_the_one_before_it():
    _, bidding = bid([(0, "D5"), (1, "C5x2")])
    assert taken_back(bidding, 1).standing.seat == 0
    assert taken_back(bidding, 0) == bidding
