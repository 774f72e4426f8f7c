"""Evidence: stills of a zone before and after each event and a short clip round each finding, on bounded disk.

File names are known when an event is recorded (`e0017-before.jpg`, `e0017-after.jpg`, `f0003.webm`), the files follow
within seconds. Of a camera whose stream is recorded as it comes the clip is cut out of that (`f0003.mp4`), at full size.
Evidence never stops a table: what cannot be written is left out and said in `trouble`.
"""

from __future__ import annotations

import os
import queue
import shutil
import threading
from collections import deque
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple, Protocol

import cv2
import numpy as np

from calibration.setup import CameraSetup, TableSetup, ZoneSetup
from calibration.setup_file import seen_share
from vision.frames import Frame, Image

_MARGIN_MM: Final = 25.0
_WAITING_CLIPS: Final = 32
_CLIPS: Final = (".webm", ".mp4")
"""Ends of the names of clips: made of small pictures; cut out of a recording."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What evidence may cost.

    Attributes:
        width: of the pictures that are kept for clips, px.
        fps: of the clips, pictures a second.
        seconds: how far back a clip can reach.
        before: seconds of a clip before its finding.
        after: seconds of a clip after it.
        quality: of JPEG files, 1..100.
        disk: bytes that all evidence of a table may take; the oldest stills go first, then the oldest clips.
        free: bytes that stay free on the disk, for the journal.
    """

    width: int = 960
    fps: float = 5.0
    seconds: float = 12.0
    before: float = 6.0
    after: float = 3.0
    quality: int = 85
    disk: int = 4 * 2**30
    free: int = 200 * 2**20


class Recordings(Protocol):
    """What cameras send, recorded as it comes: clips are cut out of it without a second encode."""

    def holds(self, camera: str, at: float) -> bool:
        """Whether a moment (s of the record) of a camera is there, in a form that browsers play."""
        ...

    def cut(self, camera: str, start: float, end: float, to: Path) -> bool:
        """Write a stretch of time, s of the record, as MP4; False where it is not there.

        Raises:
            OSError: it cannot be written.
        """
        ...


class Small(NamedTuple):
    """A whole picture, reduced: capture time (s), JPEG bytes."""

    at: float
    jpeg: bytes


@dataclass(slots=True)
class _Clip:
    name: str
    camera: str
    start: float
    end: float
    frames: list[Small]


class Evidence:
    """Keeps the last seconds of every camera and writes what events and findings need.

    Call `see` with every frame, `settled` when a zone was found changed, `event` and `finding` for what was recorded.

    Args:
        folder: where the files go; made when it is not there.
        setup: of the table.
        limits: of time, size and disk.
        keep: False gives names but keeps nothing: for a replay, whose record must be that of the live run.

    Attributes:
        recordings: of the cameras' streams; None where none are recorded.
        trouble: why something is not kept; empty while all is.
    """

    def __init__(
        self, folder: Path, setup: TableSetup, limits: Limits | None = None, *, keep: bool = True
    ) -> None:
        self.folder = folder
        self.keep = keep
        self.limits = limits or Limits()
        self.trouble = ""
        self.recordings: Recordings | None = None
        self._rings: dict[str, deque[Small]] = {camera.name: deque() for camera in setup.cameras}
        self._boxes = {zone.name: _best_view(zone, setup) for zone in setup.zones}
        self._frames: dict[str, Frame] = {}
        self._before: dict[str, bytes] = {}
        self._now: dict[str, bytes] = {}
        self._clips: list[_Clip] = []
        self._work: queue.Queue[_Clip | None] = queue.Queue(_WAITING_CLIPS)
        self._worker: threading.Thread | None = None
        self._used = 0
        if keep:
            folder.mkdir(parents=True, exist_ok=True)
            self._used = sum(path.stat().st_size for path in folder.iterdir() if path.is_file())

    def see(self, frame: Frame) -> None:
        """Take a frame (its `source` names the camera); keeps it small, at most `fps` a second."""
        ring = self._rings.get(frame.source)
        if ring is None or not self.keep:
            return
        first = frame.source not in self._frames
        self._frames[frame.source] = frame
        if first:
            for zone, (camera, _) in self._boxes.items():
                if camera == frame.source:
                    self._now[zone] = self._before[zone] = self._zone_still(zone)
        if ring and frame.at - ring[-1].at < 1 / self.limits.fps - 1e-6:
            return
        ring.append(Small(frame.at, _jpeg(_reduced(frame.image, self.limits.width), self.limits.quality)))
        while ring and ring[0].at < frame.at - self.limits.seconds:
            ring.popleft()
        self._advance(frame.source, ring[-1])

    def settled(self, zone: str) -> None:
        """A zone has changed and is at rest in the frame seen last: its still before is the one of the last time."""
        if zone in self._boxes and self._boxes[zone][0] in self._frames:
            self._before[zone] = self._now[zone]
            self._now[zone] = self._zone_still(zone)

    def names(self, seq: int) -> tuple[str, str]:
        """The names that the stills of event number `seq` have."""
        return f"e{seq:04}-before.jpg", f"e{seq:04}-after.jpg"

    def event(self, seq: int, at: float | None, zone: str | None = None) -> None:
        """Write the stills of a recorded event: of its zone at full size, else of the whole table as small pictures.

        Args:
            seq: number of the event.
            at: when it happened, s of the record; needed where no zone is given.
            zone: where it happened.
        """
        before, after = self.names(seq)
        if zone in self._now:
            stills = (self._before[zone], self._now[zone])
        else:
            ring = next(iter(self._rings.values()), deque())
            if at is None or not ring:
                return
            stills = (_nearest(ring, at - 1.0).jpeg, _nearest(ring, at).jpeg)
        for name, data in zip((before, after), stills, strict=True):
            self._write(name, data)

    def finding(self, number: int, at: float | None, zone: str | None = None) -> str | None:
        """Begin the clip of a finding and tell its name; None when its moment is no longer in memory.

        Args:
            number: of the finding.
            at: the moment that it is about, s of the record.
            zone: of the offender: the camera that sees it best is taken.
        """
        there = [f"f{number:04}{suffix}" for suffix in _CLIPS]
        for name in there:
            if (self.folder / name).exists() or any(clip.name == name for clip in self._clips):
                return name
        camera = self._boxes[zone][0] if zone in self._boxes else next(iter(self._rings), "")
        ring = self._rings.get(camera)
        if at is None or not ring:
            return None
        recorded = self.recordings is not None and self.recordings.holds(camera, at)
        if at < ring[0].at and not recorded:
            return None
        name = there[recorded]
        start, end = at - self.limits.before, at + self.limits.after
        clip = _Clip(name, camera, start, end, [small for small in ring if start <= small.at <= end])
        self._clips.append(clip)
        self._advance(camera, None)
        return name

    def picture(self, camera: str) -> Frame | None:
        """The frame of a camera that was seen last."""
        return self._frames.get(camera)

    def close(self) -> None:
        """Finish the clips that were begun, as far as there are pictures for them, and stop."""
        for clip in self._clips:
            self._encode_later(clip)
        self._clips.clear()
        if self._worker is not None:
            self._work.put(None)
            self._worker.join()
            self._worker = None

    def _advance(self, camera: str, small: Small | None) -> None:
        """Give the newest picture to the clips that wait for it; hand over those that are complete."""
        newest = self._rings[camera][-1].at
        for clip in [clip for clip in self._clips if clip.camera == camera]:
            if small is not None and clip.start <= small.at <= clip.end:
                clip.frames.append(small)
            if newest >= clip.end:
                self._clips.remove(clip)
                self._encode_later(clip)

    def _encode_later(self, clip: _Clip) -> None:
        if self._worker is None:
            self._worker = threading.Thread(target=self._encode_all, name="evidence", daemon=True)
            self._worker.start()
        try:
            self._work.put_nowait(clip)
        except queue.Full:
            self.trouble = f"{clip.name}: left out, clips come faster than they can be written"

    def _encode_all(self) -> None:
        if hasattr(os, "setpriority"):  # On Linux this is the thread's own: watching the table goes first.
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)
        while (clip := self._work.get()) is not None:
            if self._room() and not self._cut(clip) and clip.frames:
                self._encode(clip)

    def _cut(self, clip: _Clip) -> bool:
        """Write a clip out of what its camera recorded; False where that is not to be or cannot be."""
        path = self.folder / clip.name
        if self.recordings is None or path.suffix != _CLIPS[1]:
            return False
        try:
            if not self.recordings.cut(clip.camera, clip.start, clip.end, path):
                return False
            self._used += path.stat().st_size
        except OSError as error:
            self.trouble = f"{path}: the clip could not be written ({error.strerror or error})"
            return False
        return True

    def _encode(self, clip: _Clip) -> None:
        """Write a clip of the small pictures: as WebM, also where it was to be cut out of a recording."""
        pictures = [
            np.asarray(cv2.imdecode(np.frombuffer(s.jpeg, np.uint8), cv2.IMREAD_COLOR)) for s in clip.frames
        ]
        path = (self.folder / clip.name).with_suffix(_CLIPS[0])
        try:
            write_clip(path, pictures, self.limits.fps)
            self._used += path.stat().st_size
        except (OSError, cv2.error) as error:
            self.trouble = f"{path}: the clip could not be written ({error})"

    def _zone_still(self, zone: str) -> bytes:
        camera, (left, top, right, bottom) = self._boxes[zone]
        return _jpeg(self._frames[camera].image[top:bottom, left:right], self.limits.quality)

    def _write(self, name: str, data: bytes) -> None:
        if not self._room():
            return
        path = self.folder / name
        try:
            path.write_bytes(data)
            self._used += len(data)
        except OSError as error:
            path.unlink(missing_ok=True)
            self.trouble = f"{path}: cannot be written ({error.strerror or error})"

    def _room(self) -> bool:
        """Whether something may be written; makes room among old evidence first."""
        try:
            if self._used > self.limits.disk:
                self._forget()
            if shutil.disk_usage(self.folder).free < self.limits.free:
                self.trouble = (
                    f"{self.folder}: less than {self.limits.free >> 20} MB free, no more stills and clips are kept; "
                    "free some space"
                )
                return False
        except OSError as error:
            self.trouble = f"{self.folder}: {error.strerror or error}"
            return False
        self.trouble = ""
        return True

    def _forget(self) -> None:
        """Delete the oldest evidence until a tenth of the allowance is free: stills first, clips last."""
        files = [path for path in self.folder.iterdir() if path.suffix in (".jpg", *_CLIPS)]
        for path in sorted(files, key=lambda path: (path.suffix in _CLIPS, path.name)):
            if self._used <= self.limits.disk * 0.9:
                return
            self._used -= path.stat().st_size
            path.unlink(missing_ok=True)


def write_clip(path: Path, pictures: list[Image], fps: float) -> None:
    """Write pictures of one size as a video that browsers play (VP8 in WebM); there is no half-written file.

    Raises:
        OSError: this build of OpenCV cannot write it, or not there.
    """
    height, width = (side // 2 * 2 for side in pictures[0].shape[:2])
    unfinished = path.with_name(f".{path.stem}.mkv")
    writer = cv2.VideoWriter()
    try:
        # Matroska and WebM are one format; asked for WebM, OpenCV takes the same codec but complains on stderr.
        fourcc = cv2.VideoWriter.fourcc(*"VP80")
        if not writer.open(str(unfinished), cv2.CAP_FFMPEG, fourcc, fps, (width, height)):
            raise OSError("no VP8 encoder, or the folder cannot be written")
        for picture in pictures:
            writer.write(np.ascontiguousarray(picture[:height, :width]))
        writer.release()
        data = unfinished.read_bytes()
        unfinished.write_bytes(data.replace(b"matroska", b"webm".ljust(8, b"\0"), 1))
        unfinished.replace(path)
    except OSError:
        unfinished.unlink(missing_ok=True)
        raise


def _best_view(zone: ZoneSetup, setup: TableSetup) -> tuple[str, tuple[int, int, int, int]]:
    """The camera that sees most of a zone, and where: left, top, right, bottom in px of its picture."""
    best = max(setup.cameras, key=lambda camera: seen_share(zone, [camera]))
    return best.name, zone_box(zone, best)


def zone_box(zone: ZoneSetup, camera: CameraSetup) -> tuple[int, int, int, int]:
    """Left, top, right, bottom (px of the camera's picture) round a zone, with a margin; never empty."""
    middle = np.asarray(zone.centre)
    out = zone.corners - middle
    corners = zone.corners + out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9) * _MARGIN_MM
    px = np.c_[corners, np.ones(4)] @ camera.plane.to_px.T
    px = px[:, :2] / px[:, 2:]
    width, height = camera.size
    left, top = np.clip(np.floor(px.min(0)), 0, (width - 16, height - 16)).astype(int)
    right, bottom = np.clip(np.ceil(px.max(0)), (left + 16, top + 16), (width, height)).astype(int)
    return int(left), int(top), int(right), int(bottom)


def _reduced(image: Image, width: int) -> Image:
    if image.shape[1] <= width:
        return image
    height = round(image.shape[0] * width / image.shape[1])
    return np.asarray(cv2.resize(image, (width, height), interpolation=cv2.INTER_AREA), np.uint8)


def _jpeg(image: Image, quality: int) -> bytes:
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return bytes(data)


def _nearest(ring: deque[Small], at: float) -> Small:
    return min(ring, key=lambda small: abs(small.at - at))
