"""Finder and reader with tiny networks made for the test: what their outputs are taken to mean."""

from __future__ import annotations

import importlib
from itertools import pairwise

import numpy as np
import pytest

from table.cards import Card
from vision.detections import BACK, INDEX, Detections
from vision.finder import OVERLAP, Finder, decode, is_flat, tiles
from vision.reader import NONE, Reader, cut_indices


def raw_output(*rows: tuple[float, ...]) -> np.ndarray:
    """(13, A): centre x, centre y, width, height, three scores, rank x, y, seen, suit x, y, seen."""
    return np.array(rows, np.float32).T.reshape(13, -1)


def test_an_output_row_becomes_a_box_with_its_points() -> None:
    found = decode(raw_output((50, 40, 10, 20, 0.9, 0.1, 0.0, 50, 34, 1, 51, 47, 1)), 0.5)
    assert found.xyxy.tolist() == [[45, 30, 55, 50]]
    assert found.keypoints.tolist() == [[[50, 34], [51, 47]]]
    assert found.class_id.tolist() == [INDEX]


def test_the_best_class_is_taken_and_weak_rows_are_not() -> None:
    found = decode(
        raw_output(
            (50, 40, 10, 20, 0.1, 0.2, 0.8, 50, 34, 1, 51, 47, 1),
            (90, 40, 10, 20, 0.3, 0.2, 0.1, 90, 34, 1, 91, 47, 1),
        ),
        0.5,
    )
    assert found.class_id.tolist() == [BACK]


def test_nothing_above_the_threshold_is_nothing() -> None:
    assert len(decode(raw_output((50, 40, 10, 20, 0.1, 0.2, 0.3, 50, 34, 1, 51, 47, 1)), 0.5)) == 0


@pytest.mark.parametrize(("height", "width"), [(100, 100), (1280, 1280), (1281, 2000), (2700, 4000)])
def test_tiles_cover_a_picture_and_share_a_card(height: int, width: int) -> None:
    image = np.zeros((height, width, 3), np.uint8)
    covered = np.zeros((height, width), bool)
    rows = sorted({(y, y + piece.shape[0]) for _, y, piece in tiles(image, 1280)})
    for x, y, piece in tiles(image, 1280):
        covered[y : y + piece.shape[0], x : x + piece.shape[1]] = True
    assert covered.all()
    assert all(one[1] - other[0] >= OVERLAP - 1 for one, other in pairwise(rows))


def test_a_bare_cloth_is_flat_and_a_faint_index_is_not() -> None:
    cloth = np.random.default_rng(1).normal(90, 3, (200, 200, 3)).astype(np.uint8)
    assert is_flat(cloth)
    cloth[100:120, 100:112] = 60
    assert not is_flat(cloth)


def test_keypoints_that_coincide_give_a_patch_all_the_same() -> None:
    point = np.zeros((1, 2, 2), np.float32)
    found = Detections(np.zeros((1, 4), np.float32), np.zeros(1, np.int64), np.ones(1, np.float32), point)
    assert cut_indices(np.zeros((50, 50, 3), np.uint8), found).shape == (1, 56, 40, 3)


def one_answer(shape_in: list[object], name_in: str, name_out: str, answer: np.ndarray) -> bytes:
    """A network that reads a picture's mean, times nought, and answers the same for every picture."""
    onnx = importlib.import_module("onnx")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    axes = list(range(1, len(shape_in)))
    keep = [1] * (answer.ndim - 1)
    nodes = [
        helper.make_node("ReduceMean", [name_in], ["mean"], axes=axes, keepdims=0),
        helper.make_node("Mul", ["mean", "nought"], ["zero"]),
        helper.make_node("Reshape", ["zero", "shape"], ["column"]),
        helper.make_node("Add", ["column", "answer"], [name_out]),
    ]
    constants = [
        onnx.numpy_helper.from_array(np.float32(0), "nought"),
        onnx.numpy_helper.from_array(np.array([-1, *keep], np.int64), "shape"),
        onnx.numpy_helper.from_array(answer.astype(np.float32), "answer"),
    ]
    graph = helper.make_graph(
        nodes, "answer",
        [helper.make_tensor_value_info(name_in, kind, shape_in)],
        [helper.make_tensor_value_info(name_out, kind, ["N", *answer.shape[1:]])],
        constants,
    )  # fmt: skip
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


@pytest.mark.train
def test_zones_of_different_sizes_are_found_in_one_go() -> None:
    pytest.importorskip("onnx")
    answer = raw_output((50, 40, 10, 20, 0.9, 0.1, 0.0, 50, 34, 1, 51, 47, 1))[None]
    finder = Finder(one_answer(["N", 3, "H", "W"], "images", "output0", answer), threads=1)
    zones = [
        np.zeros((600, 900, 3), np.uint8),
        np.zeros((33, 65, 3), np.uint8),
        np.zeros((600, 900, 3), np.uint8),
    ]
    assert [len(found) for found in finder.find(zones, 0.5)] == [1, 1, 1]
    assert finder.find([], 0.5) == []


@pytest.mark.train
def test_a_thing_seen_in_two_tiles_is_told_once_and_in_its_place() -> None:
    pytest.importorskip("onnx")
    answer = raw_output((500, 400, 10, 20, 0.9, 0.1, 0.0, 500, 394, 1, 501, 407, 1))[None]
    finder = Finder(one_answer(["N", 3, "H", "W"], "images", "output0", answer), threads=1)
    image = np.zeros((640, 1088, 3), np.uint8)
    image[::16] = 255
    found = finder.find_in_tiles(image, 0.5, tile=640)
    assert sorted(found.middle[:, 0].round().tolist()) == [500, 948]


@pytest.mark.train
def test_log_probabilities_of_a_patch_add_up_to_one() -> None:
    pytest.importorskip("onnx")
    logits = np.zeros((1, NONE + 1), np.float32)
    logits[0, Card.parse("H7").index] = 5.0
    reader = Reader(one_answer(["N", 3, 56, 40], "patches", "logits", logits), threads=1)
    rows = reader.log_probs(np.zeros((300, 56, 40, 3), np.uint8))
    assert rows.shape == (300, 55)
    assert np.exp(rows).sum(1) == pytest.approx(np.ones(300), abs=1e-5)
    assert (rows.argmax(1) == Card.parse("H7").index).all()


@pytest.mark.train
def test_patches_of_another_size_are_refused() -> None:
    pytest.importorskip("onnx")
    reader = Reader(
        one_answer(["N", 3, 56, 40], "patches", "logits", np.zeros((1, 55), np.float32)), threads=1
    )
    with pytest.raises(ValueError, match=r"patches must be \(N, 56, 40, 3\) uint8, got \(2, 40, 56, 3\)"):
        reader.log_probs(np.zeros((2, 40, 56, 3), np.uint8))
