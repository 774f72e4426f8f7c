"""What is new on the table, picture after picture."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.zones import Zone
from table.cards import Card, format_cards
from tests.vision_factories import cards_at
from vision.cards_read import CardsRead
from vision.plays import Watch, capture_time

NEAR = Zone("near", ((0, 300), (1000, 300), (1000, 600), (0, 600)), seat=0, turn=0)
FAR = Zone("far", ((0, 0), (1000, 0), (1000, 300), (0, 300)), seat=2, turn=180)


def told(watch: Watch, cards: CardsRead) -> list[tuple[int | None, str]]:
    return [(seen.seat, format_cards(seen.cards)) for seen in watch.look(cards)]


def test_each_seat_is_told_its_cards_from_its_own_left() -> None:
    cards = cards_at(("S7", 100, 450, 0), ("S8", 140, 450, 0), ("H4", 100, 150, 180), ("H3", 140, 150, 180))
    assert told(Watch([NEAR, FAR]), cards) == [(0, "S7 S8"), (2, "H3 H4")]


def test_what_did_not_change_is_not_repeated() -> None:
    watch = Watch([NEAR, FAR])
    cards = cards_at(("S7", 100, 450, 0))
    told(watch, cards)
    assert told(watch, cards) == []


def test_only_what_came_is_told() -> None:
    watch = Watch([NEAR, FAR])
    told(watch, cards_at(("S7", 100, 450, 0)))
    assert told(watch, cards_at(("S7", 100, 450, 0), ("D9", 500, 450, 0), ("DK", 600, 150, 0))) == [
        (0, "D9"),
        (2, "DK"),
    ]


def test_a_second_copy_of_a_card_is_new() -> None:
    watch = Watch([NEAR])
    told(watch, cards_at(("S7", 100, 450, 0)))
    assert told(watch, cards_at(("S7", 100, 450, 0), ("S7", 300, 450, 0))) == [(0, "S7")]


def test_another_copy_of_a_card_that_went_is_new() -> None:
    watch = Watch([NEAR])
    told(watch, cards_at(("S7", 100, 450, 0), ("D9", 500, 450, 0)))
    assert told(watch, cards_at(("S7", 700, 450, 0), ("DK", 500, 450, 0))) == [(0, "DK S7")]


def test_a_table_that_shifted_brings_nothing_new() -> None:
    watch = Watch([NEAR])
    told(watch, cards_at(("S7", 100, 450, 0), ("D9", 300, 450, 0), ("DK", 500, 450, 0)))
    assert told(watch, cards_at(("S7", 190, 460, 0), ("D9", 390, 460, 0), ("DK", 590, 460, 0))) == []


def test_a_card_that_went_and_came_again_is_new_again() -> None:
    watch = Watch([NEAR])
    told(watch, cards_at(("S7", 100, 450, 0)))
    told(watch, CardsRead.empty())
    assert told(watch, cards_at(("S7", 100, 450, 0))) == [(0, "S7")]


def test_a_card_outside_of_all_zones_is_not_told() -> None:
    assert told(Watch([NEAR]), cards_at(("S7", 100, 150, 0))) == []


def test_another_reading_of_a_card_gives_another_reading_of_the_play() -> None:
    cards = cards_at(("SJ", 100, 450, 0), ("S8", 240, 450, 0), confidence=0.8)
    cards.chances[0, Card.parse("CJ").index] = 0.15
    seen = Watch([NEAR]).look(cards)[0]
    assert seen.confidence == pytest.approx(0.64)
    assert seen.alternatives[0][0] == "CJ S8"
    assert seen.alternatives[0][1] == pytest.approx(0.12)


@pytest.mark.parametrize(
    ("name", "after"),
    [
        ("WIN_20240627_17_19_34_Pro.jpg", 4.0),
        ("IMG_20240627_171935.jpg", 5.0),
        ("2024-06-27 17.19.40.png", 10.0),
        ("table.jpg", None),
        # the 13th month
        ("WIN_20241327_17_19_34.jpg", None),
    ],
)
def test_the_time_is_taken_from_the_name(name: str, after: float | None) -> None:
    start = capture_time(Path("WIN_20240627_17_19_30_Pro.jpg"))
    taken = capture_time(Path(name))
    assert start is not None
    assert (None if taken is None else taken - start) == after
