"""Says whether this machine can run a table: what was looked at, what was found, what to change.

Every check gives one or more findings; a check that itself fails is a finding too, never the end of the examination.
"""

from __future__ import annotations

import ctypes
import ctypes.util
import fcntl
import os
import platform
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
import psutil

from calibration.device_setup import DeviceSetup
from calibration.setup import TableSetup
from devices.serial_ports import NoPort, Ports, port_of, ports
from table.events import UnknownEvent
from table.journal import BrokenJournal, Journal
from table.texts import both
from vision.card_reader import CardReader
from vision.weights import BadWeights, load_weights

FIT: Final = "fit"
WARN: Final = "warn"
UNFIT: Final = "unfit"
NOTE: Final = "note"
"""Nothing to judge: something to know."""
ZONE_MS: Final = 60.0
_ZONE: Final = (600, 900, 3)
_PATCHES: Final = 30
_JUMP_S: Final = 0.05
_TIME_ERROR: Final = 5
"""What adjtimex says when nobody keeps the clock right."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that was looked at.

    Attributes:
        area: `machine`, `table`, `cameras`, `ports`, `models`, `clock` or `disk`.
        level: `fit`, `warn` (usable, better changed), `unfit`, or `note`.
        key: of its text in `doctor`, or of another catalogue where it has an area.
        words: in both languages: what was found and, where something is amiss, what to do.
        values: the numbers in it, for programs.
    """

    area: str
    level: str
    key: str
    words: dict[str, str]
    values: dict[str, Any] = field(default_factory=dict)


def finding(area: str, level: str, key: str, **fields: Any) -> Finding:
    """A finding with the text `doctor.KEY`."""
    return Finding(area, level, key, both(f"doctor.{key}", **fields), fields)


def exit_status(found: list[Finding]) -> int:
    """0 fit; 1 usable, with something to change; 2 unfit."""
    levels = {one.level for one in found}
    return 2 if UNFIT in levels else 1 if WARN in levels else 0


def guarded(area: str, check: Callable[[], Iterator[Finding]]) -> Iterator[Finding]:
    """The findings of a check; what goes wrong in it is one as well."""
    try:
        yield from check()
    except Exception as error:
        yield finding(area, WARN, "check_failed", what=area, error=f"{type(error).__name__}: {error}")


def machine() -> Iterator[Finding]:
    """Cores, memory, load, Python and the libraries that OpenCV needs."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    yield finding("machine", FIT if cores >= 2 else WARN, "cores" if cores >= 2 else "few_cores", cores=cores)
    memory = psutil.virtual_memory()
    total, free = round(memory.total / 2**20), round(memory.available / 2**20)
    level, key = (
        (UNFIT, "no_memory") if free < 800 else (WARN, "little_memory") if free < 1500 else (FIT, "memory")
    )
    yield finding("machine", level, key, free=free, total=total)
    load = psutil.getloadavg()[0] / cores
    if load > 1.0:
        yield finding("machine", WARN, "busy", load=round(load, 1))
    yield finding(
        "machine", FIT, "python", version=platform.python_version(), system=platform.platform(terse=True)
    )
    if sys.platform == "linux":
        missing = [name for name in ("GL", "glib-2.0") if ctypes.util.find_library(name) is None]
        level, key = (WARN, "no_libraries") if missing else (FIT, "libraries")
        yield finding("machine", level, key, missing=", ".join(f"lib{name}" for name in missing))


def models() -> Iterator[Finding]:
    """The weights by their hashes, and how long one zone takes."""
    try:
        weights = load_weights()
    except BadWeights as error:
        yield finding("models", UNFIT, "weights_bad", error=error)
        return
    megabytes = round((len(weights.finder) + len(weights.reader)) / 2**20, 1)
    yield finding("models", FIT, "weights", megabytes=megabytes)
    reader = CardReader.open()
    milliseconds = zone_ms(reader)
    level, key = (FIT, "zone_time") if milliseconds <= ZONE_MS else (WARN, "zone_slow")
    if milliseconds > 5 * ZONE_MS:
        level = UNFIT
    yield finding("models", level, key, ms=round(milliseconds), limit=round(ZONE_MS))


def zone_ms(reader: CardReader, repeats: int = 7) -> float:
    """Time of one zone of 450x300 mm with as many indices as twenty cards show, ms: the best of some.

    The cards are not there: finding costs the same in any picture, reading by the number of patches. The best, since
    this is about the machine; what else runs on it just now is told apart.
    """
    random = np.random.default_rng(1)
    zone = random.integers(60, 120, _ZONE, np.uint8)
    patches = np.zeros((_PATCHES, 56, 40, 3), np.uint8)
    times = []
    for _ in range(repeats + 1):
        began = time.perf_counter()
        reader.finder.find([zone], 0.15)
        reader.reader.log_probs(patches)
        times.append((time.perf_counter() - began) * 1000)
    return min(times[1:])


def clock(seconds: float = 0.5) -> Iterator[Finding]:
    """Whether the machine's time is kept right, and whether it jumps against the clock that only runs forward.

    Args:
        seconds: how long the two are compared.
    """
    mono, wall = time.monotonic(), time.time()
    time.sleep(seconds)
    off = (time.time() - wall) - (time.monotonic() - mono)
    level, key = (FIT, "clock_even") if abs(off) < _JUMP_S else (WARN, "clock_jumps")
    yield finding("clock", level, key, ms=round(off * 1000, 1))
    kept = clock_is_kept()
    if kept is None:
        yield finding("clock", NOTE, "clock_unknown")
    else:
        yield finding("clock", FIT if kept else WARN, "clock_kept" if kept else "clock_free")


def clock_is_kept() -> bool | None:
    """Whether the kernel knows that somebody (chrony, ntpd, systemd-timesyncd) keeps its clock right; None: unknown."""
    if sys.platform != "linux" or sys.maxsize < 2**32:
        return None
    try:
        state = ctypes.CDLL(None, use_errno=True).adjtimex(ctypes.create_string_buffer(512))
    except (OSError, AttributeError):
        return None
    return None if state < 0 else bool(state != _TIME_ERROR)


def disk(folder: Path) -> Iterator[Finding]:
    """Room on the disk of a data folder, and how fast the journal writes there.

    Args:
        folder: it need not exist yet.
    """
    place = folder
    while not place.exists() and place != place.parent:
        place = place.parent
    if _held(folder / ".lock"):
        yield finding("disk", NOTE, "table_runs", folder=folder)
    free = round(shutil.disk_usage(place).free / 1e9, 1)
    level, key = (UNFIT, "disk_full") if free < 1 else (WARN, "disk_low") if free < 10 else (FIT, "disk_free")
    yield finding("disk", level, key, folder=folder, free=free)
    try:
        milliseconds = journal_ms(place)
    except (OSError, BrokenJournal) as error:
        yield finding(
            "disk", UNFIT, "disk_read_only", folder=place, error=getattr(error, "strerror", None) or error
        )
        return
    slow = milliseconds > 30
    yield finding(
        "disk", WARN if slow else FIT, "journal_slow" if slow else "journal_fast", ms=round(milliseconds, 1)
    )


def _held(path: Path) -> bool:
    """Whether a running table holds its data folder (`api.runner.lock_folder`)."""
    try:
        with path.open("r+") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def journal_ms(folder: Path, events: int = 40) -> float:
    """Median time of an event into a journal on that disk, written through to it, ms.

    Raises:
        OSError: nothing can be written there.
    """
    times = []
    with (
        tempfile.TemporaryDirectory(prefix=".paizhuo-doctor-", dir=folder) as place,
        Journal(Path(place) / "journal.sqlite") as journal,
    ):
        for _ in range(events):
            began = time.perf_counter()
            journal.append(UnknownEvent(kind="doctor"))
            times.append((time.perf_counter() - began) * 1000)
    return statistics.median(times)


def serial(setup: TableSetup | None, there: Ports = ports) -> Iterator[Finding]:
    """The serial ports of this machine, and those of the table's devices: there, allowed, and not in use.

    Args:
        setup: of the table; None: the ports alone.
        there: tells the ports.
    """
    devices = setup.devices if setup is not None else ()
    wanted = {name for name in map(_port_path, devices) if name}
    spare = [port for port in there() if port.path not in wanted and port.usb]
    for port in spare:
        yield finding("ports", NOTE, "port", port=port.path, what=f"{port.what} usb:{port.usb}".strip())
    for device in devices:
        yield _port_of_device(device, there)
    if setup is not None and not devices:
        yield finding("ports", NOTE, "no_devices")
    elif not spare and not devices:
        yield finding("ports", NOTE, "no_ports")


def _port_of_device(device: DeviceSetup, there: Ports) -> Finding:
    if device.kind == "deal-folder":
        known = Path(device.port).is_dir()
        return finding("ports", FIT if known else WARN, "folder" if known else "no_folder", name=device.name,
                       port=device.port)  # fmt: skip
    try:
        path = port_of(device, there)
    except NoPort as error:
        what = {lang: f"{device.name}: {line}" for lang, line in error.reason.items()}
        return Finding("ports", WARN, "no_port", what, {"name": device.name})
    if "://" in path:
        return finding("ports", NOTE, "port_address", name=device.name, port=path)
    key = port_state(Path(path))
    return finding("ports", FIT if key == "port_free" else WARN, key, name=device.name, port=path)


def port_state(path: Path) -> str:
    """`port_free`, `port_missing`, `port_forbidden` or `port_busy`."""
    try:
        fd = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except FileNotFoundError:
        return "port_missing"
    except PermissionError:
        return "port_forbidden"
    except OSError:
        return "port_busy"
    try:
        # What pyserial and this program hold while they use a port.
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return "port_busy"
    finally:
        os.close(fd)
    return "port_free"


def _port_path(device: DeviceSetup) -> str:
    return str(Path(device.port).resolve()) if device.port.startswith("/") else ""
