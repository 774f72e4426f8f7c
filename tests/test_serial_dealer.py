"""Dealers on real pseudo terminals, read by the real process that knows the hands: a deal arrives whole, or is told."""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from calibration.device_setup import DeviceSetup
from devices.seal_format import Facts, facts_of
from devices.seal_key import private_key
from devices.seal_opening import open_deal
from devices.sealed_feed import SealedFeed
from devices.simulator.serial_device import Device, Running, deal
from devices.simulator.serial_wire import Noise, Wire
from tests.serial_tools import hands_of, shuffled, until

BAUD = 115_200


@contextmanager
def sealing(folder: Path, ports: dict[str, Path], kinds: str = "dealer") -> Iterator[SealedFeed]:
    devices = [DeviceSetup(name, kinds, port=str(port)) for name, port in ports.items()]
    feed = SealedFeed(devices, folder / "sealed", folder / "keys" / "seal.key", 2)
    feed.start()
    try:
        yield feed
    finally:
        feed.stop()


def sealed(folder: Path, number: int = 1) -> list[Facts]:
    return [facts for facts in facts_of(folder / "sealed") if facts.state == "sealed"][:number]


def opened(folder: Path, facts: Facts) -> dict[str, list[str]]:
    hands = open_deal(folder / "sealed", facts.deal, private_key(folder / "keys" / "seal.key"))
    return {place: list(hand.cards) for place, hand in hands.items()}


def in_background(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


def test_a_deal_over_a_bad_wire_arrives_whole(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty", Noise(0.01, 0.01, 0.01), random.Random(1), BAUD)
    dealt = shuffled(1)
    with sealing(tmp_path, {"dealer": tmp_path / "tty"}) as feed, Running(Device(wire, "dealer")) as device:
        deal(device, dealt)
        until(lambda: feed.news(), "told that it is sealed")
        until(lambda: not device.waiting, "everything acknowledged")
        until(lambda: feed.health()[0].twice + feed.health()[0].damaged, "the wire was bad indeed")
    (facts,) = sealed(tmp_path)
    assert facts.check == "whole"
    assert opened(tmp_path, facts) == hands_of(dealt)


def test_unplugged_in_the_middle_of_a_deal_it_goes_on_where_it_was(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    dealt = shuffled(2)
    with sealing(tmp_path, {"dealer": tmp_path / "tty"}) as feed, Running(Device(wire, "dealer")) as device:
        dealing = in_background(lambda: deal(device, dealt, pace=lambda: time.sleep(0.01)))
        until(lambda: any(facts.cards >= 40 for facts in facts_of(tmp_path / "sealed")), "forty cards")
        wire.unplug()
        until(lambda: "not there" in feed.health()[0].why or "unplugged" in feed.health()[0].why, "missed")
        wire.plug()
        until(lambda: sealed(tmp_path), "sealed")
        dealing.join(5)
        until(lambda: feed.health()[0].why == "", "well again")
        assert feed.health()[0].reopened == 1
    (facts,) = sealed(tmp_path)
    assert facts.check == "whole"
    assert opened(tmp_path, facts) == hands_of(dealt)


def test_the_process_is_killed_in_the_middle_of_a_deal_and_no_card_is_lost(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty", Noise(0.01, 0.01, 0.01), random.Random(3))
    dealt = shuffled(3)
    with sealing(tmp_path, {"dealer": tmp_path / "tty"}) as feed, Running(Device(wire, "dealer")) as device:
        dealing = in_background(lambda: deal(device, dealt, pace=lambda: time.sleep(0.02)))
        for cards in (30, 70):
            until(lambda: any(f.cards >= cards for f in facts_of(tmp_path / "sealed")), f"{cards} cards")  # noqa: B023
            pid = feed.pid
            assert pid is not None
            os.kill(pid, signal.SIGKILL)
        until(lambda: sealed(tmp_path), "sealed")
        dealing.join(5)
        assert feed.restarts == 2
    assert len(facts_of(tmp_path / "sealed")) == 1
    (facts,) = sealed(tmp_path)
    # Who was killed remembers no face: only the numbers could be checked.
    assert facts.check == "counted"
    assert opened(tmp_path, facts) == hands_of(dealt)


def test_two_dealers_at_once_and_garbage_on_one_of_them(tmp_path: Path) -> None:
    wires = {name: Wire(tmp_path / name, baud=BAUD) for name in ("a", "b")}
    dealt = {"a": shuffled(4), "b": shuffled(5)}
    rng = random.Random(6)
    with (
        sealing(tmp_path, {name: tmp_path / name for name in wires}),
        Running(Device(wires["a"], "dealer", "A")) as a,
        Running(Device(wires["b"], "dealer", "B")) as b,
    ):
        others = in_background(lambda: deal(b, dealt["b"]))

        def noise() -> None:
            if rng.random() < 0.3:
                wires["a"].write(rng.randbytes(60))

        deal(a, dealt["a"], pace=noise)
        others.join(10)
        until(lambda: len(sealed(tmp_path, 2)) == 2, "both sealed")
    for facts in sealed(tmp_path, 2):
        assert opened(tmp_path, facts) == hands_of(dealt[facts.device])


def test_cards_that_no_resending_brings_back_are_told_and_not_made_up(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    with sealing(tmp_path, {"dealer": tmp_path / "tty"}) as feed, Running(Device(wire, "dealer")) as device:
        device.say("DEAL_START 108")
        device.say("CARD 1 0 S7")
        device.say("CARD 4 3 H9")
        until(lambda: "cards 2 to 3 were never told" in feed.health()[0].why, "told")
        assert facts_of(tmp_path / "sealed")[0].state == "void"
        device.say("JAM 26")
        until(lambda: "(code 26)" in feed.health()[0].why, "the jam is told")
        device.say("CLEARED")
        dealt = shuffled(7)
        deal(device, dealt)
        until(lambda: sealed(tmp_path), "dealt anew")
        until(lambda: feed.health()[0].why == "", "well again")
    assert opened(tmp_path, sealed(tmp_path)[0]) == hands_of(dealt)


def test_a_card_that_is_called_by_no_known_name_shows_in_no_message(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    with sealing(tmp_path, {"dealer": tmp_path / "tty"}) as feed, Running(Device(wire, "dealer")) as device:
        device.say("DEAL_START 108")
        device.say("CARD 1 0 SPADE-QUEEN")
        until(lambda: "not understood" in feed.health()[0].why, "told")
        assert "QUEEN" not in str(feed.health()) + str(feed.news())


def test_a_key_that_is_gone_leaves_the_deal_sealed_and_says_so(tmp_path: Path) -> None:
    wire = Wire(tmp_path / "tty")
    with sealing(tmp_path, {"dealer": tmp_path / "tty"}) as feed, Running(Device(wire, "dealer")) as device:
        deal(device, shuffled(8))
        until(lambda: sealed(tmp_path), "sealed")
        (tmp_path / "keys" / "seal.key").unlink()
        feed.news()
        assert feed.open(sealed(tmp_path)[0].deal, "after_deal")
        answers: list[dict[str, Any]] = []
        until(lambda: answers.extend(feed.news()) or any("unopened" in one for one in answers), "refused")
    why = next(one["why"] for one in answers if "unopened" in one)
    assert why["en"].endswith("the seal key cannot be read (No such file or directory)")
    assert "密钥无法读取" in why["zh"]
    assert list((tmp_path / "sealed").glob("*.opened")) == []
