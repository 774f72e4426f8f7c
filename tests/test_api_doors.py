"""Who gets in: every route of the OpenAPI without a token, with each role, with another table's; log-in; other sites."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from api.auth import TOKENS, Grant, Patience, Tokens
from api.cli import app
from api.node import Address, NotServed, hosts_of, serve
from tests.api_desk import Hands, Node, node, opening

ROLES = ("viewer", "operator", "referee")


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A table that asks for tokens, with one for each role and for an output."""
    grants = [Grant("overlay", "truck", delay_ms=200)]
    with node(tmp_path_factory.mktemp("data"), roles=ROLES, grants=grants) as running:
        yield running


@pytest.fixture(scope="module")
def stranger(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A referee's token of another table."""
    return Tokens(tmp_path_factory.mktemp("other") / TOKENS).add(Grant("referee", "elsewhere"))


def routes(table: Node) -> Iterator[tuple[str, str, str]]:
    """Method, path and role of every route."""
    with table.client("referee") as client:
        schema = client.get("/openapi.json").json()
    for path, methods in schema["paths"].items():
        for method, operation in methods.items():
            filled = path.replace("{finding}", "1").replace("{name}", "x")
            yield method.upper(), filled, operation.get("x-role", "")


def test_every_route_is_closed_to_whoever_may_not_use_it(table: Node, stranger: str) -> None:
    opened: list[tuple[object, ...]] = []
    for method, path, role in routes(table):
        assert role or path.startswith("/feeds/"), f"{method} {path} names no role"
        if role == "public":
            continue
        strangers: list[dict[str, str]] = [
            {},
            {"Authorization": f"Bearer {stranger}"},
            {"Authorization": "Bearer rubbish"},
            {"Cookie": f"paizhuo={stranger}"},
        ]
        with table.client() as nobody:
            for headers in strangers:
                answer = nobody.request(method, path, headers=headers)
                if answer.status_code != 401:
                    opened.append((method, path, headers, answer.status_code))
        for name in (*ROLES, "truck"):
            mine = {"truck": "overlay"}.get(name, name)
            if path.startswith("/feeds/") or mine in role.split("|"):
                continue
            with table.client(name) as client:
                answer = client.request(method, path, json={})
            if answer.status_code != 403:
                opened.append((method, path, name, answer.status_code))
    assert not opened


def test_whoever_may_gets_past_the_door(table: Node) -> None:
    shut = []
    for method, path, role in routes(table):
        if method != "GET" or role == "public" or path.startswith("/feeds/"):
            continue
        for name in set(role.split("|")) & set(ROLES):
            with table.client(name) as client:
                answer = client.get(path)
            if answer.status_code in (401, 403, 500):
                shut.append((path, name, answer.status_code))
    assert not shut


def test_log_in_sets_a_cookie_that_scripts_cannot_read(table: Node) -> None:
    with table.client() as client:
        assert client.get("/api/v1/session").status_code == 401
        answer = client.post("/api/v1/session", json={"token": table.tokens["referee"]})
        assert (answer.json()["role"], answer.json()["name"]) == ("referee", "the referee")
        cookie = answer.headers["set-cookie"].lower()
        assert "httponly" in cookie
        assert "samesite=strict" in cookie
        assert client.get("/api/v1/session").json()["role"] == "referee"
        assert client.post("/api/v1/inputs", json={"event": "pass", "seat": 1}).status_code == 201
        client.delete("/api/v1/session")
        assert client.get("/api/v1/session").status_code == 401


def test_other_sites_change_nothing_with_a_visitors_cookie(table: Node) -> None:
    before = table.seq
    with table.client() as client:
        client.post("/api/v1/session", json={"token": table.tokens["referee"]})
        for headers in (
            {"Origin": "http://evil.example"},
            {"Origin": "null"},
            {"Sec-Fetch-Site": "cross-site"},
        ):
            answer = client.post("/api/v1/inputs", json={"event": "pass", "seat": 2}, headers=headers)
            assert (answer.status_code, answer.json()["type"]) == (403, "urn:paizhuo:problem:from_elsewhere")
        answer = client.post(
            "/api/v1/inputs", content='{"event": "pass", "seat": 2}', headers={"Content-Type": "text/plain"}
        )
        assert answer.status_code == 422
        assert (
            "access-control-allow-origin"
            not in client.get("/api/v1/state", headers={"Origin": "http://evil.example"}).headers
        )
    assert table.seq == before


def test_only_names_of_this_machine_are_answered(table: Node) -> None:
    with table.client("referee", Host="evil.example") as client:
        answer = client.get("/api/v1/state")
    assert (answer.status_code, answer.headers["content-type"]) == (400, "application/problem+json")


def test_the_socket_wants_a_role_and_no_other_site(table: Node, stranger: str) -> None:
    address = table.base.replace("http", "ws") + "/api/v1/live"
    cookie = {"Cookie": f"paizhuo={table.tokens['referee']}"}
    refused: list[dict[str, str]] = [
        {},
        {"Authorization": f"Bearer {stranger}"},
        {"Authorization": f"Bearer {table.tokens['truck']}"},
        {**cookie, "Origin": "http://evil.example"},
    ]
    for headers in refused:
        with (
            pytest.raises((InvalidStatus, ConnectionClosed)),
            connect(address, additional_headers=headers) as socket,
        ):
            socket.recv()
    with connect(address, additional_headers={**cookie, "Origin": table.base}) as socket:
        assert '"snapshot"' in str(socket.recv())


def test_wrong_tokens_have_to_wait_longer_each_time() -> None:
    time = Hands()
    patience = Patience(time, free=3)
    for _ in range(3):
        assert patience.wait("a") == 0
        patience.wrong("a")
    first = patience.wait("a")
    time.at += first
    assert patience.wait("a") == 0
    patience.wrong("a")
    assert patience.wait("a") > first
    assert patience.wait("b") == 0
    patience.right("a")
    assert patience.wait("a") == 0


def test_log_in_is_rate_limited(table: Node) -> None:
    with table.client() as client:
        answers = [client.post("/api/v1/session", json={"token": "pz_wrong"}) for _ in range(8)]
        assert [one.status_code for one in answers][:5] == [401] * 5
        assert answers[-1].status_code == 429
        assert int(answers[-1].headers["retry-after"]) >= 1
        # Whoever has a token is not locked out by those who have none.
        assert (
            client.get(
                "/api/v1/state", headers={"Authorization": f"Bearer {table.tokens['viewer']}"}
            ).status_code
            == 200
        )


def test_a_token_that_is_taken_back_is_out_at_once(tmp_path: Path) -> None:
    with node(tmp_path, roles=["referee", "viewer"]) as running, running.client("referee") as client:
        assert client.get("/api/v1/state").status_code == 200
        id_ = running.tokens["referee"].split("_")[1]
        assert CliRunner().invoke(app, ["token", "remove", "--data", str(tmp_path), id_]).exit_code == 0
        assert client.get("/api/v1/state").status_code == 401


def test_tokens_are_made_by_a_command_and_kept_as_hashes(tmp_path: Path) -> None:
    runner = CliRunner()
    made = runner.invoke(
        app, ["token", "add", "--data", str(tmp_path), "--role", "referee", "--name", "张三"]
    )
    token = made.output.strip()
    kept = (tmp_path / TOKENS).read_text("utf-8")
    assert token.split("_", 2)[2] not in kept
    grant = Tokens(tmp_path / TOKENS).grant(token)
    assert grant is not None
    assert (grant.role, grant.name) == ("referee", "张三")
    assert "张三" in runner.invoke(app, ["token", "list", "--data", str(tmp_path)]).output
    assert (tmp_path / TOKENS).stat().st_mode & 0o077 == 0
    bad = runner.invoke(
        app, ["token", "add", "--data", str(tmp_path), "--role", "overlay", "--reveal", "delayed"]
    )
    assert bad.exit_code == 2
    assert len(bad.output.strip().splitlines()) == 1


def test_others_reach_no_table_without_tokens(tmp_path: Path) -> None:
    with node(tmp_path) as running:
        with pytest.raises(NotServed, match="token"):
            serve(running.desk, Address(0, "0.0.0.0"), "en")
        Tokens(tmp_path / TOKENS).add(Grant("referee"))
        page = serve(running.desk, Address(0, "0.0.0.0"), "en")
        page.stop()


def test_a_table_on_the_network_answers_to_its_own_names_only() -> None:
    assert hosts_of(Address(80)) == {"127.0.0.1", "localhost", "::1", "[::1]"}
    names = hosts_of(Address(80, "0.0.0.0", ["table7.example"]))
    assert "table7.example" in names
    assert "evil.example" not in names


def test_viewers_see_findings_only_once_they_are_upheld(tmp_path: Path) -> None:
    def kinds(role: str) -> Any:
        with running.client(role) as client:
            told = client.get("/api/v1/state").json()["findings"]
            text = client.get("/api/v1/record.txt").text
        return [one["kind"] for one in told], "not beat" in text

    with node(tmp_path, roles=ROLES) as running:
        running.happened(
            *opening(),
            {"event": "play", "seat": 0, "cards": "S9"},
            {"event": "play", "seat": 1, "cards": "H6"},
        )
        assert kinds("referee")[0] == ["does_not_beat"]
        assert kinds("viewer") == ([], False)
        with running.client("referee") as client:
            client.post(
                "/api/v1/findings/1/ruling",
                json={"decision": "upheld"},
                headers={"If-Match": f'"{running.seq}"'},
            )
        assert kinds("viewer")[0] == ["does_not_beat"]


def test_a_port_that_is_taken_is_an_error_at_once(tmp_path: Path) -> None:
    with node(tmp_path) as running, pytest.raises(NotServed, match=r"\d+"):
        serve(running.desk, Address(int(running.base.rpartition(":")[2])), "en")


def test_a_body_that_is_too_large_is_not_taken(table: Node) -> None:
    long = b'{"event": "moved", "seat": 1, "what": "' + b"x" * 2**20 + b'"}'

    def parts() -> Iterator[bytes]:
        yield from (long[i : i + 65536] for i in range(0, len(long), 65536))

    before = table.seq
    with table.client("referee") as client:
        kind = {"Content-Type": "application/json"}
        assert client.post("/api/v1/inputs", content=long, headers=kind).status_code == 413
        assert client.post("/api/v1/inputs", content=parts(), headers=kind).status_code in (400, 413)
    assert table.seq == before
