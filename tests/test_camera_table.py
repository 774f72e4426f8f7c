"""A table with live cameras: it starts with those that work, looks for the others, and says what is missing."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import psutil
import pytest
from typer.testing import CliRunner

from api.camera_bench import soak
from api.cli import app
from api.feeds import Health, LiveFeed
from api.parts import camera_json
from api.tables import Opened, open_table, read_setup
from calibration.setup import CameraSetup, Plane, TableSetup, play_zones
from calibration.setup_file import save_setup
from devices.capture import without_password
from devices.sources import SourceFailed
from devices.watchdog import Captured, Limits, limits_of
from tests.test_camera_rtsp import Net

SIZE = (320, 240)
LOOKING = Plane(np.array([[0.2, 0, 160], [0, -0.2, 120], [0, 0, 1.0]]))


@pytest.fixture
def net() -> Iterator[Net]:
    here = Net()
    yield here
    here.end()


def table(*cameras: CameraSetup) -> TableSetup:
    return TableSetup("one", "guandan-official", cameras, play_zones())


def rtsp(name: str, port: int, **options: Any) -> CameraSetup:
    url = f"rtsp://127.0.0.1:{port}/stream"
    return CameraSetup(name, "rtsp", SIZE, LOOKING, 10.0, {"url": url, **options})


def films(path: Path) -> CameraSetup:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 20, SIZE)
    for i in range(10):
        writer.write(np.full((SIZE[1], SIZE[0], 3), 20 * i + 10, np.uint8))
    writer.release()
    return CameraSetup("film", "video", SIZE, LOOKING, 20.0, {"path": str(path), "process": True})


def test_a_match_goes_on_though_no_camera_is_there(net: Net) -> None:
    with pytest.raises(SourceFailed, match="cannot be reached"):
        open_table(table(rtsp("dead", 9)), 0.0, time.monotonic)
    opened = open_table(table(rtsp("dead", 9)), 300.0, time.monotonic)
    health = run_until(opened, lambda now: now["dead"].restarts > 0)
    assert "cannot be reached" in health["dead"].why


def run_until(opened: Opened, done: Any) -> dict[str, Health]:
    """Take frames as a table does until the health of its cameras is as asked for."""
    feed = LiveFeed(opened.sources, opened.paced)
    feed.start()
    began = time.monotonic()
    try:
        while time.monotonic() < began + 60:
            feed.take(0.2)
            health = {one.name: one for one in feed.health()}
            if done(health):
                return health
    finally:
        feed.stop()
    raise AssertionError(health)


def test_a_table_starts_with_the_cameras_that_work(net: Net) -> None:
    opened = open_table(table(rtsp("dead", 9), rtsp("alive", net.serve())), 0.0, time.monotonic)
    health = run_until(opened, lambda now: now["alive"].frames > 3 and now["dead"].restarts > 1)
    assert "cannot be reached" in health["dead"].why
    assert health["dead"].reason["zh"].startswith("相机 dead：rtsp://127.0.0.1:9/stream：连不上")
    assert not health["alive"].why
    told = camera_json(health["dead"])
    assert told["restarts"] > 1
    assert told["reason"] == health["dead"].reason


def test_a_table_without_any_camera_says_why_and_leaves_nothing_behind() -> None:
    before = set(psutil.Process().children(recursive=True))
    with pytest.raises(SourceFailed, match=r"camera a: rtsp://127\.0\.0\.1:9/stream: cannot be reached"):
        open_table(table(rtsp("a", 9)), 0.0, time.monotonic)
    assert not set(psutil.Process().children(recursive=True)) - before


def test_run_without_a_camera_ends_with_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    camera = CameraSetup("overhead", "uvc", SIZE, LOOKING, options={"device": 97})
    save_setup(table(camera), tmp_path / "table.toml")
    done = CliRunner().invoke(app, ["run", "table.toml", "--no-page"])
    assert done.exit_code == 2
    assert "camera overhead: /dev/video97: no such camera" in done.stderr
    assert len(done.stderr.strip().splitlines()) == 1


def test_a_film_in_a_process_of_its_own_is_a_live_camera(tmp_path: Path) -> None:
    opened = open_table(table(films(tmp_path / "a.avi")), 0.0, time.monotonic)
    assert opened.paced == frozenset()
    (source,) = opened.sources
    frames = [source.read() for _ in range(15)]
    source.close()
    assert all(isinstance(frame, Captured) for frame in frames)
    greys = [round(float(frame.image.mean()) / 20) for frame in frames if frame is not None]
    assert max(greys) - min(greys) >= 5
    assert source.read() is None


def test_the_setup_file_knows_network_cameras(tmp_path: Path) -> None:
    camera = rtsp("net", 554, segments="kept", limits={"silent": 5})
    save_setup(table(camera), tmp_path / "table.toml")
    (read,) = read_setup(tmp_path / "table.toml").cameras
    assert read.kind == "rtsp"
    assert read.options["segments"] == str(tmp_path / "kept"), "folders are taken from where the file lies"
    assert limits_of(read).silent == 5
    (tmp_path / "table.toml").write_text((tmp_path / "table.toml").read_text().replace("url = ", "uri = "))
    done = CliRunner().invoke(app, ["run", str(tmp_path / "table.toml"), "--no-page"])
    assert done.exit_code == 2
    assert "needs `url`" in done.stderr


@pytest.mark.parametrize(
    ("limits", "says"), [({"silnt": 1}, "silent"), ({"silent": 0}, "seconds"), (3, "a table")]
)
def test_limits_that_make_no_sense_are_told(limits: Any, says: str) -> None:
    camera = replace(rtsp("net", 554), options={"url": "rtsp://a", "limits": limits})
    with pytest.raises(SourceFailed, match=says):
        limits_of(camera)


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("rtsp://me:pa:ss@10.0.0.5/live", "rtsp://…@10.0.0.5/live"),
        ("rtsp://me:p@ss@10.0.0.5/live", "rtsp://…@10.0.0.5/live"),
        ("rtsp://10.0.0.5/live", "rtsp://10.0.0.5/live"),
    ],
)
def test_passwords_are_not_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown


def test_faults_at_random_leave_nothing_behind() -> None:
    limits = Limits(silent=0.4, repeated=0.4, broken=0.4, slow=0.8, wait=0.05, wait_most=0.3)
    after = soak(90.0, 3, limits, (3, 6), enough=4)
    assert sum(after.faults.values()) >= 3
    assert after.processes == 0
    assert after.frames["good"] > after.frames["bad 0"]
