"""One table at work: frames and inputs go in; events come out, first to the journal and only then to anybody else.

    frames -> evidence, watch -> sightings -> recorder -> journal -> referee -> listeners
    inputs ------------------------------------^

The service has no threads and no clock of its own: `api.feeds` hands it what cameras give, step by step.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Final, Protocol

from api.places import Places, doubted
from calibration.setup import TableSetup
from table.events import Event, MatchStarted, Pass, Play, UnknownEvent
from table.hearing import is_about_box, unheard
from table.journal import Journal
from table.match import MatchState
from table.recorder import Recorder
from table.recording import recording_of
from table.rulesets import load_profile
from table.seats import Seat
from table.session import Line, Referee
from table.sightings import Blind, Sighting
from vision.evidence import Evidence
from vision.frames import Frame

HOLD_S: Final = 0.6
"""How long an input waits for cameras to catch up: what came to rest before it must stand before it in the record."""
PATIENCE_S: Final = 2.0
"""A camera that gave no frame for so long is not waited for any more: its zones are blind by then."""
GAP_S: Final = 2.0
"""A restart that missed more than this names the gap."""
_INPUT_SOURCES: Final = ("referee", "seatbox", "feed", "import")


class _CannotRecord(Exception):
    """The journal took nothing of what it was given."""


class Watcher(Protocol):
    """What looks at the table: `vision.table_watch.TableWatch`."""

    def see(self, frames: Sequence[Frame], now: float | None = None) -> list[Sighting]:
        """What became known with these frames; where `now` is given, with none having come up to then, s."""
        ...


class NoWatch:
    """Looks at nothing: for a table that is kept by hand."""

    def see(self, frames: Sequence[Frame], now: float | None = None) -> list[Sighting]:
        """Nothing."""
        return []


@dataclass(frozen=True, slots=True)
class Told:
    """An event in the journal and what the referee said to it.

    Attributes:
        event: as it stands in the journal.
        lines: findings and results that became known with it.
        latency: seconds from cards at rest to the event in the journal; None for what cameras did not see, and for
            what was read back from the journal.
        clips: number of a finding to the name of its clip.
    """

    event: Event
    lines: tuple[Line, ...] = ()
    latency: float | None = None
    clips: dict[int, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Receipt:
    """What somebody who hands in an input wants to know.

    Attributes:
        done: gets what was recorded of it once that is in the journal (nothing, where it was known already), or the
            exception that `allow` raised.
        allow: asked right before it is recorded, in the table's thread; what it raises keeps the input out.
    """

    done: Future[list[Told]]
    allow: Callable[[], None] | None = None


@dataclass(frozen=True, slots=True)
class _Item:
    """Something to be recorded: a sighting, an input, or the passing of time."""

    at: float
    sighting: Sighting | None = None
    event: Event | None = None
    receipt: Receipt | None = None
    seen: float | None = None
    handed: float | None = None


class TableService:
    """Wires one table; call `step` with frames and `hear` with inputs, `finish` at the end.

    A journal that holds events is a match that goes on: it is folded anew and the recorder takes up from there.

    Args:
        setup: of the table.
        watch: what looks at it.
        journal: of the match, open and verified.
        evidence: where stills and clips are kept; None keeps none.
        hold: seconds (of capture time) that an input waits for cameras to catch up.
        clock: seconds of a clock that only runs forward, for measuring latency.

    Attributes:
        told: everything recorded so far with what followed from it.
        blind: zone name to why it cannot be seen, for those that cannot.
        trouble: why nothing can be recorded at the moment; empty while all is well.
        latencies: seconds, of the last events that cameras saw.
        steps: steps so far.
        unheard: seats of which presses up to a time (s of the record) may not be known yet.
        places: where the cameras are against their set-up, by the table's tags.
        now: capture time of the newest frame, s of the record.
        lock: held while something recorded is folded; whoever reads the referee from another thread holds it.

    Raises:
        BadProfile: the setup names a profile or options that do not exist.
    """

    def __init__(
        self,
        setup: TableSetup,
        watch: Watcher,
        journal: Journal,
        *,
        evidence: Evidence | None = None,
        hold: float = HOLD_S,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self.setup = setup
        self.watch = watch
        self.journal = journal
        self.evidence = evidence
        self.told: list[Told] = []
        self.blind: dict[str, str] = {}
        self.trouble = ""
        self.latencies: deque[float] = deque(maxlen=2000)
        self.steps = 0
        self.now: float | None = None
        self.lock = threading.RLock()
        self.hold = hold
        self.unheard: Callable[[float], Sequence[Seat]] = lambda at: ()
        self._clock = clock
        self._zone_of_seat = {zone.seat: zone.name for zone in setup.zones if zone.kind == "play"}
        self._listeners: list[Callable[[Told], None]] = []
        self._inputs: list[tuple[Event, Receipt | None]] = []
        self._todo: deque[_Item] = deque()
        self._unwritten: tuple[_Item, list[Event]] | None = None
        self.places = Places(setup, watch)
        self.referee = Referee()
        profile = load_profile(setup.profile).with_options(dict(setup.options))
        self.recorder = Recorder(profile, {zone.name: zone.kind for zone in setup.zones})
        self._newest: dict[str, float] = {}
        """Capture time of each camera's newest frame, s."""
        self._known = self._resume()

    @property
    def state(self) -> MatchState | None:
        """The fold of everything recorded so far."""
        return self.referee.state

    @property
    def resumed_at(self) -> float | None:
        """The latest time in the journal when the service began; None for a new match."""
        return self._resumed_at

    def listen(self, listener: Callable[[Told], None]) -> None:
        """Call `listener` with everything that is recorded from now on, after it is on disk."""
        self._listeners.append(listener)

    def start(self, at: float = 0.0) -> None:
        """Open the match as the setup says, where neither the journal nor an input has done so."""
        if self.journal.last_seq == 0 and not any(
            isinstance(event, MatchStarted) for event, _ in self._inputs
        ):
            options: dict[str, Any] = dict(self.setup.options)
            self.hear(
                MatchStarted(
                    at=at,
                    source="referee",
                    profile=self.setup.profile,
                    players=self.setup.players,
                    options=options,
                )
            )

    def missed(self, since: float, until: float) -> None:
        """Name a gap: nobody looked at the table from `since` to `until`, s of the record."""
        if until - since > GAP_S and self.state is not None:
            what = {"why": "restart", "from": round(since, 2), "to": round(until, 2)}
            self._take(
                _Item(until, event=UnknownEvent(kind="missing", at=until, source="import", extra=what))
            )

    def hear(self, event: Event, receipt: Receipt | None = None) -> None:
        """Take an input; it goes into the record in the order of its time among what cameras see.

        An input that the journal holds already (given again after a restart) is passed over, unless somebody waits for
        a receipt.
        """
        key = _input_key(event)
        if receipt is None and self._known[key] > 0:
            self._known[key] -= 1
            return
        at = len(self._inputs)
        while at and (self._inputs[at - 1][0].at or 0.0) > (event.at or 0.0):
            at -= 1
        self._inputs.insert(at, (event, receipt))

    def step(self, frames: Sequence[Frame], handed: float | None = None) -> list[Told]:
        """Look at frames that were captured at about the same time, and record what became known with them.

        Args:
            frames: of any of the cameras, in capture order.
            handed: when they were there to be looked at, on the service's clock; now when left out.

        Returns:
            What was recorded in this step.
        """
        if not frames:
            return []
        before = len(self.told)
        handed = self._clock() if handed is None else handed
        self.steps += 1
        self.now = max(frame.at for frame in frames)
        self._newest.update({frame.source: frame.at for frame in frames})
        self.places.see(frames)
        if self.evidence is not None:
            for frame in frames:
                self.evidence.see(frame)
        for sighting in sorted(self.watch.see(frames), key=lambda one: one.at):
            self._inputs_until(sighting.at)
            self._take(_Item(sighting.at, sighting=sighting, seen=self.now, handed=handed))
        self._inputs_until(self._caught_up() - self.hold)
        self._take(_Item(self.now))
        return self.told[before:]

    def pass_time(self, at: float) -> list[Told]:
        """No camera looks: time passes, and inputs are recorded at once, for nothing seen can still come before them.

        What the watch looks at is blind meanwhile.

        Args:
            at: the time of the record now, s.

        Returns:
            What was recorded.
        """
        before = len(self.told)
        self.now = at if self.now is None else max(self.now, at)
        for sighting in self.watch.see((), self.now):
            self._take(_Item(sighting.at, sighting=sighting))
        self._inputs_until(float("inf"))
        self._take(_Item(self.now))
        return self.told[before:]

    def finish(self) -> list[Told]:
        """Record the inputs that still wait, and finish the evidence. The journal stays open."""
        before = len(self.told)
        self._inputs_until(float("inf"))
        self._work()
        if self.evidence is not None:
            self.evidence.close()
        return self.told[before:]

    def _caught_up(self) -> float:
        """Up to when every camera that works has looked, s: one may give frames less often than another."""
        assert self.now is not None
        return min(at for at in self._newest.values() if at >= self.now - PATIENCE_S)

    def _resume(self) -> Counter[tuple[Any, ...]]:
        events = list(self.journal.events())
        for event in events:
            self.told.append(Told(event, tuple(self.referee.push(event))))
        self._resumed_at = max((event.at for event in events if event.at is not None), default=None)
        if events:
            if self.state is not None and self.state.profile != self.recorder.profile:
                self.recorder = Recorder(
                    self.state.profile, {zone.name: zone.kind for zone in self.setup.zones}
                )
            self.recorder.resume(events, self.state)
        return Counter(_input_key(event) for event in events if event.source in _INPUT_SOURCES)

    def _inputs_until(self, at: float) -> None:
        while self._inputs and (self._inputs[0][0].at or 0.0) <= at:
            event, receipt = self._inputs.pop(0)
            self._take(_Item(event.at or 0.0, event=event, receipt=receipt))

    def _take(self, item: _Item) -> None:
        # While nothing can be recorded time need not be noted: it comes again with every step.
        if self._unwritten is None or item.sighting is not None or item.event is not None:
            self._todo.append(item)
        self._work()

    def _work(self) -> None:
        """Record what waits, in order. Where the journal cannot be written, everything waits until it can."""
        try:
            if self._unwritten is not None:
                item, events = self._unwritten
                self._record(events, item)
                self._unwritten = None
            while self._todo:
                item = self._todo.popleft()
                if not _allowed(item):
                    continue
                events = self._meaning(item)
                events = [*self._not_heard(events), *events]
                if events:
                    self._unwritten = (item, events)
                    self._record(events, item)
                    self._unwritten = None
                elif item.receipt is not None:
                    item.receipt.done.set_result([])
            self.trouble = ""
        except _CannotRecord as error:
            waiting = len(self._todo) + 1
            self.trouble = (
                f"{self.journal.path}: nothing can be recorded ({error}); free some space: "
                f"{waiting} observations wait and nothing recorded is lost"
            )

    def _meaning(self, item: _Item) -> list[Event]:
        if item.sighting is not None:
            if isinstance(item.sighting, Blind):
                self._note_blind(item.sighting)
            elif self.evidence is not None:
                self.evidence.settled(item.sighting.zone)
            seen = list(self.recorder.see(item.sighting, self.state))
            if self.state is not None and self.places.unsure(item.sighting.zone):
                below = self.state.profile.number("reading.doubt_below")
                seen = [doubted(event, below) for event in seen]
            return seen
        if item.event is not None:
            if isinstance(item.event, UnknownEvent):
                return [item.event]
            return list(self.recorder.hear(item.event, self.state))
        return list(self.recorder.tick(item.at, self.state))

    def _not_heard(self, events: Sequence[Event]) -> list[Event]:
        """The boxes to name that may have something to tell which these events hold against their seats."""
        state = self.state
        acts = [event.at for event in events if isinstance(event, Play | Pass)]
        if not acts or state is None or state.deal is None:
            return []
        times = [at for at in acts if at is not None]
        missing = self.unheard(max(times, default=self.now or 0.0))
        owing = recording_of(state.profile.game).owing(state)
        return [
            unheard(seat) for seat in dict.fromkeys(owing) if seat in missing and seat not in state.unheard
        ]

    def _note_blind(self, sighting: Blind) -> None:
        if sighting.blind:
            self.blind[sighting.zone] = sighting.why
        else:
            self.blind.pop(sighting.zone, None)

    def _record(self, events: Iterable[Event], item: _Item) -> None:
        """Journal first, then consequences."""
        zone = item.sighting.zone if item.sighting is not None else None
        numbered = []
        for seq, event in enumerate(events, self.journal.last_seq + 1):
            shown = zone is not None and not event.evidence and not is_about_box(event)
            if self.evidence is not None and shown:
                event = replace(event, evidence=self.evidence.names(seq))
            numbered.append(event)
        try:
            numbered = self.journal.extend(numbered)
        except (sqlite3.Error, OSError) as error:
            raise _CannotRecord(str(error)) from None
        latency = None
        if item.seen is not None and item.handed is not None:
            latency = (self._clock() - item.handed) + max(0.0, item.seen - item.at)
            self.latencies.append(latency)
        self.recorder.recorded(numbered)
        before = len(self.told)
        for event in numbered:
            with self.lock:
                lines = tuple(self.referee.push(event))
                told = Told(event, lines, latency, self._keep_evidence(event, lines, zone))
                self.told.append(told)
            if isinstance(event, MatchStarted):
                self._take_rules()
            for listener in self._listeners:
                listener(told)
        if item.receipt is not None:
            item.receipt.done.set_result(self.told[before:])

    def _take_rules(self) -> None:
        """Record by the rules of the match that has just begun, where they are others than so far."""
        state = self.referee.state
        if state is not None and state.profile != self.recorder.profile:
            self.recorder = Recorder(state.profile, {zone.name: zone.kind for zone in self.setup.zones})
            self.recorder.resume([told.event for told in self.told], state)

    def _keep_evidence(self, event: Event, lines: Iterable[Line], zone: str | None) -> dict[int, str]:
        if self.evidence is None:
            return {}
        if zone is not None and not is_about_box(event):
            self.evidence.event(event.seq, event.at, zone)
        clips = {}
        for line in lines:
            if "kind" not in line:
                continue
            # A clip shows the moment that the finding is about, as long as it is in memory.
            moment = line["at"] if line["at"] is not None else event.at
            name = self.evidence.finding(line["finding"], moment, self._zone_of_seat.get(line["seat"]))
            if name is not None:
                clips[line["finding"]] = name
        return clips


def _allowed(item: _Item) -> bool:
    """Whether an input may be recorded as things stand now; whoever waits for it learns why not."""
    if item.receipt is None or item.receipt.allow is None:
        return True
    try:
        item.receipt.allow()
    except Exception as error:  # whatever it is belongs to the one who waits
        item.receipt.done.set_exception(error)
        return False
    return True


def _input_key(event: Event) -> tuple[Any, ...]:
    """What tells inputs apart: name, time and whose."""
    kind = event.kind if isinstance(event, UnknownEvent) else event.name
    return kind, event.at, getattr(event, "seat", None)
