"""Pictures in every state that people hand in."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path

import cv2
import numpy as np
import pytest

from vision.frames import BadPicture, Frame, load_picture


def picture(height: int = 40, width: int = 60) -> np.ndarray:
    image = np.zeros((height, width, 3), np.uint8)
    image[:, : width // 2] = (10, 20, 200)
    return image


def saved(folder: Path, name: str, image: np.ndarray) -> Path:
    path = folder / name
    assert cv2.imwrite(str(path), image)
    return path


@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.webp", "a.bmp", "a.tiff"])
def test_reads_the_usual_kinds(tmp_path: Path, name: str) -> None:
    image = load_picture(saved(tmp_path, name, picture())).image
    assert image.shape == (40, 60, 3)
    assert abs(int(image[20, 10, 2]) - 200) < 12


@pytest.mark.parametrize(
    ("image", "expected"),
    [
        # 16 bits a channel
        (picture().astype(np.uint16) * 257, 200),
        # grey
        (np.full((40, 60), 90, np.uint8), 90),
        # grey of 16 bits
        (np.full((40, 60), 90 * 257, np.uint16), 90),
        # wholly see-through is mid grey
        (np.dstack([picture(), np.zeros((40, 60), np.uint8)]), 128),
        # opaque alpha changes nothing
        (np.dstack([picture(), np.full((40, 60), 255, np.uint8)]), 200),
        # alpha of 16 bits
        (np.dstack([picture(), np.full((40, 60), 255, np.uint8)]).astype(np.uint16) * 257, 200),
    ],
)
def test_any_depth_becomes_bgr_bytes(tmp_path: Path, image: np.ndarray, expected: int) -> None:
    read = load_picture(saved(tmp_path, "a.png", image)).image
    assert read.shape == (40, 60, 3)
    assert read.dtype == np.uint8
    assert abs(int(read[20, 10, 2]) - expected) <= 1


def test_turns_a_picture_as_its_exif_tag_says(tmp_path: Path) -> None:
    data = saved(tmp_path, "a.jpg", picture()).read_bytes()
    tag = b"Exif\0\0MM\0*\0\0\0\x08" + struct.pack(">HHHIHHI", 1, 0x0112, 3, 1, 6, 0, 0)
    turned = tmp_path / "turned.jpg"
    turned.write_bytes(data[:2] + b"\xff\xe1" + struct.pack(">H", len(tag) + 2) + tag + data[2:])
    image = load_picture(turned).image
    assert image.shape == (60, 40, 3)
    assert image[10, 20, 2] > 150  # what was at the left is at the top


@pytest.mark.parametrize("share", [0.1, 0.5, 0.95])
@pytest.mark.parametrize("name", ["a.jpg", "a.png"])
def test_a_cut_file_is_refused_and_named(tmp_path: Path, name: str, share: float) -> None:
    path = saved(tmp_path, name, np.random.default_rng(0).integers(0, 255, (80, 80, 3)).astype(np.uint8))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    with pytest.raises(BadPicture, match=name):
        load_picture(path)


@pytest.mark.parametrize(
    "content", [b"", b"hello", b"\xff\xd8", b"%PDF-1.7 not a picture at all", b"\x89PNG\r\n\x1a\n"]
)
def test_what_is_no_picture_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.jpg"
    path.write_bytes(content)
    with pytest.raises(BadPicture, match=r"a\.jpg"):
        load_picture(path)


def test_a_folder_is_refused_with_advice(tmp_path: Path) -> None:
    with pytest.raises(BadPicture, match="a folder, not a picture"):
        load_picture(tmp_path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadPicture, match="cannot be read"):
        load_picture(tmp_path / "nothing.jpg")


def test_a_single_pixel_is_a_picture(tmp_path: Path) -> None:
    assert load_picture(saved(tmp_path, "a.png", picture(1, 1))).image.shape == (1, 1, 3)


def test_a_huge_picture_is_read_smaller(tmp_path: Path) -> None:
    path = saved(tmp_path, "a.jpg", np.zeros((9000, 12000, 3), np.uint8))
    frame = load_picture(path)
    assert frame.reduced == 2
    assert frame.image.shape == (4500, 6000, 3)


def test_a_picture_that_promises_too_many_pixels_is_refused_undecoded(tmp_path: Path) -> None:
    head = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    path = tmp_path / "bomb.png"
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b""))
    with pytest.raises(BadPicture, match="10000 million pixels"):
        load_picture(path)


def test_a_frame_must_be_bgr_bytes() -> None:
    with pytest.raises(ValueError, match=r"must be \(H, W, 3\) uint8, got \(4, 4\) float64"):
        Frame(np.zeros((4, 4)))
