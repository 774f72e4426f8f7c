"""The Shengji half of `paizhuo bench rules`: how fast leads are read, follows judged and tricks decided."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Final

from devices.simulator.bots import Habits, play_match
from table.cards import parse_cards
from table.rulesets import load_profile
from table.shengji.follow import follow
from table.shengji.formats import best_reading
from table.shengji.keys import rules_of
from table.shengji.tricks import trick

PROFILES: Final = ("shengji-official-2", "shengji-event")


def bench_shengji(
    seconds: float = 2.0, seed: int = 1, clock: Callable[[], float] = time.perf_counter
) -> list[tuple[str, float, str]]:
    """Name, value and unit of each figure: follows and tricks a second, two and three packs.

    Args:
        seconds: how long each rate is measured.
        seed: of the simulated deal that the positions come from.
        clock: seconds that only run forward.
    """
    found = []
    for profile in PROFILES:
        follows, tricks = _positions(profile, seed)
        for name, work in (("follow", follows), ("trick", tricks)):
            found.append((f"shengji {name}, {profile}", _rate(work, seconds, clock), "a second"))
    return found


def _positions(profile: str, seed: int) -> tuple[list[Callable[[], object]], list[Callable[[], object]]]:
    """Calls that judge each follow and decide each trick of a simulated deal."""
    script = play_match(load_profile(profile), random.Random(seed), deals=1, habits=Habits())
    rules = rules_of(load_profile(profile))
    follows: list[Callable[[], object]] = []
    tricks: list[Callable[[], object]] = []
    plays = [event for event in script.events if event["event"] == "play"]
    for number in range(0, len(plays), 4):
        four = [parse_cards(event["cards"]) for event in plays[number : number + 4]]
        order = script.truth[plays[number]["seq"]].order
        lead = best_reading(four[0], order)
        tricks.append(lambda lead=lead, four=four, order=order: trick(lead, four, order, rules.ruff))  # type: ignore[misc]
        for event, cards in zip(plays[number + 1 : number + 4], four[1:], strict=True):
            hand = script.truth[event["seq"] - 1].hands[event["seat"]]
            follows.append(
                lambda lead=lead, hand=hand, cards=cards, order=order: follow(  # type: ignore[misc]
                    lead, hand, cards, order, rules.follow
                )
            )
    return follows, tricks


def _rate(work: list[Callable[[], object]], seconds: float, clock: Callable[[], float]) -> float:
    """Calls a second, going round the list."""
    started = clock()
    done = 0
    while True:
        for call in work:
            call()
        done += len(work)
        spent = clock() - started
        if spent >= seconds:
            return done / spent
