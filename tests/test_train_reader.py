"""What the reader learns from: patches with honest labels, made so that an interrupted run can go on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")
pytestmark = pytest.mark.train


@pytest.fixture(scope="module")
def deck_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One procedural deck on disk."""
    from models.synth.faces import make_deck
    from models.synth.shelf import save_deck

    path = tmp_path_factory.mktemp("decks") / "deck-000005.npz"
    save_deck(make_deck(5), path)
    return path


def test_an_interrupted_run_ends_with_the_same_patches(
    deck_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from models import reader_data

    monkeypatch.setattr(reader_data, "CHUNK", 30)
    whole = reader_data.write_patches(tmp_path / "a", [deck_file], 60, 4, workers=1)
    again = reader_data.write_patches(tmp_path / "b", [deck_file], 60, 4, workers=1)
    (tmp_path / "b" / "train-glimpsed-00001.labels.npy").unlink()
    again = reader_data.write_patches(tmp_path / "b", [deck_file], 60, 4, workers=1)
    rows = np.arange(60)
    np.testing.assert_array_equal(whole.labels, again.labels)
    np.testing.assert_array_equal(whole.take(rows), again.take(rows))


def test_patches_are_taken_in_the_order_asked_for(tmp_path: Path) -> None:
    from models.reader_data import open_patches

    for number in range(2):
        patches = (
            np.full((3, 56, 40, 3), 10 * number, np.uint8) + np.arange(3, dtype=np.uint8)[:, None, None, None]
        )
        np.save(tmp_path / f"train-glimpsed-0000{number}.patches.npy", patches)
        np.save(tmp_path / f"train-glimpsed-0000{number}.labels.npy", np.arange(3, dtype=np.int16))
    taken = open_patches(tmp_path, "train").take(np.array([5, 0, 3, 2]))
    assert taken[:, 0, 0, 0].tolist() == [12, 0, 10, 2]


def test_an_upside_down_index_is_none(deck_file: Path) -> None:
    from models.glimpses import NONE, Cuts, glimpses
    from models.reader_data import _pairs_of_glimpse
    from models.synth.shelf import load_deck

    rng, deck, cuts = np.random.default_rng(1), load_deck(deck_file), Cuts()
    looks = [look for _ in range(60) for look in glimpses(rng, [deck], cuts)]
    pairs = [(look, pair) for look in looks for pair in _pairs_of_glimpse(rng, look) if look.label != NONE]
    turned = [p for look, p in pairs if (p[1] - p[0]) @ (look.suit - look.rank) < 0]
    assert turned
    assert all(label == NONE for _, _, label in turned)


@pytest.mark.parametrize("seed", range(20))
def test_points_that_miss_their_index_miss_it_clearly(seed: int) -> None:
    from models.reader_data import astray

    rank, suit = np.array([10.0, 10.0]), np.array([10.0, 30.0])
    first, second = astray(np.random.default_rng(seed), rank, suit)
    worst = max(np.hypot(*(first - rank)), np.hypot(*(second - suit)))
    assert worst > 0.25 * 20


def test_what_varies_is_light_and_place_never_the_card() -> None:
    import torch

    from models.reader_training import vary

    patch = torch.full((4, 3, 56, 40), 0.9)
    patch[:, 1:, 10:46, 14:26] = 0.1  # a red bar, upright
    out = vary(patch, torch.Generator().manual_seed(0))
    middle = out[:, :, 24:32, 17:23].mean((2, 3))
    assert out.shape == patch.shape
    assert bool((middle[:, 0] > middle[:, 1] + 0.1).all())


def test_a_temperature_is_found_again() -> None:
    from models.calibrate import fit_temperature

    rng = np.random.default_rng(0)
    logits = rng.normal(0, 2, (4000, 55)).astype(np.float32)
    chances = np.exp(logits) / np.exp(logits).sum(1, keepdims=True)
    labels = np.array([rng.choice(55, p=p / p.sum()) for p in chances.astype(float)])
    found = fit_temperature(logits * 3, labels)
    assert found.temperature == pytest.approx(3.0, rel=0.1)
    assert found.error_after < found.error_before
