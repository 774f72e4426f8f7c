"""The networks' files: missing or altered ones are refused before anything is read with them."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from vision.weights import BadWeights, load_weights, open_session


def published(folder: Path) -> Path:
    hashes = {}
    for name in ("finder.onnx", "reader.onnx"):
        (folder / name).write_bytes(name.encode())
        hashes[name] = hashlib.sha256(name.encode()).hexdigest()
    (folder / "weights.json").write_text(json.dumps({**hashes, "settings": {"sure_above": 0.9}}))
    return folder


def test_published_weights_are_taken_with_their_settings(tmp_path: Path) -> None:
    weights = load_weights(published(tmp_path))
    assert weights.finder == b"finder.onnx"
    assert weights.settings["sure_above"] == 0.9


@pytest.mark.parametrize("name", ["finder.onnx", "reader.onnx", "weights.json"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (published(tmp_path) / name).unlink()
    with pytest.raises(BadWeights, match=rf"{name}: missing weights"):
        load_weights(tmp_path)


@pytest.mark.parametrize("name", ["finder.onnx", "reader.onnx"])
def test_an_altered_file_is_named(tmp_path: Path, name: str) -> None:
    (published(tmp_path) / name).write_bytes(b"something else")
    with pytest.raises(BadWeights, match=rf"{name}: not the published weights"):
        load_weights(tmp_path)


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"finder.onnx": "00"}', '{"settings": 3}'])
def test_a_spoilt_list_is_named(tmp_path: Path, content: str) -> None:
    (published(tmp_path) / "weights.json").write_text(content)
    with pytest.raises(BadWeights, match=r"weights\.json: not a list of weights"):
        load_weights(tmp_path)


def test_what_is_no_network_is_refused_in_one_line() -> None:
    with pytest.raises(BadWeights) as caught:
        open_session(b"finder.onnx", "finder", 1)
    assert "\n" not in str(caught.value)
