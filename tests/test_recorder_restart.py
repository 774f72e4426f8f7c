"""What the recorder makes of a table that it sees for the first time or again: cards that lay there, acts it missed."""

from __future__ import annotations

import pytest

from tests.recorder_desk import Desk


@pytest.mark.parametrize("seat", [0, 1])
def test_after_a_restart_the_cards_of_the_trick_are_not_played_again(seat: int) -> None:
    desk = Desk()
    desk.lay(0, "S7 H7")
    desk.lay(1, "S9 H9")
    before = list(desk.record)
    desk.restart()
    desk.again(seat)
    assert desk.record == before


def test_after_a_restart_the_next_play_is_a_play_like_any_other() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.restart()
    desk.again(0)
    desk.again(1, after=0.1)
    desk.lay(2, "SJ")
    assert desk.said() == ["play 0 S7", "play 1 S9", "play 2 SJ"]
    assert (desk.record[-1].confidence, desk.record[-1].at) == (1.0, desk.now)


def test_cards_that_lay_there_when_the_table_was_first_seen_may_be_more_than_one_play() -> None:
    desk = Desk()
    desk.lay(0, "S7 H7")
    desk.restart()
    desk.lay(1, "SA DA LJ LJ", after=30.0)
    assert [certainty for _, _, certainty in desk.kinds()] == ["check"]


def test_what_has_lain_on_the_table_since_before_the_deal_is_no_play_of_it() -> None:
    desk = Desk()
    assert desk.lay(0, "S7", at=0.5) == []
    desk.lay(1, "S9")
    assert desk.said() == ["play 1 S9"]


def test_after_a_restart_cards_that_nothing_explains_are_in_doubt_and_the_gap_is_named() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.restart()
    desk.lay(3, "SJ")
    gap, play = desk.record[-2:]
    assert (gap.kind, play.name, play.at) == ("missing", "play", None)
    assert play.confidence is not None
    assert play.confidence < 0.9
    assert [certainty for _, _, certainty in desk.kinds()] == ["check"]


def test_after_a_restart_a_trick_that_was_over_is_cleared_without_a_word() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    for seat in (1, 2, 3):
        desk.plaque(seat)
    desk.restart()
    assert desk.again(0) == []
    desk.lift(0, "S7")
    desk.lay(0, "S5")
    desk.tick(desk.now + 10)
    assert desk.said()[-2:] == ["pass 3", "play 0 S5"]
    assert desk.kinds() == []


def test_after_a_restart_a_play_is_still_taken_back() -> None:
    desk = Desk("guandan-event")
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.restart()
    desk.again(1)
    desk.lift(1, "S9")
    desk.tick(desk.now + 3)
    assert desk.said()[-1] == "taken_back 1 S9"


def test_a_pass_told_before_a_restart_is_not_told_again_by_the_other_input() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.plaque(1)
    desk.restart()
    assert desk.put("pass", seat=1, source="seatbox", after=1.0) == []


def test_cards_of_the_deal_before_that_lie_there_after_a_restart_are_nothing() -> None:
    desk = Desk(draw=False, finish=[0, 1, 2, 3])
    desk.restart()
    desk.tick(desk.now)
    assert desk.lay(3, "SA", after=0.1) == []


def test_trump_shown_after_a_restart_in_the_draw_counts() -> None:
    desk = Desk("shengji-event", draw=False, banker=0)
    desk.restart()
    desk.tick(desk.now)
    desk.lay(1, "S2")
    assert desk.said() == ["trump_shown 1 S2"]


def test_of_a_trick_that_was_over_some_cards_may_be_covered_after_a_restart() -> None:
    desk = Desk()
    desk.lay(0, "S7 H7")
    for seat in (1, 2, 3):
        desk.plaque(seat)
    desk.restart()
    desk.tick(desk.now)
    desk.lying["seat 0"].pop()
    assert desk.again(0, after=0.1) == []


@pytest.mark.rule("GDO-50")
def test_a_play_that_is_gone_after_a_restart_was_perhaps_being_taken_back() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.lift(1, "S9")
    desk.restart()
    desk.again(0)
    desk.tick(desk.now + 2)
    assert desk.said() == ["play 0 S7", "play 1 S9"]
    desk.tick(desk.now + 5)
    assert desk.said() == ["play 0 S7", "play 1 S9", "taken_back 1 S9"]
    desk.lay(1, "SJ", after=8.0)
    assert {certainty for _, _, certainty in desk.kinds()} <= {"check"}


def test_a_play_that_lies_there_after_a_restart_was_not_taken_back() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.restart()
    desk.again(1)
    desk.tick(desk.now + 10)
    assert desk.said() == ["play 0 S7", "play 1 S9"]


def test_nothing_is_known_of_a_play_while_no_camera_shows_anything_after_a_restart() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.restart()
    desk.tick(desk.now + 1)
    desk.tick(desk.now + 60)
    assert desk.said() == ["play 0 S7"]


def test_a_trick_that_is_gone_after_a_restart_was_cleared_away() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.restart()
    desk.blind(2)
    desk.lay(3, "", unread=1)
    desk.tick(desk.now + 10)
    assert desk.said() == ["play 0 S7", "play 1 S9"]
