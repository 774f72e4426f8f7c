"""Records: read tolerantly, written without loss."""

from __future__ import annotations

from typing import Any

import pytest

from table.event_json import BadEvent, event_from_json, event_to_json
from table.events import EVENT_TYPES, UnknownEvent
from table.record import format_record, parse_record, read_record, renumbered

EXAMPLES: dict[str, dict[str, Any]] = {
    "match_started": {"profile": "guandan-official", "players": ["a", "b", "c", "d"], "levels": ["2", "5"],
                      "options": {"clock.play": 30}},
    "deal_started": {"deal": 3, "level": "10", "finish": [2, 0, 1, 3], "banker": 1, "trump": "S"},
    "turned_up": {"card": "S10", "seat": 2},
    "dealt": {"seat": 0, "cards": "S3 BJ LJ", "sealed": "7-a1", "opening": "1:00"},
    "hand_sealed": {"seat": 0, "count": 27, "sealed": "7-a1", "commitment": "00ff"},
    "seal_opened": {"sealed": "7-a1", "by": "x", "why": "protest"},
    "referee_called": {"seat": 2},
    "draw_ended": {},
    "tribute": {"seat": 3, "to": 0, "card": "SA"},
    "tribute_return": {"seat": 0, "to": 3, "card": "S4"},
    "tribute_refused": {"seats": [1, 3], "cards": "BJ BJ"},
    "trump_shown": {"seat": 1, "cards": "S2 S2"},
    "kitty_turned": {"card": "D9"},
    "kitty_taken": {"seat": 1, "cards": "S3 S4"},
    "kitty_laid": {"seat": 1, "cards": "S3 S4"},
    "trump_named": {"seat": 2, "suit": "H"},
    "play": {"seat": 1, "cards": "S7 H7 HA", "says": "顺子"},
    "pass": {"seat": 2},
    "count_asked": {"seat": 1, "of": 3},
    "count_called": {"seat": 3, "count": 7},
    "throw_stopped": {"seat": 2, "cards": "HA HA"},
    "throw_forced": {"seat": 0, "cards": "H4 H4", "chosen_by": 1},
    "exposed": {"seat": 0, "cards": "S9"},
    "taken_back": {"seat": 1, "cards": "S9", "consent": True},
    "moved": {"seat": 2, "what": "a hand on played cards"},
    "hand_count": {"seat": 2, "count": 26},
    "kitty_revealed": {"cards": "S5 H10"},
    "clock": {"state": "stopped", "why": "dispute"},
    "correction": {"of": 12, "replacement": {"event": "pass", "seat": 1}},
    "ruling": {"finding": 3, "decision": "upheld", "penalty": {"kind": "levels", "amount": 1}, "by": "x"},
    "deal_voided": {"why": "misdeal"},
    "match_ended": {"why": "time"},
}  # fmt: skip
COMMON = {
    "seq": 7, "at": 12.5, "source": "camera", "confidence": 0.75, "alternatives": [["S7 H7", 0.2]],
    "evidence": ["a.jpg"],
}  # fmt: skip


def test_there_is_an_example_of_every_event() -> None:
    assert set(EXAMPLES) == set(EVENT_TYPES)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_event_is_read_and_written_without_loss(name: str) -> None:
    data = {**COMMON, "event": name, **EXAMPLES[name], "later_field": {"x": [1, None]}}
    event = event_from_json(data)
    assert event_to_json(event) == data
    assert event_from_json(event_to_json(event)) == event


def test_unknown_events_and_fields_survive_a_round_trip_and_are_reported_once() -> None:
    lines = '{"event": "dance", "how": "slow"}\n{"event": "dance"}\n{"event": "pass", "seat": 1, "x": 1}\n'
    record = parse_record(lines)
    assert [type(event) for event in record.events[:2]] == [UnknownEvent] * 2
    assert parse_record(format_record(record.events)).events == record.events
    assert [str(problem) for problem in record.problems] == [
        "line 1: unknown event 'dance': kept, not judged",
        "line 3: unknown field 'x' of pass: kept, not judged",
    ]


def test_cards_are_written_as_they_lie_in_one_notation() -> None:
    event = event_from_json({"event": "play", "seat": 0, "cards": "♥T s7 大王"})
    assert event_to_json(event)["cards"] == "H10 S7 BJ"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"event": "play", "seat": 4, "cards": "S7"}', "line 2: play: field 'seat': not a seat: 4"),
        ('{"event": "play", "seat": 1, "cards": "S11"}', "line 2: play: field 'cards': not a card: 'S11'"),
        ('{"event": "play", "seat": 1}', "line 2: play: field 'cards' is missing"),
        ('{"event": "play", "seat": true, "cards": ""}', "line 2: play: field 'seat': not a seat: True"),
        ('{"seat": 1}', "line 2: no field 'event'"),
        ("[1]", "line 2: expected a JSON object, got list"),
        ("play 1 S7", "line 2: not JSON"),
        ('{"event": "clock", "state": "fast"}', "line 2: clock: field 'state': expected stopped or running"),
        ('{"event": "deal_started", "level": "1"}', "line 2: deal_started: field 'level': not a level: '1'"),
        ('{"event": "deal_started", "finish": [0, 1, 1, 2]}', "line 2: deal_started: field 'finish'"),
        ('{"event": "pass", "seat": 1, "at": "soon"}', "line 2: pass: field 'at': expected a number"),
    ],
)
def test_a_bad_line_is_named_and_the_rest_is_kept(line: str, message: str) -> None:
    record = parse_record('{"event": "draw_ended"}\n' + line + '\n{"event": "pass", "seat": 2}\n')
    assert len(record.problems) == 1
    assert str(record.problems[0]).startswith(message)
    assert [event.name for event in record.events if event.name] in (
        ["draw_ended", "pass"], ["draw_ended", "play", "pass"])  # fmt: skip


def test_cards_that_can_be_read_are_kept_in_doubt() -> None:
    record = parse_record('{"event": "play", "seat": 1, "cards": "S7 S11 H7"}\n')
    event = record.events[0]
    assert (str(event_to_json(event)["cards"]), event.confidence) == ("S7 H7", 0.0)


def test_a_line_cut_in_the_middle_is_named_and_what_came_before_kept() -> None:
    record = parse_record('{"event": "pass", "seat": 1}\n{"event": "pass", "se')
    assert len(record.events) == 1
    assert "line 2: cut in the middle" in str(record.problems[0])


def test_times_that_run_backwards_are_named() -> None:
    record = parse_record('{"event": "pass", "seat": 1, "at": 9}\n{"event": "pass", "seat": 2, "at": 4}\n')
    assert str(record.problems[0]) == "line 2: time runs backwards: 4 s after 9 s (expected a later time)"
    assert len(record.events) == 2


def test_numbers_that_jump_or_repeat_are_named() -> None:
    record = parse_record('{"seq": 1, "event": "pass", "seat": 1}\n{"seq": 4, "event": "pass", "seat": 2}\n'
                          '{"seq": 4, "event": "pass", "seat": 3}\n')  # fmt: skip
    assert ["missing" in str(p) for p in record.problems] == [True, False]
    assert [event.seq for event in record.events] == [1, 2, 4, 5]


def test_events_without_numbers_count_from_one_and_corrections_follow_a_renumbering() -> None:
    record = parse_record('{"event": "pass", "seat": 1}\n{"event": "correction", "of": 1, "void": true}\n')
    assert [event.seq for event in record.events] == [1, 2]
    shifted = renumbered([record.events[0].numbered(5), record.events[1].numbered(9)])
    assert [event.seq for event in shifted] == [1, 2]


def test_a_file_that_is_not_utf_8_is_read_as_far_as_it_goes(tmp_path: Any) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b'{"event": "pass", "seat": 1}\n{"event": "moved", "seat": 1, "what": "\xff"}\n')
    record = read_record(path)
    assert len(record.events) == 2
    assert "line 2: bytes that are not UTF-8" in str(record.problems[0])


def test_an_event_that_is_none_says_what_was_expected() -> None:
    with pytest.raises(BadEvent, match="expected a JSON object, got int"):
        event_from_json(3)
