"""A match to look at: Guandan played briskly by the rules, but for a few violations after which play goes on."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable
from typing import Any, Final

from devices.simulator.bots import Habits, play_match
from devices.simulator.faults import Record, renumbered
from devices.simulator.guandan_bots import Moment, TableRules
from table.cards import Card, format_cards
from table.guandan.combos import plays, wild_of
from table.rulesets import Profile
from table.seats import SEATS

BRISK: Final = Habits(
    slow=6.0, on_the_limit=0.0, stoppages=0.0, chatter=0.0, pass_rate=0.3, gap=(6.0, 9.0), draw=(5.0, 7.0)
)
VIOLATIONS: Final = ("does_not_beat", "timeout", "out_of_turn", "count_not_called")
_LIES: Final = 3.0
"""Seconds that a wrong play lies there before it is taken back."""
_GO_ON: Final = 2.0


def show_match(
    profile: Profile,
    seed: int,
    deals: int = 1,
    violations: Iterable[str] = VIOLATIONS,
    habits: Habits = BRISK,
) -> Record:
    """The events of such a match.

    Args:
        profile: a profile of Guandan.
        seed: equal seeds, equal matches.
        deals: how many; the violations come in the first.
        violations: which, of `VIOLATIONS`, each as often as it is named; one for which there is no occasion is left
            out.
        habits: of the bots.

    Raises:
        ValueError: no such violation.
    """
    wanted = list(violations)
    for name in wanted:
        if name not in _OCCASIONS:
            raise ValueError(f"no violation {name!r} (known are {', '.join(VIOLATIONS)})")
    rng = random.Random(seed)
    script = play_match(profile, rng, deals=deals, habits=habits)
    rules = TableRules.from_profile(profile)
    made: Record = []
    shift, tricks = 0.0, 0
    for event in script.events:
        moment = script.truth.get(event["seq"] - 1)
        event = {**event, "at": round(event["at"] + shift, 2)}
        tricks += event["event"] == "play"
        # The first two tricks are as they should be: whoever looks sees first what is normal.
        for name in tuple(wanted) if tricks > 3 else ():
            before = made[-1]["at"]
            told = None if moment is None else _OCCASIONS[name](event, moment, rules, before)
            if told is not None:
                wanted.remove(name)
                made += told[:-1]
                later = told[-1]["at"] - event["at"] if told else 0.0
                shift, event = shift + later, told[-1] if told else {}
                tricks = 0
                break
        if event:
            made.append(event)
    return renumbered(made)


Occasion = Callable[[dict[str, Any], Moment, TableRules, float], "Record | None"]


def _does_not_beat(event: dict[str, Any], now: Moment, rules: TableRules, before: float) -> Record | None:
    """Somebody lays a card that does not beat, takes it back, and plays as he should have."""
    if event["event"] != "play" or now.top is None:
        return None
    weak = _choice(now.hands[event["seat"]], now, rules, beats=False)
    if weak is None:
        return None
    return _and_back(event, event["seat"], weak, before)


def _out_of_turn(event: dict[str, Any], now: Moment, rules: TableRules, before: float) -> Record | None:
    """Somebody plays before the one whose turn it is, and takes it back."""
    if event["event"] not in ("play", "pass") or now.top is None or now.turn is None:
        return None
    for seat in SEATS:
        if seat in (now.turn, now.top_seat, (now.turn + 2) % 4):
            continue
        good = _choice(now.hands[seat], now, rules, beats=True)
        if good is not None:
            return _and_back(event, seat, good, before)
    return None


def _timeout(event: dict[str, Any], now: Moment, rules: TableRules, before: float) -> Record | None:
    """Somebody thinks a little too long."""
    if event["event"] != "play" or now.top is None:
        return None
    return [{**event, "at": round(before + rules.play + 2.4, 2)}]


def _count_not_called(event: dict[str, Any], now: Moment, rules: TableRules, before: float) -> Record | None:
    """A count call that is a duty is left out."""
    if event["event"] != "count_called" or rules.report_mode != "duty":
        return None
    return []


_OCCASIONS: Final[dict[str, Occasion]] = {
    "does_not_beat": _does_not_beat,
    "timeout": _timeout,
    "out_of_turn": _out_of_turn,
    "count_not_called": _count_not_called,
}


def _and_back(event: dict[str, Any], seat: int, cards: str, before: float) -> Record:
    """A wrong play, taken back, then the event that should have been."""
    laid = round(before + 2.5, 2)
    wrong = {"seq": 0, "at": laid, "event": "play", "seat": seat, "cards": cards}
    back = {**wrong, "at": round(laid + _LIES, 2), "event": "taken_back", "consent": False}
    return [wrong, back, {**event, "at": round(laid + _LIES + _GO_ON, 2)}]


def _choice(hand: tuple[Card, ...], now: Moment, rules: TableRules, beats: bool) -> str | None:
    """A single or pair of the hand that clearly beats what lies there, or clearly does not."""
    assert now.top is not None
    for play in plays(hand, now.level, None, rules.combos, ("single", "pair")):
        if wild_of(now.level) in play.cards or len(play.cards) != now.top.size:
            continue
        if all(reading.beats(now.top, now.level, rules.combos) is beats for reading in play.readings):
            return format_cards(play.cards)
    return None
