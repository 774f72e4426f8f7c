"""What is looked after on the display: calls of players, a camera that has moved, the machine under the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from api.auth import Grant
from api.places import Places
from tests.display_tables import CHROMIUM, TOO_LOW, Node, context_of, finding, look, until
from tests.test_api_upkeep import NAME, knocked, pictures
from vision.frames import Frame

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
expect.set_options(timeout=20_000)


def test_a_call_for_the_referee_waits_until_it_is_noted(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path) as table:
        table.deal()
        table.put_in({"event": "referee_called", "seat": 2})
        context = context_of(browser, lang="en")
        tab = look(context, table.address)
        call = tab.locator("pz-queue .call:not(.gone)")
        expect(call).to_contain_text("calls the referee")
        expect(tab.locator("pz-queue .number")).to_have_text("1")
        table.put_in(TOO_LOW)
        expect(finding(tab, 1)).to_be_visible()
        call.get_by_role("button", name="Noted").tap()
        expect(call).to_have_count(0)
        expect(tab.locator("pz-queue .number")).to_have_text("1")
        # So it is for everybody else, who may have been at his page all the time or come to it now.
        elsewhere = context_of(browser, lang="en")
        other = look(elsewhere, table.address)
        expect(finding(other, 1)).to_be_visible()
        expect(other.locator("pz-queue .call")).to_have_count(0)
        elsewhere.close()
        context.close()


def test_a_camera_that_has_moved_is_accepted_with_one_tap(browser: Browser, tmp_path: Path) -> None:
    shown, image = knocked()
    with Node(tmp_path, shown.setup) as table:
        assert table.desk is not None
        places = Places(shown.setup, object(), every=0.0)
        table.desk.service.places = places
        places.see([Frame(image, float(i), NAME) for i in range(5)])
        context = context_of(browser, lang="en")
        tab = look(context, table.address)
        tab.locator("pz-head button.health").click()
        accept = tab.get_by_role("button", name="Accept its new place")
        expect(accept).to_have_count(1)
        expect(accept).to_contain_text("10 mm")
        with pictures(table):
            accept.tap()
            until(lambda: places.states[NAME].state == "ok")
        expect(accept).to_have_count(0)
        context.close()


def test_the_doctor_page_examines_the_machine(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path, grants=[Grant("operator", "甲"), Grant("viewer", "乙")]) as table:
        operator, viewer = (
            context_of(browser, lang="en", token=token, address=table.address) for token in table.tokens
        )
        tab = look(operator, table.address, "display/setup#doctor")
        expect(tab.locator(".machine li")).not_to_have_count(0)
        expect(tab.locator(".machine")).to_contain_text("disk")
        tab = look(viewer, table.address, "display/setup#doctor")
        expect(tab.locator("pz-setup-doctor .card")).to_have_count(1)
        operator.close()
        viewer.close()


def test_a_graphic_is_taken_and_given_back_by_hand(browser: Browser, tmp_path: Path) -> None:
    with Node(tmp_path) as table:
        context = context_of(browser, lang="en")
        tab = look(context, table.address)
        tab.keyboard.press("g")
        names = tab.locator("[data-graphic=names]")
        names.get_by_role("button", name="Show").tap()
        until(lambda: table.state()["control"]["taken"] == {"names": True})
        expect(names.get_by_role("button", name="Show")).to_have_attribute("aria-pressed", "true")
        names.get_by_role("button", name="Auto").tap()
        until(lambda: table.state()["control"]["taken"] == {})
        context.close()
