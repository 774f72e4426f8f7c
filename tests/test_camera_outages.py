"""Outages of cameras on the simulated table: drawn by a seed, told once each, and the frames in them are lost."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from devices.simulator.outages import Interrupted, Outage, outages
from devices.sources import SourceFailed
from vision.frames import Frame


class Camera:
    """Ten frames a second for half a minute."""

    name = "overhead"

    def __init__(self) -> None:
        self.number = -1

    def read(self) -> Frame | None:
        self.number += 1
        return (
            Frame(np.zeros((2, 2, 3), np.uint8), self.number / 10, self.name) if self.number < 300 else None
        )

    def close(self) -> None:
        self.number = 300


def watched(*when: Outage) -> tuple[list[float], list[str], int]:
    source = Interrupted(Camera(), list(when))
    times: list[float] = []
    told: list[str] = []
    while True:
        try:
            frame = source.read()
        except SourceFailed as error:
            told.append(str(error))
            continue
        if frame is None:
            return times, told, source.lost
        times.append(frame.at)


def test_frames_of_an_outage_are_lost_and_it_is_told_once() -> None:
    times, told, lost = watched(Outage(5.0, 8.0, "hangs"), Outage(20.0, 21.0, "died"))
    assert lost == 40
    assert len(times) == 260
    assert not [at for at in times if 5 <= at < 8 or 20 <= at < 21]
    assert [line.split(": ")[1] for line in told] == ["hangs; being opened again", "died; being opened again"]


def test_a_slow_camera_still_gives_three_pictures_a_second() -> None:
    times, told, _ = watched(Outage(10.0, 20.0, "slow"))
    assert not told
    assert len([at for at in times if 10 <= at < 20]) == pytest.approx(25, abs=5)


def test_the_same_seed_draws_the_same_outages_of_every_kind() -> None:
    drawn = outages(3, 0.0, 3600.0)
    assert drawn == outages(3, 0.0, 3600.0)
    assert drawn != outages(4, 0.0, 3600.0)
    assert {one.kind for one in drawn} == {"hangs", "died", "gone", "repeats", "garbage", "slow"}
    assert all(a.end < b.start for a, b in pairwise(drawn))
