"""One owner for each serial port: opens it, reads and writes, and opens it again, each time later, when it was lost."""

from __future__ import annotations

import errno
import threading
import time
from collections.abc import Callable
from typing import Final, Protocol

import serial

from calibration.device_setup import DeviceSetup
from devices.serial_ports import NoPort, Ports, port_of, ports
from devices.words import NOTHING, Fault, Words, words

READ_S: Final = 0.1
"""A read waits so long for the first byte: what is due to be sent waits no longer either."""
FIRST_WAIT_S: Final = 0.5
LONGEST_WAIT_S: Final = 10.0
_CHUNK: Final = 4096
_GATHER_S: Final = 0.003
_WRITE_S: Final = 1.0


class LinkLost(Fault):
    """The port cannot be opened, or is gone; the message is one line."""


class SerialLink(Protocol):
    """An open port, read and written by one thread."""

    def read(self) -> bytes:
        """What has come, after `READ_S` at the latest; empty where nothing has.

        Raises:
            LinkLost: the port is gone.
        """
        ...

    def write(self, data: bytes) -> None:
        """Send all of it.

        Raises:
            LinkLost: the port is gone or takes nothing any more.
        """
        ...

    def close(self) -> None:
        """Let the port go."""
        ...


class PortLink:
    """A port through pyserial: a device file, a pseudo terminal, or an address such as `socket://host:port`.

    Args:
        port: path or address.
        baud: bits a second; eight bits, no parity, one stop bit.

    Raises:
        LinkLost: it cannot be opened; the message says why and what to do.
    """

    def __init__(self, port: str, baud: int) -> None:
        self._port = port
        try:
            # One owner: two readers of one port would each get half of what comes.
            self._serial = serial.serial_for_url(
                port, baudrate=baud, timeout=READ_S, write_timeout=_WRITE_S, exclusive=True
            )
        except (OSError, ValueError) as error:
            raise LinkLost(_why(error), port=port) from None

    def read(self) -> bytes:
        """See `SerialLink`."""
        try:
            data: bytes = self._serial.read(1)
            if data:
                # A few bytes at a time would cost a turn each.
                time.sleep(_GATHER_S)
                data += self._serial.read(min(self._serial.in_waiting, _CHUNK))
        except (OSError, TypeError) as error:
            raise LinkLost(_why(error), port=self._port) from None
        return data

    def write(self, data: bytes) -> None:
        """See `SerialLink`."""
        try:
            self._serial.write(data)
        except (OSError, TypeError) as error:
            raise LinkLost(_why(error), port=self._port) from None

    def close(self) -> None:
        """See `SerialLink`."""
        try:
            self._serial.close()
        except OSError:
            return


def _why(error: Exception) -> str:
    """What is wrong with a port: a key of the catalogue."""
    number = getattr(error, "errno", None)
    said = str(error)
    if "exclusively lock" in said or number in (errno.EBUSY, errno.EAGAIN):
        return "busy"
    if number in (errno.ENOENT, errno.ENODEV, errno.ENXIO) or "No such file" in said:
        return "not_there"
    if number in (errno.EACCES, errno.EPERM):
        return "no_rights"
    if isinstance(error, serial.SerialTimeoutException):
        return "stuck"
    if isinstance(error, ValueError):
        return "no_port"
    return "unplugged"


class Talk(Protocol):
    """What is done with one device's port while it is open; called by one thread only."""

    def opened(self, port: str) -> None:
        """The port was opened, for the first time or again."""
        ...

    def take(self, data: bytes) -> None:
        """These bytes came."""
        ...

    def due(self) -> bytes:
        """What is to be sent now; asked after every read."""
        ...

    def alive(self) -> bool:
        """Whether the device talks sense: then the port is opened again at once when it is lost."""
        ...


class DeviceLink:
    """Keeps one device's port open, in a thread of its own, as long as it is not stopped.

    Args:
        device: as the setup file names it.
        talk: with what comes.
        there: tells the ports of this machine.
        open_: opens a port.
        clock: seconds of a clock that only runs forward.

    Attributes:
        why: what is wrong with the port; nothing while it is open.
        port: where the device is now; empty where it is not known.
        reopened: how often the port was opened again after it was lost.
    """

    def __init__(
        self,
        device: DeviceSetup,
        talk: Talk,
        *,
        there: Ports = ports,
        open_: Callable[[str, int], SerialLink] = PortLink,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.device = device
        self.why: Words = words("not_opened")
        self.port = ""
        self.reopened = -1
        self._talk = talk
        self._there = there
        self._open = open_
        self._clock = clock
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"device {device.name}", daemon=True)

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """Let the port go for good."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join(timeout=3)

    def _run(self) -> None:
        wait = FIRST_WAIT_S
        while not self._stopped.is_set():
            try:
                self.port = port_of(self.device, self._there)
                link = self._open(self.port, self.device.baud)
            except (LinkLost, NoPort) as error:
                self.why = error.reason
            else:
                self.why = NOTHING
                self.reopened += 1
                self._serve(link)
                if self._talk.alive():
                    wait = FIRST_WAIT_S
            self._stopped.wait(wait)
            wait = min(wait * 2, LONGEST_WAIT_S)

    def _serve(self, link: SerialLink) -> None:
        """Talk until the port is lost."""
        self._talk.opened(self.port)
        try:
            while not self._stopped.is_set():
                data = link.read()
                if data:
                    self._talk.take(data)
                due = self._talk.due()
                if due:
                    link.write(due)
        except LinkLost as error:
            self.why = error.reason
        except Exception as error:
            # Whatever a device makes go wrong here must not take the table with it; what it said stays untold.
            self.why = words("fault", error=type(error).__name__)
        finally:
            link.close()
