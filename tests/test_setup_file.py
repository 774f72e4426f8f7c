"""The setup file of a live table: read as written, and every mistake told in one line that names the place."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from calibration.setup import CameraSetup, Lens, Plane, TableSetup, play_zones
from calibration.setup_file import KITTY, load_setup, save_setup
from calibration.toml_keys import BadTableFile
from table.rulesets import load_profile

# A camera straight above the table's centre, 2.3 px/mm, y of the picture downwards.
ABOVE = """
version = 2
profile = "guandan-official"
[[camera]]
name = "above"
kind = "simulated"
size = [2160, 2160]
[camera.plane]
to_px = [[2.3, 0, 1080], [0, -2.3, 1080], [0, 0, 1]]
"""


def written(folder: Path, text: str) -> Path:
    path = folder / "table.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_setup_is_read_back_as_it_was_saved(tmp_path: Path) -> None:
    lens = Lens((1800.5, 1801.25), (960.0, 540.0), (-0.1, 0.02, 1e-4, -2e-4, 0.0))
    matrix = np.array([[2.1, 1 / 3, 1000], [0.01, -2.2, 1050], [1e-6, 2e-6, 1]])
    camera = CameraSetup(
        "头顶 1", "uvc", (2160, 2160), Plane(matrix, lens), 12.5, {"device": 2, "mjpg": True}
    )
    setup = TableSetup(
        'table "7"',
        "guandan-event",
        (camera,),
        play_zones(),
        2,
        ("甲", "乙", "丙", "丁"),
        {"clock.play": 25.0},
    )
    save_setup(setup, tmp_path / "table.toml")
    back = load_setup(tmp_path / "table.toml")
    assert replace(back, cameras=()) == replace(setup, cameras=())
    assert (back.cameras[0].plane.to_px == matrix).all()
    assert back.cameras[0].plane.lens == lens
    assert replace(back.cameras[0], plane=camera.plane) == camera


def test_zones_follow_from_the_game_where_the_file_names_none(tmp_path: Path) -> None:
    def game_of(name: str) -> str:
        return load_profile(name).game

    path = written(tmp_path, ABOVE)
    assert load_setup(path, game_of).zones == play_zones()
    path.write_text(ABOVE.replace("guandan-official", "shengji-event"))
    assert load_setup(path, game_of).zones == (*play_zones(), KITTY)


def test_a_plane_is_solved_from_points(tmp_path: Path) -> None:
    points = "[[-450, 450, 45, 45], [450, 450, 2115, 45], [450, -450, 2115, 2115], [-450, -450, 45, 2115]]"
    text = ABOVE.replace("to_px = [[2.3, 0, 1080], [0, -2.3, 1080], [0, 0, 1]]", f"points = {points}")
    matrix = load_setup(written(tmp_path, text)).cameras[0].plane.to_px
    assert matrix / matrix[2, 2] == pytest.approx(
        np.array([[2.3, 0, 1080], [0, -2.3, 1080], [0, 0, 1]]), abs=1e-6
    )


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("version = 2", "version = 1", "paizhuo watch"),
        ("version = 2", "version = 3", "version must be 2, got 3"),
        ("profile", "profil", "unknown key 'profil' in the file; did you mean 'profile'?"),
        ('kind = "simulated"', 'kind = "simulatd"', "camera 'above': kind 'simulatd' is not known; did you mean"),
        ('kind = "simulated"', 'kind = "video"', "needs `path`"),
        ("size = [2160, 2160]", "size = [2160, 1080]", "zone 'seat 0'"),
        ("[camera.plane]", "[camera.plan]", "unknown key 'plan' in camera 1; did you mean 'plane'?"),
        ("to_px = [[2.3, 0, 1080]", "to_px = [[0, 0, 1080]", "to a line"),
        ("[[camera]]", "[[zone]]\nseat = 4\ncentre = [0, 0]\n[[camera]]", "zone 1: not a seat: 4"),
        ("guandan-official", "guandan-offical", "guandan-offical"),
    ],
)  # fmt: skip
def test_a_mistake_is_told_in_one_line(tmp_path: Path, old: str, new: str, says: str) -> None:
    path = written(tmp_path, ABOVE.replace(old, new, 1))
    with pytest.raises(BadTableFile) as error:
        load_setup(path, lambda name: load_profile(name).game)
    assert says in str(error.value)
    assert str(error.value).startswith(str(path))
    assert "\n" not in str(error.value)


def test_a_table_without_a_camera_is_kept_by_hand(tmp_path: Path) -> None:
    assert load_setup(written(tmp_path, ABOVE.partition("[[camera]]")[0])).cameras == ()


def test_the_example_of_the_documentation_is_one() -> None:
    path = Path(__file__).resolve().parent.parent / "docs" / "examples" / "live" / "table.toml"
    assert load_setup(path, lambda name: load_profile(name).game).cameras[0].kind == "uvc"
