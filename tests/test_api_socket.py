"""The WebSocket: a snapshot, then changes that count up by one; resumes, beats, drops who does not read."""

from __future__ import annotations

import json
import socket as sockets
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from websockets.sync.client import ClientConnection, connect

from api.feeds import LiveFeed
from api.runner import JOURNAL, Runner
from api.service import TableService
from api.stream import Stream, snapshot_text
from devices.sources import SourceFailed
from table.events import DealStarted, Pass
from table.journal import Journal
from tests.api_desk import Node, node, opening
from tests.service_tables import scripted, setup_of
from vision.frames import Frame


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Node]:
    with node(tmp_path) as running:
        yield running


class Viewer:
    """What a page does: keeps the state from what it is told."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.state: dict[str, Any] = {}
        self.numbers: list[int] = []
        self.kinds: list[str] = []
        self.pictures: list[bytes] = []

    def read(self, until: Callable[[Viewer], bool]) -> None:
        while not until(self):
            message = self.socket.recv(timeout=20)
            if isinstance(message, bytes):
                self.pictures.append(message)
                continue
            told = json.loads(message)
            self.kinds.append(told["type"])
            if told["type"] == "snapshot":
                self.state, self.numbers = told["state"], [told["n"]]
            elif told["type"] == "change":
                self.numbers.append(told["n"])
                if "add" in told:
                    kept = {one["seq"]: one for one in [*self.state[told["part"]], *told["add"]]}
                    self.state[told["part"]] = list(kept.values())
                else:
                    self.state[told["part"]] = told["value"]


def live(table: Node, since: int | None = None) -> ClientConnection:
    address = table.base.replace("http", "ws") + "/api/v1/live"
    return connect(address if since is None else f"{address}?since={since}")


def test_a_page_that_listens_knows_what_one_that_comes_later_is_told(table: Node) -> None:
    with live(table) as socket:
        early = Viewer(socket)
        early.read(lambda viewer: bool(viewer.state))
        seq = table.happened(
            *opening(), {"event": "play", "seat": 0, "cards": "S9"}, {"event": "pass", "seat": 1}
        )[-1]
        early.read(
            lambda viewer: viewer.state["match"]["seq"] == seq and len(viewer.state["trick"]["plays"]) == 2
        )
        with live(table) as other:
            late = Viewer(other)
            late.read(lambda viewer: bool(viewer.state))
    assert early.numbers == list(range(early.numbers[0], early.numbers[0] + len(early.numbers)))
    for part in ("match", "seats", "trick", "log", "findings", "results", "control"):
        assert early.state[part] == late.state[part], part


def test_who_comes_back_gets_only_what_he_missed(table: Node) -> None:
    with live(table) as socket:
        viewer = Viewer(socket)
        viewer.read(lambda viewer: bool(viewer.state))
    seq = table.happened(*opening())[-1]
    with live(table, viewer.numbers[-1]) as socket:
        viewer.socket, viewer.kinds = socket, []
        viewer.read(lambda viewer: viewer.state["match"]["seq"] == seq)
    assert "snapshot" not in viewer.kinds
    assert viewer.numbers == list(range(viewer.numbers[0], viewer.numbers[0] + len(viewer.numbers)))


@pytest.mark.parametrize("since", [5, 10**15, -3])
def test_a_number_that_is_not_known_gets_a_snapshot(table: Node, since: int) -> None:
    with live(table, since) as socket:
        viewer = Viewer(socket)
        viewer.read(lambda viewer: bool(viewer.kinds))
    assert viewer.kinds == ["snapshot"]


def test_a_heartbeat_tells_the_time_of_the_record(table: Node) -> None:
    table.time.at = 63.4
    with live(table) as socket:
        beats: list[float] = []
        while len(beats) < 2:
            told = json.loads(socket.recv(timeout=20))
            if told["type"] == "heartbeat":
                beats.append(told["at"])
    assert beats[-1] == 63.4


def test_who_does_not_read_slows_nobody_and_is_let_go(table: Node) -> None:
    """One client never reads; another gets everything while megabytes are told; the table records all the time."""
    stuck = sockets.create_connection(("127.0.0.1", int(table.base.rpartition(":")[2])))
    stuck.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    stuck.sendall(
        b"GET /api/v1/live HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
    staff = table.desk.streams.staff
    with live(table) as socket:
        viewer = Viewer(socket)
        viewer.read(lambda viewer: bool(viewer.state))
        for number in range(60):
            staff.put("big", [number, "x" * 300_000])
            viewer.read(lambda viewer, number=number: viewer.state.get("big", [-1])[0] == number)  # type: ignore[misc]
        staff.put("big", None)
        seq = table.happened(*opening())[-1]
        viewer.read(lambda viewer: viewer.state["match"]["seq"] == seq)
    assert viewer.numbers == list(range(viewer.numbers[0], viewer.numbers[0] + len(viewer.numbers)))
    stuck.settimeout(20)
    received = 0
    while part := stuck.recv(1 << 20):
        received += len(part)
    assert received < 60 * 300_000
    stuck.close()


def test_a_list_holds_no_more_than_it_is_told_to_and_takes_an_entry_in_place() -> None:
    stream = Stream(100)
    stream.add("log", {1: '"a"', 2: '"b"'}, keep=3)
    stream.add("log", {1: '"A"', 3: '"c"', 4: '"d"'}, keep=3)
    stream.add("log", {3: '"C"'}, keep=3)
    assert stream.part("log") == ["b", "C", "d"]
    assert [json.loads(change.text)["add"] for change in stream.since(101) or ()] == [["A", "c", "d"], ["C"]]


def test_a_stream_keeps_no_more_than_its_window() -> None:
    stream = Stream(100, kept=3)
    for value in range(10):
        stream.put("part", value)
    assert stream.n == 110
    assert [change.n for change in stream.since(107) or ()] == [108, 109, 110]
    assert stream.since(106) is None
    assert stream.since(111) is None
    assert stream.since(110) == []
    assert not stream.put("part", 9)
    assert json.loads(snapshot_text(*stream.snapshot())) == {
        "type": "snapshot",
        "n": 110,
        "state": {"part": 9},
    }


# Cameras that are dead, and none at all.


class Dying:
    """A camera that gives a few pictures and then only faults."""

    name = "above"

    def __init__(self) -> None:
        self.at = 0.0

    def read(self) -> Frame | None:
        if self.at >= 1.0:
            raise SourceFailed("above: cannot be read")
        self.at = round(self.at + 0.2, 3)
        return Frame(np.zeros((16, 16, 3), np.uint8), self.at, self.name)

    def close(self) -> None:
        pass


def test_with_all_cameras_dead_inputs_are_recorded_at_once(tmp_path: Path) -> None:
    setup = setup_of("guandan-official")
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(setup, scripted("guandan-official", 5).watch(1e9), journal)
        began = time.monotonic()
        runner = Runner(service, record_clock=lambda: time.monotonic() - began)
        stop = threading.Event()
        feed = LiveFeed([Dying()], [])
        thread = threading.Thread(target=runner.live, args=(feed,), kwargs={"stop": stop.is_set})
        thread.start()
        try:
            first = runner.ask(DealStarted(deal=1, level="2", source="referee")).result(timeout=20)
            second = runner.ask(Pass(seat=1, source="referee")).result(timeout=20)
        finally:
            stop.set()
            thread.join()
    assert [told.event.name for told in (*first, *second)] == ["deal_started", "pass"]
    assert (second[0].event.at or 0.0) >= (first[0].event.at or 0.0) >= 1.0


def test_what_waits_when_the_table_stops_is_recorded(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(
            setup_of("guandan-official"), scripted("guandan-official", 5).watch(1e9), journal
        )
        runner = Runner(service, record_clock=lambda: 3.0)
        waits = runner.ask(Pass(seat=2, source="referee"))
        runner.by_hand(stop=lambda: True)
        assert [told.event.name for told in waits.result(timeout=0)] == ["pass"]
        assert [event.name for event in journal.events()] == ["pass"]
