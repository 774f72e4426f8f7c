"""`paizhuo rules`: answers rule questions, one JSON object a line in and out, for scripts."""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from difflib import get_close_matches
from typing import Any, Final

import typer

from table.rulesets import BadProfile, load_profile

MODULES: Final = {"guandan": "table.guandan.questions", "shengji": "table.shengji.questions"}
"""Game to the module whose `QUESTIONS` (op to function) answers for it."""

Answerer = Callable[[Mapping[str, Any]], dict[str, Any]]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("rules")(rules)


def rules() -> None:
    """Answer rule questions: JSON lines on standard input, answers on standard output.

    回答规则问题：标准输入与标准输出均为每行一个 JSON 对象。

    A line that cannot be answered is answered {"error": ..., "line": N}, and the exit status is 1 at the end.
    """
    failed = False
    for answer in answers(sys.stdin.buffer, load_questions()):
        failed = failed or "error" in answer
        typer.echo(json.dumps(answer, ensure_ascii=False))
    if failed:
        raise typer.Exit(1)


def load_questions(modules: Mapping[str, str] = MODULES) -> dict[str, Mapping[str, Answerer]]:
    """Game to its ops, of the games that are there."""
    return {
        game: importlib.import_module(name).QUESTIONS
        for game, name in modules.items()
        if importlib.util.find_spec(name)
    }


def answers(
    lines: Iterable[str | bytes], games: Mapping[str, Mapping[str, Answerer]]
) -> Iterator[dict[str, Any]]:
    """One answer for each line that is not blank, in their order; `id` of a question is repeated in it."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        question: Any = None
        try:
            question = _parse(line)
            answer = _answerer(question, games)(question)
        except ValueError as error:
            answer = {"error": f"line {number}: {error}", "line": number}
        if isinstance(question, dict) and "id" in question:
            answer = {"id": question["id"], **answer}
        yield answer


def _parse(line: str | bytes) -> dict[str, Any]:
    try:
        text = line.decode("utf-8-sig") if isinstance(line, bytes) else line
        question = json.loads(text)
    except UnicodeDecodeError as error:
        raise ValueError(f"not UTF-8: byte {error.start + 1}") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("not a question: nested too deeply") from None
    if not isinstance(question, dict):
        raise ValueError(f"expected a JSON object, got {type(question).__name__}")
    return question


def _game_of_profile(question: Mapping[str, Any]) -> str | None:
    """The game of the profile that a question names; None without one, or without a profile of that name."""
    try:
        return load_profile(str(question["profile"])).game
    except (KeyError, BadProfile):
        return None


def _answerer(question: Mapping[str, Any], games: Mapping[str, Mapping[str, Answerer]]) -> Answerer:
    """What answers this question: by `op` and `game`.

    The game may be left out where the profile names it, or where only one game has the op.
    """
    op, game = question.get("op"), question.get("game", _game_of_profile(question))
    if not isinstance(op, str):
        raise ValueError(f"op: expected the name of a question, got {op!r}")
    if game is not None and (not isinstance(game, str) or game not in games):
        raise ValueError(f"unknown game {game!r} (expected {' or '.join(games)})")
    having = [name for name in games if op in games[name] and game in (None, name)]
    if len(having) > 1:
        raise ValueError(f"op {op!r} needs a game ({' or '.join(having)})")
    if not having:
        ops = sorted({name for known in games.values() for name in known})
        near = get_close_matches(op, ops, 1)
        hint = f"did you mean {near[0]!r}?" if near else f"expected one of {', '.join(ops)}"
        raise ValueError(f"unknown op {op!r}{f' in {game}' if game else ''} ({hint})")
    return games[having[0]][op]
