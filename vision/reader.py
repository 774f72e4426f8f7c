"""Which card an upright index names: the reader network, on one batch of patches of all zones."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from table.cards import ALL_CARDS
from vision.detections import Detections
from vision.frames import Image
from vision.patches import PATCH_SIZE, cut_patches
from vision.weights import open_session

NONE: Final = len(ALL_CARDS)
"""The class after the 54 cards: no index, upside down, or too little of it."""
_BATCH: Final = 128
_SHORTEST_SPAN: Final = 1.0


class Reader:
    """Names patches.

    Args:
        model: the ONNX network: `patches` (N, 3, 56, 40) float32 RGB 0..1 to `logits` (N, 55), cards in the
            order of `table.cards.ALL_CARDS`, then none.
        threads: how many threads one call may use.
    """

    def __init__(self, model: bytes, threads: int = 2) -> None:
        self._session = open_session(model, "reader", threads)

    def log_probs(self, patches: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Natural logarithms of the probabilities of the 54 cards and of none.

        Args:
            patches: (N, 56, 40, 3) uint8 BGR, as `vision.patches.cut_patches` cuts them.

        Returns:
            (N, 55) float32.

        Raises:
            ValueError: patches of another shape or type.
        """
        if patches.shape[1:] != (*PATCH_SIZE, 3) or patches.dtype != np.uint8:
            raise ValueError(f"patches must be (N, 56, 40, 3) uint8, got {patches.shape} {patches.dtype}")
        out = np.empty((len(patches), NONE + 1), np.float32)
        for start in range(0, len(patches), _BATCH):
            part = patches[start : start + _BATCH, :, :, ::-1].transpose(0, 3, 1, 2)
            logits = self._session.run(
                None, {"patches": np.ascontiguousarray(part, np.float32) / np.float32(255)}
            )[0]
            out[start : start + len(part)] = log_softmax(np.asarray(logits, np.float32))
        return out


def log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows of logits as rows of log-probabilities."""
    top = logits - logits.max(1, keepdims=True)
    return np.asarray(top - np.log(np.exp(top).sum(1, keepdims=True)), np.float32)


def cut_indices(image: Image, found: Detections) -> NDArray[np.uint8]:
    """The patch of every detection (N, 56, 40, 3); of one whose keypoints coincide, a grey patch."""
    patches = np.full((len(found), *PATCH_SIZE, 3), 128, np.uint8)
    good = np.flatnonzero((found.span >= _SHORTEST_SPAN) & np.isfinite(found.keypoints).all((1, 2)))
    if len(good):
        points = found.keypoints[good]
        patches[good] = cut_patches(image, points[:, 0], points[:, 1])
    return patches
