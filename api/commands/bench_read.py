"""`paizhuo bench read`: how long a zone and a whole table take, against YOLO26n, and how much memory."""

from __future__ import annotations

import importlib
import importlib.util
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

import cv2
import numpy as np
import typer

from api.commands.read import complain, language, open_reader
from api.drawn_tables import drawn_tables
from table.texts import text
from vision.card_reader import CardReader
from vision.frames import Image
from vision.rectify import cut_zones
from vision.weights import load_weights

ZONE: Final = (900, 600)
"""Width and height of a zone, px: 450x300 mm at 2 px/mm."""
FRAME: Final = (3840, 2160)
CARDS: Final = 20
YOLO_SIZE: Final = 2560
"""The picture size at which YOLO26n sees a 4K frame with the same pixels to a millimetre."""
_SEED: Final = 77
_TRIES: Final = 24
_SCRIPT: Final = Path(__file__).resolve().parents[2] / "benchmarks" / "yolo26n.py"


def bench_read(
    repeats: Annotated[
        int, typer.Option("--repeats", min=3, help="Measurements of each. 每项测量次数。")
    ] = 40,
    threads: Annotated[int, typer.Option("--threads", min=1, help="Threads of a call. 线程数。")] = 2,
    against: Annotated[
        bool, typer.Option("--yolo/--no-yolo", help="Compare with YOLO26n. 与 YOLO26n 比较。")
    ] = True,
    as_json: Annotated[bool, typer.Option("--json", help="One JSON object. 输出 JSON。")] = False,
) -> None:
    """Measure the reader: one zone, a 4K table of four zones, memory, share of the machine's peak, YOLO26n.

    测量识读速度：单个区域、四区 4K 牌桌、内存、占机器峰值的比例，并与 YOLO26n 比较。
    """
    reader = open_reader(threads)
    try:
        zones = drawn_zones()
    except (ImportError, RuntimeError) as error:
        complain(f"{text('read.no_renderer', language())} ({error})")
        raise typer.Exit(2) from None
    result = measure(reader, zones, repeats)
    if against and importlib.util.find_spec("ultralytics") and _SCRIPT.is_file():
        result |= compare(table_frame(zones), max(3, repeats // 8), threads)
        result["times_faster"] = result["yolo26n_ms"] / result["table_p50_ms"]
    if as_json:
        print(json.dumps({key: round(value, 3) for key, value in result.items()}))
    else:
        for key, value in result.items():
            print(f"{key:24} {value:10.2f}")


def measure(reader: CardReader, zones: list[Image], repeats: int) -> dict[str, float]:
    """Times in ms, memory in MB, speed in GFLOP/s.

    Args:
        reader: what is measured.
        zones: four zones, (600, 900, 3) uint8 each.
        repeats: how often.
    """
    zone = zones[0]
    out = {"zone_cards": float(len(reader.read_zones([zone])[0].cards))}
    out |= _percentiles("zone", repeats, lambda: reader.read_zones([zone]))
    found = reader.finder.find([zone], 0.15)
    out |= _percentiles("finder", repeats, lambda: reader.finder.find([zone], 0.15))
    patches = np.zeros((max(len(found[0]), 1), 56, 40, 3), np.uint8)
    out["patches"] = float(len(patches))
    out |= _percentiles("reader", repeats, lambda: reader.reader.log_probs(patches))
    frame, corners = table_frame(zones), zone_corners()
    out |= _percentiles("table", repeats // 2, lambda: reader.read_zones(cut_zones(frame, corners, ZONE)))
    out["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    peak = _matmul_gflops()
    out["machine_gflops"] = peak
    flops = finder_gflop()
    if flops:
        out |= {"finder_gflop": flops, "finder_share_of_peak": flops / (out["finder_p50_ms"] / 1000) / peak}
    return out


def compare(frame: Image, repeats: int, threads: int) -> dict[str, float]:
    """YOLO26n through `ultralytics predict` on the same frame, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        picture = Path(folder) / "table.png"
        cv2.imwrite(str(picture), frame)
        command = [sys.executable, str(_SCRIPT), str(picture), str(YOLO_SIZE), str(repeats), str(threads)]
        environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
        done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    if done.returncode:
        complain(f"YOLO26n could not be timed: {done.stderr.strip().splitlines()[-1:]}")
        return {"yolo26n_ms": float("nan")}
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    return {"yolo26n_ms": answer["p50_ms"], "yolo26n_peak_mb": answer["peak_mb"]}


def drawn_zones() -> list[Image]:
    """Four zones with overlapped rows, of those drawn the ones with about 20 cards."""
    spec: dict[str, Any] = {
        "size": ZONE, "px_per_mm": (2.0, 2.0), "tilt": (0.0, 0.0), "layouts": {"row": 1.0},
        "step_mm": (12.0, 22.0), "turn": 0.0, "things": 0.0, "face_down": 0.0,
    }  # fmt: skip
    tables = sorted(drawn_tables(_SEED, (spec,) * _TRIES), key=lambda table: abs(len(table.cards) - CARDS))
    return [table.image for table in tables[:4]]


def zone_corners() -> list[np.ndarray]:
    """Where the four zones lie in the 4K frame, (4, 2) px each, from their players' top left on clockwise."""
    width, height = FRAME
    middle = np.array([width / 2, height / 2], np.float32)
    half = np.array(ZONE, np.float32) / 2
    edge = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]], np.float32) * half
    out = []
    for seat in range(4):
        angle = np.radians(90 * seat)
        down = np.array([np.sin(angle), np.cos(angle)], np.float32)
        right = np.array([down[1], -down[0]], np.float32)
        centre = middle + down * (760 if seat % 2 == 0 else 1000) * (1.0 if seat % 2 else 0.98)
        out.append(np.asarray(centre + edge[:, :1] * right + edge[:, 1:] * down, np.float32))
    return out


def table_frame(zones: list[Image]) -> Image:
    """A 4K frame that shows each zone where a camera above the table would see it."""
    frame = np.full((FRAME[1], FRAME[0], 3), (60, 90, 40), np.uint8)
    width, height = ZONE
    flat = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
    for zone, corners in zip(zones, zone_corners(), strict=True):
        matrix = cv2.getPerspectiveTransform(flat, corners)
        cv2.warpPerspective(zone, matrix, FRAME, dst=frame, borderMode=cv2.BORDER_TRANSPARENT)
    return frame


def finder_gflop() -> float | None:
    """Billions of operations of the finder on one zone, counted in its convolutions; None without `onnx`."""
    if importlib.util.find_spec("onnx") is None:
        return None
    onnx = importlib.import_module("onnx")
    model = onnx.load_model_from_string(load_weights().finder)
    shape = (1, 3, -(-ZONE[1] // 32) * 32, -(-ZONE[0] // 32) * 32)
    for dim, size in zip(model.graph.input[0].type.tensor_type.shape.dim, shape, strict=True):
        dim.dim_value = size
    for value in model.graph.output:
        value.type.tensor_type.ClearField("shape")
    del model.graph.value_info[:]
    inferred = onnx.shape_inference.infer_shapes(model, data_prop=True).graph
    shapes = {
        value.name: [dim.dim_value for dim in value.type.tensor_type.shape.dim]
        for value in (*inferred.value_info, *inferred.output)
    }
    weights = {tensor.name: list(tensor.dims) for tensor in inferred.initializer}
    total = 0.0
    for node in inferred.node:
        if node.op_type == "Conv" and node.output[0] in shapes and node.input[1] in weights:
            total += 2.0 * float(np.prod(shapes[node.output[0]])) * float(np.prod(weights[node.input[1]][1:]))
    return total / 1e9 if total else None


def _percentiles(name: str, repeats: int, call: Callable[[], object]) -> dict[str, float]:
    call()
    times = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        times.append((time.perf_counter() - started) * 1000)
    return {f"{name}_p50_ms": float(np.median(times)), f"{name}_p95_ms": float(np.percentile(times, 95))}


def _matmul_gflops(side: int = 2048, repeats: int = 5) -> float:
    """What the machine reaches on a large float32 matrix product."""
    matrix = np.random.default_rng(0).random((side, side), np.float32)
    best = min(_percentiles("product", repeats, lambda: matrix @ matrix).values())
    return 2 * side**3 / (best / 1000) / 1e9
