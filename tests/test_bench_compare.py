"""Comparing a seen record with the true one: what counts as wrong, as silent, as found and as invented."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from api.compare import Tally, paired
from devices.simulator.bots import play_match
from devices.simulator.faults import plant
from table.cards import Card
from table.event_json import event_from_json
from table.events import Event, Play, UnknownEvent
from table.rulesets import load_profile
from table.session import replay

PROFILE = load_profile("guandan-official")


def match(seed: int = 5) -> list[Event]:
    return [event_from_json(e) for e in play_match(PROFILE, random.Random(seed), deals=1).events]


def changed(events: list[Event], **fields: Any) -> tuple[list[Event], Play]:
    """The third play of at least two cards, with its first card turned into another one."""
    plays = [e for e in events if isinstance(e, Play) and len(e.cards) > 1]
    play = plays[2]
    other = Card.parse("D3") if play.cards[0] != Card.parse("D3") else Card.parse("C4")
    wrong = replace(play, cards=(other, *play.cards[1:]), **fields)
    return [wrong if e.seq == play.seq else e for e in events], play


def tally(true: list[Event], seen: list[Event]) -> Tally:
    counted = Tally()
    counted.add(PROFILE, true, seen)
    return counted


def test_the_same_record_has_no_differences() -> None:
    events = match()
    counted = tally(events, events)
    assert (counted.cards_wrong, counted.silent_misreads, counted.invented) == (0, 0, 0)
    assert counted.plays == counted.plays_exact > 20
    assert counted.differences == []


def test_a_wrong_card_counts_once_and_is_silent_unless_the_event_says_that_it_is_in_doubt() -> None:
    events = match()
    silent, _ = changed(events)
    told, _ = changed(events, confidence=0.4)
    assert tally(events, silent).cards_wrong == tally(events, told).cards_wrong == 1
    assert tally(events, silent).silent_misreads == 1
    assert tally(events, told).silent_misreads == 0


def test_a_play_that_nobody_saw_is_wrong_with_all_its_cards_and_silent() -> None:
    events = match()
    play = next(e for e in events if isinstance(e, Play) and len(e.cards) >= 3)
    counted = tally(events, [e for e in events if e is not play])
    assert counted.silent_misreads >= len(play.cards)
    assert counted.plays_exact == counted.plays - 1


def test_a_missed_play_is_not_silent_where_the_record_names_the_gap() -> None:
    events = match()
    at = next(i for i, e in enumerate(events) if isinstance(e, Play) and len(e.cards) >= 3)
    gap = UnknownEvent(seq=events[at].seq, kind="missing", extra={"seat": 0, "why": "unnoticed"})
    counted = tally(events, [*events[:at], gap, *events[at + 1 :]])
    assert (counted.silent_misreads, counted.missed_named) == (0, counted.cards_wrong)
    later = [replace(e, seq=e.seq) for e in events if e is not events[at]]
    assert tally(events, [*later[:-1], gap, later[-1]]).silent_misreads >= len(events[at].cards)


def test_a_finding_elsewhere_in_the_match_does_not_pass_for_the_planted_one() -> None:
    planted = [event_from_json(e) for e in plant("does_not_beat", PROFILE, random.Random(3)).events]
    claim = next(iter(replay(planted)[0].findings().values()))
    late = [replace(e, at=(e.at or 0) + 900) for e in planted if e.seq >= claim.event]
    counted = tally(planted, [e for e in planted if e.seq < claim.event] + late)
    assert counted.planted_found < counted.planted


def test_order_matters_for_exactness_only() -> None:
    events = match()
    play = next(e for e in events if isinstance(e, Play) and len(set(e.cards)) > 1)
    turned = replace(play, cards=play.cards[::-1])
    counted = tally(events, [turned if e is play else e for e in events])
    assert counted.cards_wrong == 0
    assert counted.plays_exact == counted.plays - 1


def test_plays_are_paired_by_seat_and_time() -> None:
    events = [e for e in match() if isinstance(e, Play)]
    later = [replace(e, at=(e.at or 0) + 0.3) for e in events]
    assert all(p.true is not None and p.seen is not None and p.exact for p in paired(events, later[::-1]))


def test_a_play_that_nobody_saw_being_laid_is_still_the_true_one() -> None:
    events = match()
    play = next(e for e in events if isinstance(e, Play) and len(e.cards) >= 3)
    untimed = [replace(e, at=None) if e is play else e for e in events]
    assert tally(events, untimed).cards_wrong == 0


@pytest.mark.parametrize("name", ["does_not_beat", "out_of_turn"])
def test_a_planted_fault_is_found_or_missed(name: str) -> None:
    planted = plant(name, PROFILE, random.Random(3))
    events = [event_from_json(e) for e in planted.events]
    counted = tally(events, events)
    assert counted.planted == counted.planted_found >= 1
    clean = match()
    assert tally(clean, events).invented >= 1
