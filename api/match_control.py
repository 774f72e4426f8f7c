"""What begins a match or a deal at the wish of a person: checked, and what is left out taken from what was before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from api.corrections import BY, BadCorrection, readable
from api.service import TableService, Told
from table.events import Correction, DealStarted, DealVoided, Event, MatchEnded, MatchStarted
from table.match import MatchState
from table.referee import apply
from table.rulesets import BadProfile, load_profile, profile_names

_COURSE: Final = (MatchStarted, DealStarted, DealVoided, MatchEnded)


class BadMatch(ValueError):
    """A match or deal that cannot begin.

    Attributes:
        field: of the request that is wrong; empty where it is the table that is not ready.
        key: entry of the texts of the API.
        fields: what the text names.
    """

    def __init__(self, field: str, key: str, **fields: Any) -> None:
        super().__init__(f"{field}: {key}")
        self.field = field
        self.key = key
        self.fields = fields


def course_changed(told: Sequence[Told]) -> int:
    """Number of the event by which match and deal became what they are."""
    last = 0
    course: set[int] = set()
    for one in told:
        event = one.event
        if isinstance(event, _COURSE):
            course.add(event.seq)
            last = event.seq
        elif isinstance(event, Correction) and event.of in course:
            last = event.seq
    return last


def match_started(
    service: TableService,
    profile: str,
    players: Sequence[str],
    levels: Sequence[str],
    options: Mapping[str, Any],
    by: str,
) -> Event:
    """The event that begins a match.

    Raises:
        BadMatch: unknown profile, wrong option or level; a match is being played.
    """
    state = service.state
    if state is not None and state.begun and state.ended is None:
        raise BadMatch("", "match_running")
    # Only profiles that are there under a name: nobody reads files of this machine through here.
    if profile not in (*profile_names(), service.setup.profile):
        raise BadMatch("profile", "no_profile", name=profile[:60], names=", ".join(profile_names()))
    try:
        load_profile(profile).with_options(dict(options))
    except BadProfile as error:
        raise BadMatch("options", "wrong_value", what=str(error)) from None
    long = next((name for name in players if len(name) > 60), None)
    if long is not None:
        raise BadMatch("players", "too_long")
    return _event(
        {
            "event": "match_started", "profile": profile, "players": list(players), "levels": list(levels),
            "options": dict(options), BY: by,
        }
    )  # fmt: skip


def next_deal(service: TableService, given: Mapping[str, Any], force: bool, by: str) -> Event:
    """The event that begins the next deal.

    Args:
        service: of the table.
        given: fields of `deal_started`; None for those that follow from the deal before. A level that follows is
            stated in the event, so that the record can be read by itself.
        force: also where the deal on the table has no result.
        by: who says so.

    Raises:
        BadMatch: there is no match, the deal on the table has no result, or a field is wrong.
    """
    state = service.state
    if state is None or state.ended is not None:
        raise BadMatch("", "no_match")
    running = state.deal is not None and state.begun not in state.results
    if running and not force:
        raise BadMatch("", "deal_running", deal=state.number)
    named = {key: value for key, value in given.items() if value is not None}
    event = _event({"event": "deal_started", "deal": state.number + 1, **named, BY: by})
    if not isinstance(event, DealStarted) or event.level is not None:
        return event
    with service.lock:
        return replace(event, level=level_due(state, replace(event, at=service.now)))


def level_due(state: MatchState, start: DealStarted) -> str | None:
    """The level of a deal that begins now without one stated; None where it does not follow from the match.

    Args:
        state: of the match.
        start: the event by which the deal begins, with its time.
    """
    after = apply(state, start)
    if after.deal is None or after.extra:
        return None
    view, base = after.game.view(after.deal), after.base
    # Whose level it is must be known: whoever declares, or has the bank.
    known = base.levels[0] == base.levels[1] or base.declarer is not None or view.get("banker") is not None
    level = view.get("level") if known else None
    return level if isinstance(level, str) else None


def _event(data: Mapping[str, Any]) -> Event:
    try:
        return readable({**data, "source": "referee"})
    except BadCorrection as error:
        raise BadMatch(error.field, error.key, **error.fields) from None
