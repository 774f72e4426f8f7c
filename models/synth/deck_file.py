"""Decks as files: pictures as JPEG, the rest as JSON; reads and writes them without any font at hand."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.deck import Deck, IndexRegion


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
