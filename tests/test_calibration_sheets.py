"""Printed sheets: rendered back to pixels their tags, boards, plaques and codes are found at the right size."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pypdfium2
import pytest
from typer.testing import CliRunner

from api.cli import app
from calibration.boards import BOARDS, BoardFinder
from calibration.sheets import MAT_MM, PAPERS, tiles
from calibration.tags import TagFinder, edge_tags, mat_tags
from vision.plaques import PlaqueFinder

DPI = 110
MM = DPI / 25.4


@pytest.fixture(scope="module")
def printed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("print")
    arguments = [
        "print",
        "all",
        "--out",
        str(folder),
        "--lang",
        "zh",
        "--table",
        "7",
        "--url",
        "http://10.0.0.7:8770/",
    ]
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return folder


def pages(path: Path, dpi: float = DPI) -> list[np.ndarray]:
    document = pypdfium2.PdfDocument(path)
    return [document[i].render(scale=dpi / 72).to_numpy()[..., :3].copy() for i in range(len(document))]


def sides_mm(corners: np.ndarray, per_mm: float = MM) -> np.ndarray:
    return np.linalg.norm(corners - np.roll(corners, 1, 0), axis=1) / per_mm


def test_edge_tags_have_their_numbers_and_size(printed: Path) -> None:
    found: dict[int, np.ndarray] = {}
    for page in pages(printed / "tags-table-7.pdf"):
        found |= TagFinder().find(page)
    assert sorted(found) == [tag.number for tag in edge_tags(7)]
    for corners in found.values():
        assert sides_mm(corners) == pytest.approx(50, abs=0.15)


def test_tags_lie_on_the_mat_where_the_set_up_takes_them_to_be(printed: Path) -> None:
    (page,) = pages(printed / "mat-table-7.pdf", 50)
    found = TagFinder().find(page)
    tags = {tag.number: tag for tag in mat_tags(7)}
    assert set(found) == set(tags)
    start = {number: tag.corners for number, tag in tags.items()}
    matrix, _ = cv2.findHomography(
        np.concatenate([start[n] for n in found]), np.concatenate(list(found.values()))
    )
    scale = np.sqrt(abs(np.linalg.det(np.asarray(matrix)[:2, :2])))
    assert scale == pytest.approx(50 / 25.4, rel=0.002)
    ahead = np.c_[np.concatenate([start[n] for n in found]), np.ones(4 * len(found))] @ np.asarray(matrix).T
    off = np.linalg.norm(ahead[:, :2] / ahead[:, 2:] - np.concatenate(list(found.values())), axis=1)
    assert off.max() / (50 / 25.4) < 0.3


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_the_tiles_joined_are_the_mat(printed: Path, paper: str) -> None:
    (whole,) = pages(printed / "mat-table-7.pdf", 50)
    joined = np.full_like(whole, 255)
    per_mm, edge = 50 / 25.4, 12.0
    for page, tile in zip(pages(printed / f"mat-table-7-{paper}.pdf", 50), tiles(PAPERS[paper]), strict=True):
        left, low = round(edge * per_mm), round((edge + 12) * per_mm)
        w, h = round(tile.width * per_mm), round(tile.height * per_mm)
        x, y = round((edge + tile.left) * per_mm), round((edge + MAT_MM - tile.low - tile.height) * per_mm)
        bottom = page.shape[0] - low
        joined[y : y + h, x : x + w] = page[bottom - h : bottom, left : left + w]
    assert set(TagFinder().find(joined)) == {tag.number for tag in mat_tags(7)}


@pytest.mark.parametrize("paper", ["a4", "a3"])
def test_the_boards_are_found_at_their_size_and_told_apart(printed: Path, paper: str) -> None:
    (page,) = pages(printed / f"board-{paper}.pdf")
    board = BOARDS[paper]
    px, numbers = BoardFinder().find(page, board)
    assert len(numbers) == (board.squares[0] - 1) * (board.squares[1] - 1)
    step = np.linalg.norm(px[1] - px[0]) / MM
    assert step == pytest.approx(board.square, abs=0.1)
    assert BoardFinder().which(page) == board


def test_plaques_say_what_the_running_table_reads(printed: Path) -> None:
    for page in pages(printed / "plaques.pdf"):
        said = sorted((plaque.says, plaque.count or 0) for plaque in PlaqueFinder().find(page))
        assert said == [*(("count", count) for count in range(1, 11)), ("pass", 0)]


def test_the_code_leads_to_the_display(printed: Path) -> None:
    (page,) = pages(printed / "qr.pdf")
    assert cv2.QRCodeDetector().detectAndDecode(page)[0] == "http://10.0.0.7:8770/"


@pytest.mark.parametrize(
    "name", ["board-a4", "tags-table-7", "mat-table-7-a3", "mat-table-7", "plaques", "qr"]
)
def test_every_page_has_its_name_and_a_line_of_100_mm(printed: Path, name: str) -> None:
    document = pypdfium2.PdfDocument(printed / f"{name}.pdf")
    for page in document:
        assert "100 毫米" in page.get_textpage().get_text_range()
        ticks = sorted(upright_lines(page))
        assert any(abs(right - left - 100) < 0.05 for left in ticks for right in ticks)


def upright_lines(page: Any) -> list[float]:
    """Where thin upright lines are, mm from the left."""
    boxes = [one.get_bounds() for one in page.get_objects() if one.type == pypdfium2.raw.FPDF_PAGEOBJ_PATH]
    return [(box[0] + box[2]) / 2 / 72 * 25.4 for box in boxes if box[2] - box[0] < 2]


@pytest.mark.parametrize("table", ["0", "37"])
def test_a_table_beyond_the_family_of_tags_is_one_line(tmp_path: Path, table: str) -> None:
    result = CliRunner().invoke(app, ["print", "tags", "--out", str(tmp_path), "--table", table])
    assert result.exit_code == 2
    assert "1 to 36" in result.output
    assert len(result.output.strip().splitlines()) == 1


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    taken.write_text("")
    result = CliRunner(env={"PAIZHUO_LANG": "en"}).invoke(app, ["print", "plaques", "--out", str(taken)])
    assert result.exit_code == 2
    (line,) = result.stderr.splitlines()
    assert (str(taken) in line, "name a folder that can be" in line) == (True, True)
