"""How spoilt a photograph usually is: draws the numbers of a `Look` from what webcams over tables do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from models.synth.camera import Look

if TYPE_CHECKING:
    from models.synth.scenes import SceneSpec


def draw_look(rng: np.random.Generator, spec: SceneSpec, span_px: float) -> Look:
    """A look for a scene in which rank and suit lie `span_px` apart; what `spec` fixes stays fixed.

    Blur is bounded by that span: indices that nobody can read teach nothing.
    """
    clean = rng.random() < spec.clean
    hard = 0.35 if clean else float(rng.beta(1.6, 1.8)) * 1.3
    look = Look()
    moves = not clean and rng.random() < 0.15
    worst = (0.055 if moves else 0.105) * span_px
    look.focus_px = _within(rng, spec.focus_px, min(abs(rng.normal(0, 0.075)) * hard * span_px + 0.3, worst))
    look.motion_px = _within(rng, spec.motion_px, float(rng.uniform(0.08, 0.28)) * span_px if moves else 0.0)
    look.motion_angle = float(rng.uniform(0, 180))
    look.noise = _within(rng, spec.noise, float(rng.gamma(1.6, 2.2)) * hard * min(1.0, span_px / 14))
    look.chroma_noise = look.noise * float(rng.uniform(0, 1.3))
    look.exposure = _within(rng, spec.exposure, _exposure(rng, hard))
    look.gamma = float(np.exp(rng.normal(0, 0.16 * min(hard, 1) + 0.04)))
    look.contrast = float(rng.uniform(-0.4, 0.8) * min(hard, 1))
    look.saturation = float(np.clip(1 + rng.normal(0, 0.25) * min(hard, 1), 0.5, 1.6))
    if rng.random() < spec.grey:
        look.saturation = 0.0
    look.gains = _cast(rng, spec.cast)
    look.haze = float(rng.uniform(0, 0.12)) if rng.random() < 0.2 * hard else 0.0
    look.sharpen = float(rng.uniform(0.1, 1.6)) if rng.random() < 0.45 else 0.0
    if spec.focus_px is None and not clean and rng.random() < 0.25:
        look.shrink = float(rng.uniform(min(0.95, max(0.5, 8.5 / span_px)), 1.0))
    if spec.focus_px is None and not clean and rng.random() < 0.08:
        look.squeeze = float(rng.uniform(0.55, 0.9))
    if spec.noise is None and rng.random() < 0.05:
        look.pepper = float(rng.uniform(0.002, 0.02))
    look.jpeg = round(_within(rng, spec.jpeg, 30 + 65 * float(rng.beta(2.2, 1.3)) if not clean else 93))
    look.jpeg_420 = bool(rng.random() < 0.8)
    return look


def _within(rng: np.random.Generator, fixed: tuple[float, float] | None, usual: float) -> float:
    return float(usual) if fixed is None else float(rng.uniform(*fixed))


def _exposure(rng: np.random.Generator, hard: float) -> float:
    what = rng.random()
    if what < 0.16 * hard:
        return float(rng.uniform(0.28, 0.6))
    if what < 0.28 * hard:
        return float(rng.uniform(1.15, 1.5))
    return float(np.exp(rng.normal(-0.08, 0.16)))


def _cast(rng: np.random.Generator, strength: float) -> tuple[float, float, float]:
    """Gains of B, G, R: mostly along warm to cold, a little towards green or magenta."""
    warm = strength * float(rng.normal(0, 0.08) if rng.random() < 0.9 else rng.uniform(-0.35, 0.35))
    green = strength * float(rng.normal(0, 0.05))
    gains = np.exp([-warm, green, warm])
    gains = gains / gains.max() if rng.random() < 0.5 else gains / gains.mean()
    return float(gains[0]), float(gains[1]), float(gains[2])
