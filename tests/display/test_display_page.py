"""The page of the display from the log-in to the downloads: who gets in, what it shows, how it lasts."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from playwright.sync_api import Page as Tab

from api.auth import Grant
from tests.display_tables import (
    CHROMIUM,
    PLAYERS,
    PROFILE,
    TOO_LOW,
    Node,
    context_of,
    finding,
    look,
    settled,
    until,
)
from tests.overlay_tools import free_port
from tests.service_tables import ScriptedTable, script, setup_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
ROOT = Path(__file__).resolve().parents[2]
expect.set_options(timeout=20_000)


def test_a_token_lets_in_and_a_wrong_one_is_said_beside_the_field(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path, grants=[Grant("referee", "裁判甲")]) as table:
        context = context_of(browser, lang="en")
        tab = look(context, table.address, "")
        expect(tab).to_have_url(re.compile("/login"))
        tab.get_by_label("Token").fill("pz_nobody")
        tab.get_by_role("button", name="Log in").click()
        expect(tab.locator("[data-field=token] + .problem")).to_be_visible()
        tab.get_by_label("Token").fill(table.tokens[0])
        tab.get_by_role("button", name="Log in").click()
        expect(tab).to_have_url(re.compile("/display$"))
        settled(tab)
        context.close()


def test_a_match_is_started_with_names_and_levels(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path) as table:
        context = context_of(browser, lang="en")
        tab = look(context, table.address, "display/setup")
        tab.locator("button", has_text="guandan-official").click()
        for seat, name in enumerate("ABCD"):
            tab.locator(f"[name=player{seat}]").fill(name * 3)
        tab.locator("[name=level1]").select_option("8")
        tab.get_by_role("button", name="Start the match").click()
        expect(tab).to_have_url(re.compile("/display$"))
        expect(tab.locator(".levels .side1")).to_contain_text("BBB · DDD")
        expect(tab.locator(".levels .side1 b")).to_have_text("8")
        assert table.state()["match"]["profile"]["name"] == "guandan-official"
        context.close()


def test_what_the_table_refuses_of_a_match_stands_beside_its_field(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path) as table:
        context = context_of(browser, lang="en")
        tab = look(context, table.address, "display/setup")
        tab.locator("summary", has_text="Options").click()
        tab.get_by_role("button", name="Add an option").click()
        tab.get_by_label("key").fill("clock.nonsense")
        tab.get_by_label("value").fill("25")
        tab.get_by_role("button", name="Start the match").click()
        expect(tab.locator(".options ~ .problem")).to_contain_text("clock.nonsense")
        context.close()


def test_tricks_appear_as_the_cameras_see_them(browser: Browser, tmp_path: Path) -> None:
    shown = ScriptedTable(PROFILE, script(PROFILE, 5))
    with Node(tmp_path, setup_of(PROFILE), script=shown, speed=200.0) as table:
        context = context_of(browser)
        tab = look(context, table.address)
        tab.wait_for_function("document.querySelectorAll('pz-table .fan pz-card').length >= 3")
        expect(tab.locator("pz-log .chip").first).to_be_visible()
        until(lambda: table.state()["results"])
        expect(tab.locator("pz-table .result")).to_contain_text("级")
        context.close()


def test_the_language_changes_without_a_reload(onlooker: Tab) -> None:
    tab = onlooker
    expect(finding(tab, 1)).to_contain_text("which does not beat")
    tab.evaluate("window.before = true")
    tab.locator("#language").tap()
    expect(finding(tab, 1)).to_contain_text("压不过")
    expect(tab.locator("pz-actions")).to_contain_text("过牌")
    expect(tab.locator("html")).to_have_attribute("lang", "zh-CN")
    assert tab.evaluate("window.before") is True


def test_a_reload_in_the_middle_of_a_deal_shows_everything_again(onlooker: Tab) -> None:
    tab = onlooker
    tab.keyboard.press("r")
    expect(finding(tab, 1)).to_be_visible()
    parts = ("pz-head .levels", "pz-table .felt .seat", "pz-queue .item .text", "pz-log ol")
    before = [tab.locator(part).first.inner_text() for part in parts]
    tab.reload()
    settled(tab)
    expect(finding(tab, 1)).to_be_visible()
    assert [tab.locator(part).first.inner_text() for part in parts] == before
    expect(tab.locator(".seat.bottom")).to_have_attribute("data-seat", "1")


def test_the_service_is_killed_under_the_page_and_comes_back(browser: Browser, tmp_path: Path) -> None:
    port = free_port()
    command = [sys.executable, "-m", "tests.display_tables", str(tmp_path), str(port)]

    def start() -> subprocess.Popen[str]:
        service = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
        assert service.stdout is not None
        assert service.stdout.readline().startswith("http")
        return service

    service = start()
    try:
        context = context_of(browser, lang="en")
        tab = look(context, f"http://127.0.0.1:{port}/")
        tab.keyboard.press("n")
        expect(tab.locator("pz-head .deal")).to_contain_text("Deal 1")
        tab.locator("pz-actions button", has_text="Out of turn").tap()
        tab.locator("pz-panel-act [type=submit]").tap()
        expect(tab.locator("pz-log")).to_contain_text("a move out of turn")
        service.send_signal(signal.SIGKILL)
        service.wait()
        expect(tab.locator("pz-link")).to_contain_text("Connection lost", timeout=10_000)
        expect(tab.locator("pz-clock")).to_have_attribute("data-state", "stale")
        tab.locator("pz-actions button", has_text="Stop clock").tap()
        expect(tab.locator("pz-notice .trouble")).to_contain_text("not sent")
        service = start()
        settled(tab)
        expect(tab.locator("pz-log")).to_contain_text("a move out of turn")
        expect(tab.locator("pz-head .deal")).to_contain_text("Deal 1")
        context.close()
    finally:
        service.kill()
        service.wait()


def test_the_log_is_searched_by_player_and_card(onlooker: Tab) -> None:
    tab = onlooker
    tab.locator("#search").fill(f"{PLAYERS[2]} h9")
    expect(tab.locator("pz-log li")).to_have_count(1)
    expect(tab.locator("pz-log li")).to_contain_text("♥9")


def test_a_viewer_sees_and_cannot_act(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path, grants=[Grant("referee", "甲"), Grant("viewer", "看客")]) as table:
        table.deal(table.tokens[0])
        table.put_in(TOO_LOW, token=table.tokens[0])
        context = context_of(browser, lang="en", token=table.tokens[1], address=table.address)
        tab = look(context, table.address)
        expect(tab.locator("pz-table [data-seat='2'] .fan")).to_be_visible()
        expect(tab.locator("pz-actions")).to_contain_text("look on only")
        expect(tab.locator(".uphold, pz-queue .waiting .item")).to_have_count(0)
        context.close()


def test_downloads_are_those_of_the_match(onlooker: Tab) -> None:
    tab = onlooker
    tab.keyboard.press("x")
    with tab.expect_download() as download:
        tab.get_by_role("link", name="Text record").click()
    text = download.value.path().read_text("utf-8")
    assert "♠9 ♥9 ♦9 ♠4 ♥4" in text
