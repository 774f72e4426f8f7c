"""Whole cards that lie open in a photograph: light quadrangles with a card's form, whatever is printed on them."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.card_shape import CARD_MM
from vision.frames import Image

PX_PER_MM: Final = 2.0
"""Scale at which a card that was found is laid flat."""
_LONG_SIDE: Final = 640
"""Photographs are looked at no larger than this, px: outlines are large things."""
_LEAST_AREA: Final = 0.01
_MOST_AREA: Final = 0.9
_SHAPE: Final = (1.1, 2.1)
"""Longer to shorter side of a card, seen from any side; straight from above it is 1.4 to 1.55."""
_FILLED: Final = 0.93
_ROUND: Final = (0.02, 0.04, 0.06)
"""How far a corner may be rounded off, as a share of the outline's length."""
_LEVELS: Final = 5
_SAME: Final = 0.05
"""Two outlines whose corners are nearer to each other than this share of their size are one."""

Quad = NDArray[np.float64]


def open_cards(image: Image, most: int = 6) -> list[Quad]:
    """Outlines (4, 2) px of what may be whole cards, the largest first; the first side of each is a shorter one.

    A card is lighter than what it lies on; how much lighter nobody knows, so several levels of grey are tried, and
    edges.

    Args:
        image: (H, W, 3) uint8 BGR.
        most: at most so many.
    """
    factor = min(1.0, _LONG_SIDE / max(image.shape[:2]))
    small = cv2.resize(image, None, fx=factor, fy=factor, interpolation=cv2.INTER_AREA)
    grey = cv2.GaussianBlur(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), (5, 5), 0)
    found: list[Quad] = []
    for mask in _masks(np.asarray(grey, np.uint8)):
        contours, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_SIMPLE)
        for contour in contours:
            quad = _quad(np.asarray(contour), grey.shape)
            if quad is not None and not any(_same(quad, other) for other in found):
                found.append(quad)
    found.sort(key=lambda quad: -_area(quad))
    return [(quad + 0.5) / factor - 0.5 for quad in found[:most]]


def laid_flat(image: Image, quad: Quad) -> tuple[Image, Quad]:
    """A card as seen from straight above at 2 px/mm with a margin, and its outline (4, 2) px in that picture."""
    margin = 10 * PX_PER_MM
    wide, high = (side * PX_PER_MM for side in CARD_MM)
    flat = np.array([[0, 0], [wide, 0], [wide, high], [0, high]], np.float64) + margin
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), flat.astype(np.float32))
    size = (round(wide + 2 * margin), round(high + 2 * margin))
    picture = cv2.warpPerspective(image, matrix, size, flags=cv2.INTER_AREA, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(picture, np.uint8), flat


def _masks(grey: NDArray[np.uint8]) -> list[NDArray[np.uint8]]:
    split, _ = cv2.threshold(grey, 0, 255, cv2.THRESH_BINARY + cv2.THRESH_OTSU)
    levels = [split, *np.percentile(grey, np.linspace(30, 85, _LEVELS))]
    masks = [np.where(grey > level, np.uint8(255), np.uint8(0)) for level in levels]
    edges = cv2.Canny(grey, 0.33 * split, 0.66 * split)
    masks.append(np.asarray(cv2.dilate(edges, np.ones((3, 3), np.uint8)), np.uint8))
    return [np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))) for mask in masks]


def _quad(contour: NDArray[np.int32], shape: tuple[int, ...]) -> Quad | None:
    """The quadrangle that a contour is; None where it is none, or not of a card's form."""
    hull = cv2.convexHull(contour)
    area, whole = cv2.contourArea(hull), shape[0] * shape[1]
    if not _LEAST_AREA * whole < area < _MOST_AREA * whole:
        return None
    for rough in _ROUND:
        corners = cv2.approxPolyDP(hull, rough * cv2.arcLength(hull, True), True)
        if len(corners) == 4:
            break
    else:
        return None
    quad = np.asarray(corners, np.float64).reshape(4, 2)
    inside = (quad > 2).all() and (quad < np.array(shape[1::-1]) - 3).all()
    if not inside or min(area, _area(quad)) < _FILLED * max(area, _area(quad)):
        return None
    # Clockwise as seen, y downwards.
    x, y = quad.T
    if float(np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))) < 0:
        quad = quad[::-1]
    sides = np.linalg.norm(np.roll(quad, -1, axis=0) - quad, axis=1)
    first, second = (sides[0] + sides[2]) / 2, (sides[1] + sides[3]) / 2
    if not _SHAPE[0] < max(first, second) / max(min(first, second), 1e-6) < _SHAPE[1]:
        return None
    return quad if first < second else np.roll(quad, -1, axis=0)


def _area(quad: Quad) -> float:
    return float(cv2.contourArea(quad.astype(np.float32)))


def _same(quad: Quad, other: Quad) -> bool:
    size = _SAME * float(np.sqrt(_area(other)))
    apart = min(float(np.abs(np.roll(quad, k, axis=0) - other).max()) for k in range(4))
    return apart < size
