"""Solves a camera's lens from many views of a ChArUco board, and says which views were no use and why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.boards import Board, BoardFinder
from calibration.notes import CannotCalibrate, Note, note
from calibration.setup import Lens

Points = NDArray[np.float64]
LEAST_VIEWS: Final = 8
GOOD_VIEWS: Final = 15
GOOD_PX: Final = 0.5
"""A lens whose residual is larger is told to be doubtful."""
_MOST_PX: Final = 2.0
_LEAST_CORNERS: Final = 10
_OFF: Final = 2.5
"""Times the median residual of a view."""
_OFF_PX: Final = 0.35
_SAME_PX: Final = 0.004
"""Two views whose corners differ by less than this share of the picture's width are one."""
_SURE: Final = 0.006
"""Standard error of the focal length as a share of it."""
_CELLS: Final = 6


@dataclass(slots=True)
class LensView:
    """One picture of the board.

    Attributes:
        name: of the picture.
        corners: how many of the board's corners were found.
        residual: root mean square of their errors, px; None where it was left out before solving.
        why: why it was left out; None where it was used.
    """

    name: str
    corners: int = 0
    residual: float | None = None
    why: Note | None = None
    px: Points = field(default_factory=lambda: np.empty((0, 2)))
    mm: Points = field(default_factory=lambda: np.empty((0, 2)))


@dataclass(frozen=True, slots=True)
class LensSolved:
    """A lens with what it rests on.

    Attributes:
        lens: as OpenCV writes it.
        residual: root mean square over the corners of all views that were used, px.
        views: all of them.
        notes: what could be better.
    """

    lens: Lens
    residual: float
    views: tuple[LensView, ...]
    notes: tuple[Note, ...]

    @property
    def used(self) -> tuple[LensView, ...]:
        """The views that it rests on."""
        return tuple(view for view in self.views if view.why is None)


def solve_lens(
    pictures: Iterable[tuple[str, NDArray[np.uint8]]], board: Board, size: tuple[int, int]
) -> LensSolved:
    """The lens of a camera.

    Args:
        pictures: names and pictures (H, W[, 3]) uint8 of the board, held in many places and tilted in many ways.
        board: which one. Its scale does not matter for the lens.
        size: width and height that the camera's pictures have, px.

    Raises:
        CannotCalibrate: too few usable views, or they do not fit any lens.
    """
    finder = BoardFinder()
    views: list[LensView] = []
    for name, image in pictures:
        views.append(_look(name, image, finder, board, size, views))
    return solve_views(views, size)


def solve_views(views: Sequence[LensView], size: tuple[int, int]) -> LensSolved:
    """The same from corners that were found already.

    Raises:
        CannotCalibrate: as there.
    """
    while True:
        used = [view for view in views if view.why is None]
        if len(used) < LEAST_VIEWS:
            raise CannotCalibrate("lens_few_views", count=len(used), of=len(views), least=LEAST_VIEWS)
        solved = _calibrate(used, size)
        errors = np.array([view.residual for view in used], float)
        limit = max(_OFF * float(np.median(errors)), _OFF_PX)
        if errors.max() <= limit:
            break
        for view in used:
            if (view.residual or 0.0) > limit:
                view.why = note("view_off", px=f"{view.residual:.2f}", usual=f"{np.median(errors):.2f}")
    lens, residual, sure = solved
    if residual > _MOST_PX:
        raise CannotCalibrate("lens_no_fit", px=f"{residual:.1f}")
    return LensSolved(lens, residual, tuple(views), tuple(_remarks(used, residual, sure, size)))


def _look(
    name: str,
    image: NDArray[np.uint8],
    finder: BoardFinder,
    board: Board,
    size: tuple[int, int],
    before: Sequence[LensView],
) -> LensView:
    height, width = image.shape[:2]
    view = LensView(name)
    if (width, height) != size:
        view.why = note("view_size", width=width, height=height, wide=size[0], high=size[1])
        return view
    view.px, numbers = finder.find(image, board)
    view.corners = len(numbers)
    if not view.corners:
        other = finder.which(image)
        view.why = note("view_other_board", board=other.name) if other else note("view_no_board")
        return view
    view.mm = board.corners[numbers]
    if view.corners < _LEAST_CORNERS or np.linalg.matrix_rank(view.mm - view.mm.mean(0), 1.0) < 2:
        view.why = note("view_few_corners", count=view.corners, least=_LEAST_CORNERS)
    elif any(_same(view, other, width) for other in before if other.why is None):
        view.why = note("view_again")
    return view


def _same(one: LensView, other: LensView, width: int) -> bool:
    """Whether two views show the board in one place."""
    places = {tuple(mm): px for mm, px in zip(other.mm, other.px, strict=True)}
    apart = [
        float(np.linalg.norm(px - places[tuple(mm)]))
        for mm, px in zip(one.mm, one.px, strict=True)
        if tuple(mm) in places
    ]
    return len(apart) >= _LEAST_CORNERS // 2 and float(np.median(apart)) < _SAME_PX * width


def _calibrate(views: Sequence[LensView], size: tuple[int, int]) -> tuple[Lens, float, float]:
    """Lens, residual px, standard error of the focal length as a share; notes each view's residual."""
    mm: list[Any] = [np.c_[view.mm, np.zeros(len(view.mm))].astype(np.float32) for view in views]
    px: list[Any] = [view.px.astype(np.float32) for view in views]
    # Two views say little about the outermost bending: with few of them the last coefficient stays away.
    flags = cv2.CALIB_FIX_K3 if len(views) < 12 else 0
    residual, matrix, bends, _, _, errors, _, each = cv2.calibrateCameraExtended(
        mm, px, size, np.eye(3), np.zeros(5), flags=flags
    )
    for view, own in zip(views, np.asarray(each).ravel(), strict=True):
        view.residual = float(own)
    fx, fy, cx, cy = (float(v) for v in (matrix[0, 0], matrix[1, 1], matrix[0, 2], matrix[1, 2]))
    k1, k2, p1, p2, k3 = (float(v) for v in np.asarray(bends).ravel()[:5])
    lens = Lens((fx, fy), (cx, cy), (k1, k2, p1, p2, k3))
    return lens, float(residual), float(np.asarray(errors).ravel()[0]) / fx


def _remarks(views: Sequence[LensView], residual: float, sure: float, size: tuple[int, int]) -> list[Note]:
    out = []
    if len(views) < GOOD_VIEWS:
        out.append(note("lens_more_views", count=len(views), good=GOOD_VIEWS))
    if residual > GOOD_PX:
        out.append(note("lens_residual", px=f"{residual:.2f}", good=GOOD_PX))
    if sure > _SURE:
        out.append(note("lens_tilt", percent=f"{100 * sure:.1f}"))
    cells = np.concatenate([view.px for view in views]) / np.array(size) * _CELLS
    seen = {(int(x), int(y)) for x, y in cells}
    edge = [
        (x, y) for x in range(_CELLS) for y in range(_CELLS) if x in (0, _CELLS - 1) or y in (0, _CELLS - 1)
    ]
    missing = [cell for cell in edge if cell not in seen]
    if missing:
        out.append(note("lens_coverage", share=f"{1 - len(missing) / len(edge):.0%}"))
    return out
