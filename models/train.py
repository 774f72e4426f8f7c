"""Make the weights from nothing: decks, scenes, finder, patches, reader, calibration, export; all resumable.

`python -m models.train` runs them all; `python -m models.train finder` runs one. A stage that was killed goes
on
where it stopped, one that is finished is skipped.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

# Two threads that spin while they wait for each other crawl as soon as anything else runs. Read when torch
# loads.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")

_SMALL_LEAST: Final = 0.2
"""Share of cards of unseen designs that the small recipe's reader must name: ten times what guessing does."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How much of everything. Times are wall-clock minutes on two cores."""

    seed: int = 1
    decks: int = 440
    val_decks: int = 22
    svg: bool = True
    scenes: int = 16_000
    val_scenes: int = 384
    finder_minutes: float = 100.0
    patches: int = 400_000
    val_patches: int = 10_000
    reader_minutes: float = 50.0
    reader_batch: int = 256
    workers: int = 2


SMALL: Final = Recipe(
    decks=12, val_decks=2, svg=False, scenes=240, val_scenes=24, finder_minutes=0.7,
    patches=7_000, val_patches=600, reader_minutes=1.3, reader_batch=96,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Folders:
    """Where a run keeps what it makes."""

    decks: Path
    scenes: Path
    finder: Path
    patches: Path
    reader: Path
    out: Path

    @classmethod
    def under(cls, run: Path) -> Folders:
        """The usual layout."""
        return cls(
            run / "decks", run / "scenes", run / "finder", run / "patches", run / "reader", run / "weights"
        )


@dataclass(frozen=True, slots=True)
class Plan:
    """A run: its recipe, its folders, and weights to begin from instead of chance."""

    recipe: Recipe
    at: Folders
    finder_from: Path | None = None
    reader_from: Path | None = None


def split_decks(at: Folders, recipe: Recipe) -> tuple[list[Path], list[Path]]:
    """Deck files for training and for validation: no design in both; designs for testing have other seeds.

    Raises:
        FileNotFoundError: there are no decks yet.
    """
    drawn = sorted(at.decks.glob("deck-*.npz"))
    if len(drawn) <= recipe.val_decks:
        raise FileNotFoundError(
            f"{at.decks}: {len(drawn)} decks; make them first (`python -m models.train decks`)"
        )
    # Sheets of one design share their index: they all serve for training.
    others = sorted(path for path in at.decks.glob("*.npz") if path not in set(drawn))
    held = drawn[len(drawn) - recipe.val_decks :]
    return others + drawn[: len(drawn) - recipe.val_decks], held


def make_decks(plan: Plan) -> None:
    """Draw the procedural decks, and rasterise the sheets of Debian's card games where they are installed."""
    from models.synth.shelf import fill_shelf, fill_svg_shelf
    from models.synth.svg_sheets import available

    recipe = plan.recipe
    if recipe.svg and (problem := available()):
        raise FileNotFoundError(f"{problem}; or go without them (--no-svg)")
    fill_shelf(plan.at.decks, range(recipe.decks), recipe.workers)
    if recipe.svg:
        fill_svg_shelf(plan.at.decks, recipe.seed)


def make_scenes(plan: Plan) -> None:
    """Photograph synthetic tables for the finder."""
    from models.synth.dataset import Shelf, write_finder_dataset
    from models.synth.scenes import SceneSpec

    recipe = plan.recipe
    train, val = split_decks(plan.at, recipe)
    write_finder_dataset(
        plan.at.scenes, Shelf(train + val), recipe.scenes, recipe.seed, recipe.workers,
        spec=SceneSpec(px_per_mm=(1.3, 3.2), hands=0.12), val_count=recipe.val_scenes, val_decks=len(val),
    )  # fmt: skip


def make_finder(plan: Plan) -> None:
    """Train the finder."""
    from models.finder_training import train_finder

    train_finder(
        plan.at.scenes,
        plan.at.finder,
        plan.recipe.finder_minutes,
        start=plan.finder_from,
        seed=plan.recipe.seed,
    )


def make_patches(plan: Plan) -> None:
    """Cut upright patches for the reader."""
    from models.reader_data import write_patches

    recipe = plan.recipe
    train, val = split_decks(plan.at, recipe)
    scenes = plan.at.scenes if (plan.at.scenes / "records").is_dir() else None
    for split, decks, count in (("val", val, recipe.val_patches), ("train", train, recipe.patches)):
        made = write_patches(plan.at.patches, decks, count, recipe.seed, split, recipe.workers, scenes)
        print(f"{split}: {len(made)} patches")


def make_reader(plan: Plan) -> None:
    """Train the reader."""
    from models.reader_training import train_reader

    train_reader(
        plan.at.patches,
        plan.at.reader,
        plan.recipe.reader_minutes,
        start=plan.reader_from,
        seed=plan.recipe.seed,
        batch=plan.recipe.reader_batch,
    )


def calibrate(plan: Plan) -> None:
    """Fit the temperature on held-out designs."""
    import torch

    from models.calibrate import fit_temperature
    from models.reader_data import open_patches
    from models.reader_training import ReaderNet, logits_of

    net = ReaderNet()
    net.load_state_dict(torch.load(plan.at.reader / "reader.pt", weights_only=True))
    val = open_patches(plan.at.patches, "val")
    found = fit_temperature(logits_of(net, val), val.labels)
    (plan.at.reader / "calibration.json").write_text(json.dumps(asdict(found), indent=1))
    print(
        f"temperature {found.temperature:.3f}; "
        f"calibration error {found.error_before:.4f} -> {found.error_after:.4f}"
    )


def export(plan: Plan) -> None:
    """Write the ONNX networks and their list."""
    from models.export import export_finder, export_reader, list_weights

    at = plan.at
    calibration = json.loads((at.reader / "calibration.json").read_text())
    export_finder(at.finder / "weights" / "best.pt", at.out)
    export_reader(at.reader / "reader.pt", calibration["temperature"], at.out)
    list_weights(at.out, {"temperature": calibration["temperature"], "trained": trained(plan)})
    print(f"written: {at.out}")


def trained(plan: Plan) -> dict[str, Any]:
    """What made these weights, for `weights.json`."""
    done = {
        name: json.loads((folder / "done.json").read_text())
        for name, folder in (("finder", plan.at.finder), ("reader", plan.at.reader))
        if (folder / "done.json").is_file()
    }
    return {"recipe": asdict(plan.recipe), **done}


def curves(plan: Plan) -> None:
    """Draw how both networks learned."""
    from models.curves import draw_curves

    print(f"written: {draw_curves(plan.at.finder, plan.at.reader, plan.at.out / 'training.png')}")


STAGES: Final[dict[str, Callable[[Plan], None]]] = {
    "decks": make_decks,
    "scenes": make_scenes,
    "finder": make_finder,
    "patches": make_patches,
    "reader": make_reader,
    "calibrate": calibrate,
    "export": export,
    "curves": curves,
}


def _options() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m models.train", description=__doc__)
    parser.add_argument(
        "stages", nargs="*", metavar="STAGE", help=f"some of {', '.join(STAGES)}; all if none is named"
    )
    parser.add_argument(
        "--small", action="store_true", help="the whole recipe in miniature, in under five minutes"
    )
    parser.add_argument("--run", type=Path, help="folder of the run (runs/train, or runs/small)")
    for name in ("decks", "scenes", "finder", "patches", "reader", "out"):
        parser.add_argument(
            f"--{name}-dir", type=Path, help=f"take or put {name} here instead of under the run"
        )
    for name, default in asdict(Recipe()).items():
        if name != "svg":
            parser.add_argument(f"--{name.replace('_', '-')}", type=type(default), metavar="N")
    parser.add_argument("--no-svg", action="store_true", help="without the card art of Debian's packages")
    parser.add_argument(
        "--finder-from", type=Path, metavar="WEIGHTS", help="begin the finder from a checkpoint (.pt)"
    )
    parser.add_argument(
        "--reader-from", type=Path, metavar="WEIGHTS", help="begin the reader from weights (.pt)"
    )
    return parser


def plan_of(given: argparse.Namespace) -> Plan:
    """The plan that the command line asks for."""
    recipe = SMALL if given.small else Recipe()
    fields = [name for name in Recipe.__dataclass_fields__ if getattr(given, name, None) is not None]
    recipe = replace(recipe, **{name: getattr(given, name) for name in fields})
    if given.no_svg:
        recipe = replace(recipe, svg=False)
    at = Folders.under(given.run or Path("runs") / ("small" if given.small else "train"))
    named = {name: getattr(given, f"{name}_dir") for name in Folders.__dataclass_fields__}
    at = replace(at, **{name: path for name, path in named.items() if path is not None})
    return Plan(recipe, at, given.finder_from, given.reader_from)


def main() -> int:
    """Run the stages that the command line names."""
    given = _options().parse_args()
    unknown = [stage for stage in given.stages if stage not in STAGES]
    if unknown:
        print(f"no such stage: {', '.join(unknown)} (there are {', '.join(STAGES)})", file=sys.stderr)
        return 2
    plan = plan_of(given)
    for stage in given.stages or STAGES:
        started = time.monotonic()
        print(f"== {stage}", flush=True)
        try:
            STAGES[stage](plan)
        except FileNotFoundError as error:
            print(error, file=sys.stderr)
            return 1
        print(f"== {stage}: {(time.monotonic() - started) / 60:.1f} min", flush=True)
    return _verdict(plan) if given.small and not given.stages else 0


def _verdict(plan: Plan) -> int:
    """Whether the small recipe's reader beats chance by far."""
    done = json.loads((plan.at.reader / "done.json").read_text())
    good = done["cards"] >= _SMALL_LEAST
    chance = 1 / 54
    print(
        f"the reader names {done['cards']:.1%} of the cards of unseen designs right (chance {chance:.1%}): "
        + ("well above chance" if good else f"under {_SMALL_LEAST:.0%}, too close to chance")
    )
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
