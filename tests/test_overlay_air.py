"""Graphics in Debian's Chromium: transparent, right after every break, never early, never with a hidden card."""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab

from api.ograf import bootstrap_page
from api.outputs import OutputPolicy, Outputs
from tests.overlay_tools import Air, Proxy, free_port, on_air, picture, put, state, until, wait_on_air

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)
POLICIES = {
    "air": OutputPolicy("air"),
    "late": OutputPolicy("late", delay_ms=700),
    "talk": OutputPolicy("talk", reveal="deal_over"),
}
FINDING = {
    "finding": 1, "rule": "GDO-54", "kind": "timeout", "seat": 1, "ruling": "upheld",
    "penalty": {"kind": "levels", "amount": 1},
    "article": {"zh": "超过规定时间出牌", "en": "a play after the time limit"}, "text": {"zh": "…", "en": "…"},
}  # fmt: skip
SIZE_OF = {"1080p": (1920, 1080), "vertical": (1080, 1920)}
RESULT = {
    "deal": 3,
    "text": {"zh": "…", "en": "…"},
    "result": {"finish": [0, 2, 1, 3], "side": 0, "rise": 3, "levels": ["J", "5"]},
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as browsers:
        one = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture
def outputs() -> Outputs:
    made = Outputs()
    put(made, state())
    return made


@pytest.fixture
def air(outputs: Outputs) -> Iterator[Air]:
    one = Air(outputs, POLICIES, free_port()).start()
    yield one
    one.stop()


def opened(
    browser: Browser, port: int, query: str, size: tuple[int, int] = (1920, 1080), name: str = "all"
) -> Tab:
    tab = browser.new_page(viewport={"width": size[0], "height": size[1]})
    tab.goto(f"http://127.0.0.1:{port}/overlay/{name}?{query}")
    tab.wait_for_selector("pz-overlay", state="attached")
    return tab


def boxes(tab: Tab) -> list[dict[str, float]]:
    found = tab.evaluate(
        "[...document.querySelector('pz-overlay').shadowRoot.querySelectorAll('.g.on')]"
        ".map(one => one.getBoundingClientRect().toJSON())"
    )
    return list(found)


@pytest.mark.parametrize(
    ("size", "layout", "scene"),
    [
        ((1920, 1080), "1080p", "clock"),
        ((1080, 1920), "vertical", "clock"),
        ((1080, 1920), "vertical", "result"),
        ((1280, 720), "1080p", "result"),
    ],
)
def test_all_but_the_graphics_is_transparent_within_safe_margins_and_without_scrollbars(
    browser: Browser, air: Air, size: tuple[int, int], layout: str, scene: str
) -> None:
    tab = opened(browser, air.port, f"layout={layout}&demo={scene}", size)
    wait_on_air(tab, scene)
    alpha = picture(tab)[..., 3]
    outside = np.ones(alpha.shape, bool)
    for box in boxes(tab):
        left, top = int(box["left"]) - 4, int(box["top"]) - 4
        outside[top : int(box["bottom"]) + 5, left : int(box["right"]) + 5] = False
        assert box["left"] >= 0.05 * size[0] - 0.5
        assert box["right"] <= 0.95 * size[0] + 0.5
        assert box["top"] >= 0.05 * size[1] - 0.5
        assert box["bottom"] <= 0.95 * size[1] + 0.5
    assert alpha[outside].max() == 0
    # And the panels hold over any picture.
    bug = boxes(tab)[0]
    assert alpha[int(bug["top"]) + 6, int(bug["left"]) + 40 : int(bug["right"]) - 40].min() >= 230
    page = tab.evaluate(
        "[document.scrollingElement.scrollWidth, document.scrollingElement.scrollHeight, innerWidth, innerHeight]"
    )
    assert page[:2] == page[2:] == list(size)
    tab.close()


def test_a_key_colour_is_never_mixed_with_graphics(browser: Browser, air: Air) -> None:
    tab = opened(browser, air.port, "demo=clock&bg=00ff00")
    wait_on_air(tab, "clock")
    shown = picture(tab)[..., :3].astype(int)
    green = (shown == (0, 255, 0)).all(axis=2)
    bug = boxes(tab)[0]
    inside = shown[
        int(bug["top"]) + 3 : int(bug["bottom"]) - 3, int(bug["left"]) + 20 : int(bug["right"]) - 3
    ]
    assert green[0, 0]
    assert green[540, 960]
    assert not (
        (inside[..., 1] > 120)
        & (inside[..., 1] > inside[..., 0] + 60)
        & (inside[..., 1] > inside[..., 2] + 60)
    ).any()
    tab.close()


def test_thirty_breaks_later_the_picture_is_what_a_new_page_shows(
    browser: Browser, outputs: Outputs, air: Air
) -> None:
    proxy = Proxy(air.port)
    tab = opened(browser, proxy.port, "token=air&retry_ms=20")
    for count in range(30):
        until(lambda count=count: tab.evaluate("window.paizhuo?.feed.opened ?? 0") > count)  # type: ignore[misc]
        proxy.cut()
        put(outputs, state(1 + count % 4))
    until(lambda: tab.evaluate("window.paizhuo.feed.opened") == 31)
    put(outputs, {**state(3), "findings": []})
    fresh = opened(browser, air.port, "token=air")
    for page in (tab, fresh):
        wait_on_air(page, "trick")
        page.wait_for_function("document.querySelector('pz-overlay').state.trick.plays.length === 3")
        page.wait_for_function("document.querySelector('pz-overlay').shadowRoot.getAnimations().length === 0")
    one, other = picture(tab), picture(fresh)
    # Rounded corners are drawn a shade differently after a motion; a card or a number would differ by far more.
    assert np.abs(one.astype(int) - other.astype(int)).max() < 16
    assert (
        tab.evaluate("document.querySelector('pz-overlay').shadowRoot.querySelectorAll('.laid').length") == 3
    )
    tab.close()
    fresh.close()
    proxy.close()


def test_a_local_page_opened_before_the_service_shows_it_once_it_is_there(
    browser: Browser, outputs: Outputs, tmp_path: Path
) -> None:
    port = free_port()
    page = tmp_path / "overlay.html"
    page.write_text(bootstrap_page(f"http://127.0.0.1:{port}/overlay/all?token=air"), "utf-8")
    tab = browser.new_page(viewport={"width": 1920, "height": 1080})
    tab.goto(page.as_uri())
    assert picture(tab).max() == 0
    air = Air(outputs, POLICIES, port).start()
    tab.wait_for_selector("iframe.ready")
    wait_frame(tab)
    first = picture(tab)
    assert first[..., 3].max() >= 230
    assert first[500, 960, 3] == 0
    # The service goes: what is on air stays, and no error shows. It comes back: the graphics go on.
    air.stop()
    again = Air(outputs, POLICIES, port).start()
    put(outputs, state(4))
    tab.frames[1].wait_for_function("document.querySelector('pz-overlay').state.trick.plays.length === 4")
    again.stop()
    tab.close()


def wait_frame(tab: Tab) -> None:
    tab.frames[1].wait_for_function(
        "getComputedStyle(document.querySelector('pz-overlay').shadowRoot"
        ".querySelector('[data-graphic=trick]')).opacity === '1'"
    )


def test_nothing_shows_where_the_token_is_not_known(browser: Browser, outputs: Outputs, air: Air) -> None:
    tab = opened(browser, air.port, "token=stolen&retry_ms=20")
    until(lambda: tab.evaluate("window.paizhuo?.feed.tries ?? 0") >= 3)
    assert picture(tab).max() == 0
    tab.close()


def test_graphics_come_as_late_as_the_output_by_a_clock_on_both_sides(
    browser: Browser, outputs: Outputs, air: Air
) -> None:
    tab = opened(browser, air.port, "token=late")
    wait_on_air(tab, "trick")
    tab.evaluate(
        "window.seen = {}; setInterval(() => { for (const one of document.querySelector('pz-overlay').shadowRoot"
        ".querySelectorAll('[data-key^=seq-]')) window.seen[one.dataset.key] ??= Date.now(); }, 1)"
    )
    late = []
    for count in (3, 4):
        asked = time.time() * 1000
        put(outputs, state(count))
        key = f"seq-{9 + count}"
        tab.wait_for_function(f"window.seen['{key}']")
        late.append(tab.evaluate(f"window.seen['{key}']") - asked)
    print(f"asked for 700 ms, came after {[round(ms) for ms in late]} ms")
    assert min(late) >= 700 - 1
    tab.close()


def test_hidden_cards_are_in_no_byte_before_they_may_be_seen(
    browser: Browser, outputs: Outputs, air: Air
) -> None:
    """The tens of clubs lie in a hand that a sealed feed knows; they are named by findings, doubts and the kitty."""
    proxy = Proxy(air.port)
    hidden = {"deal": 3, "hands": {"0": ["C10"], "1": ["C10"], "2": [], "3": []}, "kitty": ["C10"]}
    outputs.put("hands", hidden)
    doubtful = state(3)
    doubtful["trick"]["plays"][2] |= {"doubtful": True, "alternatives": [[["C10", "HK"], 0.4]]}
    doubtful["match"]["view"] |= {"hands": hidden["hands"], "kitty": "C10"}
    named = {**FINDING, "cards": ["C10"], "text": {"zh": "手中有♣10", "en": "holds ♣10"}, "ruling": "upheld"}
    tabs = [opened(browser, proxy.port, f"token={token}") for token in ("air", "talk")]
    put(outputs, {**doubtful, "findings": [named], "log": [{"cards": ["C10"]}], "table": {"cards": ["C10"]}})
    for tab in tabs:
        wait_on_air(tab, "finding")
    for feed in ("table", "seats", "trick", "finding", "result"):
        httpx.get(f"http://127.0.0.1:{proxy.port}/feeds/vmix/{feed}.json?token=talk")
    assert b'"SK"' in proxy.sent
    for written in (b'"C10"', "♣10".encode(), json.dumps("♣10").encode()[1:-1]):
        assert written not in proxy.sent
    # The deal is over: the output that may show the hands now does, and the search finds them.
    outputs.put("results", [RESULT])
    tabs[1].wait_for_function("document.querySelector('pz-overlay').state.hands")
    assert proxy.sent.count(b'"C10"') == 3
    assert tabs[0].evaluate("'hands' in document.querySelector('pz-overlay').state") is False
    for tab in tabs:
        tab.close()
    proxy.close()


def test_hold_clear_and_graphics_taken_by_hand(browser: Browser, outputs: Outputs, air: Air) -> None:
    tab = opened(browser, air.port, "token=air")
    wait_on_air(tab, "trick")
    outputs.put("control", {"graphics": "hold"})
    tab.wait_for_function("document.querySelector('pz-overlay').state.control.graphics === 'hold'")
    put(outputs, state(4))
    outputs.put("control", {"graphics": "clear"})
    wait_on_air(tab, "bug", on=False)
    assert picture(tab).max() == 0
    outputs.put("control", {"graphics": "live", "taken": {"names": True, "bug": False}})
    wait_on_air(tab, "names")
    assert "bug" not in on_air(tab)
    assert "seats" not in on_air(tab)
    tab.close()


_CUT = """[...document.querySelector('pz-overlay').shadowRoot
  .querySelectorAll('.on .names, .on .who:not(:has(span)), .on .who span')]
  .filter((one) => one.scrollWidth > one.clientWidth || one.offsetHeight > one.parentElement.clientHeight)
  .map((one) => one.textContent)"""
LONG = ["欧阳静怡", "司马相如", "Alexandros Papadopoulos", "Konstantin Wagenknechtson"]


@pytest.mark.parametrize("layout", ["1080p", "vertical"])
def test_long_names_are_read_whole_and_nothing_lies_over_another(
    browser: Browser, outputs: Outputs, air: Air, layout: str
) -> None:
    parts = state(4)
    parts["match"]["players"] = LONG
    parts["seats"] = [{**seat, "player": LONG[seat["seat"]]} for seat in parts["seats"]]
    parts["clock"] = {
        "stopped": False, "waits": [{"seat": 3, "action": "play", "limit": 20, "left": 9.0}], "at": 60.0
    }  # fmt: skip
    put(outputs, parts)
    tab = opened(browser, air.port, f"token=air&layout={layout}", SIZE_OF[layout])
    for graphic in ("bug", "seats", "clock"):
        wait_on_air(tab, graphic)
    cut = tab.evaluate(_CUT)
    assert cut == []
    shown = boxes(tab)
    for at, one in enumerate(shown):
        for other in shown[at + 1 :]:
            across = min(one["right"], other["right"]) - max(one["left"], other["left"])
            down = min(one["bottom"], other["bottom"]) - max(one["top"], other["top"])
            # Upright, each seat's cards lie between the panels.
            assert min(across, down) <= 0 or layout == "vertical"
    tab.close()


def test_hands_that_are_shown_stand_alone(browser: Browser, outputs: Outputs, air: Air) -> None:
    outputs.put("results", [RESULT])
    outputs.put("hands", {"deal": 3, "hands": {"0": ["SA"], "1": ["HA"], "2": ["CA"], "3": ["DA"]}})
    outputs.put("control", {"taken": {"hands": True}})
    tab = opened(browser, air.port, "token=talk")
    wait_on_air(tab, "hands")
    assert set(on_air(tab)) == {"bug", "hands"}
    outputs.put("control", {"taken": {"hands": False, "result": True}})
    wait_on_air(tab, "result")
    assert "hands" not in on_air(tab)
    tab.close()


def test_while_correcting_the_cards_leave_and_the_score_stays(
    browser: Browser, outputs: Outputs, air: Air
) -> None:
    tab = opened(browser, air.port, "token=air")
    wait_on_air(tab, "trick")
    outputs.put("control", {"correcting": True})
    wait_on_air(tab, "trick", on=False)
    assert {"bug", "seats"} <= set(on_air(tab))
    put(outputs, state(4))
    outputs.put("control", {"correcting": False})
    wait_on_air(tab, "trick")
    assert tab.evaluate("document.querySelector('pz-overlay').state.trick.plays.length") == 4
    tab.close()


def test_what_is_held_stays_though_the_service_is_restarted(browser: Browser, outputs: Outputs) -> None:
    port = free_port()
    first = Air(outputs, POLICIES, port).start()
    tab = opened(browser, port, "token=air&retry_ms=20")
    wait_on_air(tab, "trick")
    outputs.put("control", {"graphics": "hold"})
    tab.wait_for_function("document.querySelector('pz-overlay').state.control.graphics === 'hold'")
    first.stop()
    afresh = Outputs()
    afresh.put("control", {"graphics": "hold"})
    again = Air(afresh, POLICIES, port).start()
    put(afresh, state(4))
    until(lambda: tab.evaluate("window.paizhuo.feed.opened") == 2)
    assert tab.evaluate("document.querySelector('pz-overlay').state.trick.plays.length") == 2
    assert "trick" in on_air(tab)
    afresh.put("control", {"graphics": "live"})
    tab.wait_for_function("document.querySelector('pz-overlay').state.trick.plays.length === 4")
    again.stop()
    tab.close()


def test_a_name_is_text_whatever_it_says(browser: Browser, outputs: Outputs, air: Air) -> None:
    wicked = state()
    wicked["match"]["players"] = ["<img src=x onerror=window.owned=1>", "b", "c", "d"]
    wicked["seats"][0]["player"] = wicked["match"]["players"][0]
    put(outputs, wicked)
    tab = opened(browser, air.port, "token=air")
    wait_on_air(tab, "seats")
    shown = tab.evaluate(
        "document.querySelector('pz-overlay').shadowRoot.querySelector('.seat .who').textContent"
    )
    assert (shown, tab.evaluate("window.owned")) == ("<img src=x onerror=window.owned=1>", None)
    tab.close()


def test_graphics_ask_nobody_but_their_service(browser: Browser, air: Air) -> None:
    asked: list[str] = []
    tab = browser.new_page()
    tab.on("request", lambda request: asked.append(request.url))
    tab.goto(f"http://127.0.0.1:{air.port}/overlay/all?token=air")
    wait_on_air(tab, "trick")
    assert [url for url in asked if f"127.0.0.1:{air.port}/" not in url and not url.startswith("data:")] == []
    tab.close()


def test_files_are_kept_but_never_used_unasked(air: Air) -> None:
    base = f"http://127.0.0.1:{air.port}"
    for path in (
        "/overlay/bug",
        "/static/overlay/page.js",
        "/static/overlay/words.js",
        "/static/cards/pz-card.js",
    ):
        first: Any = httpx.get(base + path)
        assert (first.status_code, first.headers["cache-control"]) == (200, "no-cache"), path
        second = httpx.get(base + path, headers={"If-None-Match": first.headers["etag"]})
        assert (second.status_code, second.content) == (304, b""), path
    assert httpx.get(base + "/overlay/nothing").status_code == 404
