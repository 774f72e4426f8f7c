"""The result of a deal: points, kitty, band with what rulings made of it, levels, bank, and games won."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from table.cards import format_cards
from table.match import Outcome, Standing
from table.rulesets import Profile
from table.seats import Seat, Side, side_of
from table.shengji import levels as ladder
from table.shengji.deal import Deal
from table.shengji.formats import best_reading
from table.shengji.kitty import multiplier
from table.shengji.levels import Band
from table.shengji.order import points_of


@dataclass(frozen=True, slots=True)
class Tally:
    """The attackers' points: from tricks, from the kitty (points times multiplier, 抠底), from fines."""

    tricks: int
    kitty: int
    times: int
    fines: int
    jack: bool

    @property
    def total(self) -> int:
        """What the level table is entered with."""
        return self.tricks + self.kitty * self.times + self.fines


def tally(deal: Deal) -> Tally | None:
    """The points of a deal that is over; None while they cannot be known."""
    if not deal.over or deal.banker is None or any(trick.winner is None for trick in deal.tricks):
        return None
    last = deal.tricks[-1]
    kitty, times, jack = 0, 0, False
    winner = last.winner
    if winner is not None and side_of(winner) != side_of(deal.banker):
        cards = deal.final_kitty
        order, won = deal.order, last.play_of(winner)
        if cards is None or order is None or won is None:
            return None
        kitty = points_of(cards)
        units = best_reading(won.cards, order, deal.tractors)
        times = multiplier(last.units, units, deal.rules.pack.packs, deal.rules.kitty)
        alone = deal.rules.levels.jack_back != "single_jack" or len(won.cards) == 1
        jack = alone and all(card.rank == "J" for card in won.cards)
    return Tally(deal.attackers_points(), kitty, times, deal.fines, jack)


def final_band(deal: Deal, points: int) -> Band:
    """The band of the points, and what upheld revokes and lost deals make of it (SJE-43, SJE-44, SJE-49)."""
    rules = deal.rules
    found = ladder.band(points, rules.levels, rules.total_points)
    assert deal.banker is not None
    bank = side_of(deal.banker)
    for name, side in deal.verdicts:
        found = _with_verdict(found, name, side == bank, rules.fines.revoke)
    return found


def _with_verdict(band: Band, name: str, by_bank: bool, policy: str) -> Band:
    """One ruling. A revoke costs its side what the points left it, or gives the other side one level more.

    Points of exactly the border are the upper branch: there the attackers have the bank (catalogue 5.2, 21).
    """
    if name == "lose_deal":
        if by_bank:
            return band if band.taken else Band(True, 0)
        return Band(False, 1) if band.taken else band
    if policy == "other_side_up":
        earned = band.rise if band.taken == by_bank else 0
        return Band(by_bank, earned + 1)
    if by_bank:
        return Band(True, band.rise + 1) if band.taken else Band(True, 0)
    return Band(False, 1) if band.taken else Band(False, band.rise + 1)


def outcome_of(deal: Deal) -> Outcome | None:
    """The result once it is decided."""
    if deal.replayed:
        return Outcome({"deal": deal.number, "replay": True})
    found = tally(deal)
    if found is None or deal.banker is None:
        return None
    band = final_band(deal, found.total)
    bank = side_of(deal.banker)
    kitty = deal.final_kitty
    data: dict[str, Any] = {
        "deal": deal.number,
        "banker": deal.banker,
        "trump": deal.trump,
        "level": deal.level,
        "attackers": 1 - bank,
        "points": found.total,
        "trick_points": found.tricks,
        "kitty_points": found.kitty,
        "kitty_multiplier": found.times,
        "fines": found.fines,
        "kitty": format_cards(sorted(kitty, key=lambda card: card.index)) if kitty is not None else None,
        "attackers_take_bank": band.taken,
        "side": 1 - bank if band.taken else bank,
        "rise": band.rise,
        "next_banker": (deal.banker + 1) % 4 if band.taken else (deal.banker + 2) % 4,
    }
    return Outcome(data, complete=True)


def settled(base: Standing, deal: Deal, profile: Profile, start: tuple[str, str]) -> Standing:
    """The standing after a deal; a replayed one leaves it as it was (SJE-46)."""
    found = tally(deal)
    if deal.replayed or found is None or deal.banker is None:
        return base
    bank = side_of(deal.banker)
    before = list(base.levels)
    before[bank] = deal.level
    result = ladder.outcome(
        found.total,
        deal.banker,
        (before[0], before[1]),
        deal.rules,
        jack_trick=found.jack,
        forced_band=final_band(deal, found.total),
    )
    after = replace(
        base, levels=result.levels, memory=replace(base.memory, banker=result.banker),
        declarer=side_of(result.banker),
    )  # fmt: skip
    if result.winner is None:
        return after
    return _game_won(after, result.winner, profile, start)


def _game_won(standing: Standing, side: Side, profile: Profile, start: tuple[str, str]) -> Standing:
    """A game (局) won; by levels that may be the match, else the next game begins from the start."""
    games = (standing.games[0] + (side == 0), standing.games[1] + (side == 1))
    if profile.word("format.kind") == "levels" and games[side] >= profile.whole("format.games"):
        return replace(standing, games=games, winner=side, decided_by="levels")
    memory = replace(standing.memory, banker=None)
    return replace(standing, games=games, levels=start, memory=memory, declarer=None)


@dataclass(frozen=True, slots=True)
class Memory:
    """What is carried from deal to deal: the next banker, and the levels at which a game starts."""

    banker: Seat | None = None
    start: tuple[str, str] = ("2", "2")
