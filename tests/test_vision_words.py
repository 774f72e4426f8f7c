"""Keypoints of a joker's level word come from its box, whichever way the card lies."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision_factories import detections, log_probs
from vision.assemble import assemble
from vision.certainty import Certainty
from vision.detections import JOKER, Detections
from vision.indices import Indices
from vision.words import may_be_words, word_keypoints


def box_of(turn: float, length: float = 80.0, breadth: float = 16.0) -> np.ndarray:
    """The upright box around a word of this size in the middle of (300, 200), turned counter-clockwise."""
    angle = np.radians(turn)
    cos, sin = abs(np.cos(angle)), abs(np.sin(angle))
    half = np.array([length * cos + breadth * sin, length * sin + breadth * cos]) / 2
    return np.concatenate([np.array([300, 200]) - half, np.array([300, 200]) + half]).astype(np.float32)


@pytest.mark.parametrize("turn", [0.0, 90.0, 180.0, 20.0, 245.0])
def test_one_candidate_stands_upright_on_the_word_and_is_as_long_as_training_says(turn):
    points = word_keypoints(box_of(turn))
    down = np.array([np.sin(np.radians(turn)), np.cos(np.radians(turn))])
    step = points[:, 1] - points[:, 0]
    span = np.linalg.norm(step, axis=1)
    upright = (step @ down) / span > np.cos(np.radians(12))
    assert (np.abs(span[upright] / 80 - 0.58) < 0.12).any()
    assert points.mean(1) == pytest.approx(np.full((len(points), 2), (300, 200)), abs=0.5)


def test_a_column_of_letters_is_no_level_word_of_its_own_direction():
    points = word_keypoints(np.array([292, 160, 308, 240], np.float32))
    step = points[:, 1] - points[:, 0]
    upright = np.abs(step[:, 1]) > 0.95 * np.linalg.norm(step, axis=1)
    assert not upright.any()


def test_an_index_whose_points_fit_its_box_is_left_alone():
    usual = detections([(100, 100, 100, 120)])
    wide = Detections(
        np.array([[60, 95, 140, 125]], np.float32), usual.class_id, usual.confidence, usual.keypoints
    )
    joker = Detections(usual.xyxy, np.array([JOKER]), usual.confidence, usual.keypoints)
    faint = Detections(wide.xyxy, wide.class_id, np.array([0.1], np.float32), wide.keypoints)
    assert [bool(may_be_words(found)[0]) for found in (usual, wide, joker, faint)] == [
        False,
        True,
        True,
        False,
    ]


def test_two_corners_of_a_joker_taken_one_level_and_one_turned_are_one_card_in_its_place():
    # A card with its centre at (200, 200) px, 120 x 176 px: the upper word level, the lower one read across.
    found = detections([(164, 116, 164, 134), (228, 274, 244, 276)])
    jokers = Indices(found, log_probs({"BJ": 0.97}, {"BJ": 0.97}))
    cards, _ = assemble(jokers, Certainty(), packs=2, px_per_mm=2.0)
    assert [str(name) for name in cards.names] == ["BJ"]
    assert cards.outline[0].mean(0) == pytest.approx((200, 200), abs=4)
    long_side = np.linalg.norm(cards.outline[0, 3] - cards.outline[0, 0])
    assert long_side == pytest.approx(176, abs=2)
    assert abs(cards.outline[0, 3, 1] - cards.outline[0, 0, 1]) > 160


def test_two_jokers_that_lie_beside_each_other_stay_two():
    found = detections([(164, 116, 164, 134), (204, 116, 204, 134)])
    cards, _ = assemble(
        Indices(found, log_probs({"BJ": 0.97}, {"BJ": 0.97})), Certainty(), packs=2, px_per_mm=2.0
    )
    assert len(cards) == 2


def level_words(*middles: tuple[float, float], towards: tuple[float, ...]) -> Indices:
    """Jokers' words, 40 x 12 px and level, each read as a column that runs to the right (1) or to the left (-1)."""
    points = [
        (x - 9 * way, y - 1.5 * way, x + 9 * way, y + 1.5 * way)
        for (x, y), way in zip(middles, towards, strict=True)
    ]
    found = detections(points)
    boxes = np.array([[x - 20, y - 6, x + 20, y + 6] for x, y in middles], np.float32)
    found = Detections(boxes, np.full(len(middles), JOKER), found.confidence, found.keypoints)
    return Indices(found, log_probs(*[{"LJ": 0.97}] * len(middles)))


@pytest.mark.parametrize("towards", [(1.0, -1.0), (-1.0, 1.0)])
def test_two_level_words_that_were_read_as_columns_are_the_ends_of_one_joker(
    towards: tuple[float, ...],
) -> None:
    # Of a card with its centre at (115, 138) px that lies upright.
    words = level_words((80, 63), (150, 213), towards=towards)
    cards, _ = assemble(words, Certainty(), packs=2, px_per_mm=2.0)
    assert [str(name) for name in cards.names] == ["LJ"]
    assert cards.outline[0].mean(0) == pytest.approx((115, 138), abs=2)
    assert abs(cards.outline[0, 3, 1] - cards.outline[0, 0, 1]) > 165


def test_two_jokers_of_which_each_shows_one_level_word_stay_two() -> None:
    # The upper word of the one, the lower word of another that lies a step of 17 mm to its right.
    words = level_words((80, 63), (184, 213), towards=(1.0, -1.0))
    cards, _ = assemble(words, Certainty(), packs=2, px_per_mm=2.0)
    assert len(cards) == 2


def test_the_two_ends_of_a_turned_joker_are_one_card_though_their_directions_are_read_badly():
    # A column of 15 mm, its card turned by 10 degrees, both directions read 5 to 10 degrees too far.
    boxes = np.array([[153, 215, 171, 246], [85, 78, 103, 108]], np.float32)
    points = np.array([[[160, 238], [163, 224]], [[97, 85], [92, 100]]], np.float32)
    found = Detections(boxes, np.array([JOKER, JOKER]), np.array([0.75, 0.75], np.float32), points)
    cards, _ = assemble(
        Indices(found, log_probs({"LJ": 0.97}, {"LJ": 0.97})), Certainty(), packs=2, px_per_mm=2.0
    )
    assert [str(name) for name in cards.names] == ["LJ"]
    assert cards.outline[0].mean(0) == pytest.approx((128, 162), abs=4)
