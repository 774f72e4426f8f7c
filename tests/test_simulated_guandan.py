"""Simulated Guandan: deals by the rules raise nothing; each planted fault is found at once, nothing else."""

from __future__ import annotations

import os
import random
from collections import Counter
from typing import Any

import pytest

from devices.simulator.bots import Habits, play_match
from devices.simulator.faults import Expected, Record, faults_of, plant
from table.cards import Card, full_packs, parse_cards
from table.events import event_from_json
from table.rulesets import load_profile
from table.session import Referee

PROFILES = ("guandan-official", "guandan-event")
DEALS = int(os.environ.get("PAIZHUO_DEALS", "60"))
"""Deals by the rules; one record with each fault is made for every 30 of them."""

ONLY_UNDER = {
    "late_tribute": ["guandan-official"],  # GDE has no time for tribute
    "count_asked_wrongly": ["guandan-official"],  # asking is allowed under GDE-30
    "wild_misplaced": ["guandan-official"],  # GDE has no rule about the layout
    "exposed_card": ["guandan-official"],
    "count_repeated": ["guandan-official"],
    "gestures": ["guandan-event"],
    "warning_limit": ["guandan-event"],  # GDO has no penalties (GDO-63)
    "forfeit": ["guandan-event"],
}
CASES = [
    (name, profile)
    for name in faults_of("guandan")
    for profile in ONLY_UNDER.get(name, PROFILES)
]  # fmt: skip


def judged(events: Record) -> tuple[Referee, list[tuple[int, dict[str, Any]]]]:
    """The referee after a record, and each line with the number of the event at which it came."""
    referee = Referee()
    lines = []
    for event in events:
        lines += [(event["seq"], line) for line in referee.push(event_from_json(event))]
    assert referee.troubles == []
    return referee, lines


def found_in(events: Record) -> list[Expected]:
    """The findings that stand at the end, each with the event at which it first was as sure as it is now."""
    referee, lines = judged(events)
    standing = referee.findings()
    first: dict[int, Expected] = {}
    for number, line in lines:
        if "kind" not in line or line["finding"] not in standing:
            continue
        found = Expected(line["kind"], line["seat"], number, line["rule"] or "", line["certainty"])
        known = first.get(line["finding"])
        if known is None or known.certainty != found.certainty:
            first[line["finding"]] = found
    return sorted(first.values(), key=lambda item: (item.known_at, item.kind))


@pytest.mark.rule("GDO-38", "GDO-39", "GDO-40", "GDO-41", "GDO-42", "GDO-56", "GDE-14", "GDE-26")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_deals_by_the_rules_raise_nothing(profile: str, sealed: bool) -> None:
    rng = random.Random(f"{profile} {sealed}")
    left = DEALS // 4
    while left > 0:
        script = play_match(
            load_profile(profile), rng, deals=left, habits=Habits(sealed=sealed, slow=3.0, gap=(5, 10))
        )
        left -= sum(event["event"] == "deal_started" for event in script.events)
        assert found_in(script.events) == []


@pytest.mark.rule("GDO-02", "GDO-03", "GDO-56", "GDO-57", "GDO-58", "GDE-26", "GDE-28")
@pytest.mark.parametrize("profile", PROFILES)
def test_a_match_of_bots_is_won_by_the_referee_s_account(profile: str) -> None:
    script = play_match(load_profile(profile), random.Random(5), levels=("Q", "Q"), habits=Habits(slow=1.0))
    referee, _ = judged(script.events)
    (line,) = referee.finish()
    assert line["match"]["winner"] in (0, 1)
    started = [event["level"] for event in script.events if event["event"] == "deal_started"]
    results = [result["levels"] for result in referee.state.results.values()] if referee.state else []
    assert len(results) == len(started)


@pytest.mark.parametrize(("name", "profile"), CASES, ids=[f"{name}-{profile}" for name, profile in CASES])
def test_a_planted_fault_is_found_when_it_can_be_proven_and_nothing_else(name: str, profile: str) -> None:
    rng = random.Random(f"{name} {profile}")
    for _ in range(max(1, DEALS // 30)):
        planted = plant(name, load_profile(profile), rng)
        expected = sorted(planted.expected, key=lambda item: (item.known_at, item.kind))
        assert found_in(planted.events) == expected


@pytest.mark.parametrize("name", sorted(ONLY_UNDER))
def test_a_fault_without_a_rule_finds_no_occasion(name: str) -> None:
    for profile in PROFILES:
        if profile not in ONLY_UNDER[name]:
            with pytest.raises(LookupError, match="no occasion"):
                plant(name, load_profile(profile), random.Random(1), tries=3)


def test_equal_seeds_give_equal_records() -> None:
    profile = load_profile("guandan-official")
    one, two = (play_match(profile, random.Random(7), deals=2).events for _ in range(2))
    assert one == two
    assert play_match(profile, random.Random(8), deals=2).events != one


def test_a_sealed_deal_is_two_packs_and_plays_come_from_it() -> None:
    script = play_match(
        load_profile("guandan-official"), random.Random(3), deals=1, habits=Habits(sealed=True)
    )
    dealt = [parse_cards(event["cards"]) for event in script.events if event["event"] == "dealt"]
    assert [len(hand) for hand in dealt] == [27] * 4
    assert sum((Counter(hand) for hand in dealt), Counter[Card]()) == full_packs(2)
    for event in script.events:
        if event["event"] == "play":
            played = Counter(parse_cards(event["cards"]))
            assert not played - Counter(dealt[event["seat"]])
