"""The joker's corner column: its style, and its letters, characters and symbols as one mask."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from models.synth.joker_art import Rgb, symbol_mask

FONT_ROOT: Final = Path("/usr/share/fonts")
LATIN_FONTS: Final = (
    "opentype/bebas-neue/BebasNeue-Bold.otf",
    "opentype/cabin/Cabin-Bold.otf",
    "opentype/comic-neue/ComicNeue-Bold.otf",
    "opentype/courier-prime/Courier Prime Bold.otf",
    "opentype/didot/GFSDidotBold.otf",
    "opentype/dosis/Dosis-Bold.otf",
    "opentype/ebgaramond/EBGaramond12-Bold.otf",
    "opentype/inter/Inter-Bold.otf",
    "opentype/inter/Inter-Black.otf",
    "opentype/league-spartan/LeagueSpartan-Bold.otf",
    "opentype/lobstertwo/LobsterTwo-Bold.otf",
    "opentype/play/Play-Bold.otf",
    "opentype/roboto/slab/RobotoSlab-Bold.otf",
    "opentype/stix/STIXGeneral-Bold.otf",
    "opentype/urw-base35/C059-Bold.otf",
    "opentype/urw-base35/NimbusRoman-Bold.otf",
    "opentype/urw-base35/NimbusSans-Bold.otf",
    "opentype/urw-base35/NimbusSans-Regular.otf",
    "opentype/urw-base35/NimbusSansNarrow-Bold.otf",
    "opentype/urw-base35/P052-Bold.otf",
    "opentype/yanone-kaffeesatz/YanoneKaffeesatz-Bold.otf",
    "truetype/adf/BaskervaldADFStd-Heavy.otf",
    "truetype/adf/GilliusADF-BoldCond.otf",
    "truetype/adf/OldaniaADFStd-Bold.otf",
    "truetype/adf/RomandeADFStd-DemiBold.otf",
    "truetype/adf/SwitzeraADF-DmBdCond.otf",
    "truetype/adf/TribunADFStd-BoldCond.otf",
    "truetype/adf/UniversalisADFStd-BoldCond.otf",
    "truetype/averia-gwf/AveriaSerifGWF-Bold.ttf",
    "truetype/clear-sans/ClearSans-Bold.ttf",
    "truetype/croscore/Arimo-Bold.ttf",
    "truetype/croscore/Tinos-Bold.ttf",
    "truetype/dejavu/DejaVuSans-Bold.ttf",
    "truetype/dejavu/DejaVuSansCondensed-Bold.ttf",
    "truetype/dejavu/DejaVuSerif-Bold.ttf",
    "truetype/dejavu/DejaVuSansMono-Bold.ttf",
    "truetype/essays1743/Essays1743-Bold.ttf",
    "truetype/fonts-oldstandard/OldStandard-Bold.ttf",
    "truetype/freefont/FreeSerifBold.ttf",
    "truetype/lato/Lato-Black.ttf",
    "truetype/lato/Lato-Bold.ttf",
    "truetype/croscore/Tinos-Regular.ttf",
)
CJK_FONTS: Final = (
    "opentype/noto/NotoSansCJK-Bold.ttc",
    "opentype/noto/NotoSansCJK-Regular.ttc",
    "opentype/noto/NotoSerifCJK-Bold.ttc",
    "opentype/noto/NotoSerifCJK-Regular.ttc",
    "truetype/arphic/ukai.ttc",
    "truetype/arphic/uming.ttc",
    "truetype/smiley-sans/SmileySans-Oblique.ttf",
    "truetype/wqy/wqy-microhei.ttc",
    "truetype/wqy/wqy-zenhei.ttc",
)
LAYOUTS: Final = (
    "stack",
    "turned_cw",
    "turned_ccw",
    "stack_cjk",
    "cjk_pair",
    "cjk_one",
    "letter",
    "flat",
    "symbol",
    "word",
)


@dataclass(frozen=True, slots=True)
class JokerStyle:
    """How a pack prints both its jokers. Lengths in millimetres; colours RGB.

    `layout` is one of LAYOUTS: letters stacked upright, the word turned clockwise or counter-clockwise, the
    column with 王, 大王 / 小王 stacked, 王 alone, J over a symbol, a small level word over a symbol, a symbol
    alone, the word level across the corner with marks around it. `length` is that of the whole column, symbol
    included (of a level word: its breadth); `breadth` bounds its width. `rainbow` prints
    the letters of the big joker in several colours. `corners` is 2 or 4. `art_seed` fixes the figure, which
    both jokers share. `frame` is a frame's wish for its inset; it never crosses the column.
    """

    layout: str
    font: str
    cjk_font: str
    word: str
    length: float
    breadth: float
    gap: float
    symbol: str
    symbol_first: bool
    margin: tuple[float, float]
    corners: int
    big_ink: Rgb
    small_ink: Rgb
    rainbow: bool
    art: str
    art_seed: int
    title: float
    mono_art: bool
    frame: float
    dark: bool
    bold: float
    mark_inks: tuple[Rgb, Rgb] | None = None


@functools.cache
def installed(names: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the font files that this machine has, as whole paths."""
    return tuple(str(FONT_ROOT / n) for n in names if (FONT_ROOT / n).is_file())


@functools.lru_cache(maxsize=4096)
def glyph(font: str, text: str, bold: float) -> Image.Image:
    """Alpha mask of a text, cropped to its ink; `bold` thickens it by that share of a tenth of its height."""
    size = 160
    face = ImageFont.truetype(font, size) if font else ImageFont.load_default(size)
    stroke = round(bold * size / 10)
    box = face.getbbox(text, stroke_width=stroke)
    img = Image.new("L", (round(box[2] - box[0]) + 8, round(box[3] - box[1]) + 8), 0)
    ImageDraw.Draw(img).text((4 - box[0], 4 - box[1]), text, fill=255, font=face, stroke_width=stroke)
    return img.crop(img.getbbox() or (0, 0, *img.size))


def _items(style: JokerStyle, big: bool) -> list[tuple[Image.Image, float]]:
    """The column from top to bottom: alpha masks with their share of its height (a turned word is one)."""
    letters = [(glyph(style.font, c, style.bold), 1.0) for c in style.word.upper()]
    king = (glyph(style.cjk_font, "王", style.bold), 1.0) if "cjk" in style.layout else None
    items: list[tuple[Image.Image, float]]
    match style.layout:
        case "stack":
            items = letters
        case "turned_cw" | "turned_ccw":
            turn = Image.Transpose.ROTATE_270 if style.layout == "turned_cw" else Image.Transpose.ROTATE_90
            items = [(glyph(style.font, style.word, style.bold).transpose(turn), 5.0)]
        case "stack_cjk":
            assert king is not None
            items = [(king[0], 1.5), *letters] if style.symbol_first else [*letters, (king[0], 1.5)]
            return items
        case "cjk_pair":
            assert king is not None
            items = [(glyph(style.cjk_font, "大" if big else "小", style.bold), 1.0), king]
        case "cjk_one":
            assert king is not None
            items = [king]
        case "letter":
            items = [(glyph(style.font, "J", style.bold), 1.1)]
        case "flat":
            items = [(glyph(style.font, style.word, style.bold), 0.45)]
        case _:
            items = []
    if style.symbol:
        mark = (
            symbol_mask(style.symbol, 96),
            1.1 if len(items) > 1 or style.layout.startswith("turned") else 0.9,
        )
        items = [mark, *items] if style.symbol_first else [*items, mark]
    return items


def draw_column(
    style: JokerStyle, big: bool, px_per_mm: float
) -> tuple[Image.Image, list[tuple[Image.Image, int, int]]]:
    """The column's alpha mask, cropped, and its parts with their places in it."""
    if style.layout == "word":
        return _level_word(style, px_per_mm)
    items = _items(style, big)
    unit = style.length / (sum(h for _, h in items) + style.gap * (len(items) - 1))
    placed: list[tuple[Image.Image, int]] = []
    y = 0.0
    breadth = style.breadth * (
        2.2 if style.layout in ("flat", "letter", "cjk_pair", "cjk_one", "symbol") else 1.0
    )
    for mask, share in items:
        h = unit * share
        w = h * mask.width / mask.height
        if w > breadth and style.layout not in ("stack", "stack_cjk"):
            h, w = h * breadth / w, breadth
        w = min(w, breadth)
        size = (max(2, round(w * px_per_mm)), max(2, round(h * px_per_mm)))
        placed.append((mask.resize(size, Image.Resampling.LANCZOS), round(y * px_per_mm)))
        y += h + unit * style.gap
    width = max(m.width for m, _ in placed)
    height = max(at + m.height for m, at in placed)
    whole = Image.new("L", (width, height), 0)
    parts = [(m, (width - m.width) // 2, at) for m, at in placed]
    for m, x, at in parts:
        whole.paste(m, (x, at))
    return whole, parts


def _level_word(
    style: JokerStyle, px_per_mm: float
) -> tuple[Image.Image, list[tuple[Image.Image, int, int]]]:
    """The word across the corner, some small marks to its left, over and under it."""
    rng = np.random.default_rng(style.art_seed)
    letters = glyph(style.font, style.word, style.bold)
    width = style.length * px_per_mm
    height = float(
        np.clip(width * letters.height / letters.width * rng.uniform(0.8, 1.3), 0.16 * width, 0.5 * width)
    )
    size = (round(width), round(height))
    mark = height * rng.uniform(0.4, 0.8)
    # Marks stand in a margin left of and over the word; without marks there is no margin.
    count = int(rng.integers(1, 6)) if style.symbol else 0
    left, top = (round(mark * rng.uniform(0.6, 1.8)), round(mark * rng.uniform(0, 1.2))) if count else (0, 0)
    whole = Image.new("L", (left + size[0], top + size[1] + (round(0.4 * mark) if count else 0)), 0)
    parts = [(letters.resize(size, Image.Resampling.LANCZOS), left, top)]
    for _ in range(count):
        side = max(3, round(mark * rng.uniform(0.6, 1.2)))
        mask = symbol_mask(style.symbol, 96).resize((side, side), Image.Resampling.LANCZOS)
        turned = mask.rotate(float(rng.uniform(0, 360)))
        beside = rng.random() < 0.65
        x = rng.uniform(0, left * 0.8) if beside else rng.uniform(left, left + size[0] * 0.5)
        y = rng.uniform(0, whole.height - side) if beside else rng.uniform(0, max(1, top - side * 0.6))
        parts.append((turned, round(x), max(0, min(round(y), whole.height - side))))
    for mask, x, y in parts:
        whole.paste(255, (x, y), mask)
    box = whole.getbbox() or (0, 0, *whole.size)
    return whole.crop(box), [(mask, x - box[0], y - box[1]) for mask, x, y in parts]
