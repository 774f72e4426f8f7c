"""The table file: which part of the picture belongs to which seat, read from TOML, checked key by key."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from calibration.toml_keys import BadTableFile, is_number, numbers, only_keys, read_toml, table_at

VERSION: Final = 1
SEATS: Final = (0, 1, 2, 3)
"""In order of play, counter-clockwise seen from above."""
Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Zone:
    """A part of the picture.

    Attributes:
        name: for people and for zones without a seat.
        polygon: its corners in px of the picture, at least three.
        seat: whose zone it is; None for the middle of the table and the like.
        turn: degrees, counter-clockwise, by which the one who reads this zone upright sits from the picture's
            lower edge: 0 below, 90 at the right, 180 above, 270 at the left.
    """

    name: str
    polygon: tuple[Point, ...]
    seat: int | None = None
    turn: float = 0.0

    def holds(self, x: float, y: float) -> bool:
        """Whether a point of the picture lies inside (even-odd rule)."""
        inside = False
        for (x0, y0), (x1, y1) in zip(self.polygon, self.polygon[1:] + self.polygon[:1], strict=True):
            if (y0 > y) != (y1 > y) and x < x0 + (y - y0) / (y1 - y0) * (x1 - x0):
                inside = not inside
        return inside

    @property
    def down(self) -> Point:
        """Unit vector in the picture that is "down", towards the player who reads this zone upright."""
        angle = math.radians(self.turn)
        return math.sin(angle), math.cos(angle)

    def scaled(self, by: float) -> Zone:
        """The same zone in a picture `by` times as large."""
        return Zone(self.name, tuple((x * by, y * by) for x, y in self.polygon), self.seat, self.turn)


@dataclass(frozen=True, slots=True)
class TableFile:
    """A table as one camera sees it.

    Attributes:
        name: of the table.
        zones: at least one; the first that holds a card has it.
        picture: width and height of the pictures in which the zones were measured; None: any, without
            scaling.
        px_per_mm: scale on the table plane in those pictures; None: not known, to be searched.
        packs: how many packs are in play; None: not said.
    """

    name: str
    zones: tuple[Zone, ...]
    picture: tuple[int, int] | None = None
    px_per_mm: float | None = None
    packs: int | None = None

    def fitted(self, width: int, height: int) -> TableFile:
        """The same table in a picture of another size but the same shape.

        Raises:
            BadTableFile: the picture has another shape.
        """
        if self.picture is None or self.picture == (width, height):
            return self
        by = width / self.picture[0]
        if abs(self.picture[1] * by - height) > 2 + height * 0.005:
            raise BadTableFile(
                f"table {self.name!r} was measured in pictures of {self.picture[0]}x{self.picture[1]} px, "
                f"this one has {width}x{height} px: another shape, so its zones do not fit"
            )
        scale = None if self.px_per_mm is None else self.px_per_mm * by
        return TableFile(
            self.name, tuple(zone.scaled(by) for zone in self.zones), (width, height), scale, self.packs
        )


def load_table(path: Path) -> TableFile:
    """Read a table file.

    Raises:
        BadTableFile: it cannot be read, or a key in it is unknown, missing or wrong.
    """
    raw = read_toml(path)
    try:
        return parse_table(raw)
    except BadTableFile as error:
        raise BadTableFile(f"{path}: {error}") from None


def parse_table(raw: Mapping[str, Any]) -> TableFile:
    """Check a table file that was read as TOML.

    Raises:
        BadTableFile: a key is unknown, missing or wrong.
    """
    if raw.get("version") != VERSION:
        raise BadTableFile(f"version must be {VERSION}, got {raw.get('version')!r}")
    only_keys(raw, ("version", "name", "picture", "packs", "plane", "zone"), "the file")
    picture = raw.get("picture")
    if picture is not None:
        width, height = (int(value) for value in numbers(picture, 2, "picture", "width and height in px"))
        if min(width, height) < 1:
            raise BadTableFile(f"picture must be width and height in px, got {picture!r}")
        picture = (width, height)
    plane = raw.get("plane", {})
    only_keys(table_at(plane, "plane"), ("px_per_mm",), "[plane]")
    scale = plane.get("px_per_mm")
    if scale is not None and not (is_number(scale) and 0.1 <= scale <= 100):
        raise BadTableFile(f"plane.px_per_mm must be a number from 0.1 to 100, got {scale!r}")
    packs = raw.get("packs")
    if packs is not None and (isinstance(packs, bool) or not isinstance(packs, int) or packs < 1):
        raise BadTableFile(f"packs must be a whole number from 1, got {packs!r}")
    zones = raw.get("zone")
    if not isinstance(zones, list) or not zones:
        raise BadTableFile("at least one [[zone]] is needed")
    return TableFile(
        str(raw.get("name", "table")),
        tuple(_zone(zone, f"zone {number}") for number, zone in enumerate(zones, 1)),
        picture,
        None if scale is None else float(scale),
        packs,
    )


def _zone(raw: object, where: str) -> Zone:
    zone = table_at(raw, where)
    only_keys(zone, ("name", "seat", "turn", "rectangle", "polygon"), where)
    seat = zone.get("seat")
    if seat is not None:
        if isinstance(seat, bool) or not isinstance(seat, int) or seat not in SEATS:
            raise BadTableFile(f"{where}: not a seat: {seat!r} (expected 0, 1, 2 or 3)")
    elif "name" not in zone:
        raise BadTableFile(f"{where}: needs a seat (0 to 3) or a name")
    turn = zone.get("turn", 90 * (seat or 0))
    if not is_number(turn):
        raise BadTableFile(f"{where}: turn must be a number of degrees, got {turn!r}")
    if ("rectangle" in zone) == ("polygon" in zone):
        raise BadTableFile(f"{where}: needs either a rectangle or a polygon")
    if "rectangle" in zone:
        x0, y0, x1, y1 = numbers(
            zone["rectangle"], 4, f"{where}: rectangle", "left, top, right, bottom in px"
        )
        if x0 >= x1 or y0 >= y1:
            raise BadTableFile(
                f"{where}: rectangle must be left, top, right, bottom in px, got {zone['rectangle']!r}"
            )
        corners: tuple[Point, ...] = ((x0, y0), (x1, y0), (x1, y1), (x0, y1))
    else:
        points = zone["polygon"]
        if not isinstance(points, list) or len(points) < 3:
            raise BadTableFile(f"{where}: polygon must be at least three points [x, y] in px, got {points!r}")
        corners = tuple(_point(point, where) for point in points)
    return Zone(str(zone.get("name", f"seat {seat}")), corners, seat, float(turn) % 360)


def _point(raw: object, where: str) -> Point:
    x, y = numbers(raw, 2, f"{where}: a point of the polygon", "x and y in px")
    return x, y
