"""The state of a table in the parts that displays read; made in the table's own thread, what is hidden left out."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from api.feeds import Health
from api.finding_parts import alternatives_json, findings_part, names, split_json
from api.live import Json, Outlines, latency, log_entry, outlined, public, seat_of, troubles
from api.output_hands import hands_part
from api.service import TableService, Told
from api.streams import Streams
from calibration.setup import CameraSetup
from table.cards import Card
from table.event_json import BadEvent, event_from_json
from table.events import Correction, CountCalled, Event, Pass, Play, UnknownEvent
from table.knowledge import new_cards
from table.match import MatchState, doubtful
from table.referee import step
from table.seats import SEATS, side_of
from table.session import Referee
from table.texts import LANGUAGES
from table.transcript import event_text, line_text
from vision.plane import table_to_px

LOG_LINES: Final = 200
OFTEN_S: Final = 0.15
"""How often the outlines of cards on the table are renewed, s."""
SELDOM_S: Final = 1.0
"""How often what the table says of itself is renewed: cameras, devices, latency; troubles are told at once."""


@dataclass(slots=True)
class _TrickNotes:
    """Which trick each play and pass of the deal belongs to; the number before an act is that of its trick."""

    number: int = 0
    of: dict[int, int] = field(default_factory=dict)

    def note(self, event: Event, after: MatchState | None) -> None:
        if isinstance(event, Play | Pass):
            self.of[event.seq] = self.number
        self.number = _trick_number(after)


def _trick_number(state: MatchState | None) -> int:
    if state is None or state.deal is None:
        return 0
    view = state.game.view(state.deal)
    number = view.get("tricks", view.get("trick"))
    return number if isinstance(number, int) else 0


class Parts:
    """Keeps the streams of a table up to date. Call `update` in the table's thread.

    Args:
        service: of the table; listened to from now on.
        streams: where the parts go.
        devices: how the devices beside the cameras do, as plain JSON.
        wall: Unix time, s.
    """

    def __init__(
        self,
        service: TableService,
        streams: Streams,
        devices: Callable[[], list[Json]] = list,
        wall: Callable[[], float] = time.time,
    ) -> None:
        self._service = service
        self._streams = streams
        self._devices = devices
        self._wall = wall
        self._since = wall()
        self._log: dict[int, Json] = {}
        self._tricks = _TrickNotes()
        self._new: list[Told] = []
        self._dirty = True
        self._renewed = float("-inf")
        self._health_at = float("-inf")
        self._health: Json = {}
        self._clock: tuple[Any, ...] | None = None
        for told in service.told:
            self._enter(told)
        self._recount()
        streams.add("log", self._log, LOG_LINES)
        service.listen(self._heard)
        # Whoever comes first gets a whole state.
        self._recorded([])
        self._put_clock(None)
        cameras = [Health(camera.name) for camera in service.setup.cameras]
        streams.put("table", self._table(float("-inf"), cameras, None, [], True))

    def update(
        self,
        now: float,
        at: float | None,
        cameras: Iterable[Health],
        outlines: Outlines | None,
        more_troubles: Iterable[str] = (),
        force: bool = False,
    ) -> None:
        """Bring every part up to date; those that only something recorded can change, when something was.

        Args:
            now: seconds of a clock that only runs forward.
            at: the time of the record now, s; None before it is known.
            cameras: how they do.
            outlines: where cards lie in a camera's picture; None where no cards are followed.
            more_troubles: what is wrong elsewhere, one line each.
            force: renew also what was renewed a moment ago.
        """
        if self._new or self._dirty:
            new, self._new[:] = list(self._new), []
            self._dirty = False
            self._recorded(new)
        self._put_clock(at)
        if now - self._renewed >= OFTEN_S or force:
            self._renewed = now
            self._streams.put("table", self._table(now, list(cameras), outlines, list(more_troubles), force))

    def _heard(self, told: Told) -> None:
        if not self._new:
            self._since = self._wall()
        self._new.append(told)

    def _recorded(self, new: list[Told]) -> None:
        service, state, t = self._service, self._service.state, self._since
        changed = [entry for told in new for entry in self._enter(told)]
        if any(isinstance(told.event, Correction) for told in new):
            self._recount()
        if changed:
            self._streams.add("log", {entry["seq"]: entry for entry in changed}, LOG_LINES, t)
        if not new or any(told.lines or isinstance(told.event, Correction) for told in new):
            self._streams.put("findings", findings_part(service.referee, service.told), t)
            self._streams.put("results", results_part(service.referee), t)
        events = service.referee.deal_so_far()[1] if state is not None else []
        self._streams.put("seats", seats_part(service.setup.players, state, events), t)
        self._streams.put("trick", self._trick(state, events), t)
        # Last: whoever sees its number has everything that belongs to it.
        self._streams.put("match", match_part(service, state), t)
        if (hands := hands_part(state)) is not None:
            self._streams.on_air("hands", hands)

    def _enter(self, told: Told) -> list[Json]:
        """The entries of the log that change with an event: its own, and the one that it corrects."""
        state = self._service.state
        if told.event.seq:
            self._tricks.note(told.event, state)
        changed = []
        entry = entry_of(told, state)
        if entry is not None:
            self._log[entry["seq"]] = entry
            if len(self._log) > LOG_LINES:
                del self._log[next(iter(self._log))]
            changed.append(entry)
        if isinstance(told.event, Correction) and told.event.of in self._log:
            version = self._version(told.event.of)
            version = None if version is None else public(version)
            was = self._log[told.event.of]
            now = {**was, "voided_by": told.event.seq, "now": version_json(version, state)}
            self._log[told.event.of] = now
            changed.append(now)
        return changed

    def _version(self, seq: int) -> Event | None:
        """An event as it counts now."""
        return next((event for event in self._service.referee.effective() if event.seq == seq), None)

    def _recount(self) -> None:
        """Count the tricks of the deal anew, as its events count now."""
        state, events = self._service.referee.deal_so_far()
        notes = _TrickNotes()
        for event in events:
            if state is None:
                break
            state = step(state, event) if event.name != "match_started" else state
            notes.note(event, state)
        notes.number = _trick_number(self._service.state)
        self._tricks = notes

    def _trick(self, state: MatchState | None, events: list[Event]) -> Json:
        """The trick in progress; between tricks the one before, which still lies there (`over`)."""
        acts = [event for event in events if isinstance(event, Play | Pass) and event.seq in self._tricks.of]
        if state is None or state.deal is None or not acts:
            return {"leader": None, "number": 0, "over": False, "plays": []}
        number = self._tricks.of[acts[-1].seq]
        plays = [play_json(event, state) for event in acts if self._tricks.of[event.seq] == number]
        over = number != self._tricks.number
        return {"leader": plays[0]["seat"], "number": number, "over": over, "plays": plays}

    def _put_clock(self, at: float | None) -> None:
        state = self._service.state
        clock = None if state is None else state.clock
        key = None if clock is None else (clock.running, clock.stopped_at, at is None)
        if key == self._clock:
            return
        self._clock = key
        self._streams.put("clock", clock_part(state, at))

    def _table(
        self, now: float, cameras: list[Health], outlines: Outlines | None, more: list[str], force: bool
    ) -> Json:
        service = self._service
        said = troubles(service) + [one for one in more if one]
        places = service.places.states
        drifts = {name: {"state": place.state, "mm": place.mm} for name, place in places.items()}
        lacks = [(one.name, one.why, one.ended, drifts.get(one.name, {}).get("state")) for one in cameras]
        if now - self._health_at >= SELDOM_S or force or lacks != self._health["lacks"]:
            self._health_at = now
            self._health = {
                "lacks": lacks,
                "latency": latency(service.latencies),
                "cameras": [{**camera_json(one), "place": drifts.get(one.name)} for one in cameras],
                "devices": self._devices(),
            }
        cards = {
            one.name: outlined(outlines(one.name), service.setup, one.name) for one in cameras
        } if outlines else {}  # fmt: skip
        health = {key: value for key, value in self._health.items() if key != "lacks"}
        foot = {camera.name: foot_of(camera) for camera in service.setup.cameras}
        return {"cards": cards, "blind": dict(service.blind), "troubles": said, "foot": foot, **health}


def foot_of(camera: CameraSetup) -> int:
    """The seat that sits below in a camera's own picture."""
    reach = 300.0
    places = [[reach * x, reach * y] for x, y in ((0, -1), (1, 0), (0, 1), (-1, 0))]
    heights = table_to_px(camera.plane, np.array(places))[:, 1]
    return int(np.argmax(heights))


def camera_json(health: Health) -> Json:
    """How a camera does."""
    return {
        "name": health.name, "why": health.why, "fps": round(health.fps, 1), "ended": health.ended,
        "dropped": health.dropped, "reason": dict(health.reason), "notes": [dict(note) for note in health.notes],
        "restarts": health.restarts, "repeats": health.repeats, "broken": health.broken,
    }  # fmt: skip


def play_json(event: Event, state: MatchState) -> Json:
    """A play or a pass of a trick."""
    return {
        "seq": event.seq, "seat": getattr(event, "seat", None), "at": event.at,
        "cards": names(new_cards(event)), "says": getattr(event, "says", None),
        "pass": isinstance(event, Pass), "doubtful": doubtful(state.profile, event),
        "alternatives": alternatives_json(event), "split": split_json(event),
    }  # fmt: skip


def entry_of(told: Told, state: MatchState | None) -> Json | None:
    """A line of the log; None for what nobody may see yet."""
    entry = log_entry(told, state)
    event = public(told.event)
    if entry is None or event is None:
        return None
    return {
        "seat": None, "of": None, "ms": None, **entry, "source": event.source, "confidence": event.confidence,
        "cards": names(_shown_cards(event)), "alternatives": alternatives_json(event),
        "split": split_json(event), "voided_by": None, "now": None,
    }  # fmt: skip


def _shown_cards(event: Event) -> tuple[Card, ...]:
    """The cards of an event; of a correction those that it puts there."""
    if isinstance(event, Correction) and event.replacement is not None:
        with suppress(BadEvent):
            return new_cards(event_from_json(dict(event.replacement)))
    return new_cards(event)


def version_json(event: Event | None, state: MatchState | None) -> Json | None:
    """A corrected event as it counts now; None for one that is void."""
    if event is None:
        return None
    return {
        "event": event.kind if isinstance(event, UnknownEvent) else event.name,
        "seat": seat_of(event), "at": event.at, "cards": names(new_cards(event)),
        "text": {lang: event_text(event, lang) for lang in LANGUAGES},
        "doubtful": state is not None and doubtful(state.profile, event), "confidence": event.confidence,
        "alternatives": alternatives_json(event), "split": split_json(event),
    }  # fmt: skip


def match_part(service: TableService, state: MatchState | None) -> Json:
    """Which match, deal and level, and what its game shows of the deal."""
    setup = service.setup
    view = dict(state.game.view(state.deal)) if state is not None and state.deal is not None else {}
    return {
        "table": setup.name,
        "profile": None if state is None else {
            "name": state.profile.name, "zh": state.profile.zh, "en": state.profile.en
        },
        "game": "" if state is None else state.profile.game,
        "packs": setup.packs if state is None else int(state.profile.number("packs")),
        "players": list(setup.players if state is None else state.players),
        "levels": [] if state is None else list(state.standing.levels),
        "games": [] if state is None else list(state.standing.games),
        "deals": 0 if state is None else state.standing.deals,
        "winner": None if state is None else state.standing.winner,
        "deal": 0 if state is None else state.number,
        "level": view.get("level"),
        "ended": None if state is None else state.ended,
        "view": view,
        "seq": service.journal.last_seq,
    }  # fmt: skip


def seats_part(players: Sequence[str], state: MatchState | None, events: Iterable[Event]) -> list[Json]:
    """The four seats: who sits there, cards left, what was called, whether he is on turn."""
    players = players if state is None else state.players
    view: Mapping[str, Any] = (
        state.game.view(state.deal) if state is not None and state.deal is not None else {}
    )
    left, out = view.get("left"), list(view.get("out", ()))
    sure = view.get("left_sure") or [True] * len(SEATS)
    called: dict[int, int] = {}
    for event in events:
        if isinstance(event, CountCalled):
            called[event.seat] = event.count
        elif isinstance(event, Play):
            called.pop(event.seat, None)
    due = {view["turn"]} if view.get("turn") is not None else set()
    if state is not None and state.ended is not None:
        due = set()
    elif not due and state is not None:
        due = {running.wait.seat for running in state.clock.running}
    return [
        {
            "seat": seat, "player": players[seat], "side": side_of(seat),
            "remaining": left[seat] if left else None, "remaining_sure": bool(sure[seat]),
            "called": called.get(seat),
            "finished": out.index(seat) + 1 if seat in out else None, "turn": seat in due,
        }
        for seat in SEATS
    ]  # fmt: skip


def clock_part(state: MatchState | None, at: float | None) -> Json:
    """Who is on the clock: seconds left (negative when over) at the time `at` of the record; a display counts on."""
    if state is None:
        return {"stopped": False, "waits": [], "at": at}
    at = state.clock.last if at is None else at
    left = state.clock.remaining(at) if at is not None else {}
    waits = [
        {
            "seat": running.wait.seat, "action": running.wait.action, "limit": running.wait.limit,
            "left": round(left[running.wait.seat], 2) if running.wait.seat in left else None,
        }
        for running in state.clock.running
    ]  # fmt: skip
    return {"stopped": state.clock.stopped_at is not None, "waits": waits, "at": at}


def results_part(referee: Referee) -> list[Json]:
    """The results of the deals as they stand."""
    if referee.state is None:
        return []
    out = []
    for begun, result in referee.state.results.items():
        line = {"deal": result.get("deal", begun), "result": dict(result)}
        out.append({**line, "text": {lang: line_text(line, lang) for lang in LANGUAGES}})
    return out
