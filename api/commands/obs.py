"""The command `paizhuo obs`: marks what a table finds in the recording of OBS."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from typing import Annotated

import typer

from api.at_table import fail
from api.commands.read import language
from api.obs import ObsMarker
from api.obs_link import BadTableAddress, FindingsOf, live_address, mark_findings


def register(app: typer.Typer) -> None:
    """Put the command on the command line."""
    app.command("obs")(obs)


def obs(
    table: Annotated[
        str, typer.Argument(help="Address of the table, http://host:port. 牌桌地址。")
    ] = "http://127.0.0.1:8770",
    url: Annotated[
        str, typer.Option("--obs", help="WebSocket of OBS. OBS 的 WebSocket 地址。")
    ] = "ws://127.0.0.1:4455",
    token: Annotated[
        str,
        typer.Option(
            "--token",
            envvar="PAIZHUO_TOKEN",
            help="Token of an operator; a viewer's marks upheld findings only. 操作员令牌。",
            show_default=False,
        ),
    ] = "",
    password: Annotated[
        str,
        typer.Option(
            "--password",
            envvar="PAIZHUO_OBS_PASSWORD",
            help="Password of OBS. OBS 密码。",
            show_default=False,
        ),
    ] = "",
    replay: Annotated[
        bool, typer.Option("--replay", help="Save the replay buffer as well. 同时保存回放缓存。")
    ] = False,
) -> None:
    """Mark every finding of a table as a chapter in OBS's recording. 将牌桌的每条提示标为 OBS 录像章节。"""
    try:
        findings = FindingsOf(live_address(table), token)
    except BadTableAddress as error:
        raise fail(str(error)) from None
    if not url.startswith(("ws://", "wss://")):
        raise fail(f"--obs {url}: expected the WebSocket of OBS, like ws://127.0.0.1:4455")
    marker = ObsMarker(url, password, replay=replay)
    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(
            mark_findings(findings, marker, language(), lambda line: print(line, file=sys.stderr, flush=True))
        )
