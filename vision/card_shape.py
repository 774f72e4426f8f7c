"""How the cards of one picture are made: where, seen from an index, its opposite and the outline lie."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.detections import Floats
from vision.indices import Indices

CARD_MM: Final = (60.0, 88.0)
"""Width and height of a card; packs differ: 57 to 63 by 87 to 89 mm."""
_TYPICAL_SPAN_MM: Final = 7.0
_ALONG_MM: Final = (46.0, 80.0)
_ACROSS_MM: Final = (34.0, 59.0)
_PRINT: Final = (0.28, 1.95)
"""How much shorter and longer a card may be, in spans, than with the usual span: print of 4 to 15 mm, and
slant."""
_SHARE: Final = 0.76
"""Across to along, of most cards seen from straight above."""
_SLANT: Final = 0.75
"""How far a slant may change that, as a natural logarithm."""
_MARGIN_MM: Final = 3.5
_SIDE_MM: Final = 5.0
_ALIKE: Final = 0.2


@dataclass(frozen=True, slots=True)
class CardShape:
    """Lengths in usual spans (rank centre to suit centre, see `sizes.usual_span`), for the index's reader.

    Attributes:
        along: from the middle of the top left index down to the middle of the opposite one.
        across: from it to the right.
        height: of the card.
        width: of the card.
        pairs: from how many cards with both indices in view this was learnt; 0 is a guess.
    """

    along: float = 66 / _TYPICAL_SPAN_MM
    across: float = 50 / _TYPICAL_SPAN_MM
    height: float = CARD_MM[1] / _TYPICAL_SPAN_MM
    width: float = CARD_MM[0] / _TYPICAL_SPAN_MM
    pairs: int = 0

    @classmethod
    def learnt(cls, along: float, across: float, pairs: int) -> CardShape:
        """From the opposite index's place: an index is about 1.9 spans high and begins 3.5 mm from the
        edge."""
        height = (along + 1.9) / (1 - 2 * _MARGIN_MM / CARD_MM[1])
        width = across + 2 * _SIDE_MM * height / CARD_MM[1]
        return cls(along, across, height, float(np.clip(width, 0.6 * height, 0.75 * height)), pairs)


@dataclass(frozen=True, slots=True)
class Pairs:
    """How M pairs of indices (i, j) lie to each other, seen in the frame between the two; symmetric in i
    and j.

    Attributes:
        i: (M,) numbers of the one index.
        j: (M,) numbers of the other.
        along: (M,) down the card from the one to the other, in spans.
        across: (M,) to the right, in spans.
        turn: (M,) degrees by which their directions miss being opposite.
        ratio: (M,) octaves between their sizes.
    """

    i: NDArray[np.int64]
    j: NDArray[np.int64]
    along: NDArray[np.float64]
    across: NDArray[np.float64]
    turn: NDArray[np.float64]
    ratio: NDArray[np.float64]

    def __getitem__(self, which: NDArray[np.bool_]) -> Pairs:
        return Pairs(*(getattr(self, name)[which] for name in self.__slots__))

    def __len__(self) -> int:
        return len(self.i)


def opposite_pairs(indices: Indices, unit: NDArray[np.float64]) -> Pairs:
    """Every two indices that face about opposite ways, as the two indices of a card do.

    Args:
        indices: N indices.
        unit: (N,) the span that is usual at the place of each, px: lengths are given in it, since a Q or a
            10 may have a span of its own.
    """
    return _pairs(indices, unit, -1.0)


def facing_pairs(indices: Indices, unit: NDArray[np.float64]) -> Pairs:
    """Every two indices that face about the same way, as the two upper corners of a card do.

    `turn` says by how much their directions miss being the same; `along` and `across` may have either sign.
    """
    return _pairs(indices, unit, 1.0)


def _pairs(indices: Indices, unit: NDArray[np.float64], sense: float) -> Pairs:
    """Pairs whose directions have this `sense` to each other: 1 the same way, -1 opposite."""
    found = indices.found
    i, j = np.triu_indices(len(found), 1)
    down = found.down.astype(np.float64)
    agree = sense * np.einsum("nk,nk->n", down[i], down[j])
    good = agree > 0.6
    i, j, agree = i[good], j[good], agree[good]
    axis = down[i] + sense * down[j]
    axis /= np.maximum(np.linalg.norm(axis, axis=1, keepdims=True), 1e-9)
    right = np.stack([axis[:, 1], -axis[:, 0]], 1)
    span = np.maximum(found.span.astype(np.float64), 1e-6)
    size = np.sqrt(unit[i] * unit[j])
    step = (found.middle[j] - found.middle[i]).astype(np.float64)
    return Pairs(
        i, j,
        np.einsum("nk,nk->n", step, axis) / size,
        np.einsum("nk,nk->n", step, right) / size,
        np.degrees(np.arccos(np.clip(agree, -1, 1))),
        np.abs(np.log2(span[i] / span[j])),
    )  # fmt: skip


def learn_shape(
    indices: Indices, pairs: Pairs, unit: NDArray[np.float64], px_per_mm: float | None = None
) -> CardShape:
    """What most cards with both indices in view say about the opposite index's place.

    Pairs of one name, facing opposite ways at a distance that a card can have, vote; the largest group that
    agrees to a fifth wins. Without any such pair the shape is a usual one.

    Args:
        indices: the indices of one picture.
        pairs: `opposite_pairs` of them.
        unit: (N,) the usual span at the place of each, px.
        px_per_mm: the picture's scale where it is known: then the distances must fit in millimetres.
    """
    name = indices.name
    typical = float(np.median(unit)) if len(unit) else 1.0
    # Spans to a millimetre.
    per_mm = 1 / _TYPICAL_SPAN_MM if px_per_mm is None else px_per_mm / max(typical, 1e-6)
    # On the table plane the distances must fit in millimetres; in a photograph the size of the print is not
    # known,
    # and a slant shortens one direction.
    low, high, lean = (1.0, 1.0, 0.3) if px_per_mm is not None else (_PRINT[0], _PRINT[1], _SLANT)
    along, across = pairs.along, np.abs(pairs.across)
    good = (name[pairs.i] == name[pairs.j]) & (pairs.turn < 25) & (pairs.ratio < 0.5)
    good &= ~indices.is_joker[pairs.i]
    good &= (along > _ALONG_MM[0] * per_mm * low) & (along < _ALONG_MM[1] * per_mm * high)
    good &= (across > _ACROSS_MM[0] * per_mm * low) & (across < _ACROSS_MM[1] * per_mm * high)
    good &= np.abs(np.log(np.maximum(across, 1e-6) / np.maximum(along, 1e-6) / _SHARE)) < lean
    if not good.any():
        default = CardShape()
        if px_per_mm is None:
            return default
        return CardShape(66.0 * per_mm, 50.0 * per_mm, CARD_MM[1] * per_mm, CARD_MM[0] * per_mm)
    votes = np.log(np.stack([along[good], across[good]], 1))
    alike = (np.abs(votes[:, None] - votes[None]) < _ALIKE).all(2)
    winner = alike[alike.sum(1).argmax()]
    middle = np.exp(votes[winner].mean(0))
    return CardShape.learnt(float(middle[0]), float(middle[1]), int(winner.sum()))


def outline_of(middle: Floats, down: Floats, span: float, shape: CardShape) -> Floats:
    """The outline (4, 2), px, of the card whose top left index lies here: clockwise from the top left."""
    right = np.array([down[1], -down[0]], np.float32)
    top = (shape.height - shape.along) / 2 * span
    left = (shape.width - shape.across) / 2 * span
    corner = middle - down * top - right * left
    wide, high = right * (shape.width * span), down * (shape.height * span)
    return np.asarray([corner, corner + wide, corner + wide + high, corner + high], np.float32)


def axis_between(one: Floats, other: Floats, down: Floats, shape: CardShape) -> Floats:
    """Unit vector (2,) down a card lying flat, from where both its indices lie: surer than their own directions.

    Args:
        one: middle of the one index, px.
        other: middle of the opposite one.
        down: what the one's own direction says; tells which way up and which of two mirrored answers.
        shape: how the cards are made.
    """
    step = other - one
    right = float(step @ np.array([down[1], -down[0]], np.float32))
    angle = np.arctan2(step[0], step[1]) - np.copysign(np.arctan2(shape.across, shape.along), right)
    return np.asarray([np.sin(angle), np.cos(angle)], np.float32)


def outline_between(one: Floats, other: Floats, down: Floats, shape: CardShape) -> Floats:
    """The outline of a card both of whose indices are seen, from their middles and the direction of the
    first.

    The card's centre is half way between them; its size follows the distance that they really have, so that
    tilt and perspective are taken up.
    """
    right = np.array([down[1], -down[0]], np.float32)
    step = other - one
    high = float(step @ down) * shape.height / shape.along
    wide = abs(float(step @ right)) * shape.width / shape.across
    wide = float(np.clip(wide, 0.45 * high, 1.1 * high))
    return outline_around(np.asarray((one + other) / 2, np.float32), down, wide, high)


def outline_around(centre: Floats, down: Floats, width: float, height: float) -> Floats:
    """The outline (4, 2), px, of a card of this size around its centre; `down` is a unit vector."""
    right = np.array([down[1], -down[0]], np.float32)
    half_x, half_y = right * width / 2, down * height / 2
    corners = [
        centre - half_x - half_y,
        centre + half_x - half_y,
        centre + half_x + half_y,
        centre - half_x + half_y,
    ]
    return np.asarray(corners, np.float32)
