"""The record as it may leave the table now: what is hidden while its deal runs is withheld, in its place."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from api.finding_parts import HIDDEN
from api.service import TableService, Told
from table.events import (
    Correction,
    DealStarted,
    Dealt,
    Event,
    KittyLaid,
    KittyTaken,
    UnknownEvent,
)
from table.match import MatchState
from table.session import Line, Referee

WITHHELD: Final = "withheld"
_CARD: Final = re.compile("[♠♥♣♦](?:10|[2-9JQKA])|大王|小王")
_KITTY: Final = (KittyLaid, KittyTaken)


@dataclass(frozen=True, slots=True)
class RecordView:
    """A record with what the referee said to it.

    Attributes:
        events: in order; `lines`: what the referee was told, by number of the event.
        end: the lines about the match as it stands.
        withheld: how many events are not shown as they are.
        referee: a copy, at the end of these events.
        told: everything, as the service has it.
    """

    events: list[Event]
    lines: Mapping[int, Sequence[Line]]
    end: list[Line]
    withheld: int
    referee: Referee
    told: list[Told]


def record_view(service: TableService, *, staff: bool) -> RecordView:
    """The record of a table as a role may see it now; from any thread.

    Args:
        service: of the table.
        staff: whether for those who work at the table: others see sealed hands never, and only upheld findings.
    """
    with service.lock:
        told, referee = list(service.told), service.referee.copy()
    state = referee.state
    since = _hidden_since(told, state)
    sealed = any(_is_dealt(one.event) and one.event.seq > since for one in told)
    upheld = _upheld(referee)
    events: list[Event] = []
    lines: dict[int, Sequence[Line]] = {}
    withheld = 0
    for one in told:
        event = shown(one.event, since, staff)
        withheld += event is not one.event
        events.append(event)
        said = [line for line in one.lines if staff or _is_public(line, upheld)]
        if sealed and one.event.seq > since:
            said = [_masked(line) for line in said]
        if said:
            lines[one.event.seq] = said
    return RecordView(events, lines, referee.finish(), withheld, referee, told)


def _hidden_since(told: Sequence[Told], state: MatchState | None) -> int:
    """Number of the event with which the deal that still runs began; beyond the last where none runs."""
    running = state is not None and state.deal is not None and state.begun not in state.results
    if not running or (state is not None and state.ended is not None):
        return 10**12
    return next((one.event.seq for one in reversed(told) if isinstance(one.event, DealStarted)), 0)


def _is_dealt(event: Event) -> bool:
    if isinstance(event, Correction) and event.replacement is not None:
        return event.replacement.get("event") == Dealt.name
    return isinstance(event, Dealt)


def shown(event: Event, since: int, staff: bool) -> Event:
    """An event as it may be shown.

    Args:
        event: of the record.
        since: number of the event with which the running deal began.
        staff: see `record_view`.
    """
    about = event.of if isinstance(event, Correction) else event.seq
    if _is_dealt(event):
        if about > since or not staff:
            extra = {"seat": event.seat} if isinstance(event, Dealt) else {}
            return UnknownEvent(kind=WITHHELD, seq=event.seq, at=event.at, source=event.source, extra=extra)
        return event
    if about <= since:
        return event
    if isinstance(event, _KITTY) and (event.cards or event.alternatives):
        return replace(event, cards=None, alternatives=())
    if isinstance(event, Correction) and event.replacement is not None:
        kitty = event.replacement.get("event") in (KittyLaid.name, KittyTaken.name)
        if kitty and "cards" in event.replacement:
            kept = {
                key: value for key, value in event.replacement.items() if key not in ("cards", "alternatives")
            }
            return replace(event, replacement=kept)
    return event


def _upheld(referee: Referee) -> set[int]:
    state = referee.state
    if state is None:
        return set()
    return {
        number
        for number, claim in referee.findings().items()
        if claim.key in state.decisions and state.decisions[claim.key].upheld
    }


def _is_public(line: Line, upheld: set[int]) -> bool:
    return "finding" not in line or line["finding"] in upheld


def _masked(line: Line) -> Line:
    if "text" not in line:
        return line
    words = {lang: _CARD.sub(HIDDEN, text) for lang, text in line["text"].items()}
    return {key: value for key, value in {**line, "text": words}.items() if key != "cards"}
