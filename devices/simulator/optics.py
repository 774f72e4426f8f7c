"""Cameras over the simulated table: pinholes with their exact planes, as one, two or four would be hung up."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.setup import Lens, Matrix, Plane
from devices.simulator.conditions import Conditions

HD: Final = (1920, 1080)
UHD: Final = (3840, 2160)
CAMERAS: Final = (1, 2, 4)


@dataclass(frozen=True, slots=True)
class Mount:
    """Where one camera hangs.

    Attributes:
        size: of its pictures, px.
        aim: what it has in the middle of the picture, mm on the table.
        px_per_mm: there.
        roll: degrees counter-clockwise by which its picture's right is turned from the table's x.
        leans: direction in which it hangs off the vertical above its aim, degrees from the table's x.
    """

    size: tuple[int, int]
    aim: tuple[float, float]
    px_per_mm: float
    roll: float = 0.0
    leans: float = -90.0


def mounts(cameras: int, size: tuple[int, int] | None = None) -> tuple[Mount, ...]:
    """The usual places of one camera over the whole table, two over its halves, four over the seats' zones.

    Args:
        cameras: 1, 2 or 4.
        size: of the pictures, px; None for 4K with one camera and 1080p with more.

    Raises:
        ValueError: another number of cameras.
    """
    if cameras not in CAMERAS:
        raise ValueError(f"{cameras} cameras (the simulated table has 1, 2 or 4)")
    w, h = size or (UHD if cameras == 1 else HD)
    if cameras == 1:
        return (Mount((w, h), (0.0, 0.0), h / 950.0),)
    if cameras == 2:
        scale = min(w / 850.0, h / 478.0)
        away = 395.0 - h / scale / 2
        return (
            Mount((w, h), (0.0, -away), scale),
            Mount((w, h), (0.0, away), scale, 180.0, 90.0),
        )
    scale = h / 415.0
    places = []
    for seat in range(4):
        a = math.radians(90.0 * seat)
        aim = (207.0 * math.sin(a), -207.0 * math.cos(a))
        places.append(Mount((w, h), aim, scale, 90.0 * seat, 90.0 * seat - 90.0))
    return tuple(places)


def plane_of(mount: Mount, how: Conditions) -> Plane:
    """The plane of a camera with this mount: exact, with its lens."""
    f = mount.px_per_mm * how.height
    (w, h) = mount.size
    lens = Lens((f, f), ((w - 1) / 2, (h - 1) / 2), (how.distortion, 0.0, 0.0, 0.0, 0.0))
    lean, tilt = math.radians(mount.leans + how.turn), math.radians(how.tilt)
    out = np.array([math.cos(lean) * math.sin(tilt), math.sin(lean) * math.sin(tilt), math.cos(tilt)])
    # Rows of the rotation: the picture's right, its down, and the way the camera looks (z up on the table).
    forward = -out
    roll = math.radians(mount.roll + how.turn)
    right = np.array([math.cos(roll), math.sin(roll), 0.0])
    right -= forward * (right @ forward)
    right /= np.linalg.norm(right)
    down = np.cross(forward, right)
    rotation = np.stack([right, down, forward])
    centre = np.array([*mount.aim, 0.0]) + out * how.height
    extrinsic = np.column_stack([rotation[:, 0], rotation[:, 1], -rotation @ centre])
    to_px = lens.matrix @ extrinsic
    return Plane(to_px / to_px[2, 2], lens)


def shifted(plane: Plane, dx: float, dy: float, turn: float = 0.0) -> Plane:
    """The plane after the table (or the camera against it) has moved by mm and turned by degrees."""
    a = math.radians(turn)
    move = np.array([[math.cos(a), -math.sin(a), dx], [math.sin(a), math.cos(a), dy], [0, 0, 1.0]])
    return Plane(plane.to_px @ move, plane.lens)


def mistaken(plane: Plane, error_mm: float, rng: Random) -> Plane:
    """The plane as a set-up with an error would have it: off by `error_mm` in some direction, a little turned."""
    if error_mm <= 0:
        return plane
    a = rng.uniform(0, 2 * math.pi)
    turn = math.degrees(error_mm / 400.0) * rng.choice((-0.5, 0.5))
    return shifted(plane, error_mm * math.cos(a), error_mm * math.sin(a), turn)


def apply(matrix: Matrix, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (..., 2) through a homography (3, 3)."""
    flat = np.asarray(points, np.float64)
    w = flat @ matrix[2, :2] + matrix[2, 2]
    return np.asarray((flat @ matrix[:2, :2].T + matrix[:2, 2]) / w[..., None], np.float64)


def distorted(lens: Lens | None, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Undistorted px (..., 2) to px of the camera's picture."""
    if lens is None or not any(lens.distortion):
        return points
    k1, k2, p1, p2, k3 = lens.distortion
    f, c = np.array(lens.focal), np.array(lens.middle)
    x, y = np.moveaxis((points - c) / f, -1, 0)
    r = x * x + y * y
    radial = 1 + r * (k1 + r * (k2 + r * k3))
    xd = x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x)
    yd = y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y
    return np.asarray(np.stack([xd, yd], -1) * f + c, np.float64)


def undistorted(lens: Lens | None, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Px of the camera's picture (..., 2) to undistorted px: by fixed-point steps, exact to 0.01 px."""
    if lens is None or not any(lens.distortion):
        return points
    found = np.array(points, np.float64)
    for _ in range(12):
        found += points - distorted(lens, found)
    return found


def to_picture(plane: Plane, points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points on the table (..., 2) mm to px of the camera's picture, the lens's distortion included."""
    return distorted(plane.lens, apply(plane.to_px, points))
