"""Shengji by sightings written by hand: trump shown, the kitty, throws that fail, plays put right."""

from __future__ import annotations

import pytest

from table import sightings as sight
from table.cards import Card
from table.events import Event
from table.sightings import TrackedCard
from tests.recorder_desk import Desk

OFFICIAL = "shengji-official-2"
KITTY = "S3 S4 H5 H6 C7 C8 D9 D10"


def kitty(desk: Desk, count: int, before: int) -> list[Event]:
    """The kitty's backs are seen to come or go."""
    desk.now += 6
    return desk.see(sight.Backs(at=desk.now, zone="kitty", count=count, before=before))


def in_play(profile: str = OFFICIAL) -> Desk:
    """A deal at level 2, hearts trump, seat 0 banker, about to be led."""
    desk = Desk(profile, draw=False, banker=0)
    desk.lay(0, "H2")
    desk.put("draw_ended")
    desk.lift(0, "H2")
    kitty(desk, 0, 1)
    kitty(desk, 1, 0)
    return desk


@pytest.mark.rule("SJO-12", "SJO-21")
def test_trump_shown_and_the_kitty_taken_and_laid_by_the_banker() -> None:
    desk = in_play()
    assert desk.said() == ["trump_shown 0 H2", "kitty_taken 0", "kitty_laid 0"]
    assert desk.kinds() == []


@pytest.mark.rule("SJO-15")
def test_a_second_level_card_beside_the_first_reinforces() -> None:
    desk = Desk(OFFICIAL, draw=False, banker=0)
    desk.lay(1, "S2")
    desk.lay(1, "S2", after=10.0)
    assert desk.said() == ["trump_shown 1 S2", "trump_shown 1 S2 S2"]
    assert desk.kinds() == []


@pytest.mark.rule("SJE-11")
def test_a_pair_shown_in_two_goes_is_one_showing_where_nobody_may_reinforce() -> None:
    desk = Desk(OFFICIAL, draw=False, banker=0, options={"declare.reinforce": "never"})
    desk.lay(1, "S2")
    desk.lay(1, "S2", after=0.5)
    assert desk.said() == ["trump_shown 1 S2 S2"]
    assert desk.kinds() == []


@pytest.mark.rule("SJE-47")
def test_a_card_that_declares_nothing_is_exposed_while_the_cards_are_drawn() -> None:
    desk = Desk("shengji-event", draw=False, banker=0)
    desk.lay(1, "SK")
    assert desk.said() == ["exposed 1 SK"]


@pytest.mark.rule("SJO-19", "SJE-14")
def test_cards_of_the_kitty_turned_when_nobody_declares() -> None:
    desk = Desk("shengji-event", banker=0)
    desk.lay(None, "C9", zone="kitty")
    assert desk.said() == ["kitty_turned C9"]
    assert desk.state is not None
    assert desk.state.deal.trump == "C"


def test_the_kitty_turned_over_at_the_end_card_by_card_is_one_kitty() -> None:
    desk = in_play()
    desk.lay(0, "SA")
    desk.see(sight.Backs(at=desk.now, zone="kitty", count=0, before=1))
    first, second = KITTY.split()[:7], KITTY.split()[7:]
    assert desk.lay(None, " ".join(first), zone="kitty") == []
    desk.lay(None, " ".join([*first, *second]), zone="kitty")
    assert desk.said()[-1] == f"kitty_revealed {KITTY}"
    desk.lay(None, "D2", zone="kitty", after=30.0)
    assert desk.said()[-1] == f"kitty_revealed {KITTY} D2"


@pytest.mark.rule("SJO-21", "SJO-22")
def test_a_banker_who_leads_has_taken_the_kitty_though_nobody_saw_it() -> None:
    desk = Desk(OFFICIAL, draw=False, banker=0)
    desk.lay(0, "H2")
    desk.put("draw_ended")
    desk.lift(0, "H2")
    for seat, card in ((0, "S3"), (1, "S4"), (2, "S5"), (3, "SA")):
        desk.lay(seat, card)
    played = ["play 0 S3", "play 1 S4", "play 2 S5", "play 3 SA"]
    assert desk.said() == ["trump_shown 0 H2", "kitty_taken 0", "kitty_laid 0", *played]
    assert desk.kinds() == []


@pytest.mark.rule("SJE-47")
def test_a_card_of_the_banker_is_exposed_while_the_kitty_lies_there() -> None:
    desk = Desk(OFFICIAL, draw=False, banker=0)
    kitty(desk, 1, 0)
    desk.lay(0, "H2")
    desk.put("draw_ended")
    desk.lay(0, "S3")
    assert desk.said()[-1] == "exposed 0 S3"


@pytest.mark.rule("SJO-22")
def test_who_wins_the_trick_as_last_and_leads_at_once_makes_two_plays() -> None:
    desk = in_play()
    for seat, card in ((0, "S3"), (1, "S4"), (2, "S5"), (3, "SA")):
        desk.lay(seat, card)
    desk.lay(3, "D9", after=1.0)
    assert desk.said()[-2:] == ["play 3 SA", "play 3 D9"]
    assert desk.kinds() == []


@pytest.mark.rule("SJO-33")
def test_the_second_card_of_a_follower_who_was_slow_joins_the_first() -> None:
    desk = in_play()
    desk.lay(0, "S3 S3")
    desk.lay(1, "S4")
    assert [kind for kind, _, _ in desk.kinds()] == ["wrong_length"]
    desk.lay(1, "S6", after=1.0)
    assert desk.said()[-1] == "play 1 S4 S6"
    assert desk.kinds() == []


@pytest.mark.rule("SJO-31")
def test_what_the_thrower_leaves_after_an_objection_is_what_is_forced() -> None:
    desk = in_play()
    desk.lay(0, "SA SQ SQ")
    desk.put("throw_stopped", seat=1, cards="SK SK")
    desk.lay(1, "SK SK")
    desk.lift(0, "SA")
    desk.tick(desk.now + 5)
    assert desk.said()[3:] == ["play 0 SA SQ SQ", "throw_stopped 1 SK SK", "throw_forced 0 SQ SQ"]
    assert [kind for kind, _, _ in desk.kinds()] == ["throw_failed"]


@pytest.mark.rule("SJO-31")
def test_a_throw_of_which_a_part_stays_is_not_in_doubt_for_those_who_follow_with_as_many_cards() -> None:
    desk = in_play()
    desk.lay(0, "SA SQ SQ")
    desk.put("throw_stopped", seat=1, cards="SK SK")
    desk.lift(0, "SA")
    for seat, cards in ((1, "SK SK"), (2, "S4 S5"), (3, "S7 S8")):
        desk.lay(seat, cards)
        desk.tick(desk.now + 1)
    assert desk.state is not None
    assert not any(desk.state.doubtful(event) for event in desk.referee.effective())


def test_cards_shown_against_a_throw_before_the_objection_is_keyed_in_are_no_play() -> None:
    desk = in_play()
    desk.lay(0, "SA SQ SQ")
    desk.lay(1, "SK SK")
    desk.put("throw_stopped", seat=1)
    assert desk.said()[3:] == ["play 0 SA SQ SQ", "throw_stopped 1 SK SK"]


@pytest.mark.rule("SJO-31")
def test_a_throw_cut_down_in_two_goes_is_forced_to_what_stays_in_the_end() -> None:
    desk = in_play()
    desk.lay(0, "SA SK SQ SQ")
    desk.put("throw_stopped", seat=1, cards="SA")
    desk.lift(0, "SA")
    desk.lift(0, "SK", after=1.0)
    assert desk.said()[-1] == "throw_forced 0 SQ SQ"


@pytest.mark.rule("SJE-44")
def test_a_follower_puts_his_play_right_before_the_next_lead() -> None:
    desk = in_play("shengji-event")
    for seat, card in ((0, "SA"), (1, "D4"), (2, "S5"), (3, "S6")):
        desk.lay(seat, card)
    desk.lift(1, "D4")
    desk.tick(desk.now + 5)
    desk.lay(1, "S7", after=6.0)
    assert desk.said()[-2:] == ["taken_back 1 D4", "play 1 S7"]


def test_a_trick_cleared_seat_by_seat_is_no_taking_back_whoever_leads_next() -> None:
    desk = in_play()
    for seat, card in ((0, "SA"), (1, "S4"), (2, "S5"), (3, "S6")):
        desk.lay(seat, card)
    for seat, card in ((0, "SA"), (1, "S4"), (2, "S5"), (3, "S6")):
        desk.lift(seat, card, after=0.3)
    desk.lay(1, "D9")
    assert desk.said()[-1] == "play 1 D9"
    assert desk.kinds() == [("wrong_leader", 1, "check")]


@pytest.mark.rule("SJO-22")
def test_who_may_have_won_by_cards_that_nobody_could_read_and_leads_at_once_makes_two_plays() -> None:
    desk = in_play()
    for seat, cards in ((0, "C10 C10"), (1, "S5 D2"), (2, "CJ C6")):
        desk.lay(seat, cards)
    desk.lay(3, "", unread=1)
    desk.lift_unread(3)
    desk.lay(3, "BJ", after=1.0)
    desk.lay(0, "H4")
    assert desk.said()[-3:] == ["play 3  ?", "play 3 BJ", "play 0 H4"]
    assert "proven" not in {certainty for *_, certainty in desk.kinds()}


@pytest.mark.rule("SJE-44", "SJO-33")
@pytest.mark.parametrize("turned", [False, True])
def test_too_many_cards_are_put_right_after_the_trick_was_cleared_away(turned: bool) -> None:
    desk = in_play()
    for seat, cards in ((0, "D3 D3"), (1, "D10 DJ"), (2, "DK D4"), (3, "D7 D9 C7")):
        desk.lay(seat, cards)
    places = {str(card.card): card.place for card in desk.lying["seat 3"]}
    for seat, cards in ((0, "D3 D3"), (1, "D10 DJ"), (2, "DK D4"), (3, "D7 D9 C7")):
        if turned:
            desk.turn_over(seat, after=0.3)
        else:
            desk.lift(seat, cards, after=0.3)
    # One of the cards comes to lie nearly where it had lain, as it may.
    again = [
        TrackedCard(1000 + n, ((Card.parse(name), 1.0),), place=(places[name][0] + off, 0.0))
        for n, (name, off) in enumerate((("D7", 12.0), ("D9", 6.0)))
    ]
    row = tuple(again)
    desk.now += 1.5
    desk.see(sight.Laid(at=desk.now, zone="seat 3", seat=3, cards=row, row=row))
    assert desk.said()[-2:] == ["taken_back 3 D7 D9 C7", "play 3 D7 D9"]


@pytest.mark.rule("SJO-22")
def test_who_leads_after_a_play_that_may_have_had_one_card_less_has_won_and_takes_nothing_back() -> None:
    desk = in_play()
    for seat, card in ((0, "DJ"), (1, "C10"), (2, "D4")):
        desk.lay(seat, card)
    desk.lay(3, "LJ LJ", nothing={"LJ": 0.4})
    for seat, cards in ((0, "DJ"), (1, "C10"), (2, "D4"), (3, "LJ LJ")):
        desk.lift(seat, cards, after=0.3)
    desk.lay(3, "D9")
    assert desk.said()[-2:] == ["play 3 LJ LJ", "play 3 D9"]
    assert "proven" not in {certainty for *_, certainty in desk.kinds()}


@pytest.mark.rule("SJO-33")
def test_a_follow_of_fewer_cards_than_were_led_is_in_doubt_for_some_may_lie_there_unseen() -> None:
    desk = in_play()
    desk.lay(0, "S3 S3")
    desk.lay(1, "S4")
    play = desk.referee.effective()[-1]
    assert desk.state is not None
    assert desk.state.doubtful(play)
    desk.lay(1, "S6", after=1.0)
    desk.tick(desk.now + 1)
    assert not desk.state.doubtful(desk.referee.effective()[-1])


@pytest.mark.rule("SJO-33")
def test_a_lead_that_two_follow_with_more_cards_is_in_doubt() -> None:
    desk = in_play()
    desk.lay(0, "S3")
    desk.lay(1, "S4 S6")
    desk.lay(2, "S7 S9")
    desk.tick(desk.now + 1)
    lead = next(event for event in desk.referee.effective() if event.name == "play")
    assert desk.state is not None
    assert desk.state.doubtful(lead)
    assert "proven" not in {certainty for *_, certainty in desk.kinds()}


@pytest.mark.rule("SJO-33")
def test_three_who_follow_with_as_many_cards_are_believed_against_the_lead() -> None:
    desk = in_play()
    desk.lay(0, "S3 S3")
    for seat, card in ((1, "S4"), (2, "S6"), (3, "S7")):
        desk.lay(seat, card)
        desk.tick(desk.now + 1)
    plays = [event for event in desk.referee.effective() if event.name == "play"]
    assert desk.state is not None
    assert [desk.state.doubtful(play) for play in plays] == [True, False, False, False]


def test_what_could_not_be_read_stays_a_part_of_its_play_when_the_trick_is_turned_over() -> None:
    desk = in_play()
    desk.lay(0, "SJ SJ")
    desk.lay(1, "D2", unread=1)
    desk.lay(2, "SQ SQ")
    desk.lay(3, "S6 SA")
    for seat in (0, 1, 2, 3):
        desk.turn_over(seat, after=0.3)
    desk.lying.clear()
    desk.lay(2, "H4 H4")
    desk.tick(desk.now + 5)
    assert desk.said()[4] == "play 1 D2 ?"


def test_a_card_turned_up_again_that_nobody_could_read_is_no_play_of_its_own() -> None:
    desk = in_play()
    desk.lay(0, "SJ SJ")
    desk.lay(1, "D2", unread=1)
    desk.turn_over(1)
    desk.turn_over(1, up=True)
    assert desk.said()[3:] == ["play 0 SJ SJ", "play 1 D2 ?"]
    desk.read_at_last(1, "BJ")
    assert desk.said()[3:] == ["play 0 SJ SJ", "play 1 D2 BJ"]
