"""What a deal's points do: bands, levels (级), the next banker (庄家), and who has won the match."""

from __future__ import annotations

from dataclasses import dataclass

from table.seats import Seat, Side, next_seat, partner, side_of
from table.shengji.keys import Levels, Rules
from table.shengji.order import LEVELS


@dataclass(frozen=True, slots=True)
class Band:
    """Which side goes up and by how many levels. `taken` is whether the attackers take the bank (上台)."""

    taken: bool
    rise: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """What follows from one deal: levels of both sides, the next banker, and the winner of the match."""

    band: Band
    levels: tuple[str, str]
    banker: Seat
    winner: Side | None


def band(points: int, rules: Levels, total: int) -> Band:
    """The band of the attackers' points (SJO-51, SJE-40), with what lies beyond the table.

    Args:
        points: points of the attackers (闲家 / 抓分方), negative where fines made them so.
        rules: the profile's keys of levels.
        total: points that all packs hold, for the cap (SJO-52).
    """
    if rules.cap:
        points = max(0, min(points, total))
    step, needed = rules.step, rules.takeover_steps
    if points >= needed * step:
        rise = max(0, (points - needed * step) // step - rules.dead_zone + 1)
        return Band(True, _limited(rise, rules))
    if points >= 0:
        rise = needed - points // step
        if points == 0 and rules.zero_band:
            rise += 1
    else:
        rise = needed + (1 if rules.zero_band else 0) + -(points // step)
    return Band(False, _limited(rise, rules))


def _limited(rise: int, rules: Levels) -> int:
    return min(rise, rules.most_rise) if rules.most_rise else rise


def raised(level: str, rise: int, *, played: bool, rules: Levels) -> tuple[str, bool]:
    """A side's level after a rise, and whether it has passed the last level.

    A level that must be played (必打) is never jumped over, and is left only by the side that played it as
    banker and held the bank (`played`).

    >>> raised("K", 3, played=True, rules=Levels())
    ('A', False)
    >>> raised("A", 1, played=True, rules=Levels())
    ('A', True)
    """
    ladder = LEVELS[: LEVELS.index(rules.last) + 1]
    must = {*rules.must_play} | (set() if rules.overshoot_wins else {rules.last})
    if level not in ladder:
        return level, False
    at = ladder.index(level)
    for _ in range(rise):
        if ladder[at] in must and not (played and ladder[at] == level):
            break
        if at + 1 == len(ladder):
            return ladder[at], True
        at += 1
    return ladder[at], False


def outcome(
    points: int,
    banker: Seat,
    levels: tuple[str, str],
    rules: Rules,
    *,
    jack_trick: bool = False,
    forced_band: Band | None = None,
) -> Outcome:
    """Level changes and the next banker (SJO-53).

    Args:
        points: the attackers' points.
        banker: the deal's banker.
        levels: levels of side 0 and side 1 before; the bank's is the one that was played.
        rules: the profile.
        jack_trick: whether the last trick was won by the attackers with a J as `levels.jack_back` means it.
        forced_band: the band after penalties, where they changed it (SJE-43).
    """
    bank = side_of(banker)
    found = forced_band or band(points, rules.levels, rules.total_points)
    side = 1 - bank if found.taken else bank
    level, passed = raised(levels[side], found.rise, played=not found.taken, rules=rules.levels)
    after = [*levels]
    after[side] = level
    if jack_trick and rules.levels.jack_back != "none" and levels[bank] == "J":
        after[bank] = "2"
    return Outcome(
        found,
        (after[0], after[1]),
        next_seat(banker) if found.taken else partner(banker),
        side if passed else None,
    )
