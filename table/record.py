"""Reads and writes game records (JSON lines): tolerant, problems are collected with their line numbers."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from table.cards import BadCard, Card
from table.event_json import BadEvent, event_from_json, event_to_json
from table.events import BOX_HEARD, BOX_UNHEARD, GAPS, Correction, Event, UnknownEvent

_KNOWN_EXTRAS = ("unread", "by", "reason", "undoes")
"""What may stand beside an event's own fields: words that were not read; who put it in, why, what it takes back."""
SHOWN = 60
"""Characters of a faulty line that a message quotes."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a line; `note` says that nothing was lost (an unknown field kept)."""

    line: int
    text: str
    note: bool = False

    def __str__(self) -> str:
        return f"line {self.line}: {self.text}"


@dataclass(slots=True)
class Record:
    """What could be read of a record: its events, numbered, and what was wrong."""

    events: list[Event] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    lines: dict[int, int] = field(default_factory=dict)
    """Number of an event to the line it stands on."""


class _Reader:
    def __init__(self) -> None:
        self.record = Record()
        self.last_seq = 0
        self.last_at: float | None = None
        self.unknown: set[str] = set()

    def problem(self, line: int, text: str, note: bool = False) -> None:
        self.record.problems.append(Problem(line, text, note))

    def take(self, number: int, line: str, cut: bool) -> None:
        try:
            data = json.loads(line)
        except (ValueError, RecursionError):
            quoted = line.strip()[:SHOWN]
            what = (
                "cut in the middle (the record ends inside it)"
                if cut
                else "not JSON (expected one JSON object)"
            )
            self.problem(number, f"{what}: {quoted!r}")
            if not cut:
                self.keep(
                    number, self.numbered(number, UnknownEvent(kind="unreadable", extra={"text": line}))
                )
            return
        try:
            event = event_from_json(data)
        except BadEvent as error:
            self.problem(number, str(error))
            event = _readable_part(data)
        self.keep(number, self.numbered(number, event))

    def numbered(self, number: int, event: Event) -> Event:
        expected = self.last_seq + 1
        if not event.seq:
            event = event.numbered(expected)
        elif event.seq <= self.last_seq:
            self.problem(
                number, f"seq {event.seq} after {self.last_seq} (expected {expected}); counted as {expected}"
            )
            event = event.numbered(expected)
        elif event.seq > expected and self.record.events:
            self.problem(
                number, f"seq {event.seq} after {self.last_seq} (expected {expected}): events are missing"
            )
            self.record.events.append(UnknownEvent(kind="missing", seq=expected))
            self.record.lines[expected] = number
        self.last_seq = event.seq
        return event

    def keep(self, number: int, event: Event) -> None:
        if event.at is not None:
            if self.last_at is not None and event.at < self.last_at:
                self.problem(
                    number,
                    f"time runs backwards: {event.at:g} s after {self.last_at:g} s (expected a later time)",
                )
            self.last_at = event.at
        names = [
            f"field {key!r} of {event.name}"
            for key, value in event.extra.items()
            if event.name and value is not None and key not in _KNOWN_EXTRAS
        ]
        if isinstance(event, UnknownEvent):
            names = [f"event {event.kind!r}"] if event.kind not in (*GAPS, BOX_UNHEARD, BOX_HEARD) else []
        for name in names:
            if name not in self.unknown:
                self.unknown.add(name)
                self.problem(number, f"unknown {name}: kept, not judged", note=True)
        self.record.events.append(event)
        self.record.lines[event.seq] = number


def _readable_part(data: object) -> Event:
    """What can be kept of a faulty event: one with cards that are none keeps the others, in doubt."""
    text = data.get("cards") if isinstance(data, dict) else None
    if isinstance(data, dict) and isinstance(text, str):
        good, bad = [], []
        for word in text.split():
            try:
                good.append(str(Card.parse(word)))
            except BadCard:
                bad.append(word)
        try:
            return event_from_json({**data, "cards": " ".join(good), "confidence": 0.0, "unread": bad})
        except BadEvent:
            pass
    seq = data.get("seq") if isinstance(data, dict) else None
    known = seq if isinstance(seq, int) and not isinstance(seq, bool) and seq > 0 else 0
    return UnknownEvent(kind="unreadable", seq=known, extra={"text": json.dumps(data, ensure_ascii=False)})


def parse_record(text: str) -> Record:
    """Read a record. Bad lines are left out and reported; the rest is kept.

    >>> record = parse_record('{"event": "draw_ended"}\\n{"event": "pass", "seat": 4}\\n')
    >>> str(record.problems[0])
    "line 2: pass: field 'seat': not a seat: 4 (expected 0, 1, 2 or 3)"
    """
    reader = _Reader()
    lines = text.removeprefix("\ufeff").split("\n")
    for number, line in enumerate(lines, 1):
        if line.strip():
            reader.take(number, line, cut=number == len(lines))
    return reader.record


def read_record(path: Path) -> Record:
    """Read the record in a file.

    Raises:
        OSError: it cannot be read.
    """
    data = path.read_bytes()
    text = data.decode("utf-8", errors="replace")
    record = parse_record(text)
    if "\ufffd" in text and b"\xef\xbf\xbd" not in data:
        line = text.count("\n", 0, text.index("\ufffd")) + 1
        record.problems.append(Problem(line, "bytes that are not UTF-8 (expected UTF-8 text)"))
        record.problems.sort(key=lambda problem: problem.line)
    return record


def format_event(event: Event) -> str:
    """One line of a record, without its newline."""
    return json.dumps(event_to_json(event), ensure_ascii=False, separators=(", ", ": "))


def format_record(events: Iterable[Event]) -> str:
    """The record of these events, one line each."""
    return "".join(format_event(event) + "\n" for event in events)


def renumbered(events: Sequence[Event]) -> list[Event]:
    """The events numbered from 1 in their order; corrections keep pointing at the event they meant."""
    new = {event.seq: place for place, event in enumerate(events, 1)}
    made: list[Event] = []
    for place, event in enumerate(events, 1):
        if isinstance(event, Correction):
            event = replace(event, of=new.get(event.of, event.of))
        made.append(replace(event, seq=place))
    return made
