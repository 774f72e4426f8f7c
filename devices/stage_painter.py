"""Paints the simulated table for a stage, as time goes on there: what its cameras show, whether they work or not.

Started by a measurement as `python -m devices.stage_painter`, with its orders as one JSON line on standard input: `stage`
(its file), `record` (JSON lines: the match), `profile`, `seed`, `cameras` and `conditions` of the table. Further lines say
what time it is there: `world` (s of the match) at `mono` (s of the monotonic clock), and whether time passes (`runs`).
It ends with its standard input.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from pathlib import Path
from typing import Any

import cv2

from devices.simulator.conditions import Conditions
from devices.simulator.table import SimulatedTable
from devices.staged import Stage


def staged_table(orders: dict[str, Any]) -> SimulatedTable:
    """The table that these orders are about; whoever gives them makes it as well, for its setup and its truth."""
    lines = Path(orders["record"]).read_text("utf-8").splitlines()
    return SimulatedTable(
        [json.loads(line) for line in lines],
        profile=orders["profile"],
        seed=orders["seed"],
        how=Conditions.from_options(orders["conditions"]),
        cameras=orders["cameras"],
        tags=1,
    )


def main() -> int:
    """Paint until nobody asks any more."""
    orders = json.loads(sys.stdin.buffer.readline())
    cv2.setNumThreads(1)
    table = staged_table(orders)
    stage = Stage(Path(orders["stage"]), [camera.size for camera in table.setup.cameras])
    sources = table.sources()
    world = mono = 0.0
    runs = False
    number, due, rest = 0, time.monotonic(), b""
    while True:
        ready, _, _ = select.select([0], [], [], max(0.0, due - time.monotonic()))
        if ready:
            data = os.read(0, 65536)
            if not data:
                return 0
            *lines, rest = (rest + data).split(b"\n")
            for line in lines:
                said = json.loads(line)
                world, mono, runs = said["world"], said["mono"], said["runs"]
            continue
        number += 1
        due = max(due + 1 / table.how.fps, time.monotonic() - 0.5)
        now, wall = time.monotonic(), time.time()
        at = world + (now - mono if runs else 0.0)
        for camera, source in enumerate(sources):
            stage.write(camera, number, source.picture(at, number), now, wall)


if __name__ == "__main__":
    sys.exit(main())
