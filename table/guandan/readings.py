"""Every combination (牌型) that a set of cards can be in Guandan, and which beats which."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Final

from table.cards import RANKS, Card

TYPES: Final = (
    "single",
    "pair",
    "triple",
    "straight",
    "pairs",
    "plate",
    "full_house",
    "bomb",
    "straight_flush",
    "joker_bomb",
)
"""单张 对子 三同张 顺子 三连对 二连三(钢板) 三带对 炸弹 同花顺 王炸."""

NATURAL: Final = {rank: value for value, rank in enumerate(RANKS, 2)}
"""Rank to its natural value, 2..14: what counts in a sequence (GDO-16)."""
RANK_OF: Final = {1: "A", **{value: rank for rank, value in NATURAL.items()}}
"""Natural value to rank; an ace may also be 1."""

LEVEL_VALUE: Final = 15
_JOKER_VALUE: Final = {"LJ": 16, "BJ": 17}
_SEQUENCES: Final = frozenset({"straight", "straight_flush", "pairs", "plate"})

# Runs as bit masks over natural values 2..14: (value of the highest card, mask of its ranks), highest first.
_BIT: Final = {rank: 1 << value for rank, value in NATURAL.items()}


def run_values(top: int, length: int) -> tuple[int, ...]:
    """Natural values of the run of `length` ranks that ends in `top`, ascending; a bottom ace is 1."""
    return tuple(range(top - length + 1, top + 1))


def run_ranks(top: int, length: int) -> tuple[str, ...]:
    """Ranks of the run of `length` ranks that ends in `top`, ascending: top 5, length 5 is A 2 3 4 5."""
    return tuple(RANK_OF[value] for value in run_values(top, length))


def _runs(length: int) -> tuple[tuple[int, int], ...]:
    tops = range(14, length - 1, -1)
    return tuple((top, sum(_BIT[rank] for rank in run_ranks(top, length))) for top in tops)


RUNS: Final = {length: _runs(length) for length in (2, 3, 5)}


@dataclass(frozen=True, slots=True)
class ComboRules:
    """What rule texts leave open about combinations (catalogue 5.2 no. 25); each field is a profile key."""

    full_house_joker_pair: bool = True
    """The pair of a full house may be two equal jokers (GDO-11)."""
    five_alike_full_house: bool = False
    """Five cards of one rank may be called a full house instead of a bomb of five."""
    one_suit_plain_straight: bool = False
    """Five cards in a row of one suit may be called a plain straight instead of a straight flush."""
    wild_under_declare: bool = True
    """Wilds may make less than they could: 7 7 8 8 and two wilds 667788, 7 7 7 and two wilds a full house."""
    wild_straight_flush_is_bomb: bool = True
    """A straight flush that needs a wild is one; if not, it is a plain straight."""
    joker_bomb_supreme: bool = True
    """Four jokers beat everything (GDO-15, GDE-02); if not, a bomb of ten beats them."""
    straight_flush_beats_bomb_of: int = 5
    """The largest bomb, in cards, that a straight flush beats (GDO-47, GDE-03)."""

    @classmethod
    def from_profile(cls, profile: Mapping[str, Any]) -> ComboRules:
        """The keys that concern combinations, plain or as `combos.KEY`; absent keys keep their default."""
        given = {}
        for item in fields(cls):
            for key in (item.name, f"combos.{item.name}"):
                if key in profile:
                    given[item.name] = profile[key]
        return cls(**given)


DEFAULT_RULES: Final = ComboRules()


@dataclass(frozen=True, slots=True)
class Reading:
    """One meaning of a set of cards: a type, the rank that is compared, and the number of cards.

    Two readings are equal when type, rank and size are; `assignment` (what each card stands for, in the order
    of the cards as they were given) is one way to get there.
    """

    type: str
    rank: str
    size: int
    assignment: tuple[Card, ...] = field(default=(), compare=False, repr=False)

    def beats(self, prior: Reading, level: str, rules: ComboRules = DEFAULT_RULES) -> bool:
        """Whether this may be played on `prior` (压牌); equal never beats (GDO-44..47, GDE-03, GDE-12)."""
        power = self.power(rules)
        prior_power = prior.power(rules)
        if power != prior_power:
            return power > prior_power
        if power == 0 and (self.type != prior.type or self.size != prior.size):
            return False
        return self.value(level) > prior.value(level)

    def power(self, rules: ComboRules = DEFAULT_RULES) -> int:
        """Strength as a bomb: 0 for what is none; the ladder of GDO-46, GDO-47 and GDE-03 otherwise."""
        if self.type == "bomb":
            return 2 * self.size
        if self.type == "straight_flush":
            return 2 * rules.straight_flush_beats_bomb_of + 1
        if self.type == "joker_bomb":
            return 1000 if rules.joker_bomb_supreme else 19
        return 0

    def value(self, level: str) -> int:
        """The compared rank as a number: natural in sequences, else with the level above the ace (GDO-43)."""
        return NATURAL[self.rank] if self.type in _SEQUENCES else rank_value(self.rank, level)

    @property
    def is_bomb(self) -> bool:
        """炸弹, 同花顺 or 王炸: beats all plain types."""
        return self.type in ("bomb", "straight_flush", "joker_bomb")

    def __str__(self) -> str:
        return f"{self.type}:{self.size}:{self.rank}"


def rank_value(rank: str, level: str) -> int:
    """Order of ranks outside sequences: BJ > LJ > level > A > K > ... > 2 (GDO-43, GDE-11)."""
    if rank == level:
        return LEVEL_VALUE
    return NATURAL.get(rank) or _JOKER_VALUE[rank]


def wild_of(level: str) -> Card:
    """The heart of the level rank (红心级牌, 逢人配), which may stand for any card but a joker (GDO-04)."""
    return Card("H", level)


def check_level(level: object) -> str:
    """Return `level` as one of the thirteen ranks.

    Raises:
        ValueError: it is none; the message carries the input.
    """
    if not isinstance(level, str) or level not in NATURAL:
        raise ValueError(f"not a level: {level!r} (expected 2..10, J, Q, K or A)")
    return level


def readings(cards: Iterable[Card], level: str, rules: ComboRules = DEFAULT_RULES) -> list[Reading]:
    """Every legal reading of exactly these cards, strongest first, distinct by type, rank and size.

    The order of the cards means nothing here; `layout_readings` looks at it. An empty list is not a
    combination (GDO-64). Bombs come first, then plate before pairs, then the higher rank.

    >>> from table.cards import parse_cards
    >>> [str(r) for r in readings(parse_cards("S7 C7 D7 H9 H9"), "9")]
    ['bomb:5:7', 'full_house:5:7']
    """
    cards = tuple(cards)
    found = _all_readings(cards, level, rules)
    if len(found) > 1 and not rules.wild_under_declare and wild_of(level) in cards:
        return highest_only(found)
    return found


def _all_readings(cards: tuple[Card, ...], level: str, rules: ComboRules) -> list[Reading]:
    wild = wild_of(level)
    naturals = [card for card in cards if card != wild]
    size = len(cards)
    ranks = [card.rank for card in naturals]
    if "LJ" in ranks or "BJ" in ranks:
        return _with_jokers(cards, ranks, size - len(ranks), rules, wild)
    distinct = set(ranks)
    if len(distinct) <= 1:
        rank = ranks[0] if ranks else level
        return _alike(cards, rank, len(ranks), rules, wild)
    if size == 5:
        if len(distinct) == 2:
            return _full_houses(cards, ranks, distinct, level, wild)
        if len(distinct) == len(ranks):
            return _straights(cards, naturals, rules, wild)
    elif size == 6:
        return _groups(cards, ranks, wild)
    return []


def _alike(cards: tuple[Card, ...], rank: str, natural: int, rules: ComboRules, wild: Card) -> list[Reading]:
    """Cards of one rank, wilds apart: single, pair, triple, bomb, full house."""
    size = len(cards)
    if size == 0:
        return []
    type_ = ("single", "pair", "triple")[size - 1] if size < 4 else "bomb"
    found = [Reading(type_, rank, size, stand_for(cards, wild, [rank] * (size - natural)))]
    if size == 5 and natural == 3:
        # The pair is two wilds; they stand for themselves unless that would make five alike.
        pair = wild.rank if wild.rank != rank else RANKS[0] if rank != RANKS[0] else RANKS[1]
        found.append(Reading("full_house", rank, 5, stand_for(cards, wild, [pair, pair])))
    elif size == 5 and rules.five_alike_full_house:
        found.append(Reading("full_house", rank, 5, found[0].assignment))
    return found


def _with_jokers(
    cards: tuple[Card, ...], ranks: list[str], wilds: int, rules: ComboRules, wild: Card
) -> list[Reading]:
    """Jokers go alone, in equal pairs, all four together, or as the pair of a full house (GDO-07, 11, 15)."""
    little, big = ranks.count("LJ"), ranks.count("BJ")
    size = len(cards)
    if size == little + big:
        joker = "BJ" if big else "LJ"
        if size == 1 or (size == 2 and little != 1):
            return [Reading("single" if size == 1 else "pair", joker, size, cards)]
        if little == big == 2:
            return [Reading("joker_bomb", "BJ", 4, cards)]
        return []
    suited = {rank for rank in ranks if rank not in _JOKER_VALUE}
    if rules.full_house_joker_pair and size == 5 and {little, big} == {0, 2} and len(suited) <= 1:
        rank = suited.pop() if suited else wild.rank
        return [Reading("full_house", rank, 5, stand_for(cards, wild, [rank] * wilds))]
    return []


def _full_houses(
    cards: tuple[Card, ...], ranks: list[str], distinct: set[str], level: str, wild: Card
) -> list[Reading]:
    found = []
    for rank in sorted(distinct, key=lambda name: -rank_value(name, level)):
        (other,) = distinct - {rank}
        triple, pair = ranks.count(rank), ranks.count(other)
        if triple <= 3 and pair <= 2:
            stand_ins = [rank] * (3 - triple) + [other] * (2 - pair)
            found.append(Reading("full_house", rank, 5, stand_for(cards, wild, stand_ins)))
    return found


def _straights(cards: tuple[Card, ...], naturals: list[Card], rules: ComboRules, wild: Card) -> list[Reading]:
    """Five different ranks in a row (顺子), in one suit a straight flush (同花顺); the highest run first."""
    mask = sum(_BIT[card.rank] for card in naturals)
    suits = {card.suit for card in naturals}
    flush, plain = [], []
    for top, run in RUNS[5]:
        if mask & ~run:
            continue
        missing = [rank for rank in run_ranks(top, 5) if not mask & _BIT[rank]]
        rank = RANK_OF[top]
        one_suit = len(suits) == 1
        # A heart level card at its own place among hearts is no stand-in.
        needs_wild = bool(missing) and not (missing == [wild.rank] and suits == {"H"})
        counts = one_suit and (rules.wild_straight_flush_is_bomb or not needs_wild)
        if counts:
            assignment = stand_for(cards, wild, missing, next(iter(suits)))
            flush.append(Reading("straight_flush", rank, 5, assignment))
        if not counts or rules.one_suit_plain_straight:
            suit = "S" if suits == {"H"} else "H"
            plain.append(Reading("straight", rank, 5, stand_for(cards, wild, missing, suit)))
    return flush + plain


def _groups(cards: tuple[Card, ...], ranks: list[str], wild: Card) -> list[Reading]:
    """Six cards: two triples in a row (二连三, 钢板), then three pairs in a row (三连对)."""
    mask = 0
    most = 0
    for rank in set(ranks):
        mask |= _BIT[rank]
        most = max(most, ranks.count(rank))
    found = []
    for type_, length, copies in (("plate", 2, 3), ("pairs", 3, 2)):
        if most > copies:
            continue
        for top, run in RUNS[length]:
            if mask & ~run:
                continue
            stand_ins = [rank for rank in run_ranks(top, length) for _ in range(copies - ranks.count(rank))]
            found.append(Reading(type_, RANK_OF[top], 6, stand_for(cards, wild, stand_ins)))
    return found


def highest_only(found: list[Reading]) -> list[Reading]:
    """Of readings in order of strength: the bomb if there is one, else the highest of each type."""
    if found[0].is_bomb:
        return found[:1]
    first: dict[str, Reading] = {}
    for reading in found:
        first.setdefault(reading.type, reading)
    return list(first.values())


def stand_for(cards: Sequence[Card], wild: Card, ranks: Sequence[str], suit: str = "H") -> tuple[Card, ...]:
    """The cards with the wilds replaced, in their order, by cards of `ranks`."""
    if not ranks:
        return tuple(cards)
    rank = iter(ranks)
    return tuple(Card(suit, next(rank)) if card == wild else card for card in cards)
