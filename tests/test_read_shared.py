"""Real photographs: what must be read of them, whatever else changes."""

from __future__ import annotations

import csv
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from tests.test_read_command import needs_weights, paizhuo

pytestmark = [pytest.mark.shared, needs_weights]

SHOWN = {
    ("overhead/train_06.jpg", "place4"): "CJ SJ",
    ("overhead/train_13.jpg", "place4"): "SA H5",
    ("overhead/train_18.jpg", "place1"): "SJ H7",
}
"""What lies there where the table of places says otherwise: at full size the pictures show a jack of spades (it says DJ
and CJ) and the ace of spades with its ornament (it says CA)."""


@pytest.mark.parametrize(
    "picture",
    [
        # a slant at half the trained scale
        "oblique/spade1.png",
        # three lines of whole cards
        "rows/test1.jpg",
        # one card that fills the picture
        "single/IMG_20220921_194043_jpg-94d21f.jpg",
        # 24 megapixels
        "overhead/train_12.jpg",
    ],
)
def test_every_card_of_a_clear_photograph(shared: Path, picture: str) -> None:
    with (shared / "real" / "truth.csv").open(encoding="utf-8") as file:
        truth = next(row["cards"] for row in csv.DictReader(file) if row["image"] == picture)
    answer = json.loads(paizhuo("read", "--json", shared / "real" / picture).stdout)
    assert Counter(card["card"] for card in answer["cards"]) == Counter(truth.split())


def test_rows_are_told_from_left_to_right(shared: Path) -> None:
    done = paizhuo("read", "--json", "--layout", shared / "real" / "rows" / "test1.jpg")
    rows = json.loads(done.stdout)["rows"]
    assert rows == [["SA", "S2", "S3", "S4"], ["S5", "S6", "S7", "S8"], ["S9", "S10", "SQ", "SK"]]


def test_watch_tells_the_cards_of_each_place(shared: Path) -> None:
    root = Path(__file__).resolve().parents[1]
    done = paizhuo(
        "watch", shared / "real" / "overhead", "--table", root / "docs" / "examples" / "overhead.toml"
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, dict[str, Counter[str]]] = {}
    for line in done.stdout.splitlines():
        event = json.loads(line)
        place = "centre" if event["event"] == "lies" else f"place{event['seat'] + 1}"
        told.setdefault(event["evidence"][0], {})[place] = Counter(event["cards"].split())
    with (shared / "real" / "overhead_seats.csv").open(encoding="utf-8") as file:
        truth = list(csv.DictReader(file))
    wrong = [
        row["image"]
        for row in truth
        if any(
            Counter(SHOWN.get((row["image"], place), row[place]).split())
            != told.get(Path(row["image"]).name, {}).get(place, Counter())
            for place in ("centre", "place1", "place2", "place3", "place4")
        )
    ]
    assert len(wrong) <= 1, wrong


def test_stills_taken_seconds_apart_are_told_in_order(shared: Path, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parents[1]
    for path in (shared / "real" / "table").glob("WIN_20240627_17_20_*"):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    done = paizhuo("watch", tmp_path, "--table", root / "docs" / "examples" / "desk.toml")
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert sorted({event["at"] for event in events}) == [0.0, 4.0, 9.0]
    first = [event["cards"] for event in events if event["at"] == 0.0]
    assert Counter(" ".join(first).split()) == Counter(["C10", "D10", "H10", "S10"])


def test_the_score_is_that_of_the_photographs_own_script(shared: Path) -> None:
    done = paizhuo("score", "--shared", shared, "--only", "oblique")
    assert done.returncode == 0, done.stderr
    again = paizhuo("read", "--json", *sorted((shared / "real" / "oblique").iterdir())).stdout
    script = [sys.executable, str(shared / "real" / "score.py")]
    own = subprocess.run(script, input=again, capture_output=True, text=True, check=True)
    assert done.stdout == own.stdout


def test_each_card_comes_with_its_certainty_and_its_place(shared: Path) -> None:
    answer = json.loads(paizhuo("read", "--json", shared / "real" / "rows" / "test17.jpg").stdout)
    for card in answer["cards"]:
        assert 0 < card["confidence"] <= 1
        assert len(card["outline"]) == 4
