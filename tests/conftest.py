"""What several tests share: where the shared facts lie, and how tests that need them are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import cv2
import hypothesis
import pytest

# OpenCV's pool of threads does not survive a fork: a process pool of a later test would wait for ever.
cv2.setNumThreads(1)

# A slow machine is no fault of what is tested: no property test fails by the clock.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def shared_folder() -> Path:
    """The folder of shared facts: `PAIZHUO_SHARED`, or `shared` beside the checkout."""
    return Path(os.environ.get("PAIZHUO_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def fonts_here() -> bool:
    """Whether there are fonts to print synthetic cards with: a bare system has hardly any."""
    folder = Path("/usr/share/fonts")
    return sum(1 for path in folder.rglob("*.[ot]tf")) > 100


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    drawn = ("test_synth_", "test_train_")
    if not fonts_here():
        bare = pytest.mark.skip(
            reason="no fonts to print cards with: sh docs/debian-packages.sh synth, as root"
        )
        for item in items:
            if item.path.name.startswith(drawn):
                item.add_marker(bare)
    if not shared_folder().is_dir():
        skip = pytest.mark.skip(reason="the shared facts are not on this machine (PAIZHUO_SHARED)")
        for item in items:
            if "shared" in item.keywords:
                item.add_marker(skip)


@pytest.fixture
def shared() -> Path:
    return shared_folder()
