"""Films and folders of stills as cameras: in order, with their times, and one line where something is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest

from calibration.setup import CameraSetup, Plane, TableSetup, play_zones
from devices.sources import Source, SourceFailed, VideoSource, open_source, open_sources

SIZE = (160, 120)


def camera(kind: str, **options: Any) -> CameraSetup:
    return CameraSetup("overhead", kind, SIZE, Plane(np.eye(3)), options=options)


def film(path: Path, frames: int = 20, fps: float = 10.0) -> Path:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), fps, SIZE)
    for i in range(frames):
        writer.write(np.full((SIZE[1], SIZE[0], 3), 10 * i, np.uint8))
    writer.release()
    return path


def all_of(source: Source) -> list[tuple[float, int]]:
    """Time and mean grey of each frame."""
    got = []
    while (frame := source.read()) is not None:
        assert frame.source == "overhead"
        got.append((frame.at, round(float(frame.image.mean()))))
    return got


def test_a_film_gives_its_frames_with_their_times(tmp_path: Path) -> None:
    got = all_of(open_source(camera("video", path=str(film(tmp_path / "a.avi")), starts=5.0)))
    assert [at for at, _ in got] == pytest.approx([5.0 + 0.1 * i for i in range(20)], abs=1e-3)
    assert [grey for _, grey in got] == pytest.approx([10 * i for i in range(20)], abs=2)


def test_a_cut_film_gives_what_it_has_and_says_that_it_is_cut(tmp_path: Path) -> None:
    whole = film(tmp_path / "a.avi")
    cut = tmp_path / "cut.avi"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size * 3 // 4])
    source = open_source(camera("video", path=str(cut)))
    assert isinstance(source, VideoSource)
    got = all_of(source)
    assert 1 <= len(got) < 20
    assert "cut" in source.warning
    assert str(len(got)) in source.warning


def test_stills_come_in_the_order_in_which_they_were_taken(tmp_path: Path) -> None:
    for name, grey in (
        ("b_20260101_101000.png", 40),
        ("a_20260101_101030.png", 80),
        ("c_20260101_100900.png", 20),
    ):
        cv2.imwrite(str(tmp_path / name), np.full((8, 8, 3), grey, np.uint8))
    (tmp_path / "notes.txt").write_text("no picture")
    assert all_of(open_source(camera("stills", path=str(tmp_path)))) == [(0.0, 20), (60.0, 40), (90.0, 80)]
    every = all_of(open_source(camera("stills", path=str(tmp_path), every=2)))
    assert [at for at, _ in every] == [0.0, 2.0, 4.0]


def test_a_still_that_cannot_be_read_is_left_out_and_named(tmp_path: Path) -> None:
    cv2.imwrite(str(tmp_path / "1.png"), np.full((8, 8, 3), 50, np.uint8))
    (tmp_path / "2.png").write_bytes(b"nothing")
    source = open_source(camera("stills", path=str(tmp_path)))
    assert len(all_of(source)) == 1
    assert "2.png" in source.warning  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("kind", "options", "says"),
    [
        ("video", {}, "path"),
        ("video", {"path": "/no/film.mp4"}, "no such film"),
        ("stills", {"path": "/no/folder"}, "no such folder"),
        ("uvc", {"device": 97}, "/dev/video97: no such camera"),
        ("uvc", {"device": "/dev/v4l/by-id/none"}, "no such camera"),
        ("telepathy", {}, "expected one of simulated, video, stills, uvc"),
        ("simulated", {"glair": 1}, "no option 'glair'"),
        ("simulated", {"profile": "bridge"}, "unknown profile 'bridge'"),
        ("simulated", {"cameras": 3}, "1, 2 or 4"),
        ("simulated", {"camera": 4}, "`camera`"),
        ("simulated", {"step": 3}, "step = 3"),
    ],
)
def test_what_cannot_be_opened_is_told_in_one_line(kind: str, options: dict[str, Any], says: str) -> None:
    with pytest.raises(SourceFailed) as failed:
        open_source(camera(kind, **options), clock=lambda: 0.0)
    assert says in str(failed.value)
    assert "overhead" in str(failed.value)
    assert "\n" not in str(failed.value)


def test_a_film_that_is_none_is_told_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "a.mp4").write_bytes(b"no film at all")
    with pytest.raises(SourceFailed, match="not a film"):
        open_source(camera("video", path=str(tmp_path / "a.mp4")))


def test_all_cameras_of_a_table_are_opened_or_none(tmp_path: Path) -> None:
    good = camera("video", path=str(film(tmp_path / "a.avi", 3)))
    setup = TableSetup("one", "guandan-official", (good, camera("stills", path="/no/folder")), play_zones())
    with pytest.raises(SourceFailed, match="no such folder"):
        open_sources(setup)
    sources = open_sources(TableSetup("one", "guandan-official", (good,), play_zones()))
    assert [len(all_of(source)) for source in sources] == [3]
