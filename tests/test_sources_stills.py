"""Photographs as a live table's source: reduced to its size, taken from where the caller says, told seat by seat."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from api.cli import app
from api.tables import open_table, read_setup, with_sources
from calibration.setup_file import save_setup
from calibration.toml_keys import BadTableFile
from devices.simulator.conditions import Conditions
from devices.simulator.table import SimulatedTable
from devices.sources import SourceFailed
from table.sightings import Laid
from tests.test_read_command import needs_weights
from vision.card_reader import CardReader
from vision.table_watch import TableWatch

RUNNER = CliRunner()
EXAMPLE = Path(__file__).resolve().parents[1] / "docs" / "examples" / "live" / "overhead.toml"
PLAYS = (
    {"at": 4.0, "event": "play", "seat": 0, "cards": "S9 H9"},
    {"at": 8.0, "event": "play", "seat": 1, "cards": "CJ DJ"},
)


def photographs(folder: Path, size: tuple[int, int], *greys: int) -> Path:
    folder.mkdir()
    for number, grey in enumerate(greys):
        cv2.imwrite(str(folder / f"{number}.png"), np.full((size[1], size[0], 3), grey, np.uint8))
    return folder


def test_photographs_from_elsewhere_are_reduced_to_the_size_of_the_setup(tmp_path: Path) -> None:
    folder = photographs(tmp_path / "big", (4500, 3000), 40, 90)
    setup = with_sources(read_setup(EXAMPLE), [f"overhead={folder}"])
    (source,) = open_table(setup, 0.0, lambda: 0.0).sources
    frames = [source.read(), source.read()]
    assert [frame.image.shape for frame in frames if frame is not None] == [(2000, 3000, 3)] * 2
    assert [frame.at for frame in frames if frame is not None] == [0.0, 20.0]
    assert source.read() is None


def test_photographs_of_another_shape_are_refused_in_one_line(tmp_path: Path) -> None:
    folder = photographs(tmp_path / "square", (3000, 3000), 40)
    setup = with_sources(read_setup(EXAMPLE), [f"overhead={folder}"])
    (source,) = open_table(setup, 0.0, lambda: 0.0).sources
    with pytest.raises(SourceFailed, match="3000x3000 px, the table file says 3000x2000") as failed:
        source.read()
    assert "\n" not in str(failed.value)


@pytest.mark.parametrize(
    ("place", "says"),
    [
        ("overhaed=x", "did you mean 'overhead'"),
        ("overhead", "write CAMERA=PLACE"),
        ("=x", "write CAMERA=PLACE"),
    ],
)
def test_a_source_that_is_named_wrongly(place: str, says: str) -> None:
    with pytest.raises(BadTableFile, match=says) as told:
        with_sources(read_setup(EXAMPLE), [place])
    assert "\n" not in str(told.value)


def test_a_folder_that_is_not_there_is_told_in_one_line(tmp_path: Path) -> None:
    words = ["run", str(EXAMPLE), "--source", f"overhead={tmp_path / 'none'}", "--no-page"]
    done = RUNNER.invoke(app, [*words, "--data", str(tmp_path / "data")])
    assert done.exit_code == 2
    assert len(done.stderr.splitlines()) == 1
    assert "no such folder" in done.stderr


@needs_weights
def test_what_is_new_on_each_photograph_is_told_of_its_seat(tmp_path: Path) -> None:
    script = [
        {"seq": 1, "at": 0.0, "event": "match_started", "profile": "guandan-official"},
        {"seq": 2, "at": 0.5, "event": "deal_started", "level": "2"},
        *({"seq": 3 + i, **play} for i, play in enumerate(PLAYS)),
    ]
    table = SimulatedTable(script, seed=7, how=Conditions(fps=5.0), size=(1920, 1080))
    (camera,), folder = table.sources(), tmp_path / "stills"
    folder.mkdir()
    for number, at in enumerate((2.0, 6.0, 10.0)):
        cv2.imwrite(str(folder / f"{number}.png"), camera.picture(at, number))
    stills = replace(table.setup.cameras[0], kind="stills", options={"path": "stills", "every": 4})
    save_setup(replace(table.setup, cameras=(stills,)), tmp_path / "table.toml")
    setup = read_setup(tmp_path / "table.toml")
    (source,) = open_table(setup, 0.0, lambda: 0.0).sources
    watch = TableWatch(setup, CardReader.open(1))
    told = []
    while (frame := source.read()) is not None:
        laid = [one for one in watch.see([frame]) if isinstance(one, Laid)]
        told.append([(one.seat, " ".join(str(card.card) for card in one.cards)) for one in laid])
    assert told == [[], [(0, "S9 H9")], [(1, "CJ DJ")]]


@pytest.mark.shared
@needs_weights
def test_real_cards_are_given_to_their_places(shared: Path) -> None:
    done = RUNNER.invoke(app, ["bench", "overhead", "--shared", str(shared), "--json"])
    assert done.exit_code == 0, done.output
    numbers = json.loads(done.stdout)
    assert (numbers["pictures"], numbers["places"]) == (8, 40)
    assert numbers["right"] >= 36
    assert numbers["cards_right"] >= 92
