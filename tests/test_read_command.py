"""`paizhuo read` on whatever people hand in, run as a command with the weights of the repository."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.weights import FINDER, LIST, MODELS, READER

ROOT = Path(__file__).resolve().parents[1]
needs_weights = pytest.mark.skipif(not (MODELS / LIST).is_file(), reason="no weights yet: make train")


def paizhuo(*words: object, cwd: Path = ROOT, lang: str = "en") -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PAIZHUO_LANG": lang, "PYTHONPATH": str(cwd), "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "api.cli", *map(str, words)]
    return subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, text=True, encoding="utf-8", check=False
    )


def grey(folder: Path, name: str, height: int = 300, width: int = 400) -> Path:
    path = folder / name
    assert cv2.imwrite(str(path), np.full((height, width, 3), 120, np.uint8))
    return path


@needs_weights
def test_a_picture_without_cards_is_an_empty_result(tmp_path: Path) -> None:
    done = paizhuo("read", "--json", grey(tmp_path, "a.png"))
    answer = json.loads(done.stdout)
    assert done.returncode == 0
    assert (answer["cards"], answer["backs"]) == ([], 0)
    assert answer["image"].endswith("a.png")
    assert answer["ms"] > 0


@needs_weights
@pytest.mark.parametrize("size", [(1, 1), (3, 400), (9000, 12000)])
def test_any_size_is_read(tmp_path: Path, size: tuple[int, int]) -> None:
    done = paizhuo("read", "--json", grey(tmp_path, "a.jpg", *size))
    assert (done.returncode, json.loads(done.stdout)["cards"]) == (0, [])


@needs_weights
def test_what_cannot_be_read_is_one_line_and_the_others_are_read(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong.jpg"
    wrong.write_text("not a picture")
    done = paizhuo("read", "--json", wrong, tmp_path, tmp_path / "missing.png", grey(tmp_path, "good.png"))
    assert done.returncode == 1
    assert [json.loads(line)["image"].rsplit("/", 1)[-1] for line in done.stdout.splitlines()] == ["good.png"]
    assert len(done.stderr.splitlines()) == 3
    assert "Traceback" not in done.stderr


@needs_weights
@pytest.mark.parametrize(("lang", "words"), [("en", "no cards"), ("zh", "没有牌")])
def test_people_are_told_in_their_language(tmp_path: Path, lang: str, words: str) -> None:
    assert words in paizhuo("read", grey(tmp_path, "a.png"), lang=lang).stdout


@needs_weights
def test_an_annotated_copy_is_written(tmp_path: Path) -> None:
    done = paizhuo("read", "--annotate", tmp_path / "out", grey(tmp_path, "a.png"))
    assert done.returncode == 0
    assert cv2.imread(str(tmp_path / "out" / "a.png")).shape == (300, 400, 3)


@needs_weights
@pytest.mark.parametrize("option", [("--packs", "0"), ("--px-per-mm", "0"), ("--px-per-mm", "many")])
def test_an_impossible_option_is_refused(tmp_path: Path, option: tuple[str, str]) -> None:
    done = paizhuo("read", *option, grey(tmp_path, "a.png"))
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@needs_weights
@pytest.mark.parametrize("name", [FINDER, READER])
def test_an_altered_network_is_refused_in_one_line(tmp_path: Path, name: str) -> None:
    for room in ("api", "calibration", "models", "table", "vision"):
        skip = shutil.ignore_patterns("__pycache__", "synth", "*.png", "*.pt")
        shutil.copytree(ROOT / room, tmp_path / room, ignore=skip)
    with (tmp_path / "models" / name).open("ab") as network:
        network.write(b"!")
    done = paizhuo("read", grey(tmp_path, "a.png"), cwd=tmp_path)
    assert done.returncode == 3
    assert done.stdout == ""
    assert len(done.stderr.splitlines()) == 1
    assert f"{name}: not the published weights" in done.stderr


@pytest.mark.skipif((MODELS / LIST).is_file(), reason="there are weights")
def test_missing_weights_are_one_line(tmp_path: Path) -> None:
    done = paizhuo("read", grey(tmp_path, "a.png"))
    assert done.returncode == 3
    assert len(done.stderr.splitlines()) == 1


def test_help_is_in_both_languages() -> None:
    words = paizhuo("read", "--help").stdout
    assert "Read the cards in pictures" in words
    assert "识读图片中的牌" in words
