"""Cuts the zones of a table out of a camera's frame: flat, at a fixed scale, upright for their player."""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.frames import Image


def cut_zone(image: Image, corners: NDArray[np.float32], size: tuple[int, int]) -> Image:
    """The part of a picture inside four corners, as a picture of its own.

    Args:
        image: (H, W, 3) uint8.
        corners: (4, 2) px, clockwise from what shall be the top left.
        size: width and height of the result, px.
    """
    width, height = size
    edge = _edge(width, height)
    matrix = cv2.getPerspectiveTransform(corners, edge)
    return np.asarray(cv2.warpPerspective(image, matrix, (width, height), flags=cv2.INTER_LINEAR), np.uint8)


def to_picture(
    points: NDArray[np.float32], corners: NDArray[np.float32], size: tuple[int, int]
) -> NDArray[np.float32]:
    """Points (..., 2) of a cut zone back in px of the picture that it was cut from."""
    width, height = size
    edge = _edge(width, height)
    matrix = cv2.getPerspectiveTransform(edge, corners)
    flat = np.ascontiguousarray(points, np.float32).reshape(-1, 1, 2)
    return np.asarray(cv2.perspectiveTransform(flat, matrix), np.float32).reshape(points.shape)


def _edge(width: int, height: int) -> NDArray[np.float32]:
    """The outer corners of a picture, whose pixel centres are whole numbers."""
    return np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32) - np.float32(0.5)


def cut_zones(image: Image, corners: Sequence[NDArray[np.float32]], size: tuple[int, int]) -> list[Image]:
    """Several zones, all at one size."""
    return [cut_zone(image, each, size) for each in corners]
