"""Routes and middleware by which a node tells how it does: /healthz, Prometheus metrics, a log of what was asked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any, Final, Literal

import psutil
from fastapi import Response
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_LATEST
from prometheus_client.registry import Collector
from pydantic import BaseModel
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.desk import Desk
from api.http.access import PUBLIC, Routes
from api.live import latency, troubles

_TEXT: Final = {"schema": {"type": "string"}}
_QUIET: Final = ("GET", "HEAD")


class Health(BaseModel):
    """How the node does, in a word."""

    status: Literal["ok", "trouble"]


class Metrics:
    """What a node counts.

    Attributes:
        registry: of all of it.
        sockets: WebSockets that are open; `dropped`: those that did not read and were let go.
        messages: messages that were sent to WebSockets.
    """

    def __init__(self, desk: Desk) -> None:
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "paizhuo_requests", "Requests", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "paizhuo_request_seconds", "Time to answer", ("method",), registry=self.registry,
            buckets=(0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10),
        )  # fmt: skip
        self.sockets = Gauge("paizhuo_sockets", "WebSockets that are open", registry=self.registry)
        self.dropped = Counter(
            "paizhuo_sockets_dropped", "WebSockets that did not read", registry=self.registry
        )
        self.messages = Counter(
            "paizhuo_socket_messages", "Messages sent to WebSockets", registry=self.registry
        )
        self.registry.register(_TableCollector(desk))

    def text(self) -> bytes:
        """As Prometheus reads it."""
        return generate_latest(self.registry)


class _TableCollector(Collector):
    """What is asked of the table when somebody looks."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._process = psutil.Process()

    def collect(self) -> Iterator[Metric]:
        desk, service = self._desk, self._desk.service
        delay = latency(list(service.latencies))
        values = {
            "paizhuo_events": ("Events in the journal", float(desk.seq)),
            "paizhuo_changes": ("Changes told to displays", float(desk.streams.staff.count)),
            "paizhuo_steps": ("Steps of the table", float(service.steps)),
            "paizhuo_findings": (
                "Findings that stand",
                float(len(desk.streams.staff.part("findings") or ())),
            ),
            "paizhuo_troubles": ("What the table lacks", float(len(troubles(service)))),
            "paizhuo_memory_bytes": ("Resident memory", float(self._process.memory_info().rss)),
        }
        for share in ("p50", "p95"):
            if delay[share] is not None:
                says = f"Cards at rest to journal, {share}"
                values[f"paizhuo_latency_{share}_seconds"] = (says, delay[share] / 1000)
        for name, (says, value) in values.items():
            yield GaugeMetricFamily(name, says, value=value)
        up = GaugeMetricFamily("paizhuo_camera_up", "Whether a camera gives pictures", labels=["camera"])
        fps = GaugeMetricFamily("paizhuo_camera_fps", "Pictures a second", labels=["camera"])
        lost = GaugeMetricFamily("paizhuo_camera_dropped", "Pictures that came too fast", labels=["camera"])
        for name, one in dict(desk.runner.cameras).items():
            up.add_metric([name], float(not one.why and not one.ended))
            fps.add_metric([name], one.fps)
            lost.add_metric([name], one.dropped)
        yield from (up, fps, lost)


def health_routes(desk: Desk, metrics: Metrics) -> Routes:
    """The routes by which a node tells how it does."""
    routes = Routes(tags=["health"])

    @routes.add("GET", "/healthz", PUBLIC)
    def healthz() -> Health:
        """Whether the node is there, and whether it can record."""
        return Health(status="trouble" if desk.service.trouble else "ok")

    @routes.add(
        "GET", "/metrics", "viewer|operator|referee", response_class=Response,
        responses={200: {"description": "Prometheus text.", "content": {CONTENT_TYPE_LATEST: _TEXT}}},
    )  # fmt: skip
    def numbers() -> Response:
        """Metrics for Prometheus."""
        return Response(metrics.text(), media_type=CONTENT_TYPE_LATEST)

    return routes


class Watch:
    """Counts requests, and notes those that change something or fail; never their bodies, never their query.

    Args:
        app: behind it.
        metrics: where they are counted.
        log: a structlog logger; None notes nothing.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics, log: Any = None) -> None:
        self._app = app
        self._metrics = metrics
        self._log = log

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, and count."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began = time.perf_counter()
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            took = time.perf_counter() - began
            method = (
                scope["method"] if scope["method"] in ("GET", "HEAD", "POST", "PUT", "DELETE") else "other"
            )
            route = getattr(scope.get("route"), "path", "other")
            self._metrics.requests.labels(method, route, str(status)).inc()
            self._metrics.seconds.labels(method).observe(took)
            if self._log is not None and (scope["method"] not in _QUIET or status >= 500):
                who = scope.get("state", {}).get("who")
                self._log.info(
                    "request",
                    method=method,
                    path=scope["path"],
                    status=status,
                    ms=round(took * 1000),
                    who=who,
                )
