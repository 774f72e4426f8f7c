"""Which cards a play is made of: loose cards, sets, runs and sorted hands, drawn from several packs."""

from __future__ import annotations

import numpy as np

from table.cards import ALL_CARDS, RANKS, SUITS


class Shoe:
    """The cards still to be drawn from several packs, so that a name lies at most `packs` times on the table.

    Jokers are drawn more often than a pack would give them: there are two of 54, and readers must learn them.
    """

    def __init__(self, rng: np.random.Generator, packs: int, joker_share: float = 0.07) -> None:
        self._rng = rng
        self._packs = packs
        self._left = {str(card): packs for card in ALL_CARDS}
        self._joker_share = joker_share

    def draw(self, count: int) -> list[str]:
        """`count` names in the order in which they lie from left to right: loose cards, sets, runs, sorted
        hands."""
        what = self._rng.random()
        if count >= 2 and what < 0.15:
            names = self._set(count)
        elif count >= 3 and what < 0.32:
            names = self._run(count)
        else:
            names = [self._one() for _ in range(count)]
            if count >= 5 and what < 0.62:
                names = _sorted_hand(names, by_suit=what < 0.47)
                if self._rng.random() < 0.4:
                    names.reverse()
        return names

    def _take(self, name: str) -> str | None:
        if self._left[name] <= 0:
            return None
        self._left[name] -= 1
        return name

    def _one(self) -> str:
        if self._rng.random() < self._joker_share:
            name = self._take(str(self._rng.choice(["LJ", "BJ"])))
            if name:
                return name
        names = [name for name, left in self._left.items() if left > 0]
        if not names:
            self._left = {str(card): self._packs for card in ALL_CARDS}
            names = list(self._left)
        name = names[int(self._rng.integers(len(names)))]
        self._left[name] -= 1
        return name

    def _set(self, count: int) -> list[str]:
        rank = str(self._rng.choice(RANKS))
        pool = [suit + rank for suit in SUITS for _ in range(self._left[suit + rank])]
        self._rng.shuffle(pool)
        names = [name for name in pool[:count] if self._take(name)]
        return names + [self._one() for _ in range(count - len(names))]

    def _run(self, count: int) -> list[str]:
        start = int(self._rng.integers(len(RANKS)))
        suit = str(self._rng.choice(SUITS)) if self._rng.random() < 0.4 else ""
        names = []
        for i in range(count):
            this = suit or str(self._rng.choice(SUITS))
            names.append(self._take(this + RANKS[(start + i) % len(RANKS)]) or self._one())
        return names


def _sorted_hand(names: list[str], by_suit: bool) -> list[str]:
    def key(name: str) -> tuple[int, int]:
        if name in ("LJ", "BJ"):
            return (9, ("LJ", "BJ").index(name)) if by_suit else (99, ("LJ", "BJ").index(name))
        suit, rank = SUITS.index(name[0]), RANKS.index(name[1:])
        return (suit, rank) if by_suit else (rank, suit)

    return sorted(names, key=key)
