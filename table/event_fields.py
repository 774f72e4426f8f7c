"""How each field of an event is read from JSON and written back; errors say what was expected."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeAlias, cast

from table.cards import RANKS, SUITS, Card, format_cards, parse_cards
from table.seats import Seat, check_seat

Json: TypeAlias = Any
Alternative: TypeAlias = tuple[tuple[Card, ...], float]
NO_TRUMP: Final = "NT"


@dataclass(frozen=True, slots=True)
class Codec:
    """Reads a JSON value (ValueError where it is wrong) and writes it back."""

    read: Callable[[Json], Any]
    write: Callable[[Any], Json]


def _same(value: Any) -> Any:
    return value


def _text(value: Json) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected text, got {value!r}")
    return value


def _number(value: Json) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        raise ValueError(f"expected a number, got {value!r}")
    return value


def _whole(value: Json) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"expected a whole number from 0, got {value!r}")
    return value


def _flag(value: Json) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {value!r}")
    return value


def _list(value: Json, size: int | None = None) -> list[Json]:
    if not isinstance(value, list) or (size is not None and len(value) != size):
        wanted = "a list" if size is None else f"a list of {size}"
        raise ValueError(f"expected {wanted}, got {value!r}")
    return value


def _level(value: Json) -> str:
    name = str(value).upper() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    name = "10" if name == "T" else name
    if name not in RANKS and name != NO_TRUMP:
        raise ValueError(f"not a level: {value!r} (expected 2..10, J, Q, K, A)")
    return name


def _suit(value: Json) -> str:
    name = _text(value).upper()
    if name not in SUITS and name != NO_TRUMP:
        raise ValueError(f"not a suit: {value!r} (expected S, H, C, D or {NO_TRUMP})")
    return name


def _cards(value: Json) -> tuple[Card, ...]:
    return parse_cards(_text(value))


def _seats(value: Json) -> tuple[Seat, ...]:
    return tuple(check_seat(seat) for seat in _list(value))


def _finish(value: Json) -> tuple[Seat, ...]:
    seats = tuple(check_seat(seat) for seat in _list(value, 4))
    if len(set(seats)) != 4:
        raise ValueError(f"expected each of the four seats once, got {value!r}")
    return seats


def _alternatives(value: Json) -> tuple[Alternative, ...]:
    found = []
    for item in _list(value):
        cards, probability = _list(item, 2)
        found.append((_cards(cards), _number(probability)))
    return tuple(found)


def _strings(value: Json) -> tuple[str, ...]:
    return tuple(_text(item) for item in _list(value))


def _object(value: Json) -> dict[str, Json]:
    if not isinstance(value, dict):
        raise ValueError(f"expected an object, got {value!r}")
    return cast("dict[str, Json]", value)


def _one_of(*words: str) -> Codec:
    def read(value: Json) -> str:
        if value not in words:
            raise ValueError(f"expected {' or '.join(words)}, got {value!r}")
        return cast(str, value)

    return Codec(read, _same)


_TEXT: Final = Codec(_text, _same)
_NUMBER: Final = Codec(_number, _same)
_WHOLE: Final = Codec(_whole, _same)
_FLAG: Final = Codec(_flag, _same)
SEAT: Final = Codec(check_seat, _same)
_CARDS: Final = Codec(_cards, format_cards)
_LEVEL: Final = Codec(_level, _same)
_SUIT: Final = Codec(_suit, _same)
_OBJECT: Final = Codec(_object, dict)
CODECS: Final = {
    "seq": _WHOLE,
    "at": _NUMBER,
    "source": _TEXT,
    "confidence": _NUMBER,
    "alternatives": Codec(
        _alternatives, lambda found: [[format_cards(cards), probability] for cards, probability in found]
    ),
    "evidence": Codec(_strings, list),
    "profile": _TEXT,
    "players": Codec(lambda value: tuple(str(name or "") for name in _list(value, 4)), list),
    "levels": Codec(lambda value: tuple(_level(item) for item in _list(value, 2)), list),
    "options": _OBJECT,
    "deal": _WHOLE,
    "level": _LEVEL,
    "finish": Codec(_finish, list),
    "banker": SEAT,
    "trump": _SUIT,
    "suit": _SUIT,
    "card": Codec(lambda value: Card.parse(_text(value)), str),
    "cards": _CARDS,
    "seat": SEAT,
    "to": SEAT,
    "chosen_by": SEAT,
    "seats": Codec(_seats, list),
    "says": _TEXT,
    "of": _WHOLE,
    "count": _WHOLE,
    "consent": _FLAG,
    "what": _TEXT,
    "state": _one_of("stopped", "running"),
    "why": _TEXT,
    "by": _TEXT,
    "side": _WHOLE,
    "replacement": _OBJECT,
    "void": _FLAG,
    "finding": _WHOLE,
    "decision": _one_of("upheld", "dismissed"),
    "penalty": Codec(_same, _same),
    "sealed": _TEXT,
    "commitment": _TEXT,
    "opening": _TEXT,
}
"""How each field is read and written: a field means the same wherever it stands (but see `table.event_json`)."""
