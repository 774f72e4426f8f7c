"""Between millimetres on the table and pixels, as calibration has it; and the camera that was knocked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from calibration.projection import Points, px_to_table, table_to_px, through
from calibration.setup import CameraSetup, Matrix, Plane

__all__ = ["Points", "moved_camera", "px_to_table", "table_to_px", "through"]


def moved_camera(camera: CameraSetup, motion: Matrix) -> CameraSetup:
    """The same camera after it was knocked: `motion` (3, 3) takes old px of a thing to its new px."""
    plane = Plane(np.asarray(motion @ camera.plane.to_px, np.float64), camera.plane.lens)
    return replace(camera, plane=plane)
