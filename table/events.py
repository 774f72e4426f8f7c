"""The events of a game record, one frozen type each; `table.event_json` reads and writes them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Final

from table.cards import Card
from table.event_fields import Alternative, Json
from table.seats import Seat


@dataclass(frozen=True, kw_only=True)
class Event:
    """What every line of a record may carry.

    `seq` counts from 1 (0: not numbered yet); `at` in seconds since the record's start, the moment on the
    table; `confidence` 0..1 and `alternatives` (other readings of the cards, likeliest first) say how sure
    the reading is; `extra` keeps fields that this version does not know.
    """

    name: ClassVar[str] = ""

    seq: int = 0
    at: float | None = None
    source: str | None = None
    confidence: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    evidence: tuple[str, ...] = ()
    extra: Mapping[str, Json] = field(default_factory=dict)

    def numbered(self, seq: int) -> Event:
        """The same event with its place in the record."""
        return replace(self, seq=seq)


@dataclass(frozen=True, kw_only=True)
class MatchStarted(Event):
    """The match begins under a profile; `levels` of side 0 and 1; `options` override keys of the profile."""

    name: ClassVar[str] = "match_started"
    profile: str
    players: tuple[str, ...] = ("", "", "", "")
    levels: tuple[str, str] = ("2", "2")
    options: Mapping[str, Json] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class DealStarted(Event):
    """A deal (副) begins at `level`; what the deal before decided may be stated (`finish`, `banker`)."""

    name: ClassVar[str] = "deal_started"
    deal: int | None = None
    level: str | None = None
    finish: tuple[Seat, ...] | None = None
    banker: Seat | None = None
    trump: str | None = None


@dataclass(frozen=True, kw_only=True)
class TurnedUp(Event):
    """A card turned face up when cutting, by `seat`."""

    name: ClassVar[str] = "turned_up"
    card: Card
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Dealt(Event):
    """The whole hand of a seat, from a sealed feed; `sealed` names the deal of the feed, `opening` proves that these
    are the cards to which the feed was bound (`devices.sealed`)."""

    name: ClassVar[str] = "dealt"
    seat: Seat
    cards: tuple[Card, ...]
    sealed: str | None = None
    opening: str | None = None


@dataclass(frozen=True, kw_only=True)
class HandSealed(Event):
    """A sealed feed knows the hand of a seat: how many cards, and the hash that binds it (`devices.sealed`).

    Once the hand may be known, a correction puts `Dealt` in its place.
    """

    name: ClassVar[str] = "hand_sealed"
    seat: Seat
    count: int
    sealed: str
    commitment: str


@dataclass(frozen=True, kw_only=True)
class SealOpened(Event):
    """A person has looked at a sealed deal, and why."""

    name: ClassVar[str] = "seal_opened"
    sealed: str
    by: str | None = None
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class RefereeCalled(Event):
    """A player calls the referee (叫裁判)."""

    name: ClassVar[str] = "referee_called"
    seat: Seat


@dataclass(frozen=True, kw_only=True)
class DrawEnded(Event):
    """The last card has been drawn."""

    name: ClassVar[str] = "draw_ended"


@dataclass(frozen=True, kw_only=True)
class Tribute(Event):
    """A card of tribute (贡牌); without `card` while it lies face down."""

    name: ClassVar[str] = "tribute"
    seat: Seat
    to: Seat | None = None
    card: Card | None = None


@dataclass(frozen=True, kw_only=True)
class TributeReturn(Event):
    """A card returned for a tribute (还牌); without `card` while it lies face down."""

    name: ClassVar[str] = "tribute_return"
    seat: Seat
    to: Seat | None = None
    card: Card | None = None


@dataclass(frozen=True, kw_only=True)
class TributeRefused(Event):
    """Tribute refused (抗贡), the jokers shown."""

    name: ClassVar[str] = "tribute_refused"
    seats: tuple[Seat, ...]
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class TrumpShown(Event):
    """Cards shown to declare, overturn or reinforce trump (亮主, 反主, 加固)."""

    name: ClassVar[str] = "trump_shown"
    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class KittyTurned(Event):
    """A card of the kitty turned because nobody declared."""

    name: ClassVar[str] = "kitty_turned"
    card: Card


@dataclass(frozen=True, kw_only=True)
class KittyTaken(Event):
    """The kitty (底牌) taken up."""

    name: ClassVar[str] = "kitty_taken"
    seat: Seat
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class KittyLaid(Event):
    """The kitty laid down again (扣底)."""

    name: ClassVar[str] = "kitty_laid"
    seat: Seat
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class TrumpNamed(Event):
    """Trump named by word of mouth."""

    name: ClassVar[str] = "trump_named"
    seat: Seat
    suit: str


@dataclass(frozen=True, kw_only=True)
class Play(Event):
    """Cards played (出牌), left to right as the player sees them; `says`: the meaning spoken."""

    name: ClassVar[str] = "play"
    seat: Seat
    cards: tuple[Card, ...]
    says: str | None = None


@dataclass(frozen=True, kw_only=True)
class Pass(Event):
    """A pass (过牌)."""

    name: ClassVar[str] = "pass"
    seat: Seat


@dataclass(frozen=True, kw_only=True)
class CountAsked(Event):
    """`seat` asks how many cards `of` has left."""

    name: ClassVar[str] = "count_asked"
    seat: Seat
    of: Seat


@dataclass(frozen=True, kw_only=True)
class CountCalled(Event):
    """A count call (报牌)."""

    name: ClassVar[str] = "count_called"
    seat: Seat
    count: int


@dataclass(frozen=True, kw_only=True)
class ThrowStopped(Event):
    """`seat` objects to a throw (甩牌) and shows what beats it."""

    name: ClassVar[str] = "throw_stopped"
    seat: Seat
    cards: tuple[Card, ...] | None = None


@dataclass(frozen=True, kw_only=True)
class ThrowForced(Event):
    """What stays on the table of a failed throw by `seat`, and who chose it."""

    name: ClassVar[str] = "throw_forced"
    seat: Seat
    cards: tuple[Card, ...]
    chosen_by: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class Exposed(Event):
    """Cards exposed (暴露张)."""

    name: ClassVar[str] = "exposed"
    seat: Seat
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class TakenBack(Event):
    """Cards taken back into the hand (悔牌), with or without consent."""

    name: ClassVar[str] = "taken_back"
    seat: Seat
    cards: tuple[Card, ...]
    consent: bool = False


@dataclass(frozen=True, kw_only=True)
class Moved(Event):
    """A gesture, a hand on played cards: what, in words."""

    name: ClassVar[str] = "moved"
    seat: Seat
    what: str = ""


@dataclass(frozen=True, kw_only=True)
class HandCount(Event):
    """A hand counted by the referee."""

    name: ClassVar[str] = "hand_count"
    seat: Seat
    count: int


@dataclass(frozen=True, kw_only=True)
class KittyRevealed(Event):
    """The kitty turned over at the end."""

    name: ClassVar[str] = "kitty_revealed"
    cards: tuple[Card, ...]


@dataclass(frozen=True, kw_only=True)
class ClockSet(Event):
    """The clock stopped or running again."""

    name: ClassVar[str] = "clock"
    state: str
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class Correction(Event):
    """Event `of` should have been `replacement`, or is void."""

    name: ClassVar[str] = "correction"
    of: int
    replacement: Mapping[str, Json] | None = None
    void: bool = False


@dataclass(frozen=True, kw_only=True)
class Ruling(Event):
    """A person's decision on a finding."""

    name: ClassVar[str] = "ruling"
    finding: int
    decision: str
    penalty: Json = None
    by: str | None = None


@dataclass(frozen=True, kw_only=True)
class DealVoided(Event):
    """The deal does not count."""

    name: ClassVar[str] = "deal_voided"
    why: str | None = None


@dataclass(frozen=True, kw_only=True)
class MatchEnded(Event):
    """The match is over: time, agreement, forfeit."""

    name: ClassVar[str] = "match_ended"
    why: str | None = None
    side: int | None = None
    seat: Seat | None = None


@dataclass(frozen=True, kw_only=True)
class UnknownEvent(Event):
    """An event that this version does not know, kept as it came."""

    name: ClassVar[str] = ""
    kind: str = ""


GAPS: Final = ("unreadable", "missing")
"""Kinds of `UnknownEvent` that stand where a line could not be read, or where lines are missing."""

BOX_UNHEARD: Final = "box_unheard"
BOX_HEARD: Final = "box_heard"
"""Kinds of `UnknownEvent` that say how far a seat's box has been heard (`table.hearing`)."""

EVENT_TYPES: Final[Mapping[str, type[Event]]] = {
    kind.name: kind
    for kind in (
        MatchStarted, DealStarted, TurnedUp, Dealt, HandSealed, SealOpened, RefereeCalled, DrawEnded, Tribute,
        TributeReturn, TributeRefused, TrumpShown, KittyTurned, KittyTaken, KittyLaid, TrumpNamed, Play, Pass,
        CountAsked, CountCalled, ThrowStopped, ThrowForced, Exposed, TakenBack, Moved, HandCount, KittyRevealed,
        ClockSet, Correction, Ruling, DealVoided, MatchEnded,
    )
}  # fmt: skip
