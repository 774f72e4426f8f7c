"""The structure of a throw as its player says it (要说明甩牌结构, SJE-19): words to a decomposition."""

from __future__ import annotations

import re
from typing import Final

from table.cards import Card
from table.shengji.formats import PLAIN, Tractors, Unit, best_reading, readings
from table.shengji.order import Order

_WORDS: Final = (
    ("triple_tractor", ("triple tractor", "triple_tractor", "连刻", "推土机", "三联对拖")),
    ("tractor", ("tractor", "拖拉机", "连对")),
    ("triple", ("triple", "三条", "刻子", "三张")),
    ("pair", ("pair", "对子", "对牌", "一对", "对")),
    ("single", ("single", "单张", "单牌", "单")),
)
"""Kinds and the words for them, the longer word before a word that it contains."""


def spoken_kinds(says: str) -> list[str]:
    """The kinds of units that are named, in the order in which they are said.

    >>> spoken_kinds("三条加一对")
    ['triple', 'pair']
    >>> spoken_kinds("tractor + single")
    ['tractor', 'single']
    """
    table = {word: kind for kind, words in _WORDS for word in words}
    pattern = "|".join(re.escape(word) for word in sorted(table, key=len, reverse=True))
    return [table[word] for word in re.findall(pattern, says.lower())]


def spoken_reading(
    cards: tuple[Card, ...], says: str | None, order: Order, tractors: Tractors = PLAIN
) -> tuple[Unit, ...]:
    """The decomposition with the kinds of units that were named; without words, or none such, the usual one.

    Several units of one kind may be named once ("tractor and singles").

    Raises:
        ValueError: the cards are not all of one group.
    """
    usual = best_reading(cards, order, tractors)
    kinds = spoken_kinds(says) if says else []
    if not kinds:
        return usual
    named = [units for units in readings(cards, order, tractors) if {u.kind for u in units} == set(kinds)]
    exact = [units for units in named if sorted(u.kind for u in units) == sorted(kinds)]
    return (exact or named or [usual])[0]
