"""Reader patches on disk: chunks of patches with labels, from glimpses and from the finder's scenes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.glimpses import NAMES, NONE, Cuts, Glimpse, glimpses
from models.synth.dataset import read_records
from models.synth.shelf import load_deck
from vision.indices import FIRST_JOKER
from vision.patches import cut_patches

CHUNK: Final = 2500
_TOGETHER: Final = 8
"""Designs that share a chunk: decoding faces is what costs."""
_KINDS: Final = {"index": 0.9, "elsewhere": 0.065, "back": 0.02, "table": 0.015}
_UPSIDE_DOWN: Final = 0.09
_ASTRAY: Final = 0.07
_ALONG_WORD: Final = 0.11
"""How far along its word a joker's index may be taken, as a share of the word (standard deviation)."""


Pair = tuple[NDArray[np.float64], NDArray[np.float64], int]
"""Rank point and suit point of a patch to cut, px, and its label."""


@dataclass(frozen=True, slots=True)
class Patches:
    """Patches (N, 56, 40, 3) uint8 BGR, memory-mapped, and labels (N,): the 54 cards in order, then none."""

    parts: tuple[NDArray[np.uint8], ...]
    labels: NDArray[np.int64]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.labels)

    def take(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        """These patches, in this order."""
        part = np.searchsorted(self.starts, rows, side="right") - 1
        out = np.empty((len(rows), *self.parts[0].shape[1:]), np.uint8)
        for p in np.unique(part):
            here = part == p
            out[here] = self.parts[p][rows[here] - self.starts[p]]
        return out


def open_patches(folder: Path, split: str) -> Patches:
    """All chunks of a split (`train`, `val`).

    Raises:
        FileNotFoundError: there are none.
    """
    files = sorted(folder.glob(f"{split}-*.labels.npy"))
    if not files:
        raise FileNotFoundError(
            f"{folder}: no {split} patches; make them first (`python -m models.train patches`)"
        )
    labels = [np.load(file).astype(np.int64) for file in files]
    parts = [np.load(str(file).replace(".labels.", ".patches."), mmap_mode="r") for file in files]
    starts = np.concatenate([[0], np.cumsum([len(part) for part in labels])[:-1]])
    return Patches(tuple(parts), np.concatenate(labels), starts)


def jittered(
    rng: np.random.Generator, rank: NDArray[np.float64], suit: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Keypoints as a finder gives them: a few hundredths of their distance off, now and then much more."""
    span = float(np.hypot(*(suit - rank)))
    size = (
        span * float(np.exp(rng.uniform(np.log(0.015), np.log(0.09)))) * (2.0 if rng.random() < 0.08 else 1.0)
    )
    both = rng.normal(0, 0.6 * size, 2)
    return rank + both + rng.normal(0, size, 2), suit + both + rng.normal(0, size, 2)


def along_the_word(
    rng: np.random.Generator,
    rank: NDArray[np.float64],
    suit: NDArray[np.float64],
    box: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A joker's keypoints as a finder gives them: somewhere along the word and of some size.

    `box` (x0, y0, x1, y1), px, is the whole index: of a word that runs level most of it lies beside the keypoints.
    """
    middle, half = (rank + suit) / 2, (suit - rank) / 2
    right = np.array([half[1], -half[0]]) / max(float(np.hypot(*half)), 1e-6)
    length = float(np.abs(right) @ (box[2:] - box[:2]))
    middle = middle + right * float(np.clip(rng.normal(0, _ALONG_WORD), -0.25, 0.25)) * length
    half = half * float(np.exp(rng.normal(0, 0.12)))
    return jittered(rng, middle - half, middle + half)


def astray(
    rng: np.random.Generator, rank: NDArray[np.float64], suit: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Keypoints that miss their index: beside it, turned, or of another size."""
    middle, half = (rank + suit) / 2, (suit - rank) / 2
    span = 2 * float(np.hypot(*half))
    how = rng.random()
    if how < 0.6:
        way = rng.uniform(0, 2 * np.pi)
        middle = middle + span * rng.uniform(0.55, 1.3) * np.array([np.cos(way), np.sin(way)])
        half = half * rng.uniform(0.7, 1.4)
    elif how < 0.85:
        turn = np.deg2rad(rng.uniform(50, 310))
        half = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]]) @ half
    else:
        half = half * (rng.uniform(0.25, 0.45) if rng.random() < 0.5 else rng.uniform(2.0, 3.0))
    return middle - half, middle + half


def _pairs_of_glimpse(rng: np.random.Generator, look: Glimpse) -> list[Pair]:
    pairs = [(*jittered(rng, look.rank, look.suit), look.label)]
    if look.label != NONE:
        if rng.random() < _UPSIDE_DOWN:
            pairs.append((*jittered(rng, look.suit, look.rank), NONE))
        # Beside the keypoints of a joker there may be more of its word.
        if look.label < FIRST_JOKER and rng.random() < _ASTRAY:
            pairs.append((*astray(rng, look.rank, look.suit), NONE))
    return pairs


def _glimpsed(job: _Job) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    rng = np.random.default_rng([job.seed, job.number, len(job.split)])
    decks = [load_deck(path) for path in job.sources]
    cuts = Cuts()
    kinds, weights = list(_KINDS), np.array(list(_KINDS.values()))
    patches: list[NDArray[np.uint8]] = []
    labels: list[int] = []
    while len(labels) < job.count:
        for look in glimpses(rng, decks, cuts, str(rng.choice(kinds, p=weights / weights.sum()))):
            pairs = _pairs_of_glimpse(rng, look)
            patches.extend(cut_patches(look.image, [p[0] for p in pairs], [p[1] for p in pairs]))
            labels.extend(p[2] for p in pairs)
    return np.stack(patches[: job.count]), np.array(labels[: job.count], np.int16)


def _from_scenes(job: _Job) -> tuple[NDArray[np.uint8], NDArray[np.int16]]:
    rng = np.random.default_rng([job.seed, job.number, 77])
    patches: list[NDArray[np.uint8]] = []
    labels: list[int] = []
    for record in job.records:
        image = cv2.imread(str(job.sources[0] / str(record["image"])))
        if image is None:
            continue
        pairs = _pairs_of_scene(rng, record)
        if pairs:
            patches.extend(
                cut_patches(np.asarray(image, np.uint8), [p[0] for p in pairs], [p[1] for p in pairs])
            )
            labels.extend(p[2] for p in pairs)
    return np.stack(patches), np.array(labels, np.int16)


def _pairs_of_scene(rng: np.random.Generator, record: dict[str, Any]) -> list[Pair]:
    pairs: list[Pair] = []
    for index in record["indices"]:
        rank, suit = np.array(index["rank"], float), np.array(index["suit"], float)
        if np.hypot(*(suit - rank)) < 5:
            continue
        if index["readable"]:
            label = NAMES.index(index["name"])
            if label >= FIRST_JOKER:
                pairs.append((*along_the_word(rng, rank, suit, np.array(index["box"], float)), label))
            else:
                pairs.append((*jittered(rng, rank, suit), label))
            if rng.random() < _UPSIDE_DOWN:
                pairs.append((*jittered(rng, suit, rank), NONE))
            if label < FIRST_JOKER and rng.random() < _ASTRAY / 2:
                # In a scene the next index of a fan may lie where a glimpse has nothing: only turned or
                # resized here.
                pairs.append((*jittered(rng, rank + (suit - rank) * 0.9, suit + (suit - rank) * 0.9), NONE))
        elif index["visible"] < 0.35 and rng.random() < 0.3:
            pairs.append((*jittered(rng, rank, suit), NONE))
    return pairs


@dataclass(frozen=True, slots=True)
class _Job:
    out: Path
    split: str
    number: int
    count: int
    seed: int
    sources: tuple[Path, ...]
    make: Callable[[_Job], tuple[NDArray[np.uint8], NDArray[np.int16]]]
    records: tuple[dict[str, Any], ...] = ()


def _write(job: _Job) -> None:
    """One chunk; its labels come last, so that what was cut off is done again."""
    cv2.setNumThreads(1)
    done = job.out / f"{job.split}-{job.make.__name__[1:]}-{job.number:05}.labels.npy"
    if done.exists():
        return
    patches, labels = job.make(job)
    np.save(str(done).replace(".labels.", ".patches."), patches)
    part = done.with_suffix(".part.npy")
    np.save(part, labels)
    part.replace(done)


def write_patches(
    out: Path,
    decks: Sequence[Path],
    count: int,
    seed: int,
    split: str = "train",
    workers: int = 2,
    scenes: Path | None = None,
) -> Patches:
    """Write about `count` patches from glimpses, and one of every index of the scenes in `scenes`.

    Interrupted, it goes on where it stopped; the same arguments give the same files.

    Args:
        out: folder of the chunks.
        decks: deck files of `models.synth.shelf`.
        count: how many from glimpses.
        seed: of everything.
        split: `train` or `val`.
        workers: processes.
        scenes: a folder that `models.synth.dataset.write_finder_dataset` wrote.
    """
    out.mkdir(parents=True, exist_ok=True)
    rng = np.random.default_rng([seed, len(decks), len(split)])
    turns: list[Path] = []
    jobs = []
    for number in range(-(-count // CHUNK)):
        while len(turns) < _TOGETHER:
            turns += [decks[i] for i in rng.permutation(len(decks))]
        mine, turns = tuple(turns[:_TOGETHER]), turns[_TOGETHER:]
        jobs.append(_Job(out, split, number, min(CHUNK, count - number * CHUNK), seed, mine, _glimpsed))
    if scenes is not None:
        records = read_records(scenes, split)
        each = 480
        for number, start in enumerate(range(0, len(records), each)):
            part = tuple(records[start : start + each])
            jobs.append(_Job(out, split, number, 0, seed, (scenes,), _from_scenes, part))
    with ProcessPoolExecutor(workers) as pool:
        for _ in tqdm(pool.map(_write, jobs), total=len(jobs), desc=f"{split} patches", unit="chunk"):
            pass
    return open_patches(out, split)
