"""Cuts each part of a table's state down to what viewers may know: named fields pass, everything else stays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

Json = dict[str, Any]
Cleaner = Callable[[Any], tuple[str, Any]]

_MATCH: Final = (
    "table", "profile", "game", "players", "levels", "deal", "level", "ended", "colours", "title", "seq",
)  # fmt: skip
_VIEW: Final = (
    "level", "left", "out", "trick", "turn", "over", "trump", "banker", "declared", "tricks", "points",
)  # fmt: skip
_SEAT: Final = ("seat", "player", "side", "remaining", "called", "finished", "turn")
_TRICK: Final = ("leader", "number", "over")
_PLAY: Final = ("seq", "seat", "cards", "says", "pass")
_WAIT: Final = ("seat", "action", "limit", "left")
_UPHELD: Final = ("finding", "rule", "kind", "seat", "article", "penalty")
_RESULT: Final = (
    "finish", "side", "rise", "levels", "points", "kitty_points", "fines", "banker", "next_banker", "trump",
    "attackers", "attackers_take_bank", "replay",
)  # fmt: skip
_CLOCK_S: Final = 1.0
_DRIFT_S: Final = 0.3


def _pick(value: Any, names: Iterable[str]) -> Json:
    return {name: value[name] for name in names if isinstance(value, Mapping) and name in value}


def _match(value: Any) -> tuple[str, Any]:
    return "match", {**_pick(value, _MATCH), "view": _pick((value or {}).get("view"), _VIEW)}


def _seats(value: Any) -> tuple[str, Any]:
    return "seats", [_pick(seat, _SEAT) for seat in value or ()]


def _trick(value: Any) -> tuple[str, Any]:
    plays = [_pick(play, _PLAY) for play in (value or {}).get("plays", ())]
    return "trick", {**_pick(value, _TRICK), "plays": plays}


def _clock(value: Any) -> tuple[str, Any]:
    waits = [_pick(wait, _WAIT) for wait in (value or {}).get("waits", ())]
    return "clock", {**_pick(value, ("stopped", "at")), "waits": waits}


def _results(value: Any) -> tuple[str, Any]:
    """The kitty's cards stay: what was left in it is told in points."""
    return "results", [
        {**_pick(one, ("deal", "text")), "result": _pick(one.get("result"), _RESULT)} for one in value or ()
    ]


def _upheld(value: Any) -> tuple[str, Any]:
    """Findings that a referee has upheld, newest first, in the words of the rule.

    Their own text and cards stay inside: what proves a finding may lie in a hand that is still played.
    """
    found = []
    for one in value or ():
        ruling = one.get("ruling")
        decision = ruling.get("decision") if isinstance(ruling, Mapping) else ruling
        if decision != "upheld":
            continue
        penalty = ruling.get("penalty") if isinstance(ruling, Mapping) else None
        found.append({**_pick(one, _UPHELD), **({"penalty": penalty} if penalty is not None else {})})
    return "upheld", found


def _hands(value: Any) -> tuple[str, Any]:
    return "hands", _pick(value, ("deal", "hands", "left", "kitty"))


CLEANERS: Final[Mapping[str, Cleaner]] = {
    "match": _match,
    "seats": _seats,
    "trick": _trick,
    "clock": _clock,
    "results": _results,
    "findings": _upheld,
    "hands": _hands,
}
"""Part of the state to what makes the part of an output from it."""


def same_clock(before: Json, now: Json, seconds: float) -> bool:
    """The clock goes on as it went `seconds` ago, and was told lately enough; a page counts on by itself."""
    if before.get("stopped") != now.get("stopped") or len(before["waits"]) != len(now["waits"]):
        return False
    if seconds >= _CLOCK_S and before["waits"]:
        return False
    for old, new in zip(before["waits"], now["waits"], strict=True):
        if {**old, "left": None} != {**new, "left": None}:
            return False
        gone = 0.0 if now.get("stopped") else seconds
        if (old["left"] is None) != (new["left"] is None):
            return False
        if old["left"] is not None and abs(old["left"] - gone - new["left"]) > _DRIFT_S:
            return False
    return True
