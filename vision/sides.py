"""On which side of a lone index its card lies: packs that print four corners leave it open, the picture tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Image

_INSET: Final = 0.035
"""How far inside of its edges a card is looked at, as a share of its sides: print begins further in."""
_ALONG: Final = np.linspace(0.08, 0.92, 11)
_ALIKE: Final = 42.0
"""Grey levels in the worst channel within which a spot is of the card's own stock."""
_ROW_MM: Final = 42.0
"""Neighbours of a row lie at most this far apart along it."""
_OUT_OF_LINE_MM: Final = 14.0
_TURN: Final = 0.93
"""Cosine of the largest turn between neighbours."""
_VOTE: Final = 1.0
_CLEARLY: Final = 0.3
"""By so many cards' worth of edge the other side must be the better one, over a whole row."""


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

    Seen from one corner, an index at the top left and one at the top right are alike. A card's edges are of bare
    stock: where they would lie on the table, the card does not lie. Cards within a row cover what would tell, so
    that the row's ends speak for all; so does a corner in line with them of a card whose side is known.

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
    gain = {}
    for k, mirrored in other.items():
        stock = _stock(soft, outline[k], mirrored)
        gain[k] = _bare(soft, mirrored, stock) - _bare(soft, outline[k], stock)
    out = outline.copy()
    for row in _rows(outline, middle, open_, px_per_mm):
        beside = sum(_VOTE * settled.other_side(middle[k], outline[k], px_per_mm) for k in row)
        if sum(gain[k] for k in row) + beside > _CLEARLY:
            for k in row:
                out[k] = other[k]
    return out


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


def _stock(image: Image, outline: NDArray[np.float32], mirrored: NDArray[np.float32]) -> NDArray[np.float32]:
    """The colour (3,) of a card: what most of the two lines share that may be its near edge, one of which is."""
    own, other = _edge(outline, _INSET), _edge(mirrored, 1 - _INSET)
    colours, inside = _at(image, np.concatenate([own, other]))
    colours = colours[inside] if inside.any() else colours
    alike = np.abs(colours[:, None] - colours[None]).max(2) < _ALIKE / 2
    return np.asarray(np.median(colours[alike[alike.sum(1).argmax()]], axis=0), np.float32)


def _edge(outline: NDArray[np.float32], share: float) -> NDArray[np.float32]:
    """Points (K, 2) down a card at this share of its width."""
    across, down = outline[1] - outline[0], outline[3] - outline[0]
    return np.asarray(outline[0] + share * across + _ALONG[:, None] * down, np.float32)


def _bare(image: Image, outline: NDArray[np.float32], stock: NDArray[np.float32]) -> float:
    """How much of the band along a card's edges is of its stock's colour, 0..1; half where it is out of view."""
    across, down = outline[1] - outline[0], outline[3] - outline[0]
    low, high = np.full_like(_ALONG, _INSET), np.full_like(_ALONG, 1 - _INSET)
    x = np.concatenate([_ALONG, _ALONG, low, high])
    y = np.concatenate([low, high, _ALONG, _ALONG])
    colours, inside = _at(image, outline[0] + x[:, None] * across + y[:, None] * down)
    alike = (np.abs(colours - stock).max(1) < _ALIKE).astype(float)
    return float(np.where(inside, alike, 0.5).mean())


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
