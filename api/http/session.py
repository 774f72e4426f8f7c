"""Routes of who somebody is: log in with a token, say who is logged in, log out."""

from __future__ import annotations

import math
from collections.abc import Callable

from fastapi import Request, Response
from pydantic import BaseModel, ConfigDict, Field

from api.auth import Grant, Patience
from api.desk import Desk
from api.http.access import COOKIE, PUBLIC, Door, Routes, Who, need
from api.http.problems import Problem
from table.texts import LANGUAGES, both

_WEEK_S = 7 * 86400


class Login(BaseModel):
    """A token, as `paizhuo token add` printed it."""

    model_config = ConfigDict(extra="forbid")

    token: str = Field(max_length=200)


class Session(BaseModel):
    """Who somebody is at this table."""

    role: str
    roles: list[str] = Field(description="The roles that it stands for.")
    name: str
    table: str
    languages: list[str]


def session_routes(desk: Desk, door: Door, clock: Callable[[], float]) -> Routes:
    """The routes.

    Args:
        desk: of the table.
        door: who is who.
        clock: seconds of a clock that only runs forward.
    """
    routes = Routes(tags=["session"])
    patience = Patience(clock)

    def session(grant: Grant) -> Session:
        return Session(
            role=grant.role, roles=sorted(grant.may), name=grant.name, table=desk.service.setup.name,
            languages=list(LANGUAGES),
        )  # fmt: skip

    @routes.add("GET", "/api/v1/session", "viewer|operator|referee|overlay")
    def who_am_i(who: Who) -> Session:
        """Who you are at this table."""
        return session(who)

    @routes.add("POST", "/api/v1/session", PUBLIC, 401, 403, 429)
    def log_in(login: Login, request: Request, response: Response) -> Session:
        """Log in with a token; a cookie keeps you logged in for a week."""
        address = request.client.host if request.client else ""
        wait = patience.wait(address)
        if wait > 0:
            seconds = math.ceil(wait)
            raise Problem(429, "wait_a_while", headers={"Retry-After": str(seconds)}, seconds=seconds)
        grant = door.tokens.grant(login.token)
        if grant is None:
            patience.wrong(address)
            raise Problem(401, "bad_token", errors=[("token", both("api.bad_token_detail"))])
        patience.right(address)
        response.set_cookie(
            COOKIE, login.token, max_age=_WEEK_S, httponly=True, samesite="strict",
            secure=request.url.scheme == "https",
        )  # fmt: skip
        return session(grant)

    @routes.add("DELETE", "/api/v1/session", PUBLIC, status_code=204)
    def log_out(response: Response) -> None:
        """Log out: the cookie is forgotten."""
        response.delete_cookie(COOKIE, httponly=True, samesite="strict")

    return routes


__all__ = ["Login", "Session", "need", "session_routes"]
