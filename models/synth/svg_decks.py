"""Makes decks of the card art of Debian's card games, with index regions found by looking at the pictures."""

from __future__ import annotations

import zlib
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.deck import FACE_PX_PER_MM, Deck, IndexRegion
from models.synth.jokers import draw_joker, random_style, turned
from models.synth.svg_index import column_region, find_indices, ink_mask
from models.synth.svg_sheets import SHEETS, Sheet, available, cut, outline_px, stock_colour, trim

Picture = NDArray[np.uint8]

# Cached pictures carry it in their names: raise it when cutting or trimming changes.
_CACHE_VERSION: Final = 2
_METALS: Final = (
    (60, 180, 220),
    (110, 205, 235),
    (205, 203, 200),
    (235, 235, 235),
    (70, 70, 220),
    (150, 160, 170),
)

__all__ = ["SHEETS", "available", "load_faces", "svg_decks", "variants"]


def load_faces(sheet: Sheet, cache: Path) -> tuple[dict[str, Picture], NDArray[np.float64]]:
    """The sheet's faces and back at FACE_PX_PER_MM, and the stock's colour (BGR); cached once made."""
    kept = cache / f"svg{_CACHE_VERSION}_{sheet.name}_{sheet.width:g}x{sheet.height:g}.npz"
    if kept.is_file():
        with np.load(kept) as data:
            return {k: data[k] for k in data.files if k != "stock"}, data["stock"]
    parts = cut(sheet)
    stock = stock_colour(parts)
    outline = outline_px(parts, stock)
    size = (round(sheet.width * FACE_PX_PER_MM), round(sheet.height * FACE_PX_PER_MM))
    pictures = {name: trim(p, outline, stock, size) for name, p in parts.items()}
    cache.mkdir(parents=True, exist_ok=True)
    partial = kept.with_suffix(".part.npz")
    np.savez(partial, stock=stock, **pictures)  # type: ignore[arg-type]
    partial.replace(kept)
    return pictures, stock


def _bgr(colour: NDArray[np.float64]) -> tuple[int, int, int]:
    b, g, r = (int(np.clip(round(float(v)), 0, 255)) for v in colour)
    return b, g, r


def svg_deck(sheet: Sheet, cache: Path) -> Deck:
    """The deck of a sheet; jokers without a column of their own are drawn anew."""
    pictures, stock = load_faces(sheet, cache)
    back = pictures["back"]
    faces = {n: p for n, p in pictures.items() if n != "back"}
    height, width = (n / FACE_PX_PER_MM for n in back.shape[:2])
    indices = dict(find_indices(faces, stock, FACE_PX_PER_MM).indices)
    rng = np.random.default_rng(zlib.crc32(sheet.name.encode()))
    style = random_style(rng)
    for name in ("LJ", "BJ"):
        own = column_region(ink_mask(faces[name], stock), FACE_PX_PER_MM) if sheet.jokers else None
        if own is None:
            faces[name], indices[name] = draw_joker(
                rng, name == "BJ", style, width, height, FACE_PX_PER_MM, _bgr(stock)
            )
        else:
            indices[name] = (own, turned(own, width, height))
    return Deck(
        name=f"svg-{sheet.name}", width=width, height=height, corner=3.5, faces=faces, indices=indices,
        backs=(back,), family="svg", traits={"sheet": sheet.name, "kin": sheet.kin},
    )  # fmt: skip


def svg_decks(cache: Path) -> list[Deck]:
    """A deck of every sheet that is kept (SHEETS), rasterised once into the folder `cache`.

    Raises:
        RuntimeError: the sheets or rsvg-convert are not installed; the message is that of `available`.
    """
    if problem := available():
        raise RuntimeError(problem)
    return [svg_deck(sheet, cache) for sheet in SHEETS]


def _scaled(region: IndexRegion, fx: float, fy: float) -> IndexRegion:
    x0, y0, x1, y1 = region.box
    return IndexRegion(
        box=(x0 * fx, y0 * fy, x1 * fx, y1 * fy),
        rank=(region.rank[0] * fx, region.rank[1] * fy),
        suit=(region.suit[0] * fx, region.suit[1] * fy),
    )


def _recoloured(face: Picture, tint: NDArray[np.float64], hue: float, fade: float, lift: float) -> Picture:
    """Inks turned by `hue` degrees, saturation times `fade`, black lifted by `lift` (0..1), stock tinted."""
    hsv = cv2.cvtColor(face, cv2.COLOR_BGR2HSV).astype(np.float32)
    hsv[:, :, 0] = (hsv[:, :, 0] + hue / 2) % 180
    hsv[:, :, 1] = np.clip(hsv[:, :, 1] * fade, 0, 255)
    bgr = cv2.cvtColor(hsv.astype(np.uint8), cv2.COLOR_HSV2BGR).astype(np.float64)
    bgr = 255 * lift + bgr * (1 - lift)
    return np.asarray(np.clip(bgr * tint, 0, 255), dtype=np.uint8)


def _darkened(
    face: Picture, stock: NDArray[np.float64], ground: NDArray[np.float64], metal: NDArray[np.float64]
) -> Picture:
    """The face printed in one metal on dark ground: as much of it as the face differs from its stock."""
    amount = np.clip(np.abs(face.astype(np.float64) - stock).max(axis=2, keepdims=True) / 215, 0, 1)
    return np.asarray(ground * (1 - amount) + metal * amount, dtype=np.uint8)


def _commonest(deck: Deck) -> NDArray[np.float64]:
    samples = [deck.faces[n].reshape(-1, 3)[::97] for n in ("S2", "H2", "C3", "D3")]
    return np.asarray(np.median(np.concatenate(samples), axis=0), dtype=np.float64)


def variants(deck: Deck, rng: np.random.Generator, dark: bool | None = None) -> Deck:
    """Another print of a deck: other size (57..63 x 87..89 mm), stock, inks and jokers, or metal on black.

    Args:
        deck: a deck of light stock that `svg_decks` made.
        rng: the source of chance.
        dark: whether to print on dark ground; None does so one time in eight.
    """
    width = float(np.clip(deck.width + rng.uniform(-3.5, 3.5), 57, 63))
    height = float(rng.uniform(87, 89))
    size = (round(width * FACE_PX_PER_MM), round(height * FACE_PX_PER_MM))
    width, height = size[0] / FACE_PX_PER_MM, size[1] / FACE_PX_PER_MM
    stock = _commonest(deck)
    dark = bool(rng.random() < 0.125) if dark is None else dark
    tint = 1 - rng.uniform(0, 0.09) * np.array(
        [rng.uniform(0.3, 1.6), rng.uniform(0.2, 0.6), rng.uniform(0, 0.4)]
    )
    hue, fade, lift = (
        float(rng.uniform(-9, 9)),
        float(rng.uniform(0.7, 1.15)),
        float(rng.choice([0, 0, 0.05, 0.12])),
    )
    ground = rng.uniform(8, 45) + rng.uniform(-4, 8, 3)
    pair = [np.array(_METALS[int(i)], dtype=np.float64) for i in rng.choice(len(_METALS), 2, replace=False)]
    metals = (
        {"S": pair[0], "C": pair[0], "H": pair[1], "D": pair[1]}
        if rng.random() < 0.6
        else dict.fromkeys("SHCD", pair[0])
    )
    redraw = dark or bool(rng.random() < 0.7)
    faces: dict[str, Picture] = {}
    for name, face in deck.faces.items():
        if name in ("LJ", "BJ") and redraw:
            continue
        fitted = np.asarray(cv2.resize(face, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8)
        faces[name] = (
            _darkened(fitted, stock, ground, metals[name[0]])
            if dark
            else _recoloured(fitted, tint, hue, fade, lift)
        )
    fx, fy = width / deck.width, height / deck.height
    indices = {n: tuple(_scaled(r, fx, fy) for r in regions) for n, regions in deck.indices.items()}
    if redraw:
        style = random_style(rng, dark=dark)
        paper = ground if dark else (255 * lift + stock * (1 - lift)) * tint
        for name in ("LJ", "BJ"):
            faces[name], indices[name] = draw_joker(
                rng, name == "BJ", style, width, height, FACE_PX_PER_MM, _bgr(paper)
            )
    backs = tuple(
        _recoloured(np.asarray(cv2.resize(b, size, interpolation=cv2.INTER_LINEAR), dtype=np.uint8), tint,
                    float(rng.uniform(0, 360)), fade, lift)
        for b in deck.backs
    )  # fmt: skip
    return replace(
        deck, name=f"{deck.name}-{int(rng.integers(2**31)):08x}", width=width, height=height, faces=faces,
        indices=indices, backs=backs, dark=dark, corner=float(rng.uniform(2.8, 4.5)),
    )  # fmt: skip
