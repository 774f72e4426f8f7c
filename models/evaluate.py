"""How many cards the whole reader gets wrong on synthetic tables of unseen designs, by what makes it hard.

`python -m models.evaluate tables` prints the tables of `models/CARD.md`; `jokers` what becomes of jokers; `certainty`
fits the certainty's weights on the validation designs; `reliability` draws the diagram.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tqdm import tqdm

from models.jokers_read import jokers_in_rows, open_jokers
from models.matching import Matched, match
from models.synth.dataset import Shelf
from models.synth.printing import FaceStore
from models.synth.scenes import SceneSpec, render_scene
from models.synth.shelf import fill_shelf
from models.synth.truth import Scene
from vision.card_reader import CardReader
from vision.cards_read import CardsRead
from vision.certainty import fit_certainty
from vision.weights import LIST, MODELS, load_weights

FRESH_SEEDS: Final = 1_000_000
"""Decks from this seed on are for testing: training draws its own from nought on."""
NORMAL: Final = SceneSpec(
    size=(896, 608), px_per_mm=(2.0, 2.0), layouts={"row": 1.0}, step_mm=(10.0, 26.0), turn=0.0,
    tilt=(0.0, 8.0),
    most_plays=4, two_decks=0.0, face_down=0.0, empty=0.0, close_up=0.0, things=0.3, hands=0.0, light=0.6,
    glare=(0.0, 0.0), focus_px=(0.3, 0.7), motion_px=(0.0, 0.0), noise=(1.0, 4.0), exposure=(0.8, 1.15),
    jpeg=(80, 95), cast=0.6, grey=0.0, clean=0.0,
)  # fmt: skip
"""A zone as a calibrated camera gives it: overlapped plays, upright, 2 px/mm, sharp, evenly lit."""
SLICES: Final[dict[str, tuple[tuple[str, dict[str, Any]], ...]]] = {
    "overlap step, mm": tuple((f"{v:g}", {"step_mm": (v, v)}) for v in (8, 10, 12, 15, 20, 30)),
    "blur, sigma px": tuple((f"{v:g}", {"focus_px": (v, v)}) for v in (0.3, 0.7, 1.0, 1.4, 1.8, 2.2)),
    "glare, 0 to 1": tuple((f"{v:g}", {"glare": (v, v)}) for v in (0.0, 0.3, 0.5, 0.7, 0.9)),
    "rotation, degrees": tuple((f"{v:g}", {"turn": float(v)}) for v in (0, 15, 30, 45, 60, 90, 135, 180)),
    "px/mm": tuple((f"{v:g}", {"px_per_mm": (v, v)}) for v in (1.2, 1.4, 1.6, 2.0, 2.5, 3.0, 4.0)),
}


@dataclass(slots=True)
class Count:
    """Sums over scenes. `pairs` counts (true, read instead)."""

    cards: int = 0
    missed: int = 0
    misnamed: int = 0
    invented: int = 0
    silent: int = 0
    pairs: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, scene: Scene, read: CardsRead, found: Matched, sure: float) -> None:
        """Count one scene; an error read with confidence `sure` or more is silent."""
        self.cards += len(found.asked)
        wrong = ~found.right
        names = [name for name, bad in zip(found.named, wrong, strict=True) if bad]
        self.misnamed += sum(bool(name) for name in names)
        self.missed += sum(not name for name in names)
        self.invented += found.invented - sum(bool(name) for name in names)
        self.silent += int((found.counted & ~found.read_right & (read.confidence >= sure)).sum())
        for card, name in zip(found.asked[wrong], names, strict=True):
            pair = (scene.cards[int(card)].name, name or "-")
            self.pairs[pair] = self.pairs.get(pair, 0) + 1

    @property
    def wrong_per_1000(self) -> float:
        """Cards missed, misnamed or invented, of 1,000 that lie there."""
        return 1000 * (self.missed + self.misnamed + max(self.invented, 0)) / max(self.cards, 1)


def scenes(spec: SceneSpec, decks: Sequence[Any], seed: int, least_cards: int) -> Iterator[Scene]:
    """Scenes until they show `least_cards` cards to be asked for; the same seed gives the same scenes."""
    store = FaceStore()
    shown = number = 0
    while shown < least_cards:
        rng = np.random.default_rng([seed, number])
        # Two scenes of two designs, then the next two: a row of a table sees them all, decoding costs little.
        first = (number // 2) * 2 % max(len(decks) - 1, 1)
        scene = render_scene(rng, decks[first : first + 2], spec, store)
        number += 1
        shown += len(np.unique(scene.indices.cards[scene.indices.readable()]))
        yield scene


def read_scene(reader: CardReader, scene: Scene, px_per_mm: float | None) -> CardsRead:
    """What the running reader makes of a scene; with the scale given, as of a calibrated zone."""
    return reader.read(scene.image, px_per_mm=px_per_mm).cards


def count_slice(
    reader: CardReader, spec: SceneSpec, decks: Sequence[Any], seed: int, least_cards: int, sure: float = 0.95
) -> Count:
    """Errors on scenes like `spec`, read at their known scale."""
    count = Count()
    low, high = spec.px_per_mm
    for scene in scenes(spec, decks, seed, least_cards):
        read = read_scene(reader, scene, (low * high) ** 0.5)
        count.add(scene, read, match(scene, read), sure)
    return count


def fresh_decks(folder: Path, count: int, workers: int = 1) -> Shelf:
    """Designs that neither training nor validation knows."""
    return Shelf(fill_shelf(folder, range(FRESH_SEEDS, FRESH_SEEDS + count), workers))


def tables(reader: CardReader, decks: Sequence[Any], seed: int, least_cards: int) -> str:
    """The tables of errors as Markdown, one for each difficulty, all else as in `NORMAL`."""
    out = []
    total = Count()
    for title, rows in SLICES.items():
        lines = [
            "",
            f"| {title} | cards | missed | misnamed | invented | wrong per 1,000 | silent |",
            "|---" * 7 + "|",
        ]
        for name, change in tqdm(rows, desc=title):
            count = count_slice(reader, replace(NORMAL, **change), decks, seed, least_cards)
            lines.append(
                f"| {name} | {count.cards} | {count.missed} | {count.misnamed} | {max(count.invented, 0)} "
                f"| {count.wrong_per_1000:.1f} | {count.silent} |"
            )
            for pair, times in count.pairs.items():
                total.pairs[pair] = total.pairs.get(pair, 0) + times
        out += lines
    worst = sorted(total.pairs.items(), key=lambda item: -item[1])[:12]
    mixed = ", ".join(f"{true} as {read} {times}" for (true, read), times in worst)
    return "\n".join([*out, "", f"Most frequent: {mixed}." if mixed else "No errors."])


def named_right(scene: Scene, read: CardsRead) -> NDArray[np.bool_]:
    """Which of the cards read lie in the scene face up, each of its cards claimed once, the surest reading first.

    By name alone, as real photographs are judged: in a steep view a card can be named rightly and its middle missed.
    """
    left = Counter(card.name for card in scene.cards if card.face_up)
    right = np.zeros(len(read), bool)
    for k in np.lexsort((-read.evidence[:, 1], -read.confidence)):
        name = str(read.names[k])
        right[k] = left[name] > 0
        left[name] -= 1
    return right


def evidence(
    reader: CardReader,
    decks: Sequence[Any],
    seed: int,
    least_cards: int,
    spec: SceneSpec,
    known_scale: bool = True,
) -> tuple[NDArray[np.float64], NDArray[np.bool_], NDArray[np.float64]]:
    """Features, truth and confidence of every card that was read in scenes like `spec`."""
    columns, right, sure = [], [], []
    for scene in scenes(spec, decks, seed, least_cards):
        read = read_scene(reader, scene, scene.facts["px_per_mm"] if known_scale else None)
        columns.append(read.evidence)
        right.append(named_right(scene, read))
        sure.append(read.confidence.astype(np.float64))
    return np.concatenate(columns), np.concatenate(right), np.concatenate(sure)


def set_certainty(folder: Path, weights: dict[str, float]) -> None:
    """Put the certainty's weights into the settings of `weights.json`."""
    path = folder / LIST
    listed = json.loads(path.read_text("utf-8"))
    listed["settings"]["certainty"] = weights
    path.write_text(json.dumps(listed, indent=1, ensure_ascii=False) + "\n", "utf-8")


def _everything(folder: Path) -> CardReader:
    """A reader that reports every card it thinks of, however doubtful: what the certainty is fitted on."""
    weights = load_weights(folder)
    return CardReader(replace(weights, settings={**weights.settings, "list_above": 0.02}))


_JOKERS: Final = 4 / 108
"""As many as packs hold: training shows more, since they look so many ways."""
_HARD: Final = SceneSpec(size=(896, 608), px_per_mm=(1.3, 3.0), empty=0.0, joker_share=_JOKERS)
_PHOTO: Final = SceneSpec(size=(900, 700), px_per_mm=(1.2, 4.0), empty=0.12, joker_share=_JOKERS)
"""As somebody photographs a table: of unknown scale, sometimes without a card."""


def _fit(given: argparse.Namespace) -> None:
    decks = Shelf(sorted(given.decks_dir.glob("deck-*.npz"))[-given.val_decks :])
    reader = _everything(given.weights)
    # A third each: hard zones, usual zones, and photographs, where the search of the scale invents cards of its own.
    third = given.cards // 3
    parts = [
        evidence(reader, decks, given.seed, third, _HARD),
        evidence(reader, decks, given.seed + 1, third, replace(NORMAL, focus_px=None, joker_share=_JOKERS)),
        evidence(reader, decks, given.seed + 2, third, _PHOTO, known_scale=False),
    ]
    columns, right = np.concatenate([p[0] for p in parts]), np.concatenate([p[1] for p in parts])
    weights = fit_certainty(columns, right)
    set_certainty(given.weights, weights)
    print(f"{len(right)} cards read, {(~right).sum()} of them wrong; certainty {weights}")


def _reliability(given: argparse.Namespace) -> None:
    from models.reliability import draw_reliability, of_photographs

    reader = CardReader(load_weights(given.weights))
    decks = fresh_decks(given.fresh_dir, given.fresh)
    _, right, sure = evidence(reader, decks, given.seed + 1, given.cards, _HARD)
    groups = {"synthetic, unseen designs": (sure, right)}
    if given.real:
        groups["real photographs"] = of_photographs(reader, given.real)
    print(f"written: {draw_reliability(groups, given.picture)}")
    for name, (sure, right) in groups.items():
        high = sure >= 0.95
        print(
            f"{name}: {len(sure)} cards read, {int(high.sum())} with 0.95 or more, "
            f"{int((~right & high).sum())} of those wrong"
        )


def _jokers(given: argparse.Namespace) -> None:
    reader = CardReader(load_weights(given.weights))
    decks = fresh_decks(given.fresh_dir, given.fresh)
    for name, count in (
        ("in rows", jokers_in_rows(reader, decks, NORMAL, given.seed)),
        ("by both ends of a whole card", open_jokers(reader, decks, NORMAL, given.seed)),
    ):
        print(f"{name}: " + ", ".join(f"{key} {value}" for key, value in count.items()))


def main() -> int:
    """Print tables, count jokers, fit the certainty, or draw the reliability diagram."""
    parser = argparse.ArgumentParser(prog="python -m models.evaluate", description=__doc__)
    parser.add_argument("what", choices=["tables", "jokers", "certainty", "reliability"])
    parser.add_argument(
        "--weights", type=Path, default=MODELS, help="folder of the networks and weights.json"
    )
    parser.add_argument("--cards", type=int, default=400, help="cards per row of a table, or in all")
    parser.add_argument("--fresh", type=int, default=24, help="how many unseen designs")
    parser.add_argument("--fresh-dir", type=Path, default=Path("runs/fresh-decks"))
    parser.add_argument("--decks-dir", type=Path, default=Path("runs/train/decks"))
    parser.add_argument("--val-decks", type=int, default=22)
    parser.add_argument("--real", type=Path, help="folder of real photographs with truth.csv")
    parser.add_argument("--picture", type=Path, default=Path("docs/pictures/reliability.png"))
    parser.add_argument("--seed", type=int, default=77)
    given = parser.parse_args()
    if given.what == "tables":
        reader = CardReader(load_weights(given.weights))
        print(tables(reader, fresh_decks(given.fresh_dir, given.fresh), given.seed, given.cards))
    else:
        {"jokers": _jokers, "certainty": _fit, "reliability": _reliability}[given.what](given)
    return 0


if __name__ == "__main__":
    sys.exit(main())
