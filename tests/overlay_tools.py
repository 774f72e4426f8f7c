"""What tests of graphics on air share: a real service of outputs, a recording proxy before it, and states to show."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt
import uvicorn
from fastapi import FastAPI
from playwright.sync_api import Page as Tab

from api.outputs import OutputPolicy, Outputs
from api.overlay_routes import STATIC, NoCacheStatic, overlay_router

PLAYERS = ["陈立", "王晓燕", "欧阳静怡", "赵国强"]


def state(plays: int = 2, deal: int = 3) -> dict[str, Any]:
    """Parts of a table in the middle of a deal, as the table's API tells them, with `plays` on the table."""
    cards = ["S7 H7", "S9 H9", "SK HK", "SA HA"]
    return {
        "match": {
            "table": "桌 3", "profile": {"name": "guandan-event", "zh": "竞技掼蛋", "en": "Guandan"}, "game": "guandan",
            "players": PLAYERS, "levels": ["8", "5"], "deal": deal, "level": "8", "ended": None,
            "view": {"level": "8", "left": [20, 20, 20, 20], "on_table": []}, "seq": 10 + plays,
        },
        "seats": [
            {"seat": seat, "player": PLAYERS[seat], "side": seat % 2, "remaining": 20 - plays, "called": None,
             "finished": None, "turn": seat == plays % 4}
            for seat in range(4)
        ],
        "trick": {
            "leader": 0, "number": 4, "over": False,
            "plays": [
                {"seq": 10 + at, "seat": at % 4, "cards": cards[at % 4].split(), "says": None, "pass": False,
                 "doubtful": False, "alternatives": []}
                for at in range(plays)
            ],
        },
        "clock": {"stopped": False, "waits": [], "at": 60.0},
        "findings": [],
        "results": [],
    }  # fmt: skip


def put(outputs: Outputs, parts: dict[str, Any]) -> None:
    """Everything of a state, as the table's thread would."""
    for part, value in parts.items():
        outputs.put(part, value)


def free_port() -> int:
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


class Air:
    """A service of outputs on a port of this machine; can be started late and stopped."""

    def __init__(self, outputs: Outputs, policies: dict[str, OutputPolicy], port: int) -> None:
        app = FastAPI()
        app.include_router(
            overlay_router(outputs, lambda asked: policies.get(asked.query_params.get("token", "")))
        )
        app.get("/healthz")(lambda: {"ok": True})
        app.mount("/static", NoCacheStatic(directory=STATIC))
        config = uvicorn.Config(app, port=port, log_level="error", lifespan="off", ws="websockets-sansio")
        self.port = port
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def start(self) -> Air:
        self._thread.start()
        until(lambda: self._server.started)
        return self

    def stop(self) -> None:
        self._server.should_exit = self._server.force_exit = True
        self._thread.join(timeout=5)


class Proxy:
    """Passes bytes between a browser and a service, keeps all that the service sent, and can cut every connection.

    WebSocket compression is not passed on: what is searched must lie open.
    """

    def __init__(self, target: int) -> None:
        self.target = target
        self.sent = bytearray()
        self._pairs: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port = int(self._listening.getsockname()[1])
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                inner, _ = self._listening.accept()
            except OSError:
                return
            try:
                outer = socket.create_connection(("127.0.0.1", self.target))
            except OSError:
                inner.close()
                continue
            self._pairs += [inner, outer]
            threading.Thread(target=self._pass, args=(inner, outer, False), daemon=True).start()
            threading.Thread(target=self._pass, args=(outer, inner, True), daemon=True).start()

    def _pass(self, source: socket.socket, sink: socket.socket, keep: bool) -> None:
        try:
            while data := source.recv(65536):
                if keep:
                    self.sent += data
                else:
                    data = data.replace(b"Sec-WebSocket-Extensions:", b"X-Not-Offered-Here-Today:")
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            one.close()

    def cut(self) -> None:
        """Every connection breaks; new ones are passed on as before."""
        pairs, self._pairs = self._pairs, []
        for one in pairs:
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                one.close()

    def close(self) -> None:
        self._listening.close()
        self.cut()


def until(done: Callable[[], Any], seconds: float = 20.0) -> Any:
    """Wait for something that must come."""
    end = time.monotonic() + seconds
    while not (found := done()):
        assert time.monotonic() < end, "it did not come"
        time.sleep(0.01)
    return found


def picture(tab: Tab) -> npt.NDArray[np.uint8]:
    """What is on air, with its transparency: BGRA."""
    data = np.frombuffer(tab.screenshot(omit_background=True), np.uint8)
    return np.asarray(cv2.imdecode(data, cv2.IMREAD_UNCHANGED), np.uint8)


def on_air(tab: Tab) -> list[str]:
    """Names of the graphics that show."""
    found = tab.evaluate(
        "[...document.querySelector('pz-overlay').shadowRoot.querySelectorAll('.g.on')].map(one => one.dataset.graphic)"
    )
    return list(found)


def wait_on_air(tab: Tab, graphic: str, on: bool = True) -> None:
    """Wait until a graphic has come or left, its motion ended."""
    tab.wait_for_function(
        "([name, on]) => { const one = document.querySelector('pz-overlay')?.shadowRoot"
        ".querySelector(`[data-graphic=${name}]`); if (!one) return false;"
        " const style = getComputedStyle(one); return one.classList.contains('on') === on"
        " && style.opacity === (on ? '1' : '0'); }",
        arg=[graphic, on],
    )
