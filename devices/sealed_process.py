"""The process that knows the hands: it alone reads dealers and deal folders, so that no other ever has a card in memory.

Run as `python -m devices.sealed_process` by `devices.sealed_feed`. Its first line of input says what to read; later lines
ask to open a deal; the end of its input ends it. What it prints is public: health, that a deal was sealed, that one was
opened. Neither errors nor core dumps of it show what it holds.
"""

from __future__ import annotations

import ctypes
import json
import resource
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from devices.deal_folder import DealFolder
from devices.dealer import Dealer
from devices.seal_format import Facts, SealError
from devices.seal_key import NeedsPassphrase, private_key, public_key
from devices.seal_opening import keep_opened, log_opening, open_deal, opened_hands
from devices.sealed import SealedStore
from devices.serial_link import DeviceLink

_LOOK_S: Final = 1.0
_NOT_DUMPABLE: Final = (4, 0)
"""prctl: PR_SET_DUMPABLE to none: no core dump, no other process of the same user looks into the memory."""


def main() -> int:
    """Serve until the input ends."""
    sys.excepthook = _silent
    threading.excepthook = lambda args: _silent(args.exc_type, args.exc_value, args.exc_traceback)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # Elsewhere than on Linux the memory is as safe as the user's other programs are.
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(*_NOT_DUMPABLE, 0, 0, 0)
    try:
        keeper = Keeper(json.loads(sys.stdin.readline()))
    except SealError as error:
        _say({"fault": dict(error.reason)})
        return 2
    keeper.start()
    for asked in _lines():
        keeper.open(str(asked["open"]), str(asked["policy"]))
    keeper.stop()
    return 0


class Keeper:
    """Reads the dealers, shufflers and deal folders of a table.

    Args:
        wanted: `folder` of the store, `key` (path of the private key), `packs`, `devices` (fields of `DeviceSetup`).

    Raises:
        SealError: the store or its public key cannot be used.
    """

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self._folder = Path(wanted["folder"])
        self._key = Path(wanted["key"])
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._links: list[tuple[DeviceLink, Dealer]] = []
        self._folders: list[DealFolder] = []
        store = SealedStore(self._folder, public_key(self._key))
        for fields in wanted["devices"]:
            device = DeviceSetup(**{**fields, "seats": tuple(fields["seats"])})
            if device.kind == "deal-folder":
                self._folders.append(DealFolder(device, store, wanted["packs"], _sealed, time.time))
            else:
                dealer = Dealer(device, store, wanted["packs"], _sealed)
                self._links.append((DeviceLink(device, dealer), dealer))
        self._thread = threading.Thread(target=self._look, name="folders and health", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        for link, _ in self._links:
            link.start()
        self._thread.start()

    def stop(self) -> None:
        """Let the ports go."""
        self._stopped.set()
        for link, _ in self._links:
            link.stop()

    def open(self, deal: str, policy: str) -> None:
        """Open a deal for the record, noted first; what goes wrong is told and changes nothing."""
        try:
            if opened_hands(self._folder, deal) is None:
                key = private_key(self._key)
                log_opening(self._folder, deal, at=time.time(), policy=policy)
                keep_opened(self._folder, deal, open_deal(self._folder, deal, key))
            _say({"opened": deal})
        except NeedsPassphrase:
            # As its owner wished.
            return
        except SealError as error:
            _say({"unopened": deal, "why": dict(error.reason)})

    def _look(self) -> None:
        while not self._stopped.is_set():
            for folder in self._folders:
                folder.look()
            health = [dealer.health(link.why, link.reopened) for link, dealer in self._links]
            health += [folder.health() for folder in self._folders]
            _say({"health": [one.to_json() for one in health]})
            self._stopped.wait(_LOOK_S)


def _sealed(facts: Facts) -> None:
    _say({"sealed": facts.deal})


_SAYING: Final = threading.Lock()


def _say(what: Mapping[str, Any]) -> None:
    with _SAYING:
        try:
            print(json.dumps(what), flush=True)
        except OSError:
            # Nobody listens any more: the end of the input follows.
            return


def _lines() -> Iterator[dict[str, Any]]:
    for line in sys.stdin:
        yield json.loads(line)


def _silent(kind: type[BaseException], _error: BaseException | None, trace: TracebackType | None) -> None:
    """A fault of the program, without its message and its values: they could hold a card."""
    where = ""
    while trace is not None:
        where = f"{Path(trace.tb_frame.f_code.co_filename).name}:{trace.tb_lineno}"
        trace = trace.tb_next
    print(f"sealed feed: {kind.__name__} at {where}; please report it", file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
