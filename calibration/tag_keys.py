"""The keys of a setup file that say where tags and mat lie: read and checked, and written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from calibration.tags import EDGE_TAG_MM, MAT_TAG_MM, TAGS_IN_FAMILY, Mat, Tag, table_of
from calibration.toml_keys import BadTableFile, is_number, numbers, only_keys, table_at

ON: Final = ("table", "mat")


def parse_tags(raw: object) -> tuple[Tag, ...]:
    """The `[[tag]]` tables of a setup file.

    Raises:
        BadTableFile: a key is unknown, missing or wrong; a number twice; tags of two tables.
    """
    if not isinstance(raw, list):
        raise BadTableFile(f"tag must be [[tag]] tables, got {raw!r}")
    tags = tuple(_tag(one, f"tag {i}") for i, one in enumerate(raw, 1))
    seen: dict[int, Tag] = {}
    for tag in tags:
        if tag.number in seen:
            raise BadTableFile(f"two tags have the number {tag.number}; each is printed once")
        seen[tag.number] = tag
    tables = sorted({table_of(tag.number) for tag in tags})
    if len(tables) > 1:
        first, second = tables[:2]
        raise BadTableFile(
            f"tags of table {first} and of table {second}; a table has tags of its own, print them with --table"
        )
    return tags


def parse_mat(raw: object) -> Mat | None:
    """The `[mat]` table of a setup file; None where there is none.

    Raises:
        BadTableFile: a key is unknown or wrong.
    """
    if raw is None:
        return None
    mat = table_at(raw, "[mat]")
    only_keys(mat, ("centre", "turn"), "[mat]")
    x, y = numbers(mat.get("centre", [0.0, 0.0]), 2, "mat: centre", "x and y in mm from the table's centre")
    return Mat((x, y), _number(mat.get("turn", 0.0), "mat: turn"))


def tag_values(tag: Tag) -> dict[str, Any]:
    """A tag as its keys."""
    values: dict[str, Any] = {"number": tag.number, "centre": [_short(v) for v in tag.centre]}
    values |= {"size": _short(tag.size), "turn": _short(tag.turn)}
    return {**values, "on": "mat"} if tag.on_mat else values


def mat_values(mat: Mat) -> dict[str, Any]:
    """A mat's place as its keys."""
    return {"centre": [_short(v) for v in mat.centre], "turn": round(float(mat.turn), 4)}


def _tag(raw: object, where: str) -> Tag:
    tag: Mapping[str, Any] = table_at(raw, where)
    only_keys(tag, ("number", "centre", "size", "turn", "on"), where)
    number = tag.get("number")
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number < TAGS_IN_FAMILY:
        raise BadTableFile(f"{where}: number must be 0 to {TAGS_IN_FAMILY - 1}, got {number!r}")
    where = f"tag {number}"
    on = tag.get("on", "table")
    if on not in ON:
        raise BadTableFile(f"{where}: on must be 'table' or 'mat', got {on!r}")
    x, y = numbers(tag.get("centre"), 2, f"{where}: centre", "x and y in mm")
    size = _number(tag.get("size", MAT_TAG_MM if on == "mat" else EDGE_TAG_MM), f"{where}: size")
    if not 10 <= size <= 300:
        raise BadTableFile(f"{where}: size is the side of the black square in mm, 10 to 300, got {size:g}")
    return Tag(number, (x, y), size, _number(tag.get("turn", 0.0), f"{where}: turn"), on == "mat")


def _number(value: object, what: str) -> float:
    if not is_number(value):
        raise BadTableFile(f"{what} must be a number, got {value!r}")
    return float(value)


def _short(value: float) -> float:
    return round(float(value), 3)
