"""`paizhuo bench table`: matches on the simulated table, from pixels to findings, against the ground truth."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from api.commands.read import complain, language, open_reader
from calibration.toml_keys import nearest
from table.rulesets import BadProfile, Profile, load_profile
from table.texts import text
from vision.card_reader import CardReader

_DECKS: Final = 4
_SHOWN: Final = (
    "plays", "touched", "plays_exact", "cards", "cards_wrong", "missed_named", "silent_misreads", "planted",
    "planted_found", "invented",
)  # fmt: skip
"""Columns of `--hard`; an invented finding is an accusation for which there is no ground."""


def bench_table(
    profile: Annotated[
        str, typer.Option("--profile", help="Rules to play by. 规则方案。")
    ] = "guandan-official",
    deals: Annotated[int, typer.Option("--deals", min=1, help="Deals in all. 总副数。")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Of matches, decks, light and hands. 随机种子。")] = 7,
    cameras: Annotated[int, typer.Option("--cameras", help="1 (4K), 2 or 4 (1080p). 摄像头数。")] = 1,
    hard: Annotated[
        bool, typer.Option("--hard", help="Each hard condition, a line each. 逐项测试困难条件。")
    ] = False,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Of the hard conditions only this. 只测此项。", show_default=False),
    ] = None,
    workers: Annotated[int, typer.Option("--workers", min=1, help="Matches side by side. 并行场数。")] = 1,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for the true and the seen records. 保存记录的文件夹。"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Play matches on the simulated table, read them with the cameras, and compare with what was laid in truth.

    在模拟牌桌上打牌，用摄像头识读，并与真实记录逐一比对。
    """
    from api.hard_conditions import HARD
    from api.table_bench import Result

    rules = _profile(profile)
    # Missing weights are told here and not by a process of the pool.
    _reader()
    if cameras not in (1, 2, 4):
        complain(f"--cameras {cameras}: 1, 2 or 4")
        raise typer.Exit(2)

    if unknown := [name for name in only or [] if name not in HARD]:
        complain(f"--only {unknown[0]!r}: {nearest(unknown[0], HARD)}")
        raise typer.Exit(2)

    def numbers(name: str | None, count: int) -> dict[str, float]:
        """One row; a hard one says how many plays its condition touched."""
        total = Result()
        for result in _run(rules.name, deals, seed, name, count, workers, keep):
            total.add(result)
            for line in result.tally.differences:
                complain(f"  {line}")
        return total.numbers() if name is None else {"touched": total.touched, **total.numbers()}

    if not (hard or only):
        _print(numbers(None, cameras), as_json)
        return
    rows: dict[str, Any] = {}
    if not as_json:
        print(" " * 27 + "".join(f"{text(f'bench.hard_{key}', language()):>12}" for key in _SHOWN))
    for name, (_, count) in HARD.items():
        if only and name not in only:
            continue
        rows[name] = numbers(name, count)
        if not as_json:
            print(f"{name:27}" + "".join(f"{rows[name][key]:12g}" for key in _SHOWN), flush=True)
    if as_json:
        print(json.dumps(rows, ensure_ascii=False))


def _run(
    profile: str, deals: int, seed: int, hard: str | None, cameras: int, workers: int, keep: Path | None
) -> Iterator[Any]:
    from api.hard_conditions import HARD
    from api.table_bench import matches

    how = None if hard is None else HARD[hard][0]
    played = list(enumerate(matches(load_profile(profile), deals, seed, how)))
    folder = keep / hard.replace(" ", "-") if keep is not None and hard is not None else keep
    work = partial(_match, seed=seed, cameras=cameras, keep=folder)
    if workers == 1:
        yield from map(work, played)
        return
    # A process that was started afresh shares no thread and no session with this one.
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        yield from pool.map(work, played)


def _match(numbered: tuple[int, Any], seed: int, cameras: int, keep: Path | None) -> Any:
    from api.table_bench import one_thread, run_match

    one_thread()
    number, match = numbered
    decks = _decks(seed)
    return run_match(match, decks[number % len(decks)], _reader(), cameras, keep)


@cache
def _decks(seed: int) -> Sequence[Any]:
    """The bench's designs, drawn once a process: one takes a second."""
    from devices.simulator.decks import demo_deck, tournament_decks
    from models.synth.glyphs import NoFonts

    try:
        return tournament_decks(seed, _DECKS)
    except NoFonts as error:
        complain(f"{error}: {text('bench.one_deck', language())}")
        return [demo_deck()]


@cache
def _reader() -> CardReader:
    """The reader of this process, on one thread: matches may run side by side."""
    return open_reader(1)


def _profile(name: str) -> Profile:
    try:
        return load_profile(name)
    except BadProfile as error:
        complain(str(error))
        raise typer.Exit(2) from None


def _print(numbers: dict[str, float], as_json: bool) -> None:
    if as_json:
        print(json.dumps(numbers))
        return
    for key, value in numbers.items():
        print(f"{text(f'bench.{key}', language()):42} {value:10g}")
