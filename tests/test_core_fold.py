"""The fold: a record replays to the same state; corrections there and back change nothing."""

from __future__ import annotations

import json
import random
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from devices.simulator.bots import play_match
from table.clock import AT_REST, Wait
from table.event_json import event_from_json, event_to_json
from table.events import EVENT_TYPES, Correction, DealStarted, Event, MatchStarted, Pass, Play, Ruling
from table.journal import GENESIS, chained
from table.record import format_event, format_record, parse_record
from table.referee import apply, judge, open_match, step
from table.rulesets import load_profile
from table.session import Referee, replay
from table.snapshot import snapshot

SLOW = settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))


@cache
def match_of(seed: int, profile: str, deals: int = 2) -> tuple[Event, ...]:
    script = play_match(load_profile(profile), random.Random(seed), deals=deals)
    return tuple(event_from_json(event) for event in script.events)


matches = st.builds(match_of, st.integers(0, 4), st.sampled_from(["guandan-official", "guandan-event"]))


def broken(events: tuple[Event, ...], rng: random.Random) -> list[Event]:
    """The events with some things gone wrong, so that there is something to find."""
    made = list(events)
    for _ in range(3):
        place = rng.randrange(3, len(made))
        event = made[place]
        if isinstance(event, Play | Pass):
            seat = rng.randrange(4)
            made[place] = Pass(seat=seat, seq=event.seq, at=event.at)
    return made


@SLOW
@given(matches, st.randoms(use_true_random=False))
def test_a_record_replays_to_the_live_state_byte_for_byte(
    events: tuple[Event, ...], rng: random.Random
) -> None:
    made = broken(events, rng)
    live, lines = replay(made)
    again, same = replay(parse_record(format_record(made)).events)
    assert snapshot(live.state) == snapshot(again.state)
    assert lines == same
    assert live.state == again.state


@SLOW
@given(matches, st.data())
def test_any_prefix_of_a_record_is_a_record(events: tuple[Event, ...], data: st.DataObject) -> None:
    cut = data.draw(st.integers(0, len(events)))
    whole = Referee()
    states = []
    for event in events:
        whole.push(event)
        states.append(whole.state)
    part, _ = replay(list(events[:cut]))
    assert part.state == (states[cut - 1] if cut else None)


@SLOW
@given(matches, st.data(), st.randoms(use_true_random=False))
def test_correcting_an_event_and_correcting_it_back_changes_nothing(
    events: tuple[Event, ...], data: st.DataObject, rng: random.Random
) -> None:
    made = broken(events, rng)
    referee, _ = replay(made)
    state, findings = snapshot(referee.state), referee.findings()
    places = [place for place, event in enumerate(made) if isinstance(event, Play | Pass)]
    event = made[data.draw(st.sampled_from(places))]
    other = {"event": "play", "seat": rng.randrange(4), "cards": rng.choice(["S3", "H9 H9", "BJ BJ LJ LJ"])}
    referee.push(Correction(of=event.seq, replacement=other))
    referee.push(Correction(of=event.seq, replacement=event_to_json(event)))
    assert snapshot(referee.state) == state
    assert referee.findings() == findings


@SLOW
@given(matches, st.data(), st.randoms(use_true_random=False))
def test_a_correction_gives_the_state_of_the_record_that_had_it_right(
    events: tuple[Event, ...], data: st.DataObject, rng: random.Random
) -> None:
    wrong = broken(events, rng)
    referee, _ = replay(wrong)
    for bad, good in zip(wrong, events, strict=True):
        if bad != good:
            referee.push(Correction(of=good.seq, replacement=event_to_json(good)))
    right, _ = replay(list(events))
    assert referee.state == right.state
    assert set(referee.findings().values()) == set() == set(right.findings().values())


@SLOW
@given(matches, st.randoms(use_true_random=False))
def test_the_live_state_is_the_fold_of_the_events_as_they_count(
    events: tuple[Event, ...], rng: random.Random
) -> None:
    referee, _ = replay(broken(events, rng))
    for _ in range(4):
        number = rng.choice(list(referee.findings()) or [1])
        referee.push(Ruling(finding=number, decision=rng.choice(["upheld", "dismissed"])))
        seq = rng.randrange(4, len(events))
        other = {"event": "pass", "seat": rng.randrange(4)}
        referee.push(Correction(of=seq, replacement=rng.choice([other, None]), void=rng.random() < 0.3))
    first, *rest = referee.effective()
    assert isinstance(first, MatchStarted)
    state = open_match(first)
    for event in rest:
        state = step(state, event)
    assert snapshot(state) == snapshot(referee.state)


@SLOW
@given(matches, st.randoms(use_true_random=False))
def test_no_record_however_broken_ends_in_an_exception(events: tuple[Event, ...], rng: random.Random) -> None:
    data = [event_to_json(event) for event in events]
    words: list[Any] = ["S3", "S99", "", None, 7, -1, "BJ LJ", [0, 1], {"event": "pass"}, "upheld", True]
    for _ in range(12):
        victim = rng.choice(data)
        victim["event"] = rng.choice([victim["event"], *EVENT_TYPES])
        victim[rng.choice(["seat", "cards", "card", "at", "seq", "of", "to", "count", "seats"])] = rng.choice(
            words
        )
    text = "".join(json.dumps(item) + "\n" for item in data)
    record = parse_record(text[: rng.randrange(len(text))])
    _, lines = replay(record.events)
    assert json.dumps(lines)
    assert all(problem.line >= 1 for problem in record.problems)


@SLOW
@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=8), st.data())
def test_the_chain_of_a_prefix_is_a_prefix_of_the_chain(bodies: list[str], data: st.DataObject) -> None:
    def chain(items: list[str]) -> list[str]:
        digests, last = [], GENESIS
        for body in items:
            last = chained(last, body)
            digests.append(last)
        return digests

    cut = data.draw(st.integers(0, len(bodies)))
    assert chain(bodies[:cut]) == chain(bodies)[:cut]


def test_apply_records_without_judging_and_judge_judges_without_recording() -> None:
    start = open_match(MatchStarted(profile="guandan-official", seq=1))
    deal = step(start, DealStarted(level="2", seq=2))
    led = step(deal, Play(seat=0, cards=(match_card("S9"),), seq=3))
    wrong = Play(seat=1, cards=(match_card("S8"),), seq=4)
    after = apply(led, wrong)
    assert after.claims == {}
    found = judge(led, wrong, after)
    assert [claim.key[0] for claim in found] == ["does_not_beat"]
    assert judge(led, wrong, after) == found


def match_card(name: str):  # type: ignore[no-untyped-def]
    from table.cards import Card

    return Card.parse(name)


def test_findings_are_all_of_an_event_not_the_first() -> None:
    start = open_match(MatchStarted(profile="guandan-event", seq=1))
    state = step(
        step(start, DealStarted(level="2", seq=2)), Play(seat=0, cards=(match_card("S9"),), seq=3, at=0.0)
    )
    state = step(state, Play(seat=2, cards=(match_card("S8"), match_card("H7")), seq=4, at=99.0))
    assert {claim.kind for claim in state.claims.values()} == {"timeout", "out_of_turn", "not_a_combination"}


def test_events_outside_a_match_or_deal_are_reported_once_and_the_rest_judged() -> None:
    events = parse_record(
        '{"event": "pass", "seat": 1}\n{"event": "pass", "seat": 2}\n'
        '{"event": "match_started", "profile": "guandan-official"}\n{"event": "pass", "seat": 2}\n'
        '{"event": "deal_started", "level": "2"}\n{"event": "play", "seat": 0, "cards": "S3 H4"}\n'
    ).events
    referee, lines = replay(events)
    assert [trouble.seq for trouble in referee.troubles] == [1, 4]
    assert "expected match_started first" in referee.troubles[0].text
    assert [line["kind"] for line in lines if "kind" in line] == ["not_a_combination"]


def test_corrections_and_rulings_of_nothing_are_reported() -> None:
    referee, _ = replay(list(match_of(1, "guandan-official", 1)))
    referee.push(event_from_json({"event": "correction", "of": 9999, "void": True}))
    referee.push(event_from_json({"event": "ruling", "finding": 77, "decision": "upheld"}))
    referee.push(
        event_from_json({"event": "correction", "of": 5, "replacement": {"event": "play", "seat": 9}})
    )
    assert ["no event" in referee.troubles[0].text, "no such finding" in referee.troubles[1].text,
            "seat" in referee.troubles[2].text] == [True] * 3  # fmt: skip


def test_unknown_options_of_a_match_are_reported_and_the_good_ones_kept() -> None:
    referee, _ = replay([MatchStarted(profile="guandan-official", options={"clock.ply": 3, "clock.play": 9})])
    assert "did you mean clock.play" in referee.troubles[0].text
    assert referee.state is not None
    assert referee.state.profile["clock.play"] == 9


def test_an_unknown_profile_leaves_nothing_to_judge_unless_another_is_given() -> None:
    start = MatchStarted(profile="whist")
    assert Referee().push(start) == []
    assert replay([start])[0].state is None
    referee, _ = replay([start], load_profile("guandan-official"))
    assert referee.state is not None


def test_a_long_match_is_not_folded_again_from_the_start() -> None:
    events = match_of(3, "guandan-official", 6)
    referee, _ = replay(list(events))
    last = next(event for event in reversed(events) if isinstance(event, Pass))
    count = 0
    original = Referee._fold

    def counted(self: Referee, event: Event | None, place: int) -> None:
        nonlocal count
        count += 1
        original(self, event, place)

    Referee._fold = counted  # type: ignore[method-assign]
    try:
        referee.push(Correction(of=last.seq, replacement=event_to_json(last)))
    finally:
        Referee._fold = original  # type: ignore[method-assign]
    deal = next(place for place in range(len(events) - 1, 0, -1) if isinstance(events[place], DealStarted))
    assert count <= len(events) - deal


def test_the_clock_names_the_seconds_left() -> None:
    clock = AT_REST.seen(10.0).waiting((Wait(2, "play", 20.0, "timeout_play", 5),), 10.0)
    assert clock.remaining(25.0) == {2: 5.0}
    stopped = clock.stop(15.0)
    assert stopped.remaining(100.0) == {2: 15.0}
    assert stopped.go_on(100.0).remaining(105.0) == {2: 10.0}


@pytest.mark.parametrize("event", [MatchStarted(profile="guandan-official"), Pass(seat=3, seq=4, at=1.25)])
def test_a_line_of_a_record_reads_back_as_the_event(event: Event) -> None:
    (back,) = parse_record(format_event(event) + "\n").events
    assert back == (event if event.seq else event.numbered(1))
