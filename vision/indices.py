"""Indices found and named: detections with their log-probabilities, several views of one index joined."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from vision.detections import BACK, JOKER, SAME_INDEX, Detections, Floats, check_array, group_same
from vision.reader import NONE, log_softmax

FIRST_JOKER: Final = NONE - 2
"""Place of the first joker in `ALL_CARDS`: both are its last."""
_JOKER_SEEN: Final = 1.0
_JOKERS_ARE_RARE: Final = 1.0
_NO_JOKER_SEEN: Final = 3.0


@dataclass(frozen=True, slots=True, eq=False)
class Indices:
    """N indices of one picture with what the reader makes of each.

    Attributes:
        found: N detections of class index or joker, in px of the picture.
        log_probs: (N, 55) float32, natural logarithms: the 54 cards, then none.
    """

    found: Detections
    log_probs: Floats

    def __post_init__(self) -> None:
        check_array("log_probs", self.log_probs, (len(self.found), NONE + 1), np.float32)

    @classmethod
    def empty(cls) -> Indices:
        """No index."""
        return cls(Detections.empty(), np.empty((0, NONE + 1), np.float32))

    @classmethod
    def merge(cls, parts: Iterable[Indices]) -> Indices:
        """All parts after one another."""
        parts = [*parts] or [cls.empty()]
        return cls(
            Detections.merge(part.found for part in parts), np.concatenate([part.log_probs for part in parts])
        )

    def __len__(self) -> int:
        return len(self.found)

    def __getitem__(self, which: Any) -> Indices:
        if isinstance(which, (int, np.integer)):
            which = slice(which, which + 1) if which != -1 else slice(-1, None)
        return Indices(self.found[which], self.log_probs[which])

    @property
    def name(self) -> NDArray[np.int64]:
        """(N,): the likeliest card, as its place in `ALL_CARDS`."""
        return np.asarray(self.log_probs[:, :NONE].argmax(1), np.int64)

    @property
    def is_joker(self) -> NDArray[np.bool_]:
        """(N,): whether the likeliest card is a joker."""
        return np.asarray(self.name >= FIRST_JOKER, np.bool_)

    @property
    def named(self) -> Floats:
        """(N,): probability of the likeliest card, 0..1."""
        return np.exp(self.log_probs[:, :NONE].max(1)) if len(self) else np.empty(0, np.float32)

    @property
    def is_card(self) -> Floats:
        """(N,): probability of being any card at all, 0..1."""
        return np.asarray(1 - np.exp(self.log_probs[:, NONE]), np.float32)

    def mapped(self, scale: float, offset: tuple[float, float] = (0.0, 0.0)) -> Indices:
        """The same in a picture `scale` times as large, then moved by `offset` px."""
        return Indices(self.found.mapped(scale, offset), self.log_probs)


def join_views(indices: Indices) -> Indices:
    """The same index seen at several scales or in several tiles becomes one, its evidence averaged.

    The views that are clearly a card count for more than those that missed the direction or the place.
    """
    views, log_probs = [], []
    is_card = indices.is_card
    order_by = Detections(
        indices.found.xyxy,
        indices.found.class_id,
        # A joker may be seen as one in several views and clearly read in one of them.
        indices.found.confidence * np.where(indices.is_joker, indices.named**2, 0.05 + is_card),
        indices.found.keypoints,
    )
    for group in group_same(order_by):
        best = int(group[0])
        alike = group[_same_place(indices.found, group, best)]
        weight = indices.found.confidence[alike] * (0.01 + is_card[alike])
        if indices.is_joker[best]:
            # Each view took the place of a joker's print from a box of its own: their mean is none of them.
            weight = np.where(alike == best, 1.0, 0.0)
        weight = (weight / weight.sum()).astype(np.float32)
        points = (indices.found.keypoints[alike] * weight[:, None, None]).sum(0, keepdims=True)
        views.append(
            Detections(
                indices.found.xyxy[[best]],
                indices.found.class_id[[best]],
                indices.found.confidence[alike].max(keepdims=True),
                points.astype(np.float32),
            )
        )
        log_probs.append((indices.log_probs[alike] * weight[:, None]).sum(0))
    if not views:
        return Indices.empty()
    return Indices(Detections.merge(views), log_softmax(np.asarray(log_probs, np.float32)))


def _same_place(found: Detections, group: NDArray[np.int64], best: int) -> NDArray[np.bool_]:
    """Which views of an index have its two points where the best view has them: others see a part, or it
    turned."""
    apart = np.linalg.norm(found.keypoints[group] - found.keypoints[best], axis=2).mean(1)
    return np.asarray(apart <= SAME_INDEX * found.span[best], np.bool_)


def chance_of_joker(log_probs: Floats) -> Floats:
    """Probability of being a joker, 0..1, of rows (N, 55) as the reader gives them: (N,)."""
    return np.asarray(np.exp(log_probs[:, FIRST_JOKER:NONE]).sum(1), np.float32)


def with_class(log_probs: Floats, class_id: NDArray[np.int64]) -> Floats:
    """What the reader says, with what the finder says about jokers: each weighs against the other's error.

    Args:
        log_probs: (N, 55) of the reader.
        class_id: (N,) `INDEX` or `JOKER`, of the finder.
    """
    out = log_probs.copy()
    jokers = slice(FIRST_JOKER, NONE)
    out[class_id == JOKER, :FIRST_JOKER] -= _JOKER_SEEN
    out[class_id == JOKER, jokers] -= _JOKERS_ARE_RARE
    out[class_id != JOKER, jokers] -= _NO_JOKER_SEEN
    return log_softmax(out)


def without_backs(found: Detections) -> tuple[Detections, Detections]:
    """Indices and jokers on the one hand, backs on the other."""
    back = found.class_id == BACK
    return found[~back], found[back]
