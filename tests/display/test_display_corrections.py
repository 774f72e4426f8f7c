"""Corrections on the display: what was read wrong, in doubt, or may be two plays is put right, and undone."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.display_tables import (
    CHROMIUM,
    TOO_LOW,
    Node,
    finding,
    until,
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
expect.set_options(timeout=20_000)


def log_line(tab: Tab, seq: int) -> str:
    return tab.locator(f"pz-log [data-seq='{seq}']").inner_text().replace("\n", " ")


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
