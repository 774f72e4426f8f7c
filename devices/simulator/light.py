"""Light, lens and chip of a simulated camera: uneven light, glare, blur, cast, exposure, noise, compression."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.setup import TABLE_MM, Plane
from calibration.tags import MODULES, Tag, code_of
from devices.simulator.conditions import Conditions
from devices.simulator.optics import apply
from models.synth.surfaces import SURFACES

Image = NDArray[np.uint8]
Box = tuple[int, int, int, int]
_GROUND_MM: Final = (1800.0, 1300.0)
_GROUND_PX_PER_MM: Final = 1.6
_SHIFT: Final = 61
"""The noise is so many px wider than the picture."""
_GRAIN_ROWS: Final = 512
_STRIP: Final = 16
"""Each strip of so many rows has its noise from another place: no two frames have noise that is only shifted."""
_ON_CLOTH: Final = 40
"""How much the table shines, of 255 for a card."""
_SWING_S: Final = 37.0


def paint_ground(surface: str, seed: int, tags: Sequence[Tag] = ()) -> tuple[Image, NDArray[np.float64]]:
    """The bare table and the floor around it from above, (H, W, 3), and the matrix from its px to mm.

    Args:
        surface: kind of table top.
        seed: of what chance decides in it.
        tags: printed on the table.

    Raises:
        ValueError: no such surface.
    """
    if surface not in SURFACES:
        raise ValueError(f"surface = {surface!r} (expected one of {', '.join(SURFACES)})")
    ppm = _GROUND_PX_PER_MM
    across, down = round(_GROUND_MM[0] * ppm), round(_GROUND_MM[1] * ppm)
    rng = np.random.default_rng([seed, 0x7AB1E])
    floor = np.empty((down, across, 3), np.float32)
    floor[:] = rng.uniform(60, 120, 3)
    floor += rng.normal(0, 3, (down, across, 1)).astype(np.float32)
    w, h = round(TABLE_MM[0] * ppm), round(TABLE_MM[1] * ppm)
    x0, y0 = (across - w) // 2, (down - h) // 2
    top = SURFACES[surface][0](rng, h, w, ppm)
    # Tables in halls are neither black nor dazzling.
    mean = float(top.mean())
    top = top * np.float32(np.clip(mean, 45, 150) / max(mean, 1.0))
    rim = round(9 * ppm)
    floor[y0 - rim : y0 + h + rim, x0 - rim : x0 + w + rim] = rng.uniform(25, 90)
    floor[y0 : y0 + h, x0 : x0 + w] = top
    for tag in tags:
        _print_tag(floor, tag)
    mm = 1 / ppm
    to_table = np.array([[mm, 0, -mm * (across - 1) / 2], [0, -mm, mm * (down - 1) / 2], [0, 0, 1.0]])
    return np.clip(floor, 0, 255).astype(np.uint8), to_table


def _print_tag(ground: NDArray[np.float32], tag: Tag) -> None:
    """A tag on its paper, onto the ground as it is seen from above."""
    inked = np.where(code_of(tag.number) > 0, 22, 236)
    code = np.kron(np.pad(inked, 1, constant_values=236), np.ones((16, 16), int)).astype(np.uint8)
    ppm, side = _GROUND_PX_PER_MM, code.shape[0]
    scale = tag.size * (MODULES + 2) / MODULES / side * ppm
    a = math.radians(tag.turn)
    c, s = math.cos(a) * scale, math.sin(a) * scale
    middle = np.array(
        [(ground.shape[1] - 1) / 2 + tag.centre[0] * ppm, (ground.shape[0] - 1) / 2 - tag.centre[1] * ppm]
    )
    matrix = np.array([[c, s, 0.0], [-s, c, 0.0]])
    reach = math.ceil(scale * side)
    corner = np.floor(middle).astype(int) - reach
    matrix[:, 2] = middle - corner - matrix[:, :2] @ np.full(2, (side - 1) / 2)
    # Painted finer and brought down, so that its edges lie where they should to a tenth of the ground's px.
    finer = 4
    big = np.vstack([matrix * finer, [0, 0, 1.0]])
    big[:2, 2] += (finer - 1) / 2
    size = (2 * reach * finer, 2 * reach * finer)
    white = np.full(code.shape, 255, np.uint8)
    laid, cover = (
        cv2.resize(
            cv2.warpAffine(one, big[:2], size, flags=cv2.INTER_LINEAR),
            (2 * reach, 2 * reach),
            interpolation=cv2.INTER_AREA,
        ).astype(np.float32)
        for one in (code, white)
    )
    part = ground[corner[1] : corner[1] + 2 * reach, corner[0] : corner[0] + 2 * reach]
    part *= 1 - cover[..., None] / 255
    part += laid[..., None]


class Light:
    """What light, lens and chip do to the picture of one camera.

    Args:
        plane: where the table lies in the picture: light falls on the table, not on the picture.
        size: px.
        how: the conditions.
        seed: of glare and noise.
    """

    def __init__(self, plane: Plane, size: tuple[int, int], how: Conditions, seed: int) -> None:
        self.how = how
        self.size = size
        self.reach = math.ceil(3 * how.blur) + 1 if how.blur > 0 else 0
        rng = np.random.default_rng([seed, 0x11687])
        angle = float(rng.uniform(0, 2 * math.pi))
        self.falls = (0.8 * math.cos(angle), 0.8 * math.sin(angle))
        self.floor = 0 if how.noise <= 0 else min(30, math.ceil(3 * how.noise))
        self._field = self._light_field(rng)
        self._spots = self._glare(rng, plane) if how.glare > 0 else None
        self._tone = self._curves()
        self._grain = self._noise(rng)
        self._offsets = rng.integers(0, (_GRAIN_ROWS - _STRIP, _SHIFT), (8191, 2)).tolist()

    @property
    def shines(self) -> bool:
        """Whether there is glare."""
        return self.how.glare > 0

    def on(self, part: Image, gloss: Image | None, box: Box) -> Image:
        """A part of the scene as light and lens make it, less the level that noise adds again."""
        x0, y0, x1, y1 = box
        field = cv2.cvtColor(self._field[y0:y1, x0:x1], cv2.COLOR_GRAY2BGR)
        out = cv2.multiply(part, field, scale=1 / 200)
        if self._spots is not None and gloss is not None:
            shine = cv2.multiply(
                self._spots[y0:y1, x0:x1], np.maximum(gloss, np.uint8(_ON_CLOTH)), scale=1 / 255
            )
            out = cv2.add(out, cv2.cvtColor(shine, cv2.COLOR_GRAY2BGR))
        if self.how.blur > 0:
            out = cv2.GaussianBlur(out, (0, 0), self.how.blur)
        return np.asarray(cv2.LUT(out, self._tone), np.uint8)

    def develop(self, shown: Image, number: int) -> Image:
        """A frame of its own from the lit picture: with this frame's noise."""
        if self._grain is None:
            return shown.copy()
        out = np.empty_like(shown)
        self._add_noise(shown, out, (0, 0, *self.size), number)
        return out

    def develop_into(self, frame: Image, lit: Image, box: Box, number: int) -> None:
        """The same for a part of it."""
        x0, y0, x1, y1 = box
        if self._grain is None:
            frame[y0:y1, x0:x1] = lit
        else:
            self._add_noise(lit, frame[y0:y1, x0:x1], box, number)

    def _add_noise(self, lit: Image, out: Image, box: Box, number: int) -> None:
        """Lit pixels of a box and this frame's noise there, strip by strip."""
        assert self._grain is not None
        x0, y0, x1, y1 = box
        for strip in range(y0 // _STRIP, (y1 - 1) // _STRIP + 1):
            top, bottom = max(y0, strip * _STRIP), min(y1, (strip + 1) * _STRIP)
            dy, dx = self._offsets[(number * 977 + strip) % len(self._offsets)]
            dy += top - strip * _STRIP
            grain = self._grain[dy : dy + bottom - top, dx + x0 : dx + x1]
            cv2.add(lit[top - y0 : bottom - y0], grain, dst=out[top - y0 : bottom - y0])

    def finish(self, frame: Image, at: float) -> Image:
        """What the whole frame goes through: exposure that swings, compression."""
        how = self.how
        if how.drift > 0:
            swing = 1 + how.drift * math.sin(2 * math.pi * at / _SWING_S)
            frame = np.asarray(cv2.convertScaleAbs(frame, alpha=swing), np.uint8)
        if how.jpeg > 0:
            done, data = cv2.imencode(".jpg", frame, [cv2.IMWRITE_JPEG_QUALITY, how.jpeg])
            if not done:
                raise RuntimeError("a simulated frame could not be compressed to JPEG")
            frame = np.asarray(cv2.imdecode(data, cv2.IMREAD_COLOR), np.uint8)
        return frame

    def _light_field(self, rng: np.random.Generator) -> Image:
        """How much light falls where, 200 is all of it."""
        w, h = self.size
        angle = float(rng.uniform(0, 2 * math.pi))
        x = np.linspace(-1, 1, w, dtype=np.float32)[None]
        y = np.linspace(-1, 1, h, dtype=np.float32)[:, None]
        slope = np.float32(self.how.slope / 2)
        field = 1 - slope + slope * (x * np.float32(math.cos(angle)) + y * np.float32(math.sin(angle)))
        field = field - np.float32(self.how.vignetting / 2) * (x * x + y * y)
        return np.asarray(np.clip(field * 200, 0, 255), np.uint8)

    def _glare(self, rng: np.random.Generator, plane: Plane) -> Image:
        """Spots where lamps shine back: in the seats' zones, where they hurt."""
        w, h = self.size
        spots = np.zeros((h // 4, w // 4), np.float32)
        for seat in range(4):
            for _ in range(int(rng.integers(1, 3))):
                a = math.pi / 2 * seat
                u, d = float(rng.uniform(-110, 110)), float(rng.uniform(160, 290))
                x, y = u * math.cos(a) + d * math.sin(a), u * math.sin(a) - d * math.cos(a)
                px = apply(plane.to_px, np.array([[x, y], [x + 10.0, y]]))
                scale = float(np.hypot(*(px[1] - px[0]))) / 10 / 4
                centre = (int(px[0, 0] / 4), int(px[0, 1] / 4))
                axes = (int(rng.uniform(16, 34) * scale), int(rng.uniform(10, 22) * scale))
                one = np.zeros_like(spots)
                cv2.ellipse(
                    one, centre, axes, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(0.7, 1)), -1
                )
                spots = np.maximum(spots, cv2.GaussianBlur(one, (0, 0), max(0.8, 9 * scale)))
        full = cv2.resize(spots, (w, h), interpolation=cv2.INTER_LINEAR)
        return np.asarray(np.clip(full * 255 * self.how.glare, 0, 255), np.uint8)

    def _curves(self) -> Image:
        """Colour cast, and the level that the noise is around, as one table (256, 1, 3)."""
        levels = np.arange(256, dtype=np.float32)[:, None] * np.asarray(self.how.cast, np.float32)
        return np.asarray(np.clip(np.round(levels) - self.floor, 0, 255), np.uint8).reshape(256, 1, 3)

    def _noise(self, rng: np.random.Generator) -> Image | None:
        if self.how.noise <= 0:
            return None
        shape = (_GRAIN_ROWS, self.size[0] + _SHIFT)
        grey = rng.standard_normal((*shape, 1), dtype=np.float32) * np.float32(0.8)
        colour = rng.standard_normal((*shape, 3), dtype=np.float32) * np.float32(0.6)
        grain = np.round((grey + colour) * np.float32(self.how.noise) + np.float32(self.floor))
        return np.clip(grain, 0, 255).astype(np.uint8)
