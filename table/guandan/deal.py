"""A deal (副) of Guandan as it is recorded: hands by count, the exchange, tricks, who is out, count calls."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Final

from table.cards import Card
from table.events import (
    CountAsked,
    CountCalled,
    DealStarted,
    DrawEnded,
    Event,
    HandCount,
    Pass,
    Play,
    TakenBack,
    Tribute,
    TributeRefused,
    TributeReturn,
    TurnedUp,
    UnknownEvent,
)
from table.evolve import evolve
from table.guandan.combos import ComboRules
from table.guandan.counting import (
    NOTHING_HEARD,
    Duty,
    Heard,
    ReadPlay,
    asked,
    called,
    counted,
    duties_after,
    may_explain,
    not_out,
    put,
    turn_counted,
    unsure_of,
    with_play,
)
from table.guandan.tribute import Exchange, exchange_after, first_leaders, recorded
from table.guandan.trick import Top, Trick, Verdict, between, following, meaning_of, verdict_on
from table.match import doubtful, from_cameras, may_be_nothing, open_ended, unlisted
from table.rulesets import Profile
from table.seats import SEATS, Seat, partner, side_of

HAND_SIZE: Final = 27
_NEARLY_OUT: Final = 4
"""With so few cards by a count that is not sure a seat may be out, or may not."""
NOTHING_DUE: Final = Exchange()
FIRST_TRICK: Final = Trick()


@dataclass(frozen=True, slots=True)
class Turn:
    """Whether the latest play or pass came in turn.

    Attributes:
        seq: of the event.
        fault: `""`, `out_of_turn`, `wrong_leader`, `wrong_first_leader`, `wrong_first_leader_double`,
            `wrong_first_leader_refused`, `wrong_leader_relay`, `pass_on_lead`.
        expected: who could have acted.
        sure: whose turn it was is not in dispute.
    """

    seq: int
    fault: str = ""
    expected: tuple[Seat, ...] = ()
    sure: bool = True


@dataclass(frozen=True)
class Deal:
    """The state of one deal.

    Attributes:
        finish_before: seats of the deal before, first out first; None in a first deal.
        left: cards that each seat has left; `count_sure`: that number is not in dispute.
        out: seats without cards, first out first.
        drawn_seq: number of the event that ended the draw; None before.
        last_act: number of the latest event that gave the turn to somebody.
        plays: each seat's plays so far (number of the event, cards), for what is taken back.
        undo: the deal before the latest play (without an undo of its own).
        moved_last: seats that a penalty makes the last of the deal.
        gap: something of this deal is missing in the record: nothing about turns is certain.
        turn_open: a play or pass of this trick may not have happened, or not as cameras read it: whose turn it is is
            not certain.
        watched: cameras read plays of this deal; what they read is kept in `read` until a call confirms the count.
        heard: what each seat's calls say of the count held.
        lead_sure: the first play of the deal has been seen, and nothing before it is missing.
    """

    profile: Profile
    rules: ComboRules
    level: str
    number: int
    finish_before: tuple[Seat, ...] | None = None
    expected_level: str | None = None
    stated: tuple[tuple[Seat, ...], tuple[Seat, ...]] | None = None
    unfinished_before: bool = False
    extra: bool = False
    declarer: int | None = None
    exchange: Exchange = NOTHING_DUE
    turned_up: TurnedUp | None = None
    dealt: tuple[Seat, ...] = ()
    left: tuple[int, int, int, int] = (HAND_SIZE,) * 4
    count_sure: tuple[bool, bool, bool, bool] = (True,) * 4
    trick: Trick = FIRST_TRICK
    out: tuple[Seat, ...] = ()
    drawn_seq: int | None = None
    last_act: int = 0
    lead_seq: int | None = None
    first_leader: Seat | None = None
    duties: tuple[Duty, ...] = ()
    called: tuple[Seat, ...] = ()
    plays: tuple[tuple[Seat, int, tuple[Card, ...]], ...] = ()
    verdict: Verdict | None = None
    turn: Turn | None = None
    undo: Deal | None = None
    moved_last: tuple[Seat, ...] = ()
    gap: bool = False
    turn_open: bool = False
    watched: bool = False
    read: tuple[ReadPlay, ...] = ()
    heard: tuple[Heard, Heard, Heard, Heard] = NOTHING_HEARD
    lead_sure: bool = True

    @property
    def started(self) -> bool:
        """A card has been played."""
        return self.lead_seq is not None

    @property
    def over(self) -> bool:
        """The result is decided: two partners are out first, or three seats are out."""
        if self.extra and self.out:
            return True
        return len(self.out) >= 3 or (len(self.out) == 2 and side_of(self.out[0]) == side_of(self.out[1]))


def begin(
    profile: Profile,
    event: DealStarted,
    *,
    level: str,
    finish: tuple[Seat, ...] | None,
    **rest: Any,
) -> Deal:
    """A deal that begins at `level` after `finish`."""
    deal = Deal(
        profile=profile,
        rules=ComboRules.from_profile(profile),
        level=level,
        number=event.deal or 0,
        finish_before=finish,
        exchange=exchange_after(finish) if profile.flag("tribute.played") else Exchange(),
        last_act=event.seq,
        **rest,
    )
    return _with_first_leaders(deal)


def _with_first_leaders(deal: Deal) -> Deal:
    """The deal with those who may lead its first trick, while nothing has been led."""
    if deal.started:
        return deal
    leaders = first_leaders(deal.exchange, deal.finish_before, deal.level, deal.profile)
    turn = leaders[0] if len(leaders) == 1 else None
    return evolve(deal, trick=evolve(deal.trick, leaders=leaders, turn=turn))


def recorded_in(deal: Deal, event: Event) -> Deal:
    """The deal after an event; what is illegal is recorded all the same."""
    match event:
        case Play():
            return _play(deal, event)
        case Pass():
            return _pass(deal, event)
        case Tribute() | TributeReturn() | TributeRefused():
            exchange = recorded(deal.exchange, event, not doubtful(deal.profile, event))
            return _with_first_leaders(evolve(deal, exchange=exchange, last_act=event.seq))
        case DrawEnded():
            return evolve(deal, drawn_seq=event.seq, last_act=event.seq)
        case TurnedUp():
            return evolve(deal, turned_up=event)
        case CountAsked(of=seat):
            return asked(deal, seat, event.seq)
        case CountCalled():
            return called(deal, event)
        case TakenBack():
            return _taken_back(deal, event)
        case HandCount():
            return counted(deal, event)
        case UnknownEvent(extra=extra):
            # Where it is known whose act is missing, only his cards are not counted for certain.
            whose = extra.get("seat")
            unsure = (False,) * 4 if whose not in SEATS else put(deal.count_sure, whose, False)
            return evolve(deal, gap=True, count_sure=unsure)
        case _:
            return deal


def _turn_of(deal: Deal, event: Play | Pass) -> Turn:
    """Whether a play or pass comes in turn, before it is recorded."""
    turn = _turn_as_recorded(deal, event)
    known = turn_counted(deal, event.seat, _NEARLY_OUT)
    sure = known and not deal.gap and not deal.turn_open and not may_be_nothing(deal.profile, event)
    return turn if sure else replace(turn, sure=False)


def _first_leader_fault(exchange: Exchange) -> str:
    """The check that a wrong first lead fails: each kind of exchange has its own rule about who leads."""
    if exchange.refused is not None:
        return "wrong_first_leader_refused"
    return "wrong_first_leader_double" if exchange.double else "wrong_first_leader"


def _turn_as_recorded(deal: Deal, event: Play | Pass) -> Turn:
    trick, seat = deal.trick, event.seat
    if trick.open:
        if isinstance(event, Pass):
            fault = "pass_on_lead" if not trick.leaders or seat in trick.leaders else "out_of_turn"
            return Turn(event.seq, fault, trick.leaders)
        if not trick.leaders or seat in trick.leaders:
            return Turn(event.seq)
        fault = "wrong_leader_relay" if trick.relay else "wrong_leader"
        return Turn(event.seq, fault if deal.started else _first_leader_fault(deal.exchange), trick.leaders)
    if seat == trick.turn or seat in trick.owed:
        return Turn(event.seq)
    expected = (trick.turn,) if trick.turn is not None else ()
    if deal.profile.word("passes") == "inferred":
        return Turn(event.seq, "", expected)
    return Turn(event.seq, "out_of_turn", expected)


def _play(deal: Deal, event: Play) -> Deal:
    unread = event.extra.get("unread", ())
    seat, size = event.seat, len(event.cards) + len(unread)
    deal = _leads_again(deal, seat)
    turn = _turn_of(deal, event)
    trick = deal.trick
    others = [cards for cards, _ in event.alternatives]
    sure = not doubtful(deal.profile, event)
    meaning = meaning_of(
        event.cards, event.says, others, deal.level, deal.rules, sure=sure,
        open_ended=open_ended(deal.profile, event) or bool(unread),
        by_layout=deal.profile.flag("layout.tells"), unlisted=unlisted(deal.profile, event),
        nothing=may_be_nothing(deal.profile, event),
    )  # fmt: skip
    # Who plays again on his own play has taken the trick to be over: he is judged for the turn alone.
    again = bool(turn.fault) and trick.top is not None and trick.top.seat == seat
    verdict = verdict_on(event.seq, meaning, () if again else trick.tops, deal.level, deal.rules)
    top = Top(seat, event.seq, event.cards, replace(meaning, first=verdict.meant))
    prior = () if again else tuple(item for lying in trick.tops for item in lying.meaning.all)
    counts = with_play(deal, event, size, prior)
    if deal.gap and verdict.beats != "yes":
        verdict = replace(verdict, excused=True)
    unsure = (
        _skipped(deal, turn, seat) if _counted(deal, event, size) else (*_skipped(deal, turn, seat), seat)
    )
    after = evolve(
        deal,
        **counts,
        count_sure=unsure_of(deal, unsure),
        out=deal.out if counts["left"][seat] or seat in deal.out else (*deal.out, seat),
        plays=(*deal.plays, (seat, event.seq, event.cards)),
        verdict=verdict,
        turn=turn,
        last_act=event.seq,
        lead_seq=deal.lead_seq or event.seq,
        lead_sure=deal.lead_sure if deal.started else not (deal.gap or meaning.nothing),
        first_leader=seat if deal.first_leader is None else deal.first_leader,
        called=tuple(other for other in deal.called if other != seat),
        turn_open=_open_after(deal, turn, meaning.nothing or _disputed(event, verdict)),
        undo=evolve(deal, undo=None),
    )
    after = evolve(after, duties=duties_after(after, seat, event.seq))
    return _turned(after, _laid(after, trick, top, verdict, turn), seat)


def _skipped(deal: Deal, turn: Turn, seat: Seat) -> tuple[Seat, ...]:
    """Who was passed over by an act out of turn and may have acted, where the record says that something is missing."""
    trick = deal.trick
    if not deal.gap or turn.fault != "out_of_turn" or trick.turn is None:
        return ()
    return tuple(other for other in between(trick.turn, seat) if other not in trick.passed)


def _open_after(deal: Deal, turn: Turn, nothing: bool) -> bool:
    """Whether it is not certain whose turn it is after a play: until he who is due for certain leads a trick."""
    leads_as_due = deal.trick.open and bool(deal.trick.leaders) and not turn.fault
    return nothing or (deal.turn_open and not leads_as_due)


def _disputed(event: Play, verdict: Verdict) -> bool:
    """Whether cameras read a play that does not count: as long as it lies there the others may take it for another."""
    return from_cameras(event) and verdict.beats == "no"


def _counted(deal: Deal, event: Play, size: int) -> bool:
    """Whether it is sure how many cards a play has: what it may be otherwise is listed and as many."""
    if any(len(cards) != size for cards, _ in event.alternatives):
        return False
    return not unlisted(deal.profile, event)


def _leads_again(deal: Deal, seat: Seat) -> Deal:
    """With passes left out of the record, who plays on his own play begins a new trick."""
    trick = deal.trick
    if deal.profile.word("passes") != "inferred" or trick.top is None or seat == trick.turn:
        return deal
    winner = _next_leaders(deal, trick)
    skipped_all = seat in winner and (trick.top.seat == seat or deal.left[trick.top.seat] == 0)
    return evolve(deal, trick=_next_trick(deal, trick)) if skipped_all else deal


def _laid(deal: Deal, trick: Trick, top: Top, verdict: Verdict, turn: Turn) -> Trick:
    """The trick with a play on it."""
    seat = top.seat
    if verdict.leads:
        return evolve(trick, tops=(top,), laid=(top,), passed=frozenset(), owed=frozenset(), leaders=(seat,))
    if verdict.beats == "no" and not verdict.excused:
        # It does not count, but until it is taken back nobody can say so for certain.
        tops = (*trick.tops[:-1], top, trick.tops[-1]) if verdict.meant else trick.tops
        return evolve(trick, tops=tops, passed=trick.passed | {seat}, owed=trick.owed - {seat})
    skipped: frozenset[Seat] = frozenset()
    if turn.fault == "out_of_turn" and trick.turn is not None:
        skipped = frozenset(
            other for other in between(trick.turn, seat) if deal.left[other] and other not in trick.passed
        )
    tops = (top,) if verdict.beats == "yes" and top.meaning.sure else (*trick.tops[-1:], top)
    return evolve(trick, tops=tops, laid=(*trick.laid, top), passed=frozenset(), owed=skipped)


def _pass(deal: Deal, event: Pass) -> Deal:
    seat = event.seat
    if not deal.left[seat] and may_explain(deal, seat, -1) is not None:
        # Who passes has cards.
        deal = not_out(deal, seat, 1)
    turn = _turn_of(deal, event)
    unsure = unsure_of(deal, _skipped(deal, turn, seat))
    after = evolve(deal, turn=turn, verdict=None, duties=(), count_sure=unsure)
    if may_be_nothing(deal.profile, event):
        # Who passed unseen may as well have played unseen.
        after = evolve(after, turn_open=True, count_sure=unsure_of(after, (seat,)))
    trick = deal.trick
    if trick.open or (trick.top is not None and trick.top.seat == seat) or not deal.left[seat]:
        return after
    if turn.fault:
        # Recorded as his pass: when the turn comes to him he has spoken.
        return evolve(after, trick=evolve(trick, passed=trick.passed | {seat}))
    after = evolve(after, last_act=event.seq, undo=None)
    passed = trick.passed | {seat}
    if deal.profile.word("passes") == "inferred" and trick.turn is not None:
        passed |= frozenset(between(trick.turn, seat))
    return _turned(after, evolve(trick, passed=passed, owed=trick.owed - {seat}), seat)


def _turned(deal: Deal, trick: Trick, acted: Seat) -> Deal:
    """The deal with the turn handed on, and the trick ended when nobody is left to act on its top."""
    top = trick.top
    if top is None:
        return evolve(deal, trick=trick)
    turn = following(acted, deal.left, {*trick.passed, top.seat})
    if turn is None:
        return evolve(deal, trick=_next_trick(deal, trick))
    return evolve(deal, trick=evolve(trick, turn=turn))


def without_turn(deal: Deal, seat: Seat) -> Deal:
    """The deal in which a seat has passed for this trick, as a penalty."""
    trick = evolve(deal.trick, passed=deal.trick.passed | {seat}, owed=deal.trick.owed - {seat})
    return _turned(deal, trick, (seat - 1) % 4) if deal.trick.turn == seat else evolve(deal, trick=trick)


def _next_leaders(deal: Deal, trick: Trick) -> tuple[Seat, ...]:
    """Who leads after a trick: who played last, or the partner of one without cards (GDO-40, GDO-41)."""
    leaders = []
    for top in reversed(trick.tops):
        seat: Seat | None = top.seat
        if not deal.left[top.seat]:
            to_partner = deal.profile.word("relay") == "partner" and deal.left[partner(top.seat)]
            seat = partner(top.seat) if to_partner else following(top.seat, deal.left)
        if seat is not None:
            leaders.append(seat)
    return tuple(dict.fromkeys(leaders))


def _next_trick(deal: Deal, trick: Trick) -> Trick:
    leaders = _next_leaders(deal, trick)
    relay = trick.top is not None and not deal.left[trick.top.seat]
    turn = leaders[0] if len(leaders) == 1 else None
    return Trick(number=trick.number + 1, leaders=leaders, turn=turn, relay=relay)


def _taken_back(deal: Deal, event: TakenBack) -> Deal:
    """Cards back in the hand: the latest play undone whole; of an older one the cards, the turn stays."""
    seat, cards = event.seat, event.cards
    last = deal.plays[-1] if deal.plays else None
    back = evolve(deal.undo, last_act=event.seq) if deal.undo is not None else None
    if (
        back is not None
        and last is not None
        and last[0] == seat
        and sorted(map(str, last[2])) == sorted(map(str, cards))
    ):
        return evolve(back, verdict=None, turn=None, drawn_seq=deal.drawn_seq)
    left = put(deal.left, seat, deal.left[seat] + len(cards))
    trick = deal.trick
    mine = [top for top in trick.tops if top.seat == seat and set(cards) <= set(top.cards)]
    if mine:
        laid = tuple(top for top in trick.laid if top not in mine)
        tops = tuple(top for top in trick.tops if top not in mine) or laid[-1:]
        owed, passed = trick.owed | {seat}, trick.passed - {seat}
        trick = evolve(trick, tops=tops, laid=laid, turn=seat, passed=passed, owed=owed)
    out = tuple(other for other in deal.out if other != seat)
    return evolve(
        deal, left=left, out=out, trick=trick, last_act=event.seq, undo=None, verdict=None, turn=None
    )
