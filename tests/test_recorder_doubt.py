"""Doubt about cards: what is written beside a play, what the packs rule out, and that nobody is accused on it."""

from __future__ import annotations

import random

import pytest

from devices.simulator.bots import play_match
from table.cards import Card, parse_cards
from table.doubt import Reading, read_together
from table.rulesets import load_profile
from table.sightings import TrackedCard
from tests.recorder_desk import Desk
from tests.recorder_eyes import near, watched


def cards(*chances: list[tuple[str, float]], doubtful: bool = False) -> list[TrackedCard]:
    """Cards on the table by what each may be."""
    return [
        TrackedCard(n, tuple((Card.parse(name), p) for name, p in names), names[0][1], doubtful)
        for n, names in enumerate(chances)
    ]


def read(*chances: list[tuple[str, float]], impossible: str = "", doubtful: bool = False) -> Reading:
    """The reading where one card cannot be."""
    out = parse_cards(impossible)
    return read_together(cards(*chances, doubtful=doubtful), lambda names: not set(names) & set(out), 0.9)


def test_the_chance_of_a_play_is_that_of_all_its_cards_and_other_readings_come_likeliest_first() -> None:
    found = read([("S7", 0.9), ("S8", 0.1)], [("H7", 0.8), ("H8", 0.2)])
    assert found.cards == parse_cards("S7 H7")
    assert found.confidence == pytest.approx(0.72)
    assert [(" ".join(map(str, names)), chance) for names, chance in found.alternatives] == [
        ("S7 H8", pytest.approx(0.18)),
        ("S8 H7", pytest.approx(0.08)),
        ("S8 H8", pytest.approx(0.02)),
    ]


def test_other_readings_below_one_in_a_hundred_are_left_out() -> None:
    assert read([("S7", 0.995), ("S8", 0.005)]).alternatives == ()


def test_at_most_eight_other_readings_are_written_down() -> None:
    many = [[(f"S{rank}", 0.5), (f"H{rank}", 0.5)] for rank in (3, 4, 5, 6, 7)]
    assert len(read(*many).alternatives) == 8


def test_what_cannot_be_is_left_out_and_the_rest_made_whole() -> None:
    found = read([("S7", 0.6), ("S8", 0.3), ("S9", 0.1)], impossible="S8")
    assert found.confidence == pytest.approx(0.6 / 0.7, abs=1e-3)
    assert found.alternatives == ((parse_cards("S9"), pytest.approx(0.1 / 0.7, abs=1e-3)),)


def test_another_reading_is_taken_when_the_likeliest_cannot_be_but_stays_to_be_looked_at() -> None:
    found = read([("S7", 0.6), ("S8", 0.4)], impossible="S7")
    assert found.cards == parse_cards("S8")
    assert found.confidence < 0.9


def test_ruling_out_makes_nothing_surer_than_99_in_a_hundred() -> None:
    assert read([("S7", 0.7), ("S8", 0.3)], impossible="S8").confidence == 0.99


def test_a_card_surely_read_that_cannot_be_is_kept_for_the_referee() -> None:
    assert read([("S7", 0.999), ("S8", 0.001)], impossible="S7").cards == parse_cards("S7")


def test_a_card_that_the_camera_calls_doubtful_leaves_the_play_doubtful() -> None:
    assert read([("S7", 0.99)], doubtful=True).confidence < 0.9


def test_a_third_copy_is_read_as_what_it_may_be_instead() -> None:
    desk = Desk()
    desk.lay(0, "S7 S7")
    desk.lay(1, "S8 H8", doubt={"S8": [("S7", 0.55), ("S8", 0.45)]})
    assert desk.said() == ["play 0 S7 S7", "play 1 S8 H8"]
    assert desk.kinds() == []


def test_what_a_sealed_feed_knows_does_not_show_in_the_reading() -> None:
    desk = Desk(draw=False)
    for seat, hand in enumerate(("S3", "H7", "C9", "D5")):
        desk.put("dealt", seat=seat, cards=" ".join([hand] * 27), source="feed")
    desk.put("draw_ended")
    desk.lay(0, "S7", doubt={"S7": [("S7", 0.6), ("S3", 0.4)]})
    play = desk.effective()[-1]
    assert play["cards"] == "S7"
    assert desk.record[-1].confidence == pytest.approx(0.6)


def test_a_doubtful_reading_that_would_be_illegal_is_only_to_be_checked() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "S8", doubt={"S8": [("S8", 0.97), ("S10", 0.03)]})
    assert desk.kinds() == [("does_not_beat", 1, "check")]


def test_a_doubt_about_what_was_to_be_beaten_is_only_to_be_checked() -> None:
    desk = Desk()
    desk.lay(0, "S9", doubt={"S9": [("S9", 0.7), ("S6", 0.3)]})
    desk.lay(1, "S8")
    assert desk.kinds() == [("does_not_beat", 1, "check")]


def test_a_card_read_otherwise_later_is_a_correction() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "S8", doubt={"S8": [("S8", 0.6), ("S10", 0.4)]})
    (fix,) = desk.revise(1, "S8", [("S10", 0.99), ("S8", 0.01)])
    assert fix.name == "correction"
    assert desk.said() == ["play 0 S9", "play 1 S10"]
    assert desk.kinds() == []


def test_more_frames_that_say_the_same_of_a_sure_card_are_no_event() -> None:
    desk = Desk()
    desk.lay(0, "S9", doubt={"S9": [("S9", 0.96)]})
    assert desk.revise(0, "S9", [("S9", 0.999)]) == []


def test_two_readings_in_doubt_that_change_places_are_no_event() -> None:
    desk = Desk()
    desk.lay(0, "S9", doubt={"S9": [("S9", 0.36), ("C9", 0.25)]})
    assert desk.revise(0, "S9", [("C9", 0.37), ("S9", 0.25)]) == []
    assert desk.said() == ["play 0 S9"]


def test_a_reading_in_doubt_gives_way_to_one_that_is_clearly_likelier() -> None:
    desk = Desk()
    desk.lay(0, "S9", doubt={"S9": [("S9", 0.36), ("C9", 0.25)]})
    desk.revise(0, "S9", [("C9", 0.7), ("S9", 0.2)])
    assert desk.said() == ["play 0 C9"]


def test_what_is_rather_no_card_counts_for_nothing_where_nobody_is_to_play() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    assert desk.lay(3, "D3", doubt={"D3": [("D3", 0.2)]}, nothing={"D3": 0.7}) == []
    assert desk.lay(1, "S10", doubt={"S10": [("S10", 0.2)]}, nothing={"S10": 0.7}) != []


def test_more_frames_that_end_a_doubt_turn_check_into_proof() -> None:
    desk = Desk()
    desk.lay(0, "S9")
    desk.lay(1, "S8", doubt={"S8": [("S8", 0.8), ("S10", 0.2)]})
    assert desk.kinds() == [("does_not_beat", 1, "check")]
    desk.revise(1, "S8", [("S8", 0.999)])
    assert desk.kinds() == [("does_not_beat", 1, "proven")]


def test_what_a_person_has_corrected_no_camera_changes() -> None:
    desk = Desk()
    desk.lay(0, "S9", doubt={"S9": [("S9", 0.6), ("S6", 0.4)]})
    fix = {"event": "play", "seat": 0, "cards": "S9", "at": desk.now}
    desk.put("correction", of=desk.record[-1].seq, replacement=fix)
    assert desk.revise(0, "S9", [("S6", 0.9), ("S9", 0.1)]) == []


@pytest.mark.parametrize("profile", ["guandan-official", "shengji-event"])
def test_misread_cards_that_may_be_the_right_ones_prove_nothing_against_anybody(profile: str) -> None:
    script = play_match(load_profile(profile), random.Random(5), deals=1).events
    rng = random.Random(6)
    plays = [event for event in script if event["event"] == "play"]
    doubt = {}
    for event in rng.sample(plays, len(plays) // 6):
        right = parse_cards(event["cards"])
        at = rng.randrange(len(right))
        doubt[event["seq"]] = [
            ((near(card), 0.6), (card, 0.4)) if place == at else ((card, 1.0),)
            for place, card in enumerate(right)
        ]
    table, _ = watched(profile, script, doubt=doubt)
    assert [found for found in table.found() if found[3] == "proven"] == []


def test_a_badly_seen_card_that_is_gone_while_the_others_lie_was_never_there() -> None:
    desk = Desk()
    desk.lay(0, "DJ HJ", doubt={"HJ": [("HJ", 0.5)]})
    desk.lift(0, "HJ")
    desk.tick(desk.now + 3)
    assert desk.said() == ["play 0 DJ"]


@pytest.mark.rule("GDO-55")
def test_a_play_that_may_have_fewer_cards_leaves_the_count_to_be_checked() -> None:
    desk = Desk()
    desk.lay(0, "DJ HJ", doubt={"HJ": [("HJ", 0.5)]})
    desk.put("count_called", seat=0, count=26)
    assert ("count_wrong", 0, "check") in desk.kinds()
