"""Where indices, jokers and backs lie in a picture: the finder network, on batches of zones and on tiles."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.detections import Detections, suppress
from vision.frames import Image
from vision.weights import open_session

STRIDE: Final = 32
"""Height and width that the network takes are multiples of this, px."""
TILE: Final = 1280
"""Side of a tile, px: what one call sees of a large picture. Bounds the memory."""
OVERLAP: Final = 192
"""How far neighbouring tiles share what they see, px: a whole card at 2 px/mm."""
FLAT: Final = 14
"""Grey levels: a tile in which nothing differs by more, at a quarter of its size, shows no index."""
PAD: Final = 114
_CANDIDATES: Final = 3000
_TOGETHER: Final = 2
"""So many zones go through the network at once: it keeps the memory of its largest call for good."""


class Finder:
    """Finds indices at about 2 px/mm, at any angle.

    Args:
        model: the ONNX network: `images` (N, 3, H, W) float32 RGB 0..1 to `output0` (N, 13, A): centre x,
            centre y, width, height in px, three class scores, and x, y, confidence of rank and of suit.
        threads: how many threads one call may use.
    """

    def __init__(self, model: bytes, threads: int = 2) -> None:
        self._session = open_session(model, "finder", threads)

    def find(self, images: Sequence[Image], threshold: float) -> list[Detections]:
        """What lies in each picture; pictures of one padded size are seen in one call.

        Args:
            images: (H, W, 3) uint8 BGR each, at the scale of the network.
            threshold: lowest score to report, 0..1.

        Returns:
            One `Detections` a picture, in its pixels, each thing once, best first.
        """
        sizes = [(_padded(image.shape[0]), _padded(image.shape[1])) for image in images]
        found: list[Detections] = [Detections.empty()] * len(images)
        for size in dict.fromkeys(sizes):
            members = [i for i, other in enumerate(sizes) if other == size]
            for start in range(0, len(members), _TOGETHER):
                some = members[start : start + _TOGETHER]
                output = self._session.run(None, {"images": blob([images[i] for i in some], size)})[0]
                for i, raw in zip(some, output, strict=True):
                    found[i] = decode(raw, threshold)
        return found

    def find_in_tiles(self, image: Image, threshold: float, tile: int = TILE) -> Detections:
        """What lies in a picture of any size, seen in overlapping tiles; tiles that are flat are skipped."""
        parts = []
        for x, y, piece in tiles(image, tile):
            if is_flat(piece):
                continue
            found = self.find([piece], threshold)[0]
            whole = _away_from_inner_edges(found, (x, y), piece.shape, image.shape)
            parts.append(found[whole].mapped(1.0, (x, y)))
        together = Detections.merge(parts)
        return together[suppress(together)] if len(parts) > 1 else together


def blob(images: Sequence[Image], size: tuple[int, int]) -> NDArray[np.float32]:
    """Pictures as one (N, 3, H, W) float32 array, RGB 0..1, padded with grey at the right and below."""
    out = np.full((len(images), 3, *size), PAD / 255, np.float32)
    for place, image in zip(out, images, strict=True):
        height, width = image.shape[:2]
        for channel in range(3):
            np.multiply(image[:, :, 2 - channel], np.float32(1 / 255), out=place[channel, :height, :width])
    return out


def decode(raw: NDArray[np.float32], threshold: float) -> Detections:
    """The network's (13, A) output for one picture as `Detections`, each thing once."""
    scores = raw[4:7]
    best = scores.max(0)
    keep = np.flatnonzero(best >= threshold)
    if len(keep) > _CANDIDATES:
        keep = keep[np.argsort(-best[keep])[:_CANDIDATES]]
    rows = np.ascontiguousarray(raw[:, keep].T)
    centre, half = rows[:, :2], rows[:, 2:4] / 2
    found = Detections(
        np.concatenate([centre - half, centre + half], 1).astype(np.float32),
        scores[:, keep].argmax(0).astype(np.int64),
        best[keep].astype(np.float32),
        np.ascontiguousarray(rows[:, 7:13].reshape(-1, 2, 3)[:, :, :2], np.float32),
    )
    return found[suppress(found)]


def tiles(image: Image, tile: int) -> Iterator[tuple[int, int, Image]]:
    """Left, top and pixels of tiles that cover a picture, sharing `OVERLAP` px with their neighbours."""
    for y in _starts(image.shape[0], tile):
        for x in _starts(image.shape[1], tile):
            yield x, y, image[y : y + tile, x : x + tile]


def is_flat(image: Image) -> bool:
    """Whether nothing in the picture stands out enough to be an index."""
    if min(image.shape[:2]) < 8:
        return True
    small = cv2.resize(image, None, fx=0.25, fy=0.25, interpolation=cv2.INTER_AREA)
    return int((small.max((0, 1)).astype(int) - small.min((0, 1))).max()) <= FLAT


def _starts(length: int, tile: int) -> list[int]:
    if length <= tile:
        return [0]
    count = int(np.ceil((length - OVERLAP) / (tile - OVERLAP)))
    return [round(float(start)) for start in np.linspace(0, length - tile, count)]


def _away_from_inner_edges(
    found: Detections, start: tuple[int, int], tile: tuple[int, ...], whole: tuple[int, ...]
) -> NDArray[np.bool_]:
    """Which boxes do not touch an edge beyond which the picture goes on: a neighbour sees those whole."""
    x, y = start
    good = np.ones(len(found), bool)
    margin = 3.0
    if x > 0:
        good &= found.xyxy[:, 0] > margin
    if y > 0:
        good &= found.xyxy[:, 1] > margin
    if x + tile[1] < whole[1]:
        good &= found.xyxy[:, 2] < tile[1] - margin
    if y + tile[0] < whole[0]:
        good &= found.xyxy[:, 3] < tile[0] - margin
    return good


def _padded(length: int) -> int:
    return -(-length // STRIDE) * STRIDE
