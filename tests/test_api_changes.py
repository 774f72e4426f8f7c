"""What a referee does over the API: puts in, corrects, rules, takes back; two of them never overwrite each other."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.api_desk import Node, node, opening


@pytest.fixture
def table(tmp_path: Path) -> Iterator[Node]:
    with node(tmp_path / "data") as running:
        yield running


@pytest.fixture(scope="module")
def ruled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A table with a finding that was upheld, at which nothing may change."""
    with node(tmp_path_factory.mktemp("ruled")) as running, running.client() as client:
        of = misread(running)
        number = state(client)["findings"][0]["finding"]
        assert (of, number) == (PLAY, 1)
        decided = {"If-Match": f'"{of}"'}
        client.post("/api/v1/findings/1/ruling", json={"decision": "upheld"}, headers=decided)
        yield running


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A table at which no deal has begun."""
    with node(tmp_path_factory.mktemp("idle")) as running:
        yield running


PLAY = 6


def state(client: httpx.Client) -> dict[str, Any]:
    found: dict[str, Any] = client.get("/api/v1/state").json()
    return found


def play(seat: int, cards: str) -> dict[str, Any]:
    return {"event": "play", "seat": seat, "cards": cards}


def test_what_is_put_in_is_in_the_journal_when_the_answer_comes(table: Node) -> None:
    table.happened(*opening())
    seq = table.happened(play(0, "S3 S3"))[0]
    assert [event.name for event in table.desk.service.journal.events(after=seq - 1)] == ["play"]
    with table.client() as client:
        now = state(client)
    assert [one["cards"] for one in now["trick"]["plays"]] == [["S3", "S3"]]
    assert [seat["remaining"] for seat in now["seats"]] == [25, 27, 27, 27]
    assert [seat["turn"] for seat in now["seats"]] == [False, True, False, False]
    assert now["match"]["seq"] == seq


@pytest.mark.parametrize(
    ("event", "field"),
    [
        ({"event": "play", "seat": 5, "cards": "S3"}, "seat"),
        ({"event": "play", "seat": 1, "cards": "S3 X9"}, "cards"),
        ({"event": "play", "seat": 1}, "cards"),
        ({"event": "ruling", "finding": 1, "decision": "upheld"}, "event"),
        ({"event": "dealt", "seat": 1, "cards": "S3"}, "event"),
        ({"event": "nothing known"}, "event"),
        ({}, "event"),
        ({"event": "pass", "seat": 1, "at": 9999.0}, "at"),
    ],
)
def test_bad_input_names_the_field_and_changes_nothing(
    ruled: Node, event: dict[str, Any], field: str
) -> None:
    before = ruled.seq
    with ruled.client() as client:
        answer = client.post("/api/v1/inputs", json=event)
        text = state(client)
    assert answer.status_code == 422
    assert answer.headers["content-type"] == "application/problem+json"
    assert [one["field"] for one in answer.json()["errors"]] == [field]
    assert all(answer.json()["errors"][0]["why"][lang] for lang in ("zh", "en"))
    assert (ruled.seq, text["match"]["seq"]) == (before, before)


def misread(table: Node) -> int:
    """A deal in which seat 1 did not beat what seat 0 led; the number of his play."""
    table.happened(*opening(), play(0, "S9"))
    return table.happened(play(1, "H6"))[0]


def findings(client: httpx.Client) -> list[str]:
    return [one["kind"] for one in state(client)["findings"]]


def test_a_correction_shows_first_what_it_changes_and_is_undone_by_one_key(table: Node) -> None:
    of = misread(table)
    asked = {"of": of, "replacement": {"cards": ["HQ"]}}
    with table.client() as client:
        assert "does_not_beat" in findings(client)
        preview = client.post("/api/v1/corrections/preview", json=asked).json()
        assert [one["what"] for one in preview["changes"]][:1] == ["finding_gone"]
        assert "does_not_beat" not in [one["kind"] for one in preview["findings_then"]]
        assert table.seq == of
        done = client.post("/api/v1/corrections", json=asked, headers={"If-Match": f'"{of}"'})
        assert done.status_code == 201
        corrected = state(client)
        assert "does_not_beat" not in findings(client)
        entry = next(one for one in corrected["log"] if one["seq"] == of)
        assert (entry["cards"], entry["now"]["cards"], entry["voided_by"]) == (
            ["H6"],
            ["HQ"],
            done.json()["seq"],
        )
        undone = client.post("/api/v1/undo", headers={"If-Match": f'"{table.seq}"'})
        assert undone.json()["undone"] == done.json()["seq"]
        assert "does_not_beat" in findings(client)
        assert [one["cards"] for one in state(client)["trick"]["plays"]] == [["S9"], ["H6"]]
    # Every version stays in the record.
    assert [event.name for event in table.desk.service.journal.events(after=of - 1)] == [
        "play",
        "correction",
        "correction",
    ]


def test_what_cameras_doubted_of_a_play_is_gone_once_a_person_has_corrected_it(table: Node) -> None:
    table.happened(*opening(), play(0, "S9"))
    doubt = {"confidence": 0.3, "unread": ["?"], "unseen": True, "split": [["S3", "S4 H4"]]}
    of = table.happened({**play(1, "S3 S4 H4"), **doubt})[0]
    with table.client() as client:
        (before,) = [entry for entry in state(client)["log"] if entry["seq"] == of]
        asked = {"of": of, "replacement": {"cards": ["SJ"]}}
        done = client.post("/api/v1/corrections", json=asked, headers={"If-Match": f'"{of}"'})
        (after,) = [entry["now"] for entry in state(client)["log"] if entry["seq"] == of]
    assert (done.status_code, before["split"]) == (201, [[["S3"], ["S4", "H4"]]])
    assert (after["split"], after["doubtful"], after["text"]["en"]) == ([], False, "seat 1 plays ♠J")
    (event,) = [one for one in table.desk.service.referee.effective() if one.seq == of]
    assert not event.extra.keys() & doubt.keys()


def test_undo_goes_back_step_by_step(table: Node) -> None:
    of = misread(table)
    with table.client() as client:
        client.post(
            "/api/v1/corrections",
            json={"of": of, "replacement": {"cards": "HQ"}},
            headers={"If-Match": f'"{table.seq}"'},
        )
        undone = [
            client.post("/api/v1/undo", headers={"If-Match": f'"{table.seq}"'}).json()["undone"]
            for _ in range(3)
        ]
        plays = state(client)["trick"]["plays"]
    assert undone == [of + 1, of, of - 1]
    assert plays == []


@pytest.mark.parametrize(
    ("asked", "field"),
    [
        ({"of": 999, "void": True}, "of"),
        ({"of": "play"}, "replacement"),
        ({"of": "play", "void": True, "replacement": {"cards": "S3"}}, "void"),
        ({"of": "play", "replacement": {"cards": "S9 Q9"}}, "replacement.cards"),
        ({"of": "play", "replacement": {"seat": 4}}, "replacement.seat"),
        ({"of": "play", "replacement": {"event": "correction", "of": 1, "void": True}}, "replacement.event"),
        ({"of": "play", "replacement": {"cards": "S9 S9"}}, "replacement.cards"),
        ({"of": 0, "void": True}, "of"),
        ({"of": 5, "void": True, "more": 1}, "more"),
    ],
)
@pytest.mark.parametrize("path", ["corrections", "corrections/preview"])
def test_a_correction_that_cannot_be_names_the_field(
    ruled: Node, path: str, asked: dict[str, Any], field: str
) -> None:
    before = ruled.seq
    asked = {**asked, "of": PLAY if asked["of"] == "play" else asked["of"]}
    with ruled.client() as client:
        answer = client.post(f"/api/v1/{path}", json=asked, headers={"If-Match": f'"{before}"'})
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == [field]
    assert ruled.seq == before


def test_of_two_referees_the_second_gets_a_clear_conflict(table: Node) -> None:
    of = misread(table)
    decided = {"If-Match": f'"{table.seq}"'}
    with table.client() as first, table.client() as second:
        number = state(first)["findings"][0]["finding"]
        path = f"/api/v1/findings/{number}/ruling"
        assert first.post(path, json={"decision": "upheld"}, headers=decided).status_code == 201
        late = second.post(path, json={"decision": "dismissed"}, headers=decided)
        assert late.status_code == 412
        assert late.json()["state"]["findings"][0]["ruling"] == "upheld"
        # Plays meanwhile are none of its business.
        corrected = second.post("/api/v1/corrections", json={"of": of, "void": True}, headers=decided)
        assert corrected.status_code == 201
        again = first.post("/api/v1/corrections", json={"of": of, "void": True}, headers=decided)
        assert again.status_code == 412
    rulings = [event for event in table.desk.service.journal.events() if event.name == "ruling"]
    assert [getattr(event, "decision", "") for event in rulings] == ["upheld"]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "findings/1/ruling", {"decision": "dismissed"}),
        ("DELETE", "findings/1/ruling", None),
        ("POST", "corrections", {"of": PLAY, "void": True}),
        ("POST", "undo", None),
        ("POST", "match/end", {}),
        ("POST", "deals/void", {}),
        ("POST", "deals/next", {"force": True}),
        ("PUT", "setup/zones", {"zones": [{"name": "seat 0", "centre": [0, -230], "size": [450, 300]}]}),
    ],
)
@pytest.mark.parametrize(("header", "status"), [(None, 428), ('"9999"', 412), ("rubbish", 400)])
def test_what_rests_on_a_state_has_to_name_it(
    ruled: Node, method: str, path: str, body: Any, header: str | None, status: int
) -> None:
    before = ruled.seq
    with ruled.client() as client:
        headers = {} if header is None else {"If-Match": header}
        answer = client.request(method, f"/api/v1/{path}", json=body, headers=headers)
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/problem+json"
    assert ruled.seq == before


def test_a_ruling_is_taken_back_and_the_one_before_counts_again(table: Node) -> None:
    misread(table)
    with table.client() as client:

        def ruling() -> Any:
            return state(client)["findings"][0]["ruling"]

        def now() -> dict[str, str]:
            return {"If-Match": f'"{table.seq}"'}

        path = f"/api/v1/findings/{state(client)['findings'][0]['finding']}/ruling"
        client.post(path, json={"decision": "dismissed", "reason": "seen by both"}, headers=now())
        client.post(path, json={"decision": "upheld", "penalty": {"kind": "none"}}, headers=now())
        assert ruling() == "upheld"
        assert client.delete(path, headers=now()).status_code == 200
        assert ruling() == "dismissed"
        assert client.post("/api/v1/undo", headers=now()).status_code == 201
        assert ruling() is None
        assert client.delete(path, headers=now()).status_code == 404
        wrong = client.post(path, json={"decision": "upheld", "penalty": "rubbish:1"}, headers=now())
        assert [one["field"] for one in wrong.json()["errors"]] == ["penalty"]


def test_the_level_of_a_next_deal_is_the_one_that_follows(tmp_path: Path) -> None:
    with node(tmp_path) as running, running.client() as client:

        def begin(**given: Any) -> str:
            body = {"force": True, **given}
            answer = client.post("/api/v1/deals/next", json=body, headers={"If-Match": f'"{running.seq}"'})
            assert answer.status_code == 201, answer.text
            return str(state(client)["log"][-1]["text"]["en"])

        assert "level 2" in begin()
        # The finish of deal 1 is stated: its winners rise by three.
        assert "level 5" in begin(finish=[0, 2, 1, 3])
        assert "level 9" in begin(finish=[0, 2, 1, 3], level="9")


def test_a_level_that_does_not_follow_is_not_stated(tmp_path: Path) -> None:
    with node(tmp_path) as running, running.client() as client:
        client.post("/api/v1/match/end", json={}, headers={"If-Match": f'"{running.seq}"'})
        match = {"profile": "guandan-event", "players": ["A", "B", "C", "D"], "levels": ["3", "5"]}
        begun = client.post("/api/v1/match", json=match, headers={"If-Match": f'"{running.seq}"'})
        assert begun.status_code == 201, begun.text
        client.post("/api/v1/deals/next", json={}, headers={"If-Match": f'"{running.seq}"'})
        assert "?" in state(client)["log"][-1]["text"]["en"]


def test_the_course_of_a_match(table: Node) -> None:
    with table.client() as client:

        def now() -> dict[str, str]:
            return {"If-Match": f'"{table.seq}"'}

        assert client.post("/api/v1/deals/next", json={}, headers=now()).status_code == 201
        assert client.post("/api/v1/deals/next", json={}, headers=now()).status_code == 409
        assert (
            client.post("/api/v1/match", json={"profile": "guandan-event"}, headers=now()).status_code == 409
        )
        assert client.post("/api/v1/deals/void", json={"why": "misdeal"}, headers=now()).status_code == 201
        assert client.post("/api/v1/deals/next", json={}, headers=now()).status_code == 201
        assert state(client)["match"]["deal"] == 2
        assert client.post("/api/v1/match/end", json={"why": "agreed"}, headers=now()).status_code == 201
        assert state(client)["match"]["ended"] == "agreed"
        match = {
            "profile": "shengji-event",
            "players": ["A", "B", "C", "D"],
            "levels": ["2", "3"],
            "options": {},
        }
        assert client.post("/api/v1/match", json=match, headers=now()).status_code == 201
        begun = state(client)["match"]
        assert (begun["game"], begun["players"], begun["levels"], begun["ended"]) == (
            "shengji", ["A", "B", "C", "D"], ["2", "3"], None,
        )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"profile": "no-such"}, "profile"),
        ({"profile": "/etc/passwd"}, "profile"),
        ({"players": ["A"]}, "players"),
        ({"levels": ["2", "1"]}, "levels"),
        ({"options": {"clock.plai": 3}}, "options"),
        ({"strange": 1}, "strange"),
    ],
)
def test_a_match_that_cannot_begin_says_why(idle: Node, change: dict[str, Any], field: str) -> None:
    with idle.client() as client:
        match = {"profile": "guandan-official", **change}
        answer = client.post("/api/v1/match", json=match, headers={"If-Match": f'"{idle.seq}"'})
    assert answer.status_code == 422
    assert [one["field"] for one in answer.json()["errors"]] == [field]


def test_candidates_come_likeliest_first_and_a_third_copy_is_last(table: Node) -> None:
    table.happened(*opening(), play(0, "S9 S9"))
    of = table.happened({**play(1, "H6 D6"), "confidence": 0.6, "alternatives": [["H8 D6", 0.3]]})[0]
    with table.client() as client:
        found = client.get("/api/v1/candidates", params={"of": of, "card": 0}).json()
        assert client.get("/api/v1/candidates", params={"of": of, "card": 7}).status_code == 422
    assert [(one["card"], one["p"]) for one in found[:2]] == [("H6", 0.6), ("H8", 0.3)]
    assert [one["card"] for one in found if not one["possible"]] == ["S9"]
    assert len(found) == 54


def test_graphics_stay_held_over_a_restart(tmp_path: Path) -> None:
    with node(tmp_path) as running, running.client() as client:
        client.put("/api/v1/control", json={"graphics": "hold"})
    with node(tmp_path) as running, running.client() as client:
        assert state(client)["control"]["graphics"] == "hold"
        assert client.put("/api/v1/control", json={"taken": {"no such": True}}).status_code == 422


def test_a_call_that_was_noted_stays_so_over_a_restart(tmp_path: Path) -> None:
    with node(tmp_path / "data") as running, running.client() as client:
        running.happened(*opening())
        call = running.happened({"event": "referee_called", "seat": 1})[0]
        assert client.post(f"/api/v1/calls/{call - 1}/noted").status_code == 404
        assert client.post(f"/api/v1/calls/{call}/noted").json()["noted"] == [call]
    with node(tmp_path / "data") as running, running.client() as client:
        assert state(client)["control"]["noted"] == [call]


def test_nobody_is_on_turn_once_the_match_is_over(table: Node) -> None:
    table.happened(*opening(), play(0, "S3 S3"))
    with table.client() as client:
        assert [seat["turn"] for seat in state(client)["seats"]] == [False, True, False, False]
        client.post("/api/v1/match/end", json={"why": "time"}, headers={"If-Match": f'"{table.seq}"'})
        assert not any(seat["turn"] for seat in state(client)["seats"])
