"""Warnings: counted by counter, side and scope; at the limit of a counter a claim of its own follows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from table.findings import LIKELY, PROVEN, Claim, ClaimKey
from table.match import MatchState, Warned
from table.penalties import Penalty, parse_penalty

_COUNTED = (PROVEN, LIKELY)


def count_warnings(state: MatchState, changed: Iterable[ClaimKey]) -> MatchState:
    """The state with its warnings counted anew: those that stand, and the limits that they reach.

    `changed` names the claims that were raised, changed, dropped or decided since they were last counted.

    A profile declares a counter by `warnings.NAME.limit` (warnings), `.scope` (`deal`, `game`, `match`:
    what it counts over) and `.penalty`; each multiple of the limit is one claim of the check
    `warning_limit_NAME`.
    """
    warned = tuple(item for item in state.warned if _stands(state, item.claim))
    counted = {item.claim for item in warned}
    for key in changed:
        if key in counted or not _stands(state, key):
            continue
        claim = state.claims[key]
        penalty = _cost(state, claim)
        side = claim.offender
        if penalty is None or penalty.kind != "warning" or side is None:
            continue
        game = sum(state.base.games)
        warned = (*warned, Warned(key, penalty.word, side, state.begun, game, claim.event))
    if warned == state.warned:
        return state
    state = replace(state, warned=warned)
    limits = {claim.key: claim for claim in _limits(state)}
    claims = {
        key: claim
        for key, claim in state.claims.items()
        if not claim.check.startswith("warning_limit_") or key in limits
    }
    claims.update({key: claim for key, claim in limits.items() if key not in claims})
    return replace(state, claims=claims)


def _cost(state: MatchState, claim: Claim) -> Penalty | None:
    decision = state.decisions.get(claim.key)
    if decision is not None and decision.penalty is not None:
        return decision.penalty
    return claim.cost(state.profile)


def _stands(state: MatchState, key: ClaimKey) -> bool:
    claim = state.claims.get(key)
    if claim is None or claim.certainty not in _COUNTED:
        return False
    decision = state.decisions.get(key)
    if decision is not None:
        return decision.upheld
    return state.profile.word("warnings.count") == "standing"


def _limits(state: MatchState) -> list[Claim]:
    found = []
    groups: dict[tuple[str, int, int], list[Warned]] = {}
    for item in state.warned:
        scope = state.profile.get(f"warnings.{item.counter}.scope", "match")
        number = item.deal if scope == "deal" else item.game if scope == "game" else 0
        groups.setdefault((item.counter, item.side, number), []).append(item)
    for (counter, side, number), items in groups.items():
        limit = state.profile.get(f"warnings.{counter}.limit", 0)
        if not limit:
            continue
        for nth in range(limit, len(items) + 1, limit):
            last = items[nth - 1]
            claim = Claim(
                f"warning_limit_{counter}",
                "warning_limit",
                last.claim[1],
                last.event,
                fields={"count": nth, "limit": limit, "side": side},
                rests_on=tuple(item.event for item in items[nth - limit : nth]),
                detail=f"{number}:{nth}",
                side=side,
            )
            found.append(claim.costing(parse_penalty(state.profile[f"warnings.{counter}.penalty"])))
    return found
