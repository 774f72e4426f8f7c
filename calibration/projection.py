"""Between millimetres on the table and pixels of a camera's picture, the lens's distortion included."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.setup import Lens, Matrix, Plane

Points = NDArray[np.float64]
_STEPS: Final = (cv2.TERM_CRITERIA_COUNT | cv2.TERM_CRITERIA_EPS, 40, 1e-7)
"""OpenCV's five steps are off by tenths of a px towards the corners of wide lenses."""


def through(matrix: Matrix, points: ArrayLike) -> Points:
    """Points (..., 2) through a homogeneous (3, 3) matrix; points at or behind infinity become NaN."""
    flat = np.asarray(points, np.float64)
    mapped = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], -1) @ matrix.T
    depth = np.where(mapped[..., 2:] > 1e-9, mapped[..., 2:], np.nan)
    return np.asarray(mapped[..., :2] / depth, np.float64)


def bent(lens: Lens | None, points: ArrayLike) -> Points:
    """Px (..., 2) as they would be without the lens's distortion to px of the camera's picture."""
    straight = np.asarray(points, np.float64)
    if lens is None or not any(lens.distortion):
        return straight
    (fx, fy), (cx, cy) = lens.focal, lens.middle
    rays = np.stack(
        [(straight[..., 0] - cx) / fx, (straight[..., 1] - cy) / fy, np.ones(straight.shape[:-1])], -1
    )
    still = np.zeros(3)
    out, _ = cv2.projectPoints(
        np.nan_to_num(rays.reshape(-1, 1, 3), nan=1e3), still, still, lens.matrix, np.array(lens.distortion)
    )
    return np.where(np.isnan(straight), np.nan, np.asarray(out, np.float64).reshape(straight.shape))


def straightened(lens: Lens | None, points: ArrayLike) -> Points:
    """Px (..., 2) of the camera's picture to px as they would be without the lens's distortion."""
    seen = np.asarray(points, np.float64)
    if lens is None or not any(lens.distortion):
        return seen
    matrix = lens.matrix
    out = cv2.undistortPoints(
        seen.reshape(-1, 1, 2), matrix, np.array(lens.distortion), P=matrix, criteria=_STEPS
    )
    return np.asarray(out, np.float64).reshape(seen.shape)


def table_to_px(plane: Plane, points: ArrayLike) -> Points:
    """Where points (..., 2) of the table, mm, are in the camera's picture, px."""
    return bent(plane.lens, through(plane.to_px, points))


def px_to_table(plane: Plane, points: ArrayLike) -> Points:
    """What points (..., 2) of the camera's picture, px, show of the table, mm."""
    return through(plane.to_mm, straightened(plane.lens, points))
