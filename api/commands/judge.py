"""The commands that read a record: `paizhuo judge`, `paizhuo profiles`, and the record of `paizhuo export`."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from api.at_table import fail
from api.exports import FORMATS, export_record
from table.events import UnknownEvent
from table.record import Problem, Record, read_record
from table.rulesets import BadProfile, Profile, load_profile, profile_names
from table.session import Line, Referee

RecordPath = Annotated[
    Path, typer.Argument(help="Record (JSON lines). 牌局记录（JSON 行）。", show_default=False)
]
ProfileName = Annotated[
    str | None,
    typer.Option(
        "--profile",
        help="Judge under this profile instead of the record's own. 用此规则集代替记录所写的。",
        show_default=False,
    ),
]


class Judged(NamedTuple):
    """A record judged: the referee, what was told at each event, and the lines at the end."""

    referee: Referee
    told: dict[int, list[Line]]
    end: list[Line]


def register(app: typer.Typer) -> None:
    """Put the commands on the command line."""
    app.command("judge", help=judge.__doc__)(judge)
    app.command("profiles", help=profiles.__doc__)(profiles)


def chosen_profile(name: str | None) -> Profile | None:
    """The profile of an option, checked."""
    if name is None:
        return None
    try:
        return load_profile(name)
    except BadProfile as error:
        raise fail(str(error)) from None


def opened(path: Path) -> Record:
    """The record in a file, or the end of the command."""
    try:
        return read_record(path)
    except OSError as error:
        raise fail(f"{path}: cannot be read ({error.strerror})") from None


def report(problems: list[Problem], path: Path) -> None:
    """What was wrong with the record, one line each, on the error stream."""
    for problem in problems:
        print(f"{path}: {problem}", file=sys.stderr)


def nothing_read(record: Record) -> bool:
    """Whether a file is no record at all: there is no event in it that anybody could read."""
    return all(isinstance(event, UnknownEvent) for event in record.events)


def no_record(record: Record, path: Path) -> str:
    """One line about a file in which no event could be read: what it should be, and what is wrong first."""
    first = f"; {record.problems[0]}" if record.problems else ""
    return f"{path}: no event could be read (expected JSON lines, the first a match_started){first}"


def run_referee(record: Record, profile: Profile | None, path: Path, show: bool = True) -> Judged:
    """What a referee says to the whole record; prints its lines as they become known.

    Ends the command with status 2 when there is nothing that can be judged.
    """
    if nothing_read(record):
        raise fail(no_record(record, path))
    referee = Referee(profile)
    told: dict[int, list[Line]] = {}
    for event in record.events:
        told[event.seq] = referee.push(event)
        for line in told[event.seq] if show else ():
            print_line(line)
    troubles = [Problem(record.lines.get(item.seq, 0), item.text) for item in referee.troubles]
    report(sorted([*record.problems, *troubles], key=lambda problem: problem.line), path)
    if referee.state is None:
        raise fail(
            f"{path}: nothing can be judged: no match_started with a known profile (or give --profile NAME)"
        )
    end = referee.finish()
    for line in end if show else ():
        print_line(line)
    return Judged(referee, told, end)


def print_line(line: dict[str, Any]) -> None:
    """One JSON object on a line of its own."""
    print(json.dumps(line, ensure_ascii=False))


def judge(record: RecordPath, profile: ProfileName = None) -> None:
    """Judge a record: findings, results of deals and of the match, as JSON lines. 评判牌局记录。"""
    run_referee(opened(record), chosen_profile(profile), record)


def profiles(
    name: Annotated[
        str | None, typer.Argument(help="Profile, or the path of one. 规则集名称或文件。", show_default=False)
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="As JSON. 输出 JSON。")] = False,
) -> None:
    """List the profiles, or every key of one with its value and meaning. 列出规则集，或其全部条目。"""
    if name is None:
        _list_profiles(as_json)
        return
    profile = chosen_profile(name)
    assert profile is not None
    if as_json:
        print_line({"profile": profile.name, "game": profile.game, "keys": dict(profile)})
        return
    print(f"# {profile.name} ({profile.game}): {profile.zh} / {profile.en}")
    for key, declared in profile.schema.items():
        choices = f" [{' | '.join(declared.choices)}]" if declared.choices else ""
        print(f"\n{key} = {json.dumps(profile[key], ensure_ascii=False)}{choices}")
        print(f"    {declared.zh}\n    {declared.en}")


def _list_profiles(as_json: bool) -> None:
    for name in profile_names():
        profile = load_profile(name)
        if as_json:
            print_line({"profile": name, "game": profile.game, "zh": profile.zh, "en": profile.en})
        else:
            print(f"{name:22} {profile.zh} / {profile.en}")


def export(
    record: RecordPath,
    to: Annotated[str, typer.Option("--to", help=f"One of: {', '.join(FORMATS)}. 输出格式。")] = "text",
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="File to write. 写入的文件。", show_default=False)
    ] = None,
    lang: Annotated[str, typer.Option("--lang", help="Language of text: zh, en or both. 语言。")] = "both",
    profile: ProfileName = None,
) -> None:
    """Write a record as text, as a match sheet (xlsx) or as JSON. 导出文字记录、比赛记录表或 JSON。"""
    if to not in FORMATS:
        raise fail(f"--to {to}: unknown format (expected {', '.join(FORMATS)})")
    if lang not in ("zh", "en", "both"):
        raise fail(f"--lang {lang}: unknown language (expected zh, en or both)")
    read = opened(record)
    judged = run_referee(read, chosen_profile(profile), record, show=False)
    try:
        export_record(to, read, judged.told, judged.end, record, out, lang)
    except OSError as error:
        raise fail(f"{out or record}: cannot be written ({error.strerror})") from None
