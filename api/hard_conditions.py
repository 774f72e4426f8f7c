"""The hard conditions of `paizhuo bench table --hard`: what each is, when it strikes, and which plays it touches."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from calibration.setup_file import seen_share
from devices.simulator.conditions import CameraFault, Conditions
from devices.simulator.laying import to_table
from devices.simulator.motions import Lie, Lying
from devices.simulator.table import SimulatedTable

HARD: Final[Mapping[str, tuple[Conditions, int]]] = {
    "glare": (Conditions(glare=0.8), 1),
    "blur": (Conditions(blur=1.3), 1),
    "turned 20 degrees": (Conditions(turn=20.0), 1),
    "steps of 12 mm": (Conditions(step=(12.0, 12.5)), 1),
    "one of two cameras gone": (Conditions(faults=(CameraFault("unplug", 60.0, camera=1),)), 2),
    "camera knocked by 10 mm": (Conditions(faults=(CameraFault("knocked", 60.0, mm=10.0),)), 1),
    "frozen frames": (Conditions(faults=(CameraFault("freeze", 60.0, 75.0),)), 1),
    "8 fps": (Conditions(fps=8.0), 1),
    "a hand rests in a zone": (Conditions(resting_hand=2), 1),
    "laid in two goes": (Conditions(two_goes=1.0), 1),
    "slid over the earlier play": (Conditions(slide_over=1.0), 1),
}
"""Hard conditions with the number of cameras: everything else as on an ordinary table. Faults of cameras strike in the
first trick after the time that stands here."""
_BEFORE_S: Final = 1.5
"""A fault strikes so long before a play comes to rest: the hand is on its way."""
_SLID_MM: Final = 26.0
"""A later play whose cards lie nearer than this to the seat's earlier ones, from the player's view, lies over them."""


def strike(how: Conditions, table: SimulatedTable) -> Conditions:
    """The conditions with the faults of cameras moved into the middle of a trick of this table.

    Args:
        how: with faults.
        table: the same match without them.
    """
    moved = []
    for fault in how.faults:
        at = mid_trick(table, fault.at)
        until = None if fault.until is None else at + fault.until - fault.at
        moved.append(replace(fault, at=at, until=until))
    return replace(how, faults=tuple(moved))


def mid_trick(table: SimulatedTable, after: float) -> float:
    """The first moment after `after`, s, at which a play of a trick lies on the table and the next one is coming."""
    lie = Lie(table.timeline)
    for before, event in pairwise(_plays(table)):
        at = round(table.rests[event["seq"]] - _BEFORE_S, 2)
        if at <= max(after, table.clears[before["seq"]]) or before["seat"] == event["seat"]:
            continue
        if any(thing.face_up and thing.of == before["seq"] for thing in lie.until(at)):
            return at
    return after


def touched(table: SimulatedTable) -> int:
    """How many plays of a match its hard condition touches: all where it is one of light, lens or pace."""
    plays, how = _plays(table), table.how
    if how.faults:
        return sum(_struck(table, event) for event in plays)
    if how.resting_hand is not None:
        return sum(event["seat"] == how.resting_hand for event in plays)
    if how.two_goes == 1.0:
        return sum(_goes(table, event) > 1 for event in plays)
    if how.slide_over == 1.0:
        lie = Lie(table.timeline)
        return sum(_slid(table, lie, event) for event in plays)
    return len(plays)


def _plays(table: SimulatedTable) -> list[dict[str, Any]]:
    plays = [event for event in table.seen if event["event"] == "play"]
    return sorted(plays, key=lambda event: table.rests[event["seq"]])


def _struck(table: SimulatedTable, event: Mapping[str, Any]) -> bool:
    rest = table.rests[event["seq"]]
    lost = [
        i
        for i, _ in enumerate(table.setup.cameras)
        if any(f.camera == i and f.holds(rest) for f in table.how.faults)
    ]
    left = [camera for i, camera in enumerate(table.setup.cameras) if i not in lost]
    zone = next(zone for zone in table.setup.zones if zone.seat == event["seat"])
    return bool(lost) and seen_share(zone, left) < 0.9


def _goes(table: SimulatedTable, event: Mapping[str, Any]) -> int:
    """In how many goes the cards of a play were brought."""
    rest = table.rests[event["seq"]] + 1e-6
    trips = [trip for trip in table.timeline.trips if trip.seat == event["seat"] and trip.carries[1] <= rest]
    return sum(any(thing.of == event["seq"] for thing in trip.cargo) for trip in trips)


def _slid(table: SimulatedTable, lie: Lie, event: Mapping[str, Any]) -> bool:
    """Whether a play came to lie over the same seat's earlier one."""
    seq, seat = event["seq"], event["seat"]
    mine = [thing for thing in table.laid[seq] if thing.face_up]
    there = [
        thing for thing in lie.until(table.rests[seq] - 0.01) if thing.face_up and thing.of not in (0, seq)
    ]
    over = [thing for thing in there if _seat_of(table, thing) == seat]
    if not mine or not over:
        return False
    depth, row = _depth(seat, mine), _depth(seat, over)
    return bool(np.abs(row[:, None] - depth[None]).min() < _SLID_MM)


def _seat_of(table: SimulatedTable, thing: Lying) -> int | None:
    return next((event.get("seat") for event in table.truth if event["seq"] == thing.of), None)


def _depth(seat: int, things: Iterable[Lying]) -> np.ndarray:
    """How far from the table's centre towards its player each thing lies, mm."""
    x, y = to_table(seat, 0.0, 1.0)
    return np.array([thing.x * x + thing.y * y for thing in things])
