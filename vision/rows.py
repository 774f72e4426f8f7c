"""A card that nobody found in the middle of a row: its neighbours lie twice as far apart as all the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.setup import ZoneSetup
from vision.card_shape import CARD_MM
from vision.placing import left_to_right, local, turned_apart
from vision.plane import Points

GAP_NOTHING: Final = 0.5
"""Chance that a gap in a row is only a gap: people do not lay cards by a ruler."""
_TURNED: Final = 12.0
_ASIDE_MM: Final = 16.0
_LEAST_STEP_MM: Final = 4.0
_EVEN: Final = 1.4
"""In a row that is laid evenly no step is so many times as long as another,"""
_EVEN_MM: Final = 4.0
"""nor so much longer: places are read to a millimetre."""
_GAP: Final = (1.65, 2.5)
_GAP_OF_TWO: Final = (1.8, 2.25)
"""How many usual steps a gap is that one card fills; stricter where a single other step says what is usual."""


def row_gaps(outlines: Sequence[Points], zone: ZoneSetup) -> list[Points]:
    """Where cards seem to be missing among some that were laid together.

    Where neighbours are no further apart than a card is wide, the one to the left fills the gap between them with its
    own face, whether another card lies on it there or not: no light tells, but the steps of the others do.

    Args:
        outlines: (4, 2) mm each, begun at the top left for the zone's reader.
        zone: theirs.

    Returns:
        (4, 2) mm each: half way between the two cards that are too far apart.
    """
    order = [outlines[i] for i in left_to_right(outlines, zone)]
    found: list[Points] = []
    row: list[Points] = []
    for outline in order:
        if row and not _beside(row[-1], outline, zone):
            found += _gaps(row, zone)
            row = []
        row.append(outline)
    return found + _gaps(row, zone)


def _beside(one: Points, other: Points, zone: ZoneSetup) -> bool:
    x, y = local(other.mean(0), zone) - local(one.mean(0), zone)
    return turned_apart(one, other) < _TURNED and abs(y) < _ASIDE_MM and _LEAST_STEP_MM < x < 1.2 * CARD_MM[0]


def _gaps(row: Sequence[Points], zone: ZoneSetup) -> list[Points]:
    # By their top left corners, where the indices are that were read: a turn read wrong shifts the middle most.
    for at in (np.array([outline[0] for outline in row]), np.array([outline.mean(0) for outline in row])):
        k = _gap(np.diff(local(at, zone)[:, 0])) if len(row) > 2 else None
        if k is not None:
            return [np.asarray((row[k] + row[k + 1]) / 2)]
    return []


def _gap(steps: NDArray[np.float64]) -> int | None:
    """Number of the step that one card more would make as long as all the others; None where there is none."""
    k = int(steps.argmax())
    others = np.delete(steps, k)
    low, high = _GAP if len(others) > 1 else _GAP_OF_TWO
    usual = float(np.median(others))
    even = others.max() <= max(_EVEN * others.min(), others.min() + _EVEN_MM)
    return k if even and low * usual <= steps[k] <= high * usual and steps[k] < CARD_MM[0] else None
