"""What may be no card, and cards that nobody could read: recorded, carried as doubt, and nobody is accused on them."""

from __future__ import annotations

import pytest

from table.cards import Card, parse_cards
from table.doubt import read_together
from table.sightings import TrackedCard
from tests.guandan_tools import Table
from tests.recorder_desk import Desk

EVENT = "guandan-event"


def seen(name: str, sure: float, nothing: float = 0.0, unread: bool = False) -> TrackedCard:
    chances = () if unread else ((Card.parse(name), sure),)
    return TrackedCard(1, chances, sure, nothing=nothing, unread=unread)


def test_a_card_that_may_be_none_leaves_the_play_without_it_as_another_reading() -> None:
    found = read_together([seen("DJ", 0.99), seen("HJ", 0.6, nothing=0.3)], lambda cards: True, 0.9)
    assert found.cards == parse_cards("DJ HJ")
    assert found.confidence == pytest.approx(0.594)
    assert [(names, round(chance, 3)) for names, chance in found.alternatives] == [(parse_cards("DJ"), 0.297)]


def test_all_cards_are_recorded_even_where_it_is_likelier_that_one_is_none() -> None:
    found = read_together([seen("DJ", 0.99), seen("HJ", 0.4, nothing=0.6)], lambda cards: True, 0.9)
    assert found.cards == parse_cards("DJ HJ")
    assert found.alternatives[0][1] > found.confidence


def test_a_card_alone_that_may_be_none_leaves_open_whether_anything_was_played() -> None:
    found = read_together([seen("HJ", 0.7, nothing=0.3)], lambda cards: True, 0.9)
    assert [chance for names, chance in found.alternatives if not names] == [0.3]


def test_beside_a_thing_that_nobody_could_read_no_list_of_readings_is_worth_much() -> None:
    found = read_together([seen("DJ", 0.99), seen("", 0.0, 0.1, unread=True)], lambda cards: True, 0.9)
    assert (found.cards, found.unread) == (parse_cards("DJ"), 1)
    assert found.confidence + sum(chance for _, chance in found.alternatives) < 0.2


@pytest.mark.rule("GDO-45")
def test_a_play_that_is_legal_without_a_card_that_may_be_none_is_only_to_be_checked() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "DJ HJ", nothing={"HJ": 0.3})
    assert desk.kinds() == [("does_not_beat", 1, "check")]


@pytest.mark.rule("GDO-45")
def test_who_plays_on_what_may_have_fewer_cards_is_only_to_be_checked() -> None:
    desk = Desk()
    desk.lay(0, "D9 H9", nothing={"H9": 0.3})
    desk.lay(1, "SJ")
    assert desk.kinds() == [("does_not_beat", 1, "check")]


@pytest.mark.rule("GDO-45")
def test_who_plays_a_smaller_card_on_what_may_be_no_card_at_all_is_only_to_be_checked() -> None:
    desk = Desk()
    desk.lay(0, "S9", nothing={"S9": 0.3})
    desk.lay(1, "S5")
    assert desk.kinds() == [("does_not_beat", 1, "check")]


@pytest.mark.rule("GDO-38")
def test_whose_turn_it_is_after_what_may_be_no_card_is_not_certain_until_somebody_leads_as_due() -> None:
    table = Table()
    table.play(0, "S7")
    table.play(1, "S9", alternatives=[["", 0.3]])
    table.passes(1)
    assert table.found() == [("out_of_turn", 1, "check")]
    table.passes(2, 3, 0)
    table.play(1, "D4")
    table.play(3, "D6")
    assert ("out_of_turn", 3, "proven") in table.found()


@pytest.mark.rule("GDO-54")
def test_time_that_runs_since_what_may_be_no_card_is_only_to_be_checked() -> None:
    desk = Desk(EVENT)
    desk.lay(0, "S7")
    desk.lay(1, "S9", nothing={"S9": 0.3})
    desk.lay(2, "SJ", after=300.0)
    assert [certainty for kind, _, certainty in desk.kinds() if kind == "timeout"] == ["check"]


@pytest.mark.rule("GDO-55")
def test_a_count_after_a_play_that_may_have_fewer_cards_is_only_to_be_checked_and_settles_it() -> None:
    desk = Desk()
    desk.lay(0, "D9 H9", nothing={"H9": 0.3})
    desk.put("count_called", seat=0, count=26)
    assert desk.kinds() == [("count_wrong", 0, "check")]
    for seat in (1, 2, 3):
        desk.plaque(seat)
    desk.lay(0, "S4")
    desk.put("count_called", seat=0, count=25)
    assert desk.kinds() == [("count_wrong", 0, "check")]


def test_a_card_that_nobody_could_read_is_a_play_to_be_looked_at() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "", unread=1)
    assert desk.said() == ["play 0 S9", "play 1  ?"]
    assert desk.kinds() == [("not_a_combination", 1, "check")]


def test_the_next_player_may_beat_anything_on_a_card_that_nobody_could_read() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "", unread=1)
    desk.lay(2, "S5")
    desk.lay(3, "S6")
    assert {certainty for *_, certainty in desk.kinds()} == {"check"}


def test_a_card_that_is_read_at_last_takes_its_place_and_ends_the_doubt() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "", unread=1)
    desk.read_at_last(1, "LJ")
    assert desk.said() == ["play 0 S9", "play 1 LJ"]
    assert desk.kinds() == []


def test_a_card_read_at_last_lies_among_the_others_where_it_lies_on_the_table() -> None:
    desk = Desk(level="2")
    desk.lay(0, "S3 S4", unread=1, hand=True)
    desk.lay(0, "S6 S7", after=0.5)
    desk.read_at_last(0, "S5")
    assert desk.said() == ["play 0 S3 S4 S5 S6 S7"]
    assert desk.kinds() == []


def test_something_unread_where_nobody_is_to_play_is_no_play() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    assert desk.lay(3, "", unread=1) == []
    assert desk.kinds() == []


def test_a_seat_beside_whose_cards_lies_something_unread_is_not_said_to_have_passed() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(0, "", unread=1, after=8.0)
    desk.lay(1, "", unread=1)
    desk.lay(2, "SJ")
    assert "pass 1" not in desk.said()
    assert "proven" not in {certainty for *_, certainty in desk.kinds()}


def test_a_thing_beside_a_play_that_goes_alone_was_no_card_of_it() -> None:
    desk = Desk()
    desk.lay(0, "S9", unread=1)
    desk.lift_unread(0)
    desk.tick(desk.now + 3)
    assert desk.said() == ["play 0 S9"]
    assert desk.kinds() == []


def test_a_card_laid_after_as_the_thing_beside_it_goes_still_joins_the_play() -> None:
    desk = Desk()
    desk.lay(0, "S9", unread=1)
    desk.lift_unread(0, after=0.5)
    desk.lay(0, "H9", after=0.5)
    desk.tick(desk.now + 3)
    assert desk.said() == ["play 0 S9 H9"]
    assert desk.kinds() == []


def test_what_goes_first_as_a_trick_is_cleared_away_was_a_card_all_the_same() -> None:
    desk = Desk()
    desk.lay(0, "S9", unread=1)
    desk.plaque(1)
    desk.lift_unread(0)
    desk.lift(0, "S9", after=0.5)
    desk.tick(desk.now + 5)
    desk.lay(2, "H4")
    desk.tick(desk.now + 5)
    assert desk.said()[0] == "play 0 S9 ?"


def test_a_card_laid_in_the_draw_that_nobody_could_read_is_nothing_yet() -> None:
    desk = Desk("shengji-event", draw=False, banker=0)
    assert desk.lay(1, "", unread=1) == []


@pytest.mark.rule("GDE-29")
def test_taking_back_what_was_badly_seen_is_only_to_be_checked() -> None:
    desk = Desk(EVENT)
    desk.lay(0, "S9", doubt={"S9": [("S9", 0.6), ("S6", 0.4)]})
    desk.lift(0, "S9")
    desk.tick(desk.now + 3)
    assert [certainty for kind, _, certainty in desk.kinds() if kind == "taken_back"] in (["check"], [])


def test_after_a_restart_an_unread_card_is_not_played_again() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "", unread=1)
    before = len(desk.record)
    desk.restart()
    zone = "seat 1"
    desk.lying[zone] = [desk._unread()]
    desk.again(0)
    desk.lay(1, "", unread=1)
    assert len(desk.record) == before


@pytest.mark.rule("GDO-54")
@pytest.mark.parametrize(("late", "certainty"), [(0.2, "check"), (2.0, "proven")])
def test_who_is_late_by_less_than_a_camera_can_tell_is_only_to_be_checked(
    late: float, certainty: str
) -> None:
    desk = Desk()
    limit = desk.recorder.profile.number("clock.play")
    desk.lay(0, "S7")
    desk.lay(1, "S9", after=limit + late)
    assert desk.kinds() == [("timeout", 1, certainty)]


def _straight_with_a_mark_beside_it(desk: Desk) -> None:
    desk.lay(0, "S3 S4 H5 S6 S7", unread=1)
    for seat in (1, 2, 3):
        desk.plaque(seat, after=0.5)


def test_a_card_on_what_nobody_could_read_beside_a_play_that_is_gone_is_a_play_of_its_own() -> None:
    desk = Desk()
    _straight_with_a_mark_beside_it(desk)
    desk.lift(0, "S3 S4 H5 S6 S7")
    desk.tick(desk.now + 3)
    desk.read_at_last(0, "HK", after=100.0)
    desk.tick(desk.now + 1)
    assert [item for item in desk.said() if item.startswith("play")] == [
        "play 0 S3 S4 H5 S6 S7 ?",
        "play 0 HK",
    ]
    assert "proven" not in {certainty for *_, certainty in desk.kinds()}


def test_a_card_read_beside_a_play_when_it_is_his_turn_again_proves_nothing_against_it() -> None:
    desk = Desk()
    _straight_with_a_mark_beside_it(desk)
    desk.read_at_last(0, "HK", after=10.0)
    desk.tick(desk.now + 1)
    assert {kind: certainty for kind, _, certainty in desk.kinds()}.get("not_a_combination") == "check"


def test_a_card_read_at_last_while_the_others_are_still_to_answer_is_held_against_the_play() -> None:
    desk = Desk()
    desk.lay(0, "S3 S4 H5 S6 S7", unread=1)
    desk.plaque(1, after=0.5)
    desk.read_at_last(0, "HK")
    assert ("not_a_combination", 0, "proven") in desk.kinds()
