"""What is proven of hidden hands, and what follows: a rule is broken only if every possible hand breaks it.

A play is judged against all hands that agree with what has been seen. A play that is illegal with the cards
that a seat is proven to have held stays illegal whatever else the hand held, unless the profile protects
triples or tractors: then more cards can excuse it, and the verdict is provisional until no such hand is left.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property, lru_cache
from typing import Final

from table.cards import Card
from table.knowledge import OUT, SHOWN, Hand, Knowledge
from table.seats import SEATS, Seat
from table.shengji.deal import Deal
from table.shengji.doubt import uncounted
from table.shengji.follow import Verdict, follow
from table.shengji.formats import Unit
from table.shengji.keys import Rules
from table.shengji.order import Order
from table.shengji.trick import Played, Trick

MOST_HANDS: Final = 4000
"""Hands tried at most for one verdict; beyond that it stays provisional."""


class Status(Enum):
    """What the cards seen so far say about one rule and one play."""

    UNKNOWN = "unknown"
    """Nothing seen speaks against the play."""
    PROVISIONAL = "provisional"
    """What has been seen speaks against it; hidden cards could still excuse it."""
    PROVEN = "proven"
    """No hand that agrees with what has been seen makes it legal."""
    DISPROVEN = "disproven"
    """The whole hand is known, and it makes the play legal."""


@lru_cache(maxsize=128)
def _group_sizes(order: Order, rules: Rules) -> Counter[str]:
    """How many cards of each group are in play."""
    return Counter(map(order.group, rules.cards.elements()))


@dataclass(frozen=True)
class Proof:
    """What the cards seen so far prove. `sure` uses only what was clearly read."""

    deal: Deal
    known: Knowledge
    sure: bool = False

    def held(self, seat: Seat, since: int) -> Counter[Card]:
        """Cards proven to have been in the hand just before event `since`, in the tricks."""
        hand = self.known.hand(seat)
        whole = hand.at(since)
        if whole is not None:
            return whole
        base = self._base(hand, seat)
        if base is None or base > since:
            return Counter()
        held = self._at_base(seat).copy()
        for step in hand.steps:
            if base <= step.seq < since and step.kind != SHOWN:
                for card in step.cards:
                    held[card] += -1 if step.kind == OUT else 1
        return +held

    @property
    def monotone(self) -> bool:
        """Whether more cards in a hand never excuse a play: no triples or tractors are protected."""
        keys = self.deal.rules.follow
        return keys.split_triples and keys.break_tractors

    @cached_property
    def started(self) -> int:
        """Number of the event from which hands are whole: after the kitty was laid for the last time."""
        if self.deal.laid:
            return self.deal.laid[-1][0] + 1
        return self.deal.tricks[0].lead.seq if self.deal.tricks else 1

    def _base(self, hand: Hand, seat: Seat) -> int | None:
        """From which event on everything that leaves or enters the hand is seen; None: not yet."""
        if hand.hidden_out:
            return max(hand.hidden_out) + 1
        if self.deal.kitty_up() == seat:
            return None
        return self.started if seat == self.deal.banker and not self.deal.laid else 0

    @cached_property
    def _bases(self) -> dict[Seat, Counter[Card]]:
        return {}

    def _at_base(self, seat: Seat) -> Counter[Card]:
        """What the hand is proven to have held at its base."""
        if seat not in self._bases:
            hand = self.known.hand(seat)
            base = self._base(hand, seat) or 0
            if hand.hidden_out and hand.dealt is not None:
                hand = replace(hand, dealt=None)
            self._bases[seat] = self._credible(hand.held(base, sure=self.sure))
        return self._bases[seat]

    def _credible(self, held: Counter[Card]) -> Counter[Card]:
        """Without cards of which more were seen than the packs hold: one of those readings is wrong."""
        return Counter({c: n for c, n in held.items() if c not in self._overfull}) if self.sure else held

    @cached_property
    def _overfull(self) -> frozenset[Card]:
        packs = self.deal.rules.cards
        total: Counter[Card] = Counter()
        for hand in self.known.hands:
            total += hand.held()
        return frozenset(card for card, count in total.items() if count > packs[card])

    @cached_property
    def _at_start(self) -> dict[Seat, Counter[Card]]:
        """What each hand is proven to have held when play began."""
        return {seat: self.held(seat, self.started) for seat in SEATS}

    @cached_property
    def _unseen(self) -> Counter[Card]:
        """Cards of which it is not known in which hand (or the kitty) they were when play began."""
        left = self.deal.rules.cards
        for held in self._at_start.values():
            left.subtract(held)
        left.subtract(self.deal.kitty or ())
        return +left

    @cached_property
    def _bankers(self) -> Counter[Card]:
        """Cards that the banker had before he laid the kitty: they are in his hand or in the kitty."""
        banker = self.deal.banker
        if banker is None or not self.deal.laid:
            return Counter()
        hand = replace(self.known.hand(banker), hidden_out=())
        had = hand.held(0, sure=self.sure)
        if hand.dealt is not None:
            had = had | Counter(hand.dealt)
        had = had | (Counter(self.deal.turned) if self.deal.taken else Counter())
        return had - self._at_start[banker] - Counter(self.deal.kitty or ())

    @cached_property
    def tight(self) -> bool:
        """Whether so few cards are unseen that counting alone may tell what a hand must have held."""
        if not self._few_left():
            return False
        total = self._unseen.total() - self._bankers.total()
        fewest = min((total - self.missing(seat) for seat in SEATS if self.missing(seat)), default=0)
        order = self.deal.order
        if order is None:
            return False
        groups = Counter[str]()
        for card, count in self._unseen.items():
            groups[order.group(card)] += count
        return max(groups.values(), default=0) > fewest

    def _few_left(self) -> bool:
        """A quick look whether `tight` can be: has a group more unseen cards than other places have room?

        Places of others: their cards in hand and the kitty, less what has been shown of them.
        """
        deal, order = self.deal, self.deal.order
        if order is None or all(hand.dealt is not None and not hand.hidden_out for hand in self.known.hands):
            return False
        if any(hand.dealt is not None for hand in self.known.hands):
            return True
        shown = sum(len(step.cards) for hand in self.known.hands for step in hand.steps if step.kind == SHOWN)
        lefts = sorted(deal.left(seat) for seat in SEATS)
        room = sum(lefts[:3]) + (0 if deal.kitty is not None else deal.rules.pack.kitty_size) - shown
        groups = Counter(_group_sizes(order, deal.rules))
        groups.subtract(map(order.group, deal.shown))
        return max(groups.values()) > room

    def unseen(self, seat: Seat) -> Counter[Card]:
        """Cards that may have been in the seat's hand when play began beside those proven."""
        return self._unseen if seat == self.deal.banker else self._unseen - self._bankers

    def missing(self, seat: Seat) -> int:
        """How many cards of the seat's hand when play began are not known."""
        return max(0, self.deal.rules.hand_size - self._at_start[seat].total())

    def judge_follow(
        self, trick: Trick, play: Played, cards: tuple[Card, ...]
    ) -> tuple[Status, Verdict | None]:
        """Whether a follower's play (read as `cards`) keeps to the rules, over all hands that may be his."""
        order = self.deal.order
        if order is None or not trick.units or len(cards) != len(trick.lead.cards):
            return Status.UNKNOWN, None
        held = (self.held(play.seat, play.seq) - Counter(play.cards)) + Counter(cards)
        group = order.group(trick.units[0].cards[0])
        forced = self.forced(play.seat, group)
        verdict = self._verdict(trick.units, held, cards, order)
        unknown = self.missing(play.seat)
        if verdict.legal and not forced:
            complete = not unknown
            return (Status.DISPROVEN if complete else Status.UNKNOWN), verdict
        if not verdict.legal and (self.monotone or verdict.problem == "suit" or not unknown):
            return Status.PROVEN, verdict
        worst = verdict
        for extra in self._completions(play.seat, held, group, order, forced, unknown):
            found = self._verdict(trick.units, held + extra, cards, order) if extra is not None else None
            if found is None or found.legal:
                return (Status.UNKNOWN if verdict.legal else Status.PROVISIONAL), verdict
            worst = found
        return Status.PROVEN, worst

    def _verdict(
        self, units: Sequence[Unit], held: Counter[Card], cards: tuple[Card, ...], order: Order
    ) -> Verdict:
        return follow(units, tuple(held.elements()), cards, order, self.deal.rules.follow)

    def forced(self, seat: Seat, group: str) -> int:
        """How many unseen cards of the group must be in the seat's hand, because no other place is left."""
        order, unknown = self.deal.order, self.missing(seat)
        if not unknown or order is None or uncounted(self.deal, seat, sure=self.sure):
            return 0
        pool = self.unseen(seat)
        return max(0, unknown - sum(n for card, n in pool.items() if order.group(card) != group))

    def _completions(
        self, seat: Seat, held: Counter[Card], group: str, order: Order, forced: int, unknown: int
    ) -> Iterator[Counter[Card] | None]:
        """Sets of unseen cards of the group that the hand may have held too; None when there are too many.

        Only additions that can excuse a play are tried beyond those that are forced: further copies of a card
        that the hand held at least twice, and pairs beside its pairs.
        """
        pool = {card: n for card, n in self.unseen(seat).items() if order.group(card) == group}
        helpful = pool if forced else {c: n for c, n in pool.items() if self._may_excuse(c, held, order)}
        items = sorted(helpful.items(), key=lambda item: item[0].index)
        most = forced if self.monotone else unknown
        for tried, extra in enumerate(_subsets(items, forced, most)):
            yield extra if tried < MOST_HANDS else None

    def _may_excuse(self, card: Card, held: Counter[Card], order: Order) -> bool:
        keys = self.deal.rules.follow
        if held[card] >= 2 and not keys.split_triples:
            return True
        if keys.break_tractors:
            return False
        paired = {order.place(c) for c, n in held.items() if n >= 2 and order.group(c) == order.group(card)}
        return bool({order.place(card) - 1, order.place(card) + 1} & paired)


def _subsets(items: Sequence[tuple[Card, int]], least: int, most: int) -> Iterator[Counter[Card]]:
    """Every choice of `least` to `most` cards out of those given, fewer of the first names first."""
    if not items:
        if least <= 0:
            yield Counter()
        return
    (card, copies), rest = items[0], items[1:]
    others_hold = sum(n for _, n in rest)
    for count in range(max(0, least - others_hold), min(copies, most) + 1):
        for others in _subsets(rest, least - count, most - count):
            yield Counter({card: count}) + others if count else others
