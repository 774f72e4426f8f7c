"""`paizhuo demo`: draws a few card tables from a fixed seed, reads them, and writes the annotated
pictures."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import typer

from api.commands.read import as_lines, complain, language, open_reader, write_annotated
from table.cards import Card, pretty_cards
from table.texts import text
from vision.frames import Frame, Image

SEED: Final = 20240601
_DECK_SEEDS: Final = (880001, 880002, 880003)
_TABLES: Final[tuple[dict[str, Any], ...]] = (
    {"size": (900, 600), "px_per_mm": (2.0, 2.0), "tilt": (0.0, 5.0)},
    {"size": (1000, 700), "px_per_mm": (2.5, 2.5), "tilt": (0.0, 10.0)},
    {"size": (1280, 720), "px_per_mm": (1.8, 1.8), "tilt": (5.0, 20.0)},
    {"size": (640, 640), "px_per_mm": (3.2, 3.2), "tilt": (0.0, 15.0)},
    {"size": (900, 600), "px_per_mm": (2.0, 2.0), "tilt": (0.0, 5.0), "face_down": 0.2},
)


@dataclass(frozen=True, slots=True)
class Drawn:
    """A drawn table: its picture, and the cards of which enough shows to be read."""

    name: str
    image: Image
    cards: tuple[Card, ...]


def register(app: typer.Typer) -> None:
    """Add the command."""
    app.command("demo")(demo)


def demo(
    folder: Annotated[Path, typer.Option("--out", help="Where the pictures go. 输出文件夹。")] = Path(
        "demo-out"
    ),
) -> None:
    """Draw a handful of card tables, read them, and write the annotated pictures.

    绘制几张合成牌桌图片，识读并输出标注图片。
    """
    lang = language()
    reader = open_reader()
    try:
        tables = list(drawn_tables(SEED))
    except (ImportError, RuntimeError) as error:
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
    pictures = len(tables)
    told = {"pictures": pictures, "cards": there, "right": right, "extra": extra, "folder": folder}
    print(text("read.demo_sum", lang, **told))


def drawn_tables(seed: int, specs: tuple[dict[str, Any], ...] = _TABLES) -> Iterator[Drawn]:
    """Tables of decks that training never sees, from a seed.

    Args:
        seed: of everything that is left to chance.
        specs: fields of `models.synth.scenes.SceneSpec`, one mapping a picture.

    Raises:
        ImportError: what draws the cards is not installed.
        RuntimeError: there are no fonts to draw them with.
    """
    # Found by name: the drawing needs the extra `synth`, the running table does not.
    faces = importlib.import_module("models.synth.faces")
    scenes = importlib.import_module("models.synth.scenes")
    decks = [faces.make_deck(deck) for deck in _DECK_SEEDS]
    usual = {"hands": 0.0, "clean": 1.0, "two_decks": 0.0, "close_up": 0.0}
    for number, fields in enumerate(specs, 1):
        rng = np.random.default_rng([seed, number])
        scene = scenes.render_scene(rng, decks, scenes.SceneSpec(**(usual | fields)))
        yield Drawn(f"table{number}.jpg", np.asarray(scene.image, np.uint8), readable_cards(scene))


def readable_cards(scene: Any) -> tuple[Card, ...]:
    """The cards of a drawn scene of which at least one index shows enough to be read, by row as they lie."""
    shown = {int(card) for card in scene.indices.cards[scene.indices.readable()]}
    return tuple(Card.parse(scene.cards[i].name) for row in scene.rows for i in row.cards if i in shown)
