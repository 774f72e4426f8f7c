"""The `[[device]]` tables of a setup file: seat boxes, dealers, shufflers, deal folders, checked key by key."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from calibration.toml_keys import BadTableFile, nearest, only_keys, table_at

KINDS: Final = ("seatbox", "dealer", "shuffler", "deal-folder")
REVEALS: Final = ("after_deal", "after_match", "referee")
"""When the hands that a dealer knows may be known: the next deal has begun, the match is over, a referee asks."""
_KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "seatbox": ("name", "kind", "seat", "seats", "usb", "port", "baud", "options"),
    "dealer": ("name", "kind", "seats", "usb", "port", "baud", "options"),
    "shuffler": ("name", "kind", "usb", "port", "baud", "options"),
    "deal-folder": ("name", "kind", "seats", "path", "options"),
}
_OPTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "seatbox": (),
    "dealer": ("reveal",),
    "shuffler": (),
    "deal-folder": ("reveal", "keep"),
}
_USB: Final = re.compile(r"[0-9A-Fa-f]{4}:[0-9A-Fa-f]{4}(:[^:\s]+)?")


def parse_devices(raw: object) -> tuple[DeviceSetup, ...]:
    """The devices of a table.

    Raises:
        BadTableFile: a key is unknown, missing or wrong; two devices have one name, one seat or one port.
    """
    if not isinstance(raw, list):
        raise BadTableFile(f"device must be [[device]] tables, got {raw!r}")
    devices = tuple(_device(one, f"device {number}") for number, one in enumerate(raw, 1))
    _apart(devices)
    return devices


def device_values(device: DeviceSetup) -> dict[str, Any]:
    """The keys of one `[[device]]` table, as `parse_devices` reads them."""
    values: dict[str, Any] = {"name": device.name, "kind": device.kind}
    if len(device.seats) == 1 and device.kind == "seatbox":
        values["seat"] = device.seats[0]
    elif device.seats:
        values["seats"] = list(device.seats)
    if device.kind == "deal-folder":
        values["path"] = device.port
    else:
        values |= {"usb": device.usb} if device.usb else {"port": device.port}
        values["baud"] = device.baud
    return values | ({"options": dict(device.options)} if device.options else {})


def _device(raw: object, where: str) -> DeviceSetup:
    device = table_at(raw, where)
    kind = device.get("kind")
    if kind not in KINDS:
        raise BadTableFile(f"{where}: kind {kind!r} is not known; {nearest(str(kind), KINDS)}")
    only_keys(device, _KEYS[kind], f"{where} ({kind})")
    name = device.get("name", kind)
    if not isinstance(name, str) or not name.strip():
        raise BadTableFile(f"{where}: name must be a text, got {name!r}")
    where = f"device {name!r}"
    seats = _seats(device, kind, where)
    usb, port = _place(device, kind, where)
    baud = device.get("baud", 115_200)
    if isinstance(baud, bool) or not isinstance(baud, int) or not 300 <= baud <= 4_000_000:
        raise BadTableFile(f"{where}: baud must be bits a second (115200), got {baud!r}")
    options = table_at(device.get("options", {}), f"{where}: options")
    only_keys(options, _OPTIONS[kind], f"{where}: options")
    if options.get("reveal", REVEALS[0]) not in REVEALS:
        raise BadTableFile(
            f"{where}: reveal {options['reveal']!r} is not known; {nearest(str(options['reveal']), REVEALS)}"
        )
    if not isinstance(options.get("keep", False), bool):
        raise BadTableFile(f"{where}: keep must be true or false, got {options['keep']!r}")
    return DeviceSetup(name, kind, seats, usb, port, baud, dict(options))


def _seats(device: Mapping[str, Any], kind: str, where: str) -> tuple[int, ...]:
    if "seat" in device and "seats" in device:
        raise BadTableFile(f"{where}: either seat or seats")
    seats = [device["seat"]] if "seat" in device else device.get("seats", [])
    good = isinstance(seats, list) and all(type(seat) is int and 0 <= seat <= 3 for seat in seats)
    if not good or len(set(seats)) != len(seats):
        raise BadTableFile(f"{where}: seats are 0 to 3, each once, got {device.get('seat', seats)!r}")
    if kind != "seatbox" and seats and len(seats) != 4:
        raise BadTableFile(
            f"{where}: seats must name the four seats in the order of its places, got {seats!r}"
        )
    return tuple(seats)


def _place(device: Mapping[str, Any], kind: str, where: str) -> tuple[str, str]:
    """USB identity and port; of a folder its path as the port."""
    if kind == "deal-folder":
        path = device.get("path")
        if not isinstance(path, str) or not path:
            raise BadTableFile(f"{where}: needs `path`, the folder into which deals are written")
        return "", path
    usb, port = device.get("usb", ""), device.get("port", "")
    if (not usb) == (not port) or not isinstance(usb, str) or not isinstance(port, str):
        raise BadTableFile(
            f'{where}: needs either usb ("VID:PID:SERIAL", see `paizhuo devices`) or port, a path or socket://…'
        )
    if usb and not _USB.fullmatch(usb):
        raise BadTableFile(f'{where}: usb must be "VID:PID" or "VID:PID:SERIAL" in hexadecimal, got {usb!r}')
    return usb, port


def _apart(devices: Sequence[DeviceSetup]) -> None:
    """No two devices have one name, one port, or boxes one seat."""
    names: set[str] = set()
    places: dict[str, str] = {}
    seats: dict[int, str] = {}
    for device in devices:
        if device.name in names:
            raise BadTableFile(f"two devices are named {device.name!r}; give each a name of its own")
        names.add(device.name)
        place = device.usb or device.port
        if place in places:
            raise BadTableFile(
                f"devices {places[place]!r} and {device.name!r} are both at {place}; leave one out"
            )
        places[place] = device.name
        for seat in device.seats if device.kind == "seatbox" else ():
            if seat in seats:
                raise BadTableFile(
                    f"devices {seats[seat]!r} and {device.name!r} both claim seat {seat}; a seat has one box"
                )
            seats[seat] = device.name
