"""Measures a node from outside: how late its pages and outputs are told, whether a number is lost, how memory grows."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import time
from collections import deque
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
from api.load_clients import Client, Readers

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
        self._shown: deque[tuple[int, float]] = deque()
        self._pages: list[_Page] = []
        self.load = Load()

    def open(self, viewers: int, overlays: int) -> Readers:
        """Clients that read as fast as they can.

        Raises:
            NotLetIn: one of them got no connection.
        """
        self._pages = [_Page(self.load, self._happened) for _ in range(viewers)]
        clients = [Client(f"{self._base}/api/v1/live", self._viewer, page.hear) for page in self._pages]
        outputs = [Client(f"{self._base}/api/v1/overlay", self._overlay, self._show) for _ in range(overlays)]
        return Readers([*clients, *outputs])

    def settle(self) -> None:
        """Reckon how late outputs were: whoever else was told of the same event says when it happened."""
        self.load.silences = [page.longest for page in self._pages]
        while self._shown:
            seq, at = self._shown.popleft()
            if seq in self._happened:
                self.load.overlays.append(at - self._happened[seq])

    async def crawl(self, every: float) -> None:
        """A page on a bad line: reads a message every `every` s; inf: never reads."""
        headers = {"Authorization": f"Bearer {self._viewer}"}
        address = f"{self._base}/api/v1/live"
        try:
            async with connect(
                address, additional_headers=headers, max_size=None, compression=None, max_queue=1
            ) as socket:
                await _crawl(socket, every)
        except (ConnectionClosed, OSError):
            self.load.slow_closed += 1

    def _show(self, at: float, told: dict[str, Any]) -> None:
        if told["type"] == "change" and told["part"] == "match" and told["value"]:
            self._shown.append((told["value"]["seq"], at))


class _Page:
    """What a page was told: how late, whether a number was missing, how long nothing came."""

    def __init__(self, load: Load, happened: dict[int, float]) -> None:
        self._load = load
        self._happened = happened
        self._number: int | None = None
        self._heard: float | None = None
        self.longest = 0.0

    def hear(self, at: float, told: dict[str, Any]) -> None:
        """A message."""
        if self._heard is not None:
            self.longest = max(self.longest, at - self._heard)
        self._heard = at
        if told["type"] == "change":
            self._load.lost += self._number is not None and told["n"] != self._number + 1
            if told["part"] in _EVENTS:
                self._load.viewers.append(at - told["t"] / 1000)
            if told["part"] == "match":
                self._happened.setdefault(told["value"]["seq"], told["t"] / 1000)
        self._number = told["n"]


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
        NotLetIn: a client got no connection.
    """
    tokens = Tokens(data / TOKENS)
    viewer, overlay = tokens.add(Grant("viewer", "bench")), tokens.add(Grant("overlay", "bench"))
    with running(command) as (base, pid):
        crowd = Crowd(base, viewer, overlay)
        readers = await asyncio.to_thread(crowd.open, viewers, overlays)
        readers.start()
        slowly = [1.0] * slow + [float("inf")] * stuck
        tasks = [asyncio.create_task(crowd.crawl(every)) for every in slowly]
        began = time.monotonic()
        process = psutil.Process(pid)
        while (passed := time.monotonic() - began) < seconds:
            crowd.load.memory.append((passed, process.memory_info().rss))
            await asyncio.sleep(min(seconds / 20, 10.0))
        async with httpx.AsyncClient(headers={"Authorization": f"Bearer {viewer}"}, timeout=30) as client:
            state = (await client.get(f"{base}/api/v1/state")).json()
        crowd.load.events = state["seq"]
        crowd.load.closed = readers.gone
        readers.stop()
        crowd.settle()
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
