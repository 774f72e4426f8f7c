"""The examples in the docstrings of the rules room say what the code does."""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import table

MODULES = sorted(info.name for info in pkgutil.walk_packages(table.__path__, "table."))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_hold(name: str) -> None:
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_the_core_names_no_game() -> None:
    for name in MODULES:
        if name.startswith(("table.guandan", "table.shengji")):
            continue
        words = Path(importlib.import_module(name).__file__ or "").read_text("utf-8").lower()
        assert not [word for word in ("guandan", "shengji", "掼蛋", "升级") if word in words], name
