"""Simulated Guandan: deals by the rules raise nothing; each planted fault is found at once, nothing else."""

from __future__ import annotations

import os
import random
from collections import Counter

import pytest

from devices.simulator.bots import Habits, play_match
from devices.simulator.faults import faults_of, plant
from table.cards import Card, full_packs, parse_cards
from table.rulesets import load_profile
from tests.simulated_records import found_in, judged

PROFILES = ("guandan-official", "guandan-event")
DEALS = int(os.environ.get("PAIZHUO_DEALS", "60"))
"""Deals by the rules; one record with each fault is made for every 30 of them."""

RULES: dict[str, tuple[str, str]] = {
    "not_a_combination": ("GDO-64", "GDE-36"),
    "does_not_beat": ("GDO-64", "GDE-36"),
    "doubtful_reading": ("GDO-64", "GDE-36"),
    "out_of_turn": ("GDO-38", "GDE-34"),
    "out_of_turn_pass": ("GDO-39", "GDE-29"),
    "wrong_leader": ("GDO-30 GDO-34 GDO-35", "GDE-20 GDE-21 GDE-22 GDE-23 GDE-24"),
    "wrong_later_leader": ("GDO-40 GDO-41", "GDE-34 GDE-14"),
    "wrong_drawn_leader": ("GDO-19", "GDE-16"),
    "late_play": ("GDO-54", "GDE-31"),
    "late_lead": ("GDO-53", "GDE-31"),
    "late_tribute": ("GDO-36", ""),  # GDE has no time for tribute
    "late_return": ("GDO-37", "GDE-31"),
    "count_not_called": ("GDO-55", "GDE-30"),
    "count_wrong": ("GDO-55", "GDE-30"),
    "count_repeated": ("GDO-55", ""),
    "count_asked_wrongly": ("GDO-55", ""),  # asking is allowed under GDE-30
    "tribute_not_highest": ("GDO-26", "GDE-20 GDE-22"),
    "tribute_not_highest_sealed": ("GDO-26", "GDE-20"),
    "tribute_missing": ("GDO-26", "GDE-20"),
    "return_too_high": ("GDO-28", "GDE-20"),
    "return_too_high_sealed": ("GDO-28", "GDE-20"),
    "refusal_not_entitled": ("GDO-35", "GDE-21 GDE-24"),
    "wild_misplaced": ("GDO-48", ""),  # GDE has no rule about the layout
    "ambiguous_wild": ("GDO-48", "GDE-04"),
    "exposed_card": ("GDO-49", ""),
    "taken_back": ("GDO-50", "GDE-38"),
    "card_impossible": ("GDO-24", "GDE-01"),
    "card_count": ("GDO-24", "GDE-01"),
    "gestures": ("", "GDE-35"),
    "warning_limit": ("", "GDE-31"),  # GDO has no penalties (GDO-63)
    "forfeit": ("", "GDE-33"),
}
"""Fault to the rules that its findings may cite under each of `PROFILES`; empty: there is no such rule."""

CASES = [
    (name, profile, ids.split())
    for name, both in RULES.items()
    for profile, ids in zip(PROFILES, both, strict=True)
]


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


@pytest.mark.rule("GDE-27", "GDE-28", "GDO-57")
def test_the_third_failure_at_the_ace_leads_back_by_both_accounts() -> None:
    script = play_match(
        load_profile("guandan-event"),
        random.Random(6),
        deals=10,
        habits=Habits(slow=1.0),
        levels=("K", "K"),
        options={"format.kind": "levels"},
    )
    played = [event["level"] for event in script.events if event["event"] == "deal_started"]
    assert played[:5] == ["K", "A", "A", "A", "2"]
    assert found_in(script.events) == []


@pytest.mark.parametrize(
    ("name", "profile", "rules"),
    [
        pytest.param(*case, marks=pytest.mark.rule(*case[2]), id=f"{case[0]}-{case[1]}")
        for case in CASES
        if case[2]
    ],
)
def test_a_planted_fault_is_found_when_it_can_be_proven_and_nothing_else(
    name: str, profile: str, rules: list[str]
) -> None:
    rng = random.Random(f"{name} {profile}")
    for _ in range(max(1, DEALS // 30)):
        planted = plant(name, load_profile(profile), rng)
        expected = sorted(planted.expected, key=lambda item: (item.known_at, item.kind))
        found = found_in(planted.events)
        assert found == expected
        assert {item.rule for item in found} <= set(rules)


@pytest.mark.parametrize(
    ("name", "profile"), [pytest.param(*case[:2], id=f"{case[0]}-{case[1]}") for case in CASES if not case[2]]
)
def test_a_fault_without_a_rule_finds_no_occasion(name: str, profile: str) -> None:
    with pytest.raises(LookupError, match="no occasion"):
        plant(name, load_profile(profile), random.Random(1), tries=3)


def test_every_fault_is_planted() -> None:
    assert set(RULES) == set(faults_of("guandan"))


@pytest.mark.parametrize("profile", PROFILES)
def test_a_misread_play_that_is_corrected_leaves_nothing(profile: str) -> None:
    rng = random.Random(2)
    events = play_match(load_profile(profile), rng, deals=1).events
    right = rng.choice([event for event in events if event["event"] == "play"])
    misread = [{**event, "cards": "S3 LJ"} if event is right else event for event in events]
    assert found_in(misread) != []
    correction = {"event": "correction", "of": right["seq"], "replacement": right}
    assert found_in([*misread, {"seq": len(events) + 1, "at": events[-1]["at"], **correction}]) == []


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
