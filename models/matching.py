"""Which of the cards read lie in a synthetic scene: the rule by which all synthetic figures are counted."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.synth.truth import Scene
from vision.cards_read import CardsRead

_NEAR_MM: Final = 22.0
_SAME_PLACE_MM: Final = 12.0


@dataclass(frozen=True, slots=True)
class Matched:
    """What became of a scene's cards.

    Attributes:
        asked: (N,) which of `Scene.cards` show a readable index, as places in it.
        right: (N,) whether each was read, by its name.
        named: (N,) the name that was read instead, empty where right or not read at all.
        read_right: (M,) of every card read, whether it lies there.
        counted: (M,) whether a card read counts: one that shows too little may be read or not.
    """

    asked: NDArray[np.int64]
    right: NDArray[np.bool_]
    named: tuple[str, ...]
    read_right: NDArray[np.bool_]
    counted: NDArray[np.bool_]

    @property
    def invented(self) -> int:
        """How many cards were read that are not there, misnamed ones included."""
        return int((self.counted & ~self.read_right).sum())


def match(scene: Scene, read: CardsRead) -> Matched:
    """Pair the cards of a scene with those that were read, nearest first, by name and then by place alone."""
    readable = scene.indices.readable()
    asked = np.unique(scene.indices.cards[readable])
    up = [i for i, card in enumerate(scene.cards) if card.face_up]
    middles = np.array([scene.cards[i].outline.mean(0) for i in up]).reshape(-1, 2)
    scales = np.array([scene.cards[i].px_per_mm for i in up])
    apart = np.linalg.norm(middles[:, None] - read.centre[None].astype(float), axis=2) / scales[:, None]
    same = np.array([[scene.cards[i].name == str(card) for card in read.names] for i in up], bool)
    same = same.reshape(apart.shape)
    partner: dict[int, int] = {}
    taken: set[int] = set()
    must = set(asked.tolist())
    # Cards that must be read have the first claim on what was read.
    for allowed, reach, only in (
        (same, _NEAR_MM, must),
        (same, _NEAR_MM, None),
        (~same, _SAME_PLACE_MM, must),
    ):
        for distance, row, column in sorted(
            (apart[r, c], r, c) for r, c in zip(*np.nonzero(allowed & (apart < reach)), strict=True)
        ):
            del distance
            if row in partner or column in taken or (only is not None and up[row] not in only):
                continue
            partner[row] = column
            taken.add(column)
    place = {card: row for row, card in enumerate(up)}
    found = [partner.get(place[card], -1) for card in asked.tolist()]
    right = np.array(
        [f >= 0 and bool(same[place[c], f]) for c, f in zip(asked.tolist(), found, strict=True)], bool
    )
    names = [str(card) for card in read.names]
    named = tuple("" if ok or f < 0 else names[f] for ok, f in zip(right, found, strict=True))
    read_right = np.zeros(len(read), bool)
    for row, column in partner.items():
        read_right[column] = same[row, column]
    # A card of which too little shows, and that was named wrong, is nobody's error.
    counted = np.ones(len(read), bool)
    faint = [row for row, card in enumerate(up) if card not in must and row not in partner]
    for column in np.flatnonzero(~read_right):
        counted[column] = not any(apart[row, column] < _SAME_PLACE_MM for row in faint)
    return Matched(asked, right, named, read_right, counted)
