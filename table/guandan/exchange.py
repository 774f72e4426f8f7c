"""Judges tribute, return and refusal: at once where cards show it, later when a hand is proven to have
held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from table.cards import Card
from table.events import Event, Play, Tribute, TributeRefused, TributeReturn
from table.findings import CHECK, LIKELY, PROVEN, PROVISIONAL, Claim, Drop
from table.guandan.combos import rank_value, wild_of
from table.guandan.deal import Deal
from table.guandan.tribute import (
    BIG_JOKER,
    Given,
    equal_ranks,
    may_be_returned,
    may_refuse,
    pays_high,
    receivers,
)
from table.knowledge import Knowledge, new_cards
from table.match import MatchState, doubtful
from table.seats import SEATS, Seat

Found = Iterator[Claim | Drop]


def judge_exchange(before: Deal, event: Event, after: Deal, match: MatchState) -> Found:
    """What an event shows about the exchange of its deal."""
    exchange = after.exchange
    match event:
        case Tribute() | TributeReturn():
            yield from _not_due(before, event)
            yield from _receivers(after, event)
        case TributeRefused():
            yield from _refusal(after, event, match.known)
        case Play() if not before.started:
            yield from _missing(after, event)
    if not exchange.payers:
        return
    shown = new_cards(event)
    if not shown:
        return
    known = audited(match.known, match.profile.whole("packs")) if after.over else match.known
    for given in exchange.paid:
        if given.card is not None and (after.over or _bears_on(event, given, after.level)):
            yield from _highest(given, after, known)
    for given in exchange.returned:
        if given.card is not None and (after.over or getattr(event, "seat", None) == given.seat):
            yield from _low(given, after, known)
    if exchange.refused is not None or (after.started and not exchange.all_paid):
        yield from _entitlement(after, known)


def _bears_on(event: Event, given: Given, level: str) -> bool:
    """Whether an event can say anything new about a card of tribute: the payer shows a higher one."""
    if getattr(event, "seat", None) != given.seat or given.card is None:
        return False
    paid = pays_high(given.card, level)
    return event.seq == given.seq or any(pays_high(card, level) > paid for card in new_cards(event))


def audited(known: Knowledge, packs: int) -> Knowledge:
    """The knowledge at the end of a deal: what the last seat still holds follows from all the others'
    cards."""
    sizes = [hand.held().total() for hand in known.hands]
    open_ = [seat for seat in SEATS if sizes[seat] < 27]
    if len(open_) != 1:
        return known
    return known.completed(open_[0], packs)


def _not_due(before: Deal, event: Tribute | TributeReturn) -> Found:
    exchange = before.exchange
    returning = isinstance(event, TributeReturn)
    owing = exchange.winners if returning else exchange.payers
    if event.seat not in owing or before.started or (exchange.refused is not None and before.exchange.done):
        check = "return_not_due" if returning else "tribute_not_due"
        yield Claim(check, "tribute_not_due", event.seat, event.seq, cards=new_cards(event))


def _receivers(after: Deal, event: Tribute | TributeReturn) -> Found:
    """Whether tribute and return go where they belong (GDO-31, GDO-33, GDE-22)."""
    exchange = after.exchange
    bound = receivers(exchange, after.level, after.profile)
    if not bound:
        return
    equal = equal_ranks(exchange, after.level)
    if isinstance(event, Tribute):
        for given in exchange.paid:
            wanted = bound.get(given.seat)
            if given.to is not None and wanted is not None and given.to != wanted:
                yield Claim(
                    "tribute_order" if equal else "tribute_wrong_receiver",
                    "tribute_wrong_receiver",
                    given.seat,
                    given.seq,
                    PROVEN if given.sure else CHECK, fields={"to": given.to, "wanted": wanted},
                    cards=(given.card,) if given.card else (),
                )  # fmt: skip
        return
    back = {winner: payer for payer, winner in bound.items()}
    wanted = back.get(event.seat)
    if event.to is not None and wanted is not None and event.to != wanted:
        yield Claim(
            "return_wrong_receiver", "tribute_wrong_receiver", event.seat, event.seq,
            fields={"to": event.to, "wanted": wanted}, cards=new_cards(event),
        )  # fmt: skip
    yield from _together(after, event)


def _together(after: Deal, event: TributeReturn) -> Found:
    """Both returns of a double are turned over together (GDO-32)."""
    within = after.profile.number("tribute.return_together_within")
    shown = [item for item in after.exchange.returned if item.card is not None and item.at is not None]
    if not within or not after.exchange.double or len(shown) != 2 or event.card is None:
        return
    first, second = shown
    if first.at is not None and second.at is not None and abs(second.at - first.at) > within:
        yield Claim(
            "return_not_together", "return_not_together", second.seat, second.seq, LIKELY,
            fields={"gap": f"{second.at - first.at:.0f}"}, rests_on=(first.seq,),
        )  # fmt: skip


def _highest(given: Given, deal: Deal, known: Knowledge) -> Found:
    """Tribute is the highest card but the wild (GDO-26): proven wrong by a higher one that was in hand."""
    assert given.card is not None
    paid = pays_high(given.card, deal.level)
    wild = wild_of(deal.level)
    claim = Claim(
        "tribute_not_highest", "tribute_not_highest", given.seat, given.seq,
        cards=(given.card,), fields={"higher": ""},
    )  # fmt: skip
    if given.card == wild:
        yield _surely(claim, PROVEN if given.sure else CHECK, wild.pretty)
        return
    hand = known.hand(given.seat)
    held = _higher(hand.held(given.seq), paid, deal.level)
    if not held:
        return
    sure = _higher(hand.held(given.seq, sure=True), paid, deal.level)
    unseen = hand.unseen_in(given.seq)
    certainty = CHECK if given.sure is False else PROVEN
    if sure.total() <= unseen:
        certainty = CHECK if held.total() > unseen else PROVISIONAL
    yield _surely(claim, certainty, " ".join(card.pretty for card in held))


def _higher(held: Counter[Card], paid: int, level: str) -> Counter[Card]:
    return Counter({card: n for card, n in held.items() if pays_high(card, level) > paid})


def _surely(claim: Claim, certainty: str, higher: str) -> Claim:
    return Claim(claim.check, claim.kind, claim.seat, claim.event, certainty, {"higher": higher}, claim.cards)


def _low(given: Given, deal: Deal, known: Knowledge) -> Found:
    """A return is at most a ten; without one, the smallest card (GDO-28, GDO-29)."""
    assert given.card is not None
    profile, level = deal.profile, deal.level
    if may_be_returned(given.card, level, profile):
        return
    any_card = profile.word("tribute.no_low_card") == "any"
    hand = known.hand(given.seat)
    held, sure = hand.held(given.seq), hand.held(given.seq, sure=True)
    value = rank_value(given.card.rank, level)

    def wrong(card: Card) -> bool:
        return may_be_returned(card, level, profile) or (
            not any_card and rank_value(card.rank, level) < value
        )

    proof = [card for card in held if wrong(card)]
    sure_proof = [card for card in sure if wrong(card)]
    low = [card for card in proof if may_be_returned(card, level, profile)]
    smaller = bool(proof) and not low
    claim = Claim(
        "return_not_smallest" if smaller else "return_too_high", "return_too_high", given.seat, given.seq,
        PROVISIONAL, {"lower": " ".join(card.pretty for card in proof)}, (given.card,),
    )  # fmt: skip
    other = Claim("return_too_high" if smaller else "return_not_smallest", "", given.seat, given.seq)
    if proof:
        certainty = PROVEN if sure_proof and given.sure else CHECK
        yield Drop(other.key)
        yield Claim(claim.check, claim.kind, claim.seat, claim.event, certainty, claim.fields, claim.cards)
        return
    complete = hand.at(given.seq) is not None or (deal.over and _all_shown(known, given.seat))
    yield Drop(claim.key) if complete else claim


def _all_shown(known: Knowledge, seat: Seat) -> bool:
    return known.hand(seat).held().total() >= 27


def _missing(after: Deal, event: Play) -> Found:
    """Play began although something was still due."""
    exchange = after.exchange
    if not exchange.payers or exchange.refused is not None:
        return
    paid = {item.seat for item in exchange.paid}
    for payer in exchange.payers:
        if payer not in paid:
            yield Claim("tribute_missing", "tribute_missing", payer, event.seq, PROVISIONAL)
    returned = {item.seat for item in exchange.returned}
    if paid >= set(exchange.payers):
        for winner in exchange.winners:
            if winner not in returned:
                yield Claim("return_missing", "return_missing", winner, event.seq, _unseen(after))


def _unseen(after: Deal) -> str:
    """How sure it is that something was not done: cameras may not have seen it being done."""
    return CHECK if after.gap or after.watched else PROVEN


def _entitlement(after: Deal, known: Knowledge) -> Found:
    """Whether the payers held both big jokers: what refused or missing tribute turns on (GDO-35)."""
    exchange = after.exchange
    held = sum(known.hand(seat).held()[BIG_JOKER] for seat in exchange.payers)
    elsewhere = sum(
        known.hand(seat).held(sure=True)[BIG_JOKER] for seat in SEATS if seat not in exchange.payers
    )
    packs = after.profile.whole("packs")
    unseen = sum(known.hand(seat).unseen_in(0) for seat in SEATS)
    lead = after.lead_seq
    if exchange.refused is None and lead is not None:
        paid = {item.seat for item in exchange.paid}
        for payer in (seat for seat in exchange.payers if seat not in paid):
            claim = Claim("tribute_missing", "tribute_missing", payer, lead, PROVISIONAL)
            entitled = held >= 2
            if entitled and after.profile.word("tribute.refusal") == "automatic":
                yield Drop(claim.key)
            elif entitled or elsewhere > packs - 2 + unseen:
                yield Claim(claim.check, claim.kind, payer, lead, _unseen(after))
    if exchange.refused is not None:
        check = "refusal_not_entitled_double" if exchange.double else "refusal_not_entitled"
        claim = Claim(check, "refusal_not_entitled", exchange.refuser, exchange.refused, PROVEN)
        if held >= 2:
            yield Drop(claim.key)
        elif elsewhere > packs - 2 + unseen:
            yield claim


def _refusal(after: Deal, event: TributeRefused, known: Knowledge) -> Found:
    exchange = after.exchange
    check = "refusal_not_entitled_double" if exchange.double else "refusal_not_entitled"
    seat = exchange.refuser
    if not exchange.payers or not set(event.seats) <= set(exchange.payers):
        yield Claim(check, "refusal_not_entitled", seat, event.seq, cards=event.cards or ())
        return
    held = sum((known.hand(payer).held() for payer in exchange.payers), Counter())
    if may_refuse(event.cards or ()) or may_refuse(held.elements()):
        return
    whole = all(known.hand(payer).at(event.seq) is not None for payer in exchange.payers)
    certainty = PROVEN if whole or event.cards else PROVISIONAL
    if event.cards and doubtful(after.profile, event):
        certainty = CHECK
    yield Claim(check, "refusal_not_entitled", seat, event.seq, certainty, cards=event.cards or ())
