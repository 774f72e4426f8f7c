"""Pictures as frames: whatever people call a picture becomes BGR bytes, or one line that says why not."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray

Image = NDArray[np.uint8]

LARGEST_FILE: Final = 512 * 2**20
"""Bytes; a larger file is no photograph of a table."""
LARGEST_PICTURE: Final = 160_000_000
"""Pixels; beyond this a picture is refused before any of it is decoded."""
LARGEST_FRAME: Final = 48_000_000
"""Pixels; a larger picture is halved or quartered while it is decoded, to bound the memory."""


class BadPicture(ValueError):
    """A file from which no picture can be read; the message names the file, the fault and what to do."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One picture with its time.

    Attributes:
        image: (H, W, 3) uint8, blue green red, upright as its EXIF tag says.
        at: when it was captured, in seconds of the caller's clock.
        source: where it came from, for messages.
        reduced: source pixels to one pixel of `image`: 1 unless the picture was too large to hold.
    """

    image: Image
    at: float = 0.0
    source: str = ""
    reduced: int = 1

    def __post_init__(self) -> None:
        if self.image.ndim != 3 or self.image.shape[2] != 3 or self.image.dtype != np.uint8:
            raise ValueError(f"a frame must be (H, W, 3) uint8, got {self.image.shape} {self.image.dtype}")


def load_picture(path: Path, at: float = 0.0) -> Frame:
    """Read a picture file: grey, 16-bit, transparent and turned ones too.

    Args:
        path: the file.
        at: the capture time to note on the frame, s.

    Raises:
        BadPicture: a folder, not there, not a picture, cut off, or too large.
    """
    if path.is_dir():
        raise BadPicture(
            f"{path}: a folder, not a picture; name the pictures in it (for example {path}/*.jpg)"
        )
    try:
        if path.stat().st_size > LARGEST_FILE:
            raise BadPicture(f"{path}: larger than {LARGEST_FILE >> 20} MB; save a smaller picture")
        data = path.read_bytes()
    except OSError as error:
        raise BadPicture(f"{path}: cannot be read ({error.strerror or error})") from None
    image, reduced = decode_picture(data, str(path))
    return Frame(image, at, str(path), reduced)


def decode_picture(data: bytes, name: str) -> tuple[Image, int]:
    """Decode the bytes of a picture file: the image, and by how much it was reduced (1, 2 or 4).

    Raises:
        BadPicture: the bytes are no picture, are cut off, or hold too many pixels.
    """
    if not data:
        raise BadPicture(f"{name}: an empty file")
    if _cut_jpeg(data) or _cut_png(data):
        raise BadPicture(f"{name}: the file ends early, part of the picture is missing; copy it again")
    pixels = _pixels_promised(data)
    if pixels > LARGEST_PICTURE:
        raise BadPicture(
            f"{name}: {pixels / 1e6:.0f} million pixels, at most {LARGEST_PICTURE / 1e6:.0f} are read; "
            "save it smaller"
        )
    reduced = 1 if pixels <= LARGEST_FRAME else 2 if pixels <= 4 * LARGEST_FRAME else 4
    flag = {1: cv2.IMREAD_COLOR, 2: cv2.IMREAD_REDUCED_COLOR_2, 4: cv2.IMREAD_REDUCED_COLOR_4}[reduced]
    if _has_alpha(data):
        flag, reduced = cv2.IMREAD_UNCHANGED, 1
    try:
        image = cv2.imdecode(np.frombuffer(data, np.uint8), flag)
    except (cv2.error, MemoryError):
        image = None
    if image is None or image.size == 0:
        raise BadPicture(f"{name}: not a picture that can be read (JPEG, PNG, WebP, BMP and TIFF can)")
    return _as_bgr(np.asarray(image)), reduced


def _as_bgr(image: NDArray[Any]) -> Image:
    """Any depth and number of channels to BGR bytes; what is transparent shows mid grey."""
    if image.dtype == np.uint16:
        image = (image >> 8).astype(np.uint8)
    elif image.dtype != np.uint8:
        image = np.clip(np.nan_to_num(image.astype(np.float32)) * 255, 0, 255).astype(np.uint8)
    if image.ndim == 2 or image.shape[2] == 1:
        return np.asarray(cv2.cvtColor(image, cv2.COLOR_GRAY2BGR), np.uint8)
    if image.shape[2] == 4:
        alpha = image[:, :, 3:].astype(np.uint16)
        mixed = (image[:, :, :3] * alpha + 128 * (255 - alpha)) // 255
        return np.asarray(mixed, np.uint8)
    return np.ascontiguousarray(image[:, :, :3], np.uint8)


def _cut_jpeg(data: bytes) -> bool:
    """Whether a JPEG has no end mark after its last scan began (scan data never holds a bare mark)."""
    if data[:2] != b"\xff\xd8":
        return False
    return data.rfind(b"\xff\xd9") < data.rfind(b"\xff\xda") or len(data) < 4


def _is_png(data: bytes) -> bool:
    return data[:8] == b"\x89PNG\r\n\x1a\n"


def _cut_png(data: bytes) -> bool:
    return _is_png(data) and b"IEND" not in data[-4096:]


def _has_alpha(data: bytes) -> bool:
    return _is_png(data) and len(data) > 25 and data[25] in (4, 6)


def _pixels_promised(data: bytes) -> int:
    """Width times height as the header of a PNG or JPEG states them, 0 where it cannot be told cheaply."""
    if _is_png(data) and len(data) > 24:
        width, height = struct.unpack(">II", data[16:24])
        return int(width * height)
    if data[:2] != b"\xff\xd8":
        return 0
    at = 2
    while at + 9 < len(data) and data[at] == 0xFF:
        mark = data[at + 1]
        if 0xC0 <= mark <= 0xCF and mark not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", data[at + 5 : at + 9])
            return int(width * height)
        at += 2 + struct.unpack(">H", data[at + 2 : at + 4])[0]
    return 0
