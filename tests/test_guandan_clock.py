"""Time limits of Guandan: inclusive, from event times, stoppages left out."""

from __future__ import annotations

import pytest

from tests.guandan_tools import EVENT, OFFICIAL, Table


@pytest.mark.rule("GDO-54", "GDE-31")
@pytest.mark.parametrize(("profile", "limit", "rule"), [(OFFICIAL, 20, "GDO-54"), (EVENT, 30, "GDE-31")])
def test_at_the_limit_a_player_is_in_time_and_just_after_it_not(
    profile: str, limit: float, rule: str
) -> None:
    table = Table(profile)
    table.play(0, "S5", after=43.2)
    table.passes(1, after=limit)
    assert table.found() == []
    table.play(2, "S9", after=limit + 0.1)
    claim = table.only("timeout")
    assert (claim.seat, claim.event, claim.certainty, table.rule_of(claim)) == (2, table.seq, "proven", rule)


@pytest.mark.rule("GDO-54")
def test_the_leader_of_a_later_trick_has_twenty_seconds_from_the_last_pass() -> None:
    table = Table()
    table.play(0, "S5")
    table.passes(1, 2, 3)
    table.play(0, "S6", after=20.5)
    assert table.only("timeout").seat == 0


@pytest.mark.rule("GDO-36")
def test_tribute_is_paid_within_twenty_seconds_of_the_draw() -> None:
    for after, expected in ((20.0, []), (20.2, [("timeout", 3, "proven")])):
        table = Table(level="5", finish=[0, 1, 2, 3])
        table.add("tribute", seat=3, to=0, card="SA", after=after)
        assert table.found() == expected


@pytest.mark.rule("GDO-36", "GDE-31")
def test_the_event_has_no_time_for_tribute() -> None:
    table = Table(EVENT, level="5", finish=[0, 1, 2, 3])
    table.add("tribute", seat=3, to=0, card="SA", after=100)
    assert table.found() == []


@pytest.mark.rule("GDO-37", "GDE-31")
@pytest.mark.parametrize(("profile", "limit", "rule"), [(OFFICIAL, 40, "GDO-37"), (EVENT, 30, "GDE-31")])
def test_the_return_has_its_time_from_the_tribute(profile: str, limit: float, rule: str) -> None:
    for late in (0.0, 0.3):
        table = Table(profile, level="5", finish=[0, 1, 2, 3])
        table.add("tribute", seat=3, to=0, card="SA")
        table.add("tribute_return", seat=0, to=3, card="S4", after=limit + late)
        assert [table.rule_of(claim) for claim in table.claims()] == ([rule] if late else [])


@pytest.mark.rule("GDO-53", "GDE-31")
@pytest.mark.parametrize(("profile", "limit", "rule"), [(OFFICIAL, 40, "GDO-53"), (EVENT, 45, "GDE-31")])
def test_the_first_lead_has_its_time_from_the_return(profile: str, limit: float, rule: str) -> None:
    for late in (0.0, 0.3):
        table = Table(profile, level="5", finish=[0, 1, 2, 3])
        table.add("tribute", seat=3, to=0, card="SA")
        table.add("tribute_return", seat=0, to=3, card="S4")
        table.play(3, "S6", after=limit + late)
        assert [table.rule_of(claim) for claim in table.claims()] == ([rule] if late else [])


@pytest.mark.rule("GDE-31")
def test_without_a_return_the_event_still_times_the_first_lead() -> None:
    for profile, expected in ((EVENT, 1), (OFFICIAL, 0)):
        table = Table(profile, level="5", finish=[0, 1, 2, 3])
        table.add("tribute_refused", seats=[3], cards="BJ BJ")
        table.play(0, "S6", after=50)
        assert len(table.claims("timeout")) == expected


@pytest.mark.rule("GDO-54")
def test_a_stopped_clock_costs_nobody_time() -> None:
    table = Table()
    table.play(0, "S5")
    table.add("clock", state="stopped", why="dispute", after=15)
    table.add("clock", state="running", after=300)
    table.passes(1, after=5)
    assert table.found() == []
    table.add("clock", state="stopped", after=15)
    table.add("clock", state="running", after=300)
    table.passes(2, after=5.1)
    assert table.only("timeout").seat == 2


@pytest.mark.rule("GDO-54")
def test_an_overrun_is_told_with_the_first_event_after_it_and_once() -> None:
    table = Table()
    table.play(0, "S5")
    said = table.add("exposed", seat=3, cards="S9", after=21)
    assert [line["kind"] for line in said] == ["timeout", "exposed_card"]
    said = table.passes(1, after=10)
    assert said == []


@pytest.mark.rule("GDO-54")
def test_events_without_a_time_accuse_nobody() -> None:
    table = Table()
    table.play(0, "S5")
    table.events.append({"event": "pass", "seat": 1})
    from table.event_json import event_from_json

    assert table.referee.push(event_from_json({"event": "pass", "seat": 1})) == []
    table.now += 100
    assert table.passes(2, after=0) == []


@pytest.mark.rule("GDO-54")
def test_a_clock_that_ran_backwards_leaves_an_overrun_to_check() -> None:
    table = Table()
    table.play(0, "S5", after=100)
    table.passes(1, after=-50)
    table.passes(2, after=40)
    assert table.found() == [("timeout", 2, "check")]


@pytest.mark.rule("GDO-54")
def test_the_time_of_a_play_taken_back_begins_anew() -> None:
    table = Table()
    table.play(0, "S5")
    table.play(1, "S4", after=19)
    table.add("taken_back", seat=1, cards="S4", consent=True, after=2)
    table.play(1, "S9", after=18)
    assert table.claims("timeout") == []


@pytest.mark.rule("GDE-31")
def test_an_overrun_is_a_warning_and_five_of_a_side_give_a_level() -> None:
    table = Table(EVENT)
    table.play(0, "S5")
    seats = [1, 3]
    for number in range(5):
        seat = seats[number % 2]
        while table.state.deal.trick.turn not in (seat, None):
            turn = table.state.deal.trick.turn
            table.passes(turn) if not table.state.deal.trick.open else table.play(turn, "S6")
        table.passes(seat, after=31)
        assert len(table.claims("warning_limit")) == (1 if number == 4 else 0)
        while not table.state.deal.trick.open:
            table.passes(table.state.deal.trick.turn)
        table.play(0, "C6" if number < 2 else "D6")
    limit = table.claims("warning_limit")[0]
    assert table.rule_of(limit) == "GDE-31"
    assert limit.offender == 1
    table.rule(table.number("warning_limit"))
    assert table.match()["levels"] == ["3", "2"]


@pytest.mark.rule("GDO-54")
@pytest.mark.parametrize(("within", "certainty"), [(0.3, "proven"), (0.6, "check")])
def test_how_exactly_cameras_tell_the_time_is_a_key_of_the_profile(within: float, certainty: str) -> None:
    table = Table(options={"reading.time_within": within})
    table.play(0, "S3", source="camera", confidence=0.99)
    table.play(1, "S4", after=20.5, source="camera", confidence=0.99)
    assert table.found() == [("timeout", 1, certainty)]
