"""Seat boxes on real pseudo terminals: what is pressed is recorded once, for the right seat, at the right time."""

from __future__ import annotations

import random
import re
import resource
import select
import socket
import time
from pathlib import Path

import pytest

from calibration.device_keys import parse_devices
from calibration.device_setup import DeviceSetup
from calibration.toml_keys import BadTableFile
from devices.protocol import Hello
from devices.seatbox import Inbox
from devices.serial_link import PortLink
from devices.serial_ports import NoPort, Port, port_of
from devices.simulator.serial_device import Device, Running
from devices.simulator.serial_wire import Noise, Wire
from table.events import Pass
from tests.serial_tools import box_at, listening, until


def test_two_boxes_at_once_each_speak_for_their_own_seat(tmp_path: Path) -> None:
    wires = [Wire(tmp_path / name, Noise(0.02, 0.02, 0.02), random.Random(name)) for name in ("a", "b")]
    seats = [box_at(tmp_path / "a", "a", 1), box_at(tmp_path / "b", "b", 3)]
    with (
        Running(Device(wires[0], "seatbox", "A")) as a,
        Running(Device(wires[1], "seatbox", "B")) as b,
        listening(tmp_path, seats) as boxes,
    ):
        for count in range(1, 11):
            a.say(f"COUNT {count}")
            b.say("PASS" if count % 2 else "CALL")
        until(lambda: len(boxes.heard) == 20, "all presses heard")
    said = [boxes.words()[i] for i, event in enumerate(boxes.heard) if getattr(event, "seat", None) == 1]
    assert said == [f"count_called 1 {count}" for count in range(1, 11)]
    assert [one for one in boxes.words() if one not in said] == ["pass 3", "referee_called 3"] * 5


def test_a_press_while_the_cable_is_out_keeps_the_time_at_which_it_was_made(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    with Running(Device(wire, "seatbox")) as box, listening(tmp_path, [box_at(tmp_path / "tty")]) as boxes:
        box.say("PASS")
        until(lambda: boxes.heard, "the first press")
        wire.unplug()
        until(lambda: boxes.why(), "the cable is missed")
        pressed = time.monotonic()
        box.say("COUNT 4")
        time.sleep(0.6)
        wire.plug()
        until(lambda: len(boxes.heard) == 2, "the press made meanwhile")
    assert boxes.words() == ["pass 0", "count_called 0 4"]
    at = boxes.heard[1].at
    assert at is not None
    assert at == pytest.approx(pressed, abs=0.3)
    assert boxes.why() == ""


def test_garbage_for_a_minute_passes_by_and_the_next_press_counts(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    rng = random.Random(5)
    with Running(Device(wire, "seatbox")) as box, listening(tmp_path, [box_at(tmp_path / "tty")]) as boxes:
        box.say("PASS")
        until(lambda: boxes.heard, "the first press")
        # A minute at 115,200 baud.
        for _ in range(60 * 115_200 // 10 // 2048):
            wire.write(rng.randbytes(2048))
        wire.write(b"\n")
        box.say("CALL")
        until(lambda: len(boxes.heard) == 2, "the press after the garbage")
    assert boxes.words() == ["pass 0", "referee_called 0"]
    assert boxes.boxes[0].receiver.counts.damaged > 100


def test_of_two_boxes_that_claim_a_seat_the_first_keeps_it_until_it_is_gone(tmp_path: Path) -> None:
    first, second = Wire(tmp_path / "a"), Wire(tmp_path / "b")
    devices = [box_at(tmp_path / "a", "first", None), box_at(tmp_path / "b", "second", None)]
    with (
        Running(Device(first, "seatbox", "A", seat=2)) as a,
        Running(Device(second, "seatbox", "B", seat=2)) as b,
    ):
        with listening(tmp_path, devices[:1]) as alone:
            until(lambda: alone.boxes[0].health({}, 0).seats, "the first has the seat")
        with listening(tmp_path, devices) as boxes:
            until(lambda: "first" in boxes.why(1) or "second" in boxes.why(0), "one is refused")
            loser, winner = (1, 0) if boxes.why(1) else (0, 1)
            (b if loser else a).say("PASS")
            (a if loser else b).say("CALL")
            until(lambda: boxes.heard, "the one that has the seat is heard")
            assert boxes.words() == ["referee_called 2"]
            assert "set its switch to another seat" in boxes.why(loser)
            (first if winner == 0 else second).unplug()
            until(lambda: len(boxes.heard) == 2, "the other takes over")
    assert boxes.words()[1] == "pass 2"


@pytest.mark.parametrize(
    ("version", "refused", "said"),
    [("2", "version", "speaks version 2 of the protocol, this is 1"), ("1.7", "", "passed over")],
)
def test_a_newer_version_is_refused_or_used_as_far_as_it_is_known(
    tmp_path: Path, version: str, refused: str, said: str
) -> None:
    wire = Wire(tmp_path / "tty")
    with (
        Running(Device(wire, "seatbox", version=version)) as box,
        listening(tmp_path, [box_at(tmp_path / "tty")]) as boxes,
    ):
        box.say("SPARKLE 3 4")
        box.say("PASS")
        until(lambda: box.refused or boxes.heard, "an answer")
        health = boxes.boxes[0].health({}, 0)
        assert box.refused == refused
        assert said in (health.why or health.note["en"])
        assert boxes.words() == ([] if refused else ["pass 0"])


def test_what_is_not_on_disk_is_not_acknowledged(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    with Running(Device(wire, "seatbox")) as box, listening(tmp_path, [box_at(tmp_path / "tty")]) as boxes:
        until(lambda: boxes.boxes[0].receiver.hello, "a hello")
        boxes.inbox.close()
        box.say("PASS")
        until(lambda: "free some space" in boxes.why(), "the fault is named")
        assert box.waiting == 1
        assert boxes.heard == []
        boxes.inbox.__init__(tmp_path / "presses.jsonl")  # type: ignore[misc]
        until(lambda: boxes.heard, "told again once there is room")
        until(lambda: not box.waiting, "acknowledged")


def test_presses_survive_a_restart_and_half_a_line_does_not_hurt(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    with Running(Device(wire, "seatbox")) as box:
        with listening(tmp_path, [box_at(tmp_path / "tty")]) as boxes:
            box.say("PASS")
            until(lambda: boxes.heard, "the press")
        with (tmp_path / "presses.jsonl").open("a") as file:
            file.write('{"serial": "S0001", "boo')
        with listening(tmp_path, [box_at(tmp_path / "tty")]) as again:
            box.say("CALL")
            until(lambda: again.heard, "the press after the restart")
            assert again.words() == ["referee_called 0"]
            assert [event.name for event in again.inbox.since(0)] == ["pass"]
            assert again.inbox.since(time.monotonic() + 1) == []


def test_a_busy_port_is_named_and_used_once_it_is_free(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    other = PortLink(wire.path, 115_200)
    with Running(Device(wire, "seatbox")) as box, listening(tmp_path, [box_at(tmp_path / "tty")]) as boxes:
        until(lambda: "another program has the port" in boxes.why(), "busy")
        other.close()
        box.say("PASS")
        until(lambda: boxes.heard, "heard once it is free")


class Distant:
    """The device's end of a port that is reached over the network."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.address = f"socket://127.0.0.1:{self.server.getsockname()[1]}"
        self.host: socket.socket | None = None

    def read(self, wait: float = 0.0) -> bytes:
        if self.host is None:
            self.host = self.server.accept()[0]
        return self.host.recv(4096) if select.select([self.host], [], [], wait)[0] else b""

    def write(self, data: bytes) -> None:
        if self.host is not None:
            self.host.sendall(data)

    def close(self) -> None:
        for end in (self.host, self.server):
            if end is not None:
                end.close()


def test_a_port_over_the_network_works_the_same(tmp_path: Path) -> None:
    wire = Distant()
    with listening(tmp_path, [box_at(wire.address)]) as boxes, Running(Device(wire, "seatbox")) as box:
        box.say("PASS")
        until(lambda: boxes.heard, "the press")
    assert boxes.words() == ["pass 0"]


def test_a_device_is_found_by_what_it_is_and_not_by_its_number() -> None:
    box = DeviceSetup("box", "seatbox", (0,), usb="1a86:7523:B2")
    there = [Port("/dev/ttyUSB3", "1A86:7523:A1"), Port("/dev/ttyUSB0", "1A86:7523:B2")]
    assert port_of(box, lambda: there) == "/dev/ttyUSB0"
    with pytest.raises(NoPort, match="not plugged in"):
        port_of(box, lambda: there[:1])
    with pytest.raises(NoPort, match="name its serial number"):
        port_of(DeviceSetup("box", "seatbox", (0,), usb="1A86:7523"), lambda: there)


@pytest.mark.parametrize(
    ("devices", "said"),
    [
        ([{"kind": "seatbox", "name": "a", "seat": 1, "port": "x"}] * 2, "two devices are named 'a'"),
        (
            [{"kind": "seatbox", "name": n, "seat": 1, "port": n} for n in "ab"],
            "'a' and 'b' both claim seat 1",
        ),
        ([{"kind": "seatbox", "name": n, "port": "x"} for n in "ab"], "both at x"),
        ([{"kind": "seatbox", "seat": 4, "port": "x"}], "seats are 0 to 3"),
        ([{"kind": "seatbox", "seat": 1}], "either usb"),
        ([{"kind": "seatbox", "seat": 1, "usb": "1a86"}], "VID:PID"),
        ([{"kind": "seatboks", "port": "x"}], "did you mean 'seatbox'"),
        ([{"kind": "dealer", "port": "x", "seat": 1}], "unknown key 'seat'"),
        ([{"kind": "dealer", "port": "x", "options": {"reveal": "now"}}], "reveal 'now'"),
        ([{"kind": "deal-folder"}], "needs `path`"),
    ],
)
def test_a_setup_file_that_cannot_be_is_refused_in_one_line(
    devices: list[dict[str, object]], said: str
) -> None:
    with pytest.raises(BadTableFile, match=re.escape(said)) as error:
        parse_devices(devices)
    assert "\n" not in str(error.value)


def test_an_inbox_keeps_the_last_lines_only(tmp_path: Path) -> None:
    from devices.protocol import Hello

    who = Hello(1, 0, "seatbox", "m", "s", "1", "b", 1)
    inbox = Inbox(tmp_path / "in.jsonl")
    inbox.keep(who, [(n, Pass(seat=0, at=float(n))) for n in range(1, 1001)])
    inbox.close()
    again = Inbox(tmp_path / "in.jsonl")
    assert again.last_of("s", "b") == 1000
    assert len(again.since(0)) == 400
    again.close()


def test_a_press_that_the_disk_had_no_room_for_is_kept_once_when_it_is_told_again(tmp_path: Path) -> None:
    who = Hello(1, 0, "seatbox", "M", "S1", "1.0", "b1", 1)
    path = tmp_path / "presses.jsonl"
    inbox = Inbox(path)
    inbox.keep(who, [(1, Pass(seat=0, at=1.0))])
    before = path.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    # Room for a part of the line only, as on a disk that is nearly full.
    resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 20, hard))
    try:
        with pytest.raises(OSError, match="large"):
            inbox.keep(who, [(2, Pass(seat=0, at=2.0))])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == before
    inbox.keep(who, [(2, Pass(seat=0, at=2.0))])
    inbox.close()
    assert [event.at for event in Inbox(path).since(0.0)] == [1.0, 2.0]
