"""Finds the printed plaques that players lay down to pass or to call how many cards they hold (报牌)."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from calibration.plaques import DICTIONARY, PLAQUE_COUNTS, PLAQUE_PASS
from vision.frames import Image
from vision.plane import Points


@dataclass(frozen=True, slots=True, eq=False)
class Plaque:
    """One plaque in a picture.

    Attributes:
        says: `pass` or `count`.
        count: the number on a count plaque.
        corners: (4, 2) px of the printed square.
    """

    says: str
    count: int | None
    corners: Points


class PlaqueFinder:
    """Finds plaques in crops at 2 px/mm."""

    def __init__(self) -> None:
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
        settings.adaptiveThreshWinSizeMin = 5
        settings.adaptiveThreshWinSizeMax = 25
        settings.adaptiveThreshWinSizeStep = 10
        # A false plaque would be a false pass: every bit of the code must be right.
        settings.errorCorrectionRate = 0.0
        self._detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), settings)

    def find(self, image: Image) -> list[Plaque]:
        """The plaques in a picture (H, W, 3) uint8 BGR, each once."""
        if min(image.shape[:2]) < 32:
            return []
        half = cv2.resize(image, None, fx=0.5, fy=0.5, interpolation=cv2.INTER_AREA)
        corners, ids, _ = self._detector.detectMarkers(cv2.cvtColor(half, cv2.COLOR_BGR2GRAY))
        numbers = np.asarray(ids if ids is not None else [], int).ravel()
        found = []
        for square, number in zip(corners, numbers, strict=True):
            outline = np.asarray((np.asarray(square, np.float64).reshape(4, 2) + 0.5) * 2 - 0.5)
            if number == PLAQUE_PASS:
                found.append(Plaque("pass", None, outline))
            elif number in PLAQUE_COUNTS:
                found.append(Plaque("count", int(number), outline))
        return found
