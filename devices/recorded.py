"""A table on film: writes exactly what the cameras gave, frame by frame with its time, and gives it back unchanged.

A recording is a folder: `table.toml` (the setup, its cameras now videos), one `CAMERA.mkv` of JPEG pictures for each
camera, one `CAMERA.frames.jsonl` beside it, and `inputs.jsonl`. Whoever records looks at the pictures as the JPEG has
them, and the JPEG is stored and read back byte for byte, so that a replay sees the same pixels as the live run did.
"""

from __future__ import annotations

import errno
import json
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import IO, Any, Final

import cv2
import numpy as np

from calibration.setup import TableSetup
from calibration.setup_file import save_setup
from devices.sources import SourceFailed
from vision.frames import Frame

TABLE: Final = "table.toml"
INPUTS: Final = "inputs.jsonl"
_QUALITY: Final = 85
_SPARE: Final = 64 << 20
"""Pictures wait in memory before they are on disk, and the journal matters more than a film: so much stays free, bytes."""


@dataclass(frozen=True, slots=True)
class Taped(Frame):
    """A frame with the JPEG that it was decoded from; `step`: frames of one step were looked at together."""

    jpeg: bytes = b""
    step: int = 0


class Tape:
    """Writes a recording.

    Args:
        folder: where it goes; made when it is not there.
        setup: of the table.
        quality: of the JPEG pictures.
        spare: bytes of the disk that are left to the journal.

    Raises:
        OSError: the folder or a file cannot be written.
    """

    def __init__(self, folder: Path, setup: TableSetup, quality: int = _QUALITY, spare: int = _SPARE) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._spare = spare
        self._quality = quality
        self._fps = {camera.name: camera.fps for camera in setup.cameras}
        self._films: dict[str, cv2.VideoWriter] = {}
        self._times: dict[str, IO[str]] = {}
        films = tuple(
            replace(camera, kind="video", options={"path": film_name(camera.name)})
            for camera in setup.cameras
        )
        save_setup(replace(setup, cameras=films), folder / TABLE)
        self._inputs: IO[str] = (folder / INPUTS).open("w", encoding="utf-8")

    def through(self, frame: Frame) -> Taped:
        """The frame as it will be on film: look at this one."""
        if isinstance(frame, Taped):
            return frame
        _, data = cv2.imencode(".jpg", frame.image, [cv2.IMWRITE_JPEG_QUALITY, self._quality])
        image = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return Taped(image, frame.at, frame.source, frame.reduced, bytes(data))

    def keep(self, frames: Sequence[Frame], step: int) -> None:
        """Write frames that were looked at together, in step number `step`.

        Raises:
            OSError: a file cannot be written, or the disk is nearly full.
        """
        # The film's writer itself says nothing to us when the disk is full.
        if shutil.disk_usage(self.folder).free < self._spare:
            raise OSError(
                errno.ENOSPC, f"less than {self._spare >> 20} MB left in {self.folder}; free some space"
            )
        for frame in frames:
            taped = self.through(frame)
            film = self._film(taped)
            film.write(np.frombuffer(taped.jpeg, np.uint8))
            times = self._times[frame.source]
            times.write(json.dumps({"at": frame.at, "step": step}) + "\n")
            times.flush()

    def hear(self, event: Mapping[str, Any], step: int) -> None:
        """Write an input that was heard before step number `step`.

        Raises:
            OSError: the file cannot be written.
        """
        self._inputs.write(json.dumps({"step": step, **event}, ensure_ascii=False) + "\n")
        self._inputs.flush()

    def close(self) -> None:
        """Finish the files."""
        for film in self._films.values():
            film.release()
        for times in (*self._times.values(), self._inputs):
            times.close()

    def _film(self, frame: Frame) -> cv2.VideoWriter:
        name = frame.source
        if name not in self._films:
            path = self.folder / film_name(name)
            height, width = frame.image.shape[:2]
            film = cv2.VideoWriter()
            as_is = [cv2.VIDEOWRITER_PROP_RAW_VIDEO, 1]
            fourcc = cv2.VideoWriter.fourcc(*"MJPG")
            if not film.open(str(path), cv2.CAP_FFMPEG, fourcc, self._fps[name], (width, height), as_is):
                raise OSError(f"{path}: no video can be written there")
            self._films[name] = film
            self._times[name] = path.with_suffix(".frames.jsonl").open("w", encoding="utf-8")
        return self._films[name]


class Film:
    """One camera of a recording as a source; fulfils `devices.sources.Source`.

    Args:
        path: of the video.
        name: of the camera.

    Attributes:
        warning: one line when the video ends before its list of frames does; else empty.

    Raises:
        SourceFailed: the video or its list of frames cannot be read.
    """

    def __init__(self, path: Path, name: str) -> None:
        self._name = name
        self.path = path
        self.warning = ""
        times = path.with_suffix(".frames.jsonl")
        try:
            self._times = [json.loads(line) for line in times.read_text("utf-8").splitlines() if line.strip()]
        except (OSError, ValueError) as error:
            raise SourceFailed(f"{times}: not the list of frames of a recording ({error})") from None
        if not path.is_file():
            raise SourceFailed(f"{path}: there is no such video; check the path in the table file")
        self._film: cv2.VideoCapture | None = cv2.VideoCapture(
            str(path), cv2.CAP_FFMPEG, [cv2.CAP_PROP_FORMAT, -1]
        )
        if not self._film.isOpened():
            raise SourceFailed(f"{path}: not a video that can be read (cut at its start?); copy it again")
        self._next = 0

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._name

    def read(self) -> Taped | None:
        """The next frame, with the step it belongs to; None at the end."""
        if self._film is None or self._next >= len(self._times):
            return None
        there, packet = self._film.read()
        jpeg = packet.tobytes() if there and packet is not None else b""
        # A picture cut in the middle would still be decoded, its lower part grey.
        whole = jpeg.rstrip(b"\0").endswith(b"\xff\xd9")
        image = cv2.imdecode(np.frombuffer(jpeg, np.uint8), cv2.IMREAD_COLOR) if whole else None
        if image is None:
            last = f" ({self._times[self._next - 1]['at']:.1f} s)" if self._next else ""
            self.warning = (
                f"{self.path}: cut after frame {self._next} of {len(self._times)}{last}; "
                "what follows is missing: copy the file again"
            )
            self.close()
            return None
        line = self._times[self._next]
        self._next += 1
        return Taped(
            np.asarray(image, np.uint8), float(line["at"]), self._name, 1, jpeg, int(line.get("step", 0))
        )

    def close(self) -> None:
        """Let the file go."""
        if self._film is not None:
            self._film.release()
            self._film = None


def film_name(camera: str) -> str:
    """The file name of a camera's film: its name with nothing in it that a file system minds."""
    return re.sub(r"[^\w-]+", "_", camera) + ".mkv"


def is_recorded(path: Path) -> bool:
    """Whether a video belongs to a recording: its list of frames lies beside it."""
    return path.with_suffix(".frames.jsonl").is_file()
