"""The kitty's multipliers, bands, levels, bank and ties."""

from __future__ import annotations

import pytest

from table.shengji.kitty import multiplier
from table.shengji.levels import Band, band, outcome, raised
from table.shengji.order import points_of
from tests.shengji_tools import EVENT, FINAL, OFFICIAL, cards, lead, order, rules


def times(text, profile, won=None, **options) -> int:
    by, keys = order("10", "S", profile), rules(profile, **options)
    led = lead(text, by)
    return multiplier(led, lead(won, by) if won else led, keys.pack.packs, keys.kitty)


TABLE = [
    ("H5", {1: 2, 2: 2, 3: 2}),
    ("H5x2", {2: 4, 3: 3}),
    ("H5x3", {3: 4}),
    ("H5x2 H6x2", {2: 6, 3: 5}),
    ("H5x2 H6x2 H7x2", {2: 8, 3: 6}),
    ("H5x2 H6x2 H7x2 H8x2", {2: 10, 3: 7}),
    ("H5x3 H6x3", {3: 6}),
    ("H5x3 H6x3 H7x3", {3: 8}),
    ("HA HK", {1: 3, 2: 3, 3: 3}),
    ("HA HA HK", {2: 4, 3: 3}),
    ("HA HKx2 HQx2", {2: 6, 3: 5}),
    ("HA HKx3", {3: 4}),
]


@pytest.mark.rule("SJO-48", "SJO-49")
@pytest.mark.parametrize(
    ("text", "packs", "value"), [(text, packs, value) for text, row in TABLE for packs, value in row.items()]
)
def test_the_official_multipliers(text, packs, value):
    assert times(text, OFFICIAL[packs]) == value


@pytest.mark.rule("SJE-38", "SJE-39")
@pytest.mark.parametrize(
    ("text", "value"),
    [("H5", 2), ("H5x2", 4), ("H5x2 H9x2", 8), ("H5x2 H6x2", 8), ("H5x3", 6), ("H5x3 H8x3", 18),
     ("H5x3 H9x2", 12), ("HA HK", 2), ("HA H5x2", 4)],
)  # fmt: skip
def test_the_events_multipliers(text, value):
    assert times(text, EVENT) == value


@pytest.mark.rule("SJE-38")
def test_the_event_counts_the_winning_cards_and_the_official_rules_the_led_shape():
    assert times("HA HK", EVENT, won="S5x2") == 4
    assert times("HA HK", OFFICIAL[2], won="S5x2") == 3


@pytest.mark.rule("SJO-50")
@pytest.mark.parametrize(
    ("text", "value"), [("H5", 2), ("HA HK", 2), ("H5x2", 4), ("H5x2 H6x2", 8), ("H5x2 H6x2 H7x2", 16)]
)
def test_the_online_multipliers(text, value):
    assert times(text, OFFICIAL[2], kitty__table="online") == value


@pytest.mark.parametrize(
    ("table", "text", "value"),
    [("twice_cards", "H5", 2), ("twice_cards", "H5x2 H6x2", 8), ("power_of_cards", "H5", 2),
     ("power_of_cards", "H5x2 H6x2", 16)],
)  # fmt: skip
def test_multipliers_by_the_cards_of_the_largest_unit(table, text, value):
    assert times(text, OFFICIAL[2], kitty__table=table) == value


@pytest.mark.rule("SJO-49", "SJE-38")
@pytest.mark.parametrize(
    ("profile", "text", "points"),
    [
        (OFFICIAL[2], "H5", 30), (OFFICIAL[2], "H5x2", 60), (OFFICIAL[2], "H5x2 H6x2", 90),
        (OFFICIAL[2], "HA HK", 45),
        (OFFICIAL[3], "H5x2", 45), (OFFICIAL[3], "H5x3", 60), (OFFICIAL[3], "H5x2 H6x2", 75),
        (EVENT, "H5", 30), (EVENT, "H5x2", 60), (EVENT, "H5x2 H8x2", 120), (EVENT, "H5x3", 90),
    ],
)  # fmt: skip
def test_fifteen_points_in_the_kitty(profile, text, points):
    assert points_of(cards("SK D5")) * times(text, profile) == points


def _bounds(step: int) -> list[tuple[int, Band]]:
    """Both ends of every line of the level table, and of one line beyond it on each side."""
    rows: list[tuple[int, Band]] = [
        (-step - 5, Band(False, 5)), (-step, Band(False, 4)), (-5, Band(False, 4)), (0, Band(False, 3)),
        (5, Band(False, 2)), (step - 5, Band(False, 2)), (step, Band(False, 1)),
        (2 * step - 5, Band(False, 1)),
    ]  # fmt: skip
    for rise in range(5):
        rows += [
            ((rise + 2) * step, Band(True, rise)), ((rise + 3) * step - 5, Band(True, rise)),
        ]  # fmt: skip
    return rows


@pytest.mark.rule("SJO-09", "SJO-51")
@pytest.mark.parametrize(
    ("packs", "points", "expected"),
    [(packs, points, expected) for packs in (1, 2, 3) for points, expected in _bounds(20 * packs)],
)
def test_both_ends_of_every_line_of_the_level_table(packs, points, expected):
    keys = rules(OFFICIAL[packs])
    assert band(points, keys.levels, keys.total_points) == expected


@pytest.mark.rule("SJE-40", "SJE-01")
@pytest.mark.parametrize(
    ("profile", "points", "expected"),
    [
        (EVENT, 115, Band(False, 1)), (EVENT, 120, Band(True, 0)), (EVENT, 175, Band(True, 0)),
        (EVENT, 180, Band(True, 1)), (FINAL, 75, Band(False, 1)), (FINAL, 80, Band(True, 0)),
    ],
)  # fmt: skip
def test_the_border_at_the_event(profile, points, expected):
    keys = rules(profile)
    assert band(points, keys.levels, keys.total_points) == expected


@pytest.mark.rule("SJO-52")
def test_a_cap_at_the_points_of_the_packs():
    keys = rules(OFFICIAL[2], levels__cap=True)
    assert band(400, keys.levels, keys.total_points) == Band(True, 3)
    assert band(-30, keys.levels, keys.total_points) == Band(False, 3)


def test_bands_by_key():
    total = 200
    assert band(0, rules(levels__zero_band=False).levels, total) == Band(False, 2)
    assert band(-5, rules(levels__zero_band=False).levels, total) == Band(False, 3)
    assert band(80, rules(levels__dead_zone=0).levels, total) == Band(True, 1)
    assert band(120, rules(levels__dead_zone=2).levels, total) == Band(True, 0)
    assert band(120, rules(levels__takeover_steps=3).levels, total) == Band(True, 0)
    assert band(400, rules(levels__most_rise=3).levels, total) == Band(True, 3)


@pytest.mark.rule("SJO-53", "SJE-02")
@pytest.mark.parametrize(
    ("points", "banker", "after"),
    [(0, 2, (("5", "2"), 0)), (75, 0, (("3", "2"), 2)), (80, 3, (("2", "2"), 0)), (120, 0, (("2", "3"), 1))],
)
def test_the_next_banker_is_the_partner_or_the_next_player(points, banker, after):
    found = outcome(points, banker, ("2", "2"), rules())
    assert (found.levels, found.banker) == after


@pytest.mark.rule("SJO-54")
def test_A_must_be_played_and_held_to_win():
    assert outcome(0, 0, ("Q", "2"), rules()).levels == ("A", "2")
    assert outcome(0, 0, ("Q", "2"), rules()).winner is None
    assert outcome(0, 0, ("A", "2"), rules()).winner == 0
    assert outcome(120, 0, ("A", "A"), rules()).winner is None
    assert outcome(200, 0, ("2", "A"), rules()).levels == ("2", "A")


def test_levels_that_must_be_played_stop_a_rise():
    keys = rules(levels__must_play=["5", "10", "K", "A"]).levels
    assert raised("3", 4, played=True, rules=keys) == ("5", False)
    assert raised("5", 2, played=True, rules=keys) == ("7", False)
    assert raised("5", 2, played=False, rules=keys) == ("5", False)


def test_a_rise_beyond_A_wins_by_key_and_NT_follows_A_by_key():
    free = rules(levels__must_play=[], levels__overshoot_wins=True).levels
    assert raised("K", 2, played=False, rules=free) == ("A", True)
    beyond = rules(levels__last="NT").levels
    assert raised("A", 1, played=True, rules=beyond) == ("NT", False)
    assert raised("NT", 1, played=True, rules=beyond) == ("NT", True)


def test_a_J_sends_the_bank_back_to_2_by_key():
    """Dispute A26: off by default."""
    assert outcome(120, 0, ("J", "5"), rules(), jack_trick=True).levels == ("J", "6")
    keys = rules(levels__jack_back="single_jack")
    assert outcome(120, 0, ("J", "5"), keys, jack_trick=True).levels == ("2", "6")
    assert outcome(120, 0, ("10", "5"), keys, jack_trick=True).levels == ("10", "6")
