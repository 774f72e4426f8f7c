"""What the recorder does with what nobody saw: blind zones, acts that nobody noticed, and what fills such a gap."""

from __future__ import annotations

from typing import Any

import pytest

from table.event_json import event_from_json
from table.session import Referee
from table.transcript import event_text
from tests.recorder_desk import Desk


def test_a_blind_zone_changes_nothing_while_nothing_happens() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.blind(1, False)
    desk.lay(1, "S9")
    assert desk.said() == ["play 0 S7", "play 1 S9"]
    assert desk.record[-1].at == desk.now


@pytest.mark.rule("GDO-54")
def test_nobody_is_late_for_cards_that_may_have_lain_in_a_blind_zone() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.blind(1, False, after=30.0)
    desk.lay(1, "S9", after=0.2)
    assert desk.kinds() == []


def test_cards_that_lie_there_after_a_blind_time_are_not_played_again() -> None:
    desk = Desk()
    desk.lay(0, "S7 H7")
    desk.blind(0)
    desk.blind(0, False, after=5.0)
    assert desk.again(0, after=1.0) == []


@pytest.mark.rule("GDO-38")
def test_who_plays_after_a_seat_that_could_not_be_seen_is_not_out_of_turn_for_certain() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.lay(2, "SJ", after=5.0)
    assert [event.name or event.kind for event in desk.record[-2:]] == ["missing", "play"]
    assert [certainty for _, _, certainty in desk.kinds()] == ["check"]


def test_cards_seen_when_the_zone_is_seen_again_fill_the_gap() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.lay(2, "SJ", after=5.0)
    desk.blind(1, False)
    desk.lay(1, "S9", after=1.0)
    assert desk.said() == ["play 0 S7", "play 1 S9", "play 2 SJ"]
    assert desk.kinds() == []


def test_a_pass_that_nobody_saw_stays_a_named_gap() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.plaque(2, after=5.0)
    desk.blind(1, False)
    assert [event["event"] for event in desk.effective()][-2:] == ["missing", "pass"]


@pytest.mark.parametrize(("lang", "words"), [("zh", "看不见"), ("en", "zone of seat 1 could not be seen")])
def test_a_gap_says_in_words_whose_zone_was_not_seen(lang: str, words: str) -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.lay(2, "SJ", after=5.0)
    assert words in event_text(desk.record[-2], lang)


def test_the_twin_of_a_card_laid_beside_it_after_a_blind_moment_is_a_new_card() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(0)
    desk.blind(0, False, after=1.0)
    desk.lay(0, "S7", after=1.0)
    assert desk.said() == ["play 0 S7 S7"]


@pytest.mark.rule("GDO-38")
def test_when_the_game_goes_on_without_a_seat_his_act_may_have_gone_unnoticed() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(2, "SJ")
    assert desk.kinds() == [("out_of_turn", 2, "check")]
    desk.plaque(3)
    assert desk.said() == ["play 0 S7", "pass 1", "play 2 SJ", "pass 3"]
    assert desk.kinds() == []


@pytest.mark.rule("GDO-38")
def test_who_plays_too_early_stands_proven_when_the_one_passed_over_acts_next() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.lay(2, "SJ")
    desk.plaque(1)
    desk.plaque(3)
    assert desk.kinds() == [("out_of_turn", 2, "proven")]


def test_cards_told_late_fill_the_gap_that_they_left() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    early = desk.now + 1
    desk.lay(2, "SJ")
    desk.plaque(3)
    desk.lay(1, "S9", at=early)
    assert desk.said() == ["play 0 S7", "play 1 S9", "play 2 SJ", "pass 3"]
    assert desk.kinds() == []


@pytest.mark.rule("SJO-22")
def test_in_shengji_a_lead_that_nobody_noticed_proves_nothing_against_those_who_follow() -> None:
    desk = Desk("shengji-official-2", draw=False, banker=0, trump="H")
    desk.put("draw_ended")
    desk.put("kitty_taken", seat=0)
    desk.put("kitty_laid", seat=0)
    for seat, card in ((1, "S4"), (2, "S5"), (3, "S6"), (3, "C9"), (0, "C4"), (1, "C5"), (2, "C6")):
        desk.lay(seat, card)
    assert "proven" not in {certainty for _, _, certainty in desk.kinds()}


def _gaps(desk: Desk) -> list[str]:
    return [item for item in desk.said() if item.split()[0] in ("missing", "play", "pass")]


@pytest.mark.rule("GDO-38")
def test_each_act_of_a_seat_that_stays_blind_is_a_gap_of_its_own() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.lay(2, "SJ", after=5.0)
    desk.plaque(3)
    desk.lay(0, "SK")
    desk.lay(2, "SA", after=5.0)
    desk.plaque(3)
    desk.plaque(0)
    desk.lay(2, "S3", after=5.0)
    told = ["play 2 SJ", "pass 3", "play 0 SK", "missing 1", "play 2 SA", "pass 3", "pass 0", "missing 1"]
    assert _gaps(desk) == ["play 0 S7", "missing 1", *told, "play 2 S3"]
    assert {certainty for _, _, certainty in desk.kinds()} == {"check"}


def test_two_blind_seats_that_were_passed_over_are_two_gaps() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.blind(2)
    desk.lay(3, "SJ", after=5.0)
    assert _gaps(desk) == ["play 0 S7", "missing 1", "missing 2", "play 3 SJ"]


def test_a_gap_is_not_named_again_where_the_act_after_it_was_taken_back() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.blind(1)
    desk.lay(2, "SJ", after=5.0)
    desk.lift(2, "SJ")
    desk.tick(desk.now + 3)
    desk.lay(2, "SK", after=5.0)
    assert _gaps(desk).count("missing 1") == 1


@pytest.mark.rule("SJO-22")
def test_in_shengji_a_blind_seat_has_one_gap_in_each_trick() -> None:
    desk = Desk("shengji-official-2", draw=False, banker=0, trump="H")
    desk.put("draw_ended")
    desk.put("kitty_taken", seat=0)
    desk.put("kitty_laid", seat=0)
    desk.blind(1)
    for seat, card in ((0, "S4"), (2, "S5"), (3, "S6"), (3, "C9"), (0, "C4"), (2, "C6")):
        desk.lay(seat, card, after=8.0)
    told = ["play 2 S5", "play 3 S6", "play 3 C9", "play 0 C4", "missing 1", "play 2 C6"]
    assert _gaps(desk) == ["play 0 S4", "missing 1", *told]
    assert "proven" not in {certainty for _, _, certainty in desk.kinds()}


@pytest.mark.parametrize("away", [True, False], ids=["told blind", "not told"])
def test_cards_of_two_plays_that_show_after_an_outage_are_one_in_doubt_and_nothing_is_certain(
    away: bool,
) -> None:
    desk = Desk()
    desk.lay(0, "S3 H3")
    desk.lay(1, "S4 H4")
    if away:
        desk.blind(2)
        desk.lay(3, "S9 H9", after=5.0)
        desk.plaque(0)
        desk.plaque(1)
        desk.blind(2, False, after=4.0)
    desk.lay(2, "C5 S5 CA HA", dark=13.0)
    desk.lay(3, "S2 H2")
    desk.plaque(2, 21)
    (play,) = [e for e in desk.referee.effective() if getattr(e, "cards", ()) and e.seat == 2]
    assert play.confidence < 0.9
    assert {certainty for _, _, certainty in desk.kinds()} <= {"check"}


def test_what_joins_a_play_out_of_sight_makes_it_doubtful() -> None:
    desk = Desk()
    desk.lay(0, "C5 S5")
    desk.lay(0, "CA HA", after=3.0, dark=2.5)
    assert desk.said() == ["play 0 C5 S5 CA HA"]
    assert [certainty for _, _, certainty in desk.kinds()] in ([], ["check"])
    assert all(event.confidence < 0.9 for event in desk.referee.effective() if event.name == "play")


@pytest.mark.rule("GDO-64")
def test_cards_that_are_no_play_together_may_be_two_plays_that_nobody_saw() -> None:
    desk = Desk()
    desk.lay(0, "S3 H3")
    desk.lay(1, "S4 H4")
    desk.blind(2)
    desk.lay(3, "S9 H9", after=5.0)
    desk.plaque(0)
    desk.plaque(1)
    desk.blind(2, False, after=4.0)
    desk.lay(2, "C5 S5 CA HA", dark=13.0)
    (play,) = [e for e in desk.referee.effective() if getattr(e, "cards", ()) and e.seat == 2]
    assert [" ".join(map(str, cards)) for cards, _ in play.alternatives] == ["C5 S5", "CA HA"]
    assert play.extra["split"] == [["C5 S5", "CA HA"]]
    assert "two plays: ♣5 ♠5 + ♣A ♥A" in event_text(play, "en")
    assert {certainty for _, _, certainty in desk.kinds()} == {"check"}


@pytest.mark.rule("GDO-54")
def test_cards_that_are_one_play_together_are_offered_as_no_other() -> None:
    desk = Desk()
    desk.lay(0, "S3 H3")
    desk.restart()
    desk.lay(1, "C5 S5", after=30.0)
    assert (desk.record[-1].alternatives, "split" in desk.record[-1].extra) == ((), False)


@pytest.mark.rule("SJO-22")
def test_in_shengji_the_lead_tells_where_two_plays_may_be_parted() -> None:
    desk = Desk("shengji-official-2", draw=False, banker=0, trump="H")
    desk.put("draw_ended")
    desk.put("kitty_taken", seat=0)
    desk.put("kitty_laid", seat=0)
    desk.lay(0, "S4")
    desk.lay(1, "S8 C7 C7", dark=5.0)
    assert desk.record[-1].extra["split"] == [["S8", "C7 C7"]]
    assert {certainty for _, _, certainty in desk.kinds()} <= {"check"}


@pytest.mark.rule("GDO-38")
@pytest.mark.parametrize(
    ("acts", "kind"),
    [
        ([("play", 0, "S7"), ("play", 1, "S9"), ("pass", 3, "")], "out_of_turn"),
        ([("play", 0, "S7"), ("pass", 3, ""), ("play", 1, "S9")], "out_of_turn"),
        ([("pass", 0, ""), ("play", 1, "S9")], "pass_on_lead"),
    ],
    ids=["after it", "before it", "before the lead"],
)
@pytest.mark.parametrize("unseen", [False, True])
def test_beside_a_play_that_nobody_saw_being_laid_no_turn_is_certain(
    acts: list[tuple[str, int, str]], kind: str, unseen: bool
) -> None:
    referee = Referee()
    lines: list[dict[str, Any]] = [
        {"event": "match_started", "profile": "guandan-official", "levels": ["2", "2"]},
        {"event": "deal_started", "deal": 1, "level": "2"},
        {"event": "draw_ended"},
    ]
    for name, seat, cards in acts:
        line: dict[str, Any] = {"event": name, "seat": seat, "source": "seatbox"}
        if cards:
            line |= {"cards": cards, "source": "camera", "confidence": 0.99}
        if unseen and seat == 1:
            line |= {"unseen": True, "confidence": 0.89}
        lines.append(line)
    for number, line in enumerate(lines, 1):
        referee.push(event_from_json({"seq": number, "at": 2.0 * number, **line}))
    turns = [claim.certainty for claim in referee.findings().values() if claim.kind == kind]
    assert turns == (["check"] if unseen else ["proven"])


@pytest.mark.rule("GDO-38")
def test_nobody_passed_on_the_lead_while_somebody_unseen_may_have_led() -> None:
    desk = Desk()
    desk.blind(1)
    desk.put("pass", seat=2, source="seatbox")
    assert desk.said() == ["missing 1", "pass 2"]
    assert desk.kinds() == [("pass_on_lead", 2, "check")]


def test_a_pass_told_late_fills_no_gap_before_what_the_seat_did_earlier() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.put("pass", seat=1, source="seatbox")
    desk.lay(3, "S9")
    for seat in (0, 1, 2):
        desk.put("pass", seat=seat, source="seatbox")
    desk.lay(3, "S10")
    for seat in (0, 1):
        desk.put("pass", seat=seat, source="seatbox")
    desk.lay(3, "D3")
    desk.put("pass", after=-1.0, seat=2, source="seatbox")
    passes = [event for event in desk.effective() if event["event"] == "pass" and event["seat"] == 2]
    assert [event.get("at") for event in passes] == [None, 18.0, desk.now]


def _second_trick(desk: Desk) -> None:
    """Seat 1 did something that nobody noticed in the first trick; in the second it is his turn again."""
    desk.lay(0, "S7")
    desk.lay(2, "S9")
    for seat in (3, 0, 1):
        desk.put("pass", seat=seat, source="seatbox")
    desk.lay(2, "S4")
    for seat in (3, 0):
        desk.put("pass", seat=seat, source="seatbox")


def test_a_play_seen_coming_after_a_blind_time_is_no_act_of_a_trick_that_is_over() -> None:
    desk = Desk()
    _second_trick(desk)
    desk.blind(1)
    desk.blind(1, False)
    desk.lay(1, "D7", after=1.0)
    assert desk.said()[-1] == "play 1 D7"
    assert "play 1 D7" not in desk.said()[:-1]
    assert desk.effective()[-1]["at"] == desk.now


def test_a_pass_after_a_count_was_called_is_not_the_act_that_nobody_saw_before_the_call() -> None:
    desk = Desk()
    desk.lay(0, "S7")
    desk.put("count_called", seat=1, count=2, source="seatbox")
    desk.lay(2, "S9")
    called = desk.now
    desk.lay(3, "SJ", after=4.0)
    desk.put("pass", seat=0, source="seatbox")
    desk.put("pass", seat=1, at=called + 5.0, source="seatbox")
    said = desk.said()
    assert said.index("count_called 1 2") < said.index("pass 1")
