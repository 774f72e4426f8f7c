"""Levels (级) of Guandan: how far the winners rise, how an ace is passed or failed, what is played next."""

from __future__ import annotations

from dataclasses import dataclass, replace

from table.awards import raised, with_level
from table.guandan.deal import Deal
from table.match import MatchState, Standing
from table.rulesets import Profile
from table.seats import Seat, Side, partner, side_of


@dataclass(frozen=True, slots=True)
class Memory:
    """What Guandan carries from deal to deal.

    Attributes:
        finish: seats of the deal before, first out first, as far as known; None before the first deal.
        failures: failed attempts at A of each side.
        suspended: the side that may not play its A in the next deal.
        start: the levels at which games begin.
    """

    finish: tuple[Seat, ...] | None = None
    failures: tuple[int, int] = (0, 0)
    suspended: Side | None = None
    start: tuple[str, str] = ("2", "2")


def rise_for(finish: tuple[Seat, ...], profile: Profile) -> int:
    """Levels that 上游's side rises: by the place of the partner, +3, +2, +1 (GDO-56, GDE-26).

    >>> from table.rulesets import load_profile
    >>> [rise_for(f, load_profile("guandan-official")) for f in ((0, 2, 1, 3), (0, 1, 2, 3), (0, 1, 3, 2))]
    [3, 2, 1]
    """
    place = finish.index(partner(finish[0])) if partner(finish[0]) in finish else 3
    steps = profile["levels.rise"]
    return int(steps[place - 1])


def next_level(standing: Standing, profile: Profile) -> str | None:
    """The level of the next deal: that of the side which declares (GDO-03); None before that is known."""
    memory: Memory = standing.memory
    levels = standing.levels
    if standing.declarer is None:
        return levels[0] if levels[0] == levels[1] else None
    if memory.suspended == standing.declarer:
        return levels[1 - standing.declarer]
    return levels[standing.declarer]


def settled(match: MatchState, deal: Deal, finish: tuple[Seat, ...]) -> Standing:
    """The standing after a deal that finished so (GDO-56..58, GDE-26..28)."""
    profile, base = deal.profile, match.base
    memory: Memory = base.memory
    first = finish[0]
    side: Side = side_of(first)
    if deal.extra:
        return replace(base, winner=side, decided_by="extra_deal")
    memory = replace(memory, finish=finish, suspended=None)
    after = replace(base, declarer=side, memory=memory)
    if _passes_ace(deal, base, finish):
        return _game_won(after, side, profile, match)
    rise = rise_for(finish, profile)
    was = base.levels[side]
    new = raised(was, rise)
    if profile.flag("levels.overshoot_wins") and was != "A" and raised(was, rise - 1) == "A" and new == "A":
        return _game_won(after, side, profile, match)
    levels = (new, new) if profile.word("levels.track") == "shared" else with_level(base.levels, side, new)
    return _after_failure(replace(after, levels=levels), base, deal, finish)


def at_ace(deal: Deal, base: Standing, side: Side) -> bool:
    """Whether this deal is an attempt at A for a side: its own level is A and A is played (A级必打)."""
    if base.levels[side] != "A" or deal.level != "A":
        return False
    return (
        deal.declarer is None or deal.declarer == side or not deal.profile.flag("levels.ace_only_as_declarer")
    )


def _passes_ace(deal: Deal, base: Standing, finish: tuple[Seat, ...]) -> bool:
    """上游, and the partner not last (GDO-57, GDE-27)."""
    side = side_of(finish[0])
    if not at_ace(deal, base, side):
        return False
    if not deal.profile.flag("levels.ace_partner_not_last"):
        return True
    return rise_for(finish, deal.profile) > int(deal.profile["levels.rise"][2])


def _game_won(standing: Standing, side: Side, profile: Profile, match: MatchState) -> Standing:
    """A game (局) won; by levels that may be the match, else the next game begins from the start."""
    games = (standing.games[0] + (side == 0), standing.games[1] + (side == 1))
    won = profile.word("format.kind") == "levels" and games[side] >= profile.whole("format.games")
    if won:
        levels = with_level(standing.levels, side, "A")
        return replace(standing, games=games, levels=levels, winner=side, decided_by="levels")
    memory: Memory = standing.memory
    start = memory.start if profile.word("levels.next_game") == "start" else ("2", "2")
    fresh = Memory(start=memory.start)
    return replace(standing, games=games, levels=start, memory=fresh, declarer=None)


def _after_failure(standing: Standing, base: Standing, deal: Deal, finish: tuple[Seat, ...]) -> Standing:
    """Failures at A counted, and what follows from the last one allowed (GDE-28; catalogue 5.2 no. 5)."""
    profile = deal.profile
    memory: Memory = standing.memory
    failures = list(memory.failures)
    for side in (0, 1):
        if _failed(deal, base, finish, side):
            failures[side] += 1
        elif profile.word("levels.ace_attempt") == "consecutive":
            failures[side] = 0
    standing = replace(standing, memory=replace(memory, failures=(failures[0], failures[1])))
    for side in (0, 1):
        limit = profile.whole("levels.ace_attempts")
        last_place = profile.flag("levels.ace_finish_demotes") and _partner_last(deal, base, finish, side)
        if last_place or (failures[side] > memory.failures[side] and limit and failures[side] >= limit):
            standing = _consequence(standing, side, profile)
    return standing


def _failed(deal: Deal, base: Standing, finish: tuple[Seat, ...], side: Side) -> bool:
    own = base.levels[side] == "A" and deal.level == "A"
    if profile_requires_declarer(deal) and deal.declarer not in (None, side):
        return False
    if not own:
        return False
    if deal.profile.word("levels.ace_attempt") == "partner_last":
        return _partner_last(deal, base, finish, side)
    return True


def profile_requires_declarer(deal: Deal) -> bool:
    """Whether only the declaring side's deals count as attempts at A."""
    return deal.profile.flag("levels.ace_attempt_as_declarer")


def _partner_last(deal: Deal, base: Standing, finish: tuple[Seat, ...], side: Side) -> bool:
    """First and last at A."""
    own = base.levels[side] == "A" and deal.level == "A" and side_of(finish[0]) == side
    return own and rise_for(finish, deal.profile) == int(deal.profile["levels.rise"][2])


def _consequence(standing: Standing, side: Side, profile: Profile) -> Standing:
    memory: Memory = standing.memory
    if profile.word("levels.ace_counter") == "fresh":
        failures = (0, memory.failures[1]) if side == 0 else (memory.failures[0], 0)
        memory = replace(memory, failures=failures)
    match profile.word("levels.ace_fail"):
        case "demote":
            to = profile.word("levels.ace_fail_to")
            levels = standing.levels if to == "A" else with_level(standing.levels, side, to)
            return replace(standing, levels=levels, memory=memory)
        case "suspend":
            return replace(standing, memory=replace(memory, suspended=side))
        case _:
            return replace(standing, memory=memory)
