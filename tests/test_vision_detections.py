"""Detections: what is refused at the door, and what counts as the same index."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision_factories import detections
from vision.detections import BACK, Detections, of_a_cards_size, suppress


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        # boxes must be rows of four
        ("xyxy", np.zeros((2, 3), np.float32), r"xyxy must be of shape \(2, 4\).*got \(2, 3\) float32"),
        # one class a box
        ("class_id", np.zeros(3, np.int64), r"class_id must be of shape \(2,\).*got \(3,\) int64"),
        # whole numbers
        ("class_id", np.zeros(2, np.float32), r"dtype int64, got \(2,\) float32"),
        # not even an array
        ("confidence", [0.5, 0.5], r"confidence must be an array of shape \(2,\), got list"),
        # two points of two numbers
        ("keypoints", np.zeros((2, 4), np.float32), r"keypoints must be of shape \(2, 2, 2\)"),
    ],
)
def test_refuses_arrays_that_do_not_fit(name: str, value: object, message: str) -> None:
    good = detections([(0, 0, 0, 14), (50, 0, 50, 14)])
    arrays = {key: getattr(good, key) for key in ("xyxy", "class_id", "confidence", "keypoints")} | {
        name: value
    }
    with pytest.raises(ValueError, match=message):
        Detections(**arrays)


def test_a_mask_a_slice_and_a_number_choose() -> None:
    three = detections([(0, 0, 0, 14), (50, 0, 50, 14), (90, 0, 90, 14)], [0.5, 0.9, 0.7])
    assert three[three.confidence > 0.6].confidence.tolist() == pytest.approx([0.9, 0.7])
    assert three[:2].confidence.tolist() == pytest.approx([0.5, 0.9])
    assert three[-1].confidence.tolist() == pytest.approx([0.7])


def test_merging_nothing_is_empty() -> None:
    assert len(Detections.merge([])) == 0
    assert len(Detections.merge([Detections.empty(), detections([(0, 0, 0, 14)])])) == 1


def test_enlarging_keeps_the_pictures_corner() -> None:
    moved = detections([(0, 0, 0, 14)]).mapped(2.0, (10, 20))
    assert moved.keypoints[0].tolist() == [[10.5, 20.5], [10.5, 48.5]]


@pytest.mark.parametrize(
    ("points", "kept"),
    [
        # two indices of identical cards, 8 mm apart at 2 px/mm
        ([(0, 0, 0, 14), (16, 0, 16, 14)], 2),
        # the same, turned by 45 degrees, where their boxes overlap most
        ([(0, 0, 10, 10), (11.3, -11.3, 21.3, -1.3)], 2),
        # jumbo indices, span 14 mm, 8 mm apart
        ([(0, 0, 0, 28), (16, 0, 16, 28)], 2),
        # one index seen in two tiles, two pixels apart
        ([(0, 0, 0, 14), (1.5, 1.5, 1, 15)], 1),
        # one index, once with rank and suit exchanged
        ([(0, 0, 0, 14), (0, 14, 0, 1)], 1),
        # one index, once with a much too large box around it
        ([(0, 0, 0, 14), (0, -2, 0, 17)], 1),
    ],
)
def test_each_index_is_kept_once(points: list[tuple[float, float, float, float]], kept: int) -> None:
    assert len(suppress(detections(points))) == kept


def test_the_best_view_of_an_index_is_kept() -> None:
    found = detections([(0, 0, 0, 14), (1, 0, 1, 14)], [0.4, 0.8])
    assert suppress(found).tolist() == [1]


@pytest.mark.parametrize("turn", [0, 35, 45, 90])
def test_a_back_is_as_large_as_its_card_however_it_is_turned(turn: float) -> None:
    c, s = abs(np.cos(np.radians(turn))), abs(np.sin(np.radians(turn)))
    # Boxes are read a little too large.
    wide, high = 1.08 * (63 * c + 89 * s), 1.08 * (63 * s + 89 * c)
    other = detections([(0, 0, 0, 14), (50, 0, 50, 14)])
    boxes = np.array([[0, 0, 2 * wide, 2 * high], [0, 0, 300, 2 * high]], np.float32)
    backs = Detections(boxes, np.array([BACK, BACK]), other.confidence, other.keypoints)
    assert of_a_cards_size(backs, 2.0).xyxy.tolist() == boxes[:1].tolist()
    assert len(of_a_cards_size(backs[:0], 2.0)) == 0


def test_an_index_on_a_face_down_card_is_not_lost_to_it() -> None:
    index = detections([(0, 0, 0, 14)])
    back = Detections(index.xyxy, np.array([BACK], np.int64), index.confidence, index.keypoints)
    assert len(suppress(Detections.merge([back, index]))) == 2
