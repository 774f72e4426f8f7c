"""How a match is decided: by levels, by time or by a number of deals; ties, lateness, forfeit, time that
ran out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from table.awards import LADDER
from table.clock import GRAIN
from table.events import DealStarted, Event, MatchEnded, Play
from table.findings import CHECK, PROVEN, Claim
from table.match import MatchState
from table.seats import SEATS, Side, side_of

FORFEIT_WORDS: Final = ("forfeit", "withdr", "弃权", "退出", "late", "迟到")


def time_ran_out(state: MatchState, at: float | None) -> bool:
    """Whether the time of the match is over at a moment (GDE-39); never in another format."""
    if state.profile.word("format.kind") != "time" or at is None or state.started_at is None:
        return False
    return at - state.started_at > state.profile.number("format.seconds") + GRAIN


def format_over(state: MatchState, at: float | None) -> bool:
    """Whether the format has come to its end, leaving ties aside."""
    if state.standing.winner is not None or state.ended is not None:
        return True
    kind = state.profile.word("format.kind")
    if kind == "deals":
        return state.standing.deals >= state.profile.whole("format.deals") > 0
    return kind == "time" and time_ran_out(state, at)


def leader(state: MatchState) -> Side | None:
    """The side ahead: more games won, then the higher level; None when equal (GDO-61, GDE-39)."""
    games = state.standing.games
    ranks = [LADDER.index(level) if level in LADDER else len(LADDER) for level in state.standing.levels]
    scores = [(games[side], ranks[side]) for side in (0, 1)]
    if scores[0] == scores[1]:
        return None
    return 0 if scores[0] > scores[1] else 1


def must_decide(state: MatchState, at: float | None) -> bool:
    """Whether the deal that begins now is the extra one that breaks a tie (GDO-62)."""
    if state.profile.word("format.tie") != "extra_deal" or state.standing.winner is not None:
        return False
    return state.ended is None and format_over(state, at) and leader(state) is None


def match_result(state: MatchState) -> dict[str, Any]:
    """What `paizhuo judge` prints for the match: levels, games, winner so far and how it was decided."""
    standing = state.standing
    result: dict[str, Any] = {
        "levels": list(standing.levels),
        "games": list(standing.games),
        "deals": standing.deals,
    }
    winner, how = standing.winner, standing.decided_by
    if state.forfeit is not None:
        winner, how = 1 - state.forfeit, "forfeit"
    elif winner is None and (
        state.ended is not None or (format_over(state, state.clock.last) and not _under_way(state))
    ):
        winner, how = leader(state), state.profile.word("format.kind")
        if winner is None:
            how = state.profile.word("format.tie")
            winner = standing.declarer if how == "last_declarer" else None
    result["winner"] = winner
    result["decided_by"] = how
    if state.ended is not None:
        result["ended"] = state.ended
    return result


def _under_way(state: MatchState) -> bool:
    """A deal that counts is still being played."""
    return state.deal is not None and state.counts and state.game.outcome(state.deal) is None


def forfeiting_side(event: MatchEnded) -> Side | None:
    """The side that a forfeit is on, as far as the event says."""
    if event.seat is not None:
        return side_of(event.seat)
    if event.side in (0, 1):
        return event.side
    return None


def is_forfeit(event: MatchEnded) -> bool:
    """Whether the match ended because a side did not play (弃权)."""
    return any(word in (event.why or "").lower() for word in FORFEIT_WORDS)


def judge_format(before: MatchState, event: Event, after: MatchState) -> Iterable[Claim]:
    """Lateness, forfeit, deals begun after the end, cards played in a deal that time cut off."""
    if isinstance(event, MatchEnded) and is_forfeit(event) and after.profile.rule("forfeit"):
        side = forfeiting_side(event)
        yield Claim("forfeit", "forfeit", event.seat, event.seq, side=side, fields={"why": event.why or ""})
    if isinstance(event, DealStarted):
        yield from _late(before, event)
        # `after`: the deal before may have been decided by what this event states about it.
        if after.profile.rule("match_over") and not after.extra and format_over(after, event.at):
            yield Claim("match_over", "match_over", None, event.seq, fields={"deal": after.number})
    cut = not after.counts and time_ran_out(after, event.at)
    if isinstance(event, Play) and cut and after.profile.rule("time_cut"):
        mark = f"deal {after.begun}"
        if not any(claim.check == "time_cut" and claim.detail == mark for claim in before.claims.values()):
            yield Claim("time_cut", "match_over", None, event.seq, detail=mark, fields={"deal": after.number})


def _late(before: MatchState, event: DealStarted) -> Iterable[Claim]:
    limit = before.profile.number("format.late_after")
    if before.begun or not limit or event.at is None or before.started_at is None:
        return
    waited = event.at - before.started_at - before.clock.lost
    if waited <= limit + GRAIN or not before.profile.rule("forfeit"):
        return
    absent = [seat for seat in SEATS if not before.players[seat].strip()]
    sides = {side_of(seat) for seat in absent}
    named = len(sides) == 1 and any(before.players)
    side = sides.pop() if named else None
    yield Claim(
        "late", "forfeit", absent[0] if named and len(absent) == 1 else None, event.seq,
        PROVEN if named else CHECK, fields={"waited": f"{waited:.0f}", "limit": f"{limit:g}"}, side=side,
    )  # fmt: skip
