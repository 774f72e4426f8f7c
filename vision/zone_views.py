"""A zone as one camera sees it: flat, at a fixed scale, upright for its reader, and back to millimetres."""

from __future__ import annotations

import math
from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.setup import CameraSetup, Matrix, ZoneSetup
from vision.card_reader import PX_PER_MM
from vision.frames import Image
from vision.plane import Points, table_to_px, through

MARGIN_MM: Final = 15.0
"""So much of the table round a zone is looked at too: cards at its edge are seen whole."""
SMALL_PX_PER_MM: Final = 0.5
"""Scale of the small grey picture in which motion is looked for."""
_SHADE: Final = 114
_EVERY: Final = 8
Region = tuple[int, int, int, int]
"""Left, top, right, bottom in px of a crop; right and bottom do not belong to it."""


class ZoneGrid:
    """A picture of a zone at a fixed scale: px to mm on the table and back.

    Args:
        zone: the zone.
        px_per_mm: scale of the picture.
        margin: mm round the zone that the picture shows too.
    """

    def __init__(self, zone: ZoneSetup, px_per_mm: float, margin: float = MARGIN_MM) -> None:
        self.zone, self.px_per_mm = zone, px_per_mm
        self.size = (
            round((zone.size[0] + 2 * margin) * px_per_mm),
            round((zone.size[1] + 2 * margin) * px_per_mm),
        )
        self.to_table = self._to_table()
        self.to_px = np.asarray(np.linalg.inv(self.to_table), np.float64)

    def table(self, points: ArrayLike) -> Points:
        """Px (..., 2) of the picture as mm on the table."""
        return through(self.to_table, points)

    def px(self, points: ArrayLike) -> Points:
        """Mm (..., 2) on the table as px of the picture."""
        return through(self.to_px, points)

    def mask(self, outlines: ArrayLike, grow: float = 0.0) -> NDArray[np.uint8]:
        """(H, W), 255 inside any of the outlines (N, 4, 2), mm, each `grow` mm larger on every side."""
        out = np.zeros((self.size[1], self.size[0]), np.uint8)
        for outline in np.asarray(outlines, np.float64).reshape(-1, 4, 2):
            corners = np.rint(self.px(grown(outline, grow)) * 16).astype(np.int32)
            cv2.fillConvexPoly(out, corners, 255, cv2.LINE_8, 4)
        return out

    def _to_table(self) -> Matrix:
        scale = 1 / self.px_per_mm
        width, height = self.size
        a = math.radians(self.zone.turn)
        x, y = self.zone.centre
        to_local = np.array(
            [
                [scale, 0, (0.5 - width / 2) * scale],
                [0, -scale, (height / 2 - 0.5) * scale],
                [0, 0, 1.0],
            ]
        )
        turned = np.array([[math.cos(a), -math.sin(a), x], [math.sin(a), math.cos(a), y], [0, 0, 1.0]])
        return np.asarray(turned @ to_local, np.float64)


class ZoneView:
    """Cuts one zone out of one camera's pictures.

    Args:
        camera: the camera with its plane.
        zone: the zone.

    Attributes:
        share: how much of the zone the camera sees, 0..1.
        detail: camera px per mm in the middle of the zone.
        grid: the crop for reading, 2 px/mm.
        small_grid: the small grey picture, 0.5 px/mm.
        seen: (H, W) bool of the small picture: what the camera sees.
    """

    def __init__(self, camera: CameraSetup, zone: ZoneSetup) -> None:
        self.camera, self.zone = camera, zone
        self.grid = ZoneGrid(zone, PX_PER_MM)
        self.small_grid = ZoneGrid(zone, SMALL_PX_PER_MM)
        self._middling = ZoneGrid(zone, 2 * SMALL_PX_PER_MM)
        self._map, self._part = _lookup(camera, self.grid)
        self._coarse, _ = _lookup(camera, self._middling)
        self.seen = self._seen(self.small_grid)
        inside = self.small_grid.mask(zone.corners) > 0
        self.share = float(self.seen[inside].mean()) if inside.any() else 0.0
        self.detail = self._detail()

    def crop(self, image: Image, region: Region | None = None) -> Image:
        """The zone at 2 px/mm, upright for its reader; only `region` of it where one is given."""
        self._check(image)
        x0, y0, x1, y1 = region or (0, 0, *self.grid.size)
        return np.asarray(
            cv2.remap(
                image,
                self._map[y0:y1, x0:x1],
                self._part[y0:y1, x0:x1],
                cv2.INTER_LINEAR,
                borderMode=cv2.BORDER_CONSTANT,
                borderValue=(_SHADE,) * 3,
            ),
            np.uint8,
        )

    def small(self, image: Image) -> NDArray[np.uint8]:
        """The zone, small and grey, for the eye that looks for motion: about a millisecond."""
        self._check(image)
        picked = cv2.remap(
            image,
            self._coarse,
            np.empty(0, np.uint16),
            cv2.INTER_NEAREST,
            borderMode=cv2.BORDER_CONSTANT,
            borderValue=(0,) * 3,
        )
        halved = cv2.resize(picked, self.small_grid.size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(halved, cv2.COLOR_BGR2GRAY), np.uint8)

    def sees(self, outline: Points) -> bool:
        """Whether all of an outline (4, 2), mm, is in the camera's picture."""
        return bool(_inside(table_to_px(self.camera.plane, outline), self.camera.size).all())

    def _check(self, image: Image) -> None:
        height, width = image.shape[:2]
        if (width, height) != self.camera.size:
            raise ValueError(
                f"camera {self.camera.name}: its pictures are {width}x{height} px, the table file says "
                f"{self.camera.size[0]}x{self.camera.size[1]}; set the camera's size or calibrate again"
            )

    def _seen(self, grid: ZoneGrid) -> NDArray[np.bool_]:
        return _inside(table_to_px(self.camera.plane, grid.table(_pixels(grid.size))), self.camera.size)

    def _detail(self) -> float:
        x, y = self.zone.centre
        cross = np.array([[x - 10, y], [x + 10, y], [x, y - 10], [x, y + 10]], np.float64)
        at = table_to_px(self.camera.plane, cross)
        lengths = np.linalg.norm(at[1::2] - at[::2], axis=1) / 20
        return float(np.nan_to_num(lengths.min()))


def grown(outline: Points, by: float) -> Points:
    """A card's outline (4, 2) `by` mm larger on every side (smaller where negative)."""
    if not by:
        return outline
    across, down = outline[1] - outline[0], outline[3] - outline[0]
    u = across / max(float(np.linalg.norm(across)), 1e-6) * by
    v = down / max(float(np.linalg.norm(down)), 1e-6) * by
    return np.asarray(outline + np.array([-u - v, u - v, u + v, v - u]), np.float64)


def _pixels(size: tuple[int, int], every: int = 1) -> Points:
    """(H, W, 2): px of a picture, each or every so manieth, the last ones at or beyond its edge."""
    width, height = (-(-(side - 1) // every) + 1 for side in size)
    x, y = np.meshgrid(np.arange(width) * float(every), np.arange(height) * float(every))
    return np.stack([x, y], -1)


def _lookup(camera: CameraSetup, grid: ZoneGrid) -> tuple[NDArray[np.int16], NDArray[np.uint16]]:
    """Fixed-point tables for `cv2.remap`; what the camera does not see points far outside of its picture.

    Computed at every eighth px and filled in between: a table set up in moments, and off by less than a
    hundredth of a px.
    """
    coarse = table_to_px(camera.plane, grid.table(_pixels(grid.size, _EVERY)))
    coarse = np.clip(np.nan_to_num(coarse, nan=-1e4), -1e4, 3e4)
    across, down = (_between(side, _EVERY) for side in grid.size)
    at = np.stack([down @ coarse[..., k] @ across.T for k in range(2)], -1).astype(np.float32)
    none = np.empty(0, np.float32)
    whole, part = cv2.convertMaps(at, none, cv2.CV_16SC2)
    return np.asarray(whole, np.int16), np.asarray(part, np.uint16)


def _between(count: int, every: int) -> NDArray[np.float64]:
    """(count, n) weights that fill in values known at every so manieth place."""
    known = -(-(count - 1) // every) + 1
    at = np.arange(count) / every
    left = np.minimum(at.astype(int), max(known - 2, 0))
    out = np.zeros((count, known))
    out[np.arange(count), left] = 1 - (at - left)
    if known > 1:
        out[np.arange(count), left + 1] += at - left
    return out


def _inside(points: Points, size: tuple[int, int]) -> NDArray[np.bool_]:
    x, y = points[..., 0], points[..., 1]
    return np.asarray((x >= 0) & (y >= 0) & (x <= size[0] - 1) & (y <= size[1] - 1), np.bool_)
