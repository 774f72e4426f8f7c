"""Guandan (掼蛋) as a game that the core can run: see the protocol in table/match.py."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from table.cards import format_cards
from table.clock import Wait
from table.events import DealStarted, Event
from table.findings import Claim, Drop
from table.guandan.counting import certain
from table.guandan.deal import HAND_SIZE, Deal, begin, recorded_in, without_turn
from table.guandan.judge import judge_event
from table.guandan.levels import Memory, next_level, rise_for, settled
from table.guandan.opening import roles_before
from table.knowledge import Knowledge
from table.match import MatchState, Outcome, Standing
from table.penalties import Penalty
from table.rulesets import Profile
from table.seats import SEATS, Seat, side_of


class Guandan:
    """The game of the profiles with `game = "guandan"`."""

    name: Final = "guandan"

    def open(self, profile: Profile, levels: tuple[str, str]) -> Memory:
        """The memory before the first deal."""
        return Memory(start=levels)

    def start(self, match: MatchState, event: DealStarted) -> Deal:
        """A deal begins: level and finish as stated, else as they follow."""
        standing = match.standing
        memory: Memory = standing.memory
        known = memory.finish
        finish = event.finish if event.finish is not None else known if known and len(known) == 4 else None
        expected = None if match.extra else next_level(standing, match.profile)
        level = event.level or expected or standing.levels[0]
        differs = event.finish is not None and known is not None and event.finish[: len(known)] != known
        declarer = side_of(finish[0]) if finish and standing.declarer is None else standing.declarer
        before: Deal | None = match.deal
        return begin(
            match.profile,
            event,
            level=level,
            finish=None if match.extra else finish,
            expected_level=expected,
            stated=(event.finish, known) if differs and event.finish and known else None,
            unfinished_before=before is not None
            and not before.over
            and event.finish is None
            and match.counts,
            extra=match.extra,
            declarer=declarer,
        )

    def conclude(self, deal: Deal, event: DealStarted) -> Deal:
        """The deal before, its finish completed by what the next deal states."""
        if event.finish is None or event.finish[: len(deal.out)] != deal.out:
            return deal
        return replace(deal, out=event.finish)

    def apply(self, deal: Deal, event: Event, known: Knowledge) -> Deal:
        """The deal after an event."""
        return recorded_in(deal, event)

    def judge(
        self, before: Deal | None, event: Event, after: Deal, match: MatchState
    ) -> Iterable[Claim | Drop]:
        """What the event shows."""
        return judge_event(before, event, after, match)

    def waits(self, deal: Deal) -> tuple[Wait, ...]:
        """Who has to act (GDO-36, GDO-37, GDO-53, GDO-54, GDE-31)."""
        if deal.over:
            return ()
        profile = deal.profile
        if not deal.started:
            return _opening_waits(deal)
        turn = deal.trick.turn
        if turn is None:
            return ()
        return (Wait(turn, "play", profile.number("clock.play"), "timeout_play", deal.last_act),)

    def drawn(self, deal: Deal) -> bool:
        """Whether all cards are drawn."""
        begun = bool(deal.exchange.paid) or deal.exchange.refused is not None
        return deal.drawn_seq is not None or deal.started or begun

    def outcome(self, deal: Deal) -> Outcome | None:
        """The finish and the rise, once decided."""
        if not deal.over:
            return None
        finish = finish_of(deal)
        rise = 0 if deal.extra else rise_for(finish, deal.profile)
        data: dict[str, Any] = {
            "deal": deal.number, "finish": list(finish), "side": side_of(finish[0]), "rise": rise,
            "level": deal.level,
        }  # fmt: skip
        return Outcome(data, complete=len(finish) == 4)

    def settle(self, match: MatchState, deal: Deal, outcome: Outcome) -> Standing:
        """Levels and what is played next."""
        return settled(match, deal, finish_of(deal))

    def penalise(self, deal: Deal, claim: Claim, penalty: Penalty) -> Deal:
        """`finish_last` puts the offender last, `lose_deal` the side; `lose_turn` passes for the seat."""
        if penalty.kind == "finish_last" and claim.seat is not None:
            return replace(deal, moved_last=(*deal.moved_last, claim.seat))
        if penalty.kind == "lose_turn" and claim.seat is not None and not deal.trick.open:
            return without_turn(deal, claim.seat)
        side = claim.offender
        if penalty.kind == "lose_deal" and side is not None:
            return replace(deal, moved_last=(*deal.moved_last, *(s for s in SEATS if side_of(s) == side)))
        return deal

    def view(self, deal: Deal) -> Mapping[str, Any]:
        """What a display shows of the deal."""
        trick = deal.trick
        tops = [{"seat": top.seat, "cards": format_cards(top.cards), "event": top.seq} for top in trick.tops]
        roles = roles_before(deal.profile, deal.finish_before) if deal.finish_before else {}
        return {
            "level": deal.level, "left": list(deal.left),
            "left_sure": [certain(deal, seat) for seat in SEATS], "out": list(deal.out), "trick": trick.number,
            "turn": trick.turn, "leaders": list(trick.leaders), "on_table": tops, "over": deal.over,
            "tribute": {
                "payers": list(deal.exchange.payers), "winners": list(deal.exchange.winners),
                "done": deal.exchange.done,
            },
            "roles": roles,
        }  # fmt: skip


def finish_of(deal: Deal) -> tuple[Seat, ...]:
    """The finishing order as far as it is decided, penalties included; the last of four follows."""
    finish = deal.out
    if len(finish) == 3:
        finish = (*finish, next(seat for seat in SEATS if seat not in finish))
    if not deal.moved_last:
        return finish
    rest = (*finish, *(seat for seat in SEATS if seat not in finish))
    last = tuple(dict.fromkeys(deal.moved_last))
    return (*(seat for seat in rest if seat not in last), *last)


def _opening_waits(deal: Deal) -> tuple[Wait, ...]:
    """Tribute after the draw, return after the tribute, the first lead after the return."""
    profile, exchange = deal.profile, deal.exchange
    if not exchange.done:
        if not exchange.all_paid:
            if deal.drawn_seq is None:
                return ()
            limit = profile.number("clock.tribute")
            paid = {item.seat for item in exchange.paid}
            return tuple(
                Wait(seat, "tribute", limit, "timeout_tribute", deal.drawn_seq)
                for seat in exchange.payers
                if seat not in paid
            )
        since = max(item.seq for item in exchange.paid)
        returned = {item.seat for item in exchange.returned}
        limit = profile.number("clock.return")
        return tuple(
            Wait(seat, "return", limit, "timeout_return", since)
            for seat in exchange.winners
            if seat not in returned
        )
    turn = deal.trick.turn
    returned_at = max((item.seq for item in exchange.returned), default=0)
    if turn is None or not (returned_at or deal.drawn_seq or exchange.refused):
        return ()
    limit = profile.number("clock.first_lead")
    if not returned_at and not profile.flag("clock.first_lead_without_return"):
        limit = 0
    return (Wait(turn, "lead", limit, "timeout_first_lead", deal.last_act),)


GAME: Final = Guandan()

__all__ = ["GAME", "HAND_SIZE", "Guandan", "finish_of"]
