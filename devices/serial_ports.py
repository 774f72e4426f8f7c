"""Finds the serial ports of this machine and which of them a device of the table is: by what it is, not by its number."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from serial.tools import list_ports

from calibration.device_setup import DeviceSetup
from devices.words import Fault


@dataclass(frozen=True, slots=True)
class Port:
    """A serial port.

    Attributes:
        path: by which it is opened.
        usb: `VID:PID:SERIAL` of its adapter, without the serial number where it has none; empty for other ports.
        what: its maker's name for it.
    """

    path: str
    usb: str = ""
    what: str = ""


Ports = Callable[[], Iterable[Port]]


def ports() -> list[Port]:
    """The serial ports that are there now, USB adapters first."""
    found = []
    for one in list_ports.comports():
        usb = ""
        if one.vid is not None and one.pid is not None:
            usb = f"{one.vid:04X}:{one.pid:04X}" + (f":{one.serial_number}" if one.serial_number else "")
        what = one.product or one.description or ""
        found.append(Port(one.device, usb, "" if what == "n/a" else what))
    return sorted(found, key=lambda port: (not port.usb, port.path))


class NoPort(Fault):
    """The port of a device is not there, or cannot be told from another; one line."""


def port_of(device: DeviceSetup, there: Ports = ports) -> str:
    """The path or address of the port at which a device is now.

    Args:
        device: as the setup file names it.
        there: tells the ports of this machine.

    Raises:
        NoPort: no port is that device's, or several are.
    """
    if not device.usb:
        return device.port
    wanted = device.usb.upper()
    found = [
        port.path
        for port in there()
        if port.usb.upper() == wanted
        or (wanted.count(":") == 1 and port.usb.upper().startswith(f"{wanted}:"))
    ]
    if not found:
        raise NoPort("not_plugged_in", usb=device.usb)
    if len(found) > 1:
        raise NoPort("several", usb=device.usb, ports=", ".join(found))
    return found[0]
