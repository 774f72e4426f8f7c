"""What `paizhuo rules` answers for Shengji, and the shared facts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from table.shengji.questions import OPS


def ask(op: str, **fields):
    return OPS[op]({"op": op, "game": "shengji", **fields})


def test_format_lists_every_decomposition():
    answer = ask("format", level="10", trump="S", profile="shengji-official-3", cards="H5 H5 H5 H6 H6")
    assert answer["combination"] is False
    assert answer["group"] == "H"
    assert [unit["type"] for unit in answer["readings"][0]] == ["tractor", "single"]
    assert ask("format", level="10", trump="S", cards="SA SA D10 D10")["combination"] is True
    assert ask("format", level="10", trump="S", cards="SA HA")["group"] is None


def test_follow_says_what_should_have_been_played():
    answer = ask("follow", level="10", trump="S", lead="HA HA", hand="H3 H3 H7 D5", play="H3 H7")
    assert answer["legal"] is False
    assert answer["problem"] == "shape"
    assert answer["should"] == "H3 H3"


def test_trick_names_the_winners_seat_and_what_becomes_of_a_throw():
    answer = ask(
        "trick", level="2", trump="S", leader=2, plays=["D3 D4 D5", "H6 H7 H8", "HQ H4 H4", "HA H9 D10"],
        hands=["D3 D4 D5", "H5 H5 H6 H7 H8", "HQ H4 H4", "HK HA H9 D10"],
    )  # fmt: skip
    assert (answer["winner"], answer["points"]) == (2, 15)
    assert answer["throw"]["holds"] is False
    assert sorted(answer["throw"]["must_play"]) == ["H4 H4", "HQ"]
    assert answer["throw"]["chosen_by"] == 3
    assert answer["legal"] == [True, False, True, False]


def test_score_adds_the_kitty_and_moves_levels_and_bank():
    answer = ask(
        "score", levels=["2", "2"], banker=0, points=65, level="2", trump="S", last_lead="HA HA",
        last_won_by=1, kitty="H5 D3 C10 S3 S4 D4 D7 D8",
    )  # fmt: skip
    assert (answer["multiplier"], answer["points"]) == (4, 125)
    assert (answer["levels"], answer["banker"], answer["rise"]) == (["2", "3"], 1, 1)


@pytest.mark.parametrize(
    ("op", "fields", "message"),
    [
        ("format", {"level": "1", "trump": "S", "cards": "H5"}, "level: expected one of"),
        ("format", {"level": "2", "trump": "X", "cards": "H5"}, "trump: expected"),
        ("format", {"level": "2", "trump": "S", "cards": "H1"}, "not a card: 'H1'"),
        (
            "follow",
            {"level": "2", "trump": "S", "lead": "HA DA", "hand": "H5", "play": "H5"},
            "not of one suit",
        ),
        (
            "follow",
            {"level": "2", "trump": "S", "lead": "HA HA", "hand": "H5", "play": "H5"},
            "hand: 1 cards",
        ),
        ("trick", {"level": "2", "trump": "S", "plays": ["HA"]}, "plays: expected four"),
        ("trick", {"level": "2", "trump": "S", "plays": ["HA"] * 4, "leader": 4}, "leader: not a seat: 4"),
        ("score", {"banker": 0, "levels": ["2", "2"], "points": "x"}, "points: expected"),
        ("format", {"profile": "shengji-oficial-2"}, "did you mean shengji-official-2"),
        ("format", {"options": {"throw.chioce": 1}}, "did you mean throw.choice"),
    ],
)
def test_a_question_that_cannot_be_answered_is_refused_in_one_line(op, fields, message):
    with pytest.raises(ValueError, match=message) as error:
        ask(op, **fields)
    assert "\n" not in str(error.value)


@pytest.mark.shared
@pytest.mark.rule("SJO-33", "SJO-34", "SJO-35", "SJO-36", "SJO-38", "SJO-41")
def test_every_shared_fact_of_following_agrees(shared: Path):
    rows = [json.loads(line) for line in (shared / "rules/facts/sj_follow_2deck.jsonl").open()]
    asked = ("level", "trump", "lead", "hand", "play")
    wrong = [row for row in rows if ask("follow", **{k: row[k] for k in asked})["legal"] != row["legal"]]
    assert len(rows) == 750
    assert wrong == []


@pytest.mark.shared
@pytest.mark.rule("SJO-43", "SJO-44", "SJO-45", "SJO-46", "SJO-47")
def test_every_shared_fact_of_tricks_agrees(shared: Path):
    rows = [json.loads(line) for line in (shared / "rules/facts/sj_trick_2deck.jsonl").open()]
    wrong = []
    for row in rows:
        answer = ask("trick", **{k: row[k] for k in ("level", "trump", "plays")})
        if (answer["winner"], answer["points"]) != (row["winner"], row["points"]):
            wrong.append((row, answer))
    assert len(rows) == 489
    assert wrong == []


def test_a_bomb_may_be_played_at_any_time_by_key_only():
    fields = {
        "level": "2",
        "trump": "S",
        "lead": "HA HK HQ HJ",
        "hand": "H3 H4 H5 H6 C9 C9 C9 C9",
        "play": "C9 C9 C9 C9",
    }
    assert ask("follow", **fields, options={"packs": 4})["legal"] is False
    assert ask("follow", **fields, options={"packs": 4, "ruff.bombs": "any_time"})["legal"] is True
