"""Every play that may be made from a Guandan hand, built by type and rank rather than by trying sets."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final, TypeAlias

from table.cards import ALL_CARDS, RANKS, SUITS, Card
from table.guandan.readings import (
    DEFAULT_RULES,
    RANK_OF,
    RUNS,
    TYPES,
    ComboRules,
    Reading,
    readings,
    run_ranks,
    wild_of,
)

_SUITED: Final = {rank: tuple(suit * 13 + i for suit in range(4)) for i, rank in enumerate(RANKS)}
"""Rank to the places of its four cards among `ALL_CARDS`."""
_LITTLE, _BIG = 52, 53
_ALIKE: Final = {"single": 1, "pair": 2, "triple": 3}
_GROUPS: Final = {"pairs": (3, 2), "plate": (2, 3)}
_ORDER: Final = {name: place for place, name in enumerate(("plate", "pairs", "full_house"))}

_Places: TypeAlias = tuple[int, ...]
_Way: TypeAlias = tuple[Reading, Sequence[str], str]
"""A reading, the ranks that its wilds stand for, and their suit."""


@dataclass(frozen=True, slots=True)
class Play:
    """One set of cards (一手牌) with the readings under which it may be played, strongest first."""

    cards: tuple[Card, ...]
    readings: tuple[Reading, ...]


def plays(
    hand: Iterable[Card],
    level: str,
    prior: Reading | None = None,
    rules: ComboRules = DEFAULT_RULES,
    types: Collection[str] | None = None,
) -> list[Play]:
    """Every play that may be made: distinct sets of cards, each with the readings that may be declared.

    Args:
        hand: the cards held, in any order.
        level: rank of the level.
        prior: the reading to beat; None when leading.
        rules: what the profile allows.
        types: only readings of these types; None for all.

    Returns:
        Each set once, its cards in the order of `ALL_CARDS`; plays of one type together, as in `TYPES`.
    """
    maker = _Maker(hand, level, prior, rules)
    for type_ in TYPES:
        if types is None or type_ in types:
            maker.make(type_)
    return maker.result()


class _Maker:
    """Collects plays of one hand; a set of cards that comes up again only gains a reading."""

    def __init__(self, hand: Iterable[Card], level: str, prior: Reading | None, rules: ComboRules) -> None:
        self.level = level
        self.prior = prior
        self.rules = rules
        self.wild = wild_of(level)
        counts = Counter(card.index for card in hand)
        self.wild_place = self.wild.index
        self.wilds = counts.pop(self.wild_place, 0)
        self.counts = counts
        self.found: dict[_Places, list[_Way]] = {}
        self._picks: dict[tuple[str, int], list[_Places]] = {}

    def make(self, type_: str) -> None:
        """Add every play of one type that beats the prior one."""
        if type_ in _ALIKE:
            self._alike(type_, _ALIKE[type_])
        elif type_ == "bomb":
            most = max((self._held(rank) for rank in RANKS), default=0) + self.wilds
            for size in range(4, most + 1):
                self._alike(type_, size)
        elif type_ in _GROUPS:
            self._grouped(type_, *_GROUPS[type_])
        elif type_ == "full_house":
            self._full_houses()
        elif type_ == "straight":
            self._straights()
        elif type_ == "straight_flush":
            self._straight_flushes()
        elif self.counts[_LITTLE] == self.counts[_BIG] == 2:
            self._add((_LITTLE, _LITTLE, _BIG, _BIG), self._wanted("joker_bomb", "BJ", 4))

    def result(self) -> list[Play]:
        """What was found."""
        made = []
        for places, ways in self.found.items():
            cards = tuple([ALL_CARDS[place] for place in places])
            found = [
                Reading(r.type, r.rank, r.size, self._assignment(places, ranks, suit) if ranks else cards)
                for r, ranks, suit in ways
            ]
            if not self.rules.wild_under_declare and self.wild in cards:
                allowed = readings(cards, self.level, self.rules)
                found = [reading for reading in found if reading in allowed]
            if len(found) > 1:
                found.sort(key=self._strength)
            if found:
                made.append(Play(cards, tuple(found)))
        return made

    def _assignment(self, places: _Places, ranks: Sequence[str], suit: str) -> tuple[Card, ...]:
        """The cards with the wilds replaced by cards of `ranks`, in their order."""
        stand_ins = iter([ALL_CARDS[_SUITED[rank][SUITS.index(suit)]] for rank in ranks])
        return tuple([next(stand_ins) if place == self.wild_place else ALL_CARDS[place] for place in places])

    def _strength(self, reading: Reading) -> tuple[int, int, int]:
        """Sorts strongest first, as `readings` does."""
        return -reading.power(self.rules), _ORDER.get(reading.type, 9), -reading.value(self.level)

    def _wanted(self, type_: str, rank: str, size: int) -> Reading | None:
        reading = Reading(type_, rank, size)
        if self.prior is None or reading.beats(self.prior, self.level, self.rules):
            return reading
        return None

    def _add(
        self, places: Sequence[int], reading: Reading | None, stand_ins: Sequence[str] = (), suit: str = "H"
    ) -> None:
        """Note one play; `stand_ins` are the ranks that its wilds stand for, in ascending order."""
        if reading is None:
            return
        key = tuple(sorted((*places, *[self.wild_place] * len(stand_ins)) if stand_ins else places))
        ways = self.found.setdefault(key, [])
        if not any(known is reading for known, _, _ in ways):
            ways.append((reading, stand_ins, suit))

    def _held(self, rank: str) -> int:
        return sum(self.counts[place] for place in _SUITED[rank])

    def _pick(self, rank: str, count: int) -> list[_Places]:
        """Every distinct set of `count` cards of this rank, wilds apart."""
        known = self._picks.get((rank, count))
        if known is None:
            cards = [place for place in _SUITED[rank] for _ in range(self.counts[place])]
            known = self._picks[rank, count] = list(dict.fromkeys(combinations(cards, count)))
        return known

    def _with_wilds(self, rank: str, size: int) -> Iterator[tuple[_Places, int]]:
        """Sets of `size` cards that stand for `rank`: the true cards, and how many wilds beside them."""
        for wilds in range(min(self.wilds, size) + 1):
            if wilds == size and rank != self.level:
                continue
            for cards in self._pick(rank, size - wilds):
                yield cards, wilds

    def _alike(self, type_: str, size: int) -> None:
        for rank in RANKS:
            reading = self._wanted(type_, rank, size)
            if reading is None or self._held(rank) + self.wilds < size:
                continue
            for cards, wilds in self._with_wilds(rank, size):
                self._add(cards, reading, [rank] * wilds)
        if size <= 2:
            for joker, place in (("LJ", _LITTLE), ("BJ", _BIG)):
                if self.counts[place] >= size:
                    self._add([place] * size, self._wanted(type_, joker, size))

    def _full_houses(self) -> None:
        for rank in RANKS:
            reading = self._wanted("full_house", rank, 5)
            if reading is None or self._held(rank) + self.wilds < 3:
                continue
            for triple, wilds in self._with_wilds(rank, 3):
                self._fill_house(reading, triple, wilds)
            if self.rules.five_alike_full_house:
                for cards, wilds in self._with_wilds(rank, 5):
                    self._add(cards, reading, [rank] * wilds)

    def _fill_house(self, reading: Reading, triple: _Places, wilds: int) -> None:
        """Every pair that goes with a triple."""
        rank = reading.rank
        left = self.wilds - wilds
        for other in RANKS:
            if other == rank:
                continue
            for in_pair in range(min(left, 1) + 1):
                for pair in self._pick(other, 2 - in_pair):
                    # Stand-ins ascending by place of the wild; the two may differ in rank.
                    self._add(triple + pair, reading, [rank] * wilds + [other] * in_pair)
        if left == 2:
            other = self.level if self.level != rank else next(r for r in RANKS if r != rank)
            self._add(triple, reading, [other, other])
        if self.rules.full_house_joker_pair:
            for joker in (_LITTLE, _BIG):
                if self.counts[joker] == 2:
                    self._add((*triple, joker, joker), reading, [rank] * wilds)

    def _grouped(self, type_: str, length: int, copies: int) -> None:
        """三连对 and 二连三: `copies` of each of `length` ranks in a row."""
        for top, _ in reversed(RUNS[length]):
            reading = self._wanted(type_, RANK_OF[top], 6)
            if reading is None:
                continue
            ranks = run_ranks(top, length)
            if sum(max(0, copies - self._held(rank)) for rank in ranks) > self.wilds:
                continue
            for wilds in product(range(min(self.wilds, copies) + 1), repeat=length):
                if sum(wilds) > self.wilds:
                    continue
                stand_ins = [rank for rank, n in zip(ranks, wilds, strict=True) for _ in range(n)]
                groups = [self._pick(rank, copies - n) for rank, n in zip(ranks, wilds, strict=True)]
                for chosen in product(*groups):
                    self._add(sum(chosen, ()), reading, stand_ins)

    def _straights(self) -> None:
        for top, _ in reversed(RUNS[5]):
            reading = self._wanted("straight", RANK_OF[top], 5)
            if reading is None:
                continue
            for stand_ins, ranks in self._runs(top):
                choices = [[cards[0] for cards in self._pick(rank, 1)] for rank in ranks]
                for cards in product(*choices):
                    suits = {place // 13 for place in cards}
                    if len(suits) == 1 and not self._plain(SUITS[suits.pop()], stand_ins):
                        continue
                    hearts = all(place // 13 == 1 for place in cards)
                    self._add(cards, reading, stand_ins, "S" if hearts else "H")

    def _straight_flushes(self) -> None:
        for top, _ in reversed(RUNS[5]):
            reading = self._wanted("straight_flush", RANK_OF[top], 5)
            if reading is None:
                continue
            for stand_ins, ranks in self._runs(top):
                for number, suit in enumerate(SUITS):
                    cards = [_SUITED[rank][number] for rank in ranks]
                    if all(self.counts[place] for place in cards) and self._flush(suit, stand_ins):
                        self._add(cards, reading, stand_ins, suit)

    def _runs(self, top: int) -> Iterator[tuple[list[str], list[str]]]:
        """Ways to make a run of five: the ranks that wilds stand for, and those that true cards fill."""
        ranks = run_ranks(top, 5)
        missing = [rank for rank in ranks if not self._held(rank)]
        if len(missing) > self.wilds:
            return
        for wilds in range(len(missing), self.wilds + 1):
            for stand_ins in combinations(ranks, wilds):
                if set(missing) <= set(stand_ins):
                    yield list(stand_ins), [rank for rank in ranks if rank not in stand_ins]

    def _flush(self, suit: str, stand_ins: Sequence[str]) -> bool:
        """Whether five cards of one suit count as a straight flush."""
        needs_wild = bool(stand_ins) and not (list(stand_ins) == [self.level] and suit == "H")
        return self.rules.wild_straight_flush_is_bomb or not needs_wild

    def _plain(self, suit: str, stand_ins: Sequence[str]) -> bool:
        """Whether five cards of one suit may be called a plain straight."""
        return self.rules.one_suit_plain_straight or not self._flush(suit, stand_ins)
