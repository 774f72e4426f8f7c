"""What the cameras say happened on the table, before any rule is asked: the words between `vision` and the recorder.

A sighting is about cards at rest. It names places by zone and cards by track, so that later sightings can say what
became of the same card. No pixels, no numpy: the recorder is pure, and tests write sightings by hand.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from table.cards import Card
from table.seats import Seat

Chances = tuple[tuple[Card, float], ...]
"""Names that a card may have with their probabilities, likeliest first; they need not add up to 1."""


@dataclass(frozen=True, slots=True)
class TrackedCard:
    """One card on the table as far as it is known.

    Attributes:
        track: number of the card's track, the same for as long as the card lies on the table.
        chances: what it may be, likeliest first; empty for a card that lies face down.
        confidence: chance that the likeliest name is right, 0..1.
        doubtful: whether somebody should look before anybody relies on it.
        place: centre of the card, mm on the table plane (origin at the table's centre, x right and y away from
            seat 0).
        turn: degrees counter-clockwise from upright for the zone's player.
        nothing: chance that no card lies there at all, 0..1: print of another card, a shadow.
        unread: a card seems to lie there face up and nobody could read it; `chances` is empty then.
    """

    track: int
    chances: Chances
    confidence: float = 1.0
    doubtful: bool = False
    place: tuple[float, float] = (0.0, 0.0)
    turn: float = 0.0
    nothing: float = 0.0
    unread: bool = False

    @property
    def card(self) -> Card | None:
        """The likeliest name; None face down, or unread."""
        return self.chances[0][0] if self.chances else None


@dataclass(frozen=True, kw_only=True, slots=True)
class Sighting:
    """What every sighting carries.

    Attributes:
        at: when the cards came to rest, s (capture time, not processing time).
        zone: name of the zone.
        seat: whose zone it is; None for zones of nobody.
        frames: how many frames at rest it rests on.
    """

    at: float
    zone: str
    seat: Seat | None = None
    frames: int = 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Laid(Sighting):
    """New cards face up at rest in a zone.

    Attributes:
        cards: what is new, left to right for the zone's player.
        row: all face-up cards of the zone left to right, new ones included: where a late card joined, its place
            says what a wild card stands for.
        hand: whether a hand still rests in the zone (more may follow).
        dark: for how long the zone had not been seen when some of these cards first showed, s; 0 where all were seen
            coming. What came in that time may be more than one play.
    """

    cards: tuple[TrackedCard, ...]
    row: tuple[TrackedCard, ...] = ()
    hand: bool = False
    dark: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Lifted(Sighting):
    """Cards that lay in the zone are gone from it: taken back, or cleared away after the trick.

    Attributes:
        cards: which, as they were last known.
        left: how many face-up cards still lie in the zone.
    """

    cards: tuple[TrackedCard, ...]
    left: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnedOver(Sighting):
    """Cards that lay face up now lie face down (a finished trick), or the other way round.

    Attributes:
        cards: which, as they were last known.
        face_up: how they lie now.
    """

    cards: tuple[TrackedCard, ...]
    face_up: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Moved(Sighting):
    """Cards of the zone lie elsewhere in it: knocked askew or put in another order.

    Attributes:
        row: all face-up cards of the zone, left to right as they lie now.
    """

    row: tuple[TrackedCard, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Revised(Sighting):
    """More frames made another name likelier for cards that were told before.

    Attributes:
        cards: the cards with their chances as they are now.
        row: all face-up cards of the zone left to right; a card that is read at last takes its place among them.
    """

    cards: tuple[TrackedCard, ...]
    row: tuple[TrackedCard, ...] = ()


@dataclass(frozen=True, kw_only=True, slots=True)
class Backs(Sighting):
    """How many backs show in a zone, told when it changes (a pile counts as one).

    Attributes:
        count: backs that show now.
        before: backs that showed before.
    """

    count: int
    before: int = 0


@dataclass(frozen=True, kw_only=True, slots=True)
class PlaqueShown(Sighting):
    """A plaque laid into a zone.

    Attributes:
        says: `pass` or `count`.
        count: the number on a count plaque (cards left).
    """

    says: str
    count: int | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Blind(Sighting):
    """A zone that cannot be seen any more, or again: its camera is gone, frozen, dark or was knocked.

    Attributes:
        blind: whether it is blind from now on.
        why: `gone`, `frozen`, `dark`, `knocked`, `hand`; empty when it sees again.
        cameras: names of the cameras concerned.
    """

    blind: bool
    why: str = ""
    cameras: tuple[str, ...] = field(default_factory=tuple)
