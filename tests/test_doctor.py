"""`paizhuo doctor` says what is amiss, in words, with what to do, and its exit status sums it up."""

from __future__ import annotations

import json
import os
import pty
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
import serial as pyserial
from typer.testing import CliRunner

from api.camera_check import cameras, look_at, plugged_in
from api.cli import app
from api.doctor import (
    FIT,
    NOTE,
    UNFIT,
    WARN,
    Finding,
    clock,
    disk,
    exit_status,
    finding,
    guarded,
    machine,
    serial,
)
from api.runner import lock_folder
from calibration.device_setup import DeviceSetup
from calibration.setup import CameraSetup, Plane, TableSetup, play_zones
from calibration.setup_file import save_setup
from devices.serial_ports import Port
from table.texts import LANGUAGES, catalogue
from tests.test_camera_nodes import Machine

SIZE = (160, 120)
LOOKING = Plane(np.array([[0.1, 0, 80], [0, -0.1, 60], [0, 0, 1.0]]))


def table(*cameras: CameraSetup, devices: tuple[DeviceSetup, ...] = ()) -> TableSetup:
    return TableSetup("one", "guandan-official", cameras, play_zones(), devices=devices)


def film(path: Path, size: tuple[int, int] = SIZE) -> CameraSetup:
    writer = cv2.VideoWriter(str(path), cv2.VideoWriter.fourcc(*"MJPG"), 10, size)
    for i in range(5):
        writer.write(np.full((size[1], size[0], 3), 10 * i, np.uint8))
    writer.release()
    return CameraSetup("film", "video", SIZE, LOOKING, options={"path": str(path)})


def scripted(
    machine: Machine, number: int, name: str, *steps: dict[str, Any], fps: float = 20.0
) -> CameraSetup:
    machine.plug(number, f"1-{number + 1}", f"S{number}", script=[list(steps)])
    return CameraSetup(name, "scripted", SIZE, LOOKING, fps, {"device": number})


def keys(found: list[Finding]) -> dict[str, str]:
    return {one.key: one.level for one in found}


def test_a_machine_is_looked_at_and_said_in_both_languages() -> None:
    found = [*machine(), *clock(0.05)]
    assert {"memory", "little_memory", "no_memory"} & set(keys(found))
    assert {"clock_kept", "clock_free", "clock_unknown"} & set(keys(found))
    for one in found:
        assert all(words and "{" not in words and "\n" not in words for words in one.words.values())


def test_a_disk_that_can_be_written_is_fit_and_leaves_nothing_behind(tmp_path: Path) -> None:
    found = keys(list(disk(tmp_path / "not" / "there" / "yet")))
    assert {"journal_fast", "journal_slow"} & set(found)
    assert list(tmp_path.iterdir()) == []


def test_a_table_that_runs_is_noticed(tmp_path: Path) -> None:
    assert "table_runs" not in keys(list(disk(tmp_path)))
    with lock_folder(tmp_path):
        assert keys(list(disk(tmp_path)))["table_runs"] == NOTE


def test_a_disk_that_cannot_be_written_is_unfit() -> None:
    assert keys(list(disk(Path("/proc/paizhuo"))))["disk_read_only"] == UNFIT


@pytest.mark.parametrize(
    ("levels", "status"), [((FIT, NOTE), 0), ((FIT, WARN), 1), ((WARN, UNFIT, FIT), 2), ((), 0)]
)
def test_the_exit_status_sums_it_up(levels: tuple[str, ...], status: int) -> None:
    assert exit_status([finding("machine", level, "cores", cores=2) for level in levels]) == status


def test_a_check_that_fails_is_a_finding_and_not_the_end() -> None:
    def broken() -> Any:
        yield finding("disk", FIT, "disk_free", folder="a", free=3)
        raise RuntimeError("no idea")

    assert [one.key for one in guarded("disk", broken)] == ["disk_free", "check_failed"]


def test_live_cameras_are_watched_together_and_each_is_judged(tmp_path: Path) -> None:
    here = Machine(tmp_path)
    setup = table(
        scripted(here, 0, "good", {"do": "give"}),
        scripted(here, 2, "slow", {"do": "give", "fps": 4}),
        scripted(here, 4, "dead", {"do": "fail"}),
        CameraSetup("none", "scripted", SIZE, LOOKING, 20.0, {"device": 9}),
    )
    found = list(cameras(setup, 1.5, here.root))
    told = {
        str(one.values["name"]): (one.level, one.words["en"]) for one in found if one.key != "camera_uneven"
    }
    assert told["good"][0] == FIT
    assert told["slow"][0] == WARN
    assert "of 20 wanted" in told["slow"][1]
    assert told["dead"] == (WARN, f"camera dead: {here.root}/dev/video4: gone; check its plug and cable")
    assert "/dev/video9: no such camera; here are:" in told["none"][1]


def test_a_table_without_its_only_camera_is_unfit(tmp_path: Path) -> None:
    here = Machine(tmp_path)
    (found,) = cameras(table(scripted(here, 0, "only", {"do": "fail"})), 1.0, here.root)
    assert found.level == UNFIT


def test_no_process_is_left_when_cameras_were_looked_at(tmp_path: Path) -> None:
    import psutil

    here = Machine(tmp_path)
    # Other tests of this process may have left helpers running.
    others = set(psutil.Process().children(recursive=True))
    look = look_at([scripted(here, 0, "one", {"do": "give"})], 0.5, here.root)["one"]
    assert look.first is not None
    assert not set(psutil.Process().children(recursive=True)) - others


def test_cameras_that_no_table_names_yet_are_listed_as_a_table_file_names_them(tmp_path: Path) -> None:
    here = Machine(tmp_path)
    assert keys(list(plugged_in(here.root))) == {"no_cameras": NOTE}
    here.plug(0, serial="AB")
    (found, *_) = plugged_in(here.root)
    assert 'device = "/dev/v4l/by-id/usb-046d_AB-video-index0"' in found.words["en"]


def test_films_are_opened_and_their_size_compared(tmp_path: Path) -> None:
    good, other = film(tmp_path / "a.avi"), film(tmp_path / "b.avi", (320, 240))
    assert keys(list(cameras(table(good)))) == {"film": FIT}
    assert keys(list(cameras(table(other)))) == {"film_size": UNFIT}
    gone = CameraSetup("film", "video", SIZE, LOOKING, options={"path": str(tmp_path / "none.avi")})
    assert keys(list(cameras(table(gone)))) == {"film_failed": UNFIT}


def free(path: str) -> None:
    """Nobody uses the port."""


def busy(path: str) -> pyserial.Serial:
    return pyserial.Serial(path, exclusive=True)


@pytest.mark.parametrize(("use", "key"), [(free, "port_free"), (busy, "port_busy")])
def test_a_real_port_is_free_or_busy(use: Callable[[str], Any], key: str) -> None:
    ours, theirs = pty.openpty()
    path = os.ttyname(theirs)
    held = use(path)
    box = DeviceSetup("box", "seatbox", port=path)
    try:
        assert [one.key for one in serial(table(film_free(), devices=(box,)), lambda: [])] == [key]
    finally:
        if held is not None:
            held.close()
        os.close(ours)
        os.close(theirs)


def film_free() -> CameraSetup:
    return CameraSetup("sim", "simulated", SIZE, LOOKING)


def test_ports_that_are_missing_or_ambiguous_are_told() -> None:
    twins = [Port("/dev/ttyACM0", "2341:0043"), Port("/dev/ttyACM1", "2341:0043")]
    lost, two = DeviceSetup("lost", "seatbox", usb="1111:2222"), DeviceSetup("two", "dealer", usb="2341:0043")
    gone = DeviceSetup("gone", "seatbox", port="/dev/serial/by-id/none")
    found = list(serial(table(film_free(), devices=(lost, two, gone)), lambda: twins))
    words = [one.words["en"] for one in found if one.level == WARN]
    assert len(words) == 3
    assert words[0].startswith("lost: ")
    assert "/dev/ttyACM0, /dev/ttyACM1" in words[1]
    assert "there is no /dev/serial/by-id/none" in words[2]


def test_the_command_says_all_of_it_and_exits_accordingly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    save_setup(table(film(tmp_path / "a.avi")), tmp_path / "table.toml")
    done = CliRunner().invoke(app, ["doctor", "table.toml", "--json"])
    told = json.loads(done.stdout)
    assert done.exit_code == told["status"]
    assert {one["area"] for one in told["findings"]} >= {
        "machine",
        "clock",
        "table",
        "disk",
        "ports",
        "models",
        "cameras",
    }
    assert all(set(one["text"]) == set(LANGUAGES) for one in told["findings"])


def test_a_table_file_that_cannot_be_used_is_one_line_and_unfit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PAIZHUO_LANG", "zh")
    (tmp_path / "table.toml").write_text("version = 2\nprofil = 'guandan-official'\n")
    done = CliRunner().invoke(app, ["doctor", "table.toml"])
    assert done.exit_code == 2
    assert "profil" in done.stdout
    assert "不合用" in done.stdout


def test_every_text_has_the_same_fields_in_both_languages() -> None:
    for area in ("doctor", "devices_cameras"):
        for key, entry in catalogue(area).items():
            fields = [set(re.findall(r"\{(\w+)", entry[lang])) for lang in LANGUAGES]
            assert fields[0] == fields[1], f"{area}.{key}"
