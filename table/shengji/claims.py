"""Claims of Shengji: their kinds, what they cost, and how sure they are where a reading is in doubt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from table.cards import Card, pretty_cards
from table.events import Event
from table.findings import CHECK, LIKELY, PROVEN, Claim
from table.match import doubtful, open_ended, unlisted
from table.penalties import Penalty
from table.rulesets import Profile
from table.seats import Seat
from table.texts import both

DECLARE: Final[Mapping[str, str]] = {
    "mixed": "declare_cards",
    "not_level": "declare_cards",
    "too_many": "declare_cards",
    "joker": "declare_joker",
    "after_kitty": "declare_late",
    "own": "declare_own",
    "weaker": "declare_weaker",
    "overturned": "reinforce_late",
    "reinforce": "reinforce_late",
    "order": "declare_order",
    "fixed": "declare_fixed",
}
"""Why a showing does not count, to the check that says so."""

FOLLOW: Final[Mapping[str, str]] = {
    "pair": "follow_pair",
    "triple": "follow_triple",
    "quad": "follow_triple",
    "tractor": "follow_tractor",
    "triple_tractor": "follow_triple_tractor",
    "quad_tractor": "follow_triple_tractor",
    "throw": "follow_throw",
}
"""What was led, to the check of the shape that had to follow."""

FOLLOW_CHECKS: Final = frozenset({"revoke", *FOLLOW.values()})


def points(amount: int) -> Penalty | None:
    """A penalty of points of the deal; none for nothing."""
    return Penalty("points", amount) if amount else None


def words(name: str, **fields: Any) -> dict[str, str]:
    """A piece of a text in both languages."""
    return both(f"shengji.{name}", **fields)


def pretty(cards: Iterable[Card]) -> str:
    """Cards for people."""
    return pretty_cards(cards)


def sureness(profile: Profile, event: Event, wrong: Callable[[tuple[Card, ...]], bool] | None = None) -> str:
    """How sure a claim about an event's own cards is.

    Args:
        profile: in force.
        event: with the cards.
        wrong: whether a reading of the cards would be an offence too; if every listed reading is, it stands.
    """
    if not doubtful(profile, event):
        return PROVEN
    if wrong is None or not event.alternatives or unlisted(profile, event):
        return CHECK
    if not all(wrong(cards) for cards, _ in event.alternatives):
        return CHECK
    return LIKELY if open_ended(profile, event) else PROVEN


def claim(check: str, kind: str, seat: Seat | None, event: int, **details: Any) -> Claim:
    """A claim; what is not of the claim itself goes into the fields of its text."""
    known = {"certainty", "cards", "rests_on", "detail", "side"}
    own = {name: value for name, value in details.items() if name in known}
    fields = {name: value for name, value in details.items() if name not in known}
    return Claim(check, kind, seat, event, fields=fields, **own)
