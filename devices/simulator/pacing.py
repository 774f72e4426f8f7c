"""Keeps the time of simulated hands: what each still has to do, and when it can have laid the next thing."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final

from devices.simulator.conditions import Conditions
from devices.simulator.laying import Rows, on_table
from devices.simulator.motions import Lying, Timeline
from devices.simulator.stagehands import CLEAR_S, Hands, Row
from table.match import MatchState
from table.session import Referee

Json = dict[str, Any]
APART: Final = 0.4
"""Seconds between two things coming to rest, so that their order shows."""


@dataclass(slots=True)
class Chore:
    """Something that a hand still has to do: not before `earliest`, best at `due`, in any case before long."""

    seat: int
    kind: str
    earliest: float
    due: float
    do: Callable[[float], None]
    lasts: float = CLEAR_S


@dataclass(slots=True)
class Staged:
    """A match as it happens on the table.

    Attributes:
        timeline: what lies and moves when.
        truth: the events with their final times; those that cameras can see say so in `source`.
        inputs: the events that no camera sees, without numbers.
        rests: number of a seen event to when its cards came to rest, s.
        clears: number of a seen event to when the hand that laid them was gone, s.
        laid: number of a seen event to its things as they came to lie.
    """

    timeline: Timeline = field(default_factory=Timeline)
    truth: list[Json] = field(default_factory=list)
    inputs: list[Json] = field(default_factory=list)
    rests: dict[int, float] = field(default_factory=dict)
    clears: dict[int, float] = field(default_factory=dict)
    laid: dict[int, tuple[Lying, ...]] = field(default_factory=dict)


class Paced:
    """Four pairs of hands that follow a match.

    Args:
        rng: the source of chance.
        rows: lays rows of cards.
        how: how people lay cards.
        card: width and height of a card, mm.
    """

    def __init__(self, rng: Random, rows: Rows, how: Conditions, card: tuple[float, float]) -> None:
        self.rng = rng
        self.rows = rows
        self.how = how
        self.card = card
        self.staged = Staged()
        self.hands = Hands(rng, self.staged.timeline)
        self.referee = Referee()
        self.zones: list[list[Row]] = [[], [], [], []]
        self.aside: list[list[Lying]] = [[], [], [], []]
        self.kitty: list[Lying] = []
        self.chores: list[Chore] = []
        self.last = 0.0

    @property
    def state(self) -> MatchState | None:
        """The match as far as it has gone."""
        return self.referee.state

    def chore(
        self, seat: int, kind: str, earliest: float, due: float, do: Callable[[float], None], lasts: float
    ) -> None:
        """Something that this hand is to do later; `lasts`: seconds that it takes."""
        self.chores.append(Chore(seat, kind, earliest, max(due, earliest), do, lasts))

    def run(self, chore: Chore, latest: float) -> float:
        """Do it at its time, or early enough to be done by `latest`; returns when it is done."""
        self.chores.remove(chore)
        soonest = max(chore.earliest, self.hands.free[chore.seat])
        start = max(soonest, min(chore.due, latest - chore.lasts))
        chore.do(start)
        return start + chore.lasts

    def due(self, now: float) -> None:
        """Do what has fallen due by now."""
        for chore in sorted(self.chores, key=lambda chore: chore.due):
            if chore.due <= now:
                self.run(chore, chore.due + chore.lasts)

    def finish(self, latest: float, seat: int | None = None, kinds: Sequence[str] = ()) -> float:
        """Do all that is left (of a seat, of some kinds) by `latest` if that can be; returns when it is done."""
        done = 0.0
        for chore in sorted(self.chores, key=lambda chore: chore.due):
            if (seat is None or chore.seat == seat) and (not kinds or chore.kind in kinds):
                done = max(done, self.run(chore, latest))
        return done

    def ready(self, seat: int, wanted: float, reach: float) -> float:
        """When this hand can have laid something: not before `wanted`, not before it is free."""
        self.finish(wanted - reach, seat=seat)
        return cents(max(wanted, self.hands.free[seat] + reach, self.last + APART))

    def lay(
        self, kind: str, event: Json, seat: int, cards: Sequence[str], spots: Sequence[tuple[float, float, float]],
        wanted: float,
    ) -> tuple[float, Row]:  # fmt: skip
        """A seat brings cards to spots as it sees them; when they are at rest."""
        reach = self.hands.reach()
        at = self.ready(seat, wanted, reach)
        seq = self.seq(event)
        things = [
            self.hands.new(card, on_table(seat, spot), of=seq)
            for card, spot in zip(cards, spots, strict=True)
        ]
        gone = self.hands.bring(seat, things, at, reach)
        self.note(seq, things, gone)
        row = Row(kind, seq, things, list(spots))
        self.zones[seat].append(row)
        return at, row

    def note(self, seq: int, things: Sequence[Lying], gone: float) -> None:
        """Write down how an event's things lie, and when the hand that laid them was gone."""
        self.staged.laid[seq] = (*self.staged.laid.get(seq, ()), *things)
        self.staged.clears[seq] = max(gone, self.staged.clears.get(seq, 0.0))

    def up_later(self, seat: int, row: Row, at: float, after: float) -> None:
        """The seat takes its own row up again, some time from `after` seconds on."""
        due = at + after + self.rng.uniform(0, 0.8)
        self.chore(seat, "up", at + 0.9, due, partial(self.up, seat, seat, row), 1.1)

    def up(self, hand: int, zone: int, row: Row, start: float) -> None:
        """A hand takes a row up again."""
        if row not in self.zones[zone]:
            return
        reach = 0.55
        self.hands.lift(hand, row.things, start + reach, reach)
        self.zones[zone].remove(row)

    def between_tricks(self) -> bool:
        """Whether nothing has been led to the next trick yet."""
        deal: Any = self.state.deal if self.state is not None else None
        if deal is None:
            return True
        trick = getattr(deal, "trick", None)
        if trick is not None:
            return bool(trick.open)
        return not deal.tricks or bool(deal.tricks[-1].done)

    def banker(self) -> int:
        """Who has the bank (庄家); seat 0 before that is known."""
        deal = self.state.deal if self.state is not None else None
        banker = getattr(deal, "banker", None)
        return banker if banker is not None else 0

    def seq(self, event: Json) -> int:
        """The event's number in the record."""
        return int(event.get("seq") or len(self.staged.truth) + 1)


def cents(at: float) -> float:
    """Rounded up to hundredths of a second, as records have it."""
    return math.ceil(at * 100 - 1e-6) / 100
