"""Many clients of a node in one thread; times are taken before anything is looked at, or clients measure themselves."""

from __future__ import annotations

import json
import selectors
import socket
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any, Final

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.http11 import Response
from websockets.uri import parse_uri

Listener = Callable[[float, dict[str, Any]], None]
"""Takes when a message came (Unix time, s) and what it says."""
_CHUNK: Final = 1 << 18
_HANDSHAKE_S: Final = 20.0


class NotLetIn(RuntimeError):
    """A client got no connection; one line."""


class Client:
    """One WebSocket; opened at once.

    Args:
        address: `ws://…`.
        token: it comes with.
        listener: told everything that comes, in order, in the thread that reads.

    Raises:
        NotLetIn: nobody is there, or the token is not good for it.
    """

    def __init__(self, address: str, token: str, listener: Listener) -> None:
        self._listener = listener
        self._came: list[tuple[float, bytes]] = []
        uri = parse_uri(address)
        self._protocol = ClientProtocol(uri, max_size=None)
        try:
            self.socket = socket.create_connection((uri.host, uri.port), _HANDSHAKE_S)
            request = self._protocol.connect()
            request.headers["Authorization"] = f"Bearer {token}"
            self._protocol.send_request(request)
            self._answer()
            while not self._let_in():
                data = self.socket.recv(_CHUNK)
                if not data:
                    raise NotLetIn(f"{address}: the connection was closed")
                self._protocol.receive_data(data)
        except OSError as error:
            raise NotLetIn(f"{address}: {error.strerror or error}") from None
        if self._protocol.handshake_exc is not None:
            raise NotLetIn(f"{address}: {self._protocol.handshake_exc}")

    def read(self) -> bool:
        """Take what is there, and when; looks at nothing. False when there will be no more."""
        try:
            data = self.socket.recv(_CHUNK)
        except OSError:
            return False
        self._came.append((time.time(), data))
        return bool(data)

    def understand(self) -> None:
        """Tell the listener what was taken."""
        came, self._came = self._came, []
        for at, data in came:
            self._protocol.receive_data(data)
            for event in self._protocol.events_received():
                if isinstance(event, Frame) and event.opcode is Opcode.TEXT:
                    self._listener(at, json.loads(bytes(event.data)))
        self._answer()

    def _let_in(self) -> bool:
        return any(isinstance(event, Response) for event in self._protocol.events_received())

    def _answer(self) -> None:
        """What the protocol says by itself: the handshake, the answer to a ping."""
        for data in self._protocol.data_to_send():
            if data:
                self.socket.sendall(data)


class Readers:
    """Reads clients until it is stopped.

    Args:
        clients: open already.

    Attributes:
        gone: how many connections have ended by themselves.
    """

    def __init__(self, clients: Sequence[Client]) -> None:
        self.gone = 0
        self._selector = selectors.DefaultSelector()
        for client in clients:
            self._selector.register(client.socket, selectors.EVENT_READ, client)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="clients", daemon=True)

    def start(self) -> None:
        """Read from now on."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more; the connections are closed."""
        self._stop.set()
        self._thread.join(10)
        for key in list(self._selector.get_map().values()):
            key.data.socket.close()
        self._selector.close()

    def _run(self) -> None:
        came: set[Client] = set()
        while not self._stop.is_set():
            ready = self._selector.select(0.0 if came else 0.2)
            for key, _ in ready:
                client: Client = key.data
                came.add(client)
                if not client.read():
                    self._selector.unregister(client.socket)
                    self.gone += 1
            if not ready:
                # Only when nothing more comes is there time to look.
                for client in came:
                    client.understand()
                came.clear()
