"""Where a play or pass belongs among the others: told late, on a gap, after an act that nobody noticed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from table.drafting import swapped
from table.events import Event, Pass, Play
from table.ledger import Ledger
from table.lots import Draft
from table.match import MatchState
from table.recording import recording_of
from table.seats import Seat
from table.views import Views, missing

TURN: Final = ("out_of_turn", "wrong_leader", "pass_on_lead")
"""Kinds of findings that are about whose turn it was."""
_EXPLAINS: Final = 8
"""So many plays and passes back an act that nobody noticed may explain what came out of turn."""


def in_order(ledger: Ledger, zones: Views, draft: Draft, seat: Seat, state: MatchState) -> list[Draft]:
    """A play or pass where it belongs among the others.

    Told late, it may have come before the latest one: then the two change places (cards are told when their zone is
    at rest, and a hand may lie there longer than the next player waits). Where a seat was passed over because it
    could not be seen, or the game goes on without waiting for it, that gap is named first.
    """
    game = recording_of(state.profile.game)
    due = game.due(state)
    passed_over, ledger.passed_over = ledger.passed_over, () if seat in due else due
    hidden = [other for other in due if zones.blind(other) and other not in ledger.gaps]
    if due and seat not in due and hidden:
        return [Draft(missing(hidden[0], "blind")), draft]
    latest, event = ledger.events.get(ledger.acted), draft.event
    told = game.betrays(event, state)
    if told not in (None, seat) and not earlier(event, latest):
        return [*unnoticed(ledger, told, state), draft]
    if not isinstance(latest, Play | Pass) or not held_against(state, latest.seq, TURN):
        return [draft]
    if latest.seat != seat and earlier(event, latest):
        return swapped(ledger, latest, draft)
    if passed_over and (seat not in passed_over or told == seat):
        # The game goes on and nobody waits for him who was due: he acted, and nobody noticed.
        gaps = unnoticed(ledger, passed_over[0], state)
        return [*(swapped(ledger, latest, gaps[0]) if gaps else ()), draft]
    return [draft]


def unnoticed(ledger: Ledger, seat: Seat | None, state: MatchState) -> list[Draft]:
    """The gap to name where somebody has acted and nobody noticed; it may explain what was held against others."""
    if seat is None or seat in ledger.gaps:
        return []
    acts = [seq for seq, event in ledger.events.items() if isinstance(event, Play | Pass)][-_EXPLAINS:]
    held = [claim.event for claim in state.claims.values() if claim.kind in TURN and claim.event in acts]
    return [Draft(missing(seat, "unnoticed", since=min(held, default=None)))]


def held_against(state: MatchState, seq: int, kinds: Sequence[str], *, excluded: bool = False) -> bool:
    """Whether a finding of these kinds (`excluded`: of any other) stands about an event."""
    return any(
        claim.event == seq and (claim.kind in kinds) is not excluded for claim in state.claims.values()
    )


def earlier(event: Event, than: Event | None) -> bool:
    """Whether an event happened before another, as far as both have a time."""
    return than is not None and event.at is not None and than.at is not None and event.at < than.at
