"""A table without cameras as a command: it keeps its match over a restart and is closed to others without tokens."""

from __future__ import annotations

import json
from pathlib import Path

from typer.testing import CliRunner

from api.cli import app
from api.runner import JOURNAL
from table.events import MatchStarted, UnknownEvent
from table.journal import Journal

RUNNER = CliRunner()


def test_a_match_by_hand_goes_on_after_a_restart(tmp_path: Path) -> None:
    command = ["referee", "--profile", "shengji-event", "--players", "甲,乙,丙,丁", "--data", str(tmp_path)]
    for _ in range(2):
        done = RUNNER.invoke(app, [*command, "--port", "0", "--seconds", "0.1"])
        assert done.exit_code == 0, done.output
    with Journal(tmp_path / JOURNAL) as journal:
        events = list(journal.events())
    # On a slow machine the restart may take so long that it names its gap.
    gaps = [event for event in events if isinstance(event, UnknownEvent) and event.kind == "missing"]
    assert [event.name for event in events if event not in gaps] == ["match_started"]
    assert isinstance(events[0], MatchStarted)
    assert (events[0].profile, events[0].players) == ("shengji-event", ("甲", "乙", "丙", "丁"))


def test_a_setup_file_without_a_camera_runs(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    table.write_text('version = 2\nname = "7"\nprofile = "guandan-event"\n', "utf-8")
    command = ["run", str(table), "--data", str(tmp_path / "data"), "--port", "0", "--seconds", "0.1"]
    assert RUNNER.invoke(app, command).exit_code == 0
    assert json.loads((tmp_path / "data" / "record.jsonl").read_text("utf-8"))["profile"] == "guandan-event"


def test_it_is_not_served_to_others_without_tokens(tmp_path: Path) -> None:
    done = RUNNER.invoke(
        app, ["referee", "--data", str(tmp_path), "--host", "0.0.0.0", "--port", "0", "--seconds", "0"]
    )
    assert done.exit_code == 2
    assert "token" in done.output
    assert len(done.output.strip().splitlines()) == 1


def test_names_that_are_not_four_are_refused(tmp_path: Path) -> None:
    done = RUNNER.invoke(app, ["referee", "--data", str(tmp_path), "--players", "a,b"])
    assert (done.exit_code, len(done.output.strip().splitlines())) == (2, 1)
