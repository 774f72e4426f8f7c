"""Routes of how a table is set up: profiles, cameras, devices, zones."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

from fastapi import Response
from pydantic import BaseModel, Field

from api.desk import Desk
from api.feeds import Health
from api.http.access import Routes
from api.http.acts import Body, IfMatch, conflict, decided_on
from api.http.problems import Problem
from api.live import shown_box
from api.parts import camera_json, foot_of
from calibration.setup import CameraSetup, TableSetup, ZoneSetup
from calibration.setup_edit import SetupEditor
from calibration.setup_file import ZONE_KINDS
from calibration.toml_keys import BadTableFile
from table.rulesets import load_profile, profile_names
from table.texts import both

STAFF: Final = "referee|operator"


class ProfileName(BaseModel):
    """Rules that a match can be played by."""

    name: str
    game: str
    zh: str
    en: str


class CameraState(BaseModel):
    """A camera and how it does."""

    name: str
    kind: str
    size: tuple[int, int]
    fps_wanted: float
    why: str = Field(description="What is wrong; empty while it gives pictures.")
    fps: float
    ended: bool
    dropped: int


class Zone(Body):
    """A rectangle on the table, mm; see docs/table-setup.md."""

    name: str = Field(max_length=80)
    seat: int | None = Field(default=None, ge=0, le=3)
    kind: str = Field(default="play", max_length=20)
    centre: tuple[float, float]
    size: tuple[float, float]
    turn: float = Field(default=0.0, ge=-360, le=360)


class Zones(Body):
    """Zones of a table: those of the same name change their place, new ones are added, others stay."""

    zones: list[Zone] = Field(min_length=1, max_length=40)


class ZonesSaved(BaseModel):
    """What became of new zones."""

    zones: list[Zone]
    restart: bool = Field(description="They hold once the table is started again.")


def setup_routes(desk: Desk) -> Routes:
    """The routes of how a table is set up."""
    routes = Routes(tags=["setup"])
    setup = desk.service.setup

    @routes.add("GET", "/api/v1/profiles", "viewer|operator|referee")
    def profiles() -> list[ProfileName]:
        """The rules that there are."""
        found = [load_profile(name) for name in profile_names()]
        return [ProfileName(name=one.name, game=one.game, zh=one.zh, en=one.en) for one in found]

    @routes.add("GET", "/api/v1/cameras", "viewer|operator|referee")
    def cameras() -> list[CameraState]:
        """The cameras, and how they do."""
        health = dict(desk.runner.cameras)
        return [_camera_state(one, health.get(one.name, Health(one.name))) for one in setup.cameras]

    @routes.add("GET", "/api/v1/devices", "viewer|operator|referee")
    def devices() -> list[dict[str, Any]]:
        """The devices beside the cameras, and how they do."""
        table = desk.streams.staff.part("table") or {}
        found = table.get("devices", [])
        return list(found)

    @routes.add("GET", "/api/v1/setup", STAFF)
    def whole(response: Response) -> dict[str, Any]:
        """Cameras with their planes, zones, game. Its ETag is that of the zones.

        `zones_wait`: they are written, and hold once the table is started again.
        """
        response.headers["ETag"] = zones_tag(desk.zones)
        found = setup_json(desk.service.places.setup, desk.zones, desk.table_file is not None, setup)
        return {**found, "zones_wait": sorted(desk.zones, key=_name) != sorted(setup.zones, key=_name)}

    @routes.add("PUT", "/api/v1/setup/zones", STAFF, 400, 409, 412, 422, 428)
    def put_zones(asked: Zones, response: Response, if_match: IfMatch = None) -> ZonesSaved:
        """Write new zones into the setup file. If-Match: the ETag of the setup, or the number of the state."""
        if if_match is None or not if_match.strip().startswith('"z'):
            if decided_on(if_match) < desk.zones_at or decided_on(if_match) > desk.seq:
                raise conflict(desk)
        elif if_match.strip() != zones_tag(desk.zones):
            raise conflict(desk)
        if desk.table_file is None:
            raise Problem(409, "no_table_file")
        zones = [_checked(number, zone) for number, zone in enumerate(asked.zones)]
        try:
            editor = SetupEditor(desk.table_file)
            editor.put_zones(zones)
            editor.save()
        except BadTableFile as error:
            raise Problem(
                422, "not_valid", errors=[("zones", both("api.wrong_value", what=str(error)))]
            ) from None
        known = {zone.name: zone for zone in (*desk.zones, *zones)}
        desk.zones, desk.zones_at = tuple(known.values()), desk.seq
        response.headers["ETag"] = zones_tag(desk.zones)
        return ZonesSaved(zones=[Zone(**_zone_json(zone)) for zone in desk.zones], restart=True)

    return routes


def _name(zone: ZoneSetup) -> str:
    return zone.name


def _checked(number: int, zone: Zone) -> ZoneSetup:
    field = f"zones.{number}"
    if zone.kind not in ZONE_KINDS:
        why = both("api.no_zone_kind", kind=zone.kind, kinds=", ".join(ZONE_KINDS))
        raise Problem(422, "not_valid", errors=[(f"{field}.kind", why)])
    if not all(20 <= side <= 3000 for side in zone.size):
        raise Problem(422, "not_valid", errors=[(f"{field}.size", both("api.zone_size"))])
    if not all(abs(place) <= 3000 for place in zone.centre):
        raise Problem(422, "not_valid", errors=[(f"{field}.centre", both("api.zone_place"))])
    return ZoneSetup(zone.name, zone.seat, zone.centre, zone.size, zone.turn, zone.kind)


def _camera_state(camera: CameraSetup, health: Health) -> CameraState:
    known = camera_json(health)
    return CameraState(kind=camera.kind, size=camera.size, fps_wanted=camera.fps, **known)


def setup_json(
    setup: TableSetup, zones: tuple[ZoneSetup, ...], file: bool, shown: TableSetup | None = None
) -> dict[str, Any]:
    """A setup as plain JSON, without what opens a camera (it may hold a password).

    Args:
        setup: with the cameras where they are now.
        zones: as they are in the setup file.
        file: whether there is one.
        shown: the setup by which pictures are cut for pages; None for the same.
    """
    shown = shown or setup
    boxes = {camera.name: shown_box(shown, camera) for camera in shown.cameras}
    return {
        "name": setup.name, "profile": setup.profile, "packs": setup.packs, "players": list(setup.players),
        "options": dict(setup.options), "file": file,
        "cameras": [_camera_json(camera, boxes[camera.name]) for camera in setup.cameras],
        "zones": [_zone_json(zone) for zone in zones],
    }  # fmt: skip


def _camera_json(camera: CameraSetup, box: Sequence[float]) -> dict[str, Any]:
    lens = camera.plane.lens
    return {
        "name": camera.name, "kind": camera.kind, "size": list(camera.size), "fps": camera.fps,
        "plane": {
            "to_px": camera.plane.to_px.tolist(),
            "lens": None if lens is None else {
                "focal": list(lens.focal), "middle": list(lens.middle), "distortion": list(lens.distortion)
            },
        },
        "box": list(box), "foot": foot_of(camera),
        "calibration": {key: _plain(value) for key, value in camera.calibration.items()},
    }  # fmt: skip


def _plain(value: Any) -> Any:
    return value if isinstance(value, str | int | float | bool | None) else str(value)


def _zone_json(zone: ZoneSetup) -> dict[str, Any]:
    return {
        "name": zone.name, "seat": zone.seat, "kind": zone.kind, "centre": list(zone.centre),
        "size": list(zone.size), "turn": zone.turn,
    }  # fmt: skip


def zones_tag(zones: tuple[ZoneSetup, ...]) -> str:
    """The ETag of zones."""
    return f'"z{hashlib.sha256(repr([_zone_json(zone) for zone in zones]).encode()).hexdigest()[:16]}"'
