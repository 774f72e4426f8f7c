"""Tribute that was refused, missing or not seen: who held the big jokers, and what is proven of it when."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guandan_tools import DOUBLE, EVENT, OFFICIAL, SINGLE, Table


@pytest.mark.rule("GDO-35", "GDE-21")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-35"), (EVENT, "GDE-21")])
def test_both_big_jokers_refuse_and_the_first_player_leads(profile: str, rule: str) -> None:
    table = Table(profile, level="5", finish=SINGLE)
    table.add("tribute_refused", seats=[3], cards="BJ BJ")
    table.play(0, "S6")
    assert table.found() == []
    table = Table(profile, level="5", finish=SINGLE)
    table.add("tribute_refused", seats=[3], cards="BJ LJ")
    claim = table.only("refusal_not_entitled")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (3, "proven", rule)


@pytest.mark.rule("GDO-35")
def test_a_single_tribute_turns_on_the_payer_s_own_hand() -> None:
    # Dispute A30: the big joker of seat 1 (third) does not help seat 3.
    table = Table(level="5", finish=SINGLE)
    table.add("tribute_refused", seats=[1, 3], cards="BJ BJ")
    assert table.only("refusal_not_entitled").certainty == "proven"


@pytest.mark.rule("GDO-35", "GDE-24")
@pytest.mark.parametrize("profile", [OFFICIAL, EVENT])
def test_after_a_double_one_big_joker_each_is_enough(profile: str) -> None:
    table = Table(profile, level="5", finish=DOUBLE)
    table.add("tribute_refused", seats=[1, 3], cards="BJ BJ")
    table.play(0, "S6")
    assert table.found() == []


@pytest.mark.rule("GDE-24")
def test_a_double_refused_without_both_big_jokers_is_told() -> None:
    table = Table(EVENT, level="5", finish=DOUBLE)
    table.add("tribute_refused", seats=[1, 3], cards="BJ LJ")
    claim = table.only("refusal_not_entitled")
    assert table.rule_of(claim) == "GDE-24"


@pytest.mark.rule("GDO-35")
def test_a_refusal_without_showing_is_open_until_a_big_joker_turns_up_elsewhere() -> None:
    table = Table(level="5", finish=SINGLE)
    table.add("tribute_refused", seats=[3])
    assert table.found() == [("refusal_not_entitled", 3, "provisional")]
    table.play(0, "BJ")
    assert table.found() == [("refusal_not_entitled", 3, "proven")]


@pytest.mark.rule("GDO-35")
def test_a_refusal_is_cleared_when_the_payer_shows_both() -> None:
    table = Table(level="5", finish=SINGLE)
    table.add("tribute_refused", seats=[3])
    table.play(0, "S4 H4")
    table.passes(1, 2)
    table.play(3, "BJ BJ")
    assert table.found() == []
    assert {"finding": 1, "withdrawn": True, "event": table.seq} in table.lines


@pytest.mark.rule("GDO-26", "GDO-35")
def test_missing_tribute_is_open_until_the_big_jokers_show_where_they_were() -> None:
    table = Table(level="5", finish=SINGLE)
    table.play(3, "S4")
    assert table.found() == [("tribute_missing", 3, "provisional")]
    table.play(0, "BJ")
    assert table.found() == [("tribute_missing", 3, "proven")]


@pytest.mark.rule("GDO-35")
def test_who_holds_both_big_jokers_owes_nothing_unless_refusing_is_a_choice() -> None:
    for refusal, expected in (("automatic", []), ("optional", [("tribute_missing", 3, "proven")])):
        table = Table(level="5", finish=SINGLE, options={"tribute.refusal": refusal})
        table.play(3, "BJ BJ")
        assert table.found() == expected


def test_tribute_that_cameras_did_not_see_is_to_be_looked_at() -> None:
    seen: dict[str, Any] = {"source": "camera", "confidence": 0.99}
    table = Table(level="5", finish=SINGLE)
    table.play(3, "S4", **seen)
    table.play(0, "BJ", **seen)
    assert table.found() == [("tribute_missing", 3, "check")]
