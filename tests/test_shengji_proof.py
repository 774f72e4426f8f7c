"""The earliest moment at which a revoke can be proven, against every hand that agrees with what was shown."""

from __future__ import annotations

import os
import random
from collections import Counter
from itertools import combinations

import pytest

from table.cards import ALL_CARDS, Card, format_cards
from table.event_json import event_from_json
from table.session import Referee
from table.shengji.formats import all_units, best_reading
from table.shengji.order import order_for
from table.shengji.tricks import trick
from tests.shengji_tools import record, rules
from tests.test_shengji_follow import brute

DEALS = max(3, int(os.environ.get("PAIZHUO_DEALS", "30")) // 5)


class _Small:
    """A deal of few cards in which everybody plays what he likes, and what is so after each event."""

    def __init__(self, profile: str, names: str, kitty: int, rng: random.Random) -> None:
        kept = set(map(Card.parse, names.split()))
        self.options = {
            "pack.removed": [str(card) for card in ALL_CARDS if card not in kept], "pack.kitty_size": kitty,
        }  # fmt: skip
        self.rules = rules(profile, **{key.replace(".", "__"): value for key, value in self.options.items()})
        self.order = order_for("2", "S", permanent=self.rules.pack.permanent_trumps)
        self.pack = self.rules.cards
        deck = list(self.pack.elements())
        rng.shuffle(deck)
        size = self.rules.hand_size
        self.hands = [deck[seat * size : (seat + 1) * size] for seat in range(4)]
        self.events = [
            {"event": "match_started", "profile": profile, "options": self.options},
            {"event": "deal_started", "deal": 1, "level": "2", "banker": 0, "trump": "S"},
            {"event": "kitty_taken", "seat": 0},
            {"event": "kitty_laid", "seat": 0},
        ]  # fmt: skip
        self.follows: list[tuple[int, int, tuple[Card, ...], tuple[Card, ...]]] = []
        self._play(rng)

    def _play(self, rng: random.Random) -> None:
        leader = 0
        while self.hands[leader]:
            units = all_units(self.order.held(self._of_one_group(leader, rng)))
            led = rng.choice(units[: max(1, len(units) // 2)]).cards
            plays = []
            for step in range(4):
                seat = (leader + step) % 4
                cards = led if step == 0 else self._answer(seat, led, rng)
                for card in cards:
                    self.hands[seat].remove(card)
                self.events.append({"event": "play", "seat": seat, "cards": format_cards(cards)})
                if step:
                    self.follows.append((len(self.events), seat, led, cards))
                plays.append(cards)
            leader = (
                leader + trick(best_reading(led, self.order), plays, self.order, self.rules.ruff).winner
            ) % 4

    def _of_one_group(self, seat: int, rng: random.Random) -> list[Card]:
        group = self.order.group(rng.choice(self.hands[seat]))
        return [card for card in self.hands[seat] if self.order.group(card) == group]

    def _answer(self, seat: int, led: tuple[Card, ...], rng: random.Random) -> tuple[Card, ...]:
        """A legal answer, or a third of the time any cards of the hand."""
        options = list(
            dict.fromkeys(tuple(c) for c in combinations(sorted(self.hands[seat], key=str), len(led)))
        )
        rng.shuffle(options)
        if rng.random() < 0.35:
            return options[0]
        return next(cards for cards in options if self._legal(led, self.hands[seat], cards))

    def _legal(self, led: tuple[Card, ...], hand: list[Card], cards: tuple[Card, ...]) -> bool:
        keys = self.rules.follow
        return brute(led, tuple(hand), cards, self.order, keys.order, keys.split_triples)

    def provable(self, follow: tuple[int, int, tuple[Card, ...], tuple[Card, ...]], until: int) -> bool:
        """Whether every hand that agrees with the plays up to event `until` makes this answer illegal."""
        number, seat, led, cards = follow
        mine: Counter[Card] = Counter()
        before: Counter[Card] = Counter()
        unseen = self.pack.copy()
        for i, event in enumerate(self.events[:until], 1):
            if event["event"] == "play":
                shown = Counter(map(Card.parse, str(event["cards"]).split()))
                unseen -= shown
                if event["seat"] == seat:
                    (before if i < number else mine).update(shown)
        missing = self.rules.hand_size - before.total() - mine.total()
        pool = sorted(unseen.elements(), key=str)
        return all(
            not self._legal(led, [*mine.elements(), *extra], cards)
            for extra in set(combinations(pool, missing))
        )


def _first_proven(deal: _Small) -> dict[int, int]:
    """For each play that the referee holds against somebody: the event at which it was proven."""
    referee = Referee()
    found: dict[int, int] = {}
    for event in deal.events:
        for line in referee.push(event_from_json(event)):
            if line.get("kind") in ("revoke", "shape_not_followed") and line["certainty"] == "proven":
                found.setdefault(line["event"], referee.effective()[-1].seq)
    standing = {claim.event for claim in referee.findings().values() if claim.certainty == "proven"}
    return {event: known for event, known in found.items() if event in standing}


SMALL = [
    ("shengji-official-2", "S5 S9 SK H5 H6 H7 HK C5", 4, "two packs"),
    ("shengji-official-2", "S5 S9 H3 H4 H6 H7 HK", 4, "a long side suit"),
    ("shengji-official-3", "S5 SK H5 H6 H7 C9", 6, "three packs"),
    ("shengji-event", "S5 SK H5 H6 H7 C9", 6, "triples need not be split"),
    ("shengji-event", "S5 H5 H6 H7 H8", 3, "the same with a small kitty"),
    ("shengji-official-2", "S5 H4 H6 H7 HK H8 H9", 2, "nearly all of one suit: counting proves it"),
    ("shengji-event", "S5 H4 H6 H7 HK", 3, "the same with three packs"),
]


@pytest.mark.rule("SJO-34", "SJO-36", "SJO-37", "SJO-38", "SJE-26", "SJE-28", "SJE-42")
@pytest.mark.parametrize(("profile", "names", "kitty", "why"), SMALL, ids=[case[3] for case in SMALL])
def test_a_revoke_is_proven_at_the_earliest_moment_and_never_before(profile, names, kitty, why):
    rng = random.Random(why)
    proven = 0
    for _ in range(DEALS if kitty > 3 else 4 * DEALS):
        deal = _Small(profile, names, kitty, rng)
        expected = {}
        for follow in deal.follows:
            for until in range(follow[0], len(deal.events) + 1):
                if deal.events[until - 1]["event"] == "play" and deal.provable(follow, until):
                    expected[follow[0]] = until
                    break
        assert _first_proven(deal) == expected
        proven += len(expected)
    assert proven


@pytest.mark.rule("SJO-34")
def test_a_card_that_was_played_unread_is_not_counted_as_held_to_the_end() -> None:
    kept = {"S3", "S4", "D5", "D6", "H7", "H8"}
    referee = record(
        "shengji-official-2",
        ("deal", {"deal": 1, "level": "2", "banker": 0, "trump": "S"}),
        ("kitty_taken", 0),
        ("kitty_laid", 0),
        ("play", 0, "S4"), ("play", 1, "D5"), ("play", 2, "H7"),
        # It was the other S3, which nobody could see.
        ("play", 3, "", {"unread": ["?"], "confidence": 0.0}),
        ("play", 0, "S4"), ("play", 1, "D6"), ("play", 2, "H8"), ("play", 3, "D6"),
        ("kitty_revealed", "S3 H7 H8 D5"),
        pack__removed=[str(card) for card in ALL_CARDS if str(card) not in kept],
        pack__kitty_size=4,
    )  # fmt: skip
    assert "proven" not in {claim.certainty for claim in referee.findings().values()}
