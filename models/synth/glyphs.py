"""The ink of an index: rank letters out of Debian's fonts and suit shapes, as masks cropped to the ink."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from fontTools.ttLib import TTFont
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

Mask = NDArray[np.float32]

_FONT_FOLDERS: Final = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts"))
_NEEDED: Final = {ord(c) for c in "0123456789AJQK"}
_SUIT_CODES: Final = {"S": 0x2660, "H": 0x2665, "C": 0x2663, "D": 0x2666}
# Fonts whose letters are no plain letters, or so thin that nobody prints an index in them.
_UNFIT: Final = (
    "symbol", "math", "dingbat", "ornament", "initial", "fraktur", "thin", "hairline", "extralight", "ultralight",
    "emoji", "rotunda", "blackletter", "barcode", "wingding", "webding", "musix", "keyboard", "unicodetitle",
    "smallcaps", "capitals", "dustin", "14seg", "dot", "grid", "outline", "stencil", "dseg", "oldania", "variable", "wght",
)  # fmt: skip
_NO_LETTERS: Final = ("D050000L", "Solothurn", "Wargames", "It_wasn", "LinBiolinum_K", "LinLibertine_I")
"""Marks, keys, dots and shapes where letters should be, found by looking at what every font prints."""
_NO_FONTS: Final = "no fonts to print cards with: run `sh docs/debian-packages.sh synth` as root"
_SWAPPED: Final = "FreeSerifBold"
"""These two fonts of GNU FreeFont print a club where U+2660 stands and a spade where U+2663 stands."""
_BIG: Final = 160


class NoFonts(RuntimeError):
    """The system has no fonts to print cards with."""


@lru_cache(maxsize=1)
def _scan() -> tuple[tuple[str, ...], tuple[str, ...]]:
    index, suits = [], []
    files = sorted(
        p
        for folder in _FONT_FOLDERS
        if folder.is_dir()
        for p in folder.rglob("*")
        if p.suffix in (".ttf", ".otf")
    )
    for path in files:
        if any(word in path.name.lower().replace(" ", "") for word in _UNFIT):
            continue
        try:
            with TTFont(path, lazy=True, fontNumber=0) as font:
                codes = font.getBestCmap() or {}
        except Exception:  # fontTools raises many kinds for a damaged file; such a font is simply not used
            continue
        if codes.keys() >= _NEEDED:
            index.append(str(path))
        if codes.keys() >= set(_SUIT_CODES.values()):
            suits.append(str(path))
    return tuple(index), tuple(suits)


@lru_cache(maxsize=1)
def font_families() -> tuple[tuple[str, ...], ...]:
    """Paths of fonts that have all index letters, grouped by family so that large families weigh no more.

    Raises:
        NoFonts: there is none.
    """
    groups: dict[str, list[str]] = {}
    for path in _scan()[0]:
        stem = Path(path).stem.split("-")[0].split("_")[0]
        groups.setdefault(f"{Path(path).parent}/{stem[:7]}", []).append(path)
    families: list[tuple[str, ...]] = []
    for name in sorted(groups):
        fit = tuple(path for path in groups[name] if not Path(path).name.startswith(_NO_LETTERS))
        # A family without letters leaves its place to the one before: the other seeds' designs stay as they are.
        families += [fit] if fit else families[-1:]
    if not families:
        raise NoFonts(_NO_FONTS)
    return tuple(families)


def suit_fonts() -> tuple[str, ...]:
    """Paths of fonts that draw all four suits in full ink, each in its own place."""
    return tuple(path for path in _scan()[1] if not Path(path).name.startswith(_SWAPPED))


def _crop(mask: NDArray[np.uint8]) -> NDArray[np.uint8]:
    ys, xs = np.nonzero(mask > 60)
    return mask[ys.min() : ys.max() + 1, xs.min() : xs.max() + 1] if len(ys) else mask


@lru_cache(maxsize=4096)
def _text(text: str, font_path: str, embolden: int) -> tuple[NDArray[np.uint8], int]:
    """The ink of a text at about 160 px of capital height, and its ascent above the baseline in px."""
    font = ImageFont.truetype(font_path, int(_BIG * 1.4))
    image = Image.new("L", (_BIG * (2 * len(text) + 3), _BIG * 4), 0)
    ImageDraw.Draw(image).text(
        (_BIG, _BIG * 3), text, fill=255, font=font, anchor="ls", stroke_width=embolden
    )
    array = np.asarray(image)
    rows = np.nonzero(array.max(axis=1) > 60)[0]
    ascent = _BIG * 3 - int(rows.min()) if len(rows) else 0
    return _crop(array), ascent


def fit(mask: NDArray[np.uint8], width: float, height: float) -> Mask:
    """A mask scaled to width x height px (at least 1), values 0..1."""
    size = (max(1, round(width)), max(1, round(height)))
    shrink = mask.shape[0] > size[1]
    resized = cv2.resize(mask, size, interpolation=cv2.INTER_AREA if shrink else cv2.INTER_LINEAR)
    return (resized.astype(np.float32) / 255.0).clip(0, 1)


def rank_mask(
    rank: str,
    font_path: str,
    height: float,
    *,
    condense: float,
    ten: float,
    embolden: int = 0,
    slant: float = 0.0,
) -> Mask:
    """The ink of a rank, capital height `height` px; `condense` scales the width, `ten` that of the digits of 10.

    A letter that hangs below the line (a long-tailed Q, a J) keeps its tail; old-style digits are stretched to the
    line, as printers of cards do.
    """
    reference, _ = _text("K", font_path, embolden)
    scale = height / reference.shape[0]
    if rank == "10":
        one, zero = (_text(d, font_path, embolden)[0] for d in "10")
        gap = max(2, int(reference.shape[1] * 0.06))
        tall = max(one.shape[0], zero.shape[0])
        joined = np.zeros((tall, one.shape[1] + gap + zero.shape[1]), np.uint8)
        joined[tall - one.shape[0] :, : one.shape[1]] = one
        joined[tall - zero.shape[0] :, one.shape[1] + gap :] = zero
        ink, factor = joined, condense * ten
    else:
        (ink, _), factor = _text(rank, font_path, embolden), condense
    own = float(np.clip(ink.shape[0] * scale, 0.94 * height, 1.3 * height))
    mask = fit(ink, ink.shape[1] * scale * factor, own)
    return _slanted(mask, slant) if slant else mask


def _slanted(mask: Mask, slant: float) -> Mask:
    h, w = mask.shape
    extra = int(abs(slant) * h) + 1
    matrix = np.array([[1, -slant, slant * h if slant > 0 else 0], [0, 1, 0]], np.float32)
    return cv2.warpAffine(mask, matrix, (w + extra, h)).astype(np.float32)


def _curve(points: Sequence[tuple[float, float]], steps: int = 24) -> list[tuple[float, float]]:
    """A cubic Bezier spline through groups of three control points after the first."""
    out: list[tuple[float, float]] = []
    t = np.linspace(0, 1, steps)[:, None]
    for i in range(0, len(points) - 1, 3):
        a, b, c, d = (np.array(p) for p in points[i : i + 4])
        curve = (1 - t) ** 3 * a + 3 * (1 - t) ** 2 * t * b + 3 * (1 - t) * t**2 * c + t**3 * d
        out += [tuple(p) for p in curve]
    return out


def _heart(k: float, dip: float) -> list[tuple[float, float]]:
    right = [
        (0.5, dip), (0.5 + 0.1 * k, 0.0), (0.75, 0.0), (0.84, 0.02),
        (1.02, 0.06), (1.06, 0.36), (0.92, 0.52), (0.8, 0.7), (0.62, 0.8), (0.5, 1.0),
    ]  # fmt: skip
    half = _curve(right)
    return half + [(1 - x, y) for x, y in reversed(half)]


def drawn_suit(suit: str, rng: np.random.Generator) -> NDArray[np.uint8]:
    """A suit shape drawn from curves with some freedom, cropped to its ink, about 160 px high."""
    size = _BIG * 2
    image = Image.new("L", (size + 40, size + 40), 0)
    draw = ImageDraw.Draw(image)

    def polygon(points: Sequence[tuple[float, float]]) -> None:
        draw.polygon([(20 + x * size, 20 + y * size) for x, y in points], fill=255)

    def stem(top: float, spread: float) -> None:
        polygon(_curve([
            (0.5, top), (0.5, 0.85), (0.5 - spread * 0.4, 0.97), (0.5 - spread, 1.0), (0.5, 1.0), (0.5, 1.0),
            (0.5 + spread, 1.0), (0.5 + spread * 0.4, 0.97), (0.5, 0.85), (0.5, top),
        ]))  # fmt: skip
        thick = float(rng.uniform(0.02, 0.05))
        polygon([(0.5 - thick, top), (0.5 + thick, top), (0.5 + thick, 1.0), (0.5 - thick, 1.0)])

    if suit == "H":
        polygon(_heart(rng.uniform(0.2, 1.2), rng.uniform(0.12, 0.28)))
    elif suit == "D":
        bend = rng.uniform(-0.10, 0.03)
        quarter = [(0.5, 0.0), (0.75 + bend, 0.25 - bend), (0.75 + bend, 0.25 - bend), (1.0, 0.5)]
        arc = _curve(quarter)
        polygon(
            arc
            + [(x, 1 - y) for x, y in reversed(arc)]
            + [(1 - x, 1 - y) for x, y in arc]
            + [(1 - x, y) for x, y in reversed(arc)]
        )
    elif suit == "S":
        body = rng.uniform(0.78, 0.9)
        polygon([(x, body * (1 - y)) for x, y in _heart(rng.uniform(0.2, 1.2), rng.uniform(0.12, 0.26))])
        stem(0.5, rng.uniform(0.12, 0.26))
    else:
        r = rng.uniform(0.2, 0.26)
        top, side, drop = r, rng.uniform(0.26, 0.3), rng.uniform(0.52, 0.62)
        for cx, cy in ((0.5, top), (0.5 - side + 0.02, drop), (0.5 + side - 0.02, drop)):
            draw.ellipse(
                [20 + (cx - r) * size, 20 + (cy - r) * size, 20 + (cx + r) * size, 20 + (cy + r) * size],
                fill=255,
            )
        polygon([(0.5 - 0.07, top), (0.5 + 0.07, top), (0.5 + 0.16, drop), (0.5 - 0.16, drop)])
        stem(0.45, rng.uniform(0.12, 0.26))
    return _crop(np.asarray(image))


def font_suit(suit: str, font_path: str) -> NDArray[np.uint8]:
    """A suit shape out of a font, cropped to its ink."""
    return _text(chr(_SUIT_CODES[suit]), font_path, 0)[0]
