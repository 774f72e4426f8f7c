"""Serves an app from a thread of its own, beside the loop of its table."""

from __future__ import annotations

import socket
import sys
import threading
from typing import Final

import uvicorn
from fastapi import FastAPI

from api.wire import GatheringWebSocket

HOST: Final = "127.0.0.1"
SWITCH_S: Final = 0.001
"""For how long a busy thread keeps the interpreter from the one that serves."""


class PortTaken(OSError):
    """Somebody else listens on the port."""


class Page:
    """An app served from a thread of its own, on this machine only unless another address is given.

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
            ws=GatheringWebSocket,
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
        # Telling many pages of an event gives the interpreter away once for each; with Python's own 5 ms the thread that
        # looks at pictures would keep it for as long each time.
        sys.setswitchinterval(min(sys.getswitchinterval(), SWITCH_S))
        self._thread.start()

    def stop(self) -> None:
        """Stop serving; pages that are open are let go."""
        self._server.should_exit = True
        self._server.force_exit = True
        if self._thread.is_alive():
            self._thread.join(timeout=3)
        self._socket.close()
