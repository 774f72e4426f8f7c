"""A match with every kind of fault coming at random, at a real table process: what was promised, and what became of it."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import psutil

from api.fault_check import (
    check_findings,
    check_hands,
    check_presses,
    keep,
    keep_json,
    tally,
    truth_of,
)
from api.fault_health import HealthWatch
from api.fault_kinds import CAMERA, DEVICE, FULL, KINDS, PROCESS, Stagehand
from api.fault_outcome import Outcome, broken_promises, kinds_of, quarters
from api.fault_world import NOISE, Json, PlayerBox, Players, TableProcess, WorldClock
from calibration.device_setup import DeviceSetup
from calibration.setup_file import SCRIPTED, save_setup
from devices.simulator.faults import renumbered
from devices.simulator.serial_device import Device, Running
from devices.simulator.serial_wire import Wire
from devices.simulator.show import BRISK, VIOLATIONS, show_match
from devices.simulator.table import SimulatedTable
from devices.stage_painter import staged_table
from devices.staged import Stage
from table.journal import BrokenJournal, Journal
from table.record import read_record
from table.rulesets import load_profile
from table.session import replay

PROFILE: Final = "guandan-official"
FPS: Final = 10.0
_KILLS_UNTIL: Final = 0.45
"""Share of the time in which the table process is killed: the second half is one life, whose memory would show a leak."""
_SAMPLE_S: Final = 5.0
_TICK_S: Final = 0.05
_PATIENCE_S: Final = 90.0


@dataclass(slots=True)
class _Run:
    """What is needed while it goes on."""

    folder: Path
    table: TableProcess
    clock: WorldClock
    players: Players
    boxes: Sequence[PlayerBox]
    hand: Stagehand
    world: SimulatedTable
    hands: Mapping[int, Sequence[Sequence[str]]]
    painter: subprocess.Popen[bytes]
    memory: list[tuple[float, float, float]] = field(default_factory=list)
    """Share of the time that has passed, MB of the table process and of it with its children."""
    crashes: list[str] = field(default_factory=list)


def run(
    minutes: float,
    seed: int,
    folder: Path | None = None,
    say: Callable[[str], None] = lambda _: None,
    kinds: Sequence[str] = KINDS,
) -> Outcome:
    """Play for so long.

    Args:
        minutes: of faults.
        seed: of the match, of what comes when, of the noise of the wires.
        folder: kept with what was recorded and what was so; None keeps nothing.
        say: told now and then how it goes, one line.
        kinds: of faults that come.
    """
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="paizhuo-faults-")))
        one = _set_up(place, minutes, seed, stack)
        _go_on(one, minutes, seed, say, kinds)
        _end(one)
        return _judged(one, minutes, folder)


def _match(minutes: float, seed: int) -> tuple[list[Json], dict[int, list[list[str]]]]:
    """The events of a match that lasts for so long, and its hands by the number of their deal."""
    habits = replace(BRISK, sealed=True)
    some = max(1, round(minutes / 10))
    events = show_match(load_profile(PROFILE), seed, round(minutes / 3) + 3, VIOLATIONS * some, habits)
    hands: dict[int, list[list[str]]] = {}
    number = 0
    for event in events:
        if event["event"] == "deal_started":
            number = event["deal"]
        elif event["event"] == "dealt":
            hands.setdefault(number, [[], [], [], []])[event["seat"]] = event["cards"].split()
    return renumbered([event for event in events if event["event"] != "dealt"]), hands


def _set_up(place: Path, minutes: float, seed: int, stack: ExitStack) -> _Run:
    events, hands = _match(minutes, seed)
    record, nodes = place / "match.jsonl", place / "dev"
    nodes.mkdir()
    record.write_text("".join(json.dumps(event) + "\n" for event in events), "utf-8")
    shared = Path("/dev/shm")
    # In memory where that can be: pictures come at a hundred million bytes a second.
    where = tempfile.TemporaryDirectory(prefix="paizhuo-stage-", dir=shared if shared.is_dir() else place)
    pictures = Path(stack.enter_context(where)) / "pictures"
    orders = {
        "stage": str(pictures), "record": str(record), "profile": PROFILE, "seed": seed, "cameras": 2,
        "conditions": {"fps": FPS},
    }  # fmt: skip
    world = staged_table(orders)
    sizes = [camera.size for camera in world.setup.cameras]
    Stage(pictures, sizes, new=True)
    painter = stack.enter_context(_painter(orders))
    boxes = [PlayerBox(place, seat, random.Random(f"{seed} box {seat}")) for seat in range(4)]
    wire = Wire(place / "dealer", NOISE, random.Random(f"{seed} dealer"))
    dealer = stack.enter_context(Running(Device(wire, "dealer", "D1")))
    file = place / "table.toml"
    _write_setup(file, world, nodes, str(pictures), sizes, place)
    table = TableProcess(file, place / "data", place / "keys" / "seal.key")
    stack.callback(table.stop)
    clock = WorldClock(lambda what: _tell(painter, what))
    players = Players(clock, table, boxes, dealer, world.inputs, hands)
    health = stack.enter_context(HealthWatch(table))
    scale = world.setup.cameras[0].size[0] / 850.0
    names = [camera.name for camera in world.setup.cameras]
    hand = Stagehand(health, table, boxes, wire, nodes, names, scale, random.Random(f"{seed} faults"))
    for camera in range(len(names)):
        hand.plug_in(camera)
    return _Run(place, table, clock, players, boxes, hand, world, hands, painter)


def _write_setup(
    file: Path, world: SimulatedTable, nodes: Path, stage: str, sizes: Sequence[tuple[int, int]], place: Path
) -> None:
    cameras = tuple(
        replace(
            camera, kind=SCRIPTED,
            options={
                "device": str(nodes / f"camera{i}"), "stage": stage, "camera": i,
                "sizes": [list(size) for size in sizes],
            },
        )
        for i, camera in enumerate(world.setup.cameras)
    )  # fmt: skip
    devices = [
        DeviceSetup(f"box {seat}", "seatbox", (seat,), port=str(place / f"box{seat}")) for seat in range(4)
    ]
    devices.append(DeviceSetup("dealer", "dealer", port=str(place / "dealer")))
    save_setup(replace(world.setup, name="faults", cameras=cameras, devices=tuple(devices)), file)


@contextmanager
def _painter(orders: Json) -> Iterator[subprocess.Popen[bytes]]:
    process = subprocess.Popen([sys.executable, "-m", "devices.stage_painter"], stdin=subprocess.PIPE)
    _tell(process, orders)
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def _tell(process: subprocess.Popen[bytes], what: Json) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(what).encode() + b"\n")
    process.stdin.flush()


def _go_on(one: _Run, minutes: float, seed: int, say: Callable[[str], None], kinds: Sequence[str]) -> None:
    """Let the match be played and the faults come."""
    one.table.start()
    _until(lambda: one.table.ask("api/v1/state") is not None, "the page never answered", one)
    one.clock.run()
    one.players.start()
    began = time.monotonic()
    end = began + 60 * minutes
    lanes = [
        _chosen(one.hand, CAMERA, kinds, (8.0, 30.0), end),
        _chosen(one.hand, DEVICE, kinds, (4.0, 20.0), end),
        _chosen(one.hand, PROCESS, kinds, (40.0, 120.0), began + 60 * minutes * _KILLS_UNTIL),
        _chosen(one.hand, (FULL,), kinds, (100.0, 300.0), end),
    ]
    sampled = said = 0.0
    while lanes:
        time.sleep(_TICK_S)
        lanes = [lane for lane in lanes if next(lane, one) is not one]
        now = time.monotonic()
        if one.table.ended:
            one.crashes.append(" | ".join(list(one.table.printed)[-12:]))
            one.table.kill()
            one.table.start()
        if one.painter.poll() is not None:
            raise RuntimeError("the painter of the pictures has ended; run it again")
        if now - sampled >= _SAMPLE_S and not one.table.down:
            sampled = now
            _sample(one, (now - began) / (end - began))
        if now - said >= 30:
            said = now
            say(_progress(one, now - began))
    one.players.stop()
    one.clock.stand()


def _chosen(
    hand: Stagehand, kinds: Sequence[str], wanted: Sequence[str], gap: tuple[float, float], until: float
) -> Iterator[None]:
    there = [kind for kind in kinds if kind in wanted]
    return hand.lane(there, gap, until) if there else iter(())


def _progress(one: _Run, seconds: float) -> str:
    faults = one.hand.faults
    found = sum(fault.found is not None for fault in faults)
    presses = sum(len(box.presses) for box in one.boxes)
    rss = f"{one.memory[-1][1]:.0f} MB" if one.memory else ""
    return (
        f"{seconds:.0f} s: match at {one.clock.now():.0f} s, {len(faults)} faults, {found} found, "
        f"{presses} presses, {rss}"
    )


def _sample(one: _Run, share: float) -> None:
    try:
        process = psutil.Process(one.table.pid)
        own = process.memory_info().rss / 2**20
        rest = sum(child.memory_info().rss for child in process.children(recursive=True)) / 2**20
    except psutil.Error:
        return  # it was killed just now
    one.memory.append((share, own, own + rest))


def _end(one: _Run) -> None:
    """Wait until every press has been taken; kill the table once more at once; end the match; stop."""
    _until(lambda: not any(box.waits for box in one.boxes), "a box was never listened to again", one)
    one.table.kill()
    one.table.start()
    _until(lambda: one.table.ask("api/v1/state") is not None, "the page never answered again", one)
    time.sleep(3.0)
    one.table.ask("api/v1/inputs", {"event": "match_ended", "why": "time"})
    sealed = one.folder / "data" / "sealed"
    deals = one.players.dealt
    until = time.monotonic() + _PATIENCE_S
    while len(list(sealed.glob("*.opened"))) < deals and time.monotonic() < until:
        time.sleep(0.5)
    time.sleep(3.0)
    one.table.stop()


def _until(so: Callable[[], object], what: str, one: _Run) -> None:
    end = time.monotonic() + _PATIENCE_S
    while not so():
        if time.monotonic() > end:
            raise RuntimeError(f"{what}; the table said: {' | '.join(list(one.table.printed)[-12:])}")
        time.sleep(0.2)


def _judged(one: _Run, minutes: float, folder: Path | None) -> Outcome:
    data = one.folder / "data"
    out = Outcome(minutes=minutes, kinds=kinds_of(one.hand.faults))
    began = float((data / "started").read_text())
    try:
        with Journal(data / "journal.sqlite") as journal:
            seen = list(journal.events())
    except BrokenJournal as error:
        out.broken.append(f"the journal does not verify: {error}")
        with Journal(data / "journal.sqlite", verify=False) as journal:
            seen = list(journal.events())
    if [event.seq for event in read_record(data / "record.jsonl").events] != [event.seq for event in seen]:
        out.broken.append("the record that was written at the end is not the journal")
    true = _truth(one, began)
    standing = replay(seen)[0].effective()
    out.presses = check_presses(one.boxes, standing, began)
    out.findings = check_findings(true, seen)
    out.hands = check_hands(seen, one.hands, one.players.dealt)
    cards = tally(load_profile(PROFILE), true, seen)
    out.plays, out.plays_exact, out.cards = cards.plays, cards.plays_exact, cards.cards
    out.cards_wrong, out.missed_named, out.silent = (
        cards.cards_wrong,
        cards.missed_named,
        cards.silent_misreads,
    )
    out.events, out.deals = len(seen), one.players.dealt
    out.notes = [*cards.differences, *one.players.refused]
    out.table_mb = quarters([(share, own) for share, own, _ in one.memory])
    out.memory_mb = quarters([(share, whole) for share, _, whole in one.memory])
    out.broken += [f"the table process ended by itself: {crash}" for crash in one.crashes]
    out.broken += broken_promises(out)
    if folder is not None:
        keep(folder, "seen", seen)
        keep(folder, "true", true)
        keep_json(folder, "outcome", out.to_json())
        keep_json(folder, "memory", one.memory)
        keep_json(folder, "health", one.hand.health.told)
        keep_json(folder, "match", [one.world.truth, one.clock.now(), began])
        keep_json(folder, "faults", [asdict(fault) for fault in one.hand.faults])
        keep_json(folder, "presses", [[asdict(press) for press in box.presses] for box in one.boxes])
    return out


def _truth(one: _Run, began: float) -> list[Any]:
    """The true record up to where the match was stopped, by the clock of the recorded one."""
    end = one.clock.now()
    lines: list[Json] = []
    for line in one.world.truth:
        if line["at"] > end:
            break
        lines.append(line)
        if line["event"] == "deal_started":
            # The dealer knows the hands; what they make plain is to be held against nobody else.
            for seat, hand in enumerate(one.hands.get(line["deal"], ())):
                lines.append({"event": "dealt", "at": line["at"], "seat": seat, "cards": " ".join(hand)})
    times = {line["at"]: round(one.clock.wall(line["at"]) - began, 2) for line in lines}
    return list(truth_of(lines, times))
