"""The events of a game record: one frozen type each, read from and written to JSON objects without loss."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar, Final, TypeAlias, cast

from table.cards import RANKS, SUITS, Card, format_cards, parse_cards
from table.seats import Seat, check_seat

Json: TypeAlias = Any
Alternative: TypeAlias = tuple[tuple[Card, ...], float]
NO_TRUMP: Final = "NT"


class BadEvent(ValueError):
    """A JSON object that is no event; the message names the field and what was expected."""


@dataclass(frozen=True, slots=True)
class _Codec:
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


def _one_of(*words: str) -> _Codec:
    def read(value: Json) -> str:
        if value not in words:
            raise ValueError(f"expected {' or '.join(words)}, got {value!r}")
        return cast(str, value)

    return _Codec(read, _same)


_TEXT: Final = _Codec(_text, _same)
_NUMBER: Final = _Codec(_number, _same)
_WHOLE: Final = _Codec(_whole, _same)
_FLAG: Final = _Codec(_flag, _same)
_SEAT: Final = _Codec(check_seat, _same)
_CARDS: Final = _Codec(_cards, format_cards)
_LEVEL: Final = _Codec(_level, _same)
_SUIT: Final = _Codec(_suit, _same)
_OBJECT: Final = _Codec(_object, dict)
_CODECS: Final = {
    "seq": _WHOLE,
    "at": _NUMBER,
    "source": _TEXT,
    "confidence": _NUMBER,
    "alternatives": _Codec(
        _alternatives, lambda found: [[format_cards(cards), probability] for cards, probability in found]
    ),
    "evidence": _Codec(_strings, list),
    "profile": _TEXT,
    "players": _Codec(lambda value: tuple(str(name or "") for name in _list(value, 4)), list),
    "levels": _Codec(lambda value: tuple(_level(item) for item in _list(value, 2)), list),
    "options": _OBJECT,
    "deal": _WHOLE,
    "level": _LEVEL,
    "finish": _Codec(_finish, list),
    "banker": _SEAT,
    "trump": _SUIT,
    "suit": _SUIT,
    "card": _Codec(lambda value: Card.parse(_text(value)), str),
    "cards": _CARDS,
    "seat": _SEAT,
    "to": _SEAT,
    "chosen_by": _SEAT,
    "seats": _Codec(_seats, list),
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
    "penalty": _Codec(_same, _same),
}
"""How each field is read and written: a field means the same wherever it stands (but see `_shape_of`)."""


@dataclass(frozen=True, kw_only=True)
class Event:
    """What every line of a record may carry.

    `seq` counts from 1 (0: not numbered yet); `at` in seconds since the record's start, the moment on the
    table; `confidence` 0..1 and `alternatives` (other readings of the cards, likeliest first) say how sure
    the reading is; `extra` keeps fields that this version does not know.
    """

    name: ClassVar[str] = ""

    seq: int = 0
    at: float | None = None
    source: str | None = None
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    evidence: tuple[str, ...] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)

    def numbered(self, seq: int) -> Event:
        """The same event with its place in the record."""
        return replace(self, seq=seq)


@dataclass(frozen=True, kw_only=True)
class MatchStarted(Event):
    """The match begins under a profile; `levels` of side 0 and 1; `options` override keys of the profile."""

    name: ClassVar[str] = "match_started"
    profile: str
    players: tuple[str, ...] = ("", "", "", "")
    levels: tuple[str, str] = ("2", "2")
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DealStarted(Event):
    """A deal (副) begins at `level`; what the deal before decided may be stated (`finish`, `banker`)."""

    name: ClassVar[str] = "deal_started"
    deal: int | None = None
    level: str | None = None
    finish: tuple[Seat, ...] | None = None
    banker: Seat | None = None
    trump: str | None = None


@dataclass(frozen=True, kw_only=True)
class TurnedUp(Event):
    """A card turned face up when cutting, by `seat`."""

    name: ClassVar[str] = "turned_up"
    card: Card
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Dealt(Event):
    """The whole hand of a seat, from a sealed feed."""

    name: ClassVar[str] = "dealt"
    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class DrawEnded(Event):
    """The last card has been drawn."""

    name: ClassVar[str] = "draw_ended"


@dataclass(frozen=True, kw_only=True)
class Tribute(Event):
    """A card of tribute (贡牌); without `card` while it lies face down."""

    name: ClassVar[str] = "tribute"
    seat: Seat
    to: Seat | None = None
    card: Card | None = None


@dataclass(frozen=True, kw_only=True)
class TributeReturn(Event):
    """A card returned for a tribute (还牌); without `card` while it lies face down."""

    name: ClassVar[str] = "tribute_return"
    seat: Seat
    to: Seat | None = None
    card: Card | None = None


@dataclass(frozen=True, kw_only=True)
class TributeRefused(Event):
    """Tribute refused (抗贡), the jokers shown."""

    name: ClassVar[str] = "tribute_refused"
    seats: tuple[Seat, ...]
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class TrumpShown(Event):
    """Cards shown to declare, overturn or reinforce trump (亮主, 反主, 加固)."""

    name: ClassVar[str] = "trump_shown"
    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class KittyTurned(Event):
    """A card of the kitty turned because nobody declared."""

    name: ClassVar[str] = "kitty_turned"
    card: Card


@dataclass(frozen=True, kw_only=True)
class KittyTaken(Event):
    """The kitty (底牌) taken up."""

    name: ClassVar[str] = "kitty_taken"
    seat: Seat
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class KittyLaid(Event):
    """The kitty laid down again (扣底)."""

    name: ClassVar[str] = "kitty_laid"
    seat: Seat
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class TrumpNamed(Event):
    """Trump named by word of mouth."""

    name: ClassVar[str] = "trump_named"
    seat: Seat
    suit: str


@dataclass(frozen=True, kw_only=True)
class Play(Event):
    """Cards played (出牌), left to right as the player sees them; `says`: the meaning spoken."""

    name: ClassVar[str] = "play"
    seat: Seat
    cards: tuple[Card, ...]
    says: str | None = None


@dataclass(frozen=True, kw_only=True)
class Pass(Event):
    """A pass (过牌)."""

    name: ClassVar[str] = "pass"
    seat: Seat


@dataclass(frozen=True, kw_only=True)
class CountAsked(Event):
    """`seat` asks how many cards `of` has left."""

    name: ClassVar[str] = "count_asked"
    seat: Seat
    of: Seat


@dataclass(frozen=True, kw_only=True)
class CountCalled(Event):
    """A count call (报牌)."""

    name: ClassVar[str] = "count_called"
    seat: Seat
    count: int


@dataclass(frozen=True, kw_only=True)
class ThrowStopped(Event):
    """`seat` objects to a throw (甩牌) and shows what beats it."""

    name: ClassVar[str] = "throw_stopped"
    seat: Seat
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ThrowForced(Event):
    """What stays on the table of a failed throw by `seat`, and who chose it."""

    name: ClassVar[str] = "throw_forced"
    seat: Seat
    cards: tuple[Card, ...]
    chosen_by: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Exposed(Event):
    """Cards exposed (暴露张)."""

    name: ClassVar[str] = "exposed"
    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class TakenBack(Event):
    """Cards taken back into the hand (悔牌), with or without consent."""

    name: ClassVar[str] = "taken_back"
    seat: Seat
    cards: tuple[Card, ...]
    consent: bool = False


@dataclass(frozen=True, kw_only=True)
class Moved(Event):
    """A gesture, a hand on played cards: what, in words."""

    name: ClassVar[str] = "moved"
    seat: Seat
    what: str = ""


@dataclass(frozen=True, kw_only=True)
class HandCount(Event):
    """A hand counted by the referee."""

    name: ClassVar[str] = "hand_count"
    seat: Seat
    count: int


@dataclass(frozen=True, kw_only=True)
class KittyRevealed(Event):
    """The kitty turned over at the end."""

    name: ClassVar[str] = "kitty_revealed"
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class ClockSet(Event):
    """The clock stopped or running again."""

    name: ClassVar[str] = "clock"
    state: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Correction(Event):
    """Event `of` should have been `replacement`, or is void."""

    name: ClassVar[str] = "correction"
    of: int
    replacement: Mapping[str, Json] | None = None
    void: bool = False


@dataclass(frozen=True, kw_only=True)
class Ruling(Event):
    """A person's decision on a finding."""

    name: ClassVar[str] = "ruling"
    finding: int
    decision: str
    penalty: Json = None
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class DealVoided(Event):
    """The deal does not count."""

    name: ClassVar[str] = "deal_voided"
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class MatchEnded(Event):
    """The match is over: time, agreement, forfeit."""

    name: ClassVar[str] = "match_ended"
    why: str | None = None
    side: int | None = None
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(Event):
    """An event that this version does not know, kept as it came."""

    name: ClassVar[str] = ""
    kind: str = ""


GAPS: Final = ("unreadable", "missing")
"""Kinds of `UnknownEvent` that stand where a line could not be read, or where lines are missing."""

EVENT_TYPES: Final[Mapping[str, type[Event]]] = {
    kind.name: kind
    for kind in (
        MatchStarted, DealStarted, TurnedUp, Dealt, DrawEnded, Tribute, TributeReturn, TributeRefused,
        TrumpShown, KittyTurned, KittyTaken, KittyLaid, TrumpNamed, Play, Pass, CountAsked, CountCalled,
        ThrowStopped, ThrowForced, Exposed, TakenBack, Moved, HandCount, KittyRevealed, ClockSet, Correction,
        Ruling, DealVoided, MatchEnded,
    )
}  # fmt: skip
_COMMON: Final = ("source", "confidence", "alternatives", "evidence")
_REQUIRED: Final = object()


def _shape_of(kind: type[Event]) -> dict[str, tuple[_Codec, Any]]:
    shape: dict[str, tuple[_Codec, Any]] = {}
    for spec in fields(kind):
        # `of` is a seat where somebody asks, the number of an event where it is corrected.
        codec = _SEAT if (kind, spec.name) == (CountAsked, "of") else _CODECS.get(spec.name)
        if codec is not None:
            default: Any = spec.default
            if callable(spec.default_factory):
                default = spec.default_factory()
            needed = spec.default is spec.default_factory  # both MISSING
            shape[spec.name] = (codec, _REQUIRED if needed else default)
    return shape


_SHAPES: Final = {kind: _shape_of(kind) for kind in (*EVENT_TYPES.values(), UnknownEvent)}


def event_from_json(data: Json) -> Event:
    """Read one event. Unknown names become `UnknownEvent`; unknown fields stay in `extra`; null is absent.

    Raises:
        BadEvent: no object, no `event`, a field missing or wrong; the message names the field.
    """
    if not isinstance(data, dict):
        raise BadEvent(f"expected a JSON object, got {type(data).__name__}")
    name = data.get("event")
    if not isinstance(name, str):
        raise BadEvent("no field 'event' (expected the event's name, e.g. \"play\")")
    kind = EVENT_TYPES.get(name, UnknownEvent)
    shape = _SHAPES[kind]
    values: dict[str, Any] = {"kind": name} if kind is UnknownEvent else {}
    extra: dict[str, Json] = {}
    for key, value in data.items():
        if key == "event":
            continue
        spec = shape.get(key)
        if spec is None or value is None:
            extra[key] = value
            continue
        try:
            values[key] = spec[0].read(value)
        except ValueError as error:
            if kind is UnknownEvent:
                extra[key] = value
                continue
            raise BadEvent(f"{name}: field {key!r}: {error}") from None
    for key, (_, default) in shape.items():
        if default is _REQUIRED and key not in values:
            raise BadEvent(f"{name}: field {key!r} is missing")
    return kind(**values, extra=extra)


def event_to_json(event: Event) -> dict[str, Json]:
    """The JSON object of an event: number, time, name, own fields, the rest; absent fields are left out."""
    own = event.kind if isinstance(event, UnknownEvent) else event.name
    data: dict[str, Json] = {}
    if event.seq:
        data["seq"] = event.seq
    if event.at is not None:
        data["at"] = event.at
    data["event"] = own
    shape = _SHAPES[type(event)]
    names = [key for key in shape if key not in _COMMON and key not in ("seq", "at")]
    for key in (*names, *_COMMON):
        codec, default = shape[key]
        value = getattr(event, key)
        if default is _REQUIRED or value != default:
            data[key] = codec.write(value)
    data.update(event.extra)
    return data


def corrected(original: Event, correction: Correction) -> Event | None:
    """The event that a correction puts in place of `original`, with its number (and time, unless given).

    Returns None when it is voided.

    Raises:
        BadEvent: the replacement is no event.
    """
    if correction.void or correction.replacement is None:
        return None
    event = event_from_json(dict(correction.replacement))
    return replace(event, seq=original.seq, at=original.at if event.at is None else event.at)
