"""Judges the tricks: turn, length, following, throws; and judges again what new cards throw light on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from table.cards import Card
from table.events import (
    Dealt,
    Event,
    Exposed,
    KittyLaid,
    KittyRevealed,
    Play,
    TakenBack,
    ThrowForced,
    ThrowStopped,
    TrumpShown,
)
from table.findings import CHECK, LIKELY, PROVEN, PROVISIONAL, Claim, Drop
from table.knowledge import new_cards
from table.match import MatchState, from_cameras, may_be_nothing
from table.penalties import Penalty
from table.seats import SEATS, Seat, next_seat
from table.shengji.claims import FOLLOW, FOLLOW_CHECKS, claim, points, pretty, sureness, words
from table.shengji.deal import Deal
from table.shengji.follow import Verdict
from table.shengji.formats import Shape, Unit
from table.shengji.judging_back import corrected, taken_back
from table.shengji.order import Order
from table.shengji.proof import Proof, Status
from table.shengji.throws import Stop, fine, forced, stops
from table.shengji.trick import Played, Trick
from table.texts import LANGUAGES, text


def judge_play(before: Deal, event: Event, after: Deal, match: MatchState) -> Iterable[Claim | Drop]:
    """All that an event of the tricks shows at once; what it proves of earlier plays is `rejudge`'s."""
    match event:
        case Play() if before.current is None:
            yield from _lead(before, event, after)
        case Play():
            yield from _follow(before, event, match)
        case ThrowStopped(seat=seat) if not _throw_on_table(before):
            yield claim("throw_stop", "throw_stop_wrong", seat, event.seq, why=words("why_no_throw"))
        case ThrowForced(seat=seat) if not _throw_on_table(before) or before.tricks[-1].leader != seat:
            yield claim("throw_forced", "throw_forced_wrong", seat, event.seq, why=words("why_no_throw"))
        case TakenBack():
            yield from taken_back(before, event, match)
    if isinstance(event, Play):
        yield from corrected(event, after, match)
        if after.over and not before.over and any(trick.winner is None for trick in after.tricks):
            yield claim("result_unknown", "record_gap", None, event.seq, certainty=CHECK)
        if after.left(event.seat) < 0 <= before.left(event.seat):
            yield claim(
                "card_count", "card_count", event.seat, event.seq, count=after.out[event.seat],
                due=after.rules.hand_size, certainty=_counted(after, event),
            )  # fmt: skip


def _counted(after: Deal, event: Play) -> str:
    """How sure it is that a seat has played so many cards: each of its plays may have had others."""
    plays = [play for trick in after.tricks for play in trick.plays if play.seat == event.seat]
    doubt = after.seen(event.seat) or any(play.doubtful for play in plays)
    return CHECK if doubt else sureness(after.profile, event)


def _throw_on_table(deal: Deal) -> bool:
    trick = deal.current
    return trick is not None and len(trick.plays) == 1 and trick.thrown is None and len(trick.units) != 1


def _lead(before: Deal, event: Play, after: Deal) -> Iterable[Claim]:
    leader = before.leader
    if before.over:
        return
    if leader is not None and event.seat != leader:
        doubt = bool(before.tricks) and _winner_in_doubt(before.tricks[-1])
        found = claim(
            "wrong_leader", "wrong_leader", event.seat, event.seq, due=leader, cards=event.cards,
            certainty=CHECK if doubt or may_be_nothing(before.profile, event) else PROVEN,
        )  # fmt: skip
        yield _fined(found, before.rules.fines.out_of_turn)
    order = after.order
    if order is None:
        if len(after.tricks) == 1 and not after.taken:
            yield claim("trump_unknown", "record_gap", None, event.seq, certainty=CHECK)
        return
    if order.only_group(event.cards) is None:
        sure = sureness(before.profile, event, lambda cards: order.only_group(cards) is None)
        yield claim("not_a_combination", "not_a_combination", event.seat, event.seq, cards=event.cards,
                    certainty=sure)  # fmt: skip


def _winner_in_doubt(trick: Trick) -> bool:
    """Whether cards of a trick may be others than read, or fewer or more where cameras read plays of several lengths."""
    uneven = len({len(play.cards) for play in trick.plays}) > 1
    return any(play.doubtful or (uneven and play.seen) for play in trick.plays)


def _follow(before: Deal, event: Play, match: MatchState) -> Iterable[Claim]:
    trick = before.current
    assert trick is not None
    turn = trick.turn
    if event.seat != turn:
        found = claim(
            "out_of_turn", "out_of_turn", event.seat, event.seq, due=turn, cards=event.cards,
            certainty=CHECK if _may_be_fewer(trick, event, match) else PROVEN,
        )  # fmt: skip
        yield _fined(found, before.rules.fines.out_of_turn)
        if trick.play_of(event.seat) is not None:
            return
    size = len(trick.lead.cards)
    lengths = [len(play.cards) for play in trick.plays] + [len(event.cards)]
    if len(event.cards) != size:
        sure = sureness(match.profile, event, lambda cards: len(cards) != size)
        doubt = trick.lead.doubtful or not _borne_out(trick, lengths, len(event.cards))
        # Of a play that is too short a card may lie there that cameras did not see.
        doubt = doubt or (len(event.cards) < size and from_cameras(event))
        yield claim(
            "wrong_length", "wrong_length", event.seat, event.seq, count=len(event.cards), due=size,
            cards=event.cards, certainty=CHECK if doubt else sure,
        )  # fmt: skip
    for play in trick.plays if trick.lead.seen and not trick.lead.doubtful else ():
        old = match.claims.get(("wrong_length", play.seat, play.seq, ""))
        if old is not None and not play.doubtful:
            short = play.seen and len(play.cards) < size
            sure = PROVEN if _borne_out(trick, lengths, len(play.cards)) and not short else CHECK
            yield replace(old, certainty=sure)


def _borne_out(trick: Trick, lengths: Sequence[int], other: int) -> bool:
    """Whether so many cards were led for certain: of a lead that cameras read, more players must agree on that."""
    return not trick.lead.seen or lengths.count(len(trick.lead.cards)) > lengths.count(other)


def _may_be_fewer(trick: Trick, event: Play, match: MatchState) -> bool:
    """Whether some play of a trick, or this one, may not have happened: then it is not certain whose turn it was."""
    return may_be_nothing(match.profile, event) or any(play.nothing for play in trick.plays)


def _fined(found: Claim, amount: int) -> Claim:
    return found.costing(points(amount)) if amount else found


# What new cards prove ------------------------------------------------------------------------------------


_SHOWING: Final = (Play, Exposed, TrumpShown, ThrowStopped, ThrowForced, KittyLaid, KittyRevealed, Dealt)
"""Events that may tell more of the hands."""


def rejudge(event: Event, after: Deal, match: MatchState) -> Iterator[Claim | Drop]:
    """Follows and throws, judged again by all that is known now (the event included)."""
    if after.order is None or not after.tricks or not isinstance(event, _SHOWING):
        return
    proof = Proof(after, match.known)
    for trick, play in _worth_judging(event, after, match, proof):
        yield from _follow_claim(event, after, match, proof, trick, play)
    for number, trick in enumerate(after.tricks):
        if _throw_worth_judging(event, after, trick, number):
            yield from _throw_claims(after, match, proof, trick)


def _worth_judging(
    event: Event, after: Deal, match: MatchState, proof: Proof
) -> Iterator[tuple[Trick, Played]]:
    """The open plays of which an event may have changed what can be said.

    Those of a seat that has just shown cards of the led group; those of whose seat it follows by counting
    that it must have held such cards; and those already held against somebody.
    """
    order = after.order
    assert order is not None
    seat: Seat | None = getattr(event, "seat", None)
    groups = {order.group(card) for card in new_cards(event)}
    leads = isinstance(event, Play) and event.seq == after.tricks[-1].lead.seq
    leads = leads or bool(match.known.impossible(new_cards(event), after.rules.pack.packs))
    held_against = {
        (c.seat, c.event)
        for c in match.claims.values()
        if c.check in FOLLOW_CHECKS and (leads or c.certainty != PROVEN)
    }
    must_hold = {(s, g): proof.forced(s, g) > 0 for s in SEATS for g in "SHCDT"} if proof.tight else {}
    for trick in after.tricks:
        for play in trick.plays:
            if not play.open:
                continue
            shown = play.seat == seat and (play.open in groups or play.seq == event.seq)
            if shown or (play.seat, play.seq) in held_against or must_hold.get((play.seat, play.open)):
                yield trick, play


def _follow_claim(
    event: Event, after: Deal, match: MatchState, proof: Proof, trick: Trick, play: Played
) -> Iterator[Claim | Drop]:
    status, verdict = proof.judge_follow(trick, play, play.cards)
    check = _check_of(trick, verdict)
    for old in match.claims.values():
        same = old.seat == play.seat and old.event == play.seq and old.check in FOLLOW_CHECKS
        if same and (old.check != check or status not in (Status.PROVEN, Status.PROVISIONAL)):
            yield Drop(old.key)
    if verdict is None or status not in (Status.PROVEN, Status.PROVISIONAL):
        return
    certainty = _certainty(after, match, proof, trick, play, status)
    order = after.order
    assert order is not None
    number = after.tricks.index(trick) + 1
    held = sorted(
        order.of_group(proof.held(play.seat, play.seq).elements(), play.open),
        key=lambda c: (order.place(c), c.index),
    )
    found = claim(
        check, "revoke" if check == "revoke" else "shape_not_followed", play.seat, play.seq,
        certainty=certainty,
        cards=play.cards, lead=pretty(trick.lead.cards), held=pretty(held), trick=number,
        owed=_shape_words(verdict), rests_on=_rests_on(trick, event, play),
    )  # fmt: skip
    established = after.tricks[-1] is not trick
    if not established:
        fines = after.rules.fines
        due = max((form.size for form in verdict.required), default=1)
        found = found.costing(points(fines.corrected_per_card * due))
    old_one = match.claims.get(found.key)
    if old_one is None or _differs(old_one, found):
        yield found


def _differs(old: Claim, new: Claim) -> bool:
    """Whether a finding says something new: surer, or of another cost. More of the same proof is not."""
    return (old.certainty, old.given, old.penalty) != (new.certainty, new.given, new.penalty)


def _rests_on(trick: Trick, event: Event, play: Played) -> tuple[int, ...]:
    return tuple(dict.fromkeys(seq for seq in (trick.lead.seq, event.seq) if seq != play.seq))


def _check_of(trick: Trick, verdict: Verdict | None) -> str:
    if verdict is None or verdict.problem != "shape":
        return "revoke"
    return FOLLOW["throw" if len(trick.units) > 1 else trick.units[0].kind]


def _shape_words(verdict: Verdict) -> dict[str, str]:
    """What was owed: so many cards of the suit, or the shape among them."""
    if not verdict.required:
        return words("owed_cards", count=verdict.suit_cards)
    named = {lang: _shape_names(verdict.required, lang) for lang in LANGUAGES}
    return {
        lang: text("shengji.owed_shape", lang, count=verdict.suit_cards, shape=named[lang])
        for lang in LANGUAGES
    }


def _shape_names(shape: Shape, lang: str) -> str:
    """The forms of a shape by name."""
    kinds = [(Unit(form.width, form.length, 0, ()).kind, form.length) for form in shape]
    return ("、" if lang == "zh" else ", ").join(text(f"shengji.{kind}", lang, length=n) for kind, n in kinds)


def _certainty(
    after: Deal, match: MatchState, proof: Proof, trick: Trick, play: Played, status: Status
) -> str:
    """Proven only by cards clearly read; a play whose other readings are legal is to be looked at."""
    if status is Status.PROVISIONAL:
        return PROVISIONAL
    if trick.lead.doubtful:
        return CHECK
    sure = Proof(after, match.known, sure=True)
    if sure.judge_follow(trick, play, play.cards)[0] is not Status.PROVEN:
        return CHECK
    if not play.doubtful:
        return PROVEN
    broken = [sure.judge_follow(trick, play, cards)[0] is Status.PROVEN for cards in play.readings]
    if not broken or not all(broken):
        return CHECK
    return LIKELY if play.unsure else PROVEN


def _throw_worth_judging(event: Event, after: Deal, trick: Trick, number: int) -> bool:
    units = trick.thrown_units or trick.units
    if len(units) < 2:
        return False
    if isinstance(event, ThrowStopped | ThrowForced) or (
        isinstance(event, Play) and event.seq == trick.lead.seq
    ):
        return number == len(after.tricks) - 1
    if after.over and trick.stopped:
        return True
    order = after.order
    assert order is not None
    group = order.group(units[0].cards[0])
    seat = getattr(event, "seat", None)
    return seat != trick.leader and any(order.group(card) == group for card in new_cards(event))


def _throw_claims(after: Deal, match: MatchState, proof: Proof, trick: Trick) -> Iterator[Claim | Drop]:
    """Whether a throw holds against what the others are proven to have held, and what was left of it."""
    order = after.order
    assert order is not None
    parts = trick.thrown_units or trick.units
    thrown = trick.thrown or trick.lead
    found = _stops(parts, trick, proof, after, order)
    shown = [stop for stop in trick.stopped if stop.cards]
    for stop in shown:
        if not any(s.seat == stop.seat for s in found):
            yield claim("throw_stop", "throw_stop_wrong", stop.seat, stop.seq, cards=stop.cards,
                        why=words("why_beats_nothing"), rests_on=(thrown.seq,))  # fmt: skip
    if found:
        failed = _throw_failed(after, match, trick, thrown, parts, found)
        old = match.claims.get(failed.key)
        if old is None or _differs(old, failed):
            yield failed
    elif trick.stopped and not shown and not any(proof.missing(s) for s in SEATS if s != trick.leader):
        # Every other hand is known and beats nothing: the objection was wrong.
        yield Drop(("throw_failed", trick.leader, thrown.seq, ""))
        for stop in trick.stopped:
            yield claim("throw_stop", "throw_stop_wrong", stop.seat, stop.seq, why=words("why_beats_nothing"))
    elif trick.stopped and not shown:
        yield claim(
            "throw_failed", "throw_failed", trick.leader, thrown.seq, certainty=PROVISIONAL,
            cards=thrown.cards, beaten=words("not_shown"), rests_on=tuple(stop.seq for stop in trick.stopped),
        )  # fmt: skip
    if trick.thrown is not None:
        yield from _forced_claims(after, trick, parts, found, proof)


def _stops(
    parts: tuple[Unit, ...], trick: Trick, proof: Proof, after: Deal, order: Order
) -> tuple[Stop, ...]:
    since = trick.lead.seq
    hands: dict[Seat, tuple[Card, ...]] = {}
    for seat in SEATS:
        if seat != trick.leader:
            hands[seat] = tuple(proof.held(seat, since).elements())
    return stops(parts, trick.leader, hands, order, after.rules.throw, after.tractors)


def _throw_failed(
    after: Deal,
    match: MatchState,
    trick: Trick,
    thrown: Played,
    parts: tuple[Unit, ...],
    found: tuple[Stop, ...],
) -> Claim:
    order = after.order
    assert order is not None
    certainty = PROVEN
    if thrown.doubtful or not _stops(parts, trick, Proof(after, match.known, sure=True), after, order):
        certainty = CHECK
    beaten = dict.fromkeys(stop.part for stop in found)
    result = claim(
        "throw_failed", "throw_failed", trick.leader, thrown.seq, certainty=certainty, cards=thrown.cards,
        beaten=words(
            "beaten", parts="; ".join(pretty(part.cards) for part in beaten),
            by="; ".join(f"{stop.seat}: {pretty(stop.with_cards)}" for stop in found),
        ),
        rests_on=tuple(stop.seq for stop in trick.stopped),
    )  # fmt: skip
    cost = fine(found, after.rules.throw)
    return result.costing(Penalty("points", cost)) if cost else result


def _forced_claims(
    after: Deal, trick: Trick, parts: tuple[Unit, ...], found: tuple[Stop, ...], proof: Proof
) -> Iterator[Claim | Drop]:
    """What stays of a failed throw must be a beaten part, the smallest of its kind (SJO-31)."""
    kept = trick.lead.cards
    unit = next((part for part in parts if sorted(map(str, part.cards)) == sorted(map(str, kept))), None)
    options = forced(parts, found, after.rules.throw)
    complete = not any(proof.missing(seat) for seat in SEATS if seat != trick.leader)
    why = ""
    if unit is None:
        why = "why_no_part"
    elif options and unit not in options:
        kind = (unit.width, unit.length) in {(o.width, o.length) for o in options}
        if complete or (kind and after.rules.throw.choice == "next_player"):
            why = "why_not_due"
    elif len(options) > 1 and after.rules.throw.choice == "next_player":
        chooser = next_seat(trick.leader)
        if trick.forced_by is not None and trick.forced_by != chooser:
            why = "why_chooser"
    if why:
        yield claim(
            "throw_forced", "throw_forced_wrong", trick.leader, trick.forced_seq, cards=kept, why=words(why),
            due="; ".join(pretty(option.cards) for option in options), rests_on=(trick.lead.seq,),
            certainty=CHECK if trick.lead.doubtful or (trick.thrown or trick.lead).doubtful else PROVEN,
        )  # fmt: skip
