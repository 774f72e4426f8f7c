"""The setup file of a live table: cameras with their planes, zones and game, read from TOML, checked key by key."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from calibration.device_keys import device_values, parse_devices
from calibration.setup import CameraSetup, Lens, Matrix, Plane, TableSetup, ZoneSetup, play_zones
from calibration.tag_keys import mat_values, parse_mat, parse_tags, tag_values
from calibration.toml_keys import BadTableFile, is_number, nearest, numbers, only_keys, read_toml, table_at

VERSION: Final = 2
KINDS: Final = ("simulated", "video", "stills", "uvc", "rtsp")
SCRIPTED: Final = "scripted"
"""A kind of source for measurements, which nobody is told of: a live camera whose faults are ordered."""
ZONE_KINDS: Final = ("play", "exchange", "discard", "kitty", "points", "ignore")
KITTY: Final = ZoneSetup("kitty", None, (0.0, 0.0), (160.0, 160.0), 0.0, "kitty")
"""Where the kitty lies when the file names no zones: between the four play zones."""
SEEN_OF_A_ZONE: Final = 0.9
"""Share of a zone that the cameras together must see."""
_FILE: Final = (
    "version", "name", "profile", "packs", "players", "options", "camera", "zone", "tag", "mat", "device",
)  # fmt: skip
_CAMERA: Final = ("name", "kind", "size", "fps", "plane", "lens", "options", "calibration")
_ZONE: Final = ("name", "seat", "kind", "centre", "size", "turn")


def load_setup(path: Path, game_of: Callable[[str], str] | None = None) -> TableSetup:
    """Read the setup file of a table.

    Args:
        path: of the TOML file.
        game_of: the game of a profile (`guandan`, `shengji`), for the zones of a file that names none; a ValueError
            from it is told as a fault of the file. Left out, the profile's name tells.

    Raises:
        BadTableFile: it cannot be read; a key is unknown, missing or wrong; a zone that no camera sees.
    """
    raw = read_toml(path)
    try:
        return parse_setup(raw, game_of)
    except BadTableFile as error:
        raise BadTableFile(f"{path}: {error}") from None


def load_draft(path: Path, game_of: Callable[[str], str] | None = None) -> TableSetup:
    """Read a setup file that is to be calibrated: cameras may lack their planes, zones may be out of every picture.

    Raises:
        BadTableFile: as `load_setup`, but for these.
    """
    raw = read_toml(path)
    try:
        return parse_setup(raw, game_of, draft=True)
    except BadTableFile as error:
        raise BadTableFile(f"{path}: {error}") from None


def parse_setup(
    raw: Mapping[str, Any], game_of: Callable[[str], str] | None = None, *, draft: bool = False
) -> TableSetup:
    """Check a setup file that was read as TOML; see `load_setup`, and with `draft` `load_draft`.

    Raises:
        BadTableFile: as there.
    """
    if raw.get("version") == 1:
        raise BadTableFile("version 1 is the file of `paizhuo watch` (stills); a live table needs version 2")
    if raw.get("version") != VERSION:
        raise BadTableFile(f"version must be {VERSION}, got {raw.get('version')!r}")
    only_keys(raw, _FILE, "the file")
    profile = _text(raw, "profile", "the file")
    try:
        game = game_of(profile) if game_of else profile.partition("-")[0]
    except ValueError as error:
        raise BadTableFile(f"profile: {error}") from None
    # A table without cameras is kept by hand.
    cameras = raw.get("camera", [])
    if not isinstance(cameras, list):
        raise BadTableFile(f"camera must be [[camera]] tables, got {cameras!r}")
    zones = raw.get("zone", [])
    if not isinstance(zones, list):
        raise BadTableFile(f"zone must be [[zone]] tables, got {zones!r}")
    players = raw.get("players", ["", "", "", ""])
    if not isinstance(players, list) or len(players) != 4 or not all(isinstance(one, str) for one in players):
        raise BadTableFile(f"players must be four names in order of play, got {players!r}")
    setup = TableSetup(
        name=_text(raw, "name", "the file", "table"),
        profile=profile,
        cameras=tuple(_camera(camera, f"camera {number}", draft) for number, camera in enumerate(cameras, 1)),
        zones=tuple(_zone(zone, f"zone {number}") for number, zone in enumerate(zones, 1))
        or default_zones(game),
        packs=_whole(raw.get("packs", 2), "packs"),
        players=(players[0], players[1], players[2], players[3]),
        options=_options(raw.get("options", {}), "options"),
        tags=parse_tags(raw.get("tag", [])),
        mat=parse_mat(raw.get("mat")),
        devices=parse_devices(raw.get("device", [])),
    )
    _distinct([camera.name for camera in setup.cameras], "cameras")
    _distinct([zone.name for zone in setup.zones], "zones")
    if not draft:
        _inside(setup)
    return setup


def default_zones(game: str) -> tuple[ZoneSetup, ...]:
    """The four play zones of the usual table, and the kitty's where the game has one."""
    return (*play_zones(), KITTY) if game == "shengji" else play_zones()


def seen_share(zone: ZoneSetup, cameras: Iterable[CameraSetup]) -> float:
    """Share of a zone that lies in the picture of at least one of these cameras, 0..1."""
    steps = np.linspace(0.0, 1.0, 9)
    top, bottom = zone.corners[[0, 1]], zone.corners[[3, 2]]
    rows = [np.outer(1 - steps, a) + np.outer(steps, b) for a, b in zip(top, bottom, strict=True)]
    grid = np.concatenate([(1 - s) * rows[0] + s * rows[1] for s in steps])
    seen = np.zeros(len(grid), bool)
    for camera in cameras:
        seen |= _in_picture(grid, camera)
    return float(seen.mean())


def save_setup(setup: TableSetup, path: Path) -> None:
    """Write a setup file that `load_setup` reads back as it was.

    Raises:
        OSError: it cannot be written.
    """
    path.write_text(setup_toml(setup), encoding="utf-8")


def setup_toml(setup: TableSetup) -> str:
    """The text of a setup file."""
    lines = [
        f"version = {VERSION}",
        f"name = {_toml(setup.name)}",
        f"profile = {_toml(setup.profile)}",
        f"packs = {setup.packs}",
        f"players = {_toml(list(setup.players))}",
    ]
    if setup.options:
        lines += ["", "[options]", *_pairs(setup.options)]
    for camera in setup.cameras:
        lines += ["", "[[camera]]", f"name = {_toml(camera.name)}", f"kind = {_toml(camera.kind)}"]
        lines += [f"size = {_toml(list(camera.size))}", f"fps = {_toml(float(camera.fps))}"]
        lines += ["", "[camera.plane]", f"to_px = {_toml(np.asarray(camera.plane.to_px, float).tolist())}"]
        if camera.plane.lens is not None:
            lens = camera.plane.lens
            lines += ["", "[camera.lens]", f"focal = {_toml(list(lens.focal))}"]
            lines += [f"middle = {_toml(list(lens.middle))}", f"distortion = {_toml(list(lens.distortion))}"]
        if camera.options:
            lines += ["", "[camera.options]", *_pairs(camera.options)]
        if camera.calibration:
            lines += ["", "[camera.calibration]", *_pairs(camera.calibration)]
    for zone in setup.zones:
        lines += ["", "[[zone]]", f"name = {_toml(zone.name)}", f"kind = {_toml(zone.kind)}"]
        lines += [] if zone.seat is None else [f"seat = {zone.seat}"]
        lines += [f"centre = {_toml(list(zone.centre))}", f"size = {_toml(list(zone.size))}"]
        lines += [f"turn = {_toml(float(zone.turn))}"]
    for tag in setup.tags:
        lines += ["", "[[tag]]", *_pairs(tag_values(tag))]
    if setup.mat is not None:
        lines += ["", "[mat]", *_pairs(mat_values(setup.mat))]
    for device in setup.devices:
        lines += ["", "[[device]]", *_pairs(device_values(device))]
    return "\n".join(lines) + "\n"


def _camera(raw: object, where: str, draft: bool = False) -> CameraSetup:
    camera = table_at(raw, where)
    only_keys(camera, _CAMERA, where)
    name = _text(camera, "name", where)
    where = f"camera {name!r}"
    kind = SCRIPTED if camera.get("kind") == SCRIPTED else _choice(camera, "kind", KINDS, where)
    width, height = numbers(camera.get("size"), 2, f"{where}: size", "width and height in px")
    if min(width, height) < 16 or width != int(width) or height != int(height):
        raise BadTableFile(f"{where}: size must be width and height in px, got {camera['size']!r}")
    fps = _number(camera.get("fps", 15.0), f"{where}: fps")
    if not 0 < fps <= 240:
        raise BadTableFile(f"{where}: fps must be above 0 and at most 240, got {fps:g}")
    lens = _lens(camera["lens"], f"{where}: lens") if "lens" in camera else None
    if draft and "plane" not in camera:
        plane = Plane(np.array([[1.0, 0.0, width / 2], [0.0, -1.0, height / 2], [0.0, 0.0, 1.0]]), lens)
    else:
        plane = Plane(_plane(camera.get("plane"), lens, f"{where}: plane"), lens)
    options = dict(table_at(camera.get("options", {}), f"{where}: options"))
    if kind in ("video", "stills") and not isinstance(options.get("path"), str):
        raise BadTableFile(f"{where}: options: a source of kind {kind!r} needs `path`")
    if kind == "rtsp" and not str(options.get("url", "")).startswith(("rtsp://", "rtsps://")):
        raise BadTableFile(f"{where}: options: a source of kind 'rtsp' needs `url` (rtsp://…)")
    calibration = dict(table_at(camera.get("calibration", {}), f"{where}: calibration"))
    return CameraSetup(name, kind, (int(width), int(height)), plane, fps, options, calibration)


def _plane(raw: object, lens: Lens | None, where: str) -> Matrix:
    """Homography mm to px, stated or solved from points of which both places are known."""
    plane = table_at({} if raw is None else raw, where)
    only_keys(plane, ("to_px", "points"), where)
    if ("to_px" in plane) == ("points" in plane):
        raise BadTableFile(
            f"{where} needs either to_px (3x3, mm to px) or points ([x mm, y mm, x px, y px], four or more); "
            "`paizhuo calibrate plane` solves it from the table's tags"
        )
    if "to_px" in plane:
        rows = plane["to_px"]
        if not isinstance(rows, list) or len(rows) != 3:
            raise BadTableFile(f"{where}: to_px must be three rows of three numbers, got {rows!r}")
        matrix = np.array([numbers(row, 3, f"{where}: to_px", "three rows of three numbers") for row in rows])
    else:
        matrix = _solved(plane["points"], lens, where)
    if not np.isfinite(matrix).all() or abs(np.linalg.det(matrix)) < 1e-12:
        raise BadTableFile(f"{where}: does not tell where the table lies (it maps the table to a line)")
    return np.asarray(matrix, np.float64)


def _solved(points: object, lens: Lens | None, where: str) -> Matrix:
    if not isinstance(points, list) or len(points) < 4:
        raise BadTableFile(f"{where}: points must be four or more [x mm, y mm, x px, y px], got {points!r}")
    rows = np.array(
        [numbers(row, 4, f"{where}: points", "four or more [x mm, y mm, x px, y px]") for row in points]
    )
    px = rows[:, 2:].astype(np.float64)
    if lens is not None:
        flat = cv2.undistortPoints(
            px.reshape(-1, 1, 2), lens.matrix, np.asarray(lens.distortion), P=lens.matrix
        )
        px = np.asarray(flat, np.float64).reshape(-1, 2)
    matrix, _ = cv2.findHomography(rows[:, :2], px)
    if matrix is None:
        raise BadTableFile(f"{where}: points do not tell where the table lies (three of four on one line?)")
    return np.asarray(matrix, np.float64)


def _lens(raw: object, where: str) -> Lens:
    lens = table_at(raw, where)
    only_keys(lens, ("focal", "middle", "distortion"), where)
    fx, fy = numbers(lens.get("focal"), 2, f"{where}: focal", "fx and fy in px")
    cx, cy = numbers(lens.get("middle"), 2, f"{where}: middle", "cx and cy in px")
    k1, k2, p1, p2, k3 = numbers(
        lens.get("distortion", [0.0] * 5), 5, f"{where}: distortion", "k1, k2, p1, p2, k3"
    )
    if min(fx, fy) <= 0:
        raise BadTableFile(f"{where}: focal must be above 0, got {lens['focal']!r}")
    return Lens((fx, fy), (cx, cy), (k1, k2, p1, p2, k3))


def _zone(raw: object, where: str) -> ZoneSetup:
    zone = table_at(raw, where)
    only_keys(zone, _ZONE, where)
    seat = zone.get("seat")
    if seat is not None and (isinstance(seat, bool) or seat not in (0, 1, 2, 3)):
        raise BadTableFile(f"{where}: not a seat: {seat!r} (expected 0, 1, 2 or 3)")
    if seat is None and "name" not in zone:
        raise BadTableFile(f"{where}: needs a seat (0 to 3) or a name")
    name = _text(zone, "name", where, f"seat {seat}")
    where = f"zone {name!r}"
    kind = _choice(zone, "kind", ZONE_KINDS, where, "play")
    if kind == "play" and seat is None:
        raise BadTableFile(f"{where}: a play zone needs a seat (0 to 3)")
    x, y = numbers(zone.get("centre"), 2, f"{where}: centre", "x and y in mm from the table's centre")
    width, depth = numbers(zone.get("size", [450.0, 300.0]), 2, f"{where}: size", "width and depth in mm")
    if min(width, depth) < 70:
        raise BadTableFile(f"{where}: size is smaller than a card lying there needs, got {zone['size']!r}")
    turn = _number(zone.get("turn", 90.0 * (seat or 0)), f"{where}: turn")
    return ZoneSetup(name, seat, (x, y), (width, depth), turn, kind)


def _inside(setup: TableSetup) -> None:
    """Every zone in some picture, every camera over some zone."""
    if not setup.cameras:
        return
    for zone in setup.zones:
        if zone.kind == "ignore":
            continue
        share = seen_share(zone, setup.cameras)
        if share < SEEN_OF_A_ZONE:
            pictures = ", ".join(f"{one.name} {one.size[0]}x{one.size[1]} px" for one in setup.cameras)
            raise BadTableFile(
                f"zone {zone.name!r}: {share:.0%} of it lies inside a picture ({pictures}); "
                "move the camera or the zone, or solve the plane again"
            )
    for camera in setup.cameras:
        if not any(seen_share(zone, [camera]) > 0 for zone in setup.zones):
            raise BadTableFile(f"camera {camera.name!r}: sees no zone; check its plane, or leave it out")


def _in_picture(mm: Matrix, camera: CameraSetup) -> np.ndarray:
    """Which points of the table (n, 2 mm) a camera has in its picture (lens distortion left aside: it moves points
    by less than the share that may be missing)."""
    ahead = np.c_[mm, np.ones(len(mm))] @ camera.plane.to_px.T
    good = ahead[:, 2] * np.sign(camera.plane.to_px[2, 2] or 1.0) > 1e-9
    px = ahead[:, :2] / np.where(good, ahead[:, 2], 1.0)[:, None]
    width, height = camera.size
    inside = (px >= -0.5).all(1) & (px[:, 0] <= width - 0.5) & (px[:, 1] <= height - 0.5)
    return np.asarray(good & inside)


def _distinct(names: list[str], what: str) -> None:
    for name in names:
        if names.count(name) > 1:
            raise BadTableFile(f"two {what} are named {name!r}; give each a name of its own")


def _options(raw: object, where: str) -> dict[str, Any]:
    """Keys of the profile, nested tables joined with dots."""
    flat: dict[str, Any] = {}
    for key, value in table_at(raw, where).items():
        if isinstance(value, Mapping):
            flat.update({f"{key}.{name}": inner for name, inner in _options(value, f"{where}.{key}").items()})
        else:
            flat[key] = value
    return flat


def _text(raw: Mapping[str, Any], key: str, where: str, default: str | None = None) -> str:
    value = raw.get(key, default)
    if not isinstance(value, str) or not value.strip():
        raise BadTableFile(
            f"{where}: {key} must be a text, got {value!r}" if key in raw else f"{where} needs `{key}`"
        )
    return value


def _choice(
    raw: Mapping[str, Any], key: str, choices: tuple[str, ...], where: str, default: str | None = None
) -> str:
    value = raw.get(key, default)
    if value not in choices:
        raise BadTableFile(f"{where}: {key} {value!r} is not known; {nearest(str(value), choices)}")
    return str(value)


def _number(value: object, what: str) -> float:
    if not is_number(value):
        raise BadTableFile(f"{what} must be a number, got {value!r}")
    return float(value)


def _whole(value: object, what: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise BadTableFile(f"{what} must be a whole number from 1, got {value!r}")
    return value


def _pairs(values: Mapping[str, Any]) -> list[str]:
    return [f"{_key(key)} = {_toml(value)}" for key, value in values.items() if value is not None]


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _toml(value: Any) -> str:
    """A value as TOML writes it; floats with every digit, so that they are read back as they were."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
    if isinstance(value, (int, float)):
        return repr(value)
    if isinstance(value, Mapping):
        inner = ", ".join(f"{_key(key)} = {_toml(part)}" for key, part in value.items() if part is not None)
        return "{ " + inner + " }"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(_toml(part) for part in value) + "]"
    if isinstance(value, np.generic):
        return _toml(value.item())
    return _toml(str(value))
