"""`paizhuo bench`: the measurements, each a command of its own."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Final

import typer

_COMMANDS: Final = (
    ("read", "bench_read"),
    ("rules", "bench_rules"),
    ("table", "bench_table"),
    ("idle", "bench_idle"),
    ("overhead", "bench_overhead"),
    ("cameras", "bench_cameras"),
    ("calibration", "bench_calibration"),
    ("devices", "bench_devices"),
    ("faults", "bench_faults"),
    ("api", "bench_api"),
    ("soak", "bench_soak"),
)


def register(app: typer.Typer) -> None:
    """Add the group with those measurements that are there."""
    bench = typer.Typer(no_args_is_help=True, help="Measure speed and memory.\n\n测量速度与内存。")
    for name, module in _COMMANDS:
        if importlib.util.find_spec(f"api.commands.{module}"):
            bench.command(name)(getattr(importlib.import_module(f"api.commands.{module}"), module))
    app.add_typer(bench, name="bench")
