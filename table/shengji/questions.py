"""Rule questions about Shengji, asked and answered as JSON objects: the Shengji half of `paizhuo rules`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from table.cards import Card, format_cards, parse_cards
from table.rulesets import BadProfile, load_profile
from table.seats import SEATS, Seat, check_seat, next_seat, side_of
from table.shengji.follow import example_play
from table.shengji.follow import follow as judge_follow
from table.shengji.formats import Tractors, Unit, best_reading, readings
from table.shengji.keys import Rules, rules_of
from table.shengji.kitty import multiplier
from table.shengji.levels import outcome
from table.shengji.order import LEVELS, Order, order_for, points_of
from table.shengji.structure import spoken_reading
from table.shengji.throws import fine, forced, stops
from table.shengji.tricks import is_bomb
from table.shengji.tricks import trick as decide_trick

DEFAULT_PROFILE: Final = "shengji-official-2"

Question = Mapping[str, Any]
Answer = dict[str, Any]


def format_(question: Question) -> Answer:
    """Every decomposition of `cards` into units, the one that counts first (SJO-23 to SJO-28).

    `combination` is true where the cards are one unit; else they are a throw, if of one group: `group` is `T`
    for trumps, a suit, or null for cards that may not be led together.
    """
    rules = _rules(question)
    order = _order(question, rules)
    cards = _cards(question, "cards")
    group = order.only_group(cards)
    if group is None:
        return {"group": None, "combination": False, "readings": []}
    found = readings(cards, order, _tractors(rules))
    return {
        "group": group,
        "combination": len(found[0]) == 1,
        "readings": [[unit_to_json(unit) for unit in units] for units in found],
    }


def follow(question: Question) -> Answer:
    """Whether `play` out of `hand` follows `lead` as it must, and what should have been played."""
    rules = _rules(question)
    order = _order(question, rules)
    lead = _lead(question, "lead", order, rules)
    hand, play = _cards(question, "hand"), _cards(question, "play")
    size = sum(len(unit.cards) for unit in lead)
    if len(hand) < size:
        raise ValueError(f"hand: {len(hand)} cards, fewer than the lead's {size}")
    verdict = judge_follow(lead, hand, play, order, rules.follow)
    if verdict.problem in ("suit", "shape") and rules.ruff.bombs == "any_time" and is_bomb(play):
        verdict = replace(verdict, problem="")
    return {
        "legal": verdict.legal,
        "problem": verdict.problem or None,
        "suit_cards": verdict.suit_cards,
        "shape": [{"type": Unit(f.width, f.length, 0, ()).kind, "size": f.size} for f in verdict.required],
        "should": format_cards(example_play(lead, hand, order, rules.follow)),
    }


def trick(question: Question) -> Answer:
    """Who wins a trick and its points. `plays` and `hands` are by seat; `leader` (default 0) led.

    With `hands` (before the trick) also what becomes of a throw: which parts hold, what must be played.
    """
    rules = _rules(question)
    order = _order(question, rules)
    leader = _seat(question, "leader", 0)
    plays = _four(question, "plays")
    in_order = [plays[(leader + step) % 4] for step in range(4)]
    lead = _units(in_order[0], "plays", order, rules, question.get("says"))
    result = decide_trick(lead, in_order, order, rules.ruff)
    answer: Answer = {
        "winner": (leader + result.winner) % 4,
        "points": result.points,
        "roles": [result.roles[(seat - leader) % 4] for seat in SEATS],
    }
    if "hands" in question:
        hands = [_with(hand, plays[seat]) for seat, hand in enumerate(_four(question, "hands"))]
        answer["throw"] = _throw(lead, leader, hands, order, rules)
        answer["legal"] = [
            seat == leader or judge_follow(lead, hands[seat], plays[seat], order, rules.follow).legal
            for seat in SEATS
        ]
    return answer


def score(question: Question) -> Answer:
    """What a deal's points do to `levels` under `banker`, and who is banker next.

    `points` are the attackers' from tricks and fines. With `kitty` (cards), `last_lead` and `last_won_by` (a
    seat; `last_play`, the winning cards, where the multiplier goes by them) the kitty is added.
    """
    rules = _rules(question)
    banker = _seat(question, "banker", None)
    levels = _levels(question)
    points = question.get("points")
    if isinstance(points, bool) or not isinstance(points, int):
        raise ValueError(f"points: expected the attackers' points, got {points!r}")
    answer: Answer = {}
    jack = False
    if "last_lead" in question:
        added, times, jack = _kitty(question, rules, banker)
        answer = {"kitty_points": added, "multiplier": times}
        points += added
    found = outcome(points, banker, levels, rules, jack_trick=jack)
    side = 1 - side_of(banker) if found.band.taken else side_of(banker)
    return {
        **answer,
        "points": points,
        "attackers_take_bank": found.band.taken,
        "side": side,
        "rise": found.band.rise,
        "levels": list(found.levels),
        "banker": found.banker,
        "match_winner": found.winner,
    }


OPS: Final[dict[str, Callable[[Question], Answer]]] = {
    "format": format_, "follow": follow, "trick": trick, "score": score,
}  # fmt: skip
"""Op of `paizhuo rules` to what answers it; each raises ValueError, in one line, for what it cannot read."""

QUESTIONS: Final = OPS


def unit_to_json(unit: Unit) -> Answer:
    """`{"type": "tractor", "cards": "H2 H2 H3 H3", "size": 4, "length": 2}`."""
    return {
        "type": unit.kind,
        "cards": format_cards(unit.cards),
        "size": len(unit.cards),
        "length": unit.length,
    }


def _throw(
    lead: Sequence[Unit], leader: Seat, hands: Sequence[tuple[Card, ...]], order: Order, rules: Rules
) -> Answer | None:
    if len(lead) == 1:
        return None
    others = {seat: hand for seat, hand in enumerate(hands) if seat != leader}
    found = stops(lead, leader, others, order, rules.throw, _tractors(rules))
    must = forced(lead, found, rules.throw)
    return {
        "parts": [unit_to_json(unit) for unit in lead],
        "holds": not found,
        "stopped": [
            {"part": format_cards(s.part.cards), "seat": s.seat, "with": format_cards(s.with_cards)}
            for s in found
        ],
        "must_play": [format_cards(unit.cards) for unit in must],
        "chosen_by": next_seat(leader) if len(must) > 1 else None,
        "fine": fine(found, rules.throw),
    }


def _kitty(question: Question, rules: Rules, banker: Seat) -> tuple[int, int, bool]:
    """Points that the kitty adds, its multiplier, and whether a J won the last trick for the attackers."""
    order = _order(question, rules)
    lead = _lead(question, "last_lead", order, rules)
    winner = _seat(question, "last_won_by", None)
    won = _cards(question, "last_play") if "last_play" in question else None
    if side_of(winner) == side_of(banker):
        return 0, 0, False
    units = _units(won, "last_play", order, rules) if won else lead
    times = multiplier(lead, units, rules.pack.packs, rules.kitty)
    jacks = won is not None and all(card.rank == "J" for card in won)
    single = rules.levels.jack_back == "single_jack"
    return points_of(_cards(question, "kitty")) * times, times, jacks and (not single or len(won or ()) == 1)


def _with(hand: Sequence[Card], play: Sequence[Card]) -> tuple[Card, ...]:
    """The hand, with cards of the play that it lacks (hands may be given after the play)."""
    missing = Counter(play) - Counter(hand)
    return (*hand, *missing.elements())


def _rules(question: Question) -> Rules:
    name = question.get("profile", DEFAULT_PROFILE)
    options = question.get("options") or {}
    if not isinstance(name, str) or not isinstance(options, Mapping):
        raise ValueError(
            f"profile: expected a profile's name (and options an object), got {name!r}, {options!r}"
        )
    try:
        profile = load_profile(name)
        if profile.game != "shengji":
            raise ValueError(f"profile: {name} is of {profile.game}, not of shengji")
        return rules_of(profile.with_options(options))
    except BadProfile as error:
        raise ValueError(str(error)) from None


def _tractors(rules: Rules) -> Tractors:
    return Tractors(rules.pack.tractor_min_width, rules.pack.tractor_min_length)


def _order(question: Question, rules: Rules) -> Order:
    level = question.get("level")
    if level not in LEVELS:
        raise ValueError(f"level: expected one of {' '.join(LEVELS)}, got {level!r}")
    trump = question.get("trump")
    if trump not in ("S", "H", "C", "D", "NT"):
        raise ValueError(f"trump: expected S, H, C, D or NT, got {trump!r}")
    pack = rules.pack
    return order_for(level, trump, permanent=pack.permanent_trumps, across_level=pack.tractor_across_level)


def _lead(question: Question, name: str, order: Order, rules: Rules) -> tuple[Unit, ...]:
    return _units(_cards(question, name), name, order, rules, question.get("says"))


def _units(
    cards: tuple[Card, ...], name: str, order: Order, rules: Rules, says: str | None = None
) -> tuple[Unit, ...]:
    try:
        if says:
            return spoken_reading(cards, says, order, _tractors(rules))
        return best_reading(cards, order, _tractors(rules))
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _cards(question: Question, name: str) -> tuple[Card, ...]:
    value = question.get(name)
    if not isinstance(value, str):
        raise ValueError(f'{name}: expected cards in one string such as "S7 H7 HA", got {value!r}')
    return parse_cards(value)


def _four(question: Question, name: str) -> list[tuple[Card, ...]]:
    value = question.get(name)
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 4:
        raise ValueError(f"{name}: expected four strings of cards, by seat, got {value!r}")
    return [_cards({name: item}, name) for item in value]


def _seat(question: Question, name: str, default: Seat | None) -> Seat:
    value = question.get(name, default)
    try:
        return check_seat(value)
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from None


def _levels(question: Question) -> tuple[str, str]:
    value = question.get("levels")
    good = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2
    if not good or any(level not in LEVELS for level in value or ()):
        raise ValueError(f"levels: expected the levels of side 0 and side 1, got {value!r}")
    assert value is not None
    return (value[0], value[1])
