"""From readings of one picture after another to what is new in each zone of the table."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from calibration.zones import Zone
from table.cards import Card, format_cards
from table.seats import Seat
from vision.cards_read import CardsRead
from vision.layout import reading_order

_MOST_ALTERNATIVES: Final = 3
_WORTH_NAMING: Final = 0.02
_SAME_PLACE: Final = 0.35
"""How far a card may have moved and be the one that lay there before, in card heights (30 mm)."""
_SHIFTED: Final = 3
"""So many cards that moved alike say that the table or the camera did."""
Points = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Seen:
    """Cards that are new in a zone, from its viewer's left to right.

    Attributes:
        zone: the zone's name.
        seat: whose zone it is, if anybody's.
        cards: what is new.
        confidence: chance that all of it is read right.
        alternatives: other readings of the same cards with their chances, likeliest first.
        doubtful: whether somebody should look.
    """

    zone: str
    seat: Seat | None
    cards: tuple[Card, ...]
    confidence: float
    alternatives: tuple[tuple[str, float], ...] = ()
    doubtful: bool = False


@dataclass(slots=True)
class Watch:
    """Remembers what lay in each zone, so that only what is new is told."""

    zones: Sequence[Zone]
    _before: dict[str, tuple[Sequence[Card], Points]] = field(default_factory=dict)

    def look(self, cards: CardsRead, zones: Sequence[Zone] | None = None) -> list[Seen]:
        """What is new since the last picture, zone by zone.

        Args:
            cards: what was read in the next picture.
            zones: the zones in px of this picture, where its size differs from the others.
        """
        out = []
        for zone, members in by_zone(cards, zones or self.zones).items():
            there = cards[members]
            there = there[reading_order(there, zone.down)]
            places = _shares(zone, there.centre)
            fresh = _fresh(there, places, self._before.get(zone.name, ((), places[:0])), _extent(zone))
            self._before[zone.name] = there.names, places
            if fresh:
                out.append(_seen(zone, there[np.asarray(fresh, np.int64)]))
        return out


def by_zone(cards: CardsRead, zones: Iterable[Zone]) -> Mapping[Zone, np.ndarray]:
    """Numbers of the cards whose middle lies in each zone; a card goes to the first zone that holds it."""
    free = np.ones(len(cards), bool)
    out = {}
    for zone in zones:
        inside = np.array([zone.holds(float(x), float(y)) for x, y in cards.centre], bool).reshape(-1) & free
        free &= ~inside
        out[zone] = np.flatnonzero(inside)
    return out


def _extent(zone: Zone) -> Points:
    """Width and height of a zone, px: (2,)."""
    corners = np.asarray(zone.polygon, np.float64)
    return np.asarray(np.maximum(np.ptp(corners, axis=0), 1.0))


def _shares(zone: Zone, centres: NDArray[np.float32]) -> Points:
    """Places as shares of their zone, so that pictures of any size compare: (N, 2)."""
    return np.asarray((centres.reshape(-1, 2) - np.min(zone.polygon, axis=0)) / _extent(zone), np.float64)


def _fresh(
    cards: CardsRead, places: Points, before: tuple[Sequence[Card], Points], extent: Points
) -> list[int]:
    """Which cards were not there before: another name, or the name at another place (packs hold copies).

    A table or a camera that shifted moved all cards alike; that much is allowed for.
    """
    old_names, old = before
    alike = [
        (i, k) for i, name in enumerate(cards.names) for k, known in enumerate(old_names) if name == known
    ]
    steps = {(i, k): places[i] - old[k] for i, k in alike}
    shift = np.median(list(steps.values()), axis=0) if len(steps) >= _SHIFTED else np.zeros(2)
    height = np.linalg.norm(cards.outline[:, 3] - cards.outline[:, 0], axis=1)
    pairs = sorted(
        (float(np.linalg.norm((step - shift) * extent) / height[i]), i, k) for (i, k), step in steps.items()
    )
    same: dict[int, int] = {}
    for apart, i, k in pairs:
        if apart < _SAME_PLACE and i not in same and k not in same.values():
            same[i] = k
    return [i for i in range(len(cards)) if i not in same]


def _seen(zone: Zone, cards: CardsRead) -> Seen:
    names = cards.names
    sure = float(np.prod(cards.confidence.astype(np.float64)))
    others = []
    for i in range(len(cards)):
        own = max(float(cards.confidence[i]), 1e-6)
        for card, chance in cards.alternatives(i):
            total = sure / own * chance
            if total >= _WORTH_NAMING:
                others.append((format_cards([*names[:i], card, *names[i + 1 :]]), total))
    others.sort(key=lambda other: -other[1])
    return Seen(
        zone.name,
        zone.seat,
        tuple(names),
        sure,
        tuple(others[:_MOST_ALTERNATIVES]),
        bool(cards.doubtful.any()),
    )


_STAMP: Final = re.compile(
    r"(20\d\d)[-_.]?([01]\d)[-_.]?([0-3]\d)[-_. T]?([0-2]\d)[-_.h]?([0-5]\d)[-_.m]?([0-5]\d)"
)


def capture_time(path: Path) -> float | None:
    """When a still was taken, in seconds, as its name says (`WIN_20240627_17_19_30_Pro.jpg`); else None.

    >>> capture_time(Path("IMG_20220921_194132.jpg")) - capture_time(Path("IMG_20220921_194130.jpg"))
    2.0
    """
    stamp = _STAMP.search(path.name)
    if stamp is None:
        return None
    try:
        return (datetime(*(int(part) for part in stamp.groups())) - datetime(1970, 1, 1)).total_seconds()  # type: ignore[arg-type]
    except ValueError:
        return None
