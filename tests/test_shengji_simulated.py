"""Simulated Shengji: deals by the rules raise nothing; each planted fault is found at once, nothing else."""

from __future__ import annotations

import os
import random

import pytest

from devices.simulator.bots import Habits, play_match
from devices.simulator.faults import faults_of, plant
from table.rulesets import load_profile
from tests.simulated_records import found_in, judged

PROFILES = (
    "shengji-official-1", "shengji-official-2", "shengji-official-3", "shengji-event", "shengji-event-final",
)  # fmt: skip
DEALS = int(os.environ.get("PAIZHUO_DEALS", "30"))
"""Deals by the rules for each profile; one record with each fault is made for every 30 of them."""

EVENT_ONLY = {"taken_back", "exposed_card", "information", "early_kitty"}
NEEDS_PAIRS = {"shape_not_followed", "declaration_weaker"}
CASES = [
    (name, profile)
    for name in faults_of("shengji")
    for profile in PROFILES
    if not (name in EVENT_ONLY and "official" in profile)
    and not (name in NEEDS_PAIRS and profile.endswith("-1"))
]  # fmt: skip


@pytest.mark.rule("SJO-10", "SJO-21", "SJO-22", "SJO-33", "SJO-47", "SJO-53", "SJE-50")
@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("sealed", [False, True], ids=["open", "sealed"])
def test_deals_by_the_rules_raise_nothing(profile: str, sealed: bool) -> None:
    """Nothing stands at the end; only what hidden cards could explain was ever said, where they can."""
    rng = random.Random(f"{profile} {sealed}")
    left = max(1, DEALS // 3 if sealed else DEALS - DEALS // 3)
    while left > 0:
        script = play_match(
            load_profile(profile),
            rng,
            deals=min(left, 10),
            habits=Habits(sealed=sealed, slow=3.0, gap=(5, 10)),
        )
        left -= sum(event["event"] == "kitty_revealed" for event in script.events)
        referee, lines = judged(script.events)
        assert referee.findings() == {}
        said = {line["certainty"] for _, line in lines if "kind" in line}
        assert said <= ({"provisional"} if "event" in profile and not sealed else set())


@pytest.mark.rule("SJO-51", "SJO-53", "SJO-54")
@pytest.mark.parametrize("profile", PROFILES)
def test_the_referee_s_account_of_a_match_is_the_bots_own(profile: str) -> None:
    rng = random.Random(11)
    script = play_match(load_profile(profile), rng, deals=4, habits=Habits(slow=1.0))
    referee, _ = judged(script.events)
    assert referee.state is not None
    starts = [event for event in script.events if event["event"] == "deal_started" and "banker" in event]
    results = [result for result in referee.state.results.values() if "points" in result]
    for result, following in zip(results, starts, strict=False):
        assert result["next_banker"] == following["banker"]
        assert result["levels"][following["banker"] % 2] == following["level"]


@pytest.mark.parametrize(("name", "profile"), CASES, ids=[f"{name}-{profile}" for name, profile in CASES])
def test_a_planted_fault_is_found_when_it_can_be_proven_and_nothing_else(name: str, profile: str) -> None:
    rng = random.Random(f"{name} {profile}")
    for _ in range(max(1, DEALS // 30)):
        planted = plant(name, load_profile(profile), rng)
        expected = sorted(planted.expected, key=lambda item: (item.known_at, item.kind))
        assert found_in(planted.events) == expected


@pytest.mark.parametrize("name", sorted(EVENT_ONLY))
def test_a_fault_without_a_rule_finds_no_occasion(name: str) -> None:
    with pytest.raises(LookupError, match="no occasion"):
        plant(name, load_profile("shengji-official-2"), random.Random(1), tries=3)
