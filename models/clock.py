"""How much of its time a training stage has used, on disk, so that a killed stage goes on with the rest."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path


class StageClock:
    """Seconds spent on one stage, over all the times it was started.

    Args:
        path: the JSON file that remembers the seconds.
        limit_s: how long the stage may take in all.
    """

    def __init__(self, path: Path, limit_s: float) -> None:
        self._path = path
        self._limit = limit_s
        self._before = float(json.loads(path.read_text())["seconds"]) if path.is_file() else 0.0
        self._started = time.monotonic()

    @property
    def seconds(self) -> float:
        """Time used so far, s."""
        return self._before + time.monotonic() - self._started

    @property
    def share(self) -> float:
        """The part of the limit that is used, 0 to 1."""
        return min(self.seconds / self._limit, 1.0)

    @property
    def over(self) -> bool:
        """Whether the time is used up."""
        return self.seconds >= self._limit

    def save(self) -> None:
        """Remember the time used, so that a later start counts on from here."""
        self._path.parent.mkdir(parents=True, exist_ok=True)
        part = self._path.with_suffix(".part")
        part.write_text(json.dumps({"seconds": round(self.seconds, 1)}))
        part.replace(self._path)


def cosine(share: float, last: float = 0.01) -> float:
    """The learning rate's factor after `share` of the time: half a cosine from 1 down to `last`."""
    return last + (1.0 - last) * 0.5 * (1.0 + math.cos(math.pi * min(max(share, 0.0), 1.0)))
