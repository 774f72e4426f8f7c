"""Puts a table on the network: its streams and outputs, its door, its page; refuses to be reached without tokens."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from api.app import HOST, Page, PortTaken
from api.auth import TOKENS, BadTokens, Tokens
from api.desk import Desk
from api.http.access import LOOPBACK, Door, is_loopback
from api.http.app import make_node
from api.live import Board, Json, shown_box
from api.logs import open_log
from api.outputs import Outputs
from api.parts import Parts
from api.runner import ALIVE, Runner
from api.service import TableService
from api.streams import Streams
from devices.recorded import Tape
from devices.sources import Clock
from table.events import Event
from table.texts import text


class NotServed(Exception):
    """The table cannot be reached as wished; one line."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a table is to be reached.

    Attributes:
        port: 0 takes any that is free.
        host: address to listen on.
        names: further names under which it may be asked for.
    """

    port: int
    host: str = HOST
    names: Sequence[str] = ()


def make_desk(
    service: TableService,
    data: Path,
    clock: Clock,
    *,
    tape: Tape | None = None,
    inputs: Sequence[Event] = (),
    evidence: Path | None = None,
    table_file: Path | None = None,
    devices: Callable[[], list[Json]] = list,
) -> Desk:
    """What drives a table and what the API sees of it.

    Args:
        service: of the table.
        data: its folder.
        clock: seconds since the record began.
        tape: records what cameras give.
        inputs: events that are known to come.
        evidence: folder of stills and clips; None where none are kept.
        table_file: the setup file; None for a table without one.
        devices: how the devices beside the cameras do.
    """
    setup = service.setup
    board = Board({camera.name: shown_box(setup, camera) for camera in setup.cameras})
    outputs = Outputs()
    streams = Streams(int(time.time() * 1000), outputs.put)
    parts = Parts(service, streams, devices)
    runner = Runner(service, board, tape, inputs, data / ALIVE, parts=parts, record_clock=clock)
    return Desk(service, runner, streams, board, outputs, data, evidence, table_file)


def serve(desk: Desk, address: Address, lang: str) -> Page:
    """The page of a table, not started yet.

    Args:
        desk: of the table.
        address: where it is to be reached.
        lang: of messages.

    Raises:
        NotServed: the port is taken; the address is not one of this machine; others could reach a table without tokens;
            the tokens cannot be read.
    """
    tokens = Tokens(desk.data / TOKENS)
    local = is_loopback(address.host)
    try:
        if not local and not len(tokens):
            raise NotServed(text("api.needs_tokens", lang, host=address.host, data=desk.data))
    except BadTokens as error:
        raise NotServed(str(error)) from None
    try:
        log = open_log(desk.data, desk.service.setup.name)
    except OSError:
        # A log that cannot be written stops no table.
        log = None
    app = make_node(desk, Door(tokens, local), hosts_of(address), log=log)
    try:
        return Page(app, address.port, address.host)
    except PortTaken:
        raise NotServed(text("live.port_taken", lang, port=address.port)) from None


_ANY: Final = ("0.0.0.0", "::")


def hosts_of(address: Address) -> set[str]:
    """The names under which a table answers: of this machine, where others can reach it, and those that were given."""
    names = {*LOOPBACK, *address.names, address.host}
    if not is_loopback(address.host):
        name = socket.gethostname()
        names |= {name, f"{name}.local", socket.getfqdn()}
    if address.host in _ANY:
        for found in psutil.net_if_addrs().values():
            names |= {
                one.address.partition("%")[0]
                for one in found
                if one.family in (socket.AF_INET, socket.AF_INET6)
            }
    return {name.lower() for name in names}
