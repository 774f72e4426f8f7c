"""Makes detections, indices and cards for tests, from what lies where in millimetres."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from table.cards import Card
from vision.cards_read import CardsRead
from vision.certainty import FEATURES
from vision.detections import Detections
from vision.indices import Indices

SPAN_MM = 7.0
CORNER_MM = (5.0, 11.0)
"""Middle of an index from the card's corner."""


def detections(
    points: Sequence[tuple[float, float, float, float]], scores: Sequence[float] | None = None
) -> Detections:
    """Indices by rank x, rank y, suit x, suit y; each box is the two points and three quarters of a span
    around."""
    keypoints = np.array(points, np.float32).reshape(-1, 2, 2)
    span = np.linalg.norm(keypoints[:, 1] - keypoints[:, 0], axis=1)[:, None]
    boxes = np.concatenate([keypoints.min(1) - 0.5 * span, keypoints.max(1) + 0.5 * span], 1)
    confidence = np.full(len(keypoints), 0.9) if scores is None else np.array(scores)
    return Detections(
        boxes.astype(np.float32), np.zeros(len(keypoints), np.int64), confidence.astype(np.float32), keypoints
    )


def log_probs(*chances: Mapping[str, float]) -> np.ndarray:
    """Rows of log-probabilities; what is not named shares what is left, `none` is the class after the
    cards."""
    rows = np.empty((len(chances), 55))
    for row, named in zip(rows, chances, strict=True):
        row[:] = max(1 - sum(named.values()), 1e-4) / (55 - len(named))
        for name, chance in named.items():
            row[54 if name == "none" else Card.parse(name).index] = chance
    return np.log(rows / rows.sum(1, keepdims=True)).astype(np.float32)


class Table:
    """Cards laid in millimetres, seen at 2 px/mm; which of their indices show is up to the test."""

    def __init__(self, px_per_mm: float = 2.0, width: float = 60.0, height: float = 88.0) -> None:
        self.scale, self.width, self.height = px_per_mm, width, height
        self._points: list[tuple[float, float, float, float]] = []
        self._chances: list[Mapping[str, float]] = []

    def lay(
        self,
        card: str | Mapping[str, float],
        x: float,
        y: float,
        turn: float = 0.0,
        corners: Sequence[str] = ("top left", "bottom right"),
        other: str | Mapping[str, float] | None = None,
    ) -> Table:
        """Lay a card with its centre at (x, y) mm, turned counter-clockwise; `other` is what its opposite
        index reads."""
        for corner in corners:
            self._points.append(self._index(x, y, turn, corner))
            named = other if other is not None and corner.startswith("bottom") else card
            self._chances.append({named: 0.98} if isinstance(named, str) else named)
        return self

    def indices(self) -> Indices:
        """All indices that show."""
        return Indices(detections(self._points), log_probs(*self._chances))

    def _index(self, x: float, y: float, turn: float, corner: str) -> tuple[float, float, float, float]:
        u = self.width / 2 - CORNER_MM[0]
        v = self.height / 2 - CORNER_MM[1]
        u *= -1 if corner in ("top left", "bottom left") else 1
        flip = -1 if corner.startswith("bottom") else 1
        v *= -flip
        angle = math.radians(turn)
        points = []
        for along in (-SPAN_MM / 2, SPAN_MM / 2):
            px, py = u, v + flip * along
            points.append((x + px * math.cos(angle) + py * math.sin(angle)) * self.scale)
            points.append((y - px * math.sin(angle) + py * math.cos(angle)) * self.scale)
        return points[0], points[1], points[2], points[3]


def cards_at(
    *places: tuple[str, float, float, float], corners: int = 1, confidence: float = 0.99
) -> CardsRead:
    """Cards as read: name, centre in px, turn in degrees counter-clockwise; each 120x176 px."""
    outline, upright, chances = [], [], np.zeros((len(places), 54), np.float32)
    for row, (name, x, y, turn) in zip(chances, places, strict=True):
        angle = math.radians(turn)
        down = np.array([math.sin(angle), math.cos(angle)])
        right = np.array([down[1], -down[0]])
        middle = np.array([x, y])
        outline.append(
            [middle + u * right * 60 + v * down * 88 for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
        )
        upright.append(down)
        row[Card.parse(name).index] = confidence
    count = len(places)
    return CardsRead(
        np.array([Card.parse(place[0]).index for place in places], np.int64),
        np.full(count, confidence, np.float32),
        np.zeros(count, bool),
        np.array(outline, np.float32).reshape(-1, 4, 2),
        chances,
        np.array(upright, np.float32).reshape(-1, 2),
        np.full(count, corners, np.int64),
        np.zeros((count, len(FEATURES))),
    )


def names(cards: CardsRead) -> list[str]:
    """The cards' names, sorted."""
    return sorted(map(str, cards.names))
