"""Rule questions about Guandan, asked and answered as JSON objects: the Guandan half of `paizhuo rules`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeVar

from table.cards import JOKERS, RANKS, Card, format_cards, parse_cards
from table.event_json import event_from_json
from table.events import DealStarted, Event, MatchStarted
from table.guandan.deal import begin
from table.guandan.layout import layout_readings
from table.guandan.levels import next_level, rise_for, settled
from table.guandan.plays import plays
from table.guandan.readings import TYPES, ComboRules, Reading, check_level, readings
from table.guandan.tribute import exchange_after
from table.referee import open_match
from table.rulesets import Profile, load_profile
from table.seats import side_of

DEFAULT_PROFILE: Final = "guandan-official"

_E = TypeVar("_E", bound=Event)

_OF_JOKERS: Final = ("single", "pair", "joker_bomb")

Question = Mapping[str, Any]
Answer = dict[str, Any]


def classify(question: Question) -> Answer:
    """Every reading of `cards` at `level`, strongest first (GDO-06..16).

    With `layout` true, those that agree with the order in which the cards are given, left to right, and with
    what the player `says` (GDO-48).
    """
    level, rules = _level(question), _rules(question)
    cards = _cards(question, "cards")
    if question.get("layout") or question.get("says"):
        found = layout_readings(cards, level, rules, question.get("says"))
    else:
        found = readings(cards, level, rules)
    return {"readings": [reading_to_json(reading) for reading in found]}


def beats(question: Question) -> Answer:
    """Whether `cards` beat `prior`: strongest reading against strongest, any against any, all against all.

    Either may be cards, one reading, or a list of readings. What is not a combination beats nothing and is
    beaten by nothing.
    """
    level, rules = _level(question), _rules(question)
    mine = _readings(question, "cards", level, rules)
    theirs = _readings(question, "prior", level, rules)
    table = [mine_.beats(prior, level, rules) for mine_ in mine for prior in theirs]
    return {
        "beats": {
            "strongest": bool(table) and table[0],
            "any": any(table),
            "all": bool(table) and all(table),
        }
    }


def all_plays(question: Question) -> Answer:
    """Every play that may be made from `hand`, on `prior` if there is one (its strongest reading)."""
    level, rules = _level(question), _rules(question)
    prior = None
    if question.get("prior"):
        found = _readings(question, "prior", level, rules)
        if not found:
            raise ValueError(f"prior is not a combination at level {level}: {question['prior']!r}")
        prior = found[0]
    return {
        "plays": [
            {"cards": format_cards(play.cards), "readings": [reading_to_json(r) for r in play.readings]}
            for play in plays(_cards(question, "hand"), level, prior, rules)
        ]
    }


def score(question: Question) -> Answer:
    """What a deal does to `levels` (GDO-56..58, GDE-26..28); `finish`: the seats, first out first.

    `level` is the level that was played and `declarer` the side whose level it was; left out, both are those
    of the winners. `failures` at A so far of both sides are 0 when left out. The answer also says who owes
    tribute in the next deal (GDO-26, GDO-31): `payers` the last finisher first, `winners` first out first.
    """
    profile = _profile(question)
    match = _event(MatchStarted, profile=profile.name, levels=question.get("levels"))
    finish, levels = _event(DealStarted, finish=question.get("finish")).finish, match.levels
    if finish is None or "levels" in match.extra:
        raise ValueError("score needs finish (four seats, first out first) and levels (of side 0 and side 1)")
    side = side_of(finish[0])
    declarer = question.get("declarer", side)
    if declarer not in (0, 1, None):
        raise ValueError(f"not a side: {declarer!r} (expected 0 or 1)")
    level = check_level(question.get("level", levels[side if declarer is None else declarer]))
    failures = question.get("failures", [0, 0])
    if not isinstance(failures, list) or len(failures) != 2 or not all(isinstance(n, int) for n in failures):
        raise ValueError(f"failures: expected two whole numbers, got {failures!r}")
    state = open_match(match, profile)
    memory = replace(state.base.memory, failures=tuple(failures))
    base = replace(state.base, declarer=declarer, memory=memory)
    deal = begin(profile, DealStarted(level=level), level=level, finish=None, declarer=declarer)
    after = settled(replace(state, base=base), deal, finish)
    due = exchange_after(finish if after.games == (0, 0) else None)
    return {
        "side": side,
        "rise": rise_for(finish, profile),
        "levels": list(after.levels),
        "next_level": next_level(after, profile) if after.winner is None else None,
        "game_won": after.games != (0, 0),
        "winner": after.winner,
        "tribute": {"payers": list(due.payers), "winners": list(due.winners)},
    }


QUESTIONS: Final[Mapping[str, Callable[[Question], Answer]]] = {
    "classify": classify,
    "beats": beats,
    "plays": all_plays,
    "score": score,
}
"""Op of `paizhuo rules` to what answers it; each raises ValueError, in one line, for what it cannot read."""


def reading_to_json(reading: Reading) -> Answer:
    """`{"type": "straight", "rank": "9", "size": 5}`."""
    return {"type": reading.type, "rank": reading.rank, "size": reading.size}


def reading_from_json(value: Mapping[str, Any]) -> Reading:
    """The reading of a JSON object.

    Raises:
        ValueError: a field is missing or none of the known types and ranks.
    """
    type_, rank, size = value.get("type"), value.get("rank"), value.get("size")
    if type_ not in TYPES:
        raise ValueError(f"not a type: {type_!r} (expected one of {' '.join(TYPES)})")
    if not isinstance(size, int) or not 1 <= size <= 10:
        raise ValueError(f"not a size: {size!r} (expected 1 to 10 cards)")
    if rank not in RANKS and not (rank in JOKERS and type_ in _OF_JOKERS):
        raise ValueError(
            f"not a rank of a {type_}: {rank!r} (expected 2..10 J Q K A, or a joker where it can be)"
        )
    return Reading(type_, rank, size)


def _event(kind: type[_E], **fields: Any) -> _E:
    """An event made of parts of a question, read as a record is."""
    event = event_from_json({"event": kind.name, **fields})
    assert isinstance(event, kind)
    return event


def _level(question: Question) -> str:
    return check_level(question.get("level"))


def _profile(question: Question) -> Profile:
    """The profile named (official if none is), with `options`."""
    name = question.get("profile", DEFAULT_PROFILE)
    options = question.get("options") or {}
    if not isinstance(name, str):
        raise ValueError(f"profile: expected a name, got {name!r}")
    if not isinstance(options, Mapping):
        raise ValueError(f"options: expected an object, got {options!r}")
    profile = load_profile(name)
    if profile.game != "guandan":
        raise ValueError(f"profile {name!r} is of {profile.game}, not of guandan")
    return profile.with_options(options)


def _rules(question: Question) -> ComboRules:
    return ComboRules.from_profile(_profile(question))


def _cards(question: Question, name: str) -> tuple[Card, ...]:
    value = question.get(name)
    if not isinstance(value, str):
        raise ValueError(f'{name}: expected cards in one string such as "S7 H7 HA", got {value!r}')
    return parse_cards(value)


def _readings(question: Question, name: str, level: str, rules: ComboRules) -> list[Reading]:
    value = question.get(name)
    if isinstance(value, Mapping):
        return [reading_from_json(value)]
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [reading_from_json(item) for item in value]
    return readings(_cards(question, name), level, rules)
