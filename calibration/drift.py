"""Notices that a camera or the mat is no longer where it was set up, by measuring the table's tags again and again."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.notes import Note, note
from calibration.plane_solving import GOOD_SPREAD_MM, solve_plane, spread
from calibration.projection import px_to_table, table_to_px, through
from calibration.setup import CameraSetup, Matrix, TableSetup
from calibration.tags import Tag, TagFinder

Points = NDArray[np.float64]
OK: Final = "ok"
WARN: Final = "warn"
MOVED: Final = "moved"
UNKNOWN: Final = "unknown"
WARN_MM: Final = 1.5
"""From here on the set-up should be looked at."""
CHECK_MM: Final = 4.0
"""From here on nothing is sure that this camera sees, or that lies in the zones of this mat: findings become `check`."""
LEAST_TAGS: Final = 3
EVERY_S: Final = 3.0
_FIRST_EVERY_S: Final = 0.5
_LOOKS: Final = 5
_LEAST_LOOKS: Final = 3
_NEAR_MM: Final = 14.0
_ALL_OVER_S: Final = 30.0
_LOOSE_MM: Final = 1.5
_FIT_MM: Final = 1.0


class Seen(Protocol):
    """A frame of a camera: its picture, when it was captured (s) and whose it is."""

    @property
    def image(self) -> NDArray[np.uint8]:
        """(H, W, 3) uint8."""
        ...

    @property
    def at(self) -> float:
        """Capture time, s."""
        ...

    @property
    def source(self) -> str:
        """Name of the camera."""
        ...


@dataclass(frozen=True, slots=True)
class DriftState:
    """Where a camera is against its set-up.

    Attributes:
        camera: its name.
        state: `ok`, `warn`, `moved` (nothing that it sees is sure), or `unknown` (too few tags to tell).
        mm: how far what it shows has moved on the table, at most, over the zones that it sees; None: not known.
        tags: how many tags that rests on.
        loose: number of a tag that moved by itself, to how far, mm.
        mat: how far the mat was moved, mm; None where that is not known or there is none.
        foreign: numbers of tags in view that are not this table's.
        looks: how many looks that rests on.
    """

    camera: str
    state: str = UNKNOWN
    mm: float | None = None
    tags: int = 0
    loose: Mapping[int, float] = field(default_factory=dict)
    mat: float | None = None
    foreign: tuple[int, ...] = ()
    looks: int = 0

    @property
    def notes(self) -> tuple[Note, ...]:
        """What there is to say; nothing while all is well."""
        out = []
        if self.state in (WARN, MOVED):
            out.append(note(f"drift_{self.state}", camera=self.camera, mm=f"{self.mm:.1f}"))
        if self.state == UNKNOWN and self.looks >= _LEAST_LOOKS:
            out.append(note("drift_unknown", camera=self.camera, count=self.tags, least=LEAST_TAGS))
        for number, mm in self.loose.items():
            out.append(note("drift_loose", camera=self.camera, number=number, mm=f"{mm:.1f}"))
        if self.mat is not None and self.mat > WARN_MM:
            out.append(note("drift_mat", mm=f"{self.mat:.1f}"))
        if self.foreign:
            out.append(
                note("drift_foreign", camera=self.camera, numbers=", ".join(str(n) for n in self.foreign))
            )
        return tuple(out)


@dataclass(slots=True)
class _Camera:
    setup: CameraSetup
    fixed: list[Tag]
    looks: deque[dict[int, Points]]
    state: DriftState
    looked_at: float = -np.inf
    all_over_at: float = -np.inf
    foreign: tuple[int, ...] = ()
    """Tags of others that the last look all over the picture showed."""


class DriftWatch:
    """Measures the tags of a table in the frames of its cameras; give it frames while the table is idle.

    Args:
        setup: of the table: its cameras, tags and mat.
        every: seconds of capture time between two looks of one camera.

    A state rests on the middle of the last five looks, so that a hand over a tag or one bad frame changes nothing.
    """

    def __init__(self, setup: TableSetup, every: float = EVERY_S) -> None:
        self.setup, self._every = setup, every
        self._finder = TagFinder()
        self._known = {tag.number: tag for tag in setup.placed_tags}
        self._cameras = {
            camera.name: _Camera(
                camera, self._references(camera), deque(maxlen=_LOOKS), DriftState(camera.name)
            )
            for camera in setup.cameras
        }

    @property
    def watches(self) -> bool:
        """Whether the table has tags at all."""
        return len(self._known) >= LEAST_TAGS

    @property
    def states(self) -> Mapping[str, DriftState]:
        """The latest state of each camera."""
        return {name: camera.state for name, camera in self._cameras.items()}

    def see(self, frame: Seen, place: CameraSetup | None = None) -> DriftState:
        """Look at a frame where it is time to; says the camera's state.

        Args:
            frame: of one of the table's cameras.
            place: where the camera is taken to be now, where that is not what the set-up says.

        Raises:
            KeyError: the table has no such camera.
        """
        camera = self._cameras[frame.source]
        due = self._every if len(camera.looks) == _LOOKS else min(self._every, _FIRST_EVERY_S)
        if not self.watches or frame.at - camera.looked_at < due - 1e-6:
            return camera.state
        camera.looked_at = frame.at
        camera.looks.append(self._look(camera, frame))
        camera.state = self._judge(camera, place or camera.setup)
        return camera.state

    def back(self, camera: str) -> CameraSetup | None:
        """A camera with the place in which it was set up, where its tags say that it stands there; else None.

        Raises:
            KeyError: no such camera.
        """
        one = self._cameras[camera]
        return one.setup if self._judge(one, one.setup).state == OK else None

    def moved(self) -> frozenset[str]:
        """Names of the cameras of which nothing that they see is sure."""
        return frozenset(name for name, camera in self._cameras.items() if camera.state.state == MOVED)

    def slipped(self) -> frozenset[str]:
        """Names of the cameras that see the mat so far from its place that what lies in its zones is not sure."""
        states = self.states.items()
        return frozenset(name for name, state in states if state.mat is not None and state.mat > CHECK_MM)

    def accept(self, cameras: Sequence[str] | None = None) -> tuple[CameraSetup, ...]:
        """The cameras where they are now, their planes solved anew from the tags as they were last seen.

        From here on drift is measured from there.

        Args:
            cameras: names; None for all that see enough tags.

        Raises:
            KeyError: no such camera.
            CannotCalibrate: a camera that was named does not see enough of the tags.
        """
        out = []
        for name in self._cameras if cameras is None else cameras:
            camera = self._cameras[name]
            found = _smoothed(camera.looks)
            if cameras is None and sum(tag.number in found for tag in camera.fixed) < LEAST_TAGS:
                continue
            lies = camera.state.mat is not None and camera.state.mat < WARN_MM
            tags = list(self._known.values()) if lies else camera.fixed
            solved = solve_plane(found, tags, camera.setup.plane.lens)
            values = {
                **camera.setup.calibration,
                "plane_mm": round(solved.residual, 3),
                "tags": len(solved.used),
            }
            camera.setup = replace(camera.setup, plane=solved.plane, calibration=values)
            camera.state = self._judge(camera, camera.setup)
            out.append(camera.setup)
        now = tuple(self._cameras[camera.name].setup for camera in self.setup.cameras)
        self.setup = replace(self.setup, cameras=now)
        return tuple(out)

    def _look(self, camera: _Camera, frame: Seen) -> dict[int, Points]:
        """The tags of a frame: near where they were last, and now and then all over the picture."""
        plane, last = camera.setup.plane, camera.looks[-1] if camera.looks else {}
        places = [last.get(tag.number, table_to_px(plane, tag.corners)) for tag in self._known.values()]
        places = [place for place in places if np.isfinite(place).all()]
        sides = [float(np.linalg.norm(place[1] - place[0])) for place in places]
        per_mm = np.median(sides) / np.median([tag.size for tag in self._known.values()]) if sides else 1.0
        due = frame.at - camera.all_over_at >= _ALL_OVER_S
        found = {} if due else self._finder.find_near(frame.image, places, _NEAR_MM * float(per_mm))
        if due or sum(tag.number in found for tag in camera.fixed) < LEAST_TAGS:
            if due or not found:
                camera.all_over_at = frame.at
            found = self._finder.find(frame.image)
            camera.foreign = tuple(sorted(set(found) - set(self._known)))
        return found

    def _judge(self, camera: _Camera, place: CameraSetup) -> DriftState:
        name = camera.setup.name
        found = _smoothed(camera.looks)
        foreign = camera.foreign
        seen = [tag for tag in camera.fixed if tag.number in found]
        if len(camera.looks) < _LEAST_LOOKS or len(seen) < LEAST_TAGS:
            return DriftState(name, tags=len(seen), foreign=foreign, looks=len(camera.looks))
        now = np.stack([px_to_table(place.plane, found[tag.number]) for tag in seen])
        meant = np.stack([tag.corners for tag in seen])
        motion, good = _motion(meant, now, spread(seen) >= GOOD_SPREAD_MM)
        if motion is None or good.sum() < LEAST_TAGS:
            return DriftState(name, tags=int(good.sum()), foreign=foreign, looks=len(camera.looks))
        away = np.linalg.norm(now - through(motion, meant), axis=-1).mean(1)
        loose = {
            tag.number: round(float(mm), 2)
            for tag, mm, kept in zip(seen, away, good, strict=True)
            if not kept and mm > _LOOSE_MM
        }
        spots = _spots(self.setup, place)
        mm = float(np.linalg.norm(through(motion, spots) - spots, axis=1).max())
        state = MOVED if mm > CHECK_MM else WARN if mm > WARN_MM else OK
        mat = self._mat_moved(camera, found, place, motion)
        return DriftState(name, state, round(mm, 2), int(good.sum()), loose, mat, foreign, len(camera.looks))

    def _references(self, camera: CameraSetup) -> list[Tag]:
        """The tags that tell where a camera is: the table's own, and the mat's where it sees too few of those."""
        edge = [tag for tag in self._known.values() if not tag.on_mat and _in_picture(tag, camera)]
        return edge if len(edge) > LEAST_TAGS else list(self._known.values())

    def _mat_moved(
        self, camera: _Camera, found: Mapping[int, Points], place: CameraSetup, motion: Matrix
    ) -> float | None:
        """How far the mat was moved on the table, mm, whatever the camera did."""
        seen = [tag for tag in self._known.values() if tag.number in found and tag not in camera.fixed]
        if len(seen) < 2:
            return None
        now = np.stack([px_to_table(place.plane, found[tag.number]) for tag in seen])
        meant = through(motion, np.stack([tag.corners for tag in seen]))
        return round(float(np.median(np.linalg.norm(now - meant, axis=-1).mean(1))), 2)


def _smoothed(looks: Sequence[Mapping[int, Points]] | deque[dict[int, Points]]) -> dict[int, Points]:
    """The middle place of each tag over the last looks; tags that few of them show are left out."""
    seen: dict[int, list[Points]] = {}
    for look in looks:
        for number, corners in look.items():
            seen.setdefault(number, []).append(corners)
    least = min(_LEAST_LOOKS, len(looks))
    return {number: np.median(all_, axis=0) for number, all_ in seen.items() if len(all_) >= least}


def _motion(meant: Points, now: Points, wide: bool) -> tuple[Matrix | None, NDArray[np.bool_]]:
    """(3, 3) by which tags (n, 4, 2), mm, have moved together, and which of them did; `wide`: they lie off one line."""
    start, end = meant.reshape(-1, 2), now.reshape(-1, 2)
    if wide and len(meant) > LEAST_TAGS:
        found, inside = cv2.findHomography(start, end, cv2.RANSAC, _FIT_MM, maxIters=2000, confidence=0.999)
        matrix = None if found is None else np.asarray(found, np.float64)
    else:
        # Three tags, or tags along a line, leave a homography too free.
        part, inside = cv2.estimateAffinePartial2D(
            start, end, method=cv2.RANSAC, ransacReprojThreshold=_FIT_MM
        )
        matrix = None if part is None else np.vstack([part, [0, 0, 1.0]])
    if matrix is None or inside is None:
        return None, np.zeros(len(meant), np.bool_)
    return matrix, np.asarray(np.asarray(inside).reshape(-1, 4).sum(1) >= 3, np.bool_)


def _in_picture(tag: Tag, camera: CameraSetup) -> bool:
    px = table_to_px(camera.plane, tag.corners)
    return bool(((px >= 0) & (px <= np.array(camera.size) - 1)).all())


def _spots(setup: TableSetup, camera: CameraSetup) -> Points:
    """Corners and middles of the zones, as far as the camera has them in its picture; else the table's middle."""
    zones = [zone for zone in setup.zones if zone.kind != "ignore"]
    spots = np.concatenate([np.vstack([zone.corners, zone.centre]) for zone in zones])
    px = table_to_px(camera.plane, spots)
    inside = ((px >= 0) & (px < np.array(camera.size))).all(1)
    return np.asarray(spots[inside] if inside.any() else np.zeros((1, 2)), np.float64)
