"""`paizhuo bench cameras`: how soon faults of cameras are found and mended, what a camera costs, and a long run."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from api.camera_bench import camera, cost, each_fault, soak


def bench_cameras(
    minutes: Annotated[
        float, typer.Option("--soak", min=0, help="Minutes of faults at random. 随机故障的分钟数。")
    ] = 0.0,
    seed: Annotated[int, typer.Option("--seed", help="Of those faults. 随机种子。")] = 7,
    faults: Annotated[bool, typer.Option("--faults/--no-faults", help="Each fault once. 逐项故障。")] = True,
    seconds: Annotated[
        float, typer.Option("--seconds", min=1, help="How long costs are measured. 测量开销的秒数。")
    ] = 10.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Let cameras in real processes fail in every way; measure how soon that is found and mended, and what they cost.

    让真实进程中的相机以各种方式出错，测量多久发现、多久恢复，以及相机的开销。
    """
    result: dict[str, Any] = {}
    if faults:
        result["faults"] = {}
        for name, out in each_fault():
            result["faults"][name] = asdict(out)
            if not as_json:
                print(
                    f"{name:28} {out.fault:14} limit {out.limit:4.1f} s  found {out.found:5.2f} s  "
                    f"back {out.back:5.2f} s  beside {out.other:5.2f} s",
                    flush=True,
                )
    with tempfile.TemporaryDirectory(prefix="paizhuo-cameras-") as place:
        one = cost([camera(Path(place) / "video0", "full HD", [[{"do": "give"}]], (1920, 1080))], seconds)
    result["cost"] = asdict(one)
    if not as_json:
        print(
            f"1920x1080 at {one.fps:.1f} fps: table {one.table:.1%} of a core, camera {one.camera:.1%}; "
            f"memory {one.table_mb:.0f} MB and {one.camera_mb:.0f} MB",
            flush=True,
        )
    if minutes:
        after = soak(60 * minutes, seed)
        result["soak"] = asdict(after)
        if not as_json:
            for key, value in asdict(after).items():
                print(f"{key:10} {value}")
    if as_json:
        print(json.dumps(result, ensure_ascii=False))
