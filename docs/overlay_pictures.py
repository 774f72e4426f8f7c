"""Renew the pictures of the overlay graphics in docs/pictures: `python docs/overlay_pictures.py`.

The simulated table gives the video; a table that is kept by hand has the record of the same match up to that moment and
serves the graphics over it, in Chromium, as a vision mixer would show them.
"""

from __future__ import annotations

import base64
import json
import shutil
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import cv2
import httpx
from playwright.sync_api import Browser, sync_playwright

from api.node import Address, make_desk, serve
from api.runner import JOURNAL
from api.service import NoWatch, TableService
from api.tables import opened_simulated
from calibration.setup import TableSetup
from calibration.setup_file import default_zones
from devices.simulator.show import show_match
from devices.simulator.table import SimulatedTable
from table.event_json import event_from_json
from table.journal import Journal
from table.rulesets import load_profile

PICTURES: Final = Path(__file__).resolve().parent / "pictures"
PROFILE: Final = "guandan-official"
SEED: Final = 7
PLAYERS: Final = ("陈立", "王晓燕", "欧阳静怡", "赵国强")
UNTIL: Final = 99.0
"""Seconds of the match: cards lie there, and a finding stands that can be upheld."""
VIEWS: Final = (
    ("overlay-1080p.jpg", "zh", "1080p", (1920, 1080)),
    ("overlay-vertical.jpg", "en", "vertical", (1080, 1920)),
)


def main() -> None:
    """Take the pictures."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("chromium is needed: apt-get install chromium fonts-noto-cjk")
    cv2.setNumThreads(1)
    with sync_playwright() as browsers:
        browser = browsers.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        overlay_pictures(browser, PICTURES)
        browser.close()


def overlay_pictures(browser: Browser, folder: Path) -> None:
    """Both layouts over the picture of the table, with a finding that has just been upheld."""
    events = show_match(load_profile(PROFILE), SEED)
    video = video_frame(events)
    with tempfile.TemporaryDirectory() as data, served(events, Path(data)) as address:
        uphold(address)
        for name, lang, layout, (width, height) in VIEWS:
            tab = browser.new_page(viewport={"width": width, "height": height})
            tab.goto(f"{address}overlay/all?lang={lang}&layout={layout}&stay=1")
            # It leaves by itself after a while, and the clock of a match that stands still runs out: neither on pictures.
            tab.evaluate("document.querySelector('pz-overlay').take('finding', true)")
            tab.add_style_tag(content=f"html {{ height: 100%; background: url({video}) center / cover }}")
            tab.wait_for_function(
                "document.querySelector('pz-overlay').shadowRoot.querySelector('[data-graphic=finding].on')"
            )
            tab.evaluate("document.querySelector('pz-overlay').since.clock = performance.now() - 11000")
            tab.wait_for_timeout(600)
            tab.screenshot(path=str(folder / name), type="jpeg", quality=86)
            tab.close()


def video_frame(events: list[dict[str, Any]]) -> str:
    """The simulated table at that moment, as an address that holds the picture."""
    table = SimulatedTable(events, profile=PROFILE, seed=SEED, skip_idle=True)
    frame = opened_simulated(table, UNTIL).sources[0].read()
    assert frame is not None
    _, data = cv2.imencode(".jpg", frame.image)
    return f"data:image/jpeg;base64,{base64.b64encode(bytes(data)).decode()}"


@contextmanager
def served(events: list[dict[str, Any]], data: Path) -> Iterator[str]:
    """A table with the match so far, at work; gives its address."""
    setup = TableSetup("桌 3", PROFILE, (), default_zones("guandan"), 2, PLAYERS)
    so_far = [named(event) for event in events if event["at"] <= UNTIL]
    with Journal(data / JOURNAL) as journal:
        journal.extend([event_from_json(event) for event in so_far])
        desk = make_desk(TableService(setup, NoWatch(), journal), data, lambda: UNTIL)
        stop = threading.Event()
        loop = threading.Thread(target=desk.runner.by_hand, kwargs={"stop": stop.is_set, "wait": 0.02})
        page = serve(desk, Address(0), "zh")
        loop.start()
        page.start()
        try:
            yield page.address
        finally:
            page.stop()
            stop.set()
            loop.join()


def named(event: Mapping[str, Any]) -> dict[str, Any]:
    """The event as it stands in the journal, the players under names."""
    known = {key: value for key, value in event.items() if key != "seq"}
    return {**known, "players": list(PLAYERS)} if "players" in known else known


def uphold(address: str) -> None:
    """The referee upholds the first finding."""
    with httpx.Client(base_url=address) as client:
        state: dict[str, Any] = {}
        while not state.get("findings"):
            state = client.get("api/v1/state").json()
        number = state["findings"][0]["finding"]
        answer = client.post(
            f"api/v1/findings/{number}/ruling",
            content=json.dumps({"decision": "upheld"}),
            headers={"If-Match": f'"{state["match"]["seq"]}"', "Content-Type": "application/json"},
        )
        answer.raise_for_status()


if __name__ == "__main__":
    main()
