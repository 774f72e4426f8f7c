"""Draws what stands in the middle of a joker, and the small symbols of its corner, of simple shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from PIL import Image, ImageDraw

Rgb = tuple[int, int, int]
Box = tuple[float, float, float, float]
Points = list[tuple[float, float]]

SYMBOLS: Final = ("star", "star4", "cap", "crown", "bell", "heart", "spade", "diamond", "club", "sun", "moon")
ART: Final = ("jester", "clown", "double", "burst", "wheel", "plain")


def star_points(cx: float, cy: float, r: float, n: int = 5, inner: float = 0.42, turn: float = 0.0) -> Points:
    """Corner points of an n-pointed star of outer radius `r`, a point upwards when `turn` (radians) is 0."""
    out: Points = []
    for i in range(2 * n):
        a = turn - math.pi / 2 + math.pi * i / n
        q = r if i % 2 == 0 else r * inner
        out.append((cx + q * math.cos(a), cy + q * math.sin(a)))
    return out


def symbol_mask(name: str, size: int) -> Image.Image:
    """A small symbol as an alpha mask, cropped to its ink.

    Args:
        name: one of SYMBOLS.
        size: pixels of the square it is drawn in.

    Raises:
        ValueError: `name` is not a symbol.
    """
    if name not in SYMBOLS:
        raise ValueError(f"joker symbol {name!r}: not one of {', '.join(SYMBOLS)}")
    s = 4 * size
    img = Image.new("L", (s, s), 0)
    d = ImageDraw.Draw(img)

    def poly(points: Sequence[tuple[float, float]], fill: int = 255) -> None:
        d.polygon([(x * s, y * s) for x, y in points], fill=fill)

    def disc(x: float, y: float, r: float, fill: int = 255) -> None:
        d.ellipse([(x - r) * s, (y - r) * s, (x + r) * s, (y + r) * s], fill=fill)

    match name:
        case "star":
            poly(star_points(0.5, 0.52, 0.48))
        case "star4":
            poly(star_points(0.5, 0.5, 0.5, 4, 0.35))
        case "sun":
            poly(star_points(0.5, 0.5, 0.5, 9, 0.66))
            disc(0.5, 0.5, 0.2, 0)
        case "cap":
            poly(
                [
                    (0.1, 0.45),
                    (0.3, 0.2),
                    (0.42, 0.45),
                    (0.5, 0.05),
                    (0.58, 0.45),
                    (0.7, 0.2),
                    (0.9, 0.45),
                    (0.78, 0.8),
                    (0.22, 0.8),
                ]
            )
            for x, y in ((0.1, 0.5), (0.5, 0.08), (0.9, 0.5)):
                disc(x, y, 0.08)
            d.rectangle([0.2 * s, 0.84 * s, 0.8 * s, 0.95 * s], fill=255)
        case "crown":
            poly([(0.1, 0.25), (0.32, 0.5), (0.5, 0.15), (0.68, 0.5), (0.9, 0.25), (0.8, 0.8), (0.2, 0.8)])
        case "bell":
            disc(0.5, 0.4, 0.25)
            poly([(0.25, 0.4), (0.75, 0.4), (0.88, 0.78), (0.12, 0.78)])
            disc(0.5, 0.82, 0.1)
        case "moon":
            disc(0.5, 0.5, 0.46)
            disc(0.7, 0.42, 0.4, 0)
        case "heart":
            disc(0.3, 0.33, 0.22)
            disc(0.7, 0.33, 0.22)
            poly([(0.1, 0.43), (0.9, 0.43), (0.5, 0.95)])
        case "spade":
            disc(0.3, 0.58, 0.2)
            disc(0.7, 0.58, 0.2)
            poly([(0.11, 0.52), (0.5, 0.05), (0.89, 0.52), (0.5, 0.7)])
            poly([(0.5, 0.5), (0.65, 0.95), (0.35, 0.95)])
        case "club":
            for x, y in ((0.5, 0.25), (0.25, 0.55), (0.75, 0.55)):
                disc(x, y, 0.2)
            poly([(0.5, 0.35), (0.64, 0.95), (0.36, 0.95)])
        case _:
            poly([(0.5, 0.03), (0.85, 0.5), (0.5, 0.97), (0.15, 0.5)])
    small = img.resize((size, size), Image.Resampling.LANCZOS)
    return small.crop(small.getbbox() or (0, 0, size, size))


class _Pen:
    """Draws in unit coordinates (-1..1 both ways, y down) inside a box of a picture."""

    def __init__(self, img: Image.Image, box: Box, line: Rgb, width: int) -> None:
        self.d = ImageDraw.Draw(img)
        self.cx, self.cy = (box[0] + box[2]) / 2, (box[1] + box[3]) / 2
        self.sx, self.sy = (box[2] - box[0]) / 2, (box[3] - box[1]) / 2
        self.line, self.width = line, width

    def at(self, x: float, y: float) -> tuple[float, float]:
        return self.cx + x * self.sx, self.cy + y * self.sy

    def poly(self, points: Sequence[tuple[float, float]], fill: Rgb) -> None:
        self.d.polygon([self.at(x, y) for x, y in points], fill=fill, outline=self.line, width=self.width)

    def disc(self, x: float, y: float, r: float, fill: Rgb) -> None:
        px, py = self.at(x, y)
        q = r * min(self.sx, self.sy)
        self.d.ellipse([px - q, py - q, px + q, py + q], fill=fill, outline=self.line, width=self.width)

    def arc(self, x: float, y: float, r: float, a0: float, a1: float) -> None:
        px, py = self.at(x, y)
        q = r * min(self.sx, self.sy)
        self.d.arc([px - q, py - q, px + q, py + q], a0, a1, fill=self.line, width=self.width)


def _head(pen: _Pen, rng: np.random.Generator, colours: Sequence[Rgb], y: float, r: float) -> None:
    """A face with a fool's cap, chin at about `y` + `r`."""
    n = int(rng.integers(2, 6))
    spread = rng.uniform(1.2, 2.2) * r
    tall = rng.uniform(1.0, 1.9) * r
    for i in range(n):
        t = (i / (n - 1) - 0.5) * 2
        tip = (t * spread, y - r * 0.9 - tall * (1.0 - 0.6 * abs(t)))
        base = t * r * 0.8
        pen.poly(
            [(base - r * 0.55, y - r * 0.35), tip, (base + r * 0.55, y - r * 0.35)], colours[i % len(colours)]
        )
        pen.disc(*tip, r * 0.2, colours[(i + 1) % len(colours)])
    pen.disc(0, y, r, colours[-1])
    for sign in (-1, 1):
        pen.disc(sign * r * 0.35, y - r * 0.15, r * 0.1, pen.line)
    pen.disc(0, y + r * 0.12, r * rng.uniform(0.08, 0.24), colours[0])
    pen.arc(0, y + r * 0.1, r * 0.6, 25, 155)


def _body(pen: _Pen, rng: np.random.Generator, colours: Sequence[Rgb], top: float, bottom: float) -> None:
    half = rng.uniform(0.35, 0.7)
    k = len(colours)
    for sign in (-1, 1):
        hand = (sign * rng.uniform(0.7, 0.98), rng.uniform(top - 0.3, bottom))
        pen.poly([(sign * 0.2, top), hand, (sign * 0.3, top + 0.3)], colours[1 % k])
        pen.disc(*hand, 0.1, colours[-1])
        if rng.random() < 0.5:
            pen.poly(star_points(hand[0], hand[1] - 0.2, 0.16), colours[2 % k])
    pen.poly([(-0.2, top), (0, top), (0, bottom), (-half, bottom)], colours[0])
    pen.poly([(0.2, top), (0, top), (0, bottom), (half, bottom)], colours[1 % k])
    for i in range(int(rng.integers(0, 5))):
        yy = top + (bottom - top) * (i + 1) / 6
        pen.poly([(0, yy - 0.08), (0.1, yy), (0, yy + 0.08), (-0.1, yy)], colours[2 % k])
    m = int(rng.integers(3, 8))
    zig = [(-0.45 + 0.9 * i / (2 * m), top + (0.16 if i % 2 else 0.0)) for i in range(2 * m + 1)]
    pen.poly([*zig, (0.2, top - 0.12), (-0.2, top - 0.12)], colours[2 % k])


def _jester(pen: _Pen, rng: np.random.Generator, colours: Sequence[Rgb]) -> None:
    r = rng.uniform(0.26, 0.4)
    y = rng.uniform(-0.45, -0.25)
    bottom = rng.uniform(0.45, 0.75)
    k = len(colours)
    for sign in (-1, 1):
        foot = sign * rng.uniform(0.2, 0.7)
        pen.poly(
            [
                (sign * 0.05, bottom - 0.1),
                (sign * 0.35, bottom - 0.1),
                (foot + 0.12, 0.95),
                (foot - 0.12, 0.95),
            ],
            colours[(2 + sign) % k],
        )
        pen.disc(foot, 0.95, 0.1, colours[2 % k])
    _body(pen, rng, colours, y + r * 0.8, bottom)
    _head(pen, rng, colours, y, r)


def _clown(pen: _Pen, rng: np.random.Generator, colours: Sequence[Rgb]) -> None:
    r = rng.uniform(0.5, 0.75)
    for sign in (-1, 1):
        for i in range(4):
            pen.disc(sign * r * 0.95, -0.3 + 0.22 * i, r * 0.35, colours[i % len(colours)])
    _head(pen, rng, colours, rng.uniform(-0.05, 0.2), r)


def _burst(pen: _Pen, rng: np.random.Generator, colours: Sequence[Rgb]) -> None:
    n = int(rng.integers(5, 17))
    turn = float(rng.uniform(0, math.pi))
    for i, q in enumerate(np.linspace(rng.uniform(0.7, 1.0), 0.2, int(rng.integers(2, 5)))):
        pen.poly(
            star_points(0, 0, float(q), n, float(rng.uniform(0.35, 0.75)), turn * i),
            colours[i % len(colours)],
        )


def _wheel(pen: _Pen, rng: np.random.Generator, colours: Sequence[Rgb]) -> None:
    n = int(rng.integers(5, 13))
    radius = rng.uniform(0.55, 0.85)
    pen.arc(0, 0, radius, 0, 360)
    for i in range(n):
        a = 2 * math.pi * i / n
        x, y = radius * math.cos(a), radius * math.sin(a)
        if rng.random() < 0.7:
            pen.poly(star_points(x, y, 0.22), colours[i % len(colours)])
        else:
            pen.disc(x, y, 0.12, colours[i % len(colours)])
    _head(pen, rng, colours, 0.05, 0.32)


def draw_art(
    img: Image.Image,
    box: Box,
    art: str,
    rng: np.random.Generator,
    colours: Sequence[Rgb],
    line: Rgb,
    line_px: int,
) -> None:
    """Draw a joker's figure.

    Args:
        img: RGB picture drawn into.
        box: (x0, y0, x1, y1) in pixels; the figure fills it and stays inside.
        art: one of ART; `double` is a figure repeated upside down, `plain` draws nothing.
        rng: decides the shapes; the same state gives the same figure in other colours.
        colours: fills, at least two, the last one the face's.
        line: colour of the outlines.
        line_px: their width.

    Raises:
        ValueError: `art` is not one of ART.
    """
    if art not in ART:
        raise ValueError(f"joker art {art!r}: not one of {', '.join(ART)}")
    corner = (round(box[0]), round(box[1]))
    clip = img.crop((*corner, round(box[2]), round(box[3])))
    _figure(clip, art, rng, colours, line, line_px)
    img.paste(clip, corner)


def _figure(
    img: Image.Image, art: str, rng: np.random.Generator, colours: Sequence[Rgb], line: Rgb, line_px: int
) -> None:
    pen = _Pen(img, (0, 0, img.width, img.height), line, line_px)
    if art == "jester":
        _jester(pen, rng, colours)
    elif art == "clown":
        _clown(pen, rng, colours)
    elif art == "burst":
        _burst(pen, rng, colours)
    elif art == "wheel":
        _wheel(pen, rng, colours)
    elif art == "double":
        half = img.crop((0, 0, img.width, img.height // 2))
        upper = _Pen(half, (0, 0, half.width, half.height * 1.25), line, line_px)
        _body(upper, rng, colours, 0.05, 0.8)
        _head(upper, rng, colours, -0.2, 0.36)
        img.paste(half, (0, 0))
        img.paste(half.rotate(180), (0, img.height - half.height))
