"""Faces ready to be laid: cut to round corners, at several sizes, so that scenes need not shrink them each
time."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.deck import Deck
from models.synth.layouts import Place

Sheet = tuple[NDArray[np.uint8], NDArray[np.float64]]
"""A face (H, W, 4) BGRA, premultiplied, and the matrix from its pixels to millimetres on the card."""


def card_to_table(deck: Deck, place: Place) -> NDArray[np.float64]:
    """The matrix (3, 3) from millimetres on the card (origin top left) to millimetres on the table."""
    a = np.deg2rad(place.turn)
    cos, sin = np.cos(a), np.sin(a)
    turn = np.array([[cos, sin, place.x], [-sin, cos, place.y], [0, 0, 1]])
    return np.asarray(
        turn @ np.array([[1, 0, -deck.width / 2], [0, 1, -deck.height / 2], [0, 0, 1.0]]), np.float64
    )


_GRID: Final = (8, 14)
"""Sample points across and down a region, by which its visible fraction is counted."""


@dataclass(frozen=True, slots=True)
class Probe:
    """An index region as points in mm on the card: 4 corners, rank, suit, then a grid; the ink at each of the
    grid's
    points, with a little everywhere, and which of them belong to the rank's half."""

    points: NDArray[np.float64]
    ink: NDArray[np.float32]
    upper: NDArray[np.bool_]


class FaceStore:
    """Faces at the sizes that scenes asked for, the least recently used forgotten beyond `most` pictures.

    Sizes go down in steps of the root of two from the deck's own 6 px/mm, so that what a scene then shrinks
    is by less than that, and bilinear sampling does not flicker.
    """

    def __init__(self, most: int = 1200) -> None:
        self._most = most
        self._sheets: OrderedDict[tuple[int, str, int], tuple[Deck, Sheet]] = OrderedDict()
        self._faces: OrderedDict[tuple[int, str], tuple[Deck, NDArray[np.uint8]]] = OrderedDict()
        self._outlines: dict[tuple[float, ...], tuple[NDArray[np.uint8], NDArray[np.uint8]]] = {}
        self._probes: dict[tuple[int, str, int], tuple[Deck, Probe]] = {}

    def face(self, deck: Deck, name: str, px_per_mm: float) -> Sheet:
        """The face of `name` for a picture of about this scale."""
        return self._sheet(deck, name, px_per_mm)

    def back(self, deck: Deck, number: int, px_per_mm: float) -> Sheet:
        """One of the deck's backs (`number` counts round)."""
        return self._sheet(deck, f"back {number % len(deck.backs)}", px_per_mm)

    def probe(self, deck: Deck, name: str, number: int) -> Probe:
        """Where to look whether index `number` of this card shows."""
        key = (id(deck), name, number)
        if key not in self._probes:
            if len(self._probes) > 8 * self._most:
                self._probes.clear()
            self._probes[key] = (deck, _probe(deck, name, number, self._printed(deck, name)))
        return self._probes[key][1]

    def _sheet(self, deck: Deck, name: str, px_per_mm: float) -> Sheet:
        level = int(np.clip(np.floor(2 * np.log2(deck.px_per_mm / max(px_per_mm, 0.3)) + 0.15), 0, 8))
        key = (id(deck), name, level)
        found = self._sheets.get(key)
        if found is None:
            picture = self._printed(deck, name)
            h, w = picture.shape[:2]
            size = (max(4, round(w * 2.0 ** (-level / 2))), max(4, round(h * 2.0 ** (-level / 2))))
            found = (deck, _cut(picture, self._outline(deck, size), deck))
            self._sheets[key] = found
            if len(self._sheets) > self._most:
                self._sheets.popitem(last=False)
        else:
            self._sheets.move_to_end(key)
        return found[1]

    def _printed(self, deck: Deck, name: str) -> NDArray[np.uint8]:
        """The whole face or back; the last few are kept: a deck from a shelf decodes them each time."""
        key = (id(deck), name)
        found = self._faces.get(key)
        if found is None:
            picture = deck.backs[int(name[5:])] if name.startswith("back ") else deck.faces[name]
            found = (deck, np.ascontiguousarray(picture))
            self._faces[key] = found
            if len(self._faces) > 40:
                self._faces.popitem(last=False)
        return found[1]

    def _outline(self, deck: Deck, size: tuple[int, int]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
        """Opacity (h, w) of a card of this size, round corners cut, and how light its stock is (h, w, 3)."""
        key = (*size, deck.corner / deck.width)
        if key not in self._outlines:
            radius = deck.corner / deck.width * size[0]
            alpha = _rounded(*size, radius, 0.0)
            inner = _rounded(*size, radius, 0.2 / deck.width * size[0]).astype(np.float32) / 255
            shade = ((0.86 + 0.14 * inner) * alpha).astype(np.uint8)
            self._outlines[key] = (alpha, np.repeat(shade[..., None], 3, axis=2))
        return self._outlines[key]


def _cut(
    picture: NDArray[np.uint8], outline: tuple[NDArray[np.uint8], NDArray[np.uint8]], deck: Deck
) -> Sheet:
    """Shrink a face, cut its corners round and darken its very edge, as a cut edge of board looks."""
    alpha, shade = outline
    h, w = alpha.shape
    small = cv2.resize(picture, (w, h), interpolation=cv2.INTER_AREA)
    if deck.dark:
        # The board inside is lighter than the black print on it.
        rim = cv2.subtract(cv2.cvtColor(alpha, cv2.COLOR_GRAY2BGR), shade)
        paint = cv2.add(cv2.multiply(small, shade, scale=1 / 255), cv2.multiply(rim, rim, scale=1 / 24))
    else:
        paint = cv2.multiply(small, shade, scale=1 / 255)
    sheet = cv2.merge([paint, alpha])
    # A clear border of a pixel makes the card's edge smooth when it is warped.
    sheet = cv2.copyMakeBorder(sheet, 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    sx, sy = deck.width / w, deck.height / h
    to_card = np.array([[sx, 0, -0.5 * sx], [0, sy, -0.5 * sy], [0, 0, 1.0]])
    return np.asarray(sheet, np.uint8), to_card


def _rounded(w: int, h: int, radius: float, inset: float) -> NDArray[np.uint8]:
    """A filled rectangle with round corners, `inset` px smaller on every side, its edge smooth."""
    x = np.maximum(np.abs(np.arange(w) - (w - 1) / 2) - (w / 2 - radius), 0)
    y = np.maximum(np.abs(np.arange(h) - (h - 1) / 2) - (h / 2 - radius), 0)
    away = np.hypot(x[None], y[:, None])
    return np.asarray(np.clip(radius - inset - away + 0.5, 0, 1) * 255, np.uint8)


def grid_over(box: tuple[float, float, float, float]) -> NDArray[np.float64]:
    """Points spread over a box (x0, y0, x1, y1): (n, 2), line by line."""
    u = (np.arange(_GRID[0]) + 0.5) / _GRID[0]
    v = (np.arange(_GRID[1]) + 0.5) / _GRID[1]
    x0, y0, x1, y1 = box
    xs, ys = np.meshgrid(x0 + u * (x1 - x0), y0 + v * (y1 - y0))
    return np.stack([xs.ravel(), ys.ravel()], axis=-1)


def _probe(deck: Deck, name: str, number: int, printed: NDArray[np.uint8]) -> Probe:
    region = deck.indices[name][number]
    x0, y0, x1, y1 = region.box
    rank, suit = np.array(region.rank), np.array(region.suit)
    grid = grid_over(region.box)
    upper = (grid - (rank + suit) / 2) @ (suit - rank) < 0
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    px = (np.array(region.box) * deck.px_per_mm).round().astype(int)
    face = printed[max(px[1], 0) : max(px[3], px[1] + 2), max(px[0], 0) : max(px[2], px[0] + 2)]
    stock = np.median(face.reshape(-1, 3), axis=0)
    inked = np.clip(np.abs(face.astype(np.float32) - stock).max(axis=2) / 100, 0, 1)
    ink = cv2.resize(inked.astype(np.float32), _GRID, interpolation=cv2.INTER_AREA).ravel() + np.float32(0.05)
    return Probe(np.concatenate([corners, [rank], [suit], grid]), np.asarray(ink, np.float32), upper)
