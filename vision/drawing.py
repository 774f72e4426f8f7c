"""Draws what was read onto the picture: outlines and names; what is doubtful is dashed and says so."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.cards_read import Reading
from vision.frames import Image

SURE: Final = (60, 170, 40)
DOUBTFUL: Final = (0, 120, 255)
FACE_DOWN: Final = (200, 110, 40)
_WORDS: Final = {"zh": ("存疑", "背面"), "en": ("check", "face down")}


def annotate(image: Image, reading: Reading, lang: str = "en") -> Image:
    """A copy of the picture with outlines and names.

    Sure cards have a whole outline; doubtful ones a dashed outline, a mark at the first corner and the word
    beside the name, so that nobody needs to tell colours apart; face-down ones are crossed.

    Args:
        image: (H, W, 3) uint8 BGR.
        reading: what was read in it.
        lang: `zh` or `en`, of the words.
    """
    out = image.copy()
    height, width = image.shape[:2]
    size = int(np.clip(max(height, width) / 60, 12, 64))
    thick = max(1, size // 9)
    doubtful, face_down = _WORDS[lang]
    for box in reading.backs.xyxy:
        x0, y0, x1, y1 = (round(float(value)) for value in box)
        cv2.rectangle(out, (x0, y0), (x1, y1), FACE_DOWN, thick, cv2.LINE_AA)
        cv2.line(out, (x0, y0), (x1, y1), FACE_DOWN, thick, cv2.LINE_AA)
        _label(out, face_down, ((x0 + x1) // 2, (y0 + y1) // 2), FACE_DOWN, size)
    cards = reading.cards
    for i, card in enumerate(cards.names):
        colour = DOUBTFUL if cards.doubtful[i] else SURE
        _outline(out, cards.outline[i], colour, thick, dashed=bool(cards.doubtful[i]))
        word = f"{card.pretty} ? {doubtful}" if cards.doubtful[i] else card.pretty
        corner = cards.outline[i][0] * 0.82 + cards.centre[i] * 0.18
        _label(out, word, (int(corner[0]), int(corner[1])), colour, size)
    return out


def _outline(
    image: Image, corners: NDArray[np.float32], colour: tuple[int, int, int], thick: int, dashed: bool
) -> None:
    if not dashed:
        cv2.polylines(image, [np.round(corners).astype(np.int32)], True, colour, thick, cv2.LINE_AA)
        return
    for one, other in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        marks = np.round(np.linspace(one, other, 15)).astype(int)
        for start, end in zip(marks[0::2], marks[1::2], strict=False):
            cv2.line(image, _at(start), _at(end), colour, thick, cv2.LINE_AA)
    cv2.circle(image, _at(corners[0]), 4 * thick, colour, thick, cv2.LINE_AA)


def _label(image: Image, word: str, at: tuple[int, int], colour: tuple[int, int, int], size: int) -> None:
    """White letters on a plate of the colour, kept inside the picture."""
    font = cv2.FontFace("uni")
    _, y, width, height = cv2.getTextSize((image.shape[1], image.shape[0]), word, (0, 0), font, size)
    left = int(np.clip(at[0], 0, max(image.shape[1] - width - 4, 0)))
    base = int(np.clip(at[1], height + 4, max(image.shape[0] - 4, height + 4)))
    cv2.rectangle(image, (left, base + y - 3), (left + width + 6, base + y + height + 3), colour, -1)
    cv2.putText(image, word, (left + 3, base), (255, 255, 255), font, size)


def _at(point: NDArray[np.generic]) -> tuple[int, int]:
    return int(point[0]), int(point[1])
