"""What cameras and devices of a running table lack, told in the terminal in one line when it has lasted."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Final

from api.feeds import Health
from devices.health import DeviceHealth

_LOOK_S: Final = 0.5
_LASTS_S: Final = 2.0
"""What is over so soon is not worth a line: a camera that opens, a box that says hello."""


class Lacks:
    """Called again and again, it tells each thing that is wrong once, and again when it is another.

    Args:
        cameras: how they do now.
        devices: how they do now.
        lang: `zh` or `en`.
        out: takes each line.
        clock: seconds of a clock that only runs forward.

    Attributes:
        told: the lines that were told.
    """

    def __init__(
        self,
        cameras: Callable[[], Iterable[Health]],
        devices: Callable[[], Iterable[DeviceHealth]],
        lang: str,
        out: Callable[[str], None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.told: list[str] = []
        self._cameras, self._devices = cameras, devices
        self._lang, self._out, self._clock = lang, out, clock
        self._since: dict[str, tuple[str, float]] = {}
        self._said: dict[str, str] = {}
        self._looked_at = -1e9

    def __call__(self) -> None:
        """Tell what has been wrong for two seconds and was not told yet."""
        now = self._clock()
        if now - self._looked_at < _LOOK_S:
            return
        self._looked_at = now
        wrong = {one.name: one.why for one in self._cameras() if one.why}
        wrong |= {line.partition(":")[0]: line for line in device_lines(self._devices(), self._lang)}
        self._since = {
            name: self._since[name] if self._since.get(name, ("",))[0] == why else (why, now)
            for name, why in wrong.items()
        }
        # Well again and then wrong in the same way is told again.
        self._said = {name: why for name, why in self._said.items() if name in wrong}
        for name, (why, since) in self._since.items():
            if now - since >= _LASTS_S and self._said.get(name) != why:
                self._said[name] = why
                self.told.append(why)
                self._out(why)


def device_lines(devices: Iterable[DeviceHealth], lang: str) -> list[str]:
    """What is wrong with devices and what to do, one line each."""
    return [f"{one.name}: {one.reason.get(lang) or one.why}" for one in devices if one.why]
