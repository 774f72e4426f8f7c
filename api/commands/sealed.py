"""`paizhuo sealed`: the deals that a dealer told to the sealed store: which there are, whether they are what was bound."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Final

import typer

from api.at_table import fail
from api.commands.read import language
from api.runner import JOURNAL, FolderInUse, lock_folder
from api.sealed_record import SealedRecord, looks_at, verify_record
from api.table_devices import SEALED
from devices.seal_format import SealError, facts_of, fingerprint
from devices.seal_key import key_path, make_key, private_key
from devices.seal_opening import format_hand, keep_opened, log_opening, open_deal, opened_hands, openings
from table.events import Event
from table.journal import BrokenJournal, Journal
from table.record import read_record
from table.texts import text

_WRONG: Final = 1
_BY_HAND: Final = "referee"

DataArgument = Annotated[Path, typer.Argument(help="Data folder of the table. 牌桌的数据文件夹。")]


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(help="Sealed deals. 封存的发牌。", no_args_is_help=True)
    group.command("list")(list_deals)
    group.command("verify")(verify)
    group.command("reveal")(reveal)
    group.command("key")(key)
    app.add_typer(group, name="sealed")


def list_deals(data: DataArgument) -> None:
    """What is public of the sealed deals: how many cards each hand has, and what binds them.

    列出封存的发牌：各家张数与承诺值。
    """
    lang = language()
    folder = data / SEALED
    found = facts_of(folder)
    if not found:
        raise fail(text("devices_serial.no_sealed", lang, folder=folder))
    for facts in found:
        opened = opened_hands(folder, facts.deal) is not None
        print(
            text(
                "devices_serial.listed", lang, deal=facts.deal, state=facts.state, check=facts.check or "-",
                cards=facts.cards, device=facts.device, label=facts.label, reveal=facts.reveal,
                opened=text("devices_serial.listed_opened", lang) if opened else "",
            )
        )  # fmt: skip
        for place, hand in sorted(facts.hands.items()):
            print(
                text(
                    "devices_serial.hand_line",
                    lang,
                    place=place,
                    count=hand.count,
                    commitment=hand.commitment,
                )
            )


def verify(
    record: Annotated[
        Path, typer.Argument(help="A record, or the data folder of a table. 牌局记录或数据文件夹。")
    ],
) -> None:
    """Check that the hands in a record are those that were bound when they were dealt. No key is needed.

    核对记录中的手牌与发牌时的承诺是否一致；不需要密钥。
    """
    lang = language()
    found = verify_record(_events(record, lang))
    if not found:
        raise fail(text("devices_serial.nothing_sealed", lang, path=record))
    for sealed, seat, state in found:
        print(text(f"devices_serial.{state}", lang, sealed=sealed, seat=seat))
    if any(state == "broken" for _, _, state in found):
        raise typer.Exit(_WRONG)


def reveal(
    data: DataArgument,
    deal: Annotated[str, typer.Argument(help="Name of the deal, see list. 发牌名称，见 list。")],
    by: Annotated[str, typer.Option("--by", help="Who looks. 查看人。")] = "",
    reason: Annotated[str, typer.Option("--reason", help="Why. 理由。")] = "",
    passphrase: Annotated[
        bool, typer.Option("--passphrase", help="Ask for the key's passphrase. 询问密钥口令。")
    ] = False,
) -> None:
    """Open a sealed deal: once its policy allows, for the record too; before, only by a referee who says why.

    打开封存的发牌：规则允许后记入牌谱；此前只有裁判写明理由方可查看。
    """
    lang = language()
    folder = data / SEALED
    facts = next((one for one in facts_of(folder) if one.deal == deal), None)
    if facts is None:
        raise fail(text("devices_serial.no_sealed", lang, folder=f"{folder}/{deal}"))
    record = SealedRecord(_events(data, lang))
    allowed = (deal, facts.reveal) in record.may_open([facts]) or opened_hands(folder, deal) is not None
    over = record.is_over(deal)
    if not allowed and not (by.strip() and reason.strip()):
        raise fail(text("devices_serial.not_over", lang, deal=deal, reveal=facts.reveal))
    secret = typer.prompt(text("devices_serial.passphrase", lang), hide_input=True) if passphrase else ""
    try:
        private = private_key(key_path(os.environ), secret)
        policy = facts.reveal if allowed else _BY_HAND
        log_opening(folder, deal, at=time.time(), policy=policy, by=by.strip(), why=reason.strip())
        hands = open_deal(folder, deal, private)
        for place, hand in sorted(hands.items()):
            print(text("devices_serial.opened_hand", lang, place=place, cards=format_hand(hand)))
        if allowed or over:
            keep_opened(folder, deal, hands)
            if _into_record(data, deal):
                print(text("devices_serial.put_in_record", lang))
    except SealError as error:
        raise fail(error.reason[lang]) from None


def key(
    passphrase: Annotated[
        bool,
        typer.Option("--passphrase", help="Hands are then opened by hand only. 设口令；此后只能人工打开。"),
    ] = False,
) -> None:
    """Make the seal key of this machine ($PAIZHUO_SEAL_KEY says where).

    生成本机的封存密钥（位置由 $PAIZHUO_SEAL_KEY 指定）。
    """
    lang = language()
    secret = ""
    if passphrase:
        secret = typer.prompt(
            text("devices_serial.passphrase", lang), hide_input=True, confirmation_prompt=True
        )
    path = key_path(os.environ)
    try:
        public = make_key(path, secret)
    except SealError as error:
        raise fail(error.reason[lang]) from None
    print(text("devices_serial.key_made", lang, path=path, fingerprint=fingerprint(public)))


def _events(place: Path, lang: str) -> Sequence[Event]:
    """The events of a record, or of the journal in a data folder, which may be in use."""
    try:
        if place.is_dir():
            if not (place / JOURNAL).is_file():
                return ()
            with Journal(place / JOURNAL, verify=False) as journal:
                return list(journal.events())
        return read_record(place).events
    except BrokenJournal as error:
        raise fail(error) from None
    except (OSError, UnicodeDecodeError) as error:
        why = getattr(error, "strerror", None) or error
        raise fail(text("live.unreadable", lang, path=place, error=why)) from None


def _into_record(data: Path, deal: str) -> bool:
    """Put an opened deal into the journal, where no running table does that itself."""
    try:
        with lock_folder(data), Journal(data / JOURNAL) as journal:
            events = list(journal.events())
            record = SealedRecord(events)
            last = max((event.at for event in events if event.at is not None), default=None)
            hands = opened_hands(data / SEALED, deal) or {}
            new = record.opening(deal, hands, last)
            new += looks_at(openings(data / SEALED), record.looks, last)
            journal.extend(new)
            return bool(new)
    except FolderInUse:
        return False
