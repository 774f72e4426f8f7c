"""Camera pictures as JPEG for displays."""

from __future__ import annotations

import threading
from typing import Final

import cv2
import numpy as np

from api.live import Board, Box
from vision.frames import Frame

PICTURE_WIDTH: Final = 1400


def jpeg(frame: Frame, box: Box | None = None, width: int = PICTURE_WIDTH) -> bytes:
    """A frame, or the part of it in `box`, as JPEG, at most `width` px wide."""
    image = frame.image
    if box is not None:
        left, top, right, bottom = box
        image = image[top:bottom, left:right]
    if image.shape[1] > width:
        size = (width, round(image.shape[0] * width / image.shape[1]))
        image = np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 80])
    return bytes(data)


class Previews:
    """The newest picture of each camera as JPEG, made once however many look; safe between threads.

    Args:
        board: where the pictures are left.
    """

    def __init__(self, board: Board) -> None:
        self._board = board
        self._lock = threading.Lock()
        self._made: dict[str, tuple[Frame, bytes]] = {}

    def newest(self, camera: str) -> Frame | None:
        """What there is to be seen of a camera; None for nothing yet."""
        return self._board.picture(camera)

    def jpeg(self, frame: Frame) -> bytes:
        """The shown part of a picture."""
        with self._lock:
            made = self._made.get(frame.source)
            if made is None or made[0] is not frame:
                made = (frame, jpeg(frame, self._board.boxes.get(frame.source)))
                self._made[frame.source] = made
            return made[1]
