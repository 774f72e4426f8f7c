"""Routes of what a person puts in: things that happened, corrections, undo, the cards that can be."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Annotated, Any, Final

from fastapi import Body as InBody
from fastapi import Query
from pydantic import BaseModel, Field

from api.corrections import (
    BY,
    BadCorrection,
    Outlook,
    by_hand,
    candidates,
    correction_of,
    last_by_hand,
    outlook,
    readable,
    touched,
    undo_of,
)
from api.desk import Desk
from api.http.access import Routes, Who
from api.http.acts import Body, IfMatch, Recorded, bad_correction, name_of, recorded, unless_changed
from api.http.problems import Problem
from api.outlook import Change, changes
from table.events import Correction, Dealt, Event, HandSealed, MatchStarted, Ruling, SealOpened, UnknownEvent

_ELSEWHERE: Final = (Correction, Ruling, MatchStarted, Dealt, HandSealed, SealOpened, UnknownEvent)
WORKS: Final = "referee|operator"


class Replacement(Body):
    """A correction: what an event should have been, or that it never was."""

    of: int = Field(ge=1, le=10**12, description="Number of the event.")
    replacement: dict[str, Any] | None = Field(
        default=None,
        description="The event as it should have been; fields that are left out stay as they are.",
        examples=[{"cards": "S7 H7 D7"}],
    )
    void: bool = Field(default=False, description="It never was.")


class Preview(BaseModel):
    """What a correction would change; nothing was written."""

    findings_now: list[dict[str, Any]]
    findings_then: list[dict[str, Any]]
    results_now: list[dict[str, Any]]
    results_then: list[dict[str, Any]]
    seats_then: list[dict[str, Any]]
    changes: list[Change]


class Candidate(BaseModel):
    """A card that may be meant."""

    card: str
    p: float | None = Field(description="Its chance by the sighting; null: not seen as that.")
    possible: bool = Field(description="The packs hold it once more.")


class Undone(BaseModel):
    """What was taken back."""

    seq: int
    undone: int = Field(description="Number of the event that was taken back.")


def input_routes(desk: Desk) -> Routes:
    """The routes of what a person puts in at a table."""
    routes = Routes(tags=["inputs"])
    service = desk.service

    @routes.add("POST", "/api/v1/inputs", WORKS, 400, 422, 503, status_code=201)
    async def put_in(
        event: Annotated[
            dict[str, Any], InBody(openapi_examples={"pass": {"value": {"event": "pass", "seat": 2}}})
        ],
        who: Who,
    ) -> Recorded:
        """Something that happened, by hand: an event of the record. In the journal when this answers."""
        return await recorded(desk, _happened(desk, event, name_of(who)))

    @routes.add("POST", "/api/v1/corrections/preview", WORKS, 400, 422)
    def preview(asked: Replacement, who: Who) -> Preview:
        """What a correction would change: findings, results, turn. Nothing is written."""
        view = _outlook(desk, asked, name_of(who))
        return Preview(**changes(view, list(service.told), service))

    @routes.add("POST", "/api/v1/corrections", WORKS, 400, 412, 422, 428, 503, status_code=201)
    async def correct(asked: Replacement, who: Who, if_match: IfMatch = None) -> Recorded:
        """Correct an event; both versions stay in the record. If-Match names the state in which it was looked at."""
        allow = unless_changed(desk, if_match, lambda: touched(service.told, event=asked.of))
        view = await asyncio.to_thread(_outlook, desk, asked, name_of(who))
        return await recorded(desk, view.correction, allow)

    @routes.add("POST", "/api/v1/undo", WORKS, 400, 409, 412, 428, 503, status_code=201)
    async def undo(who: Who, if_match: IfMatch = None) -> Undone:
        """Take back the last thing that a person did here: a correction, a ruling, an input."""

        def last() -> int:
            return max((one.event.seq for one in service.told if by_hand(one.event)), default=0)

        allow = unless_changed(desk, if_match, last)
        event = last_by_hand(service.told)
        if event is None:
            raise Problem(409, "nothing_to_undo")
        done = await recorded(desk, undo_of(service.told, event, name_of(who)).event, allow)
        return Undone(seq=done.seq, undone=event.seq)

    @routes.add("GET", "/api/v1/candidates", WORKS, 422)
    def can_be(
        of: Annotated[int, Query(ge=1, le=10**12, description="Number of the event.")],
        card: Annotated[int, Query(ge=0, le=200, description="Place of the card in it, from 0.")] = 0,
    ) -> list[Candidate]:
        """The cards that can be at a place of an event, likeliest first."""
        with service.lock:
            referee = service.referee.copy()
        try:
            return [Candidate(**one) for one in candidates(referee, list(service.told), of, card)]
        except BadCorrection as error:
            field = {"of": "of", "card": "card"}.get(error.field, error.field)
            raise bad_correction(BadCorrection(field, error.key, **error.fields)) from None

    return routes


def _happened(desk: Desk, data: dict[str, Any], by: str) -> Event:
    """An input as an event.

    Raises:
        Problem: it is none, or there is a route of its own for it.
    """
    try:
        event = readable({key: value for key, value in data.items() if key not in ("seq", "source", BY)})
        if isinstance(event, _ELSEWHERE):
            raise BadCorrection("event", "not_an_input", event=str(data.get("event"))[:40])
        now = desk.runner.now()
        if event.at is not None and now is not None and event.at > now + 1.0:
            raise BadCorrection("at", "in_the_future", now=f"{now:.1f}")
    except BadCorrection as error:
        raise bad_correction(error) from None
    return replace(event, source="referee", extra={**event.extra, BY: by})


def _outlook(desk: Desk, asked: Replacement, by: str) -> Outlook:
    service = desk.service
    with service.lock:
        referee, told = service.referee.copy(), list(service.told)
    try:
        correction = correction_of(told, asked.of, asked.replacement, asked.void, by)
        return outlook(referee, correction)
    except BadCorrection as error:
        raise bad_correction(error) from None
