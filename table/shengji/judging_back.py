"""Judges plays of Shengji that are taken back, and what is played in their place."""

from __future__ import annotations

from collections.abc import Iterable

from table.events import Play, TakenBack
from table.findings import CHECK, PROVEN, Claim, Drop
from table.match import MatchState, doubtful
from table.shengji.claims import FOLLOW_CHECKS, claim, points, words
from table.shengji.deal import Deal
from table.shengji.follow import required_shape
from table.shengji.formats import card_columns
from table.shengji.trick import Played


def taken_back(before: Deal, event: TakenBack, match: MatchState) -> Iterable[Claim | Drop]:
    """A play taken back in time is no revoke; it costs what the event says (SJE-42, SJE-44)."""
    play = _undone(before, event)
    if play is None:
        return
    turn = {"out_of_turn", "wrong_leader"}
    against = [c for c in match.claims.values() if c.seat == event.seat and c.event == play.seq]
    for old in against:
        if old.check in FOLLOW_CHECKS:
            yield Drop(old.key)
    if match.profile.rule("taken_back") and not any(old.check in turn for old in against):
        yield claim("taken_back", "taken_back", event.seat, event.seq, cards=event.cards,
                    consent=words("consent" if event.consent else "no_consent"),
                    certainty=CHECK if doubtful(match.profile, event) else PROVEN,
                    rests_on=(play.seq,))  # fmt: skip


def _undone(before: Deal, event: TakenBack) -> Played | None:
    wanted = sorted(map(str, event.cards))
    plays = [*(before.tricks[-1].plays if before.tricks else ()), *before.strays]
    same = [p for p in plays if p.seat == event.seat and sorted(map(str, p.cards)) == wanted]
    return same[-1] if same else None


def corrected(event: Play, after: Deal, match: MatchState) -> Iterable[Claim]:
    """The fine for a wrong play put right in time: by what should have been played (SJE-44)."""
    trick = after.tricks[-1] if after.tricks else None
    per_card = after.rules.fines.corrected_per_card
    if trick is None or not per_card or trick.leader == event.seat or not trick.units:
        return
    order = after.order
    for old in match.claims.values():
        if (
            old.check == "taken_back"
            and old.seat == event.seat
            and old.event > trick.lead.seq
            and not old.given
        ):
            assert order is not None
            followed = order.of_group(event.cards, order.group(trick.units[0].cards[0]))
            shape = required_shape(trick.units, card_columns(followed, order), after.rules.follow)
            yield old.costing(points(per_card * max((form.size for form in shape), default=1)))
