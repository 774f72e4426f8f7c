"""Where cards lie for whom: turns, overlaps, whose zone a card belongs to, left to right."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np

from calibration.setup import ZoneSetup
from vision.cards_read import CardsRead
from vision.certainty import FEATURES
from vision.layout import reading_order
from vision.plane import Points

REACH_MM: Final = 12.0
"""A card whose middle lies so far outside of a zone still belongs to it."""
_CLEARLY_TURNED: Final = 12.0


def local(points: Points, zone: ZoneSetup) -> Points:
    """Mm on the table (..., 2) as mm from the zone's centre, x to its reader's right and y away from them."""
    a = math.radians(zone.turn)
    turn = np.array([[math.cos(a), -math.sin(a)], [math.sin(a), math.cos(a)]])
    return np.asarray((points - np.asarray(zone.centre)) @ turn, np.float64)


def turn_of(outline: Points, zone: ZoneSetup) -> float:
    """Degrees counter-clockwise from upright for the zone's reader, -90..90: a card has no top."""
    up = local(outline[[3, 0]], zone)
    step = up[1] - up[0]
    angle = math.degrees(math.atan2(-step[0], step[1]))
    return (angle + 90) % 180 - 90


def canonical(outline: Points, zone: ZoneSetup) -> Points:
    """The outline begun at the corner that is top left for the zone's reader."""
    up = local(outline[[3, 0]], zone)
    return outline if up[1, 1] >= up[0, 1] else np.roll(outline, 2, axis=0)


def turned_apart(one: Points, other: Points) -> float:
    """Degrees between the long axes of two outlines, 0..90."""
    a, b = one[3] - one[0], other[3] - other[0]
    cosine = abs(float(a @ b)) / max(float(np.linalg.norm(a) * np.linalg.norm(b)), 1e-9)
    return math.degrees(math.acos(min(cosine, 1.0)))


def overlap(one: Points, other: Points) -> float:
    """How much of `one` lies inside `other`, 0..1."""
    area, _ = cv2.intersectConvexConvex(one.astype(np.float32), other.astype(np.float32))
    return float(area) / max(float(cv2.contourArea(one.astype(np.float32))), 1e-6)


def owner(
    outline: Points, zones: Sequence[ZoneSetup], others: Sequence[tuple[Points, str]] = ()
) -> str | None:
    """Whose zone a card lies in: name of the zone, None outside of all.

    Where zones overlap it is the one whose reader sees the card upright; a card that is askew between both
    goes where the cards that it touches belong, else to the nearer zone.

    Args:
        outline: (4, 2) mm.
        zones: all zones.
        others: outlines of other cards with their zones.
    """
    centre = outline.mean(0)
    inside = []
    for zone in zones:
        x, y = np.abs(local(centre, zone))
        if x <= zone.size[0] / 2 + REACH_MM and y <= zone.size[1] / 2 + REACH_MM:
            inside.append(zone)
    if len(inside) < 2:
        return inside[0].name if inside else None
    lean = {zone.name: abs(turn_of(outline, zone)) for zone in inside}
    order = sorted(inside, key=lambda zone: lean[zone.name])
    if lean[order[1].name] - lean[order[0].name] > 2 * _CLEARLY_TURNED:
        return order[0].name
    touching = {zone.name: 0.0 for zone in inside}
    for other, name in others:
        if name in touching:
            touching[name] += overlap(outline, other)
    best = max(touching, key=lambda name: touching[name])
    if touching[best] > 0:
        return best
    return min(inside, key=lambda zone: float(np.linalg.norm(local(centre, zone)))).name


def left_to_right(outlines: Sequence[Points], zone: ZoneSetup) -> list[int]:
    """Numbers of cards in the order in which the zone's reader reads them, row by row."""
    count = len(outlines)
    if not count:
        return []
    flat = np.stack([local(outline, zone) * [1, -1] for outline in outlines]).astype(np.float32)
    down = flat[:, 3] - flat[:, 0]
    empty = CardsRead(
        np.zeros(count, np.int64),
        np.ones(count, np.float32),
        np.zeros(count, bool),
        flat,
        np.zeros((count, 54), np.float32),
        (down / np.maximum(np.linalg.norm(down, axis=1, keepdims=True), 1e-6)).astype(np.float32),
        np.ones(count, np.int64),
        np.zeros((count, len(FEATURES))),
    )
    return [int(i) for i in reading_order(empty, (0.0, 1.0))]
