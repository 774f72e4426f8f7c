"""Clips of evidence out of what network cameras send, recorded as it comes: evidence asks for them, segments have them."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

import av.error

from calibration.setup import TableSetup
from devices.segments import codec_of, cut, segments

_PLAYED: Final = ("h264",)
"""Codecs that every browser plays."""
_FLUSHED_S: Final = 2.0
"""By then the last picture of a stretch is in its file."""


class CameraRecordings:
    """The segments of a table's cameras; fulfils `vision.evidence.Recordings`.

    Args:
        setup: of the table: cameras whose options name a folder for `segments` are recorded.
        began: Unix time at which the record begins, s.
        wall: Unix time now, s.
        wait: waits, s.
    """

    def __init__(
        self,
        setup: TableSetup,
        began: float,
        wall: Callable[[], float] = time.time,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._folders = {
            camera.name: Path(str(camera.options["segments"]))
            for camera in setup.cameras
            if camera.options.get("segments")
        }
        self._began = began
        self._wall = wall
        self._wait = wait
        self._codecs: dict[Path, str] = {}

    def holds(self, camera: str, at: float) -> bool:
        """Whether a moment of a camera is there, in a form that browsers play."""
        folder = self._folders.get(camera)
        if folder is None:
            return False
        before = [path for began, path in segments(folder) if began <= self._began + at]
        if not before:
            return False
        if not self._codecs.get(folder):
            self._codecs[folder] = codec_of(before[-1])
        return self._codecs[folder] in _PLAYED

    def cut(self, camera: str, start: float, end: float, to: Path) -> bool:
        """Write a stretch of time as MP4, once all of it is in its file; False where it is not there.

        Raises:
            OSError: it cannot be written.
        """
        start, end = self._began + start, self._began + end
        self._wait(max(0.0, end + _FLUSHED_S - self._wall()))
        try:
            return cut(self._folders[camera], start, end, to) is not None
        except av.error.FFmpegError as error:
            raise OSError(str(error)) from None
