"""Turns the events of a record into what four people physically do at the table, and when."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from random import Random
from typing import Any, Final

from devices.simulator.conditions import Conditions
from devices.simulator.kitty_hands import KittyHands
from devices.simulator.laying import Rows
from devices.simulator.pacing import Json, Staged, cents
from devices.simulator.stagehands import CLEAR_S, OUT_S
from devices.simulator.zone_hands import ZoneHands
from table.event_json import event_from_json
from table.seats import SEATS

_BOXES: Final = ("pass", "count_called")
"""What players themselves tell: by a seat box, or by a plaque."""
_ASIDE: Final = ("exposed", "count_called", "count_asked", "moved", "hand_count", "ruling", "correction")
"""Events that start nobody's time: what they delay does not delay what comes after."""
_SLACK: Final = ("deal_started", "draw_ended", "match_ended")
"""Long pauses come before these: they make up for what was delayed."""


def stage(
    events: Iterable[Mapping[str, Any]], rng: Random, card: tuple[float, float], how: Conditions | None = None
) -> Staged:
    """What people do at the table so that these events happen, in the order in which they happened.

    Times are kept where hands are quick enough; where they are not, the event and what follows come later, so
    that each thinking time stays what it was or is as short as hands allow.

    Args:
        events: of a record, as JSON objects with `at`.
        rng: the source of chance.
        card: width and height of the cards, mm.
        how: how people lay cards.
    """
    how = how or Conditions()
    director = _Director(rng, Rows(rng, card, how), how, card)
    for event in events:
        director.take(dict(event))
    director.close()
    return director.staged


class _Director(ZoneHands, KittyHands):
    """Follows the match and tells the hands what to do."""

    def __init__(self, rng: Random, rows: Rows, how: Conditions, card: tuple[float, float]) -> None:
        super().__init__(rng, rows, how, card)
        self.lag = 0.0
        self.before: float | None = None

    def take(self, event: Json) -> None:
        """The next event of the record."""
        kind, old = event["event"], float(event.get("at") or 0.0)
        gap = old - (old if self.before is None else self.before)
        self.before = old
        wanted = max(old, self.last + min(gap, 3.0)) if kind in _SLACK else old + self.lag
        wanted = max(wanted, self.last)
        self.due(wanted)
        see = self._how_seen(kind)
        at = see(event, wanted) if see is not None else None
        seen = at is not None
        if at is None:
            at = self._unseen(event, wanted)
        at = max(cents(at), self.last)
        self.last = at
        if kind not in _ASIDE:
            self.lag = at - old
        self._write(event, at, seen)
        self._after(event, at)

    def close(self) -> None:
        """Nothing more happens: hands finish what they have begun."""
        self.due(math.inf)
        timeline = self.staged.timeline
        timeline.sort()
        ends = [trip.end for trip in timeline.trips] + [self.last]
        timeline.end = max(ends) + 2.0

    def _how_seen(self, kind: str) -> Callable[[Json, float], float | None] | None:
        if kind in _BOXES and self.how.passes != "plaque":
            return None
        found: Callable[[Json, float], float | None] | None = getattr(self, f"see_{kind}", None)
        return found

    def _write(self, event: Json, at: float, seen: bool) -> None:
        seq = event.get("seq") or len(self.staged.truth) + 1
        kind = event["event"]
        source = (
            "camera" if seen else "seatbox" if kind in _BOXES else "feed" if kind == "dealt" else "referee"
        )
        event = {"seq": seq, **event, "at": at}
        event["source"] = source
        self.staged.truth.append(event)
        if seen:
            self.staged.rests[seq] = at
        else:
            self.staged.inputs.append({key: value for key, value in event.items() if key != "seq"})
        self.referee.push(event_from_json(event))

    def _unseen(self, event: Json, wanted: float) -> float:
        if event["event"] in ("deal_started", "deal_voided"):
            return self._sweep(wanted)
        return wanted

    def _sweep(self, wanted: float) -> float:
        """Before the next deal all cards go off the table."""
        self.finish(wanted - 2.5)
        start = max(self.last + 2.2, min(wanted - 2.5, self.last + 6.0))
        done = wanted
        for seat in SEATS:
            things = [thing for row in self.zones[seat] for thing in row.things]
            if seat == 0:
                things += self.kitty
            if things or self.aside[seat]:
                begin = max(start + self.rng.uniform(0, 0.5), self.hands.free[seat])
                self.hands.sweep(seat, things, begin, self.aside[seat])
                done = max(done, self.hands.free[seat] + 0.3)
            self.zones[seat].clear()
            self.aside[seat] = []
        self.kitty = []
        return done

    def _after(self, event: Json, at: float) -> None:
        """What an event has people do next: the end of a trick, the pile that cards are drawn from."""
        kind, state = event["event"], self.state
        if state is None or state.deal is None:
            return
        if kind == "deal_started" and state.profile.game == "shengji":
            self.kitty = self.hands.pile(0, self.rows.pile(0.0, 0.0), 8)
            seat = self.banker()
            reach = self.hands.reach() + 0.15
            self.hands.bring(seat, self.kitty, max(at + 1.5, self.hands.free[seat] + reach), reach)
        if kind not in ("play", "pass", "taken_back", "throw_forced"):
            return
        if self.between_tricks() and not getattr(state.deal, "over", False):
            self._clear_trick(at)

    def _clear_trick(self, at: float) -> None:
        """Each seat turns what it has played over and pushes it aside, or sweeps it away."""
        swept = self.how.clearing == "sweep" or (self.how.clearing == "mixed" and self.rng.random() < 0.3)
        for seat in SEATS:
            rows = [row for row in self.zones[seat] if row.kind == "play"]
            if not rows or any(chore.seat == seat and chore.kind == "clear" for chore in self.chores):
                continue
            latest = max(self.staged.rests.get(row.of, 0.0) for row in rows)
            earliest = max(at + 0.3, latest + OUT_S + 0.55)
            self.chore(
                seat, "clear", earliest, earliest + self.rng.uniform(0.0, 0.9),
                partial(self._clear, seat, swept), CLEAR_S,
            )  # fmt: skip

    def _clear(self, seat: int, swept: bool, start: float) -> None:
        rows = [row for row in self.zones[seat] if row.kind == "play"]
        things = [thing for row in rows for thing in row.things]
        if not things:
            return
        if swept:
            self.hands.sweep(seat, things, start)
        else:
            self.aside[seat] += self.hands.turn_over(seat, things, start)
        self.zones[seat] = [row for row in self.zones[seat] if row.kind != "play"]
