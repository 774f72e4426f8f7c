"""`paizhuo judge`, `profiles`, `export`: what they print and how they end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import openpyxl
import pytest

ROOT = Path(__file__).resolve().parents[1]
HEAD = [
    {
        "event": "match_started",
        "profile": "guandan-event",
        "players": ["甲", "乙", "丙", "丁"],
        "levels": ["2", "2"],
    },
    {"event": "deal_started", "deal": 1, "level": "2", "at": 1.0},
    {"event": "draw_ended", "at": 90.0},
    {"event": "play", "seat": 0, "cards": "S9", "at": 100.0},
    {"event": "play", "seat": 2, "cards": "SJ", "at": 102.0},
    {"event": "ruling", "finding": 1, "decision": "upheld", "by": "裁判长", "at": 110.0},
    {"event": "deal_started", "deal": 2, "level": "4", "finish": [0, 1, 2, 3], "at": 600.0},
]


def paizhuo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from api.cli import main; main()", *arguments],
        capture_output=True, text=True, cwd=ROOT, check=False,
    )  # fmt: skip


def written(folder: Path, events: list[dict[str, Any]], tail: str = "") -> str:
    path = folder / "match.jsonl"
    path.write_text("".join(json.dumps(event, ensure_ascii=False) + "\n" for event in events) + tail, "utf-8")
    return str(path)


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    done = paizhuo("judge", written(tmp_path_factory.mktemp("judge"), HEAD))
    assert (done.returncode, done.stderr) == (0, "")
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_judge_prints_findings_rulings_results_and_the_match(judged: list[dict[str, Any]]) -> None:
    finding, ruling, deal, match = judged
    assert {key: finding[key] for key in ("finding", "rule", "kind", "seat", "event", "at", "certainty")} == {
        "finding": 1, "rule": "GDE-34", "kind": "out_of_turn", "seat": 2, "event": 5, "at": 102.0,
        "certainty": "proven"}  # fmt: skip
    assert finding["penalty"] == {"kind": "levels", "amount": 1, "side": 0, "to_side": 1}
    assert (ruling["finding"], ruling["ruling"]) == (1, "upheld")
    assert (deal["deal"], deal["result"]["rise"], deal["result"]["levels"]) == (1, 2, ["4", "3"])
    assert match["match"]["levels"] == ["4", "3"]


def test_a_finding_says_it_in_chinese_and_english_with_the_article(judged: list[dict[str, Any]]) -> None:
    words = judged[0]["text"]
    assert "越序" in words["zh"]
    assert "GDE-34" in words["zh"]
    assert "out of turn" in words["en"]
    assert "♠J" in words["en"]


def test_problems_go_to_the_error_stream_with_their_line_and_the_rest_is_judged(tmp_path: Path) -> None:
    path = written(tmp_path, [*HEAD[:4], {"event": "play", "seat": 4, "cards": "S3"}], tail='{"event": "pa')
    done = paizhuo("judge", path)
    assert done.returncode == 0
    problems = done.stderr.splitlines()
    assert [problem.removeprefix(f"{path}: ")[:7] for problem in problems] == ["line 5:", "line 6:"]
    assert "expected 0, 1, 2 or 3" in problems[0]
    assert json.loads(done.stdout.splitlines()[-1])["match"]["deals"] == 0


@pytest.mark.parametrize(
    ("events", "message"),
    [
        ([], "no event could be read"),
        ([{"event": "match_started", "profile": "guandan-offical"}], "did you mean guandan-official"),
        ([{"event": "pass", "seat": 1}], "expected match_started first"),
    ],
)
def test_judge_ends_with_two_when_nothing_can_be_judged(
    tmp_path: Path, events: list[dict[str, Any]], message: str
) -> None:
    done = paizhuo("judge", written(tmp_path, events))
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_judge_of_a_missing_file_or_profile_ends_with_two(tmp_path: Path) -> None:
    done = paizhuo("judge", str(tmp_path / "none.jsonl"))
    assert (done.returncode, "cannot be read" in done.stderr) == (2, True)
    done = paizhuo("judge", written(tmp_path, HEAD), "--profile", "guandan-evnt")
    assert (done.returncode, "did you mean guandan-event" in done.stderr) == (2, True)


def test_another_profile_may_be_asked_for(tmp_path: Path) -> None:
    done = paizhuo("judge", written(tmp_path, HEAD[1:5]), "--profile", "guandan-official")
    assert json.loads(done.stdout.splitlines()[0])["rule"] == "GDO-38"


def test_profiles_are_listed_and_one_is_shown_whole() -> None:
    names = [line.split()[0] for line in paizhuo("profiles").stdout.splitlines()]
    assert {"guandan-official", "guandan-event"} <= set(names)
    shown = paizhuo("profiles", "guandan-event").stdout
    assert "clock.play = 30" in shown
    assert "levels.ace_attempts = 3" in shown
    done = paizhuo("profiles", "guandan")
    assert (done.returncode, "did you mean" in done.stderr) == (2, True)
    keys = json.loads(paizhuo("profiles", "guandan-event", "--json").stdout)["keys"]
    assert keys["report.at"] == 7


def test_the_text_record_reads_in_both_languages(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD)
    text = paizhuo("export", path, "--to", "text").stdout
    assert "0号位出♠9 | seat 0 plays ♠9" in text
    assert "越序" in text
    assert "0:01:42.0" in text
    english = paizhuo("export", path, "--to", "text", "--lang", "en").stdout
    assert "号位" not in english.replace("裁判长", "")


@pytest.mark.rule("GDO-59", "GDO-60", "GDE-35")
def test_the_match_sheet_has_a_row_for_each_deal_with_result_levels_and_rulings(tmp_path: Path) -> None:
    out = tmp_path / "sheet.xlsx"
    done = paizhuo("export", written(tmp_path, HEAD), "--to", "xlsx", "--out", str(out))
    assert done.returncode == 0
    book = openpyxl.load_workbook(out)
    sheet = book.worksheets[0]
    assert sheet.title == "比赛记录表"
    rows = list(sheet.iter_rows(values_only=True))
    heads = list(rows[2])
    first = dict(zip(heads, rows[3], strict=True))
    assert first["副 Deal"] == "1"
    assert first["名次 Finish"] == "0 1 2 3"
    assert first["0方 / 1方级数 Levels, side 0 / side 1"] == "4 / 3"
    assert "成立" in str(first["判罚 Rulings"])
    assert any(row[0] and "Signed" in str(row[0]) for row in rows)
    findings = list(book.worksheets[1].iter_rows(values_only=True))
    assert findings[1][1:3] == ("GDE-34", "out_of_turn")


def test_json_holds_events_findings_deals_and_the_match(tmp_path: Path) -> None:
    document = json.loads(paizhuo("export", written(tmp_path, HEAD), "--to", "json").stdout)
    assert [event["event"] for event in document["events"]] == [event["event"] for event in HEAD]
    assert document["findings"][0]["ruling"] == "upheld"
    assert document["match"]["levels"] == ["4", "3"]


def test_an_unknown_format_or_a_place_that_cannot_be_written_ends_with_two(tmp_path: Path) -> None:
    path = written(tmp_path, HEAD)
    done = paizhuo("export", path, "--to", "pdf")
    assert (done.returncode, "expected text, xlsx, json" in done.stderr) == (2, True)
    for to in ("text", "xlsx"):
        done = paizhuo("export", path, "--to", to, "--out", str(tmp_path / "no" / "where"))
        assert (done.returncode, "cannot be written" in done.stderr, "Traceback" in done.stderr) == (
            2,
            True,
            False,
        )
