"""The conversation with one device: who it is, whether it is listened to, what it said kept before it is thanked."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace

from calibration.device_setup import DeviceSetup
from devices.health import SILENT_S, DeviceHealth, of_version
from devices.protocol import VERSION, Hello, Receiver, Said
from devices.words import NOTHING, Fault, Words, words


class CannotKeep(Fault):
    """What a device said cannot be put on disk; one line that says why and what to do."""


class DeviceTalk:
    """What all devices have in common; fulfils `serial_link.Talk`.

    Args:
        device: as the setup file names it.
        last_of: see `protocol.Receiver`.
        now: the clock by which it is told when something happened; None while it has not begun.
        clock: seconds of a clock that only runs forward.
    """

    def __init__(
        self,
        device: DeviceSetup,
        last_of: Callable[[str, str], int | None],
        now: Callable[[], float | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.device = device
        self.receiver = Receiver(last_of, self._judged)
        self.why: Words = NOTHING
        self.note: Words = NOTHING
        self._now = now
        self._clock = clock
        self._unbegun = True
        self._heard_at = self._opened_at = -1e9
        self._health = DeviceHealth(device.name, device.kind)

    def accept(self, hello: Hello) -> str:
        """Whether a device of the right kind and version is listened to.

        Returns:
            One word for the device that says why not (`why` says it for people), or empty.
        """
        return ""

    def keep(self, said: list[Said], now: float | None) -> Callable[[], None] | None:
        """Put on disk what the device said.

        Args:
            said: in order, each line once.
            now: s of the clock; None while it has not begun.

        Returns:
            What is to be done once the device will be thanked.

        Raises:
            CannotKeep: nothing of it counts as taken; the device tells it again.
        """
        raise NotImplementedError

    def opened(self, port: str) -> None:
        """See `Talk`."""
        self._health.port = port
        self._opened_at = self._clock()
        self.receiver.opened()

    def take(self, data: bytes) -> None:
        """See `Talk`."""
        now = self._now()
        if (now is None) is not self._unbegun:
            # Until now the device's clock was compared with another one.
            self._unbegun = now is None
            self.receiver.clock.reset()
        heard = self.receiver.heard
        said = self.receiver.take(data, self._clock() if now is None else now)
        if self.receiver.heard > heard:
            self._heard_at = self._clock()
        if not said:
            return
        try:
            then = self.keep(said, now)
        except CannotKeep as error:
            self.receiver.again()
            self.why = error.reason
            return
        self.why = NOTHING
        self.receiver.confirm()
        if then is not None:
            then()

    def due(self) -> bytes:
        """See `Talk`."""
        now = self._clock()
        if self.receiver.refused == "seat" and now - self._opened_at > SILENT_S:
            # Perhaps the other box is gone by now.
            self._opened_at = now
            self.receiver.opened()
        return self.receiver.due(now)

    def alive(self) -> bool:
        """Whether the device said something of late."""
        return self._clock() - self._heard_at < SILENT_S

    def health(self, link_why: Words, reopened: int) -> DeviceHealth:
        """How the device does.

        Args:
            link_why: what is wrong with its port.
            reopened: how often that came back.
        """
        found = replace(self._health, reopened=max(reopened, 0), note=self.note, reason=link_why or self.why)
        found.introduced(self.receiver.hello)
        found.counted(self.receiver.counts)
        waited = self._clock() - max(self._heard_at, self._opened_at)
        if found.reason or waited <= SILENT_S:
            return found
        if self.receiver.hello is None:
            found.reason = words("not_understood")
        else:
            found.reason = words("silent", seconds=round(waited))
        return found

    def _judged(self, hello: Hello) -> str:
        self.why, self.note = of_version(hello, VERSION)
        if self.why:
            return "version"
        if hello.kind != self.device.kind:
            self.why = words("other_kind", kind=hello.kind[:16], wanted=self.device.kind)
            return "kind"
        return self.accept(hello)
