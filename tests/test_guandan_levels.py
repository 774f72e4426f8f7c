"""Levels, the ace, games, match formats and ties."""

from __future__ import annotations

from typing import Any

import pytest

from table.guandan.levels import rise_for
from table.rulesets import load_profile
from tests.guandan_tools import EVENT, OFFICIAL, Table

UP_3, UP_2, UP_1 = [0, 2, 1, 3], [0, 1, 2, 3], [0, 1, 3, 2]
OTHERS_WIN = [1, 0, 3, 2]


def after(
    finishes: list[list[int]], levels: tuple[str, str] = ("2", "2"), profile: str = OFFICIAL, **options: Any
) -> Table:
    """A match in which deals finished so; the last deal is followed by the start of another."""
    table = Table(profile, levels=levels, options=options or None, start=False)
    for place, finish in enumerate([None, *finishes]):
        table.add("deal_started", deal=place + 1, finish=finish)
    return table


def played(
    finishes: list[list[int]], levels: tuple[str, str] = ("2", "2"), first: str = "2", **more: Any
) -> Table:
    """As `after`, from a deal at level `first`, which its declaring side 0 plays."""
    table = Table(more.pop("profile", OFFICIAL), levels=levels, options=more or None, start=False)
    table.add("deal_started", deal=1, level=first, finish=UP_2)
    for place, finish in enumerate(finishes, 2):
        table.add("deal_started", deal=place, finish=finish)
    return table


@pytest.mark.rule("GDO-01", "GDO-56", "GDE-26")
@pytest.mark.parametrize("profile", [OFFICIAL, EVENT])
@pytest.mark.parametrize(("finish", "rise"), [(UP_3, 3), (UP_2, 2), (UP_1, 1)])
def test_only_the_first_player_s_side_rises_by_the_place_of_the_partner(
    profile: str, finish: list[int], rise: int
) -> None:
    assert rise_for(tuple(finish), load_profile(profile)) == rise
    table = after([finish], profile=profile)
    assert table.match()["levels"] == [str(2 + rise), "2"]


@pytest.mark.rule("GDO-02", "GDO-58")
def test_levels_go_from_two_to_ace_and_stop_there() -> None:
    # Dispute A44: K and three more is A, and the match is not won.
    table = played([UP_3], ("K", "5"), "K")
    assert table.match()["levels"] == ["A", "5"]
    assert table.match()["winner"] is None


@pytest.mark.rule("GDO-03", "GDE-13")
def test_the_next_level_is_that_of_the_side_which_won_the_deal_before() -> None:
    table = played([OTHERS_WIN], ("5", "9"), "5")
    assert table.state.deal.level == "J"
    table.add("deal_started", level="5", finish=UP_2)
    assert table.only("level_wrong").certainty == "check"


@pytest.mark.rule("GDO-03")
def test_the_first_deal_is_at_two() -> None:
    assert Table(level="2").found() == []
    table = Table(levels=("2", "2"), level="3")
    assert table.only("level_wrong").fields["expected"] == "2"


@pytest.mark.rule("GDO-57", "GDE-27")
@pytest.mark.parametrize(("finish", "winner"), [(UP_3, 0), (UP_2, 0), (UP_1, None), (OTHERS_WIN, None)])
def test_the_ace_is_passed_first_with_the_partner_not_last(finish: list[int], winner: int | None) -> None:
    # Dispute A43.
    table = played([finish], ("A", "5"), "A")
    assert table.match()["winner"] == winner
    assert table.match()["games"] == ([1, 0] if winner == 0 else [0, 0])


@pytest.mark.rule("GDO-57", "GDO-58", "GDE-28")
def test_the_ace_must_be_played() -> None:
    # Side 0 stands at A but wins a deal at the other side's level: A is still to be played.
    table = Table(levels=("A", "9"), start=False)
    table.add("deal_started", level="9", finish=OTHERS_WIN)
    table.add("deal_started", finish=UP_3)
    assert table.match()["winner"] is None
    assert table.state.deal.level == "A"


@pytest.mark.rule("GDE-28")
def test_the_third_failure_at_the_ace_leads_back_to_two_in_the_event() -> None:
    table = played([UP_1, UP_1, UP_1], ("A", "5"), "A", profile=EVENT)
    assert table.match()["levels"] == ["2", "5"]
    assert table.state.deal.level == "2"


@pytest.mark.rule("GDO-57")
def test_the_official_rules_never_lead_back() -> None:
    table = played([UP_1] * 5, ("A", "5"), "A")
    assert table.match()["levels"] == ["A", "5"]


@pytest.mark.rule("GDE-28")
@pytest.mark.parametrize(
    ("definition", "finishes", "levels"),
    [
        # Lost deals count as failures when every deal does, not when only first-and-last does.
        ("every_deal", [OTHERS_WIN, [0, 1, 2, 3], UP_1, UP_1], ["2", "7"]),
        ("partner_last", [OTHERS_WIN, [0, 1, 2, 3], UP_1, UP_1], ["A", "7"]),
        ("partner_last", [UP_1, UP_1, UP_1], ["2", "5"]),
        # A deal of the other side in between breaks a run of failures.
        ("consecutive", [UP_1, OTHERS_WIN, [0, 1, 2, 3], UP_1, UP_1], ["A", "7"]),
        ("consecutive", [UP_1, UP_1, UP_1], ["2", "5"]),
    ],
)
def test_what_counts_as_a_failure_at_the_ace_is_a_key(
    definition: str, finishes: list[list[int]], levels: list[str]
) -> None:
    options = {"levels.ace_attempt": definition}
    assert played(finishes, ("A", "5"), "A", profile=EVENT, **options).match()["levels"] == levels


@pytest.mark.parametrize(
    ("options", "levels", "level"),
    [
        ({"levels.ace_fail_to": "J"}, ["J", "5"], "J"),
        ({"levels.ace_fail_to": "K"}, ["K", "5"], "K"),
        ({"levels.ace_fail_to": "A"}, ["A", "5"], "A"),
        ({"levels.ace_fail": "none"}, ["A", "5"], "A"),
        ({"levels.ace_fail": "suspend"}, ["A", "5"], "5"),
        ({"levels.ace_attempts": 4}, ["A", "5"], "A"),
    ],
)
def test_what_failing_at_the_ace_leads_to_is_a_key(
    options: dict[str, Any], levels: list[str], level: str
) -> None:
    table = played([UP_1, UP_1, UP_1], ("A", "5"), "A", profile=EVENT, **options)
    assert table.match()["levels"] == levels
    assert table.state.deal.level == level


def test_failures_begin_anew_after_the_consequence_or_go_on() -> None:
    for counter, levels in (("fresh", ["A", "5"]), ("cumulative", ["J", "5"])):
        options = {"levels.ace_counter": counter, "levels.ace_fail_to": "J"}
        table = played([UP_1] * 3 + [UP_3] + [UP_1], ("A", "5"), "A", profile=EVENT, **options)
        assert table.match()["levels"] == levels


def test_first_and_last_at_the_ace_may_lead_down_at_once() -> None:
    options = {"levels.ace_finish_demotes": True}
    assert played([UP_1], ("A", "5"), "A", profile=EVENT, **options).match()["levels"] == ["2", "5"]


def test_one_track_of_levels_for_both_sides() -> None:
    assert after([UP_3], **{"levels.track": "shared"}).match()["levels"] == ["5", "5"]


def test_rising_beyond_the_ace_wins_where_the_profile_says_so() -> None:
    assert played([UP_3], ("K", "5"), "K", **{"levels.overshoot_wins": True}).match()["winner"] == 0


def test_the_ace_may_be_passed_with_the_partner_last_where_the_profile_says_so() -> None:
    options = {"levels.ace_partner_not_last": False}
    assert played([UP_1], ("A", "5"), "A", **options).match()["winner"] == 0


def test_only_the_declaring_side_passes_the_ace_where_the_profile_says_so() -> None:
    for only, winner in ((True, None), (False, 1)):
        table = played([[1, 3, 0, 2]], ("A", "A"), "A", **{"levels.ace_only_as_declarer": only})
        assert table.match()["winner"] == winner


def test_deals_of_the_other_side_count_as_failures_only_where_the_profile_says_so() -> None:
    for declarer, levels in ((True, ["2", "A"]), (False, ["2", "2"])):
        options = {"levels.ace_attempt_as_declarer": declarer}
        table = played([UP_1, UP_1, UP_1], ("A", "A"), "A", profile=EVENT, **options)
        assert table.match()["levels"] == levels


@pytest.mark.rule("GDO-05", "GDO-61")
def test_a_match_by_levels_ends_with_the_game() -> None:
    table = played([UP_2], ("A", "5"), "A")
    assert table.match()["decided_by"] == "levels"
    assert table.rule_of(table.only("match_over")) == "GDO-61"


@pytest.mark.rule("GDO-05", "GDE-39")
def test_a_match_by_time_goes_on_with_the_next_game() -> None:
    table = played([UP_2], ("A", "5"), "A", profile=EVENT)
    assert table.match()["games"] == [1, 0]
    assert table.match()["levels"] == ["A", "5"]
    table = played([UP_2], ("A", "5"), "A", profile=EVENT, **{"levels.next_game": "two"})
    assert table.match()["levels"] == ["2", "2"]


@pytest.mark.rule("GDO-61")
def test_a_match_by_deals_is_won_by_the_higher_level_after_them() -> None:
    table = after([UP_2, UP_1], **{"format.kind": "deals", "format.deals": 2})
    match = table.match()
    assert (match["winner"], match["decided_by"], match["deals"]) == (0, "deals", 2)
    assert table.only("match_over").kind == "match_over"


@pytest.mark.rule("GDO-61")
def test_a_match_of_several_games() -> None:
    table = played([UP_2], ("A", "5"), "A", **{"format.games": 2})
    assert (table.match()["winner"], table.match()["games"]) == (None, [1, 0])


@pytest.mark.rule("GDO-62")
def test_a_tie_is_broken_by_one_extra_deal_that_ends_with_its_first_player() -> None:
    # Dispute A45.
    options = {"format.kind": "deals", "format.deals": 2}
    table = after([UP_2, [1, 2, 3, 0]], **options)
    assert table.match()["levels"] == ["4", "4"]
    assert table.state.extra
    table.add("draw_ended")
    table.left(s3=1)
    table.play(3, "SA")
    match = table.match()
    assert (match["winner"], match["decided_by"], match["levels"]) == (1, "extra_deal", ["4", "4"])
    assert table.found() == []


@pytest.mark.rule("GDO-62")
def test_a_tie_may_be_left_to_lots_or_stand() -> None:
    for tie in ("draw_lots", "none"):
        table = after([UP_2, [1, 2, 3, 0]], **{"format.kind": "deals", "format.deals": 2, "format.tie": tie})
        assert (table.match()["winner"], table.match()["decided_by"]) == (None, tie)


@pytest.mark.rule("GDE-40")
def test_a_tie_in_the_event_goes_to_the_side_that_would_declare() -> None:
    table = Table(EVENT, start=False)
    for place, finish in enumerate([None, UP_2, [1, 2, 3, 0]]):
        table.add("deal_started", deal=place + 1, finish=finish)
    table.add("match_ended", why="time")
    match = table.match()
    assert (match["levels"], match["winner"], match["decided_by"]) == (["4", "4"], 1, "last_declarer")


@pytest.mark.rule("GDE-39")
def test_a_deal_drawn_when_time_runs_out_is_finished_and_counts() -> None:
    table = Table(EVENT, draw=False)
    table.add("draw_ended", after=3590)
    table.left(s0=1, s2=1)
    table.play(0, "S5", after=20)
    table.passes(1)
    table.play(2, "S9")
    match = table.match()
    assert (match["levels"], match["winner"], match["decided_by"]) == (["5", "2"], 0, "time")
    assert table.found() == []


@pytest.mark.rule("GDE-39")
def test_a_deal_not_drawn_when_time_runs_out_stops_at_once() -> None:
    table = Table(EVENT, draw=False)
    table.add("draw_ended", after=3700)
    table.left(s0=1, s2=1)
    table.play(0, "S5")
    assert table.only("match_over").check == "time_cut"
    table.passes(1)
    table.play(2, "S9")
    assert table.match()["levels"] == ["2", "2"]


@pytest.mark.rule("GDE-39")
def test_more_games_won_outweigh_levels() -> None:
    table = played(
        [UP_2, OTHERS_WIN, OTHERS_WIN], ("A", "K"), "A", profile=EVENT, **{"levels.next_game": "two"}
    )
    table.add("match_ended", why="time")
    assert table.match()["winner"] == 0


@pytest.mark.rule("GDE-33")
def test_fifteen_minutes_late_is_a_forfeit() -> None:
    for late, expected in ((900, 0), (901, 1)):
        table = Table(EVENT, start=False)
        table.add("deal_started", level="2", after=late)
        assert len(table.claims("forfeit")) == expected
    assert table.only("forfeit").certainty == "check"


@pytest.mark.rule("GDE-33")
def test_a_side_that_does_not_play_loses() -> None:
    table = Table(EVENT, start=False)
    table.add("match_ended", why="forfeit", seat=1)
    claim = table.only("forfeit")
    assert (claim.seat, table.rule_of(claim)) == (1, "GDE-33")
    assert (table.match()["winner"], table.match()["decided_by"]) == (0, "forfeit")


def test_a_voided_deal_leaves_the_levels_as_they_were() -> None:
    table = Table()
    table.left(s0=1, s2=1)
    table.play(0, "S5")
    table.passes(1)
    table.play(2, "S9")
    assert table.match()["levels"] == ["5", "2"]
    table.add("deal_voided", why="misdeal")
    assert table.match()["levels"] == ["2", "2"]
    assert table.lines[-1] == {"deal": 1, "result": {"voided": True}}
