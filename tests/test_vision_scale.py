"""The search for the scale: which sizes are looked at, when it stops, and what agrees."""

from __future__ import annotations

import numpy as np

from tests.vision_factories import detections, log_probs
from vision.indices import Indices, join_views
from vision.scale import BUDGET, LARGEST_FACTOR, LARGEST_VIEW, by_size, factors, search_scale
from vision.sizes import off_size


def seen(*spans: float, chance: float = 0.98, score: float = 0.9, start: float = 0.0) -> Indices:
    """Indices side by side, 200 px apart, with these spans."""
    points = [(start + 200 * k, 0.0, start + 200 * k, span) for k, span in enumerate(spans)]
    return Indices(detections(points, [score] * len(points)), log_probs(*({"S7": chance} for _ in spans)))


def test_a_close_up_of_one_card_is_looked_at_small_and_far_cards_enlarged() -> None:
    looked = factors(640, 640)
    assert looked[0] * 640 < 320
    assert looked[-1] > 2


def test_a_large_picture_stays_within_the_budget() -> None:
    looked = factors(4000, 6000)
    assert sum(24e6 * f**2 for f in looked) <= BUDGET
    assert max(looked) * 6000 > 2000
    assert all(24e6 * f**2 <= LARGEST_VIEW for f in looked)


def test_a_tiny_picture_is_looked_at_once_at_least() -> None:
    assert factors(1, 1)
    assert max(factors(1, 1)) <= LARGEST_FACTOR


def test_the_search_ends_when_larger_views_show_less() -> None:
    def look(factor: float) -> Indices:
        return seen(*[40.0] * 5) if 0.6 < factor < 1.1 else Indices.empty()

    (found, *_), tried = search_scale(4000, 6000, lambda factor: look(factor * 6000 / 900))
    assert len(found) == 5
    assert len(tried) < len(factors(4000, 6000))


def test_one_index_seen_at_three_sizes_is_one() -> None:
    views = Indices.merge(
        [seen(40, score=0.5), seen(41, score=0.9, start=1.5), seen(39, score=0.7, start=-1)]
    )
    joined = join_views(views)
    assert len(joined) == 1
    assert joined.found.confidence[0] == np.float32(0.9)


def test_a_view_that_missed_the_direction_does_not_spoil_the_others() -> None:
    good = seen(40)
    turned = Indices(good.found.turned_over(), log_probs({"none": 0.97}))
    assert join_views(Indices.merge([turned, good])).named[0] > 0.9


def test_what_is_of_another_size_than_the_cards_is_left_out() -> None:
    found, *_ = by_size(seen(40, 41, 39, 42, 9, 150))
    assert sorted(np.round(found.found.span).tolist()) == [39, 40, 41, 42]


def test_perspective_is_no_reason_to_leave_out() -> None:
    assert len(by_size(seen(32, 36, 40, 44, 50))[0]) == 5


def test_in_perspective_the_size_that_fits_the_place_is_expected() -> None:
    spans = [30 * 1.08**k for k in range(10)]
    spans[8] = 30.0
    off = off_size(seen(*spans))
    assert off[8] < -0.5
    assert np.abs(np.delete(off, 8)).max() < 0.2


def test_where_specks_outweigh_the_cards_the_cards_are_the_next_size() -> None:
    first, second, *_ = by_size(seen(6, 6.2, 5.8, 6.1, 40, 41))
    assert sorted(np.round(first.found.span).tolist()) == [6, 6, 6, 6]
    assert sorted(np.round(second.found.span).tolist()) == [40, 41]


def test_nothing_seen_is_one_empty_answer() -> None:
    assert [len(part) for part in by_size(Indices.empty())] == [0]
