"""Look at what the networks are taught: a sheet of synthetic scenes with their labels drawn."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.deck import Deck
from models.synth.scenes import SceneSpec, render_scene
from models.synth.truth import Scene
from vision.patches import cut_patches


def draw_labels(scene: Scene, zoom: int = 2) -> NDArray[np.uint8]:
    """The scene enlarged, readable indices in green, others in grey, backs in blue; red the rank, yellow the
    suit."""
    canvas = cv2.resize(scene.image, None, fx=zoom, fy=zoom, interpolation=cv2.INTER_NEAREST)
    readable = scene.indices.readable()

    def at(point: NDArray[np.float64]) -> tuple[int, int]:
        x, y = np.round((np.asarray(point) + 0.5) * zoom).astype(int)
        return int(x), int(y)

    for k, name in enumerate(scene.indices.names):
        x0, y0, x1, y1 = scene.indices.boxes[k]
        colour = (0, 200, 0) if readable[k] else (150, 150, 150)
        cv2.rectangle(canvas, at(np.array([x0, y0])), at(np.array([x1, y1])), colour, 1)
        if readable[k]:
            cv2.circle(canvas, at(scene.indices.ranks[k]), 2, (0, 0, 255), -1)
            cv2.circle(canvas, at(scene.indices.suits[k]), 2, (0, 220, 255), -1)
        cv2.putText(
            canvas, name, at(np.array([x0, y0 - 1])), cv2.FONT_HERSHEY_SIMPLEX, 0.4, colour, 1, cv2.LINE_AA
        )
    for box, first, second, seen in zip(
        scene.backs.boxes, scene.backs.firsts, scene.backs.seconds, scene.backs.visible, strict=True
    ):
        cv2.rectangle(canvas, at(box[:2]), at(box[2:]), (255, 80, 0), 1)
        cv2.line(canvas, at(first), at(second), (255, 80, 0), 1, cv2.LINE_AA)
        cv2.putText(canvas, f"{seen:.2f}", at(box[:2] + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.4, (255, 80, 0), 1)
    return np.asarray(canvas, np.uint8)


def contact_sheet(
    decks: Sequence[Deck],
    seed: int,
    count: int,
    spec: SceneSpec | None = None,
    bare: bool = False,
    columns: int = 4,
) -> NDArray[np.uint8]:
    """`count` scenes in a grid, with labels drawn or `bare`."""
    tiles = []
    for k in range(count):
        scene = render_scene(np.random.default_rng([seed, k]), decks, spec)
        tiles.append(scene.image if bare else draw_labels(scene))
    tiles += [np.zeros_like(tiles[0])] * (-len(tiles) % columns)
    return np.vstack([np.hstack(tiles[i : i + columns]) for i in range(0, len(tiles), columns)])


def patch_sheet(
    decks: Sequence[Deck], seed: int, count: int, spec: SceneSpec | None = None
) -> NDArray[np.uint8]:
    """What the reader sees: the upright patches of `count` scenes' readable indices, at three times their
    size."""
    patches = []
    for k in range(count):
        scene = render_scene(np.random.default_rng([seed, k]), decks, spec)
        good = scene.indices.readable()
        patches += list(cut_patches(scene.image, scene.indices.ranks[good], scene.indices.suits[good]))
    patches += [np.zeros((56, 40, 3), np.uint8)] * (-len(patches) % 16)
    grid = np.vstack([np.hstack(patches[i : i + 16]) for i in range(0, len(patches), 16)])
    return np.asarray(cv2.resize(grid, None, fx=3, fy=3, interpolation=cv2.INTER_NEAREST), np.uint8)


def main() -> None:
    """`python -m models.synth.preview OUT.png --seed N --count 12`."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=12)
    parser.add_argument("--decks", type=int, default=4, help="how many designs to make")
    parser.add_argument("--bare", action="store_true", help="without labels")
    parser.add_argument("--patches", action="store_true", help="the reader's patches instead")
    args = parser.parse_args()
    from models.synth.faces import make_deck

    decks = [make_deck(1000 * args.seed + k) for k in range(args.decks)]
    began = time.perf_counter()
    if args.patches:
        sheet = patch_sheet(decks, args.seed, args.count)
    else:
        sheet = contact_sheet(decks, args.seed, args.count, bare=args.bare)
    print(f"{args.count} scenes in {time.perf_counter() - began:.1f} s")
    cv2.imwrite(str(args.out), sheet)


if __name__ == "__main__":
    main()
