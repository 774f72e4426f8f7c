"""Prints what a table needs, as PDF to true scale: boards, tags, mat, plaques, QR codes, each with a line to check."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
import segno
from numpy.typing import NDArray
from reportlab.lib.units import mm as MM
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

from calibration import boards, tags
from calibration.plaques import DICTIONARY as PLAQUES
from calibration.plaques import PLAQUE_BOARD_MM, PLAQUE_COUNTS, PLAQUE_MM, PLAQUE_PASS
from calibration.setup import ZoneSetup
from calibration.tags import PIECE_MM, Tag

Words = Callable[..., str]
"""Texts in the user's language: a key and its fields to a line."""
A4: Final = (210.0, 297.0)
A3: Final = (297.0, 420.0)
PAPERS: Final = {"a4": A4, "a3": A3}
CHECK_MM: Final = 100.0
MAT_MM: Final = 890.0
_EDGE: Final = 12.0
"""Margin that every printer leaves white, mm."""
_FOOT: Final = 12.0
_FONT: Final = "STSong-Light"
_PALE: Final = 0.72
_PLAQUE_MODULES: Final = 6


class _Page:
    """A PDF whose coordinates are mm, origin at the lower left, y up; black on white."""

    def __init__(self, path: Path, size: tuple[float, float], title: str, words: Words) -> None:
        if _FONT not in pdfmetrics.getRegisteredFontNames():
            pdfmetrics.registerFont(UnicodeCIDFont(_FONT))
        self.size, self.words, self._title = size, words, title
        # The same sheet is the same file, whenever it is printed.
        self.canvas = Canvas(str(path), pagesize=(size[0] * MM, size[1] * MM), invariant=1)
        self.canvas.setTitle(title)

    def text(
        self, x: float, y: float, line: str, size: float = 3.2, grey: float = 0.0, centred: bool = False
    ) -> None:
        """A line of text; `size` is the height of its letters in mm."""
        self.canvas.setFillGray(grey)
        self.canvas.setFont(_FONT, size * MM * 1.35)
        draw = self.canvas.drawCentredString if centred else self.canvas.drawString
        draw(x * MM, y * MM, line)
        self.canvas.setFillGray(0)

    def squares(self, code: NDArray[Any], x: float, y: float, side: float) -> None:
        """The black squares of a code (n, n), its upper left at (x, y). One path: no seams between squares."""
        step = side / len(code)
        path = self.canvas.beginPath()
        for row, squares in enumerate(np.asarray(code, bool)):
            for start, count in _runs(squares):
                left, low = x + start * step, y - (row + 1) * step
                path.rect(left * MM, low * MM, count * step * MM, step * MM)
        self.canvas.drawPath(path, stroke=0, fill=1)

    def box(
        self, x: float, y: float, width: float, height: float, line: float = 0.2, grey: float = 0.5
    ) -> None:
        """An outline, its lower left at (x, y)."""
        self.canvas.setLineWidth(line * MM)
        self.canvas.setStrokeGray(grey)
        self.canvas.rect(x * MM, y * MM, width * MM, height * MM, stroke=1, fill=0)
        self.canvas.setStrokeGray(0)

    def foot(self, name: str) -> None:
        """The sheet's name and the line to check, at the lower edge; then the page is done."""
        x, y = _EDGE, _EDGE - 4
        self.canvas.setLineWidth(0.25 * MM)
        self.canvas.line(x * MM, y * MM, (x + CHECK_MM) * MM, y * MM)
        for end in (x, x + CHECK_MM):
            self.canvas.line(end * MM, (y - 1.5) * MM, end * MM, (y + 1.5) * MM)
        self.text(x + 2, y + 1, self.words("sheet_check"), 2.2)
        self.text(x + CHECK_MM + 4, y - 1, name, 2.6)
        self.canvas.showPage()

    def save(self) -> None:
        """Write the file."""
        self.canvas.save()


def print_boards(folder: Path, words: Words) -> list[Path]:
    """The ChArUco boards, one file each."""
    written = []
    for name, board in boards.BOARDS.items():
        path = folder / f"board-{name}.pdf"
        page = _Page(path, PAPERS[name], words("sheet_board", paper=name.upper()), words)
        width, height = board.size
        left, top = (page.size[0] - width) / 2, page.size[1] - (page.size[1] - _FOOT - height) / 2
        code = [[(x + y) % 2 == 0 for x in range(board.squares[0])] for y in range(board.squares[1])]
        _checks(page, np.array(code), left, top, board.square)
        for number, corners in board.markers.items():
            x, y = corners[0]
            page.squares(boards.code_of(number), left + x, top - y, board.marker)
        page.foot(words("sheet_board", paper=name.upper()))
        page.save()
        written.append(path)
    return written


def print_tags(folder: Path, table: int, words: Words) -> Path:
    """The tags of a table's edge on A4, to be cut out along their outlines.

    Raises:
        ValueError: no such table.
    """
    path = folder / f"tags-table-{table}.pdf"
    page = _Page(path, A4, words("sheet_tags", table=table), words)
    step = PIECE_MM + 6
    spots = _spots(A4, step, 2, 3)
    for i, tag in enumerate(tags.edge_tags(table)):
        if i and i % len(spots) == 0:
            page.foot(words("sheet_tags", table=table))
        x, y = spots[i % len(spots)]
        _tag_piece(page, tag, x, y, words(*_where(i)), table)
    page.foot(words("sheet_tags", table=table))
    page.save()
    return path


def print_plaques(folder: Path, words: Words) -> Path:
    """The plaques: for each seat a page with one that passes and one for each count."""
    path = folder / "plaques.pdf"
    page = _Page(path, A4, words("sheet_plaques"), words)
    family = cv2.aruco.getPredefinedDictionary(PLAQUES)
    spots = _spots(A4, PLAQUE_BOARD_MM + 3, 3, 4)
    for seat in range(4):
        for (x, y), number in zip(spots, (PLAQUE_PASS, *PLAQUE_COUNTS), strict=False):
            code = np.asarray(cv2.aruco.generateImageMarker(family, number, _PLAQUE_MODULES)) == 0
            margin = (PLAQUE_BOARD_MM - PLAQUE_MM) / 2
            page.box(x, y - PLAQUE_BOARD_MM, PLAQUE_BOARD_MM, PLAQUE_BOARD_MM)
            page.squares(code, x + margin, y - margin, PLAQUE_MM)
            says = words("plaque_pass") if number == PLAQUE_PASS else words("plaque_count", count=number)
            middle = x + PLAQUE_BOARD_MM / 2
            page.text(middle, y - 4.6, says, 3.2, centred=True)
            page.text(middle, y - PLAQUE_BOARD_MM + 1.6, words("seat", seat=seat), 1.8, 0.4, centred=True)
        page.foot(words("sheet_plaques_seat", seat=seat))
    page.save()
    return path


def print_mat(folder: Path, table: int, zones: Sequence[ZoneSetup], words: Words) -> list[Path]:
    """The mat with zones and tags: on one large page, and in tiles of A3 and A4.

    Args:
        folder: where the files go.
        table: its number, for the tags.
        zones: to be drawn, where they lie on the mat.
        words: texts.

    Raises:
        ValueError: no such table.
    """
    found = tags.mat_tags(table)
    whole = (MAT_MM + 2 * _EDGE, MAT_MM + 2 * _EDGE + _FOOT)
    one = folder / f"mat-table-{table}.pdf"
    page = _Page(one, whole, words("sheet_mat", table=table), words)
    _draw_mat(page, whole[0] / 2, whole[1] - _EDGE - MAT_MM / 2, found, zones)
    page.foot(words("sheet_mat", table=table))
    page.save()
    written = [one]
    for paper, size in PAPERS.items():
        path = folder / f"mat-table-{table}-{paper}.pdf"
        page = _Page(path, size, words("sheet_mat", table=table), words)
        for tile in tiles(size):
            _draw_tile(page, tile, found, zones)
            name = words(
                "sheet_tile", table=table, row=tile.row, column=tile.column, of=f"{tile.rows}x{tile.columns}"
            )
            page.foot(name)
        page.save()
        written.append(path)
    return written


def print_qr(folder: Path, urls: Sequence[str], words: Words) -> Path:
    """A page with a large QR code for each address of a display."""
    path = folder / "qr.pdf"
    page = _Page(path, A4, words("sheet_qr"), words)
    for url in urls:
        code = np.array([list(row) for row in segno.make(url, error="m", micro=False).matrix], bool)
        side = 150.0
        page.squares(code, (A4[0] - side) / 2, 245.0, side)
        page.text(A4[0] / 2, 78.0, url, 4.0, centred=True)
        page.text(A4[0] / 2, 66.0, words("sheet_qr_says"), 4.0, centred=True)
        page.foot(words("sheet_qr"))
    page.save()
    return path


@dataclass(frozen=True, slots=True)
class Tile:
    """A part of the mat on a page: its left and lower edge on the mat and its size, mm; which of how many."""

    left: float
    low: float
    width: float
    height: float
    row: int
    column: int
    rows: int
    columns: int


def tiles(paper: tuple[float, float]) -> Iterator[Tile]:
    """The tiles of the mat on paper of a size, from the upper left on, row by row; origin is the mat's lower left."""
    width, height = paper[0] - 2 * _EDGE, paper[1] - 2 * _EDGE - _FOOT
    columns, rows = math.ceil(MAT_MM / width), math.ceil(MAT_MM / height)
    # All tiles alike: what is left over is spread.
    width, height = MAT_MM / columns, MAT_MM / rows
    for row in range(rows):
        for column in range(columns):
            low = MAT_MM - (row + 1) * height
            yield Tile(column * width, low, width, height, row + 1, column + 1, rows, columns)


def _draw_tile(page: _Page, tile: Tile, found: Sequence[Tag], zones: Sequence[ZoneSetup]) -> None:
    left, low = _EDGE, _EDGE + _FOOT
    page.canvas.saveState()
    path = page.canvas.beginPath()
    path.rect(left * MM, low * MM, tile.width * MM, tile.height * MM)
    page.canvas.clipPath(path, stroke=0, fill=0)
    _draw_mat(page, left - tile.left + MAT_MM / 2, low - tile.low + MAT_MM / 2, found, zones)
    page.canvas.restoreState()
    page.box(left, low, tile.width, tile.height, 0.1, 0.6)


def _draw_mat(page: _Page, x: float, y: float, found: Sequence[Tag], zones: Sequence[ZoneSetup]) -> None:
    """The mat with its middle at (x, y)."""
    canvas = page.canvas
    canvas.saveState()
    canvas.translate(x * MM, y * MM)
    half = MAT_MM / 2
    page.box(-half, -half, MAT_MM, MAT_MM, 0.3)
    for zone in zones:
        canvas.saveState()
        canvas.translate(zone.centre[0] * MM, zone.centre[1] * MM)
        canvas.rotate(zone.turn)
        width, depth = zone.size
        page.box(-width / 2, -depth / 2, width, depth, 0.5, _PALE)
        key = "seat" if zone.kind == "play" else f"zone_{zone.kind}"
        name = page.words(key, seat=zone.seat)
        page.text(0, -depth / 2 + 4, name, 4.0, _PALE, centred=True)
        canvas.restoreState()
    for tag in found:
        canvas.saveState()
        canvas.translate(tag.centre[0] * MM, tag.centre[1] * MM)
        canvas.rotate(tag.turn)
        page.squares(tags.code_of(tag.number), -tag.size / 2, tag.size / 2, tag.size)
        canvas.restoreState()
    canvas.restoreState()


def _tag_piece(page: _Page, tag: Tag, x: float, y: float, where: str, table: int) -> None:
    """One tag of the edge with its outline, upper left at (x, y)."""
    page.box(x, y - PIECE_MM, PIECE_MM, PIECE_MM)
    margin = (PIECE_MM - tag.size) / 2
    page.squares(tags.code_of(tag.number), x + margin, y - margin, tag.size)
    line = page.words("tag_piece", table=table, number=tag.number, where=where)
    page.text(x + PIECE_MM / 2, y - PIECE_MM + 1.2, line, 1.7, 0.25, centred=True)


def _where(i: int) -> tuple[str]:
    return (f"tag_at_{i}",)


def _checks(page: _Page, code: NDArray[np.bool_], left: float, top: float, side: float) -> None:
    path = page.canvas.beginPath()
    for y, x in np.argwhere(code):
        path.rect((left + x * side) * MM, (top - (y + 1) * side) * MM, side * MM, side * MM)
    page.canvas.drawPath(path, stroke=0, fill=1)


def _spots(paper: tuple[float, float], step: float, columns: int, rows: int) -> list[tuple[float, float]]:
    """Upper left corners of pieces `step` apart, in the middle of the paper above its foot."""
    left = (paper[0] - columns * step) / 2
    top = paper[1] - (paper[1] - _FOOT - rows * step) / 2
    return [(left + x * step, top - y * step) for y in range(rows) for x in range(columns)]


def _runs(row: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Start and length of each run of true values."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], row.astype(np.int8), [0]])))
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        yield int(start), int(end - start)
