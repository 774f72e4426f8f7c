"""Where frames come from: the one shape that every camera, film and folder of stills has for those who watch."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np

from calibration.setup import CameraSetup, TableSetup
from vision.frames import BadPicture, Frame, load_picture
from vision.plays import capture_time

KINDS: Final = ("simulated", "video", "stills", "uvc")
PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
_MOST_LOST: Final = 30
"""Frames in a row that a camera may fail to give before it counts as gone."""


class SourceFailed(RuntimeError):
    """A source cannot give frames any more; the message is one line: what, where, what to do."""


class Source(Protocol):
    """Frames of one camera in capture order."""

    @property
    def name(self) -> str:
        """Name of the camera in the table's setup."""
        ...

    def read(self) -> Frame | None:
        """The next frame: `at` in seconds of the record's clock, `source` the camera's name; None at the end.

        Raises:
            SourceFailed: the camera is gone or cannot be read; a later read may work again.
        """
        ...

    def close(self) -> None:
        """Let the device or file go; reading afterwards gives None."""
        ...


class Clock(Protocol):
    """Tells the seconds of the record's clock."""

    def __call__(self) -> float:
        """Now, s."""
        ...


class VideoSource:
    """A film: frames with the times that the file gives them.

    Args:
        camera: its setup; `path` among the options, and `starts` (s, when the film begins by the record's clock).

    Attributes:
        warning: one line when the film ended earlier than its file promises; empty while all is well.

    Raises:
        SourceFailed: no such file, or none that can be read.
    """

    def __init__(self, camera: CameraSetup) -> None:
        self._camera = camera
        self._path = _path_of(camera)
        self.warning = ""
        if not self._path.is_file():
            raise SourceFailed(
                f"camera {camera.name}: {self._path}: no such film; check `path` in the table file"
            )
        capture = cv2.VideoCapture(str(self._path))
        if not capture.isOpened() or capture.get(cv2.CAP_PROP_FRAME_WIDTH) <= 0:
            capture.release()
            raise SourceFailed(
                f"camera {camera.name}: {self._path}: not a film that can be read; convert it, for example to MP4"
            )
        self._capture: cv2.VideoCapture | None = capture
        self._fps = float(capture.get(cv2.CAP_PROP_FPS)) or camera.fps
        self._promised = int(capture.get(cv2.CAP_PROP_FRAME_COUNT))
        self._starts = float(camera.options.get("starts", 0.0))
        self._number = 0
        self._last = -1.0

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._camera.name

    def read(self) -> Frame | None:
        """The next frame; None at the end of the film, where `warning` may say that it was cut."""
        if self._capture is None:
            return None
        ok, image = self._capture.read()
        if not ok or image is None:
            if self._number < self._promised - 1:
                self.warning = (
                    f"camera {self.name}: {self._path}: the film is cut: {self._number} of {self._promised} "
                    "frames could be read; copy it again if it should be whole"
                )
            self.close()
            return None
        at = float(self._capture.get(cv2.CAP_PROP_POS_MSEC)) / 1000
        if at <= self._last:
            # Some containers know no times: then the frames are evenly spaced.
            at = self._number / self._fps
        self._last = at
        self._number += 1
        return Frame(np.asarray(image, np.uint8), round(self._starts + at, 4), self.name)

    def close(self) -> None:
        """Let the file go."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


class StillsSource:
    """A folder of photographs, in the order in which they were taken.

    Args:
        camera: its setup; among the options `path`, and `every` (s between pictures; without it the times in the
            files' names count, from the first on, or a second each where they have none).

    Attributes:
        warning: one line about the latest picture that could not be read and was left out.

    Raises:
        SourceFailed: no such folder, or no pictures in it.
    """

    def __init__(self, camera: CameraSetup) -> None:
        self._camera = camera
        self.warning = ""
        folder = _path_of(camera)
        if not folder.is_dir():
            raise SourceFailed(
                f"camera {camera.name}: {folder}: no such folder; check `path` in the table file"
            )
        files = [path for path in folder.iterdir() if path.suffix.lower() in PICTURES]
        if not files:
            raise SourceFailed(
                f"camera {camera.name}: {folder}: no pictures in it ({', '.join(PICTURES)} are read)"
            )
        times = {path: capture_time(path) for path in files}
        timed = all(time is not None for time in times.values())
        self._files = sorted(files, key=lambda path: (times[path] or 0.0 if timed else 0.0, path.name))
        every = camera.options.get("every")
        first = times[self._files[0]] or 0.0
        if every is not None or not timed:
            self._times = [float(every or 1.0) * i for i in range(len(self._files))]
        else:
            self._times = [(times[path] or 0.0) - first for path in self._files]
        self._number = 0

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._camera.name

    def read(self) -> Frame | None:
        """The next picture that can be read; None after the last."""
        while self._number < len(self._files):
            path, at = self._files[self._number], self._times[self._number]
            self._number += 1
            try:
                image = load_picture(path).image
            except BadPicture as error:
                self.warning = f"camera {self.name}: left out: {error}"
                continue
            return Frame(image, at, self.name)
        return None

    def close(self) -> None:
        """No more pictures."""
        self._number = len(self._files)


class UvcSource:
    """One USB camera through V4L2. Its time is what the caller's clock says when a picture has arrived.

    Args:
        camera: its setup; `device` among the options: a number or a path such as `/dev/v4l/by-id/…`.
        clock: seconds of the record's clock, now.

    Raises:
        SourceFailed: no such camera, or it gives no pictures.
    """

    def __init__(self, camera: CameraSetup, clock: Clock) -> None:
        self._camera = camera
        self._clock = clock
        device = camera.options.get("device", 0)
        if isinstance(device, str) and device.isdigit():
            device = int(device)
        where = f"/dev/video{device}" if isinstance(device, int) else str(device)
        if not Path(where).exists():
            raise SourceFailed(
                f"camera {camera.name}: {where}: no such camera; plug it in or correct `device`"
            )
        capture = cv2.VideoCapture(where, cv2.CAP_V4L2)
        if not capture.isOpened():
            capture.release()
            raise SourceFailed(
                f"camera {camera.name}: {where}: cannot be opened; another program may use it, or it needs the "
                "rights of group video"
            )
        width, height = camera.size
        for key, value in (
            (cv2.CAP_PROP_FOURCC, cv2.VideoWriter.fourcc(*"MJPG")),
            (cv2.CAP_PROP_FRAME_WIDTH, width),
            (cv2.CAP_PROP_FRAME_HEIGHT, height),
            (cv2.CAP_PROP_FPS, camera.fps),
            (cv2.CAP_PROP_BUFFERSIZE, 1),
        ):
            capture.set(key, value)
        given = (int(capture.get(cv2.CAP_PROP_FRAME_WIDTH)), int(capture.get(cv2.CAP_PROP_FRAME_HEIGHT)))
        if given != camera.size:
            capture.release()
            raise SourceFailed(
                f"camera {camera.name}: {where}: gives {given[0]}x{given[1]}, not {width}x{height}; set `size` to "
                "what it can do"
            )
        self._capture: cv2.VideoCapture | None = capture
        self._where = where

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._camera.name

    def read(self) -> Frame | None:
        """The next picture.

        Raises:
            SourceFailed: the camera has stopped giving pictures.
        """
        if self._capture is None:
            return None
        for _ in range(_MOST_LOST):
            ok, image = self._capture.read()
            if ok and image is not None:
                return Frame(np.asarray(image, np.uint8), self._clock(), self.name)
        self.close()
        raise SourceFailed(f"camera {self.name}: {self._where}: gives no more pictures; check its cable")

    def close(self) -> None:
        """Let the device go."""
        if self._capture is not None:
            self._capture.release()
            self._capture = None


def open_source(camera: CameraSetup, *, clock: Clock | None = None) -> Source:
    """The source of one camera, by its kind; see `open_sources` for all of a table.

    Args:
        camera: its setup.
        clock: the record's clock, for cameras that give pictures live.

    Raises:
        SourceFailed: it cannot be opened, or its options cannot be.
    """
    if camera.kind == "video":
        return VideoSource(camera)
    if camera.kind == "stills":
        return StillsSource(camera)
    if camera.kind == "uvc":
        if clock is None:
            raise SourceFailed(
                f"camera {camera.name}: a live camera needs the record's clock to time its pictures"
            )
        return UvcSource(camera, clock)
    if camera.kind == "simulated":
        return _simulated([camera])[0]
    raise SourceFailed(
        f"camera {camera.name}: no kind of source {camera.kind!r} (expected one of {', '.join(KINDS)})"
    )


def open_sources(setup: TableSetup, *, clock: Clock | None = None) -> list[Source]:
    """The sources of all cameras of a table, in their order; simulated ones look at one simulated table.

    Raises:
        SourceFailed: one of them cannot be opened; those opened before it are closed again.
    """
    simulated = [camera for camera in setup.cameras if camera.kind == "simulated"]
    made = dict(zip([camera.name for camera in simulated], _simulated(simulated, setup), strict=True))
    sources: list[Source] = []
    try:
        for camera in setup.cameras:
            found = made.get(camera.name) if camera.kind == "simulated" else None
            sources.append(found if found is not None else open_source(camera, clock=clock))
    except SourceFailed:
        for source in sources:
            source.close()
        raise
    return sources


def _simulated(cameras: Sequence[CameraSetup], setup: TableSetup | None = None) -> list[Source]:
    if not cameras:
        return []
    from devices.simulator.table import (
        SimulatedTable,  # it needs this module, and only tables without cameras it
    )

    first = cameras[0]
    profile = setup.profile if setup is not None else "guandan-official"
    try:
        table = SimulatedTable.from_options(first.options, first.size, first.fps, profile)
    except (ValueError, LookupError, TypeError, OSError) as error:
        raise SourceFailed(f"camera {first.name}: the simulated table cannot be made: {error}") from None
    sources: list[Any] = table.sources()
    chosen: list[Source] = []
    for i, camera in enumerate(cameras):
        number = int(camera.options.get("camera", i))
        if not 0 <= number < len(sources):
            raise SourceFailed(
                f"camera {camera.name}: the simulated table has {len(sources)} cameras; set `camera` to one of "
                f"0..{len(sources) - 1}, or `cameras`"
            )
        sources[number].rename(camera.name)
        chosen.append(sources[number])
    return chosen


def _path_of(camera: CameraSetup) -> Path:
    path = camera.options.get("path")
    if not path:
        raise SourceFailed(f"camera {camera.name}: kind {camera.kind} needs `path` in the table file")
    return Path(str(path))
