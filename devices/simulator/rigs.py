"""Cameras hung up at random over a table with tags, and their pictures through real lenses: to try calibration on."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration import boards
from calibration.tags import MODULES, Mat, Tag, code_of, edge_tags, mat_tags
from devices.simulator.true_lens import Points, TrueLens, random_lens

Image = NDArray[np.uint8]
_SHEET_MM: Final = 1000.0
_PX_PER_MM: Final = 4.0
_PAPER: Final = 232
_INK: Final = 24
_FINER: Final = 2
_EVERY: Final = 8
_STRIP: Final = 64
_MARGIN: Final = 0.015
_REGIONS: Final = {
    1: ((-450.0, 450.0, -450.0, 450.0),),
    2: ((-450.0, 450.0, -450.0, 70.0), (-450.0, 450.0, -70.0, 450.0)),
    3: ((-450.0, 450.0, -450.0, 70.0), (-450.0, 70.0, -70.0, 450.0), (-70.0, 450.0, -70.0, 450.0)),
    4: (
        (-450.0, 70.0, -450.0, 70.0), (-70.0, 450.0, -450.0, 70.0),
        (-70.0, 450.0, -70.0, 450.0), (-450.0, 70.0, -70.0, 450.0),
    ),
}  # fmt: skip
"""Left, right, near and far edge of what each of so many cameras must see, mm."""


@dataclass(frozen=True, slots=True, eq=False)
class Pose:
    """Where a camera is: rows of `axes` are the picture's right, its down and the way it looks, in the table's mm."""

    axes: Points
    place: Points

    def rays(self, points: Points) -> Points:
        """Points (..., 3) mm to rays (..., 2)."""
        seen = (points - self.place) @ self.axes.T
        return np.asarray(seen[..., :2] / seen[..., 2:])


@dataclass(frozen=True, slots=True, eq=False)
class RigCamera:
    """One camera of a rig: what is true of it."""

    name: str
    lens: TrueLens
    pose: Pose
    view: float
    tilt: float

    def px(self, mm: Points) -> Points:
        """Where points (..., 2) of the table are in its picture."""
        return self.lens.to_px(self.pose.rays(np.concatenate([mm, np.zeros((*mm.shape[:-1], 1))], -1)))

    def sees(self, mm: Points) -> NDArray[np.bool_]:
        """Which points (n, 2) of the table are in its picture."""
        px = self.px(mm)
        return np.asarray(((px >= 0) & (px <= np.array(self.lens.size) - 1)).all(-1))


@dataclass(frozen=True, slots=True)
class Rig:
    """Cameras over a table with tags on its edge and on a mat."""

    cameras: tuple[RigCamera, ...]
    edge: tuple[Tag, ...]
    mat: tuple[Tag, ...]


def random_rig(
    rng: Random, table: int = 1, cameras: int | None = None, size: tuple[int, int] | None = None
) -> Rig:
    """One to four cameras, 60 to 90 degrees of view, hung up to 25 degrees off the vertical.

    Args:
        rng: the source of chance.
        table: number of the table: decides its tags.
        cameras: how many; None for chance.
        size: of their pictures, px; None for what such a rig would have.
    """
    count = cameras or rng.randint(1, 4)
    # A single camera has to see the whole table: only a finer picture gives it the detail.
    fine = count < 4 and rng.random() < 0.5
    size = size or ((3840, 2160) if count == 1 else (2560, 1440) if fine else (1920, 1080))
    hung = []
    for i, region in enumerate(_REGIONS[count], 1):
        view, tilt = rng.uniform(60, 90), rng.uniform(0, 25)
        lens = random_lens(size, view, rng)
        pose = _hang(lens, region, tilt, rng)
        hung.append(RigCamera(f"camera {i}", lens, pose, view, tilt))
    return Rig(tuple(hung), edge_tags(table), mat_tags(table))


def _hang(lens: TrueLens, region: tuple[float, float, float, float], tilt: float, rng: Random) -> Pose:
    """As near as the region allows, aimed at its middle."""
    x0, x1, y0, y1 = region
    aim = np.array([(x0 + x1) / 2 + rng.uniform(-15, 15), (y0 + y1) / 2 + rng.uniform(-15, 15), 0.0])
    lean, a = rng.uniform(0, 2 * math.pi), math.radians(tilt)
    out = np.array([math.cos(lean) * math.sin(a), math.sin(lean) * math.sin(a), math.cos(a)])
    turn = math.radians(rng.choice((0, 180)) + rng.uniform(-12, 12))
    forward = -out
    right = np.array([math.cos(turn), math.sin(turn), 0.0])
    right -= forward * (right @ forward)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(forward, right), forward])
    steps = np.linspace(0, 1, 9)
    edge = np.array([[x0 + (x1 - x0) * s, y0 + (y1 - y0) * t, 0.0] for s in steps for t in steps])
    low, high = 200.0, 4000.0
    for _ in range(40):
        away = (low + high) / 2
        px = lens.to_px(Pose(axes, aim + out * away).rays(edge)) / np.array(lens.size)
        low, high = (low, away) if ((px > _MARGIN) & (px < 1 - _MARGIN)).all() else (away, high)
    return Pose(axes, aim + out * high)


def table_sheet(tags: Sequence[Tag], rng: Random, print_scale: float = 1.0) -> Image:
    """A table with tags from above, (H, W) grey, 4 px/mm, the table's centre in its middle.

    Args:
        tags: where they lie on the table.
        rng: of the cloth.
        print_scale: how large tags are against what they should be.
    """
    side = round(_SHEET_MM * _PX_PER_MM)
    cloth = np.random.default_rng(rng.randrange(2**32)).normal(0, 1, (side // 16, side // 16))
    big = cv2.resize(cloth.astype(np.float32), (side, side), interpolation=cv2.INTER_CUBIC)
    sheet = np.clip(84 + 7 * big, 0, 255).astype(np.uint8)
    for tag in tags:
        size = tag.size * print_scale
        _paste(sheet, _tag_picture(tag.number), tag.centre, size * (MODULES + 2) / MODULES, tag.turn)
    return sheet


def _tag_picture(number: int) -> Image:
    code = np.pad(code_of(number), 1)
    inked = np.where(code > 0, np.uint8(_INK), np.uint8(_PAPER))
    return np.asarray(np.kron(inked, np.ones((24, 24), np.uint8)), np.uint8)


def _paste(sheet: Image, picture: Image, centre: tuple[float, float], size: float, turn: float) -> None:
    """Lay a square picture of `size` mm onto the sheet, its edges as fine as the sheet allows."""
    half = sheet.shape[0] / 2
    a = math.radians(turn)
    side = picture.shape[0]
    scale = size / side * _PX_PER_MM
    c, s = math.cos(a) * scale, math.sin(a) * scale
    # The picture's y runs down, as the sheet's does: turning counter-clockwise is turning its right upwards.
    matrix = np.array([[c, s, 0.0], [-s, c, 0.0]])
    x, y = centre[0] * _PX_PER_MM + half - 0.5, half - centre[1] * _PX_PER_MM - 0.5
    matrix[:, 2] = np.array([x, y]) - matrix[:, :2] @ np.full(2, (side - 1) / 2)
    shape = sheet.shape[::-1]
    laid = cv2.warpAffine(picture, matrix, shape, flags=cv2.INTER_AREA, borderValue=0)
    cover = cv2.warpAffine(np.full_like(picture, 255), matrix, shape, flags=cv2.INTER_LINEAR, borderValue=0)
    x0, y0, w, h = cv2.boundingRect(cover)
    box = (slice(y0, y0 + h), slice(x0, x0 + w))
    share = cover[box].astype(np.float32) / 255
    sheet[box] = np.clip(sheet[box] * (1 - share) + laid[box].astype(np.float32), 0, 255).astype(np.uint8)


def table_picture(
    camera: RigCamera, sheet: Image, rng: Random, blur: float = 0.7, noise: float = 2.0
) -> Image:
    """What a camera sees of the table, (H, W) grey."""
    half = sheet.shape[0] / 2
    to_sheet = np.array([[_PX_PER_MM, 0, half - 0.5], [0, -_PX_PER_MM, half - 0.5], [0, 0, 1.0]])
    axes, place = camera.pose.axes, camera.pose.place
    # A ray (x, y, 1) meets the table where its height is nothing: a homography from rays to the sheet.
    down = axes[:, 2]
    to_table = np.stack(
        [place[0] * down - place[2] * axes[:, 0], place[1] * down - place[2] * axes[:, 1], down]
    )
    return _developed(camera.lens, to_sheet @ to_table, sheet, rng, blur, noise)


def board_picture(
    lens: TrueLens, board: boards.Board, drawn: Image, rng: Random, blur: float = 0.7, noise: float = 2.0
) -> Image:
    """A board held somewhere before a camera, tilted somehow, as it sees it, (H, W) grey.

    Args:
        lens: of the camera.
        board: the board, and `drawn` its picture (see `board_sheet`).
        rng: of place, tilt and noise.
        blur: of the lens, px (sigma).
        noise: grey levels.
    """
    width, height = lens.size
    across, down = board.size
    # Somewhere in the picture, its corners too.
    spot = lens.to_rays(np.array([rng.uniform(0.12, 0.88) * width, rng.uniform(0.12, 0.88) * height]))
    wide = float(np.ptp(lens.to_rays(np.array([[0.0, height / 2], [width - 1.0, height / 2]]))[:, 0]))
    away = max(across, down) / (wide * rng.uniform(0.3, 0.55))
    tilt, lean, roll = (
        math.radians(rng.uniform(5, 38)),
        rng.uniform(0, 2 * math.pi),
        rng.uniform(0, 2 * math.pi),
    )
    turn = np.asarray(cv2.Rodrigues(np.array([math.cos(lean), math.sin(lean), 0.0]) * tilt)[0])
    turn = turn @ np.asarray(cv2.Rodrigues(np.array([0.0, 0.0, roll]))[0])
    move = np.array([*spot, 1.0]) * away - turn @ np.array([across / 2, down / 2, 0.0])
    per_mm = drawn.shape[1] / (across + 2 * board.square)
    edge = board.square * per_mm - 0.5
    from_mm = np.array([[per_mm, 0, edge], [0, per_mm, edge], [0, 0, 1.0]])
    to_rays = np.column_stack([turn[:, 0], turn[:, 1], move])
    return _developed(lens, from_mm @ np.linalg.inv(to_rays), drawn, rng, blur, noise, border=90)


def board_sheet(board: boards.Board, per_mm: float = 4.0) -> Image:
    """A board with white round it (one square wide), (H, W) grey, from its own geometry."""
    square = round(board.square * per_mm)
    across, down = board.squares
    out = np.full(((down + 2) * square, (across + 2) * square), _PAPER, np.uint8)
    for y in range(down):
        for x in range(across):
            if (x + y) % 2 == 0:
                out[(y + 1) * square : (y + 2) * square, (x + 1) * square : (x + 2) * square] = _INK
    for number, corners in board.markers.items():
        x0, y0 = np.rint((corners[0] + board.square) * square / board.square).astype(int)
        side = round(board.marker * per_mm)
        code = cv2.resize(
            boards.code_of(number) * np.uint8(255), (side, side), interpolation=cv2.INTER_NEAREST
        )
        out[y0 : y0 + side, x0 : x0 + side] = np.where(code > 0, np.uint8(_INK), np.uint8(_PAPER))
    return out


def _developed(
    lens: TrueLens, to_sheet: Points, sheet: Image, rng: Random, blur: float, noise: float, border: int = 70
) -> Image:
    """The picture of a flat sheet: `to_sheet` (3, 3) leads from rays to its px."""
    width, height = lens.size
    # The lens bends smoothly: every eighth px is enough, the rest lies between.
    nx, ny = (math.ceil(side / _EVERY) + 2 for side in lens.size)
    xs, ys = np.meshgrid(
        np.arange(nx) * float(_EVERY) - _EVERY / 2, np.arange(ny) * float(_EVERY) - _EVERY / 2
    )
    rays = lens.to_rays(np.stack([xs, ys], -1))
    ahead = rays @ to_sheet[:, :2].T + to_sheet[:, 2]
    ahead *= np.sign(np.median(ahead[..., 2]))
    at = np.where(ahead[..., 2:] > 1e-6, ahead[..., :2] / np.maximum(ahead[..., 2:], 1e-6), -1e4)
    at = np.clip(at, -1e4, 3e4)
    out = np.full((height, width), border, np.uint8)
    inside = np.asarray(((at > -40) & (at < np.array(sheet.shape[::-1]) + 40)).all(-1), np.bool_)
    columns, rows = np.flatnonzero(inside.any(0)), np.flatnonzero(inside.any(1))
    if columns.size and rows.size:
        x0, y0 = (max(int(first - 2) * _EVERY, 0) for first in (columns[0], rows[0]))
        x1, y1 = min(int(columns[-1] + 2) * _EVERY, width), min(int(rows[-1] + 2) * _EVERY, height)
        for top in range(y0, y1, _STRIP):
            box = (x0, top, x1, min(top + _STRIP, y1))
            out[box[1] : box[3], x0:x1] = _sampled(at.astype(np.float32), box, sheet, border)
    seen = out.astype(np.float32)
    if blur > 0:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), blur), np.float32)
    source = np.random.default_rng(rng.randrange(2**32))
    grain = source.standard_normal((height, width), np.float32) * np.float32(noise)
    return np.asarray(np.clip(seen * np.float32(0.85) + np.float32(6) + grain, 0, 255), np.uint8)


def _sampled(at: NDArray[np.float32], box: tuple[int, int, int, int], sheet: Image, border: int) -> Image:
    """A part of the picture: where its px lie on the sheet is known at every eighth."""
    x0, y0, x1, y1 = box
    across, down = (
        (((np.arange(n * _FINER, dtype=np.float32) + 0.5) / _FINER - 0.5 + start) + _EVERY / 2) / _EVERY
        for n, start in ((x1 - x0, x0), (y1 - y0, y0))
    )
    gx, gy = np.meshgrid(across, down)
    where = cv2.remap(at, gx, gy, cv2.INTER_LINEAR)
    x, y = np.ascontiguousarray(where[..., 0]), np.ascontiguousarray(where[..., 1])
    fine = cv2.remap(sheet, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_CONSTANT, borderValue=border)
    return np.asarray(cv2.resize(fine, (x1 - x0, y1 - y0), interpolation=cv2.INTER_AREA), np.uint8)


def tags_on_table(rig: Rig, mat: Mat) -> tuple[Tag, ...]:
    """All tags of a rig where they lie, the mat at a place."""
    return (*rig.edge, *(mat.placed(tag) for tag in rig.mat))
