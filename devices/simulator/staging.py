"""Turns the events of a record into what four people physically do at the table, and when."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final

from calibration.plaques import PLAQUE_COUNTS, PLAQUE_PASS
from devices.simulator.conditions import Conditions
from devices.simulator.laying import PLAQUE_SPOT, Rows, on_table
from devices.simulator.motions import PLAQUE, Lying, Timeline
from devices.simulator.stagehands import CLEAR_S, OUT_S, Hands, Row
from table.events import event_from_json
from table.match import MatchState
from table.seats import SEATS
from table.session import Referee

Json = dict[str, Any]
_BOXES: Final = ("pass", "count_called")
"""What players themselves tell: by a seat box, or by a plaque."""
_ASIDE: Final = ("exposed", "count_called", "count_asked", "moved", "hand_count", "ruling", "correction")
"""Events that start nobody's time: what they delay does not delay what comes after."""
_SLACK: Final = ("deal_started", "draw_ended", "match_ended")
"""Long pauses come before these: they make up for what was delayed."""
_APART: Final = 0.4
"""Seconds between two things coming to rest, so that their order shows."""
_KITTY_MM: Final = 160.0


@dataclass(slots=True)
class Chore:
    """Something that a hand still has to do: not before `earliest`, best at `due`, in any case before long."""

    seat: int
    kind: str
    earliest: float
    due: float
    do: Callable[[float], None]
    lasts: float = CLEAR_S


@dataclass(slots=True)
class Staged:
    """A match as it happens on the table.

    Attributes:
        timeline: what lies and moves when.
        truth: the events with their final times; those that cameras can see say so in `source`.
        inputs: the events that no camera sees, without numbers.
        rests: number of a seen event to when its cards came to rest, s.
        clears: number of a seen event to when the hand that laid them was gone, s.
        laid: number of a seen event to its things as they came to lie.
    """

    timeline: Timeline = field(default_factory=Timeline)
    truth: list[Json] = field(default_factory=list)
    inputs: list[Json] = field(default_factory=list)
    rests: dict[int, float] = field(default_factory=dict)
    clears: dict[int, float] = field(default_factory=dict)
    laid: dict[int, tuple[Lying, ...]] = field(default_factory=dict)


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


class _Director:
    """Follows the match and tells the hands what to do."""

    def __init__(self, rng: Random, rows: Rows, how: Conditions, card: tuple[float, float]) -> None:
        self.rng = rng
        self.rows = rows
        self.how = how
        self.card = card
        self.staged = Staged()
        self.hands = Hands(rng, self.staged.timeline)
        self.referee = Referee()
        self.zones: list[list[Row]] = [[], [], [], []]
        self.aside: list[list[Lying]] = [[], [], [], []]
        self.kitty: list[Lying] = []
        self.chores: list[Chore] = []
        self.last = 0.0
        self.lag = 0.0
        self.before: float | None = None

    # Time.

    def take(self, event: Json) -> None:
        """The next event of the record."""
        kind, old = event["event"], float(event.get("at") or 0.0)
        gap = old - (old if self.before is None else self.before)
        self.before = old
        wanted = max(old, self.last + min(gap, 3.0)) if kind in _SLACK else old + self.lag
        wanted = max(wanted, self.last)
        self._due(wanted)
        see = self._how_seen(kind)
        at = see(event, wanted) if see is not None else None
        seen = at is not None
        if at is None:
            at = self._unseen(event, wanted)
        at = max(_cents(at), self.last)
        self.last = at
        if kind not in _ASIDE:
            self.lag = at - old
        self._write(event, at, seen)
        self._after(event, at)

    def close(self) -> None:
        """Nothing more happens: hands finish what they have begun."""
        self._due(math.inf)
        timeline = self.staged.timeline
        timeline.sort()
        ends = [trip.end for trip in timeline.trips] + [self.last]
        timeline.end = max(ends) + 2.0

    def _how_seen(self, kind: str) -> Callable[[Json, float], float | None] | None:
        if kind in _BOXES and self.how.passes != "plaque":
            return None
        found: Callable[[Json, float], float | None] | None = getattr(self, f"_see_{kind}", None)
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

    @property
    def state(self) -> MatchState | None:
        """The match as far as it has gone."""
        return self.referee.state

    # Chores.

    def _chore(
        self, seat: int, kind: str, earliest: float, due: float, do: Callable[[float], None], lasts: float
    ) -> None:
        self.chores.append(Chore(seat, kind, earliest, max(due, earliest), do, lasts))

    def _run(self, chore: Chore, latest: float) -> float:
        """Do it at its time, or early enough to be done by `latest`; returns when it is done."""
        self.chores.remove(chore)
        soonest = max(chore.earliest, self.hands.free[chore.seat])
        start = max(soonest, min(chore.due, latest - chore.lasts))
        chore.do(start)
        return start + chore.lasts

    def _due(self, now: float) -> None:
        """Do what has fallen due by now."""
        for chore in sorted(self.chores, key=lambda chore: chore.due):
            if chore.due <= now:
                self._run(chore, chore.due + chore.lasts)

    def _finish(self, latest: float, seat: int | None = None, kinds: Sequence[str] = ()) -> float:
        """Do all that is left (of a seat, of some kinds) by `latest` if that can be; returns when it is done."""
        done = 0.0
        for chore in sorted(self.chores, key=lambda chore: chore.due):
            if (seat is None or chore.seat == seat) and (not kinds or chore.kind in kinds):
                done = max(done, self._run(chore, latest))
        return done

    def _ready(self, seat: int, wanted: float, reach: float) -> float:
        """When this hand can have laid something: not before `wanted`, not before it is free."""
        self._finish(wanted - reach, seat=seat)
        return _cents(max(wanted, self.hands.free[seat] + reach, self.last + _APART))

    # What cameras see.

    def _lay(
        self, kind: str, event: Json, seat: int, cards: Sequence[str], spots: Sequence[tuple[float, float, float]],
        wanted: float,
    ) -> tuple[float, Row]:  # fmt: skip
        """A seat brings cards to spots as it sees them; when they are at rest."""
        reach = self.hands.reach()
        at = self._ready(seat, wanted, reach)
        seq = event.get("seq") or len(self.staged.truth) + 1
        things = [
            self.hands.new(card, on_table(seat, spot), of=seq)
            for card, spot in zip(cards, spots, strict=True)
        ]
        gone = self.hands.bring(seat, things, at, reach)
        self._note(seq, things, gone)
        row = Row(kind, seq, things, list(spots))
        self.zones[seat].append(row)
        return at, row

    def _note(self, seq: int, things: Sequence[Lying], gone: float) -> None:
        self.staged.laid[seq] = (*self.staged.laid.get(seq, ()), *things)
        self.staged.clears[seq] = max(gone, self.staged.clears.get(seq, 0.0))

    def _see_play(self, event: Json, wanted: float) -> float:
        seat, cards = event["seat"], event["cards"].split()
        if self._between_tricks():
            done = self._finish(wanted - 0.15, kinds=("clear", "take", "up"))
            wanted = max(wanted, done + 0.1)
        before = [row.spots for row in self.zones[seat] if row.kind == "play"]
        spots = self.rows.row(len(cards), before)
        if len(cards) > 2 and self.how.two_goes and self.rng.random() < self.how.two_goes:
            return self._in_two_goes(event, seat, cards, spots, wanted)
        return self._lay("play", event, seat, cards, spots, wanted)[0]

    def _in_two_goes(
        self, event: Json, seat: int, cards: list[str], spots: list[tuple[float, float, float]], wanted: float
    ) -> float:
        """The first part, a pause of a second or two, the rest: the play has happened when all lie there."""
        first = self.rng.randrange(1, len(cards))
        pause = self.rng.uniform(1.2, 2.0)
        at, row = self._lay("play", event, seat, cards[:first], spots[:first], wanted - pause)
        reach = self.hands.reach()
        at = _cents(max(wanted, at + pause, self.hands.free[seat] + reach))
        things = [
            self.hands.new(c, on_table(seat, s), of=row.of)
            for c, s in zip(cards[first:], spots[first:], strict=True)
        ]
        gone = self.hands.bring(seat, things, at, reach)
        self._note(row.of, things, gone)
        row.things += things
        row.spots[:] = spots
        return at

    def _see_tribute(self, event: Json, wanted: float) -> float:
        """The card lies in the giver's zone, then the receiver takes it (贡牌, 还牌)."""
        seat, to = event["seat"], event["to"]
        spots = self.rows.row(1, [row.spots for row in self.zones[seat]])
        at, row = self._lay("tribute", event, seat, [event.get("card") or "back"], spots, wanted)
        due = at + self.rng.uniform(1.5, 2.5)
        self._chore(to, "take", at + 1.0, due, lambda start: self._up(to, seat, row, start), 1.1)
        return at

    _see_tribute_return = _see_tribute

    def _see_tribute_refused(self, event: Json, wanted: float) -> float:
        """Jokers shown by those who hold them (抗贡), and taken up again."""
        seats, cards = event["seats"], event["cards"].split()
        each = max(1, len(cards) // max(1, len(seats)))
        rest = wanted
        for i, seat in enumerate(seats):
            mine = cards[i * each :] if i == len(seats) - 1 else cards[i * each : (i + 1) * each]
            last, self.last = self.last, self.last if i == 0 else self.last - _APART
            at, row = self._lay("shown", event, seat, mine, self.rows.row(len(mine), []), rest)
            self.last = last
            rest = max(rest, at)
            self._up_later(seat, row, at, 2.0)
        return rest

    def _see_trump_shown(self, event: Json, wanted: float) -> float:
        """Cards shown to declare (亮主, 反主, 加固): those that lie there already are not laid twice."""
        seat, cards = event["seat"], event["cards"].split()
        rows = [row for row in self.zones[seat] if row.kind == "trump"]
        there = Counter(thing.what for row in rows for thing in row.things)
        new = list((Counter(cards) - there).elements()) or cards
        if rows and len(new) < len(cards):
            spots = self.rows.beside(len(new), rows[-1].spots)
        else:
            spots = self.rows.row(len(new), [row.spots for row in self.zones[seat]])
        at, row = self._lay("trump", event, seat, new, spots, wanted)
        deal = self.state.deal if self.state is not None else None
        if getattr(deal, "closed", False):
            self._up_later(seat, row, at, 2.0)
        return at

    def _see_exposed(self, event: Json, wanted: float) -> float:
        """Cards turn up where no play belongs, and are taken up again (暴露张)."""
        seat, cards = event["seat"], event["cards"].split()
        at, row = self._lay("exposed", event, seat, cards, self.rows.exposed(len(cards)), wanted)
        self._up_later(seat, row, at, 1.6)
        return at

    def _see_taken_back(self, event: Json, wanted: float) -> float | None:
        """The seat lifts cards that it has laid (悔牌)."""
        seat = event["seat"]
        left = Counter(event["cards"].split())
        lifted: list[Lying] = []
        for row in reversed(self.zones[seat]):
            for thing in reversed(row.things):
                if left[thing.what] > 0 and row.kind != "exposed":
                    left[thing.what] -= 1
                    lifted.append(thing)
        if not lifted:
            return None
        reach = self.hands.reach()
        at = max(self._ready(seat, wanted, reach), self.last + 0.9)
        seq = event.get("seq") or len(self.staged.truth) + 1
        self.staged.clears[seq] = self.hands.lift(seat, lifted, at, reach)
        self._forget(seat, lifted)
        return at

    def _see_throw_forced(self, event: Json, wanted: float) -> float | None:
        """After a throw was stopped (甩牌), the thrower takes back all but what stays, and straightens that."""
        seat = event["seat"]
        rows = [row for row in self.zones[seat] if row.kind == "play"]
        if not rows:
            return None
        row, keep = rows[-1], event["cards"].split()
        pool = list(row.things)
        staying: list[Lying] = []
        for card in keep:
            found = next((thing for thing in pool if thing.what == card), None)
            if found is None:
                return None
            pool.remove(found)
            staying.append(found)
        reach = self.hands.reach()
        at = max(self._ready(seat, wanted, reach), self.last + 0.6)
        spots = row.spots[: len(keep)]
        seq = event.get("seq") or len(self.staged.truth) + 1
        things = [
            Lying(thing.key, thing.what, *on_table(seat, spot), of=row.of)
            for thing, spot in zip(staying, spots, strict=True)
        ]
        gone = self.hands.lift(seat, pool, at, reach, leave=things)
        self._note(seq, things, gone)
        row.things, row.spots = things, list(spots)
        return at

    def _see_pass(self, event: Json, wanted: float) -> float:
        return self._plaque(event, PLAQUE_PASS, wanted)

    def _see_count_called(self, event: Json, wanted: float) -> float | None:
        if event["count"] not in PLAQUE_COUNTS:
            return None
        return self._plaque(event, event["count"], wanted)

    def _plaque(self, event: Json, marker: int, wanted: float) -> float:
        seat, rng = event["seat"], self.rng
        spot = (
            PLAQUE_SPOT[0] + rng.uniform(-6, 6),
            PLAQUE_SPOT[1] + rng.uniform(-4, 4),
            rng.uniform(-14, 14),
        )
        at, row = self._lay("plaque", event, seat, [f"{PLAQUE}{marker}"], [spot], wanted)
        self._up_later(seat, row, at, 1.6)
        return at

    # The kitty.

    def _see_kitty_taken(self, event: Json, wanted: float) -> float | None:
        """The banker lifts the pile; what was shown to declare is taken up too."""
        if not self.kitty:
            return None
        seat = event["seat"]
        reach = self.hands.reach() + 0.15
        at = self._ready(seat, wanted, reach)
        self.staged.clears[self._seq(event)] = self.hands.lift(seat, self.kitty, at, reach)
        self.kitty = []
        for other in SEATS:
            for row in [row for row in self.zones[other] if row.kind == "trump"]:
                self._up_later(other, row, at, 0.8)
        return at

    def _see_kitty_laid(self, event: Json, wanted: float) -> float:
        """The banker lays a pile of backs (扣底)."""
        seat = event["seat"]
        reach = self.hands.reach() + 0.15
        at = self._ready(seat, wanted, reach)
        self.kitty = self.hands.pile(0, self.rows.pile(0.0, 0.0), 8, self._seq(event))
        self._note(self._seq(event), self.kitty, self.hands.bring(seat, self.kitty, at, reach))
        return at

    def _see_kitty_turned(self, event: Json, wanted: float) -> float:
        """The next card of the kitty is turned face up and lies over the pile."""
        seat = self._banker()
        turned = sum(thing.face_up for thing in self.kitty)
        reach = self.hands.reach() + 0.15
        at = self._ready(seat, wanted, reach)
        spot = (-14.0 + 12.0 * min(turned, 4), 0.0, self.rng.gauss(0, 2))
        card = self.hands.new(event["card"], on_table(0, spot), of=self._seq(event))
        self.kitty.append(card)
        self._note(self._seq(event), [card], self.hands.bring(seat, [card], at, reach))
        return at

    def _see_kitty_revealed(self, event: Json, wanted: float) -> float:
        """The pile is turned face up and spread, to be read by seat 0."""
        seat, cards = self._banker(), event["cards"].split()
        reach = self.hands.reach() + 0.15
        at = max(self._ready(seat, wanted, reach), _cents(self.last + 0.8))
        step = min(14.0, (_KITTY_MM - 8 - self.card[0]) / max(1, len(cards) - 1))
        things = []
        for i, card in enumerate(cards):
            u = step * (i - (len(cards) - 1) / 2)
            spot = (u, self.rng.gauss(0, 1.0), self.rng.gauss(0, 0.7))
            things.append(self.hands.new(card, on_table(0, spot), of=self._seq(event)))
        gone = self.hands.swap(seat, self.kitty, things, at, reach)
        self.kitty = things
        self._note(self._seq(event), things, gone)
        return at

    def _banker(self) -> int:
        deal = self.state.deal if self.state is not None else None
        banker = getattr(deal, "banker", None)
        return banker if banker is not None else 0

    # What cameras do not see.

    def _unseen(self, event: Json, wanted: float) -> float:
        if event["event"] in ("deal_started", "deal_voided"):
            return self._sweep(wanted)
        return wanted

    def _sweep(self, wanted: float) -> float:
        """Before the next deal all cards go off the table."""
        self._finish(wanted - 2.5)
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
            seat = self._banker()
            reach = self.hands.reach() + 0.15
            self.hands.bring(seat, self.kitty, max(at + 1.5, self.hands.free[seat] + reach), reach)
        if kind not in ("play", "pass", "taken_back", "throw_forced"):
            return
        if self._between_tricks() and not getattr(state.deal, "over", False):
            self._clear_trick(at)

    def _between_tricks(self) -> bool:
        """Whether nothing has been led to the next trick yet."""
        deal: Any = self.state.deal if self.state is not None else None
        if deal is None:
            return True
        trick = getattr(deal, "trick", None)
        if trick is not None:
            return bool(trick.open)
        return not deal.tricks or bool(deal.tricks[-1].done)

    def _clear_trick(self, at: float) -> None:
        """Each seat turns what it has played over and pushes it aside, or sweeps it away."""
        swept = self.how.clearing == "sweep" or (self.how.clearing == "mixed" and self.rng.random() < 0.3)
        for seat in SEATS:
            rows = [row for row in self.zones[seat] if row.kind == "play"]
            if not rows or any(chore.seat == seat and chore.kind == "clear" for chore in self.chores):
                continue
            latest = max(self.staged.rests.get(row.of, 0.0) for row in rows)
            earliest = max(at + 0.3, latest + OUT_S + 0.55)
            self._chore(
                seat, "clear", earliest, earliest + self.rng.uniform(0.0, 0.9),
                lambda start, seat=seat: self._clear(seat, start, swept), CLEAR_S,
            )  # fmt: skip

    def _clear(self, seat: int, start: float, swept: bool) -> None:
        rows = [row for row in self.zones[seat] if row.kind == "play"]
        things = [thing for row in rows for thing in row.things]
        if not things:
            return
        if swept:
            self.hands.sweep(seat, things, start)
        else:
            self.aside[seat] += self.hands.turn_over(seat, things, start)
        self.zones[seat] = [row for row in self.zones[seat] if row.kind != "play"]

    def _up_later(self, seat: int, row: Row, at: float, after: float) -> None:
        due = at + after + self.rng.uniform(0, 0.8)
        self._chore(seat, "up", at + 0.9, due, lambda start: self._up(seat, seat, row, start), 1.1)

    def _up(self, hand: int, zone: int, row: Row, start: float) -> None:
        """A hand takes a row up again."""
        if row not in self.zones[zone]:
            return
        reach = 0.55
        self.hands.lift(hand, row.things, start + reach, reach)
        self.zones[zone].remove(row)

    def _forget(self, seat: int, things: Sequence[Lying]) -> None:
        gone = {thing.key for thing in things}
        for row in self.zones[seat]:
            kept = [i for i, thing in enumerate(row.things) if thing.key not in gone]
            row.things, row.spots = [row.things[i] for i in kept], [row.spots[i] for i in kept]
        self.zones[seat] = [row for row in self.zones[seat] if row.things]

    def _seq(self, event: Json) -> int:
        return int(event.get("seq") or len(self.staged.truth) + 1)


def _cents(at: float) -> float:
    """Rounded up to hundredths of a second, as records have it."""
    return math.ceil(at * 100 - 1e-6) / 100
