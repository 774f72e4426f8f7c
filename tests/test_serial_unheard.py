"""A seat box whose cable is out: nobody is accused of what may have been pressed on it, until it has told."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from api.runner import Runner
from api.service import NoWatch, TableService
from api.table_devices import TableDevices
from devices.simulator.serial_device import Device, Running
from devices.simulator.serial_wire import Wire
from table.event_json import event_from_json
from table.journal import Journal
from tests.api_desk import setup_by_hand
from tests.serial_tools import box_at, until


class Kept:
    """A match put in by hand, with a box for seat 0 on a real port."""

    def __init__(self, service: TableService, runner: Runner) -> None:
        self.service, self.runner = service, runner

    def put(self, name: str, **fields: object) -> None:
        """An input of the referee, recorded."""
        self.runner.ask(event_from_json({"event": name, "source": "referee", **fields})).result(10)

    def counts(self) -> list[str]:
        """How sure it is that a count was not called."""
        with self.service.lock:
            claims = self.service.referee.findings().values()
            return [claim.certainty for claim in claims if claim.kind == "count_not_called"]


@contextmanager
def kept(folder: Path) -> Iterator[Kept]:
    setup = replace(setup_by_hand("guandan-official"), devices=(box_at(folder / "tty"),))
    began, stop = time.monotonic(), threading.Event()
    with Journal(folder / "journal.sqlite") as journal:
        service = TableService(setup, NoWatch(), journal)
        runner = Runner(service, record_clock=lambda: time.monotonic() - began)
        devices = TableDevices(setup, folder / "data")
        devices.start(service, runner.hear, runner.now)
        loop = threading.Thread(
            target=runner.by_hand,
            kwargs={"on_step": lambda _: devices.step(), "stop": stop.is_set, "wait": 0.02},
        )
        loop.start()
        try:
            yield Kept(service, runner)
        finally:
            stop.set()
            loop.join(10)
            devices.stop()


@pytest.mark.rule("GDO-55")
@pytest.mark.parametrize(
    ("happens", "found"),
    [("called", []), ("silent", ["proven"]), ("switched off", ["check"])],
    ids=["he called", "he did not", "nobody will ever know"],
)
def test_a_count_is_not_held_against_a_seat_whose_box_is_not_heard(
    tmp_path: Path, happens: str, found: list[str]
) -> None:
    wire = Wire(tmp_path / "tty")
    with kept(tmp_path) as table, Running(Device(wire, "seatbox", "B0", "first")) as box:
        table.put("deal_started", deal=1, level="2")
        table.put("hand_count", seat=0, count=12)
        box.say("CALL")
        until(
            lambda: any(one.event.name == "referee_called" for one in table.service.told), "the box is heard"
        )
        wire.unplug()
        table.put("play", seat=0, cards="S3 H3")
        if happens == "called":
            box.say("COUNT 10")
        time.sleep(0.05)
        table.put("pass", seat=1)
        assert table.counts() == ["check"]
        if happens == "switched off":
            vars(box).update(vars(Device(wire, "seatbox", "B0", "second")))
        wire.plug()
        until(
            lambda: table.service.state is not None and not table.service.state.unheard, "it is heard again"
        )
        assert table.counts() == found
