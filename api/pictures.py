"""Camera pictures as JPEG for displays."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np

from api.live import Box
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
