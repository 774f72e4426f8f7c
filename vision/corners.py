"""Which indices of one name are corners of one card: two opposite ones, or up to four where a pack prints four."""

from __future__ import annotations

from typing import Final

import numpy as np

from vision.card_shape import CardShape, Pairs
from vision.indices import Indices

_STRICT: Final = 0.11
_MOST: Final = 4


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
