"""Judges who acts too late: what the time of an event shows, and what was told when the time was up."""

from __future__ import annotations

from collections.abc import Iterable

from table.clock import GRAIN, TIME_UP, Overrun
from table.events import ClockSet, Event
from table.findings import CHECK, PROVEN, Claim, Drop
from table.match import MatchState


def is_alarm(event: Event) -> bool:
    """Whether an event says no more than that the time of a seat is up: cards may lie there that nobody told yet."""
    return isinstance(event, ClockSet) and event.why == TIME_UP


def overruns(before: MatchState, event: Event) -> Iterable[Claim]:
    """Whose time has run out by an event; each overrun is told once."""
    alarm = is_alarm(event)
    for overrun in before.clock.overruns(event.at):
        wait = overrun.wait
        if before.profile.rule(wait.check) and (not alarm or event.extra.get("seat") in (None, wait.seat)):
            certainty = CHECK if alarm else _lateness(before, event, overrun)
            yield _timeout(overrun, event.seq, certainty)


def answered(before: MatchState, event: Event, after: MatchState) -> Iterable[Claim | Drop]:
    """What was told when the time was up, now that somebody has acted: he was late, or in time and told late."""
    for overrun in before.clock.answered(after.clock, event.at):
        claim = _timeout(overrun, overrun.alarm, _lateness(before, event, overrun))
        if claim.key in before.claims:
            late = overrun.elapsed > overrun.wait.limit + GRAIN
            yield claim if late else Drop(claim.key)


def _lateness(before: MatchState, event: Event, overrun: Overrun) -> str:
    # Cameras tell when cards came to rest by their frames, and the rest by the last of the hand.
    read = event.source == "camera" and event.confidence is not None
    close = read and overrun.elapsed - overrun.wait.limit < before.profile.number("reading.time_within")
    return PROVEN if overrun.trusted and not before.gap and not close else CHECK


def _timeout(overrun: Overrun, seq: int, certainty: str) -> Claim:
    wait = overrun.wait
    return Claim(
        wait.check,
        "timeout",
        wait.seat,
        seq,
        certainty,
        fields={"elapsed": f"{overrun.elapsed:.1f}", "limit": f"{wait.limit:g}"},
        rests_on=(wait.since,),
        detail=f"since {wait.since}",
    )
