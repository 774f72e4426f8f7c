"""The command `paizhuo`: gathers what each module of api/commands registers, in the language of the user."""

from __future__ import annotations

import importlib
import os
import pkgutil
from types import ModuleType
from typing import Final

import typer

import api.commands

# Modules of api.commands that register themselves on `bench`, not on the root (see api/commands/bench.py).
_NESTED: Final = ("bench_read", "bench_rules")

HELP: Final = (
    "Reads the cards on a real table, keeps the record of the game, tells the referee what went wrong.\n\n"
    "牌桌：识读真实牌桌上的牌，记录牌局，为裁判指出问题并给出依据。"
)

app = typer.Typer(
    name="paizhuo",
    help=HELP,
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@app.callback()
def root() -> None:
    """Keep subcommands named even while there is only one of them."""


root.__doc__ = HELP


def command_modules() -> list[ModuleType]:
    """Every module of api.commands that offers `register(app)`, by name."""
    names = sorted(
        info.name for info in pkgutil.iter_modules(api.commands.__path__) if info.name not in _NESTED
    )
    modules = [importlib.import_module(f"api.commands.{name}") for name in names]
    return [module for module in modules if hasattr(module, "register")]


for _module in command_modules():
    _module.register(app)


def main() -> None:
    """Run the command line; the entry point of the distribution."""
    # What is wrong with a film is told in one line of our own, not in FFmpeg's words.
    os.environ.setdefault("OPENCV_FFMPEG_LOGLEVEL", "-8")
    app()


if __name__ == "__main__":
    main()
