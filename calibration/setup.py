"""What is known about one table once it is set up: its cameras with their planes, its zones, its game.

Geometry as in the design: millimetres on the table plane, origin at the table's centre, x to the right and y away
from seat 0, z up; seat k sits at seat 0 turned counter-clockwise by k x 90 degrees. Pixels: origin top left, x right,
y down, pixel centres at whole numbers. Turns in degrees counter-clockwise from upright for seat 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibration.device_setup import DeviceSetup
from calibration.tags import Mat, Tag

Matrix = NDArray[np.float64]
ZONE_MM: Final = (450.0, 300.0)
"""Width and depth of a seat's play zone."""
ZONE_FROM_CENTRE_MM: Final = 230.0
TABLE_MM: Final = (900.0, 900.0)


@dataclass(frozen=True, slots=True)
class Lens:
    """A pinhole camera with Brown's distortion, as OpenCV writes it.

    Attributes:
        focal: fx, fy in px.
        middle: cx, cy in px.
        distortion: k1, k2, p1, p2, k3.
    """

    focal: tuple[float, float]
    middle: tuple[float, float]
    distortion: tuple[float, float, float, float, float] = (0.0, 0.0, 0.0, 0.0, 0.0)

    @property
    def matrix(self) -> Matrix:
        """(3, 3) camera matrix."""
        (fx, fy), (cx, cy) = self.focal, self.middle
        return np.array([[fx, 0, cx], [0, fy, cy], [0, 0, 1]], np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class Plane:
    """Where the table lies in a camera's picture.

    Attributes:
        to_px: (3, 3), homogeneous: mm on the table to px of the picture without the lens's distortion.
        lens: of the camera; None where its distortion is not known (taken as none).
    """

    to_px: Matrix
    lens: Lens | None = None

    @property
    def to_mm(self) -> Matrix:
        """(3, 3): undistorted px to mm on the table."""
        return np.asarray(np.linalg.inv(self.to_px), np.float64)


@dataclass(frozen=True, slots=True)
class CameraSetup:
    """One camera that looks at the table.

    Attributes:
        name: for people and messages.
        kind: of the source: `simulated`, `video`, `stills`, `uvc`.
        size: width and height of its pictures, px.
        plane: where the table lies in them.
        fps: pictures a second.
        options: what the kind of source needs besides (`path`, `device`, `seed`, …).
        calibration: when and how well lens and plane were solved, for people: no other part relies on it.
    """

    name: str
    kind: str
    size: tuple[int, int]
    plane: Plane
    fps: float = 15.0
    options: Mapping[str, Any] = field(default_factory=dict)
    calibration: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ZoneSetup:
    """A rectangle on the table.

    Attributes:
        name: unique on the table.
        seat: whose it is; None for nobody's.
        kind: `play`, `exchange`, `discard`, `kitty`, `points`, or `ignore`: nothing is read there (hands).
        centre: mm on the table.
        size: width (along its reader's left to right) and depth, mm.
        turn: degrees counter-clockwise by which its reader sits from seat 0.
    """

    name: str
    seat: int | None
    centre: tuple[float, float]
    size: tuple[float, float] = ZONE_MM
    turn: float = 0.0
    kind: str = "play"

    @property
    def corners(self) -> NDArray[np.float64]:
        """(4, 2) mm: its reader's top left, top right, bottom right, bottom left."""
        width, depth = self.size
        half = np.array([[-width, depth], [width, depth], [width, -depth], [-width, -depth]]) / 2
        a = math.radians(self.turn)
        return np.asarray(
            half @ np.array([[math.cos(a), math.sin(a)], [-math.sin(a), math.cos(a)]]) + self.centre
        )


@dataclass(frozen=True, slots=True)
class TableSetup:
    """A whole table.

    Attributes:
        name: of the table.
        profile: of the rules.
        cameras: none for a table that is kept by hand.
        zones: where cards are looked for.
        packs: how many packs are in play.
        players: four names in order of play.
        options: keys of the profile that this table overrides.
        tags: printed on the table's edge, and on its mat.
        mat: where the mat lies; None for a table without one.
        devices: seat boxes, dealers, shufflers, deal folders.
    """

    name: str
    profile: str
    cameras: tuple[CameraSetup, ...]
    zones: tuple[ZoneSetup, ...]
    packs: int = 2
    players: tuple[str, str, str, str] = ("", "", "", "")
    options: Mapping[str, Any] = field(default_factory=dict)
    tags: tuple[Tag, ...] = ()
    mat: Mat | None = None
    devices: tuple[DeviceSetup, ...] = ()

    @property
    def placed_tags(self) -> tuple[Tag, ...]:
        """All tags where they lie on the table; those of the mat only where the mat's place is known."""
        out = []
        for tag in self.tags:
            if not tag.on_mat:
                out.append(tag)
            elif self.mat is not None:
                out.append(self.mat.placed(tag))
        return tuple(out)


def play_zones(
    size: tuple[float, float] = ZONE_MM, from_centre: float = ZONE_FROM_CENTRE_MM
) -> tuple[ZoneSetup, ...]:
    """The four seats' play zones of the usual table."""
    zones = []
    for seat in range(4):
        a = math.radians(90 * seat)
        centre = (from_centre * math.sin(a), -from_centre * math.cos(a))
        zones.append(ZoneSetup(f"seat {seat}", seat, centre, size, 90.0 * seat))
    return tuple(zones)
