"""Whole cards that lie open in a photograph are found by their outlines, and jokers among them are named."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from devices.simulator.decks import demo_deck
from vision.card_reader import CardReader
from vision.frames import Image
from vision.paper import laid_flat, open_cards

DECK = demo_deck()
CLOTH = (60, 110, 50)


def photograph(face: Image, corners: list[tuple[float, float]], size: tuple[int, int] = (480, 640)) -> Image:
    """A face seen at some slant: its corners, clockwise from the top left, lie here."""
    rng = np.random.default_rng(3)
    picture = np.full((*size, 3), CLOTH, np.uint8)
    height, width = face.shape[:2]
    flat = np.array([(0, 0), (width, 0), (width, height), (0, height)], np.float32)
    matrix = cv2.getPerspectiveTransform(flat, np.array(corners, np.float32))
    seen = cv2.warpPerspective(face, matrix, size[::-1], flags=cv2.INTER_AREA)
    mask = cv2.warpPerspective(np.full(face.shape[:2], 255, np.uint8), matrix, size[::-1])
    noisy = np.where(mask[..., None] > 127, seen, picture).astype(float) + rng.normal(0, 3, picture.shape)
    return np.asarray(np.clip(noisy, 0, 255), np.uint8)


SLANTED = [(220.0, 90.0), (390.0, 130.0), (350.0, 400.0), (150.0, 340.0)]


def test_an_open_card_is_found_by_its_outline() -> None:
    (outline,) = open_cards(photograph(DECK.faces["BJ"], SLANTED))
    apart = min(float(np.abs(np.roll(outline, k, axis=0) - np.array(SLANTED)).max()) for k in (0, 2))
    assert apart < 6


def test_a_bare_table_has_no_open_card() -> None:
    rng = np.random.default_rng(1)
    bare = np.clip(rng.normal(CLOTH, 8, (480, 640, 3)), 0, 255).astype(np.uint8)
    assert not open_cards(bare)


def test_a_strip_of_paper_is_no_card() -> None:
    picture = np.full((480, 640, 3), CLOTH, np.uint8)
    picture[100:140, 100:400] = 240
    assert not open_cards(picture)


def test_what_is_laid_flat_has_the_size_of_a_card() -> None:
    picture, flat = laid_flat(photograph(DECK.faces["BJ"], SLANTED), np.array(SLANTED))
    assert picture.shape == (216, 160, 3)
    assert flat[2] - flat[0] == pytest.approx((120, 176))


@pytest.mark.parametrize("name", ["BJ", "LJ", "S9"])
def test_a_photograph_of_one_open_card_is_read(name: str) -> None:
    reading = CardReader.open(1).read(photograph(DECK.faces[name], SLANTED))
    assert [str(card) for card in reading.cards.names] == [name]
