"""How a record that the cameras made differs from the true one: cards, plays, silent misreads, findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, fields
from typing import Final

import numpy as np
from scipy.optimize import linear_sum_assignment

from table.cards import Card
from table.events import GAPS, Dealt, Event, ThrowStopped, UnknownEvent
from table.findings import CHECK, LIKELY, PROVEN
from table.match import doubtful
from table.rulesets import Profile
from table.session import Referee

APART_S: Final = 6.0
"""Two events further apart than this are not the same one."""
Span = tuple[float, float]
_NEVER: Final = 1e6
_ACCUSING: Final = (PROVEN, LIKELY)
_UNSEEN: Final = (Dealt, ThrowStopped)
"""Events whose cards no camera reads from the table."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A true event and the recorded one that is it; one of the two may be missing."""

    true: Event | None
    seen: Event | None

    @property
    def name(self) -> str:
        """The event's name."""
        event = self.true or self.seen
        assert event is not None
        return event.name

    @property
    def cards(self) -> tuple[Counter[Card], Counter[Card]]:
        """The true cards and the recorded ones."""
        return Counter(cards_of(self.true)), Counter(cards_of(self.seen))

    @property
    def wrong(self) -> int:
        """Cards that are not what they should be: missing, misnamed or invented, each once."""
        true, seen = self.cards
        return max((true - seen).total(), (seen - true).total())

    @property
    def exact(self) -> bool:
        """The same cards in the same order."""
        return self.true is not None and self.seen is not None and cards_of(self.true) == cards_of(self.seen)


@dataclass(slots=True)
class Tally:
    """Sums over matches; see `RECORD.md` for events and certainties.

    Attributes:
        cards: that were laid in truth.
        cards_wrong: missing, misnamed or invented.
        plays: in truth.
        plays_exact: recorded with the same cards in the same order.
        silent_misreads: wrong cards on events that do not say that they are in doubt, and cards missed where the
            record names no gap.
        missed_named: cards missed where the record says that something is missing.
        planted: findings that the true record leads to.
        planted_found: of these, found with the recorded one (of the same kind and seat, about the same event).
        planted_checked: of these found, those that are only `check`.
        invented: findings `proven` or `likely` that the true record does not lead to.
        differences: in words, for people.
    """

    cards: int = 0
    cards_wrong: int = 0
    plays: int = 0
    plays_exact: int = 0
    silent_misreads: int = 0
    missed_named: int = 0
    planted: int = 0
    planted_found: int = 0
    planted_checked: int = 0
    invented: int = 0
    differences: list[str] = field(default_factory=list)

    def add(self, profile: Profile, true: Sequence[Event], seen: Sequence[Event], label: str = "") -> None:
        """Count one match: both records whole, corrections included."""
        theirs, ours = _judged(true), _judged(seen)
        pairs = paired(theirs.effective(), ours.effective())
        gaps = named_gaps(ours.effective())
        for pair in pairs:
            self._count(profile, pair, gaps, label)
        self._judge(theirs, ours, pairs, label)

    def merge(self, other: Tally) -> None:
        """Count what another tally counted beside this one."""
        for item in fields(self):
            setattr(self, item.name, getattr(self, item.name) + getattr(other, item.name))

    def _count(self, profile: Profile, pair: Pair, gaps: Sequence[Span], label: str) -> None:
        if pair.true is not None:
            self.cards += len(cards_of(pair.true))
            if pair.name == "play":
                self.plays += 1
                self.plays_exact += pair.exact
        if not pair.wrong:
            return
        self.cards_wrong += pair.wrong
        at = (pair.true or pair.seen).at or 0.0  # type: ignore[union-attr]  # one of both is there
        named = pair.seen is None and any(start <= at <= end for start, end in gaps)
        self.missed_named += pair.wrong if named else 0
        silent = not named and (pair.seen is None or not doubtful(profile, pair.seen))
        if silent:
            self.silent_misreads += pair.wrong
        true, read = (" ".join(map(str, cards_of(event))) or "-" for event in (pair.true, pair.seen))
        self.differences.append(
            f"{label} {at:.1f} s {pair.name}: {true} read as {read}{' (silent)' if silent else ''}"
        )

    def _judge(self, theirs: Referee, ours: Referee, pairs: Iterable[Pair], label: str) -> None:
        same = {p.seen.seq: p.true.seq for p in pairs if p.seen is not None and p.true is not None}
        wanted = [(claim.kind, claim.seat, claim.event) for claim in theirs.findings().values()]
        then, now = ({event.seq: event.at for event in judge.effective()} for judge in (theirs, ours))
        self.planted += len(wanted)
        for claim in ours.findings().values():
            kind, seat = claim.kind, claim.seat
            match = (kind, seat, same.get(claim.event, -1))
            if match not in wanted:
                at = now.get(claim.event)
                near = [w for w in wanted if w[:2] == (kind, seat) and _about(at, then.get(w[2]))]
                match = near[0] if near else match
            if match in wanted:
                wanted.remove(match)
                self.planted_found += 1
                self.planted_checked += claim.certainty == CHECK
            elif claim.certainty in _ACCUSING:
                self.invented += 1
                self.differences.append(f"{label} invented: {kind} seat {seat} event {claim.event}")
        self.differences += [f"{label} not found: {kind} seat {seat}" for kind, seat, _ in wanted]


def cards_of(event: Event | None) -> tuple[Card, ...]:
    """The cards that an event shows on the table."""
    if event is None or isinstance(event, _UNSEEN):
        return ()
    cards: tuple[Card, ...] | None = getattr(event, "cards", None)
    if cards is None:
        card: Card | None = getattr(event, "card", None)
        return (card,) if card is not None else ()
    return tuple(cards)


def paired(true: Iterable[Event], seen: Iterable[Event]) -> list[Pair]:
    """Events that show cards, each with its fellow of the same name and seat that is nearest in time and cards."""
    true, then = _timed(true)
    seen, now = _timed(seen)
    if not true or not seen:
        return [Pair(event, None) for event in true] + [Pair(None, event) for event in seen]
    cost = np.full((len(true), len(seen)), _NEVER)
    for i, one in enumerate(true):
        for j, other in enumerate(seen):
            apart = abs(then[i] - now[j])
            if _alike(one, other) and apart <= (APART_S if other.at is not None else 3 * APART_S):
                cost[i, j] = apart + 0.5 * Pair(one, other).wrong
    rows, columns = linear_sum_assignment(cost)
    found = {int(i): int(j) for i, j in zip(rows, columns, strict=True) if cost[i, j] < _NEVER}
    pairs = [Pair(event, seen[found[i]] if i in found else None) for i, event in enumerate(true)]
    taken = set(found.values())
    return pairs + [Pair(None, event) for j, event in enumerate(seen) if j not in taken]


def named_gaps(events: Iterable[Event]) -> list[Span]:
    """Stretches of time, s, of which a record says that something in them is missing."""
    gaps: list[Span] = []
    times: dict[int, float] = {}
    last, open_ = 0.0, False
    for event in events:
        if isinstance(event, UnknownEvent) and event.kind in GAPS:
            open_ = True
            # A restart says from when on, a play that went unnoticed what it may explain.
            since = times.get(event.extra.get("since", 0), last)
            last = min(last, since, float(event.extra.get("from", last)))
        elif event.at is not None:
            times[event.seq] = event.at
            if open_:
                gaps.append((last - APART_S, event.at + APART_S))
            last, open_ = event.at, False
    return [*gaps, (last - APART_S, float("inf"))] if open_ else gaps


def _about(one: float | None, other: float | None) -> bool:
    """Whether two findings are about the same moment; a missed play moves one to the event after."""
    return one is None or other is None or abs(one - other) <= 3 * APART_S


def _timed(events: Iterable[Event]) -> tuple[list[Event], list[float]]:
    """The events that show cards, and when; one without a time (nobody saw it being laid) follows the one before."""
    shown, times, last = [], [], 0.0
    for event in events:
        last = last if event.at is None else event.at
        if cards_of(event) or event.extra.get("unread"):
            shown.append(event)
            times.append(last)
    return shown, times


def _alike(one: Event, other: Event) -> bool:
    return one.name == other.name and getattr(one, "seat", None) == getattr(other, "seat", None)


def _judged(events: Iterable[Event]) -> Referee:
    referee = Referee()
    for event in events:
        referee.push(event)
    referee.finish()
    return referee
