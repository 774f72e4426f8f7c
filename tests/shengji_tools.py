"""Short words for tests of Shengji: cards, orders, leads and the typed keys of a profile."""

from __future__ import annotations

from typing import Any

from table.cards import Card, parse_cards
from table.rulesets import load_profile
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
