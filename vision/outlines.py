"""Where a card lies, from those of its indices that show: its outline, and whether its sides are certain."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from vision.card_shape import CARD_MM, CardShape, axis_between, outline_around, outline_between, outline_of
from vision.detections import JOKER
from vision.indices import Indices
from vision.joker_pairs import JOKER_INSET_MM, extent_down_and_across


@dataclass(frozen=True, slots=True)
class Outlined:
    """An outline and what it rests on.

    Attributes:
        corners: (4, 2) px, clockwise from the card's top left.
        anchor: (2,) px, the index from which it was taken, where only one edge shows.
        one_sided: all indices that show are at one edge: were it the other edge, the card would lie on their other
            side.
        crosswise: two opposite corners show: its place is certain.
    """

    corners: NDArray[np.float32]
    anchor: NDArray[np.float32]
    one_sided: bool
    crosswise: bool = False


def outline_of_group(
    indices: Indices,
    group: list[int],
    best: int,
    unit: NDArray[np.float64],
    shape: CardShape,
    height: float,
    flat: bool,
) -> Outlined:
    """Where the card of some indices lies.

    Args:
        indices: those of one picture.
        group: numbers of the card's own.
        best: the surest of them.
        unit: (N,) the usual span at the place of each, px.
        shape: how the cards are made.
        height: of a card in this picture, px.
        flat: the picture is a rectified view of the table.
    """
    found = indices.found
    opposite = [i for i in group if float(found.down[i] @ found.down[best]) < -0.5]
    joker = found.class_id[best] == JOKER or indices.is_joker[best]
    if joker:
        return _of_joker(indices, group, best, opposite, height)
    down = found.down[best]
    aside = {
        i: float((found.middle[i] - found.middle[best]) @ _right(down)) / float(unit[best]) for i in group
    }
    across = [i for i in opposite if abs(aside[i]) > shape.across / 2]
    if flat:
        # By the distance, which a slanted print does not change: across the corner, or straight below.
        diagonal = (shape.along + float(np.hypot(shape.along, shape.across))) / 2
        apart = {
            i: float(np.linalg.norm(found.middle[i] - found.middle[best])) / float(unit[best])
            for i in opposite
        }
        across = [i for i in opposite if apart[i] > diagonal]
    if across:
        if flat:
            down = axis_between(found.middle[best], found.middle[across[0]], down, shape)
        corners = outline_between(found.middle[best], found.middle[across[0]], down, shape)
        return Outlined(corners, found.middle[best], False, True)
    # No two opposite corners: of two upper ones the left says where the card lies, of a left edge its upright end.
    both_sides = any(abs(value) > shape.across / 2 for value in aside.values())
    best = (
        max(group, key=lambda i: float(found.down[i, 1])) if opposite else min(group, key=lambda i: aside[i])
    )
    corners = outline_of(found.middle[best], found.down[best], float(unit[best]), shape)
    return Outlined(corners, found.middle[best], not both_sides)


def _right(down: NDArray[np.float32]) -> NDArray[np.float32]:
    return np.array([down[1], -down[0]], np.float32)


def _of_joker(indices: Indices, group: list[int], best: int, opposite: list[int], height: float) -> Outlined:
    """A joker, whose index says little about the card: its size is that of the other cards."""
    middle, down = indices.found.middle, indices.found.down[best]
    px_per_mm = height / CARD_MM[1]
    width = CARD_MM[0] * px_per_mm
    length, breadth = extent_down_and_across(indices.found[group])
    # From the card's edges to the middle of the print: a word that runs level across the corner lies far in.
    inset = min(JOKER_INSET_MM[0] * px_per_mm + float(np.median(breadth)) / 2, width / 2)
    aside = {i: float((middle[i] - middle[best]) @ _right(down)) for i in group}
    beside = [i for i in group if abs(aside[i]) > max(width / 2 - inset, 0.05 * width)]
    if crosswise := [i for i in beside if i in opposite]:
        centre = (middle[best] + middle[crosswise[0]]) / 2
        return Outlined(outline_around(centre, down, width, height), middle[best], False, True)
    if opposite:
        # Both at one edge: of a card that lies upright the upright one is at the left.
        top = max(group, key=lambda i: float(indices.found.down[i, 1]))
        down = indices.found.down[top]
        centre = (middle[best] + middle[opposite[0]]) / 2 + _right(down) * (width / 2 - inset)
        return Outlined(outline_around(centre, down, width, height), middle[top], True)
    if len(group) == 2 and not _alike(indices, group):
        # One was taken for a word that runs level, one for a turned word: opposite corners lie rather along the card.
        step = middle[group[1]] - middle[group[0]]
        down = max((indices.found.down[i] for i in group), key=lambda way: abs(float(step @ way)))
        return Outlined(
            outline_around((middle[group[0]] + middle[group[1]]) / 2, down, width, height),
            middle[best],
            False,
        )
    first = min(group, key=lambda i: aside[i])
    from_top = JOKER_INSET_MM[1] * px_per_mm + float(length[group.index(first)]) / 2
    centre = middle[first] + _right(down) * (width / 2 - inset) + down * (height / 2 - from_top)
    return Outlined(outline_around(centre, down, width, height), middle[first], not beside)


def _alike(indices: Indices, group: list[int]) -> bool:
    """Whether two indices are turned the same way."""
    return float(indices.found.down[group[0]] @ indices.found.down[group[1]]) > 0.5
