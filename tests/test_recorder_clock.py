"""A clock that runs out is told when it runs out, in doubt; who acts next shows whether anybody was late."""

from __future__ import annotations

import pytest

from table.event_json import event_from_json, event_to_json
from table.session import replay
from table.transcript import event_text
from tests.recorder_desk import Desk

pytestmark = pytest.mark.rule("GDO-54")


def waiting() -> Desk:
    """Seat 1 has had to act for 20 s and a little."""
    desk = Desk()
    desk.lay(0, "S7")
    desk.tick(desk.now + 20.5)
    return desk


def test_time_that_runs_out_is_told_before_anybody_acts() -> None:
    desk = waiting()
    assert desk.kinds() == []
    (told,) = desk.tick(desk.now + 21.1)
    assert event_text(told, "en") == "the time of seat 1 is up"
    assert desk.kinds() == [("timeout", 1, "check")]
    assert desk.tick(desk.now + 30.0) == []


def test_who_acts_after_that_was_late() -> None:
    desk = waiting()
    desk.tick(desk.now + 21.1)
    desk.lay(1, "S9", after=23.0)
    assert desk.kinds() == [("timeout", 1, "proven")]
    (claim,) = desk.referee.findings().values()
    assert claim.fields["elapsed"] == "23.0"


def test_cards_that_lay_there_in_time_and_were_told_late_take_it_back() -> None:
    desk = waiting()
    desk.tick(desk.now + 21.1)
    desk.lay(1, "S9", at=desk.now + 19.0)
    assert desk.kinds() == []
    assert desk.lines[-1]["withdrawn"]
    desk.lay(2, "SJ", at=desk.now + 39.6)
    assert desk.kinds() == [("timeout", 2, "proven")]


def test_a_pass_that_was_pressed_in_time_takes_it_back() -> None:
    desk = waiting()
    desk.tick(desk.now + 21.1)
    desk.put("pass", after=19.9, seat=1, source="seatbox")
    assert desk.kinds() == []


def test_of_a_seat_that_cannot_be_seen_nothing_is_told() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    assert desk.tick(desk.now + 25.0) == []


def test_a_clock_that_stands_does_not_run_out() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.put("clock", after=5.0, state="stopped")
    assert desk.tick(desk.now + 60.0) == []


def test_after_a_restart_it_is_not_told_again() -> None:
    desk = waiting()
    desk.tick(desk.now + 21.1)
    desk.restart()
    assert desk.tick(desk.now + 22.0) == []


def test_the_record_judged_again_says_the_same() -> None:
    desk = waiting()
    desk.tick(desk.now + 21.1)
    desk.lay(1, "S9", after=23.0)
    desk.lay(2, "S8")
    again, lines = replay([event_from_json(event_to_json(event)) for event in desk.record])
    assert lines[:-1] == desk.lines
    assert again.state == desk.state


def test_cards_that_lay_in_a_blind_zone_are_not_late_though_time_was_up_before() -> None:
    desk = waiting()
    desk.tick(desk.now + 21.1)
    desk.lay(1, "S9", after=30.0, dark=12.0)
    assert desk.kinds() == [("timeout", 1, "check")]
