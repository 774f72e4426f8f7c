"""The app of one table node: its routes, who may use them, its pages."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from typing import Any

from fastapi import FastAPI

from api.desk import Desk
from api.http.access import LOOPBACK, BodyLimit, Door, HostGate, check_routes
from api.http.downloads import download_routes
from api.http.health import Metrics, Watch, health_routes
from api.http.inputs import input_routes
from api.http.media import media_routes
from api.http.pages import add_pages
from api.http.problems import say_problems
from api.http.rulings import match_routes, ruling_routes
from api.http.schema import add_schema
from api.http.session import session_routes
from api.http.setup import setup_routes
from api.http.state import state_routes
from api.http.upkeep import upkeep_routes
from api.overlay_routes import overlay_router


def make_node(
    desk: Desk,
    door: Door,
    hosts: Iterable[str] = LOOPBACK,
    clock: Callable[[], float] = time.monotonic,
    log: Any = None,
) -> FastAPI:
    """The app of a table.

    Args:
        desk: the running table.
        door: who may do what.
        hosts: names and addresses under which it is served.
        clock: seconds of a clock that only runs forward.
        log: a structlog logger for what is asked; None for none.
    """
    app = FastAPI(title="Paizhuo", docs_url=None, redoc_url=None, openapi_url=None)
    app.state.door = door
    metrics = Metrics(desk)
    say_problems(app, log)
    for routes in (
        session_routes(desk, door, clock),
        state_routes(desk, door, metrics),
        input_routes(desk),
        ruling_routes(desk),
        match_routes(desk),
        media_routes(desk),
        setup_routes(desk),
        upkeep_routes(desk, clock),
        download_routes(desk),
        health_routes(desk, metrics),
    ):
        check_routes(routes.routes)
        app.include_router(routes)
    app.include_router(overlay_router(desk.outputs, door.policy))
    add_pages(app)
    add_schema(app)
    app.add_middleware(BodyLimit)
    app.add_middleware(HostGate, names=hosts)
    app.add_middleware(Watch, metrics=metrics, log=log)
    return app
