"""Events read from and written to the JSON objects of a game record without loss, and what a correction makes of one."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import Any, Final

from table.event_fields import CODECS, SEAT, Codec, Json
from table.events import EVENT_TYPES, Correction, CountAsked, Event, UnknownEvent

_COMMON: Final = ("source", "confidence", "alternatives", "evidence")
_REQUIRED: Final = object()


class BadEvent(ValueError):
    """A JSON object that is no event; the message names the field and what was expected."""


def _shape_of(kind: type[Event]) -> dict[str, tuple[Codec, Any]]:
    shape: dict[str, tuple[Codec, Any]] = {}
    for spec in fields(kind):
        # `of` is a seat where somebody asks, the number of an event where it is corrected.
        codec = SEAT if (kind, spec.name) == (CountAsked, "of") else CODECS.get(spec.name)
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
