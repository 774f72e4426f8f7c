"""What was read in a picture: cards with name, outline and certainty as parallel arrays, and the backs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from table.cards import ALL_CARDS, Card
from vision.detections import Detections, Floats, check_array, merge_arrays, select_arrays

_WORTH_NAMING = 0.01


@dataclass(frozen=True, slots=True, eq=False)
class CardsRead:
    """N cards that lie face up in one picture.

    Attributes:
        card: (N,) int64, place in `table.cards.ALL_CARDS`.
        confidence: (N,) float32: chance that a card of this name lies here.
        doubtful: (N,) bool: to be looked at before anybody relies on it.
        outline: (N, 4, 2) float32, px: corners clockwise from the top left, for the reader of its clearest
            index.
        chances: (N, 54) float32: the chance of each name.
        upright: (N, 2) float32: unit vector down the card for the reader of its clearest index.
        corners: (N,) int64: how many of its indices were seen.
        evidence: (N, 10) float64: the features from which the confidence was made, see `vision.certainty`.
    """

    card: NDArray[np.int64]
    confidence: Floats
    doubtful: NDArray[np.bool_]
    outline: Floats
    chances: Floats
    upright: Floats
    corners: NDArray[np.int64]
    evidence: NDArray[np.float64]

    def __post_init__(self) -> None:
        count = len(self.card)
        check_array("card", self.card, (count,), np.int64)
        check_array("confidence", self.confidence, (count,), np.float32)
        check_array("doubtful", self.doubtful, (count,), np.bool_)
        check_array("outline", self.outline, (count, 4, 2), np.float32)
        check_array("chances", self.chances, (count, len(ALL_CARDS)), np.float32)
        check_array("upright", self.upright, (count, 2), np.float32)
        check_array("corners", self.corners, (count,), np.int64)
        check_array("evidence", self.evidence, (count, 10), np.float64)

    @classmethod
    def empty(cls) -> CardsRead:
        """No card."""
        return cls(
            card=np.empty(0, np.int64),
            confidence=np.empty(0, np.float32),
            doubtful=np.empty(0, np.bool_),
            outline=np.empty((0, 4, 2), np.float32),
            chances=np.empty((0, len(ALL_CARDS)), np.float32),
            upright=np.empty((0, 2), np.float32),
            corners=np.empty(0, np.int64),
            evidence=np.empty((0, 10), np.float64),
        )

    @classmethod
    def merge(cls, parts: Iterable[CardsRead]) -> CardsRead:
        """All parts after one another."""
        return merge_arrays(cls, [*parts] or [cls.empty()])

    def __len__(self) -> int:
        return len(self.card)

    def __getitem__(self, which: Any) -> CardsRead:
        return select_arrays(self, which)

    @property
    def names(self) -> list[Card]:
        """The N cards as values."""
        return [ALL_CARDS[i] for i in self.card]

    @property
    def centre(self) -> Floats:
        """(N, 2): the middle of each outline, px."""
        return np.asarray(self.outline.mean(1), np.float32)

    def alternatives(self, i: int, at_most: int = 3) -> list[tuple[Card, float]]:
        """Other names of card `i` that are worth a thought, likeliest first, each with its chance."""
        order = np.argsort(-self.chances[i], kind="stable")[: at_most + 1]
        return [
            (ALL_CARDS[j], float(self.chances[i, j]))
            for j in order
            if j != self.card[i] and self.chances[i, j] >= _WORTH_NAMING
        ][:at_most]


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """All that was read in one picture.

    Attributes:
        cards: the cards face up.
        backs: the cards face down.
        px_per_mm: the scale of the picture, given or estimated from the cards; None where nothing tells it.
    """

    cards: CardsRead = field(default_factory=CardsRead.empty)
    backs: Detections = field(default_factory=Detections.empty)
    px_per_mm: float | None = None
