"""A device of the table that is no camera, as its setup file names it; light enough for processes without pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class DeviceSetup:
    """A device of the table that is no camera.

    Attributes:
        name: for people and messages.
        kind: `seatbox`, `dealer`, `shuffler` or `deal-folder`.
        seats: of a seat box, by the numbers of its places; empty where the box itself says which seat it is.
        usb: `VID:PID` or `VID:PID:SERIAL` as the port's adapter tells them, hexadecimal; empty where `port` is given.
        port: a path such as `/dev/serial/by-id/…`, or an address such as `socket://host:port`; of a deal folder its
            path.
        baud: bits a second.
        options: what the kind needs besides.
    """

    name: str
    kind: str
    seats: tuple[int, ...] = ()
    usb: str = ""
    port: str = ""
    baud: int = 115_200
    options: Mapping[str, Any] = field(default_factory=dict)
