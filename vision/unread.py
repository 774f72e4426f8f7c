"""What lies on the table like a card and is none that was read: bright, as large as a card, nothing explains it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.card_shape import CARD_MM
from vision.gate import Gate, Mask
from vision.placing import overlap
from vision.plane import Points
from vision.zone_views import grown

WHOLE_NOTHING: Final = 0.1
"""Chance that something as large and as bright as a card, and of its form, is none."""
PART_NOTHING: Final = 0.4
"""The same where only a part shows beside cards that were read."""
_LEAST_CONTRAST: Final = 40.0
_LEAST_MM2: Final = 450.0
_LONG_MM: Final = (76.0, 100.0)
_SHORT_MM: Final = (48.0, 150.0)
_EDGE_MM: Final = 45.0
_FULL: Final = 0.8
_BESIDE_MM: Final = 6.0
_AROUND_MM: Final = 2.5


@dataclass(frozen=True, slots=True)
class Piece:
    """Something that may be a card nobody could read.

    Attributes:
        outline: (4, 2) mm of the card that it may be.
        shows: (4, 2) mm round what of it shows.
        nothing: chance that it is no card, 0..1.
    """

    outline: Points
    shows: Points
    nothing: float


def unread_pieces(
    gate: Gate, cards: Sequence[Points], other: Mask, paper: float | None = None
) -> list[Piece]:
    """What lies in a zone, bright as paper, and is explained by nothing.

    Args:
        gate: of the zone, in one camera.
        cards: (4, 2) mm each: the cards that are known to lie face up.
        other: (H, W) of the small picture: whatever else is known to lie there, a hand, backs, plaques.
        paper: how light faces are elsewhere in the same picture, for a zone in which none was read yet.
    """
    light = gate.as_lit
    if light is None:
        return []
    now, ground, known = light
    grid = gate.grid
    paper = gate.paper or paper or _lightest(now - ground, now, known & (other == 0), grid.px_per_mm)
    if paper is None:
        return []
    half = ground + 0.5 * (paper - ground)
    bright = known & (now > half) & (paper - ground > _LEAST_CONTRAST) & (other == 0)
    mask = np.where(bright, np.uint8(255), np.uint8(0))
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)
    mask[grid.mask(np.array(list(cards)).reshape(-1, 4, 2), _AROUND_MM) > 0] = 0
    mask = np.asarray(cv2.morphologyEx(mask, cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)), np.uint8)
    count, labels, stats, _ = cv2.connectedComponentsWithStats(mask)
    out = []
    for k in range(1, count):
        if stats[k][cv2.CC_STAT_AREA] >= _LEAST_MM2 * grid.px_per_mm**2:
            piece = _piece(gate, labels == k, cards)
            out += [] if piece is None else [piece]
    return out


def _lightest(
    above: NDArray[np.float32], now: NDArray[np.float32], where: NDArray[np.bool_], px_per_mm: float
) -> float | None:
    """How light a face may be where nobody has read one yet: as what is clearly lighter than the table.

    Args:
        above: grey levels over the bare table.
        now: grey levels.
        where: what counts.
        px_per_mm: of the small picture.
    """
    light = where & (above > _LEAST_CONTRAST)
    if np.count_nonzero(light) < _LEAST_MM2 * px_per_mm**2:
        return None
    return float(np.percentile(now[light], 70))


def _piece(gate: Gate, where: NDArray[np.bool_], cards: Sequence[Points]) -> Piece | None:
    """What one bright patch may be; None where it has nothing of a card."""
    grid = gate.grid
    points = np.argwhere(where)[:, ::-1].astype(np.float32)
    corners = cv2.boxPoints(cv2.minAreaRect(points)).astype(np.float64)
    # Pixels have a breadth of their own.
    shows = _whole_pixels(grid.table(corners), 1 / grid.px_per_mm)
    a, b = (float(np.linalg.norm(shows[i + 1] - shows[i])) for i in (0, 1))
    long, short = max(a, b), min(a, b)
    filled = float(where.sum()) / grid.px_per_mm**2 / max(long * short, 1e-6)
    upright = shows if a <= b else np.roll(shows, -1, axis=0)
    if _LONG_MM[0] <= long <= _LONG_MM[1] and _SHORT_MM[0] <= short <= _SHORT_MM[1] and filled >= _FULL:
        return Piece(upright, shows, WHOLE_NOTHING)
    if long > _SHORT_MM[1] or long < _EDGE_MM or filled < 0.6:
        return None
    near = [card for card in cards if overlap(grown(shows, _BESIDE_MM), card) > 0]
    if not near:
        return None
    return Piece(_completed(upright, near[-1]), shows, PART_NOTHING)


def _whole_pixels(box: Points, px_mm: float) -> Points:
    centre = box.mean(0)
    sides = [box[1] - box[0], box[2] - box[1]]
    axes = [side / max(float(np.linalg.norm(side)), 1e-6) for side in sides]
    lengths = [float(np.linalg.norm(side)) + px_mm for side in sides]
    u, v = axes[0] * lengths[0] / 2, axes[1] * lengths[1] / 2
    return np.array([centre - u - v, centre + u - v, centre + u + v, centre - u + v])


def _completed(upright: Points, card: Points) -> Points:
    """The outline of a card of which a part shows beside another one: the rest of it lies under or over that card.

    Args:
        upright: (4, 2) mm round the part, its first side the shorter one.
        card: (4, 2) mm of the card beside it.
    """
    across, along = upright[1] - upright[0], upright[3] - upright[0]
    wide, high = float(np.linalg.norm(across)), float(np.linalg.norm(along))
    # A long strip is a card's side; a shorter one is as wide as a card and lacks a part of its height.
    full = CARD_MM if high > (CARD_MM[0] + CARD_MM[1]) / 2 else CARD_MM[::-1]
    u, v = across / max(wide, 1e-6), along / max(high, 1e-6)
    towards = card.mean(0) - upright.mean(0)
    grow_u, grow_v = max(full[0] - wide, 0.0), max(full[1] - high, 0.0)
    shift = u * np.copysign(grow_u / 2, float(towards @ u)) + v * np.copysign(grow_v / 2, float(towards @ v))
    centre = upright.mean(0) + shift
    u, v = u * (wide + grow_u) / 2, v * (high + grow_v) / 2
    box = np.array([centre - u - v, centre + u - v, centre + u + v, centre - u + v])
    return box if full == CARD_MM else np.roll(box, -1, axis=0)
