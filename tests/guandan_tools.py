"""A Guandan table for tests: events by short calls, in a record of their own, and what the referee said."""

from __future__ import annotations

from typing import Any

from table.cards import Card, parse_cards
from table.event_json import event_from_json
from table.findings import Claim
from table.match import MatchState
from table.session import Line, Referee

OFFICIAL = "guandan-official"
EVENT = "guandan-event"
SINGLE = [0, 1, 2, 3]
"""Seat 3 pays seat 0."""
DOUBLE = [0, 2, 1, 3]
"""Seats 1 and 3 pay seats 0 and 2."""


class Table:
    """A match under a profile with one deal begun; two seconds pass between events unless `after` says else.

    Args:
        profile: of the match.
        level: of the first deal.
        finish: of the deal before, first out first; None for a first deal.
        levels: of side 0 and side 1 when the match starts.
        options: keys of the profile that the match overrides.
        draw: add the end of the draw.
    """

    def __init__(
        self,
        profile: str = OFFICIAL,
        *,
        level: str = "2",
        finish: list[int] | None = None,
        levels: tuple[str, str] | None = None,
        options: dict[str, Any] | None = None,
        draw: bool = True,
        start: bool = True,
    ) -> None:
        self.referee = Referee()
        self.events: list[dict[str, Any]] = []
        self.lines: list[Line] = []
        self.now = 0.0
        names = ["a", "b", "c", "d"]
        self.add("match_started", profile=profile, players=names, levels=list(levels or (level, level)),
                 options=options or {})  # fmt: skip
        if start:
            self.deal(level, finish, draw=draw)

    def add(self, name: str, after: float = 2.0, **fields: Any) -> list[Line]:
        """One event; returns what the referee said to it."""
        self.now = round(self.now + after, 3)
        data = {"event": name, "seq": len(self.events) + 1, "at": self.now}
        data.update({key: value for key, value in fields.items() if value is not None})
        self.events.append(data)
        said = self.referee.push(event_from_json(data))
        self.lines += said
        return said

    @property
    def seq(self) -> int:
        """Number of the latest event."""
        return len(self.events)

    @property
    def state(self) -> MatchState:
        """The state now."""
        assert self.referee.state is not None
        return self.referee.state

    def deal(
        self, level: str | None = None, finish: list[int] | None = None, *, draw: bool = True, **more: Any
    ) -> None:
        """The next deal."""
        self.add("deal_started", deal=self.referee.state.begun + 1 if self.referee.state else 1, level=level,
                 finish=finish, **more)  # fmt: skip
        if draw:
            self.add("draw_ended")

    def play(self, seat: int, cards: str, **more: Any) -> list[Line]:
        """A play."""
        return self.add("play", seat=seat, cards=cards, **more)

    def passes(self, *seats: int, **more: Any) -> list[Line]:
        """Passes in this order."""
        said: list[Line] = []
        for seat in seats:
            said += self.add("pass", seat=seat, **more)
        return said

    def left(self, **counts: int) -> None:
        """Set how many cards seats have left (`s0=3`), as counted by the referee, without more ado."""
        for name, count in counts.items():
            said = self.add("hand_count", seat=int(name[1]), count=count, after=0.0)
            for line in said:
                self.rule(line["finding"], "dismissed")

    def rule(self, finding: int, decision: str = "upheld", **more: Any) -> list[Line]:
        """A ruling."""
        return self.add("ruling", finding=finding, decision=decision, after=0.0, **more)

    def claims(self, kind: str | None = None) -> list[Claim]:
        """The claims that stand and are not dismissed, of a kind."""
        state = self.state
        dismissed = {key for key, decision in state.decisions.items() if not decision.upheld}
        return [
            c for c in state.claims.values() if c.key not in dismissed and (kind is None or c.kind == kind)
        ]

    def found(self) -> list[tuple[str, int | None, str]]:
        """Kind, seat and certainty of every claim that stands and is not dismissed."""
        return [(claim.kind, claim.seat, claim.certainty) for claim in self.claims()]

    def only(self, kind: str) -> Claim:
        """The one claim that stands; it must be of this kind."""
        claims = self.claims()
        assert [claim.kind for claim in claims] == [kind]
        return claims[0]

    def rule_of(self, claim: Claim) -> str:
        """The rule that a claim cites."""
        return self.state.profile.rule(claim.check)

    def number(self, kind: str) -> int:
        """The number of the latest finding of a kind that stands."""
        return max(n for n, claim in self.referee.findings().items() if claim.kind == kind)

    def match(self) -> dict[str, Any]:
        """The match as it stands."""
        match: dict[str, Any] = self.referee.finish()[0]["match"]
        return match


def tribute(table: Table, seat: int, to: int | None, card: str | None) -> None:
    """A card paid."""
    table.add("tribute", seat=seat, to=to, card=card)


def give_back(table: Table, seat: int, to: int, card: str | None, after: float = 2.0) -> None:
    """A card returned."""
    table.add("tribute_return", seat=seat, to=to, card=card, after=after)


def deal_out(table: Table, seat: int, cards: str) -> None:
    """A sealed hand that holds these cards and low ones to make it 27."""
    held = parse_cards(cards)
    filler = [Card(suit, rank) for rank in "3467" for suit in "SCD" for _ in range(2)] + [Card("S", "8")] * 2
    rest = [card for card in filler if card not in held][: 27 - len(held)]
    table.add("dealt", seat=seat, cards=" ".join(map(str, (*held, *rest))))
