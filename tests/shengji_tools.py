"""Short words for tests of Shengji: cards, orders, leads and the typed keys of a profile."""

from __future__ import annotations

from typing import Any

from table.cards import Card, parse_cards
from table.event_json import event_from_json
from table.rulesets import load_profile
from table.session import Referee
from table.shengji.formats import Unit, best_reading
from table.shengji.keys import Rules, rules_of
from table.shengji.order import Order, order_for

OFFICIAL = {packs: f"shengji-official-{packs}" for packs in (1, 2, 3)}
EVENT = "shengji-event"
FINAL = "shengji-event-final"


def rules(profile: str = OFFICIAL[2], **options: Any) -> Rules:
    """The keys of a profile; options as `throw__choice="first_blocker"`."""
    dotted = {name.replace("__", "."): value for name, value in options.items()}
    return rules_of(load_profile(profile).with_options(dotted))


def cards(text: str) -> tuple[Card, ...]:
    """Cards from their notation; `H5x3` is three of them."""
    found: list[Card] = []
    for word in text.split():
        name, _, times = word.partition("x")
        found += parse_cards(name) * (int(times) if times else 1)
    return tuple(found)


def suit(letter: str, ranks: str) -> tuple[Card, ...]:
    """Cards of one suit from ranks run together, T for 10: `suit("H", "AAKQ")`."""
    return tuple(Card.parse(letter + rank) for rank in ranks)


def order(level: str, trump: str, profile: str = OFFICIAL[2]) -> Order:
    """The order of a deal under a profile."""
    pack = rules(profile).pack
    return order_for(level, trump, permanent=pack.permanent_trumps, across_level=pack.tractor_across_level)


def lead(text: str, by: Order) -> tuple[Unit, ...]:
    """The units of a lead."""
    return best_reading(cards(text), by)


def record(
    profile: str, *events: tuple[Any, ...], levels: tuple[str, str] = ("2", "2"), **options: Any
) -> Referee:
    """The referee after a match of one deal or more. An event is a tuple of its name and its fields in brief:

    `("play", seat, cards)`, `("deal", {...})`, `("upheld", finding)`; a dict at the end gives further fields.
    """
    referee = Referee()
    dotted = {name.replace("__", "."): value for name, value in options.items()}
    start = {"event": "match_started", "profile": profile, "levels": list(levels), "options": dotted}
    for data in (start, *map(_event, events)):
        referee.push(event_from_json(data))
    return referee


_BRIEF = {
    "play": ("seat", "cards"),
    "trump_shown": ("seat", "cards"),
    "exposed": ("seat", "cards"),
    "taken_back": ("seat", "cards"),
    "throw_stopped": ("seat", "cards"),
    "throw_forced": ("seat", "cards"),
    "dealt": ("seat", "cards"),
    "kitty_taken": ("seat", "cards"),
    "kitty_laid": ("seat", "cards"),
    "kitty_turned": ("card",),
    "kitty_revealed": ("cards",),
    "trump_named": ("seat", "suit"),
    "hand_count": ("seat", "count"),
    "moved": ("seat", "what"),
    "draw_ended": (),
    "deal_voided": (),
    "match_ended": ("why",),
    "correction": ("of",),
    "deal": (),
    "upheld": ("finding",),
    "dismissed": ("finding",),
}


def _event(brief: tuple[Any, ...]) -> dict[str, Any]:
    name, *values = brief
    more = values.pop() if values and isinstance(values[-1], dict) else {}
    data = {"event": name, **dict(zip(_BRIEF[name], values, strict=False)), **more}
    if "cards" in data:
        data["cards"] = " ".join(map(str, cards(data["cards"])))
    if name == "deal":
        return {**data, "event": "deal_started"}
    if name in ("upheld", "dismissed"):
        return {**data, "event": "ruling", "decision": name}
    return data


def findings(referee: Referee) -> list[tuple[str, int | None, str]]:
    """Kind, seat and certainty of the findings that stand."""
    return [(claim.kind, claim.seat, claim.certainty) for claim in referee.findings().values()]


def rule_of(referee: Referee, kind: str) -> str:
    """The rule id that a finding of a kind cites."""
    assert referee.state is not None
    (found,) = (claim for claim in referee.findings().values() if claim.kind == kind)
    return referee.state.profile.rule(found.check)


def result(referee: Referee) -> dict[str, Any]:
    """The result of the deal that was played last."""
    assert referee.state is not None
    return dict(referee.state.results[referee.state.begun])
