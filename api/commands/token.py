"""`paizhuo token`: who may reach a table from other machines, and what each output may show."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from api.at_table import fail
from api.auth import ROLES, TOKENS, BadTokens, Grant, Tokens
from api.commands.read import language
from api.outputs import NEVER, REVEALS, BadPolicy
from table.texts import text

DataOption = Annotated[
    Path, typer.Option("--data", metavar="DIR", help="Data folder of the table. 牌桌数据文件夹。")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        no_args_is_help=True,
        help="Tokens with which people and outputs reach a table. 访问牌桌的令牌。",
    )
    group.command("add")(add)
    group.command("list")(listed)
    group.command("remove")(remove)
    app.add_typer(group, name="token")


def add(
    data: DataOption,
    role: Annotated[str, typer.Option("--role", help=f"{', '.join(ROLES)}. 角色。")],
    name: Annotated[str, typer.Option("--name", help="Of the person or output. 姓名或输出名。")] = "",
    delay_ms: Annotated[
        int, typer.Option("--delay-ms", help="Overlay: delay to match the video, ms. 画面延迟，毫秒。")
    ] = 0,
    security_delay_s: Annotated[
        float, typer.Option("--security-delay", help="Overlay: delay against cheating, s. 安全延迟，秒。")
    ] = 0.0,
    reveal: Annotated[
        str,
        typer.Option(
            "--reveal", help=f"Overlay: sealed hands are shown {', '.join(REVEALS)}. 暗牌公开时机。"
        ),
    ] = NEVER,
) -> None:
    """Make a token and print it: it is shown once and kept only as a hash.

    生成令牌并显示一次；只保存其散列值。
    """
    lang = language()
    if role not in ROLES:
        raise fail(text("api.no_role", lang, role=role, roles=", ".join(ROLES)))
    grant = Grant(role, name, "", delay_ms, security_delay_s, reveal)
    try:
        grant.policy()
        data.mkdir(parents=True, exist_ok=True)
        print(Tokens(data / TOKENS).add(grant))
    except (BadPolicy, BadTokens) as error:
        raise fail(error) from None
    except OSError as error:
        raise fail(text("live.unwritten", lang, path=data / TOKENS, error=error.strerror or error)) from None


def listed(data: DataOption) -> None:
    """List the tokens of a table, without anything secret.

    列出令牌（不含密钥）。
    """
    try:
        grants = Tokens(data / TOKENS).listed()
    except BadTokens as error:
        raise fail(error) from None
    for grant in grants:
        more = (
            f"  {grant.delay_ms} ms + {grant.security_delay_s:g} s, {grant.reveal}"
            if grant.role == "overlay"
            else ""
        )
        print(f"{grant.id}  {grant.role:<8}  {grant.name}{more}")


def remove(
    data: DataOption, id_: Annotated[str, typer.Argument(metavar="ID", help="Of the token. 令牌编号。")]
) -> None:
    """Take a token back: whoever holds it is out at once.

    收回令牌，立即失效。
    """
    lang = language()
    try:
        if not Tokens(data / TOKENS).remove(id_):
            raise fail(text("api.no_such_token", lang, id=id_))
    except BadTokens as error:
        raise fail(error) from None
    except OSError as error:
        raise fail(text("live.unwritten", lang, path=data / TOKENS, error=error.strerror or error)) from None
