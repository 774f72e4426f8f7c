"""The table's end of the process that knows the hands: starts it, starts it again, passes on what is public."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from devices.health import DeviceHealth
from devices.words import NOTHING, Words, words

KINDS: Final = ("dealer", "shuffler", "deal-folder")
"""Kinds of devices that the process reads."""
_FIRST_WAIT_S: Final = 0.5
_LONGEST_WAIT_S: Final = 10.0
_WAITING: Final = 256


class SealedFeed:
    """Dealers, shufflers and deal folders of a table, read by a process of its own.

    Args:
        devices: those of the kinds in `KINDS`.
        folder: of the sealed store.
        key: path of the private seal key.
        packs: in play.

    Attributes:
        why: what is wrong with the process; nothing while it runs.
        restarts: how often it had to be started again.
    """

    def __init__(self, devices: Sequence[DeviceSetup], folder: Path, key: Path, packs: int) -> None:
        self.why: Words = NOTHING
        self.restarts = -1
        self._wanted = {
            "folder": str(folder), "key": str(key), "packs": packs,
            "devices": [{**asdict(device), "options": dict(device.options)} for device in devices],
        }  # fmt: skip
        self._health = [DeviceHealth(one.name, one.kind, reason=words("not_asked")) for one in devices]
        self._said: queue.Queue[dict[str, Any]] = queue.Queue(_WAITING)
        self._process: subprocess.Popen[str] | None = None
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="sealed feed", daemon=True)

    @property
    def pid(self) -> int | None:
        """Of the process, while it runs."""
        return None if self._process is None else self._process.pid

    def start(self) -> None:
        """Begin."""
        self._thread.start()

    def stop(self) -> None:
        """End the process."""
        self._stopped.set()
        with self._lock:
            process = self._process
        if process is not None and process.stdin is not None:
            process.stdin.close()
            try:
                process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                process.kill()
        self._thread.join(timeout=5)

    def news(self) -> list[dict[str, Any]]:
        """What became known since the last call: `sealed`, `opened` or `unopened` with the name of a deal, and `why` not."""
        found = []
        while not self._said.empty():
            found.append(self._said.get())
        return found

    def health(self) -> list[DeviceHealth]:
        """How the devices do."""
        if not self.why:
            return list(self._health)
        return [DeviceHealth(one.name, one.kind, reason=self.why) for one in self._health]

    def open(self, deal: str, policy: str) -> bool:
        """Ask for a deal to be opened; the answer comes with `news`. False where nobody can be asked now."""
        with self._lock:
            if self._process is None or self._process.stdin is None:
                return False
            try:
                self._process.stdin.write(json.dumps({"open": deal, "policy": policy}) + "\n")
                self._process.stdin.flush()
            except (OSError, ValueError):
                return False
        return True

    def _run(self) -> None:
        wait = _FIRST_WAIT_S
        while not self._stopped.is_set():
            self.restarts += 1
            said = self._once()
            wait = _FIRST_WAIT_S if said else wait
            if self._stopped.wait(wait):
                return
            wait = min(wait * 2, _LONGEST_WAIT_S)

    def _once(self) -> bool:
        """Run the process to its end; whether it said how its devices do."""
        fine = False
        command = [sys.executable, "-m", "devices.sealed_process"]
        surroundings = {**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=surroundings
            )
        except OSError as error:
            self.why = words("sealed_fault", error=error.strerror)
            return False
        assert process.stdin is not None
        assert process.stdout is not None
        with self._lock:
            self._process = process
            if self._stopped.is_set():
                process.stdin.close()
            else:
                # Where it has ended already its output says why.
                with suppress(OSError):
                    process.stdin.write(json.dumps(self._wanted) + "\n")
                    process.stdin.flush()
        fault: Words = NOTHING
        for line in process.stdout:
            said = json.loads(line)
            fault = said.get("fault", fault)
            fine = self._hear(said) or fine
        process.wait()
        with self._lock:
            self._process = None
        if not self._stopped.is_set():
            self.why = words("sealed_fault", error=fault) if fault else words("feed_ended")
        return fine

    def _hear(self, said: Mapping[str, Any]) -> bool:
        if "health" in said:
            self._health = [DeviceHealth.from_json(one) for one in said["health"]]
            self.why = NOTHING
            return True
        if not self._said.full():
            self._said.put(dict(said))
        return False
