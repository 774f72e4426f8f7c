"""Jokers drawn for training: what the reader must be able to learn from them holds on every one."""

from __future__ import annotations

import numpy as np
import pytest

from models.synth.jokers import LAYOUTS, draw_joker, random_style

WIDTH, HEIGHT, PX = 60.0, 88.0, 6.0
LIGHT, DARK = (250, 252, 252), (22, 18, 20)


def drawn(seed: int, big: bool, layout: str | None = None, dark: bool = False, corners: int | None = None):
    style = random_style(np.random.default_rng(seed), dark=dark, layout=layout, corners=corners)
    stock = DARK if dark else LIGHT
    return (*draw_joker(np.random.default_rng(seed), big, style, WIDTH, HEIGHT, PX, stock), style)


def ink_pixels(face, region, stock):
    x0, y0, x1, y1 = (round(v * PX) for v in region.box)
    part = face[y0:y1, x0:x1].reshape(-1, 3).astype(float)
    return part[np.abs(part - np.array(stock)).max(axis=1) > 90]


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_box_holds_the_ink_of_the_column_and_no_more(layout):
    face, regions, _ = drawn(3, True, layout, corners=2)
    x0, y0, x1, y1 = regions[0].box
    corner = face[: round((y1 + 1.0) * PX), : round((x1 + 0.5) * PX)].astype(float)
    rows, columns = np.nonzero(np.abs(corner - np.array(LIGHT)).max(axis=2) > 60)
    inner = (columns / PX > min(x0, y0) - 0.5) | (rows / PX > min(x0, y0) - 0.5)
    found = (columns[inner].min() / PX, rows[inner].min() / PX)
    assert found == pytest.approx((x0, y0), abs=0.6)
    assert len(ink_pixels(face, regions[0], LIGHT)) > 40


@pytest.mark.parametrize("seed", range(12))
def test_the_big_joker_has_colour_and_the_small_one_has_none(seed):
    chroma = {}
    for big in (True, False):
        face, regions, _ = drawn(seed, big)
        ink = ink_pixels(face, regions[0], LIGHT)
        chroma[big] = float(np.median(ink.max(axis=1) - ink.min(axis=1)))
    assert chroma[True] > 80
    assert chroma[False] < 40


@pytest.mark.parametrize("seed", range(6))
def test_on_dark_stock_the_big_joker_is_gold_or_coloured_and_the_small_one_silver(seed):
    chroma = {}
    for big in (True, False):
        face, regions, _ = drawn(seed, big, dark=True)
        ink = ink_pixels(face, regions[0], DARK)
        chroma[big] = float(np.median(ink.max(axis=1) - ink.min(axis=1)))
    assert chroma[True] > 60
    assert chroma[False] < 30


@pytest.mark.parametrize("layout", ["turned_cw", "turned_ccw"])
def test_a_turned_word_points_down_the_card_whichever_way_it_is_turned(layout):
    _, regions, _ = drawn(5, True, layout, corners=2)
    upright, turned = regions
    assert upright.suit[1] - upright.rank[1] > 4
    assert upright.suit[0] == pytest.approx(upright.rank[0])
    assert turned.suit[1] < turned.rank[1]


def test_the_lower_index_is_the_upper_one_turned():
    face, regions, _ = drawn(8, False, "stack", corners=2)
    first, second = regions
    x0, y0, x1, y1 = (round(v * PX) for v in first.box)
    a0, b0, a1, b1 = (round(v * PX) for v in second.box)
    upper = face[y0:y1, x0:x1].astype(float)
    lower = face[b0:b1, a0:a1][::-1, ::-1].astype(float)[: upper.shape[0], : upper.shape[1]]
    assert np.abs(upper - lower).mean() < 25


def test_four_corners_give_four_regions_inside_the_card():
    _, regions, _ = drawn(2, True, "cjk_one", corners=4)
    assert len(regions) == 4
    assert all(0 <= r.box[0] < r.box[2] <= WIDTH and 0 <= r.box[1] < r.box[3] <= HEIGHT for r in regions)


def test_the_same_seed_prints_the_same_joker():
    first, second = drawn(11, True), drawn(11, True)
    assert np.array_equal(first[0], second[0])
    assert first[1] == second[1]
