"""The finder's training: it survives being killed, and its loss cares about pixels."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import cv2
import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("ultralytics")
pytestmark = pytest.mark.train

PROGRAM = """
import sys
from pathlib import Path
from models.finder_training import train_finder
small = {"imgsz": 64, "plots": False, "cache": False}
train_finder(Path(sys.argv[1]), Path(sys.argv[2]), float(sys.argv[3]), batch=4, overrides=small)
"""


def scenes(folder: Path, count: int = 8) -> Path:
    """Pictures of 64x64 with one bright bar as an index."""
    rng = np.random.default_rng(3)
    for split in ("train", "val"):
        for kind in ("images", "labels"):
            (folder / kind / split).mkdir(parents=True)
        for number in range(count):
            picture = rng.integers(0, 60, (64, 64, 3), np.uint8)
            x, y = rng.integers(12, 44, 2)
            picture[y : y + 14, x : x + 8] = 255
            cv2.imwrite(str(folder / "images" / split / f"{number}.png"), picture)
            centre = [(x + 4) / 64, (y + 7) / 64, 8 / 64, 14 / 64]
            points = [(x + 4) / 64, (y + 3) / 64, 2, (x + 4) / 64, (y + 11) / 64, 2]
            line = " ".join(f"{n:.4f}" for n in centre + points)
            (folder / "labels" / split / f"{number}.txt").write_text(f"0 {line}")
    names = "{0: index, 1: joker, 2: back}"
    (folder / "data.yaml").write_text(
        f"path: {folder}\ntrain: images/train\nval: images/val\nkpt_shape: [2, 3]\nnames: {names}\n"
    )
    return folder


def test_a_killed_training_goes_on_with_the_time_that_is_left(tmp_path: Path) -> None:
    data, run = scenes(tmp_path / "data"), tmp_path / "run"
    environment = {**os.environ, "OMP_WAIT_POLICY": "PASSIVE"}
    command = [sys.executable, "-c", PROGRAM, str(data), str(run)]
    root = Path(__file__).resolve().parents[1]
    with subprocess.Popen([*command, "30"], cwd=root, env=environment, stderr=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL) as first:  # fmt: skip
        while not (run / "weights" / "previous.pt").is_file():
            assert first.poll() is None, "the training ended before its first checkpoint"
            time.sleep(0.2)
        first.kill()
    used = json.loads((run / "clock.json").read_text())["seconds"]
    minutes = (used + 20) / 60
    done = subprocess.run([*command, str(minutes)], cwd=root, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-2000:]
    assert "Resuming training" in done.stdout + done.stderr
    assert json.loads((run / "clock.json").read_text())["seconds"] > used
    assert (run / "weights" / "best.pt").is_file()


def test_a_finished_training_is_not_begun_again(tmp_path: Path) -> None:
    from models.finder_training import train_finder

    data, run = scenes(tmp_path / "data", 1), tmp_path / "run"
    run.mkdir()
    (run / "done.json").write_text("{}")
    assert train_finder(data, run, 1.0) == run / "weights" / "best.pt"


def test_without_scenes_the_message_says_which_stage_makes_them(tmp_path: Path) -> None:
    from models.finder_training import train_finder

    with pytest.raises(FileNotFoundError, match="make them first"):
        train_finder(tmp_path, tmp_path / "run", 1.0)


@pytest.mark.parametrize("cells", [0.125, 6.0])  # one pixel off, and six cells off
def test_the_keypoint_loss_pulls_from_near_and_far(cells: float) -> None:
    from models.finder_training import KeypointDistance

    true = torch.zeros(1, 2, 3)
    guess = torch.full((1, 2, 3), cells, requires_grad=True)
    area = torch.tensor([[1.0 * 1.75]])
    loss = KeypointDistance(torch.ones(2))(guess, true, torch.ones(1, 2), area)
    loss.backward()
    assert guess.grad is not None
    assert guess.grad[..., :2].abs().min() > 0.05


def test_an_unseen_keypoint_costs_nothing() -> None:
    from models.finder_training import KeypointDistance

    true, guess = torch.zeros(1, 2, 3), torch.zeros(1, 2, 3)
    guess[0, 1] = 5.0
    loss = KeypointDistance(torch.ones(2))(guess, true, torch.tensor([[1.0, 0.0]]), torch.ones(1, 1))
    assert float(loss) < 1e-3
