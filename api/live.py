"""What displays see of a running table, as plain JSON; the board on which it leaves its newest pictures for them.

Hands that a sealed feed knows never get here.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from api.service import TableService, Told
from calibration.setup import CameraSetup, TableSetup
from table.events import Correction, Dealt, Event, KittyLaid, KittyTaken, UnknownEvent
from table.match import MatchState, doubtful
from table.texts import LANGUAGES
from table.transcript import event_text
from vision.frames import Frame
from vision.plane import table_to_px

Json = dict[str, Any]
Outlines = Callable[[str], Iterable[Mapping[str, Any]]]
"""Camera name to the cards on the table: `name`, `doubtful`, `covered`, `px` (four corners in its picture)."""


Box = tuple[int, int, int, int]
"""Left, top, right, bottom in px of a camera's picture."""
_ROUND_MM: Final = 70.0


def shown_box(setup: TableSetup, camera: CameraSetup) -> Box:
    """The part of a camera's picture that is worth showing: all zones that it sees, and a hand's breadth round them."""
    width, height = camera.size
    corners = np.concatenate([zone.corners for zone in setup.zones])
    low, high = corners.min(0) - _ROUND_MM, corners.max(0) + _ROUND_MM
    mm = np.array([[low[0], low[1]], [high[0], low[1]], [high[0], high[1]], [low[0], high[1]]])
    px = table_to_px(camera.plane, mm)
    left, top = np.clip(np.floor(px.min(0)), 0, (width - 2, height - 2)).astype(int)
    right, bottom = np.clip(np.ceil(px.max(0)), (left + 2, top + 2), (width, height)).astype(int)
    return int(left), int(top), int(right), int(bottom)


class Board:
    """The newest pictures of a table; safe between threads.

    Args:
        boxes: camera to the part of its picture that is shown; all of it for a camera that is not named.
    """

    def __init__(self, boxes: Mapping[str, Box] | None = None) -> None:
        self.boxes = dict(boxes or {})
        self._lock = threading.Lock()
        self._frames: dict[str, Frame] = {}

    def show(self, frames: Iterable[Frame]) -> None:
        """Leave the newest pictures, each under its camera's name."""
        with self._lock:
            self._frames.update({frame.source: frame for frame in frames})

    def picture(self, camera: str) -> Frame | None:
        """The newest picture of a camera."""
        with self._lock:
            return self._frames.get(camera)


def log_entry(told: Told, state: MatchState | None) -> Json | None:
    """A line of the log in both languages; None for what nobody may see yet."""
    event = public(told.event)
    if event is None:
        return None
    entry: Json = {
        "seq": event.seq,
        "at": event.at,
        "event": event.kind if isinstance(event, UnknownEvent) else event.name,
        "seat": seat_of(event),
        "text": {lang: event_text(event, lang) for lang in LANGUAGES},
        "doubtful": state is not None and doubtful(state.profile, event),
        "evidence": list(event.evidence),
    }
    if isinstance(event, Correction):
        entry["of"] = event.of
    if told.latency is not None:
        entry["ms"] = round(told.latency * 1000)
    return entry


def seat_of(event: Event) -> int | None:
    """The seat that an event is about, also of one that only this table knows; None for none."""
    seat = event.extra.get("seat") if isinstance(event, UnknownEvent) else getattr(event, "seat", None)
    return seat if isinstance(seat, int) and 0 <= seat <= 3 else None


def public(event: Event) -> Event | None:
    """The event without what is hidden: hands of a sealed feed, the cards of the kitty."""
    if isinstance(event, Dealt):
        return None
    if isinstance(event, KittyLaid | KittyTaken):
        return replace(event, cards=None, alternatives=())
    if isinstance(event, Correction) and event.replacement is not None:
        what = event.replacement.get("event")
        if what == Dealt.name:
            return None
        if what in (KittyLaid.name, KittyTaken.name):
            shown = {key: value for key, value in event.replacement.items() if key in ("event", "at", "seat")}
            return replace(event, replacement=shown, alternatives=(), extra={})
    return event


def findings(service: TableService) -> list[Json]:
    """The findings that stand, newest first, with their clips and rulings."""
    clips: dict[int, str] = {}
    rulings: dict[int, str] = {}
    for told in service.told:
        clips.update(told.clips)
        rulings.update({line["finding"]: line["ruling"] for line in told.lines if "ruling" in line})
    out = []
    for number in sorted(service.referee.findings(), reverse=True):
        line = service.referee.finding_line(number)
        if line is not None:
            out.append({**line, "clip": clips.get(number), "ruling": rulings.get(number)})
    return out


def clock(state: MatchState | None, at: float | None) -> Json:
    """Who is on the clock: seat, action, limit and seconds left (negative when over)."""
    if state is None or at is None:
        return {"stopped": False, "waits": []}
    left = state.clock.remaining(at)
    waits = [
        {
            "seat": running.wait.seat, "action": running.wait.action, "limit": running.wait.limit,
            "left": round(left[running.wait.seat], 1) if running.wait.seat in left else None,
        }
        for running in state.clock.running
    ]  # fmt: skip
    return {"stopped": state.clock.stopped_at is not None, "waits": waits}


def latency(seconds: Iterable[float]) -> Json:
    """Milliseconds from cards at rest to the event in the journal: median and 95th percentile."""
    values = list(seconds)
    if not values:
        return {"p50": None, "p95": None, "count": 0}
    p50, p95 = np.percentile(values, [50, 95])
    return {"p50": round(float(p50) * 1000), "p95": round(float(p95) * 1000), "count": len(values)}


def troubles(service: TableService) -> list[str]:
    """What the table lacks at the moment, one line each."""
    lines = [service.trouble] if service.trouble else []
    if service.evidence is not None and service.evidence.trouble:
        lines.append(service.evidence.trouble)
    places = service.places
    lines += [f"{zh} {en}" for zh, en in zip(*(places.lines(lang) for lang in LANGUAGES), strict=True)]
    return lines


def outlined(cards: Iterable[Mapping[str, Any]], setup: TableSetup, camera: str) -> list[Json]:
    """Outlines as shares of the shown part's width and height, so that they fit any size of it."""
    left, top, right, bottom = shown_box(setup, next(one for one in setup.cameras if one.name == camera))
    out = []
    for card in cards:
        corners = (np.asarray(card["px"], float) - (left, top)) / (right - left, bottom - top)
        out.append({**card, "px": np.round(corners, 4).tolist()})
    return out
