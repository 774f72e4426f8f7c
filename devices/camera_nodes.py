"""Finds a USB camera again wherever the system has put it: by the name of its plug, its USB number or its serial.

Linux numbers cameras in the order in which they appear, so a camera that was unplugged may come back as another
`/dev/video…`. What stays is its USB vendor and product, its serial where the maker gave it one, and the socket.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

_SYS: Final = "sys/class/video4linux"
_BY_ID: Final = "dev/v4l/by-id"
_BY_PATH: Final = "dev/v4l/by-path"


class NoSuchCamera(LookupError):
    """No camera, or more than one, is what is looked for: the key of a text of `devices_cameras`, and its fields."""

    def __init__(self, key: str, **fields: Any) -> None:
        super().__init__(key)
        self.key = key
        self.fields = fields


@dataclass(frozen=True, slots=True)
class CameraNode:
    """A camera that is plugged in.

    Attributes:
        node: its device file.
        name: as its maker calls it.
        usb: `vendor:product`, as four hexadecimal digits each; empty where it is not on USB.
        serial: the maker's; empty where there is none.
        by_id: its name in `/dev/v4l/by-id`: the same in every socket.
        by_path: its name in `/dev/v4l/by-path`: the socket.
    """

    node: str
    name: str = ""
    usb: str = ""
    serial: str = ""
    by_id: str = ""
    by_path: str = ""

    @property
    def shown(self) -> str:
        """How it is named to people."""
        words = [
            self.node,
            self.name,
            self.usb and f"usb:{self.usb}" + (f":{self.serial}" if self.serial else ""),
        ]
        return " ".join(word for word in words if word)

    def is_same_as(self, other: CameraNode) -> bool:
        """Whether these are one camera, as far as can be told."""
        if self.usb != other.usb or self.serial != other.serial:
            return False
        if self.usb and self.serial:
            return True
        return bool(self.by_path) and self.by_path == other.by_path


def cameras_here(root: Path = Path("/")) -> list[CameraNode]:
    """Every camera that is plugged in, in the order of their numbers.

    Args:
        root: where `dev` and `sys` lie.
    """
    by_id, by_path = _links(root, _BY_ID), _links(root, _BY_PATH)
    found = []
    folder = root / _SYS
    names = [path.name for path in folder.iterdir()] if folder.is_dir() else []
    for name in sorted(names, key=_number):
        # A camera has further nodes for data that are no pictures; the first is the one.
        if not name.startswith("video") or _read(folder / name / "index") not in ("", "0"):
            continue
        node = root / "dev" / name
        if not node.exists():
            continue
        vendor, product, serial = _usb(folder / name / "device")
        found.append(
            CameraNode(
                str(node),
                _read(folder / name / "name"),
                f"{vendor}:{product}" if vendor else "",
                serial,
                by_id.get(name, ""),
                by_path.get(name, ""),
            )
        )
    return found


def find_camera(device: object, known: CameraNode | None = None, root: Path = Path("/")) -> CameraNode:
    """The camera that a table file names, where it is now.

    Args:
        device: a number, a path (`/dev/video0`, `/dev/v4l/by-id/…`), `usb:046d:0825` or `usb:046d:0825:SERIAL`.
        known: the camera as it was found before: it is looked for first, wherever it is now.
        root: where `dev` and `sys` lie.

    Raises:
        NoSuchCamera: there is none, more than one, or another in its place.
    """
    here = cameras_here(root)
    if known is not None and (again := _again(known, here)) is not None:
        return again
    wanted = str(device)
    if wanted.startswith("usb:"):
        return _only(wanted, _by_usb(wanted, here), here)
    path = Path(f"/dev/video{wanted}" if wanted.isdigit() else wanted)
    there = root / path.relative_to("/") if path.is_absolute() else path
    if not there.exists():
        raise _missing(str(path), here)
    # Only the last link counts: a number of the system's is where all other names lead.
    target = there.resolve()
    found = next((one for one in here if Path(one.node).resolve() == target), CameraNode(str(there)))
    if known is not None and (known.usb or known.by_path):
        raise NoSuchCamera("another_camera", where=str(path), other=found.shown, known=known.shown)
    return found


def _again(known: CameraNode, here: Iterable[CameraNode]) -> CameraNode | None:
    """The camera that was known, if it is here now."""
    same = [one for one in here if known.is_same_as(one)]
    if same:
        return same[0]
    # Without a serial, and in another socket: it can only be the one of its kind, if there is one.
    alike = [
        one for one in here if known.usb and not known.serial and one.usb == known.usb and not one.serial
    ]
    return alike[0] if len(alike) == 1 else None


def _by_usb(wanted: str, here: Iterable[CameraNode]) -> list[CameraNode]:
    vendor, product, serial = (*wanted.split(":", 3)[1:], "", "", "")[:3]
    usb = f"{vendor}:{product}".lower()
    return [one for one in here if one.usb == usb and serial in ("", one.serial)]


def _only(wanted: str, fit: list[CameraNode], here: list[CameraNode]) -> CameraNode:
    if not fit:
        raise _missing(wanted, here)
    if len(fit) > 1:
        paths = ", ".join(f"/{_BY_PATH}/{one.by_path}" if one.by_path else one.node for one in fit)
        raise NoSuchCamera("which_camera", where=wanted, count=len(fit), here=paths)
    return fit[0]


def _missing(where: str, here: list[CameraNode]) -> NoSuchCamera:
    if not here:
        return NoSuchCamera("no_camera_at_all", where=where)
    return NoSuchCamera("other_cameras", where=where, here=", ".join(one.shown for one in here))


def _usb(device: Path) -> tuple[str, str, str]:
    """Vendor, product and serial of the USB device above a node's interface."""
    try:
        folder = device.resolve(strict=True)
    except OSError:
        return "", "", ""
    for place in (folder, *folder.parents[:3]):
        if (place / "idVendor").is_file():
            return _read(place / "idVendor"), _read(place / "idProduct"), _read(place / "serial")
    return "", "", ""


def _links(root: Path, folder: str) -> dict[str, str]:
    """Node (`video0`) to the name that leads to it."""
    place = root / folder
    if not place.is_dir():
        return {}
    return {link.resolve().name: link.name for link in sorted(place.iterdir(), reverse=True)}


def _read(path: Path) -> str:
    try:
        return path.read_text("utf-8", "replace").strip()
    except OSError:
        return ""


def _number(name: str) -> tuple[int, str]:
    digits = re.search(r"\d+$", name)
    return (int(digits[0]) if digits else -1), name
