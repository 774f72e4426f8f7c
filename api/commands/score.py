"""`paizhuo score`: reads all the real photographs and lets their own script compare that with the truth."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Annotated

import typer

from api.commands.read import PICTURES, as_object, complain, language, open_reader, write_annotated
from table.texts import text
from vision.frames import BadPicture, load_picture

_BESIDE_CHECKOUT = Path(__file__).resolve().parents[3] / "shared"


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("score")(score)


def score(
    shared: Annotated[
        Path | None, typer.Option("--shared", help="Folder that holds `real`. 实拍照片所在文件夹。")
    ] = None,
    misses: Annotated[bool, typer.Option("--misses", help="List each fault. 列出每处差错。")] = False,
    only: Annotated[str, typer.Option("--only", help="Only this folder. 只读该子文件夹。")] = "",
    keep: Annotated[
        Path | None, typer.Option("--keep", help="Keep the readings there, JSON lines. 保存识读结果。")
    ] = None,
    annotate_to: Annotated[
        Path | None,
        typer.Option("--annotate", metavar="DIR", help="Write annotated copies there. 标注图片的文件夹。"),
    ] = None,
) -> None:
    """Measure the reader on the real photographs, one setting for all of them.

    用实拍照片衡量识读效果，所有文件夹使用同一设置。
    """
    lang = language()
    real = (shared or Path(os.environ.get("PAIZHUO_SHARED", _BESIDE_CHECKOUT))) / "real"
    script = real / "score.py"
    if not script.is_file():
        complain(text("read.no_shared", lang, folder=real))
        raise typer.Exit(2)
    reader = open_reader()
    lines = []
    started = time.perf_counter()
    for path in sorted(real.glob("*/*")):
        if path.suffix.lower() not in PICTURES or (only and path.parent.name != only):
            continue
        try:
            frame = load_picture(path)
        except BadPicture as error:
            complain(error)
            continue
        begun = time.perf_counter()
        reading = reader.read(frame.image)
        taken = (time.perf_counter() - begun) * 1000
        lines.append(json.dumps(as_object(path, frame, reading, taken, layout=True)))
        if annotate_to is not None:
            write_annotated(annotate_to / f"{path.parent.name}_{path.name}", frame, reading, "en")
    complain(f"{len(lines)} pictures in {time.perf_counter() - started:.0f} s")
    if keep is not None:
        keep.write_text("\n".join(lines) + "\n", "utf-8")
    command = [sys.executable, str(script), *(["--misses"] if misses else [])]
    done = subprocess.run(command, input="\n".join(lines), text=True, encoding="utf-8", check=False)
    raise typer.Exit(done.returncode)
