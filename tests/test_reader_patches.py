"""Where patches are cut from a joker's word: anywhere along it, never beside it."""

from __future__ import annotations

import numpy as np
import pytest

from models.reader_data import along_the_word, jittered


@pytest.mark.parametrize("turn", [0.0, 90.0, 200.0])
def test_a_jokers_index_is_taken_all_along_its_word_and_not_off_it(turn):
    angle = np.radians(turn)
    down, right = np.array([np.sin(angle), np.cos(angle)]), np.array([np.cos(angle), -np.sin(angle)])
    middle, length, height = np.array([300.0, 200.0]), 80.0, 18.0
    corners = np.array(
        [middle + u * right * length / 2 + v * down * height / 2 for u in (-1, 1) for v in (-1, 1)]
    )
    box = np.concatenate([corners.min(0), corners.max(0)])
    rank, suit = middle - 12 * down, middle + 12 * down
    rng = np.random.default_rng(5)
    taken = np.array([np.mean(along_the_word(rng, rank, suit, box), axis=0) - middle for _ in range(400)])
    usual = np.array([np.mean(jittered(rng, rank, suit), axis=0) - middle for _ in range(400)])
    assert (taken @ right).std() > 2 * (usual @ right).std()
    assert np.abs(taken @ right).max() < length / 2
    assert (taken @ down).std() == pytest.approx((usual @ down).std(), rel=0.5)
