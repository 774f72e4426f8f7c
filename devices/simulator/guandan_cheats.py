"""Faults of Guandan that need a deal of their own: a cheat in the exchange, wilds in one hand, lateness."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from functools import partial
from itertools import pairwise

from devices.simulator.bots import Habits, Script
from devices.simulator.faults import Expected, Planted, cut, delayed
from devices.simulator.guandan_bots import Deal
from devices.simulator.guandan_sample import NO_STOPPAGES, Sample, one_deal, some_finish
from table.cards import Card, format_cards, parse_cards
from table.guandan.combos import rank_value, readings, wild_of
from table.guandan.tribute import BIG_JOKER, highest_to_pay
from table.rulesets import Profile
from table.seats import SEATS, Seat, side_of


class LowTribute(Deal):
    """The payers keep their highest card and pay a lower one."""

    def tribute_of(self, seat: Seat) -> Card:
        """Any card below the highest."""
        highest = highest_to_pay(self.hands[seat], self.level)
        lower = [card for card in self.hands[seat] if card not in highest and card != wild_of(self.level)]
        return self.rng.choice(lower)


class HighReturn(Deal):
    """Who was paid returns a card above 10 although there is a lower one."""

    def return_of(self, seat: Seat) -> Card:
        """Any card above 10 but a wild; a level card counts above the ace."""
        hand = [card for card in self.hands[seat] if card != wild_of(self.level)]
        return self.rng.choice([card for card in hand if not _low(card, self.level)])


class NoTribute(Deal):
    """Nobody pays; the last player of the deal before leads as if he had."""

    def exchange(self, finish: list[Seat]) -> Seat:
        """Nothing is exchanged."""
        return finish[3]


class FalseRefusal(Deal):
    """Tribute is refused without both big jokers."""

    def exchange(self, finish: list[Seat]) -> Seat:
        """The payers show what big jokers they have, or nothing."""
        double = side_of(finish[0]) == side_of(finish[1])
        payers = finish[2:] if double else finish[3:]
        shown = {seat: self.hands[seat].count(BIG_JOKER) for seat in payers}
        held = [seat for seat in payers if shown[seat]]
        self.script.add(
            "tribute_refused", self.by(self.rules.tribute), seats=held or payers, cards="BJ" if held else None
        )  # fmt: skip
        self.since = self.script.now
        self.note()
        return finish[0]


class WildsForTheLeader(Deal):
    """The first leader holds both wilds."""

    def draw(self, first: bool) -> Seat:
        """Swap them in."""
        leader = super().draw(first)
        turned = next(e["card"] for e in reversed(self.script.events) if e["event"] == "turned_up")
        wild = wild_of(self.level)
        for seat in SEATS:
            while seat != leader and wild in self.hands[seat]:
                given = next(card for card in self.hands[leader] if card != wild and str(card) != turned)
                self.hands[seat][self.hands[seat].index(wild)] = given
                self.hands[leader][self.hands[leader].index(given)] = wild
        self.note()
        return leader


class OtherLeader(Deal):
    """In a first deal another leads than he who drew the turned card."""

    def draw(self, first: bool) -> Seat:
        """Pass the lead on."""
        drawer = super().draw(first)
        return self.rng.choice([seat for seat in SEATS if seat != drawer])


def _low(card: Card, level: str) -> bool:
    """Whether a card may be returned for a tribute (GDO-28; a level card may not, catalogue 5.2 no. 24)."""
    return card.rank != level and rank_value(card.rank, level) <= 10


def _above(value: int, level: str) -> Callable[[Card], bool]:
    """Whether a card that is no wild ranks above a value."""
    return lambda card: card != wild_of(level) and rank_value(card.rank, level) > value


def _first_shown(sample: Sample, seat: Seat, after: int, telling: Callable[[Card], bool]) -> int | None:
    """The event at which it is first proven that `seat` held, just after event `after`, a card that tells.

    Cards that came in later are subtracted. When three are out, what nobody has shown is known to be
    with the last.
    """
    shown: Counter[Card] = Counter()
    came_in: Counter[Card] = Counter()
    last = 0
    for event in sample.events[after:]:
        if event["event"] == "tribute_return" and event["to"] == seat:
            came_in[Card.parse(event["card"])] += 1
        if event["event"] == "play":
            last = event["seq"]
            if event["seat"] == seat:
                shown.update(parse_cards(event["cards"]))
                if any(telling(card) for card in shown - came_in):
                    return int(event["seq"])
    left = sample.before(len(sample.events) + 1).hands
    if sum(bool(hand) for hand in left) == 1 and left[seat]:
        shown.update(left[seat])
        if any(telling(card) for card in shown - came_in):
            return last
    return None


def tribute_not_highest(profile: Profile, rng: random.Random) -> Planted | None:
    """A tribute that was not the highest card: proven when a higher one is shown (GDO-26, GDE-20)."""
    sample = one_deal(profile, rng, deal_class=LowTribute, finish=some_finish(rng))
    expected = []
    for event in sample.events:
        if event["event"] != "tribute":
            continue
        level = sample.before(event["seq"]).level
        value = rank_value(Card.parse(event["card"]).rank, level)
        known = _first_shown(sample, event["seat"], event["seq"], _above(value, level))
        if known is None:
            return None
        expected.append(sample.finds("tribute_not_highest", event["seat"], known))
    return Planted("tribute_not_highest", sample.events, tuple(expected)) if expected else None


def tribute_not_highest_sealed(profile: Profile, rng: random.Random) -> Planted | None:
    """The same with a sealed deal: proven as soon as it is paid."""
    finish = some_finish(rng, double=False)
    sample = one_deal(profile, rng, deal_class=LowTribute, finish=finish, habits=Habits(sealed=True))
    for event in sample.events:
        if event["event"] == "tribute":
            found = sample.finds("tribute_not_highest", event["seat"], event["seq"])
            return Planted("tribute_not_highest_sealed", sample.events, (found,))
    return None


def return_too_high_sealed(profile: Profile, rng: random.Random) -> Planted | None:
    """A card above 10 returned although a lower one was held, with a sealed deal: proven at once."""
    finish = some_finish(rng, double=False)
    sample = one_deal(profile, rng, deal_class=HighReturn, finish=finish, habits=Habits(sealed=True))
    for event in sample.events:
        if event["event"] == "tribute_return":
            found = sample.finds("return_too_high", event["seat"], event["seq"])
            return Planted("return_too_high_sealed", sample.events, (found,))
    return None


def wrong_drawn_leader(profile: Profile, rng: random.Random) -> Planted | None:
    """A first deal not led by him who drew the turned card: proven by both copies elsewhere (GDO-19)."""
    sample = one_deal(profile, rng, deal_class=OtherLeader)
    turned = next(event["card"] for event in sample.events if event["event"] == "turned_up")
    leader = next(event["seat"] for event in sample.events if event["event"] == "play")
    seen = 0
    for event in sample.events:
        if event["event"] == "play" and event["seat"] != leader:
            seen += event["cards"].split().count(turned)
            if seen == 2:
                found = sample.finds("wrong_leader", leader, event["seq"], check="wrong_drawn_leader")
                return Planted("wrong_drawn_leader", sample.events, (found,))
    return None


def return_too_high(profile: Profile, rng: random.Random) -> Planted | None:
    """A card above 10 returned although a lower one was held: proven when one is shown (GDO-28, GDE-20)."""
    sample = one_deal(profile, rng, deal_class=HighReturn, finish=some_finish(rng, double=False))
    for event in sample.events:
        if event["event"] != "tribute_return":
            continue
        level = sample.before(event["seq"]).level
        known = _first_shown(sample, event["seat"], event["seq"], partial(_low, level=level))
        if known is None:
            return None
        expected = sample.finds("return_too_high", event["seat"], known)
        return Planted("return_too_high", sample.events, (expected,))
    return None


def tribute_missing(profile: Profile, rng: random.Random) -> Planted | None:
    """No tribute is paid and none refused: proven when others show a big joker (GDO-26, GDO-35, GDE-20)."""
    finish = some_finish(rng, double=False)
    sample = one_deal(profile, rng, deal_class=NoTribute, finish=finish, habits=Habits(on_the_limit=0))
    known = _joker_elsewhere(sample, finish[3:])
    if known is None:
        return None
    return Planted("tribute_missing", sample.events, (sample.finds("tribute_missing", finish[3], known),))


def refusal_not_entitled(profile: Profile, rng: random.Random) -> Planted | None:
    """Tribute refused without both big jokers: proven by what is shown, or when others show one (GDO-35)."""
    finish = some_finish(rng)
    sample = one_deal(profile, rng, deal_class=FalseRefusal, finish=finish)
    event = next(event for event in sample.events if event["event"] == "tribute_refused")
    double = side_of(finish[0]) == side_of(finish[1])
    payers = finish[2:] if double else finish[3:]
    held = sum(sample.before(event["seq"]).hands[seat].count(BIG_JOKER) for seat in payers)
    if held == 2:
        return None
    known = event["seq"] if "cards" in event else _joker_elsewhere(sample, payers)
    if known is None:
        return None
    check = "refusal_not_entitled_double" if double else "refusal_not_entitled"
    seat = event["seats"][0] if len(event["seats"]) == 1 else finish[3]
    expected = sample.finds("refusal_not_entitled", seat, known, check=check)
    return Planted("refusal_not_entitled", sample.events, (expected,))


def _joker_elsewhere(sample: Sample, payers: list[Seat]) -> int | None:
    for event in sample.events:
        if event["event"] == "play" and event["seat"] not in payers and "BJ" in event["cards"].split():
            return int(event["seq"])
    return None


def ambiguous_wild(profile: Profile, rng: random.Random) -> Planted | None:
    """Three alike and two wilds led without a word: a bomb or a full house (GDO-48, GDE-04)."""
    sample = one_deal(profile, rng, deal_class=WildsForTheLeader)
    number = next(event["seq"] for event in sample.events if event["event"] == "play")
    moment = sample.before(number)
    seat = sample.events[number - 1]["seat"]
    wild = wild_of(moment.level)
    for card in moment.hands[seat]:
        alike = [other for other in moment.hands[seat] if other.rank == card.rank and other != wild][:3]
        laid = [*alike, wild, wild]
        if len(alike) == 3 and len(readings(laid, moment.level, sample.rules.combos)) > 1:
            made = cut(sample.events, number + 1)
            made[-1]["cards"] = format_cards(laid)
            made[-1].pop("says", None)
            expected = sample.finds("ambiguous_wild", seat, number, certainty="check")
            return Planted("ambiguous_wild", made, (expected,))
    return None


def warning_limit(profile: Profile, rng: random.Random) -> Planted | None:
    """So many late plays of a side that its warnings reach the limit (GDE-31)."""
    limit = int(profile.get("warnings.timeout.limit", 0))
    if not limit:
        return None
    sample = one_deal(profile, rng, habits=NO_STOPPAGES)
    acts = [event["seq"] for event in sample.events if event["event"] in ("play", "pass")]
    seat = rng.choice(SEATS)
    mine = [
        (before, number) for before, number in pairwise(acts) if sample.events[number - 1]["seat"] == seat
    ]
    if len(mine) < limit:
        return None
    events = sample.events
    expected = []
    chosen = sorted(rng.sample(mine, limit))
    for before, number in chosen:
        late = events[before - 1]["at"] + sample.rules.play + 1 - events[number - 1]["at"]
        events = delayed(events, number, late)
        expected.append(sample.finds("timeout", seat, number, check="timeout_play"))
    expected.append(sample.finds("warning_limit", seat, chosen[-1][1], check="warning_limit_timeout"))
    return Planted("warning_limit", events, tuple(expected))


def forfeit(profile: Profile, rng: random.Random) -> Planted | None:
    """One side has not come when the time of waiting is over (GDE-33)."""
    waiting = profile.number("format.late_after")
    if not waiting:
        return None
    absent = rng.choice((0, 1))
    script = Script()
    names = [name if side_of(seat) != absent else "" for seat, name in enumerate(("甲", "乙", "丙", "丁"))]
    script.add("match_started", profile=profile.name, players=names, levels=["2", "2"])
    script.add("deal_started", waiting + 1, deal=1, level="2")
    expected = Expected("forfeit", None, 2, profile.rule("late"))
    return Planted("forfeit", script.events, (expected,))
