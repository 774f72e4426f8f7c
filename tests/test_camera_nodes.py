"""A USB camera is found again under another number, in another socket, and told from another of its kind."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from calibration.setup import CameraSetup, Plane
from devices.camera_nodes import CameraNode, NoSuchCamera, cameras_here, find_camera
from devices.sources import SourceFailed
from devices.watchdog import Limits, WatchedCamera


class Machine:
    """A tree like /dev and /sys, with cameras that are plugged in and out."""

    def __init__(self, root: Path) -> None:
        self.root = root
        for folder in ("dev/v4l/by-id", "dev/v4l/by-path", "sys/class/video4linux"):
            (root / folder).mkdir(parents=True)

    def plug(
        self, number: int, socket: str = "1-1", serial: str = "", usb: str = "046d:0825", script: Any = ()
    ) -> Path:
        name = f"video{number}"
        device = self.root / f"sys/devices/pci/usb1/{socket}"
        place = device / f"{socket}:1.0/video4linux/{name}"
        place.mkdir(parents=True, exist_ok=True)
        vendor, product = usb.split(":")
        files = {"idVendor": vendor, "idProduct": product} | ({"serial": serial} if serial else {})
        for file, value in files.items():
            (device / file).write_text(value + "\n")
        (place / "name").write_text("C270 HD WEBCAM\n")
        (place / "index").write_text("0\n")
        (place / "device").unlink(missing_ok=True)
        (place / "device").symlink_to(f"../../../{socket}:1.0")
        (self.root / "sys/class/video4linux" / name).symlink_to(place)
        node = self.root / "dev" / name
        node.write_text(json.dumps({"runs": script}))
        for folder, link in (
            ("by-id", f"usb-{vendor}_{serial}-video-index0"),
            ("by-path", f"pci-usb-{socket}-index0"),
        ):
            path = self.root / "dev/v4l" / folder / link
            path.unlink(missing_ok=True)
            path.symlink_to(f"../../{name}")
        return node

    def unplug(self, number: int) -> None:
        link = self.root / f"sys/class/video4linux/video{number}"
        for child in link.resolve().iterdir():
            child.unlink()
        link.unlink()
        (self.root / f"dev/video{number}").unlink()
        for link in (self.root / "dev/v4l").glob("*/*"):
            if not link.exists():
                link.unlink()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_a_camera_is_listed_with_all_its_names(machine: Machine) -> None:
    machine.plug(0, serial="AB12")
    (found,) = cameras_here(machine.root)
    assert (found.usb, found.serial, found.name) == ("046d:0825", "AB12", "C270 HD WEBCAM")
    assert found.by_id == "usb-046d_AB12-video-index0"
    assert found.by_path == "pci-usb-1-1-index0"


def test_the_second_node_of_a_camera_is_no_camera(machine: Machine) -> None:
    machine.plug(0)
    machine.plug(1, "1-2")
    (machine.root / "sys/class/video4linux/video1/index").write_text("1\n")
    assert [Path(one.node).name for one in cameras_here(machine.root)] == ["video0"]


@pytest.mark.parametrize(
    "device",
    [2, "2", "/dev/video2", "/dev/v4l/by-id/usb-046d_AB12-video-index0", "/dev/v4l/by-path/pci-usb-1-3-index0",
     "usb:046d:0825:AB12", "usb:046D:0825:AB12"],
)  # fmt: skip
def test_every_way_to_name_a_camera_finds_it(device: object, machine: Machine) -> None:
    machine.plug(0, "1-1", "XX99")
    machine.plug(2, "1-3", "AB12")
    assert Path(find_camera(device, root=machine.root).node).name == "video2"


@pytest.mark.parametrize(
    ("before", "after", "finds"),
    [
        ({"serial": "A"}, [(4, {"socket": "1-7", "serial": "A"})], 4),  # other socket, other number
        ({"serial": "A"}, [(0, {"socket": "1-2", "serial": "B"}), (2, {"socket": "1-3", "serial": "A"})], 2),
        ({}, [(4, {"socket": "1-7"})], 4),  # no serial: the only one of its kind
        ({}, [(4, {"socket": "1-1"}), (0, {"socket": "1-2"})], 4),  # no serial, two alike: the socket tells
    ],
)
def test_a_camera_that_comes_back_is_known_again(
    before: dict[str, str], after: list[tuple[int, dict[str, str]]], finds: int, machine: Machine
) -> None:
    machine.plug(0, **before)
    known = find_camera(0, root=machine.root)
    machine.unplug(0)
    for number, how in after:
        machine.plug(number, **how)
    assert Path(find_camera(0, known, machine.root).node).name == f"video{finds}"


@pytest.mark.parametrize(
    ("device", "key"),
    [("usb:046d:0825", "which_camera"), ("usb:1234:5678", "other_cameras"), (9, "other_cameras")],
)
def test_what_is_not_there_or_not_clear_is_told(device: object, key: str, machine: Machine) -> None:
    machine.plug(0, "1-1")
    machine.plug(2, "1-2")
    with pytest.raises(NoSuchCamera) as failed:
        find_camera(device, root=machine.root)
    assert failed.value.key == key


def test_another_camera_in_its_place_is_not_taken_for_it(machine: Machine) -> None:
    machine.plug(0, "1-1", "A")
    known = find_camera(0, root=machine.root)
    machine.unplug(0)
    machine.plug(0, "1-1", "B")
    with pytest.raises(NoSuchCamera) as failed:
        find_camera(0, known, machine.root)
    assert failed.value.key == "another_camera"


def test_a_machine_without_cameras_says_so(machine: Machine) -> None:
    with pytest.raises(NoSuchCamera) as failed:
        find_camera(0, root=machine.root)
    assert failed.value.key == "no_camera_at_all"
    assert not CameraNode("a").is_same_as(CameraNode("b"))


def test_a_camera_that_comes_back_under_another_node_gives_pictures_again(machine: Machine) -> None:
    """With a real process: it is unplugged, and plugged in again as another number in another socket."""
    fails = [[{"do": "give", "frames": 3}, {"do": "fail"}], [{"do": "give"}]]
    machine.plug(0, "1-1", "A", script=fails)
    setup = CameraSetup("overhead", "scripted", (160, 120), Plane(np.eye(3)), 30.0, {"device": 0})
    source = WatchedCamera(setup, time.monotonic, Limits(wait=0.05), machine.root)
    try:
        assert source.read() is not None
        machine.unplug(0)
        seen = []
        while "other_cameras" not in seen and "no_camera_at_all" not in seen:
            try:
                source.read()
            except SourceFailed:
                seen.append(source.status.fault)
        assert seen[0] == "gone"
        machine.plug(4, "1-5", "A", script=[[{"do": "give"}]])
        while not source.status.node.endswith("video4"):
            try:
                source.read()
            except SourceFailed:
                continue
        assert source.status.fault == ""
    finally:
        source.close()
