"""The AprilTags on the table's edge and on its mat: which table's they are, where they lie, and finding them in pictures.

Every table has a block of sixteen numbers of the family 36h11, so that a tag of the next table is known for what it is:
eight are stuck to the table's edge, eight are printed on the mat.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
Found = Mapping[int, Points]
"""Number of a tag to its corners (4, 2) in px: its own top left, top right, bottom right, bottom left."""

DICTIONARY: Final[int] = cv2.aruco.DICT_APRILTAG_36h11
"""The family, as OpenCV numbers it."""
TAGS_IN_FAMILY: Final = 587
PER_TABLE: Final = 16
ON_EDGE: Final = 8
"""Of a table's numbers so many are for its edge; the rest are the mat's."""
TABLES: Final = TAGS_IN_FAMILY // PER_TABLE
MODULES: Final = 8
"""Black border and code, in squares along a side."""
EDGE_TAG_MM: Final = 50.0
MAT_TAG_MM: Final = 40.0
PIECE_MM: Final = 64.0
"""Side of the paper that an edge tag is printed on; its edges lie flush with the table's."""
_CORNER_MM: Final = 418.0
_SIDE_MM: Final = (-300.0, 418.0)
_INNER_MM: Final = 254.0
_OUTER_MM: Final = 387.0
_ALONG: Final = 24
_TO_SAMPLE: Final = 0.42
_SMALLEST_SIDE_PX: Final = 14.0


@dataclass(frozen=True, slots=True)
class Tag:
    """A printed tag and where it lies.

    Attributes:
        number: in the family.
        centre: mm on the table (or on the mat, for the mat's).
        size: side of the black square, mm.
        turn: degrees counter-clockwise from upright for seat 0.
        on_mat: whether it is printed on the mat: its place is then the mat's own mm, as long as the mat is not placed.
    """

    number: int
    centre: tuple[float, float]
    size: float = EDGE_TAG_MM
    turn: float = 0.0
    on_mat: bool = False

    @property
    def corners(self) -> Points:
        """(4, 2) mm: its own top left, top right, bottom right, bottom left."""
        half = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * self.size / 2
        a = math.radians(self.turn)
        c, s = math.cos(a), math.sin(a)
        return np.asarray(half @ np.array([[c, s], [-s, c]]) + self.centre, np.float64)


@dataclass(frozen=True, slots=True)
class Mat:
    """Where the printed mat lies.

    Attributes:
        centre: of the mat, mm on the table.
        turn: degrees counter-clockwise from lying as printed for seat 0.
    """

    centre: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0

    @property
    def to_table(self) -> NDArray[np.float64]:
        """(3, 3): the mat's mm to mm on the table."""
        a = math.radians(self.turn)
        c, s = math.cos(a), math.sin(a)
        return np.array([[c, -s, self.centre[0]], [s, c, self.centre[1]], [0, 0, 1.0]])

    def placed(self, tag: Tag) -> Tag:
        """A tag of the mat where it lies on the table."""
        x, y = (self.to_table @ [*tag.centre, 1.0])[:2]
        return replace(tag, centre=(float(x), float(y)), turn=tag.turn + self.turn)


def first_number(table: int) -> int:
    """The first number of a table's block.

    Raises:
        ValueError: no such table: the family is used up.
    """
    if not 1 <= table <= TABLES:
        raise ValueError(f"table {table}: tables are numbered 1 to {TABLES}, each has tags of its own")
    return (table - 1) * PER_TABLE


def table_of(number: int) -> int:
    """Which table a tag belongs to."""
    return number // PER_TABLE + 1


def edge_tags(table: int, scale: float = 1.0) -> tuple[Tag, ...]:
    """The tags at the edge of the usual 900 mm table: four in its corners, four at each seat's left.

    Args:
        table: its number.
        scale: how large they were printed, 1 as they should be. Where they are stuck does not change with it.
    """
    first = first_number(table)
    spots = [*((_CORNER_MM, _CORNER_MM, 90.0 * seat) for seat in range(4))]
    spots += [(*_SIDE_MM, 90.0 * seat) for seat in range(4)]
    return tuple(
        Tag(first + i, _as_seen(u, d, turn), EDGE_TAG_MM * scale, turn)
        for i, (u, d, turn) in enumerate(spots)
    )


def mat_tags(table: int, scale: float = 1.0) -> tuple[Tag, ...]:
    """The tags on the mat, in the mat's own mm: between the play zones, and nearer to the edge.

    Args:
        table: its number.
        scale: how large the mat was printed: the places of its tags change with it.
    """
    first = first_number(table) + ON_EDGE
    spots = [(_INNER_MM, _INNER_MM, 90.0 * seat) for seat in range(4)]
    spots += [(_INNER_MM, _OUTER_MM, 90.0 * seat) for seat in range(4)]
    out = []
    for i, (u, d, turn) in enumerate(spots):
        x, y = _as_seen(u, d, turn)
        out.append(Tag(first + i, (x * scale, y * scale), MAT_TAG_MM * scale, turn, on_mat=True))
    return tuple(out)


def _as_seen(right: float, towards: float, turn: float) -> tuple[float, float]:
    """Mm on the table of a point to the right of a player who sits at `turn`, and towards it from the centre."""
    quarter = round(turn / 90) % 4
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[quarter]
    return c * right + s * towards, s * right - c * towards


def code_of(number: int) -> NDArray[np.uint8]:
    """(8, 8): the squares of a tag, its border included; 1 is black."""
    family = cv2.aruco.getPredefinedDictionary(DICTIONARY)
    image = cv2.aruco.generateImageMarker(family, number, MODULES)
    return np.asarray(np.asarray(image) == 0, np.uint8)


class TagFinder:
    """Finds tags and their corners in pictures, to about a tenth of a px.

    OpenCV finds the squares and reads the code; the corners are then the crossings of lines that are fitted to the
    square's edges: a corner finder would draw them inwards as far as the lens blurs.
    """

    def __init__(self) -> None:
        settings = cv2.aruco.DetectorParameters()
        settings.cornerRefinementMethod = cv2.aruco.CORNER_REFINE_NONE
        settings.adaptiveThreshWinSizeMin = 5
        settings.adaptiveThreshWinSizeMax = 45
        settings.adaptiveThreshWinSizeStep = 10
        # The white sheet round a tag is a square too: it must not stand for the tag.
        settings.minMarkerDistanceRate = 0.08
        # A false tag would be taken for a moved camera.
        settings.errorCorrectionRate = 0.3
        self._settings = settings
        self._detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY), settings)

    def find(self, image: NDArray[np.uint8]) -> dict[int, Points]:
        """The tags in a picture (H, W[, 3]) uint8. A number that shows twice is not to be trusted: left out."""
        grey = image if image.ndim == 2 else np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
        # OpenCV states the least perimeter as a share of the picture: in a small one every grain would count.
        self._settings.minMarkerPerimeterRate = 4 * _SMALLEST_SIDE_PX / max(grey.shape)
        self._detector.setDetectorParameters(self._settings)
        squares, ids, _ = self._detector.detectMarkers(grey)
        numbers = np.asarray(ids if ids is not None else [], int).ravel()
        out: dict[int, Points] = {}
        twice: set[int] = set()
        for square, number in zip(squares, numbers, strict=True):
            corners = refined(grey, np.asarray(square, np.float64).reshape(4, 2))
            if corners is None:
                continue
            if int(number) in out and np.linalg.norm(out[int(number)].mean(0) - corners.mean(0)) > 5:
                twice.add(int(number))
            out[int(number)] = corners
        return {number: corners for number, corners in out.items() if number not in twice}

    def find_near(
        self, image: NDArray[np.uint8], places: Sequence[Points], margin: float
    ) -> dict[int, Points]:
        """The tags near known places: each (4, 2) px, looked for `margin` px around; far cheaper than everywhere."""
        out: dict[int, Points] = {}
        height, width = image.shape[:2]
        for place in places:
            x0, y0 = np.maximum(np.floor(place.min(0) - margin).astype(int), 0)
            x1, y1 = np.minimum(np.ceil(place.max(0) + margin).astype(int) + 1, (width, height))
            if x1 - x0 < 16 or y1 - y0 < 16:
                continue
            for number, corners in self.find(np.ascontiguousarray(image[y0:y1, x0:x1])).items():
                out[number] = corners + np.array([x0, y0], np.float64)
        return out


def refined(grey: NDArray[np.uint8], corners: Points) -> Points | None:
    """The corners (4, 2) px of a black square on white, as crossings of lines along its edges; None where they fade."""
    sides = np.roll(corners, -1, 0) - corners
    lengths = np.linalg.norm(sides, axis=1)
    if lengths.min() < _SMALLEST_SIDE_PX:
        return None
    middle = corners.mean(0)
    for _ in range(2):
        lines = [_edge_line(grey, corners[i], corners[(i + 1) % 4], middle) for i in range(4)]
        crossed = [_crossing(lines[i - 1], lines[i]) for i in range(4)]
        known = np.array([old if new is None else new for old, new in zip(corners, crossed, strict=True)])
        if any(one is None for one in crossed) or np.abs(known - corners).max() > 0.2 * lengths.max():
            return None
        corners = known
    return corners


def edge_samples(
    grey: NDArray[np.uint8], start: Points, end: Points, middle: Points
) -> tuple[NDArray[np.float32], NDArray[np.float64], Points, Points]:
    """Grey levels across one edge of a square.

    Args:
        grey: (H, W) the picture.
        start: (2,) px, one end of the edge; `end` the other.
        middle: (2,) px of the square.

    Returns:
        (n, m) grey levels from inside to outside at n places along the edge; (m,) how far outside each is, px;
        (n, 2) the places on the edge; (2,) the direction outwards.
    """
    along = end - start
    length = float(np.linalg.norm(along))
    out = np.array([along[1], -along[0]]) / length
    if (start - middle) @ out < 0:
        out = -out
    reach = max(1.5, _TO_SAMPLE * length / MODULES)
    steps = np.linspace(-reach, reach, 2 * max(4, math.ceil(2 * reach)) + 1)
    shares = np.linspace(0.08, 0.92, _ALONG)
    places = start + shares[:, None] * along
    at = (places[:, None] + steps[None, :, None] * out).astype(np.float32)
    levels = cv2.remap(grey, at[..., 0], at[..., 1], cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)
    return np.asarray(levels, np.float32), steps, places, out


def _edge_line(
    grey: NDArray[np.uint8], start: Points, end: Points, middle: Points
) -> tuple[Points, Points] | None:
    """A line (point, direction) along an edge: where the grey level changes most, in the mean of a profile's steps."""
    levels, steps, places, out = edge_samples(grey, start, end, middle)
    steep = np.maximum(np.diff(levels, axis=1), 0)
    weight = steep.sum(1)
    good = weight > max(12.0, 0.35 * float(np.median(weight)))
    if np.count_nonzero(good) < _ALONG // 2:
        return None
    middles = (steps[1:] + steps[:-1]) / 2
    # The level half-way between inside and outside is crossed where a straight edge is, however it is blurred.
    offset = (steep[good] @ middles) / weight[good]
    points = places[good] + offset[:, None] * out
    for _ in range(2):
        line: Any = cv2.fitLine(points.astype(np.float32), cv2.DIST_L2, 0, 1e-3, 1e-3)
        vx, vy, x, y = (float(value) for value in np.asarray(line).ravel())
        away = np.abs((points - (x, y)) @ np.array([-vy, vx]))
        keep = away <= max(0.15, 2.5 * float(np.median(away)))
        points = points[keep]
    return np.array([x, y]), np.array([vx, vy])


def _crossing(one: tuple[Points, Points] | None, other: tuple[Points, Points] | None) -> Points | None:
    if one is None or other is None:
        return None
    matrix = np.stack([one[1], -other[1]], 1)
    if abs(np.linalg.det(matrix)) < 0.2:
        return None
    return np.asarray(one[0] + np.linalg.solve(matrix, other[0] - one[0])[0] * one[1], np.float64)
