"""Reads the TOML files of a table and checks their values key by key: what both versions of the table file share."""

from __future__ import annotations

import difflib
import math
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeGuard


class BadTableFile(ValueError):
    """A table file that cannot be used; one line that names the file, the key and what is expected there."""


def read_toml(path: Path) -> dict[str, Any]:
    """The file as TOML.

    Raises:
        BadTableFile: it cannot be read, or is not TOML.
    """
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadTableFile(f"{path}: cannot be read ({error.strerror or error})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTableFile(f"{path}: not TOML ({error})") from None


def numbers(raw: object, count: int, what: str, meaning: str) -> list[float]:
    """A list of `count` finite numbers.

    Raises:
        BadTableFile: it is something else.
    """
    if not isinstance(raw, list) or len(raw) != count or not all(is_number(value) for value in raw):
        raise BadTableFile(f"{what} must be {meaning}, got {raw!r}")
    return [float(value) for value in raw]


def is_number(value: object) -> TypeGuard[float]:
    """Whether it is a finite number (TOML also has true, inf and nan)."""
    return not isinstance(value, bool) and isinstance(value, (int, float)) and math.isfinite(value)


def table_at(raw: object, where: str) -> Mapping[str, Any]:
    """A table of keys.

    Raises:
        BadTableFile: it is something else.
    """
    if not isinstance(raw, Mapping):
        raise BadTableFile(f"{where} must be a table of keys, got {raw!r}")
    return raw


def only_keys(raw: Mapping[str, Any], known: Iterable[str], where: str) -> None:
    """Every key is a known one.

    Raises:
        BadTableFile: one is not; the message names the nearest that is.
    """
    known = tuple(known)
    for key in raw:
        if key not in known:
            raise BadTableFile(f"unknown key {key!r} in {where}; {nearest(key, known)}")


def nearest(word: str, known: Iterable[str]) -> str:
    """A hint for a word that is not known."""
    known = tuple(known)
    near = difflib.get_close_matches(word, known, 1, 0.5)
    return f"did you mean {near[0]!r}?" if near else f"known are {', '.join(known)}"
