"""A running node for tests of the API: a real journal, a real server on loopback, a table that is kept by hand."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from api.auth import TOKENS, Grant, Tokens
from api.desk import Desk
from api.node import Address, make_desk, serve
from api.runner import JOURNAL
from api.service import NoWatch, TableService
from calibration.setup import TableSetup
from calibration.setup_file import default_zones
from table.events import Event
from table.journal import Journal
from table.rulesets import load_profile

PROFILE = "guandan-official"
NAMES = ("甲", "乙", "丙", "丁")


class Hands:
    """The record's clock in the hands of a test."""

    def __init__(self, at: float = 0.0) -> None:
        self.at = at

    def __call__(self) -> float:
        return self.at


@dataclass
class Node:
    """A node at work, and a client of it for each role."""

    desk: Desk
    base: str
    time: Hands
    tokens: dict[str, str]

    def client(self, role: str | None = None, **headers: str) -> httpx.Client:
        """A client with the token of a role; None: without any."""
        if role is not None and role in self.tokens:
            headers["Authorization"] = f"Bearer {self.tokens[role]}"
        return httpx.Client(base_url=self.base, headers=headers, timeout=20.0)

    @property
    def seq(self) -> int:
        """Number of the latest event."""
        return self.desk.seq

    def happened(self, *events: dict[str, Any]) -> list[int]:
        """Put events in by hand, each a second after the one before, and return their numbers."""
        numbers = []
        with self.client("referee") as client:
            for event in events:
                self.time.at += 1.0
                answer = client.post("/api/v1/inputs", json=event)
                assert answer.status_code == 201, answer.text
                numbers.append(answer.json()["seq"])
        return numbers


def setup_by_hand(profile: str = PROFILE, name: str = "table 3") -> TableSetup:
    return TableSetup(name, profile, (), default_zones(load_profile(profile).game), 2, NAMES)


@contextmanager
def node(
    data: Path,
    *,
    profile: str = PROFILE,
    roles: Sequence[str] = (),
    grants: Sequence[Grant] = (),
    before: Sequence[Event] = (),
    evidence: Path | None = None,
    setup: TableSetup | None = None,
    table_file: Path | None = None,
) -> Iterator[Node]:
    """A node whose table is kept by hand; `before` is in its journal already."""
    data.mkdir(parents=True, exist_ok=True)
    store = Tokens(data / TOKENS)
    tokens = {role: store.add(Grant(role, f"the {role}")) for role in roles}
    tokens |= {grant.name: store.add(grant) for grant in grants}
    with Journal(data / JOURNAL) as journal:
        if before:
            journal.extend(before)
        service = TableService(setup or setup_by_hand(profile), NoWatch(), journal)
        time = Hands(service.resumed_at or 0.0)
        desk = make_desk(service, data, time, evidence=evidence, table_file=table_file)
        begun = threading.Event()
        service.listen(lambda told: begun.set())
        stop = threading.Event()
        loop = threading.Thread(target=desk.runner.by_hand, kwargs={"stop": stop.is_set, "wait": 0.02})
        page = serve(desk, Address(0), "en")
        loop.start()
        page.start()
        if not before and not service.told:
            begun.wait(20)
        try:
            yield Node(desk, page.address.rstrip("/"), time, tokens)
        finally:
            page.stop()
            stop.set()
            loop.join()


def opening(level: str = "2") -> list[dict[str, Any]]:
    """What begins a first deal of Guandan in which seat 0 leads."""
    return [
        {"event": "deal_started", "deal": 1, "level": level},
        {"event": "turned_up", "card": "S7", "seat": 0},
        {"event": "draw_ended"},
    ]
