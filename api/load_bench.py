"""Measures a node from outside: how late its pages and outputs are told, whether a number is lost, how memory grows."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import httpx
import numpy as np
import psutil
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from api.auth import TOKENS, Grant, Tokens

_START_S: Final = 120.0
_EVENTS: Final = ("match", "trick", "seats", "log", "clock", "findings", "results")


class NoNode(RuntimeError):
    """The node did not start; one line."""


@dataclass(slots=True)
class Load:
    """What was measured.

    Attributes:
        viewers, overlays: seconds from an event in the journal to a client, for each change that came.
        lost: numbers that were missing in a client's sequence.
        silences: longest time between two messages, s, of each client that reads.
        closed: connections of reading clients that ended; `slow_closed`: of those that do not read.
        memory: (seconds since the start, resident bytes of the node).
        events: in the journal at the end.
    """

    viewers: list[float] = field(default_factory=list)
    overlays: list[float] = field(default_factory=list)
    lost: int = 0
    silences: list[float] = field(default_factory=list)
    closed: int = 0
    slow_closed: int = 0
    memory: list[tuple[float, int]] = field(default_factory=list)
    events: int = 0


@contextlib.contextmanager
def running(command: Sequence[str]) -> Iterator[tuple[str, int]]:
    """A node as a process of its own: its address and process id.

    Raises:
        NoNode: it gave no address.
    """
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, bufsize=1)
    try:
        began = time.monotonic()
        assert process.stdout is not None
        address = ""
        while not address and time.monotonic() - began < _START_S:
            line = process.stdout.readline()
            if not line:
                break
            address = line.partition("http://")[2].strip().rstrip("/")
        if not address:
            raise NoNode(f"{command[-1]}: the node did not start")
        # Nothing waits for its output to be read.
        os.set_blocking(process.stdout.fileno(), False)
        drain = asyncio.get_running_loop().create_task(_drained(process)) if _in_loop() else None
        yield f"http://{address}", process.pid
        if drain is not None:
            drain.cancel()
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(20)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _in_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _drained(process: subprocess.Popen[str]) -> None:
    while process.stdout is not None:
        with contextlib.suppress(OSError, TypeError):
            os.read(process.stdout.fileno(), 1 << 16)
        await asyncio.sleep(0.2)


def by_hand_command(data: Path, speed: float, seed: int) -> list[str]:
    """A node whose matches are put in by hand."""
    return [sys.executable, "-m", "api.load_node", str(data), str(speed), str(seed)]


def simulated_command(data: Path, seed: int, deals: int) -> list[str]:
    """A node that watches the simulated table through its rendered pictures."""
    return [
        sys.executable, "-m", "api.cli", "demo", "--data", str(data), "--port", "0", "--deals", str(deals),
        "--seed", str(seed), "--seconds", "100000",
    ]  # fmt: skip


class Crowd:
    """Clients of a node, each as a page or an output is.

    Args:
        base: address of the node.
        viewer: token of a viewer.
        overlay: token of an output.
    """

    def __init__(self, base: str, viewer: str, overlay: str) -> None:
        self._base = base.replace("http", "ws")
        self._viewer = viewer
        self._overlay = overlay
        self._happened: dict[int, float] = {}
        self.load = Load()

    def _open(self, path: str, token: str, **more: Any) -> connect:
        headers = {"Authorization": f"Bearer {token}"}
        return connect(
            f"{self._base}{path}", additional_headers=headers, max_size=None, compression=None, **more
        )

    async def view(self) -> None:
        """A page: reads everything, notes how late it is and whether a number is missing."""
        number: int | None = None
        longest, heard = 0.0, time.time()
        try:
            async with self._open("/api/v1/live", self._viewer) as socket:
                async for message in socket:
                    now = time.time()
                    longest, heard = max(longest, now - heard), now
                    told = json.loads(message)
                    if told["type"] == "change":
                        self.load.lost += number is not None and told["n"] != number + 1
                        if told["part"] in _EVENTS:
                            self.load.viewers.append(now - told["t"] / 1000)
                        if told["part"] == "match":
                            self._happened.setdefault(told["value"]["seq"], told["t"] / 1000)
                    number = told["n"]
        except (ConnectionClosed, OSError):
            self.load.closed += 1
        finally:
            self.load.silences.append(longest)

    async def show(self) -> None:
        """An output without any delay: notes how late it is told of an event."""
        try:
            async with self._open("/api/v1/overlay", self._overlay) as socket:
                async for message in socket:
                    told = json.loads(message)
                    if told["type"] == "change" and told["part"] == "match" and told["value"]:
                        asyncio.get_running_loop().call_later(
                            2.0, self._late, told["value"]["seq"], time.time()
                        )
        except (ConnectionClosed, OSError):
            self.load.closed += 1

    def _late(self, seq: int, now: float) -> None:
        """Whoever else was told of the same event says when it happened."""
        if seq in self._happened:
            self.load.overlays.append(now - self._happened[seq])

    async def crawl(self, every: float) -> None:
        """A page on a bad line: reads a message every `every` s; inf: never reads."""
        try:
            async with self._open("/api/v1/live", self._viewer, max_queue=1) as socket:
                await _crawl(socket, every)
        except (ConnectionClosed, OSError):
            self.load.slow_closed += 1


async def _crawl(socket: ClientConnection, every: float) -> None:
    while True:
        await asyncio.sleep(min(every, 3600.0))
        if every < 3600.0:
            await socket.recv()


async def measure(
    command: Sequence[str], data: Path, seconds: float, viewers: int, overlays: int, slow: int, stuck: int
) -> Load:
    """Run a node with a crowd of clients for so long.

    Args:
        command: that starts it on the folder `data`.
        data: its folder; tokens are put there.
        seconds: of the wall.
        viewers, overlays: clients that read.
        slow, stuck: clients that read one message a second, and none.

    Raises:
        NoNode: it did not start.
    """
    tokens = Tokens(data / TOKENS)
    viewer, overlay = tokens.add(Grant("viewer", "bench")), tokens.add(Grant("overlay", "bench"))
    with running(command) as (base, pid):
        crowd = Crowd(base, viewer, overlay)
        clients = [
            *(crowd.view() for _ in range(viewers)),
            *(crowd.show() for _ in range(overlays)),
            *(crowd.crawl(1.0) for _ in range(slow)),
            *(crowd.crawl(float("inf")) for _ in range(stuck)),
        ]
        tasks = [asyncio.create_task(client) for client in clients]
        began = time.monotonic()
        process = psutil.Process(pid)
        while (passed := time.monotonic() - began) < seconds:
            crowd.load.memory.append((passed, process.memory_info().rss))
            await asyncio.sleep(min(seconds / 20, 10.0))
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {viewer}"}, timeout=30) as client:
            state = (await client.get(f"{base}/api/v1/state")).json()
        crowd.load.events = state["seq"]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return crowd.load


def percentile(values: Sequence[float], share: float) -> float | None:
    """A percentile in ms; None without values."""
    return round(1000 * float(np.percentile(values, share)), 1) if values else None


def numbers(load: Load) -> dict[str, Any]:
    """What was measured, as plain JSON: ms, MB."""
    memory = [(at, rss / 2**20) for at, rss in load.memory]
    grown: dict[str, float] = {}
    if memory:
        grown = {
            "start": round(memory[0][1], 1),
            "end": round(memory[-1][1], 1),
            "per_hour": _per_hour(memory),
        }
    return {
        "events": load.events,
        "viewer_ms": _spread(load.viewers),
        "overlay_ms": _spread(load.overlays),
        "lost_numbers": load.lost,
        "longest_silence_s": round(max(load.silences, default=0.0), 2),
        "closed": load.closed,
        "slow_closed": load.slow_closed,
        "memory_mb": grown,
    }


def _spread(values: Sequence[float]) -> dict[str, Any]:
    return {f"p{share}": percentile(values, share) for share in (50, 95, 99)} | {"count": len(values)}


def _per_hour(memory: Sequence[tuple[float, float]]) -> float:
    """Growth in MB an hour; what a node needs to begin is no growth."""
    later = [one for one in memory if one[0] >= memory[-1][0] / 4]
    if len(later) < 3:
        return 0.0
    at, size = np.array(later).T
    return round(float(np.polyfit(at, size, 1)[0]) * 3600, 1)
