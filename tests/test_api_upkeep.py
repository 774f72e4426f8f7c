"""A running table looked after at its pages: a camera that was knocked counts as set up where it is now."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from api.places import Places
from calibration.setup_file import load_setup, save_setup
from devices.simulator.table import SimulatedTable
from tests.api_desk import Node, node
from tests.display_tables import until
from vision.frames import Frame

NAME = "camera 1"


class HasDesk(Protocol):
    """A node of whatever kind."""

    desk: Any


ACCEPT = f"/api/v1/cameras/{NAME}/accept-place"


@cache
def knocked() -> tuple[SimulatedTable, np.ndarray]:
    """A table and the picture of its first camera after that was knocked by 10 mm."""
    table = SimulatedTable(seed=1, cameras=2, tags=7)
    return table, table._view(0, 10.0).frame((), (), (), 0, 0.0)


@contextmanager
def watched(data: Path) -> Iterator[tuple[Node, Path]]:
    """A table whose first camera was knocked, and its setup file."""
    table, image = knocked()
    file = data / "table.toml"
    save_setup(table.setup, file)
    with node(
        data / "node", roles=["viewer", "referee", "operator"], setup=table.setup, table_file=file
    ) as running:
        places = Places(table.setup, object(), file, every=0.0)
        running.desk.service.places = places
        places.see([Frame(image, float(i), NAME) for i in range(5)])
        yield running, file


@contextmanager
def pictures(running: HasDesk) -> Iterator[None]:
    """The knocked camera goes on giving pictures."""
    stop = threading.Event()

    def give() -> None:
        at = 10.0
        while not stop.wait(0.05):
            running.desk.service.places.see([Frame(knocked()[1], at, NAME)])
            at += 1.0

    thread = threading.Thread(target=give)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_knocked_camera_is_accepted_in_one_step(tmp_path: Path) -> None:
    with watched(tmp_path) as (running, file), running.client("operator") as client:
        before = load_setup(file).cameras[0].plane.to_px
        with pictures(running):
            answer = client.post(ACCEPT, headers={"If-Match": f'"{running.seq}"'})
        assert answer.status_code == 200, answer.text
        assert (answer.json()["state"], answer.json()["saved"]) == ("ok", True)
        after = load_setup(file).cameras[0].plane.to_px
        assert not np.allclose(before, after)
        told = client.get("/api/v1/setup").json()["cameras"][0]["plane"]["to_px"]
        assert np.allclose(told, after)


def test_a_place_that_was_accepted_since_is_a_conflict(tmp_path: Path) -> None:
    with watched(tmp_path) as (running, _), running.client("operator") as client:
        decided = {"If-Match": f'"{running.seq}"'}
        running.happened({"event": "pass", "seat": 1})
        with pictures(running):
            assert client.post(ACCEPT, headers={"If-Match": f'"{running.seq}"'}).status_code == 200
            assert client.post(ACCEPT, headers=decided).status_code == 412


def test_what_cannot_be_accepted_says_why(tmp_path: Path) -> None:
    with watched(tmp_path) as (running, file), running.client("operator") as client:
        before = file.read_bytes()
        now = {"If-Match": f'"{running.seq}"'}

        def kind(name: str, **headers: str) -> str:
            answer = client.post(f"/api/v1/cameras/{name}/accept-place", headers=headers)
            assert answer.headers["content-type"] == "application/problem+json"
            return str(answer.json()["type"]).rpartition(":")[2]

        assert kind("nobody", **now) == "no_such_camera"
        assert kind("camera 2", **now) == "place_unknown"
        assert kind(NAME) == "no_precondition"
        assert file.read_bytes() == before


def test_the_page_is_told_which_camera_has_moved(tmp_path: Path) -> None:
    with watched(tmp_path) as (running, _), running.client("operator") as client:

        def places() -> dict[str, Any]:
            cameras = client.get("/api/v1/state").json()["table"]["cameras"]
            return {one["name"]: one["place"] for one in cameras}

        until(lambda: places()[NAME] == {"state": "moved", "mm": 10.0})
        assert places()["camera 2"]["state"] == "unknown"


def test_the_machine_is_examined_beside_its_table(tmp_path: Path) -> None:
    with node(tmp_path, roles=["viewer", "operator"]) as running:
        with running.client("viewer") as client:
            assert client.get("/api/v1/doctor").status_code == 403
        with running.client("operator") as client:
            told = client.get("/api/v1/doctor").json()
    assert {one["area"] for one in told["findings"]} == {"machine", "clock", "disk", "models"}
    assert all(one["text"]["zh"] and one["text"]["en"] for one in told["findings"])
    worst = {one["level"] for one in told["findings"]} & {"warn", "unfit"}
    assert told["status"] == ("unfit" if "unfit" in worst else "usable" if worst else "fit")
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".paizhuo-doctor")]
