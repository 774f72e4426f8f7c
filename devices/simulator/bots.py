"""Plays whole matches with seeded bots and writes them down as a record: what every game's bots share.

The bots of a game live in `devices.simulator.NAME_bots`, which offers `BOTS`: a class fulfilling `GameBots`,
called with a profile, a random generator and habits.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Final, Protocol

from table.rulesets import Profile

NAMES: Final = ("甲", "乙", "丙", "丁")


@dataclass(frozen=True, slots=True)
class Habits:
    """How the bots behave where the rules leave it to them.

    Attributes:
        sealed: the hands are in the record as `dealt` events.
        slow: the longest thought over a play or pass, seconds, where the limit is longer.
        on_the_limit: how often somebody acts exactly at the end of the time (which is in time).
        pass_rate: how often somebody who could beat passes.
        stoppages: how often the referee stops the clock for a while before somebody acts.
        chatter: how often a spoken meaning is added where none is needed, or a count is asked where that is
            allowed.
        gap: seconds between deals, shortest and longest.
        draw: seconds that drawing the cards takes, shortest and longest.
    """

    sealed: bool = False
    slow: float = 8.0
    on_the_limit: float = 0.005
    pass_rate: float = 0.4
    stoppages: float = 0.01
    chatter: float = 0.1
    gap: tuple[float, float] = (10.0, 40.0)
    draw: tuple[float, float] = (60.0, 100.0)


@dataclass(slots=True)
class Script:
    """A record in the making: numbers events, keeps the time; `truth` says what was so after each."""

    events: list[dict[str, Any]] = field(default_factory=list)
    now: float = 0.0
    truth: dict[int, Any] = field(default_factory=dict)

    def add(self, name: str, after: float = 0.0, **fields: Any) -> dict[str, Any]:
        """Write an event down, `after` seconds after the one before; fields that are None are left out."""
        self.now = round(self.now + after, 2)
        event: dict[str, Any] = {"seq": len(self.events) + 1, "at": self.now, "event": name}
        event.update({key: value for key, value in fields.items() if value is not None})
        self.events.append(event)
        return event


class GameBots(Protocol):
    """Four bots that know one game and remember the match from deal to deal."""

    @property
    def levels(self) -> list[str]:
        """The levels of side 0 and side 1 now."""
        ...

    def play_deal(self, script: Script) -> bool:
        """Play the next deal to its end, from `deal_started` on. False when the match is over with it."""
        ...


def bots_for(profile: Profile, rng: random.Random, habits: Habits | None = None) -> GameBots:
    """The bots of the profile's game."""
    module = import_module(f"devices.simulator.{profile.game}_bots")
    bots: GameBots = module.BOTS(profile, rng, habits or Habits())
    return bots


def play_match(
    profile: Profile,
    rng: random.Random,
    *,
    deals: int | None = None,
    habits: Habits | None = None,
    levels: tuple[str, str] | None = None,
    options: Mapping[str, Any] | None = None,
) -> Script:
    """A random match by the rules of `profile`, as the events of a record.

    Args:
        profile: the rule set.
        rng: the only source of chance: equal seeds, equal records.
        deals: stop after so many; None plays until the match is over.
        habits: how the bots behave.
        levels: where both sides start; None for the beginning of a match.
        options: keys of the profile that this match overrides.
    """
    profile = profile.with_options(options or {})
    bots = bots_for(profile, rng, habits)
    if levels is not None:
        bots.levels[:] = levels
    script = Script()
    script.add(
        "match_started",
        profile=profile.name,
        players=list(NAMES),
        levels=list(bots.levels),
        options=dict(options) if options else None,
    )
    played = 0
    while deals is None or played < deals:
        played += 1
        if not bots.play_deal(script):
            break
    return script
