"""Cards as values: notation both ways (`S10`, `♠10`, `LJ` 小王, `BJ` 大王) and the fixed order of the 54 names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

SUITS: Final = ("S", "H", "C", "D")
RANKS: Final = ("2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A")
SYMBOLS: Final = {"S": "♠", "H": "♥", "C": "♣", "D": "♦"}
JOKERS: Final = ("LJ", "BJ")
_SUIT_OF_SYMBOL: Final = {"♠": "S", "♥": "H", "♣": "C", "♦": "D", "♤": "S", "♡": "H", "♧": "C", "♢": "D"}
_JOKER_NAMES: Final = {"LJ": "LJ", "BJ": "BJ", "小王": "LJ", "大王": "BJ"}


class BadCard(ValueError):
    """Text that names no card."""


@dataclass(frozen=True, slots=True)
class Card:
    """One card name. `suit` is one of S H C D, or empty for a joker, whose `rank` is then `LJ` or `BJ`.

    >>> Card.parse("S10")
    Card.parse('S10')
    >>> Card.parse("♥T").pretty
    '♥10'
    >>> str(Card.parse("小王"))
    'LJ'
    """

    suit: str
    rank: str

    @classmethod
    def parse(cls, text: str) -> Card:
        """Read one card: `S10`, `ST`, `♠10`, `LJ`, `BJ`, `小王`, `大王`; letters of either case.

        Raises:
            BadCard: anything else; the message carries the input.
        """
        return _parse(text)

    @property
    def is_joker(self) -> bool:
        """小王 or 大王."""
        return not self.suit

    @property
    def pretty(self) -> str:
        """For people: `♠10`, `小王`, `大王`."""
        if self.is_joker:
            return "小王" if self.rank == "LJ" else "大王"
        return SYMBOLS[self.suit] + self.rank

    @property
    def index(self) -> int:
        """Place among `ALL_CARDS`, 0..53."""
        return _INDEX[self]

    def __str__(self) -> str:
        return self.suit + self.rank

    def __repr__(self) -> str:
        return f"Card.parse({str(self)!r})"


ALL_CARDS: Final[tuple[Card, ...]] = (
    *(Card(suit, rank) for suit in SUITS for rank in RANKS),
    *(Card("", joker) for joker in JOKERS),
)
_INDEX: Final = {card: i for i, card in enumerate(ALL_CARDS)}
_BY_NAME: Final = {str(card): card for card in ALL_CARDS}


@lru_cache(maxsize=1024)
def _parse(text: str) -> Card:
    name = text.strip()
    name = _SUIT_OF_SYMBOL.get(name[:1], name[:1]) + name[1:]
    name = _JOKER_NAMES.get(name.upper(), name.upper())
    if name[1:] == "T":
        name = name[0] + "10"
    card = _BY_NAME.get(name)
    if card is None:
        raise BadCard(f"not a card: {text!r} (expected a suit S H C D and a rank 2..10 J Q K A, or LJ, BJ)")
    return card


def parse_cards(text: str) -> tuple[Card, ...]:
    """Read cards parted by spaces, in their order.

    Raises:
        BadCard: one of them is not a card.

    >>> parse_cards("S7 H7 BJ")
    (Card.parse('S7'), Card.parse('H7'), Card.parse('BJ'))
    """
    return tuple(Card.parse(word) for word in text.split())


def format_cards(cards: Iterable[Card]) -> str:
    """The ASCII notation of cards in their order, parted by spaces."""
    return " ".join(map(str, cards))


def pretty_cards(cards: Iterable[Card]) -> str:
    """The notation for people, parted by spaces."""
    return " ".join(card.pretty for card in cards)


def full_packs(packs: int) -> Counter[Card]:
    """How many of each card `packs` packs hold."""
    return Counter(dict.fromkeys(ALL_CARDS, packs))
