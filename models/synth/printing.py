"""Faces ready to be laid: cut to round corners, at several sizes, so that scenes need not shrink them each time."""

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
    return np.asarray(turn @ np.array([[1, 0, -deck.width / 2], [0, 1, -deck.height / 2], [0, 0, 1.0]]), np.float64)


_GRID: Final = (8, 14)
"""Sample points across and down a region, by which its visible fraction is counted."""


@dataclass(frozen=True, slots=True)
class Probe:
    """An index region as points in mm on the card: 4 corners, rank, suit, then a grid; the ink at each of the grid's
    points, with a little everywhere, and which of them belong to the rank's half."""

    points: NDArray[np.float64]
    ink: NDArray[np.float32]
    upper: NDArray[np.bool_]


class FaceStore:
    """Faces at the sizes that scenes asked for, the least recently used forgotten beyond `most` pictures.

    Sizes go down in steps of the root of two from the deck's own 6 px/mm, so that what a scene then shrinks is by
    less than that, and bilinear sampling does not flicker.
    """

    def __init__(self, most: int = 1200) -> None:
        self._most = most
        self._sheets: OrderedDict[tuple[int, str, int], tuple[Deck, Sheet]] = OrderedDict()
        self._probes: dict[tuple[int, str, int], tuple[Deck, Probe]] = {}

    def face(self, deck: Deck, name: str, px_per_mm: float) -> Sheet:
        """The face of `name` for a picture of about this scale."""
        return self._sheet(deck, name, deck.faces[name], px_per_mm)

    def back(self, deck: Deck, number: int, px_per_mm: float) -> Sheet:
        """One of the deck's backs (`number` counts round)."""
        number %= len(deck.backs)
        return self._sheet(deck, f"back {number}", deck.backs[number], px_per_mm)

    def probe(self, deck: Deck, name: str, number: int) -> Probe:
        """Where to look whether index `number` of this card shows."""
        key = (id(deck), name, number)
        if key not in self._probes:
            if len(self._probes) > 8 * self._most:
                self._probes.clear()
            self._probes[key] = (deck, _probe(deck, name, number))
        return self._probes[key][1]

    def _sheet(self, deck: Deck, name: str, picture: NDArray[np.uint8], px_per_mm: float) -> Sheet:
        level = int(np.clip(np.floor(2 * np.log2(deck.px_per_mm / max(px_per_mm, 0.3)) + 0.15), 0, 8))
        key = (id(deck), name, level)
        found = self._sheets.get(key)
        if found is None:
            found = (deck, _cut(deck, picture, 2.0 ** (-level / 2)))
            self._sheets[key] = found
            if len(self._sheets) > self._most:
                self._sheets.popitem(last=False)
        else:
            self._sheets.move_to_end(key)
        return found[1]


def _cut(deck: Deck, picture: NDArray[np.uint8], factor: float) -> Sheet:
    """Shrink a face, cut its corners round and darken its very edge, as a cut edge of board looks."""
    h, w = picture.shape[:2]
    alpha = _rounded(w, h, deck.corner * deck.px_per_mm)
    rim = cv2.erode(alpha, np.ones((3, 3), np.uint8), borderType=cv2.BORDER_CONSTANT, borderValue=0)
    shade = (0.88 + 0.12 * rim.astype(np.float32) / 255) * (alpha.astype(np.float32) / 255)
    cut = np.dstack([picture * shade[..., None], alpha.astype(np.float32)])
    size = (max(4, round(w * factor)), max(4, round(h * factor)))
    if size != (w, h):
        cut = cv2.resize(cut, size, interpolation=cv2.INTER_AREA)
    # A clear border of a pixel makes the card's edge smooth when it is warped.
    sheet = cv2.copyMakeBorder(np.round(cut).astype(np.uint8), 1, 1, 1, 1, cv2.BORDER_CONSTANT, value=0)
    sx, sy = deck.width / size[0], deck.height / size[1]
    to_card = np.array([[sx, 0, -0.5 * sx], [0, sy, -0.5 * sy], [0, 0, 1.0]])
    return np.asarray(sheet, np.uint8), to_card


def _rounded(w: int, h: int, radius: float) -> NDArray[np.uint8]:
    x = np.maximum(np.abs(np.arange(w) - (w - 1) / 2) - (w / 2 - radius), 0)
    y = np.maximum(np.abs(np.arange(h) - (h - 1) / 2) - (h / 2 - radius), 0)
    away = np.hypot(x[None], y[:, None])
    return np.asarray(np.clip(radius - away + 0.5, 0, 1) * 255, np.uint8)


def grid_over(box: tuple[float, float, float, float]) -> NDArray[np.float64]:
    """Points spread over a box (x0, y0, x1, y1): (n, 2), line by line."""
    u = (np.arange(_GRID[0]) + 0.5) / _GRID[0]
    v = (np.arange(_GRID[1]) + 0.5) / _GRID[1]
    x0, y0, x1, y1 = box
    xs, ys = np.meshgrid(x0 + u * (x1 - x0), y0 + v * (y1 - y0))
    return np.stack([xs.ravel(), ys.ravel()], axis=-1)


def _probe(deck: Deck, name: str, number: int) -> Probe:
    region = deck.indices[name][number]
    x0, y0, x1, y1 = region.box
    rank, suit = np.array(region.rank), np.array(region.suit)
    grid = grid_over(region.box)
    upper = (grid - (rank + suit) / 2) @ (suit - rank) < 0
    corners = np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]])
    px = (np.array(region.box) * deck.px_per_mm).round().astype(int)
    face = deck.faces[name][max(px[1], 0) : max(px[3], px[1] + 2), max(px[0], 0) : max(px[2], px[0] + 2)]
    stock = np.median(face.reshape(-1, 3), axis=0)
    inked = np.clip(np.abs(face.astype(np.float32) - stock).max(axis=2) / 100, 0, 1)
    ink = cv2.resize(inked.astype(np.float32), _GRID, interpolation=cv2.INTER_AREA).ravel() + np.float32(0.05)
    return Probe(np.concatenate([corners, [rank], [suit], grid]), np.asarray(ink, np.float32), upper)
