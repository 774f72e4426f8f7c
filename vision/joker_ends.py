"""Looks for a joker at both ends of a whole card that nobody could read: its place is known, its print is looked for.

A pack prints its jokers as it likes: a column of letters, a word across the corner, a character. Where the finder does
not know one, the reader still does, once it is shown the right spot; and of a card whose outline lies open on the table
there are not many spots to try.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from table.cards import ALL_CARDS
from vision.card_shape import CARD_MM
from vision.cards_read import CardsRead
from vision.certainty import features
from vision.frames import Image
from vision.indices import FIRST_JOKER
from vision.joker_pairs import JOKER_INSET_MM
from vision.patches import cut_patches
from vision.reader import NONE, Reader

_COLUMNS_MM: Final = (10.0, 14.0, 20.0, 28.0, 36.0, 48.0)
"""Lengths of a joker's column of letters or characters that packs print."""
_COLUMN_MIDDLES_MM: Final = (4.5, 6.5)
_WORDS_MM: Final = (14.0, 20.0, 28.0, 38.0, 50.0)
"""Breadths of a joker's word that runs level across the corner."""
_HEIGHTS: Final = (0.22, 0.35)
"""Height of such a word, as a share of its breadth."""
_BEGINS_MM: Final = (2.5, 5.5)
"""From the card's edge to where a print begins."""
_LONG_WORD_MM: Final = 30.0
_CLEAR: Final = 0.65
"""Both ends together (geometric mean) must be a joker with at least this chance, at one and the same place."""
_PRINT: Final = (slice(10, 48), slice(16, 25))
"""Rows and columns of a patch in which its print stands, whatever it is."""
_INK: Final = 30.0
"""Grey levels between ink and stock there: bare paper tells nothing."""
_LEAST: Final = 0.5
"""Less sure than this of its colour it stays a card that nobody could read."""
_OTHER_CARD: Final = 0.1
"""By how much less any other card may show at any of the places: such a card would be seen at its own."""
_MOST_SURE: Final = 0.85
"""Found where it was looked for, not seen at a glance: always to be looked at by somebody."""


def joker_at(reader: Reader, image: Image, outline: NDArray[np.float64]) -> CardsRead:
    """The joker that lies in this outline, as one doubtful card; none where both ends do not say so.

    Args:
        reader: names the patches.
        image: (H, W, 3) uint8 BGR, rectified.
        outline: (4, 2) px of a whole card, its first side a shorter one.
    """
    spots = _spots_mm()
    found = []
    for end in (0, 2):
        first, right, _, below = np.roll(outline, -end, axis=0)
        across, down = right - first, below - first
        px_per_mm = float(np.linalg.norm(down)) / CARD_MM[1]
        across, down = (way / max(float(np.linalg.norm(way)), 1e-6) for way in (across, down))
        middle = first + px_per_mm * (spots[:, :1] * across + spots[:, 1:2] * down)
        half = px_per_mm * spots[:, 2:] * down / 2
        patches = cut_patches(
            image, list((middle - half).astype(np.float32)), list((middle + half).astype(np.float32))
        )
        chances = np.exp(reader.log_probs(patches).astype(np.float64))
        printed = np.ptp(patches[:, *_PRINT].mean(3).reshape(len(patches), -1), axis=1) > _INK
        found.append(np.where(printed[:, None], chances, 0.0))
    # Both ends of a card are printed alike.
    jokers = np.sqrt(np.prod([rows[:, FIRST_JOKER:NONE].sum(1) for rows in found], axis=0))
    best = int(jokers.argmax())
    clear = float(jokers[best])
    other = max(float(rows[:, :FIRST_JOKER].max()) for rows in found)
    if clear < _CLEAR or other > clear - _OTHER_CARD:
        return CardsRead.empty()
    joker = _one_joker([rows[best] for rows in found], clear, outline)
    return joker[joker.confidence >= _LEAST]


def _one_joker(ends: list[NDArray[np.float64]], clear: float, outline: NDArray[np.float64]) -> CardsRead:
    which = np.prod([row[FIRST_JOKER:NONE] for row in ends], axis=0)
    which = which / max(float(which.sum()), 1e-9)
    sure = min(clear, _MOST_SURE)
    chances = np.zeros((1, len(ALL_CARDS)), np.float32)
    chances[0, FIRST_JOKER:] = which * sure
    down = outline[3] - outline[0]
    return CardsRead(
        card=np.array([FIRST_JOKER + int(which.argmax())], np.int64),
        confidence=np.array([sure * which.max()], np.float32),
        doubtful=np.array([True]),
        outline=outline[None].astype(np.float32),
        chances=chances,
        upright=(down / max(float(np.linalg.norm(down)), 1e-6))[None].astype(np.float32),
        corners=np.array([2], np.int64),
        evidence=features([clear], [0.5], [2], [False], [0.0], [13.0], joker=1.0),
    )


@functools.cache
def _spots_mm() -> NDArray[np.float64]:
    """Where a joker's print may be: (K, 3) middle from the card's corner to the right and down, and span, mm."""
    spots = [
        (x, begin + length / 2, length / 2)
        for length in _COLUMNS_MM
        for x in _COLUMN_MIDDLES_MM
        for begin in _BEGINS_MM
    ]
    for breadth in _WORDS_MM:
        for height in (share * breadth for share in _HEIGHTS):
            span = max((0.5 if breadth < _LONG_WORD_MM else 0.4) * breadth, height / 2)
            x = JOKER_INSET_MM[0] + breadth / 2
            spots += [(x, begin + height / 2, span) for begin in _BEGINS_MM]
    return np.array(spots)
