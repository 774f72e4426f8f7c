"""What every live camera's own process does with it: take a picture, say when it was taken, and whether it is one."""

from __future__ import annotations

import hashlib
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np

from devices.v4l2 import control_notes
from vision.frames import Image

_SELECT_S: Final = 2
"""How long V4L2 is waited for, s: whole seconds, as OpenCV takes them."""
_STEP: Final = 24
_NOISY: Final = 25.0
_UNALIKE: Final = 0.2
_GREEN: Final = (0.0, 135.0, 0.0)
"""What an empty picture of a video decoder looks like (blue, green, red)."""


class CaptureFailed(Exception):
    """A camera cannot be opened or gives no more: the key of a text of `devices_cameras`, and its fields."""

    def __init__(self, key: str, **fields: Any) -> None:
        super().__init__(key)
        self.key = key
        self.fields = fields


@dataclass(frozen=True, slots=True)
class Shot:
    """What a camera gave.

    Attributes:
        image: (H, W, 3) BGR; None for what could not be made a picture of.
        mono: when it was taken, s of the system's monotonic clock (the same in all processes).
        wall: the same moment in Unix time, s.
        stamp: the camera's own time of it, s; None where it tells none.
    """

    image: Image | None
    mono: float
    wall: float
    stamp: float | None = None


@dataclass(frozen=True, slots=True)
class Wanted:
    """A camera as its process is told to open it.

    Attributes:
        name: for messages.
        kind: `uvc`, `rtsp`, `video` or `scripted`.
        size: width and height, px.
        fps: pictures a second.
        options: of the camera's setup.
        node: the device file, where the kind has one.
    """

    name: str
    kind: str
    size: tuple[int, int]
    fps: float
    options: Mapping[str, Any] = field(default_factory=dict)
    node: str = ""


class Grabber(Protocol):
    """A camera that is open. Opening is its constructor's; both it and `grab` may hang: somebody else watches.

    Attributes:
        still_is_news: whether pictures that are the same to the bit can be new ones, if their stamps say so (a
            network camera that encodes a scene in which nothing moves).
    """

    still_is_news: bool

    def grab(self) -> Shot:
        """The next picture.

        Raises:
            CaptureFailed: there will be none.
        """
        ...

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """What is to be told besides pictures since the last call: keys of texts, with fields."""
        ...

    def close(self) -> None:
        """Let the device go."""
        ...


def open_grabber(wanted: Wanted) -> Grabber:
    """Open a camera by its kind.

    Raises:
        CaptureFailed: it cannot be opened.
    """
    if wanted.kind == "uvc":
        return UvcGrabber(wanted)
    # Each kind's library is loaded only in the process that needs it.
    if wanted.kind == "rtsp":
        from devices.rtsp import RtspGrabber

        return RtspGrabber(wanted)
    if wanted.kind == "video":
        return FilmGrabber(wanted)
    if wanted.kind == "scripted" and "stage" in wanted.options:
        from devices.staged import StagedGrabber

        return StagedGrabber(wanted)
    if wanted.kind == "scripted":
        from devices.scripted import ScriptedGrabber

        return ScriptedGrabber(wanted)
    raise CaptureFailed("no_kind", kind=wanted.kind)


class UvcGrabber:
    """A USB camera through V4L2.

    Raises:
        CaptureFailed: no such device, it cannot be opened, or it does not give pictures of that size.
    """

    still_is_news = False

    def __init__(self, wanted: Wanted) -> None:
        os.environ.setdefault("OPENCV_VIDEOIO_V4L_SELECT_TIMEOUT", str(_SELECT_S))
        self._node = wanted.node
        self._notes: list[tuple[str, dict[str, Any]]] = []
        if not Path(self._node).exists():
            raise CaptureFailed("no_such_camera", where=self._node)
        self._capture = cv2.VideoCapture(self._node, cv2.CAP_V4L2)
        if not self._capture.isOpened():
            raise CaptureFailed("cannot_be_opened", where=self._node)
        width, height = wanted.size
        for key, value in (
            # Uncompressed pictures of this size do not fit through USB 2.
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*str(wanted.options.get("format", "MJPG"))[:4])),
            (cv2.CAP_PROP_FRAME_WIDTH, width),
            (cv2.CAP_PROP_FRAME_HEIGHT, height),
            (cv2.CAP_PROP_FPS, wanted.fps),
            (cv2.CAP_PROP_BUFFERSIZE, 1),
        ):
            self._capture.set(key, value)
        self._wanted = wanted
        self._until_settled = round(wanted.fps)
        control_notes(self._node, wanted.options.get("controls"))

    def grab(self) -> Shot:
        """The next picture; its time is the driver's where that is sound, else that of its arrival.

        Raises:
            CaptureFailed: the device is gone or has gone silent.
        """
        if not self._capture.grab():
            if not Path(self._node).exists():
                raise CaptureFailed("gone", where=self._node)
            raise CaptureFailed("no_picture", where=self._node, seconds=_SELECT_S)
        mono, wall = time.monotonic(), time.time()
        stamp = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        # Drivers stamp by the monotonic clock as a rule; those that do otherwise are not believed.
        age = mono - stamp if 0 <= mono - stamp < 1 else 0.0
        there, image = self._capture.retrieve()
        self._settle()
        picture = np.asarray(image, np.uint8) if there and image is not None else None
        return Shot(picture, mono - age, wall - age, stamp if stamp > 0 else None)

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """Controls that did not take the value that the table file asks for."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        """Let the device go."""
        self._capture.release()

    def _settle(self) -> None:
        """Set the controls again after a second of pictures, and tell what still did not take.

        Many drivers reset their controls when the format is set or the first picture is taken.
        """
        self._until_settled -= 1
        if self._until_settled == 0:
            self._notes += control_notes(self._node, self._wanted.options.get("controls"))


class FilmGrabber:
    """A film played at its own speed, over and over: a camera to try things with, in a process like a real one.

    Raises:
        CaptureFailed: it is no film.
    """

    still_is_news = True

    def __init__(self, wanted: Wanted) -> None:
        self._path = str(wanted.options.get("path", ""))
        self._capture = cv2.VideoCapture(self._path)
        if not self._capture.isOpened():
            raise CaptureFailed("no_film", where=self._path)
        self._every = 1 / (float(self._capture.get(cv2.CAP_PROP_FPS)) or wanted.fps)
        self._due = time.monotonic()
        self._number = 0

    def grab(self) -> Shot:
        """The next picture, when its time has come.

        Raises:
            CaptureFailed: the film cannot be read any more.
        """
        there, image = self._capture.read()
        if not there:
            self._capture.set(cv2.CAP_PROP_POS_FRAMES, 0)
            there, image = self._capture.read()
        if not there or image is None:
            raise CaptureFailed("no_film", where=self._path)
        self._number += 1
        self._due = max(self._due + self._every, time.monotonic() - 1.0)
        time.sleep(max(0.0, self._due - time.monotonic()))
        return Shot(np.asarray(image, np.uint8), time.monotonic(), time.time(), self._number * self._every)

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """Nothing."""
        return []

    def close(self) -> None:
        """Let the file go."""
        self._capture.release()


def without_password(url: str) -> str:
    """An address as it may be shown: user and password left out."""
    head, at, tail = url.rpartition("@")
    return f"{head.partition('://')[0]}://…@{tail}" if at and "://" in head else url


def sample_hash(image: Image) -> bytes:
    """A picture's mark, from a sample of its pixels: no two pictures of a chip with noise have the same."""
    return hashlib.blake2b(image[::_STEP, ::_STEP].tobytes(), digest_size=16).digest()


def is_garbage(image: Image) -> bool:
    """Whether a picture is the waste of a broken stream: noise in which neighbours are not alike, or decoder's green.

    A dark or blank picture is none: the table tells those apart itself.
    """
    green = image[: image.shape[0] // 2 * 2 : 8, :, 1]
    left, right = green[:, :-1:8].astype(np.float32).ravel(), green[:, 1::8].astype(np.float32).ravel()
    count = min(left.size, right.size)
    left, right = left[:count], right[:count]
    spread = float(left.std())
    if spread > _NOISY:
        alike = float(np.mean((left - left.mean()) * (right - right.mean()))) / max(
            spread * float(right.std()), 1e-6
        )
        return alike < _UNALIKE
    if spread < 1.5:
        return all(
            abs(float(image[::_STEP, ::_STEP, c].mean()) - level) < 8 for c, level in enumerate(_GREEN)
        )
    return False
