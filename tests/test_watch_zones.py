"""The table file: what it says, and what is said of a wrong one."""

from __future__ import annotations

from pathlib import Path

import pytest

from calibration.toml_keys import BadTableFile
from calibration.zones import load_table, parse_table

ZONE = {"seat": 1, "rectangle": [0, 0, 100, 50]}
EXAMPLES = Path(__file__).resolve().parents[1] / "docs" / "examples"


@pytest.mark.parametrize("path", sorted(EXAMPLES.glob("*.toml")), ids=lambda path: path.name)
def test_the_examples_are_good(path: Path) -> None:
    assert {zone.seat for zone in load_table(path).zones} >= {0, 1, 2, 3}


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ({"zone": [ZONE]}, "version must be 1, got None"),
        ({"version": 2, "zone": [ZONE]}, "version must be 1, got 2"),
        ({"version": 1}, r"at least one \[\[zone\]\]"),
        # a slip of the pen: the nearest known key is named
        ({"version": 1, "zones": [ZONE]}, "unknown key 'zones' in the file; did you mean 'zone'"),
        ({"version": 1, "zone": [ZONE | {"trun": 90}]}, "unknown key 'trun' in zone 1; did you mean 'turn'"),
        ({"version": 1, "plane": {"px_mm": 2}, "zone": [ZONE]}, r"in \[plane\]; did you mean 'px_per_mm'"),
        ({"version": 1, "zone": [ZONE, {"seat": 4, "rectangle": [0, 0, 1, 1]}]}, "zone 2: not a seat: 4"),
        ({"version": 1, "zone": [{"rectangle": [0, 0, 1, 1]}]}, "zone 1: needs a seat"),
        ({"version": 1, "zone": [{"seat": 0}]}, "zone 1: needs either a rectangle or a polygon"),
        (
            {"version": 1, "zone": [ZONE | {"polygon": [[0, 0], [1, 0], [1, 1]]}]},
            "either a rectangle or a polygon",
        ),
        ({"version": 1, "zone": [{"seat": 0, "rectangle": [9, 0, 1, 1]}]}, "left, top, right, bottom"),
        ({"version": 1, "zone": [{"seat": 0, "rectangle": ["a", 0, 1, 1]}]}, "left, top, right, bottom"),
        ({"version": 1, "zone": [{"seat": 0, "polygon": [[0, 0], [1, 1]]}]}, "at least three points"),
        ({"version": 1, "zone": [{"seat": 0, "polygon": [[0, 0], [1, 1], [2]]}]}, "x and y in px"),
        ({"version": 1, "packs": 0, "zone": [ZONE]}, "packs must be a whole number from 1"),
        ({"version": 1, "plane": {"px_per_mm": -2}, "zone": [ZONE]}, "px_per_mm must be a number"),
        ({"version": 1, "picture": [0, 5], "zone": [ZONE]}, "picture must be width and height"),
        ({"version": 1, "zone": ["a"]}, "zone 1 must be a table of keys"),
    ],
)
def test_a_wrong_file_is_told_what_is_wrong(file: dict[str, object], message: str) -> None:
    with pytest.raises(BadTableFile, match=message):
        parse_table(file)


def test_what_is_no_toml_is_named(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text("version == 1")
    with pytest.raises(BadTableFile, match=r"table\.toml: not TOML"):
        load_table(path)


def test_zones_fit_a_picture_of_half_the_size() -> None:
    table = parse_table({"version": 1, "picture": [200, 100], "plane": {"px_per_mm": 4.0}, "zone": [ZONE]})
    half = table.fitted(100, 50)
    assert half.zones[0].polygon[2] == (50.0, 25.0)
    assert half.px_per_mm == 2.0


def test_zones_do_not_fit_a_picture_of_another_shape() -> None:
    table = parse_table({"version": 1, "picture": [200, 100], "zone": [ZONE]})
    with pytest.raises(BadTableFile, match="another shape"):
        table.fitted(100, 100)


def test_a_zone_holds_what_lies_inside_its_corners() -> None:
    zone = parse_table({"version": 1, "zone": [{"seat": 0, "polygon": [[0, 0], [10, 0], [0, 10]]}]}).zones[0]
    assert zone.holds(2, 2)
    assert not zone.holds(8, 8)


@pytest.mark.parametrize(("turn", "down"), [(0, (0, 1)), (90, (1, 0)), (180, (0, -1)), (270, (-1, 0))])
def test_a_zones_turn_says_where_its_player_sits(turn: float, down: tuple[float, float]) -> None:
    zone = parse_table({"version": 1, "zone": [ZONE | {"turn": turn}]}).zones[0]
    assert zone.down == pytest.approx(down, abs=1e-9)


def test_a_seats_turn_follows_from_its_place_in_the_order_of_play() -> None:
    assert parse_table({"version": 1, "zone": [ZONE]}).zones[0].turn == 90
