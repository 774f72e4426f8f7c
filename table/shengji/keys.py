"""The keys of a Shengji profile as typed values; `rulesets/schema/shengji.toml` says what each means."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any, Final

from table.cards import ALL_CARDS, Card
from table.shengji.order import points_of


@lru_cache(maxsize=64)
def _cards(packs: int, removed: tuple[str, ...]) -> Counter[Card]:
    gone = set(map(Card.parse, removed))
    return Counter({card: packs for card in ALL_CARDS if card not in gone})


@dataclass(frozen=True, slots=True)
class Pack:
    """Cards in play and the order of trumps."""

    packs: int = 2
    removed: tuple[str, ...] = ()
    kitty_size: int = 8
    permanent_trumps: tuple[str, ...] = ()
    tractor_across_level: bool = True
    tractor_min_width: int = 2
    tractor_min_length: int = 2


@dataclass(frozen=True, slots=True)
class Declare:
    """Showing, overturning and reinforcing trump (亮主, 反主, 加固), and who becomes banker."""

    by: str = "cards"
    no_trump: bool = False
    jokers: str = "none"
    stronger: str = "count_then_jokers"
    reinforce: str = "while_winning"
    overturn_own: bool = False
    take_back: bool = False
    order: str = "free"
    pause: float = 0.0
    after_kitty: bool = False
    nobody: str = "first_kitty_card"
    nobody_first_deal: str = "redeal"
    first_banker: str = "last"


@dataclass(frozen=True, slots=True)
class Follow:
    """What must be followed with (跟牌)."""

    order: str = "official"
    split_triples: bool = True
    break_tractors: bool = True
    shorter_tractors: bool = False
    shapes: bool = True


@dataclass(frozen=True, slots=True)
class Ruff:
    """Which ruff over-ruffs a throw (超将吃)."""

    compare: str = "largest_unit"
    bombs: str = "none"


@dataclass(frozen=True, slots=True)
class Throw:
    """Throws (甩牌) that do not hold."""

    choice: str = "next_player"
    partner_stops: bool = True
    fine_per_card: int = 0
    fine_per_attempt: int = 0


@dataclass(frozen=True, slots=True)
class Kitty:
    """What the kitty counts when the last trick is lost to the attackers (抠底)."""

    basis: str = "led_shape"
    table: str = "official"


@dataclass(frozen=True, slots=True)
class Levels:
    """Bands of points, levels, the next banker and the end of a match."""

    step: int = 40
    takeover_steps: int = 2
    dead_zone: int = 1
    zero_band: bool = True
    cap: bool = False
    most_rise: int = 0
    must_play: tuple[str, ...] = ("A",)
    last: str = "A"
    overshoot_wins: bool = False
    jack_back: str = "none"


@dataclass(frozen=True, slots=True)
class Fines:
    """What irregularities cost; 0 is nothing."""

    exposed_per_card: int = 0
    out_of_turn: int = 0
    corrected_per_card: int = 0
    revoke: str = "none"
    wrong_count_levels: int = 0


@dataclass(frozen=True, slots=True)
class Rules:
    """All keys of a profile, by section."""

    pack: Pack = Pack()
    declare: Declare = Declare()
    follow: Follow = Follow()
    ruff: Ruff = Ruff()
    throw: Throw = Throw()
    kitty: Kitty = Kitty()
    levels: Levels = Levels()
    fines: Fines = Fines()

    @property
    def cards(self) -> Counter[Card]:
        """How many of each card are in play."""
        return Counter(_cards(self.pack.packs, self.pack.removed))

    @property
    def total_points(self) -> int:
        """Points that the packs hold, less those of removed cards."""
        return self.pack.packs * (100 - points_of(map(Card.parse, self.pack.removed)))

    @property
    def hand_size(self) -> int:
        """Cards in a hand after the draw (SJO-02)."""
        return (self.pack.packs * (54 - len(self.pack.removed)) - self.pack.kitty_size) // 4


SECTIONS: Final[dict[str, type]] = {
    "pack": Pack, "declare": Declare, "follow": Follow, "ruff": Ruff, "throw": Throw, "kitty": Kitty,
    "levels": Levels, "fines": Fines,
}  # fmt: skip
"""The sections of a profile and the keys of each."""


def rules_of(values: Mapping[str, Any]) -> Rules:
    """The typed keys of a profile, or of any mapping of dotted keys; what is absent has its default."""
    sections = {
        name: kind(**{
            spec.name: values[at] for spec in fields(kind) if (at := f"{name}.{spec.name}") in values
        })
        for name, kind in SECTIONS.items()
    }  # fmt: skip
    if "packs" in values:
        sections["pack"] = replace(sections["pack"], packs=values["packs"])
    return Rules(**sections)
