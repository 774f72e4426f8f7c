"""What a run of `paizhuo bench faults` came to: kinds of faults, presses, findings, memory; and the promises that broke."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from statistics import median
from typing import Final

import numpy as np

from api.fault_check import Findings, Hands, Presses
from api.fault_health import Fault
from api.fault_kinds import KINDS
from api.fault_world import Json

GROWTH: Final = 0.10
"""Memory counts as flat where the last quarter takes at most this share more than the second, and `GROWTH_MB`."""
GROWTH_MB: Final = 20.0
JUDGED_MINUTES: Final = 10.0
"""In a shorter run the table is still reading its first cards in the second quarter."""


@dataclass(slots=True)
class Kind:
    """One kind of fault.

    Attributes:
        times: how often it came; `masked`: of these, while the table process was being started again.
        found: how often health told of it with a reason; `slowest`, `usual`: s until then.
        healed: how often health was clean again after its end; `slowest_healed`: s until then.
        why: a reason that was told.
    """

    times: int = 0
    masked: int = 0
    found: int = 0
    slowest: float = 0.0
    usual: float = 0.0
    healed: int = 0
    slowest_healed: float = 0.0
    why: str = ""


@dataclass(slots=True)
class Outcome:
    """What a run came to.

    Attributes:
        broken: promises that were broken, one line each; none where all is well.
        memory_mb: of the table process with its children, in the second and the last quarter; `table_mb`: of it alone.
        cards, cards_wrong, silent, plays, plays_exact: how the cards were read; what lay there while a camera failed
            counts as well.
    """

    minutes: float = 0.0
    kinds: dict[str, Kind] = field(default_factory=dict)
    presses: Presses = field(default_factory=Presses)
    findings: Findings = field(default_factory=Findings)
    hands: Hands = field(default_factory=Hands)
    memory_mb: tuple[float, float] = (0.0, 0.0)
    table_mb: tuple[float, float] = (0.0, 0.0)
    events: int = 0
    deals: int = 0
    plays: int = 0
    plays_exact: int = 0
    cards: int = 0
    cards_wrong: int = 0
    missed_named: int = 0
    silent: int = 0
    broken: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def to_json(self) -> Json:
        """All of it."""
        return asdict(self)


def kinds_of(faults: Sequence[Fault]) -> dict[str, Kind]:
    """The faults, kind by kind."""
    out: dict[str, Kind] = {}
    for kind in KINDS:
        there = [fault for fault in faults if fault.kind == kind]
        found = [fault.found for fault in there if fault.found is not None]
        healed = [fault.healed for fault in there if fault.healed is not None]
        if there:
            out[kind] = Kind(
                len(there), sum(fault.masked for fault in there), len(found),
                round(max(found, default=0.0), 2), round(median(found), 2) if found else 0.0,
                len(healed), round(max(healed, default=0.0), 2),
                next((fault.why for fault in there if fault.why), ""),
            )  # fmt: skip
    return out


def quarters(samples: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The middle value in the second and in the last quarter, of (share of the time that has passed, MB)."""
    second = [mb for share, mb in samples if 0.25 <= share < 0.5]
    last = [mb for share, mb in samples if 0.75 <= share <= 1.0]
    return tuple(round(float(np.median(some)), 1) if some else 0.0 for some in (second, last))  # type: ignore[return-value]


def broken_promises(out: Outcome) -> list[str]:
    """The promises that were broken."""
    lines = [f"presses: {line}" for line in out.presses.lines]
    lines += [f"wrongly proven: {line}" for line in out.findings.lines]
    lines += [
        f"{kind}: {one.times - one.found} of {one.times} never told by health"
        for kind, one in out.kinds.items()
        if one.found < one.times
    ]
    lines += [
        f"{kind}: {one.times - one.healed} of {one.times} told for long after they were over"
        for kind, one in out.kinds.items()
        if one.healed < one.times
    ]
    if out.hands.right < out.hands.opened:
        lines.append(f"{out.hands.opened - out.hands.right} sealed hands came out wrong")
    second, last = out.memory_mb
    if out.minutes >= JUDGED_MINUTES and last > second * (1 + GROWTH) + GROWTH_MB:
        lines.append(f"memory grew from {second} to {last} MB")
    return lines
