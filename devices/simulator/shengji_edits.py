"""Faults of Shengji planted by changing a record that was right: events inserted, swapped, retimed."""

from __future__ import annotations

import random
from collections import Counter
from copy import deepcopy
from typing import Any

from devices.simulator.bots import Habits, Script, play_match
from devices.simulator.faults import Expected, Planted, Record, changed, cut, inserted, shown
from devices.simulator.shengji_bots import Moment
from table.cards import Card, format_cards, parse_cards
from table.rulesets import Profile
from table.seats import SEATS, next_seat
from table.shengji.bidding import show
from table.shengji.keys import rules_of

_DEALS = 12
"""Where one deal in eight offers an occasion, so many are looked through at once."""
QUICK = Habits(slow=3.0, gap=(5, 10))


def _deal(profile: Profile, rng: random.Random, *, deals: int = 1, sealed: bool = False) -> Script:
    habits = Habits(sealed=sealed, slow=QUICK.slow, gap=QUICK.gap)
    return play_match(profile, rng, deals=deals, habits=habits)


def _moments(script: Script, phase: str = "tricks") -> list[tuple[int, Moment]]:
    return [(seq, moment) for seq, moment in script.truth.items() if moment.phase == phase]


def _number(events: Record, name: str, nth: int = 0) -> int | None:
    found = [event["seq"] for event in events if event["event"] == name]
    return found[nth] if len(found) > nth else None


def _planted(name: str, events: Record, *expected: Expected) -> Planted:
    return Planted(name, events, expected)


def _back_again(events: Record, seq: int, seat: int, cards: str) -> Record:
    """A copy in which a seat lays cards after event `seq` and takes them back."""
    laid = shown(events, seq + 1, "play", seat, cards=cards)
    return shown(laid, seq + 2, "taken_back", seat, cards=cards, consent=True)


def _following(script: Script, rng: random.Random) -> tuple[int, Moment] | None:
    """An event after which a follower is to play, and what is so then."""
    found = [(seq, m) for seq, m in _moments(script) if m.lead is not None and m.turn != m.leader]
    return rng.choice(found) if found else None


def out_of_turn(profile: Profile, rng: random.Random) -> Planted | None:
    """Two followers play in the wrong order; the one who was early is at fault (SJE-48)."""
    script = _deal(profile, rng)
    found = [
        (s, m)
        for s, m in _moments(script)
        if m.lead and m.leader is not None and m.turn == next_seat(m.leader)
    ]
    if not found:
        return None
    seq, moment = rng.choice(found)
    events = deepcopy(script.events)
    first, second = events[seq], events[seq + 1]
    first["seat"], second["seat"] = second["seat"], first["seat"]
    first["cards"], second["cards"] = second["cards"], first["cards"]
    assert moment.turn is not None
    expected = Expected("out_of_turn", next_seat(moment.turn), seq + 1, profile.rule("out_of_turn"))
    return _planted("out_of_turn", events, expected)


def wrong_leader(profile: Profile, rng: random.Random) -> Planted | None:
    """Somebody leads who has not the lead, and takes the cards back (SJO-22, SJE-48)."""
    script = _deal(profile, rng)
    found = [(s, m) for s, m in _moments(script) if m.lead is None and m.turn is not None and m.hands[0]]
    seq, moment = rng.choice(found)
    seat = rng.choice([s for s in SEATS if s != moment.turn])
    card = str(rng.choice(moment.hands[seat]))
    events = _back_again(script.events, seq, seat, card)
    return _planted(
        "wrong_leader", events, Expected("wrong_leader", seat, seq + 1, profile.rule("wrong_leader"))
    )


def wrong_length(profile: Profile, rng: random.Random) -> Planted | None:
    """A follower puts down one card more than was led, takes them back and plays right (SJO-33)."""
    script = _deal(profile, rng)
    found = _following(script, rng)
    if found is None:
        return None
    seq, moment = found
    right = parse_cards(script.events[seq]["cards"])
    seat = script.events[seq]["seat"]
    spare = list((Counter(moment.hands[seat]) - Counter(right)).elements())
    if not spare:
        return None
    cards = format_cards((*right, rng.choice(spare)))
    return _retried("wrong_length", script, seq, seat, cards, profile, wrong="wrong_length")


def taken_back(profile: Profile, rng: random.Random) -> Planted | None:
    """A follower changes his play before the next trick; the event fines it (SJE-44)."""
    if not profile.rule("taken_back"):
        return None
    script = _deal(profile, rng)
    found = _following(script, rng)
    if found is None:
        return None
    seq, moment = found
    right = parse_cards(script.events[seq]["cards"])
    seat = script.events[seq]["seat"]
    other = rng.sample(moment.hands[seat], len(right))
    if Counter(other) == Counter(right):
        return None
    return _retried("taken_back", script, seq, seat, format_cards(other), profile, wrong="")


def not_a_combination(profile: Profile, rng: random.Random) -> Planted | None:
    """A lead of two suits, taken back (SJO-29)."""
    script = _deal(profile, rng)
    found = [(s, m) for s, m in _moments(script) if m.lead is None and m.turn is not None]
    seq, moment = rng.choice(found)
    order, seat = moment.order, moment.turn
    assert order is not None
    assert seat is not None
    hand = moment.hands[seat]
    two = [(a, b) for a in hand for b in hand if order.group(a) != order.group(b)]
    if not two:
        return None
    return _retried("not_a_combination", script, seq, seat, format_cards(rng.choice(two)), profile,
                    wrong="not_a_combination")  # fmt: skip


def _retried(
    name: str, script: Script, seq: int, seat: int, cards: str, profile: Profile, wrong: str
) -> Planted:
    """A wrong play in front of event `seq + 1`, and its taking back."""
    events = _back_again(script.events, seq, seat, cards)
    expected = [Expected(wrong, seat, seq + 1, profile.rule(wrong))] if wrong else []
    if profile.rule("taken_back"):
        expected.append(Expected("taken_back", seat, seq + 2, profile.rule("taken_back")))
    return _planted(name, events, *expected)


def declaration_weaker(profile: Profile, rng: random.Random) -> Planted | None:
    """Somebody overturns with what is not stronger (SJO-13, SJE-10)."""
    script = _deal(profile, rng)
    found = []
    for seq, moment in [*_moments(script, "draw"), *_moments(script, "declared")]:
        bidding = moment.bidding
        if bidding is None or bidding.standing is None:
            continue
        for seat in SEATS:
            cards = [card for card in moment.hands[seat] if card.rank == bidding.level]
            for card in cards:
                if show(bidding, seat, (card,), rules_of(profile)).problem == "weaker":
                    found.append((seq, seat, str(card)))
    if not found:
        return None
    seq, seat, name = rng.choice(found)
    events = shown(script.events, seq + 1, "trump_shown", seat, cards=name)
    # The declarations that follow were made against what stood: nothing changes for them.
    expected = Expected("trump_declaration_invalid", seat, seq + 1, profile.rule("declare_weaker"))
    return _planted("declaration_weaker", events, expected)


def declaration_late(profile: Profile, rng: random.Random) -> Planted | None:
    """Somebody shows a level card when the kitty has been taken (SJE-12)."""
    script = _deal(profile, rng)
    laid = _number(script.events, "kitty_laid")
    if laid is None:
        return None
    moment = script.truth[laid]
    found = [
        (seat, str(card))
        for seat in SEATS
        for card in moment.hands[seat]
        if moment.bidding is not None and card.rank == moment.bidding.level and seat != moment.banker
    ]
    if not found:
        return None
    seat, card = rng.choice(found)
    events = shown(script.events, laid + 1, "trump_shown", seat, cards=card)
    expected = Expected("trump_declaration_invalid", seat, laid + 1, profile.rule("declare_late"))
    return _planted("declaration_late", events, expected)


def kitty_turned_needlessly(profile: Profile, rng: random.Random) -> Planted | None:
    """A card of the kitty is turned although somebody has declared (SJO-19)."""
    script = _deal(profile, rng)
    taken = _number(script.events, "kitty_taken")
    shown = _number(script.events, "trump_shown")
    if taken is None or shown is None or shown > taken:
        return None
    ended = _number(script.events, "draw_ended")
    assert ended is not None
    card = str(rng.choice(script.truth[ended].kitty))
    events = inserted(script.events, taken, {"event": "kitty_turned", "card": card})
    expected = Expected("trump_declaration_invalid", None, taken, profile.rule("nobody_declared"))
    return _planted("kitty_turned_needlessly", events, expected)


def early_kitty(profile: Profile, rng: random.Random) -> Planted | None:
    """The kitty is taken before the pause is over (SJE-12)."""
    pause = profile.number("declare.pause")
    script = _deal(profile, rng)
    taken, ended = _number(script.events, "kitty_taken"), _number(script.events, "draw_ended")
    if not pause or taken is None or ended is None or taken != ended + 1:
        return None
    events = deepcopy(script.events)
    by = events[taken - 1]["at"] - events[ended - 1]["at"] - rng.uniform(0.5, pause - 0.01)
    for event in events[taken - 1 :]:
        event["at"] = round(event["at"] - by, 2)
    seat = events[taken - 1]["seat"]
    return _planted("early_kitty", events, Expected("early_kitty", seat, taken, profile.rule("early_kitty")))


def kitty_count(profile: Profile, rng: random.Random) -> Planted | None:
    """The kitty turned over at the end has a card too few (SJO-02)."""
    script = _deal(profile, rng)
    number = _number(script.events, "kitty_revealed")
    assert number is not None
    fewer = script.events[number - 1]["cards"].split()[1:]
    events = changed(script.events, number, cards=" ".join(fewer))
    expected = Expected("kitty_count", script.truth[number].banker, number, profile.rule("kitty_count"))
    return _planted("kitty_count", events, expected)


def kitty_changed(profile: Profile, rng: random.Random) -> Planted | None:
    """The kitty turned over is not what the sealed feed saw laid (SJE-36)."""
    script = _deal(profile, rng, sealed=True)
    number = _number(script.events, "kitty_revealed")
    assert number is not None
    cards = script.events[number - 1]["cards"].split()
    other = rng.choice([card for card in ("S3", "H8", "CJ", "DK") if card not in cards])
    events = changed(script.events, number, cards=" ".join([other, *cards[1:]]))
    expected = Expected("kitty_changed", script.truth[number].banker, number, profile.rule("kitty_changed"))
    return _planted("kitty_changed", events, expected)


def exposed_card(profile: Profile, rng: random.Random) -> Planted | None:
    """A card falls face up on the table (SJE-47)."""
    if not profile.rule("exposed_card"):
        return None
    script = _deal(profile, rng)
    seq, moment = rng.choice([(s, m) for s, m in _moments(script) if any(m.hands)])
    seat = rng.choice([s for s in SEATS if moment.hands[s]])
    card = str(rng.choice(moment.hands[seat]))
    events = shown(script.events, seq + 1, "exposed", seat, cards=card)
    return _planted(
        "exposed_card", events, Expected("exposed_card", seat, seq + 1, profile.rule("exposed_card"))
    )


def information(profile: Profile, rng: random.Random) -> Planted | None:
    """A gesture that may pass information: a judgement, never proven (SJE-49)."""
    if not profile.rule("information"):
        return None
    script = _deal(profile, rng)
    seq, _ = rng.choice(_moments(script))
    seat = rng.choice(SEATS)
    events = shown(script.events, seq + 1, "moved", seat, what="taps the table")
    expected = Expected("information", seat, seq + 1, profile.rule("information"), "likely")
    return _planted("information", events, expected)


def card_count(profile: Profile, rng: random.Random) -> Planted | None:
    """The referee counts a hand that has a card too few or too many (SJE-46)."""
    script = _deal(profile, rng)
    seq, moment = rng.choice(_moments(script))
    seat = rng.choice(SEATS)
    count = max(0, len(moment.hands[seat]) + rng.choice((-1, 1)))
    if count == len(moment.hands[seat]):
        return None
    events = shown(script.events, seq + 1, "hand_count", seat, count=count)
    return _planted("card_count", events, Expected("card_count", seat, seq + 1, profile.rule("card_count")))


def card_impossible(profile: Profile, rng: random.Random) -> Planted | None:
    """One copy more of a card is seen than the packs hold, in a hand that has always followed its suit."""
    for _ in range(_DEALS):
        script = _deal(profile, rng)
        number = _number(script.events, "kitty_revealed")
        assert number is not None
        found = _one_too_many(script, number, profile.whole("packs"))
        if not found:
            continue
        card, seat = rng.choice(found)
        events = shown(script.events, number, "exposed", seat, cards=str(card))
        expected = [Expected("card_impossible", seat, number, profile.rule("card_impossible"))]
        if profile.rule("exposed_card"):
            expected.append(Expected("exposed_card", seat, number, profile.rule("exposed_card")))
        return _planted("card_impossible", events, *expected)
    return None


def _one_too_many(script: Script, number: int, packs: int) -> list[tuple[Card, int]]:
    """Cards of which all copies were played before event `number`, each with a seat that may have held more of them."""
    order = script.truth[number].order
    assert order is not None
    plays = [event for event in script.events if event["event"] == "play"]
    seen = Counter(card for event in plays for card in parse_cards(event["cards"]))
    full = [card for card, count in seen.items() if count == packs]
    groups = {order.group(card) for card in full}
    followed = {(g, s) for g in groups for s in SEATS if not _ever_discarded(script, s, g)}
    return [(card, seat) for card in full for seat in SEATS if (order.group(card), seat) in followed]


def _ever_discarded(script: Script, seat: int, group: str) -> bool:
    """Whether the seat has given less than it was asked for in a suit, or somebody has thrown in it."""
    for seq, moment in _moments(script):
        event: dict[str, Any] = script.events[seq] if seq < len(script.events) else {"event": ""}
        if event["event"] != "play" or moment.lead is None or moment.order is None:
            continue
        if moment.order.group(moment.lead[0].cards[0]) != group:
            continue
        followed = moment.order.of_group(parse_cards(event["cards"]), group)
        if len(moment.lead) > 1 or len(moment.lead[0].cards) > 1:
            return True
        if event["seat"] == seat and len(followed) < len(parse_cards(event["cards"])):
            return True
    return False


def _second_start(events: Record) -> int | None:
    """Number of the event with which a second deal starts, its banker named."""
    return next((e["seq"] for e in events if e["event"] == "deal_started" and "banker" in e), None)


def wrong_banker(profile: Profile, rng: random.Random) -> Planted | None:
    """The second deal begins with another banker than follows from the first (SJO-53)."""
    script = _deal(profile, rng, deals=2)
    second = _second_start(script.events)
    if second is None:
        return None
    events = cut(script.events, second + 1)
    events[-1]["banker"] = (events[-1]["banker"] + 2) % 4
    return _planted(
        "wrong_banker", events, Expected("wrong_banker", None, second, profile.rule("banker_differs"))
    )


def wrong_level(profile: Profile, rng: random.Random) -> Planted | None:
    """The second deal begins at another level than follows (SJO-03)."""
    script = _deal(profile, rng, deals=2)
    second = _second_start(script.events)
    if second is None:
        return None
    events = cut(script.events, second + 1)
    events[-1]["level"] = "7" if events[-1]["level"] != "7" else "8"
    return _planted(
        "wrong_level", events, Expected("wrong_level", None, second, profile.rule("level_differs"))
    )
