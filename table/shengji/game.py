"""Shengji as a game of the core: plugs its deals, judges and results into the seam of `table.match`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final

from table.cards import format_cards
from table.clock import Wait
from table.events import DealStarted, Event
from table.evolve import evolve
from table.findings import CHECK, Claim, Drop
from table.knowledge import Knowledge
from table.match import Game, MatchState, Outcome, Standing
from table.penalties import Penalty
from table.rulesets import Profile
from table.seats import Seat, side_of
from table.shengji.bidding import Bidding
from table.shengji.deal import Deal, record
from table.shengji.judging_play import judge_play, rejudge
from table.shengji.judging_setup import judge_setup, judge_start
from table.shengji.keys import rules_of
from table.shengji.order import NO_TRUMP
from table.shengji.scoring import Memory, outcome_of, settled, tally


class Shengji:
    """The game of the profiles whose key `game` is `shengji`."""

    name = "shengji"

    def open(self, profile: Profile, levels: tuple[str, str]) -> Memory:
        """Before the first deal nobody has the bank (SJO-18)."""
        return Memory(None, levels)

    def start(self, match: MatchState, event: DealStarted) -> Deal:
        """A deal begins: the record's banker, level and trump outrank what follows from the deal before."""
        memory: Memory = match.standing.memory
        banker = event.banker if event.banker is not None else memory.banker
        levels = match.standing.levels
        level = event.level or levels[side_of(banker) if banker is not None else 0]
        return Deal(
            profile=match.profile,
            rules=rules_of(match.profile),
            number=event.deal if event.deal is not None else match.number,
            began=event.seq,
            level=level,
            banker=banker,
            first=banker is None,
            trump=event.trump,
            fixed=event.trump is not None,
            bidding=Bidding(None if level == NO_TRUMP else level, banker),
        )

    def conclude(self, deal: Deal, event: DealStarted) -> Deal:
        """Nothing that the next deal's start says changes the result of the one before."""
        return deal

    def apply(self, deal: Deal, event: Event, known: Knowledge) -> Deal:
        """Record an event."""
        return record(deal, event)

    def judge(
        self, before: Deal | None, event: Event, after: Deal, match: MatchState
    ) -> Iterable[Claim | Drop]:
        """All that the event shows, of itself and of earlier plays."""
        if before is None or isinstance(event, DealStarted):
            return list(judge_start(after, event, match)) if isinstance(event, DealStarted) else []
        found: list[Claim | Drop] = [*judge_setup(before, event, after, match)]
        found += judge_play(before, event, after, match)
        found += rejudge(event, after, match)
        return [_unsure(item) for item in found] if after.gap else found

    def waits(self, deal: Deal) -> tuple[Wait, ...]:
        """Who has to play; the sources know no time limit for it (SJO-55, SJE-51)."""
        turn = deal.turn
        if turn is None or not deal.closed:
            return ()
        since = (
            deal.current.plays[-1].seq
            if deal.current
            else deal.tricks[-1].plays[-1].seq
            if deal.tricks
            else 0
        )
        return (Wait(turn, "play" if deal.current else "lead", 0, "timeout", since),)

    def drawn(self, deal: Deal) -> bool:
        """Whether all cards have been drawn."""
        return deal.draw_ended is not None or deal.closed

    def outcome(self, deal: Deal) -> Outcome | None:
        """The result once it is decided."""
        return outcome_of(deal)

    def settle(self, match: MatchState, deal: Deal, outcome: Outcome) -> Standing:
        """Levels, next banker, games won."""
        memory: Memory = match.base.memory
        return settled(match.base, deal, match.profile, memory.start)

    def penalise(self, deal: Deal, claim: Claim, penalty: Penalty) -> Deal:
        """Points go to the attackers' account; revokes and lost deals change the band, or it is replayed."""
        side = claim.offender
        if penalty.kind == "replay_deal":
            return evolve(deal, replayed=True)
        if side is None or deal.banker is None:
            return deal
        if penalty.kind == "points":
            gain = penalty.amount if side == side_of(deal.banker) else -penalty.amount
            return evolve(deal, fines=deal.fines + gain)
        if penalty.kind == "lose_deal" or (penalty.kind == "special" and penalty.word == "revoke"):
            name = "lose_deal" if penalty.kind == "lose_deal" else "revoke"
            return evolve(deal, verdicts=(*deal.verdicts, (name, side)))
        return deal

    def view(self, deal: Deal) -> Mapping[str, Any]:
        """What a display needs, nothing hidden."""
        trick = deal.current
        bid = deal.bidding.standing
        found = tally(deal)
        return {
            "level": deal.level,
            "trump": deal.trump,
            "banker": deal.banker,
            "declared": {"seat": bid.seat, "cards": format_cards((bid.card,) * bid.count)} if bid else None,
            "turn": deal.turn if deal.closed else None,
            "tricks": sum(1 for done in deal.tricks if done.done),
            "trick": [{"seat": p.seat, "cards": format_cards(p.cards)} for p in trick.plays] if trick else [],
            "points": found.total if found else deal.attackers_points() + deal.fines,
            "left": [deal.left(seat) for seat in range(4)],
        }

    def names(self) -> Mapping[str, Seat]:
        """Shengji's texts name no seats."""
        return {}


def _unsure(item: Claim | Drop) -> Claim | Drop:
    """A claim in a deal of which something is missing: what is missing may explain it."""
    return replace(item, certainty=CHECK) if isinstance(item, Claim) and item.certainty != CHECK else item


GAME: Final[Game[Deal]] = Shengji()
