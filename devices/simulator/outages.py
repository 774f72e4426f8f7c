"""Camera faults as a table sees them, drawn at random: no pictures until the watchdog has opened the camera again.

For long matches on the simulated table, whose time is not the wall's. What real processes do with the same faults is
measured by `paizhuo bench cameras`; the lengths here follow from the limits of `devices.watchdog`.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from devices.sources import Source, SourceFailed
from devices.watchdog import Limits
from vision.frames import Frame

_REOPENED_S: Final = (1.5, 4.0)
"""From the end of the wait to the first picture."""
_SLOW_FPS: Final = 3.0
_KINDS: Final = ("hangs", "died", "gone", "repeats", "garbage", "slow")


@dataclass(frozen=True, slots=True)
class Outage:
    """A stretch in which a camera fails.

    Attributes:
        start, end: s of the record.
        kind: as the watchdog calls it; `slow` still gives pictures.
    """

    start: float
    end: float
    kind: str


def outages(seed: int, start: float, end: float, every: tuple[float, float] = (20.0, 120.0)) -> list[Outage]:
    """Faults of one camera over a stretch of time.

    Args:
        seed: of what comes when.
        start: s of the record.
        end: likewise.
        every: s between two faults, at least and at most.
    """
    draw = random.Random(f"outages {seed}")
    limits = Limits()
    found = {"hangs": limits.silent, "repeats": limits.repeated, "garbage": limits.broken}
    out: list[Outage] = []
    at = start + draw.uniform(*every)
    while at < end:
        kind = draw.choice(_KINDS)
        wait = min(limits.wait * 2 ** draw.choice((0, 0, 1, 2, 4)), limits.wait_most)
        long = found.get(kind, 0.1) + wait + draw.uniform(*_REOPENED_S)
        if kind == "gone":
            long += draw.uniform(0.0, 20.0)  # until somebody has put the plug back
        out.append(Outage(at, at + long, kind))
        at += long + draw.uniform(*every)
    return out


class Interrupted:
    """A source with outages; fulfils `devices.sources.Source`. Frames that fall into one are lost.

    Args:
        source: what it looks through.
        when: its outages, in order.

    Attributes:
        lost: frames that were lost.
    """

    def __init__(self, source: Source, when: list[Outage]) -> None:
        self._source = source
        self._coming: Iterator[Outage] = iter(when)
        self._next = next(self._coming, None)
        self._told = False
        self._shown = -1e9
        self.lost = 0

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._source.name

    def read(self) -> Frame | None:
        """The next frame outside of outages.

        Raises:
            SourceFailed: an outage begins; the next read gives the first frame after it.
        """
        while (frame := self._source.read()) is not None:
            while self._next is not None and frame.at >= self._next.end:
                self._next, self._told = next(self._coming, None), False
            if self._next is None or frame.at < self._next.start:
                return frame
            if self._next.kind == "slow":
                if frame.at - self._shown >= 1 / _SLOW_FPS - 1e-6:
                    self._shown = frame.at
                    return frame
                self.lost += 1
                continue
            self.lost += 1
            if not self._told:
                self._told = True
                raise SourceFailed(f"camera {self.name}: {self._next.kind}; being opened again")
        return None

    def close(self) -> None:
        """Let it go."""
        self._source.close()
