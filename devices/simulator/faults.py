"""Plants faults in simulated matches, each with the finding that must follow: what every game's faults share.

The faults of a game live in `devices.simulator.NAME_faults`, which offers `FAULTS`: name to a function that
makes one record with that fault, or None where the chances of this deal do not offer the occasion.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from importlib import import_module
from typing import Any, TypeAlias

from table.rulesets import Profile

Record: TypeAlias = list[dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Expected:
    """The finding that a fault must lead to.

    Attributes:
        kind: as in RECORD.md.
        seat: the offender; None when it is nobody's.
        known_at: number of the event with which it is first provable.
        rule: rule id under the profile; empty where the rule texts have none.
        certainty: how sure it is at that event.
    """

    kind: str
    seat: int | None
    known_at: int
    rule: str
    certainty: str = "proven"


@dataclass(frozen=True, slots=True)
class Planted:
    """A record with a fault in it, and all the findings that it must lead to."""

    name: str
    events: Record
    expected: tuple[Expected, ...]


Fault: TypeAlias = Callable[[Profile, random.Random], Planted | None]


def faults_of(game: str) -> Mapping[str, Fault]:
    """The faults that can be planted in a game, by name."""
    faults: Mapping[str, Fault] = import_module(f"devices.simulator.{game}_faults").FAULTS
    return faults


def plant(name: str, profile: Profile, rng: random.Random, tries: int = 40) -> Planted:
    """A record of the profile with the fault of this name; deals are tried until one offers the occasion.

    Raises:
        LookupError: no such fault, or no occasion in so many deals.
    """
    fault = faults_of(profile.game).get(name)
    if fault is None:
        raise LookupError(f"no fault {name!r} in {profile.game}")
    for _ in range(tries):
        planted = fault(profile, rng)
        if planted is not None:
            return planted
    raise LookupError(f"no occasion for {name!r} under {profile.name} in {tries} deals")


def cut(events: Record, before: int) -> Record:
    """A copy of the events up to, and without, number `before`."""
    return deepcopy(events[: before - 1])


def renumbered(events: Record) -> Record:
    """The events numbered from 1 in their order."""
    for number, event in enumerate(events, 1):
        event["seq"] = number
    return events


def inserted(events: Record, before: int, event: dict[str, Any]) -> Record:
    """A copy with one more event in front of number `before`; it happens at the time of the one before it."""
    made = deepcopy(events)
    made.insert(before - 1, {"seq": 0, "at": made[before - 2]["at"], **event})
    return renumbered(made)


def removed(events: Record, number: int) -> Record:
    """A copy without event `number`."""
    made = deepcopy(events)
    del made[number - 1]
    return renumbered(made)


def changed(events: Record, number: int, **fields: Any) -> Record:
    """A copy in which event `number` has other values."""
    made = deepcopy(events)
    made[number - 1].update(fields)
    return made


def shown(events: Record, before: int, name: str, seat: int, **fields: Any) -> Record:
    """A copy in which a seat does something more in front of event `before`."""
    return inserted(events, before, {"event": name, "seat": seat, **fields})


def delayed(events: Record, number: int, seconds: float) -> Record:
    """A copy in which event `number` and all after it come later."""
    made = deepcopy(events)
    for event in made[number - 1 :]:
        event["at"] = round(event["at"] + seconds, 2)
    return made
