"""Records of simulated matches for tests: how the referee takes them, and what it finds."""

from __future__ import annotations

from typing import Any

from devices.simulator.faults import Expected, Record
from table.event_json import event_from_json
from table.session import Referee


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
