"""Routes of inputs by hand."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import Body
from pydantic import BaseModel

from api.desk import Desk
from api.http.access import Routes, Who
from api.http.problems import Problem
from api.service import Told
from table.events import BadEvent, event_from_json
from table.texts import both

WAIT_S = 10.0


class Recorded(BaseModel):
    """What became of an input."""

    seq: int
    known: bool = False


def input_routes(desk: Desk) -> Routes:
    """The routes of inputs by hand."""
    routes = Routes(tags=["inputs"])

    @routes.add("POST", "/api/v1/inputs", "referee|operator", 422, 503, status_code=201)
    async def put_in(event: Annotated[dict[str, Any], Body()], who: Who) -> Recorded:
        """Something that merely happened: an event of RECORD.md, in the journal when this answers."""
        try:
            read = event_from_json({**event, "source": "referee"})
        except BadEvent as error:
            raise Problem(
                422, "not_valid", errors=[("event", both("api.wrong_value", what=str(error)))]
            ) from None
        told = await recorded(desk, desk.record(read))
        return Recorded(seq=told[-1].event.seq if told else desk.seq, known=not told)

    return routes


async def recorded(desk: Desk, done: Any) -> list[Told]:
    """What was recorded, once it is in the journal."""
    try:
        return await asyncio.wait_for(asyncio.wrap_future(done), WAIT_S)
    except TimeoutError:
        raise Problem(503, "not_recorded", why=desk.service.trouble) from None
