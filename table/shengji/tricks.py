"""Who wins a trick (圈): following suit, ruffs (将吃), over-ruffs (超将吃), with the best assignment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from table.cards import Card
from table.shengji.formats import Columns, Form, Shape, Unit, card_columns, fits, shape_of, tops
from table.shengji.keys import Ruff
from table.shengji.order import TRUMP, Order, points_of

Strength: TypeAlias = tuple[tuple[int, ...], ...]
"""Tops of a play's units by form of the lead, the largest form first, singles last, each highest first."""


@dataclass(frozen=True, slots=True)
class TrickResult:
    """Which play wins, the points on the table, and what each play was.

    `roles` in order of play: `lead`, `follow`, `discard` (垫牌: a side card, or a shape that does not match),
    `ruff`, `over_ruff`, `under_ruff` (matches, but is not higher).
    """

    winner: int
    points: int
    roles: tuple[str, ...]


def trick(lead: Sequence[Unit], plays: Sequence[Sequence[Card]], order: Order, rules: Ruff) -> TrickResult:
    """Decide a trick, whole or as far as it has gone.

    Args:
        lead: the units of the lead.
        plays: the cards in order of play, the lead first.
        order: the order of the deal.
        rules: the profile's policy of over-ruffs.

    Equal strength stays with the earlier play (SJO-45, SJE-08); what does not match the led shape never
    wins (SJO-46); a throw that is not ruffed is won by the thrower (SJO-32).
    """
    if rules.bombs != "none" and (bomb := _best_bomb(plays, order)) is not None:
        said = tuple("bomb" if is_bomb(play) else "follow" for play in plays[1:])
        return TrickResult(bomb, sum(points_of(play) for play in plays), ("lead", *said))
    shape = shape_of(lead)
    led_group = order.group(lead[0].cards[0])
    singles = sum(1 for unit in lead if len(unit.cards) == 1)
    throw = len(lead) > 1
    best, best_group = 0, led_group
    best_columns = card_columns(plays[0], order)
    roles = ["lead"]
    for i, play in enumerate(plays[1:], start=1):
        group = order.only_group(play)
        if group not in (led_group, TRUMP) or group is None:
            roles.append("discard" if group != led_group else "follow")
            continue
        columns = card_columns(play, order)
        if len(play) != len(plays[0]) or not fits(columns, shape):
            roles.append("follow" if group == led_group else "discard")
            continue
        if group == led_group:
            roles.append("follow")
            if throw or best_group != led_group or not _higher(columns, best_columns, shape, singles, rules):
                continue
        elif best_group == led_group:
            roles.append("ruff")
        elif _higher(columns, best_columns, shape, singles, rules):
            roles.append("over_ruff")
        else:
            roles.append("under_ruff")
            continue
        best, best_group, best_columns = i, group, columns
    return TrickResult(best, sum(points_of(play) for play in plays), tuple(roles))


def is_bomb(cards: Sequence[Card]) -> bool:
    """Four or more identical cards (a key of profiles with four packs)."""
    return len(cards) >= 4 and len(set(cards)) == 1


def _best_bomb(plays: Sequence[Sequence[Card]], order: Order) -> int | None:
    """The play of the highest bomb: a trump over a side suit, then by rank; the first of equals."""
    bombs = [
        (order.group(play[0]) == TRUMP, order.place(play[0]), -i)
        for i, play in enumerate(plays)
        if is_bomb(play) and len(play) == len(plays[0])
    ]
    return -max(bombs)[2] if bombs else None


def _higher(columns: Columns, than: Columns, shape: Shape, singles: int, rules: Ruff) -> bool:
    """Whether the first cards beat the second, both of one group and of the led shape (SJO-44, SJE-34)."""
    mine, theirs = _strengths(columns, shape, singles), _strengths(than, shape, singles)
    if rules.compare == "largest_unit":
        return max(s[0][0] for s in mine) > max(s[0][0] for s in theirs)
    if rules.compare == "kinds_in_turn":
        kinds = max(1, len(mine[0]) - (1 if singles else 0))
        return max(_heads(s, kinds) for s in mine) > max(_heads(s, kinds) for s in theirs)
    if rules.compare == "every_unit":
        target = max(theirs)
        return any(
            all(
                a > b for left, right in zip(s, target, strict=True) for a, b in zip(left, right, strict=True)
            )
            for s in mine
        )
    return columns[-1][0] > than[-1][0]


def _heads(strength: Strength, kinds: int) -> tuple[int, ...]:
    """The highest unit of each of the first kinds."""
    return tuple(tops_of_kind[0] for tops_of_kind in strength[:kinds])


def _strengths(columns: Columns, shape: Shape, singles: int) -> list[Strength]:
    """The tops by form, for each assignment of the cards to the led shape.

    The singles that an assignment leaves over are counted as what remains of the cards' places; where triples
    are split the same place may serve twice, as it does on the table.
    """
    forms: list[Form] = list(dict.fromkeys(shape))
    found: list[Strength] = []
    for assignment in tops(columns, shape):
        by_form = tuple(
            tuple(sorted((top for top, f in zip(assignment, shape, strict=True) if f == form), reverse=True))
            for form in forms
        )
        found.append((*by_form, *([_left_over(columns, shape, assignment)] if singles else [])))
    return found


def _left_over(columns: Columns, shape: Shape, assignment: tuple[int, ...]) -> tuple[int, ...]:
    """Places of the cards that the units of an assignment leave as singles, the highest first."""
    counts = {place: sum(copies) for place, copies in columns}
    for form, top in zip(shape, assignment, strict=True):
        for place in range(top - form.length + 1, top + 1):
            counts[place] -= form.width
    return tuple(place for place in sorted(counts, reverse=True) for _ in range(counts[place]))
