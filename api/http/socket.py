"""The WebSocket of a table's state: a snapshot, numbered changes, a heartbeat; who does not read is dropped."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable

from fastapi import WebSocket, WebSocketDisconnect

from api.bells import Bells
from api.pictures import Previews
from api.stream import Stream, snapshot_text
from vision.frames import Frame

HEARTBEAT_S = 1.0
PICTURE_S = 0.2
SEND_S = 5.0
"""Who has not taken a message after so long is dropped."""


class Teller:
    """Tells one accepted WebSocket a stream until it leaves.

    Args:
        socket: accepted.
        stream: what it may see.
        bells: of the stream.
        now: gives the time of the record, s.
        pictures: of the cameras that it may see; None for none.
        count: called for every message that is sent.
        clock: seconds of a clock that only runs forward.
    """

    def __init__(
        self,
        socket: WebSocket,
        stream: Stream,
        bells: Bells,
        now: Callable[[], float | None],
        pictures: Previews | None = None,
        count: Callable[[], None] = lambda: None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._socket = socket
        self._stream = stream
        self._bells = bells
        self._now = now
        self._pictures = pictures
        self._count = count
        self._clock = clock
        self._camera = ""
        self._n = 0
        self._sending = asyncio.Lock()

    async def tell(self, since: int | None) -> None:
        """Begin after change number `since` where that is known, else with a snapshot."""
        tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._changes(since))]
        if self._pictures is not None:
            tasks.append(asyncio.create_task(self._show()))
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                task.cancel()
            ended = await asyncio.gather(*tasks, return_exceptions=True)
        if any(isinstance(one, TimeoutError) for one in ended):
            raise TimeoutError

    async def _changes(self, since: int | None) -> None:
        bell = self._bells.join()
        try:
            if since is None or self._stream.since(since) is None:
                await self._snapshot()
            else:
                self._n = since
            beat = self._clock()
            while True:
                bell.clear()
                changes = self._stream.since(self._n)
                if changes is None:
                    # So far behind that what he lacks is not kept any more.
                    await self._snapshot()
                    continue
                if changes:
                    await self._send(*(change.text for change in changes))
                    self._n = changes[-1].n
                wait = beat + HEARTBEAT_S - self._clock()
                if wait <= 0:
                    beat = self._clock()
                    await self._beat()
                    continue
                try:
                    async with asyncio.timeout(wait):
                        await bell.wait()
                except TimeoutError:
                    continue
        finally:
            self._bells.leave(bell)

    async def _snapshot(self) -> None:
        self._n, parts = self._stream.snapshot()
        await self._send(snapshot_text(self._n, parts))
        await self._beat()

    async def _beat(self) -> None:
        at = self._now()
        await self._send(
            json.dumps({"type": "heartbeat", "n": self._n, "at": None if at is None else round(at, 2)})
        )

    async def _send(self, *messages: str | bytes) -> None:
        async with self._sending:
            for message in messages:
                async with asyncio.timeout(SEND_S):
                    if isinstance(message, str):
                        await self._socket.send_text(message)
                    else:
                        await self._socket.send_bytes(message)
                self._count()

    async def _listen(self) -> None:
        while True:
            text = await self._socket.receive_text()
            try:
                asked = json.loads(text)
            except ValueError:
                continue
            if isinstance(asked, dict) and isinstance(asked.get("camera"), str):
                self._camera = asked["camera"]

    async def _show(self) -> None:
        """The wished camera's newest picture, as long as somebody wishes it; never more than one is on its way."""
        shown: Frame | None = None
        while self._pictures is not None:
            frame = self._pictures.newest(self._camera) if self._camera else None
            if frame is not None and frame is not shown:
                shown = frame
                await self._send(await asyncio.to_thread(self._pictures.jpeg, frame))
            await asyncio.sleep(PICTURE_S)


async def serve(teller: Teller, since: int | None) -> bool:
    """Tell until the socket leaves; False where it did not read and was dropped."""
    try:
        await teller.tell(since)
    except TimeoutError:
        return False
    except (WebSocketDisconnect, RuntimeError, OSError, asyncio.CancelledError):
        # The last of these: the service stops while somebody looks on.
        pass
    return True
