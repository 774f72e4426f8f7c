"""The line protocol: nothing is lost, doubled or put out of order, whatever the wire does."""

from __future__ import annotations

import random
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from devices.protocol import (
    LONGEST,
    DeviceClock,
    Framer,
    NotALine,
    Receiver,
    checksum,
    encode,
    hello,
    parse,
)
from devices.simulator.serial_device import Device

BODIES = st.text(
    st.characters(min_codepoint=32, max_codepoint=126, exclude_characters="*"),
    min_size=1,
    max_size=LONGEST - 9,
)


@given(st.lists(BODIES, max_size=8), st.randoms(use_true_random=False))
def test_lines_come_through_however_the_bytes_are_cut(bodies: list[str], rng: random.Random) -> None:
    data, framer, found = b"".join(map(encode, bodies)), Framer(), []
    while data:
        size = rng.randint(1, 40)
        found += framer.take(data[:size])
        data = data[size:]
    assert found == bodies


@given(st.binary(max_size=700), BODIES)
def test_after_any_garbage_the_next_line_but_one_is_understood(garbage: bytes, body: str) -> None:
    framer = Framer()
    framer.take(garbage)
    assert framer.take(b"\n" + encode(body))[-1] == body


@given(BODIES, st.data())
def test_no_flipped_bit_goes_unnoticed(body: str, data: st.DataObject) -> None:
    line = bytearray(encode(body))
    place = data.draw(st.integers(0, len(line) - 2))
    line[place] ^= 1 << data.draw(st.integers(0, 7))
    # Letters of the checksum may be written either way.
    assert all(one in (None, body) for one in Framer().take(bytes(line)))
    assert body not in Framer().take(bytes(line)) or bytes(line).upper() == encode(body).upper()


def test_a_line_without_end_takes_no_memory() -> None:
    framer = Framer()
    for _ in range(100):
        framer.take(b"x" * 4096)
    assert len(framer._rest) <= LONGEST + 1
    assert framer.take(b"\n" + encode("1 2 PASS")) == [None, "1 2 PASS"]


@pytest.mark.parametrize("body", ["", "a*b", "a\nb", "ü", "x" * 160])
def test_what_no_line_may_hold_is_not_sent(body: str) -> None:
    with pytest.raises(NotALine):
        encode(body)


@given(st.text(max_size=40))
def test_no_words_however_odd_end_in_another_error(body: str) -> None:
    for read in (parse, lambda text: hello(parse(text)), lambda text: parse(text).whole(0)):
        try:
            read(body)
        except NotALine:
            continue


def test_the_checksum_is_the_one_that_the_documentation_names() -> None:
    assert checksum(b"123456789") == "CBF43926" == f"{zlib.crc32(b'123456789'):08X}"


class Between:
    """A wire in memory that loses, damages and doubles lines at random."""

    def __init__(self, rng: random.Random, bad: float) -> None:
        self.rng, self.bad = rng, bad
        self.to_host = self.to_device = b""

    def read(self, wait: float = 0.0) -> bytes:
        data, self.to_device = self.to_device, b""
        return data

    def write(self, data: bytes) -> None:
        self.to_host += self.spoilt(data)

    def close(self) -> None:
        return

    def spoilt(self, data: bytes) -> bytes:
        out = b""
        for line in data.splitlines(keepends=True):
            if self.rng.random() >= self.bad:
                out += line
                continue
            match self.rng.randrange(4):
                case 0:
                    out += line * 2
                case 1:
                    out += line[: self.rng.randrange(len(line))]
                case 2:
                    out += bytes(self.rng.randrange(256) for _ in range(30))
        return out


@settings(deadline=None, max_examples=25)
@given(st.randoms(use_true_random=False), st.sampled_from([0.0, 0.05, 0.4]), st.booleans())
def test_every_line_arrives_once_and_in_order(rng: random.Random, bad: float, restarts: bool) -> None:
    time = [0.0]
    wire = Between(rng, bad)
    device = Device(wire, "seatbox", now=lambda: time[0])
    disk: dict[tuple[str, str], int] = {}
    heard: list[str] = []
    receiver = Receiver(lambda *who: disk.get(who))
    receiver.opened()
    said = 0
    while time[0] < 300 and (said < 40 or device.waiting):
        time[0] += 0.05
        if said < 40 and device.waiting < 16 and rng.random() < 0.4:
            said += 1
            device.say(f"COUNT {said}")
        device.turn()
        data, wire.to_host = wire.to_host, b""
        for one in receiver.take(data, time[0]):
            heard.append(one.words[0])
            assert receiver.hello is not None
            disk[receiver.hello.serial, receiver.hello.boot] = one.number
        if restarts and rng.random() < 0.02:
            # The program is started again: what is on disk is known, the rest is told again.
            receiver = Receiver(lambda *who: disk.get(who))
            receiver.opened()
            continue
        receiver.confirm()
        wire.to_device += wire.spoilt(receiver.due(time[0]))
    assert heard == [str(n) for n in range(1, 41)]


def test_a_device_that_was_switched_off_and_on_counts_anew() -> None:
    wire, receiver = Between(random.Random(0), 0.0), Receiver()
    receiver.opened()
    heard = []
    time = [0.0]
    for boot in ("b1", "b2"):
        device = Device(wire, "seatbox", boot=boot, now=lambda: time[0])
        for step in range(120):
            time[0] += 0.05
            if step in (40, 60):
                device.say("PASS")
            device.turn()
            data, wire.to_host = wire.to_host, b""
            heard += [(boot, said.number) for said in receiver.take(data, time[0])]
            receiver.confirm()
            wire.to_device = receiver.due(time[0])
    assert heard == [("b1", 1), ("b1", 2), ("b2", 1), ("b2", 2)]


@settings(deadline=None, max_examples=25)
@given(st.randoms(use_true_random=False))
def test_a_device_that_is_switched_off_and_on_loses_and_doubles_nothing_that_was_acknowledged(
    rng: random.Random,
) -> None:
    time = [0.0]
    wire, receiver = Between(rng, 0.1), Receiver()
    receiver.opened()
    heard: list[str] = []
    sure: list[str] = []
    perhaps: set[str] = set()
    said = 0
    for boot in range(6):
        began = time[0]
        device = Device(
            wire,
            "seatbox",
            boot=f"b{boot}",
            now=lambda: time[0],
            clock=lambda: round((time[0] - began) * 1000),  # noqa: B023
        )
        told: list[str] = []
        last = boot == 5
        for _ in range(2000 if last else rng.randrange(120)):
            time[0] += 0.05
            if device.waiting < 16 and said < 60 and rng.random() < 0.3:
                said += 1
                told.append(str(said))
                device.say(f"COUNT {said}")
            device.turn()
            data, wire.to_host = wire.to_host, b""
            heard += [one.words[0] for one in receiver.take(data, time[0])]
            receiver.confirm()
            wire.to_device += wire.spoilt(receiver.due(time[0]))
        acknowledged = len(told) - device.waiting
        sure += told[:acknowledged]
        perhaps |= set(told[acknowledged:])
    assert len(set(heard)) == len(heard)
    assert set(sure) <= set(heard) <= set(sure) | perhaps


@given(st.lists(st.floats(0, 3), min_size=5, max_size=60), st.floats(-2e-4, 2e-4))
def test_the_time_of_a_press_is_told_within_the_least_delay(delays: list[float], drift: float) -> None:
    clock = DeviceClock()
    for second, delay in enumerate([0.001, *delays]):
        clock.heard(round(second * (1 + drift) * 1000), 100.0 + second + delay)
    last = len(delays)
    at = clock.at(round(last * (1 + drift) * 1000), 1e9)
    assert at - (100.0 + last) == pytest.approx(0.0, abs=0.001 + 0.002 + last * 8e-4)
