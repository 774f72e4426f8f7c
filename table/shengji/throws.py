"""Throws (甩牌): which of their parts others can beat, what must then be played, and what it costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from table.cards import Card
from table.seats import Seat, partner
from table.shengji.formats import PLAIN, Tractors, Unit, all_units
from table.shengji.keys import Throw
from table.shengji.order import Order


@dataclass(frozen=True, slots=True)
class Stop:
    """One part of a throw that one seat can beat, and the lowest cards that do it."""

    part: Unit
    seat: Seat
    with_cards: tuple[Card, ...]


def beats_part(
    part: Unit, hand: Sequence[Card], order: Order, tractors: Tractors = PLAIN
) -> tuple[Card, ...]:
    """The lowest cards of a hand that beat one part of a throw, or none (SJO-30, disputes A1 and A5).

    Only cards of the same group count: trumps stop no throw of a side suit. A unit of more copies contains
    the part's kind; a tractor must be at least as long.
    """
    held = order.held(order.of_group(hand, order.group(part.cards[0])))
    higher = [
        unit
        for unit in all_units(held, tractors)
        if unit.width == part.width and unit.length == part.length and unit.top > part.top
    ]
    return min(higher, key=lambda u: u.top).cards if higher else ()


def stops(
    parts: Sequence[Unit],
    thrower: Seat,
    hands: Mapping[Seat, Sequence[Card]],
    order: Order,
    rules: Throw,
    tractors: Tractors = PLAIN,
) -> tuple[Stop, ...]:
    """Every part of a throw that the hands given beat, in order of play from the thrower's next seat.

    Hands may be partial: what they prove is proven, and more cards only add stops.
    """
    found: list[Stop] = []
    for step in (1, 2, 3):
        seat = (thrower + step) % 4
        if seat not in hands or (seat == partner(thrower) and not rules.partner_stops):
            continue
        for part in parts:
            if cards := beats_part(part, hands[seat], order, tractors):
                found.append(Stop(part, seat, cards))
    return tuple(found)


def smallest(parts: Sequence[Unit]) -> Unit:
    """The smallest of some parts: the lowest rank, then the fewest cards (SJE-23: 最小牌)."""
    return min(parts, key=lambda u: (u.top, len(u.cards)))


def forced(parts: Sequence[Unit], found: Sequence[Stop], rules: Throw) -> tuple[Unit, ...]:
    """What a failed throw may be cut down to: one part, or the choice that the next player has (SJO-31).

    Of several beaten parts of one kind only the smallest is forced (强制出小). Empty where the throw stands.
    """
    if not found:
        return ()
    beaten = list(dict.fromkeys(stop.part for stop in found))
    if rules.choice == "smallest_of_all":
        return (smallest(parts),)
    if rules.choice == "smallest_beaten":
        return (smallest(beaten),)
    if rules.choice == "first_blocker":
        return (smallest([stop.part for stop in found if stop.seat == found[0].seat]),)
    kinds: dict[tuple[int, int], list[Unit]] = {}
    for part in beaten:
        kinds.setdefault((part.width, part.length), []).append(part)
    return tuple(smallest(same) for same in kinds.values())


def fine(found: Sequence[Stop], rules: Throw) -> int:
    """Points that a failed throw costs: for the cards of the parts that do not stand only (SJE-22)."""
    beaten = dict.fromkeys(stop.part for stop in found)
    return (
        rules.fine_per_attempt + rules.fine_per_card * sum(len(part.cards) for part in beaten)
        if beaten
        else 0
    )
