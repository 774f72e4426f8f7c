"""How sure a reading of several cards is, and what else they may be: other names, fewer cards, one more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from math import prod
from typing import Final

from table.cards import Card
from table.event_fields import Alternative
from table.events import Event, Exposed, Play
from table.evolve import evolve
from table.knowledge import AT_THE_END, Hand, Knowledge, new_cards
from table.seats import Seat
from table.sightings import TrackedCard

Cards = tuple[Card, ...]
Possible = Callable[[Cards], bool]
_Option = tuple[Card | None, float]
_Chosen = tuple[tuple[Card | None, ...], float]

LEAST: Final = 0.01
"""Readings less likely than this are not worth a look."""
MOST: Final = 8
"""So many other readings are written down at most."""
SETTLED: Final = 0.99
"""Reasoning about what can be makes nothing surer than this: what it rests on was read too."""
_CLEARER: Final = 0.15
"""By so much a reading that was listed must be likelier than the one that stands, to take its place in doubt."""
_LOOKED_AT: Final = 96
_FAINTEST: Final = 0.002


@dataclass(frozen=True, slots=True)
class Reading:
    """What several cards are taken for.

    Attributes:
        cards: in their order on the table.
        confidence: chance that all of them are right, 0..1.
        alternatives: other readings with their chances, likeliest first; those with fewer cards, or none, where
            something may be no card.
        unread: so many more cards seem to lie there than could be read.
    """

    cards: Cards
    confidence: float
    alternatives: tuple[Alternative, ...] = ()
    unread: int = 0


def read_together(cards: Sequence[TrackedCard], possible: Possible, doubt_below: float) -> Reading:
    """The likeliest reading of cards that can be.

    Args:
        cards: face up, each with at least one name or `unread`.
        possible: whether all these names together can be.
        doubt_below: confidence below which a reading is doubtful (key `reading.doubt_below`).

    What cannot be is removed and the rest made whole again, but only while at least `LEAST` of the chances can be:
    cards that were read surely and cannot be are a finding, not a misreading. A reading that only reasoning made the
    likeliest, from less than even chances, stays doubtful.

    What is read is all cards that have a name; that one of them is no card is another reading. What seems to lie
    there unread leaves to all that is listed only the chance that it is nothing.
    """
    named = [card for card in cards if card.chances]
    unread = [card for card in cards if card.unread]
    if not named:
        return Reading((), 0.0, (), len(unread))
    found = _likeliest([_options(card) for card in named])
    kept = [item for item in found if possible(_there(item[0]))]
    removed = sum(chance for _, chance in found) - sum(chance for _, chance in kept)
    if not any(None not in names for names, _ in kept) or sum(chance for _, chance in kept) < LEAST:
        kept, removed = found, 0.0
    whole = max(1.0 - removed, LEAST)
    full = next(item for item in kept if None not in item[0])
    names, before = _there(full[0]), full[1]
    confidence = max(before, min(before / whole, SETTLED)) if removed else before
    others = _others(kept, full, whole)
    unsettled = any(card.doubtful for card in named) and not (removed and not others)
    first = next(item for item in found if None not in item[0])
    chosen_against_sight = names != _there(first[0]) and before < 0.5
    if unsettled or chosen_against_sight:
        confidence = min(confidence, doubt_below * 0.99)
    alone = prod(card.nothing for card in unread)
    if unread:
        confidence = min(confidence, doubt_below * 0.99)
    listed = [(other, round(chance * alone, 4)) for other, chance in others if chance * alone >= LEAST]
    return Reading(names, round(confidence * alone, 4), tuple(listed[:MOST]), len(unread))


def _others(kept: Sequence[_Chosen], full: _Chosen, whole: float) -> list[tuple[Cards, float]]:
    """The readings beside the one that is taken, each once, likeliest first."""
    chances: dict[Cards, float] = {}
    for item in kept:
        if item is not full and item[1] / whole >= LEAST:
            there = _there(item[0])
            chances[there] = chances.get(there, 0.0) + item[1] / whole
    return sorted(chances.items(), key=lambda item: -item[1])


def _there(names: tuple[Card | None, ...]) -> Cards:
    return tuple(name for name in names if name is not None)


def room_in_packs(
    known: Knowledge, seat: Seat | None, packs: int, *, without: int = 0, shown: bool = False
) -> Possible:
    """Whether cards can be, by what was surely read in this deal: no card more often than the packs hold it.

    Args:
        known: of the hands; what a sealed feed told is not used (it would show through in what is recorded).
        seat: whose cards they are; None for nobody's (the kitty).
        packs: in play.
        without: number of an event to leave out: the one whose cards are read again.
        shown: the cards are shown and not played: they may be among those that the seat has shown before.
    """
    hands = [_unsealed(hand, without) for hand in known.hands]
    elsewhere: Counter[Card] = Counter()
    for other, hand in enumerate(hands):
        if other != seat:
            elsewhere.update(hand.held(sure=True))
    limit = Counter(known.floating)
    four = (hands[0], hands[1], hands[2], hands[3])
    base = evolve(known, hands=four)

    def possible(cards: Cards) -> bool:
        here = Counter(cards)
        if seat is not None:
            kind: type[Exposed] | type[Play] = Exposed if shown else Play
            event: Event = kind(seq=AT_THE_END, seat=seat, cards=cards)
            here = base.after(event).hand(seat).held(sure=True)
        return all(here[card] + elsewhere[card] <= packs + limit[card] for card in set(cards))

    return possible


def wavers(event: Event, after: Event) -> bool:
    """Whether two readings in doubt, each listed beside the other, have only changed places."""
    listed = new_cards(after) in [cards for cards, _ in event.alternatives]
    still = new_cards(event) in [cards for cards, _ in after.alternatives]
    return listed and still and (after.confidence or 0.0) < (event.confidence or 0.0) + _CLEARER


def _unsealed(hand: Hand, without: int) -> Hand:
    steps = tuple(step for step in hand.steps if step.seq != without) if without else hand.steps
    return evolve(hand, dealt=None, steps=steps)


def _options(card: TrackedCard) -> list[_Option]:
    """The names of one card with chances that add up to at most 1, the first as sure as the card says.

    That it is no card takes its chance from the first name; None stands for it.
    """
    first, *others = card.chances
    nothing = min(max(card.nothing, 0.0), 1.0)
    sure = min(max(card.confidence, 0.0), 1.0 - nothing)
    rest = sum(chance for _, chance in others)
    scale = min(1.0, (1.0 - nothing - sure) / rest) if rest > 0 else 0.0
    options: list[_Option] = [(first[0], sure)]
    options += [(name, chance * scale) for name, chance in others if chance * scale > 0]
    options += [(None, nothing)] if nothing >= LEAST else []
    return sorted(options, key=lambda option: -option[1])


def _likeliest(options: Sequence[Sequence[_Option]]) -> list[_Chosen]:
    """Readings of all cards together, likeliest first, as far as they matter; one with all cards at least."""
    found: list[_Chosen] = []
    whole = False
    for places, chance in _best_first(options):
        if whole and (chance < _FAINTEST or len(found) >= _LOOKED_AT):
            break
        names = tuple(names[at][0] for names, at in zip(options, places, strict=True))
        if chance >= _FAINTEST or (not whole and None not in names):
            found.append((names, chance))
        whole = whole or None not in names
    return found


def _best_first(options: Sequence[Sequence[_Option]]) -> Iterator[tuple[tuple[int, ...], float]]:
    """Choices of one option each, the likeliest first; each choice is reached from one other only."""
    start = (0,) * len(options)
    heap = [(-prod(names[0][1] for names in options), start, 0)]
    while heap:
        chance, places, last = heappop(heap)
        yield places, -chance
        for at in range(last, len(options)):
            if places[at] + 1 >= len(options[at]):
                continue
            further = (*places[:at], places[at] + 1, *places[at + 1 :])
            chances = [names[place][1] for names, place in zip(options, further, strict=True)]
            heappush(heap, (-prod(chances), further, at))
