"""What offences cost: only when upheld, by the profile's table; warnings in their own counters."""

from __future__ import annotations

import pytest

from tests.guandan_tools import EVENT, OFFICIAL, Table


def out_of_turn(table: Table) -> int:
    table.play(0, "S5")
    table.play(2, "S9")
    return table.number("out_of_turn")


@pytest.mark.rule("GDE-34")
def test_a_play_out_of_turn_gives_the_other_side_a_level_when_upheld() -> None:
    table = Table(EVENT)
    number = out_of_turn(table)
    assert table.match()["levels"] == ["2", "2"]
    said = table.rule(number)
    assert said == [
        {"finding": number, "ruling": "upheld", "event": table.seq,
         "penalty": {"kind": "levels", "amount": 1, "side": 0, "to_side": 1}}
    ]  # fmt: skip
    assert table.match()["levels"] == ["2", "3"]


@pytest.mark.rule("GDO-63")
def test_the_official_profile_attaches_no_penalty() -> None:
    table = Table(OFFICIAL)
    number = out_of_turn(table)
    assert next(line for line in table.lines if line["finding"] == number)["penalty"] is None
    table.rule(number)
    assert table.match()["levels"] == ["2", "2"]
    assert set(table.state.profile.section("penalties").values()) <= {"none", False, "disqualified"}


@pytest.mark.rule("GDE-34")
def test_a_dismissed_finding_costs_nothing_and_a_changed_ruling_is_undone() -> None:
    table = Table(EVENT)
    number = out_of_turn(table)
    table.rule(number, "dismissed")
    assert table.match()["levels"] == ["2", "2"]
    table.rule(number, "upheld")
    assert table.match()["levels"] == ["2", "3"]
    table.rule(number, "dismissed")
    assert table.match()["levels"] == ["2", "2"]


@pytest.mark.parametrize(
    ("penalty", "levels"),
    [
        ({"kind": "levels", "amount": 2}, ["2", "4"]),
        (3, ["2", "5"]),
        ("none", ["2", "2"]),
        ("levels:2", ["2", "4"]),
    ],
)
def test_the_referee_may_give_another_penalty(penalty: object, levels: list[str]) -> None:
    table = Table(EVENT)
    table.rule(out_of_turn(table), penalty=penalty)
    assert table.match()["levels"] == levels


@pytest.mark.rule("GDE-34", "GDO-58")
def test_a_level_award_stops_at_the_ace() -> None:
    table = Table(EVENT, level="A", levels=("A", "A"))
    table.rule(out_of_turn(table))
    assert (table.match()["levels"], table.match()["winner"]) == (["A", "A"], None)


@pytest.mark.rule("GDE-34")
def test_a_profile_may_make_penalties_automatic() -> None:
    table = Table(EVENT, options={"penalties.automatic": True})
    out_of_turn(table)
    assert table.match()["levels"] == ["2", "3"]


@pytest.mark.rule("GDE-36")
def test_two_wrong_plays_of_a_side_in_a_game_give_a_level() -> None:
    table = Table(EVENT)
    table.play(0, "S9")
    table.play(1, "S8")
    assert table.claims("warning_limit") == []
    table.passes(2)
    table.play(3, "S7")
    limit = table.claims("warning_limit")[0]
    assert (limit.offender, limit.seat, table.rule_of(limit)) == (1, 3, "GDE-36")
    table.rule(table.number("warning_limit"))
    assert table.match()["levels"] == ["3", "2"]


@pytest.mark.rule("GDE-36")
def test_a_dismissed_warning_does_not_count() -> None:
    table = Table(EVENT)
    table.play(0, "S9")
    table.play(1, "S8")
    table.passes(2)
    table.play(3, "S7")
    table.rule(table.number("does_not_beat"), "dismissed")
    assert table.claims("warning_limit") == []


@pytest.mark.rule("GDE-36")
def test_only_upheld_warnings_count_where_the_profile_says_so() -> None:
    table = Table(EVENT, options={"warnings.count": "upheld"})
    table.play(0, "S9")
    table.play(1, "S8")
    table.passes(2)
    table.play(3, "S7")
    assert table.claims("warning_limit") == []
    for number in list(table.referee.findings()):
        table.rule(number)
    assert len(table.claims("warning_limit")) == 1


@pytest.mark.rule("GDE-31", "GDE-35", "GDE-36")
def test_warnings_of_different_kinds_do_not_add_up() -> None:
    table = Table(EVENT)
    table.play(0, "S9")
    table.add("moved", seat=3, what="a gesture to play out of turn")
    table.play(1, "S8", after=31)
    assert sorted(str(claim.cost(table.state.profile)) for claim in table.claims()) == [
        "warning:gesture", "warning:timeout", "warning:wrong_play"]  # fmt: skip
    assert table.claims("warning_limit") == []


@pytest.mark.rule("GDE-36")
def test_a_reading_in_doubt_is_no_warning() -> None:
    table = Table(EVENT)
    table.play(0, "S9")
    table.play(1, "S8", confidence=0.3)
    table.passes(2)
    table.play(3, "S7")
    assert table.claims("warning_limit") == []


@pytest.mark.rule("GDO-60")
def test_rulings_and_penalties_are_in_the_record_of_the_match() -> None:
    table = Table(EVENT)
    number = out_of_turn(table)
    table.rule(number, by="chief referee")
    line = table.referee.finding_line(number)
    decision = next(iter(table.state.decisions.values()))
    assert line is not None
    assert (decision.by, str(decision.penalty)) == ("chief referee", "levels:1")


def test_a_penalty_on_the_result_of_an_earlier_deal_changes_that_result() -> None:
    # Dispute A35 as other lists have it: the payer of a wrong tribute finishes last.
    options = {"penalties.tribute_not_highest": "finish_last"}
    table = Table(level="5", finish=[0, 1, 2, 3], levels=("5", "5"), options=options)
    table.add("tribute", seat=3, to=0, card="SK")
    table.add("tribute_return", seat=0, to=3, card="S4")
    table.left(s1=1, s3=1)
    table.play(3, "SA")
    table.passes(0)
    table.play(1, "LJ")
    assert table.match()["levels"] == ["5", "8"]
    table.add("deal_started", finish=[3, 1, 0, 2])
    table.rule(table.number("tribute_not_highest"))
    assert table.state.results[1]["finish"][-1] == 3
    assert table.match()["levels"] == ["5", "6"]


def test_a_play_out_of_turn_may_cost_the_turn_of_the_trick() -> None:
    # Dispute A39 as other lists have it: the cards go back and the player is out of this trick.
    table = Table("guandan-public")
    table.play(0, "S5")
    table.play(2, "S9")
    table.add("taken_back", seat=2, cards="S9", consent=True)
    table.rule(table.number("out_of_turn"))
    table.passes(1)
    assert table.state.deal.trick.turn == 3


def test_a_play_taken_back_may_cost_one_s_own_level() -> None:
    # Dispute A27, another house table.
    table = Table("guandan-house", level="5")
    table.play(0, "S5")
    table.add("taken_back", seat=0, cards="S5", consent=True)
    table.rule(table.number("taken_back"))
    assert table.match()["levels"] == ["4", "5"]


def test_an_offence_may_cost_the_deal() -> None:
    table = Table("guandan-house", level="5")
    table.play(0, "S5")
    table.passes(1, 2, 3)
    table.left(s0=1, s2=1)
    table.play(0, "S6")
    table.add("taken_back", seat=0, cards="S5", consent=False)
    number = table.number("recovered_card")
    table.left(s0=0)
    table.passes(1)
    table.play(2, "S9")
    table.rule(number)
    assert table.state.results[1]["side"] == 1


@pytest.mark.rule("GDE-34", "GDE-36")
def test_an_automatic_penalty_is_undone_or_changed_by_a_ruling() -> None:
    table = Table(EVENT, options={"penalties.automatic": True})
    number = out_of_turn(table)
    table.rule(number, "dismissed")
    assert table.match()["levels"] == ["2", "2"]
    table.rule(number, penalty={"kind": "levels", "amount": 2})
    assert table.match()["levels"] == ["2", "4"]
    table = Table(EVENT, options={"penalties.automatic": True})
    table.play(0, "S9")
    table.play(1, "S8")
    table.passes(2)
    table.play(3, "S7")
    assert table.match()["levels"] == ["3", "2"]
    table.rule(table.number("does_not_beat"), "dismissed")
    assert table.match()["levels"] == ["2", "2"]
