"""Decks kept on disk: drawing one takes a second, so each is drawn once and its faces are decoded when asked for."""

from __future__ import annotations

from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from tqdm import tqdm

from models.synth.deck_file import load_deck, save_deck
from models.synth.faces import make_deck
from models.synth.svg_decks import SHEETS, available, svg_deck, variants

__all__ = ["fill_shelf", "fill_svg_shelf", "load_deck", "save_deck"]


def _draw(job: tuple[int, Path]) -> Path:
    seed, path = job
    if not path.exists():
        cv2.setNumThreads(1)
        save_deck(make_deck(seed), path)
    return path


def fill_shelf(folder: Path, seeds: Iterable[int], workers: int = 2) -> list[Path]:
    """Draw the procedural decks of these seeds that are not on the shelf yet; returns their files in order."""
    folder.mkdir(parents=True, exist_ok=True)
    jobs = [(seed, folder / f"deck-{seed:06}.npz") for seed in seeds]
    with ProcessPoolExecutor(workers) as pool:
        return list(tqdm(pool.map(_draw, jobs, chunksize=4), total=len(jobs), desc="decks"))


def _print(job: tuple[int, int, int, Path, Path]) -> Path:
    """One print of a sheet: the first as it is, the others recoloured, every fifth in metal on black."""
    number, edition, seed, cache, path = job
    if not path.exists():
        cv2.setNumThreads(1)
        deck = svg_deck(SHEETS[number], cache)
        if edition:
            deck = variants(deck, np.random.default_rng([seed, number, edition]), dark=edition % 5 == 4)
        save_deck(deck, path)
    return path


def fill_svg_shelf(folder: Path, seed: int, editions: int = 5, workers: int = 2) -> list[Path]:
    """Put the card art of Debian's card games on the shelf, each sheet in several prints; returns their files.

    Raises:
        RuntimeError: the sheets or rsvg-convert are not installed.
    """
    if problem := available():
        raise RuntimeError(problem)
    cache = folder / "sheets"
    cache.mkdir(parents=True, exist_ok=True)
    jobs = [
        (number, edition, seed, cache, folder / f"svg-{number:02}-{edition}.npz")
        for number in range(len(SHEETS))
        for edition in range(editions)
    ]
    with ProcessPoolExecutor(workers) as pool:
        return list(tqdm(pool.map(_print, jobs, chunksize=editions), total=len(jobs), desc="sheets"))
