"""Looks at the cameras of a table, or of the machine: do they open, how large and how fast are their pictures."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from api.doctor import FIT, NOTE, UNFIT, WARN, Finding, finding
from calibration.setup import CameraSetup, TableSetup
from devices.camera_nodes import CameraNode, cameras_here
from devices.sources import SourceFailed, open_source
from devices.v4l2 import CameraKnobs
from devices.watchdog import Captured, WatchedCamera, is_watched, limits_of

LOOK_S: Final = 4.0
"""How long a live camera is watched, s."""
_SLOW: Final = 0.8
_STEADY: Final = 3.0


@dataclass(slots=True)
class Look:
    """What a live camera did while it was looked at.

    Attributes:
        first: s from its opening to its first picture; None without any.
        times: of its pictures, s of the monotonic clock.
        failed: why it failed, in both languages; empty while it did not.
    """

    first: float | None = None
    times: list[float] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    notes: list[dict[str, str]] = field(default_factory=list)
    node: str = ""

    @property
    def fps(self) -> float:
        """Pictures a second, the opening left out."""
        return (
            (len(self.times) - 1) / max(self.times[-1] - self.times[0], 1e-6) if len(self.times) > 1 else 0.0
        )

    @property
    def longest(self) -> float:
        """The longest time between two pictures, s."""
        return max((b - a for a, b in pairwise(self.times)), default=0.0)


def cameras(setup: TableSetup, seconds: float = LOOK_S, root: Path = Path("/")) -> Iterator[Finding]:
    """Every camera of a table; the live ones all at the same time, as the table will use them.

    Args:
        setup: of the table.
        seconds: how long live ones are watched.
        root: where `dev` and `sys` lie.
    """
    live = [camera for camera in setup.cameras if is_watched(camera)]
    looks = look_at(live, seconds, root)
    for camera in setup.cameras:
        if is_watched(camera):
            yield from judge(camera, looks[camera.name], len(setup.cameras))
        elif camera.kind == "simulated":
            yield finding("cameras", NOTE, "simulated", name=camera.name)
        else:
            yield _recorded(camera)


def look_at(live: list[CameraSetup], seconds: float, root: Path = Path("/")) -> dict[str, Look]:
    """Watch live cameras, all at once, each until its first fault or for `seconds` after its first picture."""
    looks = {camera.name: Look() for camera in live}

    def watch(camera: CameraSetup) -> None:
        look = looks[camera.name]
        try:
            # Nothing is recorded of a look.
            options = {key: value for key, value in camera.options.items() if key != "segments"}
            looked = replace(camera, options=options)
            source = WatchedCamera(looked, time.monotonic, limits_of(camera), root)
        except SourceFailed as error:
            look.failed = {lang: str(error) for lang in ("zh", "en")}
            return
        began = time.monotonic()
        try:
            while look.first is None or time.monotonic() < began + look.first + seconds:
                frame = source.read()
                if frame is None:
                    return
                look.first = time.monotonic() - began if look.first is None else look.first
                look.times.append(frame.mono if isinstance(frame, Captured) else frame.at)
        except SourceFailed as error:
            look.failed = dict(error.reason) or {lang: str(error) for lang in ("zh", "en")}
        finally:
            look.notes = list(source.status.notes.values())
            look.node = source.status.node
            source.close()

    threads = [threading.Thread(target=watch, args=(camera,)) for camera in live]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return looks


def judge(camera: CameraSetup, look: Look, of: int = 1) -> Iterator[Finding]:
    """What a look at a camera says.

    Args:
        camera: its setup.
        look: at it.
        of: how many cameras the table has: without its only one a table is unfit, without one of several it lacks it.
    """
    if look.failed:
        yield Finding(
            "cameras", UNFIT if of == 1 else WARN, "camera_failed", look.failed, {"name": camera.name}
        )
        return
    values = {
        "name": camera.name,
        "size": f"{camera.size[0]}x{camera.size[1]}",
        "fps": round(look.fps, 1),
        "wanted": f"{camera.fps:g}",
        "first": round(look.first or 0.0, 1),
        "node": look.node,
    }
    slow = look.fps < _SLOW * camera.fps
    yield finding("cameras", WARN if slow else FIT, "camera_slow" if slow else "camera", **values)
    if not slow and look.longest > _STEADY / camera.fps + 0.1:
        yield finding("cameras", WARN, "camera_uneven", name=camera.name, ms=round(look.longest * 1000))
    for note in look.notes:
        words = {lang: f"{camera.name}: {line}" for lang, line in note.items()}
        yield Finding("cameras", WARN, "camera_note", words, {"name": camera.name})


def plugged_in(root: Path = Path("/")) -> Iterator[Finding]:
    """The USB cameras of this machine, with their controls: what a table file can name."""
    here = cameras_here(root)
    if not here:
        yield finding("cameras", NOTE, "no_cameras")
    for node in here:
        yield from _node(node)


def _node(node: CameraNode) -> Iterator[Finding]:
    place = f"/dev/v4l/by-id/{node.by_id}" if node.by_id else node.node
    if not os.access(node.node, os.R_OK | os.W_OK):
        yield finding("cameras", WARN, "camera_forbidden", name=node.name or node.node, place=place)
        return
    yield finding("cameras", NOTE, "camera_here", name=node.name or "?", place=place, usb=node.usb)
    try:
        with CameraKnobs(node.node) as knobs:
            values = {name: _value(knobs, name) for name in knobs.names()}
    except (OSError, ImportError, RuntimeError, RuntimeWarning):
        return
    if values:
        shown = ", ".join(f"{name} {value}" for name, value in values.items())
        yield finding("cameras", NOTE, "camera_controls", name=node.name or node.node, controls=shown)


def _value(knobs: CameraKnobs, name: str) -> str:
    low, high = knobs.span(name)
    try:
        return f"{knobs.get(name)} ({low}..{high})"
    except (OSError, TypeError):
        return f"? ({low}..{high})"


def _recorded(camera: CameraSetup) -> Finding:
    """A film or a folder of stills: its first picture is read."""
    try:
        source = open_source(camera)
        try:
            frame = source.read()
        finally:
            source.close()
    except SourceFailed as error:
        return Finding("cameras", UNFIT, "film_failed", {lang: str(error) for lang in ("zh", "en")})
    values: dict[str, Any] = {"name": camera.name, "wanted": f"{camera.size[0]}x{camera.size[1]}"}
    if frame is None:
        return finding("cameras", UNFIT, "film_empty", **values)
    size = f"{frame.image.shape[1]}x{frame.image.shape[0]}"
    same = size == values["wanted"]
    return finding("cameras", FIT if same else UNFIT, "film" if same else "film_size", size=size, **values)
