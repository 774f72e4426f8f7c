"""How many jokers of unseen designs are read: they are what packs print most differently."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from tqdm import tqdm

from models.matching import match
from models.synth.printing import FaceStore
from models.synth.scenes import SceneSpec, render_scene
from vision.card_reader import CardReader
from vision.indices import FIRST_JOKER


def jokers_in_rows(reader: CardReader, decks: Sequence[Any], spec: SceneSpec, seed: int) -> Counter[str]:
    """Three scenes of each design in which half of the loose cards are jokers, in rows at a step of 16 to 26 mm.

    Returns:
        `jokers` that show a readable index, those `right` and `misnamed`, and `invented`: cards read as a joker where
        none of that name lies.
    """
    spec, store = replace(spec, joker_share=0.5, step_mm=(16.0, 26.0)), FaceStore()
    count: Counter[str] = Counter()
    for number in tqdm(range(len(decks)), desc="rows"):
        for k in range(3):
            rng = np.random.default_rng([seed, number, k])
            scene = render_scene(rng, decks[number : number + 1], spec, store)
            read = reader.read(scene.image, px_per_mm=spec.px_per_mm[0]).cards
            found = match(scene, read)
            for card, right, name in zip(found.asked, found.right, found.named, strict=True):
                if scene.cards[int(card)].name in ("BJ", "LJ"):
                    count.update(jokers=1, right=int(right), misnamed=int(bool(name)))
            joker = read.card >= FIRST_JOKER
            count["invented"] += int((joker & found.counted & ~found.read_right).sum())
    return count


def open_jokers(reader: CardReader, decks: Sequence[Any], spec: SceneSpec, seed: int) -> Counter[str]:
    """What the look at both ends of a whole card (`vision.joker_ends`) makes of single cards, half of them jokers.

    Their outlines are given a millimetre off.

    Returns:
        `jokers` both of whose ends show, those `right` and `misnamed`; `others`, and those `mistaken` for a joker.
    """
    spec, store = replace(spec, joker_share=0.5, layouts={"single": 1.0}, most_plays=2), FaceStore()
    count: Counter[str] = Counter()
    for number in tqdm(range(len(decks)), desc="single cards"):
        for k in range(3):
            rng = np.random.default_rng([seed, number, k])
            scene = render_scene(rng, decks[number : number + 1], spec, store)
            ends = Counter(scene.indices.cards[scene.indices.readable()].tolist())
            for card in (scene.cards[int(i)] for i, shown in ends.items() if shown > 1):
                outline = card.outline.astype(np.float64) + rng.normal(0, card.px_per_mm, 2)
                names = [str(name) for name in reader.joker_at(scene.image, outline).names]
                if card.name in ("BJ", "LJ"):
                    right = names == [card.name]
                    count.update(jokers=1, right=int(right), misnamed=int(bool(names) and not right))
                else:
                    count.update(others=1, mistaken=len(names))
    return count
