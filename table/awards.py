"""What an upheld penalty does to a match: levels awarded or lost, disqualification; the rest is the
game's."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from table.cards import RANKS
from table.findings import Claim
from table.match import MatchState
from table.penalties import Penalty
from table.seats import Side

LADDER: Final = RANKS
"""The levels (级数) from 2 to A (GDO-02)."""


def raised(level: str, by: int, top: str = "A", lowest: str = LADDER[0]) -> str:
    """A level moved up (or down) the ladder, stopped at its ends.

    >>> raised("K", 3)
    'A'
    >>> raised("3", -4)
    '2'
    """
    if level not in LADDER:
        return level
    place = LADDER.index(level) + by
    low, high = LADDER.index(lowest), LADDER.index(top)
    return LADDER[max(low, min(place, high))]


def with_level(levels: tuple[str, str], side: Side, level: str) -> tuple[str, str]:
    """The levels with that of one side replaced."""
    return (level, levels[1]) if side == 0 else (levels[0], level)


def applied(state: MatchState, claim: Claim, penalty: Penalty) -> MatchState:
    """The state with an upheld penalty applied; the standing is still to be computed anew.

    Level awards go to the base, so that a deal's result is added to them whatever the order. A penalty on
    nobody's account changes nothing. Warnings are counted elsewhere.
    """
    side = claim.offender
    if side is None or penalty.kind == "warning":
        return state
    base = state.base
    match penalty.kind:
        case "levels":
            gains: Side = 1 - side
            levels = with_level(base.levels, gains, raised(base.levels[gains], penalty.amount))
            return replace(state, base=replace(base, levels=levels))
        case "own_levels":
            levels = with_level(base.levels, side, raised(base.levels[side], penalty.amount))
            return replace(state, base=replace(base, levels=levels))
        case "disqualified":
            return replace(state, base=replace(base, winner=1 - side, decided_by="disqualified"))
        case _:
            if state.deal is None:
                return state
            return replace(state, deal=state.game.penalise(state.deal, claim, penalty))
