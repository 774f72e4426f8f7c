"""Tribute (贡牌), return (还牌), refusal (抗贡): what is due after a finish, to whom, who leads."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from table.cards import RANKS, Card
from table.events import Event, Tribute, TributeRefused, TributeReturn
from table.guandan.combos import rank_value, wild_of
from table.rulesets import Profile
from table.seats import Seat, next_seat, side_of

BIG_JOKER: Final = Card("", "BJ")


@dataclass(frozen=True, slots=True)
class Given:
    """One card of tribute or return as it was seen; `card` is None while it lies face down."""

    seat: Seat
    to: Seat | None
    card: Card | None
    seq: int
    at: float | None
    sure: bool


@dataclass(frozen=True, slots=True)
class Exchange:
    """The exchange of a deal: what is due and what was given so far.

    Attributes:
        payers: who owes tribute, the last finisher first; empty in a first deal.
        winners: who receives: 上游, and after a double also 二游.
        paid, returned: in the order in which they came.
        refused: number of the event of a refusal; `refusers`: the seats that it names.
    """

    payers: tuple[Seat, ...] = ()
    winners: tuple[Seat, ...] = ()
    paid: tuple[Given, ...] = ()
    returned: tuple[Given, ...] = ()
    refused: int | None = None
    refusers: tuple[Seat, ...] = ()

    @property
    def refuser(self) -> Seat | None:
        """Who answers for a refusal: the seat that it names, of several the last finisher."""
        if len(self.refusers) == 1:
            return self.refusers[0]
        return next((seat for seat in (*self.payers, *self.refusers)), None)

    @property
    def double(self) -> bool:
        """双下: both losers pay."""
        return len(self.payers) == 2

    @property
    def all_paid(self) -> bool:
        """Every payer has paid."""
        return len({item.seat for item in self.paid} & set(self.payers)) == len(self.payers)

    @property
    def done(self) -> bool:
        """Nothing is due any more."""
        if self.refused is not None or not self.payers:
            return True
        return self.all_paid and len({item.seat for item in self.returned}) >= len(self.winners)

    def given_by(self, seat: Seat) -> Given | None:
        """What a payer paid."""
        return next((item for item in reversed(self.paid) if item.seat == seat), None)


def exchange_after(finish: tuple[Seat, ...] | None) -> Exchange:
    """What is due after a finish (first out first): single (GDO-26) or double (GDO-31); nothing without
    one."""
    if finish is None:
        return Exchange()
    if side_of(finish[0]) == side_of(finish[1]):
        return Exchange(payers=(finish[3], finish[2]), winners=(finish[0], finish[1]))
    return Exchange(payers=(finish[3],), winners=(finish[0],))


def recorded(exchange: Exchange, event: Event, sure: bool) -> Exchange:
    """The exchange after an event."""
    match event:
        case Tribute(seat=seat, to=to, card=card):
            given = Given(seat, to, card, event.seq, event.at, sure)
            return replace(exchange, paid=_with(exchange.paid, given))
        case TributeReturn(seat=seat, to=to, card=card):
            given = Given(seat, to, card, event.seq, event.at, sure)
            return replace(exchange, returned=_with(exchange.returned, given))
        case TributeRefused():
            return replace(exchange, refused=event.seq, refusers=event.seats)
        case _:
            return exchange


def _with(items: tuple[Given, ...], given: Given) -> tuple[Given, ...]:
    """A card turned over takes the place of the same seat's face-down one."""
    kept = tuple(item for item in items if not (item.seat == given.seat and item.card is None))
    return (*kept, given)


def pays_high(card: Card, level: str) -> int:
    """Order of cards for tribute: BJ > LJ > level > A > ... > 2; the wild counts nothing (GDO-26)."""
    return 0 if card == wild_of(level) else rank_value(card.rank, level)


def highest_to_pay(cards: Iterable[Card], level: str) -> list[Card]:
    """The cards among which the payer chooses: the highest rank, wilds excluded, any suit (GDO-26, GDO-27).

    >>> from table.cards import parse_cards
    >>> [str(card) for card in highest_to_pay(parse_cards("H5 S5 D5 SA"), "5")]
    ['S5', 'D5']
    """
    eligible = [card for card in dict.fromkeys(cards) if card != wild_of(level)]
    top = max((pays_high(card, level) for card in eligible), default=0)
    return [card for card in eligible if pays_high(card, level) == top]


def may_be_returned(card: Card, level: str, profile: Profile) -> bool:
    """Whether a card is low enough to be returned (GDO-28): at most the profile's rank, no level card."""
    highest = profile.word("tribute.return_max")
    if highest == "any":
        return True
    if card.is_joker or (card.rank == level and not profile.flag("tribute.return_level_card")):
        return False
    return RANKS.index(card.rank) <= RANKS.index(highest)


def returnable(hand: Iterable[Card], level: str, profile: Profile) -> list[Card]:
    """The cards of a whole hand that may be returned; without a low one the smallest (GDO-28, GDO-29)."""
    cards = list(dict.fromkeys(hand))
    low = [card for card in cards if may_be_returned(card, level, profile)]
    if low or profile.word("tribute.no_low_card") == "any":
        return low or cards
    least = min((rank_value(card.rank, level) for card in cards), default=0)
    return [card for card in cards if rank_value(card.rank, level) == least]


def receivers(exchange: Exchange, level: str, profile: Profile) -> dict[Seat, Seat] | None:
    """Payer to the winner who takes the card, once it follows from the cards paid.

    By rank after a double (GDO-31, GDE-22); equal ranks by the profile: `seat_order`: the payer seated after
    上游 pays 上游 (GDO-33); otherwise nobody is bound and the answer is None.
    """
    if not exchange.double:
        return {exchange.payers[0]: exchange.winners[0]} if exchange.payers else {}
    cards = [exchange.given_by(seat) for seat in exchange.payers]
    if any(item is None or item.card is None for item in cards):
        return None
    values = {item.seat: pays_high(item.card, level) for item in cards if item and item.card}
    first, second = exchange.winners
    low, high = sorted(exchange.payers, key=lambda seat: values[seat])
    if values[low] == values[high]:
        if profile.word("tribute.equal") != "seat_order":
            return None
        high = next_seat(first)
        low = next(seat for seat in exchange.payers if seat != high)
    return {high: first, low: second}


def equal_ranks(exchange: Exchange, level: str) -> bool:
    """Whether both payers paid cards of one rank."""
    cards = [exchange.given_by(seat) for seat in exchange.payers]
    if not exchange.double or any(item is None or item.card is None for item in cards):
        return False
    return len({pays_high(item.card, level) for item in cards if item and item.card}) == 1


def first_leaders(
    exchange: Exchange, finish: tuple[Seat, ...] | None, level: str, profile: Profile
) -> tuple[Seat, ...]:
    """Who may lead the first trick as far as it follows; empty when it does not (a first deal).

    Refused: 上游 (GDO-35). Single: the payer (GDO-30). Double: whose card went to 上游 (GDO-34, GDE-22);
    equal ranks with free choice: whose chosen return is smaller, equal: 上游's 下家 (GDE-23).
    """
    if finish is None:
        return ()
    first = finish[0]
    if exchange.refused is not None:
        return (first,)
    if not exchange.all_paid:
        return tuple(dict.fromkeys((*exchange.payers, first)))
    if not exchange.double:
        return exchange.payers
    if equal_ranks(exchange, level) and profile.word("tribute.equal") == "free_choice":
        return _smaller_return(exchange, first, level)
    bound = receivers(exchange, level, profile)
    if bound is None:
        to_first = tuple(item.seat for item in exchange.paid if item.to == first)
        return to_first if len(to_first) == 1 else exchange.payers
    return tuple(payer for payer, winner in bound.items() if winner == first)


def _smaller_return(exchange: Exchange, first: Seat, level: str) -> tuple[Seat, ...]:
    chosen = {
        item.to: item.card for item in exchange.returned if item.card is not None and item.to is not None
    }
    if set(chosen) != set(exchange.payers):
        return exchange.payers
    values = {seat: rank_value(card.rank, level) for seat, card in chosen.items() if seat is not None}
    low, high = sorted(values, key=lambda seat: values[seat])
    return (next_seat(first),) if values[low] == values[high] else (low,)


def may_refuse(held: Iterable[Card]) -> bool:
    """Whether the payers' cards entitle them to refuse: both big jokers among them (GDO-35, GDE-21,
    GDE-24)."""
    return list(held).count(BIG_JOKER) >= 2
