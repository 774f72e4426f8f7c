"""How people lay cards: overlapped rows, ragged and a little fanned, later plays nearer to the player or over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from random import Random
from typing import Final

from calibration.setup import ZONE_FROM_CENTRE_MM, ZONE_MM
from devices.simulator.conditions import Conditions
from devices.simulator.motions import Point

Spot = tuple[float, float, float]
"""A card's centre and turn from its player's view: mm to the right, mm from the table's centre, degrees."""
FIRST_ROW_MM: Final = 212.0
"""How far from the centre the first play of a trick lies."""
NEAREST_MM: Final = 318.0
_NEXT_ROW: Final = (34.0, 44.0)
_EDGE_MM: Final = 7.0
"""Cards stay so far inside of their zone."""
DISCARD: Final = (330.0, 330.0)
"""Where a seat's finished tricks lie: to its right, outside of all play zones."""
PLAQUE_SPOT: Final = (178.0, 336.0)
EXPOSED_SPOT: Final = (-150.0, 312.0)
EDGE_MM: Final = 620.0
"""So far from the centre a hand waits, out of every picture."""


def to_table(seat: int, u: float, d: float) -> Point:
    """Millimetres on the table of a point `u` to the player's right and `d` towards it from the centre."""
    c, s = _TURNS[seat]
    return c * u + s * d, s * u - c * d


_TURNS: Final = ((1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0))
"""Cosine and sine of each seat's turn: exact, so that the four seats see the same."""


def on_table(seat: int, spot: Spot) -> tuple[float, float, float]:
    """x, y and turn on the table of a spot as its player sees it."""
    x, y = to_table(seat, spot[0], spot[1])
    return x, y, spot[2] + 90.0 * seat


class Rows:
    """Lays the plays of one table.

    Args:
        rng: the source of chance.
        card: width and height of a card, mm.
        how: the steps and the raggedness.
    """

    def __init__(self, rng: Random, card: tuple[float, float], how: Conditions) -> None:
        self.rng = rng
        self.card = card
        self.how = how

    def row(self, count: int, before: Sequence[Sequence[Spot]]) -> list[Spot]:
        """The spots of a play of `count` cards, left to right.

        Args:
            count: of the cards.
            before: the rows of the seat's earlier plays that still lie there.
        """
        rng, how = self.rng, self.how
        step = self._step(count)
        u0, d = rng.uniform(-16, 16), FIRST_ROW_MM + rng.uniform(-7, 7)
        if before:
            u0, d = self._later(count, step, before)
        tilt, fan = rng.gauss(0, 1.6) * how.ragged, rng.uniform(-0.4, 0.9) * how.ragged
        us = [u0]
        for _ in range(count - 1):
            us.append(us[-1] + step * (1 + rng.uniform(-0.12, 0.12) * min(how.ragged, 1.5)))
        middle = (us[0] + us[-1]) / 2 - u0
        spots = []
        for i, u in enumerate(us):
            out = i - (count - 1) / 2
            ragged = rng.gauss(0, 1.3) * how.ragged
            turn = tilt - fan * out + rng.gauss(0, 0.9) * how.ragged
            spots.append((u - middle, d + ragged - math.tan(math.radians(tilt)) * (u - middle - u0), turn))
        return [self._inside(spot) for spot in spots]

    def beside(self, count: int, beside: Sequence[Spot]) -> list[Spot]:
        """Spots for cards that are laid on at the right of a row."""
        last = beside[-1]
        step = self._step(count + len(beside))
        rng = self.rng
        return [
            self._inside((last[0] + step * (i + 1), last[1] + rng.gauss(0, 1.3), last[2] + rng.gauss(0, 0.9)))
            for i in range(count)
        ]

    def exposed(self, count: int) -> list[Spot]:
        """Spots of cards that turn up where no play belongs: at the left, near the player, at a slant."""
        rng = self.rng
        turn = rng.choice((-1, 1)) * rng.uniform(12, 30)
        u, d = EXPOSED_SPOT
        return [
            self._inside((u + 22 * i + rng.uniform(-8, 8), d + rng.uniform(-5, 5), turn))
            for i in range(count)
        ]

    def pile(self, u: float, d: float) -> Spot:
        """A squared pile about a place."""
        rng = self.rng
        return u + rng.gauss(0, 6), d + rng.gauss(0, 6), rng.gauss(0, 8)

    def _step(self, count: int) -> float:
        step = self.rng.uniform(*self.how.step)
        widest = 2 * (FIRST_ROW_MM - self.card[1] / 2 - 14)
        return min(step, (widest - self.card[0]) / max(count - 1, 1))

    def _later(self, count: int, step: float, before: Sequence[Sequence[Spot]]) -> tuple[float, float]:
        """Middle and distance of a later play of the trick: nearer to the player, beside, or over what lies there."""
        rng, last = self.rng, before[-1]
        u = (last[0][0] + last[-1][0]) / 2
        d = sum(spot[1] for spot in last) / len(last)
        if self.how.slide_over and rng.random() < self.how.slide_over:
            return u + rng.uniform(-9, 9), d + rng.uniform(4, 16)
        nearer = d + rng.uniform(*_NEXT_ROW)
        if nearer <= NEAREST_MM:
            return u + rng.uniform(-12, 12), nearer
        # The zone is full: go on beside the latest row where there is room, else start over on top.
        half = (self.card[0] + step * (count - 1)) / 2
        right, left = last[-1][0] + self.card[0] / 2 + 6 + half, last[0][0] - self.card[0] / 2 - 6 - half
        limit = ZONE_MM[0] / 2 - _EDGE_MM - half - 6
        for beside in (right, left):
            if abs(beside) <= limit:
                return beside, d + rng.uniform(-6, 6)
        return rng.uniform(-16, 16), FIRST_ROW_MM + rng.uniform(10, 30)

    def _inside(self, spot: Spot) -> Spot:
        """The spot, pushed back so that the whole card lies in its zone."""
        u, d, turn = spot
        a = math.radians(turn)
        w, h = self.card
        half_u = (abs(w * math.cos(a)) + abs(h * math.sin(a))) / 2 + _EDGE_MM
        half_d = (abs(w * math.sin(a)) + abs(h * math.cos(a))) / 2 + _EDGE_MM
        most = ZONE_MM[0] / 2 - half_u
        near, far = (
            ZONE_FROM_CENTRE_MM + ZONE_MM[1] / 2 - half_d,
            ZONE_FROM_CENTRE_MM - ZONE_MM[1] / 2 + half_d,
        )
        return min(max(u, -most), most), min(max(d, far), near), turn
