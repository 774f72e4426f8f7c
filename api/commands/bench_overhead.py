"""`paizhuo bench overhead`: whether the live path gives the cards of real photographs to the right places."""

from __future__ import annotations

import csv
import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Final

import cv2
import typer

from api.commands.read import complain, language, open_reader
from api.tables import open_table, read_setup, with_sources
from calibration.setup import TableSetup
from calibration.toml_keys import BadTableFile
from devices.sources import PICTURES, SourceFailed
from table.sightings import Laid
from table.texts import text
from vision.card_reader import CardReader
from vision.table_watch import TableWatch

_ROOT: Final = Path(__file__).resolve().parents[2]
TABLE: Final = _ROOT / "docs" / "examples" / "live" / "overhead.toml"
_SEATS: Final = "overhead_seats.csv"
_BESIDE_CHECKOUT: Final = _ROOT.parent / "shared"
Places = Mapping[str, Counter[str]]
"""Zone to its cards; a card that is in doubt ends in `?`."""


@dataclass(frozen=True, slots=True)
class Picture:
    """What lies on a photograph and what was told of it.

    Attributes:
        name: of the file.
        true: the cards of each zone.
        told: the cards that were laid there as far as the live path knows.
    """

    name: str
    true: Places
    told: Places

    def right(self, zone: str) -> bool:
        """Whether a zone was given its cards and no others."""
        return self.true[zone] == Counter(
            card.rstrip("?") for card in self.told.get(zone, Counter()).elements()
        )

    def named(self) -> int:
        """Cards that were told at their place with their name."""
        told = {
            zone: Counter(card.rstrip("?") for card in cards.elements()) for zone, cards in self.told.items()
        }
        return sum((true & told.get(zone, Counter())).total() for zone, true in self.true.items())

    def silent(self, zone: str) -> int:
        """Cards told as sure that do not lie there."""
        sure = Counter({card: n for card, n in self.told.get(zone, Counter()).items() if card[-1] != "?"})
        return (sure - self.true[zone]).total()


def bench_overhead(
    shared: Annotated[
        Path | None, typer.Option("--shared", help="Folder that holds `real`. 实拍照片所在文件夹。")
    ] = None,
    sequence: Annotated[
        bool,
        typer.Option("--sequence", help="One table, picture after picture. 视为同一张桌子，逐张观看。"),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Let the live path look at the photographs from above and compare what lies at each place with the truth.

    用实时流程观看俯拍照片，逐一核对各位置的牌。

    Each photograph is a table of its own; with --sequence all are one table, on which new cards replace the old.
    """
    lang = language()
    real = (shared or Path(os.environ.get("PAIZHUO_SHARED", _BESIDE_CHECKOUT))) / "real"
    if not (real / _SEATS).is_file():
        complain(text("read.no_shared", lang, folder=real))
        raise typer.Exit(2)
    reader = open_reader()
    cv2.setNumThreads(1)
    try:
        pictures = list(measure(real, reader, sequence))
    except (SourceFailed, BadTableFile) as error:
        complain(error)
        raise typer.Exit(2) from None
    places = [(picture, zone) for picture in pictures for zone in picture.true]
    right = sum(picture.right(zone) for picture, zone in places)
    silent = sum(picture.silent(zone) for picture, zone in places)
    cards = sum(true.total() for picture in pictures for true in picture.true.values())
    total = {
        "pictures": len(pictures), "places": len(places), "right": right, "cards": cards,
        "cards_right": sum(picture.named() for picture in pictures), "silent": silent,
    }  # fmt: skip
    if as_json:
        print(json.dumps(total))
        return
    for picture in pictures:
        print(_line(picture, lang))
    print(text("bench.overhead_total", lang, **total))


def measure(real: Path, reader: CardReader, sequence: bool = False) -> Iterator[Picture]:
    """Each photograph of which the truth is known, through source, watch and sightings.

    Args:
        real: folder of the real photographs.
        reader: of the cards.
        sequence: whether they are one table, seen one after another.

    Raises:
        SourceFailed: the photographs are not there.
        BadTableFile: the example cannot be used.
    """
    with (real / _SEATS).open(encoding="utf-8") as file:
        rows = {Path(row["image"]).name: row for row in csv.DictReader(file)}
    setup = with_sources(read_setup(TABLE), [f"overhead={real / 'overhead'}"])
    # In the order in which a source of stills gives pictures whose names tell no time.
    names = sorted(p.name for p in (real / "overhead").iterdir() if p.suffix.lower() in PICTURES)
    source = open_table(setup, 0.0, lambda: 0.0).sources[0]
    watch = TableWatch(setup, reader)
    for name in names:
        frame = source.read()
        if frame is None or name not in rows:
            continue
        watch = watch if sequence else TableWatch(setup, reader)
        laid = [one for one in watch.see([frame]) if isinstance(one, Laid)]
        yield Picture(name, _truth(rows[name], setup), _told(laid))


def _truth(row: Mapping[str, str], setup: TableSetup) -> Places:
    return {zone.name: Counter(row[zone.name.replace(" ", "")].split()) for zone in setup.zones}


def _told(laid: Sequence[Laid]) -> Places:
    told: dict[str, Counter[str]] = {}
    for one in laid:
        cards = [f"{card.card}{'?' if card.doubtful else ''}" for card in one.cards if card.card is not None]
        told.setdefault(one.zone, Counter()).update(cards)
    return told


def _line(picture: Picture, lang: str) -> str:
    """The places of a picture: right, or what was told and what lies there."""
    parts = []
    for zone, true in picture.true.items():
        if picture.right(zone):
            parts.append(text("bench.overhead_right", lang, zone=zone))
        else:
            told = " ".join(sorted(picture.told.get(zone, Counter()).elements())) or "-"
            wanted = " ".join(sorted(true.elements())) or "-"
            parts.append(text("bench.overhead_wrong", lang, zone=zone, told=told, wanted=wanted))
    return f"{picture.name}: " + "; ".join(parts)
