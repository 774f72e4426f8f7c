"""`paizhuo bench faults`: a match at a real table process with every kind of fault at random; its promises must hold."""

from __future__ import annotations

import json
import signal
import sys
from pathlib import Path
from typing import Annotated

import typer

from api.commands.read import complain, need_weights
from calibration.toml_keys import nearest


def bench_faults(
    minutes: Annotated[float, typer.Option("--minutes", min=0.5, help="How long. 分钟数。")] = 5.0,
    seed: Annotated[int, typer.Option("--seed", help="Of match and faults. 随机种子。")] = 3,
    only: Annotated[
        list[str] | None,
        typer.Option("--only", help="Only this kind of fault. 只用此种故障。", show_default=False),
    ] = None,
    keep: Annotated[
        Path | None,
        typer.Option("--keep", help="Folder for the true and the seen record. 保存记录的文件夹。"),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Play at a real table with cameras, seat boxes and a dealer that fail in every way; end with 1 if a promise broke.

    在真实的牌桌进程上打牌，相机、座位盒、发牌机与进程本身随机出错；任何承诺未守住即以 1 退出。
    """
    from api.fault_bench import run
    from api.fault_kinds import KINDS

    if unknown := [kind for kind in only or [] if kind not in KINDS]:
        complain(f"--only {unknown[0]!r}: {nearest(unknown[0], KINDS)}")
        raise typer.Exit(2)
    need_weights()
    # Whoever ends it early ends the table and its cameras too.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    out = run(minutes, seed, keep, lambda line: print(line, file=sys.stderr, flush=True), only or KINDS)
    if as_json:
        print(json.dumps(out.to_json(), ensure_ascii=False))
    else:
        _print(out)
    for line in out.broken:
        complain(line)
    raise typer.Exit(1 if out.broken else 0)


def _print(out: object) -> None:
    from api.fault_outcome import GROWTH, GROWTH_MB, Outcome

    assert isinstance(out, Outcome)
    print(f"{'fault':36} times masked found usual slowest healed slowest")
    for name, kind in out.kinds.items():
        print(
            f"{name:36} {kind.times:5} {kind.masked:6} {kind.found:5} {kind.usual:5.1f} {kind.slowest:7.1f} "
            f"{kind.healed:6} {kind.slowest_healed:7.1f}"
        )
    presses, findings = out.presses, out.findings
    print(
        f"presses: acknowledged {presses.acknowledged}, recorded {presses.recorded}, lost {presses.lost}, "
        f"doubled {presses.doubled}, made up {presses.made_up}, out of order {presses.out_of_order}, "
        f"untold {presses.untold}, not made {presses.unmade}"
    )
    print(
        f"findings: planned {findings.planned}, met {findings.met}, proven right {findings.right}, "
        f"proven wrong {findings.wrong} (standing {findings.standing})"
    )
    print(f"sealed hands: dealt {out.hands.dealt}, opened {out.hands.opened}, right {out.hands.right}")
    print(
        f"cards: {out.cards}, wrong {out.cards_wrong} (named gaps {out.missed_named}, silent {out.silent}); "
        f"plays {out.plays}, exact {out.plays_exact}; events {out.events}, deals {out.deals}"
    )
    print(
        f"memory, second and last quarter: table {out.table_mb[0]} {out.table_mb[1]} MB, with its children "
        f"{out.memory_mb[0]} {out.memory_mb[1]} MB (flat: at most {GROWTH:.0%} and {GROWTH_MB:g} MB more)"
    )
