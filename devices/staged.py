"""A stage for measurements: pictures that one process paints and live cameras show, each with faults as they are ordered.

The pictures lie in a file that all map into memory. A camera of kind `scripted` whose options name a `stage` shows them
in a process of its own; its device file is a JSON object that says what it does now, read before every picture:

    {"do": "give"}                    as it should; `fps` slows it, `dim` divides the light, `shift` moves it by px (x, y)
    {"do": "hang"}, {"do": "hang_hard"}, {"do": "die"}, {"do": "repeat"}, {"do": "noise"}

A device file that is gone is a camera that was unplugged.
"""

from __future__ import annotations

import json
import mmap
import os
import signal
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from devices.capture import CaptureFailed, Shot, Wanted
from devices.scripted import hang, hang_with_lock
from vision.frames import Image

_SLOTS: Final = 2
_HEAD: Final = 4096
_FIELDS: Final = 4
_PATIENCE_S: Final = 1.0
_POLL_S: Final = 0.004


class Stage:
    """The newest pictures of some cameras in one file; one process writes, others read.

    Args:
        path: of the file.
        sizes: width and height of each camera's pictures, px.
        new: make the file.

    Raises:
        OSError: the file is not there, or cannot be made.
    """

    def __init__(self, path: Path, sizes: Sequence[tuple[int, int]], new: bool = False) -> None:
        starts = np.cumsum([0, *(_SLOTS * width * height * 3 for width, height in sizes)])
        length = _HEAD + int(starts[-1])
        with path.open("w+b" if new else "r+b") as file:
            if new:
                file.truncate(length)
            self._map = mmap.mmap(file.fileno(), length)
        self._head = np.frombuffer(self._map, np.float64, _FIELDS * len(sizes)).reshape(-1, _FIELDS)
        self._slots = [
            np.frombuffer(self._map, np.uint8, _SLOTS * width * height * 3, _HEAD + int(start)).reshape(
                _SLOTS, height, width, 3
            )
            for start, (width, height) in zip(starts, sizes, strict=False)
        ]

    def write(self, camera: int, number: int, image: Image, mono: float, wall: float) -> None:
        """Put the picture `number` of a camera there, taken at `mono` (s, monotonic clock) and `wall` (Unix time, s)."""
        np.copyto(self._slots[camera][number % _SLOTS], image)
        self._head[camera, 1:3] = mono, wall
        self._head[camera, 0] = number

    def number(self, camera: int) -> int:
        """The number of a camera's newest picture; 0 before the first."""
        return int(self._head[camera, 0])

    def read(self, camera: int) -> tuple[int, Image, float, float]:
        """A camera's newest picture: number, copy, and when it was taken (monotonic and Unix time, s)."""
        while True:
            number = self.number(camera)
            mono, wall = self._head[camera, 1:3].tolist()
            image = self._slots[camera][number % _SLOTS].copy()
            # A writer that has gone on by one writes into the other slot.
            if self.number(camera) <= number + 1 and self._head[camera, 1] >= mono:
                return number, np.asarray(image, np.uint8), mono, wall


class StagedGrabber:
    """Shows a camera's pictures on a stage and does what its device file says; see `devices.capture.Grabber`.

    Raises:
        CaptureFailed: there is no stage, or no such device.
    """

    still_is_news = False

    def __init__(self, wanted: Wanted) -> None:
        # Where a link leads now: the camera may come back as another node.
        self._node = Path(wanted.node).resolve()
        self._camera = int(wanted.options.get("camera", 0))
        sizes = [(int(width), int(height)) for width, height in wanted.options.get("sizes", [wanted.size])]
        try:
            self._stage = Stage(Path(str(wanted.options["stage"])), sizes)
        except OSError:
            raise CaptureFailed("no_such_camera", where=str(wanted.options["stage"])) from None
        self._random = np.random.default_rng(1)
        self._number = 0
        self._last: Shot | None = None

    def grab(self) -> Shot:
        """The newest picture, or what is ordered instead.

        Raises:
            CaptureFailed: the device file is gone.
        """
        try:
            order = json.loads(self._node.read_text("utf-8"))
        except OSError:
            raise CaptureFailed("gone", where=str(self._node)) from None
        what = order["do"]
        if what == "hang":
            hang()
        if what == "hang_hard":
            hang_with_lock()
        if what == "die":
            os.kill(os.getpid(), int(order.get("signal", signal.SIGSEGV)))
        before = self._last
        after = before.mono + 1 / float(order["fps"]) if before is not None and "fps" in order else 0.0
        shot = self._newest(after)
        if what == "repeat" and before is not None:
            return Shot(before.image, shot.mono, shot.wall)
        if what == "noise" and shot.image is not None:
            noise = self._random.integers(0, 256, shot.image.shape, np.uint8)
            return Shot(np.asarray(noise, np.uint8), shot.mono, shot.wall)
        self._last = shot = Shot(_seen(shot.image, order), shot.mono, shot.wall)
        return shot

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """Nothing."""
        return []

    def close(self) -> None:
        """Nothing to let go."""

    def _newest(self, after: float) -> Shot:
        """The next picture that was taken after `after`, s; where none comes for long, the one before again."""
        until = time.monotonic() + _PATIENCE_S
        while self._stage.number(self._camera) == self._number or time.monotonic() < after:
            if time.monotonic() > until:
                break
            time.sleep(_POLL_S)
        self._number, image, mono, wall = self._stage.read(self._camera)
        return Shot(image, mono, wall)


def _seen(image: Image | None, order: dict[str, Any]) -> Image | None:
    """The picture as the camera gives it: darker, or from another place."""
    if image is None:
        return None
    if "dim" in order:
        image = np.asarray(image // int(order["dim"]), np.uint8)
    if "shift" in order:
        x, y = order["shift"]
        move = np.array([[1, 0, x], [0, 1, y]], np.float32)
        moved = cv2.warpAffine(image, move, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE)
        image = np.asarray(moved, np.uint8)
    return image
