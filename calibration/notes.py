"""What calibration has to say to people: a key of the texts with its fields, so that it can be said in any language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Note:
    """One thing to be said.

    Attributes:
        key: in the catalogue `calibration`.
        fields: what its text is filled in with.
    """

    key: str
    fields: Mapping[str, Any] = field(default_factory=dict)

    def __str__(self) -> str:
        told = ", ".join(f"{name} {value}" for name, value in self.fields.items())
        return f"{self.key} ({told})" if told else self.key


def note(key: str, **fields: Any) -> Note:
    """A note with its fields."""
    return Note(key, fields)


class CannotCalibrate(ValueError):
    """A step of the set-up that cannot be done with what was given; `note` says what, where and what to do."""

    def __init__(self, key: str, **fields: Any) -> None:
        self.note = Note(key, fields)
        super().__init__(str(self.note))
