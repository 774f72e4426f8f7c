"""A joker's word that runs level across the corner: its keypoints are taken from its box, not from the finder's points.

Of a word the finder tells the box well and the two points hardly: it has no rank and no suit, and may be of any length.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from vision.detections import JOKER, Detections, Floats, print_in_box

_TURNS: Final = np.deg2rad(np.arange(0, 360, 22.5))
_SPANS: Final = (0.58, 0.42, 0.33, 0.26)
"""From the one keypoint to the other, as shares of the word's length: the less the nearer it is to the card's edge."""
LEAST: Final = 0.25
_TOO_LONG: Final = 2.8
"""An index is about twice as long as its keypoints are apart; what is this much longer has points that do not fit."""
_LEVEL: Final = 1.25
"""A word is this much longer than high."""


def may_be_words(found: Detections, least: float = LEAST) -> NDArray[np.bool_]:
    """Which detections of at least this score may be a level word whose points say little: (N,)."""
    sides = found.xyxy[:, 2:] - found.xyxy[:, :2]
    long = sides.max(1) > _TOO_LONG * np.maximum(found.span, 1e-6)
    return np.asarray((found.confidence >= least) & (long | (found.class_id == JOKER)), np.bool_)


def word_keypoints(box: Floats) -> Floats:
    """Keypoints (K, 2, 2) that a level word in this box (x0, y0, x1, y1) may have, whichever way its card lies.

    The first point is the one nearer to the card's near edge, as in every index of a joker.
    """
    middle = (box[:2] + box[2:]) / 2
    wide, high = (box[2:] - box[:2]).astype(np.float64)
    cos, sin = np.abs(np.cos(_TURNS)), np.abs(np.sin(_TURNS))
    breadths, lengths = print_in_box(wide, high, cos, sin)
    # Nothing told: the box is square however long the word is.
    lengths = np.where(np.isnan(lengths), 0.75 * (wide + high) / (cos + sin), lengths)
    out = []
    for turn, length, breadth in zip(_TURNS, lengths, np.nan_to_num(breadths), strict=True):
        if length < _LEVEL * max(breadth, 1.0):
            continue
        down = np.array([np.sin(turn), np.cos(turn)])
        out += [[middle - down * length * share / 2, middle + down * length * share / 2] for share in _SPANS]
    return np.asarray(out, np.float32).reshape(-1, 2, 2)
