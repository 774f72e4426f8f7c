"""The state of a match, and the seam at which a game plugs into it.

The core keeps what every game has: profile, levels, deals, clock, knowledge of hands, claims, warnings,
format. What a trick is and who broke a rule is the game's. The core finds it by the profile's key `game`:
the module `table.NAME.game` holds a constant `GAME` that fulfils the protocol `Game`. A game is stateless:
all it knows of a deal is in its own frozen deal state, all it carries from deal to deal in
`Standing.memory`.

How the core uses a game, for each event in order:

1. `MatchStarted`: `open(profile, levels)` gives the memory before the first deal.
2. `DealStarted`: `conclude(deal, event)` first lets the deal before take what the event states about it (its
   finish, who is banker now), where its own events did not decide it; then `start(match, event)` gives the
   new deal's first state (`match.deal` is still the deal before), and `judge(None, event, deal, match)` is
   asked.
3. Any other event of the table (`Play`, `Pass`, `Dealt`, `Exposed`, ...) while a deal stands:
   `apply(deal, event, known)` records it (never refuses, never raises), then `judge(before, event, after,
   match)` says what that event shows: `Claim`s raised or changed, `Drop`s of claims disproven.
   `match.known` is what the hands are proven to have held, this event included.
4. After each event: `waits(deal)` says who has to act, for the clock; `outcome(deal)` the result as soon as
   the deal is decided; `settle(...)` what the result does to the standing.
5. A penalty that a person upholds (or that the profile makes automatic) and that is no level, warning or
   disqualification goes to `penalise(deal, claim, penalty)`; the outcome is then computed anew.

`ClockSet`, `Ruling`, `DealVoided`, `MatchEnded`, `Correction` never reach a game. An `UnknownEvent` does
only when its kind is one of `table.events.GAPS`: a line could not be read there, so that what follows in
this deal may be explained by what is missing; a game then says `check` where it would say `proven`. A
`Play` with `unread` words in `extra` has that many cards more than could be read.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

from table.clock import AT_REST, Clock, Wait
from table.event_fields import Json
from table.events import DealStarted, Event, Pass, Play
from table.findings import Claim, ClaimKey, Decision, Drop
from table.knowledge import NOTHING_KNOWN, Knowledge
from table.penalties import Penalty
from table.rulesets import Profile
from table.seats import Seat, Side

D = TypeVar("D")


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a match stands between deals.

    Attributes:
        levels: level of side 0 and side 1.
        memory: what the game carries from deal to deal (the finish before, the next banker, failures at A,
            ...).
        games: games (局) won by each side.
        deals: deals that count so far.
        declarer: the side that plays its own level in the next deal (庄家方); None before it is known.
        winner: the side that has won the match, and `decided_by` how (`levels`, `extra_deal`,
            `disqualified`).
    """

    levels: tuple[str, str] = ("2", "2")
    memory: Any = None
    games: tuple[int, int] = (0, 0)
    deals: int = 0
    declarer: Side | None = None
    winner: Side | None = None
    decided_by: str | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """The result of a decided deal. `data` is printed as the `result` of RECORD.md and must be plain JSON.

    `complete` is False while details that do not change the levels may still follow (the order of the last
    two).
    """

    data: Mapping[str, Any]
    complete: bool = True


@dataclass(frozen=True, slots=True)
class Warned:
    """A warning that counts: of which claim, in which counter, for which side, in which deal and game."""

    claim: ClaimKey
    counter: str
    side: Side
    deal: int
    game: int
    event: int


@dataclass(frozen=True)
class MatchState:
    """Everything that follows from the events so far. Equal records give equal states.

    Attributes:
        base: the standing when the current deal began, with awards since: what its result is added to.
        standing: the standing now (`base`, or with the current deal's result once it is decided).
        deal: the game's own state of the current deal, kept until the next begins; None before the first and
            after a void.
        number: number of the current deal as the record gives it.
        began_at: when the current deal began, s: what lay on the table before is none of its plays.
        begun: deals begun so far (voided ones too): tells deals apart even where numbers repeat.
        known: what the hands of this deal are proven to have held.
        claims: every claim that stands; `decisions`: what people ruled on them.
        extra: the current deal is played only to break a tie.
        gap: something of the current deal is missing in the record.
        counts: the current deal counts (it does not when time ran out before it was drawn).
        unheard: seats whose boxes have not been heard up to now (`table.hearing`).
    """

    profile: Profile
    game: Game[Any]
    players: tuple[str, ...] = ("", "", "", "")
    started_at: float | None = None
    base: Standing = Standing()
    standing: Standing = Standing()
    deal: Any = None
    number: int = 0
    begun: int = 0
    began_at: float | None = None
    drawn: bool = False
    known: Knowledge = NOTHING_KNOWN
    clock: Clock = AT_REST
    claims: Mapping[ClaimKey, Claim] = field(default_factory=dict)
    decisions: Mapping[ClaimKey, Decision] = field(default_factory=dict)
    warned: tuple[Warned, ...] = ()
    results: Mapping[int, Mapping[str, Any]] = field(default_factory=dict)
    extra: bool = False
    gap: bool = False
    counts: bool = True
    ended: str | None = None
    forfeit: Side | None = None
    unheard: tuple[Seat, ...] = ()

    def doubtful(self, event: Event) -> bool:
        """Whether the cards of an event may be other than it says (DESIGN 1.1): look before accusing."""
        return doubtful(self.profile, event)


def doubtful(profile: Profile, event: Event) -> bool:
    """Whether the cards of an event may be other than it says: alternatives, or a low confidence."""
    if event.alternatives:
        return True
    return event.confidence is not None and event.confidence < profile.number("reading.doubt_below")


def from_cameras(event: Event) -> bool:
    """Whether cameras read an event: they say how sure they are, and may have missed what nobody told them about."""
    return event.source == "camera" and event.confidence is not None and event.confidence < 1.0


def open_ended(profile: Profile, event: Event) -> bool:
    """Whether an event's cards may be something that nobody listed: its confidence is low."""
    return event.confidence is not None and event.confidence < profile.number("reading.doubt_below")


def unlisted(profile: Profile, event: Event) -> bool:
    """Whether an event's cards may well be something that nobody listed: all that is listed leaves too much open.

    A confidence that nobody stated leaves nothing open; words that could not be read always do.
    """
    if event.extra.get("unread"):
        return True
    if event.confidence is None:
        return False
    listed = event.confidence + sum(chance for _, chance in event.alternatives)
    return listed < profile.number("reading.doubt_below") - 1e-6


def may_be_nothing(profile: Profile, event: Event) -> bool:
    """Whether a play or pass may not have happened at all: no card may lie there, or nobody saw the pass."""
    if isinstance(event, Play):
        return not event.cards or any(not cards for cards, _ in event.alternatives)
    return isinstance(event, Pass) and doubtful(profile, event)


class Game(Protocol[D]):
    """What a game supplies; see the module for when each is called. All functions are pure."""

    name: str

    def open(self, profile: Profile, levels: tuple[str, str]) -> Any:
        """The memory before the first deal."""
        ...

    def start(self, match: MatchState, event: DealStarted) -> D:
        """The state of a deal that begins; `match.standing` is where the match stands.

        What the record states (level, finish, banker) outranks what would follow: judge the difference.
        """
        ...

    def conclude(self, deal: D, event: DealStarted) -> D:
        """The deal before, completed by what the start of the next one states about it."""
        ...

    def apply(self, deal: D, event: Event, known: Knowledge) -> D:
        """The deal after an event; records also what is illegal. `known` includes the event."""
        ...

    def judge(self, before: D | None, event: Event, after: D, match: MatchState) -> Iterable[Claim | Drop]:
        """What the event shows. `before` is None for `DealStarted`; `match.known` includes the event."""
        ...

    def waits(self, deal: D) -> tuple[Wait, ...]:
        """Who has to act now, with the limit (0: none) and the check that an overrun fails."""
        ...

    def drawn(self, deal: D) -> bool:
        """Whether the hands are dealt (all cards drawn), for matches by time."""
        ...

    def outcome(self, deal: D) -> Outcome | None:
        """The result once it is decided; computed anew after each event and each penalty."""
        ...

    def settle(self, match: MatchState, deal: D, outcome: Outcome) -> Standing:
        """`match.base` after the deal's result: levels, memory, declarer, games, winner.

        The core counts `deals`. With `match.extra` only the winner matters.
        """
        ...

    def penalise(self, deal: D, claim: Claim, penalty: Penalty) -> D:
        """The deal with a penalty of the game's own kind applied (points, finish_last, special, ...)."""
        ...

    def view(self, deal: D) -> Mapping[str, Json]:
        """What a display needs of the deal, as plain JSON (no hidden cards)."""
        ...
