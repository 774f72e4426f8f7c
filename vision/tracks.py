"""What is remembered of the cards on a table, and what one reading of a zone says and changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np

from calibration.setup import ZoneSetup
from table.sightings import TrackedCard
from vision.cards_read import CardsRead
from vision.certainty import SURE_ABOVE
from vision.evidence_sum import NAMES, Evidence
from vision.placing import turn_of
from vision.plane import Points

VISIBLE: Final = "visible"
COVERED: Final = "covered"
HIDDEN: Final = "hidden"
"""Something that is no known card, a hand perhaps, is where the card lay."""
OVER: Final = "turned over"
GONE: Final = "gone"
_HALF_BELIEVED: Final = 0.6
_SUPPORTED: Final = 0.15
_WELL: Final = 0.8


class Look(Protocol):
    """What the eye for motion can say about places on the table at this reading; outlines (4, 2) in mm."""

    def changed_share(self, outline: Points) -> float:
        """How much of a place changed since the reading before, 0..1."""

    def bare(self, outline: Points, others: Points) -> bool:
        """Whether a place shows the table where none of the other outlines (N, 4, 2) lies."""

    def visible(self, outline: Points) -> bool:
        """Whether the camera sees all of a place."""

    def calm(self, outline: Points) -> bool:
        """Whether nothing moves there now."""

    def still_since(self, outline: Points) -> float:
        """When something last moved there, s."""

    def support(self, outline: Points, others: Points) -> float | None:
        """How much of a place looks other than the bare table where none of the others (N, 4, 2) lies, 0..1."""


@dataclass(slots=True)
class ZoneReading:
    """What was read of a zone in one picture, on the table.

    Attributes:
        cards: the cards face up; their own outlines are in px of the crop and are not used here.
        outlines: (N, 4, 2) mm.
        backs: (M, 4, 2) mm: boxes round the backs.
        rest: when the rest began in which it was read, s.
    """

    cards: CardsRead
    outlines: Points
    backs: Points
    rest: float

    def without(self, which: Sequence[int]) -> ZoneReading:
        """The reading without some of its cards face up, by their numbers."""
        if not which:
            return self
        kept = np.setdiff1d(np.arange(len(self.outlines)), which)
        return ZoneReading(self.cards[kept], self.outlines[kept], self.backs, self.rest)


@dataclass(slots=True, eq=False)
class Track:
    """One card on the table, from its first reading to its last.

    Attributes:
        number: of the track.
        zone: name of the zone that it belongs to.
        outline: (4, 2) mm, clockwise from the top left for the zone's reader.
        evidence: all its readings.
        state: visible, covered, hidden, turned over or gone.
        still: when the card came to rest, s.
        rest: the rest in which it was first read.
        told: whether it was reported.
        name_told: the name under which it was reported.
        doubt_told: whether it was reported as doubtful.
        suspect: something beside it could not be read.
        beyond: more copies of its name lie on the table than the packs hold.
        touched: something changed at its place since it was last read.
        misses: readings in a row in which its place was seen bare.
        unread: readings of its place in which it was not found, before it was told.
        support: how much of its place looks like a card where no other lies over it; None where nothing tells.
        shown: how often it was seen while nobody could read it.
        missing: the chance that it is no card, while nobody could read it, 0..1.
    """

    number: int
    zone: str
    outline: Points
    evidence: Evidence
    still: float
    rest: float
    state: str = VISIBLE
    told: bool = False
    name_told: int = -1
    doubt_told: bool = False
    beyond: bool = False
    suspect: bool = False
    touched: bool = False
    misses: int = 0
    missed_at: float = 0.0
    unread: int = 0
    support: float | None = None
    shown: int = 0
    missing: float = 0.0
    _averaged: tuple[float, int] = (0.0, 0)

    @property
    def centre(self) -> Points:
        """(2,) mm."""
        return np.asarray(self.outline.mean(0), np.float64)

    @property
    def face_up(self) -> bool:
        """Whether it lies face up, seen or not."""
        return self.state in (VISIBLE, COVERED, HIDDEN)

    @property
    def doubtful(self) -> bool:
        """Whether somebody should look before anybody relies on its name."""
        return self.beyond or self.suspect or self.evidence.doubtful(SURE_ABOVE)

    @property
    def blank(self) -> bool:
        """Whether it seems to be a card and nobody could read it so far."""
        return not self.evidence.sure

    @property
    def nothing(self) -> float:
        """Chance that it is no card at all, 0..1: print of another card, a shadow.

        What is found again and again, and surely, is a card. Of what is only half believed, by one corner, nobody
        knows, unless more of it shows as light as a card; and the oftener it was not found, the less it is believed.
        """
        if self.blank:
            return self.missing
        read, sure = len(self.evidence.sure), self.evidence.usual
        none = float(self.evidence.chances[NAMES])
        if self.doubtful and self.evidence.corners < 2:
            none = max(none, _HALF_BELIEVED * (1 - sure))
            none *= _SUPPORTED if self.support is not None and self.support >= _WELL else 1.0
        if not self.told or self.doubtful:
            none = max(none, 0.5 * self.unread / (read + self.unread))
        return min(none, 1.0)

    def place(self, outline: Points, rest: float) -> None:
        """Lies here by the newest reading; readings of one rest are averaged."""
        since, count = self._averaged
        count = count + 1 if since == rest else 1
        share = 1 / count
        self.outline = self.outline * (1 - share) + outline * share
        self._averaged = (rest, count)

    def as_seen(self, zone: ZoneSetup) -> TrackedCard:
        """For the recorder; a card face down keeps the names that it had."""
        x, y = self.centre
        # Repeating a reading that is half believed does not make it surer.
        sure = (
            min(self.evidence.confidence, self.evidence.usual) if self.doubtful else self.evidence.confidence
        )
        return TrackedCard(
            self.number,
            self.evidence.listed(),
            0.0 if self.blank else sure,
            self.doubtful or self.blank,
            (round(float(x), 1), round(float(y), 1)),
            round(turn_of(self.outline, zone), 1),
            nothing=round(self.nothing, 3),
            unread=self.blank,
        )


Pair = tuple[Track, int]
"""A track and the number of the card of a reading that it is."""


@dataclass(slots=True)
class Changes:
    """What one reading changed; `print` are the numbers of cards of the reading that are none: the table shows there."""

    born: list[Track] = field(default_factory=list)
    gone: list[Track] = field(default_factory=list)
    over: list[Track] = field(default_factory=list)
    up: list[Track] = field(default_factory=list)
    moved: list[Track] = field(default_factory=list)
    print: list[int] = field(default_factory=list)
