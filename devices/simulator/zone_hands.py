"""What hands do in the seats' zones: plays, tribute, cards shown and exposed, cards taken back, plaques."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from calibration.plaques import PLAQUE_COUNTS, PLAQUE_PASS
from devices.simulator.laying import PLAQUE_SPOT, on_table
from devices.simulator.motions import PLAQUE, Lying
from devices.simulator.pacing import APART, Json, Paced, cents


class ZoneHands(Paced):
    """Each method makes one event happen, not before `wanted` s, and says when it had happened."""

    def see_play(self, event: Json, wanted: float) -> float:
        """A play (出牌): after the trick before has been cleared away; earlier plays of the trick stay."""
        seat, cards = event["seat"], event["cards"].split()
        if self.between_tricks():
            done = self.finish(wanted - 0.15, kinds=("clear", "take", "up"))
            wanted = max(wanted, done + 0.1)
        before = [row.spots for row in self.zones[seat] if row.kind == "play"]
        spots = self.rows.row(len(cards), before)
        if len(cards) > 2 and self.how.two_goes and self.rng.random() < self.how.two_goes:
            return self._in_two_goes(event, seat, cards, spots, wanted)
        return self.lay("play", event, seat, cards, spots, wanted)[0]

    def _in_two_goes(
        self, event: Json, seat: int, cards: list[str], spots: list[tuple[float, float, float]], wanted: float
    ) -> float:
        """The first part, a pause of a second or two, the rest: the play has happened when all lie there."""
        first = self.rng.randrange(1, len(cards))
        pause = self.rng.uniform(1.2, 2.0)
        # A hundredth to spare, so that rounding does not make a play late that was just in time.
        at, row = self.lay("play", event, seat, cards[:first], spots[:first], wanted - pause - 0.02)
        reach = self.hands.reach()
        at = cents(max(wanted, at + pause, self.hands.free[seat] + reach))
        things = [
            self.hands.new(c, on_table(seat, s), of=row.of)
            for c, s in zip(cards[first:], spots[first:], strict=True)
        ]
        gone = self.hands.bring(seat, things, at, reach)
        self.note(row.of, things, gone)
        row.things += things
        row.spots[:] = spots
        return at

    def see_tribute(self, event: Json, wanted: float) -> float:
        """The card lies in the giver's zone, then the receiver takes it (贡牌, 还牌)."""
        seat, to = event["seat"], event["to"]
        spots = self.rows.row(1, [row.spots for row in self.zones[seat]])
        at, row = self.lay("tribute", event, seat, [event.get("card") or "back"], spots, wanted)
        due = at + self.rng.uniform(1.5, 2.5)
        self.chore(to, "take", at + 1.0, due, partial(self.up, to, seat, row), 1.1)
        return at

    see_tribute_return = see_tribute

    def see_tribute_refused(self, event: Json, wanted: float) -> float:
        """Jokers shown by those who hold them (抗贡), and taken up again."""
        seats, cards = event["seats"], event["cards"].split()
        each = max(1, len(cards) // max(1, len(seats)))
        rest = wanted
        for i, seat in enumerate(seats):
            mine = cards[i * each :] if i == len(seats) - 1 else cards[i * each : (i + 1) * each]
            last, self.last = self.last, self.last if i == 0 else self.last - APART
            at, row = self.lay("shown", event, seat, mine, self.rows.row(len(mine), []), rest)
            self.last = last
            rest = max(rest, at)
            self.up_later(seat, row, at, 2.0)
        return rest

    def see_trump_shown(self, event: Json, wanted: float) -> float:
        """Cards shown to declare (亮主, 反主, 加固): those that lie there already are not laid twice."""
        seat, cards = event["seat"], event["cards"].split()
        rows = [row for row in self.zones[seat] if row.kind == "trump"]
        there = Counter(thing.what for row in rows for thing in row.things)
        new = list((Counter(cards) - there).elements()) or cards
        if rows and len(new) < len(cards):
            spots = self.rows.beside(len(new), rows[-1].spots)
        else:
            spots = self.rows.row(len(new), [row.spots for row in self.zones[seat]])
        at, row = self.lay("trump", event, seat, new, spots, wanted)
        deal = self.state.deal if self.state is not None else None
        if getattr(deal, "closed", False):
            self.up_later(seat, row, at, 2.0)
        return at

    def see_exposed(self, event: Json, wanted: float) -> float:
        """Cards turn up where no play belongs, and are taken up again (暴露张)."""
        seat, cards = event["seat"], event["cards"].split()
        at, row = self.lay("exposed", event, seat, cards, self.rows.exposed(len(cards)), wanted)
        self.up_later(seat, row, at, 1.6)
        return at

    def see_taken_back(self, event: Json, wanted: float) -> float | None:
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
        at = max(self.ready(seat, wanted, reach), self.last + 0.9)
        seq = self.seq(event)
        self.staged.clears[seq] = self.hands.lift(seat, lifted, at, reach)
        self.forget(seat, lifted)
        return at

    def see_throw_forced(self, event: Json, wanted: float) -> float | None:
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
        at = max(self.ready(seat, wanted, reach), self.last + 0.6)
        spots = row.spots[: len(keep)]
        seq = self.seq(event)
        things = [
            Lying(thing.key, thing.what, *on_table(seat, spot), of=row.of)
            for thing, spot in zip(staying, spots, strict=True)
        ]
        gone = self.hands.lift(seat, pool, at, reach, leave=things)
        self.note(seq, things, gone)
        row.things, row.spots = things, list(spots)
        return at

    def forget(self, seat: int, things: Sequence[Lying]) -> None:
        """These things lie in the seat's zone no longer."""
        gone = {thing.key for thing in things}
        for row in self.zones[seat]:
            kept = [i for i, thing in enumerate(row.things) if thing.key not in gone]
            row.things, row.spots = [row.things[i] for i in kept], [row.spots[i] for i in kept]
        self.zones[seat] = [row for row in self.zones[seat] if row.things]

    def see_pass(self, event: Json, wanted: float) -> float:
        """A plaque that passes (过牌)."""
        return self._plaque(event, PLAQUE_PASS, wanted)

    def see_count_called(self, event: Json, wanted: float) -> float | None:
        """A plaque that calls the cards left (报牌), where there is one for that number."""
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
        at, row = self.lay("plaque", event, seat, [f"{PLAQUE}{marker}"], [spot], wanted)
        self.up_later(seat, row, at, 1.6)
        return at
