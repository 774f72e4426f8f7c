"""Count calls (报牌): a duty at ten, on request at seven, right or wrong, asked or repeated."""

from __future__ import annotations

from typing import Any

import pytest

from tests.guandan_tools import EVENT, Table


def near_the_end(profile: str = "guandan-official", left: int = 12, **options: object) -> Table:
    table = Table(profile, options=options or None)
    table.left(s0=left)
    return table


@pytest.mark.rule("GDO-55")
def test_with_ten_or_fewer_the_count_is_called_before_the_next_acts() -> None:
    table = near_the_end()
    table.play(0, "S3 H3")
    duty = table.seq
    table.add("count_called", seat=0, count=10)
    table.passes(1)
    assert table.found() == []
    table = near_the_end()
    table.play(0, "S3 H3")
    said = table.passes(1)
    claim = table.only("count_not_called")
    assert (claim.seat, claim.event, claim.certainty, table.rule_of(claim)) == (0, duty, "proven", "GDO-55")
    assert said[0]["known_at"] == table.seq


@pytest.mark.rule("GDO-55")
def test_eleven_cards_left_need_no_call() -> None:
    table = near_the_end(left=13)
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []


@pytest.mark.rule("GDO-55")
def test_going_out_needs_no_call() -> None:
    table = near_the_end(left=2)
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []


@pytest.mark.rule("GDO-55")
def test_the_duty_comes_with_every_play_or_only_the_first_by_key() -> None:
    for repeat, expected in (("every_play", [("count_not_called", 0, "proven")]), ("once", [])):
        table = near_the_end(**{"report.repeat": repeat})
        table.play(0, "S3 H3")
        table.add("count_called", seat=0, count=10)
        table.passes(1, 2, 3)
        table.play(0, "S4 H4")
        table.passes(1)
        assert table.found() == expected


@pytest.mark.rule("GDO-55", "GDE-30")
@pytest.mark.parametrize("profile", ["guandan-official", EVENT])
def test_a_wrong_count_is_told(profile: str) -> None:
    table = near_the_end(profile, left=8)
    table.play(0, "S3 H3")
    table.add("count_called", seat=0, count=5)
    claim = table.only("count_wrong")
    assert (claim.seat, claim.certainty) == (0, "proven")


@pytest.mark.rule("GDO-55")
def test_a_count_after_a_play_in_doubt_is_to_be_checked() -> None:
    table = near_the_end(left=8)
    table.play(0, "S3 H3", alternatives=[["S3 H3 C3", 0.3]])
    table.add("count_called", seat=0, count=5)
    assert ("count_wrong", 0, "check") in table.found()


@pytest.mark.rule("GDO-55")
def test_asking_and_repeating_are_forbidden_where_calling_is_a_duty() -> None:
    table = near_the_end()
    table.play(0, "S3 H3")
    table.add("count_called", seat=0, count=10)
    table.add("count_called", seat=0, count=10)
    assert table.only("count_repeated").seat == 0
    table = near_the_end()
    table.add("count_asked", seat=2, of=0)
    assert table.only("count_asked_wrongly").seat == 2


@pytest.mark.rule("GDE-30")
def test_on_request_a_count_is_owed_only_when_asked_with_seven_or_fewer() -> None:
    table = near_the_end(EVENT, left=9)
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []
    table.add("count_asked", seat=1, of=0)
    table.add("count_called", seat=0, count=7)
    table.passes(2)
    assert table.found() == []
    table.add("count_asked", seat=3, of=0)
    asked = table.seq
    table.passes(3)
    claim = table.only("count_not_called")
    assert (claim.seat, claim.event, table.rule_of(claim)) == (0, asked, "GDE-30")


@pytest.mark.rule("GDE-30")
def test_asked_with_eight_cards_nothing_is_owed() -> None:
    table = near_the_end(EVENT, left=10)
    table.play(0, "S3 H3")
    table.add("count_asked", seat=1, of=0)
    table.passes(1)
    assert table.found() == []


@pytest.mark.rule("GDO-55")
def test_counts_may_be_waived_for_a_match() -> None:
    table = near_the_end(**{"report.mode": "none"})
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []


# In a record that cameras made, a count is evidence about the cameras as well.

SEEN: dict[str, Any] = {"source": "camera", "confidence": 0.99}


def watched(left: int = 12) -> Table:
    """Seat 0 leads what cameras read, with so many cards left before."""
    table = near_the_end(left=left)
    table.play(0, "S3 H3", **SEEN)
    return table


def words(table: Table) -> str:
    """The first finding about a wrong count, in English."""
    number = min(n for n, claim in table.referee.findings().items() if claim.kind == "count_wrong")
    line = table.referee.finding_line(number)
    return str(line["text"]["en"]) if line else ""


def round_of_singles(table: Table, cards: str, call: int | None) -> None:
    """All pass on seat 0, who leads again and calls."""
    table.passes(1, 2, 3)
    table.play(0, cards, **SEEN)
    if call is not None:
        table.add("count_called", seat=0, count=call)


@pytest.mark.rule("GDO-55")
def test_a_count_that_a_missed_card_explains_accuses_nobody() -> None:
    table = watched()
    pair = table.seq
    table.add("count_called", seat=0, count=9)
    claim = table.only("count_wrong")
    assert (claim.certainty, claim.rests_on) == ("check", (pair,))
    assert "missed 1 card" in words(table)
    assert table.state.game.view(table.state.deal)["left_sure"] == [False, True, True, True]


@pytest.mark.rule("GDO-55")
def test_calls_that_agree_with_each_other_show_a_card_that_we_missed() -> None:
    table = watched()
    table.add("count_called", seat=0, count=9)
    for call, card in ((8, "S4"), (7, "S5"), (6, "S6")):
        round_of_singles(table, card, call)
    assert table.found() == [("count_wrong", 0, "check"), ("count_wrong", 0, "check")]
    assert "almost surely miscounted by 1" in words(table)
    assert table.state.deal.left[0] == 6


@pytest.mark.rule("GDO-55")
def test_who_is_out_by_his_own_calls_owes_no_more_of_them() -> None:
    table = watched(left=5)
    table.add("count_called", seat=0, count=2)
    round_of_singles(table, "S4", 1)
    round_of_singles(table, "S5", None)
    table.passes(1)
    assert table.state.deal.out == (0,)
    assert ("count_not_called", 0, "proven") not in table.found()


@pytest.mark.rule("GDO-55")
def test_one_call_that_is_off_and_then_one_that_is_right_was_probably_wrong() -> None:
    table = watched()
    table.add("count_called", seat=0, count=9)
    round_of_singles(table, "S4", 9)
    assert table.found() == [("count_wrong", 0, "likely")]
    assert table.state.deal.left[0] == 9


@pytest.mark.rule("GDO-55")
def test_a_wrong_count_is_proven_once_the_count_was_confirmed_and_no_play_since_can_hide_a_card() -> None:
    table = watched()
    table.add("count_called", seat=0, count=10)
    table.passes(1, 2)
    table.play(3, "S9 H9", **SEEN)
    table.play(0, "SK HK", **SEEN)
    table.add("count_called", seat=0, count=7)
    assert table.found() == [("count_wrong", 0, "proven")]


@pytest.mark.rule("GDO-55")
def test_a_lead_of_one_card_may_have_been_a_pair() -> None:
    table = watched()
    table.add("count_called", seat=0, count=10)
    round_of_singles(table, "SK", 8)
    assert table.found() == [("count_wrong", 0, "check")]


@pytest.mark.rule("GDO-55")
def test_a_count_by_the_referee_tells_who_was_right() -> None:
    for count, expected in ((9, [("card_count", 0, "check")]), (10, [("count_wrong", 0, "likely")])):
        table = watched()
        table.add("count_called", seat=0, count=9)
        table.add("hand_count", seat=0, count=count)
        assert table.found() == expected
        assert table.state.game.view(table.state.deal)["left_sure"][0]


@pytest.mark.rule("GDO-55")
@pytest.mark.parametrize(("left", "certainty"), [(12, "check"), (8, "proven"), (4, "check")])
def test_a_count_not_called_is_proven_where_two_cards_more_or_less_would_not_excuse_it(
    left: int, certainty: str
) -> None:
    table = watched(left=left)
    table.passes(1)
    assert table.found() == [("count_not_called", 0, certainty)]


@pytest.mark.rule("GDO-55")
def test_who_was_passed_over_beside_a_gap_may_have_played_too() -> None:
    table = near_the_end(left=27)
    table.left(s2=11, s3=11)
    table.play(1, "CQ", **SEEN)
    table.add("missing", seat=2, why="unnoticed", source="camera")
    table.passes(0, 1, 2)
    table.play(3, "D4", **SEEN)
    table.add("count_called", seat=3, count=9)
    assert {certainty for _, _, certainty in table.found()} == {"check"}
    assert table.state.deal.left[3] == 9


@pytest.mark.parametrize("doubt", [{}, {"alternatives": [["S3", 0.4]], "confidence": 0.5}])
def test_who_calls_a_count_or_passes_is_not_out_though_more_cards_of_his_were_seen_than_he_had(
    doubt: dict[str, Any],
) -> None:
    acts: list[dict[str, Any]] = [{"name": "count_called", "count": 3}, {"name": "pass"}]
    for act in acts:
        table = near_the_end(left=2)
        table.play(0, "S3 H3", **{**SEEN, **doubt})
        assert table.state.deal.out == (0,)
        table.passes(1, 2, 3)
        table.add(seat=0, **act)
        assert table.state.deal.out == ()


@pytest.mark.rule("GDO-64")
@pytest.mark.parametrize(("count", "certainty"), [(8, "check"), (9, "proven")])
def test_what_is_held_against_a_play_is_to_be_checked_where_the_count_shows_a_card_that_we_missed(
    count: int, certainty: str
) -> None:
    table = watched()
    table.add("count_called", seat=0, count=10)
    table.passes(1, 2)
    table.play(3, "S9 H9", **SEEN)
    table.play(0, "SK", **SEEN)
    assert table.found() == [("does_not_beat", 0, "proven")]
    table.add("count_called", seat=0, count=count)
    assert ("does_not_beat", 0, certainty) in table.found()


@pytest.mark.parametrize(("seen", "certainty"), [(SEEN, "check"), ({}, "proven")])
def test_a_card_that_cameras_saw_too_often_may_have_been_read_twice(
    seen: dict[str, Any], certainty: str
) -> None:
    table = near_the_end(left=27)
    for seat in (0, 1, 2):
        table.play(seat, "BJ", **seen)
    found = [claim.certainty for claim in table.claims("card_impossible")]
    assert found == [certainty]


@pytest.mark.rule("GDO-55")
@pytest.mark.parametrize("acts", [1, 2])
def test_a_call_that_is_told_late_was_perhaps_made_in_time(acts: int) -> None:
    table = near_the_end()
    table.play(0, "S3 H3")
    called = table.now + 0.5
    table.passes(*range(1, 1 + acts))
    assert table.found() == [("count_not_called", 0, "proven")]
    table.add("count_called", seat=0, count=10, at=called)
    assert table.found() == [("count_not_called", 0, "check")]


@pytest.mark.rule("GDO-55")
@pytest.mark.parametrize(
    ("pressed", "lost", "found"),
    [
        (True, False, []),
        (False, False, [("count_not_called", 0, "proven")]),
        (False, True, [("count_not_called", 0, "check")]),
    ],
    ids=["called in time", "not called", "nobody will ever know"],
)
def test_nobody_is_accused_before_his_box_has_been_heard(
    pressed: bool, lost: bool, found: list[tuple[str, int, str]]
) -> None:
    table = near_the_end()
    table.play(0, "S3 H3")
    called = table.now + 0.5
    table.add("box_unheard", box=0)
    table.passes(1)
    assert table.found() == [("count_not_called", 0, "check")]
    table.add("box_heard", box=0, until=called - 1.0, lost=False)
    assert table.found() == [("count_not_called", 0, "check")]
    if pressed:
        table.add("count_called", seat=0, count=10, at=called)
    table.add("box_heard", box=0, until=table.now, lost=lost)
    assert table.found() == found
    assert not table.state.unheard
