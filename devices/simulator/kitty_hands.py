"""What hands do in the middle of the table: the pile that cards are drawn from, the kitty (底牌)."""

from __future__ import annotations

from typing import Final

from devices.simulator.laying import on_table
from devices.simulator.pacing import Json, Paced, cents
from table.seats import SEATS

_KITTY_MM: Final = 160.0


class KittyHands(Paced):
    """Each method makes one event happen, not before `wanted` s, and says when it had happened."""

    def see_kitty_taken(self, event: Json, wanted: float) -> float | None:
        """The banker lifts the pile; what was shown to declare is taken up too."""
        if not self.kitty:
            return None
        seat = event["seat"]
        reach = self.hands.reach() + 0.15
        at = self.ready(seat, wanted, reach)
        self.staged.clears[self.seq(event)] = self.hands.lift(seat, self.kitty, at, reach)
        self.kitty = []
        for other in SEATS:
            for row in [row for row in self.zones[other] if row.kind == "trump"]:
                self.up_later(other, row, at, 0.8)
        return at

    def see_kitty_laid(self, event: Json, wanted: float) -> float:
        """The banker lays a pile of backs (扣底)."""
        seat = event["seat"]
        reach = self.hands.reach() + 0.15
        at = self.ready(seat, wanted, reach)
        self.kitty = self.hands.pile(0, self.rows.pile(0.0, 0.0), 8, self.seq(event))
        self.note(self.seq(event), self.kitty, self.hands.bring(seat, self.kitty, at, reach))
        return at

    def see_kitty_turned(self, event: Json, wanted: float) -> float:
        """The next card of the kitty is turned face up and lies over the pile."""
        seat = self.banker()
        turned = sum(thing.face_up for thing in self.kitty)
        reach = self.hands.reach() + 0.15
        at = self.ready(seat, wanted, reach)
        spot = (-14.0 + 12.0 * min(turned, 4), 0.0, self.rng.gauss(0, 2))
        card = self.hands.new(event["card"], on_table(0, spot), of=self.seq(event))
        self.kitty.append(card)
        self.note(self.seq(event), [card], self.hands.bring(seat, [card], at, reach))
        return at

    def see_kitty_revealed(self, event: Json, wanted: float) -> float:
        """The pile is turned face up and spread, to be read by seat 0."""
        seat, cards = self.banker(), event["cards"].split()
        reach = self.hands.reach() + 0.15
        at = max(self.ready(seat, wanted, reach), cents(self.last + 0.8))
        step = min(14.0, (_KITTY_MM - 8 - self.card[0]) / max(1, len(cards) - 1))
        things = []
        for i, card in enumerate(cards):
            u = step * (i - (len(cards) - 1) / 2)
            spot = (u, self.rng.gauss(0, 1.0), self.rng.gauss(0, 0.7))
            things.append(self.hands.new(card, on_table(0, spot), of=self.seq(event)))
        gone = self.hands.swap(seat, self.kitty, things, at, reach)
        self.kitty = things
        self.note(self.seq(event), things, gone)
        return at
