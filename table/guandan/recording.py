"""What cards at rest mean in a deal of Guandan: turned up, paid, returned, a refusal, a play."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from table.cards import Card
from table.events import (
    CountCalled,
    Event,
    Exposed,
    Pass,
    Play,
    Tribute,
    TributeRefused,
    TributeReturn,
    TurnedUp,
)
from table.guandan.combos import readings
from table.guandan.counting import certain
from table.guandan.deal import Deal
from table.guandan.opening import must_turn_again
from table.guandan.tribute import BIG_JOKER, may_be_returned, receivers, recorded
from table.guandan.trick import between
from table.match import MatchState
from table.recording import Act, Amend, Recording, Seen, Two, cuts, named_since
from table.seats import SEATS, Seat


class GuandanRecording:
    """Guandan's part in recording."""

    growing: tuple[type[Event], ...] = ()

    def laid(self, seen: Seen, match: MatchState) -> Sequence[Event | Amend]:
        """What new cards at rest mean in the deal as it stands.

        At rest in the play zone they are played, in turn or not (GDO-48: what is put down is played); in another zone
        of a seat they are exposed (GDO-49), unless that seat has played such cards and they lie with what is done.
        """
        deal: Deal = match.deal
        seat = seen.seat
        if deal.over and all(certain(deal, other) for other in SEATS):
            return ()
        if not seen.cards:
            begun = deal.started or (deal.exchange.done and not _to_turn_up(deal))
            played = begun and seat is not None and seen.kind == "play"
            return (Play(seat=seat, cards=(), at=seen.at),) if played and seat is not None else ()
        if seen.kind == "discard":
            return _exposed(deal, seen)
        if (
            not deal.started
            and not deal.exchange.done
            and (seen.kind == "exchange" or not seen.exchange_apart)
        ):
            given = _exchanged(deal, seen)
            if given:
                return given
        if seat is None:
            return ()
        if seen.kind == "exchange":
            return _exposed(deal, seen) if deal.exchange.done else ()
        if seen.kind != "play":
            return ()
        if len(seen.cards) == 1 and _to_turn_up(deal):
            return (TurnedUp(card=seen.cards[0], seat=seat, at=seen.at),)
        return (Play(seat=seat, cards=seen.cards, at=seen.at),)

    def backs(self, kind: str, before: int, count: int, at: float, match: MatchState) -> Sequence[Event]:
        """Backs mean nothing: returns lie face down until they are turned over together (GDO-32)."""
        return ()

    def lifted(self, event: Event, left: tuple[Card, ...], at: float, match: MatchState) -> Event | None:
        """Nothing but a taking back."""
        return None

    def completed(self, event: Event, match: MatchState) -> Sequence[Event | Amend]:
        """Tribute and return that do not say to whom."""
        deal: Deal = match.deal
        if isinstance(event, Tribute) and event.to is None and event.card is not None:
            return _paid(deal, event.seat, event)
        if isinstance(event, TributeReturn) and event.to is None:
            return (_with_receiver(deal, event),)
        return (event,)

    def joins(self, match: MatchState, first: tuple[Card, ...], late: tuple[Card, ...]) -> bool:
        """Where passes are in the record always; where they go unsaid the late cards may be the next lead."""
        deal: Deal = match.deal
        if deal.profile.word("passes") != "inferred":
            return True
        whole = readings((*first, *late), deal.level, deal.rules)
        return bool(whole) or not readings(first, deal.level, deal.rules)

    def splits(self, seat: Seat, cards: tuple[Card, ...], match: MatchState) -> Sequence[Two]:
        """Two combinations, where all of it is none."""
        deal: Deal = match.deal
        if readings(cards, deal.level, deal.rules):
            return ()
        return [two for two in cuts(cards) if all(readings(part, deal.level, deal.rules) for part in two)]

    def due(self, match: MatchState) -> tuple[Seat, ...]:
        """Who may play or pass now."""
        deal: Deal = match.deal
        trick = deal.trick
        if deal.over:
            return ()
        if trick.open:
            return trick.leaders
        turn = () if trick.turn is None else (trick.turn,)
        return tuple(dict.fromkeys((*turn, *sorted(trick.owed))))

    def standing(self, match: MatchState, seq: int) -> bool:
        """Whether a play lies in the trick in progress: nobody has taken it yet."""
        deal: Deal = match.deal
        first = min((top.seq for top in (*deal.trick.laid, *deal.trick.tops)), default=None)
        return first is not None and seq >= first and not deal.over

    def amendable(self, match: MatchState, seq: int) -> bool:
        """Never: a play on the table cannot be changed (GDE-29)."""
        return False

    def puts_right(self, match: MatchState, seq: int, count: int) -> bool:
        """Never: nothing may be exchanged."""
        return False

    def miscounted(self, match: MatchState, seat: Seat, count: int, seq: int = 0) -> bool:
        """Never: what lies there says nothing about how many cards beat it."""
        return False

    def skipped(self, event: Event, match: MatchState) -> tuple[Seat, ...]:
        """Who leads; else those from who is to act up to this seat that can still act."""
        deal: Deal = match.deal
        trick, seat = deal.trick, getattr(event, "seat", None)
        if trick.open or trick.turn is None or seat is None:
            return trick.leaders[:1]
        later = between(trick.turn, seat)
        return tuple(other for other in later if deal.left[other] and other not in trick.passed)

    def overdue(self, event: Event, acts: Sequence[Act], match: MatchState) -> tuple[Seat, ...]:
        """Who was passed over in the order of play, but for those whose gap stands just before it."""
        deal: Deal = match.deal
        due = self.due(match)
        if (
            not due
            or getattr(event, "seat", None) in due
            or (deal.trick.turn is None and not deal.trick.open)
        ):
            return ()
        return tuple(other for other in self.skipped(event, match) if not named_since(other, acts))

    def next_after(self, seat: Seat, match: MatchState) -> Seat | None:
        """Whose turn it is: a play out of turn hands it on from there."""
        deal: Deal = match.deal
        return deal.trick.turn

    def may_pass(self, match: MatchState) -> bool:
        """Once something lies there."""
        return not match.deal.trick.open

    def owing(self, match: MatchState) -> tuple[Seat, ...]:
        """Who has to call a count."""
        return tuple(duty.seat for duty in match.deal.duties)

    def betrays(self, event: Event, match: MatchState) -> Seat | None:
        """Who calls a smaller count than his hand while he is due has played; who plays on his own play that others
        have passed on takes the trick to be over, so that the one who is due has passed; who was passed over and is on
        turn again may have passed before."""
        deal: Deal = match.deal
        trick = deal.trick
        if isinstance(event, CountCalled) and event.seat in self.due(match):
            return event.seat if event.count < deal.left[event.seat] else None
        if isinstance(event, Play | Pass) and event.seat == trick.turn and event.seat in trick.owed:
            return event.seat
        own = trick.top is not None and trick.top.seat == getattr(event, "seat", None)
        return trick.turn if isinstance(event, Play) and own and trick.passed else None


def _to_turn_up(deal: Deal) -> bool:
    """Whether a card is still to be turned up when cutting (GDO-17, GDE-15)."""
    if deal.finish_before is not None or deal.started or deal.drawn_seq is not None:
        return False
    return deal.turned_up is None or must_turn_again(deal.profile, deal.turned_up.card)


def _exposed(deal: Deal, seen: Seen) -> Sequence[Event]:
    """Cards face up beside the play zone: exposed, but for what the seat has played and may have thrown there."""
    if seen.seat is None:
        return ()
    played = Counter(card for seat, _, cards in deal.plays if seat == seen.seat for card in cards)
    for read in (seen.cards, *seen.others):
        if not Counter(read) - played:
            return ()
    return (Exposed(seat=seen.seat, cards=seen.cards, at=seen.at),)


def _exchanged(deal: Deal, seen: Seen) -> Sequence[Event | Amend]:
    """Cards of the exchange: empty where they can be none."""
    exchange = deal.exchange
    paid = {item.seat for item in exchange.paid}
    owing = [seat for seat in exchange.payers if seat not in paid]
    returned = {item.seat for item in exchange.returned}
    returning = [seat for seat in exchange.winners if seat not in returned]
    seat = seen.seat
    if seat is None:
        acting = owing or returning
        if len(acting) != 1:
            return ()
        seat = acting[0]
    if set(seen.cards) == {BIG_JOKER} and seat in exchange.payers:
        refusal = _refusal(deal, seat, seen)
        if refusal:
            return refusal
    if len(seen.cards) != 1:
        return ()
    card = seen.cards[0]
    if seat in owing:
        return _paid(deal, seat, Tribute(seat=seat, card=card, at=seen.at))
    if seat in returning and exchange.paid:
        return (_with_receiver(deal, TributeReturn(seat=seat, card=card, at=seen.at)),)
    if seat in exchange.payers and exchange.all_paid:
        # The card may be put down, or turned over, before him for whom it is.
        giver = _giver_to(deal, seat, returning)
        if giver is not None and (seen.turned or may_be_returned(card, deal.level, deal.profile)):
            return (TributeReturn(seat=giver, to=seat, card=card, at=seen.at),)
    return ()


def _refusal(deal: Deal, seat: Seat, seen: Seen) -> Sequence[Event | Amend]:
    """Both big jokers shown by one payer, or one by each of two (GDO-35): a card paid before was no tribute."""
    exchange = deal.exchange
    earlier = [item for item in exchange.paid if item.card == BIG_JOKER]
    if exchange.returned or len(seen.cards) + len(earlier) != 2:
        return ()
    order = [
        other for other in sorted(exchange.payers) if other == seat or any(i.seat == other for i in earlier)
    ]
    seats = tuple(dict.fromkeys(order))
    shown = TributeRefused(seats=seats, cards=(BIG_JOKER, BIG_JOKER), at=seen.at)
    return (*(Amend(item.seq, {}, void=True) for item in earlier), shown)


def _paid(deal: Deal, seat: Seat, event: Tribute) -> Sequence[Event | Amend]:
    """A tribute with its receiver, and the receiver of the other one where it follows only now (GDO-31, GDO-33)."""
    after = recorded(deal.exchange, event, True)
    bound = receivers(after, deal.level, deal.profile)
    if not bound:
        return (event,)
    late = [
        Amend(item.seq, {"to": bound[item.seat]})
        for item in deal.exchange.paid
        if item.to is None and item.seat in bound
    ]
    return (*late, replace(event, to=bound.get(seat)))


def _with_receiver(deal: Deal, event: TributeReturn) -> TributeReturn:
    """A return goes to the one whose tribute the returner got (GDO-31: 对应还牌)."""
    to = next((item.seat for item in deal.exchange.paid if item.to == event.seat), None)
    if to is None:
        bound = receivers(deal.exchange, deal.level, deal.profile) or {}
        to = next((payer for payer, winner in bound.items() if winner == event.seat), None)
    return event if to is None else replace(event, to=to)


def _giver_to(deal: Deal, payer: Seat, returning: Sequence[Seat]) -> Seat | None:
    """Who still has to return a card to this payer, where it follows."""
    bound = receivers(deal.exchange, deal.level, deal.profile) or {}
    giver = bound.get(payer)
    if giver is None and len(returning) == 1:
        giver = returning[0]
    return giver if giver in returning else None


RECORDING: Final[Recording] = GuandanRecording()
