"""Simulated seat boxes, shufflers and dealers: what a well-made device does, at the far end of a wire."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from devices.protocol import Framer, encode

WINDOW: Final = 16
"""Lines that a device keeps until they are acknowledged; it waits before it says more."""
BEAT_S: Final = 1.0
AGAIN_S: Final = 1.0


class AnyWire(Protocol):
    """What a device speaks on: `Wire`, or a stand-in for it."""

    def read(self, wait: float = 0.0) -> bytes:
        """What has come, after at most `wait` s."""
        ...

    def write(self, data: bytes) -> None:
        """Send bytes."""
        ...

    def close(self) -> None:
        """Let it go."""
        ...


class Device:
    """Speaks the protocol: keeps its lines until they are acknowledged, beats, tells again. No thread of its own.

    Args:
        wire: on which it speaks.
        kind: `seatbox`, `dealer`, `shuffler`.
        serial: its number.
        boot: differs each time that it is switched on.
        clock: milliseconds since it was switched on.
        version: of the protocol.
        seat: which seat its switch says; None for none.
        now: seconds of a clock that only runs forward.
    """

    def __init__(
        self,
        wire: AnyWire,
        kind: str,
        serial: str = "S0001",
        boot: str = "b1",
        clock: Callable[[], int] | None = None,
        version: str = "1",
        seat: int | None = None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        began = now()
        self.wire = wire
        self.kind = kind
        self.refused = ""
        self.told: list[str] = []
        """What the host said beyond the conversation itself: `LAMP …`, `BEEP …`, `START …`."""
        self._serial = serial
        self._boot = boot
        self._now = now
        self._clock = clock or (lambda: int((now() - began) * 1000))
        self._version = version
        self._seat = seat
        self._kept: list[tuple[int, int, str]] = []
        self._number = 0
        self._framer = Framer()
        self._beat_at = self._again_at = -1e9
        self._lock = threading.RLock()
        self._hello()

    @property
    def waiting(self) -> int:
        """Lines that are not acknowledged yet."""
        return len(self._kept)

    def say(self, words: str, ms: int | None = None) -> None:
        """Say something that is kept until it is acknowledged."""
        with self._lock:
            self._number += 1
            self._kept.append((self._number, self._clock() if ms is None else ms, words))
            self._send(*self._kept[-1])

    def turn(self, wait: float = 0.0) -> None:
        """Do what is due: listen, beat, tell again.

        Args:
            wait: s to wait for the host.
        """
        data = self.wire.read(wait)
        with self._lock:
            for body in self._framer.take(data):
                if body is not None:
                    self._obey(body.split())
            now = self._now()
            if now - self._beat_at >= BEAT_S:
                self._beat_at = now
                self._send(0, self._clock(), f"BEAT {self._number} {self._boot}")
            if self._kept and now - self._again_at >= AGAIN_S:
                self._again()

    def _obey(self, words: list[str]) -> None:
        match words:
            case ["WHO"]:
                self.refused = ""
                self._hello()
                self._again()
            case ["ACK", number, boot] if boot == self._boot:
                self._kept = [line for line in self._kept if line[0] > int(number)]
                self._again_at = self._now()
            case ["RESEND", number]:
                if self._kept and int(number) < self._kept[0][0]:
                    self._hello()
                self._again()
            case ["REFUSE", *why]:
                self.refused = " ".join(why)
            case ["ACK", *_]:
                # Of what it said before it was switched off.
                return
            case _:
                self.told.append(" ".join(words))

    def _hello(self) -> None:
        oldest = self._kept[0][0] if self._kept else self._number + 1
        seat = "" if self._seat is None else f" {self._seat}"
        words = f"HELLO {self._version} {self.kind} Simulated {self._serial} 1.0 {self._boot} {oldest}{seat}"
        self._send(0, self._clock(), words)

    def _again(self) -> None:
        self._again_at = self._now()
        for line in self._kept:
            self._send(*line)

    def _send(self, number: int, ms: int, words: str) -> None:
        self.wire.write(encode(f"{number} {ms} {words}"))


class Running:
    """A device that does what is due in a thread of its own, until it is stopped; use it as a context manager."""

    def __init__(self, device: Device) -> None:
        self.device = device
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"simulated {device.kind}", daemon=True)

    def __enter__(self) -> Device:
        self._thread.start()
        return self.device

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(timeout=3)
        self.device.wire.close()

    def _run(self) -> None:
        while not self._stopped.is_set():
            self.device.turn(0.02)


def deal(
    device: Device,
    hands: Sequence[tuple[str, str]],
    label: str = "",
    pace: Callable[[], None] = lambda: None,
) -> None:
    """Have a dealer deal.

    Args:
        device: a dealer that runs.
        hands: place and face of each card, in the order in which they are dealt.
        label: of the deal.
        pace: called before each card; waits as long as the machine takes for one.
    """
    device.say("SHUFFLE_START")
    device.say(f"SHUFFLE_DONE {len(hands)}")
    device.say(f"DEAL_START {len(hands)} {label}".rstrip())
    for index, (place, face) in enumerate(hands, 1):
        pace()
        _wait_for_room(device)
        device.say(f"CARD {index} {place} {face}")
    counts = [sum(place == which for place, _ in hands) for which in ("0", "1", "2", "3", "K")]
    _wait_for_room(device)
    device.say("DEAL_DONE " + " ".join(map(str, counts)))


def _wait_for_room(device: Device) -> None:
    """A device has little memory: it deals on when its lines were taken."""
    while device.waiting >= WINDOW:
        time.sleep(0.002)
