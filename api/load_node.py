"""A node under load: matches of bots put in by hand, one after the other, faster than real time, served as any table.

As a program: `python -m api.load_node DATA SPEED SEED`; prints the address, runs until it is stopped.
"""

from __future__ import annotations

import random
import signal
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Final

from api.node import Address, make_desk, serve
from api.runner import JOURNAL, Runner
from api.service import NoWatch, TableService
from calibration.setup import TableSetup
from calibration.setup_file import default_zones
from devices.simulator.bots import play_match
from table.event_json import event_from_json
from table.events import Correction, Event
from table.journal import Journal
from table.rulesets import load_profile

PROFILE: Final = "guandan-official"
PAUSE_S: Final = 30.0
"""Seconds of the record between two matches."""


def feed(runner: Runner, clock: float, speed: float, seed: int, stop: threading.Event) -> None:
    """Put in one match after the other, each event when its time has come; ends when `stop` is set.

    Args:
        runner: of the table.
        clock: time of the record at which the first match begins, s.
        speed: seconds of the record to a second.
        seed: of the bots.
        stop: ends it.
    """
    began = time.monotonic()
    start = clock
    rng = random.Random(seed)
    while not stop.is_set():
        numbers: dict[int, int] = {}
        for data in play_match(load_profile(PROFILE), rng, deals=4).events:
            event = event_from_json(data)
            at = start + (event.at or 0.0)
            wait = (at - clock) / speed - (time.monotonic() - began)
            if stop.wait(max(0.0, wait)):
                return
            _put(runner, event, at, numbers)
            last = at
        start = last + PAUSE_S


def _put(runner: Runner, event: Event, at: float, numbers: dict[int, int]) -> None:
    """One event of a match, whose corrections point at what was recorded of it."""
    if isinstance(event, Correction):
        event = replace(event, of=numbers.get(event.of, event.of))
    put = replace(event, seq=0, at=at, source=event.source or "referee")
    told = runner.ask(put).result()
    if told:
        numbers[event.seq] = told[-1].event.seq


def main() -> None:
    """Run until SIGTERM."""
    data, speed, seed = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())
    began = time.monotonic()
    setup = TableSetup("load", PROFILE, (), default_zones("guandan"), 2, ("甲", "乙", "丙", "丁"))
    with Journal(data / JOURNAL) as journal:
        service = TableService(setup, NoWatch(), journal)
        desk = make_desk(service, data, lambda: (time.monotonic() - began) * speed)
        page = serve(desk, Address(0), "en")
        page.start()
        print(f"page: {page.address}", flush=True)
        player = threading.Thread(target=feed, args=(desk.runner, 1.0, speed, seed, stop), daemon=True)
        player.start()
        desk.runner.by_hand(stop=stop.is_set, wait=0.05)
        page.stop()


if __name__ == "__main__":
    main()
