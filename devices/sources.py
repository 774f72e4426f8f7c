"""Where frames come from: the one shape that every camera, film and folder of stills has for those who watch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Protocol

import cv2
import numpy as np

from calibration.setup import CameraSetup, TableSetup
from vision.frames import BadPicture, Frame, Image, load_picture
from vision.plays import capture_time

KINDS: Final = ("simulated", "video", "stills", "uvc", "rtsp")
PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")


class SourceFailed(RuntimeError):
    """A source cannot give frames any more; the message is one line: what, where, what to do.

    Attributes:
        reason: the same in both languages, where it is known in both.
    """

    def __init__(self, message: str, reason: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.reason: Mapping[str, str] = reason or {}


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
    """A folder of photographs, in the order in which they were taken; larger ones are reduced to the setup's size.

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
            return Frame(_reduced(image, self._camera.size), at, self.name)
        return None

    def close(self) -> None:
        """No more pictures."""
        self._number = len(self._files)


def open_source(camera: CameraSetup, *, clock: Clock | None = None) -> Source:
    """The source of one camera, by its kind; see `open_sources` for all of a table.

    A live camera runs in a process of its own, which is begun here; whether it gives pictures, its first read tells.

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
    if camera.kind in ("uvc", "rtsp"):
        from devices.watchdog import open_watched  # it needs this module, and only live cameras it

        if clock is None:
            raise SourceFailed(
                f"camera {camera.name}: a live camera needs the record's clock to time its pictures"
            )
        return open_watched(camera, clock)
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


def _reduced(image: Image, size: tuple[int, int]) -> Image:
    """A picture that is larger than wanted but of the same shape, made smaller; any other as it is."""
    height, width = image.shape[:2]
    same_shape = abs(height * size[0] / width - size[1]) <= 1.0
    if width <= size[0] or not same_shape:
        return image
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def _path_of(camera: CameraSetup) -> Path:
    path = camera.options.get("path")
    if not path:
        raise SourceFailed(f"camera {camera.name}: kind {camera.kind} needs `path` in the table file")
    return Path(str(path))
