"""Four bots that play Guandan (掼蛋) at random but by the rules: tribute, tricks, count calls, levels."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from devices.simulator.bots import Habits, Script
from table.cards import RANKS, Card, format_cards, full_packs
from table.guandan.combos import (
    ComboRules,
    Play,
    Reading,
    laid_out,
    layout_readings,
    plays,
    rank_value,
)
from table.guandan.opening import first_drawer
from table.guandan.tribute import BIG_JOKER, highest_to_pay, returnable
from table.rulesets import Profile
from table.seats import SEATS, Seat, next_seat, partner, side_of

_LEADS: Final = ("single", "pair", "triple", "straight", "pairs", "plate", "full_house")
_WEIGHTS: Final = (4, 5, 3, 4, 3, 3, 5)
_BOMBS: Final = ("bomb", "straight_flush", "joker_bomb")
_SAID: Final = {
    "single": "单张",
    "pair": "对子",
    "triple": "三同张",
    "straight": "顺子",
    "pairs": "三连对",
    "plate": "二连三",
    "full_house": "三带对",
    "bomb": "炸弹",
    "straight_flush": "同花顺",
    "joker_bomb": "王炸",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """What was so when an event had happened: what a fault needs to know in order to be planted.

    Attributes:
        level: rank of the deal's level.
        hands: the cards held, by seat.
        turn: who acts next; None outside the tricks.
        top: the reading to beat; None when the next play leads.
        top_seat: who played it.
    """

    level: str
    hands: tuple[tuple[Card, ...], ...]
    turn: Seat | None = None
    top: Reading | None = None
    top_seat: Seat | None = None


@dataclass(frozen=True, slots=True)
class TableRules:
    """What the bots must know of a profile beside the combinations."""

    combos: ComboRules
    report_at: int
    report_mode: str
    equal_choice: bool
    """Equal double tributes are chosen by the winners (GDE-23), not paid by seat (GDO-33)."""
    tribute: float
    give_back: float
    lead: float
    play: float
    time: float | None
    """Length of the match, seconds."""

    @classmethod
    def from_profile(cls, profile: Profile) -> TableRules:
        """The keys of a Guandan profile; where it has no limit, a minute."""
        return cls(
            combos=ComboRules.from_profile(profile),
            report_at=profile.whole("report.at"),
            report_mode=profile.word("report.mode"),
            equal_choice=profile.word("tribute.equal") != "seat_order",
            tribute=profile.number("clock.tribute") or 60,
            give_back=profile.number("clock.return") or 60,
            lead=profile.number("clock.first_lead") or 60,
            play=profile.number("clock.play") or 60,
            time=profile.number("format.seconds") if profile.word("format.kind") == "time" else None,
        )


class GuandanBots:
    """Four players of one match. They keep levels and the finish of the deal before.

    `finish` may be set before the first deal: the record then begins in the middle of a match.
    """

    deal_class: type[Deal]

    def __init__(self, profile: Profile, rng: random.Random, habits: Habits) -> None:
        self.profile = profile
        self.rules = TableRules.from_profile(profile)
        self.rng = rng
        self.habits = habits
        self.levels = ["2", "2"]
        self.finish: list[Seat] | None = None
        self.number = 0
        self.games = [0, 0]
        self.failures = [0, 0]
        self._start: list[str] | None = None

    def play_deal(self, script: Script) -> bool:
        """One deal, from `deal_started` to the last play; False when the match is over with it."""
        self._start = self._start or list(self.levels)
        gap = self.rng.uniform(*self.habits.gap)
        if self.rules.time is not None and script.now + gap + self.habits.draw[1] > self.rules.time:
            # No deal is begun that could not be drawn in time (GDE-39).
            script.add("match_ended", self.rules.time - script.now, why="time")
            return False
        self.number += 1
        level = self.levels[side_of(self.finish[0]) if self.finish else 0]
        script.add("deal_started", gap, deal=self.number, level=level, finish=self.finish)
        deal = self.deal_class(self, script, level)
        before, self.finish = self.finish, deal.play(self.finish)
        return self.settle(level, before, self.finish)

    def settle(self, level: str, before: Sequence[Seat] | None, finish: Sequence[Seat]) -> bool:
        """Take the result of a deal into the levels; False when the match is over.

        Levels rise as in GDO-56..58, GDE-26..28: an ace is passed by 上游 whose partner is not last;
        failing at it too often, as the side that declares, leads back.
        """
        side = side_of(finish[0])
        place = list(finish).index(partner(finish[0]))
        if level == self.levels[side] == "A" and place < 3:
            self.games[side] += 1
            self.levels[:] = self._start or ["2", "2"]
            self.failures = [0, 0]
            self.finish = None
            by_levels = self.profile.word("format.kind") == "levels"
            return not (by_levels and self.games[side] >= self.profile.whole("format.games"))
        declarer = side_of(before[0]) if before else None
        failed = [s for s in (0, 1) if level == self.levels[s] == "A" and declarer in (None, s)]
        rise = int(self.profile["levels.rise"][place - 1])
        self.levels[side] = RANKS[min(len(RANKS) - 1, RANKS.index(self.levels[side]) + rise)]
        for s in failed:
            self.failures[s] += 1
            if self.failures[s] == self.profile.whole("levels.ace_attempts"):
                self.failures[s] = 0
                self.levels[s] = self.profile.word("levels.ace_fail_to")
        return True


class Deal:
    """One deal in progress; who cheats overrides what is chosen here."""

    def __init__(self, bots: GuandanBots, script: Script, level: str) -> None:
        self.profile = bots.profile
        self.rules = bots.rules
        self.habits = bots.habits
        self.rng = bots.rng
        self.script = script
        self.level = level
        self.hands: list[list[Card]] = [[], [], [], []]
        self.out: list[Seat] = []
        self.top: Reading | None = None
        self.top_seat: Seat | None = None
        self.turn: Seat | None = None
        self.since = 0.0
        # Each player lays cards in a fixed direction (GDO-48).
        self.descending = [self.rng.random() < 0.3 for _ in SEATS]

    def play(self, finish: list[Seat] | None) -> list[Seat]:
        """Draw, exchange, play; the seats in the order in which they are out, the last two by seat."""
        leader = self.draw(first=finish is None)
        if finish is not None:
            leader = self.exchange(finish)
        self._tricks(leader)
        first = self.out[0]
        rest = (next_seat(first), partner(first), next_seat(partner(first)))
        return self.out + [seat for seat in rest if seat not in self.out]

    def note(self) -> None:
        """Keep what is so now, for those who plant faults."""
        hands = tuple(tuple(hand) for hand in self.hands)
        seq = len(self.script.events)
        self.script.truth[seq] = Moment(self.level, hands, self.turn, self.top, self.top_seat)

    def draw(self, first: bool) -> Seat:
        """Deal the pack; in a first deal turn a card up, whose drawer leads (GDO-17..19, GDE-15, GDE-16)."""
        pack = list(full_packs(2).elements())
        self.rng.shuffle(pack)
        place = self.rng.randrange(len(pack))
        start: Seat | None = self.rng.choice(SEATS)
        if first:
            turner: Seat = self.rng.choice(SEATS)
            start = first_drawer(self.profile, pack[place], turner)
            while start is None:
                place = self.rng.randrange(len(pack))
                start = first_drawer(self.profile, pack[place], turner)
            self.script.add("turned_up", 5, card=str(pack[place]), seat=turner)
        assert start is not None
        for i, card in enumerate(pack):
            self.hands[(start + i) % 4].append(card)
        after = self.rng.uniform(*self.habits.draw)
        if self.habits.sealed:
            for seat in SEATS:
                self.script.add("dealt", after / 5, seat=seat, cards=format_cards(self.hands[seat]))
            after /= 5
        self.script.add("draw_ended", after)
        self.since = self.script.now
        self.note()
        return (start + place) % 4

    # Tribute.

    def exchange(self, finish: list[Seat]) -> Seat:
        """Tribute, return or refusal (GDO-26..35, GDE-20..24); who leads."""
        first = finish[0]
        double = side_of(finish[0]) == side_of(finish[1])
        payers = finish[2:] if double else [finish[3]]
        holders = [seat for seat in payers if BIG_JOKER in self.hands[seat]]
        if sum(self.hands[seat].count(BIG_JOKER) for seat in payers) == 2:
            self.script.add("tribute_refused", self.by(self.rules.tribute), seats=holders, cards="BJ BJ")
            self.since = self.script.now
            self.note()
            return first
        paid = {seat: self.tribute_of(seat) for seat in payers}
        to, equal = self._receivers(first, payers, paid)
        for seat in payers:
            self._move("tribute", self.rules.tribute, seat, to[seat], paid[seat])
        self.since = self.script.now
        back = {to[seat]: self.return_of(to[seat]) for seat in payers}
        if double and equal and self.rules.equal_choice:
            return self._chosen_returns(first, payers, back)
        for seat in payers:
            # Returns are turned over together (GDO-32).
            limit = self.rules.give_back if seat == payers[0] else self.script.now + 3 - self.since
            self._move("tribute_return", limit, to[seat], seat, back[to[seat]])
        self.since = self.script.now
        return next(seat for seat in payers if to[seat] == first)

    def tribute_of(self, seat: Seat) -> Card:
        """The card that this seat pays."""
        return self.rng.choice(highest_to_pay(self.hands[seat], self.level))

    def return_of(self, seat: Seat) -> Card:
        """The card that this seat returns."""
        return self.rng.choice(returnable(self.hands[seat], self.level, self.profile))

    def _receivers(
        self, first: Seat, payers: Sequence[Seat], paid: dict[Seat, Card]
    ) -> tuple[dict[Seat, Seat], bool]:
        """Who gets whose tribute, and whether the two were equal in rank."""
        if len(payers) == 1:
            return {payers[0]: first}, False
        values = [rank_value(paid[seat].rank, self.level) for seat in payers]
        if values[0] != values[1]:
            higher = payers[values.index(max(values))]
            return {seat: first if seat == higher else partner(first) for seat in payers}, False
        to_first = self.rng.choice(payers) if self.rules.equal_choice else next_seat(first)
        return {seat: first if seat == to_first else partner(first) for seat in payers}, True

    def _chosen_returns(self, first: Seat, payers: Sequence[Seat], back: dict[Seat, Card]) -> Seat:
        """Equal double tribute by choice: payers pick among the returns, the smaller card leads (GDE-23)."""
        givers = self.rng.sample(list(back), 2)
        taken: dict[Seat, Card] = {}
        for giver, payer in zip(givers, payers, strict=True):
            self._move("tribute_return", self.rules.give_back, giver, payer, back[giver])
            taken[payer] = back[giver]
        self.since = self.script.now
        values = {seat: rank_value(card.rank, self.level) for seat, card in taken.items()}
        if len(set(values.values())) == 1:
            return next_seat(first)
        return min(values, key=lambda seat: values[seat])

    def _move(self, name: str, limit: float, seat: Seat, to: Seat, card: Card) -> None:
        self.hands[seat].remove(card)
        self.hands[to].append(card)
        self.script.add(name, self.by(limit), seat=seat, to=to, card=str(card))
        self.note()

    def by(self, limit: float) -> float:
        """Seconds from now to an act that is in time: `limit` counts from `since`."""
        if self.rng.random() < self.habits.on_the_limit:
            when = self.since + limit
        else:
            when = self.since + self.rng.uniform(0.8, min(self.habits.slow, limit))
        latest = self.since + limit - self.script.now
        return max(0.0, min(latest, max(when - self.script.now, self.rng.uniform(0.2, 0.5))))

    # Tricks.

    def _tricks(self, leader: Seat) -> None:
        limit = self.rules.lead
        self.turn = leader
        passes_left = 0
        while not self._over():
            seat = self.turn
            self._stop()
            play = self._choose(seat)
            if play is None:
                self.script.add("pass", self.by(limit), seat=seat)
                passes_left -= 1
            else:
                self._lay(seat, *play, limit=limit)
                passes_left = sum(bool(self.hands[s]) for s in SEATS if s != seat)
            self.since = self.script.now
            limit = self.rules.play
            self.turn = self._after(seat, passes_left)
            self.note()
            if play is not None:
                self._count(seat)

    def _stop(self) -> None:
        """Now and then the referee stops the clock; that time is nobody's."""
        if self.rng.random() >= self.habits.stoppages:
            return
        self.script.add("clock", 0.1, state="stopped", why="裁判处理")
        pause = round(self.rng.uniform(20, 90), 2)
        self.script.add("clock", pause, state="running")
        self.since += pause

    def _over(self) -> bool:
        """A side is out, or three players are (GDO-42)."""
        return len(self.out) == 3 or (len(self.out) == 2 and side_of(self.out[0]) == side_of(self.out[1]))

    def _after(self, seat: Seat, passes_left: int) -> Seat:
        """Who acts after this seat; at the end of a trick the lead may pass to the partner (接风, GDO-41)."""
        if passes_left == 0 and self.top_seat is not None:
            leader = self.top_seat if self.hands[self.top_seat] else partner(self.top_seat)
            self.top = self.top_seat = None
            return leader
        following = next_seat(seat)
        while not self.hands[following]:
            following = next_seat(following)
        return following

    def _choose(self, seat: Seat) -> tuple[Play, Reading] | None:
        """A play and what it is to mean; None to pass."""
        if self.top is None:
            return self._lead(seat)
        reluctance = self.habits.pass_rate
        if self.top_seat == partner(seat):
            reluctance = (1 + reluctance) / 2
        if self.rng.random() < reluctance:
            return None
        types = {self.top.type} if self.rng.random() < 0.85 else {self.top.type, *_BOMBS}
        found = plays(self.hands[seat], self.level, self.top, self.rules.combos, types)
        return self._pick(found) if found else None

    def _lead(self, seat: Seat) -> tuple[Play, Reading]:
        hand = self.hands[seat]
        types = [self.rng.choices(_LEADS, _WEIGHTS)[0] for _ in range(3)]
        if self.rng.random() < 0.05:
            types.insert(0, self.rng.choice(_BOMBS))
        for type_ in types:
            found = plays(hand, self.level, None, self.rules.combos, (type_,))
            if found:
                return self._pick(found)
        return self._pick(plays(hand, self.level, None, self.rules.combos, ("single",)))

    def _pick(self, found: Sequence[Play]) -> tuple[Play, Reading]:
        play = self.rng.choice(found)
        return play, self.rng.choice(play.readings)

    def _lay(self, seat: Seat, play: Play, reading: Reading, limit: float) -> None:
        """Put a play on the table, as GDO-48 has it; say what it is where the layout leaves it open."""
        cards = laid_out(play.cards, reading, self.descending[seat])
        left = layout_readings(cards, self.level, self.rules.combos)
        says = None
        if len(left) > 1 or self.rng.random() < self.habits.chatter:
            says = f"{_SAID[reading.type]} {reading.rank}"
        for card in cards:
            self.hands[seat].remove(card)
        if not self.hands[seat]:
            self.out.append(seat)
        self.top, self.top_seat = reading, seat
        self.script.add("play", self.by(limit), seat=seat, cards=format_cards(cards), says=says)

    def _count(self, seat: Seat) -> None:
        """Count calls (报牌): at once after the play as a duty (GDO-55), or on request (GDE-30)."""
        left = len(self.hands[seat])
        if not 0 < left <= self.rules.report_at or self._over() or self.rules.report_mode == "none":
            return
        if self.rules.report_mode == "on_request":
            if self.rng.random() > self.habits.chatter * 3:
                return
            if self.rng.random() < 0.7:
                asker = self.rng.choice([s for s in SEATS if s != seat])
                self.script.add("count_asked", 0.3, seat=asker, of=seat)
        self.script.add("count_called", 0.4, seat=seat, count=left)
        self.note()


GuandanBots.deal_class = Deal
BOTS: Final = GuandanBots
