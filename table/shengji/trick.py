"""A trick of Shengji as the record tells it: who led what, who has followed, what became of a throw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from table.cards import Card
from table.seats import Seat
from table.shengji.formats import Unit
from table.shengji.tricks import TrickResult

FOUR: Final = 4


@dataclass(frozen=True, slots=True)
class Played:
    """One play as recorded: number of its event, who, what, what was said, whether the reading is doubtful.

    `open` is the led group where the play did not answer the lead in full, so that more must be known of the
    hand to call it right. `doubtful`: the cards may be other than read; `unsure`: even others than the
    `readings`, which are empty where no list of them is worth anything. `nothing`: it may be no play at all.
    `seen`: cameras read it, and may have missed cards or read some twice. `unread`: so many cards more than could be
    read.
    """

    seq: int
    seat: Seat
    cards: tuple[Card, ...]
    says: str | None = None
    open: str = ""
    doubtful: bool = False
    unsure: bool = False
    readings: tuple[tuple[Card, ...], ...] = ()
    nothing: bool = False
    seen: bool = False
    unread: int = 0

    @property
    def count(self) -> int:
        """How many cards there are, read or not."""
        return len(self.cards) + self.unread


@dataclass(frozen=True, slots=True)
class Stopped:
    """An objection to the throw that leads a trick."""

    seq: int
    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True)
class Trick:
    """A trick (圈): the lead and what followed, in the order in which it lay on the table.

    `thrown` is the whole throw where the lead was cut down; `units` is the lead's structure, empty where the
    lead is no legal one; `result` is there once all four have played.
    """

    leader: Seat
    plays: tuple[Played, ...]
    units: tuple[Unit, ...] = ()
    thrown: Played | None = None
    thrown_units: tuple[Unit, ...] = ()
    stopped: tuple[Stopped, ...] = ()
    forced_seq: int = 0
    forced_by: Seat | None = None
    result: TrickResult | None = None

    @property
    def lead(self) -> Played:
        """The lead as it stands."""
        return self.plays[0]

    @property
    def done(self) -> bool:
        """Whether all four have played."""
        return len(self.plays) == FOUR

    @property
    def winner(self) -> Seat | None:
        """Who won it, where that follows."""
        return (self.leader + self.result.winner) % 4 if self.result else None

    @property
    def points(self) -> int:
        """Points on the table, once it is over."""
        return self.result.points if self.result else 0

    def play_of(self, seat: Seat) -> Played | None:
        """What a seat has played to it."""
        return next((play for play in self.plays if play.seat == seat), None)

    @property
    def turn(self) -> Seat | None:
        """Who plays next, None when it is over."""
        for step in range(FOUR):
            seat = (self.leader + step) % 4
            if self.play_of(seat) is None:
                return seat
        return None
