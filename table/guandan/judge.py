"""What each event of a Guandan deal shows: claims about turn, combination, counts, cards and manners."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, Final

from table.cards import Card, pretty_cards
from table.events import (
    CountAsked,
    CountCalled,
    DealStarted,
    Dealt,
    DrawEnded,
    Event,
    Exposed,
    HandCount,
    Moved,
    Pass,
    Play,
    TakenBack,
    Tribute,
)
from table.findings import CHECK, LIKELY, PROVEN, Claim, Drop
from table.guandan.combos import Reading
from table.guandan.counting import confirmed, may_explain, owed_for_sure
from table.guandan.deal import HAND_SIZE, Deal
from table.guandan.exchange import judge_exchange
from table.guandan.opening import must_turn_again
from table.guandan.trick import Top, Verdict
from table.match import MatchState, doubtful
from table.texts import LANGUAGES, text

Found = Iterator[Claim | Drop]

_BY_CARDS: Final = ("not_a_combination", "does_not_beat", "wild_misplaced", "declaration_wrong")
"""Kinds of findings that a card which nobody saw may explain."""
_TOUCH_WORDS: Final = ("pile", "played card", "discard", "弃牌", "已出", "查牌", "looked back")
_HIDE_WORDS: Final = ("hid", "threw", "thrown", "slipped", "藏", "偷", "扔")
_GESTURE_WORDS: Final = ("turn", "gesture", "reach", "play", "抢", "越序", "出牌", "手势", "动作")

TYPE_NAMES: Final = {
    "single": ("单张", "single"),
    "pair": ("对子", "pair"),
    "triple": ("三同张", "triple"),
    "straight": ("顺子", "straight"),
    "pairs": ("三连对", "three pairs"),
    "plate": ("钢板", "plate"),
    "full_house": ("三带对", "full house"),
    "bomb": ("炸弹", "bomb"),
    "straight_flush": ("同花顺", "straight flush"),
    "joker_bomb": ("王炸", "four jokers"),
}


def judge_event(before: Deal | None, event: Event, after: Deal, match: MatchState) -> Found:
    """Every claim that an event gives rise to; checks without a rule in the profile are left out."""
    for item in _all(before, event, after, match):
        if isinstance(item, Drop) or match.profile.rule(item.check):
            yield item


def _all(before: Deal | None, event: Event, after: Deal, match: MatchState) -> Found:
    if before is None:
        if isinstance(event, DealStarted):
            yield from _start(event, after)
        return
    yield from judge_exchange(before, event, after, match)
    match event:
        case Play():
            yield from _counts_owed(before, event)
            yield from _turn(event, after, before)
            yield from _play(before, event, after)
            yield from _too_many_cards(before, event)
        case Pass():
            yield from _counts_owed(before, event)
            yield from _turn(event, after, before)
        case CountAsked(seat=seat, of=of):
            if match.profile.word("report.mode") == "duty":
                yield Claim("count_asked_wrongly", "count_asked_wrongly", seat, event.seq, fields={"of": of})
        case CountCalled():
            yield from _count_called(before, event, match)
        case Exposed(seat=seat, cards=cards):
            sure = CHECK if doubtful(match.profile, event) else PROVEN
            if not after.over:
                yield Claim("exposed_card", "exposed_card", seat, event.seq, sure, cards=cards)
        case TakenBack():
            yield from _taken_back(before, event, match)
        case Moved():
            yield from _moved(before, event)
        case HandCount():
            yield from _hand_count(before, event, match)
        case Dealt(seat=seat, cards=cards):
            if len(cards) != HAND_SIZE:
                yield _count_claim(event, seat, len(cards), HAND_SIZE, True)
    if isinstance(event, Dealt | DrawEnded | Tribute | Play):
        yield from _cut(before, event)
    yield from _first_lead(event, after, match)


def _start(event: DealStarted, deal: Deal) -> Found:
    if deal.expected_level is not None and deal.expected_level != deal.level:
        yield Claim(
            "level_wrong", "level_wrong", None, event.seq, CHECK,
            fields={"level": deal.level, "expected": deal.expected_level},
        )  # fmt: skip
    if deal.stated is not None:
        said, known = (", ".join(map(str, seats)) for seats in deal.stated)
        yield Claim(
            "finish_mismatch",
            "record_mismatch",
            None,
            event.seq,
            CHECK,
            fields={"said": said, "known": known},
        )
    if deal.unfinished_before:
        yield Claim("record_incomplete", "record_incomplete", None, event.seq, CHECK)


def _counts_owed(before: Deal, event: Play | Pass) -> Found:
    for duty in before.duties:
        check = "count_not_answered" if duty.asked else "count_not_called"
        yield Claim(
            check, "count_not_called", duty.seat, duty.since,
            PROVEN if owed_for_sure(before, duty) else CHECK, fields={"left": duty.left},
        )  # fmt: skip


def _count_called(before: Deal, event: CountCalled, match: MatchState) -> Found:
    seat, left = event.seat, before.left[event.seat]
    # Told late (by a box that was not heard): others may have acted since he called, and he himself.
    late = match.clock.backwards
    vague = not before.count_sure[seat] or doubtful(before.profile, event) or late
    if late:
        owed = [
            claim
            for claim in match.claims.values()
            if claim.kind == "count_not_called"
            and claim.seat == seat
            and claim.fields.get("left") == event.count
        ]
        for claim in owed:
            in_time = event.at is not None and claim.awaits is not None and event.at <= claim.awaits
            yield Drop(claim.key) if in_time else replace(claim, certainty=CHECK, awaits=None)
        if owed:
            return
    if event.count != left:
        off = left - event.count
        plays = () if vague else may_explain(before, seat, off)
        sure, fields = PROVEN if plays is None else CHECK, {"count": event.count, "left": left, "doubt": ""}
        again = before.heard[seat].off == off and not vague
        if before.watched and plays is not None:
            fields["doubt"] = _doubt(off, again)
        yield Claim("count_wrong", "count_wrong", seat, event.seq, sure, fields, rests_on=plays or ())
        if again:
            yield from _recalled(before, seat, match, CHECK, _doubt(off, again))
        yield from _unproven(match, set(plays or ()))
        return
    if before.heard[seat].off and not vague:
        # He has called as we count since: the call that differed was the odd one.
        yield from _recalled(before, seat, match, LIKELY, "")
    if seat in before.called and before.profile.word("report.mode") == "duty":
        # He may have played since, and nobody saw it.
        sure = CHECK if vague or before.gap else PROVEN
        yield Claim("count_repeated", "count_repeated", seat, event.seq, sure, {"count": event.count})


def _recalled(before: Deal, seat: int, match: MatchState, sure: str, doubt: Any) -> Found:
    """The calls of a seat that differed, now that another one says more about them."""
    for seq in before.heard[seat].calls:
        old = match.claims.get(("count_wrong", seat, seq, ""))
        if old is not None:
            yield replace(old, certainty=sure, fields={**old.fields, "doubt": doubt})


def _unproven(match: MatchState, plays: set[int]) -> Found:
    """What is held against plays, or plays on them, that may have had other cards: to be looked at."""
    if not plays:
        return
    for claim in match.claims.values():
        about = claim.event in plays or plays & set(claim.rests_on)
        if about and claim.kind in _BY_CARDS and claim.certainty in (PROVEN, LIKELY):
            yield replace(claim, certainty=CHECK)


def _doubt(off: int, again: bool) -> dict[str, str]:
    """What may be wrong with our own count, in words for a finding."""
    key = "doubt_counts_agree" if again else "doubt_missed" if off > 0 else "doubt_read_twice"
    return {lang: text(f"findings_guandan.{key}", lang, number=abs(off)) for lang in LANGUAGES}


def _hand_count(before: Deal, event: HandCount, match: MatchState) -> Found:
    """The referee counts a hand: where calls differed from what cameras saw, that tells who was right."""
    seat, left = event.seat, before.left[event.seat]
    heard = before.heard[seat]
    if event.count != left:
        sure = before.count_sure[seat] and may_explain(before, seat, left - event.count) is None
        yield _count_claim(event, seat, event.count, left, sure)
    elif heard.off:
        yield from _recalled(before, seat, match, LIKELY, "")
    if before.watched and event.count == left - heard.off and event.count != left + heard.off:
        yield from (Drop(("count_wrong", seat, seq, "")) for seq in heard.calls)


def _turn(event: Play | Pass, after: Deal, before: Deal) -> Found:
    turn = after.turn
    if turn is None or turn.seq != event.seq or not turn.fault or before.over:
        return
    seats = {lang: _seat_list(turn.expected, lang) for lang in ("zh", "en")}
    check = turn.fault
    if isinstance(event, Pass) and check == "out_of_turn":
        check = "out_of_turn_pass"
    kind = "wrong_leader" if check.startswith("wrong_") else check
    kind = "out_of_turn" if check == "out_of_turn_pass" else kind
    cards = event.cards if isinstance(event, Play) else ()
    certainty = PROVEN if turn.sure else CHECK
    yield Claim(check, kind, event.seat, event.seq, certainty, {"expected": seats}, cards)


def _seat_list(seats: Iterable[int], lang: str) -> str:
    names = [f"{seat}号位" if lang == "zh" else f"seat {seat}" for seat in seats]
    return ("、" if lang == "zh" else " or ").join(names) or "?"


def _play(before: Deal, event: Play, after: Deal) -> Found:
    verdict = after.verdict
    if verdict is None or before.over:
        return
    meaning = verdict.meaning
    sure = PROVEN if meaning.sure else CHECK
    if not meaning.first:
        # Other readings of the cards that are all no combination leave no doubt.
        certainty = CHECK if meaning.other or meaning.open or meaning.open_ended else PROVEN
        yield Claim(
            "not_a_combination", "not_a_combination", event.seat, event.seq, certainty, cards=event.cards
        )
        return
    if verdict.beats != "yes":
        yield _does_not_beat(event, verdict)
    if meaning.misplaced:
        yield Claim("wild_misplaced", "wild_misplaced", event.seat, event.seq, sure, cards=event.cards)
    if meaning.words_misfit:
        yield Claim(
            "declaration_wrong", "declaration_wrong", event.seat, event.seq,
            LIKELY if meaning.sure else CHECK, fields={"says": event.says or ""}, cards=event.cards,
        )  # fmt: skip
    if len(verdict.meant) > 1:
        fields = {lang: _names(verdict.meant, lang) for lang in ("zh", "en")}
        yield Claim(
            "ambiguous_wild", "ambiguous_wild", event.seat, event.seq, CHECK,
            fields={"readings": fields}, cards=event.cards,
        )  # fmt: skip


def _does_not_beat(event: Play, verdict: Verdict) -> Claim:
    certainty = CHECK if verdict.excused else LIKELY if verdict.meaning.open_ended else PROVEN
    prior = verdict.prior
    return Claim(
        "does_not_beat",
        "does_not_beat",
        event.seat,
        event.seq,
        certainty,
        fields={"prior": pretty_cards(prior.cards) if prior else "", "by": prior.seat if prior else ""},
        cards=event.cards,
        rests_on=_rests_on(prior),
    )


def _rests_on(prior: Top | None) -> tuple[int, ...]:
    return (prior.seq,) if prior is not None else ()


def _names(found: Iterable[Reading], lang: str) -> str:
    at = 0 if lang == "zh" else 1
    words = []
    for reading in found:
        size = (
            (f"{reading.size}张" if lang == "zh" else f"{reading.size}-card ")
            if reading.type == "bomb"
            else ""
        )
        words.append(f"{size}{TYPE_NAMES[reading.type][at]} {reading.rank}")
    return ("、" if lang == "zh" else ", ").join(words)


def _too_many_cards(before: Deal, event: Play) -> Found:
    size, left = len(event.cards), before.left[event.seat]
    if size > left:
        sure = confirmed(before, event.seat) and not doubtful(before.profile, event)
        yield Claim(
            "too_many_cards", "card_count", event.seat, event.seq, PROVEN if sure else CHECK,
            fields={"size": size, "left": left}, cards=event.cards,
        )  # fmt: skip


def _count_claim(event: Event, seat: int, count: int, expected: int, sure: bool) -> Claim:
    return Claim(
        "card_count", "card_count", seat, event.seq, PROVEN if sure else CHECK,
        fields={"count": count, "expected": expected},
    )  # fmt: skip


def _taken_back(before: Deal, event: TakenBack, match: MatchState) -> Found:
    trick = before.trick
    here = {top.seq for top in trick.tops if top.seat == event.seat}
    own = [(seq, cards) for seat, seq, cards in before.plays if seat == event.seat]
    latest = own[-1] if own else None
    vague = doubtful(before.profile, event)
    fits = latest is not None and not _missing(event.cards, latest[1])
    if fits and latest is not None and (latest[0] in here or latest[0] == before.last_act):
        check = "taken_back" if event.consent else "taken_back_without_consent"
        certainty = CHECK if vague else PROVEN
        yield Claim(
            check, "taken_back", event.seat, event.seq, certainty, cards=event.cards, rests_on=(latest[0],)
        )
        return
    yield Claim(
        "recovered_card", "recovered_card", event.seat, event.seq,
        CHECK if vague or _played_unseen(before, event) else _recovered(own, event, match),
        cards=event.cards,
        rests_on=tuple(seq for seq, cards in own if set(event.cards) & set(cards)),
    )  # fmt: skip


def _recovered(own: Iterable[tuple[int, tuple[Card, ...]]], event: TakenBack, match: MatchState) -> str:
    """How sure it is that cards taken back are of these plays of the seat: no surer than that they were played."""
    played = {seq for seq, cards in own if not _missing(event.cards, cards)}
    vague = {step.seq for step in match.known.hand(event.seat).steps if not step.sure}
    return LIKELY if not played else PROVEN if played - vague else CHECK


def _played_unseen(before: Deal, event: TakenBack) -> bool:
    """Whether these may be cards that he has just played, in turn, and nobody saw: he may hold others like them."""
    if _not_his_turn(before, event.seat) and not before.gap:
        return False
    shown = Counter(card for _, _, cards in before.plays for card in cards)
    wanted = Counter(event.cards)
    return all(count + shown[card] <= before.profile.whole("packs") for card, count in wanted.items())


def _missing(cards: Iterable[Card], among: Iterable[Card]) -> list[Card]:
    left = list(among)
    missing = []
    for card in cards:
        if card in left:
            left.remove(card)
        else:
            missing.append(card)
    return missing


def _moved(before: Deal, event: Moved) -> Found:
    """A movement in words: a hand on played cards, a card hidden, a gesture to play out of turn."""
    what = event.what.lower()
    fields = {"what": event.what}
    if any(word in what for word in _HIDE_WORDS):
        yield Claim("hidden_card", "hidden_card", event.seat, event.seq, LIKELY, fields=fields)
    elif any(word in what for word in _TOUCH_WORDS):
        yield Claim(
            "touched_played_cards", "touched_played_cards", event.seat, event.seq, LIKELY, fields=fields
        )
    elif any(word in what for word in _GESTURE_WORDS) and _not_his_turn(before, event.seat):
        yield Claim("gesture_out_of_turn", "out_of_turn", event.seat, event.seq, LIKELY, fields=fields)


def _not_his_turn(deal: Deal, seat: int) -> bool:
    trick = deal.trick
    if trick.open:
        return bool(trick.leaders) and seat not in trick.leaders
    return trick.turn is not None and seat != trick.turn and seat not in trick.owed


def _cut(before: Deal, event: Event) -> Found:
    """The draw went on although the turned card had to be turned again (GDO-17)."""
    card = before.turned_up
    if card is None or before.finish_before is not None or before.started or before.drawn_seq is not None:
        return
    if must_turn_again(before.profile, card.card) and not before.dealt:
        sure = CHECK if doubtful(before.profile, card) else PROVEN
        yield Claim("cut_invalid", "cut_invalid", card.seat, card.seq, sure, cards=(card.card,))


def _first_lead(event: Event, after: Deal, match: MatchState) -> Found:
    """In a first deal he who drew the turned card leads: both copies elsewhere prove another (GDO-19)."""
    card, leader = after.turned_up, after.first_leader
    if (
        card is None
        or leader is None
        or after.finish_before is not None
        or not isinstance(event, Play | Exposed)
    ):
        return
    if card.card not in event.cards and event.seq != after.lead_seq:
        return
    others = [seat for seat in range(4) if seat != leader]
    hands = match.known.hands
    copies = match.profile.whole("packs")
    if sum(hands[seat].held()[card.card] for seat in others) < copies:
        return
    shown = sum(hands[seat].held(sure=True)[card.card] for seat in others)
    proven = shown >= copies and after.lead_sure and not doubtful(match.profile, card)
    yield Claim(
        "wrong_drawn_leader", "wrong_leader", leader, after.lead_seq or event.seq,
        PROVEN if proven else CHECK,
        cards=(card.card,), rests_on=(card.seq, event.seq),
    )  # fmt: skip
