"""How WebSockets of many viewers are written: what an app sends at one go leaves in one piece, not in a packet each."""

from __future__ import annotations

import asyncio
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol


class GatheringWebSocket(WebSocketsSansIOProtocol):
    """uvicorn's WebSocket over a transport that gathers what is written within one turn of the event loop.

    An event at the table changes half a dozen parts of its state: for sixty viewers that would be hundreds of calls
    into the kernel, each of which hands the interpreter to the thread that looks at pictures.
    """

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """A connection has come."""
        super().connection_made(_Gathering(transport, self.loop))  # type: ignore[arg-type]


class _Gathering:
    """A transport whose writes leave together; everything else is the transport's own."""

    def __init__(self, transport: Any, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._gathered: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)

    def write(self, data: bytes) -> None:
        """Take what is to leave with this turn of the loop."""
        if not self._gathered:
            self._loop.call_soon(self._leave)
        self._gathered.append(data)

    def close(self) -> None:
        """Close once everything has left."""
        self._leave()
        self._transport.close()

    def _leave(self) -> None:
        if self._gathered:
            gathered, self._gathered = self._gathered, []
            if not self._transport.is_closing():
                self._transport.write(b"".join(gathered))
