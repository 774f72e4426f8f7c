"""What a play means by how it lies and by what was said: the place of a wild tells its rank (GDO-48)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import Final

from table.cards import Card
from table.guandan.readings import (
    DEFAULT_RULES,
    NATURAL,
    ComboRules,
    Reading,
    readings,
    run_ranks,
    wild_of,
)

_RUN_LENGTH: Final = {"straight": 5, "straight_flush": 5, "pairs": 3, "plate": 2}

# Longer names before those that they contain.
_TYPE_WORDS: Final = (
    ("straight_flush", ("straight_flush", "straight flush", "straightflush", "同花顺")),
    ("joker_bomb", ("joker_bomb", "joker bomb", "four jokers", "天王炸", "王炸", "四大天王", "四王")),
    ("full_house", ("full_house", "full house", "三带一对", "三带对", "三带二", "3带2", "三带两", "葫芦")),
    ("plate", ("plate", "二连三", "钢板", "三顺")),
    ("pairs", ("pairs", "tube", "三连对", "连对", "木板")),
    ("triple", ("triple", "三同张", "三张", "三不带")),
    ("straight", ("straight", "顺子", "顺")),
    ("bomb", ("bomb", "炸弹", "炸")),
    ("pair", ("pair", "对子", "对")),
    ("single", ("single", "单张", "单牌", "单")),
)
_COUNT: Final = re.compile(r"\d+\s*(?:张|cards?\b)")
_WORD: Final = re.compile(r"[0-9A-Za-z]+")
_RANK_WORD: Final = re.compile(r"(?:10|[2-9TJQKA])+")
_RANK: Final = re.compile(r"10|[2-9TJQKA]")


def layout_readings(
    cards_left_to_right: Iterable[Card],
    level: str,
    rules: ComboRules = DEFAULT_RULES,
    says: str | None = None,
) -> list[Reading]:
    """The readings that agree with the place of the wilds and with the spoken meaning (GDO-48).

    Cards lie by rank, in either direction; a wild lies where the card that it stands for would, to the right
    of others of that rank. Without wilds the layout decides nothing. Where the other cards are in no order
    either, the place of a wild tells nothing and the readings stay open. The assignments are those that the
    layout shows.

    Args:
        cards_left_to_right: as they lie, seen by the player.
        level: rank of the level.
        rules: what the profile allows.
        says: the spoken meaning, in either language ("顺子9", "plate K"); words that name neither type nor
            rank narrow nothing.

    Returns:
        The readings left, strongest first. Empty although `readings` is not: the wild is misplaced, or the
        words name something that the cards are not.
    """
    cards = tuple(cards_left_to_right)
    open_ = [reading for reading in readings(cards, level, rules) if named_by(reading, says)]
    wild = wild_of(level)
    wilds = cards.count(wild)
    if not 0 < wilds < len(cards):
        return open_
    fitting: list[Reading] = []
    silent: list[Reading] = []
    for reading in open_:
        if not _natural_order(cards, reading, wild):
            silent.append(reading)
            continue
        assignment = _fit(cards, reading, wild)
        if assignment is not None:
            fitting.append(Reading(reading.type, reading.rank, reading.size, assignment))
    return fitting or silent


def laid_out(cards: Sequence[Card], reading: Reading, descending: bool = False) -> tuple[Card, ...]:
    """The cards of a play in the order in which they should lie for `reading`: by rank (GDO-48).

    Args:
        cards: in the order to which `reading.assignment` belongs.
        reading: what they are to mean.
        descending: from the highest rank to the lowest, as the player sees them.
    """
    places = _places(reading)
    main = reading.rank if reading.type == "full_house" else None

    def place(item: tuple[Card, Card]) -> tuple[int, int, str]:
        card, stands_for = item
        group = places.get(stands_for.rank, 0)
        if main is not None:
            group = 0 if stands_for.rank == main else 1
        elif descending:
            group = -group
        # A stand-in lies to the right of its like.
        return group, 0 if card == stands_for else 1, card.suit

    pairs = sorted(zip(cards, reading.assignment or cards, strict=True), key=place)
    return tuple(card for card, _ in pairs)


def spoken(says: str | None) -> tuple[str | None, str | None]:
    """Type and rank that a spoken meaning names; None for what it does not name.

    >>> spoken("顺子 56789")
    ('straight', '9')
    >>> spoken("钢板K")
    ('plate', 'K')
    """
    if not says:
        return None, None
    text = says.strip()
    type_ = None
    for name, words in _TYPE_WORDS:
        word = next((w for w in words if w in text.lower()), None)
        if word:
            type_ = name
            # Digits in the name of a type (3带2) are no ranks.
            text = re.sub(re.escape(word), " ", text, flags=re.IGNORECASE)
            break
    ranks: list[str] = []
    for word in _WORD.findall(_COUNT.sub(" ", text)):
        if _RANK_WORD.fullmatch(word.removesuffix("s")):
            ranks += ["10" if rank == "T" else rank for rank in _RANK.findall(word)]
    return type_, _named_rank(type_, ranks)


def _named_rank(type_: str | None, ranks: list[str]) -> str | None:
    if not ranks:
        return None
    if type_ in _RUN_LENGTH:
        low_ace = "A" in ranks and not {"K", "Q", "J", "10"} & set(ranks) and len(set(ranks)) > 1
        return max((r for r in ranks if not (low_ace and r == "A")), key=lambda rank: NATURAL[rank])
    return max(ranks, key=ranks.count)


def named_by(reading: Reading, says: str | None) -> bool:
    """Whether a reading is what the words name; words that name neither type nor rank fit any."""
    type_, rank = spoken(says)
    if type_ is not None and type_ != reading.type and (type_, reading.type) != ("bomb", "joker_bomb"):
        return False
    return rank is None or rank == reading.rank


def _places(reading: Reading) -> dict[str, int]:
    """Rank to its place in a sequence, ascending; empty for other types."""
    length = _RUN_LENGTH.get(reading.type)
    if length is None:
        return {}
    top = NATURAL[reading.rank]
    return {rank: i for i, rank in enumerate(run_ranks(top, length))}


def _natural_order(cards: tuple[Card, ...], reading: Reading, wild: Card) -> bool:
    """Whether the true cards lie in an order at all, so that a place among them means something."""
    return any(
        _in_order([place for card, place in zip(cards, row, strict=True) if card != wild])
        for row in _place_rows(reading, reading.assignment)
    )


def _fit(cards: tuple[Card, ...], reading: Reading, wild: Card) -> tuple[Card, ...] | None:
    """The assignment of the wilds that the layout shows, or None when it shows another meaning."""
    slots = [i for i, card in enumerate(cards) if card == wild]
    for stand_ins in permutations([reading.assignment[i] for i in slots]):
        assignment = list(cards)
        for i, card in zip(slots, stand_ins, strict=True):
            assignment[i] = card
        if any(_in_order(row) for row in _place_rows(reading, assignment)) and not any(
            _left_of_its_like(cards, assignment, i, wild) for i in slots
        ):
            return tuple(assignment)
    return None


def _place_rows(reading: Reading, assignment: Sequence[Card]) -> list[list[int]]:
    """The place of each card in the reading; an ace that counts 1 may lie at either end."""
    places = _places(reading)
    if not places:
        # Groups: their order on the table is free, but each lies together.
        ranks = list(dict.fromkeys(card.rank for card in assignment))
        return [[ranks.index(card.rank) for card in assignment]]
    row = [places[card.rank] for card in assignment]
    if reading.rank in ("5", "3", "2") and places.get("A") == 0:
        return [row, [place or len(places) for place in row]]
    return [row]


def _in_order(row: list[int]) -> bool:
    return row == sorted(row) or row == sorted(row, reverse=True)


def _left_of_its_like(cards: tuple[Card, ...], assignment: Sequence[Card], slot: int, wild: Card) -> bool:
    """Whether the wild in `slot` stands in for a rank and lies to the left of a true card of that rank."""
    rank = assignment[slot].rank
    if rank == wild.rank:
        return False
    return any(card != wild and card.rank == rank for card in cards[slot + 1 :])
