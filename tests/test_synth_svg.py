"""Decks of card sheets: the index regions lie where the ink is, and a new print keeps them there."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from models.synth.deck import IndexRegion
from models.synth.faces import make_deck
from models.synth.svg_decks import svg_deck, variants
from models.synth.svg_index import find_indices
from models.synth.svg_sheets import SHEETS, SKIPPED, available

sheets_here = pytest.mark.skipif(bool(available()), reason=available() or "sheets are installed")


def stock_of(faces) -> np.ndarray:
    return np.median(np.concatenate([faces[n].reshape(-1, 3)[::97] for n in ("S2", "H2", "C3")]), axis=0)


def error(found: IndexRegion, truth: tuple[IndexRegion, ...]) -> float:
    """The larger of the two keypoints' distances (mm) to the nearest true region's."""
    return min(max(math.dist(found.rank, t.rank), math.dist(found.suit, t.suit)) for t in truth)


@pytest.fixture(scope="module")
def simplistic(tmp_path_factory):
    sheet = next(s for s in SHEETS if s.name == "simplistic")
    return svg_deck(sheet, tmp_path_factory.mktemp("sheets"))


@pytest.mark.parametrize("seed", [3, 4])
def test_regions_are_found_within_04_mm_on_decks_whose_regions_are_known(seed):
    deck = make_deck(seed)
    faces = dict(deck.faces)
    found = find_indices(faces, stock_of(faces), deck.px_per_mm)
    doubted = {line.split(":")[0] for line in found.doubts}
    sure = {n: regions for n, regions in found.indices.items() if n not in doubted}
    assert len(sure) >= 40
    assert max(error(r, deck.indices[n]) for n, regions in sure.items() for r in regions) < 0.4


def test_a_card_whose_mark_is_not_where_the_others_have_it_is_doubted():
    faces = dict(make_deck(4).faces)
    faces["SQ"] = np.roll(faces["SQ"], 40, axis=0)
    found = find_indices(faces, stock_of(faces), 6.0)
    assert any(line.startswith("SQ:") for line in found.doubts)


@sheets_here
def test_a_sheet_becomes_a_whole_deck_with_two_indices_a_card(simplistic):
    assert len(simplistic.faces) == 54
    assert {len(simplistic.indices[n]) for n in simplistic.faces if n not in ("LJ", "BJ")} == {2}
    assert {f.shape for f in simplistic.faces.values()} == {(528, 348, 3)}


@sheets_here
def test_the_rank_stands_over_the_suit_and_the_lower_index_is_turned(simplistic):
    for name in ("S10", "HQ", "DA", "C7"):
        first, second = simplistic.indices[name]
        assert first.rank[1] < first.suit[1] < 30
        assert second.rank[1] > second.suit[1] > simplistic.height - 30
        assert second.rank[0] == pytest.approx(simplistic.width - first.rank[0], abs=0.4)


@sheets_here
@pytest.mark.parametrize("dark", [False, True])
def test_a_new_print_keeps_its_regions_on_the_ink(simplistic, dark):
    print_ = variants(simplistic, np.random.default_rng(5), dark=dark)
    assert 57 <= print_.width <= 63
    assert print_.dark is dark
    found = find_indices(dict(print_.faces), stock_of(print_.faces), print_.px_per_mm)
    for name, regions in found.indices.items():
        assert max(error(r, print_.indices[name]) for r in regions) < 0.4


def test_no_sheet_is_both_kept_and_left_out():
    kept = {Path(s.file).parts[0].removesuffix(".svgz") for s in SHEETS}
    assert not kept & set(SKIPPED)
