"""Make the reader's certainty mean what it says: one temperature, fitted on designs training never saw."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar


@dataclass(frozen=True, slots=True)
class Calibration:
    """A temperature and what it does to mean negative log-likelihood and calibration error."""

    temperature: float
    nll_before: float
    nll_after: float
    error_before: float
    error_after: float


def fit_temperature(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> Calibration:
    """The temperature that makes held-out labels likeliest.

    Args:
        logits: (N, 55).
        labels: (N,).
    """
    found = minimize_scalar(
        lambda log_t: _nll(logits / np.exp(log_t), labels),
        bounds=(np.log(0.2), np.log(5.0)),
        method="bounded",
    )
    temperature = float(np.exp(found.x))
    cooled = logits / temperature
    return Calibration(
        temperature,
        _nll(logits, labels),
        _nll(cooled, labels),
        calibration_error(*certainty(logits, labels)),
        calibration_error(*certainty(cooled, labels)),
    )


def certainty(
    logits: NDArray[np.float32], labels: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How sure the best class is, 0..1, and whether it is right."""
    log_p = _log_softmax(logits)
    best = log_p.argmax(1)
    return np.exp(log_p.max(1)), best == labels


def calibration_error(sure: NDArray[np.float64], right: NDArray[np.bool_], bins: int = 15) -> float:
    """Mean distance between certainty and share of right answers, over bins of equally many answers."""
    order = np.argsort(sure)
    parts = [part for part in np.array_split(order, bins) if len(part)]
    return float(sum(len(p) * abs(sure[p].mean() - right[p].mean()) for p in parts) / max(len(order), 1))


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float64]:
    x = logits.astype(np.float64)
    x -= x.max(1, keepdims=True)
    return np.asarray(x - np.log(np.exp(x).sum(1, keepdims=True)))


def _nll(logits: NDArray[np.float32], labels: NDArray[np.int64]) -> float:
    return float(-_log_softmax(logits)[np.arange(len(labels)), labels].mean())
