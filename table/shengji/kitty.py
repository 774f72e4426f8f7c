"""What the kitty (底牌) is worth to the attackers when they win the last trick (抠底)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from table.cards import Card
from table.shengji.formats import Unit
from table.shengji.keys import Kitty


def multiplier(lead: Sequence[Unit], winning: Sequence[Unit], packs: int, rules: Kitty) -> int:
    """How many times the points of the kitty count (SJO-48 to SJO-50, SJE-38, SJE-39).

    Args:
        lead: the units led to the last trick.
        winning: the units of the play that won it.
        packs: packs in play.
        rules: the profile's basis and table.
    """
    units = lead if rules.basis == "led_shape" else winning
    if rules.table == "product":
        return _product([card for unit in units for card in unit.cards])
    largest = max(units, key=lambda u: u.weight)
    if rules.table == "official":
        return _official(largest, len(units) > 1, packs)
    if rules.table == "online":
        return 2 if largest.width == 1 else 2 ** (largest.length + 1) * (largest.width - 1)
    cards = len(largest.cards)
    return 2 * cards if rules.table == "twice_cards" else 2**cards


def _official(largest: Unit, throw: bool, packs: int) -> int:
    """The official table (SJO-49). A throw counts by its largest component, singles alone three times."""
    pairs = largest.length
    if largest.width == 1:
        return 3 if throw else 2
    if largest.length == 1:
        return (4 if packs == 2 else 3) if largest.width == 2 else largest.width + 1
    if largest.width == 2:
        return 6 + 2 * (pairs - 2) if packs == 2 else 5 + (pairs - 2)
    return 6 + 2 * (pairs - 2) + 2 * (largest.width - 3)


def _product(cards: Sequence[Card]) -> int:
    """Twice, times two for each pair and three for each triple; triples are counted first (SJE-39)."""
    result = 2
    for count in Counter(cards).values():
        triples, rest = divmod(count, 3)
        result *= 3**triples * (2 if rest == 2 else 1)
    return result
