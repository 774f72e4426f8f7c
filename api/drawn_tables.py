"""Card tables to read without a camera, drawn from a seed."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from table.cards import Card
from vision.frames import Image

_DECK_SEEDS: Final = (880001, 880002, 880003, 880004)
_USUAL: Final[dict[str, Any]] = {
    "size": (960, 640), "px_per_mm": (2.0, 2.2), "tilt": (0.0, 6.0), "hands": 0.0, "clean": 1.0, "two_decks": 0.0,
    "close_up": 0.0, "empty": 0.0, "grey": 0.0, "exposure": (0.9, 1.1),
    "layouts": {"trick": 2.0, "row": 1.5, "fan": 0.3, "pair": 0.3},
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn table: its picture, and the cards of which enough shows to be read."""

    name: str
    image: Image
    cards: tuple[Card, ...]


def drawn_tables(seed: int, specs: tuple[dict[str, Any], ...] = ({},) * 5) -> Iterator[Drawn]:
    """Tables of decks that training never sees, from a seed.

    Args:
        seed: of everything that is left to chance.
        specs: fields of `models.synth.scenes.SceneSpec` that differ from the usual ones, one mapping a picture.

    Raises:
        ImportError: what draws the cards is not installed.
        RuntimeError: there are no fonts to draw them with.
    """
    # Found by name: the drawing needs the extra `synth`, the running table does not.
    faces = importlib.import_module("models.synth.faces")
    scenes = importlib.import_module("models.synth.scenes")
    decks = [faces.make_deck(deck) for deck in _DECK_SEEDS]
    for number, fields in enumerate(specs):
        rng = np.random.default_rng([seed, number])
        scene = scenes.render_scene(rng, decks, scenes.SceneSpec(**(_USUAL | fields)))
        yield Drawn(f"table-{number + 1}.jpg", np.asarray(scene.image, np.uint8), readable_cards(scene))


def readable_cards(scene: Any) -> tuple[Card, ...]:
    """The cards of a drawn scene of which at least one index shows enough to be read, by row as they lie."""
    shown = {int(card) for card in scene.indices.cards[scene.indices.readable()]}
    return tuple(Card.parse(scene.cards[i].name) for row in scene.rows for i in row.cards if i in shown)
