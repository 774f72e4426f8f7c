"""Keeps what a network camera sends, packet for packet, in short files: evidence of everything without a second encode.

A segment begins with a key picture and can be played alone. Its name is the Unix time of its first picture in
milliseconds, so that a stretch of time finds its files. The oldest go when there are too many, when they are too old,
or when the disk is needed. Matroska: a file that was cut off by a power failure plays up to there.
"""

from __future__ import annotations

import shutil
import time
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

import av
import av.error

_AGAIN_S: Final = 30.0
_SLACK_S: Final = 0.1
_SUFFIX: Final = ".mkv"


@dataclass(frozen=True, slots=True)
class SegmentLimits:
    """How long segments are and what they may cost.

    Attributes:
        seconds: of one; it ends with the first key picture after that.
        count: of files that are kept.
        hours: that they are kept.
        gigabytes: that they may take together.
        free_gigabytes: that stay free on the disk, for the journal.
    """

    seconds: float = 10.0
    count: int = 100_000
    hours: float = 12.0
    gigabytes: float = 20.0
    free_gigabytes: float = 1.0

    @classmethod
    def from_options(cls, options: Mapping[str, Any]) -> SegmentLimits:
        """From a camera's options `segment_seconds`, `segment_count`, … ; those left out are as here."""
        chosen = {
            key: float(options[f"segment_{key}"]) for key in cls.__slots__ if f"segment_{key}" in options
        }
        count = int(chosen.pop("count", cls().count))
        return cls(count=count, **chosen)


class SegmentWriter:
    """Writes the packets of one stream.

    Args:
        folder: of this camera; made when it is not there.
        stream: where the packets come from.
        limits: of length and disk.
    """

    def __init__(self, folder: str, stream: av.VideoStream, limits: SegmentLimits | None = None) -> None:
        self.folder = Path(folder)
        self.limits = limits or SegmentLimits()
        self._source = stream
        self._file: av.container.OutputContainer | None = None
        self._stream: av.VideoStream | None = None
        self._first = 0
        self._began = 0.0
        self._again_at = 0.0

    def write(self, packet: av.Packet[Any], wall: float) -> str:
        """Write a packet, in a new file where one is due.

        Args:
            packet: of the stream, not decoded yet or decoded, it does not matter.
            wall: Unix time of its picture, s.

        Returns:
            Why it cannot be written, when that has just turned out; else empty. It is tried again half a minute later.
        """
        if packet.dts is None or (self._file is None and time.monotonic() < self._again_at):
            return ""
        try:
            if packet.is_keyframe and (
                self._file is None or wall - self._began >= self.limits.seconds - _SLACK_S
            ):
                self._next_file(packet, wall)
            if self._file is not None:
                self._put(packet)
        except (OSError, av.error.FFmpegError) as error:
            self.close()
            self._again_at = time.monotonic() + _AGAIN_S
            return f"{self.folder}: {error.strerror or error}"
        return ""

    def close(self) -> None:
        """Finish the file that is open."""
        file, self._file = self._file, None
        if file is not None:
            try:
                file.close()
            except (OSError, av.error.FFmpegError):
                return  # a full disk: what is there plays up to its end

    def _next_file(self, packet: av.Packet[Any], wall: float) -> None:
        self.close()
        self.folder.mkdir(parents=True, exist_ok=True)
        forget(self.folder, self.limits, wall)
        if shutil.disk_usage(self.folder).free < self.limits.free_gigabytes * 1e9:
            raise OSError(28, f"less than {self.limits.free_gigabytes:g} GB free")
        path = self.folder / f"{round(wall * 1000):013d}{_SUFFIX}"
        # A cluster a second: what a power failure takes is the last second.
        file = av.open(
            str(path), "w", format="matroska", options={"cluster_time_limit": "1000", "flush_packets": "1"}
        )
        self._stream = file.add_stream_from_template(self._source)
        self._file, self._began, self._first = file, wall, packet.dts or 0

    def _put(self, packet: av.Packet[Any]) -> None:
        assert self._file is not None
        assert self._stream is not None
        copy = av.Packet(bytes(packet))
        copy.stream = self._stream
        copy.time_base = packet.time_base or Fraction(1, 90000)
        copy.dts = (packet.dts or 0) - self._first
        copy.pts = copy.dts if packet.pts is None else packet.pts - self._first
        copy.is_keyframe = packet.is_keyframe
        self._file.mux(copy)


def forget(folder: Path, limits: SegmentLimits, wall: float) -> None:
    """Delete the oldest segments, as far as the limits ask for it.

    Args:
        folder: of a camera.
        limits: of age and disk.
        wall: Unix time now, s.
    """
    kept = segments(folder)
    sizes = {path: path.stat().st_size for _, path in kept}
    used = sum(sizes.values())
    for number, (began, path) in enumerate(kept):
        old = began < wall - limits.hours * 3600
        many = len(kept) - number >= limits.count
        if not (old or many or used > limits.gigabytes * 1e9):
            return
        path.unlink(missing_ok=True)
        used -= sizes[path]


def segments(folder: Path) -> list[tuple[float, Path]]:
    """The segments of a folder: Unix time of the first picture (s) and file, oldest first."""
    found = [path for path in folder.glob(f"*{_SUFFIX}") if path.stem.isdigit()]
    return sorted((int(path.stem) / 1000, path) for path in found)


def cut(folder: Path, start: float, end: float, to: Path) -> float | None:
    """Copy a stretch of time out of the segments into one file, without decoding anything.

    It begins with the last key picture before `start`.

    Args:
        folder: of a camera.
        start: Unix time, s.
        end: Unix time, s.
        to: the file to write: MP4 where its name ends so, else Matroska.

    Returns:
        Unix time of its first picture; None when nothing of that time is there (then there is no file).

    Raises:
        OSError: it cannot be written.
    """
    there = segments(folder)
    first = max((i for i, (began, _) in enumerate(there) if began <= start), default=0)
    packets: list[tuple[float, av.Packet[Any]]] = []
    for began, path in there[first:]:
        if began > end:
            break
        found = _packets(path, began, end)
        keys = [i for i, (at, packet) in enumerate(found) if packet.is_keyframe and at <= start]
        packets = found[keys[-1] :] if keys else packets + found
    if not packets or packets[-1][0] < start:
        return None
    # Written beside and renamed: there is no half file.
    unfinished = to.with_name(f".{to.name}.part")
    template = there[first][1]
    # What a player needs first stands first: a browser begins before all has come.
    form, options = ("mp4", {"movflags": "faststart"}) if to.suffix == ".mp4" else ("matroska", {})
    with (
        av.open(str(template)) as source,
        av.open(str(unfinished), "w", format=form, options=options) as file,
    ):
        stream = file.add_stream_from_template(source.streams.video[0])
        for at, packet in packets:
            copy = av.Packet(bytes(packet))
            copy.stream, copy.time_base = stream, Fraction(1, 1000)
            copy.dts = copy.pts = round((at - packets[0][0]) * 1000)
            copy.is_keyframe = packet.is_keyframe
            file.mux(copy)
    unfinished.replace(to)
    return packets[0][0]


def codec_of(path: Path) -> str:
    """The codec of a segment (`h264`, `hevc`); empty where it cannot be read."""
    try:
        with av.open(str(path)) as file:
            return file.streams.video[0].codec_context.name
    except (av.error.FFmpegError, OSError, IndexError):
        return ""


def _packets(path: Path, began: float, end: float) -> list[tuple[float, av.Packet[Any]]]:
    """The packets of a segment up to `end`, with the Unix time of each; of a damaged one, those that can be read."""
    found: list[tuple[float, av.Packet[Any]]] = []
    try:
        with av.open(str(path)) as file:
            for packet in file.demux(file.streams.video[0]):
                if packet.dts is None or packet.time_base is None:
                    continue
                at = began + float(packet.dts * packet.time_base)
                if at > end:
                    break
                found.append((at, packet))
    except (av.error.FFmpegError, OSError, IndexError):
        return found
    return found
