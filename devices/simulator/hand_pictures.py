"""Pictures of hands with their shadows, drawn once for a scale and turn, to be moved over the simulated table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth import clutter

ARM_MM: Final = 720.0
"""From the finger tips to where the sleeve is cut off: enough to reach across the middle of the table."""
_WIDE_MM: Final = 260.0
_TIP_MM: Final = 70.0
"""Room above the finger tips."""
_DRAWN_MM: Final = 420.0


@dataclass(frozen=True, slots=True)
class Sprite:
    """A picture to be laid over another: (H, W, 3) colours times opacity, (H, W) opacity, and its finger tips."""

    colour: NDArray[np.uint8]
    alpha: NDArray[np.uint8]
    tip: tuple[float, float]


def draw_hand(seed: int, px_per_mm: float) -> Sprite:
    """A hand that reaches straight up in its picture; equal seeds, equal hands."""
    ppm = px_per_mm
    w, h = round(_WIDE_MM * ppm), round(_DRAWN_MM * ppm)
    tip = np.array([w / 2, _TIP_MM * ppm])
    number = _from_below(seed, (w, h), tip)
    black, white = (_painted(number, (w, h), ppm, tip, ground) for ground in (0, 255))
    alpha = 255 - cv2.subtract(white, black).max(axis=2)
    # The sleeve goes on as it leaves the drawing.
    more = round((ARM_MM - _DRAWN_MM + _TIP_MM) * ppm)
    row = round((_DRAWN_MM - 60) * ppm)
    colour = np.concatenate([black[:row], np.repeat(black[row : row + 1], h - row + more, axis=0)])
    opacity = np.concatenate([alpha[:row], np.repeat(alpha[row : row + 1], h - row + more, axis=0)])
    return Sprite(np.ascontiguousarray(colour), np.ascontiguousarray(opacity), (float(tip[0]), float(tip[1])))


def turned(sprite: Sprite, degrees: float) -> Sprite:
    """The same hand turned counter-clockwise about its finger tips, cut close."""
    h, w = sprite.alpha.shape
    a = math.radians(degrees)
    cos, sin = math.cos(a), math.sin(a)
    corners = np.array([[0, 0], [w, 0], [w, h], [0, h]], float) - sprite.tip
    seen = np.stack([corners[:, 0] * cos + corners[:, 1] * sin, corners[:, 1] * cos - corners[:, 0] * sin], 1)
    low = np.floor(seen.min(0))
    size = np.ceil(seen.max(0) - low).astype(int)
    tx, ty = -low
    move = np.array([
        [cos, sin, tx - cos * sprite.tip[0] - sin * sprite.tip[1]],
        [-sin, cos, ty + sin * sprite.tip[0] - cos * sprite.tip[1]],
    ])  # fmt: skip
    out = (int(size[0]), int(size[1]))
    colour = cv2.warpAffine(sprite.colour, move, out, flags=cv2.INTER_LINEAR)
    alpha = cv2.warpAffine(sprite.alpha, move, out, flags=cv2.INTER_LINEAR)
    x, y, bw, bh = cv2.boundingRect((alpha > 3).astype(np.uint8))
    return Sprite(
        np.ascontiguousarray(colour[y : y + bh, x : x + bw]),
        np.ascontiguousarray(alpha[y : y + bh, x : x + bw]),
        (float(tx - x), float(ty - y)),
    )


def _painted(
    number: int, size: tuple[int, int], ppm: float, tip: NDArray[np.float64], ground: int
) -> NDArray[np.uint8]:
    """The hand on one colour: from two of them its opacity follows, shadow included."""
    w, h = size
    picture = np.full((h, w, 3), ground, np.uint8)
    stage = clutter.Stage(picture, np.zeros((h, w), np.int16), ppm, (0.35 * ppm, 0.25 * ppm))
    clutter.hand(np.random.default_rng([number, 0x4A4D]), stage, tip, 1)
    return stage.picture


def _from_below(seed: int, size: tuple[int, int], tip: NDArray[np.float64]) -> int:
    """The first number from `seed` on with which `clutter.hand` comes nearly straight from the lower edge."""
    w, h = size
    for number in range(seed * 1000, seed * 1000 + 1000):
        # The first draws of `clutter.hand`: which edge it comes from, and where along each edge.
        rng = np.random.default_rng([number, 0x4A4D])
        side = int(rng.integers(4))
        from_x = float(rng.uniform(0, w))
        if side == 0 and abs(from_x - tip[0]) < 0.14 * (h - tip[1]):
            return number
    raise LookupError(f"no hand from below among the numbers from {seed * 1000}")
