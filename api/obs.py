"""Speaks to OBS (obs-websocket v5): a finding becomes a chapter of the recording, and the replay buffer is saved."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import itertools
import json
from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, Final

import websockets
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

RPC_VERSION: Final = 1
HELLO, IDENTIFY, IDENTIFIED, REQUEST, RESPONSE = 0, 1, 2, 6, 7
_AUTHENTICATION_FAILED: Final = 4009
_ANSWER_S: Final = 5.0
_WAITS_S: Final = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
_KEPT: Final = 64


class ObsRefused(Exception):
    """OBS does not do what was asked; one line that says what and why."""


def authentication(password: str, salt: str, challenge: str) -> str:
    """The answer to a challenge: base64(sha256(base64(sha256(password + salt)) + challenge)).

    >>> authentication("supersecretpassword", "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=",
    ...     "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=")
    '1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4='
    """
    secret = base64.b64encode(hashlib.sha256((password + salt).encode()).digest()).decode()
    return base64.b64encode(hashlib.sha256((secret + challenge).encode()).digest()).decode()


class ObsSession:
    """One connection to OBS, identified.

    Args:
        socket: as `opened_obs` gives it.
    """

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = itertools.count(1)

    async def request(self, kind: str, data: Mapping[str, Any] | None = None) -> Mapping[str, Any]:
        """Ask for something and wait for the answer.

        Raises:
            ObsRefused: OBS answers that it cannot.
            websockets.ConnectionClosed: the connection is gone.
            TimeoutError: no answer within 5 s.
        """
        number = str(next(self._ids))
        asked = {"requestType": kind, "requestId": number, "requestData": dict(data or {})}
        await self._socket.send(json.dumps({"op": REQUEST, "d": asked}))
        async with asyncio.timeout(_ANSWER_S):
            while True:
                answer = json.loads(await self._socket.recv())
                if answer.get("op") == RESPONSE and answer["d"].get("requestId") == number:
                    break
        status = answer["d"]["requestStatus"]
        if not status.get("result"):
            raise ObsRefused(f"OBS: {kind}: {status.get('comment') or status.get('code')}")
        return dict(answer["d"].get("responseData") or {})

    async def wait_closed(self) -> None:
        """Wait until the connection is gone."""
        await self._socket.wait_closed()

    async def close(self) -> None:
        """Leave."""
        await self._socket.close()


async def opened_obs(url: str, password: str = "") -> ObsSession:
    """Connect and identify.

    Args:
        url: of OBS, `ws://127.0.0.1:4455`.
        password: as set in OBS; empty where it asks for none.

    Raises:
        ObsRefused: wrong or missing password, or another protocol.
        OSError, TimeoutError, websockets.WebSocketException: OBS cannot be reached.
    """
    socket = await connect(
        url, subprotocols=[Subprotocol("obswebsocket.json")], open_timeout=_ANSWER_S, proxy=None
    )
    try:
        async with asyncio.timeout(_ANSWER_S):
            hello = json.loads(await socket.recv())
            if hello.get("op") != HELLO:
                raise ObsRefused(f"OBS: {url} does not speak obs-websocket 5")
            identify: dict[str, Any] = {"rpcVersion": RPC_VERSION, "eventSubscriptions": 0}
            asks = hello["d"].get("authentication")
            if asks:
                identify["authentication"] = authentication(password, asks["salt"], asks["challenge"])
            await socket.send(json.dumps({"op": IDENTIFY, "d": identify}))
            if json.loads(await socket.recv()).get("op") != IDENTIFIED:
                raise ObsRefused(f"OBS: {url} did not accept the connection")
    except websockets.ConnectionClosed as error:
        code = error.rcvd.code if error.rcvd is not None else None
        if code == _AUTHENTICATION_FAILED:
            raise ObsRefused(f"OBS: {url}: wrong password; see Tools, WebSocket Server Settings") from None
        raise ObsRefused(f"OBS: {url} closed the connection ({code})") from None
    except BaseException:
        await socket.close()
        raise
    return ObsSession(socket)


class ObsMarker:
    """Marks what happened in the recording, as long as OBS is there; without OBS the table goes on as it does.

    Args:
        url: of OBS.
        password: of OBS; empty for none.
        chapters: make a chapter of each mark (OBS 30.2, Hybrid MP4).
        replay: save the replay buffer at each mark.
        sleep: waits a number of seconds.

    Attributes:
        trouble: why marks do not arrive at the moment; empty while all is well.
        marked: marks that OBS has taken.
    """

    def __init__(
        self,
        url: str,
        password: str = "",
        *,
        chapters: bool = True,
        replay: bool = False,
        sleep: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        self._url, self._password, self._sleep = url, password, sleep
        self._requests = [
            *([("CreateRecordChapter", "chapterName")] if chapters else []),
            *([("SaveReplayBuffer", None)] if replay else []),
        ]
        self._marks: deque[str] = deque(maxlen=_KEPT)
        self._bell = asyncio.Event()
        self.trouble = ""
        self.marked = 0

    def mark(self, name: str) -> None:
        """Ask for a mark; call it in the loop in which `run` runs. Marks wait for OBS; the oldest of too many go."""
        self._marks.append(name)
        self._bell.set()

    async def run(self) -> None:
        """Keep the connection and pass marks on, until cancelled; tries again for ever."""
        tries = 0
        while True:
            try:
                session = await opened_obs(self._url, self._password)
            except ObsRefused as error:
                self.trouble = str(error)
            except (OSError, TimeoutError, websockets.WebSocketException) as error:
                self.trouble = f"OBS: {self._url} cannot be reached ({error})"
            else:
                tries, self.trouble = 0, ""
                await self._pass_on(session)
            await self._sleep(_WAITS_S[min(tries, len(_WAITS_S) - 1)])
            tries += 1

    async def _pass_on(self, session: ObsSession) -> None:
        gone = asyncio.create_task(session.wait_closed())
        try:
            while True:
                await self._next(gone)
                name = self._marks[0]
                for kind, field in self._requests:
                    await self._ask(session, kind, {field: name} if field else {})
                # Taken only now: a mark on its way while OBS goes is sent again.
                self._marks.popleft()
                self.marked += 1
        except (websockets.WebSocketException, TimeoutError, OSError) as error:
            self.trouble = f"OBS: {self._url} is gone ({error})"
        finally:
            gone.cancel()
            await session.close()

    async def _next(self, gone: asyncio.Task[None]) -> None:
        """Wait for a mark, or for the end of the connection."""
        while not self._marks:
            self._bell.clear()
            bell = asyncio.create_task(self._bell.wait())
            await asyncio.wait({bell, gone}, return_when=asyncio.FIRST_COMPLETED)
            bell.cancel()
            if gone.done():
                raise ConnectionError("the connection was closed")

    async def _ask(self, session: ObsSession, kind: str, data: Mapping[str, Any]) -> None:
        """A refusal (nothing is being recorded) is said, and nothing else comes of it."""
        try:
            await session.request(kind, data)
            self.trouble = ""
        except ObsRefused as error:
            self.trouble = str(error)


def chapter_name(finding: Mapping[str, Any], lang: str) -> str:
    """What a chapter is called: rule and article, short enough for a list.

    >>> chapter_name({"rule": "GDO-54", "article": {"en": "A play after the time limit"}}, "en")
    'GDO-54 A play after the time limit'
    """
    article = (finding.get("article") or {}).get(lang, "")
    return f"{finding.get('rule', '')} {article}".strip()[:80]
