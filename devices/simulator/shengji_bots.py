"""Four bots that play Shengji (升级) at random but by the rules: declaring, kitty, leads, throws, levels."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from devices.simulator.bots import Habits, Script
from table.cards import Card, format_cards
from table.rulesets import Profile
from table.seats import SEATS, Seat, next_seat, side_of
from table.shengji.bidding import Bidding, applied, first_banker, show, turned_suit
from table.shengji.follow import example_play
from table.shengji.formats import Tractors, Unit, all_units, best_reading
from table.shengji.keys import Rules, rules_of
from table.shengji.kitty import multiplier
from table.shengji.levels import outcome
from table.shengji.order import NO_TRUMP, TRUMP, Order, order_for, points_of
from table.shengji.throws import stops
from table.shengji.tricks import trick


@dataclass(frozen=True, slots=True)
class Moment:
    """What was so when an event had happened: what a fault needs to know in order to be planted.

    Attributes:
        phase: `draw`, `declared` (the draw has ended), `kitty` (taken, not laid), `tricks`, `over`.
        hands: the cards held, by seat.
        banker: who has the bank; `trump` and `order`: all once known.
        kitty: the cards in the kitty.
        turn: who plays next; `lead`: what was led to the trick on the table by `leader`, None before a lead.
        tricks: tricks that are over.
        bidding: the declarations so far.
    """

    phase: str
    hands: tuple[tuple[Card, ...], ...]
    banker: Seat | None = None
    trump: str | None = None
    order: Order | None = None
    kitty: tuple[Card, ...] = ()
    turn: Seat | None = None
    lead: tuple[Unit, ...] | None = None
    leader: Seat | None = None
    tricks: int = 0
    bidding: Bidding | None = None


class ShengjiBots:
    """Four players of one match. They keep the levels and who has the bank."""

    deal_class: type[Deal]

    def __init__(self, profile: Profile, rng: random.Random, habits: Habits) -> None:
        self.profile = profile
        self.rules = rules_of(profile)
        self.rng = rng
        self.habits = habits
        self.levels = ["2", "2"]
        self.banker: Seat | None = None
        self.number = 0
        self.games = [0, 0]
        self._start: list[str] | None = None

    def play_deal(self, script: Script) -> bool:
        """One deal, from `deal_started` to the turning of the kitty; False when the match is over with it."""
        self._start = self._start or list(self.levels)
        self.number += 1
        while True:
            level = self.levels[side_of(self.banker) if self.banker is not None else 0]
            deal = self.deal_class(self, script, level)
            script.add("deal_started", self.rng.uniform(*self.habits.gap), deal=self.number, level=level,
                       banker=self.banker)  # fmt: skip
            if deal.play():
                break
        assert deal.banker is not None
        found = outcome(
            deal.points, deal.banker, (self.levels[0], self.levels[1]), self.rules, jack_trick=deal.jack_trick
        )
        self.levels[:] = found.levels
        self.banker = found.banker
        if found.winner is None:
            return True
        self.games[found.winner] += 1
        self.levels[:] = self._start
        self.banker = None
        by_levels = self.profile.word("format.kind") == "levels"
        return not (by_levels and self.games[found.winner] >= self.profile.whole("format.games"))


class Deal:
    """One deal in progress."""

    def __init__(self, bots: ShengjiBots, script: Script, level: str) -> None:
        self.rules: Rules = bots.rules
        self.habits = bots.habits
        self.rng = bots.rng
        self.script = script
        self.level = level
        self.banker = bots.banker
        self.first = bots.banker is None
        self.bidding = Bidding(None if level == NO_TRUMP else level, bots.banker)
        self.trump: str | None = None
        self.order: Order | None = None
        self.hands: list[list[Card]] = [[], [], [], []]
        self.kitty: list[Card] = []
        self.turn: Seat | None = None
        self.lead: tuple[Unit, ...] | None = None
        self.leader: Seat | None = None
        self.points = 0
        self.tricks = 0
        self.jack_trick = False
        self.phase = "draw"
        pack = self.rules.pack
        self.tractors = Tractors(pack.tractor_min_width, pack.tractor_min_length)

    def play(self) -> bool:
        """The deal to its end; False where nobody declared and it is dealt again (SJO-19)."""
        self._draw()
        if self.trump is None and not self._nobody_declared():
            return False
        self._kitty()
        self._tricks()
        return True

    def note(self) -> None:
        """Keep what is so now, for those who plant faults."""
        hands = tuple(tuple(hand) for hand in self.hands)
        self.script.truth[len(self.script.events)] = Moment(
            self.phase, hands, self.banker, self.trump, self.order, tuple(self.kitty), self.turn, self.lead,
            self.leader, self.tricks, self.bidding,
        )  # fmt: skip

    def _pause(self) -> float:
        return self.rng.uniform(0.8, self.habits.slow)

    # Drawing and trump.

    def _draw(self) -> None:
        pack = list(self.rules.cards.elements())
        self.rng.shuffle(pack)
        size = self.rules.hand_size
        start = self.rng.choice(SEATS)
        sealed = self.habits.sealed
        for i, card in enumerate(pack[: 4 * size]):
            self.hands[(start + i) % 4].append(card)
        self.kitty = pack[4 * size :]
        if sealed:
            for seat in SEATS:
                self.script.add("dealt", 1, seat=seat, cards=format_cards(self.hands[seat]))
        drawn: list[list[Card]] = [[], [], [], []]
        seconds = self.rng.uniform(*self.habits.draw) / (4 * size)
        for i, card in enumerate(pack[: 4 * size]):
            seat = (start + i) % 4
            drawn[seat].append(card)
            if card.rank == self.level or card.is_joker:
                self._declare(seat, drawn[seat], card, seconds)
            self.script.now = round(self.script.now + seconds, 2)
        self.script.add("draw_ended", 1)
        self.phase = "declared"
        self.note()
        for seat in self.rng.sample(SEATS, 4):
            for card in dict.fromkeys(self.hands[seat]):
                if self.rng.random() < 0.3:
                    self._declare(seat, self.hands[seat], card, 0.5)

    def _declare(self, seat: Seat, drawn: Sequence[Card], card: Card, after: float) -> None:
        """Show a card, or several alike, if that counts and the bot feels like it."""
        if self.rng.random() < 0.5:
            return
        count = self.rng.randint(1, drawn.count(card))
        cards = (card,) * count
        shown = show(self.bidding, seat, cards, self.rules)
        if shown.problem or shown.declaration is None or shown.declaration.count > drawn.count(card):
            return
        self.bidding = applied(self.bidding, shown)
        self.trump = shown.declaration.trump or NO_TRUMP
        if self.first:
            self.banker = first_banker(self.bidding, self.rules)
        self.script.add("trump_shown", after, seat=seat, cards=format_cards(cards))
        self.note()

    def _nobody_declared(self) -> bool:
        declare = self.rules.declare
        procedure = declare.nobody_first_deal if self.first else declare.nobody
        if procedure == "redeal":
            self.script.add("deal_voided", 2, why="nobody declared")
            return False
        if procedure == "partner_names":
            assert self.banker is not None
            self.trump = self.rng.choice("SHCD")
            self.script.add("trump_named", 2, seat=(self.banker + 2) % 4, suit=self.trump)
            return True
        turned: list[Card] = []
        for card in (
            self.kitty if procedure != "random_kitty_card" else self.rng.sample(self.kitty, len(self.kitty))
        ):
            turned.append(card)
            self.script.add("kitty_turned", 2, card=str(card))
            self.trump = turned_suit(turned, self.level, procedure, len(self.kitty))
            if self.trump is not None:
                break
        if self.banker is None:
            self.banker = self.rng.choice(SEATS)
        return self.trump is not None

    def _kitty(self) -> None:
        """The banker takes the kitty and lays as many cards (扣底)."""
        assert self.banker is not None
        pack = self.rules.pack
        self.order = order_for(
            self.level, self.trump, permanent=pack.permanent_trumps, across_level=pack.tractor_across_level
        )
        sealed = self.habits.sealed
        hand = self.hands[self.banker]
        self.script.add("kitty_taken", max(self._pause(), self.rules.declare.pause), seat=self.banker,
                        cards=format_cards(self.kitty) if sealed else None)  # fmt: skip
        hand += self.kitty
        self.kitty = []
        self.phase = "kitty"
        self.note()
        self.kitty = self.rng.sample(hand, pack.kitty_size)
        for card in self.kitty:
            hand.remove(card)
        self.script.add("kitty_laid", self._pause(), seat=self.banker,
                        cards=format_cards(self.kitty) if sealed else None)  # fmt: skip
        self.phase = "tricks"
        self.turn = self.banker
        self.note()

    # Tricks.

    def _tricks(self) -> None:
        assert self.turn is not None
        assert self.order is not None
        assert self.banker is not None
        leader: Seat = self.turn
        while self.hands[leader]:
            played = self._lead(leader)
            plays = [played]
            self.lead = best_reading(played, self.order, self.tractors)
            self.leader = leader
            self._lay(leader, played)
            for step in (1, 2, 3):
                seat = (leader + step) % 4
                answer = self._follow(seat)
                plays.append(answer)
                self._lay(seat, answer)
            leader = self._take(leader, plays)
        self.phase = "over"
        self.script.add("kitty_revealed", 2, cards=format_cards(self.kitty))
        self.note()

    def _take(self, leader: Seat, plays: Sequence[tuple[Card, ...]]) -> Seat:
        """End the trick: who wins it and what it adds for the attackers."""
        assert self.order is not None
        assert self.lead is not None
        assert self.banker is not None
        result = trick(self.lead, plays, self.order, self.rules.ruff)
        winner: Seat = (leader + result.winner) % 4
        self.tricks += 1
        last = not self.hands[leader]
        if side_of(winner) != side_of(self.banker):
            self.points += result.points
            if last:
                won = plays[result.winner]
                units = best_reading(won, self.order, self.tractors)
                times = multiplier(self.lead, units, self.rules.pack.packs, self.rules.kitty)
                self.points += times * points_of(self.kitty)
                alone = self.rules.levels.jack_back != "single_jack" or len(won) == 1
                self.jack_trick = alone and all(card.rank == "J" for card in won)
        self.lead = self.leader = None
        self.turn = winner
        self.note()
        return winner

    def _lay(self, seat: Seat, played: tuple[Card, ...]) -> None:
        for card in played:
            self.hands[seat].remove(card)
        self.script.add("play", self._pause(), seat=seat, cards=format_cards(played))
        self.turn = next_seat(seat)
        self.note()

    def _lead(self, seat: Seat) -> tuple[Card, ...]:
        """A unit of the hand, the larger the likelier; now and then a throw that holds."""
        assert self.order is not None
        hand = self.hands[seat]
        group = self.order.group(self.rng.choice(hand))
        held = self.order.held(self.order.of_group(hand, group))
        if self.rng.random() < 0.25 and (thrown := self._throw(seat, group)):
            return thrown
        units = all_units(held, self.tractors)
        return self.rng.choices(units, [len(unit.cards) ** 2 for unit in units])[0].cards

    def _throw(self, seat: Seat, group: str) -> tuple[Card, ...] | None:
        """Cards of one group that nobody can beat in any part (SJO-29, SJO-30), or nothing."""
        assert self.order is not None
        cards = sorted(self.order.of_group(self.hands[seat], group), key=self.order.place, reverse=True)
        others = {other: tuple(self.hands[other]) for other in SEATS if other != seat}
        for count in range(self.rng.randint(2, 6), 1, -1):
            wanted = tuple(cards[:count])
            parts = best_reading(wanted, self.order, self.tractors) if wanted else ()
            if len(parts) > 1 and not stops(parts, seat, others, self.order, self.rules.throw, self.tractors):
                return wanted
        return None

    def _follow(self, seat: Seat) -> tuple[Card, ...]:
        """A legal answer, chosen at random; void in the suit, sometimes a ruff of the led shape."""
        assert self.order is not None
        assert self.lead is not None
        order, hand = self.order, self.hands[seat]
        led = order.group(self.lead[0].cards[0])
        if led != TRUMP and not order.of_group(hand, led) and self.rng.random() < 0.6:
            trumps = order.of_group(hand, TRUMP)
            size = sum(len(unit.cards) for unit in self.lead)
            if len(trumps) >= size:
                lead = self._as_trumps(trumps)
                return example_play(lead, trumps, order, self.rules.follow, self.rng.choice, self._shuffled)
        return example_play(self.lead, hand, order, self.rules.follow, self.rng.choice, self._shuffled)

    def _as_trumps(self, trumps: Sequence[Card]) -> tuple[Unit, ...]:
        """The lead's units as if they were of trumps, so that an answer to them is a ruff."""
        assert self.lead is not None
        return tuple(Unit(u.width, u.length, u.top, (trumps[0],) * len(u.cards)) for u in self.lead)

    def _shuffled(self, cards: list[Card]) -> Sequence[Card]:
        return self.rng.sample(cards, len(cards))


ShengjiBots.deal_class = Deal
BOTS: Final = ShengjiBots
