"""The group `paizhuo export`: a record by default; graphics for playout systems by name."""

from __future__ import annotations

from importlib.metadata import version
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from api.at_table import fail
from api.commands.judge import export
from api.ograf import bootstrap_page, template_page, write_ograf

OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", help="Where to write. 写入位置。", show_default=False)
]


class RecordByDefault(TyperGroup):
    """`paizhuo export RECORD` stays what it was: what names no command is a record."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command in front that is meant."""
        asks_help = bool(args) and args[0] in ("-h", "--help")
        if args and not asks_help and args[0] not in self.commands:
            args = ["record", *args]
        return list(super().parse_args(ctx, args))


def register(app: typer.Typer) -> None:
    """Put the group on the command line."""
    group = typer.Typer(cls=RecordByDefault, no_args_is_help=True, help=export.__doc__)
    group.command("record", help=export.__doc__)(export)
    group.command("ograf")(ograf)
    group.command("caspar")(caspar)
    group.command("overlay-bootstrap")(overlay_bootstrap)
    app.add_typer(group, name="export")


def ograf(out: OutOption = None) -> None:
    """Write the graphics as an OGraf v1 package, a folder. 导出 OGraf v1 图形包（文件夹）。"""
    folder = out or Path("paizhuo-ograf")
    try:
        written = write_ograf(folder, version("paizhuo"))
    except OSError as error:
        raise fail(f"{folder}: cannot be written ({error.strerror})") from None
    print(f"{folder}: {len(written)} files")


def caspar(out: OutOption = None) -> None:
    """Write the graphics as one HTML template for CasparCG and SPX. 导出 CasparCG、SPX 用的单文件模板。"""
    _write(out or Path("paizhuo.html"), template_page())


def overlay_bootstrap(
    address: Annotated[
        str, typer.Argument(help="Address of the overlay, http://host:port/overlay/all?token=… 图形地址。")
    ],
    out: OutOption = None,
) -> None:
    """Write a local page for OBS that waits for the service and then shows the overlay. 导出 OBS 用的本地等待页。"""
    try:
        page = bootstrap_page(address)
    except ValueError as error:
        raise fail(str(error)) from None
    _write(out or Path("paizhuo-overlay.html"), page)


def _write(path: Path, page: str) -> None:
    try:
        path.write_text(page, "utf-8")
    except OSError as error:
        raise fail(f"{path}: cannot be written ({error.strerror})") from None
    print(path)
