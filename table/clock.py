"""Who is on the clock and since when, from the times of events; limits are inclusive, stoppages do not
count."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from table.evolve import evolve
from table.seats import Seat

GRAIN: Final = 1e-6
"""Seconds: two times nearer than this are the same, so that 63.2 - 43.2 is exactly 20."""


TIME_UP: Final = "time_up"
"""Why a `clock` event says that it runs, where it says no more than that the time of its `seat` is up."""


@dataclass(frozen=True, slots=True)
class Wait:
    """A seat that has to act.

    Attributes:
        seat: who.
        action: `play`, `lead`, `tribute`, `return`, `declare`, ...: what the display names.
        limit: seconds, inclusive; 0 for none.
        check: the check that an overrun fails (keys `rules.CHECK`, `penalties.CHECK`).
        since: number of the event that started it; with seat and action it names this wait.
    """

    seat: Seat
    action: str
    limit: float
    check: str
    since: int


@dataclass(frozen=True, slots=True)
class Running:
    """A wait, the running time (seconds without stoppages) at its start, and whether that time is trusted.

    `told`: its overrun has been noted; `alarm`: number of the event that said so before anybody acted, else 0.
    """

    wait: Wait
    started: float | None
    trusted: bool = True
    told: bool = False
    alarm: int = 0


@dataclass(frozen=True, slots=True)
class Overrun:
    """A wait past its limit: after `elapsed` seconds; `alarm`: number of the event that said so before, else 0."""

    wait: Wait
    elapsed: float
    trusted: bool
    alarm: int = 0


@dataclass(frozen=True)
class Clock:
    """The clock of a table. `lost`: seconds of stoppages so far; `last`: time of the latest event that had
    one."""

    running: tuple[Running, ...] = ()
    stopped_at: float | None = None
    lost: float = 0.0
    last: float | None = None
    backwards: bool = False
    """The latest event was timed before the one before it: what starts or ends there is in doubt."""

    def running_time(self, at: float) -> float:
        """Seconds of running time at a moment of the record."""
        return min(at, self.stopped_at) - self.lost if self.stopped_at is not None else at - self.lost

    def seen(self, at: float | None) -> Clock:
        """The clock after an event at this time."""
        if at is None:
            return self
        back = self.last is not None and at < self.last - GRAIN
        return evolve(self, last=at, backwards=back)

    def stop(self, at: float | None) -> Clock:
        """Stopped (no effect on a stopped clock)."""
        at = self.last if at is None else at
        return self if self.stopped_at is not None or at is None else evolve(self, stopped_at=at)

    def go_on(self, at: float | None) -> Clock:
        """Running again (no effect on a running clock)."""
        if self.stopped_at is None:
            return self
        gap = max(0.0, at - self.stopped_at) if at is not None else 0.0
        return evolve(self, stopped_at=None, lost=self.lost + gap)

    def waiting(self, waits: tuple[Wait, ...], at: float | None, sure: bool = True) -> Clock:
        """The clock with these waits: those that go on keep their start, new ones start now.

        Args:
            waits: who has to act.
            at: s; None where nobody knows when.
            sure: what they wait for since then has happened for certain.
        """
        if not waits and not self.running:
            return self
        known = {item.wait: item for item in self.running}
        now = None if at is None else self.running_time(at)
        fresh = tuple(known.get(wait) or Running(wait, now, sure and not self.backwards) for wait in waits)
        return self if fresh == self.running else evolve(self, running=fresh)

    def overruns(self, at: float | None) -> list[Overrun]:
        """The waits that are past their limit at this moment (at exactly the limit a player is in time)."""
        if at is None or not self.running:
            return []
        now = self.running_time(at)
        back = self.last is not None and at < self.last - GRAIN
        found = []
        for item in self.running:
            if item.told or item.started is None or not item.wait.limit:
                continue
            elapsed = now - item.started
            if elapsed > item.wait.limit + GRAIN:
                found.append(Overrun(item.wait, elapsed, item.trusted and not back))
        return found

    def late(self, at: float | None) -> bool:
        """Whether any wait is past its limit at a moment, told or not."""
        now = None if at is None else self.running_time(at)
        return now is not None and any(
            item.started is not None and item.wait.limit and now - item.started > item.wait.limit + GRAIN
            for item in self.running
        )

    def noted(self, at: float | None, alarm: int = 0, seat: Seat | None = None) -> Clock:
        """The clock after an event that shows its overruns: each is told once.

        Args:
            at: of the event, s.
            alarm: number of the event, where it says no more than that time is up.
            seat: whose time it is about; None for everybody's.
        """
        over = {overrun.wait for overrun in self.overruns(at) if seat in (None, overrun.wait.seat)}
        if not over:
            return self
        running = tuple(
            replace(item, told=True, alarm=alarm) if item.wait in over else item for item in self.running
        )
        return evolve(self, running=running)

    def answered(self, after: Clock, at: float | None) -> list[Overrun]:
        """The waits whose end was said to be past their limit, and that end with an event at this time.

        Those that were answered in time after all have `elapsed` within the limit. Empty where nobody knows when.
        """
        if at is None:
            return []
        go_on = {item.wait for item in after.running}
        now = self.running_time(at)
        return [
            Overrun(item.wait, now - item.started, item.trusted, item.alarm)
            for item in self.running
            if item.alarm and item.started is not None and item.wait not in go_on
        ]

    def remaining(self, at: float) -> dict[Seat, float]:
        """Seconds left for each seat on the clock with a limit, at a moment; negative when over."""
        now = self.running_time(at)
        return {
            item.wait.seat: item.wait.limit - (now - item.started)
            for item in self.running
            if item.started is not None and item.wait.limit
        }


AT_REST: Final = Clock()
