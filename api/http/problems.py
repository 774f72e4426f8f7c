"""What every route answers when it cannot do what was asked: RFC 9457 problems that name the field and why."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from starlette.exceptions import HTTPException

from table.texts import both, catalogue

MEDIA: Final = "application/problem+json"
_LOG: Final = logging.getLogger("paizhuo.api")


class Words(BaseModel):
    """A text in both languages."""

    zh: str
    en: str


class Fault(BaseModel):
    """What is wrong with one field."""

    field: str = Field(description="Name of the field; nested ones parted by dots.")
    why: Words


class ProblemJson(BaseModel):
    """An answer instead of what was asked for (RFC 9457)."""

    model_config = ConfigDict(extra="allow")

    type: str = Field(description="Names the kind of problem.")
    title: Words
    status: int
    detail: Words
    errors: list[Fault] = Field(description="The fields that are wrong, and why.")


class Problem(Exception):
    """Ends a request with a problem.

    Args:
        status: of HTTP.
        kind: entry `KIND` (title) and `KIND_detail` of the texts of the API.
        errors: what is wrong with which field.
        headers: of the answer.
        more: further members (`state` of a conflict).
        fields: what the texts name.
    """

    def __init__(
        self,
        status: int,
        kind: str,
        *,
        errors: Iterable[tuple[str, Mapping[str, str]]] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
        **fields: Any,
    ) -> None:
        super().__init__(kind)
        self.status = status
        self.kind = kind
        self.headers = dict(headers or {})
        self.errors = [{"field": field, "why": dict(why)} for field, why in errors]
        self.more = dict(more or {})
        self.fields = fields

    def answer(self) -> JSONResponse:
        """The answer."""
        texts = catalogue("api")
        detail = f"{self.kind}_detail" if f"{self.kind}_detail" in texts else self.kind
        body = {
            "type": f"urn:paizhuo:problem:{self.kind}",
            "title": both(f"api.{self.kind}", **self.fields),
            "status": self.status,
            "detail": both(f"api.{detail}", **self.fields),
            "errors": self.errors,
            **self.more,
        }
        return JSONResponse(body, self.status, self.headers, MEDIA)


def wrong_field(field: str, key: str, **fields: Any) -> Problem:
    """A request that is refused because of one field; `key` names its text in the texts of the API."""
    return Problem(422, "not_valid", errors=[(field, both(f"api.{key}", **fields))])


def say_problems(app: FastAPI, log: Any = None) -> None:
    """Answer every error of the app as a problem, those of the framework too.

    Args:
        app: whose errors.
        log: a structlog logger for what is ours to mend; None for none.
    """

    @app.exception_handler(Problem)
    async def ours(_request: Request, error: Problem) -> JSONResponse:
        return error.answer()

    @app.exception_handler(RequestValidationError)
    async def not_valid(_request: Request, error: RequestValidationError) -> JSONResponse:
        faults = [(_field(one["loc"]), _why(one)) for one in error.errors()]
        return Problem(422, "not_valid", errors=faults).answer()

    @app.exception_handler(HTTPException)
    async def framework(_request: Request, error: HTTPException) -> JSONResponse:
        kinds = {400: "bad_request", 401: "no_token", 403: "not_allowed", 404: "not_found", 405: "bad_method"}
        kind = kinds.get(error.status_code, "other")
        phrase = str(error.detail) or HTTPStatus(error.status_code).phrase
        return Problem(error.status_code, kind, headers=error.headers, phrase=phrase).answer()

    @app.exception_handler(Exception)
    async def ours_to_mend(_request: Request, error: Exception) -> JSONResponse:
        _LOG.error("a request failed", exc_info=error)
        if log is not None:
            log.error("failed", exc_info=error)
        return Problem(500, "failed").answer()


def _field(place: Iterable[Any]) -> str:
    return ".".join(str(step) for step in list(place)[1:]) or "body"


_WHY: Final = {
    "missing": "is_missing",
    "json_invalid": "not_json",
    "extra_forbidden": "is_unknown",
    "string_too_long": "too_long",
    "too_long": "too_long",
}


def _why(error: Mapping[str, Any]) -> dict[str, str]:
    key = _WHY.get(str(error["type"]), "wrong_value")
    return both(f"api.{key}", what=error["msg"])


def problem_responses(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The entries of the OpenAPI for problems with these statuses."""
    return {
        status: {
            "description": HTTPStatus(status).phrase,
            "content": {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemJson"}}},
        }
        for status in statuses
    }
