"""What goes wrong round a running table, for real: weights that are not there, a disk that takes no more."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from api.feeds import Health
from api.lacks import Lacks
from api.runner import JOURNAL
from devices.recorded import INPUTS, TABLE, Tape
from table.journal import Journal
from tests.service_tables import setup_of
from tests.test_service_commands import film_of
from vision.frames import Frame
from vision.weights import FINDER, READER

ROOT = Path(__file__).resolve().parents[1]
PASSES = 400
MOST = 40_000
"""Bytes that no file may grow beyond: a real disk that is full."""


def paizhuo(*words: object, cwd: Path = ROOT, most: int | None = None) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own; no file that it writes becomes longer than `most` bytes."""

    def limit() -> None:
        if most is not None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    return subprocess.run(
        [sys.executable, "-m", "api.cli", *map(str, words)],
        cwd=cwd, preexec_fn=limit, capture_output=True, text=True, check=False,
        env={**os.environ, "PAIZHUO_LANG": "en", "COLUMNS": "200"},
    )  # fmt: skip


@pytest.fixture
def elsewhere(tmp_path: Path) -> Path:
    """A place with copies of the weights and of what loads them."""
    for folder in ("vision", "models"):
        wanted = shutil.ignore_patterns("__pycache__", "synth", "*.png", "train*")
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=wanted)
    (tmp_path / "models" / "synth").symlink_to(ROOT / "models" / "synth")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "name", "says"),
    [
        ("run", FINDER, "missing weights"),
        ("demo", READER, "not the published weights"),
    ],
)
def test_weights_that_are_missing_or_altered_are_told_in_one_line(
    elsewhere: Path, command: str, name: str, says: str
) -> None:
    path = elsewhere / "models" / name
    if command == "run":
        path.unlink()
    else:
        path.write_bytes(path.read_bytes()[:-1] + b"x")
    words = [film_of(elsewhere / "film", 1000) / TABLE] if command == "run" else []
    done = paizhuo(command, *words, "--no-page", "--data", elsewhere / "data", cwd=elsewhere)
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines()
    assert says in line
    assert str(path) in line
    assert "restore it from the repository" in line


@pytest.mark.parametrize("bench", [("faults", "--minutes", "0.5"), ("api",)])
def test_a_bench_whose_table_cannot_start_without_weights_says_so_at_once(
    elsewhere: Path, bench: tuple[str, ...]
) -> None:
    (elsewhere / "models" / FINDER).unlink()
    done = paizhuo("bench", *bench, cwd=elsewhere)
    assert done.returncode == 3, done.stderr
    (line,) = done.stderr.splitlines()
    assert "missing weights" in line


def test_a_full_disk_is_told_in_one_line_and_the_table_goes_on_with_what_it_has(tmp_path: Path) -> None:
    film = film_of(tmp_path / "film", 1000)
    with (film / INPUTS).open("a", encoding="utf-8") as inputs:
        for number in range(PASSES):
            at = round(0.1 + number / 1000, 3)
            inputs.write(
                json.dumps({"event": "pass", "seat": number % 4, "at": at, "source": "seatbox"}) + "\n"
            )
    words = (
        "run",
        film / TABLE,
        "--inputs",
        film / INPUTS,
        "--data",
        tmp_path / "data",
        "--no-page",
        "--fast",
    )
    full = paizhuo(*words, most=MOST)
    assert full.returncode == 1, full.stderr
    assert "Traceback" not in full.stderr
    assert "nothing can be recorded" in full.stderr
    assert "free some space" in full.stderr
    with Journal(tmp_path / "data" / JOURNAL) as journal:
        before = len(journal)
    assert 0 < before < PASSES
    # There is room again: the same inputs are given once more, what is recorded stays as it was.
    again = paizhuo(*words)
    assert again.returncode == 0, again.stderr
    with Journal(tmp_path / "data" / JOURNAL) as journal:
        assert [event.name for event in journal.events()].count("pass") == PASSES


def test_a_camera_that_ends_is_named_and_the_table_goes_on_with_the_other(tmp_path: Path) -> None:
    """Two films of one table, one of them shorter."""
    setup = setup_of("guandan-official", ("left", "right"))
    tape = Tape(tmp_path / "film", setup)
    picture = np.random.default_rng(1).integers(60, 70, (1000, 1000, 3), np.uint8)
    for step in range(1, 13):
        names = ("left", "right") if step < 5 else ("left",)
        frames = [tape.through(Frame(picture + np.uint8(step), step / 5, name)) for name in names]
        tape.keep(frames, step)
    tape.hear({"event": "match_started", "at": 0.0, "profile": "guandan-official", "source": "referee"}, 1)
    tape.hear({"event": "clock", "at": 2.3, "state": "stopped", "source": "referee"}, 11)
    tape.close()
    right = tmp_path / "film" / "right.mkv"
    right.write_bytes(right.read_bytes()[: right.stat().st_size * 2 // 3])
    done = paizhuo("run", tmp_path / "film" / TABLE, "--data", tmp_path / "data", "--no-page", "--fast",
                   "--inputs", tmp_path / "film" / INPUTS)  # fmt: skip
    assert done.returncode == 1
    (line,) = done.stderr.splitlines()
    assert "right.mkv: cut after frame" in line
    with Journal(tmp_path / "data" / JOURNAL) as journal:
        assert [event.name for event in journal.events()] == ["match_started", "clock"]


def test_what_is_heard_after_a_film_was_cut_accuses_nobody(tmp_path: Path) -> None:
    """Nobody saw whether the leader had played before the next one passed."""
    setup = setup_of("guandan-official")
    (camera,) = (one.name for one in setup.cameras)
    tape = Tape(tmp_path / "film", setup)
    picture = np.random.default_rng(1).integers(60, 70, (1000, 1000, 3), np.uint8)
    for step in range(1, 31):
        tape.keep([tape.through(Frame(picture + np.uint8(step % 3), step / 5, camera))], step)
    for event in (
        {"event": "match_started", "at": 0.0, "profile": "guandan-official", "source": "referee"},
        {"event": "deal_started", "at": 0.2, "level": "2", "source": "referee"},
        {"event": "turned_up", "at": 0.4, "seat": 0, "card": "H7", "source": "referee"},
        {"event": "draw_ended", "at": 0.6, "source": "referee"},
    ):
        tape.hear(event, 1)
    tape.hear({"event": "pass", "at": 5.5, "seat": 1, "source": "seatbox"}, 28)
    tape.close()
    film = tmp_path / "film" / f"{camera}.mkv"
    film.write_bytes(film.read_bytes()[: film.stat().st_size // 2])
    done = paizhuo("replay", tmp_path / "film", "--json")
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 1), done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert {line["why"] for line in lines if line.get("event") == "missing"} == {"blind"}
    assert [line["certainty"] for line in lines if "finding" in line] == ["check"]


def test_a_box_that_is_not_there_is_told_in_one_line_and_the_table_goes_on(tmp_path: Path) -> None:
    table = tmp_path / "table.toml"
    box = f'[[device]]\nname = "box 0"\nkind = "seatbox"\nport = "{tmp_path}/none"\nseat = 0\n'
    table.write_text(f'version = 2\nname = "t"\nprofile = "guandan-official"\n{box}', "utf-8")
    done = paizhuo("run", table, "--no-page", "--data", tmp_path / "data", "--seconds", "4")
    assert done.returncode == 0, done.stderr
    (line,) = done.stderr.splitlines()
    assert line.startswith(f"box 0: {tmp_path}/none: not there; plug it in")
    assert "Match starts" in done.stdout


def test_what_is_wrong_is_told_once_it_has_lasted_and_again_when_it_comes_back() -> None:
    now, cameras, told = [0.0], [Health("left")], list[str]()
    lacks = Lacks(lambda: cameras, list, "en", told.append, clock=lambda: now[0])

    def pass_time(seconds: float, why: str) -> None:
        cameras[0].why = why
        for _ in range(round(seconds)):
            now[0] += 1.0
            lacks()

    pass_time(2, "left: no picture for 2 s")
    pass_time(3, "")
    assert told == []
    pass_time(9, "left: no picture for 2 s")
    assert told == ["left: no picture for 2 s"]
    pass_time(1, "")
    pass_time(9, "left: no picture for 2 s")
    assert told == ["left: no picture for 2 s"] * 2
