"""The four pairs of hands at the simulated table: bring cards, lift them, turn a trick over and push it aside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from devices.simulator.laying import DISCARD, EDGE_MM, on_table, to_table
from devices.simulator.motions import Change, Lying, Point, Timeline, Trip

OUT_S: Final = 0.32
"""From letting go of the cards until the hand is out of the picture."""
CLEAR_S: Final = 1.35
"""Turning a trick over and pushing it aside, from the edge and back."""
_FINGERS_MM: Final = 24.0
"""Finger tips are so much nearer to the player than the middle of the cards that they hold."""
_PILE_STEP: Final = 0.7


@dataclass(slots=True)
class Row:
    """Things that one seat has laid together, left to right, with why they lie there."""

    kind: str
    of: int
    things: list[Lying]
    spots: list[tuple[float, float, float]]


@dataclass(slots=True)
class Hands:
    """Moves things over the table in time; knows until when each hand is busy.

    Attributes:
        rng: the source of chance.
        timeline: where it all is written down.
        free: from when on each seat's hand is free, s.
    """

    rng: Random
    timeline: Timeline = field(default_factory=Timeline)
    free: list[float] = field(default_factory=lambda: [0.0] * 4)
    _keys: int = 0

    def new(self, what: str, where: tuple[float, float, float], face_up: bool = True, of: int = 0) -> Lying:
        """Something that is not on the table yet, as it will lie there: x, y mm and turn."""
        self._keys += 1
        return Lying(self._keys, what, *where, face_up=face_up, of=of)

    def pile(self, seat: int, spot: tuple[float, float, float], count: int, of: int = 0) -> list[Lying]:
        """A squared pile of backs; no more than three of them can be told apart."""
        x, y, turn = on_table(seat, spot)
        step = _PILE_STEP
        return [
            self.new("back", (x + step * i, y + step * i, turn), False, of)
            for i in range(min(3, max(1, count)))
        ]

    def reach(self) -> float:
        """Seconds that a hand takes from the edge to the middle of its zone."""
        return self.rng.uniform(0.5, 0.7)

    def bring(self, seat: int, things: Sequence[Lying], rest: float, reach: float) -> float:
        """A hand lays things down: at `rest` s they lie still. Returns when the hand is gone.

        Without things it only reaches over the kitty's place.
        """
        u, d = self._middle(seat, things)
        tip = to_table(seat, u, d + _FINGERS_MM)
        gone = rest + OUT_S
        path = (
            (rest - reach, *self._edge(seat, u)),
            (rest, *tip),
            (gone, *self._edge(seat, u)),
        )
        self.timeline.trips.append(Trip(seat, path, tuple(things), (rest - reach, rest), tip))
        self.timeline.changes.append(Change(rest, put=tuple(things)))
        self.free[seat] = max(self.free[seat], gone)
        return gone

    def lift(
        self, seat: int, things: Sequence[Lying], at: float, reach: float, leave: Sequence[Lying] = ()
    ) -> float:
        """A hand takes things up at `at` s; those of `leave` are put straight in the same moment."""
        u, d = self._middle(seat, things or leave)
        tip = to_table(seat, u, d + _FINGERS_MM)
        gone = at + OUT_S + 0.1
        path = ((at - reach, *self._edge(seat, u)), (at, *tip), (gone, *self._edge(seat, u)))
        self.timeline.trips.append(Trip(seat, path, tuple(things), (at, gone), tip))
        taken = frozenset(thing.key for thing in (*things, *leave))
        self.timeline.changes.append(Change(at, put=tuple(leave), take=taken))
        self.free[seat] = max(self.free[seat], gone)
        return gone

    def swap(self, seat: int, take: Sequence[Lying], put: Sequence[Lying], at: float, reach: float) -> float:
        """Under a hand, at `at` s, things become others: a pile is turned up and spread. When the hand is gone."""
        u, d = self._middle(seat, put)
        tip = to_table(seat, u, d + _FINGERS_MM)
        gone = at + OUT_S
        path = ((at - reach, *self._edge(seat, u)), (at, *tip), (gone, *self._edge(seat, u)))
        self.timeline.trips.append(Trip(seat, path))
        keys = frozenset(thing.key for thing in take)
        self.timeline.changes.append(Change(at, put=tuple(put), take=keys))
        self.free[seat] = max(self.free[seat], gone)
        return gone

    def turn_over(self, seat: int, things: Sequence[Lying], start: float) -> list[Lying]:
        """A hand turns a finished trick face down and pushes it to the seat's discards; returns the pile there.

        It begins at `start` s and takes `CLEAR_S`.
        """
        u, d = self._middle(seat, things)
        tip, there = to_table(seat, u, d + _FINGERS_MM), self._discard(seat)
        spot = (DISCARD[0] + self.rng.gauss(0, 9), DISCARD[1] + self.rng.gauss(0, 9), self.rng.gauss(0, 10))
        stack = self.pile(seat, spot, len(things))
        path = (
            (start, *self._edge(seat, u)),
            (start + 0.35, *tip),
            (start + 0.70, *tip),
            (start + 1.05, *there),
            (start + CLEAR_S, *self._edge(seat, DISCARD[0])),
        )
        keys = frozenset(thing.key for thing in things)
        turned = tuple(replace(thing, face_up=False) for thing in things)
        self.timeline.trips.append(Trip(seat, path, tuple(stack), (start + 0.70, start + 1.05), there))
        self.timeline.changes += [
            Change(start + 0.40, put=turned),
            Change(start + 0.70, take=keys),
            Change(start + 1.05, put=tuple(stack)),
        ]
        self.free[seat] = max(self.free[seat], start + CLEAR_S)
        return stack

    def sweep(self, seat: int, things: Sequence[Lying], start: float, away: Sequence[Lying] = ()) -> None:
        """A hand sweeps things off the table, then, on its way, those that lie at its discards."""
        u, d = self._middle(seat, things) if things else (DISCARD[0], 300.0)
        tip, there = to_table(seat, u, d + _FINGERS_MM), self._discard(seat)
        path = [(start, *self._edge(seat, u)), (start + 0.35, *tip)]
        taken = [Change(start + 0.35, take=frozenset(thing.key for thing in things))]
        if away:
            path.append((start + 0.7, *there))
            taken.append(Change(start + 0.7, take=frozenset(thing.key for thing in away)))
        end = path[-1][0] + 0.35
        path.append((end, *self._edge(seat, DISCARD[0] if away else u)))
        self.timeline.trips.append(Trip(seat, tuple(path), tuple(things), (start + 0.35, end), tip))
        self.timeline.changes += taken
        self.free[seat] = max(self.free[seat], end)

    def _middle(self, seat: int, things: Sequence[Lying]) -> Point:
        """Where a seat's hand goes for these: to its right and towards it from the centre, mm."""
        if not things:
            return 0.0, 0.0
        x = sum(thing.x for thing in things) / len(things)
        y = sum(thing.y for thing in things) / len(things)
        (c, s) = to_table(seat, 1.0, 0.0)
        return c * x + s * y, s * x - c * y

    def _edge(self, seat: int, u: float) -> Point:
        return to_table(seat, 0.7 * u + 20, EDGE_MM)

    def _discard(self, seat: int) -> Point:
        return to_table(seat, DISCARD[0], DISCARD[1] + _FINGERS_MM)
