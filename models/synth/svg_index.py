"""Finds the corner indices of a deck of pictures: what the cards of a rank, and of a suit, have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.deck import IndexRegion
from models.synth.jokers import turned
from models.synth.svg_sheets import RANKS

Mask = NDArray[np.bool_]
Box = tuple[int, int, int, int]
_INK: Final = 70.0
_MATCH: Final = 0.62
# Nearly every card has its index turned at the lower right: less is asked of it, where shading blurs the ink.
_MATCH_TURNED: Final = 0.45


@dataclass(frozen=True, slots=True)
class Found:
    """The regions of every card, and the doubts: lines that say where the pictures did not agree."""

    indices: dict[str, tuple[IndexRegion, ...]]
    doubts: tuple[str, ...]


def ink_mask(face: NDArray[np.uint8], stock: NDArray[np.float64]) -> Mask:
    """Where a face (BGR) is printed: far from the stock's colour."""
    return np.asarray(np.abs(face.astype(np.float64) - stock).max(axis=2) > _INK)


def _components(mask: Mask) -> list[tuple[int, int, int, int, int]]:
    _, _, stats, _ = cv2.connectedComponentsWithStats(mask.astype(np.uint8), connectivity=8)
    return [(int(x), int(y), int(x + w), int(y + h), int(n)) for x, y, w, h, n in stats[1:]]


def _suit_mark(inks: dict[str, Mask], suit: str, px: float) -> tuple[Mask, Box]:
    """What all number cards of a suit print in the corner: the suit's mark, as mask and box."""
    common = np.logical_and.reduce([inks[suit + r] for r in RANKS[:10]])
    h, w = common.shape
    common[int(h * 0.4) :] = False
    common[:, int(w * 0.33) :] = False
    solid = [c for c in _components(common) if min(c[2] - c[0], c[3] - c[1]) > 1.2 * px]
    if not solid:
        raise ValueError(
            f"suit {suit}: no mark is common to its number cards; are the faces cut in register?"
        )
    x0, y0, x1, y1, _ = max(solid, key=lambda c: c[4])
    mark = np.zeros_like(common)
    mark[y0:y1, x0:x1] = common[y0:y1, x0:x1]
    return mark, (x0, y0, x1, y1)


def _rank_box(inks: dict[str, Mask], rank: str, marks: Mask, column: Box, px: float) -> Box | None:
    """What the four cards of a rank print above their suits' marks, inside the index's column."""
    common = np.logical_and.reduce([inks[s + rank] for s in "SHCD"])
    grown = cv2.dilate(marks.astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
    common &= ~grown
    common[column[1] + round(1.5 * px) :] = False
    limit = column[2] + round((1.6 if rank == "10" else 0.9) * px)
    common[:, limit:] = False
    parts = [
        c
        for c in _components(common)
        if c[0] < (column[0] + column[2]) / 2 + 0.5 * px or (rank == "10" and c[0] < column[2] - 0.3 * px)
    ]
    # A remnant of the round outline lies in the very corner.
    parts = [c for c in parts if c[0] > 0.3 * px or c[1] > 0.3 * px]
    parts = [
        c for c in parts if c[3] - c[1] > 0.8 * px and c[1] < column[1] - px and c[2] > column[0] - 2.5 * px
    ]
    if not parts:
        return None
    return (
        min(c[0] for c in parts),
        min(c[1] for c in parts),
        max(c[2] for c in parts),
        max(c[3] for c in parts),
    )


def _court_box(inks: dict[str, Mask], suit: str, number_mark: Mask, number_box: Box, px: float) -> Box:
    """The box of the suit's mark on court cards: the same shape, larger in some decks."""
    common = np.logical_and.reduce([inks[suit + r] for r in "JQK"])
    w, h = number_box[2] - number_box[0], number_box[3] - number_box[1]
    for c in _components(common):
        part = np.zeros_like(common)
        part[c[1] : c[3], c[0] : c[2]] = common[c[1] : c[3], c[0] : c[2]]
        fx, fy = (c[2] - c[0]) / w, (c[3] - c[1]) / h
        if _agree(part, number_mark) > 0.5 and 1.08 < fx < 1.7 and abs(fx / fy - 1) < 0.15:
            return c[:4]
    return number_box


def _own_box(ink: Mask, box: Box, px: float) -> Box:
    """The box as this one card prints it: of the parts that lie in `box` and end within 1.2 mm of it."""
    slack = round(1.2 * px)
    x, y = max(0, box[0] - slack), max(0, box[1] - slack)
    near = ink[y : box[3] + slack, x : box[2] + slack]
    parts = []
    for x0, y0, x1, y1, n in _components(near):
        if n < 0.15 * px * px:
            continue
        if (x + x1 / 2 + x0 / 2 < box[0]) or (x + x1 / 2 + x0 / 2 > box[2]):
            continue
        if (y + y1 / 2 + y0 / 2 < box[1]) or (y + y1 / 2 + y0 / 2 > box[3]):
            continue
        if x1 == near.shape[1] or y1 == near.shape[0] or (y0 == 0 and y > 0) or (x0 == 0 and x > 0):
            return box
        parts.append((x + x0, y + y0, x + x1, y + y1))
    if not parts:
        return box
    own = (
        min(c[0] for c in parts),
        min(c[1] for c in parts),
        max(c[2] for c in parts),
        max(c[3] for c in parts),
    )
    return own if all(abs(a - b) <= slack for a, b in zip(own, box, strict=True)) else box


def _agree(ink: Mask, mark: Mask) -> float:
    """The share of the mark's pixels that the card prints."""
    return float((ink & mark).sum() / max(1, mark.sum()))


def _match(ink: Mask, patch: NDArray[np.float32], window: Box) -> tuple[float, int, int]:
    """Best correlation of an ink patch inside a window of the card, and where its corner lies."""
    x0, y0, x1, y1 = (
        max(0, window[0]),
        max(0, window[1]),
        min(ink.shape[1], window[2]),
        min(ink.shape[0], window[3]),
    )
    area = ink[y0:y1, x0:x1].astype(np.float32)
    if area.shape[0] < patch.shape[0] or area.shape[1] < patch.shape[1]:
        return 0.0, 0, 0
    score = cv2.matchTemplate(area, patch, cv2.TM_CCOEFF_NORMED)
    _, best, _, (x, y) = cv2.minMaxLoc(score)
    return float(best), x0 + x, y0 + y


def _shift(region: IndexRegion, dx: float, dy: float) -> IndexRegion:
    x0, y0, x1, y1 = region.box
    return IndexRegion(
        box=(x0 + dx, y0 + dy, x1 + dx, y1 + dy),
        rank=(region.rank[0] + dx, region.rank[1] + dy),
        suit=(region.suit[0] + dx, region.suit[1] + dy),
    )


def copies(ink: Mask, region: IndexRegion, px: float) -> list[IndexRegion]:
    """The index at the other corners: turned at the bottom right, perhaps also at the other two."""
    x0, y0, x1, y1 = (round(v * px) for v in region.box)
    patch = ink[y0:y1, x0:x1].astype(np.float32)
    h, w = ink.shape
    slack = round(1.5 * px)
    near = (x0 - slack, y0 - slack, x1 + slack, y1 + slack)
    back = ink[::-1, ::-1]
    out = []
    score, x, y = _match(back, patch, near)
    if score > _MATCH_TURNED:
        out.append(turned(_shift(region, (x - x0) / px, (y - y0) / px), w / px, h / px))
    score, x, y = _match(ink, patch, (w - x1 - 2 * slack, y0 - slack, w, y1 + slack))
    if score > _MATCH:
        right = _shift(region, (x - x0) / px, (y - y0) / px)
        out.append(right)
        score, x, y = _match(back, patch, (w - x1 - 2 * slack, y0 - slack, w, y1 + slack))
        if score > _MATCH:
            out.append(turned(_shift(region, (x - x0) / px, (y - y0) / px), w / px, h / px))
    return out


def find_indices(faces: dict[str, NDArray[np.uint8]], stock: NDArray[np.float64], px: float) -> Found:
    """The index regions of the 52 cards.

    Args:
        faces: BGR pictures by card name, all of one size.
        stock: the stock's colour (BGR).
        px: pixels per millimetre.

    Raises:
        ValueError: the pictures of a suit have no mark in common.
    """
    inks = {n: ink_mask(f, stock) for n, f in faces.items() if n[0] in "SHCD" and n[1:] in RANKS}
    marks = {s: _suit_mark(inks, s, px) for s in "SHCD"}
    boxes = [b for _, b in marks.values()]
    column: Box = (
        min(b[0] for b in boxes),
        min(b[1] for b in boxes),
        max(b[2] for b in boxes),
        max(b[3] for b in boxes),
    )
    every = np.logical_or.reduce([m for m, _ in marks.values()])
    ranks = {r: _rank_box(inks, r, every, column, px) for r in RANKS}
    courts = {s: _court_box(inks, s, m, b, px) for s, (m, b) in marks.items()}
    indices: dict[str, tuple[IndexRegion, ...]] = {}
    doubts: list[str] = []
    for name, ink in inks.items():
        rank, (mark, suit) = ranks[name[1:]], marks[name[0]]
        if rank is None:
            doubts.append(f"{name}: no rank found")
            continue
        if (share := _agree(ink, mark)) < 0.8:
            doubts.append(f"{name}: only {share:.2f} of the suit's mark is printed")
        if name[1:] in "JQK":
            suit = courts[name[0]]
        rank, suit = _own_box(ink, rank, px), _own_box(ink, suit, px)
        region = IndexRegion(
            box=(
                min(rank[0], suit[0]) / px,
                min(rank[1], suit[1]) / px,
                max(rank[2], suit[2]) / px,
                suit[3] / px,
            ),
            rank=((rank[0] + rank[2]) / 2 / px, (rank[1] + rank[3]) / 2 / px),
            suit=((suit[0] + suit[2]) / 2 / px, (suit[1] + suit[3]) / 2 / px),
        )
        others = copies(ink, region, px)
        if len(others) not in (1, 3):
            doubts.append(f"{name}: {len(others)} copies at the other corners")
        indices[name] = (region, *others)
    # Shading may hide a card's lower index from the comparison: where nearly all have one, it has one too.
    lone = [n for n, regions in indices.items() if len(regions) == 1]
    if len(lone) < 6:
        height, width = next(iter(inks.values())).shape
        indices |= {n: (indices[n][0], turned(indices[n][0], width / px, height / px)) for n in lone}
    return Found(indices, tuple(doubts))


def column_region(ink: Mask, px: float) -> IndexRegion | None:
    """The region of a joker's corner column: the ink at the top left that lies in one narrow strip."""
    h, w = ink.shape
    parts = [
        c
        for c in _components(ink)
        if c[2] < 0.24 * w
        and c[3] < 0.56 * h
        and c[3] - c[1] > 0.8 * px
        and (c[0] > 0.3 * px or c[1] > 0.3 * px)
    ]
    if len(parts) < 3:
        return None
    x0, y0 = min(c[0] for c in parts) / px, min(c[1] for c in parts) / px
    x1, y1 = max(c[2] for c in parts) / px, max(c[3] for c in parts) / px
    middle = (x0 + x1) / 2
    return IndexRegion(
        box=(x0, y0, x1, y1), rank=(middle, y0 + (y1 - y0) / 4), suit=(middle, y0 + 3 * (y1 - y0) / 4)
    )
