"""What the recorder asks a game: what cards at rest mean in it, who is to act, what still lies to be beaten.

The core knows no game. The recorder finds the game's part by the profile's key `game`: the module
`table.NAME.recording` holds a constant `RECORDING` that fulfils the protocol `Recording`. All of it is pure and reads
the deal's state only.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from itertools import takewhile
from typing import Any, Protocol, cast

from table.cards import Card
from table.events import Event
from table.games import NoSuchGame
from table.match import MatchState
from table.seats import Seat


@dataclass(frozen=True, slots=True)
class Amend:
    """An event that was recorded before turns out otherwise: fields of event `of` that change, or it is void."""

    of: int
    changes: Mapping[str, Any]
    void: bool = False


@dataclass(frozen=True, slots=True)
class Seen:
    """New face-up cards at rest in a zone.

    Attributes:
        kind: of the zone: `play`, `exchange`, `discard`, `kitty`, `points`.
        seat: whose zone it is; None for nobody's.
        cards: as they are read, left to right for the zone's player.
        at: when they came to rest, s.
        others: other readings of the cards, likeliest first.
        lying: cards that lay in the zone before and belong to events of the same seat that are no plays.
        soon_after: number of the event of such cards, where it is only seconds ago; 0 where it is not.
        turned: they lay face down before.
        exchange_apart: the table has zones for tribute of their own.
        kitty: so many backs show where the kitty lies.
    """

    kind: str
    seat: Seat | None
    cards: tuple[Card, ...]
    at: float
    others: tuple[tuple[Card, ...], ...] = ()
    lying: tuple[Card, ...] = ()
    soon_after: int = 0
    turned: bool = False
    exchange_apart: bool = False
    kitty: int = 0


@dataclass(frozen=True, slots=True)
class Act:
    """A play or pass of the deal that stands, or (not `seen`) the gap that was named for one: of seat, by number."""

    seq: int
    seat: Seat
    seen: bool


Two = tuple[tuple[Card, ...], tuple[Card, ...]]
"""Cards of two plays that lie side by side: those on the left, those on the right."""


class Recording(Protocol):
    """A game's part in recording. `match.deal` is a deal of this game and not None.

    `growing`: events whose cards may be laid in any number of goes (a kitty that is turned over).
    """

    growing: tuple[type[Event], ...]

    def laid(self, seen: Seen, match: MatchState) -> Sequence[Event | Amend]:
        """What new cards at rest mean: usually one event, without number, source and doubt; or nothing."""
        ...

    def backs(self, kind: str, before: int, count: int, at: float, match: MatchState) -> Sequence[Event]:
        """What it means that so many backs show in a zone where so many showed before."""
        ...

    def lifted(self, event: Event, left: tuple[Card, ...], at: float, match: MatchState) -> Event | None:
        """What it means that of the play `event` only `left` still lies there, when it is no taking back."""
        ...

    def completed(self, event: Event, match: MatchState) -> Sequence[Event | Amend]:
        """An event that was heard, with what it leaves open and the deal's state tells."""
        ...

    def joins(self, match: MatchState, first: tuple[Card, ...], late: tuple[Card, ...]) -> bool:
        """Whether late cards may belong to the play `first`, whose seat is not on turn as far as is recorded."""
        ...

    def splits(self, seat: Seat, cards: tuple[Card, ...], match: MatchState) -> Sequence[Two]:
        """The two plays, one after the other, that cards which are no play together may be; each left to right."""
        ...

    def due(self, match: MatchState) -> tuple[Seat, ...]:
        """Who may play or pass now, whoever is likeliest first; empty where it does not follow (anybody)."""
        ...

    def standing(self, match: MatchState, seq: int) -> bool:
        """Whether the play `seq` belongs to the trick in progress: lifting its cards is taking them back."""
        ...

    def amendable(self, match: MatchState, seq: int) -> bool:
        """Whether the play `seq` may still be exchanged for another one, though others have acted since."""
        ...

    def puts_right(self, match: MatchState, seq: int, count: int) -> bool:
        """Whether so many cards of the seat of play `seq`, which may be exchanged, put right what was wrong with it."""
        ...

    def miscounted(self, match: MatchState, seat: Seat, count: int, seq: int = 0) -> bool:
        """Whether the others in the trick tell that a seat's play `seq`, or the one that comes now, has not so many cards
        as cameras count: some lie there unread, or one was read twice."""
        ...

    def skipped(self, event: Event, match: MatchState) -> tuple[Seat, ...]:
        """The seats that would have had to act first for this play or pass to come in turn; it does not."""
        ...

    def overdue(self, event: Event, acts: Sequence[Act], match: MatchState) -> tuple[Seat, ...]:
        """The seats that must have acted before a play or pass that comes now, though none of `acts` is that act."""
        ...

    def next_after(self, seat: Seat, match: MatchState) -> Seat | None:
        """Who acts after a seat that has just acted, in turn or not, as the game goes on from there."""
        ...

    def may_pass(self, match: MatchState) -> bool:
        """Whether who is due now may pass."""
        ...

    def owing(self, match: MatchState) -> tuple[Seat, ...]:
        """Who is to say something by now (how many cards he has) that is held against him with the next act."""
        ...

    def betrays(self, event: Event, match: MatchState) -> Seat | None:
        """A seat that must have acted unnoticed before an event that comes now; None where nothing tells."""
        ...


def cuts(cards: tuple[Card, ...]) -> list[Two]:
    """Every way in which cards in a row may be two plays."""
    return [(cards[:at], cards[at:]) for at in range(1, len(cards))]


def named_since(seat: Seat, acts: Sequence[Act]) -> bool:
    """Whether a gap of this seat was named and nobody has acted since."""
    unseen = (act.seat for act in takewhile(lambda act: not act.seen, reversed(acts)))
    return seat in unseen


@cache
def recording_of(game: str) -> Recording:
    """The part in recording of the game of a profile's key `game`.

    Raises:
        NoSuchGame: there is none.
    """
    module = f"table.{game}.recording"
    try:
        return cast("Recording", import_module(module).RECORDING)
    except ModuleNotFoundError as error:
        if error.name and module.startswith(error.name):
            raise NoSuchGame(f"unknown game {game!r}: there is no {module}") from None
        raise
