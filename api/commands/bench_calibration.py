"""`paizhuo bench calibration`: random rigs of cameras are set up from rendered pictures and compared with the truth."""

from __future__ import annotations

import json
from typing import Annotated

import cv2
import typer

from api.commands.read import complain, language
from table.texts import text


def bench_calibration(
    rigs: Annotated[int, typer.Option("--rigs", min=1, help="How many. 多少套相机。")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="Of rigs, lenses and noise. 随机种子。")] = 3,
    views: Annotated[
        int, typer.Option("--views", min=8, help="Of the board for a lens. 每个镜头的标定照片。")
    ] = 16,
    stuck: Annotated[
        float,
        typer.Option("--stuck", min=0, help="How far off tags are stuck on, mm (sigma). 标签贴偏的毫米数。"),
    ] = 0.0,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Set up one to four cameras (60 to 90 degrees of view, tilted up to 25) again and again; tell how wrong it is.

    随机悬挂一到四台相机，由渲染的照片标定，并与真值比较。
    """
    from api.calibration_bench import Measured, measure_rigs, summary
    from devices.simulator.rigs import Rig

    lang = language()
    cv2.setNumThreads(1)

    def tell(number: int, rig: Rig, one: Measured) -> None:
        hung = "; ".join(
            f"{camera.lens.size[0]} px {camera.view:.0f} deg, tilt {camera.tilt:.0f}"
            for camera in rig.cameras
        )
        place = summary(one.place)
        complain(
            f"rig {number + 1} ({hung}): place p95 {place['p95']} mm, max {place['max']} mm {'; '.join(one.failed)}"
        )

    total = measure_rigs(rigs, seed, views, stuck, tell)
    rows = {
        "lens": total.lens,
        "plane": total.plane,
        "place": total.place,
        "agreement": total.agreement,
        "zones": total.zones,
    }
    numbers = {name: summary(values) for name, values in rows.items()}
    if as_json:
        print(json.dumps({**numbers, "cameras": total.cameras, "failed": len(total.failed)}))
        return
    for name, three in numbers.items():
        told = " ".join(f"{key} {value:g}" for key, value in three.items())
        print(f"{text(f'calibration.bench_{name}', lang):42} {told}")
    print(f"{text('calibration.bench_failed', lang):42} {len(total.failed)} / {total.cameras}")
