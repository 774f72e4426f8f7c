"""On which side of a lone index its card lies: packs that print four corners leave it open, the picture tells."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Image

_INSET: Final = 0.035
"""How far inside of its edges a card is looked at, as a share of its sides: print begins further in."""
_STOCK_AT: Final = (0.035, 0.08, 0.14)
"""Where a card's own stock is looked for, in from its near edge: a joker's outline may be off by some millimetres."""
_ALONG: Final = np.linspace(0.08, 0.92, 11)
_ALIKE: Final = 42.0
"""Grey levels in the worst channel within which a spot is of the card's own stock."""
_ROW_MM: Final = 42.0
"""Neighbours of a row lie at most this far apart along it."""
_OUT_OF_LINE_MM: Final = 14.0
_TURN: Final = 0.93
"""Cosine of the largest turn between neighbours."""
_VOTE: Final = 0.5
_DOUBT: Final = 0.2
_TABLE: Final = 0.3
"""Less than this share of a card's face is never bare: there lies none."""
_CARD: Final = 0.5
_IN_VIEW: Final = 0.25
"""Share of a card that must be in view at a row's end to tell anything."""
_SHARE_ALIKE: Final = 0.2
"""Where a row lies in the dark its stock and the table differ by less."""
_EVERY: Final = 2
_LEAST_PX: Final = 8


@dataclass(frozen=True, slots=True)
class Corners:
    """Indices of cards whose outline is certain.

    Attributes:
        middle: (K, 2) px.
        down: (K, 2) unit vectors, the index's own direction.
        centre: (K, 2) px, of its card.
    """

    middle: NDArray[np.float32]
    down: NDArray[np.float32]
    centre: NDArray[np.float32]

    def other_side(
        self, middle: NDArray[np.float32], outline: NDArray[np.float32], px_per_mm: float
    ) -> float:
        """Whether the nearest of them in line with an index has its card on the left: 1 yes, -1 no, 0 there is none."""
        down = outline[3] - outline[0]
        down = down / max(float(np.linalg.norm(down)), 1e-6)
        right = np.array([down[1], -down[0]], np.float32)
        step = (self.middle - middle) / px_per_mm
        aside = np.abs(step @ right)
        line = (aside < _ROW_MM) & (np.abs(step @ down) < _OUT_OF_LINE_MM) & (self.down @ down > _TURN)
        if not line.any():
            return 0.0
        k = int(np.flatnonzero(line)[aside[line].argmin()])
        return -1.0 if float((self.centre[k] - self.middle[k]) @ right) > 0 else 1.0


def on_their_own_side(
    image: Image,
    outline: NDArray[np.float32],
    one_sided: NDArray[np.bool_],
    middle: NDArray[np.float32],
    settled: Corners,
    px_per_mm: float,
) -> NDArray[np.float32]:
    """Outlines (N, 4, 2) of which a whole row was laid on the other side of its indices where the picture says so.

    Seen from one corner, an index at the top left and one at the top right are alike. Where the cards of a row would
    lie on the table, they do not lie; a corner in line with them of a card whose side is known speaks too.

    Args:
        image: (H, W, 3) uint8 BGR, a rectified view.
        outline: (N, 4, 2) px, as packs with two corners lie.
        one_sided: (N,) whose side is open.
        middle: (N, 2) px of one index of each.
        settled: corners of cards whose side is known.
        px_per_mm: scale of the view.
    """
    open_ = np.flatnonzero(one_sided)
    if not len(open_):
        return outline
    soft = np.asarray(cv2.blur(image, (3, 3)), np.uint8)
    other = {int(k): _mirrored(outline[k], middle[k]) for k in open_}
    out = outline.copy()
    for row in _rows(outline, middle, open_, px_per_mm):
        votes = [vote for k in row if (vote := settled.other_side(middle[k], outline[k], px_per_mm))]
        beside = sum(votes) / len(votes) if votes else 0.0
        bare = _bare_ends(soft, [outline[k] for k in row], [other[k] for k in row])
        if _is_there(*bare, beside):
            for k in row:
                out[k] = other[k]
    return out


def _is_there(here: float, there: float, beside: float) -> bool:
    """Whether a row lies on the other side of its indices.

    Args:
        here: how much bare stock shows at the end where only cards on the usual side would lie.
        there: the same of the other end.
        beside: what corners in line with it say, -1 (the usual side) to 1.
    """
    if beside > _VOTE:
        return there - here > -_DOUBT
    return beside >= 0 and here < _TABLE and there > _CARD


def _bare_ends(
    image: Image, here: Sequence[NDArray[np.float32]], there: Sequence[NDArray[np.float32]]
) -> tuple[float, float]:
    """How much of the stock's colour shows at the ends of a row that only one of two readings covers: 0..1 each.

    Between the ends lie cards either way. Where too little of an end is in view both are a half.
    """
    points = np.concatenate([*here, *there])
    low = np.maximum(np.floor(points.min(0)).astype(int), 0)
    high = np.minimum(np.ceil(points.max(0)).astype(int) + 1, (image.shape[1], image.shape[0]))
    if (high - low < _LEAST_PX).any():
        return 0.5, 0.5
    part = image[low[1] : high[1] : _EVERY, low[0] : high[0] : _EVERY].astype(np.float32)
    one, other = (_covered(part.shape[:2], outlines, low) for outlines in (here, there))
    stock = _stock(image, here, there)
    alike = np.abs(part - stock).max(2) < min(_ALIKE, _SHARE_ALIKE * float(stock.max()))
    ends = one & ~other, other & ~one
    if min(end.sum() for end in ends) * _EVERY**2 < _IN_VIEW * cv2.contourArea(here[0]):
        return 0.5, 0.5
    return float(alike[ends[0]].mean()), float(alike[ends[1]].mean())


def _covered(
    shape: tuple[int, ...], outlines: Sequence[NDArray[np.float32]], low: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """What cards with these outlines cover, a point every `_EVERY` px from `low` on."""
    mask = np.zeros(shape, np.uint8)
    for outline in outlines:
        inner = outline.mean(0) + (outline - outline.mean(0)) * (1 - 2 * _INSET)
        cv2.fillConvexPoly(mask, np.round((inner - low) / _EVERY).astype(np.int32), 1)
    return mask.astype(np.bool_)


def _mirrored(outline: NDArray[np.float32], middle: NDArray[np.float32]) -> NDArray[np.float32]:
    """The outline on the other side of its index, its corners again clockwise from the top left."""
    right = outline[1] - outline[0]
    right = right / max(float(np.linalg.norm(right)), 1e-6)
    back = 2 * float((outline.mean(0) - middle) @ right)
    return np.asarray(outline - right * back, np.float32)


def _at(image: Image, points: NDArray[np.floating]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Colours (K, 3) at points (K, 2), and which points lie inside of the picture."""
    whole = np.round(points).astype(int)
    inside = np.asarray(((whole >= 0) & (whole < (image.shape[1], image.shape[0]))).all(1), np.bool_)
    whole = np.clip(whole, 0, (image.shape[1] - 1, image.shape[0] - 1))
    return image[whole[:, 1], whole[:, 0]].astype(np.float32), inside


def _stock(
    image: Image, here: Sequence[NDArray[np.float32]], there: Sequence[NDArray[np.float32]]
) -> NDArray[np.float32]:
    """The colour (3,) of a row's cards: what most of the lines share that may be their near edges, half of which are."""
    lines = [_edge(outline, share) for outline in here for share in _STOCK_AT]
    lines += [_edge(outline, 1 - share) for outline in there for share in _STOCK_AT]
    colours, inside = _at(image, np.concatenate(lines))
    colours = colours[inside] if inside.any() else colours
    alike = np.abs(colours[:, None] - colours[None]).max(2) < _ALIKE / 2
    return np.asarray(np.median(colours[alike[alike.sum(1).argmax()]], axis=0), np.float32)


def _edge(outline: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """Points (K, 2) down a card at this share of its width."""
    across, down = outline[1] - outline[0], outline[3] - outline[0]
    return np.asarray(outline[0] + share * across + _ALONG[:, None] * down, np.float32)


def _rows(
    outline: NDArray[np.float32], middle: NDArray[np.float32], which: NDArray[np.int64], px_per_mm: float
) -> list[list[int]]:
    """The cards of `which`, those together whose indices stand in one line, turned the same way."""
    down = outline[:, 3] - outline[:, 0]
    down = down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-6)
    left = [int(k) for k in which]
    rows = []
    while left:
        row, edge = [], [left.pop()]
        while edge:
            k = edge.pop()
            row.append(k)
            step = (middle[left] - middle[k]) / px_per_mm if left else np.empty((0, 2))
            right = np.array([down[k][1], -down[k][0]])
            near = (np.abs(step @ right) < _ROW_MM) & (np.abs(step @ down[k]) < _OUT_OF_LINE_MM)
            near &= down[left] @ down[k] > _TURN if left else near
            edge += [n for n, is_near in zip(left, near, strict=True) if is_near]
            left = [n for n, is_near in zip(left, near, strict=True) if not is_near]
        rows.append(row)
    return rows
