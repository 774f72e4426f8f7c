"""What sightings of cards become in the record: plays in one go and in two, takings back, cleared tricks, tribute."""

from __future__ import annotations

import pytest

from table import sightings as sight
from table.cards import Card
from tests.recorder_desk import Desk


@pytest.mark.rule("GDO-48")
def test_cards_at_rest_are_a_play_of_the_seat_whose_zone_it_is() -> None:
    desk = Desk()
    desk.lay(0, "S7 H7")
    assert desk.said() == ["play 0 S7 H7"]
    assert desk.record[-1].at == desk.now
    assert desk.record[-1].source == "camera"


@pytest.mark.rule("GDO-38")
def test_a_play_out_of_turn_is_recorded_and_found() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(2, "S9")
    assert desk.said() == ["play 0 S7", "missing 1", "play 2 S9"]
    assert desk.kinds() == [("out_of_turn", 2, "check")]


@pytest.mark.rule("GDO-48")
def test_a_play_laid_in_two_goes_is_one_play_as_it_lies_and_leaves_no_finding() -> None:
    desk = Desk()
    desk.lay(0, "S7 H7 C8 D8")
    assert [kind for kind, _, _ in desk.kinds()] == ["not_a_combination"]
    desk.lay(0, "S6 H6", left=True, after=1.5)
    assert desk.said() == ["play 0 S6 H6 S7 H7 C8 D8"]
    assert desk.kinds() == []


@pytest.mark.rule("GDO-54")
def test_the_next_player_s_time_runs_from_when_all_cards_lay_there() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(0, "H7", after=3.0)
    desk.lay(1, "S9 H9", after=20.0)
    assert desk.kinds() == []


def test_a_card_that_comes_later_is_a_play_of_its_own() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(0, "H7", after=8.0)
    assert desk.said() == ["play 0 S7", "missing 1", "play 0 H7"]
    assert desk.kinds() == [("out_of_turn", 0, "check")]


def test_a_card_laid_after_somebody_else_acted_is_a_play_of_its_own() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9", after=1.0)
    desk.lay(0, "H7", after=1.0)
    assert desk.said() == ["play 0 S7", "play 1 S9", "missing 2", "play 0 H7"]


def test_a_card_from_under_a_hand_joins_its_play_though_the_next_player_was_quick() -> None:
    desk = Desk()
    desk.lay(0, "S7", hand=True)
    desk.lay(1, "S9 H9", after=0.8)
    desk.lay(0, "H7", after=0.6)
    assert desk.said() == ["play 0 S7 H7", "play 1 S9 H9"]
    assert desk.kinds() == []


def test_the_lead_of_the_next_trick_is_no_late_card() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    for seat in (1, 2, 3):
        desk.plaque(seat, after=0.5)
    desk.lay(0, "S9", after=0.5)
    assert desk.said()[-1] == "play 0 S9"
    assert desk.kinds() == []


@pytest.mark.rule("GDE-29")
def test_cards_lifted_while_the_trick_goes_on_are_taken_back() -> None:
    desk = Desk("guandan-event")
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    lifted = desk.now + 1
    desk.lift(1, "S9", after=1.0)
    assert desk.said() == ["play 0 S7", "play 1 S9"]
    desk.tick(desk.now + 3)
    assert desk.said()[-1] == "taken_back 1 S9"
    assert desk.record[-1].at == lifted
    assert desk.kinds() == [("taken_back", 1, "proven")]


def test_other_cards_in_place_of_those_lifted_are_a_taking_back_and_a_new_play() -> None:
    desk = Desk("guandan-event")
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.lift(1, "S9", after=1.0)
    desk.lay(1, "SJ", after=0.5)
    assert desk.said() == ["play 0 S7", "play 1 S9", "taken_back 1 S9", "play 1 SJ"]


def test_consent_that_the_referee_adds_completes_what_the_camera_saw() -> None:
    desk = Desk("guandan-event")
    desk.lay(0, "S7")
    desk.lift(0, "S7")
    desk.tick(desk.now + 3)
    desk.put("taken_back", seat=0, cards="S7", consent=True)
    assert [event.get("consent") for event in desk.effective()][-1] is True
    assert desk.said() == ["play 0 S7", "taken_back 0 S7"]


def test_a_card_that_shows_again_where_it_lay_was_not_taken_back() -> None:
    desk = Desk()
    desk.lay(0, "S7 H7")
    desk.see(sight.Lifted(at=desk.now + 1, zone="seat 0", seat=0, cards=tuple(desk.lying["seat 0"])))
    desk.again(0)
    desk.tick(desk.now + 10)
    assert desk.said() == ["play 0 S7 H7"]


@pytest.mark.rule("GDO-40", "GDO-50")
def test_a_trick_that_all_have_passed_is_cleared_without_a_word() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    for seat in (2, 3, 0):
        desk.plaque(seat)
    desk.turn_over(0)
    desk.lift(1, "S9")
    desk.lay(1, "H3")
    desk.tick(desk.now + 10)
    assert desk.said() == ["play 0 S7", "play 1 S9", "pass 2", "pass 3", "pass 0", "play 1 H3"]
    assert desk.kinds() == []


def test_a_trick_cleared_before_the_passes_are_known_is_no_taking_back() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.lift(0, "S7")
    desk.lift(1, "S9", after=1.0)
    desk.tick(desk.now + 10)
    assert desk.said() == ["play 0 S7", "play 1 S9"]


def test_what_looked_like_a_taking_back_is_void_when_the_others_clear_their_cards_too() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.lift(1, "S9")
    desk.tick(desk.now + 3)
    assert desk.said()[-1] == "taken_back 1 S9"
    desk.lift(0, "S7", after=4.0)
    desk.tick(desk.now + 10)
    assert desk.said() == ["play 0 S7", "play 1 S9"]


def test_who_picks_up_cards_that_have_been_beaten_tidies_up() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(1, "S9")
    desk.lift(0, "S7")
    desk.tick(desk.now + 10)
    desk.lay(2, "SJ")
    assert desk.said() == ["play 0 S7", "play 1 S9", "play 2 SJ"]


@pytest.mark.rule("GDO-40")
def test_who_leads_again_though_a_pass_is_missing_is_not_accused() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.plaque(1)
    desk.plaque(2)
    desk.lift(0, "S7")
    desk.lay(0, "H4 D4")
    assert desk.said()[-4:] == ["pass 1", "pass 2", "pass 3", "play 0 H4 D4"]
    assert desk.kinds() == []


@pytest.mark.rule("GDO-55")
def test_a_count_called_by_who_is_due_tells_that_his_play_went_unseen() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.put("count_called", seat=1, count=9)
    assert "proven" not in {certainty for _, _, certainty in desk.kinds()}


def test_cards_put_in_order_at_once_are_recorded_as_they_lie_then() -> None:
    desk = Desk(level="2")
    desk.lay(0, "S3 S5 H2 S6 S7")
    row = [desk.lying["seat 0"][place] for place in (0, 2, 1, 3, 4)]
    desk.see(sight.Moved(at=desk.now + 1, zone="seat 0", seat=0, row=tuple(row)))
    assert desk.said() == ["play 0 S3 H2 S5 S6 S7"]
    assert desk.kinds() == []


def test_cards_knocked_askew_later_stay_as_they_were_played() -> None:
    desk = Desk()
    desk.lay(0, "S3 S4 S5 S6 S7")
    desk.plaque(1)
    row = tuple(reversed(desk.lying["seat 0"]))
    assert desk.see(sight.Moved(at=desk.now + 1, zone="seat 0", seat=0, row=row)) == []


def test_a_play_told_late_takes_its_place_before_the_next_one() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    early = desk.now + 1.0
    desk.lay(2, "SJ", after=3.0)
    assert desk.kinds() == [("out_of_turn", 2, "check")]
    desk.lay(1, "S9", at=early)
    assert desk.said() == ["play 0 S7", "play 1 S9", "play 2 SJ"]
    assert desk.kinds() == []


def test_a_pass_by_plaque_and_by_seat_box_is_one_pass() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.put("pass", seat=1, source="seatbox")
    desk.plaque(1, after=1.5)
    assert desk.said() == ["play 0 S7", "pass 1"]


def test_a_play_put_in_by_hand_and_seen_too_is_one_play() -> None:
    desk = Desk()
    desk.put("play", seat=0, cards="S7 H7")
    desk.lay(0, "H7 S7", after=1.0)
    desk.put("play", seat=0, cards="S7 H7", after=1.0)
    assert desk.said() == ["play 0 S7 H7"]


@pytest.mark.rule("GDO-55")
def test_a_count_plaque_is_a_count_call() -> None:
    desk = Desk()
    desk.put("hand_count", seat=0, count=11)
    desk.put("ruling", finding=1, decision="dismissed")
    desk.lay(0, "S7")
    desk.plaque(0, count=10)
    assert desk.said()[-1] == "count_called 0 10"
    assert [kind for kind, _, _ in desk.kinds()] == ["card_count"]


@pytest.mark.rule("GDO-49")
def test_a_card_face_up_beside_the_play_zone_is_exposed() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(2, "SK", zone="discard 2")
    assert desk.said() == ["play 0 S7", "exposed 2 SK"]


def test_played_cards_thrown_face_up_on_the_discards_are_not_exposed() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(0, "S7", zone="discard 0")
    assert desk.said() == ["play 0 S7"]


@pytest.mark.rule("GDO-17")
def test_a_card_turned_up_when_cutting_is_no_play_and_a_joker_is_turned_again() -> None:
    desk = Desk(draw=False)
    desk.lay(1, "BJ")
    desk.lift(1, "BJ")
    desk.lay(1, "H9")
    desk.put("draw_ended")
    assert desk.said() == ["turned_up 1 BJ", "turned_up 1 H9"]


@pytest.mark.rule("GDO-26", "GDO-28")
def test_tribute_and_return_across_the_table() -> None:
    desk = Desk(level="5", finish=[0, 1, 2, 3])
    desk.lay(3, "SA")
    desk.lift(3, "SA")
    desk.lay(0, "S3")
    desk.lift(0, "S3")
    desk.lay(3, "S9")
    assert desk.said() == ["tribute 3 0 SA", "tribute_return 0 3 S3", "play 3 S9"]
    assert desk.kinds() == []


@pytest.mark.rule("GDO-31")
def test_after_a_double_the_receivers_follow_once_both_have_paid() -> None:
    desk = Desk(level="5", finish=[0, 2, 1, 3])
    desk.lay(3, "SK")
    assert desk.said() == ["tribute 3 SK"]
    desk.lay(1, "SA")
    assert desk.said() == ["tribute 3 2 SK", "tribute 1 0 SA"]
    desk.lay(2, "S3")
    desk.lay(0, "S4")
    assert desk.said()[2:] == ["tribute_return 2 3 S3", "tribute_return 0 1 S4"]
    assert desk.kinds() == []


@pytest.mark.rule("GDO-32")
def test_returns_turned_over_before_those_who_get_them() -> None:
    desk = Desk(level="5", finish=[0, 2, 1, 3])
    desk.lay(3, "SK")
    desk.lay(1, "SA")
    for seat, card in ((3, "S3"), (1, "S4")):
        shown = desk._card(Card.parse(card), None)
        desk.see(
            sight.TurnedOver(at=desk.now + 4, zone=f"seat {seat}", seat=seat, cards=(shown,), face_up=True)
        )
    assert desk.said()[2:] == ["tribute_return 2 3 S3", "tribute_return 0 1 S4"]


@pytest.mark.rule("GDO-35")
def test_a_big_joker_of_each_payer_is_a_refusal_and_no_tribute() -> None:
    desk = Desk(level="5", finish=[0, 2, 1, 3])
    desk.lay(3, "BJ")
    desk.lay(1, "BJ")
    desk.lay(0, "S9")
    assert desk.said() == ["tribute_refused BJ BJ", "play 0 S9"]
    assert desk.kinds() == []


@pytest.mark.rule("GDO-26")
def test_where_tribute_has_zones_of_its_own_a_card_in_the_play_zone_is_played() -> None:
    zones = {f"exchange {seat}": "exchange" for seat in range(4)}
    desk = Desk(level="5", finish=[0, 1, 2, 3], zones=zones)
    desk.lay(3, "S9")
    assert desk.said() == ["play 3 S9"]
    assert ("tribute_missing", 3) in {(kind, seat) for kind, seat, _ in desk.kinds()}


def test_what_joins_a_play_seconds_after_may_stand_alone_and_proves_nothing() -> None:
    desk = Desk()
    desk.lay(0, "S4")
    for seat in (1, 2):
        desk.plaque(seat)
    desk.lay(3, "C3")
    desk.lay(0, "D3")
    # He has taken it up again, and no camera saw that.
    desk.lay(0, "S6", left=True, after=5.0)
    desk.tick(desk.now + 1)
    assert "proven" not in {certainty for *_, certainty in desk.kinds()}


def test_what_joins_a_play_at_once_is_held_against_it() -> None:
    desk = Desk()
    desk.lay(0, "D3")
    desk.lay(0, "S6", after=1.5)
    assert desk.kinds() == [("not_a_combination", 0, "proven")]
