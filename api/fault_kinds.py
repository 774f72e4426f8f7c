"""The faults of `paizhuo bench faults`: what each does to cameras, devices and the table process, and what must be told."""

from __future__ import annotations

import fcntl
import json
import os
import random
import re
import resource
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from api.fault_health import Fault, HealthWatch
from api.fault_world import NOISE, Json, PlayerBox, TableProcess
from devices.simulator.serial_wire import Noise, Wire
from table.texts import text

KILLED: Final = "table process killed"
FULL: Final = "no file can be written"
Steps = Iterator[None]
"""A fault as it goes on: asked again many times a second until it is over."""
_LIMIT_S: Final = 30.0
"""Until then health must have told. (How soon it does on an idle machine is measured by `paizhuo bench cameras`.)"""
_HEAL_S: Final = 60.0
_RUBBISH: Final = Noise(damaged=1.0)


@dataclass(slots=True)
class Stagehand:
    """Brings faults, one after the other for each lane.

    Attributes:
        nodes: of the cameras: the folder where their device files lie, and their names.
        scale: px on the picture to a mm on the table.
        faults: those that came so far.
    """

    health: HealthWatch
    table: TableProcess
    boxes: Sequence[PlayerBox]
    dealer: Wire
    folder: Path
    cameras: Sequence[str]
    scale: float
    rng: random.Random
    faults: list[Fault] = field(default_factory=list)
    busy: set[str] = field(default_factory=set)
    _nodes: int = 0

    # Lanes.

    def lane(self, kinds: Sequence[str], gap: tuple[float, float], until: float) -> Steps:
        """Faults of these kinds, each as often as the others, in random order, until a time (s, monotonic)."""
        bag: list[str] = []
        while True:
            begins = time.monotonic() + self.rng.uniform(*gap)
            while time.monotonic() < begins:
                if time.monotonic() > until:
                    return
                yield
            if not bag:
                bag = self.rng.sample(list(kinds), len(kinds))
            yield from _KINDS[bag.pop()](self)

    def camera_ready(self, camera: int) -> None:
        """A camera works as it should."""
        self.order(camera, do="give")

    def order(self, camera: int, **what: Any) -> None:
        """What a camera does from now on."""
        node = (self.folder / f"camera{camera}").resolve()
        unfinished = node.with_suffix(".new")
        unfinished.write_text(json.dumps(what))
        unfinished.replace(node)

    def plug_in(self, camera: int) -> None:
        """A camera appears as a new device node."""
        self._nodes += 1
        node = self.folder / f"video{self._nodes}"
        node.write_text('{"do": "give"}')
        link = self.folder / f"camera{camera}.new"
        link.unlink(missing_ok=True)
        link.symlink_to(node)
        link.replace(self.folder / f"camera{camera}")

    # What goes on while a fault lasts.

    def last(
        self,
        fault: Fault,
        told: Callable[[], str],
        limit: float,
        least: float,
    ) -> Steps:
        """Wait until the page tells of a fault, and for as long as it is to last at least.

        Args:
            fault: noted from now on.
            told: the reason that the page gives now; empty while it gives none that fits.
            limit: s after which it counts as not found.
            least: s that it lasts, found or not.
        """
        self.faults.append(fault)
        since, killed = fault.began, fault.kind == KILLED
        while True:
            now = time.monotonic()
            if self.table.down and not killed:
                fault.masked, since = True, now
            if fault.found is None and self.health.at > since and (why := told()):
                fault.found, fault.why = now - since, why
            over = now - since
            if over >= least and (fault.found is not None or over >= limit):
                return
            yield

    def heal(self, fault: Fault, ill: Callable[[], object], limit: float = _HEAL_S) -> Steps:
        """Wait until the page tells nothing of it any more, at most `limit` s."""
        ended = time.monotonic()
        while time.monotonic() - ended < limit:
            if self.table.down:
                ended = time.monotonic()
            if self.health.part is not None and self.health.at > ended and not ill():
                fault.healed = time.monotonic() - ended
                return
            yield

    def reason(self, group: str, name: str, *keys: str) -> Callable[[], str]:
        """The reason that the page gives for a camera or device, where it is one of these keys of the catalogue."""
        area = "devices_cameras" if group == "cameras" else "devices_serial"
        shapes = [_shape(f"{area}.{key}") for key in keys]

        def told() -> str:
            why = str(self.health.of(group, name).get("why", ""))
            return why if any(shape.search(why) for shape in shapes) else ""

        return told


def _wait(seconds: float) -> Steps:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        yield


def _shape(key: str) -> re.Pattern[str]:
    """A text of the catalogue whatever its fields are."""
    fields = ("seconds", "where", "how", "fps", "wanted", "port", "error", "here", "given", "usb", "count")
    whole = text(key, "en", **dict.fromkeys(fields, "\0"))
    return re.compile(".*".join(re.escape(part) for part in whole.split("\0")))


# Cameras.


def _ordered(
    kind: str, what: Json, keys: tuple[str, ...], least: float = 4.0
) -> Callable[[Stagehand], Steps]:
    """A fault that the camera's own process has."""

    def strike(hand: Stagehand) -> Steps:
        camera = hand.rng.randrange(len(hand.cameras))
        name = hand.cameras[camera]
        order = dict(what)
        if kind == "camera dies":
            order["signal"] = hand.rng.choice((signal.SIGSEGV, signal.SIGKILL))
        hand.order(camera, **order)
        fault = Fault(kind, name, time.monotonic())
        yield from hand.last(fault, hand.reason("cameras", name, *keys), _LIMIT_S, least)
        hand.camera_ready(camera)
        yield from hand.heal(fault, lambda: hand.health.of("cameras", name).get("why"))

    return strike


def _new_node(hand: Stagehand) -> Steps:
    camera = hand.rng.randrange(len(hand.cameras))
    name = hand.cameras[camera]
    (hand.folder / f"camera{camera}").resolve().unlink()
    fault = Fault("camera comes back as another node", name, time.monotonic())
    keys = ("gone", "no_such_camera", "no_camera_at_all", "other_cameras")
    yield from hand.last(fault, hand.reason("cameras", name, *keys), _LIMIT_S, hand.rng.uniform(2.0, 8.0))
    hand.plug_in(camera)
    yield from hand.heal(fault, lambda: hand.health.of("cameras", name).get("why"))


def _dark(hand: Stagehand) -> Steps:
    camera = hand.rng.randrange(len(hand.cameras))
    hand.order(camera, do="give", dim=24)
    fault = Fault("camera dark", hand.cameras[camera], time.monotonic())

    def told() -> str:
        return " ".join(why for why in (hand.health.part or {}).get("blind", {}).values() if "dark" in why)

    yield from hand.last(fault, told, _LIMIT_S, hand.rng.uniform(4.0, 8.0))
    hand.camera_ready(camera)
    yield from hand.heal(fault, told)


def _knocked(hand: Stagehand) -> Steps:
    camera = hand.rng.randrange(len(hand.cameras))
    name = hand.cameras[camera]
    mm = hand.rng.choice((3.0, 6.0, 10.0, 20.0))
    hand.order(camera, do="give", shift=[0.8 * mm * hand.scale, -0.6 * mm * hand.scale])
    fault = Fault("camera knocked", f"{name} {mm:g} mm", time.monotonic())

    def told() -> str:
        place = hand.health.of("cameras", name).get("place") or {}
        blind = [why for why in (hand.health.part or {}).get("blind", {}).values() if why == "knocked"]
        moved = place.get("state") in ("warn", "moved")
        return f"{place['state']} {place['mm']}" if moved else " ".join(blind)

    # Tags are only measured while nothing moves before the camera, every few seconds.
    yield from hand.last(fault, told, 4 * _LIMIT_S, 5.0)
    hand.camera_ready(camera)
    yield from hand.heal(fault, told, 2 * _HEAL_S)


# Devices.


def _port(hand: Stagehand) -> tuple[str, Wire]:
    """A device at random: one of the boxes, or the dealer."""
    place = hand.rng.randrange(len(hand.boxes) + 1)
    if place == len(hand.boxes):
        return "dealer", hand.dealer
    return f"box {place}", hand.boxes[place].wire


def _unplugged(hand: Stagehand) -> Steps:
    name, wire = _port(hand)
    wire.unplug()
    fault = Fault("device unplugged", name, time.monotonic())
    told = hand.reason("devices", name, "unplugged", "not_there")
    yield from hand.last(fault, told, _LIMIT_S, hand.rng.uniform(1.0, 8.0))
    wire.plug()
    yield from hand.heal(fault, lambda: hand.health.of("devices", name).get("why"))


def _rubbish(hand: Stagehand) -> Steps:
    name, wire = _port(hand)
    wire.noise = _RUBBISH
    fault = Fault("device talks rubbish", name, time.monotonic())
    stop = time.monotonic()
    told = hand.reason("devices", name, "silent", "not_understood")
    for _ in hand.last(fault, told, _LIMIT_S, hand.rng.uniform(5.0, 10.0)):
        if time.monotonic() > stop:
            stop = time.monotonic() + 0.2
            wire.write(hand.rng.randbytes(300))
        yield
    wire.noise = NOISE
    yield from hand.heal(fault, lambda: hand.health.of("devices", name).get("why"))


def _busy(hand: Stagehand) -> Steps:
    name, wire = _port(hand)
    wire.unplug()
    yield from _wait(1.0)
    wire.plug()
    held: IO[bytes] | None = None
    # Another program was quicker; where it was not, the port was only unplugged for a moment.
    try:
        held = os.fdopen(os.open(wire.path, os.O_RDWR | os.O_NOCTTY), "r+b", buffering=0)
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        if held is not None:
            held.close()
        return
    fault = Fault("port is busy", name, time.monotonic())
    yield from hand.last(fault, hand.reason("devices", name, "busy"), _LIMIT_S, hand.rng.uniform(2.0, 6.0))
    held.close()
    yield from hand.heal(fault, lambda: hand.health.of("devices", name).get("why"))


def _switched_off(hand: Stagehand) -> Steps:
    box = hand.rng.choice(list(hand.boxes))
    name = f"box {box.seat}"
    box.switch_off()
    fault = Fault("device switched off", name, time.monotonic())
    told = hand.reason("devices", name, "silent", "not_understood")
    yield from hand.last(fault, told, _LIMIT_S, hand.rng.uniform(1.0, 8.0))
    box.switch_on()
    yield from hand.heal(fault, lambda: hand.health.of("devices", name).get("why"))


# The table process.


def _killed(hand: Stagehand) -> Steps:
    hand.table.kill()
    hand.health.part = None
    fault = Fault(KILLED, "table", time.monotonic())
    hand.table.start()

    def told() -> str:
        return "answers again" if hand.health.part is not None else ""

    yield from hand.last(fault, told, 60.0, 1.0)
    fault.healed = 0.0 if fault.found is not None else None


def _disk_full(hand: Stagehand) -> Steps:
    if not hasattr(resource, "prlimit"):
        return
    _, hard = resource.prlimit(hand.table.pid, resource.RLIMIT_FSIZE)
    resource.prlimit(hand.table.pid, resource.RLIMIT_FSIZE, (0, hard))
    fault = Fault(FULL, "table", time.monotonic())

    def told() -> str:
        part = hand.health.part or {}
        full = [one for one in part.get("troubles", []) if "nothing can be recorded" in one]
        kept = [one["why"] for one in part.get("devices", []) if "cannot be kept" in one["why"]]
        return " ".join([*full, *kept])

    yield from hand.last(fault, told, 40.0, hand.rng.uniform(3.0, 8.0))
    if not hand.table.ended:
        resource.prlimit(hand.table.pid, resource.RLIMIT_FSIZE, (hard, hard))
    yield from hand.heal(fault, told)


_CAMERA: Final[dict[str, Callable[[Stagehand], Steps]]] = {
    "camera hangs": _ordered("camera hangs", {"do": "hang"}, ("hangs", "open_hangs")),
    "camera hangs, lock held": _ordered(
        "camera hangs, lock held", {"do": "hang_hard"}, ("hangs", "open_hangs")
    ),
    "camera dies": _ordered("camera dies", {"do": "die"}, ("died",), 0.5),
    "camera repeats": _ordered("camera repeats", {"do": "repeat"}, ("repeats",)),
    "camera sends noise": _ordered("camera sends noise", {"do": "noise"}, ("garbage",)),
    "camera at 3 fps": _ordered("camera at 3 fps", {"do": "give", "fps": 3}, ("slow", "slow_reopened")),
    "camera comes back as another node": _new_node,
    "camera dark": _dark,
    "camera knocked": _knocked,
}
_DEVICE: Final[dict[str, Callable[[Stagehand], Steps]]] = {
    "device unplugged": _unplugged,
    "device talks rubbish": _rubbish,
    "port is busy": _busy,
    "device switched off": _switched_off,
}
_PROCESS: Final[dict[str, Callable[[Stagehand], Steps]]] = {
    KILLED: _killed,
    FULL: _disk_full,
}
_KINDS: Final = {**_CAMERA, **_DEVICE, **_PROCESS}
CAMERA: Final = tuple(_CAMERA)
DEVICE: Final = tuple(_DEVICE)
PROCESS: Final = tuple(_PROCESS)
KINDS: Final = tuple(_KINDS)
