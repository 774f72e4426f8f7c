"""A network camera through PyAV: over TCP, with a limit on every wait, each picture timed by the camera's own stamps.

Packets come late and in bursts; the stamps on them do not. The least delay seen lately says where the camera's clock
stands against this machine's, and every picture is timed by that. Packets are written to segments as they are.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from typing import Any, Final

import av
import av.error
import av.logging
import numpy as np

from devices.capture import CaptureFailed, Shot, Wanted, without_password
from devices.segments import SegmentLimits, SegmentWriter

OPEN_S: Final = 5.0
SILENT_S: Final = 2.5
"""Without a packet for so long the connection counts as dead; before the watchdog's own limit."""
_READ_S: Final = SILENT_S / 2
"""When a read is interrupted, libav first hands out the picture that it had not finished; only the next one fails."""
_JUMP_S: Final = 5.0
_WINDOW_S: Final = 30.0
_BEHIND_S: Final = 1.0
_CAUGHT_UP_S: Final = 0.3


class RtspGrabber:
    """An RTSP stream. Options: `url`; `transport` (`tcp`, or `udp`); `delay` (s, what the camera itself needs from
    light to its stamp, where that was measured); `segments` (folder) and limits, see `devices.segments`.

    Raises:
        CaptureFailed: no address, nobody there, no such stream, or a login that is refused.
    """

    still_is_news = True

    def __init__(self, wanted: Wanted) -> None:
        url = str(wanted.options.get("url", ""))
        if not url:
            raise CaptureFailed("no_address")
        av.logging.set_level(av.logging.PANIC)
        self._where = without_password(url)
        self._container = _opened(url, str(wanted.options.get("transport", "tcp")), self._where)
        if not self._container.streams.video:
            raise CaptureFailed("no_stream", where=self._where)
        self._stream = self._container.streams.video[0]
        codec = self._stream.codec_context
        codec.thread_type = "SLICE"  # threads by frame would hold pictures back
        codec.flags |= av.codec.context.Flags.low_delay
        self._clock = StampClock(float(wanted.options.get("delay", 0.0)))
        self._every = 1 / wanted.fps
        self._due = -1e18
        self._before: float | None = None
        # Where the stream does not say how fast it is, the first picture's time is off by one step.
        self._interval = float(1 / self._stream.average_rate) if self._stream.average_rate else 0.0
        self._only_keys = False
        self._notes: list[tuple[str, dict[str, Any]]] = []
        self._segments: SegmentWriter | None = None
        if folder := wanted.options.get("segments"):
            self._segments = SegmentWriter(
                str(folder), self._stream, SegmentLimits.from_options(wanted.options)
            )
        self._shots = self._read()

    def grab(self) -> Shot:
        """The next picture that is due.

        Raises:
            CaptureFailed: nothing comes any more.
        """
        try:
            shot = next(self._shots, None)
        except av.error.FFmpegError as error:
            if isinstance(error, (av.error.ExitError, av.error.TimeoutError)):
                raise self._ended("packets_stopped", seconds=f"{SILENT_S:g}") from None
            raise self._ended("stream_ended", error=error.strerror or "?") from None
        if shot is None:
            raise self._ended("stream_ended", error="EOF")
        return shot

    def notes(self) -> list[tuple[str, dict[str, Any]]]:
        """What the recording lacks."""
        notes, self._notes = self._notes, []
        return notes

    def close(self) -> None:
        """Let the connection go."""
        if self._segments is not None:
            self._segments.close()
        self._container.close()

    def _ended(self, key: str, **fields: Any) -> CaptureFailed:
        """The failure, the segment that was open finished: who hears of it ends this process at once."""
        if self._segments is not None:
            self._segments.close()
        return CaptureFailed(key, where=self._where, **fields)

    def _read(self) -> Iterator[Shot]:
        for packet in self._container.demux(self._stream):
            arrived, wall = time.monotonic(), time.time()
            if packet.pts is None or packet.time_base is None:
                continue
            stamp = float(packet.pts * packet.time_base)
            # A picture is known to be whole when the next one begins: it came one earlier.
            if self._before is not None and 0 < stamp - self._before < _JUMP_S:
                self._interval = stamp - self._before
            self._before = stamp
            mono = self._clock.captured(stamp, arrived - self._interval)
            at_wall = wall - (arrived - mono)
            self._keep(packet, at_wall)
            self._catch_up(arrived - mono)
            try:
                frames = packet.decode()
            except av.error.FFmpegError:
                yield Shot(None, arrived, wall)
                continue
            for frame in frames:
                if getattr(frame, "is_corrupt", False):
                    yield Shot(None, arrived, wall)
                    continue
                shown = stamp if frame.time is None else float(frame.time)
                if shown + 1e-3 < self._due:
                    # The camera gives more than was asked for: what is not looked at need not be converted.
                    continue
                self._due = max(self._due + self._every, shown + self._every / 2)
                image = np.asarray(frame.to_ndarray(format="bgr24"), np.uint8)
                age = stamp - shown
                yield Shot(image, mono - age, at_wall - age, shown)

    def _keep(self, packet: av.Packet[Any], wall: float) -> None:
        if self._segments is not None:
            trouble = self._segments.write(packet, wall)
            if trouble:
                self._notes.append(("segments_off", {"error": trouble}))

    def _catch_up(self, behind: float) -> None:
        """Decode key pictures only while this machine is behind: what is old is worth nothing here."""
        if not self._only_keys and behind > _BEHIND_S:
            self._only_keys = True
            self._stream.codec_context.skip_frame = "NONKEY"
        elif self._only_keys and behind < _CAUGHT_UP_S:
            self._only_keys = False
            self._stream.codec_context.skip_frame = "DEFAULT"


class StampClock:
    """Puts a camera's time stamps on this machine's monotonic clock.

    Args:
        delay: s from the light to the stamp; 0 where nobody measured it.
    """

    def __init__(self, delay: float = 0.0) -> None:
        self._delay = delay
        self._offsets: deque[tuple[float, float]] = deque()

    def captured(self, stamp: float, arrived: float) -> float:
        """When a picture was taken, s of the monotonic clock; never after it arrived.

        Args:
            stamp: the camera's, s of its own clock.
            arrived: s of the monotonic clock.
        """
        offset = arrived - stamp
        if self._offsets and abs(offset - self._offsets[0][1]) > _JUMP_S:
            # The camera's clock was set anew (or this machine slept).
            self._offsets.clear()
        # Least first: whatever came later with less delay makes older ones useless.
        while self._offsets and self._offsets[-1][1] >= offset:
            self._offsets.pop()
        self._offsets.append((arrived, offset))
        while self._offsets[0][0] < arrived - _WINDOW_S:
            self._offsets.popleft()
        return stamp + self._offsets[0][1] - self._delay


def _opened(url: str, transport: str, where: str) -> av.container.InputContainer:
    options = {
        "rtsp_transport": transport,
        "allowed_media_types": "video",
        "fflags": "nobuffer",
        "max_delay": "200000",
        # The stream is described before it begins: little has to be seen of it to know what it is.
        "analyzeduration": "500000",
        "fpsprobesize": "2",
    }
    try:
        return av.open(url, "r", options=options, timeout=(OPEN_S, _READ_S))
    except (av.error.HTTPUnauthorizedError, av.error.HTTPForbiddenError):
        raise CaptureFailed("not_allowed", where=where) from None
    except (av.error.HTTPClientError, av.error.InvalidDataError):
        raise CaptureFailed("no_stream", where=where) from None
    except (av.error.ExitError, av.error.TimeoutError):
        raise CaptureFailed("unreachable", where=where, error=f"{OPEN_S:g} s") from None
    except (av.error.FFmpegError, OSError) as error:
        raise CaptureFailed("unreachable", where=where, error=error.strerror or str(error)) from None
