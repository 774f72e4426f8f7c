"""Draws jokers in the ways real packs print them, with the regions of their corner columns.

One rule holds in everything drawn here, because the reader has to learn it: the big joker is the coloured
one, the small joker the black or grey one; on dark stock the big one is gold or coloured and the small one
silver or white.
"""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from models.synth.deck import IndexRegion
from models.synth.glyphs import NoFonts, font_families
from models.synth.joker_art import SYMBOLS, Rgb, draw_art
from models.synth.joker_column import (
    CJK_FONTS,
    LATIN_FONTS,
    LAYOUTS,
    JokerStyle,
    draw_column,
    glyph,
    installed,
)

Bgr = tuple[int, int, int]

__all__ = ["LAYOUTS", "JokerStyle", "draw_joker", "random_style", "turned"]

_LAYOUT_WEIGHTS: Final = (0.2, 0.1, 0.07, 0.07, 0.12, 0.06, 0.05, 0.08, 0.03, 0.32)
_SYMBOL_WEIGHTS: Final = (0.32, 0.05, 0.2, 0.05, 0.05, 0.06, 0.07, 0.05, 0.05, 0.05, 0.05)
_ANY_FONT: Final = 0.35
"""Share of jokers whose word is set in any font that has the letters: scripts and display faces too."""
_REDS: Final[tuple[Rgb, ...]] = ((200, 20, 30), (220, 40, 30), (170, 10, 30), (230, 30, 60), (190, 40, 50))
_OTHERS: Final[tuple[Rgb, ...]] = (
    (20, 60, 170),
    (20, 120, 60),
    (220, 110, 10),
    (130, 30, 140),
    (200, 140, 10),
    (0, 130, 150),
)
_BLACKS: Final[tuple[Rgb, ...]] = ((10, 10, 12), (25, 22, 24), (45, 45, 48), (80, 80, 84), (15, 18, 32))
_GOLDS: Final[tuple[Rgb, ...]] = (
    (212, 175, 55),
    (230, 190, 90),
    (190, 150, 50),
    (240, 205, 120),
    (215, 60, 50),
)
_SILVERS: Final[tuple[Rgb, ...]] = ((200, 202, 205), (230, 230, 230), (175, 178, 182), (150, 152, 156))
_SKINS: Final[tuple[Rgb, ...]] = ((255, 224, 196), (250, 240, 230), (240, 200, 160), (255, 255, 250))
_SUPER: Final = 2


def _pick(rng: np.random.Generator, items: tuple[Rgb, ...]) -> Rgb:
    return items[int(rng.integers(len(items)))]


def random_style(
    rng: np.random.Generator,
    *,
    dark: bool = False,
    layout: str | None = None,
    margin: tuple[float, float] | None = None,
    corners: int | None = None,
) -> JokerStyle:
    """A joker style as a pack could have it.

    Args:
        rng: the source of chance.
        dark: the stock is black, inks are gold and silver.
        layout: one of LAYOUTS; None picks by how common each is.
        margin: (x, y) in mm from the card's edge to the column's ink; None picks.
        corners: 2 or 4; None picks.
    """
    latin, cjk = installed(LATIN_FONTS), installed(CJK_FONTS)
    allowed = [i for i, name in enumerate(LAYOUTS) if cjk or "cjk" not in name]
    weights = np.array(_LAYOUT_WEIGHTS)[allowed]
    chosen = layout or LAYOUTS[allowed[int(rng.choice(len(allowed), p=weights / weights.sum()))]]
    ranges = {
        "stack": (14.0, 30.0),
        "turned_cw": (14.0, 30.0),
        "turned_ccw": (14.0, 30.0),
        "stack_cjk": (18.0, 32.0),
        "cjk_pair": (10.0, 22.0),
        "cjk_one": (7.0, 14.0),
        "letter": (9.0, 18.0),
        "flat": (7.0, 13.0),
        "symbol": (6.0, 12.0),
        "word": (11.0, 34.0),
    }
    low, high = ranges[chosen]
    with_symbol = chosen in ("letter", "flat", "symbol") or rng.random() < (0.7 if chosen == "word" else 0.35)
    if dark:
        big = _pick(rng, _GOLDS)
        small = _pick(rng, _SILVERS)
    else:
        big = _pick(rng, _REDS if rng.random() < 0.82 else _OTHERS)
        small = _pick(rng, _BLACKS)
    symbol = str(rng.choice(SYMBOLS, p=_SYMBOL_WEIGHTS)) if with_symbol else ""
    if chosen == "letter" and symbol in ("heart", "spade", "diamond", "club"):
        # A J over a suit is a jack.
        symbol = "star"
    return JokerStyle(
        layout=chosen,
        font=_font(rng, latin),
        cjk_font=cjk[int(rng.integers(len(cjk)))] if cjk else "",
        word="Joker" if chosen != "stack" and rng.random() < (0.5 if chosen == "word" else 0.2) else "JOKER",
        length=float(rng.uniform(low, high)),
        breadth=float(rng.uniform(2.6, 6.5)),
        gap=float(rng.uniform(0.03, 0.35)),
        symbol=symbol,
        symbol_first=bool(chosen not in ("letter", "flat") and rng.random() < 0.4),
        margin=margin or (float(rng.uniform(1.6, 5.0)), float(rng.uniform(2.0, 6.0))),
        corners=corners or (4 if rng.random() < 0.12 and chosen != "word" else 2),
        big_ink=big,
        small_ink=small,
        rainbow=bool(rng.random() < 0.12),
        art=str(
            rng.choice(
                ["jester", "clown", "double", "burst", "wheel", "plain"],
                p=[0.38, 0.16, 0.18, 0.1, 0.12, 0.06],
            )
        ),
        art_seed=int(rng.integers(2**31)),
        title=float(rng.uniform(4.0, 11.0)) if rng.random() < 0.3 and chosen != "word" else 0.0,
        mono_art=bool(rng.random() < 0.25),
        frame=float(rng.uniform(1.0, 8.0)) if rng.random() < 0.2 else 0.0,
        dark=dark,
        bold=float(rng.choice([0.0, 0.0, 0.12, 0.2])),
        mark_inks=_mark_inks(rng, dark) if chosen == "word" and rng.random() < 0.6 else None,
    )


def _mark_inks(rng: np.random.Generator, dark: bool) -> tuple[Rgb, Rgb]:
    """Inks of the marks around a word, of the big joker and of the small one: often one gay colour for both."""
    gay = _pick(rng, (*_GOLDS, *_OTHERS, (250, 205, 40), (240, 140, 20)))
    plain = gay if rng.random() < 0.5 else _pick(rng, _SILVERS if dark else (*_BLACKS, *_SILVERS))
    return gay, plain


def _font(rng: np.random.Generator, usual: tuple[str, ...]) -> str:
    """A font for the joker's word; empty takes Pillow's own."""
    if usual and rng.random() >= _ANY_FONT:
        return usual[int(rng.integers(len(usual)))]
    try:
        families = font_families()
    except NoFonts:
        return ""
    family = families[int(rng.integers(len(families)))]
    return family[int(rng.integers(len(family)))]


def _colours(style: JokerStyle, big: bool, ink: Rgb, stock: Rgb) -> tuple[list[Rgb], Rgb]:
    """Fills and outline of the figure: many colours or shades of one, the last fill the face's."""
    rng = np.random.default_rng(style.art_seed + (1 if big else 2))

    def shade(t: float) -> Rgb:
        r, g, b = (round(i * (1 - t) + s * t) for i, s in zip(ink, stock, strict=True))
        return r, g, b

    if big and not style.mono_art:
        pool = [*_REDS[:2], *_OTHERS, (240, 200, 40), (60, 160, 220)]
        order = rng.permutation(len(pool))[:4]
        line = shade(0.1) if style.dark else _BLACKS[0]
        return [*(pool[int(i)] for i in order), _SKINS[int(rng.integers(len(_SKINS)))]], line
    return [
        shade(float(rng.uniform(lo, hi))) for lo, hi in ((0.0, 0.3), (0.7, 1.0), (0.3, 0.6), (0.9, 1.0))
    ], ink


def _draw_middle(
    img: Image.Image, style: JokerStyle, big: bool, ink: Rgb, stock: Rgb, left: float, scale: float
) -> None:
    """The figure, the title and the frame; `left` is where the columns end, in mm."""
    rng = np.random.default_rng(style.art_seed)
    w, h = img.width / scale, img.height / scale
    line_px = max(1, round(0.2 * scale))
    if style.frame:
        f = (style.frame if style.frame < min(style.margin) - 0.4 else left + 0.5) * scale
        ImageDraw.Draw(img).rectangle([f, f, img.width - f, img.height - f], outline=ink, width=line_px)
    x0 = max(left + 0.8, w * rng.uniform(0.12, 0.3))
    y0 = h * rng.uniform(0.1, 0.3)
    box = (x0 * scale, y0 * scale, (w - x0) * scale, (h - y0) * scale)
    colours, line = _colours(style, big, ink, stock)
    draw_art(img, box, style.art, rng, colours, line, line_px)
    if style.title or style.art == "plain":
        word = glyph(style.font, style.word, style.bold)
        th = (style.title or 8.0) * scale
        tw = min(th * word.width / word.height, (w - 2 * x0) * scale)
        mask = word.resize((max(2, round(tw)), max(2, round(th))), Image.Resampling.LANCZOS)
        at_top = rng.random() < 0.5
        y = y0 * scale * 0.5 if at_top else img.height - y0 * scale * 0.5 - th
        img.paste(ink, (round((img.width - tw) / 2), round(y)), mask)


def draw_joker(
    rng: np.random.Generator,
    big: bool,
    style: JokerStyle,
    width_mm: float,
    height_mm: float,
    px_per_mm: float,
    stock_bgr: Bgr,
    ink: Bgr | None = None,
) -> tuple[NDArray[np.uint8], tuple[IndexRegion, ...]]:
    """One joker's face.

    Args:
        rng: small differences of ink between prints; the design is all in `style`.
        big: the coloured joker (大王) or the black one (小王).
        style: how this pack prints its jokers.
        width_mm: card width.
        height_mm: card height.
        px_per_mm: scale of the picture.
        stock_bgr: colour of the card.
        ink: colour (BGR) of the columns; None takes the style's. A caller who passes one keeps the rule that
            the big joker is coloured and the small one is not.

    Returns:
        A uint8 BGR picture of the whole rectangle and its index regions, upright first, then the turned ones.
    """
    scale = px_per_mm * _SUPER
    out_size = (round(width_mm * px_per_mm), round(height_mm * px_per_mm))
    stock: Rgb = (stock_bgr[2], stock_bgr[1], stock_bgr[0])
    base = (ink[2], ink[1], ink[0]) if ink is not None else style.big_ink if big else style.small_ink
    jitter = float(rng.uniform(-6, 6))
    r, g, b = (int(np.clip(c + jitter, 0, 255)) for c in base)
    colour: Rgb = (r, g, b)
    column, parts = draw_column(style, big, scale)
    img = Image.new("RGB", (out_size[0] * _SUPER, out_size[1] * _SUPER), stock)
    mx, my = style.margin
    beside = 6.0 if style.layout == "word" else column.width / scale
    _draw_middle(img, style, big, colour, stock, mx + beside, scale)
    corner = Image.new("RGB", column.size, stock)
    palette = [colour]
    if big and style.rainbow:
        palette = [colour, *(_GOLDS if style.dark else _OTHERS)]
    shift = style.art_seed % len(palette)
    for i, (mask, x, y) in enumerate(parts):
        own = (
            style.mark_inks[0 if big else 1] if style.mark_inks and i else palette[(i + shift) % len(palette)]
        )
        corner.paste(own, (x, y), mask)
    xs = [round(mx * scale)]
    if style.corners == 4:
        xs.append(img.width - round(mx * scale) - column.width)
    y0 = round(my * scale)
    for x in xs:
        img.paste(corner, (x, y0), column)
        img.paste(
            corner.rotate(180),
            (img.width - x - column.width, img.height - y0 - column.height),
            column.rotate(180),
        )
    regions = _regions(
        [(x / scale, y0 / scale) for x in xs],
        column.width / scale,
        column.height / scale,
        out_size[0] / px_per_mm,
        out_size[1] / px_per_mm,
    )
    bgr = np.ascontiguousarray(np.asarray(img)[:, :, ::-1])
    small = cv2.resize(bgr, out_size, interpolation=cv2.INTER_AREA)
    return np.asarray(small, dtype=np.uint8), regions


def turned(region: IndexRegion, width_mm: float, height_mm: float) -> IndexRegion:
    """The same index at the opposite corner of a card printed alike both ways up."""
    x0, y0, x1, y1 = region.box
    return IndexRegion(
        box=(width_mm - x1, height_mm - y1, width_mm - x0, height_mm - y0),
        rank=(width_mm - region.rank[0], height_mm - region.rank[1]),
        suit=(width_mm - region.suit[0], height_mm - region.suit[1]),
    )


def _regions(
    corners: list[tuple[float, float]], w: float, h: float, width_mm: float, height_mm: float
) -> tuple[IndexRegion, ...]:
    """Regions of upright columns at `corners` (mm) and of their turned copies.

    The rank's keypoint is always the one nearer to the card's near edge, also where the word is turned
    counter-clockwise and reads upwards: the two points then say the same about the card's pose.
    """

    def reach(w: float, h: float, y: float) -> float:
        # A quarter of the column either way; of a level word enough for its breadth to fit into a patch, but not
        # beyond the card's edge.
        return max(h / 4, min(0.3 * w, y + h / 2))

    upright = [
        IndexRegion(
            box=(x, y, x + w, y + h),
            rank=(x + w / 2, y + h / 2 - reach(w, h, y)),
            suit=(x + w / 2, y + h / 2 + reach(w, h, y)),
        )
        for x, y in corners
    ]
    return (*upright, *(turned(r, width_mm, height_mm) for r in upright))
