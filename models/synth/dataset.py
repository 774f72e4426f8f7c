"""Write synthetic scenes as a training set: pictures and pose labels for the finder, and the names for the
reader."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Final, overload

import cv2
import numpy as np
from tqdm import tqdm

from models.synth.deck import Deck
from models.synth.printing import FaceStore
from models.synth.scenes import SceneSpec, render_scene
from models.synth.truth import Scene

CLASSES: Final = ("index", "joker", "back")
LEAST_BACK: Final = 0.45
"""How much of a face-down card must show for it to be labelled."""


class Shelf(Sequence[Deck]):
    """Decks read from files of `models.synth.shelf` when they are needed, the last `most` kept."""

    def __init__(self, paths: Sequence[Path], most: int = 6) -> None:
        self._paths = list(paths)
        self._most = most
        self._open: OrderedDict[int, Deck] = OrderedDict()

    def __len__(self) -> int:
        return len(self._paths)

    @overload
    def __getitem__(self, number: int) -> Deck: ...
    @overload
    def __getitem__(self, number: slice) -> Shelf: ...
    def __getitem__(self, number: int | slice) -> Deck | Shelf:
        if isinstance(number, slice):
            return Shelf(self._paths[number], self._most)
        from models.synth.shelf import load_deck

        number = range(len(self))[number]
        if number not in self._open:
            self._open[number] = load_deck(self._paths[number])
            if len(self._open) > self._most:
                self._open.popitem(last=False)
        return self._open[number]


def pose_labels(scene: Scene) -> list[str]:
    """The scene's lines in ultralytics' pose format: `class cx cy w h rx ry v sx sy v`, shares of the
    picture."""
    h, w = scene.image.shape[:2]
    size = np.array([w, h], float)
    lines = []
    indices = scene.indices
    for k in np.flatnonzero(indices.readable()):
        kind = int(indices.jokers[k])
        lines.append(_line(kind, indices.boxes[k], (indices.ranks[k], indices.suits[k]), size))
    backs = scene.backs
    for k in np.flatnonzero(backs.visible >= LEAST_BACK):
        lines.append(_line(2, backs.boxes[k], (backs.firsts[k], backs.seconds[k]), size))
    return lines


def _line(kind: int, box: np.ndarray, points: Sequence[np.ndarray], size: np.ndarray) -> str:
    # Labels count from the picture's edge, points from the first pixel's middle.
    low, high = (box[:2] + 0.5) / size, (box[2:] + 0.5) / size
    numbers = [*((low + high) / 2), *(high - low)]
    for point in points:
        share = (point + 0.5) / size
        inside = bool(((share >= 0) & (share < 1)).all())
        numbers += [*share, 2] if inside else [0, 0, 0]
    return f"{kind} " + " ".join(f"{n:.6g}" for n in numbers)


def record_of(scene: Scene, image: str) -> dict[str, object]:
    """The truth about a scene as plain data, so that reader patches can be cut from the written picture
    later."""
    i = scene.indices
    readable = i.readable()
    return {
        "image": image,
        "indices": [
            {
                "name": name,
                "rank": i.ranks[k].round(2).tolist(),
                "suit": i.suits[k].round(2).tolist(),
                "box": i.boxes[k].round(1).tolist(),
                "visible": round(float(i.visible[k]), 3),
                "contrast": round(float(i.contrast[k]), 1),
                "glare": round(float(i.glare[k]), 3),
                "px_per_mm": round(float(i.px_per_mm[k]), 3),
                "card": int(i.cards[k]),
                "readable": bool(readable[k]),
            }
            for k, name in enumerate(i.names)
            if i.visible[k] > 0.02
        ],
        "backs": [
            {
                "first": scene.backs.firsts[k].round(2).tolist(),
                "second": scene.backs.seconds[k].round(2).tolist(),
                "box": scene.backs.boxes[k].round(1).tolist(),
                "visible": round(float(scene.backs.visible[k]), 3),
            }
            for k in range(len(scene.backs.visible))
        ],
        "decks": sorted({card.deck for card in scene.cards}),
        "facts": {key: round(float(value), 3) for key, value in scene.facts.items()},
    }


@dataclass(frozen=True, slots=True)
class _Job:
    out: Path
    split: str
    number: int
    count: int
    seed: int
    decks: tuple[int, ...]
    spec: SceneSpec


_decks: Sequence[Deck] = ()


def _take_decks(decks: Sequence[Deck]) -> None:
    """Give a worker the decks once, instead of with every job."""
    global _decks
    _decks = decks
    cv2.setNumThreads(1)


def _write(job: _Job) -> None:
    """One job's scenes; the record file comes last, so that what was cut off is done again."""
    done = job.out / "records" / f"{job.split}-{job.number:05}.jsonl"
    if done.exists():
        return
    store = FaceStore()
    decks = [_decks[i] for i in job.decks]
    records = []
    for k in range(job.count):
        rng = np.random.default_rng([job.seed, job.split == "val", job.number, k])
        scene = render_scene(rng, decks, job.spec, store)
        name = f"{job.number:05}-{k:03}"
        picture = job.out / "images" / job.split / f"{name}.jpg"
        options = [cv2.IMWRITE_JPEG_QUALITY, 97]
        options += [cv2.IMWRITE_JPEG_SAMPLING_FACTOR, cv2.IMWRITE_JPEG_SAMPLING_FACTOR_444]
        if not cv2.imwrite(str(picture), scene.image, options):
            raise OSError(f"{picture}: cannot be written")
        lines = pose_labels(scene)
        (job.out / "labels" / job.split / f"{name}.txt").write_text("\n".join(lines), encoding="ascii")
        records.append(json.dumps(record_of(scene, f"images/{job.split}/{name}.jpg")))
    part = done.with_suffix(".part")
    part.write_text("\n".join(records) + "\n", encoding="ascii")
    part.replace(done)


def _jobs(
    out: Path, split: str, decks: range, count: int, seed: int, spec: SceneSpec, each: int, together: int
) -> list[_Job]:
    """Jobs of `each` scenes with `together` decks; all decks get their turn before one comes again."""
    rng = np.random.default_rng([seed, len(decks), split == "val"])
    turns: list[int] = []
    jobs = []
    for number in range(-(-count // each)):
        while len(turns) < together:
            turns += rng.permutation(np.array(decks)).tolist()
        mine, turns = tuple(turns[:together]), turns[together:]
        jobs.append(_Job(out, split, number, min(each, count - number * each), seed, mine, spec))
    return jobs


def write_finder_dataset(
    out: Path,
    decks: Sequence[Deck],
    count: int,
    seed: int,
    workers: int = 2,
    size: int = 320,
    *,
    spec: SceneSpec | None = None,
    val_count: int | None = None,
    val_decks: int | None = None,
    each: int = 48,
    together: int = 3,
) -> Path:
    """Write `count` training scenes and some for validation, in the layout that ultralytics reads.

    The workers are fresh processes: call this under `if __name__ == "__main__"`.
    Interrupted, it goes on where it stopped; the same arguments give the same files, whatever the number of
    workers.

    Args:
        out: folder for `images/`, `labels/`, `records/` and `data.yaml`.
        decks: designs; a `Shelf` where they do not fit into memory. The last `val_decks` serve only for
            validation.
        count: training scenes.
        seed: of everything.
        workers: processes.
        size: width and height of the scenes, px.
        spec: what the scenes are like (its size is replaced by `size`).
        val_count: validation scenes; a twentieth of `count` if None.
        val_decks: designs that training never sees; a twentieth if None, and all are shared where there are
            few.
        each: scenes a job.
        together: designs a job.

    Returns:
        The path of `data.yaml`.
    """
    if not len(decks):
        raise ValueError("a data set needs at least one deck")
    spec = replace(spec or SceneSpec(), size=(size, size))
    val_count = max(1, count // 20) if val_count is None else val_count
    held = len(decks) // 20 if val_decks is None else val_decks
    learn = range(len(decks) - held) if held else range(len(decks))
    judge = range(len(decks) - held, len(decks)) if held else learn
    for kind in ("images", "labels"):
        for split in ("train", "val"):
            (out / kind / split).mkdir(parents=True, exist_ok=True)
    (out / "records").mkdir(exist_ok=True)
    jobs = _jobs(out, "val", judge, val_count, seed, spec, each, together)
    jobs += _jobs(out, "train", learn, count, seed, spec, each, together)
    # Fresh processes: one that is forked while OpenCV's threads run can hang.
    fresh = get_context("spawn")
    with ProcessPoolExecutor(workers, fresh, initializer=_take_decks, initargs=(decks,)) as pool:
        for _ in tqdm(pool.map(_write, jobs), total=len(jobs), desc="scenes", unit=f"x{each}"):
            pass
    return _describe(out)


def _describe(out: Path) -> Path:
    names = "\n".join(f"  {i}: {name}" for i, name in enumerate(CLASSES))
    text = (
        f"path: {out.resolve()}\ntrain: images/train\nval: images/val\n"
        f"kpt_shape: [2, 3]\nflip_idx: [0, 1]\nnames:\n{names}\n"
    )
    path = out / "data.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def read_records(out: Path, split: str) -> list[dict[str, object]]:
    """All records of a data set's split, in order; each one's `image` is relative to `out`."""
    files = sorted((out / "records").glob(f"{split}-*.jsonl"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="ascii").splitlines()]
