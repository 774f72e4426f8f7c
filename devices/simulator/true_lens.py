"""Lenses as they are, for tests of calibration: what bends light need not be the formula that is solved for."""

from __future__ import annotations

import math
from dataclasses import dataclass
from random import Random
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

Points = NDArray[np.float64]
_STEPS: Final = 40


class TrueLens(Protocol):
    """Where rays meet the picture."""

    @property
    def size(self) -> tuple[int, int]:
        """Width and height of the picture, px."""
        ...

    def to_px(self, rays: Points) -> Points:
        """Rays (..., 2), x/z and y/z, to px (..., 2)."""
        ...

    def to_rays(self, px: Points) -> Points:
        """The other way."""
        ...


@dataclass(frozen=True, slots=True)
class BrownLens:
    """Brown's radial and tangential distortion: k1, k2, p1, p2, k3."""

    size: tuple[int, int]
    focal: float
    middle: tuple[float, float]
    bends: tuple[float, float, float, float, float]

    def to_px(self, rays: Points) -> Points:
        """Rays to px."""
        return np.asarray(self._bent(rays) * self.focal + self.middle)

    def to_rays(self, px: Points) -> Points:
        """Px to rays, by steps."""
        target = (np.asarray(px) - self.middle) / self.focal
        rays = target.copy()
        for _ in range(_STEPS):
            rays += target - self._bent(rays)
        return np.asarray(rays)

    def _bent(self, rays: Points) -> Points:
        k1, k2, p1, p2, k3 = self.bends
        x, y = rays[..., 0], rays[..., 1]
        r = x * x + y * y
        radial = 1 + r * (k1 + r * (k2 + r * k3))
        return np.stack(
            [
                x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x),
                y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y,
            ],
            -1,
        )


@dataclass(frozen=True, slots=True)
class AngleLens:
    """A wide lens whose picture height goes with the angle: f (t + a t^3 + b t^5), and a slightly tilted chip."""

    size: tuple[int, int]
    focal: float
    middle: tuple[float, float]
    bends: tuple[float, float]
    chip: tuple[float, float] = (0.0, 0.0)

    def to_px(self, rays: Points) -> Points:
        """Rays to px."""
        r = np.linalg.norm(rays, axis=-1, keepdims=True)
        t = np.arctan(r)
        flat = rays * np.where(r > 1e-9, self._height(t) / np.maximum(r, 1e-9), 1.0)
        lean = 1 + flat @ np.array(self.chip)
        return np.asarray(flat / lean[..., None] * self.focal + self.middle)

    def to_rays(self, px: Points) -> Points:
        """Px to rays, by Newton's steps."""
        leaned = (np.asarray(px) - self.middle) / self.focal
        flat = leaned / (1 - leaned @ np.array(self.chip))[..., None]
        height = np.linalg.norm(flat, axis=-1, keepdims=True)
        t = height.copy()
        a, b = self.bends
        for _ in range(12):
            t -= (self._height(t) - height) / (1 + t * t * (3 * a + 5 * b * t * t))
        return np.asarray(flat * np.where(height > 1e-9, np.tan(t) / np.maximum(height, 1e-9), 1.0))

    def _height(self, t: Points) -> Points:
        a, b = self.bends
        return np.asarray(t * (1 + t * t * (a + b * t * t)))


def random_lens(size: tuple[int, int], view: float, rng: Random) -> TrueLens:
    """A lens as cameras for tables have them.

    Args:
        size: width and height of the picture, px.
        view: how wide it sees across the picture, degrees.
        rng: the source of chance.
    """
    width, height = size
    middle = ((width - 1) / 2 + rng.gauss(0, width * 0.006), (height - 1) / 2 + rng.gauss(0, width * 0.006))
    half = math.radians(view / 2)
    if rng.random() < 0.5:
        k1 = rng.uniform(-0.22, 0.03)
        # The usual run of real lenses: a strong first bend is partly taken back by the second.
        k2 = -0.3 * k1 + rng.uniform(-0.01, 0.01)
        bends = (k1, k2, rng.gauss(0, 4e-4), rng.gauss(0, 4e-4), rng.uniform(-0.008, 0.0))
        unit = BrownLens(size, 1.0, (0.0, 0.0), bends)
        edge = float(unit.to_px(np.array([math.tan(half), 0.0]))[0])
        return BrownLens(size, width / 2 / edge, middle, bends)
    # Between a picture that grows with the tangent (a third) and one that grows with the angle (nothing).
    angle = (rng.uniform(0.12, 0.31), rng.uniform(0.02, 0.1))
    chip = (rng.gauss(0, 1e-3), rng.gauss(0, 1e-3))
    lens = AngleLens(size, 1.0, (0.0, 0.0), angle)
    edge = float(lens.to_px(np.array([math.tan(half), 0.0]))[0])
    return AngleLens(size, width / 2 / edge, middle, angle, chip)
