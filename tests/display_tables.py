"""What tests of the display share: a real table of the service at a real port, and a real browser that looks at it.

As a program it is a table kept by hand, until it is killed: `python -m tests.display_tables DATA PORT`.
"""

from __future__ import annotations

import json
import shutil
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from playwright.sync_api import Browser, BrowserContext, Locator, Playwright
from playwright.sync_api import Page as Tab

from api.auth import TOKENS, Grant, Tokens
from api.desk import Desk
from api.feeds import LiveFeed
from api.node import Address, make_desk, serve
from api.runner import JOURNAL, lock_folder
from api.service import NoWatch, TableService
from calibration.setup import TableSetup
from table.journal import Journal
from tests.service_tables import ScriptedTable, setup_of
from vision.frames import Frame

PROFILE = "guandan-event"
PLAYERS = ("张建国", "李秀英", "王志强", "陈丽华")
CHROMIUM = shutil.which("chromium")
SIZES = ((1920, 1080), (1280, 800), (820, 1180))
TRICK = (
    {"event": "turned_up", "card": "S5", "seat": 0},
    {"event": "draw_ended"},
    {"event": "play", "seat": 0, "cards": "S7 H7 D7 S3 H3"},
    {"event": "pass", "seat": 1},
    {"event": "play", "seat": 2, "cards": "S9 H9 D9 S4 H4"},
)
"""A deal's first trick so far: seat 3 is to play."""
TOO_LOW = {"event": "play", "seat": 3, "cards": "S8 H8 D8 S6 H6"}
"""What does not beat that."""


def hand_setup(profile: str = PROFILE, name: str = "3 号桌") -> TableSetup:
    """A table that no camera looks at."""
    return replace(setup_of(profile), name=name, cameras=(), players=PLAYERS)


class Node:
    """A table at work in threads of its own: kept by hand, or watched by scripted eyes.

    Args:
        data: its folder.
        setup: kept by hand where it names no camera.
        script: what its scripted eyes see.
        speed: seconds of the script to a second of the wall.
        grants: tokens that are made for it; without any the local user may do everything.
        table_file: its setup file.

    Attributes:
        address: of its page.
        tokens: made for `grants`, in their order.
    """

    def __init__(
        self,
        data: Path,
        setup: TableSetup | None = None,
        *,
        script: ScriptedTable | None = None,
        speed: float = 1.0,
        grants: Sequence[Grant] = (),
        port: int = 0,
        table_file: Path | None = None,
    ) -> None:
        self.data = data
        self.address = ""
        self.desk: Desk | None = None
        data.mkdir(parents=True, exist_ok=True)
        known = Tokens(data / TOKENS)
        self.tokens = [known.add(grant) for grant in grants]
        self._setup = setup or hand_setup()
        self._script = script
        self._speed = speed
        self._port = port
        self._table_file = table_file
        self._stop = threading.Event()
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Node:
        self._thread.start()
        assert self._ready.wait(60)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        self._thread.join(20)

    def ask(self, method: str, path: str, body: Any = None, match: int | None = None, token: str = "") -> Any:
        """Ask its API as another client would."""
        headers = {"Content-Type": "application/json"}
        if match is not None:
            headers["If-Match"] = f'"{match}"'
        if token:
            headers["Authorization"] = f"Bearer {token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}api/v1/{path}", data, headers, method=method)
        with urllib.request.urlopen(request, timeout=20) as answer:
            return json.loads(answer.read() or b"null")

    def text(self, path: str) -> str:
        """What its API gives as text."""
        with urllib.request.urlopen(f"{self.address}api/v1/{path}", timeout=20) as answer:
            return str(answer.read().decode())

    def put_in(self, *events: dict[str, Any], token: str = "") -> None:
        """Events by hand, each in the journal before the next."""
        for event in events:
            self.ask("POST", "inputs", event, token=token)

    def deal(self, token: str = "") -> None:
        """A deal up to the moment at which seat 3 is to play."""
        until(lambda: self.state(token).get("match", {}).get("profile"))
        self.ask("POST", "deals/next", {}, self.state(token)["seq"], token)
        self.put_in(*TRICK, token=token)

    def state(self, token: str = "") -> Any:
        """The state as its API tells it."""
        return self.ask("GET", "state", token=token)

    def _run(self) -> None:
        with ExitStack() as stack:
            stack.enter_context(lock_folder(self.data))
            journal = stack.enter_context(Journal(self.data / JOURNAL))
            watch = NoWatch() if self._script is None else self._script.watch()
            service = TableService(self._setup, watch, journal)
            began = time.monotonic() - (service.resumed_at or 0.0)
            inputs = () if self._script is None else self._script.heard
            desk = make_desk(
                service, self.data, lambda: time.monotonic() - began, inputs=inputs,
                table_file=self._table_file,
            )  # fmt: skip
            page = serve(desk, Address(self._port), "en")
            page.start()
            stack.callback(page.stop)
            self.desk, self.address = desk, page.address
            self._ready.set()
            if self._script is None:
                desk.runner.by_hand(stop=self._stop.is_set, wait=0.05)
            else:
                sources = [Coloured(self._script, camera.name) for camera in self._setup.cameras]
                feed = LiveFeed(sources, [one.name for one in sources], speed=self._speed)
                desk.runner.live(feed, stop=self._stop.is_set)
                self._stop.wait()


class Coloured:
    """Frames of a scripted table with something in them to be seen."""

    def __init__(self, script: ScriptedTable, name: str) -> None:
        self.name = name
        self._frames = script.source(camera=name)
        self._image = np.full((1000, 1000, 3), (64, 92, 52), np.uint8)

    def read(self) -> Frame | None:
        frame = self._frames.read()
        return None if frame is None else Frame(self._image, frame.at, self.name)

    def close(self) -> None:
        self._frames.close()


def browser_of(playwright: Playwright) -> Browser:
    """Debian's Chromium."""
    return playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])


def context_of(
    browser: Browser,
    size: tuple[int, int] = (1280, 800),
    lang: str = "zh",
    theme: str = "dark",
    token: str = "",
    address: str = "",
) -> BrowserContext:
    """A browser of one person; with a token he is logged in already."""
    context = browser.new_context(viewport={"width": size[0], "height": size[1]}, has_touch=True)
    context.set_default_timeout(20_000)
    context.add_init_script(
        f"localStorage.getItem('paizhuo-lang') ?? localStorage.setItem('paizhuo-lang', '{lang}');"
        f"localStorage.getItem('paizhuo-theme') ?? localStorage.setItem('paizhuo-theme', '{theme}');"
    )
    if token:
        context.add_cookies([{"name": "paizhuo", "value": token, "url": address}])
    return context


def look(
    context: BrowserContext, address: str, path: str = "display", errors: list[str] | None = None
) -> Tab:
    """A page of the table, once it shows the table's state."""
    tab = context.new_page()
    if errors is not None:
        tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.goto(address + path)
    if path == "display":
        settled(tab)
    return tab


def settled(tab: Tab) -> None:
    """Wait until the page shows what the table says now."""
    tab.wait_for_function("document.querySelector('pz-link')?.hidden === true")


def finding(tab: Tab, number: int) -> Locator:
    """A finding in the queue."""
    return tab.locator(f"pz-queue .waiting [data-finding='{number}']")


def until(true: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait for something outside the browser."""
    for _ in range(round(seconds / 0.05)):
        if found := true():
            return found
        time.sleep(0.05)
    raise AssertionError("it did not happen")


if __name__ == "__main__":
    with Node(Path(sys.argv[1]), port=int(sys.argv[2])) as node:
        print(node.address, flush=True)
        threading.Event().wait()
