"""One life of a live camera's process: its memory, its voice, since when it does what, and its end."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping
from typing import IO, Any, Final

from calibration.setup import CameraSetup
from devices.frame_ring import FrameRing, make_memory

_AFTER_START_S: Final = 3.0


class RunningCamera:
    """One life of a camera's process: its memory, its voice, and since when it does what.

    Raises:
        OSError: it cannot be started.
    """

    def __init__(self, camera: CameraSetup, node: str) -> None:
        memory = make_memory(camera.size)
        said, say = os.pipe()
        try:
            self.ring = FrameRing(memory, camera.size)
            self.process = subprocess.Popen(
                # -P: a folder `devices` where the user happens to be is none of ours.
                [sys.executable, "-P", "-m", "devices.camera_process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(memory, say),
            )
        except OSError:
            os.close(said)
            raise
        finally:
            os.close(memory)
            os.close(say)
        self.said = said
        os.set_blocking(said, False)
        orders = {
            "parent": os.getpid(), "ring": memory, "say": say, "name": camera.name, "kind": camera.kind,
            "size": camera.size, "fps": camera.fps, "options": dict(camera.options), "node": node,
        }  # fmt: skip
        stdin: IO[bytes] | None = self.process.stdin
        assert stdin is not None
        with contextlib.suppress(BrokenPipeError):
            stdin.write(json.dumps(orders, default=str).encode() + b"\n")
            stdin.flush()
        self.began = self.heard_at = time.monotonic()
        self.first: float | None = None
        self.last: float | None = None
        self.repeating = self.breaking = self.still = 0.0
        self.ended = False
        self._arrivals: deque[float] = deque()
        self._rest = b""
        self._lines: list[dict[str, Any]] = []

    def listen(self) -> None:
        """Take what the process has said."""
        while True:
            try:
                data = os.read(self.said, 1 << 16)
            except BlockingIOError:
                return
            if not data:
                self.ended = True
                return
            *lines, self._rest = (self._rest + data).split(b"\n")
            for line in lines:
                # A line that is no JSON was cut by a death in the middle of it.
                with contextlib.suppress(ValueError):
                    self._lines.append(json.loads(line))
            self.heard_at = time.monotonic()

    def heard(self) -> list[dict[str, Any]]:
        """What was said and not yet attended to."""
        lines, self._lines = self._lines, []
        return lines

    def pictures(self, line: Mapping[str, Any], now: float) -> None:
        """A picture came."""
        self.first = now if self.first is None else self.first
        self.last = now
        self.repeating = self.breaking = 0.0
        self.still = (self.still or now) if line.get("still") else 0.0
        self._arrivals.append(float(line["mono"]))

    def rate(self, now: float, over: float) -> float | None:
        """Pictures a second over the last `over` s; None as long as that cannot be told."""
        while self._arrivals and self._arrivals[0] < now - over:
            self._arrivals.popleft()
        if self.first is None or now - self.first < _AFTER_START_S + over:
            return None
        return len(self._arrivals) / over

    def how_it_ended(self) -> str:
        """The process's end in words of the system."""
        try:
            code = self.process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            return "?"
        if code >= 0:
            return f"exit {code}"
        with contextlib.suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"

    def stop(self) -> bool:
        """Kill the process; whether it is gone (one that hangs in the kernel is not)."""
        self.process.kill()
        try:
            self.process.wait(timeout=1)
            gone = True
        except subprocess.TimeoutExpired:
            gone = False
        if self.process.stdin is not None:
            with contextlib.suppress(OSError):
                self.process.stdin.close()
        os.close(self.said)
        self.ring.close()
        return gone
