"""What lies under the cards: cloth, wood, desks, mats, patterned and knitted covers, painted at the scene's
scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

Picture = NDArray[np.float32]
"""A picture in the making: (H, W, 3), BGR, 0..255."""


def soft_noise(
    rng: np.random.Generator, h: int, w: int, cell_y: float, cell_x: float | None = None
) -> Picture:
    """Noise with features of about `cell` px, mean 0, within about -1..1, (h, w) float32."""
    cell_x = cell_y if cell_x is None else cell_x
    grid = rng.standard_normal(
        (max(2, int(h / max(cell_y, 1)) + 2), max(2, int(w / max(cell_x, 1)) + 2)), dtype=np.float32
    )
    return np.asarray(cv2.resize(grid, (w, h), interpolation=cv2.INTER_CUBIC), np.float32) * 0.5


def soften(mask: NDArray[np.uint8], sigma: float) -> NDArray[np.uint8]:
    """A Gaussian blur of a one-channel mask; strong ones are done on a smaller copy."""
    factor = int(sigma / 1.6)
    h, w = mask.shape
    if factor < 2 or min(h, w) < 4 * factor:
        return np.asarray(cv2.GaussianBlur(mask, (0, 0), max(sigma, 0.3)), np.uint8)
    small = cv2.resize(mask, (-(-w // factor), -(-h // factor)), interpolation=cv2.INTER_AREA)
    small = cv2.GaussianBlur(small, (0, 0), sigma / factor)
    return np.asarray(cv2.resize(small, (w, h), interpolation=cv2.INTER_LINEAR), np.uint8)


def darken(view: NDArray[np.uint8], mask: NDArray[np.uint8], strength: float) -> None:
    """Take light from a picture in place: by `strength` 0..1 where the mask is 255, less where it is less."""
    left = cv2.LUT(mask, (255.5 - np.float32(strength) * np.arange(256, dtype=np.float32)).astype(np.uint8))
    view[:] = cv2.multiply(view, cv2.cvtColor(left, cv2.COLOR_GRAY2BGR), scale=1 / 255)


def hsv(hue: float, saturation: float, value: float) -> NDArray[np.float32]:
    """A BGR colour 0..255 from hue in degrees, saturation and value 0..1."""
    pixel = np.array([[[hue % 360, np.clip(saturation, 0, 1), np.clip(value, 0, 1)]]], np.float32)
    return np.asarray(cv2.cvtColor(pixel, cv2.COLOR_HSV2BGR)[0, 0] * 255, np.float32)


def any_colour(rng: np.random.Generator) -> NDArray[np.float32]:
    """A colour that a table cover, a mat or a plastic thing might have."""
    what = rng.random()
    if what < 0.25:
        grey = rng.uniform(15, 245)
        return np.asarray(grey + rng.normal(0, 4, 3), np.float32)
    return hsv(rng.uniform(0, 360), rng.beta(2, 2), rng.uniform(0.15, 0.95))


def _coloured(tone: NDArray[np.float32], colour: NDArray[np.float32]) -> Picture:
    """A (h, w) tone of mean 1 in one colour."""
    return tone[..., None] * colour


def cloth(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """Baize or felt: green, blue, red, grey or black, with weave, fluff and folds."""
    hue, sat, val = [
        (rng.normal(140, 14), rng.uniform(0.35, 0.9), rng.uniform(0.2, 0.6)),
        (rng.normal(215, 14), rng.uniform(0.3, 0.9), rng.uniform(0.2, 0.7)),
        (rng.normal(355, 10), rng.uniform(0.4, 0.9), rng.uniform(0.25, 0.65)),
        (rng.uniform(0, 360), rng.uniform(0, 0.15), rng.uniform(0.06, 0.75)),
        (rng.uniform(0, 360), rng.uniform(0.1, 0.8), rng.uniform(0.15, 0.9)),
    ][int(rng.choice(5, p=[0.4, 0.18, 0.12, 0.15, 0.15]))]
    rough = rng.uniform(0.01, 0.09)
    tone = 1 + rough * rng.standard_normal((h, w), dtype=np.float32)
    tone += rng.uniform(0.0, 0.06) * soft_noise(rng, h, w, 6 * ppm)
    tone += rng.uniform(0.0, 0.12) * soft_noise(rng, h, w, 60 * ppm)
    if rng.random() < 0.5:
        tone += _weave(rng, h, w, rng.uniform(0.6, 2.2) * ppm, rng.uniform(0.02, 0.12))
    return _coloured(tone, hsv(hue, sat, val))


def _weave(rng: np.random.Generator, h: int, w: int, period: float, depth: float) -> NDArray[np.float32]:
    turn = rng.uniform(0, np.pi)
    y = np.arange(h, dtype=np.float32)[:, None]
    x = np.arange(w, dtype=np.float32)[None]
    k = np.float32(2 * np.pi / max(period, 2.0))
    u = np.sin(k * (x * np.float32(np.cos(turn)) + y * np.float32(np.sin(turn))))
    v = np.sin(k * (y * np.float32(np.cos(turn)) - x * np.float32(np.sin(turn))))
    return np.asarray(np.float32(depth) * u * v, np.float32)


def wood(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """Boards with grain, from pale beech to dark walnut."""
    side = int(np.hypot(h, w)) + 2
    light = hsv(rng.normal(28, 7), rng.uniform(0.15, 0.65), rng.uniform(0.25, 0.95))
    dark = light * rng.uniform(0.55, 0.9)
    grain = soft_noise(rng, side, side, 0.7 * ppm, 40 * ppm) + 0.7 * soft_noise(
        rng, side, side, 3 * ppm, 90 * ppm
    )
    if rng.random() < 0.5:
        level = 6 * soft_noise(rng, side, side, 25 * ppm, 160 * ppm)
        grain = 0.5 * grain + 0.5 * np.sin(2 * np.pi * level).astype(np.float32)
    mix = np.clip(0.5 + rng.uniform(0.15, 0.6) * grain, 0, 1)[..., None]
    board: Picture = np.asarray(light * (1 - mix) + dark * mix, np.float32)
    if rng.random() < 0.5:
        board = _planks(rng, board, rng.uniform(45, 140) * ppm)
    turn = rng.choice([0, 90, rng.uniform(0, 180)], p=[0.4, 0.3, 0.3])
    return _turned_cut(board.astype(np.float32), float(turn), h, w)


def _planks(rng: np.random.Generator, board: Picture, wide: float) -> Picture:
    side = board.shape[0]
    y = rng.uniform(-wide, 0)
    while y < side:
        top, bottom = max(int(y), 0), min(int(y + wide), side)
        if bottom > top:
            board[top:bottom] *= rng.uniform(0.82, 1.08)
            board[top : top + max(1, int(wide * 0.008))] *= rng.uniform(0.4, 0.85)
        y += wide
    return board


def _turned_cut(big: Picture, turn: float, h: int, w: int) -> Picture:
    side = big.shape[0]
    m = cv2.getRotationMatrix2D(((side - 1) / 2, (side - 1) / 2), turn, 1.0)
    m[:, 2] += [(w - side) / 2, (h - side) / 2]
    return np.asarray(cv2.warpAffine(big, m, (w, h), borderMode=cv2.BORDER_REFLECT), np.float32)


def desk(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """A plain board: white, cream, grey, black, or painted; a few stains and scratches."""
    what = rng.random()
    if what < 0.45:
        colour = np.asarray(rng.uniform(150, 240) + rng.normal(0, 5, 3), np.float32)
    elif what < 0.62:
        colour = np.asarray(rng.uniform(8, 70) + rng.normal(0, 3, 3), np.float32)
    else:
        colour = any_colour(rng)
    tone = (
        1
        + rng.uniform(0, 0.05) * soft_noise(rng, h, w, 90 * ppm)
        + rng.uniform(0, 0.02) * soft_noise(rng, h, w, 3)
    )
    picture = _coloured(tone, colour)
    for _ in range(int(rng.integers(0, 5)) if rng.random() < 0.4 else 0):
        at = rng.uniform(0, 1, 2) * (w, h)
        to = at + rng.normal(0, 25 * ppm, 2)
        stain = tuple((colour * rng.uniform(0.75, 1.1)).tolist())
        cv2.line(picture, _whole(at), _whole(to), stain, 1, cv2.LINE_AA)
    return picture


def speckled(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """Granite, terrazzo, cork or carpet."""
    colour = any_colour(rng)
    tone = 1 + rng.uniform(0.05, 0.4) * soft_noise(rng, h, w, rng.uniform(0.5, 3) * ppm)
    spots = soft_noise(rng, h, w, rng.uniform(0.8, 4) * ppm)
    picture = _coloured(tone, colour)
    picture[spots > rng.uniform(0.4, 0.9)] = any_colour(rng)
    return picture


def checks(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """A tablecloth with stripes or checks."""
    side = int(np.hypot(h, w)) + 2
    ground, other = any_colour(rng), any_colour(rng)
    period = rng.uniform(4, 40) * ppm
    line = (np.arange(side) % period < period * rng.uniform(0.2, 0.6)).astype(np.float32)
    crossed = rng.random() < 0.6
    mix = (line[:, None] + line[None]) / 2 if crossed else np.repeat(line[:, None], side, axis=1)
    big = ground * (1 - mix[..., None]) + other * mix[..., None]
    big *= (1 + 0.05 * rng.standard_normal((side, side), dtype=np.float32))[..., None]
    return _turned_cut(big.astype(np.float32), float(rng.uniform(0, 180)), h, w)


def flowered(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """A tablecloth with repeated dots, petals or blots."""
    tile_px = int(np.clip(rng.uniform(15, 70) * ppm, 16, 300))
    tile = np.empty((tile_px, tile_px, 3), np.uint8)
    tile[:] = any_colour(rng)
    for _ in range(int(rng.integers(1, 9))):
        centre = rng.uniform(0.15, 0.85, 2) * tile_px
        size = rng.uniform(0.03, 0.18) * tile_px
        colour = tuple(any_colour(rng).tolist())
        if rng.random() < 0.5:
            petals = int(rng.integers(4, 8))
            for k in range(petals):
                a = 2 * np.pi * k / petals
                spot = centre + size * np.array([np.cos(a), np.sin(a)])
                cv2.ellipse(
                    tile,
                    _whole(spot),
                    _whole((size * 0.7 + 1, size * 0.4 + 1)),
                    np.degrees(a),
                    0,
                    360,
                    colour,
                    -1,
                    cv2.LINE_AA,
                )
        cv2.circle(
            tile, _whole(centre), int(size * 0.5) + 1, tuple(any_colour(rng).tolist()), -1, cv2.LINE_AA
        )
    side = int(np.hypot(h, w)) + 2
    big = np.tile(tile, (side // tile_px + 1, side // tile_px + 1, 1))[:side, :side]
    big = big * (1 + 0.04 * rng.standard_normal((side, side), dtype=np.float32))[..., None]
    return _turned_cut(big.astype(np.float32), float(rng.uniform(0, 180)), h, w)


def knit(rng: np.random.Generator, h: int, w: int, ppm: float) -> Picture:
    """A coarse blanket: rows of stitches with deep shadows between."""
    side = int(np.hypot(h, w)) + 2
    period = rng.uniform(3, 9) * ppm
    y = np.arange(side, dtype=np.float32)[:, None]
    x = np.arange(side, dtype=np.float32)[None]
    bend = soft_noise(rng, side, side, 40 * ppm) * period
    k = np.float32(2 * np.pi / period)
    tone = 0.8 + 0.2 * np.sin(k * (y + bend) + np.sin(k * x * 0.5)) * np.abs(
        np.sin(k * 0.5 * (x + 0.5 * bend))
    )
    tone += 0.06 * rng.standard_normal((side, side), dtype=np.float32)
    return _turned_cut(_coloured(tone.astype(np.float32), any_colour(rng)), float(rng.uniform(0, 180)), h, w)


def _whole(point: object) -> tuple[int, int]:
    x, y = np.asarray(point, float)
    return round(float(x)), round(float(y))


def mat_edge(rng: np.random.Generator, picture: Picture, other: Picture, ppm: float) -> Picture:
    """Two surfaces meeting: the edge of a mat, a table, a tray or a rug, straight or round."""
    h, w = picture.shape[:2]
    mask = np.zeros((h, w), np.uint8)
    if rng.random() < 0.75:
        centre = rng.uniform(0, 1, 2) * (w, h)
        turn = rng.choice([0, 90, 180, 270]) + rng.normal(0, 8)
        size = 4.0 * max(h, w)
        a = np.deg2rad(turn)
        middle = centre + size / 2 * np.array([np.cos(a), np.sin(a)])
        cv2.fillPoly(
            mask, [cv2.boxPoints((tuple(middle.tolist()), (size, size), turn)).astype(np.int32)], 255
        )
    else:
        radius = rng.uniform(0.6, 2.0) * max(h, w)
        a = rng.uniform(0, 2 * np.pi)
        away = radius + rng.uniform(-0.3, 0.4) * max(h, w)
        centre = np.array([w, h]) / 2 + away * np.array([np.cos(a), np.sin(a)])
        cv2.circle(mask, _whole(centre), int(radius), 255, -1)
    soft = cv2.GaussianBlur(mask, (0, 0), 0.7)[..., None].astype(np.float32) / 255
    out = picture * (1 - soft) + other * soft
    if rng.random() < 0.6:
        rim = cv2.morphologyEx(mask, cv2.MORPH_GRADIENT, np.ones((3, 3), np.uint8))
        rim = cv2.dilate(rim, np.ones((3, 3), np.uint8), iterations=int(rng.uniform(0, 2 * ppm)))
        rim_soft = cv2.GaussianBlur(rim, (0, 0), 0.8)[..., None].astype(np.float32) / 255
        out = out * (1 - rim_soft) + rim_soft * (any_colour(rng) if rng.random() < 0.5 else out * 0.5)
    return np.asarray(out, np.float32)


Surface = Callable[[np.random.Generator, int, int, float], Picture]
SURFACES: Final[dict[str, tuple[Surface, float]]] = {
    "cloth": (cloth, 0.38),
    "wood": (wood, 0.22),
    "desk": (desk, 0.20),
    "speckled": (speckled, 0.06),
    "checks": (checks, 0.05),
    "flowered": (flowered, 0.05),
    "knit": (knit, 0.04),
}


def paint_surface(rng: np.random.Generator, size: tuple[int, int], ppm: float) -> NDArray[np.uint8]:
    """A table top of (width, height) px at `ppm` px/mm: one surface, in 30 of 100 two that meet."""
    w, h = size
    kinds = list(SURFACES)
    weights = np.array([SURFACES[k][1] for k in kinds])

    def one() -> Picture:
        return SURFACES[str(rng.choice(kinds, p=weights / weights.sum()))][0](rng, h, w, ppm)

    picture = one()
    if rng.random() < 0.3:
        picture = mat_edge(rng, picture, one(), ppm)
    return np.clip(picture, 0, 255, out=picture).astype(np.uint8)
