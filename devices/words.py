"""What is wrong with a device, said in both languages from the catalogue."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

from table.texts import LANGUAGES, both, text

Words = Mapping[str, str]
"""A line in each language (`zh`, `en`); empty where there is nothing to say."""
NOTHING: Final[Words] = MappingProxyType({})


def words(key: str, /, **fields: Any) -> Words:
    """The line `key` of the catalogue for devices; a field that is itself a line is in each language its own."""
    lines = {name: field for name, field in fields.items() if isinstance(field, Mapping)}
    if not lines:
        return both(f"devices_serial.{key}", **fields)
    return {
        lang: text(f"devices_serial.{key}", lang, **fields | {name: one[lang] for name, one in lines.items()})
        for lang in LANGUAGES
    }


class Fault(Exception):
    """Something that is wrong with a device; its text is the English line.

    Attributes:
        reason: the line in both languages.
    """

    def __init__(self, key: str, /, **fields: Any) -> None:
        self.reason = words(key, **fields)
        super().__init__(self.reason["en"])
