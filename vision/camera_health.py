"""Whether a camera's pictures can be trusted: gone, frozen, dark, or knocked out of its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.setup import TABLE_MM, CameraSetup, Matrix, ZoneSetup
from calibration.tags import Tag
from vision.frames import Image
from vision.plane import px_to_table, table_to_px, through

GONE_S: Final = 1.0
"""A camera that gave no frame for so long, while others did, is gone."""
FROZEN_S: Final = 1.0
"""Frames that are the same to the bit for so long are one frame: no chip is without noise."""
KNOCKED_MM: Final = 4.0
_FROZEN_FRAMES: Final = 4
_DARK: Final = 10
_LIT: Final = 0.1
_LOOK_EVERY_S: Final = 0.5
_AT_ONCE_S: Final = 0.2
_WIDE: Final = 480
_ROUND_MM: Final = 60.0
_STEEP: Final = 15.0
_LEAST_EDGE: Final = 150
_ALIKE: Final = 0.12
_UNMOVED: Final = 0.85
_EXPLAINS: Final = 0.75
_BETTER: Final = 0.15
_LEAST_TAGS: Final = 3
_QUIET_MM: Final = 4.0
"""So much white lies round the black of a tag."""
_STAYED_MM: Final = 1.5
_STAYED: Final = 0.5
_CHANGED_S: Final = 5.0
"""For so long the table looks otherwise, and the camera stands where it did, before what it shows is taken as it is."""


class CameraHealth:
    """Judges the pictures of one camera.

    Args:
        camera: the camera.
        zones: the table's zones: what lies in them moves and says nothing about the camera's place.
        tags: where they lie on the table. Where the camera sees enough of them nothing else says where it is: packs and
            cards that are done with are put down beside the zones, and cleared away.
    """

    def __init__(self, camera: CameraSetup, zones: Sequence[ZoneSetup], tags: Sequence[Tag] = ()) -> None:
        self.camera = camera
        self._tags = tuple(tags)
        self._reduction = min(1.0, _WIDE / camera.size[0])
        self._around = _around(camera, zones, self._reduction)
        self._last: NDArray[np.uint8] | None = None
        self._same = 0
        self._fresh_at = -np.inf
        self._dark = False
        self._frozen = False
        self._at = -np.inf
        self._gone = False
        self._looked_at = -np.inf
        self._reference: NDArray[np.uint8] | None = None
        self._edges = np.zeros(self._around.shape, np.bool_)
        self._alike = 0.0
        self._changed_at: float | None = None
        self.motion: Matrix | None = None
        """(3, 3), old px to new px, once the camera is known to look from elsewhere."""

    def see(self, image: Image, at: float) -> bool:
        """The next frame; says whether it is a new one (a repeated old frame counts as no frame)."""
        sample = np.ascontiguousarray(image[::24, ::24])
        same = self._last is not None and self.camera.kind != "stills" and np.array_equal(sample, self._last)
        self._last, self._at, self._gone = sample, at, False
        if same:
            self._same += 1
            self._frozen = self._same >= _FROZEN_FRAMES and at - self._fresh_at >= FROZEN_S
            return False
        self._same, self._fresh_at, self._frozen = 0, at, False
        # Dark is a picture of which less than a tenth is lighter than this; counting is cheap, and every frame pays.
        self._dark = bool(np.count_nonzero(sample >= _DARK) < sample.size * _LIT)
        return not self._dark

    def miss(self, now: float, silent: float = 0.0) -> None:
        """No frame came: time is `now`, s; others gave frames for `silent` s since its last one, or without any of it."""
        self._gone = now - self._at > GONE_S if np.isfinite(self._at) else self._gone or silent > GONE_S

    @property
    def trouble(self) -> str:
        """`gone`, `frozen`, `dark` or empty."""
        if self._gone:
            return "gone"
        return "frozen" if self._frozen else "dark" if self._dark else ""

    def look_around(self, image: Image, at: float, at_once: bool = False) -> float | None:
        """How far the table's surroundings moved in the picture, mm; None where that cannot be told now.

        Twice a second at most (five times with `at_once`), else None. Where all that stands out round the zones
        moved alike, `motion` says how.
        """
        if at - self._looked_at < (_AT_ONCE_S if at_once else _LOOK_EVERY_S):
            return None
        self._looked_at = at
        grey = self._reduced(image)
        if self._reference is None:
            self._remember(grey)
            return None
        if np.count_nonzero(self._edges) < _LEAST_EDGE:
            return None
        unmoved = self._explained(grey)
        if unmoved > _UNMOVED:
            self._changed_at = None
            return 0.0
        mm = self._moved(grey, unmoved)
        if mm is None or mm >= KNOCKED_MM:
            self._changed_at = None
        elif self._changed_at is None:
            self._changed_at = at
        elif at - self._changed_at >= _CHANGED_S:
            # Something else stood out beside the zones than now: it is gone, the camera is where it was.
            self._remember(grey)
        return mm

    def accept(self) -> None:
        """The camera's place of now is the right one: look for motion from here on."""
        self._reference, self.motion = None, None
        self._looked_at = -np.inf

    def _remember(self, grey: NDArray[np.uint8]) -> None:
        """Look for motion from this picture on."""
        self._reference, self._changed_at = grey, None
        steep = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
        found = _standing_out(steep, _tags_seen(self.camera, self._tags, self._reduction))
        if np.count_nonzero(found) < _LEAST_EDGE:
            found = _standing_out(steep, self._around)
        self._edges = found
        self._alike = max(_ALIKE * float(np.median(steep[found])), 4.0) if found.any() else 0.0

    def _moved(self, grey: NDArray[np.uint8], unmoved: float) -> float | None:
        """By how much the whole picture moved, if that explains clearly more than that it did not."""
        # Fine texture repeats within a few px: the phase says where to begin, large forms say it from nothing.
        tries = [self._fit(grey, start) for start in (self._phase(grey), (0.0, 0.0))]
        explained, fitted = max(tries, key=lambda one: one[0])
        if fitted is None:
            return None
        motion, mm = self._in_full(fitted)
        if mm < _STAYED_MM and max(explained, unmoved) > _STAYED:
            # What is there still lies where it was; the rest was covered, or cleared away.
            return mm
        if explained < _EXPLAINS or explained < unmoved + _BETTER:
            return None
        self.motion = motion
        return mm

    def _in_full(self, fitted: NDArray[np.float32]) -> tuple[Matrix, float]:
        """A motion (2, 3) of the reduced picture as one of the whole (3, 3), and how far it goes on the table, mm."""
        scale = np.diag([1 / self._reduction, 1 / self._reduction, 1.0])
        # Px centres are whole numbers in both pictures.
        shift = np.array(
            [[1, 0, 0.5 / self._reduction - 0.5], [0, 1, 0.5 / self._reduction - 0.5], [0, 0, 1.0]]
        )
        full = shift @ scale
        motion = full @ np.vstack([fitted, [0, 0, 1.0]]) @ np.linalg.inv(full)
        spots = np.array([[x, y] for x in (-200.0, 200.0) for y in (-200.0, 200.0)])
        px = table_to_px(self.camera.plane, spots)
        step = px_to_table(self.camera.plane, through(np.asarray(motion, np.float64), px)) - spots
        return np.asarray(motion, np.float64), float(np.linalg.norm(step, axis=1).max())

    def _fit(
        self, grey: NDArray[np.uint8], start: tuple[float, float]
    ) -> tuple[float, NDArray[np.float32] | None]:
        """The motion (2, 3) in px of the reduced picture, and how much it explains; begun at a shift."""
        assert self._reference is not None
        begin = np.array([[1, 0, start[0]], [0, 1, start[1]]], np.float32)
        stop = (cv2.TERM_CRITERIA_EPS | cv2.TERM_CRITERIA_COUNT, 40, 1e-3)
        try:
            _, found = cv2.findTransformECC(
                self._reference, grey, begin, cv2.MOTION_EUCLIDEAN, stop, self._around, 5
            )
        except cv2.error:  # it does not converge: people, not the camera
            return 0.0, None
        fitted = np.asarray(found, np.float32)
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        back = cv2.warpAffine(grey, fitted, grey.shape[::-1], flags=flags, borderMode=cv2.BORDER_REPLICATE)
        return self._explained(np.asarray(back, np.uint8)), fitted

    def _phase(self, grey: NDArray[np.uint8]) -> tuple[float, float]:
        """The shift that the phases of the surroundings say, px of the reduced picture."""
        assert self._reference is not None
        one, other = (
            np.where(self._around > 0, picture - np.float32(picture[self._around > 0].mean()), np.float32(0))
            for picture in (self._reference, grey)
        )
        (x, y), _ = cv2.phaseCorrelate(one.astype(np.float32), other.astype(np.float32))
        return float(x), float(y)

    def _explained(self, grey: NDArray[np.uint8]) -> float:
        """How much of what stood out round the zones is where it was, 0..1."""
        assert self._reference is not None
        old, new = self._reference[self._edges].astype(np.float32), grey[self._edges].astype(np.float32)
        gain = float(np.median(new / np.maximum(old, 1)))
        return float((np.abs(new - gain * old) < self._alike).mean())

    def _reduced(self, image: Image) -> NDArray[np.uint8]:
        size = (round(self.camera.size[0] * self._reduction), round(self.camera.size[1] * self._reduction))
        small = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        return np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)


def _standing_out(steep: NDArray[np.float32], where: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The strongest marks there are in a mask, on a plain cloth too."""
    there = steep[where > 0]
    least = max(float(np.percentile(there, 85)), _STEEP) if there.size else np.inf
    return (steep >= least) & (where > 0)


def _tags_seen(camera: CameraSetup, tags: Sequence[Tag], reduction: float) -> NDArray[np.uint8]:
    """Mask of the reduced picture: tags that are whole in it, the table's own where those are enough, else the mat's too;
    empty where all are too few to tell.
    """
    out = np.zeros((round(camera.size[1] * reduction), round(camera.size[0] * reduction)), np.uint8)
    most = np.array(out.shape[::-1]) - 1
    shapes: list[tuple[bool, NDArray[np.int32]]] = []
    for tag in tags:
        middle = tag.corners.mean(0)
        outline = middle + (tag.corners - middle) * (1 + 2 * _QUIET_MM / tag.size)
        px = (table_to_px(camera.plane, outline) + 0.5) * reduction - 0.5
        if np.isfinite(px).all() and (px >= 0).all() and (px <= most).all():
            shapes.append((tag.on_mat, np.rint(px).astype(np.int32)))
    own = [shape for on_mat, shape in shapes if not on_mat]
    seen = own if len(own) >= _LEAST_TAGS else [shape for _, shape in shapes]
    if len(seen) >= _LEAST_TAGS:
        cv2.fillPoly(out, seen, [255])
    return out


def _around(camera: CameraSetup, zones: Sequence[ZoneSetup], reduction: float) -> NDArray[np.uint8]:
    """Mask of the reduced picture: the table with a little round it, outside of all zones."""
    out = np.zeros((round(camera.size[1] * reduction), round(camera.size[0] * reduction)), np.uint8)
    half = np.array(TABLE_MM) / 2 + _ROUND_MM
    table = np.array([[-1, 1], [1, 1], [1, -1], [-1, -1]]) * half
    shapes = [(table, 255), *(((zone.corners - zone.centre) * 1.1 + zone.centre, 0) for zone in zones)]
    for outline, value in shapes:
        corners = (table_to_px(camera.plane, outline) + 0.5) * reduction - 0.5
        if np.isfinite(corners).all():
            cv2.fillPoly(out, [np.rint(np.clip(corners, -1e4, 1e4)).astype(np.int32)], value)
    return out
