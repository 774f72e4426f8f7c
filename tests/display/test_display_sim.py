"""The display with the real simulated table: pictures are rendered, cards are read, and the page shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import expect, sync_playwright

from api.desk import Desk
from api.node import Address, make_desk, serve
from api.runner import EVIDENCE, JOURNAL
from api.service import TableService
from api.tables import opened_simulated
from devices.simulator.show import show_match
from devices.simulator.table import SimulatedTable
from table.events import Play
from table.journal import Journal
from table.rulesets import load_profile
from tests.display_tables import CHROMIUM, browser_of, context_of, look
from vision.card_reader import CardReader
from vision.evidence import Evidence
from vision.table_watch import TableWatch

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
PROFILE = "guandan-official"


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A simulated table, watched to its first play."""
    table = SimulatedTable(show_match(load_profile(PROFILE), 7), profile=PROFILE, seed=7, skip_idle=True)
    opened = opened_simulated(table)
    evidence = Evidence(tmp_path / EVIDENCE, table.setup)
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(
            table.setup, TableWatch(table.setup, CardReader.open(1)), journal, evidence=evidence
        )
        desk = make_desk(
            service, tmp_path, lambda: service.now or 0.0, inputs=opened.inputs, evidence=tmp_path / EVIDENCE
        )
        desk.runner.all_at_once(
            opened.sources, stop=lambda: any(isinstance(told.event, Play) for told in service.told)
        )
        yield desk


def test_the_first_play_of_a_simulated_match_lies_on_the_page(desk: Desk) -> None:
    played = next(told.event for told in desk.service.told if isinstance(told.event, Play))
    page = serve(desk, Address(0), "en")
    page.start()
    try:
        with sync_playwright() as playwright:
            browser = browser_of(playwright)
            tab = look(context_of(browser), page.address)
            shown = tab.locator(f"pz-table [data-seat='{played.seat}'] .played > .fan")
            expect(shown).to_have_attribute("data-cards", " ".join(map(str, played.cards)))
            tab.wait_for_function("document.querySelector('pz-picture img')?.naturalWidth > 0")
            for card in played.cards:
                expect(tab.locator(f"pz-picture [data-name='{card.pretty}'] polygon").first).to_be_attached()
            tab.locator("pz-log li", has=tab.locator(".chip")).first.locator("button").click()
            still = tab.locator("pz-panel .evidence img").first
            expect(still).to_have_attribute("src", re.compile("evidence/"))
            tab.wait_for_function("document.querySelector('pz-panel .evidence img').naturalWidth > 0")
            browser.close()
    finally:
        page.stop()
