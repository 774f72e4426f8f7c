"""Sets up random rigs of cameras through real lenses, as an organiser would, and measures how wrong the result is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from api.calibrating import solve_table
from calibration.boards import BOARDS
from calibration.lens import solve_lens
from calibration.notes import CannotCalibrate
from calibration.projection import px_to_table
from calibration.setup import CameraSetup, Lens, Plane, TableSetup, play_zones
from calibration.tags import Mat, Tag, TagFinder
from calibration.zone_finding import find_mat, moved_zones
from devices.simulator.rigs import (
    Rig,
    RigCamera,
    board_picture,
    board_sheet,
    random_rig,
    table_picture,
    table_sheet,
    tags_on_table,
)

Points = NDArray[np.float64]
VIEWS: Final = 16
_GRID: Final = 15
_REACH_MM: Final = 380.0
_BOARD: Final = "a3"


@dataclass(slots=True)
class Measured:
    """What was measured over rigs.

    Attributes:
        lens: residual of each camera's lens, px.
        plane: residual of each camera's plane, mm.
        place: how far off cards are put by each camera, over the part of the table that it sees, mm.
        agreement: how far apart two cameras see one tag's corner, mm.
        zones: how far off corners of zones are after the mat was moved, mm.
        failed: cameras that could not be set up.
        cameras: how many there were.
    """

    lens: list[float] = field(default_factory=list)
    plane: list[float] = field(default_factory=list)
    place: list[float] = field(default_factory=list)
    agreement: list[float] = field(default_factory=list)
    zones: list[float] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    cameras: int = 0

    def add(self, other: Measured) -> None:
        """What was measured on further rigs."""
        for name in ("lens", "plane", "place", "agreement", "zones", "failed"):
            getattr(self, name).extend(getattr(other, name))
        self.cameras += other.cameras


def measure_rig(rig: Rig, rng: Random, views: int = VIEWS, stuck_mm: float = 0.0) -> Measured:
    """Solve lenses, planes and zones of a rig from rendered pictures, and compare with what is true of it.

    Args:
        rig: cameras over a table.
        rng: of everything that chance decides in the pictures.
        views: of the board for each lens.
        stuck_mm: how well tags are stuck on: standard deviation of their places, mm.
    """
    out = Measured(cameras=len(rig.cameras))
    setups = []
    for camera in rig.cameras:
        try:
            lens, residual = _lens(camera, rng, views)
        except CannotCalibrate as error:
            out.failed.append(f"{camera.name}: {error}")
            continue
        out.lens.append(residual)
        plane = Plane(np.diag([1.0, -1.0, 1.0]), lens)
        setups.append(CameraSetup(camera.name, "simulated", camera.lens.size, plane))
    setup = TableSetup(
        "rig", "guandan-official", tuple(setups), play_zones(), tags=(*rig.edge, *rig.mat), mat=Mat()
    )
    laid = [_stuck(tag, stuck_mm, rng) for tag in tags_on_table(rig, Mat())]
    found = _found(rig, laid, rng, setup)
    solved = solve_table(setup, found)
    out.failed += [f"{name}: {error}" for name, error in solved.failed.items()]
    by_name = {camera.name: camera for camera in rig.cameras}
    for name, one in solved.planes.items():
        out.plane.append(one.residual)
        out.place += _misplaced(by_name[name], one.plane).tolist()
    for apart in solved.agreement.values():
        out.agreement += apart.tolist()
    planes = {name: one.plane for name, one in solved.planes.items()}
    residuals = {name: one.residual for name, one in solved.planes.items()}
    _move_mat(out, rig, rng, setup, planes, residuals, stuck_mm)
    return out


def measure_rigs(
    rigs: int,
    seed: int,
    views: int = VIEWS,
    stuck_mm: float = 0.0,
    told: Callable[[int, Rig, Measured], None] | None = None,
) -> Measured:
    """The same over random rigs; `told` hears of each."""
    total = Measured()
    for number in range(rigs):
        rng = Random(f"{seed} {number}")
        rig = random_rig(rng, table=1 + number % 30)
        one = measure_rig(rig, rng, views, stuck_mm)
        total.add(one)
        if told is not None:
            told(number, rig, one)
    return total


def summary(values: Sequence[float]) -> dict[str, float]:
    """Median, 95th percentile and largest."""
    if not values:
        return {"p50": float("nan"), "p95": float("nan"), "max": float("nan")}
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50), 3), "p95": round(float(p95), 3), "max": round(max(values), 3)}


def _lens(camera: RigCamera, rng: Random, views: int) -> tuple[Lens, float]:
    board = BOARDS[_BOARD]
    drawn = board_sheet(board)
    pictures = ((f"view {i}", board_picture(camera.lens, board, drawn, rng)) for i in range(views))
    solved = solve_lens(pictures, board, camera.lens.size)
    return solved.lens, solved.residual


def _stuck(tag: Tag, sigma: float, rng: Random) -> Tag:
    """A tag where somebody stuck it."""
    if sigma <= 0 or tag.on_mat:
        return tag
    x, y = tag.centre
    centre = (x + rng.gauss(0, sigma), y + rng.gauss(0, sigma))
    return replace(tag, centre=centre, turn=tag.turn + rng.gauss(0, sigma * 1.2))


def _found(rig: Rig, laid: Sequence[Tag], rng: Random, setup: TableSetup) -> dict[str, dict[int, Points]]:
    sheet, finder = table_sheet(laid, rng), TagFinder()
    known = {camera.name for camera in setup.cameras}
    return {
        camera.name: finder.find(table_picture(camera, sheet, rng))
        for camera in rig.cameras
        if camera.name in known
    }


def _misplaced(camera: RigCamera, plane: Plane) -> Points:
    """(n,) mm: how far off a camera puts cards all over the part of the zones that it sees."""
    steps = np.linspace(-_REACH_MM, _REACH_MM, _GRID)
    spots = np.stack(np.meshgrid(steps, steps), -1).reshape(-1, 2)
    spots = spots[camera.sees(spots)]
    return np.asarray(np.linalg.norm(px_to_table(plane, camera.px(spots)) - spots, axis=1))


def _move_mat(
    out: Measured,
    rig: Rig,
    rng: Random,
    setup: TableSetup,
    planes: dict[str, Plane],
    residuals: dict[str, float],
    stuck_mm: float,
) -> None:
    moved = Mat((rng.uniform(-25, 25), rng.uniform(-25, 25)), rng.uniform(-4, 4))
    laid = [_stuck(tag, stuck_mm, rng) for tag in tags_on_table(rig, moved)]
    found = _found(rig, laid, rng, setup)
    try:
        mat = find_mat(planes, {name: found[name] for name in planes}, setup.tags, residuals).mat
    except CannotCalibrate as error:
        out.failed.append(f"mat: {error}")
        return
    meant = moved_zones(setup.zones, Mat(), moved)
    for zone, true in zip(moved_zones(setup.zones, Mat(), mat), meant, strict=True):
        out.zones += np.linalg.norm(zone.corners - true.corners, axis=1).tolist()
