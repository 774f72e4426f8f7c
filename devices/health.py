"""How a device of the table does, in words: what the displays and `paizhuo devices` show."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from devices.protocol import Counts, Hello

SILENT_S: Final = 3.5
"""A device that beats once a second and has not for so long is silent."""


@dataclass(slots=True)
class DeviceHealth:
    """How a device does.

    Attributes:
        name, kind: of the device.
        why: what is wrong, one line that says what to do; empty while all is well.
        note: what is worth knowing though nothing is wrong (a newer version); one line or empty.
        seats: whose box it is.
        port: where it is now.
        model, serial, firmware: as it introduced itself.
        reopened: how often its port was lost and came back.
        progress: what it is doing, by numbers; of a dealer `cards`, `of`, `state`.
        damaged, asked_again, twice, lost, odd: see `protocol.Counts`.
    """

    name: str
    kind: str
    why: str = ""
    note: str = ""
    seats: tuple[int, ...] = ()
    port: str = ""
    model: str = ""
    serial: str = ""
    firmware: str = ""
    reopened: int = 0
    progress: dict[str, Any] | None = None
    damaged: int = 0
    asked_again: int = 0
    twice: int = 0
    lost: int = 0
    odd: int = 0

    def introduced(self, hello: Hello | None) -> None:
        """What the device said of itself."""
        if hello is not None:
            self.model, self.serial, self.firmware = hello.model, hello.serial, hello.firmware

    def counted(self, counts: Counts) -> None:
        """What its link has been through."""
        for key, value in asdict(counts).items():
            setattr(self, key, value)

    def to_json(self) -> dict[str, Any]:
        """For displays."""
        return asdict(self)


def of_version(hello: Hello, known: int) -> tuple[str, str]:
    """What is wrong with the version that a device speaks, and what is worth a note.

    Another whole number means that lines may mean something else: then the device is not listened to. A newer part
    behind the point only adds: what is known is used.
    """
    if hello.version != known:
        way = "update Paizhuo" if hello.version > known else "update its firmware"
        return (
            f"speaks version {hello.version} of the protocol, this is {known}; it is not listened to: {way}, or set "
            f"the device to version {known}",
            "",
        )
    if hello.minor:
        return "", f"speaks version {hello.version}.{hello.minor}; what is new in it is passed over"
    return "", ""
