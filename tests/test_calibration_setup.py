"""Setting up a table by its commands and in its file; what keeps cards from being read is named; drift of a live table."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner, Result

from api.cli import app
from api.places import Places
from api.service import TableService
from calibration.drift import MOVED, OK
from calibration.notes import CannotCalibrate
from calibration.setup import CameraSetup, Lens, Plane, TableSetup
from calibration.setup_edit import SetupEditor
from calibration.setup_file import load_draft, load_setup, parse_setup, save_setup
from calibration.setup_score import ZoneScore, score_table
from calibration.tags import Mat, Tag
from calibration.toml_keys import BadTableFile
from calibration.zone_finding import usual_zones
from devices.simulator.conditions import Conditions
from devices.simulator.motions import Lying
from devices.simulator.table import SimulatedTable
from table.events import Play
from table.journal import Journal
from table.rulesets import load_profile
from tests.service_tables import scripted
from vision.frames import Frame

CARDS = ["S7", "HA", "D10", "C9", "SK", "H2", "D3", "CQ", "S5", "H8"]
TABLE = """\
# By the window.
version = 2
name = "table 7"
profile = "guandan-event"  # the rules

# Over seat 0.
[[camera]]
name = "camera 1"
kind = "simulated"
size = [1920, 1080]

# What the camera needs.
[camera.options]
cameras = 2
camera = 0
seed = 1
tags = 7

[[camera]]
name = "camera 2"
kind = "simulated"
size = [1920, 1080]
options = { cameras = 2, camera = 1, seed = 1, tags = 7 }
"""


def run(*arguments: str) -> Result:
    return CliRunner(env={"PAIZHUO_LANG": "en"}).invoke(app, ["calibrate", *arguments])


@pytest.fixture(scope="module")
def set_up(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("table") / "table.toml"
    path.write_text(TABLE)
    assert run("tags", str(path), "--table", "7").exit_code == 0
    result = run("plane", str(path))
    assert result.exit_code == 0, result.output
    return path


# By the commands.


def test_a_table_without_planes_is_set_up_from_its_tags(set_up: Path) -> None:
    setup = load_setup(set_up)
    true = SimulatedTable(seed=1, cameras=2).planes
    for camera, plane in zip(setup.cameras, true, strict=True):
        assert camera.calibration["plane_mm"] < 0.5
        assert np.abs(camera.plane.to_px / plane.to_px - 1)[:2, 2].max() < 0.01
    assert setup.mat == Mat()


def test_what_the_owner_wrote_stays(set_up: Path) -> None:
    text = set_up.read_text()
    for line in (
        "# By the window.",
        'profile = "guandan-event"  # the rules',
        "# Over seat 0.",
        "# What the camera needs.",
    ):
        assert line in text
    assert tomllib.loads(text)["camera"][1]["options"] == {"cameras": 2, "camera": 1, "seed": 1, "tags": 7}


def test_cameras_in_their_place_are_said_to_be_so(set_up: Path) -> None:
    result = run("check", str(set_up))
    assert result.exit_code == 0
    assert result.output.count("in its place") == 2


def test_a_calibration_of_another_table_is_one_line(set_up: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.toml"
    other.write_text(set_up.read_text())
    assert run("tags", str(other), "--table", "8").exit_code == 0
    before = other.read_text()
    result = run("plane", str(other), "--camera", "camera 1")
    assert result.exit_code == 1
    assert result.output.strip().splitlines() == [
        "camera 1: the tags in view are of table 7, the setup file is of table 8; swap the camera or the file"
    ]
    assert other.read_text() == before


def test_a_check_line_that_is_not_100_is_told_and_reckoned_with(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    result = run("tags", str(path), "--table", "7", "--check-line", "98.5")
    assert "98.5 %" in result.output
    assert load_draft(path).tags[0].size == pytest.approx(49.25)


def test_zones_are_put_where_the_mat_lies(set_up: Path, tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(set_up.read_text())
    result = run("zones", str(path), "--kinds", "play,discard,ignore")
    assert result.exit_code == 0, result.output
    setup = load_setup(path)
    assert [zone.kind for zone in setup.zones].count("discard") == 4
    assert setup.zones[0].centre == pytest.approx((0.0, -230.0), abs=0.2)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["tags", "{}", "--table", "40"], "1 to 36"),
        (["tags", "{}", "--table", "7", "--check-line", "9.85"], "must be 80 to 120"),
        (["plane", "{}"], "names no tags"),
        (["lens", "{}", "--camera", "camera 9", "--from", "."], "no camera named camera 9"),
        (["lens", "{}", "--camera", "camera 1", "--from", "/no/such/film"], "cannot be read"),
        (["plane", "/no/such/table.toml"], "cannot be read"),
    ],
    ids=["table", "check line", "no tags", "camera", "pictures", "file"],
)
def test_what_people_get_wrong_is_one_line(tmp_path: Path, arguments: list[str], said: str) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    result = run(*(argument.format(path) for argument in arguments))
    assert result.exit_code in (1, 2)
    assert said in result.output
    assert len(result.output.strip().splitlines()) == 1


# The file.


def test_a_setup_with_tags_and_mat_is_read_back_as_it_was(tmp_path: Path) -> None:
    setup = SimulatedTable(seed=1, cameras=2, tags=5).setup
    save_setup(setup, tmp_path / "table.toml")
    again = load_setup(tmp_path / "table.toml")
    assert (again.tags, again.mat) == (setup.tags, setup.mat)


@pytest.mark.parametrize(
    ("tags", "said"),
    [
        ("[[tag]]\nnumber = 600\ncentre = [0, 0]", "0 to 586"),
        ("[[tag]]\nnumber = 3\ncentre = [0]", "x and y in mm"),
        ("[[tag]]\nnumber = 3\ncentre = [0, 0]\n[[tag]]\nnumber = 3\ncentre = [9, 0]", "number 3"),
        (
            "[[tag]]\nnumber = 3\ncentre = [0, 0]\n[[tag]]\nnumber = 30\ncentre = [9, 0]",
            "tags of table 1 and of table 2",
        ),
        ("[[tag]]\nnumber = 3\ncenter = [0, 0]", "did you mean 'centre'"),
        ("[mat]\nturn = true", "mat: turn"),
    ],
)
def test_wrong_tags_in_the_file_are_named(tags: str, said: str) -> None:
    with pytest.raises(BadTableFile, match=said):
        parse_setup(tomllib.loads(TABLE + tags), draft=True)


def test_nothing_is_written_that_could_not_be_read(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    path.write_text(TABLE)
    editor = SetupEditor(path)
    editor.put_lens("camera 1", Lens((-5.0, 5.0), (1.0, 1.0)))
    with pytest.raises(BadTableFile, match="focal"):
        editor.save()
    assert path.read_text() == TABLE


def test_zones_change_in_place_and_others_stay(tmp_path: Path) -> None:
    path = tmp_path / "table.toml"
    zones = """
# mine
[[zone]]
name = "seat 0"
seat = 0
centre = [1, 2]

[[zone]]
name = "kitty"
kind = "kitty"
centre = [0, 0]
size = [160, 160]
"""
    path.write_text(TABLE + zones)
    editor = SetupEditor(path)
    editor.put_zones(usual_zones())
    editor.save()
    now = {zone.name: zone for zone in load_draft(path).zones}
    assert now["seat 0"].centre == (0.0, -230.0)
    assert set(now) == {"seat 0", "seat 1", "seat 2", "seat 3", "kitty"}
    assert "# mine" in path.read_text()


# The score.


@cache
def view(
    blur: float = 0.0, gain: float = 1.0, glare: float = 0.0, near: bool = True
) -> tuple[TableSetup, np.ndarray]:
    """A table with a few cards on it: glare shows on them."""
    how = Conditions(blur=blur, cast=(gain, gain, gain), glare=glare)
    size = None if near else (1920, 1080)
    table = SimulatedTable(seed=3, cameras=4 if near else 1, tags=2, how=how, size=size)
    spots = [(x, y) for y in (-320.0, -220.0) for x in (-150.0, -75.0, 0.0, 75.0, 150.0)]
    cards = tuple(
        Lying(i, card, x, y, 5.0) for i, (card, (x, y)) in enumerate(zip(CARDS, spots, strict=True))
    )
    return table.setup, table._view(0, 0.0).frame(cards, (), (), 0, 0.0)


def series(
    image: np.ndarray, hertz: float = 0.0, depth: float = 0.0, fps: float = 25.0
) -> list[tuple[float, np.ndarray]]:
    """Frames in a row under lamps that pulse with the mains, through a shutter that rolls over the rows in 30 ms."""
    rows = np.arange(len(image)) / len(image) * 0.03
    out = []
    for i in range(12):
        light = 1 + depth * np.cos(2 * math.pi * 2 * hertz * (i / fps + rows))
        out.append((i / fps, np.clip(image * light[:, None, None], 0, 255).astype(np.uint8)))
    return out


def scored(setup: TableSetup, frames: Sequence[tuple[float, np.ndarray]]) -> ZoneScore:
    return next(one for one in score_table(setup, {"camera 1": frames}) if one.zone == "seat 0")


def test_a_good_rig_is_called_good() -> None:
    setup, image = view()
    score = scored(setup, series(image))
    assert score.good, score.faults
    assert score.hints == ()


@pytest.mark.parametrize(
    ("look", "flicker", "fault"),
    [
        ({"blur": 4.0}, {}, "score_blurred"),
        ({"near": False}, {}, "score_detail"),
        ({}, {"hertz": 60.0, "depth": 0.12}, "score_flicker_60"),
        ({}, {"hertz": 50.0, "depth": 0.12, "fps": 30.0}, "score_flicker_50"),
        ({"gain": 1.8}, {}, "score_bright"),
        ({"gain": 0.3}, {}, "score_dark"),
        ({"glare": 1.0}, {}, "score_glare"),
    ],
    ids=["out of focus", "1.2 px/mm", "60 Hz", "50 Hz", "saturated", "too dark", "glare"],
)
def test_each_fault_is_named_and_no_other(
    look: dict[str, Any], flicker: dict[str, float], fault: str
) -> None:
    setup, image = view(**look)
    score = scored(setup, series(image, **flicker))
    assert [one.key for one in score.faults] == [fault]


# A table that runs.


def frames_of(table: SimulatedTable, knocked: float, start: float) -> list[Frame]:
    shown = table._view(0, knocked)
    return [Frame(shown.frame((), (), (), i, start + i), start + i, "camera 1") for i in range(5)]


def test_a_knocked_camera_of_a_running_table_is_told_and_accepted_in_one_step(tmp_path: Path) -> None:
    table = SimulatedTable(seed=1, cameras=2, tags=7)
    path = tmp_path / "table.toml"
    save_setup(table.setup, path)
    places = Places(table.setup, object(), path, every=0.0)
    places.see(frames_of(table, 0.0, 0.0))
    assert places.states["camera 1"].state == OK
    assert not places.unsure("seat 0")
    places.see(frames_of(table, 10.0, 10.0))
    assert places.states["camera 1"].state == MOVED
    assert any("10.0" in line for line in places.lines("zh"))
    answer = places.accept(["camera 1"])
    places.see(frames_of(table, 10.0, 20.0)[:1])
    (camera,) = answer.result(0)
    assert places.states["camera 1"].state == OK
    assert np.allclose(load_setup(path).cameras[0].plane.to_px, camera.plane.to_px, rtol=1e-8)


def test_a_camera_that_sees_no_tags_cannot_be_accepted() -> None:
    table = SimulatedTable(seed=1, cameras=2, tags=7)
    places = Places(table.setup, object(), every=0.0)
    answer = places.accept(["camera 1"])
    places.see([Frame(np.full((1080, 1920, 3), 90, np.uint8), 0.0, "camera 1")])
    with pytest.raises(CannotCalibrate):
        answer.result(0)


@pytest.mark.parametrize(
    ("knocked", "slipped", "doubtful"),
    [(0.0, 0.0, False), (2.0, 0.0, False), (10.0, 0.0, True), (0.0, 2.5, False), (0.0, 8.0, True)],
)
def test_what_was_seen_after_a_camera_or_the_mat_moved_by_over_4_mm_is_doubtful(
    knocked: float, slipped: float, doubtful: bool, tmp_path: Path
) -> None:
    table = SimulatedTable(seed=1, cameras=2, tags=7)
    setup = replace(table.setup, cameras=table.setup.cameras[:1])
    script = scripted("guandan-official", 3)
    watch = script.watch()
    # The printed tags lie elsewhere than they did when the table was set up.
    table._tags = tuple(
        replace(tag, centre=(tag.centre[0] + slipped, tag.centre[1])) if tag.on_mat else tag
        for tag in table._tags
    )
    image = table._view(0, knocked).frame((), (), (), 0, 0.0)
    with Journal(tmp_path / "journal.sqlite") as journal:
        service = TableService(setup, watch, journal)
        # A few looks when the match begins are enough here.
        service.places = Places(setup, watch, every=1e9)
        for event in script.heard:
            service.hear(event)
        for i in range(300):
            service.step([Frame(image, i * 0.5, "camera 1")])
        plays = [told.event for told in service.told if isinstance(told.event, Play)]
        assert len(plays) >= 4
        below = load_profile("guandan-official").number("reading.doubt_below")
        doubts = [play.confidence is not None and play.confidence < below for play in plays]
        assert all(doubts) if doubtful else not all(doubts)
        assert bool(service.places.lines("en")) == (knocked > 1.5 or slipped > 1.5)


def test_a_table_without_tags_has_nothing_to_say() -> None:
    plane = Plane(np.array([[1.0, 0, 500], [0, -1, 500], [0, 0, 1]]))
    camera = CameraSetup("a", "uvc", (1000, 1000), plane)
    setup = TableSetup("t", "guandan-event", (camera,), usual_zones(), tags=(Tag(3, (0, 0)),))
    places = Places(setup, object())
    places.see([Frame(np.zeros((1000, 1000, 3), np.uint8), 0.0, "a")])
    assert places.lines("en") == []
    assert not places.unsure("seat 0")
