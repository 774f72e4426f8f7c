"""How a deal is opened: who shuffles, cuts and draws first, and which turned card does not count."""

from __future__ import annotations

from table.cards import Card
from table.rulesets import Profile
from table.seats import Seat, next_seat, side_of


def roles_before(profile: Profile, finish: tuple[Seat, ...]) -> dict[str, Seat]:
    """Who shuffles, cuts and draws first after a finish (GDO-20, GDE-18).

    >>> from table.rulesets import load_profile
    >>> roles_before(load_profile("guandan-official"), (0, 1, 2, 3))
    {'shuffles': 3, 'cuts': 0, 'draws_first': 3}
    """
    first, last = finish[0], finish[3]
    double = side_of(finish[0]) == side_of(finish[1])
    if profile.word("draw.after_first") == "winner_cuts":
        draws = next_seat(first) if double else last
        return {"shuffles": (first - 1) % 4, "cuts": first, "draws_first": draws}
    return {"shuffles": last, "cuts": first, "draws_first": last}


def first_drawer(profile: Profile, card: Card, turner: Seat) -> Seat | None:
    """Who draws first in a first deal: counted from the turner, himself one, by the card (GDO-18, GDE-15).

    A=1, J=11, Q=12, K=13, jokers by the profile; None when the card must be turned again (GDO-17).

    >>> from table.rulesets import load_profile
    >>> first_drawer(load_profile("guandan-event"), Card.parse("BJ"), 1)
    2
    """
    if must_turn_again(profile, card):
        return None
    values = {"A": 1, "J": 11, "Q": 12, "K": 13, "LJ": profile.whole("draw.little_joker_counts"),
              "BJ": profile.whole("draw.big_joker_counts")}  # fmt: skip
    value = values.get(card.rank) or int(card.rank)
    return (turner + value - 1) % 4


def must_turn_again(profile: Profile, card: Card) -> bool:
    """Whether a turned card does not count: a joker or the heart level card of a first deal (GDO-17)."""
    return profile.flag("draw.turn_again") and (card.is_joker or card == Card("H", "2"))
