"""Between a table and OBS: what the table finds is marked in the recording; either may come and go."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final
from urllib.parse import urlsplit

import websockets
from websockets.asyncio.client import connect

from api.obs import ObsMarker, chapter_name

_WAITS_S: Final = (1.0, 2.0, 4.0, 8.0)
_SILENCE_S: Final = 5.0


class BadTableAddress(ValueError):
    """What was given is no address of a table; one line."""


def live_address(table: str) -> str:
    """The WebSocket of a table that is named as `http://host:port`.

    Raises:
        BadTableAddress: it is no such name.

    >>> live_address("http://127.0.0.1:8770/")
    'ws://127.0.0.1:8770/api/v1/live'
    """
    parts = urlsplit(table)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise BadTableAddress(f"{table}: expected the address of a table, like http://127.0.0.1:8770")
    return f"{parts.scheme.replace('http', 'ws', 1)}://{parts.netloc}/api/v1/live"


class FindingsOf:
    """Follows a table's findings: each is told once, when it becomes known; what stood before is not told.

    Args:
        address: of the table, as `live_address` gives it.
        token: of an operator or a referee; with a viewer's only upheld findings are told; empty for none.
        sleep: waits a number of seconds.

    Attributes:
        trouble: why the table is not heard at the moment; empty while it is.
    """

    def __init__(self, address: str, token: str = "", sleep: Callable[[float], Any] = asyncio.sleep) -> None:
        self._address, self._sleep = address, sleep
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._known: set[Any] | None = None
        self.trouble = ""

    async def follow(self, tell: Callable[[Mapping[str, Any]], None]) -> None:
        """Call `tell` with each new finding, until cancelled; tries again for ever."""
        tries = 0
        while True:
            try:
                async with connect(self._address, additional_headers=self._headers, proxy=None) as socket:
                    while True:
                        async with asyncio.timeout(_SILENCE_S):
                            message = json.loads(await socket.recv())
                        tries, self.trouble = 0, ""
                        self._take(message, tell)
            except (OSError, TimeoutError, websockets.WebSocketException) as error:
                self.trouble = f"{self._address}: the table is not heard ({error})"
            await self._sleep(_WAITS_S[min(tries, len(_WAITS_S) - 1)])
            tries += 1

    def _take(self, message: Mapping[str, Any], tell: Callable[[Mapping[str, Any]], None]) -> None:
        if message["type"] == "snapshot":
            findings = message["state"].get("findings") or ()
        elif message["type"] == "change" and message["part"] == "findings":
            findings = message["value"] or ()
        else:
            return
        self._tell_new(findings, tell)

    def _tell_new(
        self, findings: Iterable[Mapping[str, Any]], tell: Callable[[Mapping[str, Any]], None]
    ) -> None:
        first = self._known is None
        known = self._known if self._known is not None else set()
        self._known = known
        for finding in sorted(findings, key=lambda one: one["finding"]):
            if finding["finding"] not in known and not first:
                tell(finding)
            known.add(finding["finding"])


async def mark_findings(
    findings: FindingsOf, marker: ObsMarker, lang: str, say: Callable[[str], None]
) -> None:
    """Mark every new finding in OBS until cancelled.

    Args:
        findings: of the table.
        marker: of OBS.
        lang: of the chapters' names.
        say: told a line when something fails that did not fail before, and for every finding that is marked.
    """

    def mark(finding: Mapping[str, Any]) -> None:
        name = chapter_name(finding, lang)
        marker.mark(name)
        say(name)

    tasks = [asyncio.create_task(findings.follow(mark)), asyncio.create_task(marker.run())]
    told = ["", ""]
    try:
        while not any(task.done() for task in tasks):
            now = [findings.trouble, marker.trouble]
            for line in (line for line, before in zip(now, told, strict=True) if line and line != before):
                say(line)
            told = now
            await asyncio.wait(tasks, timeout=0.5)
        for task in tasks:
            if task.done():
                task.result()
    finally:
        for task in tasks:
            task.cancel()
