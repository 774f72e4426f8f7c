"""`paizhuo rules`: questions in, answers out, a line each; and the facts of other engines through it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from api.commands.rules import answers, load_questions

ROOT = Path(__file__).resolve().parents[1]
OUR_NAMES = {
    "tube": "pairs",
    "fullHouse": "full_house",
    "straightFlush": "straight_flush",
    "jokerBomb": "joker_bomb",
}


def run(questions: list[Any]) -> tuple[list[dict[str, Any]], int]:
    """What the command prints for these lines, and its exit status; text goes in as it is."""
    lines = [q if isinstance(q, str) else json.dumps(q, ensure_ascii=False) for q in questions]
    done = subprocess.run(
        [sys.executable, "-m", "api.cli", "rules"],
        input="\n".join(lines) + "\n", capture_output=True, encoding="utf-8", cwd=ROOT, check=False,
    )  # fmt: skip
    assert "Traceback" not in done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()], done.returncode


def ask(question: dict[str, Any]) -> dict[str, Any]:
    (answer,) = answers([json.dumps(question)], load_questions())
    return answer


def facts(folder: Path, name: str) -> list[dict[str, Any]]:
    path = folder / "rules" / "facts" / name
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.mark.shared
@pytest.mark.rule("GDO-04", "GDO-16", "GDO-64")
def test_every_fact_about_readings_agrees(shared: Path) -> None:
    rows = facts(shared, "gd_classify.jsonl")
    found, status = run(
        [{"op": "classify", "game": "guandan", "level": r["level"], "cards": r["cards"]} for r in rows]
    )
    assert status == 0
    wrong = []
    for row, answer in zip(rows, found, strict=True):
        expected = set()
        for text in row["readings"]:
            type_, size, rank = text.split(":")
            expected.add((OUR_NAMES.get(type_, type_), "10" if rank == "T" else rank, int(size)))
        got = [(r["type"], r["rank"], r["size"]) for r in answer["readings"]]
        if set(got) != expected or len(got) != len(expected):
            wrong.append((row, got))
    assert len(rows) > 1000
    assert wrong == []


@pytest.mark.shared
@pytest.mark.rule("GDO-44", "GDO-46", "GDE-12")
def test_every_fact_about_beating_agrees(shared: Path) -> None:
    rows = facts(shared, "gd_beats.jsonl")
    found, status = run(
        [{"op": "beats", "level": r["level"], "cards": r["play"], "prior": r["prior"]} for r in rows]
    )
    assert status == 0
    assert len(rows) > 1000
    wrong = [
        row
        for row, answer in zip(rows, found, strict=True)
        if set(answer["beats"].values()) != {row["beats"]}
    ]
    assert wrong == []


def test_beats_says_where_the_readings_differ() -> None:
    question = {"op": "beats", "level": "9", "cards": "S7 C7 D7 H9 H9", "prior": "S8 C8 D8 S4 C4"}
    assert ask(question) == {"beats": {"strongest": True, "any": True, "all": False}}


def test_beats_takes_readings_as_well() -> None:
    question = {
        "op": "beats", "level": "2",
        "cards": {"type": "straight", "rank": "9", "size": 5},
        "prior": [{"type": "straight", "rank": "8", "size": 5}, {"type": "straight", "rank": "9", "size": 5}],
    }  # fmt: skip
    assert ask(question)["beats"] == {"strongest": True, "any": True, "all": False}


@pytest.mark.rule("GDO-64")
def test_what_is_no_combination_beats_nothing() -> None:
    answer = ask({"op": "beats", "level": "2", "cards": "S7 C8", "prior": "S3"})
    assert answer["beats"] == {"strongest": False, "any": False, "all": False}


def test_plays_of_a_hand_on_a_prior_play() -> None:
    answer = ask({"op": "plays", "level": "5", "hand": "S7 C7 H5 D9", "prior": "D8 C8"})
    assert answer["plays"] == [
        {"cards": "H5 D9", "readings": [{"type": "pair", "rank": "9", "size": 2}]},
    ]


@pytest.mark.rule("GDO-48")
def test_classify_can_look_at_the_layout_and_the_words() -> None:
    question = {"op": "classify", "level": "5", "cards": "S7 C7 S8 C8 H5 H5", "layout": True}
    assert ask(question)["readings"] == [{"type": "pairs", "rank": "9", "size": 6}]
    question = {"op": "classify", "level": "9", "cards": "S7 C7 D7 H9 H9", "says": "三带对"}
    assert ask(question)["readings"] == [{"type": "full_house", "rank": "7", "size": 5}]


def test_options_change_the_answer() -> None:
    question = {"op": "classify", "level": "9", "cards": "S3 S4 S5 S6 S7"}
    assert len(ask(question)["readings"]) == 1
    assert len(ask({**question, "options": {"combos.one_suit_plain_straight": True}})["readings"]) == 2


@pytest.mark.rule("GDO-56", "GDE-26")
@pytest.mark.parametrize(("finish", "level"), [([0, 2, 1, 3], "5"), ([0, 1, 2, 3], "4"), ([0, 1, 3, 2], "3")])
def test_score_raises_the_winners(finish: list[int], level: str) -> None:
    answer = ask({"op": "score", "game": "guandan", "finish": finish, "levels": ["2", "2"]})
    assert answer["levels"] == [level, "2"]
    assert answer["next_level"] == level


@pytest.mark.rule("GDO-57", "GDO-58", "GDE-27", "GDE-28")
def test_score_at_the_ace() -> None:
    question = {"op": "score", "game": "guandan", "levels": ["A", "7"]}
    assert ask({**question, "finish": [0, 1, 2, 3]})["winner"] == 0
    assert ask({**question, "finish": [0, 1, 3, 2]})["winner"] is None
    assert ask({**question, "levels": ["K", "7"], "finish": [0, 2, 1, 3]})["levels"] == ["A", "7"]
    third = {**question, "profile": "guandan-event", "finish": [0, 1, 3, 2], "failures": [2, 0]}
    assert ask(third)["levels"] == ["2", "7"]


@pytest.mark.rule("GDO-26", "GDO-31")
def test_score_says_who_owes_tribute() -> None:
    question = {"op": "score", "game": "guandan", "levels": ["2", "2"]}
    assert ask({**question, "finish": [0, 1, 2, 3]})["tribute"] == {"payers": [3], "winners": [0]}
    assert ask({**question, "finish": [0, 1, 3, 2]})["tribute"] == {"payers": [2], "winners": [0]}
    assert ask({**question, "finish": [1, 3, 0, 2]})["tribute"] == {"payers": [2, 0], "winners": [1, 3]}


def test_a_bad_line_is_answered_with_its_number_and_the_others_are_answered() -> None:
    good = {"op": "classify", "game": "guandan", "level": "2", "cards": "S7", "id": "last"}
    found, status = run([{"op": "classify", "level": "2", "cards": "S7 X9"}, "{oops", "", good])
    assert status != 0
    assert [answer.get("line") for answer in found] == [1, 2, None]
    assert "'X9'" in found[0]["error"]
    assert found[1]["error"].startswith("line 2: not JSON")
    assert found[2] == {"id": "last", "readings": [{"type": "single", "rank": "7", "size": 1}]}


@pytest.mark.parametrize(
    ("line", "message"),
    [(b"\xff\xfe{}", "not UTF-8: byte 1"), (b"[" * 100_000, "nested too deeply"), (b"[]", "object")],
)
def test_a_line_that_is_no_question_at_all(line: bytes, message: str) -> None:
    (answer,) = answers([line], load_questions())
    assert message in answer["error"]


def test_a_byte_order_mark_is_no_part_of_the_question() -> None:
    question = json.dumps({"op": "classify", "level": "2", "cards": "S7"}).encode("utf-8-sig")
    (answer,) = answers([question], load_questions())
    assert answer["readings"] != []


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ({"op": "clasify"}, "did you mean 'classify'?"),
        ({}, "op: expected the name"),
        ({"op": "classify", "game": "bridge"}, "unknown game 'bridge'"),
        ({"op": "classify", "level": "1", "cards": "S7"}, "not a level: '1'"),
        ({"op": "classify", "level": "2"}, "cards: expected cards"),
        ({"op": "classify", "level": "2", "cards": "S7", "profile": "guandan-oficial"}, "did you mean"),
        ({"op": "score", "game": "guandan", "finish": [0, 0, 1, 2], "levels": ["2", "2"]}, "four seats once"),
        ({"op": "plays", "level": "2", "hand": "S7", "prior": "S7 S8"}, "prior is not a combination"),
        ({"op": "beats", "level": "2", "cards": "S7", "prior": {"type": "flush"}}, "not a type: 'flush'"),
        (
            {"op": "beats", "level": "2", "cards": "S7", "prior": {"type": "pairs", "rank": "LJ", "size": 6}},
            "not a rank of a pairs: 'LJ'",
        ),
    ],
)
def test_errors_name_what_was_wrong(question: dict[str, Any], message: str) -> None:
    answer = ask(question)
    assert answer["line"] == 1
    assert message in answer["error"]
