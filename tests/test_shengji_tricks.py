"""Who wins a trick: ruffs, over-ruffs, ties, and the four policies."""

from __future__ import annotations

import pytest

from table.shengji.tricks import trick
from tests.shengji_tools import EVENT, OFFICIAL, cards, lead, order, rules


def won(level, trump, plays, profile=OFFICIAL[2], **options):
    by = order(level, trump, profile)
    plays = [cards(text) for text in plays]
    return trick(lead(" ".join(map(str, plays[0])), by), plays, by, rules(profile, **options).ruff)


def winner(*args, **options) -> int:
    return won(*args, **options).winner


def test_two_ruffs_of_a_throw_of_singles():
    """Dispute A6."""
    assert winner("6", "S", ["HA HK", "S2 S4", "S3 S5", "D4 D5"]) == 2


@pytest.mark.rule("SJO-44")
def test_the_pair_of_a_throw_decides_not_its_single():
    """Dispute A8."""
    plays = ["HA HK HK", "S5x2 SA", "S6x2 S3", "D3 D4 D5"]
    assert winner("2", "S", plays) == 2
    assert winner("2", "S", plays, ruff__compare="every_unit") == 1


@pytest.mark.rule("SJO-44")
def test_a_triple_inside_a_ruff_counts_as_its_pair_and_single():
    """Dispute A10."""
    first = ["HAx2 HK", "S3x3", "S4x2 S7", "D3 D4 D5"]
    assert winner("2", "S", first, OFFICIAL[3]) == 2
    assert winner("2", "S", [first[0], first[2], first[1], first[3]], OFFICIAL[3]) == 1


@pytest.mark.rule("SJO-44")
def test_the_highest_unit_counts_wherever_it_lies():
    """Dispute A12."""
    assert winner("2", "C", ["HAx2 HQx2", "C9x2 C3x2", "C8x2 C7x2", "D3 D4 D5 D6"]) == 1


@pytest.mark.rule("SJO-45")
def test_the_highest_trump_ruffs_a_single():
    """Dispute A13."""
    assert winner("2", "S", ["H10", "S2", "S3", "LJ"]) == 3
    assert winner("5", "D", ["HA HK", "D5 DA", "LJ C5", "S3 S4"]) == 2


@pytest.mark.rule("SJO-43", "SJO-46")
def test_a_tractor_is_ruffed_by_a_tractor_only():
    plays = ["HK HK HA HA", "S3x2 S5x2", "D3 D4 D5 D6", "C3 C4 C5 C6"]
    assert winner("10", "S", plays) == 0
    assert winner("10", "S", [plays[0], "S9x2 SJx2", *plays[2:]]) == 1
    assert won("10", "S", plays).roles[1] == "discard"


@pytest.mark.rule("SJO-45", "SJE-08")
def test_equal_cards_stay_with_the_first():
    assert winner("10", "S", ["S9", "D10", "C10", "H10"]) == 1
    assert winner("10", "S", ["HA", "HA", "H2", "H3"]) == 0


@pytest.mark.rule("SJO-46")
def test_two_singles_never_win_a_pair():
    assert winner("10", "S", ["H3x2", "HA HK", "H5x2", "HQ HJ"]) == 2


@pytest.mark.rule("SJO-32", "SJO-45")
def test_a_throw_that_is_not_ruffed_is_the_throwers():
    assert winner("10", "S", ["HK HQ", "HA H3", "D4 D5", "C4 C5"]) == 0
    assert winner("10", "S", ["S9 S8", "SA SJ", "D4 D5", "C4 C5"]) == 0


@pytest.mark.rule("SJO-43")
def test_discards_of_another_suit_never_win():
    assert winner("10", "S", ["H3", "CA", "DA", "H4"]) == 3
    assert winner("10", "S", ["H3 H3", "S9 HA", "H4 H5", "DA DA"]) == 0


@pytest.mark.rule("SJO-47")
def test_all_points_on_the_table_count():
    assert won("2", "S", ["H10", "HK", "H5", "D5"]).points == 30


@pytest.mark.parametrize(
    ("led", "ruff", "good"),
    [
        ("DA DK D5x2 D4x2", "S9x2 S8x2 S7 S2", True),
        ("DAx2 D5x2 D4x2", "S9x2 S8x2 S7 S2", False),
        ("DA D10 D9 D5x3", "S9x2 S8x2 S7 S2", False),
        ("DKx3 D5x2 D4x2", "S9x2 S8x2 S7x3", True),
        ("DKx3 D5x2 D4x2", "S10x3 S6x2 S5x2", True),
        ("D5 D4x2", "S9 S7x2", True),
        ("D5 D6 D7", "S9 S7x2", True),
        ("DA DK DQ", "S5 S4 S8", True),
        ("DKx3 DQx3", "S9x2 S8x2 S7x2", False),
        ("D9x2 D8x2 D7x2", "SKx3 SQx3", False),
    ],
)
@pytest.mark.rule("SJE-20", "SJE-32", "SJE-33", "SJE-35", "SJO-43")
def test_ruffs_of_the_event(led, ruff, good):
    result = won("3", "S", [led, ruff, "C4", "C4"], EVENT)
    assert (result.winner == 1) is good
    assert result.roles[1] == ("ruff" if good else "discard")


@pytest.mark.rule("SJE-34", "SJE-35")
def test_the_tractor_of_an_over_ruff_decides_at_the_event():
    led, higher, lower = "DKx3 D5x2 D4x2", "S9x2 S8x2 S7x3", "S10x3 S6x2 S5x2"
    assert winner("3", "S", [led, higher, lower, "C4"], EVENT) == 1
    assert winner("3", "S", [led, lower, higher, "C4"], EVENT) == 2


@pytest.mark.rule("SJE-34", "SJE-35")
def test_a_higher_pair_over_ruffs_and_a_lower_single_does_not():
    assert winner("3", "S", ["D5 D4x2", "S9 S7x2", "S8x2 S4", "C4"], EVENT) == 2
    assert winner("3", "S", ["D5 D6 D7", "S9 S7x2", "S8x2 S4", "C4"], EVENT) == 1


@pytest.mark.rule("SJE-34")
def test_at_equal_tractors_the_triple_decides_at_the_event_only():
    equal_first = ["DKx3 D9x2 D8x2", "S2x2 H2x2 S7x3", "S2x2 D2x2 S10x3", "C4"]
    assert winner("3", "S", equal_first, EVENT) == 2
    assert winner("3", "S", equal_first, EVENT, ruff__compare="largest_unit") == 1


def test_four_policies_of_over_ruffs_differ():
    """One throw of pair and single; the second ruff has the higher pair, the third the highest card."""
    plays = ["HAx2 HK", "S5x2 SJ", "S6x2 S3", "S4x2 SA"]
    assert winner("2", "S", plays) == 2
    assert winner("2", "S", plays, ruff__compare="kinds_in_turn") == 2
    assert winner("2", "S", plays, ruff__compare="every_unit") == 1
    assert winner("2", "S", plays, ruff__compare="highest_card") == 3


def test_bombs_by_key_beat_any_shape_and_each_other_by_rank():
    plays = ["HAx4", "C5x4", "S3x4", "D9 D10 DJ DQ"]
    four = {"packs": 4, "pack__kitty_size": 8}
    assert winner("2", "S", plays, ruff__bombs="void_only", **four) == 2
    assert (
        winner("2", "S", ["HA HK HQ HJ", "C5x4", "S3 S4 S6 S7", "D9x4"], ruff__bombs="void_only", **four) == 3
    )
    assert winner("2", "S", ["HA HK HQ HJ", "C5x4", "S3 S4 S6 S7", "D9x4"], **four) == 2
