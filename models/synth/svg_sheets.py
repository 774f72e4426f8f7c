"""Cuts the card sheets of Debian's games into pictures, rasterised by librsvg, trimmed of outlines."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

GNOME: Final = Path("/usr/share/aisleriot/cards")
KDE: Final = Path("/usr/share/carddecks")
RANKS: Final = ("A", "2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K")
_KDE_RANKS: Final = ("1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "jack", "queen", "king")
_GNOME_SUITS: Final = "CDHS"
_KDE_SUITS: Final = {"C": "club", "D": "diamond", "H": "heart", "S": "spade"}
_SHEET_WIDTH: Final = 13 * 420


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: where it lies, how large its cards are to be taken (mm), whether its jokers have columns.

    `zoom` is for KDE's sheets: pixels for one unit, so that a card is some 480 pixels wide. `kin` names the
    index design, which several sheets may share: such sheets belong on the same side of a split. `rows` names
    the suits of the rows, A K Q J 10 ... 2, of a sheet whose parts cannot be exported one by one.
    """

    name: str
    file: str
    width: float
    height: float
    kin: str
    zoom: float = 0.0
    jokers: bool = False
    rows: str = ""

    @property
    def path(self) -> Path:
        """The file, where Debian's package puts it."""
        return (KDE if self.zoom else GNOME) / self.file


SHEETS: Final = (
    Sheet("anglo", "anglo.svgz", 57.5, 89, "anglo", jokers=True),
    Sheet("anglo_bitmap", "anglo_bitmap.svgz", 57.5, 89, "anglo", jokers=True),
    Sheet("anglo_modern", "anglo_modern.svgz", 58, 88, "anglo_modern"),
    Sheet("anglo_modern_4", "anglo_modern_4_color.svgz", 58, 88, "anglo_modern"),
    Sheet("anglo_poker", "anglo_poker.svgz", 62, 88, "anglo_poker"),
    Sheet("atlasnye", "atlasnye.svgz", 57, 87, "atlasnye", jokers=True),
    Sheet("bellot", "bellot.svgz", 60, 88, "bellot"),
    Sheet("dondorf", "dondorf.svgz", 58, 89, "dondorf"),
    Sheet("gnomangelo", "gnomangelo.svgz", 57.5, 89, "gnomangelo"),
    Sheet("gnomangelo_bitmap", "gnomangelo_bitmap.svgz", 57.5, 89, "gnomangelo"),
    Sheet("neoclassical", "neoclassical.svgz", 58, 88, "neoclassical"),
    Sheet("neoclassical_4", "neoclassical_4_color.svgz", 58, 88, "neoclassical"),
    Sheet("orell", "orell.svgz", 57, 89, "orell"),
    Sheet("ornamental", "ornamental.svgz", 63, 88, "nicu", jokers=True),
    Sheet("paris", "paris.svgz", 57.5, 89, "paris"),
    Sheet("plastic", "plastic.svgz", 63, 88, "plastic"),
    Sheet("simplistic", "simplistic.svgz", 58, 88, "simplistic"),
    Sheet("tango", "tango.svgz", 63, 88, "tango"),
    Sheet("tigullio", "tigullio.svgz", 58, 88, "tigullio"),
    Sheet("jolly_royal", "svg-jolly-royal/jolly-royal.svgz", 63, 88, "jolly_royal", zoom=6.5),
    Sheet("nicu_white", "svg-nicu-white/white.svgz", 63, 88, "nicu", zoom=3.6, jokers=True),
    Sheet("penguins", "svg-penguins/penguins.svgz", 63, 87, "penguins", zoom=8.5, rows="CSHD"),
    Sheet("standard", "svg-standard/standard.svgz", 63, 88, "standard", zoom=6.5),
    Sheet(
        "tigullio_kde", "svg-tigullio-international/tigullio-international.svgz", 58, 88, "tigullio", zoom=8.2
    ),
)

# Looked at on a contact sheet and left out, with the reason.
SKIPPED: Final = {
    "ancient_french": "French letters (V D R) and 1 for the ace",
    "atlasnye_skat": "German letters (B D K)",
    "berlin": "German letters (B D K)",
    "guyenne-classic": "court cards without an index",
    "lattmann": "German letters (B D K)",
    "rheinland": "German letters (B D K)",
    "slavic_costumes": "Russian letters",
    "swiss-xvii": "Swiss suits",
    "tango_nuevo": "rank and suit in different corners",
    "tarocco": "Italian letters (F D R)",
    "Атласные": "Russian letters",
    "svg-ancient-egyptians": "the lower index stands upright",
    "svg-dondorf": "the same faces as dondorf",
    "svg-future": "no playing cards",
    "svg-gm-paris": "the same faces as paris",
    "svg-konqi-modern": "red spades and green hearts",
    "svg-nicu-ornamental": "the same faces as ornamental",
    "svg-oxygen": "rank and suit in different corners",
    "svg-oxygen-air": "rank and suit in different corners",
    "svg-oxygen-white": "rank and suit in different corners",
    "svg-xskat-french": "German letters (B D K)",
    "svg-xskat-german": "German suits",
}


def available() -> str:
    """An empty text if sheets can be rasterised here, else one line that says what is missing."""
    if shutil.which("rsvg-convert") is None:
        return "card sheets: rsvg-convert is missing; install the package librsvg2-bin"
    missing = [s.path for s in SHEETS if not s.path.is_file()]
    if missing:
        return f"card sheets: {missing[0]} is missing; install gnome-cards-data and kdegames-card-data-kf5"
    return ""


def _rasterise(path: Path, *options: str) -> NDArray[np.uint8]:
    """The BGRA picture that rsvg-convert makes of a file with these options."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "sheet.png"
        done = subprocess.run(
            ["rsvg-convert", *options, "-o", str(out), str(path)], capture_output=True, text=True, check=False
        )
        picture = cv2.imread(str(out), cv2.IMREAD_UNCHANGED) if out.is_file() else None
    if done.returncode or picture is None or picture.ndim != 3 or picture.shape[2] != 4:
        raise RuntimeError(
            f"card sheet {path}: rsvg-convert {' '.join(options)} failed: {done.stderr.strip()[:200]}"
        )
    return picture.astype(np.uint8)


def _to_ink(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The picture cut to what is opaque."""
    x, y, w, h = cv2.boundingRect((picture[:, :, 3] > 200).astype(np.uint8))
    return picture[y : y + h, x : x + w]


def cut(sheet: Sheet) -> dict[str, NDArray[np.uint8]]:
    """The sheet's BGRA pictures by card name, `back`, and `LJ` and `BJ` where its jokers have columns."""
    out: dict[str, NDArray[np.uint8]] = {}
    if sheet.rows:
        return _cut_rows(sheet)
    if sheet.zoom:
        wanted = {
            f"{s}{r}": f"{k}_{w}"
            for s, w in _KDE_SUITS.items()
            for r, k in zip(RANKS, _KDE_RANKS, strict=True)
        }
        wanted["back"] = "back"
        if sheet.jokers:
            wanted |= {"LJ": "black_joker", "BJ": "red_joker"}
        for name, part in wanted.items():
            out[name] = _to_ink(_rasterise(sheet.path, "-z", str(sheet.zoom), "--export-id", part))
        return out
    whole = _rasterise(sheet.path, "-w", str(_SHEET_WIDTH))
    h, w = whole.shape[:2]

    def cell(row: int, col: int) -> NDArray[np.uint8]:
        part = whole[
            round(row * h / 5) : round((row + 1) * h / 5), round(col * w / 13) : round((col + 1) * w / 13)
        ]
        return _to_ink(part)

    for row, suit in enumerate(_GNOME_SUITS):
        for col, rank in enumerate(RANKS):
            out[suit + rank] = cell(row, col)
    out["back"] = cell(4, 2)
    if sheet.jokers:
        out |= {"LJ": cell(4, 0), "BJ": cell(4, 1)}
    return out


def _cut_rows(sheet: Sheet) -> dict[str, NDArray[np.uint8]]:
    """The cards of a sheet on which they lie apart, in rows of thirteen."""
    whole = _rasterise(sheet.path, "-z", str(sheet.zoom))
    _, _, stats, _ = cv2.connectedComponentsWithStats((whole[:, :, 3] > 200).astype(np.uint8))
    boxes = sorted(
        (tuple(int(v) for v in q[:4]) for q in stats[1:] if q[4] > stats[1:, 4].max() * 0.8),
        key=lambda b: b[1],
    )
    if len(boxes) < 52:
        raise RuntimeError(
            f"card sheet {sheet.path}: {len(boxes)} cards found, expected 52; is it another version?"
        )
    ranks = (RANKS[0], *reversed(RANKS[1:]))
    out = {"back": _to_ink(_rasterise(sheet.path, "-z", "3", "--export-id", "back"))}
    for row, suit in enumerate(sheet.rows):
        for rank, (x, y, w, h) in zip(ranks, sorted(boxes[13 * row : 13 * row + 13]), strict=True):
            out[suit + rank] = whole[y : y + h, x : x + w]
    return out


def stock_colour(pictures: dict[str, NDArray[np.uint8]]) -> NDArray[np.float64]:
    """The commonest colour (BGR) of the number cards: that of the stock."""
    samples = []
    for name, p in pictures.items():
        if name[1:] in RANKS[1:9]:
            h, w = p.shape[:2]
            inner = p[h // 10 : -h // 10 : 5, w // 10 : -w // 10 : 5, :3].reshape(-1, 3)
            samples.append(np.median(inner, axis=0))
    return np.asarray(np.median(np.array(samples), axis=0), dtype=np.float64)


def outline_px(pictures: dict[str, NDArray[np.uint8]], stock: NDArray[np.float64]) -> int:
    """How many pixels of outline run around the cards: from the edge to the first that is stock on most."""
    profiles = []
    for name, p in pictures.items():
        if name[1:] in RANKS[1:9]:
            h, w = p.shape[:2]
            middle = p[h * 45 // 100 : h * 55 // 100, : w // 12, :3].astype(np.float64)
            profiles.append(np.median(np.abs(middle - stock).max(axis=2), axis=0))
    n = min(len(q) for q in profiles)
    profile = np.median(np.array([q[:n] for q in profiles]), axis=0)
    off = np.flatnonzero(profile[: n // 2] > 12)
    return int(off[-1]) + 2 if off.size else 0


def trim(
    picture: NDArray[np.uint8], outline: int, stock: NDArray[np.float64], size: tuple[int, int]
) -> NDArray[np.uint8]:
    """A BGR picture of `size` (w, h) without the outline; what lay outside the round corners is stock."""
    solid = np.pad((picture[:, :, 3] > 200).astype(np.uint8), 1)
    if outline:
        disc = cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (2 * outline + 1, 2 * outline + 1))
        solid = cv2.erode(solid, disc).astype(np.uint8)
    solid = solid[1:-1, 1:-1]
    x, y, w, h = cv2.boundingRect(solid)
    part = picture[y : y + h, x : x + w]
    filled = np.where(solid[y : y + h, x : x + w, None] > 0, part[:, :, :3], stock[None, None, :]).astype(
        np.uint8
    )
    return np.asarray(cv2.resize(filled, size, interpolation=cv2.INTER_AREA), dtype=np.uint8)
