"""Decks kept on disk: drawing one takes a second, so each is drawn once and its faces are decoded when asked for."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.synth.deck import Deck, IndexRegion
from models.synth.faces import make_deck
from models.synth.svg_decks import SHEETS, available, svg_deck, variants


class _Faces(Mapping[str, NDArray[np.uint8]]):
    """Encoded pictures by card name, decoded on access."""

    def __init__(self, encoded: dict[str, NDArray[np.uint8]]) -> None:
        self._encoded = encoded

    def __getitem__(self, name: str) -> NDArray[np.uint8]:
        picture = cv2.imdecode(self._encoded[name], cv2.IMREAD_COLOR)
        assert picture is not None
        return picture.astype(np.uint8, copy=False)

    def __iter__(self) -> Iterator[str]:
        return iter(self._encoded)

    def __len__(self) -> int:
        return len(self._encoded)


def _encode(picture: NDArray[np.uint8]) -> NDArray[np.uint8]:
    ok, data = cv2.imencode(
        ".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, 97, cv2.IMWRITE_JPEG_SAMPLING_FACTOR, 0x111111]
    )
    assert ok
    return np.asarray(data, np.uint8)


def save_deck(deck: Deck, path: Path) -> None:
    """Write a deck as one `.npz`: its pictures as JPEG, everything else as JSON."""
    meta = {
        "name": deck.name, "width": deck.width, "height": deck.height, "corner": deck.corner,
        "px_per_mm": deck.px_per_mm, "dark": deck.dark, "family": deck.family, "traits": deck.traits,
        "backs": len(deck.backs),
        "indices": {c: [[r.box, r.rank, r.suit] for r in rs] for c, rs in deck.indices.items()},
    }  # fmt: skip
    arrays = {f"face_{name}": _encode(picture) for name, picture in deck.faces.items()}
    arrays |= {f"back_{i}": _encode(back) for i, back in enumerate(deck.backs)}
    partial = path.with_suffix(".part.npz")
    arrays["meta"] = np.frombuffer(json.dumps(meta).encode(), np.uint8)
    np.savez(partial, **arrays)  # type: ignore[arg-type]  # numpy's stub takes any keyword for its own options
    partial.replace(path)


def load_deck(path: Path) -> Deck:
    """Read a deck that `save_deck` wrote; its faces stay encoded until they are asked for."""
    with np.load(path) as data:
        meta = json.loads(bytes(data["meta"]))
        faces = {k[5:]: data[k] for k in data.files if k.startswith("face_")}
        backs = tuple(data[f"back_{i}"] for i in range(meta["backs"]))
    decoded = _Faces({str(i): b for i, b in enumerate(backs)})
    return Deck(
        name=meta["name"],
        width=meta["width"],
        height=meta["height"],
        corner=meta["corner"],
        faces=_Faces(faces),
        indices={
            c: tuple(IndexRegion(tuple(b), tuple(r), tuple(s)) for b, r, s in rs)
            for c, rs in meta["indices"].items()
        },
        backs=tuple(decoded[str(i)] for i in range(meta["backs"])),
        px_per_mm=meta["px_per_mm"],
        dark=meta["dark"],
        family=meta["family"],
        traits=meta["traits"],
    )


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
