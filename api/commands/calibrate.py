"""`paizhuo calibrate`: lens, tags, plane, zones, drift and score of a table, written into its setup file."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

from api import calibrating
from api.commands.read import complain, language
from api.places import told
from api.tables import read_draft, read_setup, with_sources
from calibration.boards import BOARDS
from calibration.drift import MOVED, OK, UNKNOWN, WARN
from calibration.notes import CannotCalibrate, Note, note
from calibration.plane_solving import GOOD_AGREEMENT_MM
from calibration.setup import CameraSetup, TableSetup
from calibration.setup_edit import SetupEditor
from calibration.setup_score import ZoneScore, score_table
from calibration.tags import Mat
from calibration.toml_keys import BadTableFile
from calibration.zone_finding import MatFound, find_mat
from devices.sources import SourceFailed
from table.texts import text
from vision.frames import Frame

BAD_INPUT: Final = 2
NOT_GOOD: Final = 1
_SCALE_TOLD: Final = 0.005

TableArgument = Annotated[Path, typer.Argument(help="Setup file of the table, TOML. 牌桌设置文件。")]
CameraOption = Annotated[
    list[str] | None,
    typer.Option("--camera", help="Only this one, repeatable. 只处理该相机，可重复。", show_default=False),
]
SourceOption = Annotated[
    list[str] | None,
    typer.Option(
        "--source",
        metavar="CAMERA=PLACE",
        help="Another film, folder or device for a camera. 为某路相机另指定影片、文件夹或设备。",
        show_default=False,
    ),
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
    setup = _draft(table)
    one = _named(setup, camera, table, lang)
    if board not in BOARDS:
        raise _fail(f"--board {board}: {' or '.join(BOARDS)}")
    if check_line is not None and abs(_scale(check_line, lang) - 1) > _SCALE_TOLD:
        _say("check_line_lens", lang, percent=f"{check_line:.1f}")
    try:
        views = list(calibrating.views_of(pictures))
        if not views:
            raise CannotCalibrate("no_pictures", place=str(pictures))
        solved = calibrating.lens_of(iter(views), one.size, board)
    except CannotCalibrate as error:
        raise _fail(told(error, lang), NOT_GOOD) from None
    values = {"px": f"{solved.residual:.3f}", "used": len(solved.used), "of": len(solved.views)}
    _say("lens_line", lang, camera=camera, **values)
    for view in solved.views:
        if view.why is not None:
            _say("view_left_out", lang, name=view.name, why=told(view.why, lang))
    _tell(solved.notes, lang)

    def change(editor: SetupEditor) -> None:
        editor.put_lens(camera, solved.lens)
        editor.put_calibration(
            camera, {"lens_at": _now(), "lens_px": round(solved.residual, 3), "lens_views": len(solved.used)}
        )

    _write(table, change, dry_run, lang, whole=False)


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
    _draft(table)
    scale = 1.0 if check_line is None else _scale(check_line, lang)
    if check_line is not None and abs(scale - 1) > _SCALE_TOLD:
        _say("check_line", lang, mm=f"{check_line:g}", percent=f"{100 * scale:.1f}")
    try:
        placed = calibrating.table_tags(number, scale, edge=edge, mat=mat)
    except ValueError as error:
        raise _fail(error) from None
    place = Mat() if mat else None
    _write(table, lambda editor: editor.put_tags(placed, place), dry_run, lang, whole=False)
    _say("tags_put", lang, path=str(table), table=number, count=len(placed))


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
    setup = _tagged(table, lang)
    taken = _frames(setup, camera, source, frames, table, lang)
    solved = calibrating.solve_table(setup, {name: calibrating.tags_of(got) for name, got in taken.items()})
    for name, one in solved.planes.items():
        values = {"count": len(one.used), "mm": f"{one.residual:.2f}", "worst": f"{one.worst:.2f}"}
        _say("plane_line", lang, camera=name, **values)
        _tell(one.notes, lang)
    _tell_agreement(solved.agreement, lang)
    _tell_mat(solved.mat, lang)
    for name, error in solved.failed.items():
        complain(f"{name}: {told(error, lang)}")
    new = calibrating.with_planes(setup, solved, _now())

    def change(editor: SetupEditor) -> None:
        for one in new.cameras:
            if one.name in solved.planes:
                editor.put_plane(one.name, one.plane)
                editor.put_calibration(one.name, one.calibration)

    if solved.planes:
        _write(table, change, dry_run, lang)
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
    setup = _tagged(table, lang)
    wanted = [kind.strip() for kind in kinds.split(",") if kind.strip()]
    found = None
    if any(tag.on_mat for tag in setup.tags):
        taken = _frames(setup, None, source, calibrating.FRAMES, table, lang)
        try:
            planes = {name: one for name, one in calibrating.planes_of(setup).items() if name in taken}
            seen = {name: calibrating.tags_of(got) for name, got in taken.items()}
            found = find_mat(planes, seen, setup.tags)
        except CannotCalibrate as error:
            raise _fail(told(error, lang), NOT_GOOD) from None
        _tell_mat(found, lang)
        _tell(found.notes, lang)
    try:
        new = calibrating.zones_on_mat(setup, None if found is None else found.mat, wanted)
    except ValueError as error:
        raise _fail(f"--kinds {kinds}: {error}") from None
    _say("zones_line", lang, names=", ".join(zone.name for zone in new))

    def change(editor: SetupEditor) -> None:
        editor.put_zones(new)
        if found is not None:
            editor.put_mat(found.mat)

    _write(table, change, dry_run, lang)


def check(table: TableArgument, source: SourceOption = None) -> None:
    """Say whether cameras and mat are where they were set up; exit status 1 where they are not, or it is unknown.

    核对相机与桌垫是否仍在原位。
    """
    lang = language()
    setup = _tagged(table, lang)
    _, states = calibrating.drift_of(setup, _frames(setup, None, source, calibrating.FRAMES, table, lang))
    for state in states.values():
        if state.state == OK:
            _say("drift_ok", lang, camera=state.camera, mm=f"{state.mm:.1f}", count=state.tags)
        _tell(state.notes, lang, indent="")
    if any(state.state in (WARN, MOVED, UNKNOWN) for state in states.values()):
        raise typer.Exit(NOT_GOOD)


def accept(
    table: TableArgument, camera: CameraOption = None, source: SourceOption = None, dry_run: DryOption = False
) -> None:
    """Take the places where the cameras are now for right.

    确认相机的新位置。
    """
    lang = language()
    setup = _tagged(table, lang)
    watch, _ = calibrating.drift_of(setup, _frames(setup, camera, source, calibrating.FRAMES, table, lang))
    try:
        accepted = watch.accept(camera or [one.name for one in setup.cameras])
    except CannotCalibrate as error:
        raise _fail(told(error, lang), NOT_GOOD) from None
    for one in accepted:
        _say("accepted", lang, camera=one.name, mm=f"{one.calibration['plane_mm']:.2f}")

    def change(editor: SetupEditor) -> None:
        for one in accepted:
            editor.put_plane(one.name, one.plane)
            editor.put_calibration(one.name, {**one.calibration, "accepted_at": _now()})

    _write(table, change, dry_run, lang)


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
        raise _fail(error) from None
    taken = _frames(setup, None, source, frames, table, lang)
    pictures = {name: [(frame.at, frame.image) for frame in got] for name, got in taken.items()}
    scores = {one.zone: one for one in score_table(setup, pictures)}
    good = True
    for zone in setup.zones:
        if zone.kind == "ignore":
            continue
        one = scores.get(zone.name)
        good = good and one is not None and one.good
        if one is None:
            _say("score_unseen", lang, zone=zone.name)
        else:
            _tell_score(one, lang)
    if not good:
        raise typer.Exit(NOT_GOOD)


def _tell_score(one: ZoneScore, lang: str) -> None:
    verdict = text("calibration.score_is_good" if one.good else "calibration.score_is_bad", lang)
    blur, white = (None if value is None else value for value in (one.blur, one.white))
    _say(
        "score_line", lang, zone=one.zone, camera=one.camera, verdict=verdict, detail=f"{one.detail:.1f}",
        blur="?" if blur is None else f"{blur:.2f}", white="?" if white is None else f"{white:.0f}",
    )  # fmt: skip
    _tell((*one.faults, *one.hints), lang)


def _tell_mat(found: MatFound | None, lang: str) -> None:
    if found is not None:
        (x, y), turn = found.mat.centre, found.mat.turn
        values = {
            "x": round(x, 1) + 0.0,
            "y": round(y, 1) + 0.0,
            "turn": round(turn, 2) + 0.0,
            "mm": f"{found.residual:.2f}",
        }
        _say("mat_line", lang, count=len(found.used), **values)


def _tell_agreement(apart: Mapping[tuple[str, str], Any], lang: str) -> None:
    for (one, other), distances in apart.items():
        if not len(distances):
            _say("agreement_none", lang, one=one, other=other)
            continue
        worst = float(distances.max())
        _say(
            "agreement_line",
            lang,
            one=one,
            other=other,
            p50=f"{np.median(distances):.2f}",
            worst=f"{worst:.2f}",
        )
        if worst > GOOD_AGREEMENT_MM:
            line = note("agreement_off", one=one, other=other, worst=f"{worst:.1f}", good=GOOD_AGREEMENT_MM)
            _tell([line], lang)


def _draft(path: Path) -> TableSetup:
    try:
        return read_draft(path)
    except BadTableFile as error:
        raise _fail(error) from None


def _tagged(path: Path, lang: str) -> TableSetup:
    """The setup of a table that has tags."""
    setup = _draft(path)
    if not setup.tags:
        raise _fail(text("calibration.no_tags", lang, path=str(path)))
    return setup


def _named(setup: TableSetup, name: str, path: Path, lang: str) -> CameraSetup:
    for camera in setup.cameras:
        if camera.name == name:
            return camera
    known = ", ".join(camera.name for camera in setup.cameras)
    raise _fail(text("calibration.no_camera", lang, path=str(path), camera=name, known=known))


def _frames(
    setup: TableSetup,
    only: Sequence[str] | None,
    source: Sequence[str] | None,
    count: int,
    path: Path,
    lang: str,
) -> dict[str, list[Frame]]:
    """Frames of the cameras that are wanted; those that give none are told, and all giving none ends the command."""
    for name in only or ():
        _named(setup, name, path, lang)
    try:
        placed = with_sources(setup, source or [])
        wanted = tuple(camera for camera in placed.cameras if not only or camera.name in only)
        taken, failed = calibrating.take_frames(
            TableSetup(setup.name, setup.profile, wanted, setup.zones), count
        )
    except (BadTableFile, SourceFailed) as error:
        raise _fail(error) from None
    for name, why in failed.items():
        complain(text("calibration.no_frame", lang, camera=name, why=why))
    got = {name: frames for name, frames in taken.items() if frames}
    for camera in wanted:
        height, width = got[camera.name][0].image.shape[:2] if camera.name in got else camera.size[::-1]
        if (width, height) != camera.size:
            values = {"width": width, "height": height, "wide": camera.size[0], "high": camera.size[1]}
            raise _fail(f"{camera.name}: {text('calibration.view_size', lang, **values)}")
    if not got:
        raise typer.Exit(BAD_INPUT)
    return got


def _write(
    path: Path, change: Callable[[SetupEditor], None], dry_run: bool, lang: str, whole: bool = True
) -> None:
    """Change the file; `whole`: it should be complete now, and what it still lacks is told."""
    try:
        editor = SetupEditor(path)
        change(editor)
        if dry_run:
            return
        editor.save()
    except BadTableFile as error:
        raise _fail(error) from None
    _say("written", lang, path=str(path))
    if not whole:
        return
    try:
        read_setup(path)
    except BadTableFile as error:
        # Half-way through a set-up that is usual: the next step repairs it.
        complain(error)


def _scale(check_line: float, lang: str) -> float:
    if not 80 <= check_line <= 120:
        raise _fail(text("calibration.check_line_off", lang, mm=f"{check_line:g}"))
    return check_line / 100


def _say(key: str, lang: str, **fields: Any) -> None:
    print(text(f"calibration.{key}", lang, **fields), flush=True)


def _tell(notes: Iterable[Note], lang: str, indent: str = "  ") -> None:
    for one in notes:
        print(f"{indent}{told(one, lang)}", flush=True)


def _fail(message: object, status: int = BAD_INPUT) -> typer.Exit:
    complain(message)
    return typer.Exit(status)


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")
