"""Rule-set profiles: TOML files with every number, order, policy and penalty, checked against a documented
schema.

A schema (`schema/core.toml` and one file for each game) declares every key once: its type, its default, and
what it means in Chinese and English. A profile names its `game`, may `extend` another profile, and gives
only what differs. Nothing else is a key: an unknown one is an error that names the nearest known key.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from table.penalties import Penalty, parse_penalty

_HEAD: Final = ("game", "extends", "zh", "en")
TYPES: Final = ("seconds", "number", "whole", "flag", "word", "text", "words", "rule", "penalty", "table")


class BadProfile(ValueError):
    """A profile that cannot be used; the message names the profile, the key, and what to do."""


@dataclass(frozen=True, slots=True)
class Key:
    """One declared key: `kind` is one of `TYPES`; `choices` limits words; `zh` and `en` say what it means."""

    name: str
    kind: str
    default: Any
    zh: str
    en: str
    choices: tuple[str, ...] = ()

    def check(self, value: Any) -> Any:
        """Return the value as the key keeps it.

        Raises:
            ValueError: it is of another type or not among the choices.
        """
        good, wanted = _fits(self, value)
        if not good:
            raise ValueError(f"{self.name} must be {wanted}, got {value!r}")
        if self.kind == "penalty":
            parse_penalty(value)
        return tuple(value) if isinstance(value, list) else value


def _fits(key: Key, value: Any) -> tuple[bool, str]:
    number = isinstance(value, int | float) and not isinstance(value, bool)
    match key.kind:
        case "seconds" | "number":
            low = key.kind == "number" or (number and value >= 0)
            return number and low, "seconds, 0 or more" if key.kind == "seconds" else "a number"
        case "whole":
            return number and isinstance(value, int), "a whole number"
        case "flag":
            return isinstance(value, bool), "true or false"
        case "word":
            return value in key.choices, "one of " + ", ".join(key.choices)
        case "words":
            several = isinstance(value, list | tuple) and all(isinstance(word, str) for word in value)
            fit = several and (not key.choices or all(word in key.choices for word in value))
            return fit, "a list of words" + (f" among {', '.join(key.choices)}" if key.choices else "")
        case "table":
            return isinstance(value, dict | list | tuple), "a table or a list"
        case _:
            return isinstance(value, str), "text"


@dataclass(frozen=True)
class Profile(Mapping[str, Any]):
    """A rule set in force: every key of its schema has a value.

    >>> profile = load_profile(profile_names()[0])
    >>> profile["reading.doubt_below"]
    0.9
    """

    name: str
    game: str
    zh: str
    en: str
    settings: Mapping[str, Any]
    schema: Mapping[str, Key] = field(repr=False)

    def __getitem__(self, key: str) -> Any:
        try:
            return self.settings[key]
        except KeyError:
            raise KeyError(f"profile {self.name}: {_unknown(key, self.schema)}") from None

    def __contains__(self, key: object) -> bool:
        return key in self.settings

    def __iter__(self) -> Iterator[str]:
        return iter(self.settings)

    def get(self, key: str, default: Any = None) -> Any:
        """The value of a key, or the default where the schema has no such key."""
        return self.settings.get(key, default)

    def __len__(self) -> int:
        return len(self.settings)

    def __hash__(self) -> int:
        return hash((self.name, self.game))

    def section(self, prefix: str) -> dict[str, Any]:
        """The keys under `prefix.`, without it."""
        start = prefix + "."
        return {
            key.removeprefix(start): value for key, value in self.settings.items() if key.startswith(start)
        }

    def number(self, key: str) -> float:
        """A number or seconds."""
        return float(self[key])

    def whole(self, key: str) -> int:
        """A whole number."""
        return int(self[key])

    def flag(self, key: str) -> bool:
        """A yes or no."""
        return bool(self[key])

    def word(self, key: str) -> str:
        """A word or a text."""
        return str(self[key])

    def rule(self, check: str) -> str:
        """The rule id that a check cites under this profile (key `rules.CHECK`); empty: not a rule here."""
        return str(self["rules." + check])

    def penalty(self, check: str) -> Penalty | None:
        """What the profile attaches to a check (key `penalties.CHECK`); None for nothing."""
        return parse_penalty(self["penalties." + check])

    def with_options(self, options: Mapping[str, Any]) -> Profile:
        """The same profile with keys overridden, nested or dotted.

        Raises:
            BadProfile: an unknown key or a value that does not fit.
        """
        if not options:
            return self
        changed = _checked(flatten(options, self.schema), self.schema, f"options of {self.name}")
        values = MappingProxyType({**self.settings, **changed})
        return Profile(self.name, self.game, self.zh, self.en, values, self.schema)


def flatten(data: Mapping[str, Any], schema: Mapping[str, Key], prefix: str = "") -> dict[str, Any]:
    """Nested tables as dotted keys; what lies under a declared key stays one value."""
    flat: dict[str, Any] = {}
    for key, value in data.items():
        name = prefix + key
        if isinstance(value, Mapping) and name not in schema:
            flat.update(flatten(value, schema, name + "."))
        else:
            flat[name] = value
    return flat


def _unknown(key: str, schema: Mapping[str, Key]) -> str:
    near = get_close_matches(key, schema, n=1, cutoff=0.5)
    if not near:
        near = [name for name in schema if name.endswith("." + key.rpartition(".")[2])][:1]
    hint = f"did you mean {near[0]}?" if near else "`paizhuo profiles NAME` lists the keys"
    return f"unknown key {key!r} ({hint})"


def _checked(flat: Mapping[str, Any], schema: Mapping[str, Key], where: str) -> dict[str, Any]:
    checked = {}
    for key, value in flat.items():
        declared = schema.get(key)
        if declared is None:
            raise BadProfile(f"{where}: {_unknown(key, schema)}")
        try:
            checked[key] = declared.check(value)
        except ValueError as error:
            raise BadProfile(f"{where}: {error}") from None
    return checked


def _read_schema(name: str) -> dict[str, Key]:
    data = tomllib.loads((files(__package__) / "schema" / f"{name}.toml").read_text("utf-8"))
    keys = {}
    for key, entry in data.items():
        if entry["type"] not in TYPES:
            raise BadProfile(f"schema {name}: {key} has the unknown type {entry['type']!r}")
        default = entry["default"]
        keys[key] = Key(
            key,
            entry["type"],
            tuple(default) if isinstance(default, list) else default,
            entry["zh"],
            entry["en"],
            tuple(entry.get("choices", ())),
        )
    return keys


def games() -> list[str]:
    """The games for which there is a schema."""
    folder = files(__package__) / "schema"
    names = [item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml")]
    return sorted(name for name in names if name != "core")


@cache
def load_schema(game: str) -> Mapping[str, Key]:
    """Every key that a profile of the game may give: those of the core and its own.

    Raises:
        BadProfile: no such game.
    """
    if game not in games():
        raise BadProfile(f"unknown game {game!r} (known: {', '.join(games())})")
    return MappingProxyType({**_read_schema("core"), **_read_schema(game)})


def profile_names() -> list[str]:
    """The profiles that come with the program."""
    folder = files(__package__)
    return sorted(item.name.removesuffix(".toml") for item in folder.iterdir() if item.name.endswith(".toml"))


@cache
def load_profile(name: str) -> Profile:
    """A profile by its name, or an organiser's own by the path of its TOML file.

    Raises:
        BadProfile: no such profile, or a key or value in it is wrong.
    """
    return _load(name, ())


def _load(name: str, seen: tuple[str, ...], beside: Path | None = None) -> Profile:
    if name in seen:
        raise BadProfile(f"profile {name!r} extends itself ({' > '.join((*seen, name))})")
    data, folder = _source(name, beside)
    head = {key: data.pop(key) for key in _HEAD if key in data}
    parent = _load(head["extends"], (*seen, name), folder) if "extends" in head else None
    game = head.get("game") or (parent.game if parent else "")
    if not game:
        raise BadProfile(
            f"profile {name!r}: no key 'game' (expected one of {', '.join(games())}) or 'extends'"
        )
    if parent and parent.game != game:
        raise BadProfile(
            f"profile {name!r}: game {game!r}, but it extends {parent.name!r} of {parent.game!r}"
        )
    schema = load_schema(game)
    base = parent.settings if parent else {key: declared.default for key, declared in schema.items()}
    values = {**base, **_checked(flatten(data, schema), schema, f"profile {name!r}")}
    label = Path(name).stem if name.endswith(".toml") else name
    return Profile(
        label, game, head.get("zh", label), head.get("en", label), MappingProxyType(values), schema
    )


def _source(name: str, beside: Path | None) -> tuple[dict[str, Any], Path | None]:
    if name in profile_names():
        return tomllib.loads((files(__package__) / f"{name}.toml").read_text("utf-8")), None
    if not name.endswith(".toml"):
        near = get_close_matches(name, profile_names(), n=1, cutoff=0.4)
        hint = f"did you mean {near[0]}? known" if near else "known"
        raise BadProfile(f"unknown profile {name!r} ({hint}: {', '.join(profile_names())})")
    path = Path(name) if beside is None else beside / name
    try:
        return tomllib.loads(path.read_text("utf-8")), path.parent
    except OSError as error:
        raise BadProfile(f"profile {name}: cannot be read ({error.strerror})") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadProfile(f"profile {name}: not TOML ({error})") from None
