"""Runs simulated matches through the whole table, from pixels to findings, and counts what came out differently."""

from __future__ import annotations

import json
import random
import resource
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np

from api.compare import Tally
from api.hard_conditions import strike, touched
from api.runner import Runner
from api.service import TableService
from api.tables import as_events
from calibration.setup import TableSetup
from devices.simulator.bots import Habits, play_match
from devices.simulator.conditions import Conditions
from devices.simulator.faults import plant
from devices.simulator.table import SimulatedTable
from models.synth.deck import Deck
from table.journal import Journal
from table.record import format_event
from table.rulesets import Profile, load_profile
from vision.card_reader import CardReader
from vision.frames import Frame
from vision.table_watch import TableWatch

PLANTED: Final[Mapping[str, tuple[str, ...]]] = {
    "guandan": (
        "does_not_beat", "out_of_turn", "not_a_combination", "late_play", "count_not_called", "wrong_leader",
        "tribute_not_highest", "return_too_high", "count_wrong", "taken_back",
    ),
    "shengji": ("revoke", "wrong_length", "out_of_turn", "shape_not_followed", "wrong_leader"),
}  # fmt: skip
"""Faults of the players, by game, in the order in which the bench plants them."""
_SURFACES: Final = ("cloth", "cloth", "wood", "desk", "speckled")


@dataclass(frozen=True, slots=True)
class Match:
    """One match of the bench.

    Attributes:
        label: for people.
        events: of the script.
        conditions: of the table.
        seed: of lighting and hands.
    """

    label: str
    events: Sequence[Mapping[str, Any]]
    conditions: Conditions
    seed: int


@dataclass(slots=True)
class Result:
    """What a run came to: differences, times in s, seconds of frames looked at, memory in MB; plays that a hard
    condition touched."""

    tally: Tally = field(default_factory=Tally)
    latencies: list[float] = field(default_factory=list)
    work_s: float = 0.0
    table_s: float = 0.0
    rss_mb: float = 0.0
    deals: int = 0
    touched: int = 0

    def add(self, other: Result) -> None:
        """Another run beside this one."""
        self.tally.merge(other.tally)
        self.latencies += other.latencies
        self.work_s += other.work_s
        self.table_s += other.table_s
        self.rss_mb = max(self.rss_mb, other.rss_mb)
        self.deals += other.deals
        self.touched += other.touched

    def numbers(self) -> dict[str, float]:
        """The figures of `paizhuo bench table --json`."""
        late = np.array(self.latencies or [float("nan")]) * 1000
        counts = asdict(self.tally)
        del counts["differences"]
        return {
            "deals": self.deals,
            **counts,
            "latency_p50_ms": round(float(np.median(late)), 1),
            "latency_p95_ms": round(float(np.percentile(late, 95)), 1),
            "cpu_share": round(self.work_s / max(self.table_s, 1e-9), 3),
            "rss_mb": round(self.rss_mb, 1),
        }


def matches(profile: Profile, deals: int, seed: int, how: Conditions | None = None) -> Iterator[Match]:
    """Matches of about `deals` deals in all, in turn with and without a fault of a player.

    Light, table top and hands differ from match to match; `how` fixes what a hard condition is about.
    """
    done = number = 0
    names = PLANTED[profile.game]
    habits = Habits(slow=5.0, stoppages=0.0, chatter=0.0, on_the_limit=0.0, gap=(6.0, 10.0), draw=(8.0, 12.0))
    while done < deals:
        rng = random.Random(f"{seed} {number}")
        events: Sequence[Mapping[str, Any]] = ()
        label = f"{number}"
        if number % 2:
            name = names[number // 2 % len(names)]
            try:
                events, label = plant(name, profile, rng).events, f"{number} {name}"
            except LookupError:
                events = ()
        if not events:
            events = play_match(profile, rng, deals=1, habits=habits).events
        yield Match(label, events, conditions(seed, number, how), seed * 1000 + number)
        done += sum(event["event"] == "deal_started" for event in events)
        number += 1


def conditions(seed: int, number: int, how: Conditions | None) -> Conditions:
    """An ordinary table of its own light, top and hand; the hard condition's own values stay."""
    rng = random.Random(f"light {seed} {number}")
    usual = Conditions(
        fps=12.0,
        noise=rng.uniform(1.0, 2.6),
        drift=rng.uniform(0.0, 0.06),
        cast=(rng.uniform(0.9, 1.08), 1.0, rng.uniform(0.94, 1.1)),
        vignetting=rng.uniform(0.0, 0.18),
        slope=rng.uniform(0.0, 0.2),
        tilt=rng.uniform(0.0, 6.0),
        surface=rng.choice(_SURFACES),
        step=(rng.uniform(13.0, 17.0), rng.uniform(19.0, 26.0)),
        two_goes=0.05,
        slide_over=0.1,
    )
    if how is None:
        return usual
    wanted = {
        item.name: getattr(how, item.name) for item in fields(how) if getattr(how, item.name) != item.default
    }
    return replace(usual, **wanted)


def run_match(
    match: Match, deck: Deck | Path, reader: CardReader, cameras: int, folder: Path | None = None
) -> Result:
    """One match through the table.

    Args:
        match: what is played.
        deck: with which cards.
        reader: shared by all.
        cameras: 1 (4K), 2 or 4 (1080p).
        folder: keeps the true and the seen record there; None keeps nothing.
    """
    table = simulated(match, deck, cameras)
    result = Result(touched=touched(table))
    with tempfile.TemporaryDirectory() as place, Journal(Path(place) / "journal.sqlite") as journal:
        watch = TableWatch(table.setup, reader)
        service = _Timed(table.setup, watch, journal)
        Runner(service, inputs=as_events(table.inputs)).all_at_once(table.sources())
        seen = list(journal.events())
    true = as_events(table.truth)
    profile = load_profile(table.setup.profile).with_options(dict(table.setup.options))
    result.tally.add(profile, true, seen, match.label)
    result.latencies = list(service.latencies)
    result.work_s = service.work_s
    # Stretches in which nothing moves are left out: what remains is the busy time.
    result.table_s = max(service.frames.values(), default=0) / match.conditions.fps
    result.rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    result.deals = sum(event.name == "deal_started" for event in true)
    if folder is not None:
        folder.mkdir(parents=True, exist_ok=True)
        name = match.label.replace(" ", "-")
        for kind, events in (("true", true), ("seen", seen)):
            lines = "".join(f"{format_event(event)}\n" for event in events)
            (folder / f"{name}-{kind}.jsonl").write_text(lines, "utf-8")
        (folder / f"{name}.json").write_text(
            json.dumps(result.tally.differences, ensure_ascii=False, indent=1)
        )
    return result


def simulated(match: Match, deck: Deck | Path, cameras: int) -> SimulatedTable:
    """The table of a match; what goes wrong with its cameras goes wrong in the middle of a trick."""

    def made(how: Conditions) -> SimulatedTable:
        profile = str(match.events[0]["profile"])
        return SimulatedTable(
            match.events,
            profile=profile,
            seed=match.seed,
            deck=deck,
            how=how,
            cameras=cameras,
            skip_idle=True,
        )

    how = match.conditions
    return made(strike(how, made(replace(how, faults=()))) if how.faults else how)


class _Timed(TableService):
    """A service that notes how much of a processor it needed, and how many frames each camera gave: the simulated
    table's own work is not its.
    """

    work_s = 0.0

    def __init__(self, setup: TableSetup, watch: TableWatch, journal: Journal) -> None:
        super().__init__(setup, watch, journal)
        self.frames: Counter[str] = Counter()

    def step(self, frames: Sequence[Frame], handed: float | None = None) -> list[Any]:
        """As the service does."""
        self.frames.update(frame.source for frame in frames)
        started = time.process_time()
        try:
            return super().step(frames, handed)
        finally:
            self.work_s += time.process_time() - started


def one_thread() -> None:
    """The bench's pictures and the table's work share a machine: OpenCV keeps to one thread."""
    cv2.setNumThreads(1)
