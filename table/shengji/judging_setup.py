"""Judges what comes before the tricks: bank, level, declarations, kitty; counts of hands, exposed cards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from table.clock import GRAIN
from table.events import (
    DealStarted,
    Dealt,
    Event,
    Exposed,
    HandCount,
    KittyLaid,
    KittyRevealed,
    KittyTaken,
    KittyTurned,
    Moved,
    TrumpNamed,
    TrumpShown,
)
from table.findings import CHECK, LIKELY, PROVEN, Claim
from table.match import MatchState
from table.penalties import Penalty
from table.seats import partner, side_of
from table.shengji.bidding import show
from table.shengji.claims import DECLARE, claim, points, pretty, sureness, words
from table.shengji.deal import Deal
from table.shengji.order import NO_TRUMP


def judge_start(deal: Deal, event: DealStarted, match: MatchState) -> Iterable[Claim]:
    """What the record says about bank, level and trump, against what follows from the deals before."""
    due = match.standing.memory.banker
    if match.begun > 1 and match.begun - 1 not in match.results:
        # The deal before was not recorded to its end: nothing follows from it.
        yield from _forbidden(deal, event.trump, event)
        return
    if event.banker is not None and due is not None and event.banker != due:
        yield claim(
            "banker_differs", "wrong_banker", None, event.seq, banker=event.banker, due=due, side=side_of(due)
        )
    if event.level is not None:
        levels = match.base.levels
        sides = (0, 1) if deal.banker is None else (side_of(deal.banker),)
        if event.level not in {levels[side] for side in sides}:
            due_level = " / ".join(dict.fromkeys(levels[side] for side in sides))
            yield claim("level_differs", "wrong_level", None, event.seq, level=event.level, due=due_level)
    yield from _forbidden(deal, event.trump, event)


def _forbidden(deal: Deal, trump: str | None, event: Event) -> Iterable[Claim]:
    if trump == NO_TRUMP and not deal.rules.declare.no_trump:
        seat = getattr(event, "seat", None)
        yield claim("trump_forbidden", "trump_declaration_invalid", seat, event.seq)


def judge_setup(before: Deal, event: Event, after: Deal, match: MatchState) -> Iterable[Claim]:
    """All that an event outside the tricks shows."""
    match event:
        case TrumpShown():
            yield from _shown(before, event)
        case TrumpNamed(seat=seat):
            declare = before.rules.declare
            due = declare.nobody_first_deal if before.first else declare.nobody
            right = before.banker is None or seat == partner(before.banker)
            if due != "partner_names" or before.bidding.shown or before.fixed or not right:
                yield claim("trump_named", "trump_declaration_invalid", seat, event.seq)
            yield from _forbidden(before, event.suit, event)
        case KittyTurned(card=card):
            yield from _turned(before, event.seq, pretty((card,)))
        case KittyTaken():
            yield from _taken(before, event)
        case KittyLaid():
            yield from _laid(before, event)
        case KittyRevealed():
            yield from _revealed(before, event, match)
        case HandCount():
            yield from _counted(after, event, match)
        case Dealt(seat=seat, cards=cards) if len(cards) != before.rules.hand_size:
            yield claim(
                "card_count", "card_count", seat, event.seq, count=len(cards), due=before.rules.hand_size
            )
        case Exposed(seat=seat, cards=cards) if match.profile.rule("exposed_card"):
            found = claim("exposed_card", "exposed_card", seat, event.seq, cards=cards,
                          certainty=sureness(match.profile, event))  # fmt: skip
            per_card = before.rules.fines.exposed_per_card
            yield found.costing(points(per_card * len(cards))) if per_card else found
        case Moved(seat=seat, what=what) if match.profile.rule("information"):
            yield claim("information", "information", seat, event.seq, what=what, certainty=LIKELY)


def _shown(before: Deal, event: TrumpShown) -> Iterable[Claim]:
    def problem(cards: tuple[object, ...]) -> str:
        shown = show(before.bidding, event.seat, cards, before.rules, after_kitty=before.closed)  # type: ignore[arg-type]
        return "fixed" if before.fixed else shown.problem

    found = problem(event.cards)
    if not found:
        return
    standing = before.bidding.standing
    yield claim(
        DECLARE[found],
        "trump_declaration_invalid",
        event.seat,
        event.seq,
        cards=event.cards,
        certainty=sureness(before.profile, event, lambda cards: bool(problem(cards))),
        why=words(f"why_{found}"),
        standing=pretty((standing.card,) * standing.count) if standing else "",
    )


def _turned(before: Deal, seq: int, card: str) -> Iterable[Claim]:
    declare = before.rules.declare
    procedure = declare.nobody_first_deal if before.first else declare.nobody
    if before.fixed or before.bidding.shown:
        yield claim(
            "nobody_declared", "trump_declaration_invalid", None, seq, card=card, why=words("why_declared")
        )
    elif procedure in ("redeal", "partner_names"):
        yield claim(
            "nobody_declared",
            "trump_declaration_invalid",
            None,
            seq,
            card=card,
            why=words(f"why_{procedure}"),
        )


def _taken(before: Deal, event: KittyTaken) -> Iterable[Claim]:
    standing = before.bidding.standing
    fried = before.rules.declare.after_kitty and before.laid and standing is not None
    due = standing.seat if fried and standing is not None else before.banker
    if due is not None and event.seat != due:
        yield claim("kitty_seat", "kitty_wrong_seat", event.seat, event.seq, due=due)
    if before.trump is None:
        yield claim("kitty_before_trump", "early_kitty", event.seat, event.seq)
    if before.draw_ended is not None and not before.taken:
        ended, pause = before.draw_ended[1], before.rules.declare.pause
        if ended is not None and event.at is not None and event.at - ended < pause - GRAIN:
            yield claim(
                "early_kitty", "early_kitty", event.seat, event.seq, elapsed=f"{event.at - ended:.1f}",
                pause=f"{pause:g}", rests_on=(before.draw_ended[0],),
            )  # fmt: skip
    if event.cards is not None:
        yield from _kitty_size(before, event, len(event.cards))


def _laid(before: Deal, event: KittyLaid) -> Iterable[Claim]:
    taker = before.kitty_up()
    due = taker if taker is not None else before.banker
    if due is not None and event.seat != due:
        yield claim("kitty_seat", "kitty_wrong_seat", event.seat, event.seq, due=due)
    if event.cards is not None:
        yield from _kitty_size(before, event, len(event.cards))


def _kitty_size(deal: Deal, event: KittyTaken | KittyLaid | KittyRevealed, count: int) -> Iterable[Claim]:
    if count != deal.rules.pack.kitty_size:
        seat = getattr(event, "seat", deal.banker)
        yield claim(
            "kitty_count", "kitty_count", seat, event.seq, count=count, due=deal.rules.pack.kitty_size,
            certainty=sureness(deal.profile, event),
        )  # fmt: skip


def _revealed(before: Deal, event: KittyRevealed, match: MatchState) -> Iterable[Claim]:
    yield from _kitty_size(before, event, len(event.cards))
    sure = sureness(before.profile, event)
    if before.laid and before.kitty is not None and Counter(before.kitty) != Counter(event.cards):
        seat = before.laid[-1][1]
        yield claim("kitty_changed", "kitty_changed", seat, event.seq, laid=pretty(before.kitty),
                    cards=event.cards, certainty=sure)  # fmt: skip
        return
    packs = before.rules.cards
    shown = Counter(before.shown)
    extra = [card for card, n in Counter(event.cards).items() if n + shown[card] > packs[card]]
    for card in extra:
        # Cards that were read with doubt prove nothing against those of the kitty.
        seen = sum(hand.held(sure=True)[card] for hand in match.known.hands) + event.cards.count(card)
        yield claim(
            "card_impossible", "card_impossible", None, event.seq,
            copies=shown[card] + event.cards.count(card), packs=packs[card],
            cards=(card,), detail=str(card), certainty=sure if seen > packs[card] else CHECK,
        )  # fmt: skip


def _counted(after: Deal, event: HandCount, match: MatchState) -> Iterable[Claim]:
    if not (after.draw_ended or after.closed):
        return
    kitty = after.rules.pack.kitty_size if after.kitty_up() == event.seat else 0
    due = after.left(event.seat) + kitty
    if event.count == due:
        return
    sure = CHECK if after.seen(event.seat) else PROVEN
    found = claim(
        "card_count", "card_count", event.seat, event.seq, count=event.count, due=due, certainty=sure
    )
    levels = after.rules.fines.wrong_count_levels
    if not levels:
        yield found
        return
    others = [
        old
        for old in match.claims.values()
        if old.check == "card_count" and old.event > after.began and old.offender != side_of(event.seat)
    ]
    cost = Penalty("replay_deal") if others else points(levels * after.rules.levels.step)
    yield found.costing(cost)
    for old in others:
        yield old.costing(Penalty("replay_deal"))
