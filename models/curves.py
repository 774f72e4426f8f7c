"""One picture of how both networks learned, so that a run can be judged at a glance."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot as plt


def draw_curves(finder: Path, reader: Path, out: Path) -> Path:
    """Draw the curves of both trainings; one that is missing is left out.

    Args:
        finder: folder with the library's `results.csv`.
        reader: folder with `curve.csv`.
        out: the picture to write (PNG).
    """
    figure, (left, right) = plt.subplots(1, 2, figsize=(12, 4.2), constrained_layout=True)
    _finder(left, _rows(finder / "results.csv"))
    _reader(right, _rows(reader / "curve.csv"))
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=110)
    plt.close(figure)
    return out


def _rows(path: Path) -> list[dict[str, float]]:
    if not path.is_file():
        return []
    with path.open(newline="") as file:
        return [{k.strip(): float(v) for k, v in row.items() if v} for row in csv.DictReader(file)]


def _finder(axes: Any, rows: list[dict[str, float]]) -> None:
    axes.set(title="finder: validation scenes", xlabel="epoch", ylim=(0, 1))
    x = [row["epoch"] for row in rows]
    for key, name in (
        ("metrics/mAP50(B)", "boxes, mAP50"),
        ("metrics/recall(B)", "recall"),
        ("metrics/mAP50(P)", "keypoints, mAP50"),
        ("metrics/mAP50-95(P)", "keypoints, mAP50-95"),
    ):
        axes.plot(x, [row.get(key, 0.0) for row in rows], label=name)
    axes.legend(loc="lower right")
    axes.grid(alpha=0.3)


def _reader(axes: Any, rows: list[dict[str, float]]) -> None:
    axes.set(title="reader: patches of unseen designs", xlabel="minutes", ylabel="share wrong", yscale="log")
    x = [row["minutes"] for row in rows]
    for key, name in (("val_right", "all"), ("val_cards", "cards")):
        axes.plot(x, [max(1 - row[key], 1e-4) for row in rows], label=name)
    axes.legend(loc="upper right")
    axes.grid(alpha=0.3, which="both")
