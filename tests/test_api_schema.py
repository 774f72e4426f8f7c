"""The API against its own OpenAPI: what schemathesis makes up brings no crash and no answer that is not described."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis import Case
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.api_desk import Node, node, opening

CHECKS = (
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_schema_conformance,
    response_headers_conformance,
)


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    with node(tmp_path_factory.mktemp("data"), roles=["referee"]) as running:
        play = [{"event": "play", "seat": 0, "cards": "S9"}, {"event": "play", "seat": 1, "cards": "H6"}]
        running.happened(*opening(), *play)
        yield running


def test_no_crash_and_no_answer_that_is_not_described(table: Node) -> None:
    with table.client("referee") as client:
        schema = schemathesis.openapi.from_dict(client.get("/openapi.json").json())
    told: list[str] = []
    tried = []
    for found in schema.get_all_operations():
        assert isinstance(found, Ok)
        operation = found.ok()
        tried.append(operation.label)

        @given(case=operation.as_strategy())
        @settings(
            max_examples=10,
            derandomize=True,
            deadline=None,
            database=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def asked(case: Case[Any]) -> None:
            headers = {"Authorization": f"Bearer {table.tokens['referee']}"}
            if case.operation.method.upper() in ("POST", "PUT", "DELETE"):
                headers["If-Match"] = f'"{table.seq}"'
            answer = case.call(base_url=table.base, headers=headers)
            case.validate_response(answer, checks=list(CHECKS))

        try:
            asked()
        except Exception as error:  # every route is tried, whatever one of them does
            told.append(f"{operation.label}: {error}")
    assert not told, "\n\n".join(told)
    assert len(tried) > 30
