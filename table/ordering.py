"""Where a play or pass belongs among the others: told late, on a gap, after an act that nobody noticed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from table.clock import TIME_UP
from table.drafting import swapped
from table.events import ClockSet, Correction, Event, Pass, Play
from table.ledger import CAMERA, INFERRED, Ledger
from table.lots import Draft, replacement_of
from table.match import MatchState
from table.recording import recording_of
from table.seats import Seat
from table.sightings import Laid
from table.views import Views, missing, unseen

TURN: Final = ("out_of_turn", "wrong_leader", "pass_on_lead")
"""Kinds of findings that are about whose turn it was."""
MAY_BE: Final = "may_be"
"""Field of a gap: the event that it can only be (`pass`), where that is so."""
TELLING: Final = 0.7
"""Seconds from when cards are at rest or a key is pressed until that is told, as a rule."""
INFERRED_CHANCE: Final = 0.5
_EXPLAINS: Final = 8
"""So many plays and passes back an act that nobody noticed may explain what came out of turn."""


def placed(ledger: Ledger, zones: Views, drafts: list[Draft], seen: Laid, state: MatchState) -> list[Draft]:
    """A play where it belongs: one that fits a gap fills it; one that nobody saw being laid is in doubt.

    Args:
        ledger: what is recorded.
        zones: which zones can be seen.
        drafts: what the cards mean in the game.
        seen: the cards.
        state: the fold of what is recorded.
    """
    draft = drafts[0] if len(drafts) == 1 else None
    if draft is None or not isinstance(draft.event, Play) or seen.seat is None:
        return drafts
    latest = ledger.events.get(ledger.acted)
    waking = zones.waking(seen.zone, seen.at)
    lay_there = seen.dark > 0 or zones.lay_there(seen.zone, seen.at)
    gap = ledger.fillable(seen.seat, None if waking or seen.dark else draft.event.at)
    if gap is not None and _over(ledger, seen.seat, gap, state):
        gap = None
    if not (waking or seen.dark) and (gap is None or not earlier(draft.event, latest)):
        return in_order(ledger, zones, draft, seen.seat, state)
    untimed: Event = replace(draft.event, at=None, source=CAMERA)
    if gap is not None:
        if lay_there:
            untimed = unseen(untimed, state)
        draft.event = Correction(of=gap, replacement=replacement_of(untimed), at=seen.at)
        return [draft]
    due = recording_of(state.profile.game).due(state)
    in_turn = not due or seen.seat in due
    if in_turn and not lay_there:
        return [draft]
    # It may have lain there when the zone was first seen: it may be more than one play, and laid at any time.
    on_time = in_turn and not state.clock.late(seen.at)
    draft.event = unseen(draft.event if on_time else untimed, state)
    return [draft] if in_turn else [Draft(missing(seen.seat, "unseen")), draft]


def in_order(ledger: Ledger, zones: Views, draft: Draft, seat: Seat, state: MatchState) -> list[Draft]:
    """A play or pass where it belongs among the others.

    Told late, it may have come before the latest one: then the two change places (cards are told when their zone is
    at rest, and a hand may lie there longer than the next player waits).

    Who acts while somebody else is due has acted out of turn, or the other one has acted and nobody noticed: that gap
    is named at once, so that the finding is to be checked and nobody is accused. The next act tells which: acts the
    one who was passed over, he had not acted before, and the gap goes; goes the game on without him, he has passed.
    """
    game = recording_of(state.profile.game)
    due = game.due(state)
    latest, event = ledger.events.get(ledger.acted), draft.event
    hidden = _hidden(ledger, zones, draft, seat, state)
    if hidden:
        named = [Draft(missing(other, "blind")) for other in hidden]
        return [*_cleared_up(ledger, zones, seat, state), *named, draft]
    gap = ledger.fillable(seat, event.at)
    fills = isinstance(event, Pass) and gap is not None and not ledger.called_since(seat, gap, event.at)
    if fills and gap is not None and earlier(event, latest):
        said = replacement_of(replace(event, source=event.source or CAMERA))
        return [Draft(Correction(of=gap, replacement=said, at=event.at, source=CAMERA))]
    told = game.betrays(event, state)
    before = _cleared_up(ledger, zones, seat, state)
    skipped = () if not due or seat in due else game.skipped(event, state)
    if told not in (None, seat) and not earlier(event, latest):
        if skipped and game.may_pass(state) and all(zones.clean(other, None) for other in skipped):
            return [*before, *(Draft(inferred_pass(other)) for other in skipped), draft]
        return [*before, *unnoticed(ledger, told, state), draft]
    late = isinstance(latest, Play | Pass) and latest.seat != seat and earlier(event, latest)
    if latest is not None and late and held_against(state, latest.seq, TURN):
        return [*before, *swapped(ledger, latest, draft)]
    if told == seat and not before:
        before = unnoticed(ledger, seat, state)
    if skipped and skipped[0] not in ledger.gaps:
        only_passed = len(skipped) == 1 and game.may_pass(state)
        before.append(Draft(missing(skipped[0], "unnoticed", may_be="pass" if only_passed else None)))
    return [*before, draft]


def _hidden(ledger: Ledger, zones: Views, draft: Draft, seat: Seat, state: MatchState) -> tuple[Seat, ...]:
    """Seats that cannot be seen and must have acted before this play or pass; each act is named once.

    What is told late and came earlier says nothing about them. Where nobody knows who leads and somebody passes, any of
    them may have led.
    """
    event, latest = draft.event, ledger.events.get(ledger.acted)
    if earlier(event, latest):
        return ()
    game = recording_of(state.profile.game)
    if isinstance(event, Pass) and not (game.due(state) or game.may_pass(state) or state.gap):
        return tuple(other for other in zones.hidden() if other != seat)
    overdue = game.overdue(event, ledger.acts(), state)
    return tuple(other for other in overdue if other != seat and zones.blind(other))


def time_up(zones: Views, state: MatchState, at: float) -> list[Draft]:
    """Whose time has run out though nobody has acted, told once what came in time would have been told by `at`, s."""
    due = at - state.profile.number("reading.time_within") - TELLING
    if state.clock.stopped_at is not None:
        return []
    seats = [
        overrun.wait.seat
        for overrun in state.clock.overruns(due)
        if state.profile.rule(overrun.wait.check) and not zones.blind(overrun.wait.seat)
    ]
    return [
        Draft(ClockSet(state="running", why=TIME_UP, at=at, source=CAMERA, extra={"seat": seat}))
        for seat in dict.fromkeys(seats)
    ]


def inferred_pass(seat: Seat) -> Pass:
    """A pass that nobody noticed; its time is not known."""
    return Pass(seat=seat, source=CAMERA, confidence=INFERRED_CHANCE, extra={INFERRED: True})


def unnoticed(ledger: Ledger, seat: Seat | None, state: MatchState) -> list[Draft]:
    """The gap to name where somebody has acted and nobody noticed; it may explain what was held against others."""
    gap = None if seat is None else ledger.gaps.get(seat)
    if seat is None or (gap is not None and not _over(ledger, seat, gap, state)):
        return []
    acts = [seq for seq, event in ledger.events.items() if isinstance(event, Play | Pass)][-_EXPLAINS:]
    held = [claim.event for claim in state.claims.values() if claim.kind in TURN and claim.event in acts]
    return [Draft(missing(seat, "unnoticed", since=min(held, default=None)))]


def _over(ledger: Ledger, seat: Seat, gap: int, state: MatchState) -> bool:
    """Whether a gap is of a trick that is over and its seat has acted since: nothing that lies there now belongs to it."""
    game = recording_of(state.profile.game)
    since = [ledger.events[act.seq] for act in ledger.acts() if act.seen and act.seq > gap]
    gone = any(isinstance(event, Play) and not game.standing(state, event.seq) for event in since)
    return gone and any(getattr(event, "seat", None) == seat for event in since)


def held_against(state: MatchState, seq: int, kinds: Sequence[str], *, excluded: bool = False) -> bool:
    """Whether a finding of these kinds (`excluded`: of any other) stands about an event."""
    return any(
        claim.event == seq and (claim.kind in kinds) is not excluded for claim in state.claims.values()
    )


def earlier(event: Event, than: Event | None) -> bool:
    """Whether an event happened before another, as far as both have a time."""
    return than is not None and event.at is not None and than.at is not None and event.at < than.at


def _cleared_up(ledger: Ledger, zones: Views, seat: Seat, state: MatchState) -> list[Draft]:
    """What the gap that was named just now turns out to be, as this seat acts.

    Acts the one who was passed over though it is not his turn as the game went on, he had not acted before; so it is
    when the other one has taken his play back. His turn come again in order says nothing.
    """
    gap, latest = ledger.open_gap(), ledger.events.get(ledger.acted)
    if gap is None or not isinstance(latest, Play | Pass):
        return []
    whose = gap.extra["seat"]
    in_order_again = recording_of(state.profile.game).next_after(latest.seat, state) == seat
    if whose == seat and (ledger.took_back(latest) or not in_order_again):
        fix = Correction(of=gap.seq, void=True, at=ledger.last_at, source=CAMERA)
    elif (
        whose != seat and gap.extra.get(MAY_BE) == "pass" and zones.clean(whose, ledger.time_before(gap.seq))
    ):
        said = replacement_of(inferred_pass(whose))
        fix = Correction(of=gap.seq, replacement=said, at=ledger.last_at, source=CAMERA)
    else:
        return []
    return [Draft(fix)]
