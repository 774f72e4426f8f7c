"""Texts that people see, in Chinese and English, from one catalogue: the TOML files of this folder."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final

LANGUAGES: Final = ("zh", "en")


class _Lenient(dict[str, Any]):
    """A field that is not given shows as its name: a text with a hole is better than none."""

    def __missing__(self, key: str) -> str:
        return "{" + key + "}"


@cache
def catalogue(area: str) -> Mapping[str, Mapping[str, str]]:
    """The entries of one file (`findings` for findings.toml): key to language to text.

    Raises:
        KeyError: there is no such file.
    """
    file = files(__package__) / f"{area}.toml"
    if not file.is_file():
        raise KeyError(f"no texts {area!r}")
    return MappingProxyType(tomllib.loads(file.read_text("utf-8")))


def text(key: str, lang: str, **fields: Any) -> str:
    """The text `area.key` in a language (`zh` or `en`), its fields filled in.

    Raises:
        KeyError: no such entry or language.

    >>> text("seats.seat", "en", seat=2)
    'seat 2'
    """
    area, _, name = key.partition(".")
    entry = catalogue(area).get(name)
    if entry is None or lang not in entry:
        raise KeyError(f"no text {key!r} in {lang!r}")
    return entry[lang].format_map(_Lenient(fields))


def both(key: str, **fields: Any) -> dict[str, str]:
    """The text in both languages."""
    return {lang: text(key, lang, **fields) for lang in LANGUAGES}
