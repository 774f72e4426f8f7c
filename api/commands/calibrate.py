"""`paizhuo calibrate`: lens, tags, plane, zones, drift and score of a table, written into its setup file."""

from __future__ import annotations

import errno
import os
from datetime import datetime
from pathlib import Path
from typing import Annotated, Final

import typer

from api import calibrating
from api.at_table import SourceOption, fail
from api.commands.calibrate_files import (
    NOT_GOOD,
    camera_named,
    frames_of,
    open_draft,
    open_tagged,
    scale_of,
    write_setup,
)
from api.commands.calibrate_lines import say, tell, tell_agreement, tell_mat, tell_score
from api.commands.read import complain, language
from api.places import told
from api.tables import read_setup
from calibration.boards import BOARDS
from calibration.drift import MOVED, OK, UNKNOWN, WARN
from calibration.notes import CannotCalibrate
from calibration.setup_edit import SetupEditor
from calibration.setup_score import score_table
from calibration.tags import Mat
from calibration.toml_keys import BadTableFile
from calibration.zone_finding import find_mat
from table.texts import text

_SCALE_TOLD: Final = 0.005

TableArgument = Annotated[Path, typer.Argument(help="Setup file of the table, TOML. 牌桌设置文件。")]
CameraOption = Annotated[
    list[str] | None,
    typer.Option("--camera", help="Only this one, repeatable. 只处理该相机，可重复。", show_default=False),
]
CheckLineOption = Annotated[
    float | None,
    typer.Option(
        "--check-line",
        metavar="MM",
        help="What the 100 mm line measures. 检查线的实测毫米数。",
        show_default=False,
    ),
]
DryOption = Annotated[bool, typer.Option("--dry-run", help="Write nothing. 只显示，不写入。")]


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Set up a table: lens, tags, plane, zones; check it; score it.\n\n标定牌桌：镜头、标签、桌面、区域。",
    )
    for name, command in (
        ("lens", lens),
        ("tags", tags),
        ("plane", plane),
        ("zones", zones),
        ("check", check),
        ("accept", accept),
        ("score", score),
    ):
        group.command(name)(command)
    app.add_typer(group, name="calibrate")


def lens(
    table: TableArgument,
    camera: Annotated[str, typer.Option("--camera", help="Name of the camera in the file. 相机名。")],
    pictures: Annotated[
        Path,
        typer.Option("--from", metavar="PLACE", help="Folder of pictures, or a film. 照片文件夹或影片。"),
    ],
    board: Annotated[str, typer.Option("--board", help="a4 or a3. 标定板大小。")] = "a3",
    check_line: CheckLineOption = None,
    dry_run: DryOption = False,
) -> None:
    """Solve a camera's lens from pictures of the printed board, held all over the picture and tilted.

    由标定板照片算出镜头参数。
    """
    lang = language()
    setup = open_draft(table)
    one = camera_named(setup, camera, table, lang)
    if board not in BOARDS:
        raise fail(f"--board {board}: {' or '.join(BOARDS)}")
    if check_line is not None and abs(scale_of(check_line, lang) - 1) > _SCALE_TOLD:
        say("check_line_lens", lang, percent=f"{check_line:.1f}")
    if not pictures.exists():
        raise fail(text("live.unreadable", lang, path=pictures, error=os.strerror(errno.ENOENT)))
    try:
        views = list(calibrating.views_of(pictures))
        if not views:
            raise CannotCalibrate("no_pictures", place=str(pictures))
        solved = calibrating.lens_of(iter(views), one.size, board)
    except CannotCalibrate as error:
        raise fail(told(error, lang), NOT_GOOD) from None
    values = {"px": f"{solved.residual:.3f}", "used": len(solved.used), "of": len(solved.views)}
    say("lens_line", lang, camera=camera, **values)
    for view in solved.views:
        if view.why is not None:
            say("view_left_out", lang, name=view.name, why=told(view.why, lang))
    tell(solved.notes, lang)

    def change(editor: SetupEditor) -> None:
        editor.put_lens(camera, solved.lens)
        editor.put_calibration(
            camera, {"lens_at": _now(), "lens_px": round(solved.residual, 3), "lens_views": len(solved.used)}
        )

    write_setup(table, change, dry_run, lang, whole=False)


def tags(
    table: TableArgument,
    number: Annotated[int, typer.Option("--table", help="Number that the sheets were printed for. 桌号。")],
    edge: Annotated[
        bool, typer.Option("--edge/--no-edge", help="Tags on the table's edge. 桌边标签。")
    ] = True,
    mat: Annotated[bool, typer.Option("--mat/--no-mat", help="The printed mat. 桌垫。")] = True,
    check_line: CheckLineOption = None,
    dry_run: DryOption = False,
) -> None:
    """Write the tags of the printed sheets into the setup file: their numbers, places and sizes.

    把图纸上的标签写入设置文件。
    """
    lang = language()
    open_draft(table)
    scale = 1.0 if check_line is None else scale_of(check_line, lang)
    if check_line is not None and abs(scale - 1) > _SCALE_TOLD:
        say("check_line", lang, mm=f"{check_line:g}", percent=f"{100 * scale:.1f}")
    try:
        placed = calibrating.table_tags(number, scale, edge=edge, mat=mat)
    except ValueError as error:
        raise fail(error) from None
    place = Mat() if mat else None
    write_setup(table, lambda editor: editor.put_tags(placed, place), dry_run, lang, whole=False)
    say("tags_put", lang, path=str(table), table=number, count=len(placed))


def plane(
    table: TableArgument,
    camera: CameraOption = None,
    source: SourceOption = None,
    frames: Annotated[
        int, typer.Option("--frames", min=1, help="Of each camera. 每路帧数。")
    ] = calibrating.FRAMES,
    dry_run: DryOption = False,
) -> None:
    """Solve where the table lies in each camera's picture from its tags, and check cameras against each other.

    由标签算出桌面位置，并让各相机互相核对。
    """
    lang = language()
    setup = open_tagged(table, lang)
    taken = frames_of(setup, camera, source, frames, table, lang)
    solved = calibrating.solve_table(setup, {name: calibrating.tags_of(got) for name, got in taken.items()})
    for name, one in solved.planes.items():
        values = {"count": len(one.used), "mm": f"{one.residual:.2f}", "worst": f"{one.worst:.2f}"}
        say("plane_line", lang, camera=name, **values)
        tell(one.notes, lang)
    tell_agreement(solved.agreement, lang)
    tell_mat(solved.mat, lang)
    for name, error in solved.failed.items():
        complain(f"{name}: {told(error, lang)}")
    new = calibrating.with_planes(setup, solved, _now())

    def change(editor: SetupEditor) -> None:
        for one in new.cameras:
            if one.name in solved.planes:
                editor.put_plane(one.name, one.plane)
                editor.put_calibration(one.name, one.calibration)

    if solved.planes:
        write_setup(table, change, dry_run, lang)
    if solved.failed:
        raise typer.Exit(NOT_GOOD)


def zones(
    table: TableArgument,
    kinds: Annotated[
        str,
        typer.Option(
            "--kinds",
            help="Kinds of the usual mat's zones instead of those in the file: play, discard, points, exchange, kitty, "
            "ignore. 改用标准桌垫的这些区域。",
            show_default=False,
        ),
    ] = "",
    source: SourceOption = None,
    dry_run: DryOption = False,
) -> None:
    """Find the mat by its tags and put the zones where it lies now.

    按桌垫标签重新确定各区域。
    """
    lang = language()
    setup = open_tagged(table, lang)
    wanted = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    found = None
    if any(tag.on_mat for tag in setup.tags):
        taken = frames_of(setup, None, source, calibrating.FRAMES, table, lang)
        try:
            planes = {name: one for name, one in calibrating.planes_of(setup).items() if name in taken}
            seen = {name: calibrating.tags_of(got) for name, got in taken.items()}
            found = find_mat(planes, seen, setup.tags)
        except CannotCalibrate as error:
            raise fail(told(error, lang), NOT_GOOD) from None
        tell_mat(found, lang)
        tell(found.notes, lang)
    try:
        new = calibrating.zones_on_mat(setup, None if found is None else found.mat, wanted)
    except ValueError as error:
        raise fail(f"--kinds {kinds}: {error}") from None
    say("zones_line", lang, names=", ".join(zone.name for zone in new))

    def change(editor: SetupEditor) -> None:
        editor.put_zones(new)
        if found is not None:
            editor.put_mat(found.mat)

    write_setup(table, change, dry_run, lang)


def check(table: TableArgument, source: SourceOption = None) -> None:
    """Say whether cameras and mat are where they were set up; exit status 1 where they are not, or it is unknown.

    核对相机与桌垫是否仍在原位。
    """
    lang = language()
    setup = open_tagged(table, lang)
    _, states = calibrating.drift_of(setup, frames_of(setup, None, source, calibrating.FRAMES, table, lang))
    for state in states.values():
        if state.state == OK:
            say("drift_ok", lang, camera=state.camera, mm=f"{state.mm:.1f}", count=state.tags)
        tell(state.notes, lang, indent="")
    if any(state.state in (WARN, MOVED, UNKNOWN) for state in states.values()):
        raise typer.Exit(NOT_GOOD)


def accept(
    table: TableArgument, camera: CameraOption = None, source: SourceOption = None, dry_run: DryOption = False
) -> None:
    """Take the places where the cameras are now for right.

    确认相机的新位置。
    """
    lang = language()
    setup = open_tagged(table, lang)
    watch, _ = calibrating.drift_of(setup, frames_of(setup, camera, source, calibrating.FRAMES, table, lang))
    try:
        accepted = watch.accept(camera or [one.name for one in setup.cameras])
    except CannotCalibrate as error:
        raise fail(told(error, lang), NOT_GOOD) from None
    for one in accepted:
        say("accepted", lang, camera=one.name, mm=f"{one.calibration['plane_mm']:.2f}")

    def change(editor: SetupEditor) -> None:
        for one in accepted:
            editor.put_plane(one.name, one.plane)
            editor.put_calibration(one.name, {**one.calibration, "accepted_at": _now()})

    write_setup(table, change, dry_run, lang)


def score(
    table: TableArgument,
    source: SourceOption = None,
    frames: Annotated[
        int, typer.Option("--frames", min=1, help="Of each camera, in a row. 每路连续帧数。")
    ] = calibrating.SCORE_FRAMES,
) -> None:
    """Say how well each zone is seen and what to change; exit status 1 where something has to be changed.

    给每个区域评分，并说明要改什么。
    """
    lang = language()
    try:
        setup = read_setup(table)
    except BadTableFile as error:
        raise fail(error) from None
    taken = frames_of(setup, None, source, frames, table, lang)
    pictures = {name: [(frame.at, frame.image) for frame in got] for name, got in taken.items()}
    scores = {one.zone: one for one in score_table(setup, pictures)}
    good = True
    for zone in setup.zones:
        if zone.kind == "ignore":
            continue
        one = scores.get(zone.name)
        good = good and one is not None and one.good
        if one is None:
            say("score_unseen", lang, zone=zone.name)
        else:
            tell_score(one, lang)
    if not good:
        raise typer.Exit(NOT_GOOD)


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
