"""How synthetic figures are counted: what is missed, misnamed, invented, and what is nobody's error."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("tqdm")
pytestmark = pytest.mark.train

from models.matching import match  # noqa: E402
from models.synth.scenes import SceneSpec, render_scene  # noqa: E402
from models.synth.truth import Scene  # noqa: E402
from table.cards import Card  # noqa: E402
from vision.cards_read import CardsRead  # noqa: E402
from vision.certainty import FEATURES  # noqa: E402


@pytest.fixture(scope="module")
def scene() -> Scene:
    """One overlapped row of cards, upright."""
    from models.synth.faces import make_deck

    spec = SceneSpec(
        size=(500, 400), px_per_mm=(2, 2), layouts={"row": 1.0}, turn=0.0, tilt=(0, 0), most_plays=1, hands=0,
        things=0, glare=(0, 0), face_down=0, empty=0, two_decks=0, close_up=0, clean=1.0,
    )  # fmt: skip
    for seed in range(20):
        made = render_scene(np.random.default_rng(seed), [make_deck(2)], spec)
        if len(np.unique(made.indices.cards[made.indices.readable()])) >= 3:
            return made
    raise AssertionError("no scene with three readable cards")


def read_of(scene: Scene, which: list[int], names: list[str] | None = None) -> CardsRead:
    """These cards of the scene as if they had been read, perhaps under other names."""
    cards = [scene.cards[i] for i in which]
    names = names or [card.name for card in cards]
    n = len(cards)
    return CardsRead(
        card=np.array([Card.parse(name).index for name in names], np.int64),
        confidence=np.full(n, 0.99, np.float32),
        doubtful=np.zeros(n, bool),
        outline=np.array([card.outline for card in cards], np.float32).reshape(n, 4, 2),
        chances=np.zeros((n, 54), np.float32),
        upright=np.tile(np.array([0, 1], np.float32), (n, 1)),
        corners=np.ones(n, np.int64),
        evidence=np.zeros((n, len(FEATURES))),
    )


def asked(scene: Scene) -> list[int]:
    return np.unique(scene.indices.cards[scene.indices.readable()]).tolist()


def test_all_read_is_all_right(scene: Scene) -> None:
    found = match(scene, read_of(scene, asked(scene)))
    assert found.right.all()
    assert found.invented == 0


def test_a_card_left_out_is_missed(scene: Scene) -> None:
    found = match(scene, read_of(scene, asked(scene)[1:]))
    assert (~found.right).sum() == 1
    assert [name for name, ok in zip(found.named, found.right, strict=True) if not ok] == [""]


def test_a_wrong_name_is_told_with_what_was_read(scene: Scene) -> None:
    which = asked(scene)
    there = {card.name for card in scene.cards}
    other = next(name for name in ("S2", "H9", "DK", "C4", "BJ") if name not in there)
    names = [other, *(scene.cards[i].name for i in which[1:])]
    found = match(scene, read_of(scene, which, names))
    assert [name for name in found.named if name] == [other]
    assert found.invented == 1


def test_a_card_out_of_nowhere_is_invented(scene: Scene) -> None:
    which = asked(scene)
    extra = read_of(scene, which[:1], ["LJ"])
    extra = replace(extra, outline=extra.outline + np.float32(5000))
    found = match(scene, CardsRead.merge([read_of(scene, which), extra]))
    assert found.right.all()
    assert found.invented == 1


def test_a_name_read_far_from_its_card_does_not_count_as_that_card(scene: Scene) -> None:
    which = asked(scene)
    read = read_of(scene, which)
    read.outline[0] += 5000
    found = match(scene, read)
    assert (~found.right).sum() == 1
