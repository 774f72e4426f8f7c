"""Between millimetres on the table and pixels of a camera's picture, the lens's distortion included."""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

from calibration.setup import CameraSetup, Matrix, Plane

Points = NDArray[np.float64]


def through(matrix: Matrix, points: ArrayLike) -> Points:
    """Points (..., 2) through a homogeneous (3, 3) matrix; points at or behind infinity become NaN."""
    flat = np.asarray(points, np.float64)
    mapped = np.concatenate([flat, np.ones((*flat.shape[:-1], 1))], -1) @ matrix.T
    depth = np.where(mapped[..., 2:] > 1e-9, mapped[..., 2:], np.nan)
    return np.asarray(mapped[..., :2] / depth, np.float64)


def table_to_px(plane: Plane, points: ArrayLike) -> Points:
    """Where points (..., 2) of the table, mm, are in the camera's picture, px."""
    straight = through(plane.to_px, points)
    lens = plane.lens
    if lens is None or not any(lens.distortion):
        return straight
    (fx, fy), (cx, cy) = lens.focal, lens.middle
    rays = np.stack(
        [(straight[..., 0] - cx) / fx, (straight[..., 1] - cy) / fy, np.ones(straight.shape[:-1])], -1
    )
    still = np.zeros(3)
    bent, _ = cv2.projectPoints(
        np.nan_to_num(rays.reshape(-1, 1, 3), nan=1e3), still, still, lens.matrix, np.array(lens.distortion)
    )
    out = np.asarray(bent, np.float64).reshape(straight.shape)
    return np.where(np.isnan(straight), np.nan, out)


def px_to_table(plane: Plane, points: ArrayLike) -> Points:
    """What points (..., 2) of the camera's picture, px, show of the table, mm."""
    bent = np.asarray(points, np.float64)
    lens = plane.lens
    if lens is None or not any(lens.distortion):
        return through(plane.to_mm, bent)
    matrix = lens.matrix
    straight = cv2.undistortPoints(bent.reshape(-1, 1, 2), matrix, np.array(lens.distortion), P=matrix)
    return through(plane.to_mm, np.asarray(straight, np.float64).reshape(bent.shape))


def moved_camera(camera: CameraSetup, motion: Matrix) -> CameraSetup:
    """The same camera after it was knocked: `motion` (3, 3) takes old px of a thing to its new px."""
    plane = Plane(np.asarray(motion @ camera.plane.to_px, np.float64), camera.plane.lens)
    return CameraSetup(camera.name, camera.kind, camera.size, plane, camera.fps, camera.options)
