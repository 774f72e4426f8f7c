"""What a synthetic deck is: 54 faces and a back as pictures, and where on each face its corner indices lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

FACE_PX_PER_MM: Final = 6.0


@dataclass(frozen=True, slots=True)
class IndexRegion:
    """One corner index of a face, in millimetres on the card.

    Card frame: origin at the card's top left corner as a player holds it upright, x right, y down.
    `box` is (x0, y0, x1, y1) around the ink of rank and suit (or of the joker's column), as it lies on the card.
    `rank` and `suit` are the two keypoints: the centres of the rank's and of the suit's ink. On a joker they are the
    points at one quarter and three quarters of the column's length, from its reading start. The vector from `rank`
    to `suit` points "down" for somebody who reads this index upright.
    """

    box: tuple[float, float, float, float]
    rank: tuple[float, float]
    suit: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Deck:
    """A deck design.

    `faces` maps card names (`S10`, `LJ`) to uint8 BGR pictures of shape (H, W, 3), the whole rectangle of the card
    at `px_per_mm`; the round corners are cut when a card is laid. `backs` are pictures of the same shape.
    `indices` maps a card name to its index regions. `names` says what the deck is, for reports.
    """

    name: str
    width: float
    height: float
    corner: float
    faces: Mapping[str, NDArray[np.uint8]]
    indices: dict[str, tuple[IndexRegion, ...]]
    backs: tuple[NDArray[np.uint8], ...]
    px_per_mm: float = FACE_PX_PER_MM
    dark: bool = False
    family: str = "procedural"
    traits: dict[str, float | str] = field(default_factory=dict)
