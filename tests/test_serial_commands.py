"""`paizhuo devices` for organisers and makers: what is there, what is wrong, and devices that are not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app
from calibration.setup_file import load_setup, save_setup
from calibration.toml_keys import BadTableFile
from devices.simulator.serial_device import Device, Running
from devices.simulator.serial_wire import Wire
from tests.serial_tools import box_at, listening, until

SETUP = """version = 2
profile = "guandan-official"

[[device]]
name = "north"
kind = "seatbox"
port = "{folder}/a"
seat = 2

[[device]]
name = "west"
kind = "seatbox"
usb = "FFFF:0001:NONE"
seat = 1

[[device]]
kind = "deal-folder"
path = "deals"

[device.options]
reveal = "after_match"
keep = true
"""


def test_the_devices_of_a_table_are_asked_and_what_is_wrong_is_said(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(SETUP.format(folder=tmp_path))
    wire = Wire(tmp_path / "a")
    with Running(Device(wire, "seatbox", "A17")):
        said = CliRunner().invoke(
            app, ["devices", "--table", str(file), "--seconds", "1.5"], env={"PAIZHUO_LANG": "en"}
        )
    lines = {line.split("  ")[0]: line for line in said.stdout.splitlines()}
    assert lines["north"].endswith("Simulated A17 1.0  fine")
    assert "FFFF:0001:NONE is not plugged in" in lines["west"]
    assert "no such folder" in lines["deal-folder"]
    assert said.exit_code == 1


def test_a_table_that_runs_faster_than_time_says_which_devices_it_leaves_out(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(SETUP.format(folder=tmp_path))
    words = ["run", str(file), "--data", str(tmp_path / "data"), "--no-page", "--fast", "--seconds", "0.2"]
    said = CliRunner().invoke(app, words, env={"PAIZHUO_LANG": "en"})
    assert said.exit_code == 0
    assert said.stderr.splitlines() == [
        "--fast: time does not pass as it does for devices; not listened to: north, west, deal-folder"
    ]


def test_a_setup_file_with_devices_is_written_back_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(SETUP.format(folder=tmp_path))
    setup = load_setup(file)
    save_setup(setup, tmp_path / "again.toml")
    assert load_setup(tmp_path / "again.toml").devices == setup.devices
    assert [device.kind for device in setup.devices] == ["seatbox", "seatbox", "deal-folder"]


def test_two_boxes_for_one_seat_stop_a_table_before_it_begins(tmp_path: Path) -> None:
    file = tmp_path / "table.toml"
    file.write_text(SETUP.format(folder=tmp_path).replace("seat = 1", "seat = 2"))
    said = CliRunner().invoke(app, ["run", str(file)], env={"PAIZHUO_LANG": "en"})
    assert said.exit_code == 2
    assert said.stderr.splitlines() == [
        f"{file}: devices 'north' and 'west' both claim seat 2; a seat has one box"
    ]
    with pytest.raises(BadTableFile, match="both claim seat 2"):
        load_setup(file)


def test_a_simulated_box_says_what_is_typed(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "api.cli",
        "devices",
        "simulate",
        "seatbox",
        "--link",
        str(tmp_path / "tty"),
    ]
    box = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PAIZHUO_LANG": "en"},
    )
    assert box.stdin is not None
    assert box.stdout is not None
    assert str(tmp_path / "tty") in box.stdout.readline()
    with listening(tmp_path, [box_at(tmp_path / "tty", seat=1)]) as boxes:
        box.stdin.write("pass\ncount 3\ndance\ncall\n")
        box.stdin.flush()
        until(lambda: len(boxes.heard) == 3, "all that was typed")
        assert boxes.words() == ["pass 1", "count_called 1 3", "referee_called 1"]
        box.stdin.close()
        assert box.wait(20) == 0
