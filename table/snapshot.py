"""States as plain JSON in one canonical form, so that two states can be compared byte for byte."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from table.cards import Card
from table.rulesets import Profile


def plain(value: Any) -> Any:
    """Any part of a state as JSON values: objects by their fields, sets sorted, cards by name."""
    if isinstance(value, Card):
        return str(value)
    if isinstance(value, Profile):
        return {"profile": value.name, "settings": plain(dict(value.settings))}
    if is_dataclass(value) and not isinstance(value, type):
        return {item.name: plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {_key(key): plain(item) for key, item in sorted(value.items(), key=lambda pair: _key(pair[0]))}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    if value is None or isinstance(value, str | int | float | bool):
        return value
    return type(value).__name__


def _key(key: Any) -> str:
    return key if isinstance(key, str) else json.dumps(plain(key), ensure_ascii=False)


def snapshot(state: Any) -> bytes:
    """The canonical bytes of a state: equal states give equal bytes, on any machine."""
    return json.dumps(plain(state), ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()
