"""The process of one live camera: opens it, writes its pictures into shared memory, tells of each in one line.

Started by `devices.watchdog` as `python -m devices.camera_process`, with its orders as one JSON line on standard input
(an address may hold a password: command lines can be seen by everybody). It ends when the one who started it ends,
even while the camera's driver hangs: the kernel signals the end of standard input.
"""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import cv2

from devices.capture import CaptureFailed, Grabber, Shot, Wanted, is_garbage, open_grabber, sample_hash
from devices.frame_ring import FrameRing

Say = Callable[..., None]
_TELL_EVERY_S: Final = 0.2
_LOOK_EVERY_S: Final = 0.25
_ORPHAN_S: Final = 1.0


def main() -> int:
    """Read the orders, capture until the camera fails; the exit status says nothing, the last line does."""
    orders = json.loads(_first_line())
    _end_with(int(orders["parent"]))
    _go_first()
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl+C goes to the whole group: the table closes its cameras itself.
    say = _speaker(int(orders["say"]))
    cv2.setNumThreads(1)
    wanted = Wanted(
        orders["name"],
        orders["kind"],
        (int(orders["size"][0]), int(orders["size"][1])),
        float(orders["fps"]),
        orders["options"],
        orders["node"],
    )
    try:
        ring = FrameRing(int(orders["ring"]), wanted.size)
        grabber = open_grabber(wanted)
        say(say="open")
        capture(wanted, grabber, ring, say)
    except CaptureFailed as failed:
        say(say="failed", key=failed.key, fields=failed.fields)
    except Exception as error:  # Whatever it is, the table wants it in words and goes on without this camera.
        say(say="failed", key="crashed", fields={"error": f"{type(error).__name__}: {error}"[:300]})
    return 1


def capture(wanted: Wanted, grabber: Grabber, ring: FrameRing, say: Say) -> None:
    """Take pictures until the camera fails.

    Told are: `frame` (its number in the ring, its times), `repeat` (the same old picture again, how often), `bad`
    (what is no picture, how often), `note`.

    Raises:
        CaptureFailed: the camera gives no more, or pictures of another size.
    """
    sifter = Sifter(grabber.still_is_news)
    number = 0
    told = {"repeat": 0.0, "bad": 0.0}
    counts = {"repeat": 0, "bad": 0}
    before = -1.0
    while True:
        shot = grabber.grab()
        for key, fields in grabber.notes():
            say(say="note", key=key, fields=fields)
        what = sifter.sift(shot)
        if what == "frame":
            image = shot.image
            assert image is not None
            height, width = image.shape[:2]
            if (width, height) != wanted.size:
                raise CaptureFailed(
                    "wrong_size", given=f"{width}x{height}", wanted=f"{wanted.size[0]}x{wanted.size[1]}"
                )
            number += 1
            ring.write(number, image)
            say(say="frame", n=number, mono=shot.mono, wall=shot.wall, still=sifter.still)
        else:
            counts[what] += 1
            if shot.mono - told[what] >= _TELL_EVERY_S:
                say(say=what, n=counts[what])
                counts[what], told[what] = 0, shot.mono
            # A driver that answers at once, always with the same, is not asked more often than it should answer.
            if shot.mono - before < 0.5 / wanted.fps:
                time.sleep(1 / wanted.fps)
        before = shot.mono


class Sifter:
    """Tells pictures from old pictures and from waste.

    Args:
        still_is_news: see `devices.capture.Grabber`.

    Attributes:
        still: whether the latest picture, though a new one, is the same to the bit as the one before.
    """

    def __init__(self, still_is_news: bool) -> None:
        self._still_is_news = still_is_news
        self._mark = b""
        self._stamp: float | None = None
        self._looked = -1.0
        self._was_garbage = False
        self.still = False

    def sift(self, shot: Shot) -> str:
        """`frame`, `repeat` or `bad`."""
        if shot.image is None:
            return "bad"
        # Now and then is enough to find waste, but once found every picture is looked at.
        if self._was_garbage or shot.mono - self._looked >= _LOOK_EVERY_S:
            self._looked = shot.mono
            self._was_garbage = is_garbage(shot.image)
        if self._was_garbage:
            return "bad"
        mark = sample_hash(shot.image)
        newer = shot.stamp is not None and (self._stamp is None or shot.stamp > self._stamp)
        self.still = mark == self._mark
        self._mark, self._stamp = mark, shot.stamp
        return "repeat" if self.still and not (self._still_is_news and newer) else "frame"


def _first_line() -> bytes:
    line = b""
    while not line.endswith(b"\n"):
        byte = os.read(0, 65536)
        if not byte:
            raise SystemExit(1)
        line += byte
    return line


def _go_first() -> None:
    """Where memory runs out, the system ends a camera before the table that keeps the record."""
    with contextlib.suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("500")


def _end_with(parent: int) -> None:
    """End with the process that started this one, whatever this one is doing then."""
    if hasattr(fcntl, "F_SETOWN") and hasattr(os, "O_ASYNC"):
        # The other end of standard input closes with its process; SIGIO, which the kernel then sends, ends this one
        # even while a driver's call holds Python's lock.
        signal.signal(signal.SIGIO, signal.SIG_DFL)
        fcntl.fcntl(0, fcntl.F_SETOWN, os.getpid())
        fcntl.fcntl(0, fcntl.F_SETFL, fcntl.fcntl(0, fcntl.F_GETFL) | os.O_ASYNC)

    def watch() -> None:
        # A fork of the parent may hold standard input open longer than the parent lives.
        while os.getppid() == parent:
            time.sleep(_ORPHAN_S)
        os._exit(1)

    threading.Thread(target=watch, name="orphan", daemon=True).start()
    if os.getppid() != parent:
        os._exit(1)


def _speaker(fd: int) -> Say:
    """Writes lines that never wait: a reader that is behind gets newer ones later."""
    os.set_blocking(fd, False)

    def say(**what: Any) -> None:
        try:
            os.write(fd, json.dumps(what).encode() + b"\n")
        except BlockingIOError:
            return
        except OSError:
            os._exit(1)

    return say


if __name__ == "__main__":
    sys.exit(main())
