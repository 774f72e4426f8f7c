"""The ChArUco boards from which a lens is solved: their sizes, and finding their corners in pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
DICTIONARY: Final[int] = cv2.aruco.DICT_5X5_100
"""The family of the boards' markers: neither the plaques' nor the tags'."""
MARKER_MODULES: Final = 7
"""Squares along a marker's side, its border included."""
_LEAST_CORNERS: Final = 4


@dataclass(frozen=True, slots=True)
class Board:
    """A chessboard with a marker in each of its white squares.

    Attributes:
        name: of the sheet that it is printed on.
        squares: across and down.
        square: side of a square, mm.
        marker: side of a marker, mm.
        first: number of its first marker: the boards share none, so a picture tells which one it shows.
    """

    name: str
    squares: tuple[int, int]
    square: float
    marker: float
    first: int

    @property
    def size(self) -> tuple[float, float]:
        """Width and height, mm."""
        return self.squares[0] * self.square, self.squares[1] * self.square

    @property
    def numbers(self) -> range:
        """The numbers of its markers."""
        return range(self.first, self.first + self.squares[0] * self.squares[1] // 2)

    @property
    def corners(self) -> Points:
        """(n, 2) mm: its inner corners, origin at its top left, x right, y down."""
        return np.asarray(self._made().getChessboardCorners(), np.float64)[:, :2]

    @property
    def markers(self) -> Mapping[int, Points]:
        """Number of a marker to its corners (4, 2), mm, from its own top left on, clockwise."""
        outlines = np.asarray(self._made().getObjPoints(), np.float64).reshape(-1, 4, 3)[..., :2]
        return dict(zip(self.numbers, outlines, strict=True))

    def _made(self) -> cv2.aruco.CharucoBoard:
        family = cv2.aruco.getPredefinedDictionary(DICTIONARY)
        numbers = np.array(self.numbers, np.int32)
        return cv2.aruco.CharucoBoard(self.squares, self.square, self.marker, family, numbers)


BOARDS: Final[Mapping[str, Board]] = {
    "a4": Board("a4", (6, 8), 30.0, 22.0, 0),
    "a3": Board("a3", (8, 11), 33.0, 25.0, 24),
}


def code_of(number: int) -> NDArray[np.uint8]:
    """(7, 7): the squares of a board's marker, its border included; 1 is black."""
    family = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    return np.asarray(
        np.asarray(cv2.aruco.generateImageMarker(family, number, MARKER_MODULES)) == 0, np.uint8
    )


class BoardFinder:
    """Finds the corners of one board, or of whichever board is there."""

    def __init__(self) -> None:
        settings = cv2.aruco.DetectorParameters()
        settings.minMarkerDistanceRate = 0.03
        self._detectors: dict[str, Any] = {
            name: cv2.aruco.CharucoDetector(board._made(), cv2.aruco.CharucoParameters(), settings)
            for name, board in BOARDS.items()
        }

    def find(self, image: NDArray[np.uint8], board: Board) -> tuple[Points, NDArray[np.int64]]:
        """Inner corners (n, 2) px and which of the board's corners they are (n,); both empty where there are few."""
        grey = image if image.ndim == 2 else cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
        corners, ids, _, _ = self._detectors[board.name].detectBoard(grey)
        px = np.asarray(corners if corners is not None else [], np.float64).reshape(-1, 2)
        numbers = np.asarray(ids if ids is not None else [], np.int64).reshape(-1)
        if len(px) < _LEAST_CORNERS or len(px) != len(numbers):
            return np.empty((0, 2)), np.empty(0, np.int64)
        return px, numbers

    def which(self, image: NDArray[np.uint8]) -> Board | None:
        """The board of which a picture shows most corners; None where it shows none."""
        found = [(len(self.find(image, board)[0]), name) for name, board in BOARDS.items()]
        count, name = max(found)
        return BOARDS[name] if count else None
