"""A camera whose faults are written down beforehand, for tests and for `paizhuo bench cameras`.

Its device file is the script, a JSON object:

    {"runs": [[{"do": "give", "frames": 30}, {"do": "hang"}], [{"do": "give"}]]}

Each time that the camera is opened, the next run is played; the last one again and again. Steps: `give` (`frames`,
`fps`; without `frames` for ever), `repeat` (one old picture, `seconds`), `noise` (`seconds`), `undecodable` (`seconds`),
`wrong_size`, `hang` (a read that never returns), `hang_hard` (the same with Python's lock held), `die` (`signal`),
`crash` (an exception), `fail` (the camera says that it is gone), `no_open` (opening hangs).
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from devices.capture import CaptureFailed, Shot, Wanted
from vision.frames import Image


class ScriptedGrabber:
    """Plays the next run of its script.

    Raises:
        CaptureFailed: there is no script.
    """

    still_is_news = False

    def __init__(self, wanted: Wanted) -> None:
        self._path = Path(wanted.node)
        self._size = wanted.size
        self._fps = wanted.fps
        self._shown = 0
        self._last: Image | None = None
        self._random = np.random.default_rng(1)
        film = wanted.options.get("film")
        self._film = cv2.VideoCapture(str(film)) if film else None
        try:
            runs = json.loads(self._path.read_text("utf-8"))["runs"]
        except FileNotFoundError:
            raise CaptureFailed("no_such_camera", where=str(self._path)) from None
        starts = self._path.with_suffix(".starts")
        count = len(starts.read_text()) if starts.exists() else 0
        with starts.open("a") as file:
            file.write(".")
        steps = runs[min(count, len(runs) - 1)]
        if steps and steps[0]["do"] == "no_open":
            hang()
        self._shots = self._play(steps)

    def grab(self) -> Shot:
        """What the script says next.

        Raises:
            CaptureFailed: the script says so.
        """
        image = next(self._shots, None)
        if isinstance(image, str):
            raise CaptureFailed("gone", where=str(self._path))
        return Shot(image, time.monotonic(), time.time())

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """Nothing."""
        return []

    def close(self) -> None:
        """Nothing to let go."""

    def _play(self, steps: list[dict[str, Any]]) -> Iterator[Image | str | None]:
        for step in [*steps, {"do": "give"}]:
            until = time.monotonic() + float(step.get("seconds", 1e9))
            left = int(step.get("frames", 1 << 60))
            every = 1 / float(step.get("fps", self._fps))
            due = time.monotonic()
            while time.monotonic() < until and left > 0:
                left -= 1
                yield self._do(step)
                due += every
                time.sleep(max(0.0, due - time.monotonic()))

    def _do(self, step: dict[str, Any]) -> Image | str | None:
        width, height = self._size
        what = step["do"]
        if what == "give":
            self._last = self._picture()
            return self._last
        if what == "repeat":
            return self._last if self._last is not None else self._picture()
        if what == "noise":
            return self._random.integers(0, 256, (height, width, 3), np.uint8)
        if what == "undecodable":
            return None
        if what == "wrong_size":
            return np.zeros((height // 2, width // 2, 3), np.uint8)
        if what == "hang":
            hang()
        if what == "hang_hard":
            hang_with_lock()
        if what == "die":
            os.kill(os.getpid(), int(step.get("signal", signal.SIGSEGV)))
        if what == "crash":
            raise RuntimeError("the script says so")
        return "gone"

    def _picture(self) -> Image:
        """The next picture: of the film, or a grey slope with noise and a square that walks."""
        self._shown += 1
        if self._film is not None:
            there, image = self._film.read()
            if not there:
                self._film.set(cv2.CAP_PROP_POS_FRAMES, 0)
                there, image = self._film.read()
            if there and image is not None:
                return np.asarray(image, np.uint8)
        width, height = self._size
        slope = np.linspace(40, 200, width, dtype=np.float32).astype(np.uint8)
        image = np.repeat(np.tile(slope, (height, 1))[:, :, None], 3, axis=2).astype(np.uint8)
        image[::24, ::24] += self._random.integers(0, 3, image[::24, ::24].shape, np.uint8)
        at = self._shown * 4 % max(1, width - 16)
        image[8:24, at : at + 16] = 255
        return np.asarray(image, np.uint8)


def hang() -> None:
    """Never come back."""
    while True:
        time.sleep(3600)


def hang_with_lock() -> None:
    """Never come back, and let no other thread of this process run."""
    # PyDLL keeps Python's lock during the call: no thread of this process runs any more.
    ctypes.PyDLL(None).pause()
