"""Each hard condition of the bench really does to a match what its line says."""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
import pytest

from api.hard_conditions import HARD, touched
from api.table_bench import Match, matches, simulated
from devices.simulator.decks import demo_deck
from devices.simulator.motions import Lie
from devices.simulator.table import SimulatedTable
from table.rulesets import load_profile

DECK = demo_deck()


@cache
def hard(name: str) -> SimulatedTable:
    how, cameras = HARD[name]
    match: Match = next(iter(matches(load_profile("guandan-official"), 1, 7, how)))
    return simulated(match, DECK, cameras)


def plays(table: SimulatedTable) -> int:
    return sum(event["event"] == "play" for event in table.seen)


@pytest.mark.parametrize("name", list(HARD))
def test_it_touches_plays_of_the_match(name: str) -> None:
    table = hard(name)
    assert 1 <= touched(table) <= plays(table)


@pytest.mark.parametrize("name", ["glare", "blur", "turned 20 degrees", "steps of 12 mm", "8 fps"])
def test_light_lens_and_pace_touch_every_play(name: str) -> None:
    assert touched(hard(name)) == plays(hard(name)) > 20


@pytest.mark.parametrize("name", ["one of two cameras gone", "camera knocked by 10 mm", "frozen frames"])
def test_a_fault_strikes_while_a_trick_lies_on_the_table(name: str) -> None:
    table = hard(name)
    (fault,) = table.how.faults
    lying = Lie(table.timeline).until(fault.at)
    numbers = {thing.of for thing in lying if thing.face_up}
    laid = [event["seq"] for event in table.seen if event["event"] == "play" and event["seq"] in numbers]
    following = min(table.rests[seq] for seq in table.rests if table.rests[seq] > fault.at)
    assert laid
    assert following - fault.at < 2.0


def test_the_frames_of_a_frozen_camera_do_not_change() -> None:
    table = hard("frozen frames")
    (fault,) = table.how.faults
    source = table.sources()[0]
    source.start_at(fault.at - 0.2)
    frames = [source.read() for _ in range(8)]
    images = [frame.image for frame in frames if frame is not None and fault.holds(frame.at)]
    assert len(images) > 3
    assert all(np.array_equal(a, b) for a, b in pairwise(images))


def test_all_plays_of_three_and_more_are_laid_in_two_goes() -> None:
    table = hard("laid in two goes")
    several = [e for e in table.seen if e["event"] == "play" and len(e["cards"].split()) > 2]
    assert touched(table) == len(several) > 5


def test_every_later_play_of_a_trick_lies_over_the_one_before() -> None:
    table = hard("slid over the earlier play")
    lie = Lie(table.timeline)
    later = 0
    for event in table.seen:
        if event["event"] == "play":
            lying = {t.of for t in lie.until(table.rests[event["seq"]] - 0.01) if t.face_up}
            mine = {e["seq"] for e in table.seen if e["event"] == "play" and e["seat"] == event["seat"]}
            later += bool((lying & mine) - {event["seq"]})
    assert touched(table) == later > 2
