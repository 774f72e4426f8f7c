"""`paizhuo watch`: stills of a table, one after another, to the plays of its seats as lines of the record."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from api.commands.read import PICTURES, UNREADABLE, complain, language, open_reader
from calibration.toml_keys import BadTableFile
from calibration.zones import TableFile, load_table
from table.cards import format_cards
from table.texts import text
from vision.card_reader import CardReader
from vision.frames import BadPicture, load_picture
from vision.plays import Seen, Watch, capture_time

BAD_TABLE = 2


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("watch")(watch)


def watch(
    folder: Annotated[
        Path, typer.Argument(help="Folder of stills, read in the order of their time. 静态照片文件夹。")
    ],
    table: Annotated[
        Path, typer.Option("--table", help="Table file with the seats' zones, TOML. 牌桌文件。")
    ],
) -> None:
    """Tell what is new at each seat, picture after picture, as events of the record.

    逐张照片报告各座位新出现的牌，格式为牌局记录的事件。

    A zone with a seat gives `play` events, another zone (the middle of the table) gives `lies` events with
    its name. What did not change since the picture before is not repeated. `at` counts from the first
    still whose name says when it was taken.
    """
    lang = language()
    try:
        measured = load_table(table)
    except BadTableFile as error:
        complain(error)
        raise typer.Exit(BAD_TABLE) from None
    if not folder.is_dir():
        complain(text("read.no_folder", lang, folder=folder))
        raise typer.Exit(BAD_TABLE)
    stills = stills_of(folder)
    if not stills:
        complain(text("read.no_pictures", lang, folder=folder))
        raise typer.Exit(BAD_TABLE)
    reader = open_reader()
    failed = False
    number = 0
    for event in events(stills, measured, reader):
        if isinstance(event, str):
            complain(event)
            failed = True
            continue
        number += 1
        print(json.dumps({"seq": number, **event}, ensure_ascii=False), flush=True)
    if failed:
        raise typer.Exit(UNREADABLE)


def stills_of(folder: Path) -> list[Path]:
    """The pictures of a folder by the time that their names tell, then by name."""
    stills = [path for path in folder.iterdir() if path.suffix.lower() in PICTURES and path.is_file()]
    return sorted(stills, key=lambda path: (capture_time(path) or 0.0, path.name))


def events(stills: list[Path], table: TableFile, reader: CardReader) -> Iterator[dict[str, Any] | str]:
    """An event for all that is new in a zone of a still; a line of text for a still that could not be
    read."""
    memory = Watch(table.zones)
    started = next((at for at in map(capture_time, stills) if at is not None), 0.0)
    for path in stills:
        taken = capture_time(path)
        at = None if taken is None else taken - started
        try:
            frame = load_picture(path, at or 0.0)
            height, width = frame.image.shape[:2]
            fitted = table.fitted(width * frame.reduced, height * frame.reduced)
        except BadPicture as error:
            yield str(error)
            continue
        except BadTableFile as error:
            yield f"{path}: {error}"
            continue
        scale = None if fitted.px_per_mm is None else fitted.px_per_mm / frame.reduced
        reading = reader.read(frame.image, scale, fitted.packs)
        zones = [zone.scaled(1 / frame.reduced) for zone in fitted.zones]
        for seen in memory.look(reading.cards, zones):
            yield as_event(seen, path, at)


def as_event(seen: Seen, path: Path, at: float | None) -> dict[str, Any]:
    """A line of the record, without its number."""
    event: dict[str, Any] = {} if at is None else {"at": round(at, 3)}
    if seen.seat is None:
        event |= {"event": "lies", "zone": seen.zone}
    else:
        event |= {"event": "play", "seat": seen.seat}
    event |= {"cards": format_cards(seen.cards), "source": "camera", "confidence": round(seen.confidence, 4)}
    if seen.alternatives:
        event["alternatives"] = [[cards, round(chance, 4)] for cards, chance in seen.alternatives]
    event["evidence"] = [path.name]
    return event
