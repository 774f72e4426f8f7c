"""A recorded table once more: the same pixels, the same events, findings and result; a cut one as far as it goes."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from api.cli import app
from api.feeds import merged
from api.runner import JOURNAL, Runner
from api.service import TableService
from api.tables import as_events, open_table, read_setup
from calibration.setup_file import save_setup
from devices.recorded import INPUTS, TABLE, Film, Tape
from devices.simulator.conditions import Conditions
from devices.simulator.show import show_match
from devices.simulator.table import SimulatedTable
from table.event_json import event_from_json, event_to_json
from table.journal import Journal
from table.rulesets import load_profile
from tests.service_tables import PICTURE, scripted, setup_of
from vision.card_reader import CardReader
from vision.evidence import Evidence
from vision.frames import Frame
from vision.table_watch import TableWatch

RUNNER = CliRunner()
PROFILE = "guandan-official"


@cache
def reader() -> CardReader:
    return CardReader.open(2)


def watched(
    setup: Any, folder: Path, sources: Any, inputs: Any, tape: Tape | None = None
) -> list[dict[str, Any]]:
    """The events that come of watching."""
    folder.mkdir(exist_ok=True)
    with Journal(folder / JOURNAL) as journal:
        evidence = Evidence(folder / "evidence", setup, keep=tape is not None)
        service = TableService(setup, TableWatch(setup, reader()), journal, evidence=evidence)
        Runner(service, tape=tape, inputs=inputs).all_at_once(sources, stop=lambda: (service.now or 0) > 23.0)
        return [event_to_json(told.event) for told in service.told]


def test_a_recorded_table_is_the_same_from_its_pixels(tmp_path: Path) -> None:
    events = show_match(load_profile(PROFILE), 7)
    how = Conditions(fps=8.0)
    table = SimulatedTable(events, profile=PROFILE, seed=7, how=how, size=(1920, 1080), skip_idle=True)
    film = tmp_path / "film"
    tape = Tape(film, table.setup)
    live = watched(table.setup, tmp_path / "live", table.sources(), as_events(table.inputs), tape)
    setup = read_setup(film / TABLE)
    lines = (film / INPUTS).read_text("utf-8").splitlines()
    heard = [event_from_json(json.loads(line)) for line in lines]
    opened = open_table(setup, 0.0, lambda: 0.0)
    again = watched(setup, tmp_path / "again", opened.sources, heard)
    assert again == live
    assert [event["event"] for event in live].count("play") >= 2


SHORT = (
    {"at": 0.0, "event": "match_started", "profile": PROFILE},
    {"at": 0.5, "event": "deal_started", "level": "2"},
    {"at": 3.0, "event": "play", "seat": 0, "cards": "S9 H9"},
    {"at": 6.0, "event": "play", "seat": 1, "cards": "S5 H5"},
    {"at": 10.0, "event": "match_ended"},
)
"""A pair that does not beat the pair before."""


def test_a_recording_is_replayed_with_the_events_findings_and_result_of_the_live_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAIZHUO_LANG", "en")
    record = tmp_path / "script.jsonl"
    record.write_text("".join(json.dumps({"seq": i, **e}) + "\n" for i, e in enumerate(SHORT, 1)), "utf-8")
    table = SimulatedTable(
        [{"seq": i, **e} for i, e in enumerate(SHORT, 1)],
        profile=PROFILE,
        seed=7,
        how=Conditions(fps=6.0),
        size=(1920, 1080),
    )
    (camera,) = table.setup.cameras
    camera = replace(camera, options={"record": str(record), "seed": 7, "skip_idle": True})
    save_setup(replace(table.setup, cameras=(camera,)), tmp_path / "table.toml")
    data, film = tmp_path / "live", tmp_path / "film"
    words = ["run", tmp_path / "table.toml", "--data", data, "--record-video", film, "--fast", "--no-page"]
    live, again = (RUNNER.invoke(app, list(map(str, w))) for w in (words, ["replay", film]))
    assert live.exit_code == again.exit_code == 0, (live.output, again.output)
    told = [one.stdout.splitlines() for one in (live, again)]
    assert any("does not beat" in line for line in told[0])
    assert told[0][-3].startswith("match: levels")
    assert told[0][:-2] == told[1][:-2]
    assert "times real time" in told[1][-2]
    as_json = RUNNER.invoke(app, ["replay", str(film), "--json"]).stdout
    assert as_json == RUNNER.invoke(app, ["replay", str(data), "--json"]).stdout


def filmed(folder: Path, count: int) -> Path:
    """A recording of `count` grey frames, each a little lighter than the one before."""
    tape = Tape(folder, setup_of(PROFILE))
    for number in range(count):
        frame = tape.through(Frame(np.full((120, 160, 3), 40 + number, np.uint8), number / 5, "above"))
        tape.keep([frame], number + 1)
    tape.close()
    return folder / "above.mkv"


def test_a_film_gives_back_every_frame_as_it_was_looked_at(tmp_path: Path) -> None:
    tape = Tape(tmp_path, setup_of(PROFILE))
    rng = np.random.default_rng(3)
    frames = [
        tape.through(Frame(rng.integers(0, 255, (120, 160, 3), np.uint8), at, "above"))
        for at in (0.0, 0.2, 1.7)
    ]
    tape.keep(frames[:2], 1)
    tape.keep(frames[2:], 2)
    tape.close()
    film = Film(tmp_path / "above.mkv", "above")
    for frame, step in zip(frames, (1, 1, 2), strict=True):
        back = film.read()
        assert back is not None
        assert (back.at, back.step) == (frame.at, step)
        assert (back.image == frame.image).all()
    assert film.read() is None
    assert not film.warning


@pytest.mark.parametrize("share", [0.3, 0.8])
def test_a_cut_film_is_watched_as_far_as_it_goes_and_says_so(tmp_path: Path, share: float) -> None:
    path = filmed(tmp_path, 20)
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    film = Film(path, "above")
    seen = 0
    while film.read() is not None:
        seen += 1
    assert 0 < seen < 20
    assert f"cut after frame {seen} of 20" in film.warning
    assert "\n" not in film.warning


def test_a_recording_ends_before_the_disk_is_full_and_the_table_goes_on(tmp_path: Path) -> None:
    table = scripted(PROFILE, 5)
    with Journal(tmp_path / "journal.sqlite") as journal:
        service = TableService(setup_of(PROFILE), table.watch(), journal)
        tape = Tape(tmp_path / "film", service.setup, spare=1 << 60)
        runner = Runner(service, tape=tape, inputs=table.heard)
        runner.all_at_once([table.source()], stop=lambda: (service.now or 0.0) > 150.0)
        assert "the recording ends here" in runner.trouble
        assert "free some space" in runner.trouble
        assert journal.last_seq > 3


def test_a_record_is_replayed_with_its_findings_and_result(tmp_path: Path) -> None:
    table = scripted(PROFILE, 5)
    record = tmp_path / "record.jsonl"
    record.write_text(
        "".join(json.dumps(event, ensure_ascii=False) + "\n" for event in table.expected), "utf-8"
    )
    done = RUNNER.invoke(app, ["replay", str(record), "--json"])
    judged = RUNNER.invoke(app, ["judge", str(record)])
    assert done.exit_code == 0
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line for line in lines if "event" in line and "finding" not in line and "seq" in line]
    told = [line for line in lines if "seq" not in line]
    assert told == [json.loads(line) for line in judged.stdout.splitlines()]


def test_several_cameras_are_seen_together_again_as_they_were(tmp_path: Path) -> None:
    setup = setup_of(PROFILE, ("left", "right"))
    tape = Tape(tmp_path, setup)
    left, right = (tape.through(Frame(PICTURE, at, name)) for at, name in ((1.0, "left"), (1.4, "right")))
    tape.keep([left, right], 1)
    tape.keep([left], 2)
    tape.close()
    films = [Film(tmp_path / f"{name}.mkv", name) for name in ("left", "right")]
    assert [[frame.source for frame in frames] for frames in merged(films)] == [["left", "right"], ["left"]]
