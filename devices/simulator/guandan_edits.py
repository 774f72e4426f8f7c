"""Faults of Guandan made by changing a deal that was played by the rules: plays, times, calls, cards."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import permutations
from typing import Any

from devices.simulator.bots import Habits
from devices.simulator.faults import Planted, Record, changed, cut, delayed, inserted, removed, shown
from devices.simulator.guandan_bots import Moment, TableRules
from devices.simulator.guandan_sample import NO_STOPPAGES, Sample, one_deal, some_finish
from table.cards import Card, format_cards, parse_cards
from table.guandan.combos import laid_out, layout_readings, plays, readings, wild_of
from table.rulesets import Profile
from table.seats import SEATS, side_of


def _layings(hand: tuple[Card, ...], moment: Moment, rules: TableRules, beating: bool) -> Iterator[str]:
    """Plays of a hand that clearly do, or clearly do not, beat what lies there, as they would be laid."""
    for play in plays(hand, moment.level, None, rules.combos, ("single", "pair", "triple", "full_house")):
        if wild_of(moment.level) in play.cards:
            continue
        beats = [moment.top is None or r.beats(moment.top, moment.level, rules.combos) for r in play.readings]
        if all(beats) if beating else not any(beats):
            yield format_cards(laid_out(play.cards, play.readings[0]))


def _replaced(sample: Sample, number: int, **fields: Any) -> Record:
    """The record up to event `number`, with that event changed; nothing follows it."""
    made = cut(sample.events, number + 1)
    made[-1].update(fields)
    made[-1].pop("says", None)
    return made


def not_a_combination(profile: Profile, rng: random.Random) -> Planted | None:
    """Cards that are no combination, led or played on something."""
    sample = one_deal(profile, rng)
    for event in sample.plays():
        moment = sample.before(event["seq"])
        hand = moment.hands[event["seat"]]
        for _ in range(10):
            cards = rng.sample(hand, min(len(hand), rng.randint(2, 6)))
            if not readings(cards, moment.level, sample.rules.combos):
                made = _replaced(sample, event["seq"], cards=format_cards(cards))
                expected = sample.finds("not_a_combination", event["seat"], event["seq"])
                return Planted("not_a_combination", made, (expected,))
    return None


def does_not_beat(profile: Profile, rng: random.Random) -> Planted | None:
    """A combination that does not beat the one on the table."""
    sample = one_deal(profile, rng)
    for event in sample.plays():
        moment = sample.before(event["seq"])
        if moment.top is None:
            continue
        weak = list(_layings(moment.hands[event["seat"]], moment, sample.rules, beating=False))
        if weak:
            made = _replaced(sample, event["seq"], cards=rng.choice(weak))
            expected = sample.finds("does_not_beat", event["seat"], event["seq"])
            return Planted("does_not_beat", made, (expected,))
    return None


def out_of_turn(profile: Profile, rng: random.Random) -> Planted | None:
    """A good play by a seat whose turn it is not."""
    sample = one_deal(profile, rng)
    for event in sample.plays("play", "pass"):
        moment = sample.before(event["seq"])
        if moment.top is None:
            continue
        others = [s for s in SEATS if s not in (moment.turn, moment.top_seat) and moment.hands[s]]
        rng.shuffle(others)
        for seat in others:
            good = list(_layings(moment.hands[seat], moment, sample.rules, beating=True))
            if good:
                made = _replaced(sample, event["seq"], event="play", seat=seat, cards=rng.choice(good))
                expected = sample.finds("out_of_turn", seat, event["seq"])
                return Planted("out_of_turn", made, (expected,))
    return None


def wrong_leader(profile: Profile, rng: random.Random) -> Planted | None:
    """After the exchange somebody leads whose lead it is not."""
    finish = some_finish(rng)
    sample = one_deal(profile, rng, finish=finish)
    event = next(event for event in sample.events if event["event"] == "play")
    moment = sample.before(event["seq"])
    seat = rng.choice([s for s in SEATS if s != event["seat"]])
    cards = rng.choice(list(_layings(moment.hands[seat], moment, sample.rules, beating=True)))
    made = _replaced(sample, event["seq"], seat=seat, cards=cards)
    check = "wrong_first_leader"
    if any(event["event"] == "tribute_refused" for event in sample.events):
        check = "wrong_first_leader_refused"
    elif side_of(finish[0]) == side_of(finish[1]):
        check = "wrong_first_leader_double"
    expected = sample.finds("wrong_leader", seat, event["seq"], check=check)
    return Planted("wrong_leader", made, (expected,))


def _late(sample: Sample, name: str, number: int, since: int, limit: float, check: str) -> Planted:
    """Event `number` comes after the limit that runs from event `since`; all that follows keeps its pace."""
    event = sample.events[number - 1]
    over = round(sample.rng.choice([0.1, sample.rng.uniform(0.5, 30)]), 2)
    made = delayed(sample.events, number, sample.events[since - 1]["at"] + limit + over - event["at"])
    return Planted(name, made, (sample.finds("timeout", event["seat"], number, check=check),))


def late_play(profile: Profile, rng: random.Random) -> Planted | None:
    """A play or pass after its time (GDO-54, GDE-31)."""
    sample = one_deal(profile, rng, habits=NO_STOPPAGES)
    acts = [event["seq"] for event in sample.events if event["event"] in ("play", "pass")]
    place = rng.randrange(1, len(acts))
    return _late(sample, "late_play", acts[place], acts[place - 1], sample.rules.play, "timeout_play")


def late_lead(profile: Profile, rng: random.Random) -> Planted | None:
    """The first lead after its time (GDO-53, GDE-31)."""
    sample = one_deal(profile, rng, habits=NO_STOPPAGES, finish=some_finish(rng))
    number = next(event["seq"] for event in sample.events if event["event"] == "play")
    back = [event["seq"] for event in sample.events if event["event"] == "tribute_return"]
    if not back:
        return None
    return _late(sample, "late_lead", number, back[-1], sample.rules.lead, "timeout_first_lead")


def late_tribute(profile: Profile, rng: random.Random) -> Planted | None:
    """Tribute after its time (GDO-36)."""
    sample = one_deal(profile, rng, habits=NO_STOPPAGES, finish=some_finish(rng, double=False))
    paid = [event["seq"] for event in sample.events if event["event"] == "tribute"]
    drawn = next(event["seq"] for event in sample.events if event["event"] == "draw_ended")
    if not paid or not profile.number("clock.tribute"):
        return None
    return _late(sample, "late_tribute", paid[0], drawn, sample.rules.tribute, "timeout_tribute")


def late_return(profile: Profile, rng: random.Random) -> Planted | None:
    """A card returned after its time (GDO-37, GDE-31)."""
    sample = one_deal(profile, rng, habits=NO_STOPPAGES, finish=some_finish(rng, double=False))
    back = [event["seq"] for event in sample.events if event["event"] == "tribute_return"]
    if not back:
        return None
    return _late(sample, "late_return", back[0], back[0] - 1, sample.rules.give_back, "timeout_return")


def count_not_called(profile: Profile, rng: random.Random) -> Planted | None:
    """A count call left out: where it is a duty, or where it was asked for."""
    sample = one_deal(profile, rng, habits=Habits(chatter=0.5))
    for event in sample.plays("count_called"):
        number = event["seq"]
        asked = sample.events[number - 2]["event"] == "count_asked"
        if not asked and sample.rules.report_mode != "duty":
            continue
        known = sample.next_act(number)
        if known is None:
            continue
        expected = sample.finds(
            "count_not_called",
            event["seat"],
            known - 1,
            check="count_not_answered" if asked else "count_not_called",
        )
        return Planted("count_not_called", removed(sample.events, number), (expected,))
    return None


def count_wrong(profile: Profile, rng: random.Random) -> Planted | None:
    """A count called that is not the number of cards left."""
    sample = one_deal(profile, rng, habits=Habits(chatter=0.5))
    for event in sample.plays("count_called"):
        wrong = event["count"] + rng.choice([-1, 1, 2])
        made = changed(sample.events, event["seq"], count=max(0, wrong))
        expected = sample.finds("count_wrong", event["seat"], event["seq"])
        return Planted("count_wrong", made, (expected,))
    return None


def count_asked_wrongly(profile: Profile, rng: random.Random) -> Planted | None:
    """A count asked for where asking is forbidden (GDO-55)."""
    sample = one_deal(profile, rng)
    if sample.rules.report_mode != "duty":
        return None
    for event in sample.plays("count_called"):
        seat = rng.choice([s for s in SEATS if s != event["seat"]])
        made = shown(sample.events, event["seq"] + 1, "count_asked", seat, of=event["seat"])
        expected = sample.finds("count_asked_wrongly", seat, event["seq"] + 1)
        return Planted("count_asked_wrongly", made, (expected,))
    return None


def wild_misplaced(profile: Profile, rng: random.Random) -> Planted | None:
    """A wild that does not lie where the card lies that it stands for, in a play of one meaning."""
    if not profile.rule("wild_misplaced"):
        return None
    sample = one_deal(profile, rng)
    for event in sample.plays():
        moment = sample.before(event["seq"])
        cards = parse_cards(event["cards"])
        wild = wild_of(moment.level)
        if wild not in cards or len(readings(cards, moment.level, sample.rules.combos)) != 1:
            continue
        others = [card for card in cards if card != wild]
        for order in permutations(range(len(cards)), cards.count(wild)):
            rest = iter(others)
            laid = [wild if i in order else next(rest) for i in range(len(cards))]
            if not layout_readings(laid, moment.level, sample.rules.combos):
                made = changed(sample.events, event["seq"], cards=format_cards(laid))
                expected = sample.finds("wild_misplaced", event["seat"], event["seq"])
                return Planted("wild_misplaced", made, (expected,))
    return None


def exposed_card(profile: Profile, rng: random.Random) -> Planted | None:
    """Cards of a hand exposed."""
    if not profile.rule("exposed_card"):
        return None
    sample = one_deal(profile, rng)
    event = sample.plays("play", "pass")[0]
    hands = sample.before(event["seq"]).hands
    seat = rng.choice([s for s in SEATS if hands[s]])
    cards = rng.sample(hands[seat], min(len(hands[seat]), rng.randint(1, 2)))
    made = shown(sample.events, event["seq"], "exposed", seat, cards=format_cards(cards))
    expected = sample.finds("exposed_card", seat, event["seq"])
    return Planted("exposed_card", made, (expected,))


def taken_back(profile: Profile, rng: random.Random) -> Planted | None:
    """A play taken back at once, and made again."""
    sample = one_deal(profile, rng)
    event = sample.plays()[0]
    number = event["seq"]
    if sample.next_act(number) is None:
        return None
    consent = bool(profile.rule("taken_back")) and rng.random() < 0.5
    back = {"event": "taken_back", "seat": event["seat"], "cards": event["cards"], "consent": consent}
    again: dict[str, Any] = {key: event[key] for key in ("event", "seat", "cards", "says") if key in event}
    made = inserted(inserted(sample.events, number + 1, again), number + 1, back)
    check = "taken_back" if consent else "taken_back_without_consent"
    expected = sample.finds("taken_back", event["seat"], number + 1, check=check)
    return Planted("taken_back", made, (expected,))


def card_impossible(profile: Profile, rng: random.Random) -> Planted | None:
    """A third copy of a card in two packs."""
    sample = one_deal(profile, rng)
    seen: Counter[str] = Counter()
    for event in sample.events:
        if event["event"] != "play":
            continue
        if " " not in event["cards"] and "J" not in event["cards"][:2]:
            level = sample.before(event["seq"]).level
            rank = Card.parse(event["cards"]).rank
            twice = [name for name in seen if seen[name] == 2 and Card.parse(name).rank == rank]
            twice = [name for name in twice if name not in (event["cards"], str(wild_of(level)))]
            if twice and event["cards"] != str(wild_of(level)):
                made = changed(sample.events, event["seq"], cards=rng.choice(twice))
                expected = sample.finds("card_impossible", event["seat"], event["seq"])
                return Planted("card_impossible", made, (expected,))
        seen.update(event["cards"].split())
    return None


def card_count(profile: Profile, rng: random.Random) -> Planted | None:
    """A hand counted by the referee that holds a card too many or too few; play stops there."""
    sample = one_deal(profile, rng)
    event = sample.plays("play", "pass")[0]
    hands = sample.before(event["seq"]).hands
    seat = rng.choice([s for s in SEATS if hands[s]])
    count = len(hands[seat]) + rng.choice([-1, 1])
    made = shown(cut(sample.events, event["seq"]), event["seq"], "hand_count", seat, count=count)
    expected = sample.finds("card_count", seat, event["seq"])
    return Planted("card_count", made, (expected,))


def out_of_turn_pass(profile: Profile, rng: random.Random) -> Planted | None:
    """A pass by a seat whose turn it is not (GDO-39, GDE-29)."""
    sample = one_deal(profile, rng)
    for event in sample.plays("play", "pass"):
        moment = sample.before(event["seq"])
        others = [s for s in SEATS if s not in (moment.turn, moment.top_seat) and moment.hands[s]]
        if moment.top is None or not others:
            continue
        made = cut(sample.events, event["seq"])
        seat = rng.choice(others)
        made.append({"seq": event["seq"], "at": event["at"], "event": "pass", "seat": seat})
        found = sample.finds("out_of_turn", seat, event["seq"], check="out_of_turn_pass")
        return Planted("out_of_turn_pass", made, (found,))
    return None


def wrong_later_leader(profile: Profile, rng: random.Random) -> Planted | None:
    """A trick led by another than who took the one before, or his partner (GDO-40, GDO-41, GDE-14)."""
    sample = one_deal(profile, rng)
    for event in sample.plays():
        moment = sample.before(event["seq"])
        earlier = [e for e in sample.events[: event["seq"] - 1] if e["event"] == "play"]
        if moment.top is not None or not earlier:
            continue
        seat = rng.choice([s for s in SEATS if s != event["seat"]])
        good = list(_layings(moment.hands[seat], moment, sample.rules, beating=True))
        if not good:
            continue
        # The partner leads for one who is out.
        relay = not moment.hands[earlier[-1]["seat"]]
        made = _replaced(sample, event["seq"], seat=seat, cards=rng.choice(good))
        check = "wrong_leader_relay" if relay else "wrong_leader"
        return Planted(
            "wrong_later_leader", made, (sample.finds("wrong_leader", seat, event["seq"], check=check),)
        )
    return None


def count_repeated(profile: Profile, rng: random.Random) -> Planted | None:
    """A count called twice, where that is forbidden (GDO-55)."""
    if not profile.rule("count_repeated"):
        return None
    sample = one_deal(profile, rng)
    for event in sample.plays("count_called"):
        made = shown(sample.events, event["seq"] + 1, "count_called", event["seat"], count=event["count"])
        return Planted(
            "count_repeated", made, (sample.finds("count_repeated", event["seat"], event["seq"] + 1),)
        )
    return None


def gestures(profile: Profile, rng: random.Random) -> Planted | None:
    """Two gestures to play out of turn by one side in a deal: two warnings, and their limit (GDE-35)."""
    if profile.get("warnings.gesture.limit") != 2:
        return None
    sample = one_deal(profile, rng)
    side = rng.choice((0, 1))
    chosen = []
    for event in sample.plays("play", "pass"):
        moment = sample.before(event["seq"])
        seats = [s for s in (side, side + 2) if s != event["seat"] and moment.hands[s]]
        if moment.top is not None and seats:
            chosen.append((event["seq"], rng.choice(seats)))
    if len(chosen) < 2:
        return None
    (first, one), (second, two) = sorted(chosen[:2])
    events = shown(sample.events, second, "moved", two, what="越序出牌的手势")
    events = shown(events, first, "moved", one, what="gesture to play out of turn")
    second += 1
    expected = (
        sample.finds("out_of_turn", one, first, check="gesture_out_of_turn", certainty="likely"),
        sample.finds("out_of_turn", two, second, check="gesture_out_of_turn", certainty="likely"),
        sample.finds("warning_limit", two, second, check="warning_limit_gesture"),
    )
    return Planted("gestures", events, expected)


def doubtful_reading(profile: Profile, rng: random.Random) -> Planted | None:
    """A legal play misread as one that does not beat, the truth among the alternatives: only to check."""
    sample = one_deal(profile, rng)
    for event in sample.plays():
        moment = sample.before(event["seq"])
        if moment.top is None:
            continue
        size = len(event["cards"].split())
        weak = _layings(moment.hands[event["seat"]], moment, sample.rules, beating=False)
        same = [cards for cards in weak if len(cards.split()) == size]
        if same:
            made = _replaced(
                sample,
                event["seq"],
                cards=rng.choice(same),
                confidence=0.7,
                alternatives=[[event["cards"], 0.25]],
            )
            found = sample.finds("does_not_beat", event["seat"], event["seq"], certainty="check")
            return Planted("doubtful_reading", made, (found,))
    return None
