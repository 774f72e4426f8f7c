"""What `paizhuo calibrate` works on: the setup file, opened and written, and frames of its cameras.

Whatever cannot be had ends the command with one line (`typer.Exit`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import typer

from api import calibrating
from api.at_table import BAD_INPUT, fail
from api.commands.calibrate_lines import say
from api.commands.read import complain
from api.tables import read_draft, read_setup, with_sources
from calibration.setup import CameraSetup, TableSetup
from calibration.setup_edit import SetupEditor
from calibration.toml_keys import BadTableFile
from devices.sources import SourceFailed
from table.texts import text
from vision.frames import Frame

NOT_GOOD: Final = 1
"""Exit status where the input was read but is not good enough."""


def open_draft(path: Path) -> TableSetup:
    """The setup of a table that may lack its planes still."""
    try:
        return read_draft(path)
    except BadTableFile as error:
        raise fail(error) from None


def open_tagged(path: Path, lang: str) -> TableSetup:
    """The setup of a table that has tags."""
    setup = open_draft(path)
    if not setup.tags:
        raise fail(text("calibration.no_tags", lang, path=str(path)))
    return setup


def camera_named(setup: TableSetup, name: str, path: Path, lang: str) -> CameraSetup:
    """The camera of that name."""
    for camera in setup.cameras:
        if camera.name == name:
            return camera
    known = ", ".join(camera.name for camera in setup.cameras)
    raise fail(text("calibration.no_camera", lang, path=str(path), camera=name, known=known))


def frames_of(
    setup: TableSetup,
    only: Sequence[str] | None,
    source: Sequence[str] | None,
    count: int,
    path: Path,
    lang: str,
) -> dict[str, list[Frame]]:
    """Frames of the cameras that are wanted; those that give none are told, and all giving none ends the command."""
    for name in only or ():
        camera_named(setup, name, path, lang)
    try:
        placed = with_sources(setup, source or [])
        wanted = tuple(camera for camera in placed.cameras if not only or camera.name in only)
        taken, failed = calibrating.take_frames(
            TableSetup(setup.name, setup.profile, wanted, setup.zones), count
        )
    except (BadTableFile, SourceFailed) as error:
        raise fail(error) from None
    for name, why in failed.items():
        complain(text("calibration.no_frame", lang, camera=name, why=why))
    got = {name: frames for name, frames in taken.items() if frames}
    for camera in wanted:
        height, width = got[camera.name][0].image.shape[:2] if camera.name in got else camera.size[::-1]
        if (width, height) != camera.size:
            values = {"width": width, "height": height, "wide": camera.size[0], "high": camera.size[1]}
            raise fail(f"{camera.name}: {text('calibration.view_size', lang, **values)}")
    if not got:
        raise typer.Exit(BAD_INPUT)
    return got


def write_setup(
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
        raise fail(error) from None
    say("written", lang, path=str(path))
    if not whole:
        return
    try:
        read_setup(path)
    except BadTableFile as error:
        # Half-way through a set-up that is usual: the next step repairs it.
        complain(error)


def scale_of(check_line: float, lang: str) -> float:
    """How much larger than meant a sheet was printed, from what its line of 100 mm measures."""
    if not 80 <= check_line <= 120:
        raise fail(text("calibration.check_line_off", lang, mm=f"{check_line:g}"))
    return check_line / 100
