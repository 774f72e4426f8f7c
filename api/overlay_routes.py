"""The routes of everything that goes on air: pages, their feed, rows for vMix; each under the policy of its output."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from fastapi import APIRouter, HTTPException, Request, Response, WebSocket, WebSocketDisconnect
from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from api.bells import Bells
from api.outputs import OutputFeed, OutputPolicy, Outputs
from api.vmix import FEEDS, vmix_rows
from table.texts import catalogue

STATIC: Final = Path(__file__).resolve().parent / "static"
GRAPHICS: Final = (
    "all", "bug", "trump", "seats", "trick", "clock", "finding", "result", "names", "hands",
)  # fmt: skip
"""What /overlay/{name} shows: everything in its place, or one graphic in the same place."""
PolicyOf = Callable[[HTTPConnection], OutputPolicy | None]
"""The policy of whoever asks; None for nobody who may see an output."""
_POLLED: Final = 32
_HEARTBEAT_S: Final = 1.0
_SEND_S: Final = 5.0


class NoCacheStatic(StaticFiles):
    """Files that are asked for anew each time, by their ETag: no browser source may show yesterday's graphics."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, to be kept but never used unasked."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


def overlay_router(outputs: Outputs, policy_of: PolicyOf) -> APIRouter:
    """The routes of the outputs of a table.

    Args:
        outputs: of the table.
        policy_of: who asks: the policy of the token that came along, or of the local user.
    """
    router = APIRouter()
    polled: dict[OutputPolicy, OutputFeed] = {}
    bells: list[Bells] = []

    @router.get("/overlay/{name}", include_in_schema=False)
    def page(name: str, request: Request) -> Response:
        if name not in GRAPHICS:
            raise HTTPException(404, f"no graphic {name!r}; there are {', '.join(GRAPHICS)}")
        return kept(request, (STATIC / "overlay" / "index.html").read_bytes(), "text/html; charset=utf-8")

    @router.get("/static/overlay/words.js", include_in_schema=False)
    def words(request: Request) -> Response:
        return kept(request, words_module().encode(), "text/javascript; charset=utf-8")

    @router.get("/feeds/vmix/{name}.json", tags=["outputs"], responses={401: {}, 404: {}})
    def vmix(name: str, request: Request, lang: str = "zh", delay_ms: int | None = None) -> JSONResponse:
        """Rows for a vMix data source: a flat array of objects, strings only."""
        policy = policy_of(request)
        if policy is None:
            raise HTTPException(401, "this feed needs the token of an output")
        if name not in FEEDS or lang not in ("zh", "en"):
            raise HTTPException(404, f"no feed {name!r} in {lang!r}; there are {', '.join(FEEDS)} in zh, en")
        policy = policy.later(delay_ms)
        if policy not in polled:
            # Whoever asks with ever new delays must not fill the memory.
            while len(polled) >= _POLLED:
                del polled[next(iter(polled))]
            polled[policy] = outputs.open(policy)
        state = polled[policy].present()
        return JSONResponse(vmix_rows(name, state, lang), headers={"Cache-Control": "no-store"})

    @router.websocket("/api/v1/overlay")
    async def overlay(socket: WebSocket, delay_ms: int | None = None) -> None:
        policy = policy_of(socket)
        if policy is None:
            await socket.close(code=1008)
            return
        await socket.accept()
        if not bells:
            bells.append(Bells(outputs))
        await serve_feed(socket, outputs.open(policy.later(delay_ms)), bells[0])

    return router


async def serve_feed(socket: WebSocket, feed: OutputFeed, bells: Bells) -> None:
    """Tell an accepted WebSocket a feed until it leaves; who does not read is dropped, never waited for.

    Args:
        socket: accepted.
        feed: what it may see.
        bells: of the outputs.
    """
    reading = asyncio.create_task(_until_gone(socket))
    bell = bells.join()
    loop = asyncio.get_running_loop()
    beat = loop.time() - _HEARTBEAT_S
    try:
        await _send(socket, feed.snapshot())
        while not reading.done():
            bell.clear()
            for message in feed.changes():
                await _send(socket, message)
            if loop.time() - beat >= _HEARTBEAT_S:
                beat = loop.time()
                await _send(socket, feed.heartbeat())
            await _rung(bell, feed.wait(beat + _HEARTBEAT_S - loop.time()))
    except (WebSocketDisconnect, RuntimeError, TimeoutError, asyncio.CancelledError):
        # The last of these: the service stops while somebody looks on.
        pass
    finally:
        bells.leave(bell)
        reading.cancel()


async def _rung(bell: asyncio.Event, longest: float) -> None:
    """Wait for a change, at most so many seconds."""
    try:
        async with asyncio.timeout(max(0.001, longest)):
            await bell.wait()
    except TimeoutError:
        return


async def _send(socket: WebSocket, message: dict[str, Any]) -> None:
    async with asyncio.timeout(_SEND_S):
        await socket.send_text(json.dumps(message, ensure_ascii=False, separators=(",", ":")))


async def _until_gone(socket: WebSocket) -> None:
    try:
        while True:
            await socket.receive_text()
    except (WebSocketDisconnect, RuntimeError, KeyError):
        return


def kept(request: Request, body: bytes, media_type: str) -> Response:
    """A body that is asked for anew each time and sent only where it has changed."""
    tag = f'"{hashlib.sha256(body).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(body, media_type=media_type, headers=headers)


def words_module() -> str:
    """The words of the graphics as an ES module."""
    words = {key: dict(entry) for key, entry in catalogue("overlay").items()}
    return f"export const WORDS = {json.dumps(words, ensure_ascii=False, indent=1)};\n"
