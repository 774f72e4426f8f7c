"""Which indices of one name are corners of one card: two opposite ones, or up to four where a pack prints four."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.card_shape import CARD_MM, CardShape, Pairs, opposite_pairs
from vision.detections import Detections
from vision.indices import Indices

_STRICT: Final = 0.11
JOKER_INSET_MM: Final = (3.3, 4.0)
"""From a card's edges to a joker's index, beside it and over it; packs differ by 2.5 mm either way."""
_SLACK_MM: Final = (22.0, 20.0)
"""How far off, across and along, the opposite index of a joker may be from where the one's box puts it: of its print
directions are read badly,"""
_FAR_OFF_MM: Final = 8.0
"""and how far off its distance, which no direction spoils; two jokers a step apart are further off than that."""
_SQUARE: Final = 0.35
_OPPOSITE: Final = 35
_DIAGONAL_MM: Final = 6.0
"""How far off the distance of two ends of a joker may be where their directions tell little,"""
_ASTRAY: Final = 25.0
"""and, in degrees, those directions; two jokers a step apart have their ends further off than that."""
_MOST: Final = 4
_ACROSS: Final = 0.6
_APART: Final = (0.74, 1.02)
"""From the middle of a joker's index to that of the opposite one, in card heights."""


def beside_each_other(
    indices: Indices, opposite: Pairs, facing: Pairs, shape: CardShape, within: float
) -> list[tuple[float, int, int]]:
    """Pairs of one name at neighbouring corners, as (misfit, i, j): both upper, both lower, or one under the other.

    Args:
        indices: the indices of one picture.
        opposite: `card_shape.opposite_pairs` of them.
        facing: `card_shape.facing_pairs` of them.
        shape: how the cards are made.
        within: how far off a place may be, as a share of the card's own distances.
    """
    out: list[tuple[float, int, int]] = []
    for pairs, along, across in ((opposite, shape.along, 0.0), (facing, 0.0, shape.across)):
        off = np.hypot((pairs.along - along) / shape.along, (np.abs(pairs.across) - across) / shape.across)
        good = (indices.name[pairs.i] == indices.name[pairs.j]) & (off < within)
        good &= (pairs.turn < 90 * within) & (pairs.ratio < 4 * within)
        cost = off + pairs.turn / 90 + pairs.ratio / 2
        out += [(float(cost[k]), int(pairs.i[k]), int(pairs.j[k])) for k in np.flatnonzero(good)]
    return out


def extent_down_and_across(found: Detections) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How long the print in each box is along its own direction and across it, px: (N,) each.

    A box is upright however its print is turned; turned by half a right angle nothing can be told from it, and the
    print is taken for a column twice as long as its points are apart.
    """
    wide, high = (found.xyxy[:, 2:] - found.xyxy[:, :2]).T.astype(np.float64)
    sin, cos = np.abs(found.down.T.astype(np.float64))
    det = cos * cos - sin * sin
    told = np.abs(det) >= _SQUARE
    safe = np.where(told, det, 1.0)
    length = np.where(told, (high * cos - wide * sin) / safe, 2.0 * found.span)
    breadth = np.where(told, (wide * cos - high * sin) / safe, 0.8 * found.span)
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
    length, breadth = extent_down_and_across(indices.found)
    to_mm = np.sqrt(unit[pairs.i] * unit[pairs.j]) / px_per_mm
    off, expected = [], []
    for told, size, card, inset, slack in (
        (np.abs(pairs.across), breadth, CARD_MM[0], JOKER_INSET_MM[0], _SLACK_MM[0]),
        (pairs.along, length, CARD_MM[1], JOKER_INSET_MM[1], _SLACK_MM[1]),
    ):
        expected.append(card - 2 * inset - (size[pairs.i] + size[pairs.j]) / 2 / px_per_mm)
        off.append((told * to_mm - expected[-1]) / slack)
    across, along = expected
    apart = np.hypot(pairs.across, pairs.along) * to_mm - np.hypot(across, along)
    return np.asarray(np.maximum(np.hypot(off[0], off[1]), np.abs(apart) / _FAR_OFF_MM), np.float64)


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
    across, along = (
        card - 2 * inset - (size[pairs.i] + size[pairs.j]) / 2
        for card, inset, size in zip(CARD_MM, JOKER_INSET_MM, (wide, high), strict=True)
    )
    apart = np.linalg.norm(found.middle[pairs.j] - found.middle[pairs.i], axis=1) / px_per_mm
    away = np.arctan2(across, along)
    expected = away - np.pi / 2 if level else away
    off = np.degrees(np.arctan2(pairs.across, pairs.along) - expected)
    # From which end a word is read nobody can tell by its points.
    off = (off + 90) % 180 - 90 if level else off
    return np.hypot((apart - np.hypot(across, along)) / _DIAGONAL_MM, off / _ASTRAY), away


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


def four_corners(indices: Indices, opposite: Pairs, facing: Pairs, shape: CardShape) -> bool:
    """Whether this pack prints its index in all four corners.

    Identical cards of several packs never lie so that one's index takes another's corner to a few millimetres, not
    twice in a picture: two such pairs say that the corners are of one card.
    """
    return len(beside_each_other(indices, opposite, facing, shape, _STRICT)) >= 2


def grouped(count: int, edges: list[tuple[float, int, int]], most: int = _MOST) -> list[list[int]]:
    """Cards out of pairs of corners, the best fitting pair first; all corners of a card must fit each other.

    Args:
        count: how many indices there are; each ends in exactly one group.
        edges: (misfit, i, j).
        most: corners a card.
    """
    fits = {(min(i, j), max(i, j)) for _, i, j in edges}
    home = {i: [i] for i in range(count)}
    for _, i, j in sorted(edges):
        one, other = home[i], home[j]
        if one is other or len(one) + len(other) > most:
            continue
        if all((min(a, b), max(a, b)) in fits for a in one for b in other):
            one.extend(other)
            for a in other:
                home[a] = one
    return [group for i, group in home.items() if group[0] == i]
