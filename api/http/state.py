"""Routes of the state: as a whole, as a WebSocket of its changes, the words of the pages."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import Header, Query, Response, WebSocket
from fastapi.responses import JSONResponse

from api.auth import Grant
from api.bells import Bells
from api.desk import Desk
from api.http.access import PUBLIC, Door, Routes, Who
from api.http.health import Metrics
from api.http.problems import Problem
from api.http.schemas import State
from api.http.socket import Teller, serve
from api.pictures import Previews
from api.stream import Stream
from api.streams import STAFF
from table.texts import catalogue

_TEXTS = ("live", "display", "api", "overlay", "record", "seats")


def state_routes(desk: Desk, door: Door, metrics: Metrics) -> Routes:
    """The routes of the state of a table.

    Args:
        desk: of the table.
        door: who may do what.
        metrics: where WebSockets are counted.
    """
    routes = Routes(tags=["state"])
    bells: dict[int, Bells] = {}
    previews = Previews(desk.board)

    def stream_of(grant: Grant) -> Stream:
        return desk.streams.staff if grant.may & set(STAFF) else desk.streams.public

    @routes.add(
        "GET",
        "/api/v1/state",
        "viewer|operator|referee",
        response_model=State,
        responses={304: {"description": "Nothing has changed."}},
    )
    def state(who: Who, response: Response, if_none_match: Annotated[str | None, Header()] = None) -> Any:
        """The whole state as this role may see it. Its ETag is `"SEQ.N"`: the latest event and the latest change."""
        n, parts = stream_of(who).snapshot()
        seq = json.loads(parts["match"])["seq"] if "match" in parts else 0
        headers = {"ETag": f'"{seq}.{n}"', "Cache-Control": "no-cache"}
        if if_none_match is not None and headers["ETag"] in if_none_match:
            return Response(status_code=304, headers=headers)
        body = {"n": n, "seq": seq, "at": desk.runner.now()}
        return JSONResponse(
            {**body, **{name: json.loads(text) for name, text in parts.items()}}, headers=headers
        )

    @routes.add("GET", "/api/v1/texts", PUBLIC)
    def texts() -> dict[str, dict[str, dict[str, str]]]:
        """The words of the pages: area, key, language."""
        return {area: _area(area) for area in _TEXTS}

    @routes.websocket("/api/v1/live")
    async def live(socket: WebSocket, since: Annotated[int | None, Query()] = None) -> None:
        """The state and its changes."""
        try:
            grant = door.who(socket)
        except Problem:
            grant = None
        if grant is None or "viewer" not in grant.may:
            await socket.close(code=1008)
            return
        await socket.accept()
        stream = stream_of(grant)
        if id(stream) not in bells:
            bells[id(stream)] = Bells(stream)
        pictures = previews if grant.may & set(STAFF) else None
        teller = Teller(socket, stream, bells[id(stream)], desk.runner.now, pictures, metrics.messages.inc)
        with metrics.sockets.track_inprogress():
            if not await serve(teller, since):
                metrics.dropped.inc()

    return routes


def _area(area: str) -> dict[str, dict[str, str]]:
    try:
        return {key: dict(entry) for key, entry in catalogue(area).items()}
    except KeyError:
        return {}
