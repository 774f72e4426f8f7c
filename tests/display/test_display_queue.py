"""What waits for the referee on the display: findings are decided with a tap, and nothing moves under his finger."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, Route, expect
from playwright.sync_api import Page as Tab

from tests.display_tables import (
    CHROMIUM,
    TOO_LOW,
    Node,
    finding,
    until,
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
expect.set_options(timeout=20_000)


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
