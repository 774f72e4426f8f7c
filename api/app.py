"""The page of a table: one FastAPI app on 127.0.0.1 that shows what the board holds and takes inputs by hand."""

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

import uvicorn
from fastapi import Body, FastAPI, HTTPException, WebSocket, WebSocketDisconnect
from fastapi.responses import FileResponse, JSONResponse
from fastapi.staticfiles import StaticFiles
from starlette.middleware.trustedhost import TrustedHostMiddleware

from api.live import Board, texts
from api.pictures import jpeg
from table.events import BadEvent, Event, event_from_json
from vision.frames import Frame

HOST: Final = "127.0.0.1"
STATIC: Final = Path(__file__).resolve().parent / "static" / "live"
_LOCAL: Final = ("127.0.0.1", "localhost")
_EVIDENCE: Final = re.compile(r"e\d{4,}-(before|after)\.jpg|f\d{4,}\.webm")
_STATE_S: Final = 0.1
_PICTURE_S: Final = 0.2


class PortTaken(OSError):
    """Somebody else listens on the port."""


def make_app(
    board: Board, evidence: Path | None = None, hear: Callable[[Event], None] | None = None
) -> FastAPI:
    """The app of one table.

    Args:
        board: where the table leaves what may be seen.
        evidence: folder of stills and clips.
        hear: takes an input that somebody sends.
    """
    app = FastAPI(title="Paizhuo", docs_url=None, redoc_url=None, openapi_url=None)
    # A page from elsewhere that is open in the same browser must not reach the table by a name of its own.
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=list(_LOCAL))

    @app.get("/texts.json")
    def words() -> dict[str, dict[str, str]]:
        return texts()

    @app.get("/state.json")
    def state() -> JSONResponse:
        return JSONResponse({name: json.loads(text) for name, (_, text) in board.parts({}).items()})

    @app.get("/evidence/{name}")
    def stills(name: str) -> FileResponse:
        if evidence is None or not _EVIDENCE.fullmatch(name) or not (evidence / name).is_file():
            raise HTTPException(404, "no such evidence")
        return FileResponse(evidence / name)

    @app.post("/inputs")
    def inputs(event: Annotated[dict[str, Any], Body()]) -> dict[str, bool]:
        if hear is None:
            raise HTTPException(409, "this table takes no inputs here")
        try:
            hear(event_from_json({"source": "referee", **event}))
        except BadEvent as error:
            raise HTTPException(422, str(error)) from None
        return {"heard": True}

    @app.websocket("/live")
    async def live(socket: WebSocket) -> None:
        origin = socket.headers.get("origin")
        if origin is not None and urlsplit(origin).hostname not in _LOCAL:
            await socket.close(code=1008)
            return
        await socket.accept()
        listening = asyncio.create_task(_wishes(socket, wish := {"camera": ""}))
        try:
            await _tell(socket, board, wish, listening)
        except (WebSocketDisconnect, RuntimeError):
            pass
        finally:
            listening.cancel()

    app.mount("/", StaticFiles(directory=STATIC, html=True), name="page")
    return app


async def _wishes(socket: WebSocket, wish: dict[str, str]) -> None:
    """Note which camera's picture the page wants, until it leaves."""
    try:
        while True:
            asked = json.loads(await socket.receive_text())
            if isinstance(asked, dict) and isinstance(asked.get("camera"), str):
                wish["camera"] = asked["camera"]
    except (WebSocketDisconnect, ValueError, RuntimeError):
        return


async def _tell(
    socket: WebSocket, board: Board, wish: Mapping[str, str], listening: asyncio.Task[None]
) -> None:
    """Send the parts that change as text and the wished camera's newest picture as JPEG, as long as somebody looks."""
    known: dict[str, int] = {}
    shown: Frame | None = None
    rounds = 0
    while not listening.done():
        for name, (number, text) in board.parts(known).items():
            known[name] = number
            await socket.send_text(f'{{"part": "{name}", "value": {text}}}')
        frame = board.picture(wish["camera"])
        if rounds % round(_PICTURE_S / _STATE_S) == 0 and frame is not None and frame is not shown:
            shown = frame
            await socket.send_bytes(await asyncio.to_thread(jpeg, frame, board.boxes.get(frame.source)))
        rounds += 1
        await asyncio.sleep(_STATE_S)


class Page:
    """The app served from a thread of its own, on this machine only.

    Args:
        app: what is served.
        port: 0 takes any that is free.
        host: address on which it is served.

    Raises:
        PortTaken: somebody else listens there, or there is no such address here.
    """

    def __init__(self, app: FastAPI, port: int, host: str = HOST) -> None:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._socket = socket.socket(family, socket.SOCK_STREAM)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            self._socket.bind((host, port))
            # Listening at once: a port is taken or it is not, whoever comes a moment later.
            self._socket.listen(256)
        except OSError as error:
            self._socket.close()
            raise PortTaken(error.errno, error.strerror) from None
        name = f"[{host}]" if ":" in host else host
        self.address: Final = f"http://{name}:{self._socket.getsockname()[1]}/"
        """Where the page is."""
        config = uvicorn.Config(
            app,
            log_level="error",
            lifespan="off",
            ws="websockets-sansio",
            access_log=False,
            ws_per_message_deflate=False,
            server_header=False,
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(
            target=self._server.run, kwargs={"sockets": [self._socket]}, name="page", daemon=True
        )

    def start(self) -> None:
        """Serve from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Stop serving; pages that are open are let go."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=3)
        self._socket.close()
