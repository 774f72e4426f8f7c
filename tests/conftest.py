"""What several tests share: where the shared facts lie, and how tests that need them are skipped."""

from __future__ import annotations

import os
from pathlib import Path

import hypothesis
import pytest

# A slow machine is no fault of what is tested: no property test fails by the clock.
hypothesis.settings.register_profile("untimed", deadline=None)
hypothesis.settings.load_profile("untimed")


def shared_folder() -> Path:
    """The folder of shared facts: `PAIZHUO_SHARED`, or `shared` beside the checkout."""
    return Path(os.environ.get("PAIZHUO_SHARED", Path(__file__).resolve().parents[2] / "shared"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if not shared_folder().is_dir():
        skip = pytest.mark.skip(reason="the shared facts are not on this machine (PAIZHUO_SHARED)")
        for item in items:
            if "shared" in item.keywords:
                item.add_marker(skip)


@pytest.fixture
def shared() -> Path:
    return shared_folder()
