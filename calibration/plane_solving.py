"""Solves where the table lies in a camera's picture from its tags, and checks cameras against each other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.notes import CannotCalibrate, Note, note
from calibration.projection import px_to_table, straightened
from calibration.setup import Lens, Plane
from calibration.tags import Found, Tag, table_of

Points = NDArray[np.float64]
LEAST_TAGS: Final = 2
GOOD_TAGS: Final = 4
GOOD_MM: Final = 0.5
"""A plane whose residual is larger is told to be doubtful."""
MOST_MM: Final = 3.0
"""A tag that lies further from where it should is left out."""
SCALE_OFF: Final = 0.012
"""Tags that are larger or smaller by more than this share were printed at a wrong scale."""
GOOD_AGREEMENT_MM: Final = 1.0
GOOD_SPREAD_MM: Final = 80.0
"""Tags that lie nearer to one line tell little about what is beyond it."""


@dataclass(frozen=True, slots=True)
class PlaneSolved:
    """Where the table lies in a picture, with what that rests on.

    Attributes:
        plane: of the camera.
        residual: root mean square distance of the corners of all tags that were used, mm on the table.
        worst: of them, mm.
        used: numbers of those tags.
        left_out: number of a tag of this table that lies elsewhere, to how far, mm.
        foreign: numbers of tags that are not this table's.
        notes: what could be better.
    """

    plane: Plane
    residual: float
    worst: float
    used: tuple[int, ...]
    left_out: Mapping[int, float]
    foreign: tuple[int, ...]
    notes: tuple[Note, ...]


def solve_plane(found: Found, tags: Sequence[Tag], lens: Lens | None) -> PlaneSolved:
    """The table's plane from tags whose places on the table are known.

    Args:
        found: corners of the tags in the picture.
        tags: of this table, where they lie on it.
        lens: of the camera; None where its distortion is not known (taken as none).

    Raises:
        CannotCalibrate: too few of the table's tags, tags of another table instead, tags that contradict each other,
            or tags that were printed at a wrong scale.
    """
    ours, foreign = told_apart(found, tags)
    numbers = [tag.number for tag in ours]
    px = straightened(lens, np.stack([found[number] for number in numbers]))
    mm = np.stack([tag.corners for tag in ours])
    good = _agreeing(px, mm)
    if np.count_nonzero(good) < LEAST_TAGS:
        raise CannotCalibrate("tags_disagree", numbers=_listed(numbers))
    scale = _printed_scale(px[good], mm[good])
    # A lens that bends and is not known looks like a wrong scale too.
    if abs(scale - 1) > (SCALE_OFF if lens is not None else 4 * SCALE_OFF):
        raise CannotCalibrate("tags_scale", percent=f"{100 * scale:.1f}", line=f"{100 * scale:.1f}")
    plane = Plane(_fit(px[good].reshape(-1, 2), mm[good].reshape(-1, 2), lens), lens)
    away = _distances(plane, found, ours)
    # The final fit decides: a tag that a rough one left out may well agree with the others.
    again = np.array([one.max() <= MOST_MM for one in away])
    if again.sum() > good.sum():
        good = again
        plane = Plane(_fit(px[good].reshape(-1, 2), mm[good].reshape(-1, 2), lens), lens)
        away = _distances(plane, found, ours)
    inside = np.concatenate([one for one, kept in zip(away, good, strict=True) if kept])
    left_out = {n: float(one.mean()) for n, one, kept in zip(numbers, away, good, strict=True) if not kept}
    residual = float(np.sqrt((inside**2).mean()))
    used = tuple(n for n, kept in zip(numbers, good, strict=True) if kept)
    notes = _remarks(used, residual, left_out, foreign, lens)
    if len(used) >= GOOD_TAGS and spread([tag for tag in ours if tag.number in used]) < GOOD_SPREAD_MM:
        notes.append(note("plane_on_line"))
    return PlaneSolved(plane, residual, float(inside.max()), used, left_out, foreign, tuple(notes))


def spread(tags: Sequence[Tag]) -> float:
    """How far tags lie from one line, mm (standard deviation): beyond a line of tags the plane is a guess."""
    if len(tags) < LEAST_TAGS:
        return 0.0
    centres = np.array([tag.centre for tag in tags])
    return float(np.linalg.svd(centres - centres.mean(0), compute_uv=False)[-1] / np.sqrt(len(centres)))


def told_apart(found: Found, tags: Sequence[Tag]) -> tuple[list[Tag], tuple[int, ...]]:
    """The table's own tags in a picture, and the numbers of others.

    Raises:
        CannotCalibrate: too few of its own.
    """
    ours = [tag for tag in tags if tag.number in found]
    foreign = tuple(sorted(set(found) - {tag.number for tag in tags}))
    if len(ours) >= LEAST_TAGS:
        return ours, foreign
    if foreign and not ours:
        seen = ", ".join(str(table) for table in sorted({table_of(number) for number in foreign}))
        own = table_of(tags[0].number) if tags else "?"
        raise CannotCalibrate("tags_of_another_table", seen=seen, own=own)
    missing = _listed([tag.number for tag in tags if tag.number not in found])
    raise CannotCalibrate("tags_few", count=len(ours), least=LEAST_TAGS, good=GOOD_TAGS, missing=missing)


def agreement(planes: Mapping[str, Plane], found: Mapping[str, Found]) -> dict[tuple[str, str], Points]:
    """How far apart two cameras see the same tags.

    Args:
        planes: of the cameras.
        found: what each found, tags of the mat and of anybody included.

    Returns:
        For each pair of cameras (n,) distances of the corners that both see, mm; empty where they share none.
    """
    out: dict[tuple[str, str], Points] = {}
    for one, other in combinations(planes, 2):
        shared = sorted(set(found[one]) & set(found[other]))
        apart = [
            px_to_table(planes[one], found[one][n]) - px_to_table(planes[other], found[other][n])
            for n in shared
        ]
        out[one, other] = np.linalg.norm(np.concatenate(apart), axis=1) if apart else np.empty(0)
    return out


def _agreeing(px: Points, mm: Points) -> NDArray[np.bool_]:
    """Which tags (n, 4, 2) fit one plane, by RANSAC over their corners; all four of a tag's, or it does not."""
    flat_px, flat_mm = px.reshape(-1, 2), mm.reshape(-1, 2)
    _, inside = cv2.findHomography(
        flat_px, flat_mm, cv2.RANSAC, MOST_MM * 0.8, maxIters=5000, confidence=0.9999
    )
    if inside is None:
        return np.zeros(len(px), np.bool_)
    return np.asarray(np.asarray(inside).reshape(-1, 4).sum(1) >= 3, np.bool_)


def _printed_scale(px: Points, mm: Points) -> float:
    """How large tags (n, 4, 2) are against what they should be, as fits their distances from each other best."""
    middles = mm.mean(1, keepdims=True)
    scales = np.linspace(0.9, 1.1, 41)
    errors = []
    for scale in scales:
        sized = (middles + scale * (mm - middles)).reshape(-1, 2)
        matrix, _ = cv2.findHomography(px.reshape(-1, 2), sized)
        if matrix is None:
            return 1.0
        ahead = np.c_[px.reshape(-1, 2), np.ones(len(sized))] @ np.asarray(matrix).T
        errors.append(float((((ahead[:, :2] / ahead[:, 2:]) - sized) ** 2).mean()))
    at = int(np.argmin(errors))
    if not 0 < at < len(scales) - 1:
        return float(scales[at])
    a, b, c = errors[at - 1], errors[at], errors[at + 1]
    return float(scales[at] + 0.5 * (a - c) / max(a - 2 * b + c, 1e-12) * (scales[1] - scales[0]))


def _fit(px: Points, mm: Points, lens: Lens | None) -> NDArray[np.float64]:
    """The homography mm to undistorted px that fits best.

    With a lens it is a pose: a camera has six degrees of freedom where a homography has eight, and what is not free
    cannot go wrong between and beyond the tags.
    """
    matrix, _ = cv2.findHomography(mm, px)
    if matrix is None:
        raise CannotCalibrate("tags_line")
    out = np.asarray(matrix, np.float64)
    if lens is not None:
        out = _pose(px, mm, lens, out)
    return np.asarray(out / out[2, 2], np.float64)


def _pose(px: Points, mm: Points, lens: Lens, start: NDArray[np.float64]) -> NDArray[np.float64]:
    flat = np.zeros(5)
    space = np.c_[mm, np.zeros(len(mm))]
    done, turn, move = cv2.solvePnP(space, px, lens.matrix, flat, flags=cv2.SOLVEPNP_IPPE)
    if not done:
        return start
    turn, move = cv2.solvePnPRefineLM(space, px, lens.matrix, flat, turn, move)
    axes = np.asarray(cv2.Rodrigues(turn)[0])
    return np.asarray(lens.matrix @ np.column_stack([axes[:, 0], axes[:, 1], np.asarray(move).ravel()]))


def _distances(plane: Plane, found: Found, tags: Sequence[Tag]) -> list[Points]:
    return [np.linalg.norm(px_to_table(plane, found[tag.number]) - tag.corners, axis=1) for tag in tags]


def _remarks(
    used: Sequence[int],
    residual: float,
    left_out: Mapping[int, float],
    foreign: Sequence[int],
    lens: Lens | None,
) -> list[Note]:
    out = []
    if len(used) < GOOD_TAGS:
        out.append(note("plane_few_tags", count=len(used), good=GOOD_TAGS))
    if lens is None and (residual > GOOD_MM or left_out):
        out.append(note("plane_no_lens", mm=f"{residual:.2f}"))
    elif residual > GOOD_MM:
        out.append(note("plane_residual", mm=f"{residual:.2f}", good=GOOD_MM))
    for number, mm in left_out.items():
        out.append(note("tag_elsewhere", number=number, mm=f"{mm:.1f}"))
    if foreign:
        tables = ", ".join(str(table) for table in sorted({table_of(number) for number in foreign}))
        out.append(note("tags_foreign", numbers=_listed(foreign), tables=tables))
    return out


def _listed(numbers: Sequence[int]) -> str:
    return ", ".join(str(number) for number in numbers) or "-"
