"""What the routes that change a table share: what a decision rests on (If-Match), and waiting until it is in the journal."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import Future
from typing import Annotated, Final

from fastapi import Header
from pydantic import BaseModel, ConfigDict, Field

from api.auth import Grant
from api.corrections import BadCorrection
from api.desk import Desk
from api.http.problems import Problem
from api.service import Told
from table.events import Event
from table.texts import both

WAIT_S: Final = 10.0
_TAG: Final = re.compile(r'(?:W/)?"?(\d{1,15})(?:\.\d{1,20})?"?')
IfMatch = Annotated[
    str | None,
    Header(
        alias="If-Match", description='Number of the state that this was decided on: `"SEQ"` or its ETag.'
    ),
]


class Body(BaseModel):
    """A body of which every field is known."""

    model_config = ConfigDict(extra="forbid")


class Recorded(BaseModel):
    """What was recorded."""

    seq: int = Field(description="Number of the event; of the latest one, where it was known already.")
    known: bool = Field(default=False, description="It was in the record already: nothing was added.")


class Stale(Exception):
    """What a decision rests on has changed."""


def decided_on(header: str | None) -> int:
    """The number of the state that a request names.

    Raises:
        Problem: 428 where it names none, 400 where it cannot be read.
    """
    if header is None:
        raise Problem(428, "no_precondition")
    match = _TAG.fullmatch(header.strip())
    if match is None:
        raise Problem(400, "bad_precondition", errors=[("If-Match", both("api.bad_precondition_detail"))])
    return int(match[1])


def unless_changed(desk: Desk, header: str | None, last: Callable[[], int]) -> Callable[[], None]:
    """What is asked right before something is recorded: whether what it is about is still as it was decided on.

    Args:
        desk: of the table.
        header: of the request.
        last: number of the event by which it became what it is.

    Raises:
        Problem: as `decided_on`.
    """
    seq = decided_on(header)

    def allow() -> None:
        if seq > desk.seq or last() > seq:
            raise Stale

    return allow


def conflict(desk: Desk) -> Problem:
    """Somebody was faster: the answer carries the state as it is."""
    n, seq, state = desk.state()
    body = {"n": n, "seq": seq, "at": desk.runner.now(), **state}
    return Problem(412, "stale", more={"state": body}, headers={"ETag": f'"{seq}.{n}"'})


async def recorded(desk: Desk, event: Event, allow: Callable[[], None] | None = None) -> Recorded:
    """Put an event in and wait until it is in the journal.

    Raises:
        Problem: 412 where what it rests on has changed, 503 where nothing can be recorded at the moment.
    """
    told = await answered(desk, desk.record(event, allow))
    return Recorded(seq=told[-1].event.seq if told else desk.seq, known=not told)


async def answered(desk: Desk, done: Future[list[Told]]) -> list[Told]:
    """What was recorded of an input."""
    try:
        return await asyncio.wait_for(asyncio.shield(asyncio.wrap_future(done)), WAIT_S)
    except Stale:
        raise conflict(desk) from None
    except BadCorrection as error:
        raise bad_correction(error) from None
    except TimeoutError:
        raise Problem(503, "not_recorded", why=desk.service.trouble or "-") from None


def bad_correction(error: BadCorrection) -> Problem:
    """A correction that cannot be, as a problem that names the field."""
    return Problem(422, "not_valid", errors=[(error.field, both(f"api.{error.key}", **error.fields))])


def name_of(who: Grant) -> str:
    """What a person is called in the record."""
    return who.name or who.role
