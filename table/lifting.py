"""What became of played cards that are gone from the table: taken back, forced off, or cleared away with the trick."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from table.events import Correction, Event, TakenBack
from table.ledger import CAMERA, Ledger
from table.lots import Draft, Lift, Lot, replacement_of
from table.match import MatchState, doubtful
from table.recording import recording_of
from table.seats import Seat
from table.sightings import Lifted

SETTLE: Final = 2.0
"""Seconds after which cards lifted during a trick are taken back, when nothing else says what became of them."""


def lifted(ledger: Ledger, gone: Lifted, state: MatchState) -> list[Draft]:
    """Cards are gone: at once said is only what a failed throw leaves; else time or the next play tells.

    Cards of tricks that are over, and cards that were only shown, may go without a word.
    """
    drafts: list[Draft] = []
    game = recording_of(state.profile.game)
    for lot in ledger.lots:
        places = lot.places_of(gone.cards) - lot.gone
        lot.gone |= places
        standing = lot.play and game.standing(state, lot.event.seq)
        if not places or not (standing or (lot.play and game.amendable(state, lot.event.seq))):
            continue
        kept = game.lifted(lot.event, lot.left(), gone.at, state) if standing else None
        if kept is not None:
            drafts.append(_kept(lot, kept))
            continue
        pending = next((lift for lift in ledger.lifts if lift.lot is lot), None)
        if pending is None:
            ledger.lifts.append(Lift(lot, places, gone.at))
        else:
            pending.places |= places
    return [*cleared_after_all(ledger), *drafts]


def settled(
    ledger: Ledger, state: MatchState, *, by: Seat | None = None, count: int = 0, at: float | None = None
) -> list[Draft]:
    """What became of lifted cards, once it is known.

    Args:
        ledger: what is recorded; lifts that are settled leave it.
        state: the fold of what is recorded.
        by: a seat that plays now: then it is known.
        count: how many cards it plays.
        at: the time; it is known some time after.

    Cards of several seats that go are a trick cleared away, whatever the record says of passes; so are those of a
    trick that has ended since, unless what is played now puts right what was wrong with the play. Else they were taken
    back (GDE-29, GDE-37), without consent as far as a camera sees.
    """
    drafts: list[Draft] = _put_right(ledger, state, by, count)
    game = recording_of(state.profile.game)
    for lift in tuple(ledger.lifts):
        seq, seat = lift.lot.event.seq, lift.lot.seat
        standing, exchanged = game.standing(state, seq), game.amendable(state, seq)
        # Who lifts cards on which others have acted since tidies up, or the trick is over and a pass went unsaid.
        latest = standing and ledger.acted == seq
        if by is None and (at is None or at - lift.at < SETTLE or (exchanged and not latest)):
            continue
        ledger.lifts.remove(lift)
        if standing and _never_there(lift, state):
            drafts.append(_less(lift))
            continue
        back = latest or (exchanged and by == seat)
        if back and seat is not None and not _clearing(ledger, lift.lot, state):
            when = max(lift.at, ledger.last_at or lift.at)
            event = TakenBack(
                seat=seat, cards=lift.cards, at=when, source=CAMERA, confidence=_doubt(lift.lot, state)
            )
            drafts.append(Draft(event, lift.lot.zone, lot=lift.lot))
    return drafts


def _put_right(ledger: Ledger, state: MatchState, by: Seat | None, count: int) -> list[Draft]:
    """The latest play of a seat is taken back, as it lays `count` cards anew that put it right.

    They went with the others of a trick that is over, lifted or turned over; when he took them up nobody knows.
    """
    game = recording_of(state.profile.game)
    lot = ledger.latest_of(by) if by is not None else None
    if lot is None or lot.seat is None or not lot.play or not lot.away or not lot.cards:
        return []
    if not game.amendable(state, lot.event.seq) or not game.puts_right(state, lot.event.seq, count):
        return []
    lifts = [lift for lift in ledger.lifts if lift.lot is lot]
    ledger.lifts = [lift for lift in ledger.lifts if lift.lot is not lot]
    when = max(lifts[0].at, ledger.last_at or lifts[0].at) if lifts and not lot.turned else None
    sure = _doubt(lot, state)
    event = TakenBack(seat=lot.seat, cards=lot.cards, at=when, source=CAMERA, confidence=sure)
    return [Draft(event, lot.zone, lot=lot)]


def were_no_cards(ledger: Ledger, state: MatchState, at: float) -> list[tuple[Lot, float]]:
    """Plays of which it is known by `at`, s, that a thing beside them was none of their cards, and when it went, s.

    It could not be read, it went while all the others lay there, and some time later they and the rest of the trick
    still lie there: of a trick that is cleared away something goes first too.
    """
    game = recording_of(state.profile.game)
    found = []
    for lot in ledger.lots:
        since = lot.lost_at
        if since is None or at - since < SETTLE:
            continue
        lot.lost_at = None
        lies = lot.play and lot.slots and not lot.gone and not lot.turned and not lot.fixed
        if lies and game.standing(state, lot.event.seq) and not _clearing(ledger, lot, state):
            found.append((lot, since))
    return found


def gone_meanwhile(ledger: Ledger, lots: Iterable[Lot], state: MatchState) -> list[Draft]:
    """What became of the latest play where its cards are gone after a restart: they were being taken back, perhaps.

    Args:
        ledger: what is recorded.
        lots: whose cards had not been seen again when all the table had been in sight for some time.
        state: the fold of what is recorded.

    Where others of the trick are gone as well it was cleared away. Nobody saw the cards go, so that it is in doubt.
    """
    game = recording_of(state.profile.game)
    trick = [lot for lot in ledger.lots if lot.play and game.standing(state, lot.event.seq)]
    gone = [lot for lot in trick if lot.loose and lot in lots]
    latest = gone[0] if len(gone) == 1 else None
    if latest is None or latest.seat is None or latest.event.seq != ledger.acted or latest.fixed:
        return []
    if latest.event.source != CAMERA or not latest.cards:
        return []
    below = state.profile.number("reading.doubt_below")
    event = TakenBack(seat=latest.seat, cards=latest.cards, source=CAMERA, confidence=round(below / 2, 4))
    return [Draft(event, lot=latest)]


def _doubt(lot: Lot, state: MatchState) -> float | None:
    """How sure it is that these cards were taken back: no surer than that they lay there; None where that is sure."""
    return lot.event.confidence if doubtful(state.profile, lot.event) else None


def _never_there(lift: Lift, state: MatchState) -> bool:
    """Whether some cards of a play, badly seen all the time, are gone while the others lie: they were never there."""
    gone = [lift.lot.slots[place] for place in lift.places]
    below = state.profile.number("reading.doubt_below")
    badly = all(card is not None and (card.doubtful or card.confidence < below) for card in gone)
    return badly and not lift.lot.fixed and len(lift.lot.gone) < len(lift.lot.slots)


def _less(lift: Lift) -> Draft:
    """The play without cards that were never there."""
    lot = lift.lot
    kept = [place for place in range(len(lot.slots)) if place not in lift.places]
    cards = tuple(lot.cards[place] for place in kept)
    event = replace(lot.event, cards=cards, alternatives=())  # type: ignore[call-arg]
    said = replacement_of(event)
    slots = tuple(lot.slots[place] for place in kept)
    fix = Correction(of=lot.event.seq, replacement=said, at=lift.at, source=CAMERA)
    return Draft(fix, lot.zone, slots, lot.at, lot, unread=lot.beside)


def cleared_after_all(ledger: Ledger) -> list[Draft]:
    """Cards were called taken back, and before anybody has acted others of the trick go too: it was over."""
    drafts = []
    for event, lot in tuple(ledger.taken):
        trick = [
            other
            for other in ledger.lots
            if other.play and other.seat != lot.seat and other.event.seq >= lot.trick
        ]
        if ledger.acted < event.seq and any(other.moved_off for other in trick):
            ledger.taken.remove((event, lot))
            drafts.append(Draft(Correction(of=event.seq, void=True, at=ledger.last_at), lot=lot))
    return drafts


def _kept(lot: Lot, kept: Event) -> Draft:
    """What stays of a play on the table; where that was said before, it was too early."""
    if not lot.kept:
        return Draft(kept, lot.zone, lot=lot)
    said = replacement_of(replace(kept, source=CAMERA))
    return Draft(Correction(of=lot.kept, replacement=said, at=kept.at))


def _clearing(ledger: Ledger, lot: Lot, state: MatchState) -> bool:
    """Whether cards of other seats in the trick are gone or turned too, or all of it is and passes go unsaid."""
    game = recording_of(state.profile.game)
    plays = [(other, other.event.seq) for other in ledger.lots if other.play]
    trick = [other for other, seq in plays if game.standing(state, seq) or game.amendable(state, seq)]
    lot.trick = min((other.event.seq for other in trick), default=0)
    if any(other.moved_off and other.seat != lot.seat for other in trick):
        return True
    return state.profile.get("passes", "") == "inferred" and all(other.away for other in trick)
