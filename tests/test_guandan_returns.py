"""The card given back for tribute: which one, to whom, what proves that another was due."""

from __future__ import annotations

import pytest

from table.cards import Card, parse_cards
from table.guandan.tribute import returnable
from table.rulesets import load_profile
from tests.guandan_tools import DOUBLE, EVENT, OFFICIAL, SINGLE, Table, give_back, tribute


@pytest.mark.rule("GDO-28", "GDE-20")
@pytest.mark.parametrize(
    ("level", "card"), [("5", "SJ"), ("5", "SA"), ("5", "LJ"), ("5", "S5"), ("10", "S10")]
)
def test_a_return_above_ten_is_told_and_proven_by_a_low_card(level: str, card: str) -> None:
    # At level 10 a ten may not be returned.
    table = Table(level=level, finish=SINGLE)
    tribute(table, 3, 0, "BJ")
    give_back(table, 0, 3, card)
    assert table.found() == [("return_too_high", 0, "provisional")]
    table.play(3, "S3")
    table.play(0, "S9")
    claim = table.only("return_too_high")
    assert (claim.certainty, table.rule_of(claim)) == ("proven", "GDO-28")


@pytest.mark.rule("GDO-28")
@pytest.mark.parametrize(("level", "card"), [("5", "S10"), ("10", "S9"), ("5", "S2")])
def test_a_ten_or_lower_may_be_returned(level: str, card: str) -> None:
    table = Table(level=level, finish=SINGLE)
    tribute(table, 3, 0, "BJ")
    give_back(table, 0, 3, card)
    assert table.found() == []


@pytest.mark.rule("GDO-28")
def test_the_tribute_itself_counts_to_the_hand_that_returns() -> None:
    table = Table(level="K", finish=SINGLE)
    tribute(table, 3, 0, "S9")
    give_back(table, 0, 3, "SJ")
    table.play(3, "S3")
    table.play(0, "S9")
    assert table.found() == [("return_too_high", 0, "proven")]


@pytest.mark.rule("GDO-29", "GDE-25")
@pytest.mark.parametrize("profile", [OFFICIAL, EVENT])
def test_without_a_low_card_the_smallest_is_returned(profile: str) -> None:
    table = Table(profile, level="5", finish=SINGLE)
    tribute(table, 3, 0, "BJ")
    give_back(table, 0, 3, "SK")
    table.play(3, "S3")
    table.play(0, "SQ")
    claim = table.only("return_too_high")
    assert (claim.check, claim.certainty, table.rule_of(claim)) == ("return_not_smallest", "proven", "GDO-29")


@pytest.mark.rule("GDO-29")
def test_a_high_return_is_cleared_when_the_whole_hand_bears_it_out() -> None:
    table = Table(level="5", finish=SINGLE, draw=False)
    high = ["J", "Q", "K", "A"]
    hand = [f"{suit}{rank}" for rank in high for suit in "SHCD"] + [
        f"{suit}{rank}" for rank in high for suit in "SH"
    ]
    table.add("dealt", seat=0, cards=" ".join([*hand, "S5", "C5", "D5"]))
    tribute(table, 3, 0, "LJ")
    give_back(table, 0, 3, "SJ")
    assert table.found() == []
    give_back(table, 0, 3, "SQ")
    assert ("return_too_high", 0, "proven") in table.found()


@pytest.mark.rule("GDO-29")
def test_what_may_be_returned_of_a_whole_hand() -> None:
    profile = load_profile(OFFICIAL)
    assert returnable(parse_cards("SJ SQ SK"), "5", profile) == [Card.parse("SJ")]
    assert returnable(parse_cards("SJ S10 S5"), "5", profile) == [Card.parse("S10")]
    any_card = profile.with_options({"tribute.no_low_card": "any"})
    assert len(returnable(parse_cards("SJ SQ SK"), "5", any_card)) == 3


@pytest.mark.rule("GDO-31", "GDE-22")
def test_a_return_goes_to_the_payer_whose_card_one_took() -> None:
    table = Table(level="5", finish=DOUBLE)
    tribute(table, 1, 2, "SA")
    tribute(table, 3, 0, "LJ")
    give_back(table, 0, 1, "S3")
    assert table.only("tribute_wrong_receiver").check == "return_wrong_receiver"


@pytest.mark.rule("GDO-32")
def test_returns_of_a_double_are_turned_over_together() -> None:
    table = Table(level="5", finish=DOUBLE)
    tribute(table, 1, 2, "SA")
    tribute(table, 3, 0, "LJ")
    give_back(table, 0, 3, "S3")
    give_back(table, 2, 1, "S4", after=16.0)
    claim = table.only("return_not_together")
    assert (claim.certainty, table.rule_of(claim)) == ("likely", "GDO-32")


@pytest.mark.rule("GDO-28", "GDE-20")
def test_a_return_never_made_is_told_when_play_begins() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SA")
    table.play(3, "S4")
    assert table.only("return_missing").seat == 0
