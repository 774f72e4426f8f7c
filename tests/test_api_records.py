"""What is taken away from a table: record, text, sheet, evidence, the match; what is hidden stays hidden in all of it."""

from __future__ import annotations

import hashlib
import io
import json
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import openpyxl
import pytest
from typer.testing import CliRunner
from websockets.sync.client import connect

from api.auth import Grant
from api.cli import app
from table.cards import parse_cards
from table.event_json import event_from_json
from table.events import (
    Correction,
    DealStarted,
    Dealt,
    DrawEnded,
    Event,
    KittyLaid,
    KittyTaken,
    MatchStarted,
    Play,
)
from table.record import parse_record
from table.session import replay
from tests.api_desk import PROFILE, Node, node
from tests.service_tables import script

STILL = b"\xff\xd8 a still"
CLIP = b"a clip"


def match() -> list[Event]:
    """A deal as it was recorded, with a finding and a ruling on it."""
    events = [event_from_json(data) for data in script(PROFILE, 5)]
    late = next(i for i, event in enumerate(events) if isinstance(event, Play) and i > 12)
    # Somebody thinks for a minute: everything after that comes later.
    events[late:] = [replace(event, at=(event.at or 0.0) + 60.0) for event in events[late:]]
    return [event.numbered(seq) for seq, event in enumerate(events, 1)]


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A table with a match in its journal, of which some evidence is kept."""
    folder = tmp_path_factory.mktemp("data")
    evidence = folder / "evidence"
    evidence.mkdir()
    with node(folder, before=match(), roles=["referee", "viewer"], evidence=evidence) as running:
        yield running


def test_the_record_comes_as_lines_text_and_sheet(table: Node) -> None:
    with table.client("viewer") as client:
        lines = client.get("/api/v1/record")
        text = client.get("/api/v1/record.txt", params={"lang": "zh"}).text
        sheet = openpyxl.load_workbook(io.BytesIO(client.get("/api/v1/record.xlsx").content))
    assert parse_record(lines.text).events == list(table.desk.service.journal.events())
    assert lines.headers["content-disposition"] == 'attachment; filename="table_3-record.jsonl"'
    assert "比赛开始" in text or "开始" in text
    assert sheet.active is not None
    assert sheet.active["B1"].value == PROFILE


def taken(table: Node, path: str) -> tuple[zipfile.ZipFile, bytes]:
    with table.client("referee") as client:
        answer = client.get(f"/api/v1/{path}")
    assert answer.status_code == 200, answer.text
    return zipfile.ZipFile(io.BytesIO(answer.content)), answer.content


def test_every_file_of_a_bundle_has_its_hash(table: Node) -> None:
    bundle, _ = taken(table, "match.zip")
    manifest = json.loads(bundle.read("manifest.json"))
    assert set(bundle.namelist()) == {*manifest["files"], "manifest.json"}
    for name, digest in manifest["files"].items():
        assert hashlib.sha256(bundle.read(name)).hexdigest() == digest
    assert manifest["journal"]["head"] == table.desk.service.journal.head


def test_a_match_replays_elsewhere_with_the_same_findings_and_results(table: Node, tmp_path: Path) -> None:
    _, content = taken(table, "match.zip")
    (tmp_path / "match.zip").write_bytes(content)
    done = CliRunner().invoke(app, ["replay", str(tmp_path / "match.zip"), "--json"])
    assert done.exit_code == 0, done.output
    told = [json.loads(line) for line in done.output.splitlines() if line.startswith("{")]
    _, lines = replay(list(table.desk.service.journal.events()))
    assert [line for line in told if "event" not in line or "finding" in line] == lines
    assert any("finding" in line for line in lines)


def test_a_bundle_that_was_changed_is_refused_in_one_line(table: Node, tmp_path: Path) -> None:
    bundle, _ = taken(table, "match.zip")
    path = tmp_path / "changed.zip"
    with zipfile.ZipFile(path, "w") as other:
        for name in bundle.namelist():
            data = bundle.read(name)
            other.writestr(
                name, data.replace(b'"seat": 1', b'"seat": 3', 1) if name == "record.jsonl" else data
            )
    done = CliRunner().invoke(app, ["replay", str(path)])
    assert done.exit_code == 2
    assert "record.jsonl was changed" in done.output


def test_the_evidence_of_a_finding_holds_rule_record_still_and_clip(table: Node) -> None:
    with table.client("referee") as client:
        found = client.get("/api/v1/state").json()["findings"][0]
        assert client.get(f"/api/v1/findings/{found['finding'] + 100}/bundle.zip").status_code == 404
    bundle, _ = taken(table, f"findings/{found['finding']}/bundle.zip")
    told = json.loads(bundle.read("finding.json"))
    assert (told["rule"], told["kind"]) == (found["rule"], found["kind"])
    assert found["article"]["zh"] in bundle.read("finding.txt").decode()
    events = parse_record(bundle.read("record.jsonl").decode()).events
    assert any(event.seq == found["event"] for event in events)


def test_only_evidence_is_served(tmp_path: Path) -> None:
    evidence = tmp_path / "evidence"
    evidence.mkdir()
    (evidence / "e0004-before.jpg").write_bytes(STILL)
    with node(tmp_path, evidence=evidence) as running, running.client() as client:
        answer = client.get("/api/v1/evidence/e0004-before.jpg")
        assert (answer.content, answer.headers["content-type"]) == (STILL, "image/jpeg")
        names = (
            "../journal.sqlite",
            "%2e%2e%2ftokens.toml",
            "journal.sqlite",
            "e0004-before.txt",
            "e5-before.jpg",
        )
        for name in names:
            assert client.get(f"/api/v1/evidence/{name}").status_code == 404


# Hidden hands.

HIDDEN = parse_cards("SA HK DQ")
TOKENS = ("SA", "♠A", "HK", "♥K", "DQ", "♦Q")


def sealed(over: bool) -> list[Event]:
    """A deal of Shengji whose hands a feed told, and whose kitty is known; `over`: the next one has begun."""
    kitty = KittyLaid(at=6.0, seat=0, cards=HIDDEN)
    events: list[Event] = [
        MatchStarted(at=0.0, profile="shengji-event"),
        DealStarted(at=1.0, deal=1, level="2"),
        Dealt(at=2.0, seat=0, cards=HIDDEN, source="feed"),
        Dealt(at=2.0, seat=1, cards=parse_cards("S3 S4"), source="feed"),
        kitty,
        Correction(at=7.0, of=3, replacement={"event": "dealt", "seat": 0, "cards": "SA HK DQ"}),
        Correction(at=7.5, of=5, replacement={"event": "kitty_laid", "seat": 0, "cards": "SA HK DQ"}),
        Play(at=8.0, seat=0, cards=parse_cards("C3"), source="referee"),
        Play(at=9.0, seat=1, cards=parse_cards("D4"), source="referee"),
    ]
    return [*events, DealStarted(at=60.0, deal=2, level="2")] if over else events


def unpacked(data: bytes) -> bytes:
    """What an answer says, also where it is packed."""
    if not data.startswith(b"PK"):
        return data
    with zipfile.ZipFile(io.BytesIO(data)) as bundle:
        return b"\n".join(unpacked(bundle.read(name)) for name in bundle.namelist())


def everything_sent(running: Node, role: str) -> str:
    """Every byte that a role can get at, of everything there is to get."""
    got = []
    with running.client(role) as client:
        for path in (
            "state",
            "record",
            "record.txt",
            "record.xlsx",
            "setup",
            "match.zip",
            "devices",
            "findings/1/bundle.zip",
        ):
            got.append(client.get(f"/api/v1/{path}").content)
        got.append(client.get("/metrics").content)
        got.append(client.get("/api/v1/candidates", params={"of": 3}).content)
        for of in (3, 8):
            got.append(client.post("/api/v1/corrections/preview", json={"of": of, "void": True}).content)
    headers = {"Authorization": f"Bearer {running.tokens[role]}"}
    with connect(running.base.replace("http", "ws") + "/api/v1/live", additional_headers=headers) as socket:
        got.append(str(socket.recv()).encode())
    return b"\n".join(map(unpacked, got)).decode("utf-8", "replace")


@pytest.mark.parametrize("role", ["viewer", "operator", "referee"])
def test_hands_of_a_sealed_feed_are_in_no_byte_while_their_deal_runs(tmp_path: Path, role: str) -> None:
    with node(tmp_path, profile="shengji-event", before=sealed(over=False), roles=[role]) as running:
        sent = everything_sent(running, role)
    assert "♣3" in sent
    assert [token for token in TOKENS if token in sent] == []


def test_those_who_work_at_the_table_get_them_once_the_deal_is_over(tmp_path: Path) -> None:
    with node(
        tmp_path, profile="shengji-event", before=sealed(over=True), roles=["referee", "viewer"]
    ) as running:
        with running.client("referee") as client:
            assert "SA HK DQ" in client.get("/api/v1/record").text
        with running.client("viewer") as client:
            dealt = [line for line in client.get("/api/v1/record").text.splitlines() if '"dealt"' in line]
        assert dealt == []


def test_an_output_shows_nothing_of_them(tmp_path: Path) -> None:
    grants = [Grant("overlay", "truck", reveal="deal_over")]
    with node(tmp_path, profile="shengji-event", before=sealed(over=False), grants=grants) as running:
        address = running.base.replace("http", "ws") + f"/api/v1/overlay?token={running.tokens['truck']}"
        with connect(address) as socket:
            sent = "".join(str(socket.recv()) for _ in range(2))
    assert [token for token in TOKENS if token in sent] == []


def test_the_log_of_a_table_holds_no_tokens(tmp_path: Path) -> None:
    with node(tmp_path, roles=["referee"]) as running, running.client() as client:
        token = running.tokens["referee"]
        client.post("/api/v1/session", json={"token": token})
        client.get(f"/feeds/vmix/state.json?token={token}")
        client.delete(f"/api/v1/nothing/{token}")
    log = (tmp_path / "log.jsonl").read_text("utf-8")
    assert token.split("_", 2)[2] not in log
    assert [json.loads(line)["table"] for line in log.splitlines()] == ["table 3", "table 3"]


def test_a_finding_names_no_card_of_a_hidden_hand(tmp_path: Path) -> None:
    """Seat 1 does not follow hearts though the feed knows that he could: that is told, but not what he holds."""
    hands = [
        Dealt(at=2.0, seat=seat, cards=parse_cards("H9 S5" if seat else "H3 S3"), source="feed")
        for seat in range(4)
    ]
    events: list[Event] = [
        MatchStarted(at=0.0, profile="shengji-event"),
        DealStarted(at=1.0, deal=1, level="2", banker=0, trump="C"),
        *hands,
        DrawEnded(at=3.0),
        KittyTaken(at=9.0, seat=0),
        KittyLaid(at=20.0, seat=0),
        Play(at=28.0, seat=0, cards=parse_cards("H3"), source="referee"),
        Play(at=29.0, seat=1, cards=parse_cards("S5"), source="referee"),
    ]
    with node(tmp_path, profile="shengji-event", before=events, roles=["referee"]) as running:
        with running.client("referee") as client:
            findings = client.get("/api/v1/state").json()["findings"]
        sent = everything_sent(running, "referee")
    found = [one["text"]["en"] for one in findings if one["kind"] == "revoke"]
    assert len(found) == 1
    assert "▒" in found[0]
    assert [token for token in ("H9", "♥9") if token in sent] == []
