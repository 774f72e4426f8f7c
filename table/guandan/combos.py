"""The combinations of Guandan (牌型) under one name: readings, what the layout tells, what may be played."""

from table.guandan.layout import laid_out, layout_readings, named_by, spoken
from table.guandan.plays import Play, plays
from table.guandan.readings import (
    DEFAULT_RULES,
    TYPES,
    ComboRules,
    Reading,
    check_level,
    rank_value,
    readings,
    wild_of,
)

__all__ = [
    "DEFAULT_RULES",
    "TYPES",
    "ComboRules",
    "Play",
    "Reading",
    "check_level",
    "laid_out",
    "layout_readings",
    "named_by",
    "plays",
    "rank_value",
    "readings",
    "spoken",
    "wild_of",
]
