"""Finds where the mat lies from the tags printed on it, and takes the zones along with it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.notes import CannotCalibrate, Note, note
from calibration.projection import px_to_table
from calibration.setup import Plane, ZoneSetup, play_zones
from calibration.tags import Found, Mat, Tag

Points = NDArray[np.float64]
LEAST_TAGS: Final = 2
_OFF_MM: Final = 3.0
_SURE_MM: Final = 0.03
_GOOD_MM: Final = 1.0

# What lies where on the usual mat, from its player's view: mm to the right, mm from the centre, width and depth.
DISCARD: Final = (330.0, 325.0, 104.0, 100.0)
EXCHANGE: Final = (0.0, 0.0, 150.0, 150.0)
POINTS: Final = (328.0, 409.0, 104.0, 70.0)
HANDS: Final = (0.0, 500.0, 700.0, 100.0)
KINDS: Final = ("play", "exchange", "discard", "kitty", "points", "ignore")


@dataclass(frozen=True, slots=True)
class MatFound:
    """Where the mat lies.

    Attributes:
        mat: its place.
        residual: root mean square distance of its tags' corners from where the place puts them, mm.
        used: numbers of its tags that were used.
        notes: what could be better.
    """

    mat: Mat
    residual: float
    used: tuple[int, ...]
    notes: tuple[Note, ...]


def usual_zones(kinds: Iterable[str] = ("play",)) -> tuple[ZoneSetup, ...]:
    """The zones of the usual mat, of these kinds.

    `play`: the four seats'. `exchange` (tribute) and `kitty` share the middle: a game has one of the two. `discard`:
    to each seat's right. `points`: beside them. `ignore`: where players hold their hands, beyond the table's edge.

    Raises:
        ValueError: no such kind, or both that share the middle.
    """
    wanted = list(dict.fromkeys(kinds))
    for kind in wanted:
        if kind not in KINDS:
            raise ValueError(f"no kind of zone {kind!r} (expected {', '.join(KINDS)})")
    if "exchange" in wanted and "kitty" in wanted:
        raise ValueError("exchange and kitty both lie in the middle of the mat; a game has one of them")
    zones = [*play_zones()] if "play" in wanted else []
    for kind, spot in (("discard", DISCARD), ("points", POINTS), ("ignore", HANDS)):
        if kind in wanted:
            name = "hands" if kind == "ignore" else kind
            zones += [_at_seat(f"{name} {seat}", seat, kind, spot) for seat in range(4)]
    for kind in ("exchange", "kitty"):
        if kind in wanted:
            x, y, width, depth = EXCHANGE
            zones.append(ZoneSetup(kind, None, (x, y), (width, depth), 0.0, kind))
    return tuple(zones)


def find_mat(
    planes: Mapping[str, Plane],
    found: Mapping[str, Found],
    tags: Sequence[Tag],
    residuals: Mapping[str, float] | None = None,
) -> MatFound:
    """The mat's place from its tags, as all cameras together see them.

    Args:
        planes: of the cameras.
        found: tags that each camera found.
        tags: of the table; those of the mat with their places in the mat's mm.
        residuals: of the planes, mm: what is surer counts for more; None: all count alike.

    Raises:
        CannotCalibrate: fewer than two of the mat's tags are seen, or they contradict each other.
    """
    ours = {tag.number: tag for tag in tags if tag.on_mat}
    seen: dict[int, list[Points]] = {}
    sure: dict[int, list[float]] = {}
    for camera, plane in planes.items():
        weight = 1.0 if residuals is None else 1 / (residuals[camera] ** 2 + _SURE_MM**2)
        for number in set(found[camera]) & set(ours):
            seen.setdefault(number, []).append(px_to_table(plane, found[camera][number]))
            sure.setdefault(number, []).append(weight)
    if len(seen) < LEAST_TAGS:
        raise CannotCalibrate("mat_few_tags", count=len(seen), least=LEAST_TAGS)
    numbers = sorted(seen)
    on_mat = np.stack([ours[number].corners for number in numbers])
    on_table = np.stack([np.average(seen[number], 0, sure[number]) for number in numbers])
    weights = np.repeat([sum(sure[number]) for number in numbers], 4)
    good = _agreeing(on_mat, on_table)
    if good.sum() < LEAST_TAGS:
        raise CannotCalibrate("mat_disagrees", numbers=", ".join(str(number) for number in numbers))
    mat = _rigid(on_mat[good].reshape(-1, 2), on_table[good].reshape(-1, 2), weights[np.repeat(good, 4)])
    away = _away(mat, on_mat, on_table)
    residual = float(np.sqrt((away[good] ** 2).mean()))
    used = tuple(number for number, kept in zip(numbers, good, strict=True) if kept)
    notes = [
        note("tag_elsewhere", number=number, mm=f"{one.mean():.1f}")
        for number, one, kept in zip(numbers, away, good, strict=True)
        if not kept
    ]
    if residual > _GOOD_MM:
        notes.append(note("mat_residual", mm=f"{residual:.1f}"))
    return MatFound(mat, residual, used, tuple(notes))


def moved_zones(zones: Iterable[ZoneSetup], before: Mat, now: Mat) -> tuple[ZoneSetup, ...]:
    """Zones that lie on the mat, after it was moved from one place to another; hands to ignore stay where they are."""
    motion = now.to_table @ np.linalg.inv(before.to_table)
    out = []
    for zone in zones:
        if zone.kind == "ignore":
            out.append(zone)
            continue
        x, y = (motion @ [*zone.centre, 1.0])[:2]
        centre = (round(float(x), 2), round(float(y), 2))
        out.append(replace(zone, centre=centre, turn=round(zone.turn + now.turn - before.turn, 3)))
    return tuple(out)


def _at_seat(name: str, seat: int, kind: str, spot: tuple[float, float, float, float]) -> ZoneSetup:
    right, towards, width, depth = spot
    c, s = ((1, 0), (0, 1), (-1, 0), (0, -1))[seat]
    return ZoneSetup(
        name, seat, (c * right + s * towards, s * right - c * towards), (width, depth), 90.0 * seat, kind
    )


def _agreeing(on_mat: Points, on_table: Points) -> NDArray[np.bool_]:
    """Which tags (n, 4, 2) agree on one place of the mat: the most that any two of them find."""
    count = len(on_mat)
    best = np.zeros(count, np.bool_)
    for one in range(count):
        for other in range(one + 1, count):
            pair = [one, other]
            mat = _rigid(on_mat[pair].reshape(-1, 2), on_table[pair].reshape(-1, 2))
            good = _away(mat, on_mat, on_table).max(1) <= _OFF_MM
            if good.sum() > best.sum():
                best = good
    return best


def _rigid(start: Points, end: Points, weights: NDArray[np.float64] | None = None) -> Mat:
    """The turn and shift that lead points (n, 2) to others with the least squares."""
    w = np.ones(len(start)) if weights is None else weights
    middle, target = np.average(start, 0, w), np.average(end, 0, w)
    one, other = start - middle, end - target
    turn = math.atan2(
        float((w * (one[:, 0] * other[:, 1] - one[:, 1] * other[:, 0])).sum()),
        float((w[:, None] * one * other).sum()),
    )
    c, s = math.cos(turn), math.sin(turn)
    x, y = target - np.array([[c, -s], [s, c]]) @ middle
    return Mat((float(x), float(y)), math.degrees(turn))


def _away(mat: Mat, on_mat: Points, on_table: Points) -> Points:
    """(n, 4) mm: how far corners lie from where a place of the mat puts them."""
    matrix = mat.to_table
    return np.asarray(np.linalg.norm(on_mat @ matrix[:2, :2].T + matrix[:2, 2] - on_table, axis=-1))
