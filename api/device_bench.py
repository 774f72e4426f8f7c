"""The same match three ways through the whole table: passes and counts by key, by boxes on real ports, by plaques."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from api.compare import Tally
from api.runner import Runner
from api.service import TableService
from api.table_bench import Match, simulated
from api.table_devices import TableDevices
from api.tables import as_events
from devices.simulator.serial_boxes import BoxesOfTable, Due, Pressing, pressable
from models.synth.deck import Deck
from table.event_json import event_to_json
from table.events import Event
from table.journal import Journal
from table.rulesets import load_profile
from table.session import Referee
from vision.card_reader import CardReader
from vision.table_watch import TableWatch

WAYS: Final = ("keys", "boxes", "plaques")
"""How passes and counts come in: as the referee's keys would give them, from boxes, from printed markers."""
_OWN: Final = ("at", "seq", "source", "evidence", "confidence", "alternatives")
"""Fields in which records of one match may differ: when, who told, pictures, how sure."""


@dataclass(slots=True)
class Way:
    """What one way came to.

    Attributes:
        tally: against the truth.
        record: the effective events, without what may differ.
        findings: kind, seat, check and certainty of the findings that stand.
    """

    tally: Tally = field(default_factory=Tally)
    record: list[str] = field(default_factory=list)
    findings: list[str] = field(default_factory=list)


def play(match: Match, deck: Deck | Path, reader: CardReader, way: str) -> Way:
    """One match one way.

    Args:
        match: what is played.
        deck: with which cards.
        reader: shared by all.
        way: one of `WAYS`.
    """
    passes = "plaque" if way == "plaques" else "seatbox"
    table = simulated(replace(match, conditions=replace(match.conditions, passes=passes)), deck, 1)
    inputs = as_events(table.inputs)
    with tempfile.TemporaryDirectory() as place, Journal(Path(place) / "journal.sqlite") as journal:
        service = TableService(table.setup, TableWatch(table.setup, reader), journal)
        if way == "boxes":
            _pressed(service, inputs, table.sources(), Path(place))
        else:
            Runner(service, inputs=inputs).all_at_once(table.sources())
        seen = list(journal.events())
    found = Way()
    profile = load_profile(table.setup.profile).with_options(dict(table.setup.options))
    found.tally.add(profile, as_events(table.truth), seen, f"{match.label} {way}")
    found.record, found.findings = _plain(service.referee)
    return found


def _pressed(service: TableService, inputs: Sequence[Event], sources: Sequence[Any], place: Path) -> None:
    """Run a table whose players press boxes on real ports."""
    pressed = [event for event in inputs if pressable(event) and event.source == "seatbox"]
    runner = Runner(service, inputs=[event for event in inputs if event not in pressed])
    with BoxesOfTable(place) as boxes:
        setup = replace(service.setup, devices=boxes.devices)
        devices = TableDevices(setup, place)
        devices.start(service, runner.hear, boxes.now)
        due = Due(pressed)
        try:
            runner.all_at_once([Pressing(source, boxes, due) for source in sources], lambda _: devices.step())
        finally:
            devices.stop()


def _plain(referee: Referee) -> tuple[list[str], list[str]]:
    """The record as it counts and the findings that stand, as text."""
    record = [_line(event_to_json(event)) for event in referee.effective()]
    findings = [
        f"{claim.kind} {claim.seat} {claim.check} {claim.certainty}" for claim in referee.findings().values()
    ]
    return record, sorted(findings)


def _line(event: Mapping[str, Any]) -> str:
    return " ".join(f"{key}={value}" for key, value in event.items() if key not in _OWN)
