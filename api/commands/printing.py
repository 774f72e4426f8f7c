"""`paizhuo print`: boards, tags, mat, plaques and QR codes as PDF to true scale."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from api.at_table import fail
from api.commands.read import complain, language
from calibration import sheets
from calibration.zone_finding import usual_zones
from table.texts import LANGUAGES, text

OutOption = Annotated[Path, typer.Option("--out", metavar="DIR", help="Folder for the files. 输出文件夹。")]
LangOption = Annotated[
    str,
    typer.Option("--lang", help="Of the words on the sheets: zh or en. 图纸上的文字。", show_default=False),
]
TableOption = Annotated[
    int, typer.Option("--table", help="Number of the table: each has tags of its own. 桌号，每桌标签不同。")
]
UrlOption = Annotated[
    list[str] | None,
    typer.Option("--url", help="Address of a display, repeatable. 显示屏网址，可重复。", show_default=False),
]
ZonesOption = Annotated[
    str,
    typer.Option(
        "--zones",
        help="Kinds of zones on the mat: play, discard, points, exchange or kitty. 桌垫上的区域。",
    ),
]
_HERE = Path("print")
_ZONES = "play,discard,points,exchange"


def register(app: typer.Typer) -> None:
    """Add the group."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Print what a table needs, as PDF to scale: print at 100 %.\n\n打印牌桌用的图纸（PDF，按 100% 打印）。",
    )
    group.command("all")(print_all)
    group.command("board")(print_board)
    group.command("tags")(print_tags)
    group.command("mat")(print_mat)
    group.command("plaques")(print_plaques)
    group.command("qr")(print_qr)
    app.add_typer(group, name="print")


def print_all(
    out: OutOption = _HERE,
    lang: LangOption = "",
    table: TableOption = 1,
    url: UrlOption = None,
    zones: ZonesOption = _ZONES,
) -> None:
    """Everything that one table needs. 一张桌所需的全部图纸。"""
    print_board(out, lang)
    print_tags(out, lang, table)
    print_mat(out, lang, table, zones)
    print_plaques(out, lang)
    if url:
        print_qr(out, lang, url)
    else:
        complain(text("calibration.no_url", _lang(lang)))


def print_board(out: OutOption = _HERE, lang: LangOption = "") -> None:
    """The boards for the lens, A4 and A3. 镜头标定板。"""
    _print(lambda words: sheets.print_boards(_folder(out), words), lang, out)


def print_tags(out: OutOption = _HERE, lang: LangOption = "", table: TableOption = 1) -> None:
    """The tags for the table's edge. 桌边标签。"""
    _print(lambda words: [sheets.print_tags(_folder(out), table, words)], lang, out)


def print_mat(
    out: OutOption = _HERE, lang: LangOption = "", table: TableOption = 1, zones: ZonesOption = _ZONES
) -> None:
    """The mat with its zones, on one large page and in tiles of A3 and A4. 桌垫（整张与拼接）。"""
    kinds = [kind.strip() for kind in zones.split(",") if kind.strip()]
    _print(lambda words: sheets.print_mat(_folder(out), table, usual_zones(kinds), words), lang, out)


def print_plaques(out: OutOption = _HERE, lang: LangOption = "") -> None:
    """The plaques: pass, and counts 1 to 10, for each seat. 过牌与报牌的牌子。"""
    _print(lambda words: [sheets.print_plaques(_folder(out), words)], lang, out)


def print_qr(out: OutOption = _HERE, lang: LangOption = "", url: UrlOption = None) -> None:
    """A page with a QR code for each display. 显示屏二维码。"""
    if not url:
        raise fail(text("calibration.no_url", _lang(lang)))
    _print(lambda words: [sheets.print_qr(_folder(out), url, words)], lang, out)


def _print(make: Callable[[sheets.Words], list[Path]], lang: str, out: Path) -> None:
    try:
        written = make(partial(_words, _lang(lang)))
    except ValueError as error:
        raise fail(error) from None
    except OSError as error:
        why = error.strerror or error
        raise fail(text("live.unwritten", _lang(lang), path=error.filename or out, error=why)) from None
    for path in written:
        print(path)


def _words(lang: str, key: str, **fields: object) -> str:
    return text(f"calibration.{key}", lang, **fields)


def _lang(lang: str) -> str:
    lang = lang or language()
    if lang not in LANGUAGES:
        raise fail(f"--lang {lang}: zh or en")
    return lang


def _folder(out: Path) -> Path:
    out.mkdir(parents=True, exist_ok=True)
    return out
