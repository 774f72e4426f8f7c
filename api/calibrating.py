"""The steps of setting up a table, from its cameras' frames to what its file says: for the command line and others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import BOARDS
from calibration.drift import DriftState, DriftWatch
from calibration.lens import LensSolved, solve_lens
from calibration.notes import CannotCalibrate
from calibration.plane_solving import GOOD_TAGS, PlaneSolved, agreement, solve_plane
from calibration.setup import CameraSetup, Plane, TableSetup, ZoneSetup
from calibration.tags import MAT_TAG_MM, Mat, Tag, TagFinder, edge_tags, mat_tags
from calibration.zone_finding import MatFound, find_mat, moved_zones, usual_zones
from devices.sources import PICTURES, SourceFailed, open_sources
from vision.frames import BadPicture, Frame, Image, load_picture

Points = NDArray[np.float64]
FRAMES: Final = 5
"""So many frames of each camera, their middle: one bad frame changes nothing."""
SCORE_FRAMES: Final = 16
_MOST_VIEWS: Final = 60
_PATIENCE: Final = 40
_ROUNDS: Final = 6


@dataclass(slots=True)
class TableSolved:
    """What the tags of a table told.

    Attributes:
        planes: of the cameras that could be solved, by name.
        failed: why others could not.
        agreement: for each pair of cameras the distances (n,) of what both see, mm.
        mat: where the mat lies, where its tags tell.
    """

    planes: dict[str, PlaneSolved] = field(default_factory=dict)
    failed: dict[str, CannotCalibrate] = field(default_factory=dict)
    agreement: dict[tuple[str, str], Points] = field(default_factory=dict)
    mat: MatFound | None = None


def take_frames(
    setup: TableSetup, count: int = FRAMES, clock: Callable[[], float] = time.monotonic
) -> tuple[dict[str, list[Frame]], dict[str, str]]:
    """Frames of each camera of a table, and for those that gave none why.

    Raises:
        SourceFailed: the sources cannot be opened at all.
    """
    frames: dict[str, list[Frame]] = {camera.name: [] for camera in setup.cameras}
    why: dict[str, str] = {}
    sources = open_sources(setup, clock=clock)
    try:
        for source in sources:
            for _ in range(count + _PATIENCE):
                try:
                    frame = source.read()
                except SourceFailed as error:
                    why[source.name] = str(error)
                    continue
                if frame is None:
                    break
                frames[source.name].append(frame)
                if len(frames[source.name]) == count:
                    break
    finally:
        for source in sources:
            source.close()
    return frames, {name: why.get(name, "") for name, got in frames.items() if not got}


def tags_of(frames: Sequence[Frame]) -> dict[int, Points]:
    """The tags that most of a camera's frames show, at the middle of their places."""
    finder = TagFinder()
    seen: dict[int, list[Points]] = {}
    for frame in frames:
        for number, corners in finder.find(frame.image).items():
            seen.setdefault(number, []).append(corners)
    return {n: np.median(places, axis=0) for n, places in seen.items() if 2 * len(places) > len(frames)}


def solve_table(setup: TableSetup, found: Mapping[str, Mapping[int, Points]]) -> TableSolved:
    """The planes of all cameras, and the mat's place.

    Cameras that see enough of the edge's tags go by those and tell where the mat lies; then all go by both, and tell
    again where it lies, until that does not change any more. Where no camera sees enough of the edge, the table is where
    its mat is.

    Args:
        setup: of the table, with its tags.
        found: what tags each camera found, px.
    """
    out = TableSolved()
    edge = [tag for tag in setup.tags if not tag.on_mat]
    on_mat = [tag for tag in setup.tags if tag.on_mat]
    cameras = {camera.name: camera for camera in setup.cameras if camera.name in found}
    for name, camera in cameras.items():
        if sum(tag.number in found[name] for tag in edge) >= GOOD_TAGS:
            _solve(out, camera, found[name], edge, on_mat)
    by_edge = bool(out.planes)
    out.mat = _mat(out, found, setup.tags) if by_edge and on_mat else None
    place = out.mat.mat if out.mat is not None else setup.mat or Mat()
    for _ in range(_ROUNDS):
        known = [*edge, *(place.placed(tag) for tag in on_mat)] if not by_edge or out.mat else edge
        beside = [] if known is not edge else on_mat
        for name, camera in cameras.items():
            _solve(out, camera, found[name], known, beside)
        if not on_mat:
            break
        out.mat = _mat(out, found, setup.tags)
        if out.mat is None or not by_edge:
            break
        place = out.mat.mat
    planes = {name: solved.plane for name, solved in out.planes.items()}
    out.agreement = agreement(planes, {name: found[name] for name in planes})
    return out


def with_planes(setup: TableSetup, solved: TableSolved, at: str = "") -> TableSetup:
    """The setup with the planes that were solved; `at` says when, for people."""
    cameras = []
    for camera in setup.cameras:
        one = solved.planes.get(camera.name)
        if one is not None:
            values: dict[str, Any] = {**camera.calibration, **({"plane_at": at} if at else {})}
            values |= {
                "plane_mm": round(one.residual, 3),
                "worst_mm": round(one.worst, 3),
                "tags": len(one.used),
            }
            camera = replace(camera, plane=one.plane, calibration=values)
        cameras.append(camera)
    return replace(setup, cameras=tuple(cameras))


def zones_on_mat(setup: TableSetup, mat: Mat | None, kinds: Sequence[str] = ()) -> tuple[ZoneSetup, ...]:
    """The table's zones where the mat lies now.

    Args:
        setup: as its file says; zones in it are taken to lie where they should for the mat's place in it.
        mat: where the mat lies; None: the zones are the table's own, no mat moves them.
        kinds: of the usual zones that are wanted, in place of those of the setup.
    """
    if not kinds:
        return setup.zones if mat is None else moved_zones(setup.zones, setup.mat or Mat(), mat)
    scale = next((tag.size / MAT_TAG_MM for tag in setup.tags if tag.on_mat), 1.0)
    zones = []
    for zone in usual_zones(kinds):
        if zone.kind != "ignore":
            (x, y), (width, depth) = zone.centre, zone.size
            zone = replace(zone, centre=(x * scale, y * scale), size=(width * scale, depth * scale))
        zones.append(zone)
    return tuple(zones) if mat is None else moved_zones(zones, Mat(), mat)


def table_tags(table: int, scale: float = 1.0, *, edge: bool = True, mat: bool = True) -> tuple[Tag, ...]:
    """The usual tags of a table, as they were printed.

    Raises:
        ValueError: no such table.
    """
    return (*(edge_tags(table, scale) if edge else ()), *(mat_tags(table, scale) if mat else ()))


def lens_of(pictures: Iterator[tuple[str, Image]], size: tuple[int, int], board: str) -> LensSolved:
    """The lens of a camera from pictures of a board.

    Raises:
        CannotCalibrate: too few usable views, or they fit no lens.
    """
    return solve_lens(pictures, BOARDS[board], size)


def views_of(place: Path) -> Iterator[tuple[str, Image]]:
    """The pictures of a folder, or some of a film, with names."""
    if place.is_dir():
        for path in sorted(one for one in place.iterdir() if one.suffix.lower() in PICTURES):
            try:
                yield path.name, load_picture(path).image
            except BadPicture:
                continue
        return
    film = cv2.VideoCapture(str(place))
    try:
        step = max(1, int(film.get(cv2.CAP_PROP_FRAME_COUNT)) // _MOST_VIEWS)
        number = 0
        while film.grab():
            if number % step == 0:
                ok, image = film.retrieve()
                if ok and image is not None:
                    yield f"{place.name} {number}", np.asarray(image, np.uint8)
            number += 1
    finally:
        film.release()


def drift_of(
    setup: TableSetup, frames: Mapping[str, Sequence[Frame]]
) -> tuple[DriftWatch, dict[str, DriftState]]:
    """Where the cameras are against their set-up, by frames that were taken one after another."""
    watch = DriftWatch(setup, every=0.0)
    for taken in frames.values():
        for frame in taken:
            watch.see(frame)
    return watch, dict(watch.states)


def planes_of(setup: TableSetup) -> dict[str, Plane]:
    """The planes of a table's cameras by name."""
    return {camera.name: camera.plane for camera in setup.cameras}


def _solve(
    out: TableSolved,
    camera: CameraSetup,
    found: Mapping[int, Points],
    tags: Sequence[Tag],
    beside: Sequence[Tag],
) -> None:
    """Solve one camera; tags `beside` are the table's too, but their places are not known."""
    known = {tag.number for tag in beside}
    shown = {number: corners for number, corners in found.items() if number not in known}
    try:
        out.planes[camera.name] = solve_plane(shown, tags, camera.plane.lens)
        out.failed.pop(camera.name, None)
    except CannotCalibrate as error:
        out.planes.pop(camera.name, None)
        out.failed[camera.name] = error


def _mat(out: TableSolved, found: Mapping[str, Mapping[int, Points]], tags: Sequence[Tag]) -> MatFound | None:
    planes = {name: solved.plane for name, solved in out.planes.items()}
    try:
        residuals = {name: solved.residual for name, solved in out.planes.items()}
        return find_mat(planes, {name: found[name] for name in planes}, tags, residuals)
    except CannotCalibrate:
        return None
