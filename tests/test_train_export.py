"""The exported networks do what the trained ones do, at sizes and numbers that the exporter never saw."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Random networks, exported; the finder's checkpoint is beside them."""
    from ultralytics.nn.tasks import PoseModel

    from models.export import export_finder, export_reader, list_weights
    from models.finder_training import NETWORK
    from models.reader_training import ReaderNet

    out = tmp_path_factory.mktemp("weights")
    torch.manual_seed(1)
    torch.save({"model": PoseModel(str(NETWORK), verbose=False), "ema": None}, out / "finder.pt")
    torch.save(ReaderNet().state_dict(), out / "reader.pt")
    export_finder(out / "finder.pt", out)
    export_reader(out / "reader.pt", 2.0, out)
    list_weights(out, {"temperature": 2.0})
    return out


@pytest.mark.parametrize(
    ("count", "height", "width"),
    [
        (1, 320, 320),
        (2, 608, 896),  # two zones of 450x300 mm
        (3, 64, 32),  # a sliver
    ],
)
def test_the_finder_sees_pictures_of_any_size(folder: Path, count: int, height: int, width: int) -> None:
    from vision.weights import open_session

    images = np.random.default_rng(2).random((count, 3, height, width), np.float32)
    session = open_session((folder / "finder.onnx").read_bytes(), "finder", 2)
    output = session.run(None, {"images": images})[0]
    model = torch.load(folder / "finder.pt", weights_only=False)["model"].eval()
    with torch.inference_mode():
        expected = model(torch.from_numpy(images))[0].numpy()
    assert output.shape == (count, 4 + 3 + 6, height * width // 64)
    np.testing.assert_allclose(output, expected, atol=2e-3)


def test_the_temperature_is_inside_the_reader(folder: Path) -> None:
    from models.reader_training import ReaderNet
    from vision.weights import open_session

    patches = np.random.default_rng(2).random((5, 3, 56, 40), np.float32)
    session = open_session((folder / "reader.onnx").read_bytes(), "reader", 2)
    logits = session.run(None, {"patches": patches})[0]
    net = ReaderNet()
    net.load_state_dict(torch.load(folder / "reader.pt", weights_only=True))
    with torch.inference_mode():
        expected = net.eval()(torch.from_numpy(patches)).numpy() / 2.0
    np.testing.assert_allclose(logits, expected, atol=1e-4)


def test_the_list_names_what_was_written(folder: Path) -> None:
    listed = json.loads((folder / "weights.json").read_text("utf-8"))
    for name in ("finder.onnx", "reader.onnx"):
        assert listed[name] == hashlib.sha256((folder / name).read_bytes()).hexdigest()
    assert listed["settings"]["temperature"] == 2.0


def test_both_networks_are_small(folder: Path) -> None:
    size = sum((folder / name).stat().st_size for name in ("finder.onnx", "reader.onnx"))
    assert size < 8_000_000
