"""Which cards are trump and how high each card stands: the order of one deal of Shengji (升级)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from table.cards import ALL_CARDS, RANKS, SUITS, Card

TRUMP: Final = "T"
"""The name of the group of trumps (主牌); a side suit's group is its letter (副牌)."""

NO_TRUMP: Final = "NT"
"""How a question names a deal without a trump suit (无主), and the level beyond A where a match has one."""

LEVELS: Final = (*RANKS, NO_TRUMP)
"""The levels (级) in the order in which they are played."""


@dataclass(frozen=True, slots=True)
class Held:
    """One card name in a set of cards: how high it stands within its group and how many copies there are."""

    place: int
    card: Card
    count: int


@dataclass(frozen=True, slots=True)
class Order:
    """The order of one deal. Build it with `order_for`.

    `level` is a rank, or None at the level beyond A (no level cards); `trump` a suit, or None for no trump.
    Places count upward within a group; two places that differ by one are adjacent for tractors (SJO-24).
    """

    level: str | None
    trump: str | None
    groups: tuple[str, ...]
    places: tuple[int, ...]

    def group(self, card: Card) -> str:
        """`T` for a trump, else the suit (SJO-06, SJO-42: level cards and jokers belong to trump)."""
        return self.groups[card.index]

    def place(self, card: Card) -> int:
        """How high the card stands within its group; equal cards share a place (SJO-04, SJE-07)."""
        return self.places[card.index]

    def of_group(self, cards: Iterable[Card], group: str) -> tuple[Card, ...]:
        """Those of the cards that belong to the group, in their order."""
        return tuple(card for card in cards if self.groups[card.index] == group)

    def only_group(self, cards: Iterable[Card]) -> str | None:
        """The group that all the cards belong to, or None where they are of several (or there are none)."""
        found = {self.groups[card.index] for card in cards}
        return found.pop() if len(found) == 1 else None

    def held(self, cards: Iterable[Card]) -> tuple[Held, ...]:
        """The cards by name, lowest place first."""
        counts = Counter(cards)
        return tuple(
            Held(place, card, counts[card])
            for place, _, card in sorted((self.places[c.index], c.index, c) for c in counts)
        )


@lru_cache(maxsize=512)
def order_for(
    level: str | None, trump: str | None, *, permanent: tuple[str, ...] = (), across_level: bool = True
) -> Order:
    """The order for a level and a trump suit.

    Args:
        level: a rank, or None (or `NT`) where no rank is the level.
        trump: a suit, or None (or `NT`) for no trump (SJO-07).
        permanent: ranks that are always trump besides the level (常主), the highest first (SJE-06).
        across_level: whether the ranks next to a missing rank are adjacent (SJO-25, dispute A20).

    Raises:
        ValueError: not a level, not a suit.

    >>> order = order_for("10", "S")
    >>> order.place(Card.parse("H10")) == order.place(Card.parse("D10")) < order.place(Card.parse("S10"))
    True
    """
    level = None if level == NO_TRUMP else level
    trump = None if trump == NO_TRUMP else trump
    if level is not None and level not in RANKS:
        raise ValueError(f"not a level: {level!r} (expected one of {' '.join(LEVELS)})")
    if trump is not None and trump not in SUITS:
        raise ValueError(f"not a trump: {trump!r} (expected S, H, C, D or NT)")
    if unknown := set(permanent) - set(RANKS):
        raise ValueError(f"not ranks: {' '.join(sorted(unknown))} (expected 2..10 J Q K A)")
    placed: dict[Card, tuple[str, int]] = {}
    special = tuple(rank for rank in permanent if rank != level)
    plain = [rank for rank in RANKS if rank != level and rank not in special]
    steps = (
        {rank: RANKS.index(rank) for rank in plain}
        if not across_level
        else {rank: i for i, rank in enumerate(plain)}
    )
    for suit in SUITS:
        for rank in plain:
            placed[Card(suit, rank)] = (TRUMP if suit == trump else suit, steps[rank])
    height = max(steps.values()) + 1 if trump else 0
    for rank in (*reversed(special), *([level] if level else [])):
        for suit in SUITS:
            if suit != trump:
                placed[Card(suit, rank)] = (TRUMP, height)
        height += 1
        if trump:
            placed[Card(trump, rank)] = (TRUMP, height)
            height += 1
    placed[Card("", "LJ")] = (TRUMP, height)
    placed[Card("", "BJ")] = (TRUMP, height + 1)
    return Order(
        level,
        trump,
        tuple(placed[card][0] for card in ALL_CARDS),
        tuple(placed[card][1] for card in ALL_CARDS),
    )


def points_of(cards: Iterable[Card]) -> int:
    """Points of the cards (分): 5 counts 5, 10 and K count 10 (SJO-08)."""
    return sum(5 if card.rank == "5" else 10 if card.rank in ("10", "K") else 0 for card in cards)
