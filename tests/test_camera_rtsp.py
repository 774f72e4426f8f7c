"""Network cameras: a real RTSP server on loopback that stalls, dies, freezes, sends waste, refuses; and its recording."""

from __future__ import annotations

import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from api.clips import CameraRecordings
from calibration.setup import CameraSetup, Plane, TableSetup
from devices.rtsp import StampClock
from devices.segments import SegmentLimits, cut, forget, segments
from devices.sources import SourceFailed
from devices.watchdog import Captured, Limits, WatchedCamera

SIZE = (320, 240)
LIMITS = Limits(silent=4.0, frozen=2.0, broken=1.0, wait=0.1, wait_most=0.5)


class Net:
    """Servers and cameras of one test."""

    def __init__(self) -> None:
        self.servers: list[subprocess.Popen[str]] = []
        self.cameras: list[WatchedCamera] = []

    def serve(self, *options: str, port: int = 0) -> int:
        server = subprocess.Popen(
            [sys.executable, "-m", "tests.rtsp_server", str(port), *options],
            stdout=subprocess.PIPE,
            text=True,
            cwd=Path(__file__).parents[1],
        )
        self.servers.append(server)
        assert server.stdout is not None
        return int(server.stdout.readline().split()[1])

    def camera(self, url: str, fps: float = 25.0, **options: Any) -> WatchedCamera:
        setup = CameraSetup("net", "rtsp", SIZE, Plane(np.eye(3)), fps, {"url": url, **options})
        self.cameras.append(WatchedCamera(setup, time.monotonic, LIMITS))
        return self.cameras[-1]

    def end(self) -> None:
        for camera in self.cameras:
            camera.close()
        for server in self.servers:
            server.kill()
            server.wait()


@pytest.fixture
def net() -> Iterator[Net]:
    here = Net()
    yield here
    here.end()


def frame_of(camera: WatchedCamera) -> Captured:
    for _ in range(20):
        try:
            frame = camera.read()
        except SourceFailed:
            continue
        assert isinstance(frame, Captured)
        return frame
    raise AssertionError(f"no picture comes: {camera.status}")


def fault_of(camera: WatchedCamera) -> SourceFailed:
    while True:
        try:
            camera.read()
        except SourceFailed as error:
            return error


def test_pictures_come_in_order_with_the_cameras_own_pace(net: Net) -> None:
    camera = net.camera(f"rtsp://127.0.0.1:{net.serve()}/stream")
    frames = [frame_of(camera) for _ in range(25)]
    assert frames[0].image.shape == (240, 320, 3)
    red = [
        np.argwhere(frame.image[30, :, 2].astype(int) - frame.image[30, :, 0] > 100).mean()
        for frame in frames
    ]
    steps = np.diff([frame.mono for frame in frames])
    assert np.all(np.diff(red)[np.abs(np.diff(red)) < 100] > 0), (
        "the square walks to the right, then starts again"
    )
    # Stamps of the camera, whatever the network and this machine's load do to the packets.
    assert np.all(np.abs(steps / 0.04 - np.round(steps / 0.04)) < 0.3)
    assert camera.status.restarts == 0


def test_no_more_pictures_are_made_than_were_asked_for(net: Net) -> None:
    camera = net.camera(f"rtsp://127.0.0.1:{net.serve()}/stream", fps=10.0)
    frames = [frame_of(camera) for _ in range(21)]
    assert (frames[-1].mono - frames[0].mono) / 20 > 0.095


def test_a_camera_that_stalls_is_let_go_and_taken_up_again(net: Net) -> None:
    camera = net.camera(f"rtsp://127.0.0.1:{net.serve()}/stream")
    frame_of(camera)
    net.servers[0].send_signal(signal.SIGSTOP)
    error = fault_of(camera)
    assert camera.status.fault == "packets_stopped"
    assert "check its cable" in str(error)
    net.servers[0].send_signal(signal.SIGCONT)
    frame_of(camera)
    assert camera.status.fault == ""


def test_a_camera_that_reboots_comes_back(net: Net) -> None:
    port = net.serve()
    camera = net.camera(f"rtsp://127.0.0.1:{port}/stream")
    frame_of(camera)
    net.servers[0].kill()
    net.servers[0].wait()
    fault_of(camera)
    fault_of(camera)
    assert camera.status.fault == "unreachable"
    net.serve(port=port)
    frame_of(camera)
    assert camera.status.restarts >= 2


@pytest.mark.parametrize(
    ("option", "fault"),
    [
        (("--freeze-after", "2", "--fps", "10"), "frozen"),
        (("--garbage-after", "4"), "garbage"),
        (("--end-after", "4"), "stream_ended"),
    ],
)
def test_what_a_camera_sends_must_be_pictures(option: tuple[str, ...], fault: str, net: Net) -> None:
    camera = net.camera(f"rtsp://127.0.0.1:{net.serve(*option)}/stream", fps=5.0)
    frame_of(camera)
    fault_of(camera)
    assert camera.status.fault == fault
    frame_of(camera)


@pytest.mark.parametrize(
    ("options", "url", "fault"),
    [
        (("--login", "me:secret"), "rtsp://me:wrong@127.0.0.1:{port}/stream", "not_allowed"),
        ((), "rtsp://me:secret@127.0.0.1:{port}/elsewhere", "no_stream"),
        (None, "rtsp://me:secret@127.0.0.1:{port}/stream", "unreachable"),
    ],
)
def test_what_cannot_be_opened_is_told_without_the_password(
    options: tuple[str, ...] | None, url: str, fault: str, net: Net
) -> None:
    port = 9 if options is None else net.serve(*options)
    camera = net.camera(url.format(port=port))
    error = fault_of(camera)
    assert camera.status.fault == fault
    for words in (str(error), *error.reason.values()):
        assert "secret" not in words
        assert "wrong" not in words
        assert f"127.0.0.1:{port}" in words
        assert "\n" not in words


def test_a_login_that_is_right_gets_pictures(net: Net) -> None:
    port = net.serve("--login", "me:secret")
    assert frame_of(net.camera(f"rtsp://me:secret@127.0.0.1:{port}/stream")).image.any()


def test_what_was_sent_is_kept_and_a_stretch_of_it_can_be_cut_out(net: Net, tmp_path: Path) -> None:
    port = net.serve()
    camera = net.camera(f"rtsp://127.0.0.1:{port}/stream", segments=str(tmp_path), segment_seconds=1)
    frames = [frame_of(camera)]
    while frames[-1].wall < frames[0].wall + 4:
        frames.append(frame_of(camera))
    camera.close()
    assert len(segments(tmp_path)) >= 3
    at = frames[0].wall + 2.0
    began = cut(tmp_path, at, at + 1.0, tmp_path / "clip.mkv")
    assert began is not None
    assert at - 1.1 < began <= at
    with av.open(str(tmp_path / "clip.mkv")) as film:
        times = [began + float(frame.time) for frame in film.decode(video=0)]
    assert times[-1] == pytest.approx(at + 1.0, abs=0.1)
    assert len(times) == pytest.approx((times[-1] - times[0]) * 25 + 1, abs=2)
    # The same as evidence of a finding: at its time of the record, playable in browsers, not encoded again.
    setup = TableSetup("t", "guandan-official", (camera._camera,), ())
    kept = CameraRecordings(setup, frames[0].wall - 100.0)
    assert kept.holds("net", 102.0)
    assert not kept.holds("net", -900.0)
    assert kept.cut("net", 102.0, 103.0, tmp_path / "f0001.mp4")
    with av.open(str(tmp_path / "f0001.mp4")) as film:
        assert film.format.name.startswith("mov,mp4")
        assert len(list(film.decode(video=0))) == len(times)
    assert cut(tmp_path, at - 900, at - 890, tmp_path / "none.mkv") is None
    assert not (tmp_path / "none.mkv").exists()


def test_the_oldest_segments_go_first(tmp_path: Path) -> None:
    now = 1_800_000_000.0
    for i in range(10):
        (tmp_path / f"{round((now - 10 * i) * 1000)}.mkv").write_bytes(bytes(1000))
    forget(tmp_path, SegmentLimits(hours=85 / 3600), now)
    assert len(segments(tmp_path)) == 9
    forget(tmp_path, SegmentLimits(count=6), now)
    assert len(segments(tmp_path)) == 5, "room for the one that is begun now"
    forget(tmp_path, SegmentLimits(gigabytes=3000e-9), now)
    assert [began for began, _ in segments(tmp_path)] == [now - 20, now - 10, now]


def test_a_recording_that_cannot_be_written_is_told_and_the_camera_goes_on(net: Net, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file where the folder should be")
    camera = net.camera(f"rtsp://127.0.0.1:{net.serve()}/stream", segments=str(tmp_path / "taken"))
    for _ in range(40):
        frame_of(camera)
    assert [note for note in camera.status.notes.values() if "recording has stopped" in note["en"]]
    assert camera.status.restarts == 0


def test_late_packets_do_not_move_the_time_of_their_pictures() -> None:
    clock = StampClock()
    random = np.random.default_rng(5)
    late = random.exponential(0.05, 300)
    got = [clock.captured(i * 0.04, 1000.0 + i * 0.04 + late[i]) for i in range(300)]
    errors = np.array(got) - (1000.0 + np.arange(300) * 0.04)
    assert np.abs(errors[50:]).max() < 0.01
    assert clock.captured(5.0, 2000.0) == pytest.approx(2000.0), "a clock that was set anew"


PYTHON_WITH_GSTREAMER = "/usr/bin/python3"
GSTREAMER = """
import gi
gi.require_version("Gst", "1.0"); gi.require_version("GstRtspServer", "1.0")
from gi.repository import GLib, Gst, GstRtspServer
Gst.init(None)
server = GstRtspServer.RTSPServer(); server.set_service("0"); server.set_address("127.0.0.1")
factory = GstRtspServer.RTSPMediaFactory()
factory.set_launch("( videotestsrc is-live=true pattern=ball ! video/x-raw,width=320,height=240,framerate=25/1 "
    "! x264enc tune=zerolatency speed-preset=ultrafast key-int-max=25 ! rtph264pay name=pay0 pt=96 )")
server.get_mount_points().add_factory("/stream", factory)
server.attach(None)
print(server.get_bound_port(), flush=True)
GLib.MainLoop().run()
"""


def gstreamer_here() -> bool:
    check = (
        "import gi; gi.require_version('GstRtspServer', '1.0'); from gi.repository import Gst; Gst.init(None);"
        "raise SystemExit(not (Gst.ElementFactory.find('x264enc') and Gst.ElementFactory.find('rtph264pay')))"
    )
    if shutil.which(PYTHON_WITH_GSTREAMER) is None:
        return False
    return subprocess.run([PYTHON_WITH_GSTREAMER, "-c", check], capture_output=True).returncode == 0


def test_a_server_that_others_wrote(net: Net) -> None:
    if not gstreamer_here():
        pytest.skip(
            "no GStreamer RTSP server: apt install python3-gi gir1.2-gst-rtsp-server-1.0 "
            "gstreamer1.0-plugins-good gstreamer1.0-plugins-ugly"
        )
    server = subprocess.Popen([PYTHON_WITH_GSTREAMER, "-c", GSTREAMER], stdout=subprocess.PIPE, text=True)
    net.servers.append(server)
    assert server.stdout is not None
    camera = net.camera(f"rtsp://127.0.0.1:{int(server.stdout.readline())}/stream")
    first, *_, last = [frame_of(camera) for _ in range(20)]
    assert not np.array_equal(first.image, last.image)
    server.send_signal(signal.SIGSTOP)
    fault_of(camera)
    server.send_signal(signal.SIGCONT)
    frame_of(camera)
    assert camera.status.restarts >= 1
