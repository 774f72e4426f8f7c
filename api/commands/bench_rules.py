"""`paizhuo bench rules`: how fast rule questions are answered and whole matches judged on this machine."""

from __future__ import annotations

import platform
import random
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from devices.simulator.bots import Habits, play_match
from table.cards import RANKS, Card, full_packs
from table.event_json import event_from_json
from table.events import Event
from table.guandan.combos import plays, readings
from table.rulesets import load_profile
from table.session import replay

Clock = Callable[[], float]
_HAND: Final = 27


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of the bench: `value` of `unit`, and what was measured."""

    name: str
    value: float
    unit: str
    note: str = ""

    def __str__(self) -> str:
        return f"{self.name:<34} {self.value:>12,.0f} {self.unit:<14} {self.note}".rstrip()


def bench_rules(
    deals: Annotated[int, typer.Option(help="Deals to simulate and judge. 模拟并裁判的副数")] = 60,
    seconds: Annotated[float, typer.Option(help="Seconds for each rate. 每项测速的秒数")] = 2.0,
    seed: Annotated[int, typer.Option(help="Seed of the simulated deals. 随机种子")] = 1,
) -> None:
    """Measure deals judged per minute, and classify and plays per second, on one core (processor time).

    测量每分钟裁判的副数，以及每秒判牌型、列出牌的次数（单核，按处理器时间）。
    """
    typer.echo(f"machine: {processor_name()}, Python {platform.python_version()}")
    # Processor time is what one core needs, whatever else runs on the machine.
    typer.echo("rates: by processor time of this one process")
    typer.echo(f"command: {' '.join([Path(sys.argv[0]).name, *sys.argv[1:]])}")
    for figure in figures(deals, seconds, seed, time.process_time):
        typer.echo(str(figure))


def figures(deals: int, seconds: float, seed: int, clock: Clock) -> Iterator[Figure]:
    """Every figure of the bench: Guandan, then Shengji.

    Args:
        deals: deals in the judged records.
        seconds: how long each rate is measured.
        seed: of the simulated deals.
        clock: seconds that only run forward.
    """
    yield from guandan_figures(deals, seconds, seed, clock)
    for profile in ("shengji-official-2", "shengji-event"):
        yield judged("shengji deals judged", profile, deals, seed, clock)


def guandan_figures(deals: int, seconds: float, seed: int, clock: Clock) -> Iterator[Figure]:
    """Classify, plays and judging of Guandan."""
    rng = random.Random(seed)
    pack = sorted(full_packs(2).elements(), key=lambda card: card.index)
    hands = [(rng.sample(pack, _HAND), rng.choice(RANKS)) for _ in range(50)]
    sets = []
    for hand, level in hands:
        good = [play.cards for play in rng.sample(plays(hand, level), 20)]
        loose = [tuple(rng.sample(pack, rng.randint(1, 6))) for _ in range(20)]
        sets += [(cards, level) for cards in (*good, *loose)]
    tasks = [(hand, level, _on_table(rng, pack, level)) for hand, level in hands]
    works: list[tuple[str, Callable[[int], object]]] = [
        ("guandan classify", lambda i: readings(*sets[i % len(sets)])),
        ("guandan plays, leading, 27 cards", lambda i: plays(*hands[i % len(hands)])),
        ("guandan plays, following, 27 cards", lambda i: plays(*tasks[i % len(tasks)])),
    ]
    for name, work in works:
        yield Figure(name, rate(work, seconds, clock), "a second")
    for profile in ("guandan-official", "guandan-event"):
        yield judged("guandan deals judged", profile, deals, seed, clock)


def judged(name: str, profile: str, deals: int, seed: int, clock: Clock) -> Figure:
    """Deals judged per minute from records of whole simulated matches."""
    records = simulated(profile, deals, seed)
    started = clock()
    for events in records:
        replay(events)
    spent = clock() - started
    note = f"({deals} deals, {sum(map(len, records))} events, {profile})"
    return Figure(name, 60 * deals / spent, "a minute", note)


def _on_table(rng: random.Random, pack: list[Card], level: str) -> Any:
    """A reading to beat, of a random play."""
    return rng.choice(plays(rng.sample(pack, 10), level)).readings[0]


def simulated(profile: str, deals: int, seed: int) -> list[list[Event]]:
    """Records of whole matches with so many deals in all, played by bots."""
    rng = random.Random(seed)
    records = []
    left = deals
    while left > 0:
        script = play_match(load_profile(profile), rng, deals=left, habits=Habits(slow=3.0))
        left -= sum(event["event"] == "deal_started" for event in script.events)
        records.append([event_from_json(event) for event in script.events])
    return records


def rate(work: Callable[[int], object], seconds: float, clock: Clock) -> float:
    """How often `work` can be done in a second; it is given the number of the turn."""
    started = clock()
    done = 0
    while True:
        for _ in range(20):
            work(done)
            done += 1
        spent = clock() - started
        if spent >= seconds:
            return done / spent


def processor_name() -> str:
    """The name of the processor as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
