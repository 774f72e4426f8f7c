"""Reads the cards of recorded events again, as more is known of them: other names, an end of doubt, a reason for it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from table.doubt import Reading, read_together, room_in_packs, wavers
from table.drafting import with_reading
from table.event_json import corrected
from table.events import Correction
from table.knowledge import new_cards
from table.ledger import CAMERA, Ledger
from table.lifting import were_no_cards
from table.lots import Draft, Lot, replacement_of
from table.match import MatchState, doubtful
from table.recording import recording_of
from table.seats import Seat
from table.sightings import TrackedCard
from table.views import UNSEEN, unseen


def reading_of(
    cards: tuple[TrackedCard, ...], seat: Seat | None, state: MatchState, *, shown: bool, leaving: int = 0
) -> Reading:
    """What cards are taken for, by what the packs hold; in doubt where the game tells that there are more or fewer.

    Args:
        cards: face up.
        seat: whose they are; None for nobody's.
        state: the fold of what is recorded.
        shown: they are shown and not played.
        leaving: number of the event whose cards are read again; 0 for new ones.
    """
    profile = state.profile
    below = profile.number("reading.doubt_below")
    possible = room_in_packs(state.known, seat, profile.whole("packs"), without=leaving, shown=shown)
    reading = read_together(cards, possible, below)
    if shown or seat is None or not recording_of(profile.game).miscounted(state, seat, len(cards), leaving):
        return reading
    # Cards that nobody could see may lie with them, or one was read twice.
    return replace(reading, confidence=min(reading.confidence, round(below * 0.99, 4)))


def reread(
    ledger: Ledger,
    lot: Lot,
    cards: tuple[TrackedCard, ...],
    state: MatchState,
    *,
    at: float | None = None,
    dark: bool = False,
) -> Draft:
    """A correction that puts another reading of a lot's cards in place of its event.

    Args:
        ledger: what is recorded.
        lot: the event's cards so far.
        cards: all that it has.
        state: the fold of what is recorded.
        at: when the last of them came to rest, s, where some are new.
        dark: nobody saw for some time before.
    """
    reading = reading_of(cards, lot.seat, state, shown=not lot.play, leaving=lot.event.seq)
    named = tuple(card for card in cards if card.chances)
    unread = tuple(card for card in cards if card.unread)
    event = with_reading(lot.event, reading, len(lot.slots))
    # Who laid more while nobody saw may have played twice.
    event = unseen(event, state) if UNSEEN in event.extra or (dark and lot.play) else event
    event = event if at is None else replace(event, at=at)
    when = ledger.last_at if at is None else at
    correction = Correction(of=lot.event.seq, replacement=replacement_of(event), at=when)
    return Draft(correction, lot.zone, named, lot.at if at is None else at, lot, unread=unread)


def read_at_last(
    ledger: Ledger,
    lot: Lot,
    now: Mapping[int, TrackedCard],
    order: Mapping[int, int],
    state: MatchState,
    at: float,
) -> Draft:
    """The play with cards that could not be read before, in their places among the others; in doubt where they may be
    new.

    Args:
        ledger: what is recorded.
        lot: the event's cards.
        now: cards as they are read now, by track.
        order: places of cards in the zone, by track.
        state: the fold of what is recorded.
        at: when this became known, s.
    """
    every = [now.get(card.track, card) for card in _all_of(lot)]
    if all(card.track in order for card in every):
        every.sort(key=lambda card: order[card.track])
    return _told(reread(ledger, lot, tuple(every), state, dark=may_be_new(ledger, lot, state)), at)


def may_be_new(ledger: Ledger, lot: Lot, state: MatchState) -> bool:
    """Whether what is read at last beside a play may be a card laid there since: its seat may have acted again, or the
    trick is over."""
    if not lot.play or lot.seat is None or lot.event.seq == ledger.acted:
        return False
    game = recording_of(state.profile.game)
    return lot.seat in game.due(state) or not game.standing(state, lot.event.seq)


def improved(ledger: Ledger, lot: Lot, state: MatchState, at: float) -> list[Draft]:
    """A correction where a lot's cards are read otherwise now, or surely at last."""
    if lot.fixed or not lot.slots or None in lot.slots:
        return []
    draft = reread(ledger, lot, _all_of(lot), state)
    after = corrected(lot.event, draft.event) if isinstance(draft.event, Correction) else None
    if after is None:
        return []
    surer = doubtful(state.profile, lot.event) and not doubtful(state.profile, after)
    if not surer and (new_cards(after) == new_cards(lot.event) or wavers(lot.event, after)):
        return []
    return [_told(draft, at)]


def reconsidered(ledger: Ledger, state: MatchState, at: float) -> list[Draft]:
    """Cards of which more is known since something else was recorded: what the packs hold may settle a doubt, what the
    others have played raise one."""
    drafts = []
    for lot in ledger.lots:
        if doubtful(state.profile, lot.event):
            drafts += improved(ledger, lot, state, at)
        elif _miscounted(lot, state):
            drafts.append(_told(reread(ledger, lot, _all_of(lot), state), at))
    return drafts


def without_strangers(ledger: Ledger, state: MatchState, at: float) -> list[Draft]:
    """Plays without the things beside them that were none of their cards, as is known by `at`, s."""
    drafts = []
    for lot, when in were_no_cards(ledger, state, at):
        lot.lost = []
        drafts.append(_told(reread(ledger, lot, _all_of(lot), state), when))
    return drafts


def _miscounted(lot: Lot, state: MatchState) -> bool:
    """Whether a play that cameras read has other than as many cards as it must have had."""
    if not lot.play or lot.fixed or lot.seat is None or lot.event.source != CAMERA or None in lot.slots:
        return False
    count = len(lot.slots) + len(lot.beside)
    return recording_of(state.profile.game).miscounted(state, lot.seat, count, lot.event.seq)


def _all_of(lot: Lot) -> tuple[TrackedCard, ...]:
    return (*(card for card in lot.slots if card is not None), *lot.beside)


def _told(draft: Draft, at: float) -> Draft:
    draft.event = replace(draft.event, at=at)
    return draft
