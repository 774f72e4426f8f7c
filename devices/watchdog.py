"""Keeps a live camera giving pictures: runs it in a process of its own, kills it when it fails, and starts it again.

A fault of a camera is a fault of its process, never of the table: a driver that hangs is killed, one that crashes takes
only its own process with it. What was wrong stays to be read until pictures come again.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from calibration.setup import CameraSetup
from calibration.toml_keys import is_number, nearest
from devices.camera_nodes import CameraNode, NoSuchCamera, find_camera
from devices.running_camera import RunningCamera
from devices.sources import Clock, SourceFailed
from table.texts import both
from vision.frames import Frame

WATCHED: Final = ("uvc", "rtsp", "scripted")
"""Kinds of cameras that run in a process of their own. (`scripted` is for tests and measurements.)"""
_STEADY_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Limits:
    """How long a fault may last before it is acted upon, s.

    Attributes:
        open: from the start of the process to the first picture.
        silent: without any picture, once there was one.
        repeated: with nothing but one old picture.
        frozen: with pictures that are new by their time stamps but the same to the bit.
        broken: with nothing but waste.
        slow: over which the rate is measured: under `slow_share` of what was asked for it is told and, once in
            `slow_again`, the camera is opened anew.
        wait: before the camera is opened again; doubled each time, up to `wait_most`; from the start again once it
            has given pictures for 10 s.
    """

    open: float = 20.0
    silent: float = 3.0
    repeated: float = 3.0
    frozen: float = 10.0
    broken: float = 3.0
    slow: float = 5.0
    slow_share: float = 0.5
    slow_again: float = 600.0
    wait: float = 0.5
    wait_most: float = 10.0


@dataclass(frozen=True, slots=True)
class Captured(Frame):
    """A frame of a live camera with the times of its capture.

    Attributes:
        mono: s of the system's monotonic clock.
        wall: Unix time, s.
    """

    mono: float = 0.0
    wall: float = 0.0


@dataclass(slots=True)
class CameraStatus:
    """How a watched camera does.

    Attributes:
        reason: what is wrong, in both languages; empty while all is well.
        fault: the key of that text (`hangs`, `died`, …); empty while all is well.
        restarts: how often it was opened again.
        faults: how often each kind of fault was met.
        repeats: old pictures that came again; `broken`: waste; `dropped`: pictures that a newer one overtook.
        notes: what is amiss though pictures come (controls that do not stick), by key and subject, in both languages.
        node: device file that it was found at.
    """

    reason: dict[str, str] = field(default_factory=dict)
    fault: str = ""
    restarts: int = 0
    faults: dict[str, int] = field(default_factory=dict)
    repeats: int = 0
    broken: int = 0
    dropped: int = 0
    notes: dict[str, dict[str, str]] = field(default_factory=dict)
    node: str = ""


class WatchedCamera:
    """A live camera as a source; fulfils `devices.sources.Source`. It never ends by itself.

    Args:
        camera: its setup.
        clock: the record's clock, for the time of its frames.
        limits: of faults.
        root: where `dev` and `sys` lie; another than `/` for tests.

    Attributes:
        status: how it does; written by whoever reads, read by anybody.
    """

    def __init__(
        self, camera: CameraSetup, clock: Clock, limits: Limits | None = None, root: Path = Path("/")
    ) -> None:
        self._camera = camera
        self._clock = clock
        self.limits = limits or Limits()
        self._root = root
        self.status = CameraStatus()
        self._running: RunningCamera | None = None
        self._known: CameraNode | None = None
        self._lingering: list[subprocess.Popen[bytes]] = []
        self._wait = self.limits.wait
        self._again_at = 0.0
        self._slow_at = -1e9
        self._closed = False
        self._lock = threading.Lock()
        self._wake_r, self._wake_w = os.pipe()

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._camera.name

    def read(self) -> Frame | None:
        """The next frame, waited for; None once closed.

        Raises:
            SourceFailed: the camera failed just now. Reading again opens it again, each time a little later.
        """
        with self._lock:
            while not self._closed:
                try:
                    if self._running is None:
                        self._pause(self._again_at - time.monotonic())
                        if self._closed:
                            break
                        self._start()
                    frame = self._next()
                except _Fault as fault:
                    raise self._failed(fault) from None
                if frame is not None:
                    return frame
            self._clean_up()
            return None

    def close(self) -> None:
        """Let the camera go; whoever reads it just now gets None at once."""
        self._closed = True
        with contextlib.suppress(OSError):
            os.write(self._wake_w, b".")
        with self._lock:
            self._clean_up()

    def begin(self) -> None:
        """Start the camera's process, if it does not run; its pictures come with `read`.

        Raises:
            SourceFailed: there is no such camera.
        """
        with self._lock:
            if self._running is None and not self._closed:
                try:
                    self._start()
                except _Fault as fault:
                    raise self._failed(fault) from None

    @property
    def pid(self) -> int | None:
        """Of the camera's process, while there is one."""
        running = self._running
        return running.process.pid if running is not None else None

    def _start(self) -> None:
        """Begin a process for the camera."""
        self._lingering = [process for process in self._lingering if process.poll() is None]
        node = ""
        if "device" in self._camera.options or self._camera.kind == "uvc":
            try:
                self._known = find_camera(self._camera.options.get("device", 0), self._known, self._root)
            except NoSuchCamera as error:
                raise _Fault(error.key, error.fields) from None
            node = self._known.node
        self.status.node = node
        try:
            self._running = RunningCamera(self._camera, node)
        except OSError as error:
            raise _Fault("no_start", {"error": error.strerror or str(error)}) from None

    def _next(self) -> Frame | None:
        """Listen to the process until the next frame or the next limit; None where neither came (told to wake up)."""
        run = self._running
        assert run is not None
        newest: Mapping[str, Any] | None = None
        for line in run.heard():
            what = line["say"]
            if what == "frame":
                self.status.dropped += newest is not None
                newest = line
                run.pictures(line, time.monotonic())
            elif what == "repeat":
                self.status.repeats += int(line["n"])
                run.repeating = run.repeating or time.monotonic()
            elif what == "bad":
                self.status.broken += int(line["n"])
                run.breaking = run.breaking or time.monotonic()
            elif what == "note":
                fields = dict(line["fields"])
                self.status.notes[f"{line['key']} {fields.get('control', '')}"] = both(
                    f"devices_cameras.{line['key']}", **fields
                )
            elif what == "failed":
                raise _Fault(line["key"], dict(line["fields"]))
        if newest is not None:
            frame = self._frame(run, newest)
            self._judge_rate(run)
            if frame is not None:
                return frame
        if run.ended:
            raise _Fault("died", {"how": run.how_it_ended()})
        self._wait_for(run)
        return None

    def _wait_for(self, run: RunningCamera) -> None:
        """Sleep until the process says something, or a limit has passed."""
        limits, now = self.limits, time.monotonic()
        due: list[tuple[float, str, float]] = []
        if run.breaking:
            due.append((run.breaking + limits.broken, "garbage", limits.broken))
        elif run.repeating:
            due.append((run.repeating + limits.repeated, "repeats", limits.repeated))
        if run.still:
            due.append((run.still + limits.frozen, "frozen", limits.frozen))
        if run.last is None:
            due.append((run.began + limits.open, "open_hangs", limits.open))
        else:
            # What repeats or breaks is not silent; it is told as what it is.
            since = max(run.last, run.heard_at)
            due.append((since + limits.silent, "hangs", limits.silent))
        when, key, seconds = min(due)
        if when <= now:
            raise _Fault(key, {"seconds": f"{seconds:g}"})
        ready, _, _ = select.select([run.said, self._wake_r], [], [], when - now)
        if run.said in ready:
            run.listen()

    def _judge_rate(self, run: RunningCamera) -> None:
        """Tell a camera that is slow; open it anew where that was not tried lately."""
        now, limits = time.monotonic(), self.limits
        rate = run.rate(now, limits.slow)
        if rate is None or rate >= limits.slow_share * self._camera.fps:
            if self.status.fault:
                self.status.fault, self.status.reason = "", {}
            if rate is not None and run.first is not None and now - run.first > _STEADY_S:
                self._wait = limits.wait
            return
        fields = {"fps": f"{rate:.1f}", "wanted": f"{self._camera.fps:g}"}
        if now - self._slow_at > limits.slow_again:
            self._slow_at = now
            raise _Fault("slow_reopened", fields)
        self._tell("slow", fields)

    def _frame(self, run: RunningCamera, line: Mapping[str, Any]) -> Frame | None:
        image = run.ring.read(int(line["n"]))
        if image is None:
            self.status.dropped += 1
            return None
        mono = float(line["mono"])
        # The record's clock and the monotonic one run at the same pace.
        at = self._clock() - (time.monotonic() - mono)
        return Captured(image, round(at, 4), self.name, 1, mono, float(line["wall"]))

    def _failed(self, fault: _Fault) -> SourceFailed:
        """End the process, decide when to try again, and put the fault into words."""
        self._stop_process()
        self.status.restarts += 1
        self.status.faults[fault.key] = self.status.faults.get(fault.key, 0) + 1
        self._again_at = time.monotonic() + self._wait
        self._wait = min(self._wait * 2, self.limits.wait_most)
        self._tell(fault.key, fault.fields)
        return SourceFailed(self.status.reason["en"], self.status.reason)

    def _tell(self, key: str, fields: Mapping[str, Any]) -> None:
        what = both(f"devices_cameras.{key}", **fields)
        words = both("devices_cameras.camera", name=self.name, what="{what}")
        self.status.fault = key
        self.status.reason = {lang: words[lang].replace("{what}", what[lang]) for lang in what}

    def _pause(self, seconds: float) -> None:
        if seconds > 0:
            select.select([self._wake_r], [], [], seconds)

    def _stop_process(self) -> None:
        if self._running is not None:
            running, self._running = self._running, None
            if not running.stop():
                # It hangs in the kernel and dies when that lets it go; nobody waits for it.
                self._lingering.append(running.process)

    def _clean_up(self) -> None:
        self._stop_process()
        for fd in (self._wake_r, self._wake_w):
            with contextlib.suppress(OSError):
                os.close(fd)
        self._wake_r = self._wake_w = -1


class _Fault(Exception):
    """A key of `devices_cameras` and its fields."""

    def __init__(self, key: str, fields: Mapping[str, Any]) -> None:
        super().__init__(key)
        self.key = key
        self.fields = fields


def is_watched(camera: CameraSetup) -> bool:
    """Whether a camera runs in a process of its own: live ones do, and a film whose options say `process = true`."""
    return camera.kind in WATCHED or (camera.kind == "video" and camera.options.get("process") is True)


def open_watched(camera: CameraSetup, clock: Clock, root: Path = Path("/")) -> WatchedCamera:
    """A live camera, its process begun.

    Raises:
        SourceFailed: there is no such camera, or its options are wrong.
    """
    source = WatchedCamera(camera, clock, limits_of(camera), root)
    try:
        source.begin()
    except SourceFailed:
        source.close()
        raise
    return source


def any_gives(sources: Sequence[WatchedCamera]) -> list[SourceFailed]:
    """Wait until one of these cameras has given a picture, or all of them have failed: then why, each of them."""
    told: queue.SimpleQueue[SourceFailed | None] = queue.SimpleQueue()

    def read(source: WatchedCamera) -> None:
        try:
            source.read()
        except SourceFailed as error:
            told.put(error)
        else:
            told.put(None)

    for source in sources:
        threading.Thread(target=read, args=(source,), daemon=True).start()
    failures: list[SourceFailed] = []
    for _ in sources:
        failure = told.get()
        if failure is None:
            return []
        failures.append(failure)
    return failures


def limits_of(camera: CameraSetup) -> Limits:
    """The limits that a camera's options ask for (`limits = { silent = 5.0 }`).

    Raises:
        SourceFailed: there is no such limit, or a value is no number.
    """
    chosen = camera.options.get("limits") or {}
    if not isinstance(chosen, Mapping):
        raise SourceFailed(
            f"camera {camera.name}: options: limits must be a table of seconds, got {chosen!r}"
        )
    for key, value in chosen.items():
        if key not in Limits.__slots__:
            raise SourceFailed(
                f"camera {camera.name}: options: no limit {key!r}; {nearest(key, Limits.__slots__)}"
            )
        if not is_number(value) or value <= 0:
            raise SourceFailed(f"camera {camera.name}: options: limits: {key} must be seconds, got {value!r}")
    return Limits(**{key: float(value) for key, value in chosen.items()})
