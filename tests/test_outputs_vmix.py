"""Feeds for vMix: flat rows of strings whose columns never change, late and clean like everything on air."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from api.outputs import OutputPolicy, Outputs
from api.overlay_routes import overlay_router
from api.vmix import FEEDS, vmix_rows
from tests.overlay_tools import PLAYERS, put, state

COLUMNS = {
    "table": "Table.Text Match.Text Deal.Text Level.Text SideA.Text SideB.Text LevelA.Text LevelB.Text Trump.Text "
    "Points.Text Banker.Text ClockSeat.Text ClockLeft.Text OnAir",
    "seats": "Seat.Text Name.Text Side.Text Remaining.Text Called.Text Place.Text Turn",
    "trick": "Seat.Text Name.Text Cards.Text Count.Text Leader",
    "finding": "Rule.Text Article.Text Name.Text OnAir",
    "result": "Deal.Text Result.Text First.Text Second.Text Third.Text Fourth.Text Side.Text Rise.Text LevelA.Text "
    "LevelB.Text Points.Text OnAir",
}
ROWS = {"table": 1, "seats": 4, "trick": 4, "finding": 1, "result": 1}


@pytest.fixture
def outputs() -> Outputs:
    made = Outputs()
    put(made, state())
    return made


def feeds(outputs: Outputs, **policy: Any) -> TestClient:
    app = FastAPI()
    policies = {"t": OutputPolicy("vmix", **policy)}
    app.include_router(
        overlay_router(outputs, lambda asked: policies.get(asked.query_params.get("token", "")))
    )
    return TestClient(app)


@pytest.mark.parametrize("name", FEEDS)
@pytest.mark.parametrize("full", [False, True])
def test_columns_and_rows_are_the_same_whatever_the_table_does(
    outputs: Outputs, name: str, full: bool
) -> None:
    feed = outputs.open(OutputPolicy("vmix"))
    feed.look()
    rows = vmix_rows(name, feed.state if full else {}, "zh")
    assert [" ".join(row) for row in rows] == [COLUMNS[name]] * ROWS[name]
    assert all(isinstance(value, str) for row in rows for value in row.values())


def test_a_trick_is_told_seat_by_seat(outputs: Outputs) -> None:
    rows = feeds(outputs).get("/feeds/vmix/trick.json?token=t").json()
    assert [(row["Name.Text"], row["Cards.Text"]) for row in rows] == [
        (PLAYERS[0], "♠7 ♥7"), (PLAYERS[1], "♠9 ♥9"), (PLAYERS[2], ""), (PLAYERS[3], "")
    ]  # fmt: skip


def test_the_clock_has_counted_on_since_it_was_told() -> None:
    now = [100.0]
    outputs = Outputs(lambda: now[0])
    wait = {"seat": 1, "action": "play", "limit": 20, "left": 20.0}
    put(outputs, {**state(), "clock": {"stopped": False, "at": 0, "waits": [wait]}})
    now[0] += 13
    row = vmix_rows("table", outputs.open(OutputPolicy("vmix")).present(), "en")[0]
    assert (row["ClockSeat.Text"], row["ClockLeft.Text"]) == (PLAYERS[1], "7")


def test_cleared_graphics_are_empty_fields(outputs: Outputs) -> None:
    outputs.put("control", {"graphics": "clear"})
    rows = feeds(outputs).get("/feeds/vmix/seats.json?token=t").json()
    assert [set(row.values()) for row in rows] == [{""}] * 4
    assert list(rows[0]) == COLUMNS["seats"].split()


def test_the_delay_of_the_output_holds_here_too(outputs: Outputs) -> None:
    row = feeds(outputs, security_delay_s=60).get("/feeds/vmix/table.json?token=t").json()[0]
    assert (row["Table.Text"], row["OnAir"]) == ("", "0")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/feeds/vmix/table.json", 401),
        ("/feeds/vmix/table.json?token=other", 401),
        ("/feeds/vmix/hands.json?token=t", 404),
        ("/feeds/vmix/table.json?token=t&lang=fr", 404),
        ("/feeds/vmix/table.json?token=t&delay_ms=soon", 422),
    ],
)
def test_what_cannot_be_served_is_refused(outputs: Outputs, path: str, status: int) -> None:
    assert feeds(outputs).get(path).status_code == status
