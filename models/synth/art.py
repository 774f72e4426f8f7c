"""What stands on a face beside its indices: pips, court pictures, frames; and what stands on its back."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.glyphs import Mask, fit

Picture = NDArray[np.uint8]
Colour = tuple[int, int, int]

# Columns and heights of the pips as shares of the card, for one half; the rest follows by turning.
_PIPS: Final[dict[int, list[tuple[float, float]]]] = {
    2: [(0.5, 0.2), (0.5, 0.8)],
    3: [(0.5, 0.2), (0.5, 0.5), (0.5, 0.8)],
    4: [(0.3, 0.2), (0.7, 0.2), (0.3, 0.8), (0.7, 0.8)],
    5: [(0.3, 0.2), (0.7, 0.2), (0.5, 0.5), (0.3, 0.8), (0.7, 0.8)],
    6: [(0.3, 0.2), (0.7, 0.2), (0.3, 0.5), (0.7, 0.5), (0.3, 0.8), (0.7, 0.8)],
    7: [(0.3, 0.2), (0.7, 0.2), (0.5, 0.35), (0.3, 0.5), (0.7, 0.5), (0.3, 0.8), (0.7, 0.8)],
    8: [(0.3, 0.2), (0.7, 0.2), (0.5, 0.35), (0.3, 0.5), (0.7, 0.5), (0.5, 0.65), (0.3, 0.8), (0.7, 0.8)],
    9: [(x, y) for x in (0.3, 0.7) for y in (0.2, 0.4, 0.6, 0.8)] + [(0.5, 0.5)],
    10: [(x, y) for x in (0.3, 0.7) for y in (0.2, 0.4, 0.6, 0.8)] + [(0.5, 0.3), (0.5, 0.7)],
}


def blend(canvas: Picture, mask: Mask, colour: Colour | Picture, x: float, y: float) -> None:
    """Print `mask` in `colour` (BGR, or a picture of the canvas's shape) with its top left corner at (x, y) px."""
    x0, y0 = round(x), round(y)
    h, w = mask.shape
    left, top = max(0, x0), max(0, y0)
    right, bottom = min(canvas.shape[1], x0 + w), min(canvas.shape[0], y0 + h)
    if right <= left or bottom <= top:
        return
    part = mask[top - y0 : bottom - y0, left - x0 : right - x0, None]
    ink = colour[top:bottom, left:right] if isinstance(colour, np.ndarray) else np.array(colour, np.float32)
    under = canvas[top:bottom, left:right].astype(np.float32)
    canvas[top:bottom, left:right] = (under + (ink - under) * part).astype(np.uint8)


def blend_centred(canvas: Picture, mask: Mask, colour: Colour | Picture, x: float, y: float) -> None:
    """Print `mask` around its centre (x, y) px."""
    blend(canvas, mask, colour, x - mask.shape[1] / 2, y - mask.shape[0] / 2)


def draw_pips(
    canvas: Picture,
    rank: str,
    suit_ink: NDArray[np.uint8],
    colour: Colour | Picture,
    size: float,
    squeeze: float,
) -> None:
    """Pips of an ordinary number card or ace; `size` px high, `squeeze` pulls the columns to the middle."""
    h, w = canvas.shape[:2]
    aspect = suit_ink.shape[1] / suit_ink.shape[0]
    mask = fit(suit_ink, size * aspect, size)
    flipped = np.ascontiguousarray(mask[::-1, ::-1])
    places = [(0.5, 0.5)] if rank == "A" else _PIPS[int(rank)]
    for px, py in places:
        x = w * (0.5 + (px - 0.5) * squeeze)
        blend_centred(canvas, flipped if py > 0.5 else mask, colour, x, h * py)


def _figure(
    size: tuple[int, int], rng: np.random.Generator, palette: list[Colour], ground: Colour
) -> Picture:
    """One half of a court picture: robe, arms, head, crown as polygons and patterns."""
    w, h = size
    art = np.full((h, w, 3), ground, np.uint8)

    def pick() -> Colour:
        return palette[rng.integers(len(palette))]

    for _ in range(rng.integers(4, 12)):
        n = rng.integers(3, 7)
        centre = np.array([rng.uniform(0, w), rng.uniform(h * 0.35, h)])
        points = centre + rng.normal(0, 0.22, (n, 2)) * (w, h * 0.7)
        cv2.fillPoly(art, [cv2.convexHull(points.astype(np.int32))], pick(), cv2.LINE_AA)
    for _ in range(rng.integers(1, 5)):
        x, step = int(rng.uniform(0, w)), int(rng.uniform(4, 14))
        shade = pick()
        for k in range(int(rng.integers(3, 12))):
            if rng.random() < 0.5:
                cv2.line(art, (x + k * step, int(h * 0.45)), (x + k * step + 30, h), shade, 2, cv2.LINE_AA)
            else:
                cv2.circle(art, (x + k * step, int(rng.uniform(h * 0.5, h))), 3, shade, -1, cv2.LINE_AA)
    cx, cy = int(w * rng.uniform(0.38, 0.62)), int(h * rng.uniform(0.3, 0.45))
    rx, ry = int(w * rng.uniform(0.1, 0.17)), int(h * rng.uniform(0.14, 0.24))
    cv2.ellipse(art, (cx, cy), (int(rx * 1.4), int(ry * 1.3)), 0, 0, 360, pick(), -1, cv2.LINE_AA)
    cv2.ellipse(art, (cx, cy), (rx, ry), 0, 0, 360, (200, 215, 240), -1, cv2.LINE_AA)
    ink = palette[0]
    for side in (-1, 1):
        cv2.circle(art, (cx + side * rx // 2, cy - ry // 5), 2, ink, -1, cv2.LINE_AA)
    cv2.line(art, (cx - rx // 3, cy + ry // 2), (cx + rx // 3, cy + ry // 2), ink, 1, cv2.LINE_AA)
    spikes = int(rng.integers(2, 6)) * 2 + 1
    crown = [
        (cx - rx + 2 * rx * k // (spikes - 1), cy - ry - (int(ry * 0.8) if k % 2 else 0))
        for k in range(spikes)
    ]
    crown += [(cx + rx, cy - ry // 2), (cx - rx, cy - ry // 2)]
    cv2.fillPoly(art, [np.array(crown, np.int32)], pick(), cv2.LINE_AA)
    cv2.polylines(art, [np.array(crown, np.int32)], True, ink, 1, cv2.LINE_AA)
    if rng.random() < 0.5:
        x = int(rng.uniform(0.1, 0.9) * w)
        cv2.line(art, (x, 2), (x + int(rng.normal(0, 12)), h), pick(), int(rng.integers(2, 7)), cv2.LINE_AA)
    return art


def draw_court(
    canvas: Picture, rng: np.random.Generator, palette: list[Colour], suit: Mask, ink: Colour, inset: tuple[float, float],
    *, frame: bool, ground: Colour,
) -> None:  # fmt: skip
    """A court picture in a box `inset` (x, y) px from the edges, point-symmetric, with suit marks in its corners."""
    h, w = canvas.shape[:2]
    ix, iy = round(inset[0]), round(inset[1])
    bw, bh = w - 2 * ix, (h - 2 * iy) // 2 * 2
    if bw < 20 or bh < 20:
        return
    half = _figure((bw, bh // 2), rng, palette, ground)
    art = np.vstack([half, half[::-1, ::-1]])
    if rng.random() < 0.4:
        cv2.line(art, (0, bh // 2), (bw, bh // 2), ink, 2, cv2.LINE_AA)
    canvas[iy : iy + bh, ix : ix + bw] = art
    if frame:
        cv2.rectangle(canvas, (ix, iy), (ix + bw, iy + bh), ink, int(rng.integers(1, 4)), cv2.LINE_AA)
    if rng.random() < 0.8:
        x, y = ix + suit.shape[1] * rng.uniform(0.6, 0.9), iy + suit.shape[0] * rng.uniform(0.6, 0.9)
        blend_centred(canvas, suit, ink, x, y)
        blend_centred(canvas, np.ascontiguousarray(suit[::-1, ::-1]), ink, w - x, h - y)


def draw_back(width: int, height: int, rng: np.random.Generator, *, dark: bool) -> Picture:
    """A card back: a border and a pattern that is the same both ways up."""
    hue = rng.integers(0, 180)
    main = cv2.cvtColor(
        np.array([[[hue, rng.integers(60, 255), rng.integers(30, 120 if dark else 220)]]], np.uint8),
        cv2.COLOR_HSV2BGR,
    )[0, 0]
    other = (255 - rng.integers(0, 60, 3)) if rng.random() < 0.7 else rng.integers(0, 255, 3)
    if dark and rng.random() < 0.7:
        main, other = np.array([25, 25, 25]), (np.array([60, 160, 200]) * rng.uniform(0.5, 1.1)).astype(int)
    back = np.empty((height, width, 3), np.uint8)
    back[:] = main
    line = tuple(int(v) for v in other)
    kind = rng.integers(0, 6)
    step = int(rng.integers(10, 40))
    if kind == 0:
        for k in range(-height, width + height, step):
            cv2.line(back, (k, 0), (k + height, height), line, 2, cv2.LINE_AA)
            cv2.line(back, (k, 0), (k - height, height), line, 2, cv2.LINE_AA)
    elif kind == 1:
        for y in range(0, height, step):
            for x in range(0, width, step):
                cv2.circle(back, (x, y), step // 3, line, 2 if rng.random() < 0.9 else -1, cv2.LINE_AA)
    elif kind == 2:
        for r in range(6, height, step // 2 + 4):
            cv2.ellipse(back, (width // 2, height // 2), (r, int(r * 1.3)), 0, 0, 360, line, 2, cv2.LINE_AA)
    elif kind == 3:
        petals = int(rng.integers(6, 24))
        for k in range(petals):
            angle = 360 * k / petals
            cv2.ellipse(
                back,
                (width // 2, height // 2),
                (width // 3, width // 12),
                angle,
                0,
                360,
                line,
                2,
                cv2.LINE_AA,
            )
            cv2.ellipse(
                back,
                (width // 2, height // 2),
                (height // 2, width // 20),
                angle,
                0,
                360,
                line,
                1,
                cv2.LINE_AA,
            )
    elif kind == 4:
        noise = cv2.resize(rng.integers(0, 255, (height // 12, width // 12), dtype=np.uint8), (width, height))
        back[noise > 140] = line
    if rng.random() < 0.8:
        edge = int(rng.uniform(8, 36))
        border = (20, 20, 20) if dark else tuple(int(v) for v in rng.integers(225, 256, 3))
        cv2.rectangle(back, (0, 0), (width - 1, height - 1), border, edge * 2)
        cv2.rectangle(back, (edge, edge), (width - edge, height - edge), line, 2, cv2.LINE_AA)
    return ((back.astype(np.uint16) + back[::-1, ::-1]) // 2).astype(np.uint8)
