"""Changes a setup file where calibration has something new to say, and leaves all else in it as its owner wrote it."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import ParseError
from tomlkit.items import AoT, Table

from calibration.setup import Lens, Plane, ZoneSetup
from calibration.setup_file import parse_setup
from calibration.tag_keys import mat_values, tag_values
from calibration.tags import Mat, Tag
from calibration.toml_keys import BadTableFile


class SetupEditor:
    """A setup file that is being changed; `save` checks and writes it.

    Args:
        path: of the file.

    Raises:
        BadTableFile: it cannot be read, or is no TOML.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._file = tomlkit.parse(path.read_text("utf-8"))
        except OSError as error:
            raise BadTableFile(f"{path}: cannot be read ({error.strerror or error})") from None
        except (ParseError, UnicodeDecodeError) as error:
            raise BadTableFile(f"{path}: not TOML ({error})") from None

    def put_lens(self, camera: str, lens: Lens) -> None:
        """The lens of a camera; its plane, which was solved without it, stays until it is solved again.

        Raises:
            BadTableFile: the file has no such camera.
        """
        table = tomlkit.table()
        table.add("focal", _numbers(lens.focal, 4))
        table.add("middle", _numbers(lens.middle, 4))
        table.add("distortion", _numbers(lens.distortion, 7))
        self._camera(camera)["lens"] = table

    def put_plane(self, camera: str, plane: Plane) -> None:
        """Where the table lies in a camera's picture.

        Raises:
            BadTableFile: the file has no such camera.
        """
        rows = tomlkit.array()
        for row in plane.to_px:
            rows.add_line([float(f"{value:.10g}") for value in row])
        rows.add_line(indent="")
        table = tomlkit.table()
        table.add("to_px", rows)
        self._camera(camera)["plane"] = table

    def put_calibration(self, camera: str, values: Mapping[str, Any]) -> None:
        """What people may want to know of a camera's calibration: added to what the file says already.

        Raises:
            BadTableFile: the file has no such camera.
        """
        found = self._camera(camera)
        table = found.get("calibration")
        if not isinstance(table, Table):
            table = tomlkit.table()
            found["calibration"] = table
        for key, value in values.items():
            table[key] = value

    def put_tags(self, tags: Iterable[Tag], mat: Mat | None) -> None:
        """The table's tags, in place of those in the file, and where its mat lies."""
        tables = tomlkit.aot()
        for tag in tags:
            table = tomlkit.table()
            table.update(tag_values(tag))
            tables.append(table)
        self._put("tag", tables)
        if mat is None:
            self._file.pop("mat", None)
        else:
            self.put_mat(mat)

    def put_mat(self, mat: Mat) -> None:
        """Where the mat lies."""
        table = tomlkit.table()
        table.update(mat_values(mat))
        self._put("mat", table)

    def put_zones(self, zones: Iterable[ZoneSetup]) -> None:
        """Zones: those of the same name change their place, new ones are added, others stay."""
        found = self._file.get("zone")
        tables = found if isinstance(found, AoT) else tomlkit.aot()
        known = {str(t.get("name", f"seat {t.get('seat')}")): t for t in tables}
        for zone in zones:
            table = known.get(zone.name)
            if table is None:
                table = tomlkit.table()
                table.add("name", zone.name)
                table.add("kind", zone.kind)
                if zone.seat is not None:
                    table.add("seat", zone.seat)
                tables.append(table)
            table["centre"] = _numbers(zone.centre, 2)
            table["size"] = _numbers(zone.size, 2)
            table["turn"] = round(float(zone.turn), 3)
        self._put("zone", tables)

    @property
    def text(self) -> str:
        """The file as it would be written."""
        # A table that is put at the end of a camera takes the blank line after it.
        return re.sub(r"(?m)^([^#\n].*)\n(?=\[\[)", r"\1\n\n", tomlkit.dumps(self._file))

    def save(self) -> None:
        """Write the file, whole or not at all.

        Raises:
            BadTableFile: what would be written is no setup file, or cannot be written.
        """
        text = self.text
        try:
            parse_setup(tomlkit.parse(text).unwrap(), draft=True)
        except BadTableFile as error:
            raise BadTableFile(f"{self._path}: {error}") from None
        new = self._path.with_name(f".{self._path.name}.new")
        try:
            new.write_text(text, encoding="utf-8")
            os.replace(new, self._path)  # noqa: PTH105 (Path.replace says the same)
        except OSError as error:
            new.unlink(missing_ok=True)
            raise BadTableFile(f"{self._path}: cannot be written ({error.strerror or error})") from None

    def _camera(self, name: str) -> Table:
        cameras = self._file.get("camera")
        for camera in cameras if isinstance(cameras, AoT) else ():
            if isinstance(camera, Table) and camera.get("name") == name:
                return camera
        raise BadTableFile(f"{self._path}: no camera {name!r}")

    def _put(self, key: str, value: Any) -> None:
        if key in self._file:
            self._file[key] = value
        else:
            self._file.add(tomlkit.nl())
            self._file.add(key, value)


def _numbers(values: Iterable[float], digits: int) -> list[float]:
    return [round(float(value), digits) for value in values]
