"""The world round the table process of `paizhuo bench faults`: its time, its players' boxes, its dealer, its referee."""

from __future__ import annotations

import bisect
import json
import os
import random
import re
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from devices.simulator.serial_device import Device, deal
from devices.simulator.serial_wire import Noise, Wire

Json = dict[str, Any]
NOISE: Final = Noise(0.01, 0.01, 0.01)
"""Of every wire: a hundredth of all lines damaged, lost, told twice."""
_ROOM: Final = 16
_TURN_S: Final = 0.01
_ASK_S: Final = 5.0


class WorldClock:
    """The time of the match, which stands still while its referee waits for the table.

    Args:
        tell: called with every change: `world` (s of the match) at `mono` (s), and whether it `runs`.
    """

    def __init__(self, tell: Callable[[Json], None]) -> None:
        self._tell = tell
        self._lock = threading.Lock()
        self._marks: list[tuple[float, float, float]] = []
        """World time, monotonic time and Unix time at which it began to run each time."""
        self._stood = 0.0

    def now(self) -> float:
        """Seconds of the match."""
        with self._lock:
            return self._now()

    def _now(self) -> float:
        if not self._marks or self._stood >= 0:
            return max(self._stood, 0.0)
        world, mono, _ = self._marks[-1]
        return world + time.monotonic() - mono

    def run(self) -> None:
        """Time passes from now on."""
        with self._lock:
            if self._stood >= 0:
                self._marks.append((self._stood, time.monotonic(), time.time()))
                self._stood = -1.0
        self._say()

    def stand(self) -> None:
        """Time stands still from now on."""
        with self._lock:
            self._stood = self._now()
        self._say()

    def wall(self, world: float) -> float:
        """The Unix time of a time of the match, s; of one that stood, of its end."""
        with self._lock:
            place = max(bisect.bisect_right([mark[0] for mark in self._marks], world) - 1, 0)
            began, _, wall = self._marks[place]
        return wall + world - began

    def _say(self) -> None:
        with self._lock:
            now, runs = self._now(), self._stood < 0
        self._tell({"world": now, "mono": time.monotonic(), "runs": runs})


@dataclass(slots=True)
class Press:
    """Something that a player pressed: in the box's words, when (Unix time, s), and whether the box was told that it
    was taken (`sure`), or was switched off before anybody answered.
    """

    words: str
    wall: float
    sure: bool = False


class PlayerBox:
    """A seat box with what was pressed on it.

    Args:
        folder: for the name of its port.
        seat: whose it is.
        rng: of its wire's noise.
    """

    def __init__(self, folder: Path, seat: int, rng: random.Random) -> None:
        self.seat = seat
        self.wire = Wire(folder / f"box{seat}", NOISE, rng)
        self.presses: list[Press] = []
        self.unmade = 0
        self.boots = 0
        self.device: Device | None = None
        self._lock = threading.Lock()
        self._sent: list[Press] = []
        self.switch_on()

    def switch_on(self) -> None:
        """As after a power cut: what it had kept is gone, its lines are counted anew."""
        with self._lock:
            self.boots += 1
            self._sent = []
            self.device = Device(self.wire, "seatbox", f"B{self.seat}", f"boot{self.boots}")

    def switch_off(self) -> None:
        """It says nothing any more, and what nobody has acknowledged is lost."""
        with self._lock:
            self._settle()
            self.device = None

    def press(self, words: str) -> None:
        """The player presses; a box that is off or full takes no press."""
        with self._lock:
            if self.device is None or self.device.waiting >= _ROOM:
                self.unmade += 1
                return
            self._sent.append(Press(words, time.time()))
            self.presses.append(self._sent[-1])
            self.device.say(words)

    def turn(self) -> None:
        """Let the device do what is due."""
        device = self.device
        if device is not None:
            device.turn(_TURN_S)
        with self._lock:
            self._settle()

    @property
    def waits(self) -> bool:
        """Whether something was not acknowledged yet."""
        return self.device is not None and self.device.waiting > 0

    def _settle(self) -> None:
        if self.device is not None:
            for press in self._sent[: len(self._sent) - self.device.waiting]:
                press.sure = True


class TableProcess:
    """`paizhuo run` as users run it, in a process of its own, started again as often as wanted.

    Args:
        file: the setup file.
        data: its data folder.
        key: where the seal key lies.
    """

    def __init__(self, file: Path, data: Path, key: Path) -> None:
        self._command = [
            sys.executable,
            "-m",
            "api.cli",
            "run",
            str(file),
            "--data",
            str(data),
            "--port",
            "0",
        ]
        self._environment = {**os.environ, "PAIZHUO_SEAL_KEY": str(key), "PAIZHUO_LANG": "en"}
        self.process: subprocess.Popen[bytes] | None = None
        self.printed: deque[str] = deque(maxlen=200)
        self.address = ""
        self.down = True
        """Whether its page has not answered yet since it was started."""

    def start(self) -> None:
        """Start it; `ready` tells when its page answers."""
        self.address = ""
        self.process = subprocess.Popen(
            self._command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env=self._environment
        )
        assert self.process.stdout is not None
        threading.Thread(target=self._read, args=(self.process.stdout,), daemon=True).start()

    def _read(self, pipe: IO[bytes]) -> None:
        for line in pipe:
            said = line.decode("utf-8", "replace").rstrip()
            self.printed.append(said)
            if not self.address and (found := re.search(r"http://[\d.:]+/", said)):
                self.address = found.group()

    @property
    def pid(self) -> int:
        """Of the process."""
        assert self.process is not None
        return self.process.pid

    @property
    def ended(self) -> bool:
        """Whether it has ended."""
        return self.process is None or self.process.poll() is not None

    def kill(self) -> None:
        """End it without a warning."""
        if self.process is not None:
            self.process.kill()
            self.process.wait()
            self.address, self.down = "", True

    def stop(self) -> None:
        """Ask it to end, and wait until it has."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(30)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()

    def ask(self, path: str, body: Mapping[str, Any] | None = None) -> Json | None:
        """What the page answers; None where nobody does.

        Raises:
            ValueError: the page refuses what it was told.
        """
        if not self.address:
            return None
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, {"content-type": "application/json"})
        try:
            with urllib.request.urlopen(request, timeout=_ASK_S) as answer:
                found = dict(json.load(answer))
                self.down = False
                return found
        except urllib.error.HTTPError as error:
            if 400 <= error.code < 500:
                raise ValueError(f"{path} {body}: {error.code} {error.read()[:300]!r}") from None
            return None
        except (OSError, ValueError):
            return None


@dataclass(slots=True)
class Players:
    """What happens round the table that no camera sees, at its time: boxes are pressed, the referee puts in what is his,
    the dealer deals.

    Attributes:
        inputs: events that no camera sees, in order, as JSON.
        hands: the hands of each deal, by its number: one list of cards for each seat.
        refused: what the page refused, one line each.
        dealt: deals that the dealer dealt.
    """

    clock: WorldClock
    table: TableProcess
    boxes: Sequence[PlayerBox]
    dealer: Device
    inputs: Sequence[Json]
    hands: Mapping[int, Sequence[Sequence[str]]]
    refused: list[str] = field(default_factory=list)
    dealt: int = 0
    _stopped: threading.Event = field(default_factory=threading.Event)
    _threads: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Begin."""
        for work in (self._play, self._turn):
            self._threads.append(threading.Thread(target=work, daemon=True))
            self._threads[-1].start()

    def stop(self) -> None:
        """No more presses; the boxes go on telling."""
        self._stopped.set()
        self._threads[0].join(60)

    def tell(self, event: Json) -> None:
        """The referee puts something in; the match waits until the table has taken it."""
        began = time.monotonic()
        while not self._stopped.is_set():
            try:
                answer = self.table.ask("api/v1/inputs", event)
            except ValueError as error:
                self.refused.append(str(error))
                break
            if answer is not None:
                break
            if time.monotonic() - began > 0.3:
                self.clock.stand()
            time.sleep(0.2)
        self.clock.run()

    def _play(self) -> None:
        for event in self.inputs:
            while (wait := event["at"] - self.clock.now()) > 0:
                if self._stopped.wait(min(wait, 0.2)):
                    return
            if event["source"] == "seatbox":
                words = {"pass": "PASS", "referee_called": "CALL"}.get(event["event"])
                self.boxes[event["seat"]].press(words or f"COUNT {event['count']}")
                continue
            plain = {key: value for key, value in event.items() if key not in ("at", "source", "seq")}
            if event["event"] == "match_started":
                continue  # the setup file says it
            self.tell(plain)
            if event["event"] == "deal_started" and event["deal"] in self.hands:
                self.dealt += 1
                threading.Thread(target=self._deal, args=(event["deal"],), daemon=True).start()

    def _deal(self, number: int) -> None:
        hands = self.hands[number]
        cards = [(str(i % 4), hands[i % 4][i // 4]) for i in range(4 * len(hands[0]))]
        deal(self.dealer, cards, pace=lambda: time.sleep(0.02))

    def _turn(self) -> None:
        # The boxes tell on after the match, until all of them have been heard.
        while True:
            for box in self.boxes:
                box.turn()
                if box.device is None:
                    time.sleep(_TURN_S)
