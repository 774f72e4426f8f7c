"""Live cameras that fail, each in a real process of its own: found out, ended, opened again, counted and told."""

from __future__ import annotations

import gc
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pytest

from api.feeds import LiveFeed
from calibration.setup import CameraSetup, Plane
from devices.sources import SourceFailed
from devices.watchdog import Captured, Limits, WatchedCamera
from vision.frames import Frame

SIZE = (160, 120)
QUICK = Limits(
    open=30.0, silent=2.0, repeated=1.0, frozen=1.5, broken=1.0, slow=1.0, wait=0.05, wait_most=0.2
)


def script(path: Path, *runs: list[dict[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"runs": runs}))
    return path


def camera(device: Path | str, fps: float = 30.0, **options: Any) -> CameraSetup:
    return CameraSetup(
        "overhead", "scripted", SIZE, Plane(np.eye(3)), fps, {"device": str(device), **options}
    )


@pytest.fixture
def opened() -> Iterator[list[WatchedCamera]]:
    sources: list[WatchedCamera] = []
    yield sources
    for source in sources:
        source.close()


def watch(
    opened: list[WatchedCamera], device: Path | str, limits: Limits = QUICK, **more: Any
) -> WatchedCamera:
    root = more.pop("root", Path("/"))
    source = WatchedCamera(camera(device, **more), time.monotonic, limits, root)
    opened.append(source)
    return source


def frame_of(source: WatchedCamera) -> Captured:
    """The next frame, through whatever faults come before it."""
    for _ in range(20):
        try:
            frame = source.read()
        except SourceFailed:
            continue
        assert isinstance(frame, Captured)
        return frame
    raise AssertionError(f"no picture comes: {source.status}")


def fault_of(source: WatchedCamera) -> str:
    """The next fault, through the frames that come before it."""
    while True:
        try:
            source.read()
        except SourceFailed as error:
            told = error
            break
    assert "\n" not in str(told)
    assert set(told.reason) == {"zh", "en"}
    return source.status.fault


def test_frames_come_with_the_time_of_their_capture(tmp_path: Path, opened: list[WatchedCamera]) -> None:
    source = watch(opened, script(tmp_path / "video0", [{"do": "give"}]))
    began = time.monotonic()
    first, second = frame_of(source), frame_of(source)
    assert first.image.shape == (120, 160, 3)
    assert first.source == "overhead"
    assert began < first.mono < second.mono < time.monotonic()
    assert first.at == pytest.approx(first.mono, abs=0.05)
    assert first.wall == pytest.approx(time.time(), abs=5)


@pytest.mark.parametrize(
    ("steps", "fault"),
    [
        ([{"do": "hang"}], "hangs"),
        ([{"do": "hang_hard"}], "hangs"),
        ([{"do": "die", "signal": int(signal.SIGSEGV)}], "died"),
        ([{"do": "die", "signal": int(signal.SIGKILL)}], "died"),
        ([{"do": "crash"}], "crashed"),
        ([{"do": "repeat"}], "repeats"),
        ([{"do": "noise"}], "garbage"),
        ([{"do": "undecodable"}], "garbage"),
        ([{"do": "wrong_size"}], "wrong_size"),
        ([{"do": "fail"}], "gone"),
        ([{"do": "give", "fps": 3}], "slow_reopened"),
    ],
)
def test_a_fault_is_found_told_and_the_camera_comes_back(
    steps: list[dict[str, Any]], fault: str, tmp_path: Path, opened: list[WatchedCamera]
) -> None:
    give = {"do": "give", "frames": 5}
    source = watch(opened, script(tmp_path / "video0", [give, *steps], [{"do": "give"}]))
    assert frame_of(source).source == "overhead"
    pid = source.pid
    assert pid is not None
    assert fault_of(source) == fault
    assert not psutil.pid_exists(pid), "the process that failed is gone"
    assert "overhead" in source.status.reason["zh"]
    frame_of(source)
    assert source.status.fault == "", "all is well again"
    assert source.status.restarts == 1
    assert source.status.faults == {fault: 1}


def test_an_opening_that_hangs_is_ended(tmp_path: Path, opened: list[WatchedCamera]) -> None:
    limits = Limits(open=0.5, wait=0.05)
    source = watch(opened, script(tmp_path / "video0", [{"do": "no_open"}], [{"do": "no_open"}]), limits)
    assert fault_of(source) == "open_hangs"


def test_a_camera_that_stays_away_is_tried_ever_more_seldom(
    tmp_path: Path, opened: list[WatchedCamera]
) -> None:
    limits = Limits(wait=0.05, wait_most=0.4)
    source = watch(opened, tmp_path / "video9", limits)
    times = []
    for _ in range(6):
        assert fault_of(source) == "no_camera_at_all"
        times.append(time.monotonic())
    waits = np.diff(times)
    # The waits themselves: the machine may add to them and never takes from them.
    assert np.all(waits >= np.array([0.05, 0.1, 0.2, 0.4, 0.4]) - 0.005)
    assert source.status.restarts == 6


def test_old_pictures_do_not_count(tmp_path: Path, opened: list[WatchedCamera]) -> None:
    source = watch(
        opened, script(tmp_path / "video0", [{"do": "give", "frames": 3}, {"do": "repeat", "seconds": 0.4}])
    )
    images = [frame_of(source).image.tobytes() for _ in range(6)]
    assert len(set(images)) == 6
    assert source.status.repeats > 0


def test_one_camera_that_hangs_does_not_hold_up_another(tmp_path: Path, opened: list[WatchedCamera]) -> None:
    bad = camera(script(tmp_path / "video0", [{"do": "give", "frames": 3}, {"do": "hang"}], [{"do": "hang"}]))
    good = camera(script(tmp_path / "video2", [{"do": "give"}]))
    sources = [
        WatchedCamera(
            CameraSetup(name, "scripted", SIZE, Plane(np.eye(3)), 30.0, one.options), time.monotonic, QUICK
        )
        for name, one in (("bad", bad), ("good", good))
    ]
    opened += sources
    feed = LiveFeed(sources, ())
    feed.start()
    got: list[Frame] = []
    during = 0
    while during < 5:
        taken = feed.take(1.0)
        got += taken[0] if taken else []
        health = {one.name: one for one in feed.health()}
        if health["bad"].restarts:
            during += len([frame for frame in (taken[0] if taken else []) if frame.source == "good"])
    feed.stop()
    assert "hangs" in health["bad"].why
    assert health["bad"].reason["zh"].startswith("相机 bad")
    assert not health["good"].why
    assert health["good"].restarts == 0
    assert not any(thread.is_alive() for thread in feed._threads)


def test_a_picture_that_arrives_late_does_not_put_the_time_back(
    tmp_path: Path, opened: list[WatchedCamera]
) -> None:
    source = watch(opened, script(tmp_path / "video0", [{"do": "give"}]))

    class Late:
        """The same camera on a machine that was busy elsewhere."""

        name = source.name

        def read(self) -> Frame | None:
            frame = source.read()
            return frame if frame is None else replace(frame, at=frame.at - 3.0)

        def close(self) -> None:
            source.close()

    feed = LiveFeed([Late()], (), record=time.monotonic)
    feed.start()
    while feed.take(0.2) is None:
        pass
    before = time.monotonic()
    now = feed.now()
    feed.stop()
    assert now is not None
    assert before <= now <= time.monotonic()


def test_closing_does_not_wait_for_a_picture(tmp_path: Path, opened: list[WatchedCamera]) -> None:
    source = watch(opened, script(tmp_path / "video0", [{"do": "no_open"}]), Limits(open=3600, silent=3600))
    feed = LiveFeed([source], ())
    feed.start()
    while source.pid is None:
        feed.take(0.05)
    feed.stop()
    assert source.pid is None
    assert not any(thread.is_alive() for thread in feed._threads)


@pytest.mark.parametrize("what", ["give", "hang", "hang_hard"])
def test_no_process_outlives_the_table(what: str, tmp_path: Path) -> None:
    """The table is killed; its cameras' processes end, whatever they are doing."""
    path = script(tmp_path / "video0", [{"do": "give", "frames": 2}, {"do": what}])
    table = subprocess.Popen(
        [sys.executable, "-c", OWNER, str(path)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[1],
    )
    assert table.stdout is not None
    pid = int(table.stdout.readline())
    assert psutil.pid_exists(pid)
    os.kill(table.pid, signal.SIGKILL)
    table.wait()
    gone, _ = psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=20)
    assert gone or not psutil.pid_exists(pid)


OWNER = """
import sys, time
from pathlib import Path
from tests.test_camera_watchdog import QUICK, camera, frame_of
from devices.watchdog import Limits, WatchedCamera
source = WatchedCamera(camera(Path(sys.argv[1])), time.monotonic, Limits(silent=3600))
frame_of(source); frame_of(source)
print(source.pid, flush=True)
time.sleep(3600)
"""


def test_nothing_is_left_open_after_many_faults(tmp_path: Path, opened: list[WatchedCamera]) -> None:
    me = psutil.Process()
    # Other tests of this process may have left helpers running.
    others = set(me.children(recursive=True))
    source = watch(opened, script(tmp_path / "video0", [{"do": "give", "frames": 1}, {"do": "fail"}]))
    fault_of(source)
    # What earlier tests left to the collector would otherwise close while we count.
    gc.collect()
    before = me.num_fds()
    for _ in range(5):
        fault_of(source)
    assert me.num_fds() <= before
    assert not set(me.children(recursive=True)) - others
