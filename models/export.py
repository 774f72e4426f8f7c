"""Turn trained checkpoints into the two ONNX networks that the reader loads, and list their hashes."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import onnx
import onnxslim
import torch
from torch import nn

from models.reader_training import ReaderNet
from vision.patches import PATCH_SIZE

OPSET: Final = 17
FINDER: Final = "finder.onnx"
READER: Final = "reader.onnx"
LIST: Final = "weights.json"


def export_finder(checkpoint: Path, out: Path) -> Path:
    """Write the finder: `images` (N, 3, H, W) float32 RGB 0..1, sides in 32s, to `output0` (N, 13, A).

    The rows are centre x, centre y, width and height in px, the scores of index, joker and back, and x, y and
    confidence of the two keypoints; nothing is suppressed.

    Args:
        checkpoint: a `.pt` of the library's trainer.
        out: folder for `finder.onnx`.
    """
    state = torch.load(checkpoint, map_location="cpu", weights_only=False)
    model = (state.get("ema") or state["model"]).float().eval()
    model.fuse(verbose=False)
    head = model.model[-1]
    # The grid of anchors then follows the picture's size instead of being frozen at the size of the example.
    head.export, head.dynamic, head.format = True, True, "onnx"
    axes = {"images": {0: "n", 2: "h", 3: "w"}, "output0": {0: "n", 2: "a"}}
    return _write(model, torch.zeros(1, 3, 320, 352), "images", "output0", axes, out / FINDER)


class _Tempered(nn.Module):
    def __init__(self, net: ReaderNet, temperature: float) -> None:
        super().__init__()
        self.net, self.temperature = net, temperature

    def forward(self, patches: torch.Tensor) -> torch.Tensor:
        return self.net(patches) / self.temperature


def export_reader(checkpoint: Path, temperature: float, out: Path) -> Path:
    """Write the reader: `patches` (N, 3, 56, 40) float32 RGB 0..1 to `logits` (N, 55), temperature inside.

    Args:
        checkpoint: the weights of `models.reader_training`.
        temperature: from `models.calibrate`.
        out: folder for `reader.onnx`.
    """
    net = ReaderNet()
    net.load_state_dict(torch.load(checkpoint, weights_only=True))
    axes = {"patches": {0: "n"}, "logits": {0: "n"}}
    model = _Tempered(net, temperature).eval()
    return _write(model, torch.zeros(2, 3, *PATCH_SIZE), "patches", "logits", axes, out / READER)


def _write(
    model: nn.Module,
    example: torch.Tensor,
    takes: str,
    gives: str,
    axes: dict[str, dict[int, str]],
    path: Path,
) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.onnx")
    with warnings.catch_warnings(), torch.inference_mode():
        # The tracer warns of shapes that become constants; `tests/test_train_export.py` runs other shapes.
        warnings.simplefilter("ignore")
        torch.onnx.export(
            model, (example,), str(part), opset_version=OPSET, input_names=[takes], output_names=[gives],
            dynamic_axes=axes, dynamo=False,
        )  # fmt: skip
    slim = onnxslim.slim(str(part))
    onnx.checker.check_model(slim)
    onnx.save(slim, str(path))
    part.unlink()
    return path


def list_weights(folder: Path, settings: Mapping[str, Any]) -> Path:
    """Write `weights.json`: the sha256 of both networks, and the settings that were frozen with them."""
    listed: dict[str, Any] = {
        name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in (FINDER, READER)
    }
    path = folder / LIST
    path.write_text(
        json.dumps({**listed, "settings": dict(settings)}, indent=1, ensure_ascii=False) + "\n", "utf-8"
    )
    return path
