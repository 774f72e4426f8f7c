"""Cut the upright patch around a corner index: the contract that training and the running reader share."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import ArrayLike, NDArray

PATCH_SIZE: Final = (56, 40)
"""Height and width of a patch, px."""
RANK_AT: Final = (20.0, 17.0)
"""Where the rank's centre lands in a patch of `PATCH_SIZE`: x, y in px, pixel centres at whole numbers."""
SUIT_AT: Final = (20.0, 41.0)
"""Where the suit's centre lands in a patch of `PATCH_SIZE`."""

_FINEST_OVERSAMPLING: Final = 8
_SHORTEST_SPAN: Final = 0.5


def cut_patch(
    image: NDArray[np.uint8],
    rank_xy: ArrayLike,
    suit_xy: ArrayLike,
    size: tuple[int, int] = PATCH_SIZE,
) -> NDArray[np.uint8]:
    """The patch in which this index stands upright, rank over suit.

    Args:
        image: (H, W, 3) uint8, any size.
        rank_xy: centre of the rank's ink in px of the image, pixel centres at whole numbers.
        suit_xy: centre of the suit's ink, in the same way.
        size: (height, width) of the patch; other sizes keep the proportions of `RANK_AT` and `SUIT_AT`
            by height, and the index in the middle across.

    Returns:
        (height, width, 3) uint8. What lies outside of the picture repeats the picture's edge.

    Raises:
        ValueError: the points are not finite, or closer than half a pixel, or the picture is not (H, W, 3)
            uint8.
    """
    patches = cut_patches(image, np.reshape(rank_xy, (1, 2)), np.reshape(suit_xy, (1, 2)), size)
    return np.asarray(patches[0], np.uint8)


def cut_patches(
    image: NDArray[np.uint8],
    ranks: ArrayLike,
    suits: ArrayLike,
    size: tuple[int, int] = PATCH_SIZE,
) -> NDArray[np.uint8]:
    """The patches of many indices of one picture: (N, height, width, 3); see `cut_patch`.

    Args:
        image: (H, W, 3) uint8.
        ranks: (N, 2) rank centres, px.
        suits: (N, 2) suit centres, px.
        size: (height, width) of every patch.
    """
    if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8:
        raise ValueError(f"a picture must be (H, W, 3) uint8, got {image.shape} {image.dtype}")
    rank = np.asarray(ranks, np.float64).reshape(-1, 2)
    suit = np.asarray(suits, np.float64).reshape(-1, 2)
    if rank.shape != suit.shape:
        raise ValueError(f"ranks and suits must be of one shape (N, 2), got {rank.shape} and {suit.shape}")
    if not (np.isfinite(rank).all() and np.isfinite(suit).all()):
        raise ValueError("rank and suit points must be finite")
    spans = np.hypot(*(suit - rank).T)
    if (spans < _SHORTEST_SPAN).any():
        raise ValueError(f"rank and suit points must be apart, got {spans.min():.2f} px")
    height, width = size
    grow = height / PATCH_SIZE[0]
    patch_rank = np.array(
        [(width - 1) / 2 + (RANK_AT[0] - (PATCH_SIZE[1] - 1) / 2) * grow, RANK_AT[1] * grow]
    )
    patch_span = (SUIT_AT[1] - RANK_AT[1]) * grow
    out = np.empty((len(rank), height, width, 3), np.uint8)
    for i, span in enumerate(spans):
        out[i] = _cut(image, rank[i], (suit[i] - rank[i]) / span, span / patch_span, patch_rank, size)
    return out


def _cut(
    image: NDArray[np.uint8],
    rank: NDArray[np.float64],
    down: NDArray[np.float64],
    step: float,
    patch_rank: NDArray[np.float64],
    size: tuple[int, int],
) -> NDArray[np.uint8]:
    """One patch; `down` is the unit vector from rank to suit, `step` the source pixels to one patch pixel.

    Where the source is finer than the patch, it is sampled finer than its own pixels and averaged: bilinear
    sampling alone would pick single pixels and make thin strokes flicker.
    """
    height, width = size
    fine = min(_FINEST_OVERSAMPLING, int(np.ceil(step - 1e-6))) if step > 1.0 else 1
    if step > _FINEST_OVERSAMPLING:
        image, rank, step = _shrink_around(image, rank, step, max(size))
    dx, dy = down * (step / fine)
    # Patch x runs along (down.y, -down.x): to the right of somebody who reads the index upright.
    at = (patch_rank + 0.5) * fine - 0.5
    to_source = np.array(
        [
            [dy, dx, rank[0] - dy * at[0] - dx * at[1]],
            [-dx, dy, rank[1] + dx * at[0] - dy * at[1]],
        ]
    )
    patch = cv2.warpAffine(
        image,
        to_source,
        (width * fine, height * fine),
        flags=cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    if fine > 1:
        patch = cv2.resize(patch, (width, height), interpolation=cv2.INTER_AREA)
    return np.asarray(patch, np.uint8)


def _shrink_around(
    image: NDArray[np.uint8], rank: NDArray[np.float64], step: float, reach: int
) -> tuple[NDArray[np.uint8], NDArray[np.float64], float]:
    """The neighbourhood of a huge index, shrunk by a whole factor so that a patch pixel is 4 to 8 source
    pixels."""
    factor = int(step // 4)
    half = int(np.ceil(step * reach * 1.5)) // factor * factor + factor
    x0, y0 = np.round(rank).astype(int) - half
    x1, y1 = np.round(rank).astype(int) + half
    rows, cols = image.shape[:2]
    cut = image[max(y0, 0) : min(y1, rows), max(x0, 0) : min(x1, cols)]
    if cut.size == 0:
        return image, rank, step
    padded = cv2.copyMakeBorder(
        cut, max(-y0, 0), max(y1 - rows, 0), max(-x0, 0), max(x1 - cols, 0), cv2.BORDER_REPLICATE
    )
    small = cv2.resize(padded, None, fx=1 / factor, fy=1 / factor, interpolation=cv2.INTER_AREA)
    moved = (rank - [x0, y0] + 0.5) / factor - 0.5
    return np.asarray(small, np.uint8), moved, step / factor
