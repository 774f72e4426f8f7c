"""A table whose hands a feed knows, at a real node behind a proxy: no card leaves before it may be seen."""

from __future__ import annotations

import json
from collections import Counter
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import httpx
from websockets.sync.client import connect

from api.auth import Grant
from devices.simulator.show import show_match
from table.cards import Card, full_packs
from table.event_json import event_from_json
from table.rulesets import load_profile
from tests.api_desk import Node, node
from tests.overlay_tools import Proxy, until

PROFILE = "guandan-official"
GRANTS = (
    Grant("overlay", "air"),
    Grant("overlay", "talk", reveal="deal_over"),
    Grant("overlay", "late", security_delay_s=120, reveal="delayed"),
    Grant("referee", "referee"),
    Grant("viewer", "viewer"),
)


def match_with_hands() -> list[dict[str, Any]]:
    """A deal of legal play, with what each seat was dealt: what it plays, filled up with what nobody plays."""
    events = [dict(event) for event in show_match(load_profile(PROFILE), 7, violations=())]
    held: dict[int, list[str]] = {seat: [] for seat in range(4)}
    for event in events:
        if event["event"] == "play":
            held[event["seat"]] += event["cards"].split()
    rest = Counter(str(card) for card in full_packs(2).elements())
    rest.subtract(card for cards in held.values() for card in cards)
    spare = list((+rest).elements())
    for cards in held.values():
        while len(cards) < 27:
            cards.append(spare.pop())
    at = next(place for place, event in enumerate(events) if event["event"] == "deal_started") + 1
    dealt = [
        {"event": "dealt", "seat": seat, "cards": " ".join(cards), "source": "feed", "at": 7.0}
        for seat, cards in held.items()
    ]
    return [
        {key: value for key, value in event.items() if key != "seq"}
        for event in events[:at] + dealt + events[at:]
    ]


def untimed(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As they are put in by hand: they happen when they are put in."""
    return [{key: value for key, value in event.items() if key != "at"} for event in events]


def unshown(events: list[dict[str, Any]]) -> list[str]:
    """Names of cards that nobody has shown so far, in any of the packs."""
    seen = {card for event in events if event["event"] == "play" for card in event["cards"].split()}
    seen |= {event["card"] for event in events if "card" in event}
    return [str(card) for card in full_packs(1) if str(card) not in seen]


def written(card: str) -> list[bytes]:
    """The ways in which a card may stand in what is sent."""
    pretty = Card.parse(card).pretty
    return [f'"{card}"'.encode(), f" {card} ".encode(), pretty.encode(), json.dumps(pretty).encode()[1:-1]]


def leaked(sent: bytes, cards: list[str]) -> list[str]:
    # Whole names only: ♠1 is no card, but ♠10 begins like it.
    return [card for card in cards if any(form in sent for form in written(card))]


def heard(socket: Any, state: dict[str, Any]) -> dict[str, Any]:
    """What an output has told so far."""
    while True:
        try:
            message = json.loads(socket.recv(timeout=0.05))
        except TimeoutError:
            return state
        if message["type"] == "snapshot":
            state.update(message["state"])
        elif message["type"] == "change":
            state[message["part"]] = message["value"]


def ask_all(proxy: Proxy, table: Node) -> None:
    """Everything that an output or a viewer can ask for."""
    base = f"http://127.0.0.1:{proxy.port}"
    for name in ("air", "talk", "late"):
        for feed in ("table", "seats", "trick", "finding", "result"):
            assert httpx.get(f"{base}/feeds/vmix/{feed}.json?token={table.tokens[name]}").status_code == 200
    viewer = {"Authorization": f"Bearer {table.tokens['viewer']}"}
    for path in ("/api/v1/state", "/api/v1/record", "/api/v1/record.txt"):
        httpx.get(base + path, headers=viewer)


def test_cards_in_hands_are_in_no_byte_until_they_may_be(tmp_path: Path) -> None:
    events = match_with_hands()
    half = next(at for at, event in enumerate(events) if at > 40 and event["event"] == "play")
    before = [event_from_json(event) for event in events[:half]]
    with (
        node(tmp_path / "data", profile=PROFILE, grants=GRANTS, before=before) as table,
        ExitStack() as connections,
    ):
        proxy = Proxy(int(table.base.rpartition(":")[2]))
        address = f"ws://127.0.0.1:{proxy.port}/api/v1/overlay?token="
        sockets = {
            name: connections.enter_context(
                connect(address + table.tokens[name], compression=None, proxy=None)
            )
            for name in ("air", "talk", "late")
        }
        states: dict[str, dict[str, Any]] = {name: {} for name in sockets}
        now = half + 12
        table.happened(*untimed(events[half:now]))
        for name, socket in sockets.items():
            until(lambda name=name, socket=socket: heard(socket, states[name]).get("control"))  # type: ignore[misc]
        until(lambda: heard(sockets["air"], states["air"])["match"]["seq"] == table.seq)
        ask_all(proxy, table)
        hidden = unshown(events[:now])
        assert len(hidden) >= 5
        assert leaked(bytes(proxy.sent), hidden) == []
        # What lies on the table is told, so the search would have found the rest.
        shown = next(event for event in reversed(events[:now]) if event["event"] == "play")["cards"].split()
        assert leaked(bytes(proxy.sent), shown) == shown
        table.happened(*untimed(events[now:]))
        hands = until(lambda: heard(sockets["talk"], states["talk"]).get("hands"))
        assert sum(len(cards) for cards in hands["hands"].values()) == 108
        heard(sockets["air"], states["air"])
        assert "hands" not in states["air"]
        # Two minutes late: nothing of the match has left yet.
        assert set(heard(sockets["late"], states["late"])) == {"control"}
        proxy.close()
