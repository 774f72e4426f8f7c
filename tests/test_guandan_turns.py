"""Whose turn it is, who leads, who takes over, who has beaten whom."""

from __future__ import annotations

import pytest

from tests.guandan_tools import EVENT, OFFICIAL, Table


@pytest.mark.rule("GDO-38", "GDE-29", "GDE-34")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-38"), (EVENT, "GDE-34")])
def test_a_play_before_the_player_before_has_acted_is_out_of_turn_and_stands(profile: str, rule: str) -> None:
    table = Table(profile)
    table.play(0, "S5")
    table.play(2, "S9")
    claim = table.only("out_of_turn")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (2, "proven", rule)
    # The early play stands: the one skipped may still act on it, then play goes on after it.
    table.passes(1, 3)
    table.play(0, "S10")
    assert table.found() == [("out_of_turn", 2, "proven")]


@pytest.mark.rule("GDO-39", "GDE-29")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-39"), (EVENT, "GDE-29")])
def test_a_pass_out_of_turn_is_told_and_counts_as_his_pass(profile: str, rule: str) -> None:
    table = Table(profile)
    table.play(0, "S5")
    table.passes(2)
    claim = table.only("out_of_turn")
    assert (claim.seat, table.rule_of(claim)) == (2, rule)
    table.passes(1)
    assert table.state.deal.trick.turn == 3


@pytest.mark.rule("GDO-38")
def test_the_leader_may_not_pass() -> None:
    table = Table()
    table.passes(0)
    assert table.only("pass_on_lead").seat == 0


@pytest.mark.rule("GDO-38")
def test_any_combination_may_be_led() -> None:
    for cards in ("S3", "S3 H3", "S3 H3 C3 D3", "S3 H3 S4 H4 S5 H5", "S3 H4 C5 D6 S7"):
        table = Table()
        table.play(0, cards)
        assert table.found() == []


@pytest.mark.rule("GDO-40")
def test_the_last_to_have_played_leads_the_next_trick() -> None:
    table = Table()
    table.play(0, "S5")
    table.play(1, "S9")
    table.passes(2, 3, 0)
    table.play(2, "S3")
    claim = table.only("wrong_leader")
    assert (claim.seat, table.rule_of(claim)) == (2, "GDO-40")


@pytest.mark.rule("GDO-40")
def test_who_wins_the_trick_leads_without_a_finding() -> None:
    table = Table()
    table.play(0, "S5")
    table.play(1, "S9")
    table.passes(2, 3, 0)
    table.play(1, "S3")
    assert table.found() == []


@pytest.mark.rule("GDO-41", "GDE-14")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-41"), (EVENT, "GDE-14")])
def test_the_partner_leads_for_one_who_went_out_with_the_last_play(profile: str, rule: str) -> None:
    table = Table(profile)
    table.left(s0=2)
    table.play(0, "SA HA")
    table.passes(1, 2, 3)
    table.play(1, "S3")
    claim = table.only("wrong_leader")
    assert (claim.seat, table.rule_of(claim)) == (1, rule)


@pytest.mark.rule("GDO-41", "GDE-14")
def test_the_partner_takes_over_the_lead() -> None:
    table = Table()
    table.left(s0=2)
    table.play(0, "SA HA")
    table.passes(1, 2, 3)
    table.play(2, "S3")
    assert table.found() == []


@pytest.mark.rule("GDO-41")
def test_nobody_takes_over_from_one_whose_last_play_was_beaten() -> None:
    # Dispute A36: seat 0 goes out, seat 1 beats it and leads.
    table = Table()
    table.left(s0=2)
    table.play(0, "SK HK")
    table.play(1, "SA HA")
    table.passes(2, 3)
    table.play(1, "S3")
    assert table.found() == []


@pytest.mark.rule("GDO-41")
def test_the_key_relay_gives_the_lead_to_the_next_player_instead() -> None:
    table = Table(options={"relay": "next_player"})
    table.left(s0=2)
    table.play(0, "SA HA")
    table.passes(1, 2, 3)
    table.play(1, "S3")
    assert table.found() == []


@pytest.mark.rule("GDO-39")
def test_a_player_who_passed_may_play_when_the_turn_returns_and_beat_the_partner() -> None:
    # Dispute A38.
    table = Table()
    table.play(0, "S5")
    table.passes(1)
    table.play(2, "S9")
    table.play(3, "S10")
    table.passes(0)
    table.play(1, "SJ")
    table.passes(2)
    table.play(3, "SQ")
    assert table.found() == []


@pytest.mark.rule("GDO-44", "GDO-64", "GDE-12", "GDE-36")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-64"), (EVENT, "GDE-36")])
@pytest.mark.parametrize(
    ("prior", "cards"),
    [
        ("S9", "H9"),
        ("S9", "H8"),
        ("S9 H9", "S10"),
        ("S9 H9 C9", "SA HA CA S3 H3"),
        ("S9 H9", "S3 H3 C4 D4 S5 H5"),
    ],
)
def test_equal_lower_and_other_types_do_not_beat(profile: str, rule: str, prior: str, cards: str) -> None:
    table = Table(profile)
    table.play(0, prior)
    table.play(1, cards)
    claim = table.only("does_not_beat")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (1, "proven", rule)


@pytest.mark.rule("GDO-64")
def test_what_is_no_combination_is_told_on_a_lead_and_on_a_follow() -> None:
    table = Table()
    table.play(0, "S3 H4")
    assert table.only("not_a_combination").seat == 0
    table = Table()
    table.play(0, "S3 H3")
    table.play(1, "LJ BJ")
    assert table.only("not_a_combination").seat == 1


@pytest.mark.rule("GDO-40", "GDO-64")
def test_a_play_that_does_not_beat_does_not_win_the_trick() -> None:
    table = Table()
    table.play(0, "S9")
    table.play(1, "S8")
    table.passes(2, 3)
    table.play(0, "S3")
    assert [claim.kind for claim in table.claims()] == ["does_not_beat"]


@pytest.mark.rule("GDO-42", "GDE-13")
def test_places_follow_the_order_in_which_hands_run_out() -> None:
    table = Table()
    table.left(s0=1, s1=1, s2=1)
    table.play(0, "S5")
    table.play(1, "S9")
    table.play(2, "SJ")
    result = next(line["result"] for line in table.lines if "result" in line)
    assert result["finish"] == [0, 1, 2, 3]


@pytest.mark.rule("GDO-42")
def test_a_deal_is_decided_when_two_partners_are_out_first() -> None:
    table = Table()
    table.left(s0=1, s2=1)
    table.play(0, "S5")
    table.passes(1)
    table.play(2, "S9")
    result = next(line["result"] for line in table.lines if "result" in line)
    assert (result["finish"], result["rise"]) == ([0, 2], 3)


@pytest.mark.rule("GDO-42", "GDE-13")
def test_a_finish_stated_otherwise_than_played_is_told() -> None:
    table = Table()
    table.left(s0=1, s2=1)
    table.play(0, "S5")
    table.passes(1)
    table.play(2, "S9")
    table.deal("5", [0, 1, 2, 3])
    assert ("record_mismatch", None, "check") in table.found()


@pytest.mark.rule("GDO-42")
def test_a_result_that_follows_from_the_next_deal_s_start_is_taken_from_there() -> None:
    table = Table()
    table.left(s0=1)
    table.play(0, "S5")
    table.deal("4", [0, 1, 2, 3])
    assert table.state.results[1]["rise"] == 2
    assert table.found() == []


@pytest.mark.rule("GDO-42", "GDE-13")
def test_a_deal_that_does_not_end_is_reported_when_the_next_begins() -> None:
    table = Table()
    table.play(0, "S5")
    table.deal("2")
    assert table.only("record_incomplete").certainty == "check"


def test_passes_left_out_of_the_record_follow_from_the_next_play_where_the_profile_says_so() -> None:
    table = Table(options={"passes": "inferred"})
    table.play(0, "S5")
    table.play(3, "S9")
    table.play(3, "S3")
    table.play(1, "S4")
    assert table.found() == []


@pytest.mark.rule("GDO-38")
def test_a_line_that_could_not_be_read_leaves_the_turn_in_doubt() -> None:
    table = Table()
    table.play(0, "S5")
    table.add("unreadable")
    table.play(2, "S9")
    assert table.found() == [("out_of_turn", 2, "check")]
