"""`paizhuo demo`: reads a handful of rendered card tables and writes the annotated pictures."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from api.commands.read import as_lines, complain, language, open_reader, write_annotated
from api.drawn_tables import drawn_tables, kept_tables
from table.cards import pretty_cards
from table.texts import text
from vision.frames import Frame


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where the pictures go. 输出文件夹。")] = Path(
        "demo-out"
    ),
    draw: Annotated[
        int | None,
        typer.Option("--draw", metavar="SEED", help="Draw new tables from a seed. 按种子另绘牌桌。"),
    ] = None,
) -> None:
    """Read a handful of rendered card tables and write the annotated pictures.

    识读几张合成牌桌图片，并输出标注图片。
    """
    lang = language()
    reader = open_reader()
    try:
        tables = kept_tables() if draw is None else list(drawn_tables(draw))
    except (ImportError, RuntimeError, FileNotFoundError) as error:
        complain(f"{text('read.no_renderer', lang)} ({error})")
        raise typer.Exit(2) from None
    there, right, extra = 0, 0, 0
    for table in tables:
        frame = Frame(table.image, source=table.name)
        reading = reader.read(frame.image)
        print(as_lines(Path(table.name), reading, lang, layout=True))
        print("  " + text("read.demo_truth", lang, cards=pretty_cards(table.cards)))
        truth, found = Counter(table.cards), Counter(reading.cards.names)
        there += len(table.cards)
        right += sum((truth & found).values())
        extra += sum((found - truth).values())
        if not write_annotated(folder / table.name, frame, reading, lang):
            raise typer.Exit(1)
    told = {"pictures": len(tables), "cards": there, "right": right, "extra": extra, "folder": folder}
    print(text("read.demo_sum", lang, **told))
