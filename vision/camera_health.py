"""Whether a camera's pictures can be trusted: gone, frozen, dark, or knocked out of its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.setup import TABLE_MM, CameraSetup, Matrix, ZoneSetup
from vision.frames import Image
from vision.plane import px_to_table, table_to_px

GONE_S: Final = 1.0
"""A camera that gave no frame for so long, while others did, is gone."""
FROZEN_S: Final = 1.0
"""Frames that are the same to the bit for so long are one frame: no chip is without noise."""
KNOCKED_MM: Final = 4.0
_FROZEN_FRAMES: Final = 4
_DARK: Final = 10.0
_LOOK_EVERY_S: Final = 0.5
_AT_ONCE_S: Final = 0.2
_WIDE: Final = 960
_ROUND_MM: Final = 60.0
_POINTS: Final = 60
_LEAST_POINTS: Final = 8
_AGREE_MM: Final = 1.5
_MOST_AGREE: Final = 0.5


class CameraHealth:
    """Judges the pictures of one camera.

    Args:
        camera: the camera.
        zones: the table's zones: what lies in them moves and says nothing about the camera's place.
    """

    def __init__(self, camera: CameraSetup, zones: Sequence[ZoneSetup]) -> None:
        self.camera = camera
        self._stride = max(1, round(camera.size[0] / _WIDE))
        self._around = _around(camera, zones, self._stride)
        self._last: NDArray[np.uint8] | None = None
        self._same = 0
        self._fresh_at = -np.inf
        self._dark = False
        self._frozen = False
        self._at = -np.inf
        self._gone = False
        self._looked_at = -np.inf
        self._reference: NDArray[np.uint8] | None = None
        self._points = np.empty((0, 2), np.float32)
        self.motion: Matrix | None = None
        """(3, 3), old px to new px, once the camera is known to look from elsewhere."""

    def see(self, image: Image, at: float) -> bool:
        """The next frame; says whether it is a new one (a repeated old frame counts as no frame)."""
        sample = np.ascontiguousarray(image[::24, ::24])
        same = self._last is not None and self.camera.kind != "stills" and np.array_equal(sample, self._last)
        self._last, self._at, self._gone = sample, at, False
        if same:
            self._same += 1
            self._frozen = self._same >= _FROZEN_FRAMES and at - self._fresh_at >= FROZEN_S
            return False
        self._same, self._fresh_at, self._frozen = 0, at, False
        self._dark = float(np.percentile(sample, 90)) < _DARK
        return not self._dark

    def miss(self, now: float) -> None:
        """No frame came, and others did: time is `now`, s."""
        self._gone = now - self._at > GONE_S if np.isfinite(self._at) else self._gone

    @property
    def trouble(self) -> str:
        """`gone`, `frozen`, `dark` or empty."""
        if self._gone:
            return "gone"
        return "frozen" if self._frozen else "dark" if self._dark else ""

    def look_around(self, image: Image, at: float, at_once: bool = False) -> float | None:
        """How far the table's surroundings moved in the picture, mm; None where that cannot be told now.

        Twice a second at most (five times with `at_once`), else None. Where most of what is to be seen
        moved alike, `motion` says how.
        """
        if at - self._looked_at < (_AT_ONCE_S if at_once else _LOOK_EVERY_S):
            return None
        self._looked_at = at
        grey = np.ascontiguousarray(image[:: self._stride, :: self._stride, 1])
        if self._reference is None:
            self._reference = grey
            found = cv2.goodFeaturesToTrack(grey, _POINTS, 0.02, 16, mask=self._around)
            if found is not None:
                self._points = np.asarray(found, np.float32).reshape(-1, 2)
            return None
        if len(self._points) < _LEAST_POINTS:
            return None
        return self._moved(grey)

    def accept(self) -> None:
        """The camera's place of now is the right one: look for motion from here on."""
        self._reference, self.motion = None, None
        self._looked_at = -np.inf

    def _moved(self, grey: NDArray[np.uint8]) -> float | None:
        assert self._reference is not None
        start = self._points.reshape(-1, 1, 2)
        end, good, _ = cv2.calcOpticalFlowPyrLK(
            self._reference, grey, start, start.copy(), winSize=(21, 21), maxLevel=3
        )
        back, fine, _ = cv2.calcOpticalFlowPyrLK(
            grey, self._reference, end, end.copy(), winSize=(21, 21), maxLevel=3
        )
        one, other = start.reshape(-1, 2), np.asarray(end).reshape(-1, 2)
        kept = (np.asarray(good).ravel() > 0) & (np.asarray(fine).ravel() > 0)
        kept &= np.linalg.norm(np.asarray(back).reshape(-1, 2) - one, axis=1) < 1.0
        if kept.sum() < _LEAST_POINTS:
            return None
        plane = self.camera.plane
        step = px_to_table(plane, other[kept] * self._stride) - px_to_table(plane, one[kept] * self._stride)
        middle = np.median(step, axis=0)
        if (
            np.linalg.norm(step - middle, axis=1) < _AGREE_MM + 0.1 * np.linalg.norm(middle)
        ).mean() < _MOST_AGREE:
            return None
        fitted, _ = cv2.estimateAffinePartial2D(one[kept] * self._stride, other[kept] * self._stride)
        self.motion = None if fitted is None else np.vstack([fitted, [0, 0, 1.0]])
        return float(np.linalg.norm(middle))


def _around(camera: CameraSetup, zones: Sequence[ZoneSetup], stride: int) -> NDArray[np.uint8]:
    """Mask of the reduced picture: the table with a little round it, outside of all zones."""
    width, height = camera.size
    out = np.zeros((-(-height // stride), -(-width // stride)), np.uint8)
    half = np.array(TABLE_MM) / 2 + _ROUND_MM
    table = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half
    shapes = [(table, 255), *(((zone.corners - zone.centre) * 1.1 + zone.centre, 0) for zone in zones)]
    for outline, value in shapes:
        corners = table_to_px(camera.plane, outline) / stride
        if np.isfinite(corners).all():
            cv2.fillPoly(out, [np.rint(np.clip(corners, -1e4, 1e4)).astype(np.int32)], value)
    return out
