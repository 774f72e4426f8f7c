"""Which zones can be seen, since when, and the names of gaps where something happened that nobody saw."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from table.cards import format_cards
from table.doubt import MOST
from table.events import Event, Play, UnknownEvent
from table.ledger import CAMERA, Ledger
from table.match import MatchState
from table.recording import recording_of
from table.seats import Seat
from table.sightings import Blind, Laid, Sighting

WAKING: Final = 3.0
"""Seconds from the moment a zone is seen again in which cards seen there may have lain before."""

UNSEEN: Final = "unseen"
"""Field of a play that nobody saw being laid."""
SPLIT: Final = "split"
"""Field of such a play: the ways in which its cards may be two plays, each as what lies on the left and on the right."""
_IN_TWO: Final = 0.6
"""Chance that cards which are no play together are two, by what else they could be."""
FIRST: Final = 0.5
"""Seconds from that moment in which cards at rest were not laid since."""


class Views:
    """What the recorder knows of its cameras.

    Args:
        asleep: the service has just started again: what the first sightings show may have lain there before.
    """

    def __init__(self, *, asleep: bool = False) -> None:
        self._asleep = asleep
        self._woke = float("-inf")
        self._blind: dict[str, Seat | None] = {}
        self._seen_from: dict[str, float] = {}
        self._strange: dict[Seat, float] = {}
        self._shown = False

    def note(self, sighting: Sighting, ledger: Ledger) -> None:
        """A sighting has come: a zone gone blind or seen again, or the first one after a restart."""
        if not isinstance(sighting, Blind):
            self.open(sighting.at)
            self._shown = True
        elif sighting.blind:
            self._blind[sighting.zone] = sighting.seat
            if sighting.seat is not None:
                ledger.gaps.pop(sighting.seat, None)
        elif sighting.zone in self._blind:
            del self._blind[sighting.zone]
            self._seen_from[sighting.zone] = sighting.at
            for lot in ledger.lots:
                lot.loose = lot.loose or lot.zone == sighting.zone

    def open(self, at: float) -> None:
        """Frames have come up to this time: after a restart the table is seen from here on."""
        if self._asleep:
            self._asleep, self._woke = False, at

    def strange(self, seen: Laid) -> None:
        """Something lies in a seat's zone that nobody could read, and it was not his turn."""
        if seen.seat is not None:
            self._strange[seen.seat] = seen.at

    def clean(self, seat: Seat, since: float | None) -> bool:
        """Whether a seat's zone was seen and nothing came to lie there unread since then, s."""
        strange = self._strange.get(seat)
        return not self.blind(seat) and (strange is None or (since is not None and strange < since))

    def blind(self, seat: Seat) -> bool:
        """Whether a zone of this seat cannot be seen."""
        return seat in self._blind.values()

    def hidden(self) -> tuple[Seat, ...]:
        """The seats of which a zone cannot be seen."""
        return tuple(sorted({seat for seat in self._blind.values() if seat is not None}))

    def waking(self, zone: str, at: float) -> bool:
        """Whether cards that a zone shows may have lain there before it was seen (again)."""
        return at <= self._since(zone) + WAKING

    def awake(self, seat: Seat | None, at: float) -> bool:
        """Whether after a restart the table has been seen long enough to show all that lies there for a seat."""
        hidden = seat is not None and self.blind(seat)
        return self._shown and not hidden and at > self._woke + WAKING

    def lay_there(self, zone: str, at: float) -> bool:
        """Whether cards lay in a zone when it was first seen (again): they came to rest then, or nobody knows when."""
        return at <= self._since(zone) + FIRST

    def _since(self, zone: str) -> float:
        return max(self._woke, self._seen_from.get(zone, self._woke))


def missing(seat: Seat, why: str, since: int | None = None, may_be: str | None = None) -> UnknownEvent:
    """The name of a gap: an act of a seat that nobody saw; its time is not known.

    Args:
        seat: whose act.
        why: `blind`, `unseen`, `unnoticed`.
        since: number of the first event that it may explain, where it is an earlier one.
        may_be: name of the event that it can only be.
    """
    extra: dict[str, int | str] = {"seat": seat, "why": why}
    more = {"since": since, "may_be": may_be}
    extra |= {key: value for key, value in more.items() if value is not None}
    return UnknownEvent(kind="missing", source=CAMERA, extra=extra)


def unseen(event: Event, state: MatchState) -> Event:
    """A play that nobody saw being laid: however well its cards are read, it may be more than one play.

    Where its cards are no play together, the two plays that they may be are written beside it: each part is another
    reading of the event, and `split` says what lies on the left and what on the right. Together they leave enough open
    that all of it stays to be checked.
    """
    below = state.profile.number("reading.doubt_below")
    sure = 1.0 if event.confidence is None else event.confidence
    extra = {key: value for key, value in event.extra.items() if key != SPLIT}
    event = replace(event, confidence=min(below * 0.99, sure), extra={**extra, UNSEEN: True})
    if not isinstance(event, Play) or state.deal is None:
        return event
    two = recording_of(state.profile.game).splits(event.seat, event.cards, state)[:MOST]
    if not two:
        return event
    parts = list(dict.fromkeys(part for both in two for part in both))
    chance = round(below * _IN_TWO / len(parts), 4)
    others = [(part, chance) for part in parts] + [
        item for item in event.alternatives if item[0] not in parts
    ]
    split = [[format_cards(left), format_cards(right)] for left, right in two]
    first = min(below * (0.99 - _IN_TWO), sure)
    return replace(
        event, confidence=round(first, 4), alternatives=tuple(others), extra={**event.extra, SPLIT: split}
    )
