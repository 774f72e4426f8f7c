"""The bench of an idle table runs the real service over rendered frames and says what was measured how."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from api.cli import app
from api.idle_bench import Loop, measure
from tests.test_read_command import needs_weights
from vision.card_reader import CardReader

FPS = 10.0


@needs_weights
@pytest.mark.parametrize("speed", [None, 2.0], ids=["as fast as it goes", "live"])
def test_an_idle_table_reads_its_cards_once_and_records_nothing_more(speed: float | None) -> None:
    idle = measure(CardReader.open(1), [0.05, 0.1], FPS, speed, 7)
    numbers = idle.numbers(FPS, speed)
    assert idle.events == 1
    assert 0 < idle.readings < 60
    # Live, a machine that is busy with other things may look at the last frames only.
    assert (2.0 if speed is None else 0.0) <= numbers["film_s"] <= 6.0
    assert numbers["core_share_per_camera"] == pytest.approx(numbers["core_share"] / 2, abs=1e-3)
    assert list(numbers["rss_mb"]) == ["weights", "0.05 min", "0.1 min"]
    assert json.dumps(numbers)


def test_rendered_frames_come_again_and_again_with_times_that_go_on(tmp_path: Path) -> None:
    frames = np.arange(3 * 4 * 6 * 3, dtype=np.uint8).reshape(3, 4, 6, 3)
    (tmp_path / "0.raw").write_bytes(frames.tobytes())
    loop = Loop(tmp_path / "0.raw", "left", (6, 4), 10.0, 0.05, 0.6)
    got = []
    while (frame := loop.read()) is not None:
        got.append((frame.at, int(frame.image[0, 0, 0])))
    assert [at for at, _ in got] == pytest.approx([0.05, 0.15, 0.25, 0.35, 0.45, 0.55])
    assert [first for _, first in got] == [0, 72, 144] * 2


@pytest.mark.parametrize("minutes", ["", "ten", "0.2", "5,"])
def test_minutes_that_are_none_are_told_in_one_line(minutes: str) -> None:
    done = CliRunner().invoke(app, ["bench", "idle", "--minutes", minutes])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert "10,60" in done.stderr
