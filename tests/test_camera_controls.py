"""Exposure, white balance and focus stay as the table file says, or it is told which did not.

No camera was at hand: the controls here behave as drivers do, values that do not stick among them.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from devices.v4l2 import ORDER, Difference, apply_controls, control_notes, flicker_free, locked_as_now
from table.texts import both


class Webcam:
    """Controls as UVC drivers have them: a value governed by an automatic is refused while that is on."""

    def __init__(self, **quirks: str) -> None:
        self.quirks = quirks
        self.spans = {
            "power_line_frequency": (0, 2), "auto_exposure": (0, 3), "exposure_dynamic_framerate": (0, 1),
            "exposure_time_absolute": (3, 2047), "gain": (0, 255), "white_balance_automatic": (0, 1),
            "white_balance_temperature": (2800, 6500), "focus_automatic_continuous": (0, 1), "focus_absolute": (0, 250),
        }  # fmt: skip
        self.plug_in()

    def plug_in(self) -> None:
        self.values = {
            "power_line_frequency": 2, "auto_exposure": 3, "exposure_dynamic_framerate": 1, "exposure_time_absolute": 312,
            "gain": 64, "white_balance_automatic": 1, "white_balance_temperature": 4000,
            "focus_automatic_continuous": 1, "focus_absolute": 30,
        }  # fmt: skip
        self.tries: dict[str, int] = {}

    def names(self) -> list[str]:
        return [name for name in ORDER if name in self.values and self.quirks.get(name) != "missing"]

    def get(self, name: str) -> int:
        if self.quirks.get(name) == "unreadable":
            raise OSError(5, "Input/output error")
        return self.values[name]

    def set(self, name: str, value: int) -> None:
        self.tries[name] = self.tries.get(name, 0) + 1
        governed = {
            "exposure_time_absolute": self.values["auto_exposure"] != 1,
            "white_balance_temperature": self.values["white_balance_automatic"] == 1,
            "focus_absolute": self.values["focus_automatic_continuous"] == 1,
        }
        quirk = self.quirks.get(name, "")
        if governed.get(name) or quirk == "refused":
            raise OSError(13, "Permission denied")
        if quirk == "ignored" or (quirk == "second time" and self.tries[name] == 1):
            return
        self.values[name] = value // 10 * 10 if quirk == "steps" else value

    def span(self, name: str) -> tuple[int, int]:
        return self.spans[name]


WANTED = {
    "focus_absolute": 20, "white_balance_temperature": 5000, "exposure_time_absolute": 100, "power_line_frequency": 1
}  # fmt: skip


def test_everything_is_locked_and_set_in_an_order_that_works() -> None:
    camera = Webcam()
    assert apply_controls(camera, WANTED) == []
    assert {name: camera.values[name] for name in WANTED} == WANTED
    assert camera.values["auto_exposure"] == 1
    assert camera.values["exposure_dynamic_framerate"] == 0
    assert camera.values["white_balance_automatic"] == camera.values["focus_automatic_continuous"] == 0


def test_a_camera_that_was_plugged_in_again_is_set_again() -> None:
    camera = Webcam()
    apply_controls(camera, WANTED)
    camera.plug_in()
    assert apply_controls(camera, WANTED) == []
    assert camera.values["exposure_time_absolute"] == 100


@pytest.mark.parametrize(
    ("quirk", "wanted", "difference"),
    [
        ("ignored", 100, Difference("exposure_time_absolute", 100, 312, "ignored")),
        ("steps", 157, Difference("exposure_time_absolute", 157, 150, "ignored")),
        ("refused", 100, Difference("exposure_time_absolute", 100, 312, "refused")),
        ("missing", 100, Difference("exposure_time_absolute", 100, None, "missing")),
        ("unreadable", 100, Difference("exposure_time_absolute", 100, None, "unreadable")),
        ("", 9000, Difference("exposure_time_absolute", 9000, 312, "range")),
    ],
)
def test_a_value_that_does_not_stick_is_told(quirk: str, wanted: int, difference: Difference) -> None:
    camera = Webcam(exposure_time_absolute=quirk)
    assert apply_controls(camera, WANTED | {"exposure_time_absolute": wanted}) == [difference]
    words = both(
        f"devices_cameras.control_{difference.why}",
        control=difference.control, wanted=difference.wanted, got=difference.got,
    )  # fmt: skip
    assert all("exposure_time_absolute" in one and "{" not in one for one in words.values())


def test_a_driver_that_takes_a_value_the_second_time_gets_a_second_time() -> None:
    assert apply_controls(Webcam(exposure_time_absolute="second time"), WANTED) == []


def test_a_camera_without_focus_lacks_nothing_that_nobody_asked_for() -> None:
    camera = Webcam(focus_automatic_continuous="missing", focus_absolute="missing")
    assert apply_controls(camera, {"exposure_time_absolute": 100}) == []


def test_what_the_automatics_found_can_be_kept() -> None:
    camera = Webcam()
    kept = locked_as_now(camera)
    assert kept["exposure_time_absolute"] == 312
    assert kept["auto_exposure"] == 1
    camera.plug_in()
    camera.values["white_balance_temperature"] = 6000
    assert apply_controls(camera, kept) == []
    assert camera.values["white_balance_temperature"] == 4000


@pytest.mark.parametrize(
    ("exposure", "mains", "gives"), [(157, 1, 200), (140, 1, 100), (157, 2, 166), (40, 0, 40)]
)
def test_an_exposure_covers_whole_waves_of_the_lamps(exposure: int, mains: int, gives: int) -> None:
    assert flicker_free(exposure, mains) == gives


def test_controls_that_nobody_knows_and_those_that_cannot_be_reached_are_told(tmp_path: Path) -> None:
    notes = control_notes("/dev/null", {"exposure": 100, "gain": 3})
    assert [key for key, _ in notes] == ["control_unknown", "control_missing"]
    assert [key for key, _ in control_notes(str(tmp_path / "video0"), None)] == ["controls_unreadable"]
