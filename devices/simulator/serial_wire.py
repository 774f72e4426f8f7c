"""A serial port that is not there: a pseudo terminal with a device at its other end, unplugged and noisy as wanted."""

from __future__ import annotations

import errno
import os
import random
import select
import threading
import time
import tty
from dataclasses import dataclass
from pathlib import Path
from typing import Final

_PATIENCE_S: Final = 0.2
"""A line that the host has no room for is lost after so long: a serial line knows no waiting."""


@dataclass(frozen=True, slots=True)
class Noise:
    """What the wire does to lines: the share of them that is damaged, lost, told twice."""

    damaged: float = 0.0
    lost: float = 0.0
    twice: float = 0.0


class Wire:
    """One port. The host opens `path`; what it writes comes out of `read`, what `write` is given it reads.

    Args:
        link: a path that points to the port, also after it was unplugged and plugged in; None: `path` changes.
        noise: in both directions.
        rng: of the noise.
        baud: writing takes as long as it would at this rate; None: no time.
    """

    def __init__(
        self,
        link: Path | None = None,
        noise: Noise | None = None,
        rng: random.Random | None = None,
        baud: int | None = None,
    ) -> None:
        self.noise = noise or Noise()
        self._rng = rng or random.Random(0)
        self._link = link
        self._baud = baud
        self._lock = threading.Lock()
        self._ends: tuple[int, int] | None = None
        self.path = ""
        self.plug()

    def plug(self) -> None:
        """Plug it in; nothing where it is."""
        with self._lock:
            if self._ends is not None:
                return
            host, device = os.openpty()
            tty.setraw(device)
            os.set_blocking(host, False)
            # `host` is the device's side here: the program opens the other one by its name.
            self._ends = (host, device)
            self.path = os.ttyname(device)
            if self._link is not None:
                fresh = self._link.with_suffix(".new")
                fresh.unlink(missing_ok=True)
                fresh.symlink_to(self.path)
                fresh.replace(self._link)
                self.path = str(self._link)

    def unplug(self) -> None:
        """Pull it out: whoever has it open notices."""
        with self._lock:
            if self._ends is None:
                return
            for end in self._ends:
                os.close(end)
            self._ends = None
            if self._link is not None:
                self._link.unlink(missing_ok=True)

    def close(self) -> None:
        """Pull it out for good."""
        self.unplug()

    def read(self, wait: float = 0.0) -> bytes:
        """What the host has written, after at most `wait` s."""
        with self._lock:
            end = None if self._ends is None else self._ends[0]
        if end is None:
            time.sleep(wait)
            return b""
        try:
            ready, _, _ = select.select([end], [], [], wait)
            return self._spoilt(os.read(end, 4096)) if ready else b""
        except (OSError, ValueError) as error:
            if getattr(error, "errno", None) in (errno.EIO, errno.EBADF, errno.EAGAIN) or isinstance(
                error, ValueError
            ):
                return b""
            raise

    def write(self, data: bytes) -> None:
        """Send bytes to the host; they are lost while it is unplugged or does not read."""
        data = self._spoilt(data)
        if self._baud is not None:
            time.sleep(len(data) * 10 / self._baud)
        until = time.monotonic() + _PATIENCE_S
        while data and time.monotonic() < until:
            with self._lock:
                end = None if self._ends is None else self._ends[0]
                try:
                    data = data[0 if end is None else os.write(end, data) :]
                except BlockingIOError:
                    pass
                except OSError:
                    return
            if end is None:
                return
            if data:
                # The host has not read for a while: its buffer is full.
                time.sleep(0.002)

    def _spoilt(self, data: bytes) -> bytes:
        """The lines as the wire leaves them."""
        if self.noise == Noise():
            return data
        out = b""
        for line in data.splitlines(keepends=True):
            chance = self._rng.random()
            for share, spoil in (
                (self.noise.damaged, self._damaged),
                (self.noise.lost, lambda _: b""),
                (self.noise.twice, lambda line: line + line),
            ):
                if 0 <= chance < share:
                    line = spoil(line)
                chance -= share
            out += line
        return out

    def _damaged(self, line: bytes) -> bytes:
        """One bit turned over."""
        spoilt = bytearray(line)
        spoilt[self._rng.randrange(len(spoilt))] ^= 1 << self._rng.randrange(8)
        return bytes(spoilt)
