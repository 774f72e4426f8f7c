"""What counts as a picture: no waste of a broken stream, no old picture again; and nothing real is taken for waste."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from devices.camera_process import Sifter
from devices.capture import Shot, is_garbage
from devices.frame_ring import SLOTS, FrameRing, make_memory
from vision.frames import Image

SHAPE = (360, 640, 3)


def flat(*colour: int) -> Image:
    return np.full(SHAPE, colour, np.uint8)


def noise(mean: float, spread: float) -> Image:
    random = np.random.default_rng(2)
    return np.clip(random.normal(mean, spread, SHAPE), 0, 255).astype(np.uint8)


@pytest.mark.parametrize(
    ("image", "waste"),
    [
        (np.random.default_rng(1).integers(0, 256, SHAPE, np.uint8), True),
        (flat(0, 135, 0), True),  # what a decoder makes of nothing
        (flat(0, 0, 0), False),  # a lens cap: the table tells that itself
        (noise(8, 5), False),  # a dark hall
        (noise(60, 20), False),  # and one with all the gain there is
        (flat(40, 110, 50), False),  # a green cloth
        (
            np.tile(np.arange(640) // 8 % 2 * 200, (360, 1)).astype(np.uint8)[..., None].repeat(3, 2),
            False,
        ),  # stripes
    ],
)
def test_waste_is_told_from_pictures(image: Image, waste: bool) -> None:
    assert is_garbage(image) is waste


@pytest.mark.shared
def test_no_real_photograph_is_taken_for_waste(shared: Path) -> None:
    photographs = sorted((shared / "real").rglob("*.jpg"))[::12]
    assert photographs
    for path in photographs:
        image = cv2.imread(str(path), cv2.IMREAD_REDUCED_COLOR_2)
        assert image is not None
        assert not is_garbage(np.asarray(image, np.uint8)), path.name


def shot(image: Image | None, at: float, stamp: float | None = None) -> Shot:
    return Shot(image, at, at, stamp)


def test_the_same_picture_again_is_an_old_one() -> None:
    first, second = noise(100, 5), noise(100, 6)
    sifter = Sifter(still_is_news=False)
    shots = [shot(first, 0, 1.0), shot(first, 1, 2.0), shot(second, 2, 3.0), shot(None, 3)]
    assert [sifter.sift(one) for one in shots] == ["frame", "repeat", "frame", "bad"]


def test_a_network_camera_may_send_the_same_picture_as_long_as_its_stamps_go_on() -> None:
    picture = noise(100, 5)
    sifter = Sifter(still_is_news=True)
    shots = [shot(picture, 0, 1.0), shot(picture, 1, 2.0), shot(picture, 2, 2.0), shot(picture, 3, None)]
    assert [sifter.sift(one) for one in shots] == ["frame", "frame", "repeat", "repeat"]
    assert sifter.still


def test_a_picture_that_was_overtaken_is_not_given() -> None:
    memory = make_memory((64, 48))
    ring, other = FrameRing(memory, (64, 48)), FrameRing(memory, (64, 48))
    for number in range(1, SLOTS + 2):
        ring.write(number, np.full((48, 64, 3), number, np.uint8))
    assert other.read(1) is None
    newest = other.read(SLOTS + 1)
    assert newest is not None
    ring.write(SLOTS + 2, np.zeros((48, 64, 3), np.uint8))
    ring.write(2 * SLOTS + 1, np.zeros((48, 64, 3), np.uint8))
    assert newest.min() == newest.max() == SLOTS + 1, "what was given is a copy"
    ring.close()
    other.close()
