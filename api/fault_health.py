"""What a table's page says of its cameras and devices while `paizhuo bench faults` lets them fail."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Final

from api.fault_world import Json, TableProcess

POLL_S: Final = 0.5


@dataclass(slots=True)
class Fault:
    """One fault that came.

    Attributes:
        kind: of fault.
        subject: what failed.
        began: s of the monotonic clock.
        found: s until health told it with a reason; None where it never did.
        healed: s from its end until health told nothing any more; None where it never did.
        why: the reason that was told.
        masked: the table process was killed meanwhile; `found` counts from when its page was back.
    """

    kind: str
    subject: str
    began: float
    found: float | None = None
    healed: float | None = None
    why: str = ""
    masked: bool = False


class HealthWatch:
    """Asks the page twice a second how cameras and devices do; use it as a context manager."""

    def __init__(self, table: TableProcess) -> None:
        self._table = table
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self.part: Json | None = None
        """What the table says of itself; None while its page does not answer."""
        self.at = 0.0
        self.told: list[tuple[float, Json]] = []
        """What was told and when (s, monotonic), a line each time that it changed."""

    def __enter__(self) -> HealthWatch:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join(10)

    def of(self, group: str, name: str) -> Json:
        """A camera (`cameras`) or a device (`devices`) as the page tells it; empty while it does not."""
        there = (self.part or {}).get(group, [])
        return next((one for one in there if one["name"] == name), {})

    def _watch(self) -> None:
        while not self._stopped.wait(POLL_S):
            asked = time.monotonic()
            state = self._table.ask("api/v1/state")
            self.part = None if state is None else state.get("state", state)["table"]
            self.at = asked
            line = _short(self.part)
            if not self.told or self.told[-1][1] != line:
                self.told.append((asked, line))


def _short(part: Json | None) -> Json:
    """What is wrong, and how fast cameras are."""
    if part is None:
        return {}
    cameras = {
        one["name"]: [one["why"], round(one["fps"]), (one.get("place") or {}).get("state")]
        for one in part["cameras"]
    }
    devices = {one["name"]: one["why"] for one in part["devices"] if one["why"]}
    return {"cameras": cameras, "devices": devices, "blind": part["blind"], "troubles": part["troubles"]}
