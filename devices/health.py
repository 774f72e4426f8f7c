"""How a device of the table does, in words: what the displays and `paizhuo devices` show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Final

from devices.protocol import Counts, Hello
from devices.words import NOTHING, Words, words

SILENT_S: Final = 3.5
"""A device that beats once a second and has not for so long is silent."""


@dataclass(slots=True)
class DeviceHealth:
    """How a device does.

    Attributes:
        name, kind: of the device.
        reason: what is wrong and what to do; nothing while all is well.
        note: what is worth knowing though nothing is wrong (a newer version).
        seats: whose box it is.
        port: where it is now.
        model, serial, firmware: as it introduced itself.
        reopened: how often its port was lost and came back.
        progress: what it is doing, by numbers; of a dealer `cards`, `of`, `state`.
        damaged, asked_again, twice, lost, odd: see `protocol.Counts`.
    """

    name: str
    kind: str
    reason: Words = field(default_factory=dict)
    note: Words = field(default_factory=dict)
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

    @property
    def why(self) -> str:
        """What is wrong, in English; empty while all is well."""
        return self.reason.get("en", "")

    def to_json(self) -> dict[str, Any]:
        """For displays."""
        plain = {item.name: getattr(self, item.name) for item in fields(self)}
        return {**plain, "reason": dict(self.reason), "note": dict(self.note), "why": self.why}

    @classmethod
    def from_json(cls, body: Mapping[str, Any]) -> DeviceHealth:
        """Read back what `to_json` wrote."""
        plain = {key: value for key, value in body.items() if key != "why"}
        return cls(**{**plain, "seats": tuple(body["seats"])})


def of_version(hello: Hello, known: int) -> tuple[Words, Words]:
    """What is wrong with the version that a device speaks, and what is worth a note.

    Another whole number means that lines may mean something else: then the device is not listened to. A newer part
    behind the point only adds: what is known is used.
    """
    if hello.version != known:
        key = "newer" if hello.version > known else "older"
        return words(key, version=hello.version, known=known), NOTHING
    if hello.minor:
        return NOTHING, words("minor", version=hello.version, minor=hello.minor)
    return NOTHING, NOTHING
