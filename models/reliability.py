"""The reliability diagram: how often cards read with a certainty are right, on scenes and on photographs."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from numpy.typing import NDArray

from vision.card_reader import CardReader
from vision.frames import load_picture

matplotlib.use("Agg")
from matplotlib import pyplot as plt

Judged = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""Certainties 0..1 of cards read, and whether each was there."""
EDGES = np.array([0.0, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 0.995, 1.0])


def of_photographs(reader: CardReader, folder: Path) -> Judged:
    """All cards read on the photographs of `folder`, judged by its `truth.csv`; the surest claim first."""
    with (folder / "truth.csv").open(newline="", encoding="utf-8") as file:
        truth = {row["image"]: Counter(row["cards"].split()) for row in csv.DictReader(file)}
    sure: list[float] = []
    right: list[bool] = []
    for name, there in truth.items():
        cards = reader.read(load_picture(folder / name).image).cards
        left = Counter(there)
        for k in np.argsort(-cards.confidence, kind="stable"):
            card = str(cards.names[k])
            # A joker whose colour cannot be seen is written `J?` and takes either.
            claim = card if left[card] > 0 else ("J?" if card in ("LJ", "BJ") else card)
            good = left[claim] > 0
            left[claim] -= good
            sure.append(float(cards.confidence[k]))
            right.append(bool(good))
    return np.array(sure), np.array(right, bool)


def bins(judged: Judged) -> list[tuple[float, float, int, float]]:
    """Of each bin that holds cards: mean certainty, share right, how many, and the share's standard error."""
    sure, right = judged
    out = []
    place = np.clip(np.searchsorted(EDGES, sure, side="right") - 1, 0, len(EDGES) - 2)
    for k in range(len(EDGES) - 1):
        here = place == k
        n = int(here.sum())
        if n:
            # One imagined right and one wrong keep the error of a faultless bin above nought.
            share = (right[here].sum() + 1) / (n + 2)
            error = float(np.sqrt(share * (1 - share) / n))
            out.append((float(sure[here].mean()), float(right[here].mean()), n, error))
    return out


def draw_reliability(groups: Mapping[str, Judged], out: Path) -> Path:
    """Draw share right against certainty, one line a group, and how many cards each bin holds.

    Args:
        groups: by name.
        out: the picture (PNG).
    """
    figure, (top, low) = plt.subplots(
        2, 1, figsize=(6.4, 7.2), height_ratios=(3, 1), constrained_layout=True, sharex=True
    )
    top.plot([0, 1], [0, 1], color="0.6", lw=1, ls="--", label="what it says is what it is")
    for number, (name, judged) in enumerate(groups.items()):
        _draw_group(top, low, name, bins(judged), number, len(groups))
    top.set(ylabel="share right", xlim=(0.3, 1.01), ylim=(0, 1.02), title="Cards read: certainty and truth")
    low.set(xlabel="certainty", ylabel="cards", yscale="log")
    top.legend(loc="upper left")
    for axes in (top, low):
        axes.grid(alpha=0.3)
    out.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(out, dpi=110)
    plt.close(figure)
    return out


def _draw_group(
    top: Any, low: Any, name: str, rows: list[tuple[float, float, int, float]], number: int, of: int
) -> None:
    if not rows:
        return
    x, y, n, error = (np.array(column) for column in zip(*rows, strict=True))
    top.errorbar(x, y, yerr=error, marker="o", ms=4, capsize=2, label=f"{name} ({int(n.sum())} cards)")
    low.bar(x + (number - (of - 1) / 2) * 0.006, n, width=0.006)
