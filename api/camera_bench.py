"""Measures live cameras: how soon each fault is found and mended, what a camera costs, and whether anything is left over.

The cameras are real processes whose faults are scripted (`devices.scripted`); a good one runs beside each that fails.
"""

from __future__ import annotations

import json
import random
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil

from api.feeds import LiveFeed
from calibration.setup import CameraSetup, Plane
from devices.watchdog import Limits, WatchedCamera

_SIZE: Final = (1280, 720)
_FPS: Final = 15.0
_GOOD: Final = 60
"""Good pictures before a fault."""
FAULTS: Final[dict[str, tuple[list[dict[str, Any]], str]]] = {
    "read hangs": ([{"do": "hang"}], "silent"),
    "read hangs, lock held": ([{"do": "hang_hard"}], "silent"),
    "crashes": ([{"do": "die", "signal": 11}], ""),
    "killed": ([{"do": "die", "signal": 9}], ""),
    "one picture again and again": ([{"do": "repeat"}], "repeated"),
    "sends noise": ([{"do": "noise"}], "broken"),
    "cannot be decoded": ([{"do": "undecodable"}], "broken"),
    "another size": ([{"do": "wrong_size"}], ""),
    "unplugged": ([{"do": "fail"}], ""),
    "slows to 3 fps": ([{"do": "give", "fps": 3}], "slow"),
}
"""Names to what the camera does, and the limit by which it is found (without one: at once)."""


@dataclass(slots=True)
class Outcome:
    """What became of a fault.

    Attributes:
        fault: as the watchdog called it.
        limit: s, within which it was to be found.
        found: s from the last picture in good time to the word of the fault.
        back: s from there to the next picture.
        other: the longest time between two pictures of the camera beside, s.
        why: the reason that was shown.
    """

    fault: str = ""
    limit: float = 0.0
    found: float = 0.0
    back: float = 0.0
    other: float = 0.0
    why: str = ""


def each_fault(limits: Limits | None = None) -> Iterator[tuple[str, Outcome]]:
    """Every fault once, beside a good camera."""
    limits = limits or Limits()
    for name, (steps, limit) in FAULTS.items():
        with tempfile.TemporaryDirectory(prefix="paizhuo-cameras-") as place:
            good = {"do": "give", "frames": _GOOD}
            yield name, _outcome(Path(place), [[good, *steps], [{"do": "give"}]], limits, limit)


def _outcome(folder: Path, runs: list[list[dict[str, Any]]], limits: Limits, limit: str) -> Outcome:
    bad = camera(folder / "video0", "bad", runs)
    good = camera(folder / "video2", "good", [[{"do": "give"}]])
    sources = [WatchedCamera(one, time.monotonic, limits) for one in (bad, good)]
    out = Outcome(limit=getattr(limits, limit) if limit else 1.0)
    feed = LiveFeed(sources, ())
    feed.start()
    last = found = before = 0.0
    times: list[float] = []
    began = time.monotonic()
    try:
        while time.monotonic() < began + 120:
            taken = feed.take(0.2)
            now = time.monotonic()
            health = {one.name: one for one in feed.health()}["bad"]
            if health.restarts and not found:
                found, out.fault = now, next(iter(health.faults))
                out.why = health.why or sources[0].status.reason.get("en", "")
            for frame in taken[0] if taken else []:
                if frame.source == "good":
                    times.append(now)
                elif found:
                    out.found, out.back = found - last, now - found
                    out.other = _longest([at for at in times if at > last - 1])
                    return out
                else:
                    # A camera that is slow still gives pictures: the fault begins where its pace ends.
                    if not before or now - before < 3 / _FPS:
                        last = now
                    before = now
    finally:
        feed.stop()
    return out


@dataclass(slots=True)
class Cost:
    """What live cameras cost while nothing is done with their pictures.

    Attributes:
        table: processor time of the table's process for each camera, share of one core.
        camera: of a camera's own process.
        table_mb, camera_mb: memory, MB (of the camera's process: its own, without the shared pictures).
        fps: pictures a second that arrived.
    """

    table: float = 0.0
    camera: float = 0.0
    table_mb: float = 0.0
    camera_mb: float = 0.0
    fps: float = 0.0


def cost(cameras: Sequence[CameraSetup], seconds: float) -> Cost:
    """Let cameras run for so long and look at their price."""
    sources = [WatchedCamera(one, time.monotonic) for one in cameras]
    feed = LiveFeed(sources, ())
    feed.start()
    try:
        while any(one.frames < 10 for one in feed.health()):
            feed.take(0.2)
        own = psutil.Process()
        others = [psutil.Process(pid) for source in sources if (pid := source.pid) is not None]
        processes = [own, *others]
        before = [sum(one.cpu_times()[:2]) for one in processes]
        frames = sum(one.frames for one in feed.health())
        began = time.monotonic()
        while (over := time.monotonic() - began) < seconds:
            feed.take(0.2)
        spent = [sum(one.cpu_times()[:2]) - a for one, a in zip(processes, before, strict=True)]
        return Cost(
            table=spent[0] / over / len(sources),
            camera=sum(spent[1:]) / over / len(sources),
            table_mb=own.memory_info().rss / 2**20,
            camera_mb=max(one.memory_full_info().uss for one in others) / 2**20,
            fps=(sum(one.frames for one in feed.health()) - frames) / over / len(sources),
        )
    finally:
        feed.stop()


@dataclass(slots=True)
class Soak:
    """What is left after a long time of faults that came at random.

    Attributes:
        faults: how often each was met.
        frames: of each camera.
        longest: the longest time without a picture of each camera, s.
        rss_mb: memory of the table's process: after the first tenth, and at the end.
        fds: open files likewise; `threads` likewise.
        processes: of cameras that are left after closing.
    """

    faults: dict[str, int] = field(default_factory=dict)
    frames: dict[str, int] = field(default_factory=dict)
    longest: dict[str, float] = field(default_factory=dict)
    rss_mb: tuple[float, float] = (0.0, 0.0)
    fds: tuple[int, int] = (0, 0)
    threads: tuple[int, int] = (0, 0)
    processes: int = 0


def soak(
    seconds: float,
    seed: int,
    limits: Limits | None = None,
    calm: tuple[int, int] = (15, 150),
    enough: int | None = None,
) -> Soak:
    """Three cameras, two of them with every fault at random; the third is always good.

    Args:
        seconds: how long.
        seed: of what comes when.
        limits: of the faults; the usual ones when left out.
        calm: good pictures before a fault, at least and at most.
        enough: faults after which it ends earlier.
    """
    out = Soak()
    draw = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="paizhuo-soak-") as place:
        folder = Path(place)
        faults = [steps for steps, _ in FAULTS.values()]
        lives = [
            [[{"do": "give", "frames": draw.randint(*calm)}, *draw.choice(faults)] for _ in range(2000)]
            for _ in range(2)
        ]
        setups = [
            camera(folder / f"video{2 * i}", f"bad {i}", life, (640, 360)) for i, life in enumerate(lives)
        ]
        setups.append(camera(folder / "video8", "good", [[{"do": "give"}]], (640, 360)))
        sources = [WatchedCamera(one, time.monotonic, limits) for one in setups]
        feed = LiveFeed(sources, ())
        me = psutil.Process()
        others = set(me.children(recursive=True))
        feed.start()
        times: dict[str, float] = {}
        marks: list[tuple[float, int, int]] = []
        began = time.monotonic()
        try:
            while (over := time.monotonic() - began) < seconds:
                taken = feed.take(0.5)
                now = time.monotonic()
                for frame in taken[0] if taken else []:
                    gap = now - times.get(frame.source, now)
                    out.longest[frame.source] = max(out.longest.get(frame.source, 0.0), gap)
                    times[frame.source] = now
                if enough is not None and sum(source.status.restarts for source in sources) >= enough:
                    break
                if over > seconds / 10 and not marks:
                    marks.append((me.memory_info().rss / 2**20, me.num_fds(), me.num_threads()))
            marks.append((me.memory_info().rss / 2**20, me.num_fds(), me.num_threads()))
            for one in feed.health():
                out.frames[one.name] = one.frames
                for key, count in one.faults.items():
                    out.faults[key] = out.faults.get(key, 0) + count
        finally:
            feed.stop()
        first, last = marks[0], marks[-1]
        out.rss_mb, out.fds, out.threads = (first[0], last[0]), (first[1], last[1]), (first[2], last[2])
        out.processes = len(set(me.children(recursive=True)) - others)
    return out


def camera(
    path: Path, name: str, runs: list[list[dict[str, Any]]], size: tuple[int, int] = _SIZE
) -> CameraSetup:
    """A camera with scripted faults: its script is written to `path`."""
    path.write_text(json.dumps({"runs": runs}))
    return CameraSetup(name, "scripted", size, Plane(np.eye(3)), _FPS, {"device": str(path)})


def _longest(times: Sequence[float]) -> float:
    return max((b - a for a, b in pairwise(times)), default=0.0)
