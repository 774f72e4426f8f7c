"""OBS as it speaks, on a real socket: a finding becomes a chapter, the replay is saved, nobody minds its absence."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import json
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from websockets.asyncio.server import Server, ServerConnection, serve

from api.cli import app
from api.obs import ObsMarker, ObsRefused, chapter_name, opened_obs
from api.obs_link import FindingsOf, live_address, mark_findings
from tests.api_desk import node, opening

PASSWORD = "sesame"


class Obs:
    """The server side of obs-websocket 5: asks for a password, answers requests, sends events in between."""

    def __init__(self, recording: bool = True, password: str = PASSWORD) -> None:
        self.recording = recording
        self.password = password
        self.heard: list[tuple[str, dict[str, Any]]] = []
        self.protocols: list[str | None] = []
        self.server: Server | None = None

    async def start(self, port: int = 0) -> str:
        self.server = await serve(self._speak, "127.0.0.1", port, subprotocols=["obswebsocket.json"])  # type: ignore[list-item]
        return f"ws://127.0.0.1:{self.port}"

    @property
    def port(self) -> int:
        assert self.server is not None
        return int(next(iter(self.server.sockets)).getsockname()[1])

    async def stop(self) -> None:
        assert self.server is not None
        self.server.close()
        await self.server.wait_closed()

    async def _speak(self, socket: ServerConnection) -> None:
        self.protocols.append(socket.subprotocol)
        asks = {"authentication": {"salt": "salt", "challenge": "dare"}} if self.password else {}
        await socket.send(
            json.dumps({"op": 0, "d": {"obsWebSocketVersion": "5.5.0", "rpcVersion": 1, **asks}})
        )
        identify = json.loads(await socket.recv())
        assert (identify["op"], identify["d"]["rpcVersion"]) == (1, 1)
        if self.password and identify["d"].get("authentication") != self._answer():
            await socket.close(4009, "Authentication failed.")
            return
        await socket.send(json.dumps({"op": 2, "d": {"negotiatedRpcVersion": 1}}))
        async for message in socket:
            asked = json.loads(message)["d"]
            self.heard.append((asked["requestType"], asked["requestData"]))
            await socket.send(
                json.dumps({"op": 5, "d": {"eventType": "ReplayBufferSaved", "eventIntent": 64}})
            )
            status = (
                {"result": True, "code": 100}
                if self.recording
                else {"result": False, "code": 501, "comment": "Output not running"}
            )
            told = {
                "requestType": asked["requestType"],
                "requestId": asked["requestId"],
                "requestStatus": status,
            }
            await socket.send(json.dumps({"op": 7, "d": told}))

    def _answer(self) -> str:
        secret = base64.b64encode(hashlib.sha256(f"{self.password}salt".encode()).digest())
        return base64.b64encode(hashlib.sha256(secret + b"dare").digest()).decode()


def with_obs(obs: Obs, act: Callable[[str], Awaitable[Any]]) -> Any:
    async def both() -> Any:
        url = await obs.start()
        try:
            return await act(url)
        finally:
            await obs.stop()

    return asyncio.run(both())


async def until(done: Callable[[], Any]) -> None:
    async with asyncio.timeout(10):
        while not done():
            await asyncio.sleep(0.005)


async def soon(_seconds: float) -> None:
    await asyncio.sleep(0.01)


def test_a_finding_becomes_a_chapter_and_the_replay_is_saved() -> None:
    obs = Obs()

    async def act(url: str) -> None:
        marker = ObsMarker(url, PASSWORD, replay=True)
        running = asyncio.create_task(marker.run())
        marker.mark(chapter_name({"rule": "GDO-54", "article": {"zh": "超时"}}, "zh"))
        await until(lambda: marker.marked)
        running.cancel()
        assert marker.trouble == ""

    with_obs(obs, act)
    assert obs.heard == [("CreateRecordChapter", {"chapterName": "GDO-54 超时"}), ("SaveReplayBuffer", {})]
    assert obs.protocols == ["obswebsocket.json"]


def test_no_password_where_obs_asks_for_none() -> None:
    async def act(url: str) -> Any:
        session = await opened_obs(url)
        await session.request("GetVersion")
        await session.close()

    obs = Obs(password="")
    with_obs(obs, act)
    assert obs.heard == [("GetVersion", {})]


def test_a_wrong_password_is_said_in_one_line() -> None:
    async def act(url: str) -> None:
        with pytest.raises(ObsRefused, match="wrong password") as refused:
            await opened_obs(url, "guess")
        assert "\n" not in str(refused.value)

    with_obs(Obs(), act)


def test_an_obs_that_records_nothing_says_so_and_marking_goes_on() -> None:
    obs = Obs(recording=False)

    async def act(url: str) -> str:
        marker = ObsMarker(url, PASSWORD)
        running = asyncio.create_task(marker.run())
        marker.mark("one")
        marker.mark("two")
        await until(lambda: marker.marked == 2)
        running.cancel()
        return marker.trouble

    assert with_obs(obs, act) == "OBS: CreateRecordChapter: Output not running"


def test_an_obs_that_comes_late_or_comes_back_is_found_again() -> None:
    async def act() -> None:
        first = Obs()
        url = await first.start()
        port = first.port
        await first.stop()
        marker = ObsMarker(url, PASSWORD, sleep=soon)
        running = asyncio.create_task(marker.run())
        await until(lambda: "cannot be reached" in marker.trouble)
        marker.mark("kept until OBS is there")
        later = Obs()
        await later.start(port)
        await until(lambda: marker.marked == 1)
        await later.stop()
        again = Obs()
        await again.start(port)
        await until(lambda: again.protocols)
        marker.mark("after the restart")
        await until(lambda: again.heard)
        running.cancel()
        await again.stop()
        assert later.heard == [("CreateRecordChapter", {"chapterName": "kept until OBS is there"})]

    asyncio.run(act())


def test_what_a_table_finds_is_marked_once_as_it_becomes_known(tmp_path: Path) -> None:
    """A real node, the server side of OBS, and the link between them."""
    obs = Obs()
    said: list[str] = []

    async def act(url: str) -> None:
        with node(tmp_path / "data", roles=("referee", "operator")) as table:
            table.happened(*opening(), {"event": "play", "seat": 0, "cards": "S9"})
            table.happened({"event": "play", "seat": 1, "cards": "H6"})
            findings = FindingsOf(live_address(table.base), table.tokens["operator"], soon)
            marker = ObsMarker(url, PASSWORD)
            linked = asyncio.create_task(mark_findings(findings, marker, "en", said.append))
            await until(lambda: obs.protocols and findings._known)
            await asyncio.to_thread(table.happened, {"event": "play", "seat": 2, "cards": "C4"})
            await until(lambda: marker.marked)
            linked.cancel()

    with_obs(obs, act)
    # What had been found before the link was there is no chapter of what is recorded now.
    assert obs.heard[0][0] == "CreateRecordChapter"
    assert obs.heard[0][1]["chapterName"] == said[0]
    assert said[0].startswith("GDO-")


@pytest.mark.parametrize(
    "arguments", [["ftp://x"], ["http://127.0.0.1:8000", "--obs", "http://127.0.0.1:4455"], ["table 3"]]
)
def test_addresses_that_are_none_are_one_line(arguments: list[str]) -> None:
    result = CliRunner().invoke(app, ["obs", *arguments])
    assert result.exit_code == 2
    assert len(result.stderr.splitlines()) == 1
