"""What hands do at the simulated table makes exactly the events of the record happen, where people can do it."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import pairwise
from typing import Any

import pytest

from calibration.setup import play_zones
from devices.simulator.bots import Habits, play_match
from devices.simulator.conditions import Conditions
from devices.simulator.faults import plant
from devices.simulator.motions import Lie
from devices.simulator.staging import Staged, stage
from table.event_json import event_from_json
from table.rulesets import load_profile
from table.session import Referee

CARD = (58.0, 88.0)
USUAL = Conditions()
HARD = Conditions(passes="plaque", two_goes=0.5, slide_over=0.4, step=(12.0, 26.0))


def findings(events: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """What the referee says to a record, without its times and texts."""
    referee = Referee()
    said = [line for event in events for line in referee.push(event_from_json(event))]
    return [
        tuple(line.get(key) for key in ("kind", "seat", "event", "certainty", "withdrawn"))
        for line in said
        if "finding" in line
    ]


def match(profile: str, seed: int = 1, deals: int = 2) -> list[dict[str, Any]]:
    habits = Habits(on_the_limit=0.0)
    return play_match(load_profile(profile), random.Random(seed), deals=deals, habits=habits).events


def staged(events: list[dict[str, Any]], how: Conditions | None = None) -> Staged:
    return stage(events, random.Random(3), CARD, how)


@lru_cache
def played(profile: str, how: Conditions = USUAL) -> Staged:
    """A match of two deals as hands play it; made once, only looked at."""
    return staged(match(profile), how)


@pytest.mark.parametrize("how", [USUAL, HARD], ids=["usual", "hard"])
@pytest.mark.parametrize("profile", ["guandan-official", "guandan-event", "shengji-official-2"])
def test_nothing_new_is_found_in_a_match_that_hands_have_played(profile: str, how: Conditions) -> None:
    events = match(profile)
    truth = played(profile, how).truth
    assert findings(truth) == findings(events)
    assert [event["event"] for event in truth] == [event["event"] for event in events]


@pytest.mark.rule("GDO-54", "GDO-37")
@pytest.mark.parametrize(
    ("profile", "fault"),
    [
        ("guandan-official", "late_play"),
        ("guandan-official", "late_return"),
        ("guandan-event", "taken_back"),
        ("shengji-event", "exposed_card"),
        ("shengji-official-2", "throw_stopped"),
    ],
)
def test_a_planted_fault_stays_what_it_is(profile: str, fault: str) -> None:
    planted = plant(fault, load_profile(profile), random.Random(2))
    assert findings(staged(planted.events).truth) == findings(planted.events)


def test_what_is_seen_and_what_is_told_is_all_that_happened() -> None:
    done = played("guandan-official")
    seen = [event for event in done.truth if event["seq"] in done.rests]
    told = [
        {k: v for k, v in event.items() if k != "seq"}
        for event in done.truth
        if event["seq"] not in done.rests
    ]
    assert told == done.inputs
    assert {event["event"] for event in seen} == {"play", "tribute", "tribute_return"}
    assert all(event["source"] == "camera" for event in seen)


def test_with_plaques_no_box_tells_anything() -> None:
    done = played("guandan-official", HARD)
    assert not [event for event in done.inputs if event["event"] == "pass"]
    assert {event["source"] for event in done.inputs} == {"referee"}


@pytest.mark.parametrize("how", [USUAL, HARD], ids=["usual", "hard"])
@pytest.mark.parametrize("profile", ["guandan-official", "shengji-official-2"])
def test_every_card_of_a_play_lies_in_its_seats_zone_left_to_right(profile: str, how: Conditions) -> None:
    done = played(profile, how)
    zones = play_zones()
    for event in done.truth:
        if event["event"] != "play":
            continue
        zone = zones[event["seat"]]
        right = (zone.corners[1] - zone.corners[0]) / zone.size[0]
        down = (zone.corners[3] - zone.corners[0]) / zone.size[1]
        along = []
        for thing in done.laid[event["seq"]]:
            offset = (thing.x - zone.centre[0], thing.y - zone.centre[1])
            u, v = (float(offset @ axis) for axis in (right, down))
            assert abs(u) < zone.size[0] / 2 - CARD[0] / 2
            assert abs(v) < zone.size[1] / 2 - CARD[1] / 2
            along.append((u, thing.what))
        assert " ".join(what for _, what in sorted(along)) == event["cards"]


def test_cards_lie_there_from_the_moment_that_the_record_names() -> None:
    done = played("guandan-event", HARD)
    lie = Lie(done.timeline)
    for seq, at in done.rests.items():
        mine = {thing.key for thing in done.laid[seq]}
        before = {thing.key for thing in lie.until(at - 0.02)}
        assert mine <= {thing.key for thing in lie.until(at)}, seq
        assert not mine <= before, seq


def test_a_hand_does_one_thing_at_a_time() -> None:
    done = played("shengji-official-2", HARD)
    for seat in range(4):
        trips = sorted((trip.start, trip.end) for trip in done.timeline.trips if trip.seat == seat)
        assert all(end <= start + 1e-6 for (_, end), (start, _) in pairwise(trips))


def test_a_trick_is_gone_before_the_next_is_led() -> None:
    done = played("guandan-official")
    lie = Lie(done.timeline)
    plays = [event for event in done.truth if event["event"] == "play"]
    referee = Referee()
    for event in done.truth:
        state = referee.state
        if event["event"] == "play" and state is not None and state.deal.trick.open:
            things = lie.until(event["at"])
            earlier = {play["seq"] for play in plays if play["seq"] < event["seq"]}
            assert not [thing for thing in things if thing.face_up and thing.of in earlier]
        referee.push(event_from_json(event))


@pytest.mark.rule("SJO-29")
def test_after_a_throw_has_failed_only_what_must_stay_lies_there() -> None:
    done = staged(plant("throw_stopped", load_profile("shengji-official-2"), random.Random(1)).events)
    event = next(event for event in done.truth if event["event"] == "throw_forced")
    thrown = next(e for e in reversed(done.truth[: event["seq"]]) if e["event"] == "play")
    lying = [t for t in Lie(done.timeline).until(event["at"]) if t.of == thrown["seq"]]
    assert [thing.what for thing in lying] == event["cards"].split()
