"""Renew the pictures of the live table in docs/pictures from the running system: `python docs/pictures.py`.

A match on the simulated table is watched to a moment at which something lies there; then the page is photographed in
Chromium, and the terminal is drawn. Needs Debian's `chromium` and the extra `dev`.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from pathlib import Path
from typing import Final

import cv2
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console

from api.app import Page, make_app
from api.live import Board, shown_box
from api.runner import EVIDENCE, JOURNAL, Runner
from api.service import TableService
from api.tables import opened_simulated
from api.terminal import Screen
from devices.simulator.show import show_match
from devices.simulator.table import SimulatedTable
from table.journal import Journal
from table.rulesets import load_profile
from vision.card_reader import CardReader
from vision.evidence import Evidence
from vision.table_watch import TableWatch

PICTURES: Final = Path(__file__).resolve().parent / "pictures"
PROFILE: Final = "guandan-official"
SEED: Final = 7
UNTIL: Final = 99.0
"""Seconds of the match: cards lie there, and three findings stand."""
VIEWS: Final = (("live-zh.png", "zh", 1920, 1080), ("live-en.png", "en", 1280, 800))


def main() -> None:
    """Watch, then take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is needed: apt-get install chromium fonts-noto-cjk")
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        service, runner = watched(Path(folder))
        assert runner.board is not None
        page = Page(make_app(runner.board, Path(folder) / EVIDENCE), 0)
        page.start()
        with sync_playwright() as browsers:
            browser = browsers.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            for name, lang, width, height in VIEWS:
                photograph(browser, page.address, PICTURES / name, lang, (width, height))
            photograph(
                browser, page.address, PICTURES / "live-clip.png", "en", (1280, 800), "#finding-list .show"
            )
            terminal(service, runner, browser, PICTURES / "live-terminal.png")
            browser.close()
        page.stop()
        service.journal.close()


def watched(folder: Path) -> tuple[TableService, Runner]:
    """The table at the moment that is photographed."""
    events = show_match(load_profile(PROFILE), SEED)
    table = SimulatedTable(events, profile=PROFILE, seed=SEED, skip_idle=True)
    setup = table.setup
    opened = opened_simulated(table)
    watch = TableWatch(setup, CardReader.open(2))
    service = TableService(
        setup, watch, Journal(folder / JOURNAL), evidence=Evidence(folder / EVIDENCE, setup)
    )
    board = Board({camera.name: shown_box(setup, camera) for camera in setup.cameras})
    runner = Runner(service, board, inputs=opened.inputs)
    runner.all_at_once(opened.sources, stop=lambda: (service.now or 0.0) >= UNTIL)
    return service, runner


def photograph(
    browser: Browser, address: str, path: Path, lang: str, size: tuple[int, int], click: str = ""
) -> None:
    """One picture of the page, with something clicked first where that is wanted."""
    tab = browser.new_page(viewport={"width": size[0], "height": size[1]})
    tab.add_init_script(f"localStorage.setItem('lang', '{lang}')")
    tab.goto(address)
    tab.wait_for_function("document.querySelector('#frame').naturalWidth > 0")
    if click:
        tab.click(click)
        tab.wait_for_function("document.querySelector('#evidence video')?.currentTime > 1")
    tab.screenshot(path=str(path))
    tab.close()


def terminal(service: TableService, runner: Runner, browser: Browser, path: Path) -> None:
    """The terminal as it stood at that moment."""
    console = Console(record=True, width=132, height=34, file=io.StringIO(), force_terminal=True)
    screen = Screen(service, runner.cameras.values, lambda: service.now, "en", console=console)
    console.print(screen.drawing(34), height=34)
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.set_content(console.export_html(inline_styles=True, code_format=_HTML))
    tab.locator("pre").screenshot(path=str(path))
    tab.close()


_HTML: Final = (
    '<body style="margin:0;background:#111"><pre style="display:inline-block;margin:0;padding:12px;background:#111;'
    "color:#ddd;font:15px/1.25 'DejaVu Sans Mono','Noto Sans Mono CJK SC',monospace\">{code}</pre></body>"
)


if __name__ == "__main__":
    main()
