"""One deal of Guandan played by the rules, with what was so at every moment: what faults are planted in."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any, Final

from devices.simulator.bots import NAMES, Habits, Script
from devices.simulator.faults import Expected, Record
from devices.simulator.guandan_bots import Deal, GuandanBots, Moment, TableRules
from table.cards import RANKS
from table.rulesets import Profile
from table.seats import SEATS, Seat

NO_STOPPAGES: Final = Habits(stoppages=0)


@dataclass(frozen=True)
class Sample:
    """One deal played by the rules, in which a fault is to be planted."""

    profile: Profile
    rng: random.Random
    rules: TableRules
    script: Script

    @property
    def events(self) -> Record:
        """The events of the record."""
        return self.script.events

    def before(self, number: int) -> Moment:
        """What was so just before event `number`."""
        while number > 1:
            number -= 1
            if number in self.script.truth:
                moment: Moment = self.script.truth[number]
                return moment
        raise LookupError("nothing is known before the cards are drawn")

    def plays(self, *names: str) -> list[dict[str, Any]]:
        """The events of these names (plays if none is given), in a random order."""
        chosen = [event for event in self.events if event["event"] in (names or ("play",))]
        self.rng.shuffle(chosen)
        return chosen

    def finds(
        self, kind: str, seat: Seat | None, known_at: int, *, check: str = "", certainty: str = "proven"
    ) -> Expected:
        """The finding to expect; it cites the profile's rule for `check` (by default the kind)."""
        return Expected(kind, seat, known_at, self.profile.rule(check or kind), certainty)

    def next_act(self, number: int, seat: Seat | None = None) -> int | None:
        """The next play or pass after event `number` (of a seat other than `seat`)."""
        for event in self.events[number:]:
            if event["event"] in ("play", "pass") and event["seat"] != seat:
                return int(event["seq"])
        return None


def one_deal(
    profile: Profile,
    rng: random.Random,
    *,
    deal_class: type[Deal] = Deal,
    finish: list[Seat] | None = None,
    habits: Habits | None = None,
) -> Sample:
    """One deal of a match at random levels; with `finish` it is one that begins with tribute."""
    bots = GuandanBots(profile, rng, habits or Habits())
    bots.deal_class = deal_class
    if finish is not None:
        bots.levels = [rng.choice(RANKS[:-1]), rng.choice(RANKS[:-1])]
        bots.finish = finish
    script = Script()
    script.add("match_started", profile=profile.name, players=list(NAMES), levels=list(bots.levels))
    bots.play_deal(script)
    return Sample(profile, rng, bots.rules, script)


def some_finish(rng: random.Random, double: bool | None = None) -> list[Seat]:
    """A random order of finish; `double`: whether both players of a side were last."""
    while True:
        order = rng.sample(SEATS, 4)
        if double is None or (order[0] % 2 == order[1] % 2) is double:
            return order
