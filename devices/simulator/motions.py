"""What lies on the simulated table at any moment and what moves over it: cards and plaques, hands, who carries what."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Final

Point = tuple[float, float]
"""mm on the table, as everywhere: origin at the centre, x right and y away from seat 0."""
PLAQUE: Final = "plaque "
"""What a plaque is called: this and its marker's number."""
AFTER_S: Final = 0.9
BEFORE_S: Final = 0.3


@dataclass(frozen=True, slots=True)
class Lying:
    """A card or plaque on the table.

    Attributes:
        key: unique in the whole match.
        what: name of the card (`S10`), or `plaque 3`.
        x, y: centre, mm.
        turn: degrees counter-clockwise from upright for seat 0.
        face_up: False shows the back.
        of: number of the event that it belongs to; 0 for none.
    """

    key: int
    what: str
    x: float
    y: float
    turn: float
    face_up: bool = True
    of: int = 0

    def moved(self, dx: float, dy: float) -> Lying:
        """The same elsewhere."""
        return replace(self, x=self.x + dx, y=self.y + dy)


@dataclass(frozen=True, slots=True)
class Trip:
    """A hand's way over the table and back, maybe carrying something.

    Attributes:
        seat: whose hand.
        path: (time, x, y) of the finger tips; it comes from outside and leaves again.
        cargo: what it carries, as it lies when the tips are at `anchor`.
        carries: from when to when, s.
        anchor: mm.
    """

    seat: int
    path: tuple[tuple[float, float, float], ...]
    cargo: tuple[Lying, ...] = ()
    carries: tuple[float, float] = (0.0, 0.0)
    anchor: Point = (0.0, 0.0)

    @property
    def start(self) -> float:
        """When it begins, s."""
        return self.path[0][0]

    @property
    def end(self) -> float:
        """When the hand is gone, s."""
        return self.path[-1][0]

    def tip(self, at: float) -> Point:
        """Where the finger tips are; hands speed up and slow down between the points of their way."""
        times = [point[0] for point in self.path]
        i = min(max(bisect_right(times, at) - 1, 0), len(times) - 2)
        (t0, x0, y0), (t1, x1, y1) = self.path[i], self.path[i + 1]
        share = min(max((at - t0) / (t1 - t0), 0.0), 1.0) if t1 > t0 else 1.0
        share = (1 - math.cos(math.pi * share)) / 2
        return x0 + share * (x1 - x0), y0 + share * (y1 - y0)

    def carried(self, at: float) -> tuple[Lying, ...]:
        """What it carries now, where it is now."""
        if not self.carries[0] <= at < self.carries[1]:
            return ()
        x, y = self.tip(at)
        return tuple(thing.moved(x - self.anchor[0], y - self.anchor[1]) for thing in self.cargo)


@dataclass(frozen=True, slots=True)
class Change:
    """Things are put down or taken up at a moment; what is put later lies over what was there."""

    at: float
    put: tuple[Lying, ...] = ()
    take: frozenset[int] = frozenset()


@dataclass(slots=True)
class Timeline:
    """All that happens on the table, in order of time once `sort` was called."""

    changes: list[Change] = field(default_factory=list)
    trips: list[Trip] = field(default_factory=list)
    end: float = 0.0
    _times: list[float] = field(default_factory=list)
    _starts: list[float] = field(default_factory=list)
    _longest: float = 0.0

    def sort(self) -> None:
        """Put everything in order of time; equal times keep the order in which they were added."""
        self.changes.sort(key=lambda change: change.at)
        self.trips.sort(key=lambda trip: trip.start)
        self._times = [change.at for change in self.changes]
        self._starts = [trip.start for trip in self.trips]
        self._longest = max((trip.end - trip.start for trip in self.trips), default=0.0)

    def moving(self, at: float) -> list[Trip]:
        """The hands that are over the table now."""
        lo = bisect_right(self._starts, at - self._longest - 1e-9)
        hi = bisect_right(self._starts, at)
        return [trip for trip in self.trips[lo:hi] if trip.start <= at < trip.end]

    def changes_until(self, at: float) -> int:
        """How many of the changes have happened by now."""
        return bisect_right(self._times, at + 1e-9)

    def busy(self, more: Iterable[tuple[float, float]] = ()) -> list[tuple[float, float]]:
        """Stretches of time in which something moves, with what comes right before and after: s, apart, in order.

        Args:
            more: further stretches in which frames matter.
        """
        spans = [(trip.start - BEFORE_S, trip.end + AFTER_S) for trip in self.trips]
        spans += [(change.at - BEFORE_S, change.at + AFTER_S) for change in self.changes]
        spans += list(more)
        joined: list[tuple[float, float]] = []
        for start, end in sorted(spans):
            if joined and start <= joined[-1][1]:
                joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
            else:
                joined.append((start, end))
        return joined


@dataclass(slots=True)
class Lie:
    """Follows a timeline and knows what lies on the table, the lowest first."""

    timeline: Timeline
    things: dict[int, Lying] = field(default_factory=dict)
    done: int = 0

    def until(self, at: float) -> tuple[Lying, ...]:
        """What lies there at this time (going back in time starts over)."""
        wanted = self.timeline.changes_until(at)
        if wanted < self.done:
            self.things.clear()
            self.done = 0
        for change in self.timeline.changes[self.done : wanted]:
            for key in change.take:
                self.things.pop(key, None)
            for thing in change.put:
                self.things.pop(thing.key, None)
                self.things[thing.key] = thing
        self.done = wanted
        return tuple(self.things.values())
