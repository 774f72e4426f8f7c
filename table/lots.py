"""The cards on the table that belong to what is recorded: which card of which event each track is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from math import dist
from typing import Final

from table.cards import Card
from table.event_fields import Json
from table.event_json import event_to_json
from table.events import Event, Play
from table.knowledge import new_cards
from table.seats import Seat
from table.sightings import TrackedCard

SAME_PLACE_MM: Final = 8.0
"""A card that shows again this near to where it was has not been away."""
SAME_TURN: Final = 6.0
ABOUT_THERE_MM: Final = 10.0
"""So far a card may seem shifted when its zone is seen again; overlapping cards lie further apart than this."""
UNREAD: Final = "unread"
"""Field of a play with more cards than could be read: a list of as many words."""
NAME_CHANCE: Final = 0.02
"""A card may be one that was recorded when it has that name with at least this chance."""


@dataclass(slots=True, eq=False)
class Lot:
    """Cards of one recorded event.

    Attributes:
        event: as it counts now, numbered.
        seat: whose cards they are; None for nobody's.
        zone: where they were seen; empty where nobody has seen them (heard, or before a restart).
        slots: the event's cards by place; None where no card is known to lie.
        at: when the last of them came to rest.
        gone: places of cards that were lifted; `turned`: that were turned face down.
        back: places of cards that were taken back.
        trick: number of the first play of its trick, once somebody asked.
        kept: number of the event that says what of it stays on the table.
        fixed: a person said what it is; cameras do not say otherwise any more.
        hand: a hand still lay on it when it was seen.
        loose: cards that are seen anew may be its own (it was never seen, or out of sight).
        unread: what lies with them and could not be read; it has no place among the slots.
        lost: the same, once it is gone or lies face down: it stays a part of the event.
        lost_at: when some of it went while all the others lay there, s; None otherwise.
    """

    event: Event
    seat: Seat | None
    zone: str = ""
    slots: list[TrackedCard | None] = field(default_factory=list)
    at: float = 0.0
    gone: set[int] = field(default_factory=set)
    turned: set[int] = field(default_factory=set)
    back: set[int] = field(default_factory=set)
    trick: int = 0
    kept: int = 0
    fixed: bool = False
    hand: bool = False
    loose: bool = False
    unread: list[TrackedCard] = field(default_factory=list)
    lost: list[TrackedCard] = field(default_factory=list)
    lost_at: float | None = None

    @property
    def cards(self) -> tuple[Card, ...]:
        """The event's cards that were seen as this lot (the last ones, where it names others before)."""
        named = new_cards(self.event)
        return named[max(0, len(named) - len(self.slots)) :]

    @property
    def beside(self) -> tuple[TrackedCard, ...]:
        """All of it that could not be read, whether it still lies there or not."""
        return (*self.unread, *self.lost)

    @property
    def play(self) -> bool:
        """It is a play."""
        return isinstance(self.event, Play)

    @property
    def away(self) -> bool:
        """None of its cards lies face up any more."""
        return not self.unread and self.all_off

    @property
    def all_off(self) -> bool:
        """None of its cards that were read lies face up any more."""
        return len(self.gone | self.turned) >= len(self.slots)

    @property
    def moved_off(self) -> bool:
        """Cards of it are lifted or turned over, and not because they were taken back."""
        return bool(self.lost or (self.gone | self.turned) - self.back)

    def left(self) -> tuple[Card, ...]:
        """The cards that were not lifted."""
        return tuple(card for place, card in enumerate(self.cards) if place not in self.gone)

    def face_up(self) -> tuple[Card, ...]:
        """The cards that lie face up."""
        off = self.gone | self.turned
        return tuple(card for place, card in enumerate(self.cards) if place not in off)

    def places_of(self, cards: Iterable[TrackedCard]) -> set[int]:
        """Which of its cards these tracks are."""
        tracks = {card.track for card in cards}
        return {place for place, card in enumerate(self.slots) if card is not None and card.track in tracks}

    def unread_among(self, cards: Iterable[TrackedCard]) -> list[TrackedCard]:
        """What lies with it unread, as far as it is one of these tracks."""
        tracks = {card.track for card in cards}
        return [card for card in self.unread if card.track in tracks]

    def loses(self, cards: Iterable[TrackedCard]) -> bool:
        """Some of what could not be read is gone or lies face down; says whether there was any."""
        lost = self.unread_among(cards)
        self.unread = [card for card in self.unread if card not in lost]
        self.lost += lost
        return bool(lost)

    def shows_again(self, cards: Iterable[TrackedCard]) -> set[int]:
        """What could not be read and lay face down is face up again: its tracks."""
        tracks = {card.track for card in cards}
        again = [card for card in self.lost if card.track in tracks]
        self.lost = [card for card in self.lost if card not in again]
        self.unread += again
        return {card.track for card in again}


@dataclass(slots=True, eq=False)
class Lift:
    """Cards of a play in the trick that are gone, while it is not known yet whether they were taken back."""

    lot: Lot
    places: set[int]
    at: float

    @property
    def cards(self) -> tuple[Card, ...]:
        """What is gone."""
        return tuple(self.lot.cards[place] for place in sorted(self.places))


@dataclass(slots=True, eq=False)
class Draft:
    """An event given out that has no number yet, with the cards on the table that it is about."""

    event: Event
    zone: str = ""
    slots: tuple[TrackedCard | None, ...] = ()
    at: float = 0.0
    lot: Lot | None = None
    hand: bool = False
    unread: tuple[TrackedCard, ...] = ()


def same_event(drafted: Event, recorded: Event) -> bool:
    """Whether a numbered event is the one that was given out (names of files may have been added)."""
    return replace(recorded, seq=0, evidence=drafted.evidence, source=drafted.source) == drafted


def replacement_of(event: Event) -> dict[str, Json]:
    """An event as the replacement in a correction: without its number."""
    data = event_to_json(event)
    data.pop("seq", None)
    return data


def may_be(card: TrackedCard, name: Card) -> bool:
    """Whether a card on the table may have this name."""
    return any(found == name and chance >= NAME_CHANCE for found, chance in card.chances)


def lies_there(card: TrackedCard, other: TrackedCard) -> bool:
    """Whether two sightings of a card are of the same place: it was lost from sight and has not moved."""
    off = (card.turn - other.turn + 180.0) % 360.0 - 180.0
    return dist(card.place, other.place) <= SAME_PLACE_MM and abs(off) <= SAME_TURN


def _about_there(before: TrackedCard | None, now: TrackedCard) -> bool:
    return before is None or dist(before.place, now.place) <= ABOUT_THERE_MM


def matched(cards: Sequence[TrackedCard], lot: Lot) -> dict[int, TrackedCard]:
    """Which cards seen anew may be which of a loose lot's: place to card, those of the recorded name first.

    A card that was seen before a blind time must lie about where it lay: its twin of the other pack may lie beside it.
    """
    found: dict[int, TrackedCard] = {}
    free = [place for place in range(len(lot.slots)) if place not in lot.gone]
    left = list(cards)
    for sure in (True, False):
        for card in tuple(left):
            names = {place: lot.cards[place] for place in free}
            fits = [
                place
                for place, name in names.items()
                if (card.card == name if sure else may_be(card, name))
                and _about_there(lot.slots[place], card)
            ]
            if fits:
                found[fits[0]] = card
                free.remove(fits[0])
                left.remove(card)
    return found


def without(cards: Iterable[TrackedCard], known: Iterable[TrackedCard]) -> tuple[TrackedCard, ...]:
    """The cards whose tracks are not among the known."""
    tracks = {card.track for card in known}
    return tuple(card for card in cards if card.track not in tracks)


def never_away(cards: tuple[TrackedCard, ...], lift: Lift) -> tuple[TrackedCard, ...]:
    """The cards less those that show again where they lay: they were out of sight, not lifted.

    Where one of them lies elsewhere now, all were taken up and laid anew, some by chance where they had lain.
    """
    lot = lift.lot
    if _laid_anew(cards, lift):
        return cards
    for place in tuple(lift.places):
        old, name = lot.slots[place], lot.cards[place]
        same = next((c for c in cards if old is not None and lies_there(old, c) and may_be(c, name)), None)
        if same is not None:
            lot.slots[place] = same
            lot.gone.discard(place)
            lift.places.discard(place)
            cards = without(cards, (same,))
    return cards


def _laid_anew(cards: tuple[TrackedCard, ...], lift: Lift) -> bool:
    """Whether one of the cards lifted can only be one that lies elsewhere now."""
    lifted = [(lift.lot.slots[place], lift.lot.cards[place]) for place in lift.places]
    for card in cards:
        own = [old for old, name in lifted if old is not None and card.card == name]
        if own and not any(lies_there(old, card) for old in own):
            return True
    return False


def seen_anew(cards: tuple[TrackedCard, ...], lot: Lot, zone: str, *, part: bool) -> tuple[TrackedCard, ...]:
    """The cards less those that are a lot's; `part`: some of it are enough, the others may be covered."""
    found = matched(cards, lot)
    if not found or not (part or len(found) == len(lot.slots)):
        return cards
    for place, card in found.items():
        lot.slots[place] = card
    lot.zone, lot.loose = zone, False
    return without(cards, found.values())
