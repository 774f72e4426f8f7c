"""Times YOLO26n through `ultralytics predict` on one picture, to compare with the reader: prints JSON.

usage: python benchmarks/yolo26n.py PICTURE IMGSZ REPEATS THREADS
"""

from __future__ import annotations

import contextlib
import json
import os
import resource
import statistics
import sys
import tempfile
import time
from pathlib import Path


def main() -> None:
    """Random weights serve for time: what a network finds does not change how long its layers take."""
    picture, size, repeats, threads = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4])
    os.environ["OMP_NUM_THREADS"] = str(threads)
    os.environ["YOLO_VERBOSE"] = "false"
    with contextlib.redirect_stdout(sys.stderr):
        import torch
        from ultralytics import YOLO

        torch.set_num_threads(threads)
        with tempfile.TemporaryDirectory() as folder:
            weights = Path(folder) / "yolo26n.pt"
            YOLO("yolo26n.yaml").save(str(weights))
            network = YOLO(str(weights))
            times = []
            for _ in range(repeats + 1):
                started = time.perf_counter()
                network.predict(picture, imgsz=size, verbose=False, device="cpu", conf=0.25)
                times.append((time.perf_counter() - started) * 1000)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    middle = statistics.median(times[1:])
    print(json.dumps({"p50_ms": middle, "threads": torch.get_num_threads(), "peak_mb": peak}))


if __name__ == "__main__":
    main()
