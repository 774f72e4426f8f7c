"""Lens, plane, mat and drift on pictures through real lenses, against what is true of the cameras that took them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from random import Random

import cv2
import numpy as np
import pytest
from typer.testing import CliRunner

from api.calibrating import solve_table
from api.cli import app
from calibration.boards import BOARDS
from calibration.drift import MOVED, OK, UNKNOWN, WARN, DriftState, DriftWatch
from calibration.lens import LensSolved, solve_lens
from calibration.notes import CannotCalibrate
from calibration.plane_solving import solve_plane
from calibration.projection import px_to_table
from calibration.setup import CameraSetup, Plane, TableSetup, play_zones
from calibration.setup_file import load_draft
from calibration.tags import Mat, Tag, TagFinder
from calibration.zone_finding import find_mat, moved_zones
from devices.simulator.rigs import (
    Pose,
    RigCamera,
    board_picture,
    board_sheet,
    random_rig,
    table_picture,
    table_sheet,
    tags_on_table,
)
from vision.frames import Frame

TABLE = 7
RIG = random_rig(Random(11), TABLE, cameras=2, size=(1280, 720))
BOARD = BOARDS["a3"]
LAID = Mat()
LOOSE = Tag(500, (120.0, 8.0), 50.0, 33.0)
"""A tag that lies where both cameras see it."""
SPOTS = np.stack(np.meshgrid(np.linspace(-380, 380, 15), np.linspace(-380, 380, 15)), -1).reshape(-1, 2)


@cache
def views(number: int) -> tuple[tuple[str, np.ndarray], ...]:
    rng, drawn = Random(number), board_sheet(BOARD)
    lens = RIG.cameras[number].lens
    return tuple((f"{i}.jpg", board_picture(lens, BOARD, drawn, rng)) for i in range(12))


@cache
def solved_lens(number: int) -> LensSolved:
    return solve_lens(views(number), BOARD, RIG.cameras[number].lens.size)


@dataclass(frozen=True)
class Look:
    """What is done to the table before it is looked at."""

    mat: Mat = LAID
    camera_mm: tuple[float, float] = (0.0, 0.0)
    print_scale: float = 1.0
    only: tuple[int, ...] = ()
    stuck: tuple[int, float] = (-1, 0.0)
    table: int = TABLE
    loose: bool = False


@cache
def picture(number: int, look: Look = Look()) -> np.ndarray:
    rig = RIG if look.table == TABLE else random_rig(Random(11), look.table, cameras=2, size=(1280, 720))
    tags = [tag for tag in tags_on_table(rig, look.mat) if not look.only or tag.number % 16 in look.only]
    moved, mm = look.stuck
    tags = [replace(t, centre=(t.centre[0] + mm, t.centre[1])) if t.number % 16 == moved else t for t in tags]
    tags += [LOOSE] if look.loose else []
    camera = RIG.cameras[number]
    pose = Pose(camera.pose.axes, camera.pose.place + np.array([*look.camera_mm, 0.0]))
    return table_picture(
        replace(camera, pose=pose), table_sheet(tags, Random(3), look.print_scale), Random(5)
    )


def found(number: int, look: Look = Look()) -> dict[int, np.ndarray]:
    return TagFinder().find(picture(number, look))


def seen_edge(number: int) -> list[Tag]:
    """The edge's tags that a camera sees."""
    return [tag for tag in RIG.edge if RIG.cameras[number].sees(tag.corners).all()]


def setup_of(planes: Mapping[int, Plane]) -> TableSetup:
    cameras = tuple(
        CameraSetup(RIG.cameras[i].name, "simulated", RIG.cameras[i].lens.size, plane)
        for i, plane in planes.items()
    )
    return TableSetup("t", "guandan-event", cameras, play_zones(), tags=(*RIG.edge, *RIG.mat), mat=Mat())


@cache
def set_up() -> TableSetup:
    flat = np.diag([1.0, -1.0, 1.0])
    setup = setup_of({i: Plane(flat, solved_lens(i).lens) for i in (0, 1)})
    solved = solve_table(setup, {RIG.cameras[i].name: found(i) for i in (0, 1)})
    assert not solved.failed
    return setup_of({i: solved.planes[RIG.cameras[i].name].plane for i in (0, 1)})


def misplaced(camera: RigCamera, plane: Plane) -> np.ndarray:
    spots = SPOTS[camera.sees(SPOTS)]
    return np.linalg.norm(px_to_table(plane, camera.px(spots)) - spots, axis=1)


def test_a_lens_is_solved_to_a_few_tenths_of_a_percent() -> None:
    solved = solved_lens(0)
    assert solved.residual < 0.2
    middle = np.array([[0.0, 0.0], [0.01, 0.0]])
    focal = np.ptp(RIG.cameras[0].lens.to_px(middle)[:, 0]) / 0.01
    assert solved.lens.focal[0] == pytest.approx(focal, rel=0.004)


def test_views_that_are_no_use_are_left_out_with_the_reason() -> None:
    def mixed() -> Iterator[tuple[str, np.ndarray]]:
        yield from views(0)
        yield "table.jpg", np.full((720, 1280), 90, np.uint8)
        yield "again.jpg", views(0)[0][1]
        yield "small.jpg", views(0)[1][1][::2, ::2]
        yield (
            "other.jpg",
            board_picture(RIG.cameras[0].lens, BOARDS["a4"], board_sheet(BOARDS["a4"]), Random(1)),
        )

    solved = solve_lens(mixed(), BOARD, (1280, 720))
    why = {view.name: view.why.key for view in solved.views if view.why is not None}
    assert why["table.jpg"] == "view_no_board"
    assert why["again.jpg"] == "view_again"
    assert why["small.jpg"] == "view_size"
    assert why["other.jpg"] == "view_other_board"
    assert len(solved.used) == len(views(0))


def test_a_view_that_moved_while_it_was_taken_is_told_by_its_residual() -> None:
    bent = [*views(0), ("bent.jpg", np.roll(views(0)[2][1], 200, 1))]
    half = views(0)[3][1].copy()
    half[:, 640:] = np.roll(half, 6, 0)[:, 640:]
    solved = solve_lens([*bent, ("shaken.jpg", half)], BOARD, (1280, 720))
    left_out = {view.name: view.why.key for view in solved.views if view.why is not None}
    assert "shaken.jpg" in left_out
    assert solved.residual < 0.3


def test_a_lens_is_solved_by_command_and_written_into_the_file(tmp_path: Path) -> None:
    for name, image in views(0):
        cv2.imwrite(str(tmp_path / name), image)
    path = tmp_path / "table.toml"
    path.write_text(
        'version = 2\nprofile = "guandan-event"\n[[camera]]\nname = "above"  # mine\nkind = "uvc"\nsize = [1280, 720]\n'
    )
    arguments = [
        "calibrate",
        "lens",
        str(path),
        "--camera",
        "above",
        "--from",
        str(tmp_path),
        "--check-line",
        "97",
    ]
    result = CliRunner(env={"PAIZHUO_LANG": "zh"}).invoke(app, arguments)
    assert result.exit_code == 0, result.output
    assert "97.0%" in result.output
    lens = load_draft(path).cameras[0].plane.lens
    assert lens is not None
    assert lens.focal[0] == pytest.approx(solved_lens(0).lens.focal[0], rel=0.003)
    assert "# mine" in path.read_text()


def test_too_few_views_are_told() -> None:
    with pytest.raises(CannotCalibrate) as told:
        solve_lens(views(0)[:5], BOARD, (1280, 720))
    assert told.value.note.key == "lens_few_views"
    assert told.value.note.fields["count"] == 5


def test_four_tags_and_a_real_lens_give_a_plane_below_half_a_millimetre() -> None:
    tags = found(0)
    four = [tag for tag in (*RIG.edge, *RIG.mat) if tag.number in tags][:4]
    solved = solve_plane({tag.number: tags[tag.number] for tag in four}, four, solved_lens(0).lens)
    assert len(solved.used) == 4
    assert solved.residual < 0.5
    assert np.percentile(misplaced(RIG.cameras[0], solved.plane), 95) < 0.5


def test_without_its_lens_a_plane_is_told_to_need_one() -> None:
    solved = solve_plane(found(0), tags_on_table(RIG, Mat()), None)
    assert "plane_no_lens" in {note.key for note in solved.notes}


def test_a_tag_that_was_stuck_elsewhere_is_left_out_and_named() -> None:
    tags = found(0, Look(stuck=(seen_edge(0)[0].number % 16, 9.0)))
    solved = solve_plane(tags, tags_on_table(RIG, Mat()), solved_lens(0).lens)
    assert solved.left_out == {seen_edge(0)[0].number: pytest.approx(9.0, abs=0.3)}
    assert np.percentile(misplaced(RIG.cameras[0], solved.plane), 95) < 0.5


def test_tags_that_were_printed_too_small_are_told_with_the_scale() -> None:
    with pytest.raises(CannotCalibrate) as told:
        solve_plane(found(0, Look(print_scale=0.96)), tags_on_table(RIG, Mat()), solved_lens(0).lens)
    assert told.value.note.key == "tags_scale"
    assert float(told.value.note.fields["percent"]) == pytest.approx(96, abs=0.5)


def test_tags_of_another_table_are_told() -> None:
    with pytest.raises(CannotCalibrate) as told:
        solve_plane(found(0, Look(table=9)), tags_on_table(RIG, Mat()), solved_lens(0).lens)
    assert told.value.note.key == "tags_of_another_table"
    assert told.value.note.fields == {"seen": "9", "own": TABLE}


def test_two_cameras_put_the_same_tag_in_the_same_place() -> None:
    setup = set_up()
    solved = solve_table(setup, {RIG.cameras[i].name: found(i, Look(loose=True)) for i in (0, 1)})
    (apart,) = solved.agreement.values()
    assert len(apart) == 4
    assert apart.max() < 0.5


def test_zones_are_found_again_after_the_mat_was_moved() -> None:
    setup, moved = set_up(), Mat((18.0, -11.0), 3.0)
    planes = {camera.name: camera.plane for camera in setup.cameras}
    seen = {RIG.cameras[i].name: found(i, Look(mat=moved)) for i in (0, 1)}
    mat = find_mat(planes, seen, setup.tags).mat
    assert mat.centre == pytest.approx((18.0, -11.0), abs=0.3)
    assert mat.turn == pytest.approx(3.0, abs=0.1)
    for zone, true in zip(
        moved_zones(setup.zones, Mat(), mat), moved_zones(setup.zones, Mat(), moved), strict=True
    ):
        assert np.abs(zone.corners - true.corners).max() < 0.5


def drift(look: Look, looks: int = 3, setup: TableSetup | None = None) -> tuple[DriftWatch, DriftState]:
    watch = DriftWatch(setup or set_up(), every=0.0)
    frame = np.repeat(picture(0, look)[..., None], 3, 2)
    for i in range(looks):
        state = watch.see(Frame(frame, float(i), RIG.cameras[0].name))
    return watch, state


@pytest.mark.parametrize(
    ("mm", "expected"), [(0.0, OK), (2.0, WARN), (5.0, MOVED), (20.0, MOVED)], ids=["0", "2", "5", "20"]
)
def test_drifts_are_told_apart(mm: float, expected: str) -> None:
    _, state = drift(Look(camera_mm=(0.6 * mm, -0.8 * mm)))
    assert state.state == expected
    assert state.mm == pytest.approx(mm, abs=0.4)


def test_one_look_is_not_enough_for_a_verdict() -> None:
    assert drift(Look(), looks=1)[1].state == UNKNOWN


def test_fewer_than_three_tags_are_unknown_and_not_in_order() -> None:
    two = tuple(tag.number % 16 for tag in seen_edge(0)[:2])
    _, state = drift(Look(only=two))
    assert (state.state, state.mm, state.tags) == (UNKNOWN, None, 2)
    assert [note.key for note in state.notes] == ["drift_unknown"]


def test_one_bad_look_changes_nothing() -> None:
    watch, _ = drift(Look(), looks=5)
    moved = np.repeat(picture(0, Look(camera_mm=(12.0, -16.0)))[..., None], 3, 2)
    assert watch.see(Frame(moved, 9.0, RIG.cameras[0].name)).state == OK


def test_a_tag_that_came_off_is_no_moved_camera() -> None:
    _, state = drift(Look(stuck=(seen_edge(0)[0].number % 16, 7.0)))
    assert state.state == OK
    assert list(state.loose) == [seen_edge(0)[0].number]


def test_a_moved_mat_is_no_moved_camera() -> None:
    _, state = drift(Look(mat=Mat((6.0, 8.0), 0.0)))
    assert state.state == OK
    assert state.mat == pytest.approx(10.0, abs=0.3)


def test_tags_of_another_table_in_view_are_named() -> None:
    setup = set_up()
    _, state = drift(
        Look(), setup=replace(setup, tags=tuple(t for t in setup.tags if t.number != seen_edge(0)[0].number))
    )
    assert state.foreign == (seen_edge(0)[0].number,)


def test_the_new_place_is_accepted_in_one_step() -> None:
    watch, state = drift(Look(camera_mm=(12.0, -16.0)))
    assert state.state == MOVED
    (camera,) = watch.accept([RIG.cameras[0].name])
    true = RIG.cameras[0]
    there = replace(true, pose=Pose(true.pose.axes, true.pose.place + np.array([12.0, -16.0, 0.0])))
    assert np.percentile(misplaced(there, camera.plane), 95) < 0.5
    assert watch.states[camera.name].state == OK
