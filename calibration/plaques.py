"""The printed plaques that players lay down to pass or to tell their count: which marker says what, and how large."""

from __future__ import annotations

from typing import Final

import cv2

DICTIONARY: Final[int] = cv2.aruco.DICT_4X4_50
"""The family of markers, as OpenCV numbers it."""
PLAQUE_PASS: Final = 0
"""Marker of the plaque that passes (过牌)."""
PLAQUE_COUNTS: Final = range(1, 11)
"""Markers of the plaques that call the cards left (报牌): the number is the count."""
PLAQUE_MM: Final = 40.0
"""Side of the printed marker, its black border included, mm."""
PLAQUE_BOARD_MM: Final = 60.0
"""Side of the white board that it is printed on, mm."""
