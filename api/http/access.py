"""Who asks, and whether he may: every route names the role it needs, whoever has it not is refused."""

from __future__ import annotations

import ipaddress
from collections.abc import Callable, Iterable
from typing import Annotated, Any, Final
from urllib.parse import urlsplit

from fastapi import APIRouter, Depends
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.auth import Grant, LocalGrant, Tokens
from api.http.problems import Problem, problem_responses
from api.outputs import OutputPolicy

COOKIE: Final = "paizhuo"
PUBLIC: Final = "public"
_SAFE: Final = ("GET", "HEAD", "OPTIONS")
LOOPBACK: Final = ("127.0.0.1", "localhost", "::1", "[::1]")


class Door:
    """Knows whoever comes by his token.

    Args:
        tokens: of the table.
        local: whether the table can be reached from this machine only: while it has no tokens, whoever sits there may
            do everything.
    """

    def __init__(self, tokens: Tokens, local: bool) -> None:
        self.tokens = tokens
        self._local = local

    def who(self, asks: HTTPConnection) -> Grant | None:
        """What somebody may do; None for nobody who is known.

        Raises:
            Problem: 403 where a page from elsewhere uses what a browser knows.
        """
        token, ambient = shown_token(asks)
        grant = self.tokens.grant(token) if token else None
        if grant is None and self._local and not len(self.tokens):
            grant, ambient = LocalGrant(), True
        if grant is not None and ambient and _from_elsewhere(asks):
            raise Problem(403, "from_elsewhere")
        return grant

    def policy(self, asks: HTTPConnection) -> OutputPolicy | None:
        """What an output may show; for an overlay's token, or for somebody who works here and looks at its page."""
        try:
            grant = self.who(asks)
        except Problem:
            return None
        if grant is None or not grant.may & {"overlay", "operator", "referee"}:
            return None
        return grant.policy() if grant.role == "overlay" else OutputPolicy("local")


def shown_token(asks: HTTPConnection) -> tuple[str, bool]:
    """The token that came along, and whether the browser sent it by itself."""
    scheme, _, value = asks.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return value.strip(), False
    path = asks.url.path
    if path.startswith(("/api/v1/overlay", "/feeds/")) and asks.query_params.get("token"):
        return asks.query_params["token"], False
    return asks.cookies.get(COOKIE, ""), True


def _from_elsewhere(asks: HTTPConnection) -> bool:
    """Whether a page of another site is behind a request that changes something, or behind a WebSocket."""
    if asks.scope["type"] == "http" and asks.scope["method"] in _SAFE:
        return False
    origin = asks.headers.get("origin")
    if origin is not None:
        return urlsplit(origin).netloc.lower() != asks.headers.get("host", "").lower()
    return asks.headers.get("sec-fetch-site", "none") not in ("same-origin", "none")


def door_of(asks: HTTPConnection) -> Door:
    """The door of the app that is asked."""
    door: Door = asks.app.state.door
    return door


def need(role: str) -> Callable[[HTTPConnection], Grant]:
    """A dependency that lets only those pass who have a role."""

    def check(asks: HTTPConnection) -> Grant:
        grant = door_of(asks).who(asks)
        asks.state.who = None if grant is None else f"{grant.role} {grant.name}".strip()
        if grant is None:
            kind = "bad_token" if shown_token(asks)[0] else "no_token"
            raise Problem(401, kind, headers={"WWW-Authenticate": "Bearer"})
        if not grant.may & set(role.split("|")):
            raise Problem(403, "not_allowed")
        return grant

    return check


Who = Annotated[Grant, Depends(need("viewer|operator|referee|overlay"))]


class Routes(APIRouter):
    """Routes that each name the role they need: `routes.add("GET", path, role)`."""

    def add(self, method: str, path: str, role: str, *problems: int, **more: Any) -> Callable[[Any], Any]:
        """A decorator for a route.

        Args:
            method: GET, POST, PUT or DELETE.
            path: of the route.
            role: `viewer`, `operator`, `referee`, several parted by `|`, or `public`.
            problems: statuses that it may answer besides those of every route.
            more: passed on to FastAPI.
        """
        statuses = {*problems} | (set() if role == PUBLIC else {401, 403})
        return self.api_route(
            path,
            methods=[method],
            dependencies=[] if role == PUBLIC else [Depends(need(role))],
            responses={**problem_responses(*sorted(statuses)), **more.pop("responses", {})},
            openapi_extra={"x-role": role, **more.pop("openapi_extra", {})},
            **more,
        )


def check_routes(routes: Iterable[Any]) -> None:
    """Every route of the API names a role (RuntimeError: one does not; a mistake in the code)."""
    for route in routes:
        if isinstance(route, APIRoute) and "x-role" not in (route.openapi_extra or {}):
            raise RuntimeError(f"route {route.path} names no role")


class HostGate:
    """Answers only to the names under which the table is served.

    Args:
        app: behind it.
        names: host names and addresses, without port.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self._app = app
        self._names = {name.lower() for name in names}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or refuse."""
        if scope["type"] in ("http", "websocket"):
            host = urlsplit("//" + HTTPConnection(scope).headers.get("host", "")).hostname or ""
            if host.lower() not in self._names:
                if scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 1008})
                else:
                    await Problem(400, "wrong_host", host=host[:100]).answer()(scope, receive, send)
                return
        await self._app(scope, receive, send)


class BodyLimit:
    """Takes no body that is larger than anything the API is meant for.

    Args:
        app: behind it.
        largest: bytes.
    """

    def __init__(self, app: ASGIApp, largest: int = 2**20) -> None:
        self._app = app
        self._largest = largest

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on, or refuse; one that does not say how long it is, is cut off where it gets too long."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = HTTPConnection(scope).headers.get("content-length", "0")
        if not said.isdecimal() or int(said) > self._largest:
            await Problem(413, "too_large").answer()(scope, receive, send)
            return
        got = 0

        async def counted() -> Message:
            nonlocal got
            message = await receive()
            got += len(message.get("body", b""))
            if got > self._largest:
                raise Problem(413, "too_large")
            return message

        await self._app(scope, counted, send)


def is_loopback(host: str) -> bool:
    """Whether only this machine reaches an address."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
