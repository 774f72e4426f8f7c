"""`paizhuo devices`: the serial ports and the devices of a table as they are now, and devices that are not there."""

from __future__ import annotations

import random
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Final

import typer

from api.at_table import fail
from api.commands.read import complain, language
from api.table_devices import AskedDevices
from api.tables import read_setup
from calibration.toml_keys import BadTableFile
from devices.health import DeviceHealth
from devices.serial_ports import ports
from devices.simulator.serial_device import Device, Running, deal
from devices.simulator.serial_wire import Wire
from table.cards import full_packs
from table.texts import text

KINDS: Final = ("seatbox", "dealer", "shuffler")
BOX_WORDS: Final = ("pass", "count N", "call")
DEALER_WORDS: Final = ("deal", "jam CODE", "clear")


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(
        help="Seat boxes, dealers and their ports. 座位盒、发牌机及其端口。", invoke_without_command=True
    )
    group.callback()(listed)
    group.command("simulate")(simulate)
    app.add_typer(group, name="devices")


def listed(
    context: typer.Context,
    table: Annotated[
        Path | None,
        typer.Option(
            "--table", help="Setup file: ask its devices. 设置文件：询问其中的设备。", show_default=False
        ),
    ] = None,
    seconds: Annotated[
        float, typer.Option("--seconds", min=0.5, help="How long devices are asked. 询问时长。")
    ] = 4.0,
) -> None:
    """List the serial ports; with a setup file, ask its devices who they are and how they do.

    列出串口；给出设置文件时，询问其中各设备的身份与状态。
    """
    if context.invoked_subcommand is not None:
        return
    lang = language()
    there = ports()
    for port in there:
        print(f"{port.path:24} {port.usb:28} {port.what}".rstrip())
    if not there:
        print(text("devices_serial.no_ports", lang))
    if table is None:
        return
    try:
        setup = read_setup(table)
    except BadTableFile as error:
        raise fail(error) from None
    if not setup.devices:
        raise fail(f"{table}: {text('devices_serial.no_devices', lang)}")
    ill = 0
    for health in AskedDevices(setup).after(seconds):
        ill += bool(health.reason)
        print(_line(health, lang))
    if ill:
        raise typer.Exit(1)


def _line(health: DeviceHealth, lang: str) -> str:
    who = " ".join(word for word in (health.model, health.serial, health.firmware) if word)
    seats = ",".join(map(str, health.seats))
    how = health.reason.get(lang) or health.note.get(lang) or text("devices_serial.fine", lang)
    return "  ".join(word for word in (health.name, health.kind, seats, health.port, who, how) if word)


def simulate(
    kind: Annotated[str, typer.Argument(help="seatbox, dealer or shuffler. 座位盒、发牌机或洗牌机。")],
    link: Annotated[
        Path | None,
        typer.Option("--link", help="A path that leads to the port. 指向端口的路径。", show_default=False),
    ] = None,
    seat: Annotated[
        int | None, typer.Option("--seat", min=0, max=3, help="Its switch. 座位开关。", show_default=False)
    ] = None,
    packs: Annotated[int, typer.Option("--packs", min=1, max=4, help="Packs dealt. 副牌数。")] = 2,
    seed: Annotated[
        int | None, typer.Option("--seed", help="Of the shuffle. 洗牌种子。", show_default=False)
    ] = None,
) -> None:
    """Open a port with a device behind it that is not there; what it shall say is typed, a word a line.

    打开一个端口，后面是一台模拟设备；逐行输入要它说的话。
    """
    lang = language()
    if kind not in KINDS:
        raise fail(f"{kind}: {', '.join(KINDS)}")
    words = BOX_WORDS if kind == "seatbox" else DEALER_WORDS
    try:
        wire = Wire(link)
    except OSError as error:
        raise fail(f"{link}: {error.strerror}") from None
    boot = f"{random.SystemRandom().randrange(16**6):06x}"
    rng = random.Random(seed) if seed is not None else random.SystemRandom()
    path = wire.path
    with Running(Device(wire, kind, boot=boot, seat=seat)) as device:
        print(
            text("devices_serial.simulated_at", lang, kind=kind, path=path, words=", ".join(words)),
            flush=True,
        )
        threading.Thread(target=_watch, args=(device, lang), daemon=True).start()
        try:
            for line in sys.stdin:
                _say(device, line.split(), words, packs, rng, lang)
            while device.waiting:
                time.sleep(0.05)
        except KeyboardInterrupt:
            return


def _watch(device: Device, lang: str) -> None:
    """Show what the host asks for beyond the conversation itself."""
    while True:
        while device.told:
            print(text("devices_serial.asked_for", lang, words=device.told.pop(0)), flush=True)
        time.sleep(0.2)


def _say(
    device: Device, line: list[str], words: tuple[str, ...], packs: int, rng: random.Random, lang: str
) -> None:
    match line:
        case []:
            return
        case ["pass"] if device.kind == "seatbox":
            said = "PASS"
        case ["count", number] if device.kind == "seatbox" and number.isdecimal():
            said = f"COUNT {number}"
        case ["call"] if device.kind == "seatbox":
            said = "CALL"
        case ["jam", code] if device.kind != "seatbox" and code.isdecimal():
            said = f"JAM {code}"
        case ["clear"] if device.kind != "seatbox":
            said = "CLEARED"
        case ["deal"] if device.kind == "dealer":
            cards = [str(card) for card in full_packs(packs).elements()]
            rng.shuffle(cards)
            hands = [(str(i % 4), card) for i, card in enumerate(cards)]
            deal(device, hands, pace=lambda: time.sleep(0.05))
            print(text("devices_serial.said", lang, words="DEAL_DONE"), flush=True)
            return
        case _:
            complain(text("devices_serial.no_such_word", lang, word=" ".join(line), words=", ".join(words)))
            return
    device.say(said)
    print(text("devices_serial.said", lang, words=said), flush=True)
