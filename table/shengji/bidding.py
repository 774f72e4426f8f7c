"""Showing trump (亮主), overturning (反主), reinforcing (加固): which shows count, and what trump becomes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from table.cards import RANKS, Card
from table.seats import Seat, partner
from table.shengji.keys import Declare, Rules

_SUIT_HEIGHT: Final = {"D": 0, "C": 1, "H": 2, "S": 3}


@dataclass(frozen=True, slots=True)
class Declaration:
    """What one seat has lying face up to declare: `count` copies of `card`."""

    seat: Seat
    card: Card
    count: int

    @property
    def trump(self) -> str | None:
        """The suit that it makes trump, or None for no trump (SJO-17)."""
        return self.card.suit or None


@dataclass(frozen=True, slots=True)
class Bidding:
    """The declarations of a deal that counted, in order; the last one stands."""

    level: str | None
    banker: Seat | None = None
    shown: tuple[Declaration, ...] = ()

    @property
    def standing(self) -> Declaration | None:
        """The declaration that stands."""
        return self.shown[-1] if self.shown else None


@dataclass(frozen=True, slots=True)
class Show:
    """What one showing was: `declare`, `overturn`, `reinforce`, or why it does not count (`problem`)."""

    what: str
    declaration: Declaration | None
    problem: str = ""


def show(
    bidding: Bidding, seat: Seat, cards: Sequence[Card], rules: Rules, *, after_kitty: bool = False
) -> Show:
    """Judge one showing of cards against those before it (SJO-12 to SJO-17, SJE-09 to SJE-13).

    Args:
        bidding: what has counted so far.
        seat: who shows.
        cards: what he lays down now; the cards of his own standing declaration may be repeated or left out.
        rules: the profile.
        after_kitty: whether the banker has taken the kitty.

    The problem, where there is one: `fixed`, `mixed`, `not_level`, `joker`, `too_many`, `after_kitty`,
    `own`, `overturned` (too late to reinforce), `reinforce`, `weaker`, `order`.
    """
    declare = rules.declare
    if declare.by == "fixed":
        return Show("declare", None, "fixed")
    if len(set(cards)) != 1:
        return Show("declare", None, "mixed")
    made = Declaration(seat, cards[0], len(cards))
    if problem := _form_problem(made, bidding.level, rules):
        standing = bidding.standing
        own = standing is not None and standing.seat == seat and standing.card == made.card
        if not (own and problem == "joker"):
            return Show("declare", None, problem)
    if after_kitty and not declare.after_kitty:
        return Show("declare", None, "after_kitty")
    standing = bidding.standing
    if standing is None:
        return Show("declare", made, _order_problem(bidding, seat, declare))
    mine = next((d for d in reversed(bidding.shown) if d.seat == seat and d.card == made.card), None)
    if mine is not None:
        return _reinforced(bidding, standing, mine, len(cards), rules)
    if standing.seat == seat and not declare.overturn_own:
        return Show("overturn", None, "own")
    if not _stronger(made, standing, declare):
        return Show("overturn", None, "weaker")
    return Show("overturn", made, _order_problem(bidding, seat, declare))


def applied(bidding: Bidding, shown: Show) -> Bidding:
    """The bidding after a showing; one that does not count changes nothing."""
    if shown.declaration is None or shown.problem:
        return bidding
    return replace(bidding, shown=(*bidding.shown, shown.declaration))


def taken_back(bidding: Bidding, seat: Seat) -> Bidding:
    """The bidding after a seat has taken back its standing declaration, where the profile has that."""
    if bidding.standing is None or bidding.standing.seat != seat:
        return bidding
    shown = bidding.shown
    while shown and shown[-1].seat == seat:
        shown = shown[:-1]
    return replace(bidding, shown=shown)


def _form_problem(made: Declaration, level: str | None, rules: Rules) -> str:
    """What is wrong with the cards themselves."""
    packs, jokers = rules.pack.packs, rules.declare.jokers
    if made.count > packs:
        return "too_many"
    if not made.card.is_joker:
        return "" if made.card.rank == level else "not_level"
    if not rules.declare.no_trump or jokers == "none":
        return "joker"
    needed = 2
    if jokers != "two_or_more":
        needed = packs
        if jokers == "small_all_big_one_less" and made.card.rank == "BJ":
            needed = packs - 1
    return "" if made.count >= max(2, needed) else "joker"


def _reinforced(bidding: Bidding, standing: Declaration, mine: Declaration, cards: int, rules: Rules) -> Show:
    """Adding the identical card to one's own declaration (SJO-15, SJE-10, dispute A22)."""
    count = cards if cards > mine.count else mine.count + cards
    made = replace(mine, count=count)
    policy = rules.declare.reinforce
    if count > rules.pack.packs:
        return Show("reinforce", None, "too_many")
    if policy == "never":
        return Show("reinforce", None, "reinforce")
    if standing != mine:
        tied = policy == "while_equivalent" and _strength(mine, rules.declare) == _strength(
            standing, rules.declare
        )
        if not tied:
            return Show("reinforce", None, "overturned")
    return Show("reinforce", made)


def _strength(made: Declaration, declare: Declare) -> tuple[int, ...]:
    """Larger for the stronger declaration (SJO-13)."""
    kind = {"LJ": 1, "BJ": 2}.get(made.card.rank, 0)
    if declare.stronger == "count":
        return (made.count,)
    if declare.stronger == "count_then_jokers":
        return (made.count, kind)
    return (made.count, kind, _SUIT_HEIGHT.get(made.card.suit, 0) if made.count > 1 else 0)


def _stronger(made: Declaration, than: Declaration, declare: Declare) -> bool:
    """Strictly stronger: at equal strength the first stands (SJE-10)."""
    return _strength(made, declare) > _strength(than, declare)


def _order_problem(bidding: Bidding, seat: Seat, declare: Declare) -> str:
    """With the banker's partner speaking first, each speaks once in turn (SJO-20)."""
    if declare.order != "partner_first" or bidding.banker is None:
        return ""
    first = partner(bidding.banker)
    turn = (seat - first) % 4
    return "order" if any((d.seat - first) % 4 >= turn for d in bidding.shown) else ""


def turned_suit(cards: Sequence[Card], level: str | None, procedure: str, kitty_size: int) -> str | None:
    """The trump suit that cards turned from the kitty name; None while they name none yet (SJO-19, SJE-14).

    Args:
        cards: what has been turned, in order. A joker names nothing and the next card is turned.
        level: the level of the deal.
        procedure: a value of `declare.nobody`.
        kitty_size: cards in the kitty; the highest counts once all are seen (`level_or_highest`).
    """
    suited = [card for card in cards if not card.is_joker]
    if not suited:
        return None
    if procedure != "level_or_highest":
        return suited[0].suit
    for card in suited:
        if card.rank == level:
            return card.suit
    if len(cards) < kitty_size:
        return None
    return max(suited, key=lambda card: RANKS.index(card.rank)).suit


def first_banker(bidding: Bidding, rules: Rules) -> Seat | None:
    """The banker of a first deal that was bid for (抢庄, SJO-18, SJE-13)."""
    if not bidding.shown:
        return None
    return bidding.shown[-1 if rules.declare.first_banker == "last" else 0].seat
