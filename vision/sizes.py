"""The size that an index should have at each place of a picture, learnt from those that are clearly read."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.indices import Indices

_NEAR: Final = 0.35
_STEEPEST: Final = 1.0
_ENOUGH_FOR_A_SLOPE: Final = 6
_LOOSE: Final = (2.0, 0.6, 0.4, 0.3, 0.2, 0.15, 0.15)
"""Octaves off at which an index counts half, from round to round."""


def off_size(indices: Indices) -> NDArray[np.float64]:
    """Octaves by which each index is larger (+) or smaller (-) than `usual_span` at its place: (N,);
    jokers 0."""
    off = np.log2(np.maximum(indices.found.span.astype(np.float64), 1e-3) / usual_span(indices))
    return np.where(indices.is_joker, 0.0, off)


def usual_span(indices: Indices) -> NDArray[np.float64]:
    """The span (rank to suit, px) that an index should have at the place of each: (N,).

    All cards of a picture are of one pack size and lie on one plane, so their indices are nearly of one
    size, and in perspective it changes evenly over the picture. Jokers' indices have a size of their own:
    they count only where there is nothing else.
    """
    size = np.log2(np.maximum(indices.found.span.astype(np.float64), 1e-3))
    usual = ~indices.is_joker
    weight = np.where(usual, indices.found.confidence * indices.named**2, 0.0).astype(np.float64)
    if not (weight > 0.2).any():
        return np.full(len(indices), float(np.median(indices.found.span)) if len(indices) else 1.0)
    near = np.abs(size[:, None] - size[None]) < _NEAR
    middle = float(size[(near * weight[None]).sum(1).argmax()])
    core = np.abs(size - middle) < _NEAR
    middle = float(np.average(size[core], weights=weight[core] + 1e-9))
    expected = np.full(len(indices), middle)
    firm = (weight > 0.5) & (np.abs(size - middle) < _STEEPEST)
    if firm.sum() >= _ENOUGH_FOR_A_SLOPE:
        expected = _plane(indices.found.middle.astype(np.float64), size, np.where(firm, weight, 0.0), middle)
    return np.asarray(np.exp2(expected), np.float64)


def _plane(
    at: NDArray[np.float64], size: NDArray[np.float64], weight: NDArray[np.float64], middle: float
) -> NDArray[np.float64]:
    """Size as a plane over the picture, by reweighted least squares with a pull towards no slope: (N,)."""
    spread = max(float(np.ptp(at[weight > 0], axis=0).max()), 1.0)
    base = np.concatenate([np.ones((len(at), 1)), (at - at[weight > 0].mean(0)) / spread], 1)
    answer = np.array([middle, 0.0, 0.0])
    pull = np.diag([1e-6, 0.1, 0.1])
    for loose in _LOOSE:
        rest = size - base @ answer
        firm = weight / (1 + (rest / loose) ** 2)
        answer = np.linalg.solve(base.T @ (base * firm[:, None]) + pull, base.T @ (firm * size))
    expected = base @ answer
    return np.asarray(np.clip(expected, middle - _STEEPEST, middle + _STEEPEST), np.float64)
