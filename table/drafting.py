"""Puts what a game says about cards into events: amendments as corrections, readings with their doubt."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from table.cards import Card
from table.doubt import Reading
from table.events import Correction, Event, Play
from table.knowledge import new_cards
from table.ledger import CAMERA, Ledger
from table.lots import UNREAD, Draft, replacement_of
from table.recording import Amend
from table.sightings import Laid, TrackedCard


def drafted(
    ledger: Ledger,
    meaning: Sequence[Event | Amend],
    cards: tuple[TrackedCard, ...] = (),
    reading: Reading | None = None,
    seen: Laid | None = None,
) -> list[Draft]:
    """What a game says, ready to be given out.

    Args:
        ledger: what is recorded.
        meaning: events without number and doubt, and amendments of recorded ones.
        cards: what was seen, shared out among the events in order.
        reading: of all these cards.
        seen: the sighting of them.
    """
    drafts: list[Draft] = []
    unread = () if seen is None else tuple(card for card in seen.cards if card.unread)
    events = [item for item in meaning if isinstance(item, Event)]
    used = 0
    for item in meaning:
        if isinstance(item, Amend):
            drafts += _amended(ledger, item)
        elif reading is None or seen is None or not (isinstance(item, Play) or new_cards(item)):
            drafts.append(Draft(item))
        else:
            count = len(new_cards(item)) if len(events) > 1 else len(cards)
            mine = cards[used : used + count]
            event = with_reading(item, _part_of(reading, used, count), count)
            drafts.append(Draft(event, seen.zone, mine, seen.at, hand=seen.hand, unread=unread))
            used += count
    return drafts


def with_reading(event: Event, reading: Reading, seen: int) -> Event:
    """The event with its cards as read and the doubt about them; cards that it names before those stay."""
    named = new_cards(event)
    ahead = named[: max(0, len(named) - seen)]
    cards = (*ahead, *reading.cards)
    others = tuple(((*ahead, *names), chance) for names, chance in reading.alternatives)
    event = replace(event, confidence=reading.confidence, alternatives=others)
    changes: dict[str, Any] = {"cards": cards} if hasattr(event, "cards") else {"card": cards[0]}
    if isinstance(event, Play):
        extra = {key: value for key, value in event.extra.items() if key != UNREAD}
        changes["extra"] = {**extra, UNREAD: ["?"] * reading.unread} if reading.unread else extra
    return replace(event, **changes)


def swapped(ledger: Ledger, latest: Event, earlier: Draft) -> list[Draft]:
    """The latest event makes room for an earlier one, and follows it again."""
    lot = ledger.lot(latest.seq)
    said = replacement_of(replace(earlier.event, source=earlier.event.source or CAMERA))
    fix = Correction(of=latest.seq, replacement=said, at=latest.at, source=CAMERA)
    again = Draft(latest.numbered(0))
    if lot is not None:
        again = Draft(
            latest.numbered(0), lot.zone, tuple(lot.slots), lot.at, hand=lot.hand, unread=lot.beside
        )
    return [Draft(fix, earlier.zone, earlier.slots, earlier.at, lot, unread=earlier.unread), again]


def _amended(ledger: Ledger, item: Amend) -> list[Draft]:
    event, lot = ledger.events.get(item.of), ledger.lot(item.of)
    if event is None:
        return []
    said = None if item.void else replacement_of(replace(event, **item.changes))
    fix = Correction(of=item.of, replacement=said, void=item.void, at=ledger.last_at, source=CAMERA)
    if lot is None:
        return [Draft(fix)]
    return [Draft(fix, lot.zone, tuple(lot.slots), lot.at, lot, unread=lot.beside)]


def _part_of(reading: Reading, start: int, count: int) -> Reading:
    """The reading of some of the cards that were read together."""
    if start == 0 and count >= len(reading.cards):
        return reading
    cut = slice(start, start + count)
    others: dict[tuple[Card, ...], float] = {}
    for names, chance in reading.alternatives:
        # Of a reading with fewer cards nobody knows which of the events has them.
        if len(names) == len(reading.cards) and names[cut] != reading.cards[cut]:
            others[names[cut]] = others.get(names[cut], 0.0) + chance
    return Reading(reading.cards[cut], reading.confidence, tuple(others.items()))
