"""Cards as they lie: grouped into rows, each from left to right for the one who sees the row upright."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.cards_read import CardsRead

_TURN: Final = 0.78
"""Cosine of the largest turn between neighbours of a row, either way round (about 39 degrees, as in a
fan)."""
_BESIDE: Final = 1.35
"""How many card widths neighbours' centres may be apart along the row."""
_OUT_OF_LINE: Final = 0.42
"""How many card heights neighbours' centres may be apart across the row."""
_CLEAR_VIEW: Final = 0.35


def rows_of(cards: CardsRead, viewer: tuple[float, float] | None = None) -> list[NDArray[np.int64]]:
    """Numbers of the cards, row by row, each row from its viewer's left to right.

    Cards belong to one row if they lie side by side or overlapped, turned alike. A row's viewer is the one
    for whom most of its visible indices stand upright; where both corners show and nothing tells, the one
    who looks at the picture upright. Rows come from top to bottom of the picture, then from left to right.

    Args:
        cards: cards of one picture.
        viewer: unit vector that is "down" for the viewer of every row, where it is known (a seat's zone).

    Returns:
        One array of numbers a row; every card in exactly one.
    """
    rows = []
    for members in _neighbourhoods(cards):
        down = np.asarray(viewer, np.float32) if viewer is not None else _down_of_row(cards[members])
        right = np.array([down[1], -down[0]])
        rows.append(members[np.argsort(cards.centre[members] @ right, kind="stable")])
    if not rows:
        return []
    height = float(np.median(np.linalg.norm(cards.outline[:, 3] - cards.outline[:, 0], axis=1)))
    middles = [cards.centre[row].mean(0) for row in rows]
    order = sorted(
        range(len(rows)), key=lambda k: (round(float(middles[k][1]) / max(height, 1)), middles[k][0])
    )
    return [rows[k] for k in order]


def reading_order(cards: CardsRead, viewer: tuple[float, float] | None = None) -> NDArray[np.int64]:
    """All numbers of the cards, row after row."""
    rows = rows_of(cards, viewer)
    return np.concatenate(rows) if rows else np.empty(0, np.int64)


def _neighbourhoods(cards: CardsRead) -> list[NDArray[np.int64]]:
    """Connected groups of cards that lie beside one another, turned alike."""
    count = len(cards)
    linked = np.zeros((count, count), bool)
    centre, outline = cards.centre, cards.outline
    across = outline[:, 1] - outline[:, 0]
    down = outline[:, 3] - outline[:, 0]
    width, height = np.linalg.norm(across, axis=1), np.linalg.norm(down, axis=1)
    for i in range(count):
        step = centre - centre[i]
        unit = down[i] / max(float(height[i]), 1e-6)
        right = np.array([unit[1], -unit[0]])
        turned_alike = np.abs(down @ unit) > _TURN * np.maximum(height, 1e-6)
        linked[i] = turned_alike & (np.abs(step @ right) < _BESIDE * width[i])
        linked[i] &= np.abs(step @ unit) < _OUT_OF_LINE * height[i]
    linked |= linked.T
    free = np.ones(count, bool)
    groups = []
    for start in range(count):
        if not free[start]:
            continue
        inside = np.zeros(count, bool)
        edge = [start]
        while edge:
            i = edge.pop()
            if not inside[i]:
                inside[i] = True
                edge += list(np.flatnonzero(linked[i] & ~inside))
        free &= ~inside
        groups.append(np.flatnonzero(inside))
    return groups


def _down_of_row(cards: CardsRead) -> NDArray[np.float32]:
    """Down for the viewer of a row: a card that shows one index says it, one that shows both only the
    axis."""
    says = np.where(cards.corners > 1, 0.0, 1.0).astype(np.float32)
    total = (cards.upright * says[:, None]).sum(0)
    if np.linalg.norm(total) > _CLEAR_VIEW * max(float(says.sum()), 1.0):
        return np.asarray(total / np.linalg.norm(total), np.float32)
    # Doubled angles make the two directions of an axis one.
    angle = np.arctan2(cards.upright[:, 0], cards.upright[:, 1]) * 2
    axis = np.arctan2(np.sin(angle).sum(), np.cos(angle).sum()) / 2
    down = np.array([np.sin(axis), np.cos(axis)], np.float32)
    return -down if down[1] < 0 else down
