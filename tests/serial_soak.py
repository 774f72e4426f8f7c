"""A table with four boxes and a dealer for as long as wanted, with every fault at random: nothing acknowledged is lost.

As a program: `python -m tests.serial_soak MINUTES SEED [FAULT,FAULT…]`; prints one JSON object and ends with status 1
where something was lost or made up.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import psutil

from devices.simulator.serial_device import Device, Running, deal
from devices.simulator.serial_wire import Noise, Wire
from table.events import Correction, CountCalled, Event, Pass, RefereeCalled
from table.record import read_record
from table.session import replay
from tests.serial_tools import PaizhuoRun, hands_of, shuffled, until

BOX = """
[[device]]
name = "box {seat}"
kind = "seatbox"
port = "{port}"
seat = {seat}
"""
DEALER = """version = 2
name = "soak"
profile = "guandan-official"

[[device]]
name = "dealer"
kind = "dealer"
port = "{port}"
"""
FAULTS = ("unplug", "garbage", "off and on", "kill feed", "kill table", "dealer unplugged")
NOISE = Noise(0.01, 0.01, 0.01)


class Box:
    """A box with what was pressed on it: told for sure, and perhaps told (switched off before anybody answered)."""

    def __init__(self, folder: Path, seat: int, rng: random.Random) -> None:
        self.seat, self.rng, self.boot = seat, rng, 0
        self.wire = Wire(folder / f"box{seat}", NOISE, rng)
        self.sure: list[str] = []
        self.perhaps: list[str] = []
        self.device = self._on()

    def _on(self) -> Device:
        self.boot += 1
        self.sent: list[str] = []
        return Device(self.wire, "seatbox", f"B{self.seat}", f"boot{self.boot}")

    def press(self) -> None:
        if self.device.waiting >= 16:
            return
        words = self.rng.choice(["PASS", "CALL", f"COUNT {self.rng.randint(1, 10)}"])
        self.sent.append(words)
        self.device.say(words)

    def switch_off_and_on(self) -> None:
        """What nobody acknowledged is gone with the box."""
        told = len(self.sent) - self.device.waiting
        self.sure += self.sent[:told]
        self.perhaps += self.sent[told:]
        self.device = self._on()


def word_of(event: Event) -> str:
    if isinstance(event, CountCalled):
        return f"COUNT {event.count}"
    return {"pass": "PASS", "referee_called": "CALL"}[event.name]


def soak(folder: Path, minutes: float, seed: int, kinds: Sequence[str] = FAULTS) -> dict[str, object]:
    """Run it with these kinds of faults; what was found."""
    rng = random.Random(seed)
    boxes = [Box(folder, seat, random.Random(seed * 10 + seat)) for seat in range(4)]
    dealing = Wire(folder / "dealer", NOISE, rng)
    setup = DEALER.format(port=folder / "dealer")
    setup += "".join(BOX.format(seat=box.seat, port=folder / f"box{box.seat}") for box in boxes)
    faults: Counter[str] = Counter()
    hands: list[dict[str, list[str]]] = []
    memory: list[float] = []
    stopped = threading.Event()

    def turn() -> None:
        while not stopped.is_set():
            for box in boxes:
                box.device.turn(0.01)

    threading.Thread(target=turn, daemon=True).start()
    run = PaizhuoRun(folder, setup)
    number = 0
    end = time.monotonic() + minutes * 60
    next_deal = next_fault = 0.0
    with Running(Device(dealing, "dealer", "D1")) as dealer:
        while time.monotonic() < end:
            time.sleep(rng.uniform(0.02, 0.25))
            boxes[rng.randrange(4)].press()
            now = time.monotonic()
            if now > next_deal:
                next_deal = now + 25
                number += 1
                cards = shuffled(seed * 1000 + number)
                hands.append(hands_of(cards))
                run.put(event="deal_started", deal=number, level="2")
                deal(dealer, cards, pace=lambda: time.sleep(0.01))
                sealed = number * 4
                until(lambda: run.names().count("hand_sealed") >= sealed, "bound", 60)  # noqa: B023
                memory.append(psutil.Process(run.process.pid).memory_info().rss / 1e6)
            if now > next_fault:
                next_fault = now + rng.uniform(4, 12)
                kind = rng.choice(kinds)
                faults[kind] += 1
                box = rng.choice(boxes)
                if kind == "unplug":
                    box.wire.unplug()
                    threading.Timer(rng.uniform(0.2, 3), box.wire.plug).start()
                elif kind == "dealer unplugged":
                    dealing.unplug()
                    threading.Timer(rng.uniform(0.2, 3), dealing.plug).start()
                elif kind == "garbage":
                    box.wire.write(rng.randbytes(3000))
                elif kind == "off and on":
                    box.switch_off_and_on()
                elif kind == "kill feed":
                    for child in psutil.Process(run.process.pid).children():
                        child.send_signal(signal.SIGKILL)
                elif kind == "kill table":
                    run.process.kill()
                    run.process.wait()
                    run = PaizhuoRun(folder, setup)
        for box in boxes:
            box.wire.plug()
        until(lambda: not any(box.device.waiting for box in boxes), "all acknowledged", 60)
        time.sleep(2)
    stopped.set()
    run.put(event="match_ended", why="time")
    until(lambda: len(list((folder / "data" / "sealed").glob("*.opened"))) >= number, "all opened", 60)
    time.sleep(2)
    run.stop()
    return judged(folder, boxes, hands, faults, memory)


@contextmanager
def ending() -> Iterator[None]:
    """Leave no table behind, however it ends."""
    try:
        yield
    finally:
        for child in psutil.Process().children():
            child.terminate()


def judged(
    folder: Path,
    boxes: list[Box],
    hands: list[dict[str, list[str]]],
    faults: Counter[str],
    memory: list[float],
) -> dict[str, object]:
    """What was lost or made up."""
    events = read_record(folder / "data" / "record.jsonl").events
    # A press that was told late may have changed places with the one before it: what counts is what stands.
    standing = replay(events)[0].effective()
    lost = made_up = presses = 0
    for box in boxes:
        box.sure += box.sent
        heard = Counter(
            word_of(event)
            for event in standing
            if isinstance(event, Pass | CountCalled | RefereeCalled) and event.seat == box.seat
        )
        sure, perhaps = Counter(box.sure), Counter(box.perhaps)
        presses += heard.total()
        lost += (sure - heard).total()
        made_up += (heard - sure - perhaps).total()
    told = [event.replacement for event in events if isinstance(event, Correction) and event.source == "feed"]
    right = sum(
        any(hand[str(one["seat"])] == str(one["cards"]).split() for hand in hands)
        for one in told
        if one is not None
    )
    grown = max(memory[len(memory) // 2 :], default=0.0) - max(memory[: len(memory) // 2], default=0.0)
    return {
        "presses": presses, "lost": lost, "made_up": made_up, "deals": len(hands), "hands": len(told),
        "hands_right": right, "faults": dict(faults), "memory_mb": [round(one) for one in memory],
        "memory_grown_mb": round(grown, 1),
    }  # fmt: skip


if __name__ == "__main__":
    os.environ.setdefault("PAIZHUO_LANG", "en")
    wanted = sys.argv[3].split(",") if len(sys.argv) > 3 else FAULTS
    with tempfile.TemporaryDirectory() as place, ending():
        found = soak(Path(place), float(sys.argv[1]), int(sys.argv[2]), wanted)
    print(json.dumps(found))
    sys.exit(1 if found["lost"] or found["made_up"] or found["hands"] != found["hands_right"] else 0)
