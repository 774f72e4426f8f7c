"""Renew the pictures of the live table and its display in docs/pictures from the running system: `python docs/pictures.py`.

A match on the simulated table is watched to a moment at which something lies there; then the display is photographed in
Chromium, and the terminal is drawn. Needs Debian's `chromium` and the extra `dev`.
"""

from __future__ import annotations

import io
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path
from typing import Final

import cv2
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab
from rich.console import Console

from api.desk import Desk
from api.node import Address, make_desk, serve
from api.runner import EVIDENCE, JOURNAL, Runner
from api.service import TableService
from api.tables import opened_simulated
from api.terminal import Screen
from calibration.setup_file import save_setup
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
PLAYERS: Final = ["张建国", "李秀英", "王志强", "陈丽华"]
UNTIL: Final = 99.0
"""Seconds of the match: cards lie there, and three findings stand."""
VIEWS: Final = (
    ("live-zh.png", "zh", "dark", (1920, 1080), ()),
    ("live-en.png", "en", "dark", (1280, 800), ("v", "v")),
    ("live-clip.png", "en", "dark", (1280, 800), (".item .details",)),
    ("display-820.png", "zh", "light", (820, 1180), ()),
    ("display-by-hand.png", "zh", "dark", (1280, 800), ("m",)),
    ("display-correction.png", "en", "light", (1280, 800), ("pz-log li:has(.chip) button", ".chosen button")),
)
"""Pictures of the display: name, language, light, size in px, keys pressed and places clicked before."""
SET_UP: Final = (("setup-match.png", "zh", "match"), ("setup-zones.png", "en", "zones"))


def main() -> None:
    """Watch, then take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is needed: apt-get install chromium fonts-noto-cjk")
    cv2.setNumThreads(1)
    with tempfile.TemporaryDirectory() as folder:
        desk = watched(Path(folder))
        page = serve(desk, Address(0), "en")
        page.start()
        with sync_playwright() as browsers:
            browser = browsers.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            display(browser, page.address)
            set_up(browser, page.address)
            terminal(desk.service, desk.runner, browser, PICTURES / "live-terminal.png")
            browser.close()
        page.stop()
        desk.service.journal.close()


def watched(folder: Path) -> Desk:
    """The table at the moment that is photographed."""
    events = show_match(load_profile(PROFILE), SEED)
    events = [
        {**event, "players": PLAYERS} if event["event"] == "match_started" else event for event in events
    ]
    table = SimulatedTable(events, profile=PROFILE, seed=SEED, skip_idle=True)
    setup = replace(table.setup, name="3 号桌")
    opened = opened_simulated(table)
    watch = TableWatch(setup, CardReader.open(2))
    file = folder / "table.toml"
    save_setup(setup, file)
    service = TableService(
        setup, watch, Journal(folder / JOURNAL), evidence=Evidence(folder / EVIDENCE, setup)
    )
    # Nobody plays on: the time of the record stands still.
    desk = make_desk(
        service, folder, lambda: service.now or 0.0, inputs=opened.inputs, evidence=folder / EVIDENCE,
        table_file=file,
    )  # fmt: skip
    desk.runner.all_at_once(opened.sources, stop=lambda: (service.now or 0.0) >= UNTIL)
    return desk


def display(browser: Browser, address: str) -> None:
    """The referee's display, at work and with what stands beside the table."""
    for name, lang, theme, size, steps in VIEWS:
        tab = opened(browser, f"{address}display", lang, theme, size)
        tab.wait_for_function("document.querySelector('pz-picture img')?.naturalWidth > 0")
        for step in steps:
            if len(step) == 1:
                tab.keyboard.press(step)
            else:
                tab.locator(step).first.click()
        if name == "live-clip.png":
            tab.wait_for_function("document.querySelector('pz-panel video')?.currentTime > 1")
        tab.wait_for_timeout(1500)
        tab.screenshot(path=str(PICTURES / name))
        tab.close()


def set_up(browser: Browser, address: str) -> None:
    """The set-up pages."""
    for name, lang, page in SET_UP:
        tab = opened(browser, f"{address}display/setup#{page}", lang, "dark", (1280, 800))
        if page == "zones":
            tab.wait_for_function("document.querySelector('img.still')?.naturalWidth > 0")
            tab.locator(".zone polygon").first.focus()
        tab.wait_for_timeout(1500)
        tab.screenshot(path=str(PICTURES / name))
        tab.close()


def opened(browser: Browser, address: str, lang: str, theme: str, size: tuple[int, int]) -> Tab:
    """A page in a language and light."""
    tab = browser.new_page(viewport={"width": size[0], "height": size[1]})
    tab.add_init_script(
        f"localStorage.setItem('paizhuo-lang', '{lang}'); localStorage.setItem('paizhuo-theme', '{theme}')"
    )
    tab.goto(address)
    return tab


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
