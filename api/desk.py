"""A running table as the API sees it: what may be read from any thread, and the ways to put something in."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from api.live import Board, Json
from api.outputs import Outputs
from api.runner import Runner
from api.service import TableService, Told
from api.stream import dumps
from api.streams import Streams
from calibration.setup import ZoneSetup
from table.events import Event

CONTROL: Final = "control.json"
_NOTED: Final = 200
"""Calls for the referee that are remembered as noted."""
GRAPHICS: Final = ("live", "hold", "clear")


@dataclass(slots=True)
class Desk:
    """Everything that the API needs of one table.

    Attributes:
        service, runner: of the table.
        streams: its state for those who look.
        board: the newest pictures.
        outputs: where state for the air goes.
        data: folder of journal and evidence.
        evidence: folder of stills and clips; None where none are kept.
        table_file: the setup file; None for a table without one.
        zones: as they are in the setup file now; `zones_at`: number of the latest event when that was written.
    """

    service: TableService
    runner: Runner
    streams: Streams
    board: Board
    outputs: Outputs
    data: Path
    evidence: Path | None = None
    table_file: Path | None = None
    zones: tuple[ZoneSetup, ...] = ()
    zones_at: int = 0
    _control: Json = field(default_factory=dict)
    _control_lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.zones = self.service.setup.zones
        self._control = {
            "correcting": False,
            "graphics": "live",
            "taken": {},
            "noted": [],
            **_read(self.data / CONTROL),
        }
        self.streams.put("control", self._control)

    @property
    def seq(self) -> int:
        """Number of the latest event in the journal."""
        return self.service.journal.last_seq

    def record(self, event: Event, allow: Callable[[], None] | None = None) -> Future[list[Told]]:
        """Put an event in; see `Runner.ask`."""
        return self.runner.ask(event, allow)

    def state(self) -> tuple[int, int, Json]:
        """The whole state for those who work at the table: number of the latest change, of the latest event, parts."""
        n, parts = self.streams.staff.snapshot()
        state = {name: json.loads(text) for name, text in parts.items()}
        return n, state.get("match", {}).get("seq", 0), state

    def control(self, **changes: Any) -> Json:
        """Change what holds for graphics; survives a restart. Returns how it is now."""
        with self._control_lock:
            self._control = {**self._control, **changes}
            value = dict(self._control)
            (self.data / CONTROL).write_text(dumps(value), "utf-8")
        self.streams.put("control", value)
        return value

    def note_call(self, seq: int) -> list[int]:
        """A call for the referee waits no more, at no page; survives a restart. Returns the calls that were noted."""
        with self._control_lock:
            noted = [*(one for one in self._control["noted"] if one != seq), seq][-_NOTED:]
        return list(self.control(noted=noted)["noted"])


def _read(path: Path) -> Json:
    """What held for graphics before a restart; nothing where that cannot be read."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    if not isinstance(found, dict) or found.get("graphics") not in GRAPHICS:
        return {}
    return {key: found[key] for key in ("correcting", "graphics", "taken", "noted") if key in found}
