"""The state of a deal of Shengji: trump, kitty and tricks as the record tells them, legal or not."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace

from table.cards import Card
from table.events import (
    DrawEnded,
    Event,
    KittyLaid,
    KittyRevealed,
    KittyTaken,
    KittyTurned,
    Play,
    TakenBack,
    ThrowForced,
    ThrowStopped,
    TrumpNamed,
    TrumpShown,
    UnknownEvent,
)
from table.evolve import evolve
from table.match import doubtful as doubtful_reading
from table.match import from_cameras, may_be_nothing, open_ended, unlisted
from table.rulesets import Profile
from table.seats import SEATS, Seat, Side, side_of
from table.shengji.bidding import Bidding, applied, first_banker, show, taken_back, turned_suit
from table.shengji.follow import rank
from table.shengji.formats import Tractors, Unit, card_columns
from table.shengji.keys import Rules
from table.shengji.order import NO_TRUMP, Order, order_for
from table.shengji.structure import spoken_reading
from table.shengji.trick import FOUR, Played, Stopped, Trick
from table.shengji.tricks import is_bomb
from table.shengji.tricks import trick as decide


@dataclass(frozen=True)
class Deal:
    """A deal (副) as far as it has gone.

    `first` is a deal whose bank is bid for; `fixed` where the record gives trump in advance; `fines` are
    points that the attackers gain (or lose, negative) by rulings; `verdicts` rulings that change the band.
    `gap`: something of this deal is missing in the record: nothing about its tricks is certain.
    """

    profile: Profile
    rules: Rules
    number: int
    began: int
    level: str
    banker: Seat | None = None
    first: bool = False
    trump: str | None = None
    fixed: bool = False
    bidding: Bidding = field(default_factory=lambda: Bidding(None))
    turned: tuple[Card, ...] = ()
    named_by: Seat | None = None
    draw_ended: tuple[int, float | None] | None = None
    taken: tuple[tuple[int, Seat], ...] = ()
    laid: tuple[tuple[int, Seat], ...] = ()
    kitty: tuple[Card, ...] | None = None
    tricks: tuple[Trick, ...] = ()
    strays: tuple[Played, ...] = ()
    out: tuple[int, int, int, int] = (0, 0, 0, 0)
    shown: tuple[Card, ...] = ()
    fines: int = 0
    verdicts: tuple[tuple[str, Side], ...] = ()
    replayed: bool = False
    gap: bool = False

    @property
    def order(self) -> Order | None:
        """The order of the cards, once trump is known."""
        if self.trump is None:
            return None
        pack = self.rules.pack
        return order_for(
            self.level, self.trump, permanent=pack.permanent_trumps, across_level=pack.tractor_across_level
        )

    @property
    def tractors(self) -> Tractors:
        """What a tractor must have."""
        return Tractors(self.rules.pack.tractor_min_width, self.rules.pack.tractor_min_length)

    @property
    def closed(self) -> bool:
        """Whether the time for declaring is over: the kitty has been taken, or a trick led."""
        return bool(self.taken or self.laid or self.tricks)

    @property
    def current(self) -> Trick | None:
        """The trick on the table, None between tricks."""
        return self.tricks[-1] if self.tricks and not self.tricks[-1].done else None

    @property
    def leader(self) -> Seat | None:
        """Who leads next between tricks: the banker, then the winner of each trick (SJO-22)."""
        if not self.tricks:
            return self.banker
        return self.tricks[-1].winner if self.tricks[-1].done else None

    @property
    def turn(self) -> Seat | None:
        """Who plays next, where that follows."""
        if self.over:
            return None
        return self.current.turn if self.current else self.leader

    @property
    def over(self) -> bool:
        """Whether every card has been played."""
        return self.current is None and bool(self.tricks) and self.left_total <= 0

    @property
    def left_total(self) -> int:
        """Cards still in the four hands."""
        return FOUR * self.rules.hand_size - sum(self.out)

    def left(self, seat: Seat) -> int:
        """Cards that a seat should still hold, the kitty not counted while the banker has it up."""
        return self.rules.hand_size - self.out[seat]

    def seen(self, seat: Seat) -> bool:
        """Whether cameras counted what a seat has played: they may have missed cards or read some twice."""
        plays = (*self.strays, *(play for trick in self.tricks for play in trick.plays))
        return any(play.seat == seat and play.seen for play in plays)

    def kitty_up(self) -> Seat | None:
        """The seat that has taken the kitty and not laid it yet."""
        return self.taken[-1][1] if len(self.taken) > len(self.laid) else None

    @property
    def final_kitty(self) -> tuple[Card, ...] | None:
        """The kitty: as seen, or what is left over when every card has been played."""
        if self.kitty is not None:
            return self.kitty
        if not self.over:
            return None
        left = self.rules.cards
        left.subtract(self.shown)
        if min(left.values()) < 0 or left.total() != self.rules.pack.kitty_size:
            return None
        return tuple(left.elements())

    def attackers_points(self) -> int:
        """Points of the tricks that the attackers have won (SJO-47), without kitty and fines."""
        if self.banker is None:
            return 0
        side = side_of(self.banker)
        return sum(t.points for t in self.tricks if t.winner is not None and side_of(t.winner) != side)


def record(deal: Deal, event: Event) -> Deal:
    """The deal after an event: recorded, never refused."""
    match event:
        case DrawEnded():
            return evolve(deal, draw_ended=(event.seq, event.at))
        case TrumpShown():
            return _shown(deal, event)
        case KittyTurned(card=card):
            deal = evolve(deal, turned=(*deal.turned, card))
            return deal if deal.fixed or deal.bidding.shown else evolve(deal, trump=_turned(deal))
        case TrumpNamed(seat=seat, suit=suit):
            if deal.fixed or deal.bidding.shown:
                return deal
            return evolve(deal, trump=suit, named_by=seat)
        case KittyTaken(seat=seat):
            return _bank(evolve(deal, taken=(*deal.taken, (event.seq, seat))), seat)
        case KittyLaid(seat=seat, cards=cards):
            deal = evolve(deal, laid=(*deal.laid, (event.seq, seat)), kitty=cards)
            return _bank(deal, seat)
        case KittyRevealed(cards=cards):
            return evolve(deal, kitty=cards)
        case Play():
            return _played(deal, event, doubtful_reading(deal.profile, event))
        case ThrowStopped(seat=seat, cards=cards):
            return _stopped(deal, Stopped(event.seq, seat, cards or ()))
        case ThrowForced():
            return _forced(deal, event)
        case TakenBack(seat=seat, cards=cards):
            return _taken_back(deal, seat, cards)
        case UnknownEvent():
            return evolve(deal, gap=True)
        case _:
            return deal


def lead_units(deal: Deal, cards: tuple[Card, ...], says: str | None) -> tuple[Unit, ...]:
    """The structure of a lead; empty where trump is unknown or the cards are of several suits."""
    order = deal.order
    if order is None or order.only_group(cards) is None:
        return ()
    return spoken_reading(cards, says, order, deal.tractors)


def _bank(deal: Deal, seat: Seat) -> Deal:
    return deal if deal.banker is not None else evolve(deal, banker=seat)


def _shown(deal: Deal, event: TrumpShown) -> Deal:
    shown = show(deal.bidding, event.seat, event.cards, deal.rules, after_kitty=deal.closed)
    if deal.fixed or shown.problem or shown.declaration is None:
        return deal
    bidding = applied(deal.bidding, shown)
    return _declared(evolve(deal, bidding=bidding))


def _declared(deal: Deal) -> Deal:
    """Trump and, in a first deal, the bank after the declarations so far."""
    standing = deal.bidding.standing
    trump = None if standing is None else standing.trump or NO_TRUMP
    banker = deal.banker
    if deal.first and not deal.taken:
        banker = first_banker(deal.bidding, deal.rules)
    return evolve(deal, trump=trump, banker=banker)


def _turned(deal: Deal) -> str | None:
    declare = deal.rules.declare
    procedure = declare.nobody_first_deal if deal.first else declare.nobody
    return turned_suit(deal.turned, deal.level, procedure, deal.rules.pack.kitty_size)


def _count(deal: Deal, seat: Seat, by: int) -> tuple[int, int, int, int]:
    a, b, c, d = (n + (by if s == seat else 0) for s, n in zip(SEATS, deal.out, strict=True))
    return a, b, c, d


def _played(deal: Deal, event: Play, doubtful: bool) -> Deal:
    vague = unlisted(deal.profile, event)
    readings = () if vague else tuple(cards for cards, _ in event.alternatives)
    play = Played(
        event.seq, event.seat, event.cards, event.says, "", doubtful, open_ended(deal.profile, event),
        readings, may_be_nothing(deal.profile, event), from_cameras(event),
        len(event.extra.get("unread") or ()),
    )  # fmt: skip
    deal = evolve(deal, out=_count(deal, event.seat, len(event.cards)), shown=(*deal.shown, *event.cards))
    current = deal.current
    if current is None:
        banker = deal.banker if deal.banker is not None else event.seat
        trick = Trick(event.seat, (play,), lead_units(deal, event.cards, event.says))
        return evolve(deal, banker=banker, tricks=(*deal.tricks, trick))
    if current.play_of(event.seat) is not None:
        return evolve(deal, strays=(*deal.strays, play))
    play = replace(play, open=_open(deal, current, play))
    return _with_trick(deal, _judged(deal, evolve(current, plays=(*current.plays, play))))


def _open(deal: Deal, trick: Trick, play: Played) -> str:
    """The led group, where a follower's play leaves it open whether he had to play otherwise."""
    order = deal.order
    if order is None or not trick.units or len(play.cards) != len(trick.lead.cards):
        return ""
    group = order.group(trick.units[0].cards[0])
    followed = order.of_group(play.cards, group)
    if deal.rules.ruff.bombs == "any_time" and is_bomb(play.cards):
        return ""
    if len(followed) == len(play.cards):
        answer = rank(trick.units, card_columns(followed, order), deal.rules.follow)
        return group if any(answer) else ""
    return group


def _with_trick(deal: Deal, trick: Trick) -> Deal:
    return evolve(deal, tricks=(*deal.tricks[:-1], trick))


def _judged(deal: Deal, trick: Trick) -> Trick:
    """The trick with its result, when all four have played."""
    order = deal.order
    if not trick.done or not trick.units or order is None:
        return evolve(trick, result=None)
    in_order = [trick.play_of((trick.leader + step) % 4) for step in range(FOUR)]
    plays = [play.cards for play in in_order if play is not None]
    return evolve(trick, result=decide(trick.units, plays, order, deal.rules.ruff))


def _stopped(deal: Deal, stop: Stopped) -> Deal:
    if not deal.tricks:
        return deal
    trick = deal.tricks[-1]
    return _with_trick(deal, evolve(trick, stopped=(*trick.stopped, stop)))


def _forced(deal: Deal, event: ThrowForced) -> Deal:
    """Cut the throw on the table down to what stays there (强制出小)."""
    if not deal.tricks or deal.tricks[-1].leader != event.seat or deal.tricks[-1].thrown is not None:
        return deal
    trick = deal.tricks[-1]
    back = tuple((Counter(trick.lead.cards) - Counter(event.cards)).elements())
    lead = replace(trick.lead, cards=event.cards)
    trick = evolve(
        trick,
        plays=(lead, *trick.plays[1:]),
        units=lead_units(deal, event.cards, None),
        thrown=trick.lead,
        thrown_units=trick.units,
        forced_seq=event.seq,
        forced_by=event.chosen_by,
    )
    left = Counter(deal.shown) - Counter(back)
    deal = evolve(deal, out=_count(deal, event.seat, -len(back)), shown=tuple(left.elements()))
    return _with_trick(deal, _judged(deal, trick))


def _taken_back(deal: Deal, seat: Seat, cards: tuple[Card, ...]) -> Deal:
    """Undo the seat's last play of these cards; a lead taken back ends its trick if nobody has followed."""
    wanted = Counter(cards)
    left = Counter(deal.shown) - wanted
    undone = evolve(deal, out=_count(deal, seat, -len(cards)), shown=tuple(left.elements()))
    for stray in reversed(deal.strays):
        if stray.seat == seat and Counter(stray.cards) == wanted:
            return evolve(undone, strays=tuple(s for s in deal.strays if s is not stray))
    if deal.tricks:
        trick = deal.tricks[-1]
        play = trick.play_of(seat)
        if play is not None and Counter(play.cards) == wanted:
            rest = tuple(p for p in trick.plays if p is not play)
            if not rest:
                return evolve(undone, tricks=deal.tricks[:-1])
            if play is trick.lead:
                return evolve(undone, strays=(*deal.strays, *rest), tricks=deal.tricks[:-1])
            return _with_trick(undone, evolve(trick, plays=rest, result=None))
    if not deal.taken and deal.rules.declare.take_back and not deal.fixed:
        return _declared(evolve(deal, bidding=taken_back(deal.bidding, seat)))
    return deal
