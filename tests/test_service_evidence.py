"""Evidence: what lay there before and after an event, a clip that plays, and a disk that does not fill up."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from calibration.setup import CameraSetup, Plane, TableSetup, play_zones
from vision.evidence import Evidence, Limits
from vision.frames import Frame

SIZE = 640
PLANE = Plane(np.array([[0.6, 0, SIZE / 2], [0, -0.6, SIZE / 2], [0, 0, 1]]))
SETUP = TableSetup(
    "t", "guandan-official", (CameraSetup("above", "simulated", (SIZE, SIZE), PLANE),), play_zones()
)
SMALL = Limits(width=320, fps=5, seconds=6, before=2, after=1, free=0)


def frame(at: float, grey: int) -> Frame:
    return Frame(np.full((SIZE, SIZE, 3), grey, np.uint8), at, "above")


def brightness(path: Path) -> float:
    picture = cv2.imread(str(path))
    assert picture is not None
    return float(picture.mean())


def test_stills_show_the_zone_before_and_after(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, SETUP, SMALL)
    evidence.see(frame(0.0, 40))
    evidence.see(frame(1.0, 90))
    evidence.settled("seat 2")
    evidence.see(frame(2.0, 200))
    evidence.settled("seat 2")
    evidence.event(17, 2.0, "seat 2")
    assert abs(brightness(tmp_path / "e0017-before.jpg") - 90) < 3
    assert abs(brightness(tmp_path / "e0017-after.jpg") - 200) < 3


def test_a_clip_holds_the_seconds_round_its_finding(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, SETUP, SMALL)
    for step in range(30):
        if step == 20:
            assert evidence.finding(3, 3.9, "seat 1") == "f0003.webm"
        evidence.see(frame(step / 5, 100 + step))
    evidence.close()
    film = cv2.VideoCapture(str(tmp_path / "f0003.webm"))
    shades = []
    while True:
        there, picture = film.read()
        if not there:
            break
        shades.append(float(picture.mean()) - 100)
    # From 1.9 s (the tenth picture) to 4.9 s (the 24th), 5 pictures a second.
    assert len(shades) == 15
    assert abs(shades[0] - 10) < 4
    assert abs(shades[-1] - 24) < 4


class Recorded:
    """A camera whose stream is recorded; `whole`: the stretch that is asked for is there."""

    def __init__(self, whole: bool) -> None:
        self.whole = whole

    def holds(self, camera: str, at: float) -> bool:
        return at >= 0

    def cut(self, camera: str, start: float, end: float, to: Path) -> bool:
        if self.whole:
            to.write_text(f"{camera} {start:g} {end:g}")
        return self.whole


@pytest.mark.parametrize("whole", [True, False])
def test_a_clip_is_cut_out_of_a_recording_or_made_of_small_pictures_where_that_is_not_there(
    whole: bool, tmp_path: Path
) -> None:
    evidence = Evidence(tmp_path, SETUP, SMALL)
    evidence.recordings = Recorded(whole)
    for step in range(30):
        evidence.see(frame(step / 5, 100 + step))
        if step == 20:
            assert evidence.finding(3, 3.9, "seat 1") == "f0003.mp4"
    evidence.close()
    there = sorted(path.name for path in tmp_path.iterdir())
    assert there == (["f0003.mp4"] if whole else ["f0003.webm"])
    if whole:
        assert (tmp_path / "f0003.mp4").read_text().endswith(" 1.9 4.9")


def test_no_clip_is_promised_of_a_moment_that_is_gone(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, SETUP, SMALL)
    for step in range(50):
        evidence.see(frame(step / 5, 100))
    assert evidence.finding(1, 2.0, "seat 0") is None


def test_the_oldest_stills_make_room_for_new_ones(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, SETUP, Limits(width=320, free=0, disk=12_000))
    evidence.see(frame(0.0, 40))
    for seq in range(1, 30):
        evidence.event(seq, 0.0, "seat 0")
    left = sorted(path.name for path in tmp_path.iterdir())
    assert sum(path.stat().st_size for path in tmp_path.iterdir()) <= 16_000
    assert left[-1] == "e0029-before.jpg"
    assert "e0001-after.jpg" not in left


def test_a_full_disk_leaves_evidence_out_and_says_so(tmp_path: Path) -> None:
    evidence = Evidence(tmp_path, SETUP, Limits(width=320, free=2**62))
    evidence.see(frame(0.0, 40))
    evidence.event(1, 0.0, "seat 0")
    assert not list(tmp_path.iterdir())
    assert "free some space" in evidence.trouble
