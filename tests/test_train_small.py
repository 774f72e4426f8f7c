"""The whole recipe in miniature, from nothing to weights that the running reader loads."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")


@pytest.mark.train
def test_the_small_recipe_ends_with_a_reader_that_beats_chance_by_far(tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[1]
    command = [sys.executable, "-m", "models.train", "--small", "--run", str(tmp_path)]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
    assert "well above chance" in done.stdout
    from vision.card_reader import CardReader
    from vision.weights import load_weights

    assert CardReader(load_weights(tmp_path / "weights")).certainty.weights
    assert (tmp_path / "weights" / "training.png").is_file()
