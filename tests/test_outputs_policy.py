"""Delay, reveal policy, hold and correction act at one place, for every output."""

from __future__ import annotations

import json
from typing import Any

import pytest

from api.outputs import BadPolicy, OutputFeed, OutputPolicy, Outputs
from tests.overlay_tools import put, state

HANDS = {"deal": 3, "hands": {"0": ["DQ", "CQ"], "1": [], "2": [], "3": []}, "kitty": ["D5"]}
RESULT = {"deal": 3, "text": {"zh": "", "en": ""}, "result": {"rise": 2, "kitty": "D5 CK"}}


class Hand:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Hand:
    return Hand()


@pytest.fixture
def outputs(clock: Hand) -> Outputs:
    made = Outputs(clock)
    put(made, state())
    return made


def plays(feed: OutputFeed) -> int:
    return len(feed.state["trick"]["plays"])


def test_an_output_is_as_late_as_its_policy_says(outputs: Outputs, clock: Hand) -> None:
    feed = outputs.open(OutputPolicy("air", delay_ms=800, security_delay_s=120))
    assert feed.snapshot()["state"].keys() == {"control"}
    clock.now += 120.7
    assert feed.changes() == []
    clock.now += 0.2
    assert {message["part"] for message in feed.changes()} == {
        "match", "seats", "trick", "clock", "results", "upheld"
    }  # fmt: skip


def test_numbers_count_up_by_one_and_a_snapshot_begins_with_the_last(outputs: Outputs, clock: Hand) -> None:
    feed = outputs.open(OutputPolicy("air"))
    first = feed.snapshot()["n"]
    put(outputs, state(3))
    assert [message["n"] for message in feed.changes()] == [first + 1, first + 2, first + 3]


def test_who_connects_late_sees_the_same_and_knows_how_old_it_is(outputs: Outputs, clock: Hand) -> None:
    early = outputs.open(OutputPolicy("air", delay_ms=500))
    clock.now += 1.0
    put(outputs, state(3))
    clock.now += 3.0
    early.look()
    late = outputs.open(OutputPolicy("air", delay_ms=500)).snapshot()
    assert late["state"] == early.state
    assert late["age"]["trick"] == pytest.approx(2.5)


def test_only_named_fields_leave(outputs: Outputs) -> None:
    finding = {
        "finding": 1, "rule": "SJO-1", "kind": "revoke", "seat": 1, "ruling": "upheld", "text": {"zh": "DQ"},
        "article": {"zh": "规则", "en": "rule"}, "penalty": None, "evidence": ["x"], "cards": ["DQ"],
    }  # fmt: skip
    outputs.put("findings", [finding])
    outputs.put("log", [{"text": "DQ"}])
    feed = outputs.open(OutputPolicy("air"))
    feed.look()
    told = json.dumps({key: value for key, value in feed.state.items() if key != "results"})
    assert not [name for name in ("on_table", "alternatives", "doubtful", "evidence") if f'"{name}"' in told]
    assert "DQ" not in told


def test_only_upheld_findings_leave(outputs: Outputs) -> None:
    def finding(number: int, ruling: Any) -> dict[str, Any]:
        return {"finding": number, "ruling": ruling, "rule": "GDO-1"}

    outputs.put(
        "findings",
        [finding(4, None), finding(3, "dismissed"), finding(2, {"decision": "upheld"}), finding(1, "upheld")],
    )
    feed = outputs.open(OutputPolicy("air"))
    feed.look()
    assert [one["finding"] for one in feed.state["upheld"]] == [2, 1]


@pytest.mark.parametrize(
    ("policy", "running", "over"),
    [
        (OutputPolicy("air"), False, False),
        (OutputPolicy("air", reveal="deal_over"), False, True),
        # Late enough to be harmless: hands leave while the deal runs.
        (OutputPolicy("air", reveal="delayed", security_delay_s=60), True, True),
    ],
)
def test_hands_leave_when_the_policy_lets_them(
    outputs: Outputs, clock: Hand, policy: OutputPolicy, running: bool, over: bool
) -> None:
    outputs.put("hands", HANDS)
    feed = outputs.open(policy)
    clock.now += policy.delay - 0.1
    feed.look()
    assert "hands" not in feed.state
    clock.now += 0.1
    feed.look()
    assert ("hands" in feed.state) == running
    outputs.put("results", [RESULT])
    clock.now += policy.delay
    feed.look()
    assert ("hands" in feed.state) == over
    # The next deal: nothing of the old one stays, nothing of the new one comes.
    outputs.put("hands", {**HANDS, "deal": 4})
    outputs.put("match", state(deal=4)["match"])
    clock.now += policy.delay
    assert feed.changes()
    assert ("hands" in feed.state) == running


def test_the_kitty_is_told_in_points_only(outputs: Outputs) -> None:
    outputs.put("results", [RESULT])
    feed = outputs.open(OutputPolicy("air"))
    feed.look()
    assert feed.state["results"][0]["result"] == {"rise": 2}


def test_held_graphics_stay_however_late_the_output_and_go_on_where_the_table_is(
    outputs: Outputs, clock: Hand
) -> None:
    feed = outputs.open(OutputPolicy("air", security_delay_s=60))
    clock.now += 61
    put(outputs, state(3))
    feed.look()
    outputs.put("control", {"graphics": "hold"})
    clock.now += 3600 * 3
    put(outputs, state(4))
    feed.look()
    assert (plays(feed), feed.state["control"]["graphics"]) == (2, "hold")
    # A browser source that comes back during the hold shows what is held.
    other = outputs.open(OutputPolicy("air", security_delay_s=60))
    other.look()
    assert plays(other) == 2
    outputs.put("control", {"graphics": "live"})
    feed.look()
    assert plays(feed) == 3


def test_while_somebody_corrects_nothing_new_comes(outputs: Outputs, clock: Hand) -> None:
    feed = outputs.open(OutputPolicy("air", delay_ms=1000))
    clock.now += 2
    feed.look()
    outputs.put("control", {"correcting": True})
    clock.now += 0.5
    put(outputs, state(3))
    clock.now += 5
    feed.look()
    assert (plays(feed), feed.state["control"]["correcting"]) == (2, True)
    put(outputs, state(4))
    outputs.put("control", {"correcting": False})
    clock.now += 1
    feed.look()
    assert (plays(feed), feed.state["control"]["correcting"]) == (4, False)


def test_memory_is_bounded_over_hours(outputs: Outputs, clock: Hand) -> None:
    for minute in range(60 * 4):
        for part in range(8):
            clock.now += 7.5
            outputs.put("clock", {"stopped": False, "at": clock.now, "waits": []})
            put(outputs, state(1 + (minute * 8 + part) % 4))
    # An hour of delay can still be served, at a few changes a play.
    assert len(outputs._entries) < 3 * 8 * 61 + 600
    feed = outputs.open(OutputPolicy("air", security_delay_s=3600))
    feed.look()
    assert plays(feed) in (1, 2, 3, 4)


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"delay_ms": -1}, "delay_ms"),
        ({"delay_ms": 60_001}, "delay_ms"),
        ({"security_delay_s": 4000}, "security_delay_s"),
        ({"reveal": "always"}, "reveal"),
        ({"reveal": "delayed"}, "security_delay_s"),
    ],
)
def test_a_policy_that_cannot_be_is_refused_in_one_line(fields: dict[str, Any], word: str) -> None:
    with pytest.raises(BadPolicy, match=word) as refused:
        OutputPolicy("air", **fields)
    assert "\n" not in str(refused.value)


def test_a_page_can_ask_for_more_delay_but_never_for_less() -> None:
    policy = OutputPolicy("air", delay_ms=500)
    assert [policy.later(asked).delay_ms for asked in (None, 100, 900, 10**9)] == [500, 500, 900, 60_000]
