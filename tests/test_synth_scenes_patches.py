"""Upright patches: where rank and suit land, at any turn and any size, and what a bad point says."""

from __future__ import annotations

import numpy as np
import pytest

from vision.patches import cut_patch, cut_patches


def spots(rank: tuple[float, float], suit: tuple[float, float], size: int, radius: float) -> np.ndarray:
    """White with a soft red spot at the rank and a soft blue one at the suit."""
    y, x = np.mgrid[:size, :size]
    image = np.full((size, size, 3), 255.0)
    for (cx, cy), gone in ((rank, (0, 1)), (suit, (1, 2))):
        spot = np.exp(-((x - cx) ** 2 + (y - cy) ** 2) / (2 * radius**2))
        for channel in gone:
            image[..., channel] -= 255 * spot
    return np.clip(image, 0, 255).astype(np.uint8)


@pytest.mark.parametrize("turn", [0, 17, 90, 180, 233])
@pytest.mark.parametrize("span", [10.0, 24.0, 40.0, 130.0, 260.0])
def test_rank_and_suit_land_where_the_contract_says(turn, span):
    angle = np.deg2rad(turn)
    down = span * np.array([np.sin(angle), np.cos(angle)])
    middle = np.array([300.3, 298.8])
    rank, suit = middle - down / 2, middle + down / 2
    patch = cut_patch(spots(rank, suit, 600, span / 8), rank, suit).astype(float)
    for channel, at in ((1, None), (0, (20, 17)), (2, (20, 41))):
        if at is None:
            continue
        ink = 255 - patch[..., channel]
        ink[ink < 60] = 0
        y, x = np.mgrid[:56, :40]
        assert (ink * x).sum() / ink.sum() == pytest.approx(at[0], abs=0.25)
        assert (ink * y).sum() / ink.sum() == pytest.approx(at[1], abs=0.25)


def test_fine_detail_is_averaged_not_picked():
    image = np.zeros((800, 800, 3), np.uint8)
    image[::2] = 255
    patch = cut_patch(image, (400, 300), (400, 420))
    assert np.abs(patch.astype(int) - 127).max() < 40


def test_many_patches_are_the_single_ones():
    image = np.random.default_rng(0).integers(0, 256, (200, 200, 3), dtype=np.uint8)
    ranks, suits = [[50, 50], [120, 80], [5, 190]], [[50, 65], [100, 80], [5, 170]]
    many = cut_patches(image, ranks, suits)
    for patch, rank, suit in zip(many, ranks, suits, strict=True):
        assert np.array_equal(patch, cut_patch(image, rank, suit))


def test_no_points_give_no_patches():
    assert cut_patches(np.zeros((9, 9, 3), np.uint8), [], []).shape == (0, 56, 40, 3)


def test_points_outside_repeat_the_edge():
    patch = cut_patch(np.full((60, 60, 3), 90, np.uint8), (-40, -40), (-40, -20))
    assert (patch == 90).all()


@pytest.mark.parametrize(
    ("image", "rank", "suit", "words"),
    [
        (np.zeros((9, 9), np.uint8), (1, 1), (1, 5), "must be"),
        (np.zeros((9, 9, 3), np.float32), (1, 1), (1, 5), "must be"),
        (np.zeros((9, 9, 3), np.uint8), (1, 1), (1, 1), "apart"),
        (np.zeros((9, 9, 3), np.uint8), (1, float("nan")), (1, 1), "finite"),
    ],
)
def test_bad_input_is_refused_in_words(image, rank, suit, words):
    with pytest.raises(ValueError, match=words):
        cut_patch(image, rank, suit)
