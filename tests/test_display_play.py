"""A referee at work on the display: a real browser, the real service, one thing that he cares about at a time."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Route, expect, sync_playwright
from playwright.sync_api import Page as Tab

from api.auth import Grant
from tests.display_tables import (
    CHROMIUM,
    PLAYERS,
    PROFILE,
    TOO_LOW,
    Node,
    browser_of,
    context_of,
    finding,
    look,
    settled,
    until,
)
from tests.overlay_tools import free_port
from tests.service_tables import ScriptedTable, script, setup_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
ROOT = Path(__file__).resolve().parent.parent
expect.set_options(timeout=20_000)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = browser_of(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """A table kept by hand, in a deal, seat 3 to play."""
    with Node(tmp_path / "table") as table:
        table.deal()
        yield table


@contextmanager
def looking(browser: Browser, node: Node) -> Iterator[Tab]:
    """A page at a table, which must have told of no error when it is closed."""
    context = context_of(browser, lang="en")
    errors: list[str] = []
    yield look(context, node.address, errors=errors)
    context.close()
    assert not errors


@pytest.fixture
def tab(browser: Browser, node: Node) -> Iterator[Tab]:
    with looking(browser, node) as page:
        yield page


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A table with a finding, its clock stopped, at which nothing is decided or put in."""
    with Node(tmp_path_factory.mktemp("standing")) as table:
        table.deal()
        table.put_in({"event": "clock", "state": "stopped"}, TOO_LOW)
        yield table


@pytest.fixture
def onlooker(browser: Browser, standing: Node) -> Iterator[Tab]:
    with looking(browser, standing) as page:
        yield page


def log_line(tab: Tab, seq: int) -> str:
    return tab.locator(f"pz-log [data-seq='{seq}']").inner_text().replace("\n", " ")


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


def test_a_finding_is_upheld_with_one_tap_and_the_ruling_undone(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    item = finding(tab, 1)
    expect(item).to_contain_text("proven")
    item.locator(".uphold").tap()
    expect(tab.locator("pz-queue .decided summary")).to_contain_text("1 decided")
    ruled = node.state()["findings"][0]
    assert ruled["ruling"] == "upheld"
    tab.locator("pz-notice").get_by_role("button", name="Undo").click()
    expect(item.locator(".uphold")).to_be_visible()
    assert node.state()["findings"][0]["ruling"] is None


def test_a_second_tap_at_the_same_place_does_not_undo(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    box = finding(tab, 1).locator(".uphold").bounding_box()
    assert box is not None
    tab.mouse.dblclick(box["x"] + box["width"] / 2, box["y"] + 8)
    until(lambda: node.state()["findings"][0]["ruling"] == "upheld")
    expect(tab.locator("pz-queue .item.gone .undo")).to_be_visible()
    assert node.state()["findings"][0]["ruling"] == "upheld"


def test_a_finding_is_dismissed_with_a_reason(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    item = finding(tab, 1)
    item.locator("select").select_option(label="video seen")
    item.locator(".dismiss").tap()
    expect(tab.locator("pz-queue .decided")).to_be_visible()
    assert node.state()["findings"][0]["ruling"] == "dismissed"
    assert "video seen" in node.text("record")


def test_another_penalty_is_two_taps_away(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    finding(tab, 1).locator(".details").tap()
    panel = tab.locator("pz-panel-finding")
    expect(panel).to_contain_text("two of a side in a game")
    panel.locator(".penalties button", has_text="other side rises 2").tap()
    panel.locator(".uphold").tap()
    until(lambda: node.state()["findings"][0]["ruling"] == "upheld")
    assert node.state()["match"]["levels"] == ["4", "2"]


def test_a_card_is_corrected_after_a_look_at_what_changes_and_the_correction_undone(
    node: Node, tab: Tab
) -> None:
    node.put_in(TOO_LOW)
    seq = node.state()["match"]["seq"]
    tab.locator(f"pz-log [data-seq='{seq}'] button").click()
    panel = tab.locator("pz-panel-correct")
    until(lambda: node.state()["control"]["correcting"])
    for place, card in enumerate(("S10", "H10", "D10")):
        panel.locator(".chosen button").nth(place).tap()
        panel.locator(f".keypad [data-card='{card}']").tap()
    expect(panel.locator(".effects")).to_contain_text("withdrawn")
    expect(finding(tab, 1)).to_have_count(1)  # Nothing is written by looking.
    panel.get_by_role("button", name="Apply").tap()
    expect(finding(tab, 1)).to_have_count(0)
    expect(tab.locator("pz-log .voided .now")).to_contain_text("♠10")
    assert "♠8" in log_line(tab, seq)
    until(lambda: not node.state()["control"]["correcting"])
    tab.keyboard.press("z")
    expect(finding(tab, 1)).to_be_visible()
    assert node.state()["trick"]["plays"][-1]["cards"][0] == "S8"


def test_a_doubtful_card_is_settled_by_a_button_with_its_reading(node: Node, tab: Tab) -> None:
    readings = [["S10 H10 D10 S6 H6", 0.37], ["S8 H8 D8 S6 D6", 0.02]]
    node.put_in({**TOO_LOW, "confidence": 0.6, "alternatives": readings})
    item = finding(tab, 1)
    expect(item).to_contain_text("check the table")
    item.locator(".reading", has_text="37 %").tap()
    expect(item).to_have_count(0)
    assert node.state()["trick"]["plays"][-1]["cards"][:3] == ["S10", "H10", "D10"]


@pytest.fixture
def gap_filled(node: Node) -> int:
    """Nobody saw what seat 3 did, all pass, and its cards may be two plays: the number of what they stand in place of."""
    node.put_in({"event": "pass", "seat": 3, "confidence": 0.5})
    gap: int = node.state()["seq"]
    for seat in (0, 1, 2):
        node.put_in({"event": "pass", "seat": seat})
    first, then = "S10 H10 D10 S6 H6", "CA HA"
    seen = {"event": "play", "seat": 3, "cards": f"{first} {then}", "confidence": 0.5}
    half = {"alternatives": [[first, 0.1], [then, 0.1]], "split": [[first, then]]}
    correction = {"of": gap, "replacement": {**seen, **half}}
    node.ask("POST", "corrections", correction, node.state()["seq"])
    return gap


def test_a_play_that_may_be_two_is_parted_with_one_tap_and_one_undo(
    node: Node, gap_filled: int, tab: Tab
) -> None:
    item = tab.locator("pz-queue .waiting .item")
    expect(item.locator(".two")).to_contain_text("It may be two plays")
    item.locator(".way").first.tap()
    expect(item).to_have_count(0)
    until(lambda: [play["cards"] for play in node.state()["trick"]["plays"]] == [["CA", "HA"]])
    (gap,) = [one for one in node.state()["log"] if one["seq"] == gap_filled]
    assert gap["now"]["cards"] == ["S10", "H10", "D10", "S6", "H6"]
    tab.get_by_role("button", name="Undo").last.tap()
    expect(item.locator(".two")).to_be_visible()
    assert node.state()["trick"]["plays"][-1]["cards"] != ["CA", "HA"]


def test_where_the_second_of_two_plays_has_no_place_yet_its_form_opens(node: Node, tab: Tab) -> None:
    ways = {"confidence": 0.5, "split": [["S10 H10 D10 S6 H6", "CA HA"]]}
    node.put_in({"event": "play", "seat": 3, "cards": "S10 H10 D10 S6 H6 CA HA", **ways})
    finding(tab, 1).locator(".way").first.tap()
    expect(tab.locator("pz-panel-act .chosen pz-card")).to_have_count(2)
    assert node.state()["trick"]["plays"][-1]["cards"] == ["S10", "H10", "D10", "S6", "H6"]


def test_a_count_that_rests_on_a_doubtful_play_is_shown_as_unsure(node: Node, tab: Tab) -> None:
    count = tab.locator("[data-seat='3'] .count")
    expect(count.locator("b")).to_have_text("27")
    node.put_in({"event": "play", "seat": 3, "cards": "S10 H10 D10 S6 H6", "confidence": 0.5})
    expect(count.locator("b")).to_have_text("≈22")
    expect(count).to_have_attribute("title", re.compile("陈丽华 has about 22 cards: .*count them"))
    tab.get_by_role("button", name="中文").tap()
    expect(count).to_have_attribute("aria-label", re.compile("陈丽华约剩 22 张：.*请点数"))
    expect(tab.locator("[data-seat='2'] .count b")).to_have_text("22")


def test_a_fifth_copy_of_a_card_cannot_be_and_the_page_says_so(standing: Node, onlooker: Tab) -> None:
    tab, state = onlooker, standing.state()
    tab.locator(f"pz-log [data-seq='{state['seq']}'] button").click()
    panel = tab.locator("pz-panel-correct")
    for place in range(3):
        panel.locator(".chosen button").nth(place).tap()
        panel.get_by_label("or type").fill("S9")
        panel.get_by_label("or type").press("Enter")
    expect(panel.locator(".problem")).to_contain_text("♠9")
    assert standing.state()["seq"] == state["seq"]


def test_passes_are_entered_by_hand_without_any_camera(node: Node, tab: Tab) -> None:
    for seat in (3, 0, 1):
        expect(tab.locator("pz-table .seat.turn")).to_have_attribute("data-seat", str(seat))
        tab.locator("pz-actions button", has_text="Pass").tap()
        expect(tab.locator(f"pz-table [data-seat='{seat}'] .pass")).to_be_visible()
    expect(tab.locator("pz-table")).to_contain_text("last trick")
    expect(tab.locator("pz-table .seat.turn")).to_have_attribute("data-seat", "2")


def test_a_play_is_entered_with_the_keypad_for_the_seat_on_turn(node: Node, tab: Tab) -> None:
    tab.locator("pz-actions button", has_text="Play").tap()
    panel = tab.locator("pz-panel-act")
    expect(panel.locator(".seats [aria-pressed=true]")).to_contain_text(PLAYERS[3])
    for card in ("SA", "SA"):
        panel.locator(f"[data-card={card}]").tap()
    expect(panel.locator("[data-card=SA]")).to_be_disabled()  # Two packs hold no third.
    panel.locator("button[type=submit]").tap()
    expect(tab.locator("pz-table [data-seat='3'] .played > .fan")).to_have_attribute("data-cards", "SA SA")


@pytest.mark.parametrize(
    ("act", "taps", "recorded"),
    [
        ("Count call", [".row button[data-value='5']"], "calls 5"),
        ("Exposed", ["[data-card=HK]", "[type=submit]"], "exposes ♥K"),
        ("Out of turn", ["[type=submit]"], "a move out of turn"),
        ("Take-back", ["[type=submit]"], "takes back ♠9 ♥9 ♦9 ♠4 ♥4"),
    ],
)
def test_what_cameras_do_not_see_is_entered_by_hand(
    node: Node, tab: Tab, act: str, taps: list[str], recorded: str
) -> None:
    tab.locator("pz-actions button", has_text=act).tap()
    for tap in taps:
        tab.locator(f"pz-panel-act {tap}").tap()
    expect(tab.locator("pz-panel")).to_be_hidden()
    assert recorded in node.state()["log"][-1]["text"]["en"]


def test_the_clock_is_stopped_and_counts_on_from_there(node: Node, tab: Tab) -> None:
    tab.locator("pz-actions button", has_text="Stop clock").tap()
    expect(tab.locator("pz-clock")).to_have_attribute("data-state", "stopped")
    shown = tab.locator("pz-clock .figure").inner_text()
    tab.wait_for_timeout(1200)
    assert tab.locator("pz-clock .figure").inner_text() == shown
    tab.keyboard.press("s")
    expect(tab.locator("pz-clock")).not_to_have_attribute("data-state", "stopped")
    expect(tab.locator("pz-clock .figure")).not_to_have_text(shown)


def test_a_deal_is_voided_and_the_next_one_begun(node: Node, tab: Tab) -> None:
    tab.keyboard.press("a")
    tab.get_by_role("button", name="Void the deal").tap()
    tab.get_by_role("button", name="misdeal").tap()
    tab.locator("pz-panel-void .strong").tap()
    until(lambda: node.state()["log"][-1]["event"] == "deal_voided")
    # The page knows it too: before that the key begins nothing.
    voided = node.state()["log"][-1]["seq"]
    expect(tab.locator(f"pz-log [data-seq='{voided}']")).to_be_visible()
    tab.keyboard.press("n")
    expect(tab.locator("pz-head .deal")).to_contain_text("Deal 2")


def test_two_referees_the_second_is_told_of_the_first(browser: Browser, node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    item = finding(tab, 1)
    expect(item.locator(".uphold")).to_be_visible()

    def first_decides(route: Route) -> None:
        # The second referee's tap is on its way while the first one decides.
        node.ask("POST", "findings/1/ruling", {"decision": "dismissed"}, node.state()["seq"])
        route.continue_()

    tab.route("**/ruling", first_decides)
    item.locator(".uphold").tap()
    expect(tab.locator("pz-notice .trouble")).to_contain_text("another referee has just ruled")
    assert node.state()["findings"][0]["ruling"] == "dismissed"


def test_what_happens_meanwhile_elsewhere_is_no_conflict(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)

    def play_goes_on(route: Route) -> None:
        node.put_in({"event": "pass", "seat": 0})
        route.continue_()

    tab.route("**/ruling", play_goes_on)
    finding(tab, 1).locator(".uphold").tap()
    expect(tab.locator("pz-queue .decided")).to_be_visible()
    assert node.state()["findings"][0]["ruling"] == "upheld"


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


def test_nothing_in_the_queue_moves_under_a_finger(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    first = finding(tab, 1).locator(".uphold")
    first.hover()
    before = first.bounding_box()
    node.put_in({**TOO_LOW, "seat": 0, "cards": "S6 C6 D6 C3 D3"})
    expect(finding(tab, 2)).to_be_visible()  # Known at once, but not in the way.
    assert first.bounding_box() == before
    expect(tab.locator("pz-queue [aria-live]")).to_contain_text("New")
    tab.mouse.move(100, 400)
    tab.wait_for_function("document.querySelector('pz-queue .item').dataset.finding === '2'")


def test_a_new_finding_does_not_take_the_focus(node: Node, tab: Tab) -> None:
    tab.locator("#search").fill("♠7")
    node.put_in(TOO_LOW)
    expect(finding(tab, 1)).to_be_visible()
    assert tab.evaluate("document.activeElement.id") == "search"
    assert tab.locator("#search").input_value() == "♠7"


def test_the_log_is_searched_by_player_and_card(onlooker: Tab) -> None:
    tab = onlooker
    tab.locator("#search").fill(f"{PLAYERS[2]} h9")
    expect(tab.locator("pz-log li")).to_have_count(1)
    expect(tab.locator("pz-log li")).to_contain_text("♥9")


def test_everything_by_keys(node: Node, tab: Tab) -> None:
    node.put_in(TOO_LOW)
    expect(finding(tab, 1)).to_be_visible()
    tab.keyboard.press("?")
    expect(tab.locator("pz-panel-keys")).to_contain_text("uphold the one chosen")
    tab.keyboard.press("Escape")
    tab.keyboard.press("u")
    until(lambda: node.state()["findings"][0]["ruling"] == "upheld")
    tab.keyboard.press("m")
    tab.locator("[name=cards]").focus()
    tab.keyboard.type("HQ DQ")
    tab.keyboard.press("Enter")
    expect(tab.locator("pz-panel-act .chosen button")).to_have_count(2)
    tab.locator("pz-panel-act [type=submit]").focus()
    tab.keyboard.press("Enter")
    until(lambda: node.state()["trick"]["plays"][-1]["cards"] == ["HQ", "DQ"])
    # Undone is what the page has shown: sooner, it says that something has changed.
    expect(finding(tab, 2)).to_be_visible()
    tab.keyboard.press("Control+z")
    until(lambda: node.state()["trick"]["plays"][-1]["cards"][0] == "S8")


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
