"""Adds up what several readings say about one card: log-probabilities, with doubt about repeated readings."""

from __future__ import annotations

from dataclasses import dataclass, field
from statistics import median
from typing import Final

import numpy as np
from numpy.typing import NDArray

from table.cards import ALL_CARDS, Card
from vision.cards_read import CardsRead

NAMES: Final = len(ALL_CARDS)
ONE_REST: Final = 2.0
"""Readings of one rest see the same print in the same light: together they weigh at most so many readings."""
ALL_RESTS: Final = 3.0
_LEAST: Final = 2e-4
_ALIKE_SHARE: Final = 0.02
_SUREST: Final = 0.9995
_WORTH_NAMING: Final = 0.003

Row = NDArray[np.float64]
_RANK = np.array([card.rank for card in ALL_CARDS])
_SUIT = np.array([card.suit or "joker" for card in ALL_CARDS])
_ALIKE = ((_RANK[:, None] == _RANK[None]) | (_SUIT[:, None] == _SUIT[None])).astype(np.float64)
np.fill_diagonal(_ALIKE, 0.0)
_ALIKE /= _ALIKE.sum(1, keepdims=True)


def reading_row(cards: CardsRead, i: int) -> Row:
    """(55,): what one reading says of card `i`: the chance of each name, then that it is none of them.

    The name that was read gets the card's confidence; the rest is shared by the other names as the reader
    sees them, a little by names of the same rank or suit, and by "no card".
    """
    own = int(cards.card[i])
    sure = float(np.clip(cards.confidence[i], 0.01, 0.999))
    chances = cards.chances[i].astype(np.float64)
    others = chances.copy()
    others[own] = 0
    others += _ALIKE_SHARE * _ALIKE[own]
    none = max(1 - float(chances.sum()), 0.0) + _ALIKE_SHARE
    rest = float(others.sum()) + none
    row = np.append(others, none) * ((1 - sure) / rest)
    row[own] = sure
    return row


@dataclass(slots=True)
class Evidence:
    """All readings of one card, rest by rest.

    Attributes:
        sums: by rest: sum of log-probabilities (55,), and of how many readings.
        sure: confidence of each reading in the name that it read.
        names: the name of each reading, as its place in `ALL_CARDS`.
        doubted: whether each reading was doubtful.
        corners: the most indices of the card that one reading saw.
    """

    sums: dict[float, tuple[Row, int]] = field(default_factory=dict)
    sure: list[float] = field(default_factory=list)
    names: list[int] = field(default_factory=list)
    doubted: list[bool] = field(default_factory=list)
    corners: int = 0
    _chances: Row | None = field(default=None, repr=False, compare=False)

    def add(self, cards: CardsRead, i: int, rest: float) -> None:
        """One more reading: card `i` of `cards`, in the rest that began at `rest`, s."""
        row = np.log(np.maximum(reading_row(cards, i), _LEAST))
        before, count = self.sums.get(rest, (np.zeros(NAMES + 1), 0))
        self.sums[rest] = (before + row, count + 1)
        self._chances = None
        self.sure.append(float(cards.confidence[i]))
        self.names.append(int(cards.card[i]))
        self.doubted.append(bool(cards.doubtful[i]))
        self.corners = max(self.corners, int(cards.corners[i]))
        if len(self.sure) > 60:
            del self.sure[:20], self.names[:20], self.doubted[:20]

    @property
    def chances(self) -> Row:
        """(55,) of the names and of "no card", adding up to 1; the same array until something is added."""
        if self._chances is None:
            # Displays ask several times a second about cards of which nothing new is known.
            self._chances = self._added_up()
            self._chances.flags.writeable = False
        return self._chances

    def _added_up(self) -> Row:
        total, weight = np.zeros(NAMES + 1), 0.0
        for logs, count in self.sums.values():
            own = ONE_REST - 2.0 ** (1 - count)
            total += logs * (own / count)
            weight += own
        total *= min(1.0, ALL_RESTS / max(weight, 1e-9))
        chance = np.exp(total - total.max())
        return np.asarray(chance / chance.sum(), np.float64)

    @property
    def name(self) -> int:
        """The likeliest, as its place in `ALL_CARDS`."""
        return int(self.chances[:NAMES].argmax())

    @property
    def confidence(self) -> float:
        """Of the likeliest name, 0..1."""
        return min(float(self.chances[:NAMES].max()), _SUREST)

    @property
    def usual(self) -> float:
        """How sure a single reading usually is, 0..1; 0 without any."""
        return median(self.sure) if self.sure else 0.0

    @property
    def agreed(self) -> bool:
        """Whether nearly all readings gave one name."""
        name = self.name
        return self.names.count(name) >= 0.75 * len(self.names)

    def doubtful(self, sure_above: float) -> bool:
        """Whether somebody should look: repeating a doubtful reading does not make it sure."""
        often = sum(self.doubted) > len(self.doubted) / 2
        return often or not self.agreed or self.confidence < sure_above or self.usual < sure_above - 0.1

    def listed(self, at_most: int = 6) -> tuple[tuple[Card, float], ...]:
        """Names worth a thought with their chances, likeliest first; none of what was never read."""
        if not self.sure:
            return ()
        chances = self.chances[:NAMES]
        order = np.argsort(-chances, kind="stable")[:at_most]
        best = (ALL_CARDS[int(order[0])], min(float(chances[order[0]]), _SUREST))
        rest = ((ALL_CARDS[int(k)], float(chances[k])) for k in order[1:] if chances[k] >= _WORTH_NAMING)
        return (best, *rest)

    def likeness(self, row: Row) -> float:
        """Chance that this card and one of which a reading says `row` (55,) have the same name, 0..1."""
        return float(self.chances[:NAMES] @ row[:NAMES])
