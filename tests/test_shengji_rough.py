"""Records that are wrong in every way are recorded all the same, and judged without an error."""

from __future__ import annotations

import os
import random

import pytest

from devices.simulator.bots import Habits, play_match
from table.cards import ALL_CARDS
from table.event_json import event_from_json
from table.rulesets import load_profile
from table.session import Referee

ROUNDS = int(os.environ.get("PAIZHUO_DEALS", "30")) // 3
LATE = (
    "throw_stopped",
    "throw_forced",
    "exposed",
    "taken_back",
    "trump_shown",
    "kitty_laid",
    "kitty_taken",
    "dealt",
)


def _spoilt(events: list[dict], rng: random.Random) -> list[dict]:
    """The events, some of them lost, doubled, moved, given to others, of other cards, and some made up."""
    spoilt: list[dict] = []
    for event in events:
        event = {key: value for key, value in event.items() if key not in ("seq", "at")}
        what = rng.randrange(40)
        if what == 0:
            continue
        if what == 1 and "seat" in event:
            event["seat"] = rng.randrange(4)
        if what == 2 and "cards" in event:
            event["cards"] = " ".join(map(str, rng.choices(ALL_CARDS, k=rng.randrange(5))))
        if what == 3 and event["event"] == "play":
            event["alternatives"] = [["H3 H3", 0.3]]
        if what == 4:
            cards = " ".join(map(str, rng.choices(ALL_CARDS, k=rng.randint(1, 3))))
            spoilt.append({"event": rng.choice(LATE), "seat": rng.randrange(4), "cards": cards})
        if what == 5:
            spoilt.append(dict(event))
        if what == 6 and event["event"] == "deal_started":
            event["level"], event["trump"] = rng.choice(("NT", "J")), rng.choice(("NT", "H"))
        spoilt.append(event)
        if what == 7 and len(spoilt) > 2:
            spoilt[-1], spoilt[-2] = spoilt[-2], spoilt[-1]
    return [events[0], *(event for event in spoilt if event["event"] != "match_started")]


@pytest.mark.parametrize("profile", ["shengji-official-1", "shengji-official-2", "shengji-event"])
def test_recording_never_refuses_and_judging_never_fails(profile):
    rng = random.Random(profile)
    for number in range(max(2, ROUNDS // 3)):
        script = play_match(load_profile(profile), rng, deals=2, habits=Habits(sealed=number % 2 == 0))
        referee = Referee()
        for event in _spoilt(script.events, rng):
            referee.push(event_from_json(event))
        for number in referee.findings():
            line = referee.finding_line(number)
            assert line is not None
            assert "{" not in line["text"]["zh"] + line["text"]["en"]


def test_a_record_replays_to_the_same_state_and_findings():
    rng = random.Random(4)
    script = play_match(load_profile("shengji-event"), rng, deals=1)
    events = [event_from_json(event) for event in _spoilt(script.events, rng)]
    states = []
    for _ in range(2):
        referee = Referee()
        lines = [line for event in events for line in referee.push(event)]
        states.append((referee.state, lines))
    assert states[0] == states[1]
