"""Locks what a USB camera would change by itself, exposure, white balance and focus, and says what did not take.

Values are set in the order that drivers need (manual first, then the value), read back, and compared: cameras accept a
value and keep another, or forget it when they are plugged in again. The names are those of `v4l2-ctl`.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Protocol

ORDER: Final = {
    "power_line_frequency": 0x00980918,
    "auto_exposure": 0x009A0901,
    "exposure_dynamic_framerate": 0x009A0903,
    "exposure_time_absolute": 0x009A0902,
    "gain": 0x00980913,
    "white_balance_automatic": 0x0098090C,
    "white_balance_temperature": 0x0098091A,
    "focus_automatic_continuous": 0x009A090C,
    "focus_absolute": 0x009A090A,
    "zoom_absolute": 0x009A090D,
    "pan_absolute": 0x009A0908,
    "tilt_absolute": 0x009A0909,
    "brightness": 0x00980900,
    "contrast": 0x00980901,
    "saturation": 0x00980902,
    "sharpness": 0x0098091B,
    "backlight_compensation": 0x0098091C,
}
"""Controls by name, with their V4L2 numbers, in the order in which they are set."""
MANUAL: Final = 1
"""`auto_exposure` of V4L2: 1 is manual (0 and 3 are automatic)."""
LOCKED: Final = {
    "auto_exposure": MANUAL,
    "exposure_dynamic_framerate": 0,
    "white_balance_automatic": 0,
    "focus_automatic_continuous": 0,
}
"""What every camera is set to, unless its table file says otherwise, if it has the control."""
_GOVERNED: Final = {
    "exposure_time_absolute": "auto_exposure",
    "white_balance_temperature": "white_balance_automatic",
    "focus_absolute": "focus_automatic_continuous",
}
_MAINS_UNITS: Final = {1: 100, 2: 83}
"""`power_line_frequency` to a half wave of the mains, in units of `exposure_time_absolute` (0.1 ms)."""


class Knobs(Protocol):
    """The controls of one camera."""

    def names(self) -> list[str]:
        """Those of `ORDER` that it has."""
        ...

    def get(self, name: str) -> int:
        """The value that it has now; OSError where that cannot be read."""
        ...

    def set(self, name: str, value: int) -> None:
        """Ask for a value; OSError where the camera refuses. It may be accepted and still not taken."""
        ...

    def span(self, name: str) -> tuple[int, int]:
        """Least and greatest value."""
        ...


@dataclass(frozen=True, slots=True)
class Difference:
    """A control that is not as it should be.

    Attributes:
        control: its name.
        wanted: the value asked for.
        got: the value read back; None where there is none.
        why: `unknown`, `missing`, `refused`, `range`, `ignored` (accepted and not taken) or `unreadable`.
    """

    control: str
    wanted: int
    got: int | None
    why: str


def apply_controls(knobs: Knobs, wanted: Mapping[str, int]) -> list[Difference]:
    """Set controls and read them back.

    What `LOCKED` names is locked too, where the camera has it and `wanted` does not say otherwise. A value that is not
    taken the first time is asked for once more: some drivers take a value only after the mode has settled.

    Args:
        knobs: of the camera.
        wanted: names of `ORDER` to values.

    Returns:
        What is not as it should be after that; empty when everything took.
    """
    has = set(knobs.names())
    plan = {name: value for name, value in LOCKED.items() if name in has} | {
        name: int(value) for name, value in wanted.items()
    }
    plan = {name: plan[name] for name in sorted(plan, key=list(ORDER).index)}
    found: dict[str, Difference] = {}
    for _ in range(2):
        found = {}
        for name, value in plan.items():
            if name not in has:
                found[name] = Difference(name, value, None, "missing")
                continue
            low, high = knobs.span(name)
            if not low <= value <= high:
                found[name] = Difference(name, value, _got(knobs, name), "range")
                continue
            try:
                knobs.set(name, value)
            except OSError:
                found[name] = Difference(name, value, _got(knobs, name), "refused")
        # All are read after all were set: setting one may move another.
        for name, value in plan.items():
            if name in found:
                continue
            got = _got(knobs, name)
            if got != value:
                found[name] = Difference(name, value, got, "unreadable" if got is None else "ignored")
        if not found:
            break
    return list(found.values())


def locked_as_now(knobs: Knobs) -> dict[str, int]:
    """The values that the camera's automatics have found, for a table file: with them it stays as it is now."""
    has = knobs.names()
    kept = {name: value for name, value in LOCKED.items() if name in has}
    for name, governor in _GOVERNED.items():
        if name in has and (governor in has or name == "exposure_time_absolute"):
            value = _got(knobs, name)
            if value is not None:
                kept[name] = value
    for name in ("power_line_frequency", "gain"):
        if name in has and (value := _got(knobs, name)) is not None:
            kept[name] = value
    return {name: kept[name] for name in sorted(kept, key=list(ORDER).index)}


def flicker_free(exposure: int, power_line_frequency: int) -> int:
    """The nearest exposure (units of 0.1 ms) that covers whole half waves of the mains, so that lamps do not flicker.

    Args:
        exposure: `exposure_time_absolute`.
        power_line_frequency: 1 for 50 Hz, 2 for 60 Hz; others leave the exposure as it is.

    >>> flicker_free(157, 1), flicker_free(30, 1), flicker_free(157, 2), flicker_free(157, 0)
    (200, 100, 166, 157)
    """
    half = _MAINS_UNITS.get(power_line_frequency)
    return exposure if half is None else max(1, round(exposure / half)) * half


def unknown_controls(wanted: Mapping[str, Any]) -> list[str]:
    """Names that are no control known here, and values that are no whole number."""
    return [
        name
        for name, value in wanted.items()
        if name not in ORDER or isinstance(value, bool) or not isinstance(value, int)
    ]


def control_notes(node: str, wanted: object) -> list[tuple[str, dict[str, Any]]]:
    """Lock the controls of the camera at a device file: what to tell about those that did not take.

    Args:
        node: the device file.
        wanted: `controls` of the camera's options.
    """
    values = dict(wanted) if isinstance(wanted, Mapping) else {}
    notes: list[tuple[str, dict[str, Any]]] = []
    for name in unknown_controls(values):
        notes.append(_note(Difference(name, values.pop(name), None, "unknown")))
    try:
        with CameraKnobs(node) as knobs:
            notes += [_note(one) for one in apply_controls(knobs, values)]
    except (OSError, ImportError, RuntimeError, RuntimeWarning) as error:
        notes.append(("controls_unreadable", {"error": str(error)}))
    return notes


class CameraKnobs:
    """The controls of a real camera, through linuxpy. A context manager.

    Args:
        node: its device file; it may be open for pictures elsewhere.

    Raises:
        OSError: it cannot be opened.
        ImportError: not on Linux.
    """

    def __init__(self, node: str) -> None:
        # linuxpy is there on Linux only, and carries no types.
        self._device: Any = importlib.import_module("linuxpy.video.device").Device(node)
        self._device.open()
        numbers = {number: name for name, number in ORDER.items()}
        self._controls = {
            numbers[control.id]: control
            for control in self._device.controls.values()
            if getattr(control, "id", None) in numbers and not control.is_flagged_disabled
        }

    def __enter__(self) -> CameraKnobs:
        return self

    def __exit__(self, *_: object) -> None:
        self._device.close()

    def names(self) -> list[str]:
        """Those of `ORDER` that the camera has."""
        return [name for name in ORDER if name in self._controls]

    def get(self, name: str) -> int:
        """The value that it has now.

        Raises:
            OSError: it cannot be read.
        """
        return int(self._controls[name].value)

    def set(self, name: str, value: int) -> None:
        """Ask for a value.

        Raises:
            OSError: the camera refuses.
        """
        try:
            self._controls[name].value = value
        except (AttributeError, ValueError) as error:  # read-only or grabbed, as linuxpy tells it
            raise OSError(str(error)) from None

    def span(self, name: str) -> tuple[int, int]:
        """Least and greatest value."""
        control = self._controls[name]
        return int(control.minimum), int(control.maximum)


def _got(knobs: Knobs, name: str) -> int | None:
    try:
        return knobs.get(name)
    except (OSError, TypeError):
        return None


def _note(one: Difference) -> tuple[str, dict[str, Any]]:
    return f"control_{one.why}", {"control": one.control, "wanted": one.wanted, "got": one.got}
