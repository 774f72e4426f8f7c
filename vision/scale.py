"""The scale of a photograph that nobody calibrated: looks at it in several sizes and keeps what agrees."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.indices import Indices, join_views

SMALLEST_VIEW: Final = 224
"""Long side of the smallest view, px: one card fills it at 2 px/mm."""
STEP: Final = 2**0.5
LARGEST_FACTOR: Final = 3.2
"""A picture is not enlarged beyond this: there is nothing more to see."""
LARGEST_VIEW: Final = 13_000_000
"""Pixels of the largest view."""
BUDGET: Final = 40_000_000
"""Pixels of all views together: about four seconds on two cores."""
_ENOUGH: Final = 2.5
_FADED: Final = 0.5
_CLEAR: Final = 0.6
_AGREE: Final = 0.8
_JOKERS: Final = 0.3


def factors(height: int, width: int) -> list[float]:
    """By how much to enlarge a picture for each view, smallest view first.

    >>> [round(f, 2) for f in factors(640, 640)]
    [0.35, 0.49, 0.7, 0.99, 1.4, 1.98, 2.8]
    """
    long_side = max(height, width)
    out: list[float] = []
    factor = min(SMALLEST_VIEW / long_side, 1.0)
    spent = 0.0
    while factor <= LARGEST_FACTOR:
        pixels = height * width * factor**2
        spent += pixels
        if pixels > LARGEST_VIEW or (out and spent > BUDGET):
            break
        out.append(factor)
        factor *= STEP
    return out


def search_scale(
    height: int, width: int, look: Callable[[float], Indices]
) -> tuple[list[Indices], list[float]]:
    """Look at a picture in growing sizes and put what the views show together.

    Stops early once two sizes in a row show much less than the best size did. All indices of a photograph are
    near one size; what is more than 0.8 octaves off the size with the most evidence is left out.

    Args:
        height: of the picture, px.
        width: of the picture, px.
        look: gives what is found and named in the picture enlarged by a factor, in px of the picture itself.

    Returns:
        Each index once, for each size that they may be of, the likeliest first (at least one); and the factors that
        were looked at.
    """
    views: list[Indices] = []
    tried: list[float] = []
    strength: list[float] = []
    for factor in factors(height, width):
        views.append(look(factor))
        tried.append(factor)
        strength.append(evidence(views[-1]))
        best = max(strength)
        if best >= _ENOUGH and len(strength) > 2 and max(strength[-2:]) < _FADED * best:
            break
    return by_size(join_views(Indices.merge(views))), tried


def evidence(view: Indices) -> float:
    """How much a view shows: the finder's score of each index that the reader confirms."""
    sure = view.is_card >= _CLEAR
    return float((view.found.confidence * view.is_card * view.named)[sure].sum())


def by_size(indices: Indices, within: float = _AGREE, most: int = 3) -> list[Indices]:
    """Those indices whose size agrees with most of the evidence, `within` so many octaves; then those that agree with
    most of the rest, and so on, at most `most` times."""
    out = [indices[:0]] if not len(indices) else []
    rest = indices
    while len(rest) and len(out) < most:
        near = _of_one_size(rest, within)
        out.append(rest[near])
        rest = rest[~near]
    return out


def _of_one_size(indices: Indices, within: float) -> NDArray[np.bool_]:
    size = np.log2(np.maximum(indices.found.span, 1e-3))
    # A wild guess at a speck is no evidence, however many specks there are: keys and print are many. What jokers print
    # has a size of its own and tells little.
    weight = (indices.found.confidence * indices.named**2) ** 2 * (indices.is_card >= _CLEAR)
    weight = np.where(indices.is_joker, _JOKERS * weight, weight)
    # Near sizes support each other the more the nearer they are.
    support = (np.exp(-(((size[:, None] - size[None]) / 0.3) ** 2)) * weight[None]).sum(1)
    return np.asarray(np.abs(size - size[support.argmax()]) <= within, np.bool_)
