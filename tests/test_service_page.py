"""The page of a table: shows what the board holds, takes inputs, and lets nobody in from elsewhere."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from api.app import Page, PortTaken, make_app
from api.feeds import Health
from api.live import Board, log_part, now_part
from api.runner import JOURNAL, Runner
from api.service import TableService
from table.cards import parse_cards
from table.events import DealStarted, Dealt, Event, KittyLaid, MatchStarted, Play
from table.journal import Journal
from tests.service_tables import scripted, setup_of
from vision.frames import Frame

PROFILE = "guandan-official"
CHROMIUM = shutil.which("chromium")


def outlines(camera: str) -> list[Mapping[str, Any]]:
    return [
        {
            "name": "♠10",
            "doubtful": False,
            "covered": False,
            "px": [[400, 700], [460, 700], [460, 790], [400, 790]],
        }
    ]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[TableService, Board]]:
    """A table in the middle of a deal, on its board."""
    shown = scripted(PROFILE, 5)
    with Journal(tmp_path_factory.mktemp("table") / JOURNAL) as journal:
        service = TableService(setup_of(PROFILE), shown.watch(), journal)
        runner = Runner(service, inputs=shown.heard)
        runner.all_at_once([shown.source()], stop=lambda: (service.now or 0) > 160)
        board = Board()
        board.show([Frame(np.full((1000, 1000, 3), 90, np.uint8), 160.0, "above")])
        board.put("now", now_part(service, [Health("above", fps=14.6)], 160.0, outlines))
        board.put("log", log_part(service))
        yield service, board


def client(board: Board, **fields: Any) -> TestClient:
    return TestClient(make_app(board, **fields), base_url="http://127.0.0.1")


def test_the_state_tells_log_clock_and_cards_in_both_languages(table: tuple[TableService, Board]) -> None:
    state = client(table[1]).get("/state.json").json()
    plays = [entry for entry in state["log"]["log"] if entry["event"] == "play"]
    assert plays[0]["text"]["en"].startswith("seat")
    assert "出" in plays[0]["text"]["zh"]
    assert state["now"]["clock"]["waits"][0]["limit"] == 20
    assert state["now"]["cards"]["above"][0]["name"] == "♠10"


def test_what_changes_is_told_over_the_socket_with_the_picture(table: tuple[TableService, Board]) -> None:
    with client(table[1]).websocket_connect("ws://127.0.0.1/live") as socket:
        parts = {socket.receive_json()["part"] for _ in range(2)}
        socket.send_json({"camera": "above"})
        assert socket.receive_bytes().startswith(b"\xff\xd8")
    assert parts == {"now", "log"}


@pytest.mark.parametrize(
    "name", ["../journal.sqlite", "%2e%2e%2fjournal.sqlite", "journal.sqlite", "e0001-before.txt"]
)
def test_only_evidence_is_served(table: tuple[TableService, Board], tmp_path: Path, name: str) -> None:
    (tmp_path / "evidence").mkdir()
    assert client(table[1], evidence=tmp_path / "evidence").get(f"/evidence/{name}").status_code == 404


def test_evidence_is_served_by_its_name(table: tuple[TableService, Board], tmp_path: Path) -> None:
    (tmp_path / "e0017-before.jpg").write_bytes(b"picture")
    assert client(table[1], evidence=tmp_path).get("/evidence/e0017-before.jpg").content == b"picture"


def test_an_input_is_heard_or_refused_with_a_reason(table: tuple[TableService, Board]) -> None:
    heard: list[Event] = []
    page = client(table[1], hear=heard.append)
    assert page.post("/inputs", json={"event": "pass", "seat": 2}).json() == {"heard": True}
    assert [(event.name, event.source) for event in heard] == [("pass", "referee")]
    refused = page.post("/inputs", json={"event": "pass", "seat": 9})
    assert refused.status_code == 422
    assert "seat" in refused.json()["detail"]


def test_pages_from_elsewhere_reach_nothing(table: tuple[TableService, Board]) -> None:
    page = client(table[1], hear=lambda event: None)
    assert page.get("/state.json", headers={"host": "evil.example"}).status_code == 400
    # What a form of another site can send without asking is no JSON.
    sent = page.post(
        "/inputs", content='{"event": "pass", "seat": 2}', headers={"content-type": "text/plain"}
    )
    assert sent.status_code == 422
    with (
        pytest.raises(WebSocketDisconnect),
        page.websocket_connect("ws://127.0.0.1/live", headers={"origin": "http://evil.example"}),
    ):
        pass


def test_hidden_cards_reach_no_page(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        hidden = parse_cards("SA HK")
        journal.extend(
            [
                MatchStarted(at=0.0, profile="shengji-event"),
                DealStarted(at=1.0, deal=1, level="2"),
                Dealt(at=2.0, seat=0, cards=hidden),
                KittyLaid(at=3.0, seat=0, cards=hidden),
                Play(at=4.0, seat=0, cards=parse_cards("S3")),
            ]
        )
        service = TableService(setup_of("shengji-event"), scripted(PROFILE, 5).watch(1e9), journal)
        shown = str(log_part(service)) + str(now_part(service, []))
    assert "♠3" in shown
    assert "♠A" not in shown
    assert "♥K" not in shown
    assert "HK" not in shown


def test_a_port_that_is_taken_is_an_error_at_once() -> None:
    first = Page(make_app(Board()), 0)
    first.start()
    try:
        with pytest.raises(PortTaken):
            Page(make_app(Board()), int(first.address.rstrip("/").rpartition(":")[2]))
    finally:
        first.stop()


@pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
def test_the_page_in_a_browser(table: tuple[TableService, Board], tmp_path: Path) -> None:
    """Log, clock, outlined cards and picture are there, the language changes, and nothing comes from elsewhere."""
    from playwright.sync_api import sync_playwright

    page = Page(make_app(table[1], tmp_path), 0)
    page.start()
    errors: list[str] = []
    elsewhere: list[str] = []
    try:
        with sync_playwright() as browsers:
            browser = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            tab = browser.new_page(viewport={"width": 1280, "height": 800})
            tab.on("pageerror", lambda error: errors.append(str(error)))
            tab.on("request", lambda request: elsewhere.append(request.url))
            tab.add_init_script("localStorage.setItem('lang', localStorage.getItem('lang') ?? 'en')")
            tab.goto(page.address)
            tab.wait_for_function("document.querySelector('#frame').naturalWidth > 0")
            assert tab.locator("#cards polygon").count() == 1
            assert tab.locator("#names span").inner_text().split() == ["10", "♠"]
            assert "turns up" in tab.locator("#log-list").inner_text()
            assert tab.locator("#clocks .wait b").count() == 1
            tab.click("#language")
            assert "翻牌" in tab.locator("#log-list").inner_text()
            browser.close()
    finally:
        page.stop()
    assert not errors
    assert all(url.startswith((page.address, "blob:", "data:", "ws://127.0.0.1")) for url in elsewhere)
