"""`paizhuo bench rules` measures every figure it promises and says where and how it was measured."""

from __future__ import annotations

from typer.testing import CliRunner

from api.cli import app


def test_bench_names_machine_command_and_figures() -> None:
    done = CliRunner().invoke(app, ["bench", "rules", "--deals", "1", "--seconds", "0.01"])
    assert done.exit_code == 0, done.output
    figures = ("guandan classify", "guandan plays, leading", "guandan plays, following")
    profiles = ("guandan-official", "guandan-event", "shengji-official-2")
    for line in ("machine: ", "command: ", *figures, *profiles):
        assert line in done.output
