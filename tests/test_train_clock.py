"""The time that a training has left."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.clock import StageClock, cosine


def test_what_was_used_before_counts(tmp_path: Path) -> None:
    (tmp_path / "clock.json").write_text('{"seconds": 90.0}')
    assert StageClock(tmp_path / "clock.json", 80).over
    assert StageClock(tmp_path / "clock.json", 1e9).seconds >= 90


def test_a_new_stage_has_all_its_time(tmp_path: Path) -> None:
    clock = StageClock(tmp_path / "new" / "clock.json", 1e6)
    assert clock.share < 0.01
    clock.save()
    assert (tmp_path / "new" / "clock.json").is_file()


@pytest.mark.parametrize(("share", "rate"), [(0.0, 1.0), (0.5, 0.505), (1.0, 0.01), (2.0, 0.01)])
def test_the_rate_falls_with_the_time(share: float, rate: float) -> None:
    assert cosine(share) == pytest.approx(rate)
