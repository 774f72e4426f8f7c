"""Pictures laid into pictures: warped through a camera, with shadows, part by part."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.setup import Plane
from devices.simulator.optics import apply, undistorted
from models.synth.surfaces import darken

Image = NDArray[np.uint8]
Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in px, the last ones excluded."""
_SHADOW: Final = 0.34


@dataclass(frozen=True, slots=True, eq=False)
class Patch:
    """A thing as this camera sees it: colours times opacity, opacity, its shadow, and where they go."""

    box: Box
    colour: Image
    alpha: Image
    shade_box: Box
    shade: Image


class Warp:
    """Warps pictures into a camera's, with the lens's distortion where it has one."""

    def __init__(self, plane: Plane) -> None:
        self.lens = plane.lens if plane.lens is not None and any(plane.lens.distortion) else None

    def warp(
        self, sheet: Image, to_px: NDArray[np.float64], box: Box, border: int = cv2.BORDER_CONSTANT
    ) -> Image:
        """The part of the picture in `box` that a sheet covers; `to_px` leads to undistorted px."""
        x0, y0, x1, y1 = box
        size = (x1 - x0, y1 - y0)
        if self.lens is None:
            shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
            return np.asarray(
                cv2.warpPerspective(sheet, shift @ to_px, size, flags=cv2.INTER_LINEAR, borderMode=border),
                np.uint8,
            )
        # The lens bends smoothly: every eighth pixel is enough, the rest lies between.
        step = 8.0
        nx, ny = math.ceil(size[0] / step) + 1, math.ceil(size[1] / step) + 1
        xs, ys = np.meshgrid(x0 + step * np.arange(nx), y0 + step * np.arange(ny))
        grid = undistorted(self.lens, np.stack([xs, ys], -1))
        source = apply(np.asarray(np.linalg.inv(to_px), np.float64), grid).astype(np.float32)
        gx, gy = np.meshgrid(
            np.arange(size[0], dtype=np.float32) / np.float32(step),
            np.arange(size[1], dtype=np.float32) / np.float32(step),
        )
        where = cv2.remap(source, gx, gy, cv2.INTER_LINEAR)
        mapped = cv2.remap(sheet, where[..., 0], where[..., 1], cv2.INTER_LINEAR, borderMode=border)
        return np.asarray(mapped, np.uint8)


def around(a: Box, b: Box) -> Box:
    """The box around both; an empty `b` adds nothing."""
    if b[2] <= b[0]:
        return a
    return min(a[0], b[0]), min(a[1], b[1]), max(a[2], b[2]), max(a[3], b[3])


def cut_out(part: Image, wide: Box, box: Box) -> Image:
    """The part of a picture of `wide` that shows `box`."""
    return part[box[1] - wide[1] : box[3] - wide[1], box[0] - wide[0] : box[2] - wide[0]]


def joined(boxes: Sequence[Box]) -> list[Box]:
    """Boxes that touch, as one."""
    left = list(boxes)
    done: list[Box] = []
    while left:
        box = left.pop()
        for other in left:
            if box[0] < other[2] and other[0] < box[2] and box[1] < other[3] and other[1] < box[3]:
                left.remove(other)
                left.append(around(box, other))
                break
        else:
            done.append(box)
    return done


def lay(part: Image, gloss: Image | None, patch: Patch, origin: tuple[int, int]) -> None:
    """A thing's shadow and the thing onto a part of the picture whose top left is at `origin`."""
    x0, y0, x1, y1 = patch.shade_box
    cut = _common(part.shape, (x0, y0, x1, y1), origin)
    if cut is not None:
        rows, cols, inner_rows, inner_cols = cut
        darken(part[rows, cols], np.ascontiguousarray(patch.shade[inner_rows, inner_cols]), _SHADOW)
    blend(part, gloss, patch.colour, patch.alpha, patch.box, origin, shines=True)


def blend(
    part: Image,
    gloss: Image | None,
    colour: Image,
    alpha: Image,
    box: Box,
    origin: tuple[int, int],
    shines: bool,
) -> None:
    """Colours times opacity of `box` onto a part of the picture; `shines`: as cards do under glare."""
    cut = _common(part.shape, box, origin)
    if cut is None:
        return
    rows, cols, inner_rows, inner_cols = cut
    view, over = part[rows, cols], alpha[inner_rows, inner_cols]
    under = cv2.multiply(view, cv2.cvtColor(cv2.bitwise_not(over), cv2.COLOR_GRAY2BGR), scale=1 / 255)
    cv2.add(under, colour[inner_rows, inner_cols], dst=under)
    view[:] = under
    if gloss is not None:
        seen = gloss[rows, cols]
        seen[over > 127] = 255 if shines else 0


def _common(
    shape: tuple[int, ...], box: Box, origin: tuple[int, int]
) -> tuple[slice, slice, slice, slice] | None:
    """Rows and columns that a part of a picture and a box share: in the part, then in the box."""
    x0, y0 = max(box[0], origin[0]), max(box[1], origin[1])
    x1, y1 = min(box[2], origin[0] + shape[1]), min(box[3], origin[1] + shape[0])
    if x1 <= x0 or y1 <= y0:
        return None
    return (
        slice(y0 - origin[1], y1 - origin[1]), slice(x0 - origin[0], x1 - origin[0]),
        slice(y0 - box[1], y1 - box[1]), slice(x0 - box[0], x1 - box[0]),
    )  # fmt: skip
