"""What cards of one group are made of (single, pair, triple, tractor), and which shapes fit into them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Final, NamedTuple, TypeAlias

from table.cards import Card, format_cards
from table.shengji.order import Held, Order

MOST_READINGS: Final = 500
"""Decompositions listed at most for one set of cards: a throw of many pairs has more than anyone reads."""


class Form(NamedTuple):
    """The form of a unit of two or more cards: `width` copies of each of `length` adjacent places.

    `guarded` marks a lone pair or triple that cards of a tractor need not serve (a key of the profile).
    """

    width: int
    length: int
    guarded: bool = False

    @property
    def size(self) -> int:
        """Cards in the unit."""
        return self.width * self.length


Shape: TypeAlias = tuple[Form, ...]
"""Forms to be found together in one set of cards, the largest first; singles fill up and are not named."""

Columns: TypeAlias = tuple[tuple[int, tuple[int, ...]], ...]
"""Cards without their names: for each place, ascending, the counts of the card names that stand there."""


@dataclass(frozen=True, slots=True)
class Unit:
    """One combination (牌型): `width` identical cards at each of `length` adjacent places (SJO-23)."""

    width: int
    length: int
    top: int
    cards: tuple[Card, ...]

    @property
    def form(self) -> Form:
        """Its form without rank and cards."""
        return Form(self.width, self.length)

    @property
    def kind(self) -> str:
        """`single`, `pair`, `triple`, `quad`, `tractor` (连对), `triple_tractor` (连刻) or `quad_tractor`."""
        if self.length > 1:
            return {2: "tractor", 3: "triple_tractor", 4: "quad_tractor"}.get(self.width, "wide_tractor")
        return {1: "single", 2: "pair", 3: "triple", 4: "quad"}.get(self.width, "wide")

    @property
    def weight(self) -> tuple[int, int, int]:
        """Larger for the unit that counts first: by cards, then by copies, then by rank."""
        return (len(self.cards), self.width, self.top)

    def __str__(self) -> str:
        return format_cards(self.cards)


@dataclass(frozen=True, slots=True)
class Tractors:
    """What a tractor (拖拉机) must have at least: copies of each card, and adjacent places."""

    min_width: int = 2
    min_length: int = 2


PLAIN: Final = Tractors()


def columns_of(held: Iterable[Held]) -> Columns:
    """Forget the names of the cards, keep places and counts."""
    found: dict[int, list[int]] = {}
    for item in held:
        found.setdefault(item.place, []).append(item.count)
    return tuple((place, tuple(sorted(counts))) for place, counts in sorted(found.items()))


def card_columns(cards: Iterable[Card], order: Order) -> Columns:
    """The columns of cards that all belong to one group."""
    return columns_of(order.held(cards))


def sort_shape(forms: Iterable[Form]) -> Shape:
    """The forms of two or more cards, the largest first, then the widest."""
    return tuple(sorted((f for f in forms if f.size > 1), key=lambda f: (-f.size, -f.width, f.guarded)))


def shape_of(units: Iterable[Unit]) -> Shape:
    """The shape of a lead: its units of two or more cards."""
    return sort_shape(unit.form for unit in units)


def all_units(held: Sequence[Held], tractors: Tractors = PLAIN) -> tuple[Unit, ...]:
    """Every unit that can be taken out of the cards, the weightiest first."""
    at: dict[int, list[Held]] = {}
    for item in held:
        at.setdefault(item.place, []).append(item)
    units: list[Unit] = []
    for item in held:
        for width in range(1, item.count + 1):
            units.append(Unit(width, 1, item.place, (item.card,) * width))
            if width >= max(2, tractors.min_width):
                units.extend(_tractors_from(item, width, at, tractors.min_length))
    return tuple(sorted(units, key=lambda u: u.weight, reverse=True))


def _tractors_from(start: Held, width: int, at: dict[int, list[Held]], min_length: int) -> Iterator[Unit]:
    """Every tractor of the given width whose lowest place is that of `start`."""
    open_ends: list[tuple[Held, ...]] = [(start,)]
    while open_ends:
        run = open_ends.pop()
        for item in at.get(run[-1].place + 1, ()):
            if item.count >= width:
                longer = (*run, item)
                open_ends.append(longer)
                if len(longer) >= max(2, min_length):
                    cards = tuple(part.card for part in longer for _ in range(width))
                    yield Unit(width, len(longer), item.place, cards)


def readings(cards: Sequence[Card], order: Order, tractors: Tractors = PLAIN) -> list[tuple[Unit, ...]]:
    """Every decomposition into units of cards of one group, the one with the weightiest units first.

    At most `MOST_READINGS` of them; the first is always the one that `best_reading` gives.
    """
    return list(islice(_split(order.held(cards), tractors), MOST_READINGS))


def _split(held: tuple[Held, ...], tractors: Tractors) -> Iterator[tuple[Unit, ...]]:
    """Decompositions in descending order of their units' weights."""

    def walk(
        left: tuple[Held, ...], limit: tuple[tuple[int, int, int], str] | None
    ) -> Iterator[tuple[Unit, ...]]:
        if not left:
            yield ()
            return
        for unit in all_units(left, tractors):
            mark = (unit.weight, str(unit))
            if limit is not None and mark > limit:
                continue
            if len(unit.cards) == 1:  # what is left are singles: there is one way to lay them out
                singles = [Unit(1, 1, h.place, (h.card,)) for h in left for _ in range(h.count)]
                yield tuple(sorted(singles, key=lambda u: (u.weight, str(u)), reverse=True))
                return
            for rest in walk(take(left, unit.cards), mark):
                yield (unit, *rest)

    yield from walk(held, None)


def take(held: Sequence[Held], cards: Sequence[Card]) -> tuple[Held, ...]:
    """What is left of the cards when some are taken out."""
    gone: dict[Card, int] = {}
    for card in cards:
        gone[card] = gone.get(card, 0) + 1
    return tuple(
        Held(h.place, h.card, h.count - gone.get(h.card, 0)) for h in held if h.count > gone.get(h.card, 0)
    )


@lru_cache(maxsize=4096)
def best_reading(cards: tuple[Card, ...], order: Order, tractors: Tractors = PLAIN) -> tuple[Unit, ...]:
    """The decomposition that counts where the leader has not said another: the largest units first.

    Raises:
        ValueError: the cards are not all of one group.
    """
    if order.only_group(cards) is None:
        raise ValueError(f"not of one suit: {format_cards(cards)!r}")
    return next(_split(order.held(cards), tractors))


def is_combination(cards: tuple[Card, ...], order: Order, tractors: Tractors = PLAIN) -> bool:
    """Whether the cards are one unit; if not they are a throw (甩牌), as 55566 is (SJO-28, SJE-18)."""
    return order.only_group(cards) is not None and len(best_reading(cards, order, tractors)) == 1


# Fitting shapes into cards ------------------------------------------------------------------------------


@lru_cache(maxsize=65536)
def fits(columns: Columns, shape: Shape, split: bool = True) -> bool:
    """Whether the shape can be taken out of the cards, with the best assignment.

    Args:
        columns: the cards of one group.
        shape: what is wanted together.
        split: whether a pair may be taken out of a triple and so on (SJO-36); otherwise only exact
            copies serve (SJE-26: 三个的可以不出). A guarded form never takes cards of a tractor.
    """
    if not shape:
        return True
    return any(True for _ in _assign(_guard(columns, shape), shape, 0, None, split))


@lru_cache(maxsize=16384)
def tops(columns: Columns, shape: Shape) -> frozenset[tuple[int, ...]]:
    """The places of the highest cards of the shape's units, for each way to find the shape in the cards."""
    return frozenset(_assign(_guard(columns, shape), shape, 0, None, True))


_Marked: TypeAlias = tuple[tuple[int, tuple[tuple[int, bool], ...]], ...]
"""Columns whose counts carry whether a guarded form may take them."""


def _guard(columns: Columns, shape: Shape) -> _Marked:
    """Mark the counts that stand in a tractor, if any form of the shape asks for that."""
    if not any(form.guarded for form in shape):
        return tuple((place, tuple((count, True) for count in counts)) for place, counts in columns)
    paired = {place for place, counts in columns if counts[-1] >= 2}
    return tuple(
        (place, tuple((n, not (n >= 2 and {place - 1, place + 1} & paired)) for n in counts))
        for place, counts in columns
    )


def _assign(
    left: _Marked, shape: Shape, index: int, highest: int | None, split: bool
) -> Iterator[tuple[int, ...]]:
    """Tops of the units from `index` on, each way to place them once; like units in descending order."""
    if index == len(shape):
        yield ()
        return
    form = shape[index]
    places = dict(left)
    same_next = index + 1 < len(shape) and shape[index + 1] == form
    seen: set[tuple[int, ...]] = set()
    for low in sorted(places, reverse=True):
        top = low + form.length - 1
        if highest is not None and top > highest:
            continue
        for rest in _remove(places, low, form, split):
            for others in _assign(rest, shape, index + 1, top if same_next else None, split):
                found = (top, *others)
                if found not in seen:
                    seen.add(found)
                    yield found


def _remove(
    places: dict[int, tuple[tuple[int, bool], ...]], low: int, form: Form, split: bool
) -> Iterator[_Marked]:
    """The columns without one unit of this form that starts at `low`, for each choice of card names."""
    states = [places]
    for place in range(low, low + form.length):
        after: list[dict[int, tuple[tuple[int, bool], ...]]] = []
        for state in states:
            for counts in _shrunk(state.get(place, ()), form, split):
                after.append({**state, place: counts})
        if not after:
            return
        states = after
    for state in states:
        yield tuple((place, counts) for place, counts in sorted(state.items()) if counts)


def _shrunk(
    counts: tuple[tuple[int, bool], ...], form: Form, split: bool
) -> Iterator[tuple[tuple[int, bool], ...]]:
    """The counts of one place after `form.width` copies of one card name are gone, each outcome once."""
    for i, (count, free) in enumerate(counts):
        if (i and counts[i - 1] == counts[i]) or (form.guarded and not free):
            continue
        if count == form.width or (split and count > form.width):
            rest = [*counts[:i], *counts[i + 1 :]]
            if count > form.width:
                rest.append((count - form.width, free))
            yield tuple(sorted(rest))
