"""Says how well a camera sees each zone, and in words what to change: detail, focus, light, glare, flicker."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.notes import Note, note
from calibration.projection import table_to_px
from calibration.setup import CameraSetup, TableSetup, ZoneSetup
from calibration.tags import TagFinder, edge_samples

Points = NDArray[np.float64]
Image = NDArray[np.uint8]
GOOD_DETAIL: Final = 1.9
LEAST_DETAIL: Final = 1.5
"""Px per mm: below it indices are guesswork, from `GOOD_DETAIL` on all is well."""
SHARP_MM: Final = 0.65
BLURRED_MM: Final = 0.9
"""Width (sigma) of the edge between ink and paper."""
DARK: Final = 95.0
BRIGHT: Final = 248.0
"""Grey level of white paper."""
_BURNT: Final = 250
_GLARE: Final = 0.0015
"""Share of a zone: a spot of 16 mm in a play zone."""
_FLICKER: Final = 0.012
_UNSTEADY: Final = 0.04
_LEAST_FRAMES: Final = 8
_MAINS: Final = (50, 60)
_CARD_MM: Final = 25.0


@dataclass(frozen=True, slots=True)
class ZoneScore:
    """How one camera sees one zone.

    Attributes:
        zone: its name; `camera` the camera's.
        detail: px per mm where it is worst.
        blur: width of edges, mm; None: no tag to measure it on.
        white: grey level of paper, 0..255; None: no tag.
        burnt: share of the zone that is saturated.
        flicker: by how much bands of light pass over it, as a share; None: too few frames.
        faults: what keeps cards from being read, and what to change.
        hints: what could be better.
    """

    zone: str
    camera: str
    detail: float
    blur: float | None
    white: float | None
    burnt: float
    flicker: float | None
    faults: tuple[Note, ...] = ()
    hints: tuple[Note, ...] = ()

    @property
    def good(self) -> bool:
        """Whether nothing has to be changed."""
        return not self.faults


def score_table(
    setup: TableSetup, frames: Mapping[str, Sequence[tuple[float, Image]]]
) -> tuple[ZoneScore, ...]:
    """The score of every zone, each by the camera that sees it best.

    Args:
        setup: of the table, calibrated.
        frames: for each camera times (s) and pictures (H, W, 3) of an idle table in a row: eight or more, taken as
            fast as the camera gives them, tell flicker.
    """
    out = []
    for zone in setup.zones:
        if zone.kind == "ignore":
            continue
        scores = [
            score_zone(zone, camera, frames[camera.name])
            for camera in setup.cameras
            if frames.get(camera.name) and detail(zone, camera) > 0
        ]
        if scores:
            out.append(min(scores, key=lambda score: (len(score.faults), len(score.hints), -score.detail)))
    return tuple(out)


def score_zone(zone: ZoneSetup, camera: CameraSetup, frames: Sequence[tuple[float, Image]]) -> ZoneScore:
    """How a camera sees a zone; see `score_table`."""
    image = frames[-1][1]
    per_mm = detail(zone, camera)
    blur, white = _on_tags(zone, camera, image)
    cut, mask = _cut(zone, camera, image)
    brightest = cut.max(2)
    inside = mask > 0
    burnt = float((brightest[inside] >= _BURNT).mean()) if inside.any() else 0.0
    if white is None and inside.any() and np.percentile(brightest[inside], 99) < 60:
        white = float(np.percentile(brightest[inside], 99))
    flicker, hertz, unsteady = _flicker(zone, camera, frames)
    faults: list[Note] = []
    hints: list[Note] = []
    if per_mm < LEAST_DETAIL:
        faults.append(note("score_detail", detail=f"{per_mm:.1f}", least=LEAST_DETAIL, good=GOOD_DETAIL))
    elif per_mm < GOOD_DETAIL:
        hints.append(note("score_detail_fair", detail=f"{per_mm:.1f}", good=GOOD_DETAIL))
    if blur is not None and blur > BLURRED_MM:
        faults.append(note("score_blurred", blur=f"{blur:.1f}"))
    elif blur is not None and blur > SHARP_MM:
        hints.append(note("score_soft", blur=f"{blur:.1f}"))
    if white is None:
        hints.append(note("score_no_tag"))
    elif white < DARK:
        faults.append(note("score_dark", white=round(white)))
    flickers = flicker is not None and flicker > _FLICKER
    if white is not None and white >= BRIGHT:
        faults.append(note("score_bright", white=round(white)))
    elif burnt > _GLARE and not flickers:
        # Bands of light burn out what is white for moments: that is no glare.
        faults.append(note("score_glare", share=f"{burnt:.1%}"))
    if flicker is None:
        hints.append(note("score_few_frames", count=len(frames), least=_LEAST_FRAMES))
    elif flickers:
        key = f"score_flicker_{hertz}" if hertz else "score_flicker"
        faults.append(note(key, share=f"{flicker:.0%}"))
    elif unsteady > _UNSTEADY:
        faults.append(note("score_unsteady", share=f"{unsteady:.0%}"))
    return ZoneScore(zone.name, camera.name, per_mm, blur, white, burnt, flicker, tuple(faults), tuple(hints))


def detail(zone: ZoneSetup, camera: CameraSetup) -> float:
    """Px per mm in the zone where and in the direction in which it is least; 0 where the camera sees none of it."""
    spots = np.vstack([zone.corners * 0.9 + np.array(zone.centre) * 0.1, zone.centre])
    px = table_to_px(camera.plane, spots)
    spots = spots[((px >= 0) & (px < np.array(camera.size))).all(1)]
    least = math.inf
    for x, y in spots:
        near = table_to_px(camera.plane, np.array([[x - 1, y], [x + 1, y], [x, y - 1], [x, y + 1]]))
        jacobian = np.stack([near[1] - near[0], near[3] - near[2]], 1) / 2
        least = min(least, float(np.linalg.svd(jacobian, compute_uv=False)[-1]))
    return 0.0 if math.isinf(least) else least


def _on_tags(zone: ZoneSetup, camera: CameraSetup, image: Image) -> tuple[float | None, float | None]:
    """Width of edges in mm and the grey level of paper, on the two tags nearest to the zone."""
    grey = np.asarray(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), np.uint8)
    found = list(TagFinder().find(grey).values())
    if not found:
        return None, None
    middle = table_to_px(camera.plane, np.array(zone.centre))
    found.sort(key=lambda corners: float(np.linalg.norm(corners.mean(0) - middle)))
    per_mm = detail(zone, camera) or 1.0
    blurs, whites = [], []
    for corners in found[:2]:
        for i in range(4):
            levels, steps, _, _ = edge_samples(grey, corners[i], corners[(i + 1) % 4], corners.mean(0))
            blurs.append(_edge_width(levels.mean(0), steps))
            whites.append(float(np.median(levels[:, -2:])))
    return float(np.median(blurs)) / per_mm, float(np.median(whites))


def _edge_width(profile: NDArray[np.float32], steps: NDArray[np.float64]) -> float:
    """Sigma of the edge in a profile from black to white, px: from where it has climbed a tenth to nine tenths."""
    low, high = float(profile[:2].mean()), float(profile[-2:].mean())
    share = np.maximum.accumulate((profile - low) / max(high - low, 1.0))
    rising = share + np.linspace(0, 1e-6, len(share))
    first, last = np.interp([0.1, 0.9], rising, steps)
    return float(last - first) / 2.563


def _cut(zone: ZoneSetup, camera: CameraSetup, image: Image) -> tuple[Image, Image]:
    """The part of a picture round a zone, and which of its px are the zone's."""
    outline = table_to_px(camera.plane, zone.corners)
    height, width = image.shape[:2]
    x0, y0 = np.clip(np.floor(outline.min(0)).astype(int), 0, (width - 1, height - 1))
    x1, y1 = np.clip(np.ceil(outline.max(0)).astype(int) + 1, (x0 + 1, y0 + 1), (width, height))
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, np.rint(outline - (x0, y0)).astype(np.int32), 255)
    return image[y0:y1, x0:x1], mask


def _flicker(
    zone: ZoneSetup, camera: CameraSetup, frames: Sequence[tuple[float, Image]]
) -> tuple[float | None, int | None, float]:
    """How much bands of light pass over a zone, the mains that they fit (Hz), and how much the whole brightness swings.

    A shutter that rolls over the picture turns lamps that pulse into bands of rows; what stays as it is from frame to
    frame is the table.
    """
    if len(frames) < _LEAST_FRAMES:
        return None, None, 0.0
    rows = []
    for _, image in frames:
        cut, _ = _cut(zone, camera, image)
        rows.append(cut.mean((1, 2)))
    levels = np.stack(rows)
    ratio = levels / np.maximum(levels.mean(0), 1.0)
    whole = ratio.mean(1)
    bands = ratio - whole[:, None]
    strength = float(np.sqrt(2) * bands.std())
    unsteady = float(np.ptp(whole))
    times = np.array([at for at, _ in frames])
    return strength, _mains(bands, times) if strength > _FLICKER else None, unsteady


def _mains(bands: Points, times: Points) -> int | None:
    """The mains whose doubled frequency, seen at the frames' times, fits the bands' beat; None where neither does."""
    fit = {}
    for hertz in _MAINS:
        wave = np.exp(-2j * math.pi * 2 * hertz * times)
        basis = np.stack([wave.real, wave.imag], 1)
        basis = basis - basis.mean(0)
        if np.abs(basis).max() < 0.05:
            # Frames as fast as the lamps: their bands stand still.
            continue
        told, *_ = np.linalg.lstsq(basis, bands, rcond=None)
        fit[hertz] = float(((basis @ told) ** 2).sum() / max((bands**2).sum(), 1e-12))
    best = max(fit, key=lambda hertz: fit[hertz], default=None)
    return best if best is not None and fit[best] > 0.6 else None
