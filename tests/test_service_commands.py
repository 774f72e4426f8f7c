"""`paizhuo run`, `demo` and `replay` with what people get wrong: one line that says what to do, and a status."""

from __future__ import annotations

import json
import socket
from pathlib import Path

import numpy as np
import pytest
from click.testing import Result
from typer.testing import CliRunner

from api.cli import app
from api.runner import JOURNAL, lock_folder
from calibration.setup_file import save_setup
from devices.recorded import Tape
from table.events import MatchStarted
from table.journal import Journal
from table.record import read_record
from tests.service_tables import scripted, setup_of
from vision.frames import Frame

RUNNER = CliRunner()
PROFILE = "guandan-official"
TABLE = """
version = 2
profile = "guandan-official"
[[camera]]
name = "above"
kind = "video"
size = [1000, 1000]
[camera.plane]
to_px = [[1, 0, 500], [0, -1, 500], [0, 0, 1]]
[camera.options]
path = "film.mkv"
"""


@pytest.fixture(autouse=True)
def english(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PAIZHUO_LANG", "en")


def paizhuo(*words: object) -> Result:
    return RUNNER.invoke(app, [str(word) for word in words])


def one_line(result: Result, status: int) -> str:
    assert result.exit_code == status, result.output
    lines = result.stderr.splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version = 2", "version = 1", "paizhuo watch"),
        ("profile", "profil", "did you mean 'profile'?"),
        ("guandan-official", "guandan-x", "guandan-x"),
        ("[1000, 1000]", "[300, 300]", "inside a picture"),
        ("version = 2", 'version = 2\n[options]\n"clock.pley" = 3', "clock.pley"),
        ("film.mkv", "none.mkv", "none.mkv"),
    ],
)  # fmt: skip
def test_a_table_file_with_a_mistake(tmp_path: Path, old: str, new: str, says: str) -> None:
    text = TABLE.replace(old, new, 1)
    if "[options]" in text:
        # Keys of the file itself stand before its tables.
        text = TABLE.replace("[[camera]]", '[options]\n"clock.pley" = 3\n[[camera]]', 1)
    (tmp_path / "table.toml").write_text(text)
    line = one_line(paizhuo("run", tmp_path / "table.toml", "--no-page", "--data", tmp_path / "data"), 2)
    assert says in line


def test_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TABLE)
    (tmp_path / "inputs.jsonl").write_text('{"event": "pass", "seat": 1}\n{"event": "pass", "seat": 7}\n')
    words = (
        "run",
        tmp_path / "table.toml",
        "--inputs",
        tmp_path / "inputs.jsonl",
        "--data",
        tmp_path / "data",
    )
    assert "inputs.jsonl, line 2" in one_line(paizhuo(*words), 2)


def test_a_folder_that_another_table_uses(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TABLE)
    with lock_folder(tmp_path / "data"):
        line = one_line(paizhuo("run", tmp_path / "table.toml", "--no-page", "--data", tmp_path / "data"), 2)
    assert "another paizhuo" in line


def test_a_journal_that_was_changed(tmp_path: Path) -> None:
    (tmp_path / "table.toml").write_text(TABLE)
    with Journal(tmp_path / JOURNAL) as journal:
        journal.append(MatchStarted(at=0.0, profile=PROFILE))
        journal._db.execute("UPDATE event SET body = replace(body, 'guandan', 'shengji')")
    line = one_line(paizhuo("run", tmp_path / "table.toml", "--no-page", "--data", tmp_path), 2)
    assert "row 1 was changed" in line


def test_a_port_that_is_taken() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        assert f"port {port} is in use" in one_line(paizhuo("demo", "--port", port), 2)


def film_of(folder: Path, side: int) -> Path:
    """A recording of an empty table in pictures of `side` x `side` px."""
    tape = Tape(folder, setup_of(PROFILE))
    rng = np.random.default_rng(1)
    for number in range(12):
        image = rng.integers(60, 70, (side, side, 3), np.uint8)
        tape.keep([tape.through(Frame(image, number / 5, "above"))], number + 1)
    tape.hear({"event": "match_started", "at": 0.0, "profile": PROFILE, "source": "referee"}, 1)
    tape.close()
    return folder


def test_a_cut_film_is_replayed_as_far_as_it_goes(tmp_path: Path) -> None:
    path = film_of(tmp_path, 1000) / "above.mkv"
    path.write_bytes(path.read_bytes()[:-200_000])
    result = paizhuo("replay", tmp_path)
    assert "cut after frame" in one_line(result, 1)
    assert "Match starts" in result.stdout


def test_pictures_of_another_size_than_the_table_file_says(tmp_path: Path) -> None:
    line = one_line(paizhuo("replay", film_of(tmp_path, 640)), 1)
    assert "640x640" in line
    assert "1000x1000" in line


def test_the_video_that_is_named_is_watched_with_the_table_file_of_another(tmp_path: Path) -> None:
    film_of(tmp_path / "other", 1000)
    named = tmp_path / "named.mkv"
    named.write_bytes((film_of(tmp_path / "named", 640) / "above.mkv").read_bytes())
    line = one_line(paizhuo("replay", named, "--table", tmp_path / "other" / "table.toml"), 1)
    assert "640x640" in line


def test_a_video_of_one_of_several_cameras_needs_to_be_told_which(tmp_path: Path) -> None:
    setup_file = tmp_path / "table.toml"
    film = film_of(tmp_path / "film", 640) / "above.mkv"
    second = TABLE[TABLE.index("[[camera]]") :].replace('"above"', '"side"').replace("film.mkv", "side.mkv")
    setup_file.write_text(TABLE + second, "utf-8")
    line = one_line(paizhuo("replay", film, "--table", setup_file), 2)
    assert "above, side" in line
    assert "--source CAMERA=VIDEO" in line


@pytest.mark.parametrize("command", ["replay", "judge"])
def test_a_file_that_is_no_record_is_told_in_one_line(tmp_path: Path, command: str) -> None:
    other = tmp_path / "table.toml"
    other.write_text(TABLE, "utf-8")
    line = one_line(paizhuo(command, other), 2)
    assert "no event could be read" in line
    assert "line 2" in line


def test_a_video_without_a_table_file(tmp_path: Path) -> None:
    film_of(tmp_path, 640)
    (tmp_path / "table.toml").unlink()
    assert "--table" in one_line(paizhuo("replay", tmp_path / "above.mkv"), 2)


def test_a_record_that_is_none(tmp_path: Path) -> None:
    (tmp_path / "record.jsonl").write_text("")
    assert "no event could be read" in one_line(paizhuo("replay", tmp_path / "record.jsonl"), 2)
    assert "cannot be read" in one_line(paizhuo("replay", tmp_path / "none.jsonl"), 2)


def test_a_violation_that_the_demo_does_not_know() -> None:
    assert "known are" in one_line(paizhuo("demo", "--faults", "cheating"), 2)


def test_a_data_folder_is_replayed_like_its_record(tmp_path: Path) -> None:
    table = scripted(PROFILE, 5)
    record = tmp_path / "other.jsonl"
    record.write_text(
        "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in table.expected), "utf-8"
    )
    (tmp_path / "data").mkdir()
    with Journal(tmp_path / "data" / JOURNAL) as journal:
        journal.extend(read_record(record).events)
    save_setup(setup_of(PROFILE), tmp_path / "data" / "table.toml")
    assert paizhuo("replay", tmp_path / "data").stdout == paizhuo("replay", record).stdout
