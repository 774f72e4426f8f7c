"""The packs that simulated events play with: designs that training never saw, and one that needs no fonts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.deck import Deck
from models.synth.deck_file import load_deck

FIRST_SEED: Final = 3_000_000
"""Designs from this seed on are for simulated events; training and its validation stay below."""
LEAST_INDEX_MM: Final = 9.5
DEMO_DECK: Final = Path(__file__).with_name("demo_deck.npz")
_LIGHT: Final = 215
"""Mean grey of a stock that counts as light."""


def demo_deck() -> Deck:
    """The design that is shipped: no fonts are needed to play with it."""
    return load_deck(DEMO_DECK)


def tournament_decks(seed: int, count: int) -> list[Deck]:
    """Designs as a Guandan event would use, `count` of them, the same for the same seed.

    All are from seeds of `models.synth.faces.make_deck` that are kept from training, and restricted to what
    events use: light stock, two colours or four, an index of rank over suit at least 9.5 mm high, in two corners.

    Raises:
        models.synth.glyphs.NoFonts: the system has no fonts to print with.
    """
    found: list[Deck] = []
    for deck in _designs(FIRST_SEED + 1000 * seed):
        if fit_for_an_event(deck):
            found.append(deck)
        if len(found) == count:
            return found
    return found


def _designs(start: int) -> Iterator[Deck]:
    from models.synth.faces import make_deck  # needs fonts: only where designs are drawn

    for seed in range(start, start + 1000):
        yield make_deck(seed)


def fit_for_an_event(deck: Deck) -> bool:
    """Whether an event would play with this design."""
    height = deck.traits.get("index_mm", 0.0)
    light = float(np.median(deck.faces["S2"][:, :: max(1, deck.faces["S2"].shape[1] // 16)])) > _LIGHT
    return (
        not deck.dark
        and light
        and isinstance(height, int | float)
        and height >= LEAST_INDEX_MM
        and all(len(deck.indices[name]) == 2 for name in ("S8", "HK"))
    )


def reduced(deck: Deck, px_per_mm: float) -> Deck:
    """The same design with smaller pictures and one back, for a small file."""
    scale = px_per_mm / deck.px_per_mm

    def small(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
        h, w = picture.shape[:2]
        size = (round(w * scale), round(h * scale))
        return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)

    faces = {name: small(face) for name, face in deck.faces.items()}
    return replace(deck, faces=faces, backs=(small(deck.backs[0]),), px_per_mm=px_per_mm)
