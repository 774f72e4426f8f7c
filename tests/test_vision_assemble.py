"""Indices to cards: pairs by pose, identical cards apart, contradictions doubtful, packs limited."""

from __future__ import annotations

import numpy as np
import pytest

from tests.vision_factories import Table, cards_at, names
from vision.assemble import assemble, limit_packs
from vision.cards_read import CardsRead
from vision.certainty import FEATURES, Certainty
from vision.detections import Detections
from vision.indices import Indices


def read(table: Table, packs: int | None = None, plane: bool = True) -> CardsRead:
    return assemble(table.indices(), Certainty(), packs, table.scale if plane else None)[0]


@pytest.mark.parametrize("turn", [0, 37, 90, 180, 233])
def test_both_corners_are_one_card(turn: float) -> None:
    assert names(read(Table().lay("S10", 100, 100, turn))) == ["S10"]


@pytest.mark.parametrize(("width", "height"), [(57, 87), (60, 88), (63, 89)])
@pytest.mark.parametrize("plane", [True, False])
def test_any_size_of_card_is_paired(width: float, height: float, plane: bool) -> None:
    table = (
        Table(width=width, height=height).lay("S10", 60, 100).lay("H4", 160, 100, 20).lay("DK", 260, 110, -8)
    )
    assert names(read(table, plane=plane)) == ["DK", "H4", "S10"]


@pytest.mark.parametrize("step", [8, 12, 20, 30])
def test_identical_cards_in_an_overlapped_row_stay_apart(step: float) -> None:
    table = Table().lay("S10", 60, 100, corners=["top left"]).lay("S10", 60 + step, 100)
    assert names(read(table)) == ["S10", "S10"]


def test_identical_cards_side_by_side_stay_apart() -> None:
    assert names(read(Table().lay("S10", 60, 100).lay("S10", 125, 100))) == ["S10", "S10"]


def slanted(table: Table, degrees: float) -> Indices:
    """The table's indices, each with its direction led astray by this angle about its middle."""
    indices = table.indices()
    a = np.radians(degrees)
    turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]], np.float32)
    middle = indices.found.keypoints.mean(1, keepdims=True)
    points = ((indices.found.keypoints - middle) @ turn.T + middle).astype(np.float32)
    found = indices.found
    return Indices(Detections(found.xyxy, found.class_id, found.confidence, points), indices.log_probs)


@pytest.mark.parametrize("degrees", [-22, -12, 12, 22])
def test_a_slant_of_both_indices_leaves_one_card_where_it_lies(degrees: float) -> None:
    table = Table().lay("SQ", 100, 100)
    cards, _ = assemble(slanted(table, degrees), Certainty(), None, table.scale)
    assert names(cards) == ["SQ"]
    down = cards.outline[0, 3] - cards.outline[0, 0]
    assert abs(np.degrees(np.arctan2(down[0], down[1]))) < 4


@pytest.mark.parametrize("step", [12, 20])
def test_identical_cards_stay_apart_though_their_indices_are_slanted(step: float) -> None:
    table = Table().lay("SQ", 60, 100, corners=["top left"]).lay("SQ", 60 + step, 100)
    cards, _ = assemble(slanted(table, 15), Certainty(), None, table.scale)
    assert names(cards) == ["SQ", "SQ"]


def test_a_joker_alone_in_its_zone_is_one_card() -> None:
    assert names(read(Table().lay("LJ", 100, 100))) == ["LJ"]
    assert names(read(Table().lay("LJ", 60, 100, corners=["top left"]).lay("BJ", 80, 100))) == ["BJ", "LJ"]


def test_the_same_name_facing_away_at_another_distance_is_another_card() -> None:
    table = Table().lay("S10", 60, 100, corners=["top left"]).lay("S10", 200, 100, 180, corners=["top left"])
    assert names(read(table)) == ["S10", "S10"]


def test_one_visible_corner_is_a_card() -> None:
    assert names(read(Table().lay("DA", 60, 100, corners=["bottom right"]))) == ["DA"]


def test_four_corners_are_one_card() -> None:
    corners = ["top left", "top right", "bottom left", "bottom right"]
    assert names(read(Table().lay("H7", 60, 100, 10, corners).lay("C7", 160, 100, 0, corners))) == [
        "C7",
        "H7",
    ]


def test_the_outline_lies_where_the_card_lies() -> None:
    cards = read(Table().lay("S10", 100, 100, 0).lay("H3", 200, 100, 0))
    card = cards[np.array([str(name) == "S10" for name in cards.names])]
    expected = np.array([[70, 56], [130, 56], [130, 144], [70, 144]]) * 2
    corners = card.outline[0] if card.upright[0, 1] > 0 else np.roll(card.outline[0], 2, axis=0)
    assert np.abs(corners - expected).max() < 8


def test_an_outline_from_one_corner_uses_what_the_other_cards_taught() -> None:
    cards = read(Table().lay("S10", 100, 100).lay("H3", 200, 100, corners=["top left"]))
    card = cards[np.array([str(name) == "H3" for name in cards.names])]
    assert np.abs(card.centre[0] - [400, 200]).max() < 6


def test_two_names_on_one_card_are_one_doubtful_card() -> None:
    table = Table().lay("SJ", 60, 100, other={"CJ": 0.6, "SJ": 0.35}).lay("H3", 160, 100).lay("D8", 260, 100)
    cards = read(table)
    assert names(cards) == ["D8", "H3", "SJ"]
    assert cards.doubtful[[str(name) == "SJ" for name in cards.names]].all()


def test_two_names_on_one_card_list_the_other_name() -> None:
    table = Table().lay({"SJ": 0.7, "CJ": 0.28}, 60, 100, other={"CJ": 0.6, "SJ": 0.35}).lay("H3", 160, 100)
    cards = read(table.lay("D8", 260, 100))
    doubtful = int(np.flatnonzero([str(name) == "SJ" for name in cards.names])[0])
    assert [str(card) for card, _ in cards.alternatives(doubtful)] == ["CJ"]


def test_two_clear_cards_that_seem_to_share_a_place_are_both_told_and_doubtful() -> None:
    cards = read(Table().lay("SJ", 60, 100, other="D4").lay("H3", 160, 100))
    assert names(cards) == ["D4", "H3", "SJ"]
    assert sorted(map(str, np.array(cards.names)[cards.doubtful])) == ["D4", "SJ"]


def test_an_index_read_as_none_is_no_card() -> None:
    assert len(read(Table().lay({"none": 0.95}, 60, 100))) == 0


def test_two_corners_are_surer_than_one() -> None:
    one = read(Table().lay({"S10": 0.8}, 60, 100, corners=["top left"]))
    both = read(Table().lay({"S10": 0.8}, 60, 100))
    assert both.confidence[0] > one.confidence[0]


def test_beyond_the_packs_the_weakest_copy_is_doubtful_but_told() -> None:
    table = (
        Table()
        .lay("S10", 60, 100)
        .lay("S10", 160, 100)
        .lay({"S10": 0.9, "C10": 0.08}, 300, 100, corners=["top left"])
    )
    cards = read(table, packs=2)
    assert names(cards) == ["S10", "S10", "S10"]
    assert cards.doubtful.tolist() == [False, False, True]
    assert cards.confidence[2] <= 0.5
    assert [str(card) for card, _ in cards.alternatives(2)] == ["C10"]


def test_within_the_packs_nothing_changes() -> None:
    cards = cards_at(("S10", 0, 0, 0), ("S10", 300, 0, 0))
    assert not limit_packs(cards, 2).doubtful.any()


def test_no_index_is_no_card() -> None:
    assert len(read(Table())) == 0


def test_jokers_of_two_corners_are_one_card() -> None:
    assert names(read(Table().lay("BJ", 60, 100).lay("LJ", 160, 100, 30).lay("S4", 260, 100))) == [
        "BJ",
        "LJ",
        "S4",
    ]


def test_an_index_of_another_size_is_less_sure() -> None:
    table = Table()
    for k, card in enumerate(("S2", "H3", "D4", "C5")):
        table.lay(card, 60 + 80 * k, 100)
    large = Table(px_per_mm=2 * 1.8).lay("C9", 60, 150, corners=["top left"])
    both = type(table.indices()).merge([table.indices(), large.indices()])
    cards, _ = assemble(both, Certainty(list_above=0.0), None, 2.0)
    odd = [str(name) == "C9" for name in cards.names]
    assert cards.confidence[odd].max() < cards.confidence[np.logical_not(odd)].min()


def impossible(table: Table) -> dict[str, bool]:
    """By name: whether the card cannot lie where it seems to."""
    cards = read(table)
    return {
        str(card): bool(row[FEATURES.index("impossible")])
        for card, row in zip(cards.names, cards.evidence, strict=True)
    }


def test_what_seems_an_index_in_the_middle_of_a_whole_card_is_impossible() -> None:
    table = Table().lay("DJ", 100, 100).lay({"HJ": 0.9}, 118, 125, corners=["top left"])
    assert impossible(table) == {"DJ": False, "HJ": True}


@pytest.mark.parametrize("step", [8, 15, 25])
def test_cards_of_an_overlapped_row_are_possible(step: float) -> None:
    table = Table()
    for k, name in enumerate(["S3", "H4", "C5"]):
        table.lay(name, 60 + k * step, 100, corners=["top left"])
    table.lay("D6", 60 + 3 * step, 100)
    assert not any(impossible(table).values())


def test_a_card_laid_across_another_is_possible() -> None:
    table = Table().lay("S3", 100, 100, corners=["top left"]).lay("H9", 112, 112, 20)
    assert not any(impossible(table).values())
