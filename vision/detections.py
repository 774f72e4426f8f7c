"""What the finder found: parallel arrays in one validated dataclass, each thing only once."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

INDEX: Final = 0
JOKER: Final = 1
BACK: Final = 2

Floats = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class Detections:
    """N things found in one picture, in pixels of that picture (origin top left, x right, y down).

    Attributes:
        xyxy: (N, 4) float32 boxes.
        class_id: (N,) int64: `INDEX`, `JOKER` or `BACK`.
        confidence: (N,) float32, 0..1, the finder's own score.
        keypoints: (N, 2, 2) float32: centre of the rank, centre of the suit (of a back: anything).

    Raises:
        ValueError: an array of another shape or type; the message states both.
    """

    xyxy: Floats
    class_id: NDArray[np.int64]
    confidence: Floats
    keypoints: Floats

    def __post_init__(self) -> None:
        count = len(self.xyxy) if isinstance(self.xyxy, np.ndarray) and self.xyxy.ndim else 0
        check_array("xyxy", self.xyxy, (count, 4), np.float32)
        check_array("class_id", self.class_id, (count,), np.int64)
        check_array("confidence", self.confidence, (count,), np.float32)
        check_array("keypoints", self.keypoints, (count, 2, 2), np.float32)

    @classmethod
    def empty(cls) -> Detections:
        """Nothing found.

        >>> len(Detections.empty())
        0
        """
        return cls(
            np.empty((0, 4), np.float32),
            np.empty(0, np.int64),
            np.empty(0, np.float32),
            np.empty((0, 2, 2), np.float32),
        )

    @classmethod
    def merge(cls, parts: Iterable[Detections]) -> Detections:
        """All parts after one another."""
        return merge_arrays(cls, [*parts] or [cls.empty()])

    def __len__(self) -> int:
        return len(self.xyxy)

    def __iter__(self) -> Iterator[Detections]:
        return (self[i : i + 1] for i in range(len(self)))

    def __getitem__(self, which: Any) -> Detections:
        """A boolean mask (N,), an array of numbers, a slice or one number; always `Detections`."""
        return select_arrays(self, which)

    @cached_property
    def middle(self) -> Floats:
        """(N, 2): half way between rank and suit."""
        return np.asarray(self.keypoints.mean(1), np.float32)

    @cached_property
    def span(self) -> Floats:
        """(N,): from rank centre to suit centre, px."""
        return np.asarray(np.hypot(*(self.keypoints[:, 1] - self.keypoints[:, 0]).T), np.float32)

    @cached_property
    def down(self) -> Floats:
        """(N, 2): unit vector from rank to suit, which is down for the one who reads this index upright."""
        step = self.keypoints[:, 1] - self.keypoints[:, 0]
        return np.asarray(step / np.maximum(np.hypot(*step.T), 1e-6)[:, None], np.float32)

    def mapped(self, scale: float, offset: tuple[float, float] = (0.0, 0.0)) -> Detections:
        """The same in a picture `scale` times as large, then moved by `offset` px.

        Pixel centres are whole numbers, so the picture's corner (-0.5, -0.5) stays where it is.
        """
        shift = np.asarray(offset, np.float32)

        def move(points: Floats) -> Floats:
            return np.asarray((points + 0.5) * scale - 0.5 + shift, np.float32)

        boxes = move(self.xyxy.reshape(-1, 2, 2)).reshape(-1, 4)
        return Detections(boxes, self.class_id, self.confidence, move(self.keypoints))

    def turned_over(self) -> Detections:
        """The same with rank and suit exchanged: how they would lie were the direction wrong."""
        return Detections(
            self.xyxy, self.class_id, self.confidence, np.ascontiguousarray(self.keypoints[:, ::-1])
        )


def check_array(name: str, value: object, shape: tuple[int, ...], dtype: type) -> None:
    """Raise ValueError unless `value` is an array of that shape and dtype."""
    if not isinstance(value, np.ndarray):
        raise ValueError(f"{name} must be an array of shape {shape}, got {type(value).__name__}")
    if value.shape != shape or value.dtype != dtype:
        raise ValueError(
            f"{name} must be of shape {shape} and dtype {np.dtype(dtype).name}, "
            f"got {value.shape} {value.dtype}"
        )


Arrays = TypeVar("Arrays")


def select_arrays(arrays: Arrays, which: Any) -> Arrays:
    """Index every array of a dataclass of parallel arrays alike; a single number keeps the first axis."""
    if isinstance(which, (int, np.integer)):
        which = slice(which, which + 1) if which != -1 else slice(-1, None)
    return type(arrays)(*(getattr(arrays, field.name)[which] for field in fields(arrays)))  # type: ignore[arg-type]


def merge_arrays(kind: type[Arrays], parts: list[Arrays]) -> Arrays:
    """Join dataclasses of parallel arrays along the first axis."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


_SQUARE: Final = 0.35


def print_in_box(
    wide: NDArray[np.float64], high: NDArray[np.float64], cos: NDArray[np.float64], sin: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How long the print in upright boxes is along its own direction and across it: (N,) each.

    Turned by about half a right angle the box is square however long the print is: both are NaN.

    Args:
        wide: (N,) of the boxes.
        high: (N,) of them.
        cos: (N,) of the angle between the print's direction and straight down, without its sign.
        sin: (N,) the same.
    """
    det = cos * cos - sin * sin
    det = np.where(np.abs(det) >= _SQUARE, det, np.nan)
    return (high * cos - wide * sin) / det, (wide * cos - high * sin) / det


SAME_INDEX: Final = 0.45
"""Keypoints closer than this share of the rank-to-suit span are those of one index (8 mm apart is above
0.55)."""
SAME_BOX: Final = 0.6
"""Boxes that overlap more than this (intersection over union) hold one thing."""
_SAME_MIDDLE: Final = 0.4
_BACK_MM: Final = (55.0, 120.0)
"""Long side of the upright box round a back: up to a card's diagonal, 109 mm, and a tenth more, as boxes are read."""
"""Middles closer than this share of the longer span are of one index, of which one view shows a part."""


def suppress(
    found: Detections, same_index: float = SAME_INDEX, same_box: float = SAME_BOX
) -> NDArray[np.int64]:
    """Numbers of the detections to keep, best first: each thing once, whatever its class.

    Two indices of identical cards that lie 8 mm apart are both kept, though their boxes overlap: what
    counts is how far apart their keypoints are, in the index's own size. The same index found in two
    tiles, at two scales, or with rank and suit exchanged, is kept once.
    """
    return np.asarray([group[0] for group in group_same(found, same_index, same_box)], np.int64)


def of_a_cards_size(backs: Detections, px_per_mm: float) -> Detections:
    """Those of the backs whose boxes are as large as a card can be that lies there at any turn.

    Args:
        backs: in a picture of the table plane.
        px_per_mm: its scale.
    """
    long_side = (backs.xyxy[:, 2:] - backs.xyxy[:, :2]).max(1, initial=0.0) / px_per_mm
    return backs[(long_side > _BACK_MM[0]) & (long_side < _BACK_MM[1])]


def group_same(
    found: Detections, same_index: float = SAME_INDEX, same_box: float = SAME_BOX
) -> list[NDArray[np.int64]]:
    """Numbers of the detections, grouped by the thing they show; each group's best, and the best group,
    first."""
    order = np.argsort(-found.confidence, kind="stable")
    place = _Places(found, order)
    free = np.ones(len(order), bool)
    groups: list[NDArray[np.int64]] = []
    for best in range(len(order)):
        if not free[best]:
            continue
        same = place.overlap(best) > same_box
        if not place.is_back[best]:
            same |= (place.apart(best) < same_index) | (place.middles_apart(best) < _SAME_MIDDLE)
        same &= free & (place.is_back == place.is_back[best])
        # Whatever its numbers (a box of no size overlaps nothing), it is of its own group.
        same[best] = True
        free[same] = False
        groups.append(order[same])
    return groups


class _Places:
    """Where N detections lie, one flat array a coordinate: otherwise this is the slow part of a zone."""

    def __init__(self, found: Detections, order: NDArray[np.int64]) -> None:
        self.is_back = found.class_id[order] == BACK
        self.x0, self.y0, self.x1, self.y1 = np.ascontiguousarray(found.xyxy[order].T)
        self.area = np.maximum(self.x1 - self.x0, 0) * np.maximum(self.y1 - self.y0, 0)
        self.rx, self.ry, self.sx, self.sy = np.ascontiguousarray(found.keypoints[order].reshape(-1, 4).T)
        self.span = np.hypot(self.sx - self.rx, self.sy - self.ry)

    def apart(self, i: int) -> Floats:
        """Mean distance of the two keypoints from all others, either way round, in the shorter span: (N,)."""
        rx, ry, sx, sy = self.rx[i], self.ry[i], self.sx[i], self.sy[i]
        straight = np.hypot(self.rx - rx, self.ry - ry) + np.hypot(self.sx - sx, self.sy - sy)
        turned = np.hypot(self.sx - rx, self.sy - ry) + np.hypot(self.rx - sx, self.ry - sy)
        shorter = np.maximum(np.minimum(self.span, self.span[i]), 1e-6)
        return np.asarray(np.minimum(straight, turned) / (2 * shorter), np.float32)

    def middles_apart(self, i: int) -> Floats:
        """Distance of i's middle from all others', in the longer span: (N,)."""
        across = (self.rx + self.sx - self.rx[i] - self.sx[i]) / 2
        down = (self.ry + self.sy - self.ry[i] - self.sy[i]) / 2
        longer = np.maximum(np.maximum(self.span, self.span[i]), 1e-6)
        return np.asarray(np.hypot(across, down) / longer, np.float32)

    def overlap(self, i: int) -> Floats:
        """Intersection over union of i's box with all boxes: (N,)."""
        wide = np.minimum(self.x1, self.x1[i]) - np.maximum(self.x0, self.x0[i])
        high = np.minimum(self.y1, self.y1[i]) - np.maximum(self.y0, self.y0[i])
        inside = np.maximum(wide, 0) * np.maximum(high, 0)
        return np.asarray(inside / np.maximum(self.area + self.area[i] - inside, 1e-6), np.float32)
