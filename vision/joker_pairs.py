"""Which two indices are the ends of one joker: its print is of any length, its directions are read badly.

A joker's index has no rank and no suit whose places would tell; how long it is, its own box says, and where the other end
must be then follows from the size of a card.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.card_shape import CARD_MM, Pairs, opposite_pairs
from vision.detections import Detections, print_in_box
from vision.indices import Indices

JOKER_INSET_MM: Final = (3.3, 4.0)
"""From a card's edges to a joker's index, beside it and over it; packs differ by 2.5 mm either way."""
_SLACK_MM: Final = (22.0, 20.0)
"""How far off, across and along, the opposite index of a joker may be from where the one's box puts it: of its print
directions are read badly,"""
_FAR_OFF_MM: Final = 8.0
"""and how far off its distance, which no direction spoils; two jokers a step apart are further off than that."""
_OPPOSITE: Final = 35
_DIAGONAL_MM: Final = 6.0
"""How far off the distance of two ends of a joker may be where their directions tell little,"""
_ASTRAY: Final = 25.0
"""and, in degrees, those directions; two jokers a step apart have their ends further off than that."""
_ACROSS: Final = 0.6
_APART: Final = (0.74, 1.02)
"""From the middle of a joker's index to that of the opposite one, in card heights."""


def extent_down_and_across(found: Detections) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How long the print in each box is along its own direction and across it, px: (N,) each.

    Where nothing can be told from the box the print is taken for a column twice as long as its points are apart.
    """
    wide, high = (found.xyxy[:, 2:] - found.xyxy[:, :2]).T.astype(np.float64)
    sin, cos = np.abs(found.down.T.astype(np.float64))
    length, breadth = print_in_box(wide, high, cos, sin)
    length = np.where(np.isnan(length), 2.0 * found.span, length)
    breadth = np.where(np.isnan(breadth), 0.8 * found.span, breadth)
    return np.maximum(length, 1.0), np.maximum(breadth, 1.0)


def misfit_of_jokers(
    indices: Indices, pairs: Pairs, unit: NDArray[np.float64], px_per_mm: float
) -> NDArray[np.float64]:
    """How far each pair is from being the two ends of one joker, 0 perfect, 1 the most that may be: (M,).

    A joker's index is of any length; its own box says how far from the card's edge its middle lies, and so where the
    opposite one must be. Two jokers side by side have their ends elsewhere.

    Args:
        indices: the indices of one rectified view.
        pairs: `card_shape.opposite_pairs` of them.
        unit: (N,) the usual span at the place of each, px, which `pairs` counts in.
        px_per_mm: scale of the view.
    """
    length, breadth = (size / px_per_mm for size in extent_down_and_across(indices.found))
    to_mm = np.sqrt(unit[pairs.i] * unit[pairs.j]) / px_per_mm
    across, along = _from_end_to_end(pairs, breadth, length)
    off = np.hypot(
        (np.abs(pairs.across) * to_mm - across) / _SLACK_MM[0], (pairs.along * to_mm - along) / _SLACK_MM[1]
    )
    apart = np.hypot(pairs.across, pairs.along) * to_mm - np.hypot(across, along)
    return np.asarray(np.maximum(off, np.abs(apart) / _FAR_OFF_MM), np.float64)


def with_level_words(indices: Indices, unit: NDArray[np.float64], px_per_mm: float) -> Indices:
    """The same, where two ends of a joker were taken for columns and lie as words do that run level.

    A level word looks like a column of a card that lies across. Where both ends of a card were taken so, their places
    tell: they are as far apart as on a card for whose reader the words run level, and not as on one that lies across.
    Of such print directions are read badly; the card's own follows from the places.

    Args:
        indices: the indices of one rectified view.
        unit: (N,) the usual span at the place of each, px.
        px_per_mm: scale of the view.
    """
    pairs = opposite_pairs(indices, unit)
    joker, name, found = indices.is_joker, indices.name, indices.found
    pairs = pairs[joker[pairs.i] & (name[pairs.i] == name[pairs.j]) & (pairs.turn < _OPPOSITE)]
    length, breadth = (size / px_per_mm for size in extent_down_and_across(found))
    level, away = _as_ends(pairs, length, breadth, found, px_per_mm, level=True)
    column, _ = _as_ends(pairs, breadth, length, found, px_per_mm, level=False)
    good = (level < 1) & (level < column) & (misfit_of_jokers(indices, pairs, unit, px_per_mm) >= 1)
    keypoints, free = found.keypoints.copy(), np.ones(len(indices), bool)
    for k in np.flatnonzero(good)[np.argsort(level[good], kind="stable")]:
        i, j = int(pairs.i[k]), int(pairs.j[k])
        if not (free[i] and free[j]):
            continue
        free[[i, j]] = False
        step = found.middle[j] - found.middle[i]
        angle = np.arctan2(step[0], step[1]) - away[k]
        down = np.array([np.sin(angle), np.cos(angle)], np.float32)
        for one, way in ((i, down), (j, -down)):
            half = way * found.span[one] / 2
            keypoints[one] = [found.middle[one] - half, found.middle[one] + half]
    return Indices(Detections(found.xyxy, found.class_id, found.confidence, keypoints), indices.log_probs)


def _as_ends(
    pairs: Pairs,
    wide: NDArray[np.float64],
    high: NDArray[np.float64],
    found: Detections,
    px_per_mm: float,
    *,
    level: bool,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How badly pairs fit as top left and bottom right of a card, 1 the most that may be: (M,); and by how much the way
    from the one to the other leads to the right of the card's own direction there, radians: (M,).

    Args:
        pairs: `card_shape.opposite_pairs`.
        wide: (N,) mm of the print, for the card's reader.
        high: (N,) mm of it.
        found: the N indices.
        px_per_mm: scale of the view.
        level: their own directions run across the card, else along it.
    """
    across, along = _from_end_to_end(pairs, wide, high)
    apart = np.linalg.norm(found.middle[pairs.j] - found.middle[pairs.i], axis=1) / px_per_mm
    away = np.arctan2(across, along)
    expected = away - np.pi / 2 if level else away
    off = np.degrees(np.arctan2(pairs.across, pairs.along) - expected)
    # From which end a word is read nobody can tell by its points.
    off = (off + 90) % 180 - 90 if level else off
    return np.hypot((apart - np.hypot(across, along)) / _DIAGONAL_MM, off / _ASTRAY), away


def _from_end_to_end(
    pairs: Pairs, wide: NDArray[np.float64], high: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far across and along a card the middle of one end's print lies from the other's, mm: (M,) each.

    Args:
        pairs: of the indices.
        wide: (N,) mm of each one's print, across the card.
        high: (N,) mm of it, along the card.
    """
    across, along = (
        card - 2 * inset - (size[pairs.i] + size[pairs.j]) / 2
        for card, inset, size in zip(CARD_MM, JOKER_INSET_MM, (wide, high), strict=True)
    )
    return across, along


def across_a_joker(indices: Indices, height: float) -> list[tuple[float, int, int]]:
    """Pairs of one joker's name as far apart as its corners are, turned across to each other: (misfit, i, j).

    A word that runs level on one card and a word that is turned on a card lying across look the same: where one corner
    is taken this way and the other that way, only their distance tells.

    Args:
        indices: the indices of one picture, a rectified view.
        height: of a card, px.
    """
    jokers = np.flatnonzero(indices.is_joker)
    found, out = indices.found, []
    for place, i in enumerate(jokers):
        for j in jokers[place + 1 :]:
            apart = float(np.linalg.norm(found.middle[i] - found.middle[j])) / height
            across = abs(float(found.down[i] @ found.down[j])) < _ACROSS
            if indices.name[i] == indices.name[j] and across and _APART[0] < apart < _APART[1]:
                out.append((0.3 + abs(apart - 0.85), int(i), int(j)))
    return out
