"""What the recorder remembers of a deal: events given out and recorded, the cards that lie for them, who acted."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from table.event_json import corrected
from table.events import (
    Correction,
    CountCalled,
    DealStarted,
    DealVoided,
    Event,
    Exposed,
    KittyLaid,
    KittyRevealed,
    KittyTaken,
    KittyTurned,
    MatchEnded,
    MatchStarted,
    Pass,
    Play,
    TakenBack,
    Tribute,
    TributeRefused,
    TributeReturn,
    TrumpShown,
    TurnedUp,
    UnknownEvent,
)
from table.knowledge import new_cards
from table.lots import UNREAD, Draft, Lift, Lot, replacement_of, same_event
from table.recording import Act
from table.seats import Seat
from table.sightings import TrackedCard

CAMERA: Final = "camera"
INFERRED: Final = "inferred"
"""Field of a pass that nobody noticed, and that follows from how the game went on."""
TWICE: Final = 2.0
"""Seconds within which two inputs that say the same are one (a plaque and a seat box)."""
CONSENT: Final = 20.0
"""Seconds in which a person may still say that cards were taken back with consent."""
ENDS: Final = (MatchStarted, DealStarted, DealVoided, MatchEnded)
"""Events after which nothing on the table belongs to the deal that was recorded."""
_SAID_TWICE: Final = (Pass, CountCalled, KittyTaken, KittyLaid)
_LYING: Final = (
    Play,
    Exposed,
    Tribute,
    TributeReturn,
    TributeRefused,
    TrumpShown,
    TurnedUp,
    KittyTurned,
    KittyRevealed,
)
"""Events whose cards lie on the table."""


class Ledger:
    """The recorder's memory of the deal in progress; it follows from the recorded events but for tracks.

    Attributes:
        events: the deal's events as they count now, by number.
        lots: cards on the table, oldest first.
        lifts: cards of plays that are gone while it is open whether they were taken back.
        taken: takings back of late, each with the lot that it was.
        gaps: by seat the number of the event that stands for an act of his that nobody saw.
        acted: number of the latest play or pass.
        presumed: by seat the number of a pass of his that nobody saw and that was inferred.
        pending: a gap was named just before the latest play or pass: the next one tells what it was.
        last_seq, last_at: of the latest event.
    """

    def __init__(self) -> None:
        self.events: dict[int, Event] = {}
        self.lots: list[Lot] = []
        self.lifts: list[Lift] = []
        self.taken: list[tuple[TakenBack, Lot]] = []
        self.gaps: dict[Seat, int] = {}
        self.acted = 0
        self.presumed: dict[Seat, int] = {}
        self.pending = False
        self.last_seq = 0
        self.last_at: float | None = None
        self._drafts: list[Draft] = []
        self._said: list[Event] = []

    def give(self, drafts: Iterable[Draft], source: str | None) -> list[Event]:
        """Drafts as events; they are kept until they come back numbered."""
        events = []
        for draft in drafts:
            if draft.event.source is None and source is not None:
                draft.event = replace(draft.event, source=source)
            self._drafts.append(draft)
            events.append(draft.event)
        return events

    def note(self, event: Event) -> None:
        """An event as it went into the journal."""
        draft = next((draft for draft in self._drafts if same_event(draft.event, event)), None)
        if draft is not None:
            self._drafts.remove(draft)
        self.last_seq = event.seq
        self.last_at = event.at if event.at is not None else self.last_at
        if not isinstance(event, Correction):
            self.events[event.seq] = event
        match event:
            case Correction():
                self._correct(event, draft)
            case TakenBack():
                self._take_back(event, draft)
            case UnknownEvent(extra=extra) if isinstance(extra.get("seat"), int):
                self.gaps[extra["seat"]] = event.seq
            case _ if isinstance(event, ENDS):
                self.clear()
            case _ if _lies(event):
                self.lots.append(_lot_of(event, draft))
            case _ if draft is not None and draft.lot is not None:
                draft.lot.kept = event.seq
        if isinstance(event, Play | Pass) and not self._presume(event):
            self.acted = event.seq
            self.pending = _is_open(self.events.get(event.seq - 1))
        if isinstance(event, _SAID_TWICE):
            self._said = [*self._said[-7:], event]

    def clear(self) -> None:
        """Nothing on the table belongs to the record any more."""
        for kept in (self.lots, self.lifts, self.taken, self._said, self.gaps, self.presumed, self.events):
            kept.clear()
        self.acted, self.pending = 0, False

    def lot(self, seq: int) -> Lot | None:
        """The cards of event `seq`."""
        return next((lot for lot in self.lots if lot.event.seq == seq), None)

    def said_before(self, event: Event) -> bool:
        """Whether another input has said the same within two seconds, or this one with nothing in between.

        A pass laid as a plaque and pressed on the seat box is one pass; a plaque that is seen twice too.
        """
        if not isinstance(event, _SAID_TWICE) or event.at is None:
            return False
        for old in reversed(self._said):
            same = type(old) is type(event) and old.seat == event.seat
            if isinstance(old, CountCalled) and isinstance(event, CountCalled):
                same = same and old.count == event.count
            if same and old.at is not None and abs(event.at - old.at) <= TWICE:
                by_camera = event.source == CAMERA and old.seq == self.last_seq
                return old.source != event.source or by_camera
        return False

    def seen_before(self, event: Event, within: float) -> bool:
        """Whether a play put in by hand is one that the camera has just seen."""
        if not isinstance(event, Play) or event.at is None:
            return False
        lot = self.latest_of(event.seat)
        if lot is None or not lot.play or not lot.zone or lot.event.seq != self.acted:
            return False
        return sorted(map(str, lot.cards)) == sorted(map(str, event.cards)) and event.at - lot.at <= within

    def consented(self, event: TakenBack) -> Draft | None:
        """A taking back that the camera has seen and a person now says more about."""
        for old, _ in reversed(self.taken):
            alike = old.seat == event.seat and sorted(map(str, old.cards)) == sorted(map(str, event.cards))
            if alike and (old.at is None or event.at is None or abs(event.at - old.at) <= CONSENT):
                said = replacement_of(replace(event, at=old.at))
                return Draft(Correction(of=old.seq, replacement=said, at=event.at))
        return None

    def open_gap(self) -> UnknownEvent | None:
        """The gap that was named just before the latest play or pass, while it is open what it was."""
        gap = self.events.get(max(self.gaps.values(), default=0)) if self.pending else None
        return gap if isinstance(gap, UnknownEvent) else None

    def fillable(self, seat: Seat, at: float | None = None) -> int | None:
        """Number of an act of a seat that nobody saw: a gap, or a pass that was inferred.

        What the seat did at `at` (s) fills none that stands before what it did earlier.
        """
        gap = self.gaps.get(seat, self.presumed.get(seat))
        if gap is None or at is None:
            return gap
        since = [
            self.events[act.seq].at for act in self.acts() if act.seen and act.seat == seat and act.seq > gap
        ]
        return None if any(then is not None and then < at for then in since) else gap

    def called_since(self, seat: Seat, seq: int, at: float | None) -> bool:
        """Whether a seat has called its count before `at`, s, and after event `seq` in the record."""
        calls = [event.at for other, event in self.events.items() if other > seq and _calls(event, seat)]
        return at is not None and any(then is not None and then < at for then in calls)

    def acts(self) -> list[Act]:
        """The plays and passes that stand, and the gaps named for some that nobody saw, in their order."""
        found: list[Act] = []
        for seq, event in sorted(self.events.items()):
            if isinstance(event, Play | Pass):
                found.append(Act(seq, event.seat, True))
            elif isinstance(event, UnknownEvent) and isinstance(event.extra.get("seat"), int):
                found.append(Act(seq, event.extra["seat"], False))
            elif isinstance(event, TakenBack):
                mine = [act for act in found if act.seen and act.seat == event.seat]
                play = self.events[mine[-1].seq] if mine else None
                if isinstance(play, Play) and len(event.cards) >= len(play.cards):
                    found.remove(mine[-1])
        return found

    def took_back(self, act: Play | Pass) -> bool:
        """Whether a seat has taken cards back since it acted."""
        return any(
            isinstance(event, TakenBack) and event.seat == act.seat and seq > act.seq
            for seq, event in self.events.items()
        )

    def time_before(self, seq: int) -> float | None:
        """Time of the latest event with one before event `seq`, s."""
        times = [e.at for other, e in self.events.items() if other < seq and e.at is not None]
        return times[-1] if times else None

    def latest_of(self, seat: Seat | None, zone: str | None = None) -> Lot | None:
        """The latest cards of a seat (in a zone)."""
        mine = (lot for lot in reversed(self.lots) if lot.seat == seat and zone in (None, lot.zone))
        return next(mine, None)

    def _correct(self, event: Correction, draft: Draft | None) -> None:
        before = self.events.pop(event.of, Event(seq=event.of))
        after = corrected(before, event)
        if after is not None:
            self.events[event.of] = after
        if isinstance(before, TakenBack) and draft is not None and draft.lot is not None:
            self._not_taken_back(draft.lot)
        lot = self.lot(event.of)
        self.gaps = {seat: seq for seat, seq in self.gaps.items() if seq != event.of}
        self.presumed = {seat: seq for seat, seq in self.presumed.items() if seq != event.of}
        self._presume(after)
        if isinstance(after, UnknownEvent) and isinstance(after.extra.get("seat"), int):
            self.gaps[after.extra["seat"]] = event.of
        if after is None or not _lies(after):
            if lot is not None:
                self.lots.remove(lot)
            return
        by_person = event.source != CAMERA and _says_other_cards(before, after)
        if lot is None:
            lot = _lot_of(after, draft)
            self.lots = sorted([*self.lots, lot], key=lambda lot: lot.event.seq)
        lot.event, lot.fixed = after, lot.fixed or by_person
        size = len(new_cards(after))
        if draft is not None and draft.lot is lot:
            if len(draft.slots) < len(lot.slots):
                lot.gone, lot.turned = set(), set()
            lot.slots, lot.at = list(draft.slots), draft.at
            lost = {card.track for card in lot.lost}
            lot.unread = [card for card in draft.unread if card.track not in lost]
            lot.lost = [card for card in draft.unread if card.track in lost]
            lot.zone, lot.seat, lot.hand = draft.zone, getattr(after, "seat", None), draft.hand
        elif len(lot.slots) > size or by_person:
            lot.slots = [*lot.slots, *[None] * size][:size]

    def _presume(self, event: Event | None) -> bool:
        """Note a pass that was inferred; says whether it is one."""
        inferred = isinstance(event, Pass) and bool(event.extra.get(INFERRED))
        if isinstance(event, Pass) and inferred:
            self.presumed[event.seat] = event.seq
        return inferred

    def _not_taken_back(self, lot: Lot) -> None:
        """Cards that were called taken back were only cleared away."""
        lot.back.clear()
        if lot not in self.lots:
            self.lots = sorted([*self.lots, lot], key=lambda lot: lot.event.seq)

    def _take_back(self, event: TakenBack, draft: Draft | None) -> None:
        """Cards that are in the hand again lie there no more."""
        lot = draft.lot if draft is not None else None
        if lot is None:
            mine = [lot for lot in self.lots if lot.play and lot.seat == event.seat]
            lot = next((lot for lot in reversed(mine) if not set(event.cards) - set(lot.cards)), None)
        if lot is None:
            return
        self.taken = [*self.taken[-3:], (event, lot)]
        lot.back |= lot.gone
        if len(event.cards) >= len(lot.cards) and lot in self.lots:
            self.lots.remove(lot)


def _is_open(event: Event | None) -> bool:
    """Whether an event is a gap that the next act may clear up."""
    return (
        isinstance(event, UnknownEvent)
        and event.extra.get("why") == "unnoticed"
        and "since" not in event.extra
    )


def _calls(event: Event, seat: Seat) -> bool:
    return isinstance(event, CountCalled) and event.seat == seat


def _lies(event: Event) -> bool:
    """Whether cards lie on the table for an event, read or not."""
    return isinstance(event, _LYING) and bool(new_cards(event) or event.extra.get(UNREAD))


def _lot_of(event: Event, draft: Draft | None) -> Lot:
    """The cards of an event on the table: as they were seen, or not seen yet."""
    seat = getattr(event, "seat", None)
    if draft is not None and (draft.slots or draft.unread):
        lot = Lot(event, seat, draft.zone, list(draft.slots), draft.at, hand=draft.hand)
        lot.unread = list(draft.unread)
        return lot
    unseen: list[TrackedCard | None] = [None] * len(new_cards(event))
    return Lot(event, seat, "", unseen, event.at or 0.0, loose=isinstance(event, Play))


def _says_other_cards(before: Event, after: Event) -> bool:
    """Whether a person has said more about the cards than the cameras did (and not only what was spoken)."""
    return (new_cards(before), before.confidence, before.alternatives) != (
        new_cards(after),
        after.confidence,
        after.alternatives,
    )
