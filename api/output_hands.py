"""The four hands for outputs, where a feed has told them: kept back there until a policy lets them go."""

from __future__ import annotations

from collections import Counter
from typing import Any

from table.cards import Card
from table.match import MatchState


def hands_part(state: MatchState | None) -> dict[str, Any] | None:
    """The hands of the deal on the table; None where nobody has told them.

    Returns:
        `deal`; `hands` as dealt and `left` at this moment (absent where a hidden exchange makes it unknown), seat to
        cards, highest first.
    """
    if state is None or state.deal is None:
        return None
    known = state.known.hands
    if not any(hand.dealt is not None for hand in known):
        return None
    return {
        "deal": state.number,
        "hands": {str(seat): _sorted(Counter(hand.dealt or ())) for seat, hand in enumerate(known)},
        "left": {
            str(seat): _sorted(now) for seat, hand in enumerate(known) if (now := hand.now()) is not None
        },
    }


def _sorted(cards: Counter[Card]) -> list[str]:
    return [str(card) for card in sorted(cards.elements(), key=lambda card: card.index, reverse=True)]
