"""Boxes that have not been heard: nobody is accused of not having said what may still be on its way, or was lost.

Whoever keeps a table notes `box_unheard` before a play or pass that would be held against a seat whose box has not been
heard up to then, and `box_heard` once it has been: what was pressed in between stands in the record by that time.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

from table.events import BOX_HEARD, BOX_UNHEARD, Event, UnknownEvent
from table.evolve import evolve
from table.findings import CHECK, PROVEN, Claim, Drop
from table.match import MatchState
from table.seats import SEATS, Seat

_BY_BOXES = ("count_not_called",)
"""Kinds of findings that a press which nobody has heard may explain."""
_SOURCE = "seatbox"
Found = TypeVar("Found", bound="Claim | Drop")


def unheard(seat: Seat) -> UnknownEvent:
    """The note that a seat's box has not been heard of late."""
    return UnknownEvent(kind=BOX_UNHEARD, source=_SOURCE, extra={"box": seat})


def heard(seat: Seat, until: float, *, lost: bool) -> UnknownEvent:
    """The note that all which was pressed on a seat's box is recorded.

    Args:
        seat: whose box.
        until: up to when it was pressed, s of the record.
        lost: the box was switched off meanwhile: what it had not told is lost.
    """
    extra = {"box": seat, "until": round(until, 3), "lost": lost}
    return UnknownEvent(kind=BOX_HEARD, at=round(until, 3), source=_SOURCE, extra=extra)


def is_about_box(event: Event) -> bool:
    """Whether an event says no more than how far a box has been heard."""
    return isinstance(event, UnknownEvent) and event.kind in (BOX_UNHEARD, BOX_HEARD) and _box(event) in SEATS


def with_box(state: MatchState, event: Event) -> MatchState:
    """The state after such an event; its time says nothing about the clock."""
    seat = _box(event)
    if isinstance(event, UnknownEvent) and event.kind == BOX_UNHEARD and seat is not None:
        return evolve(state, unheard=tuple(dict.fromkeys((*state.unheard, seat))))
    if any(claim.awaits is not None for claim in _awaiting(state, seat) if not _covers(event, claim)):
        return state
    return evolve(state, unheard=tuple(other for other in state.unheard if other != seat))


def settled(before: MatchState, event: Event) -> Iterable[Claim]:
    """What waited for a box: nothing was pressed in time, or nobody will ever know."""
    if not isinstance(event, UnknownEvent) or event.kind != BOX_HEARD:
        return
    for claim in _awaiting(before, _box(event)):
        if _covers(event, claim):
            # A gap that was named meanwhile may explain it as well.
            sure = CHECK if event.extra.get("lost") or before.gap else PROVEN
            yield replace(claim, certainty=sure, awaits=None)


def held_back(item: Found, event: Event, state: MatchState) -> Found:
    """A claim that a press may explain which was not heard yet: to be looked at until it is settled."""
    if not isinstance(item, Claim) or item.kind not in _BY_BOXES or item.seat not in state.unheard:
        return item
    at = state.clock.last if event.at is None else event.at
    waits = item.certainty == PROVEN and at is not None
    return replace(item, certainty=CHECK, awaits=at if waits else None)


def awaited_until(state: MatchState, seat: Seat) -> float:
    """Up to when a seat's box has to be heard for all that waits for it to be settled, s of the record."""
    return max((claim.awaits or 0.0 for claim in _awaiting(state, seat)), default=0.0)


def _awaiting(state: MatchState, seat: Seat | None) -> list[Claim]:
    return [claim for claim in state.claims.values() if claim.seat == seat and claim.awaits is not None]


def _covers(event: Event, claim: Claim) -> bool:
    until = event.extra.get("until")
    return isinstance(until, int | float) and claim.awaits is not None and claim.awaits <= until


def _box(event: Event) -> Seat | None:
    box = event.extra.get("box")
    return box if isinstance(box, int) and not isinstance(box, bool) else None
