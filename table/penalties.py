"""Penalties as data: the little language in which a profile attaches them to checks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from table.seats import Side

KINDS: Final = {
    "warning": "warning:COUNTER counts a warning in that counter",
    "levels": "levels:N gives the other side N levels",
    "own_levels": "own_levels:N changes the offender's own level by N (-1: down one)",
    "points": "points:N costs N points of the deal",
    "finish_last": "finish_last makes the offender the last of the deal",
    "lose_turn": "lose_turn takes the turn of the trick",
    "lose_deal": "lose_deal gives the deal to the other side",
    "replay_deal": "replay_deal has the deal played again",
    "disqualified": "disqualified ends the match for the offender's side",
    "special": "special:NAME leaves it to a rule of the game of that name",
}
_NEEDS_NUMBER: Final = ("levels", "own_levels", "points")
_NEEDS_WORD: Final = ("warning", "special")


@dataclass(frozen=True, slots=True)
class Penalty:
    """What an offence costs. `amount` counts levels, points or warnings; `word` names a counter or special
    rule."""

    kind: str
    amount: int = 1
    word: str = ""

    def to_json(self, side: Side | None) -> dict[str, Any]:
        """As findings print it; `side` is the offender's, `to_side` the one that gains levels."""
        data: dict[str, Any] = {"kind": self.kind}
        if self.word:
            data["name"] = self.word
        if self.kind in (*_NEEDS_NUMBER, "warning"):
            data["amount"] = self.amount
        if side is not None:
            data["side"] = side
            if self.kind == "levels":
                data["to_side"] = 1 - side
        return data

    def __str__(self) -> str:
        detail = self.word or (str(self.amount) if self.kind in _NEEDS_NUMBER else "")
        return f"{self.kind}:{detail}" if detail else self.kind


def parse_penalty(text: str) -> Penalty | None:
    """Read a penalty of a profile: `none` (or empty), `warning:timeout`, `levels:1`, `finish_last`, ...

    Raises:
        ValueError: anything else; the message carries the input.
    """
    text = text.strip()
    if text in ("", "none"):
        return None
    kind, _, detail = text.partition(":")
    if kind not in KINDS:
        raise ValueError(f"not a penalty: {text!r} (expected none, {', '.join(KINDS)})")
    if kind in _NEEDS_NUMBER:
        try:
            return Penalty(kind, int(detail))
        except ValueError:
            raise ValueError(f"not a penalty: {text!r} (expected a number: {KINDS[kind]})") from None
    if kind in _NEEDS_WORD:
        if not detail:
            raise ValueError(f"not a penalty: {text!r} (expected a name: {KINDS[kind]})")
        return Penalty(kind, 1, detail)
    if detail:
        raise ValueError(f"not a penalty: {text!r} ({KINDS[kind]})")
    return Penalty(kind)


def penalty_from_json(value: Any) -> Penalty | None:
    """Read the penalty of a ruling: an object as findings print it, the text of a profile, or a number of
    levels.

    Raises:
        ValueError: none of these.
    """
    if value is None:
        return None
    if isinstance(value, bool):
        raise ValueError(f"not a penalty: {value!r}")
    if isinstance(value, int):
        return Penalty("levels", value) if value else None
    if isinstance(value, str):
        return parse_penalty(value)
    if isinstance(value, dict) and value.get("kind") in (*KINDS, "none"):
        if value["kind"] == "none":
            return None
        amount = value.get("amount", value.get("levels", value.get("points", 1)))
        if isinstance(amount, int):
            return Penalty(value["kind"], amount, str(value.get("name", "")))
    raise ValueError(f'not a penalty: {value!r} (expected e.g. {{"kind": "levels", "amount": 1}})')
