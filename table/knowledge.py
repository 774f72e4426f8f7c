"""What each hand is proven to have held at each moment, from what was shown, paid, returned, laid and taken.

A card that a seat shows at some moment was in its hand before, unless it came in between: so everything shown
after a moment, less what came in after it, is proven to have been in the hand at that moment. With a sealed
deal the hand is known whole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from table.cards import Card, full_packs
from table.events import (
    Dealt,
    Event,
    Exposed,
    KittyLaid,
    KittyRevealed,
    KittyTaken,
    Play,
    TakenBack,
    ThrowForced,
    ThrowStopped,
    Tribute,
    TributeRefused,
    TributeReturn,
    TrumpShown,
)
from table.evolve import evolve
from table.seats import Seat

OUT: Final = "out"
SHOWN: Final = "shown"
IN: Final = "in"
AT_THE_END: Final = 10**12
"""A number after that of every event."""


@dataclass(frozen=True, slots=True)
class Step:
    """Cards of a seat at event `seq`: `out` left the hand, `shown` were seen in it, `in` came into it."""

    seq: int
    kind: str
    cards: tuple[Card, ...]
    sure: bool = True


@dataclass(frozen=True)
class Hand:
    """What is known of one seat's hand in this deal.

    `dealt`: the whole hand as dealt, when a sealed feed gave it. `hidden_in`, `hidden_out`: numbers of the
    events by which cards came in or left that nobody has seen, one entry for each card. `drawn` and `moved`
    follow from `steps` and are kept only because they are asked for at every event: what the steps prove of
    the hand when it was drawn, and what has left it since (negative: came in).
    """

    steps: tuple[Step, ...] = ()
    dealt: tuple[Card, ...] | None = None
    hidden_in: tuple[int, ...] = ()
    hidden_out: tuple[int, ...] = ()
    drawn: Counter[Card] = field(default_factory=Counter, compare=False, repr=False)
    moved: Counter[Card] = field(default_factory=Counter, compare=False, repr=False)

    def held(self, since: int = 0, *, sure: bool = False, until: int | None = None) -> Counter[Card]:
        """At least these cards were in the hand just before event `since` (0: when it was drawn).

        Args:
            since: number of the event.
            sure: use only what was clearly read.
            until: look only at events up to this number.
        """
        if not sure and until is None and (not self.steps or since <= self.steps[0].seq):
            return self.drawn.copy() if self.dealt is None else self.drawn | Counter(self.dealt)
        held: Counter[Card] = Counter()
        if self.dealt is not None:
            held.update(self.dealt)
            for step in self.steps:
                if step.seq < since:
                    _move(held, step)
        net: Counter[Card] = Counter()
        for step in self.steps:
            if step.seq < since or (until is not None and step.seq > until):
                continue
            if step.kind == IN:
                net.subtract(step.cards)
                continue
            if sure and not step.sure:
                continue
            for card, count in Counter(step.cards).items():
                held[card] = max(held[card], net[card] + count)
            if step.kind == OUT:
                net.update(step.cards)
        return +held

    def now(self) -> Counter[Card] | None:
        """The whole hand at this moment, where a sealed deal and no hidden exchange make it known."""
        if self.dealt is None or self.hidden_in or self.hidden_out:
            return None
        held = Counter(self.dealt)
        for step in self.steps:
            _move(held, step)
        return +held

    def at(self, since: int) -> Counter[Card] | None:
        """The whole hand just before event `since`, where it is known."""
        if self.dealt is None or any(seq < since for seq in (*self.hidden_in, *self.hidden_out)):
            return None
        held = Counter(self.dealt)
        for step in self.steps:
            if step.seq < since:
                _move(held, step)
        return +held

    def unseen_in(self, since: int) -> int:
        """How many cards that nobody has seen came in at or after event `since`."""
        return sum(seq >= since for seq in self.hidden_in)

    def _with(self, step: Step) -> Hand:
        drawn, moved = self.drawn, self.moved.copy()
        if step.kind == IN:
            moved.subtract(step.cards)
        else:
            drawn = drawn.copy()
            for card, count in Counter(step.cards).items():
                drawn[card] = max(drawn[card], moved[card] + count)
            if step.kind == OUT:
                moved.update(step.cards)
            drawn = +drawn
        return evolve(self, steps=(*self.steps, step), drawn=drawn, moved=moved)


def _move(held: Counter[Card], step: Step) -> None:
    if step.kind == OUT:
        held.subtract(step.cards)
    elif step.kind == IN:
        held.update(step.cards)


@dataclass(frozen=True)
class Knowledge:
    """The four hands of a deal; `floating`: cards that left a hand for an unknown one; `kitty`: cards seen
    in it."""

    hands: tuple[Hand, Hand, Hand, Hand] = field(default_factory=lambda: (Hand(), Hand(), Hand(), Hand()))
    floating: tuple[Card, ...] = ()
    kitty: tuple[Card, ...] = ()

    def hand(self, seat: Seat) -> Hand:
        """What is known of a seat's hand."""
        return self.hands[seat]

    def after(self, event: Event, sure: bool = True) -> Knowledge:
        """The knowledge after an event; `sure`: its cards were clearly read."""
        seq = event.seq
        match event:
            case Play(seat=seat, cards=cards):
                return self._step(seat, Step(seq, OUT, cards, sure))
            case Dealt(seat=seat, cards=cards):
                return self._hand(seat, evolve(self.hands[seat], dealt=cards))
            case Tribute() | TributeReturn():
                return self._moved(event, sure)
            case Exposed(seat=seat, cards=cards) | TrumpShown(seat=seat, cards=cards):
                return self._step(seat, Step(seq, SHOWN, cards, sure))
            case ThrowStopped(seat=seat, cards=cards) if cards:
                return self._step(seat, Step(seq, SHOWN, cards, sure))
            case TributeRefused(seats=(seat,), cards=cards) if cards:
                return self._step(seat, Step(seq, SHOWN, cards, sure))
            case TributeRefused(seats=seats, cards=cards) if cards and len(cards) == len(seats):
                known = self
                for seat, card in zip(seats, cards, strict=True):
                    known = known._step(seat, Step(seq, SHOWN, (card,), sure))
                return known
            case TakenBack(seat=seat, cards=cards):
                # Cards that were only shown never left the hand: taking them up again brings nothing in.
                left = +self.hands[seat].moved
                back = tuple((Counter(cards) & left).elements())
                return self._step(seat, Step(seq, IN, back, sure)) if back else self
            case ThrowForced(seat=seat, cards=cards):
                return self._forced(seat, cards, seq)
            case KittyTaken(seat=seat, cards=cards):
                return self._kitty_taken(seat, cards, seq, sure)
            case KittyLaid(seat=seat, cards=cards):
                return self._kitty_laid(seat, cards, seq, sure)
            case KittyRevealed(cards=cards):
                return evolve(self, kitty=cards)
            case _:
                return self

    def copies(self, card: Card) -> int:
        """How many copies of a card the deal is proven to hold, in all hands when drawn and in the kitty."""
        return sum(hand.held()[card] for hand in self.hands)

    def impossible(self, cards: Iterable[Card], packs: int) -> list[Card]:
        """Those of the cards of which there are more copies than the packs hold (or than a sealed hand
        explains)."""
        floating = Counter(self.floating)
        return [card for card in dict.fromkeys(cards) if self.copies(card) > packs + floating[card]]

    def completed(self, seat: Seat, packs: int) -> Knowledge:
        """With everybody else's cards known, what one seat never showed: the rest of the packs.

        The same knowledge where the rest does not come out, because something is missing or misread.
        """
        rest = full_packs(packs)
        rest.subtract(self.kitty)
        for hand in self.hands:
            rest.subtract(hand.held())
        if any(count < 0 for count in rest.values()):
            return self
        sure = all(step.sure for hand in self.hands for step in hand.steps)
        return self._step(seat, Step(AT_THE_END, SHOWN, tuple((+rest).elements()), sure))

    def _hand(self, seat: Seat, hand: Hand) -> Knowledge:
        hands = list(self.hands)
        hands[seat] = hand
        return evolve(self, hands=(hands[0], hands[1], hands[2], hands[3]))

    def _step(self, seat: Seat, step: Step) -> Knowledge:
        return self._hand(seat, self.hands[seat]._with(step))

    def _moved(self, event: Tribute | TributeReturn, sure: bool) -> Knowledge:
        known = self
        if event.card is None:
            giver = known.hands[event.seat]
            known = known._hand(event.seat, evolve(giver, hidden_out=(*giver.hidden_out, event.seq)))
            if event.to is not None:
                taker = known.hands[event.to]
                known = known._hand(event.to, evolve(taker, hidden_in=(*taker.hidden_in, event.seq)))
            return known
        known = known._step(event.seat, Step(event.seq, OUT, (event.card,), sure))
        if event.to is None:
            return evolve(known, floating=(*known.floating, event.card))
        return known._step(event.to, Step(event.seq, IN, (event.card,), sure))

    def _forced(self, seat: Seat, kept: tuple[Card, ...], seq: int) -> Knowledge:
        """The rest of a failed throw goes back into the hand."""
        thrown = next((step for step in reversed(self.hands[seat].steps) if step.kind == OUT), None)
        if thrown is None:
            return self
        back = tuple((Counter(thrown.cards) - Counter(kept)).elements())
        return self._step(seat, Step(seq, IN, back, thrown.sure)) if back else self

    def _kitty_taken(self, seat: Seat, cards: tuple[Card, ...] | None, seq: int, sure: bool) -> Knowledge:
        if cards is not None:
            return self._step(seat, Step(seq, IN, cards, sure))
        hand = self.hands[seat]
        # How many is for the game to say; one unseen card is enough to keep proofs open.
        return self._hand(seat, evolve(hand, hidden_in=(*hand.hidden_in, seq)))

    def _kitty_laid(self, seat: Seat, cards: tuple[Card, ...] | None, seq: int, sure: bool) -> Knowledge:
        if cards is not None:
            return self._step(seat, Step(seq, OUT, cards, sure))
        hand = self.hands[seat]
        return self._hand(seat, evolve(hand, hidden_out=(*hand.hidden_out, seq)))


NOTHING_KNOWN: Final = Knowledge()


def new_cards(event: Event) -> tuple[Card, ...]:
    """The cards that an event shows."""
    cards: tuple[Card, ...] | None = getattr(event, "cards", None)
    card: Card | None = getattr(event, "card", None)
    return cards or ((card,) if card is not None else ())
