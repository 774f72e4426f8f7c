"""Deals in which passes and counts come from boxes on real ports, or from plaques: the record is the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from api.runner import Runner
from api.service import TableService
from api.table_devices import TableDevices
from devices.simulator.serial_boxes import BoxesOfTable, Due, Pressing, pressable
from devices.simulator.serial_wire import Noise
from table.event_json import event_to_json
from table.events import Event, Pass
from table.journal import Journal
from tests.recorder_desk import Desk
from tests.service_tables import scripted, setup_of


def record(events: Sequence[Event]) -> list[dict[str, object]]:
    """A record without its times and numbers of evidence."""
    return [{key: value for key, value in event_to_json(event).items() if key != "at"} for event in events]


@pytest.mark.parametrize("noise", [Noise(), Noise(0.05, 0.05, 0.05)], ids=["good wires", "bad wires"])
def test_a_deal_with_boxes_on_ports_gives_the_record_of_one_put_in_by_hand(
    tmp_path: Path, noise: Noise
) -> None:
    profile = "guandan-official"
    table = scripted(profile, 4)
    heard = [replace(one, source="seatbox") if pressable(one) else one for one in table.heard]
    by_hand = [one for one in heard if not pressable(one)]
    pressed = [one for one in heard if pressable(one)]
    assert len(pressed) > 30

    with Journal(tmp_path / "hand.sqlite") as journal:
        service = TableService(setup_of(profile), table.watch(), journal)
        Runner(service, inputs=heard).all_at_once([table.source()])
        wanted, findings = list(journal.events()), service.referee.findings()

    (tmp_path / "data").mkdir()
    with Journal(tmp_path / "boxes.sqlite") as journal, BoxesOfTable(tmp_path, noise) as boxes:
        setup = replace(setup_of(profile), devices=boxes.devices)
        service = TableService(setup, table.watch(), journal)
        runner = Runner(service, inputs=by_hand)
        devices = TableDevices(setup, tmp_path / "data")
        devices.start(service, runner.hear, boxes.now)
        try:
            runner.all_at_once([Pressing(table.source(), boxes, Due(pressed))], lambda _: devices.step())
        finally:
            devices.stop()
        seen, found = list(journal.events()), service.referee.findings()

    assert record(seen) == record(wanted)
    # Boxes beat once a second of the wall, in which minutes of this table pass: their clocks may drift as much.
    assert max(abs((a.at or 0) - (b.at or 0)) for a, b in zip(seen, wanted, strict=True)) < 0.5
    assert {claim.kind for claim in found.values()} == {claim.kind for claim in findings.values()}


def test_who_is_on_turn_has_his_lamp_lit(tmp_path: Path) -> None:
    profile = "guandan-official"
    table = scripted(profile, 4)
    (tmp_path / "data").mkdir()
    with Journal(tmp_path / "j.sqlite") as journal, BoxesOfTable(tmp_path) as boxes:
        setup = replace(setup_of(profile), devices=boxes.devices)
        service = TableService(setup, table.watch(), journal)
        devices = TableDevices(setup, tmp_path / "data")
        runner = Runner(service, inputs=[one for one in table.heard if not pressable(one)])
        devices.start(service, runner.hear, boxes.now)
        try:
            pressed = [one for one in table.heard if pressable(one)]
            runner.all_at_once([Pressing(table.source(), boxes, Due(pressed))], lambda _: devices.step())
        finally:
            devices.stop()
        told = [one.device.told for one in boxes._running]
    assert all({"LAMP 0 on", "LAMP 0 off"} <= set(lamp) for lamp in told)


def test_a_press_that_was_taken_but_not_recorded_is_given_once_more_after_a_restart(tmp_path: Path) -> None:
    data = tmp_path / "data"
    data.mkdir()
    lost: list[Event] = []
    given: list[Event] = []
    with Journal(data / "j.sqlite") as journal, BoxesOfTable(tmp_path) as boxes:
        setup = replace(setup_of("guandan-official"), devices=boxes.devices)
        service = TableService(setup, scripted("guandan-official", 4).watch(), journal)
        boxes.time_is(50.0)
        first = TableDevices(setup, data)
        first.start(service, lost.append, boxes.now)
        boxes.press(Pass(seat=1, at=49.5))
        first.stop()
        # The program was killed before anything of it was in the journal.
        again = TableDevices(setup, data)
        again.start(service, given.append, boxes.now, alive=49.8)
        again.stop()
        long_after = TableDevices(setup, data)
        long_after.start(service, given.append, boxes.now, alive=300.0)
        long_after.stop()
    assert [(event.name, event.at) for event in lost] == [("pass", pytest.approx(49.5, abs=0.1))]
    assert given == lost


def test_a_pass_that_is_told_late_takes_back_what_was_held_against_others() -> None:
    desk = Desk()
    desk.lay(0, "S3")
    passed = desk.now + 3.0
    desk.lay(2, "S5", after=12)
    assert desk.said() == ["play 0 S3", "missing 1", "play 2 S5"]
    assert [certainty for _, _, certainty in desk.kinds()] == ["check"]
    desk.put("pass", seat=1, source="seatbox", at=passed)
    assert desk.said() == ["play 0 S3", "pass 1", "play 2 S5"]
    assert desk.kinds() == []
