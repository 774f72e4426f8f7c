"""What must be followed with (跟牌): the published orders of priority, and whether a play keeps to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from table.cards import Card
from table.shengji.formats import (
    Columns,
    Form,
    Shape,
    Unit,
    all_units,
    card_columns,
    columns_of,
    fits,
    sort_shape,
    take,
)
from table.shengji.keys import Follow
from table.shengji.order import Order


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether a play follows as it must.

    `problem` is empty, `wrong_length`, `not_held`, `suit` (a card of the led suit was held back) or `shape`;
    `suit_cards` is how many cards of the led group had to be played, `required` the shape owed among them.
    """

    problem: str
    suit_cards: int
    required: Shape

    @property
    def legal(self) -> bool:
        """Nothing is wrong."""
        return not self.problem


def follow(
    lead: Sequence[Unit], hand: Sequence[Card], play: Sequence[Card], order: Order, rules: Follow
) -> Verdict:
    """Judge one follower's play against the whole hand it came from (SJO-33 to SJO-42, SJE-25 to SJE-30).

    Args:
        lead: the units of the lead, all of one group.
        hand: the hand before the play.
        play: the cards played.
        order: the order of the deal.
        rules: the profile's keys of following.
    """
    group = order.group(lead[0].cards[0])
    size = sum(len(unit.cards) for unit in lead)
    held = order.of_group(hand, group)
    owed = min(len(held), size)
    required = required_shape(lead, card_columns(held, order), rules) if len(held) > size else ()
    if len(play) != size:
        return Verdict("wrong_length", owed, required)
    if Counter(play) - Counter(hand):
        return Verdict("not_held", owed, required)
    followed = order.of_group(play, group)
    if len(followed) < owed:
        return Verdict("suit", owed, required)
    if len(held) > size and rank(lead, card_columns(followed, order), rules) > rank(
        lead, card_columns(held, order), rules
    ):
        return Verdict("shape", owed, required)
    return Verdict("", owed, required)


def rank(lead: Sequence[Unit], columns: Columns, rules: Follow) -> tuple[int, ...]:
    """How well cards answer the lead, unit by unit, the largest first: 0 is the first choice of each list.

    A play is legal when it answers as well as the hand could (SJO-41: component by component).
    """
    return _answer(_forms(lead), columns, rules)[0]


def required_shape(lead: Sequence[Unit], columns: Columns, rules: Follow) -> Shape:
    """The shape that cards of the led group, more than the lead has, must answer with."""
    return _answer(_forms(lead), columns, rules)[1]


def _forms(lead: Sequence[Unit]) -> Shape:
    return sort_shape(unit.form for unit in lead)


@lru_cache(maxsize=65536)
def _answer(forms: Shape, columns: Columns, rules: Follow) -> tuple[tuple[int, ...], Shape]:
    """The first choice that is possible for the largest unit, then for the next with that kept, and so on."""
    if not rules.shapes:
        return (), ()
    ranks: list[int] = []
    chosen: tuple[Form, ...] = ()
    for form in forms:
        for i, choice in enumerate(choices(form, rules)):
            wanted = sort_shape((*chosen, *choice))
            if fits(columns, wanted, rules.split_triples):
                ranks.append(i)
                chosen = wanted
                break
    return tuple(ranks), chosen


@lru_cache(maxsize=1024)
def choices(form: Form, rules: Follow) -> tuple[Shape, ...]:
    """The list of answers to one unit, the first choice first; the last, singles only, is the empty shape.

    >>> [[tuple(f)[:2] for f in shape] for shape in choices(Form(3, 1), Follow())]
    [[(3, 1)], [(2, 1)], []]
    """
    if form.length == 1:
        guarded = not rules.break_tractors
        return (*((Form(width, 1, guarded),) for width in range(form.width, 1, -1)), ())
    if form.width == 3 and rules.order == "event":
        return _event_triples(form.length, rules)
    shapes = list(_columns_by_width(form.width, form.length, rules.shorter_tractors))
    if form.width == 3 and rules.order != "official":
        shapes = _tractor_of_pairs_earlier(shapes, form, rules.order)
    return tuple(shapes)


def _columns_by_width(width: int, length: int, shorter: bool) -> Iterator[Shape]:
    """Answers to a tractor: as many of its width as can be, tractor first; then the next width (SJO-39)."""
    if width == 1:
        yield ()
        return
    for count in range(length, -1, -1):
        for runs in _runs(count, length, shorter):
            for rest in _below(width - 1, length - count, length, shorter):
                yield sort_shape((*(Form(width, run) for run in runs), *rest))


def _below(width: int, room: int, length: int, shorter: bool) -> Iterator[Shape]:
    """Answers of smaller width in the `room` columns that are left of a tractor of `length`."""
    if width == 1:
        yield ()
        return
    for count in range(room, -1, -1):
        for runs in _runs(count, length, shorter):
            for rest in _below(width - 1, room - count, length, shorter):
                yield (*(Form(width, run) for run in runs), *rest)


def _runs(count: int, length: int, shorter: bool) -> Iterator[tuple[int, ...]]:
    """How `count` columns may hang together, longest run first; only the whole length unless `shorter`."""
    if shorter:
        yield from _partitions(count, count)
        return
    if count == length and count > 1:
        yield (count,)
    yield (1,) * count


def _partitions(count: int, most: int) -> Iterator[tuple[int, ...]]:
    if count == 0:
        yield ()
    for first in range(min(count, most), 0, -1):
        for rest in _partitions(count - first, first):
            yield (first, *rest)


def _tractor_of_pairs_earlier(shapes: list[Shape], form: Form, order: str) -> list[Shape]:
    """Put the tractor of pairs before a lone triple ([4]), or before two loose triples too ([8]) (SJO-40)."""
    pairs: Shape = (Form(2, form.length),)
    rest = [shape for shape in shapes if shape != pairs]
    if order == "tractor_first":
        at = 1
    else:
        at = next(
            i for i, shape in enumerate(rest) if sum(f.length for f in shape if f.width == 3) < form.length
        )
    return [*rest[:at], pairs, *rest[at:]]


def _event_triples(length: int, rules: Follow) -> tuple[Shape, ...]:
    """The event's list (SJE-29): the same; a tractor of pairs; triples and anything; pairs and anything."""
    shapes: list[Shape] = [(Form(3, length),), (Form(2, length),)]
    shapes += [(Form(3, 1),) * count for count in range(length - 1, 0, -1)]
    for count in range(length, 0, -1):
        for runs in _runs(count, length, rules.shorter_tractors):
            shape = tuple(Form(2, run) for run in runs)
            if shape not in shapes:
                shapes.append(shape)
    return (*shapes, ())


def lowest(choices: Sequence[Unit]) -> Unit:
    """The unit of the lowest rank, the first of equals."""
    return min(choices, key=lambda unit: unit.top)


def example_play(
    lead: Sequence[Unit],
    hand: Sequence[Card],
    order: Order,
    rules: Follow,
    pick: Callable[[Sequence[Unit]], Unit] = lowest,
    arrange: Callable[[list[Card]], Sequence[Card]] = tuple,
) -> tuple[Card, ...]:
    """One legal answer out of the hand: what should have been played.

    Args:
        lead: the units of the lead.
        hand: the hand before the play.
        order: the order of the deal.
        rules: the profile's keys of following.
        pick: chooses among units that answer one part of the lead.
        arrange: puts cards that are free to choose into the order in which they are taken.
    """
    group = order.group(lead[0].cards[0])
    size = sum(len(unit.cards) for unit in lead)
    held = order.held(order.of_group(hand, group))
    count = sum(item.count for item in held)
    if count <= size:
        rest = arrange([card for card in hand if order.group(card) != group])
        return (*(item.card for item in held for _ in range(item.count)), *rest[: size - count])
    shape = required_shape(lead, columns_of(held), rules)
    chosen: list[Card] = []
    for i, form in enumerate(shape):
        owed = tuple(Form(f.width, f.length) for f in shape[i + 1 :])
        exact = {item.card: item.count for item in held}
        fitting = [
            unit
            for unit in all_units(held)
            if unit.form[:2] == form[:2]
            and (rules.split_triples or all(exact[card] == form.width for card in unit.cards))
            and fits(columns_of(take(held, unit.cards)), owed, rules.split_triples)
        ]
        unit = pick(fitting)
        chosen += unit.cards
        held = take(held, unit.cards)
    singles = arrange([item.card for item in held for _ in range(item.count)])
    return (*chosen, *singles[: size - len(chosen)])
