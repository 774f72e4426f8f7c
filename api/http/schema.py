"""The OpenAPI of a node: its own kinds of answers in place of the framework's, the role of every route."""

from __future__ import annotations

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.responses import JSONResponse

from api.http.access import Routes
from api.http.problems import MEDIA, ProblemJson

VERSION: Final = "1"


def add_schema(app: FastAPI) -> None:
    """Serve the OpenAPI of an app that has all its routes."""
    known: dict[str, Any] = {}
    routes = Routes(include_in_schema=False)

    @routes.add("GET", "/openapi.json", "viewer|operator|referee")
    def openapi() -> JSONResponse:
        if not known:
            known.update(schema_of(app))
        return JSONResponse(known)

    app.include_router(routes)


def schema_of(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI of an app."""
    schema = get_openapi(
        title="Paizhuo", version=VERSION, routes=app.routes,
        description="One card table: its state, its record, what a referee decides. See docs/api.md.",
    )  # fmt: skip
    components = schema.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    own = ProblemJson.model_json_schema(ref_template="#/components/schemas/{model}")
    schemas.update(own.pop("$defs", {}))
    schemas["ProblemJson"] = own
    for name in ("HTTPValidationError", "ValidationError"):
        schemas.pop(name, None)
    components["securitySchemes"] = {
        "bearer": {"type": "http", "scheme": "bearer"},
        "cookie": {"type": "apiKey", "in": "cookie", "name": "paizhuo"},
    }
    problem = {MEDIA: {"schema": {"$ref": "#/components/schemas/ProblemJson"}}}
    for methods in schema["paths"].values():
        for operation in methods.values():
            if operation.get("x-role", "public") != "public":
                operation["security"] = [{"bearer": []}, {"cookie": []}]
            answers = operation["responses"]
            for status in ("422",):
                if "application/json" in answers.get(status, {}).get("content", {}):
                    answers[status] = {"description": "Something in it is wrong", "content": problem}
            if "requestBody" in operation:
                answers["413"] = {"description": "It is too large", "content": problem}
            answers["400"] = {"description": "It cannot be understood", "content": problem}
    return schema
