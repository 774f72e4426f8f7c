"""Confidence: what raises it, what lowers it, and that it can be fitted to the truth."""

from __future__ import annotations

import numpy as np
import pytest

from vision.certainty import Certainty, features, fit_certainty


def confidence(**changes: float) -> float:
    usual: dict[str, float] = {
        "named": 0.95,
        "score": 0.8,
        "count": 1,
        "disagree": 0,
        "off_size": 0,
        "span": 14,
    }
    row = features(**{key: [value] for key, value in (usual | changes).items()})
    return float(Certainty().confidence(row)[0])


@pytest.mark.parametrize(
    ("change", "up"),
    [
        ({"named": 0.999}, True),
        ({"score": 0.95}, True),
        # both corners seen
        ({"count": 2}, True),
        # its corners name different cards
        ({"disagree": 1}, False),
        # nearly twice as large as its neighbours
        ({"off_size": 0.8}, False),
        # half as large: the side does not matter
        ({"off_size": -0.8}, False),
        # five pixels from rank to suit
        ({"span": 5}, False),
        # it would lie over and under another card
        ({"impossible": 1}, False),
        ({"inside": 1}, False),
    ],
)
def test_evidence_moves_the_confidence(change: dict[str, float], up: bool) -> None:
    assert (confidence(**change) > confidence()) is up


def test_no_evidence_makes_it_certain() -> None:
    assert confidence(named=1.0, score=1.0, count=2) < 1.0


def test_a_fit_makes_confidences_true() -> None:
    rng = np.random.default_rng(3)
    count = 4000
    columns = features(
        rng.uniform(0.5, 1, count), rng.uniform(0.2, 1, count), rng.integers(1, 3, count),
        np.zeros(count), np.zeros(count), np.full(count, 14.0),
    )  # fmt: skip
    chance = 1 / (1 + np.exp(-(columns @ np.array([-1.0, 0.4, 0.9, 0.5, 0, 0, 0, 0, 0, 0]))))
    fitted = Certainty(fit_certainty(columns, rng.random(count) < chance)).confidence(columns)
    assert np.abs(fitted - chance).mean() < 0.02


def test_settings_override_single_weights() -> None:
    changed = Certainty.from_settings({"certainty": {"paired": 9.0}, "sure_above": 0.97})
    assert changed.weights["paired"] == 9.0
    assert changed.weights["reader"] == Certainty().weights["reader"]
    assert changed.sure_above == 0.97
