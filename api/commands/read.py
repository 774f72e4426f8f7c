"""`paizhuo read`: the cards of pictures, for people or as JSON lines, with annotated copies if wanted."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import typer

from table.cards import pretty_cards
from table.texts import text
from vision.card_reader import CardReader
from vision.cards_read import CardsRead, Reading
from vision.drawing import annotate
from vision.frames import BadPicture, Frame, load_picture
from vision.layout import reading_order, rows_of
from vision.weights import BadWeights, load_weights

PICTURES: Final = (".jpg", ".jpeg", ".png", ".webp", ".bmp", ".tif", ".tiff")
UNREADABLE: Final = 1
NO_WEIGHTS: Final = 3


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("read")(read)


def language() -> str:
    """`zh` or `en`: PAIZHUO_LANG, else the language of the locale, else English."""
    wanted = os.environ.get("PAIZHUO_LANG") or os.environ.get("LC_ALL") or os.environ.get("LANG") or ""
    return "zh" if wanted.lower().startswith("zh") else "en"


def complain(message: object) -> None:
    """One line on standard error."""
    print(" ".join(str(message).split()), file=sys.stderr, flush=True)


def open_reader(threads: int = 2) -> CardReader:
    """The reader with the weights of the repository; without them one line and exit status 3."""
    cv2.setNumThreads(threads)
    try:
        return CardReader.open(threads)
    except BadWeights as error:
        complain(error)
        raise typer.Exit(NO_WEIGHTS) from None


def need_weights() -> None:
    """End with one line and status 3 without the weights, before a process is started that cannot do without them."""
    try:
        load_weights()
    except BadWeights as error:
        complain(error)
        raise typer.Exit(NO_WEIGHTS) from None


def read(
    pictures: Annotated[list[Path], typer.Argument(help="Pictures: JPEG, PNG, WebP, BMP, TIFF. 图片文件。")],
    as_json: Annotated[
        bool, typer.Option("--json", help="One JSON object a picture. 每张图片一行 JSON。")
    ] = False,
    annotate_to: Annotated[
        Path | None,
        typer.Option(
            "--annotate", metavar="DIR", help="Write copies with outlines and names there. 标注图片的文件夹。"
        ),
    ] = None,
    packs: Annotated[
        int | None, typer.Option("--packs", min=1, help="At most so many copies of a card. 牌的副数上限。")
    ] = None,
    px_per_mm: Annotated[
        float | None,
        typer.Option(
            "--px-per-mm", min=0.1, max=100, help="Scale, if known: skips the search. 已知比例尺则不再搜索。"
        ),
    ] = None,
    layout: Annotated[
        bool,
        typer.Option("--layout", help="Group into rows as they lie, left to right. 按摆放分行，从左到右。"),
    ] = False,
) -> None:
    """Read the cards in pictures.

    识读图片中的牌。

    A line a picture: its cards in reading order, doubtful ones marked "?", face-down ones counted. What
    cannot be read is reported in a line of its own, the other pictures are still read, and the exit status
    is 1.
    """
    reader = open_reader()
    lang = language()
    failed = False
    for path in pictures:
        try:
            frame = load_picture(path)
        except BadPicture as error:
            complain(error)
            failed = True
            continue
        started = time.perf_counter()
        reading = reader.read(frame.image, None if px_per_mm is None else px_per_mm / frame.reduced, packs)
        taken = (time.perf_counter() - started) * 1000
        if as_json:
            print(json.dumps(as_object(path, frame, reading, taken, layout), ensure_ascii=False), flush=True)
        else:
            print(as_lines(path, reading, lang, layout), flush=True)
        if annotate_to is not None and not write_annotated(annotate_to / path.name, frame, reading, lang):
            failed = True
    if failed:
        raise typer.Exit(UNREADABLE)


def as_object(path: Path, frame: Frame, reading: Reading, ms: float, layout: bool) -> dict[str, Any]:
    """What `--json` prints of one picture; outlines in px of the file."""
    cards = reading.cards[reading_order(reading.cards)]
    out: dict[str, Any] = {
        "image": str(path),
        "cards": [_card(cards, i, frame.reduced) for i in range(len(cards))],
        "backs": len(reading.backs),
        "ms": round(ms, 1),
    }
    if layout:
        out["rows"] = [[str(cards.names[i]) for i in row] for row in rows_of(cards)]
    return out


def as_lines(path: Path, reading: Reading, lang: str, layout: bool) -> str:
    """What people see of one picture: one line, or with `layout` one more for each row."""
    cards = reading.cards
    backs = [text("read.backs", lang, count=len(reading.backs))] if len(reading.backs) else []
    rows = rows_of(cards)
    if not rows:
        return f"{path}: {', '.join([text('read.none', lang), *backs])}"
    if not layout:
        return f"{path}: {', '.join([marked(cards[reading_order(cards)]), *backs])}"
    head = f"{path}:" + (f" {backs[0]}" if backs else "")
    return "\n".join(
        [head, *(f"  {text('read.row', lang, row=k)}: {marked(cards[row])}" for k, row in enumerate(rows, 1))]
    )


def marked(cards: CardsRead) -> str:
    """Names for people, parted by spaces, a question mark behind each doubtful one."""
    return " ".join(
        pretty_cards([card]) + ("?" if doubtful else "")
        for card, doubtful in zip(cards.names, cards.doubtful, strict=True)
    )


def write_annotated(path: Path, frame: Frame, reading: Reading, lang: str) -> bool:
    """Write the picture with what was read; False, and one line, where that fails."""
    target = path if path.suffix.lower() in PICTURES else path.with_suffix(".png")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        good, data = cv2.imencode(target.suffix, annotate(frame.image, reading, lang))
        if good:
            target.write_bytes(data.tobytes())
            return True
    except (OSError, cv2.error):
        pass
    complain(text("read.unwritten", lang, path=target))
    return False


def _card(cards: CardsRead, i: int, reduced: int) -> dict[str, Any]:
    return {
        "card": str(cards.names[i]),
        "confidence": round(float(cards.confidence[i]), 4),
        "doubtful": bool(cards.doubtful[i]),
        "outline": [
            [round((float(value) + 0.5) * reduced - 0.5, 1) for value in point] for point in cards.outline[i]
        ],
        "alternatives": [[str(card), round(chance, 4)] for card, chance in cards.alternatives(i)],
    }
