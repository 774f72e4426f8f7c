"""What a referee puts in by hand on the display, with or without a camera: plays, passes, clock, a void deal."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page as Tab
from playwright.sync_api import expect

from tests.display_tables import (
    CHROMIUM,
    PLAYERS,
    Node,
    until,
)

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
expect.set_options(timeout=20_000)


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
