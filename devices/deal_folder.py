"""A folder into which dealing software writes deals as text: each is sealed as soon as it is there as a whole.

The format is close to PBN (docs/serial-protocol.md, "Deals as files"): tags in brackets, one `[Board "…"]` and one
`[Deal "SEAT:hand hand hand hand"]` for each deal, hands as `spades.hearts.diamonds.clubs.jokers` with one letter a card,
`[Kitty "…"]` where there is one.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from devices.health import DeviceHealth
from devices.seal_format import KITTY, Facts, SealError, facts_of
from devices.sealed import SealedStore
from devices.words import NOTHING, Words, words
from table.cards import full_packs

ENDINGS: Final = (".pbn", ".deal")
_TAG: Final = re.compile(r'\[\s*(\w+)\s+"([^"]*)"\s*\]')
_SUITS: Final = "SHDC"
_RANKS: Final = "23456789TJQKA"
_JOKERS: Final = {"L": "LJ", "B": "BJ"}
_PATIENT: Final = 15
"""After so many looks at a file that does not become whole somebody is told."""


class NotADeal(ValueError):
    """Text that is no deal, or not yet; one line that names no card."""


@dataclass(frozen=True, slots=True, repr=False)
class FileDeal:
    """A deal of a file: its board's name, and the cards of each place. Its text shows no card."""

    board: str
    hands: dict[str, tuple[str, ...]]

    def __repr__(self) -> str:
        return f"FileDeal({self.board!r})"


def parse_deals(text: str, packs: int) -> list[FileDeal]:
    """All deals of a file, in order.

    Args:
        text: of the file.
        packs: in play; each deal must be exactly these.

    Raises:
        NotADeal: a deal is not whole, or is written in another way; no card is named.
    """
    deals: list[FileDeal] = []
    board: str | None = None
    hands: dict[str, tuple[str, ...]] = {}
    for line in text.splitlines():
        tag = _TAG.match(line.strip())
        if tag is None:
            if line.lstrip().startswith("["):
                raise NotADeal("a line that is not whole")
            continue
        name, value = tag.groups()
        if name == "Board":
            if board is not None:
                deals.append(_closed(board, hands, packs))
            board, hands = value.strip(), {}
        elif name in ("Deal", "Kitty") and board is None:
            raise NotADeal("each deal needs a [Board] before it")
        elif name == "Deal" and board is not None:
            if any(place != KITTY for place in hands):
                raise NotADeal(f"board {board}: two deals; each needs a [Board] of its own")
            hands |= _hands(board, value)
        elif name == "Kitty" and board is not None:
            hands[KITTY] = _hand(board, value)
    if board is None:
        raise NotADeal("no [Board] in it")
    return [*deals, _closed(board, hands, packs)]


def _closed(board: str, hands: dict[str, tuple[str, ...]], packs: int) -> FileDeal:
    every = Counter(card for cards in hands.values() for card in cards)
    if every != Counter({str(card): count for card, count in full_packs(packs).items()}):
        raise NotADeal(f"board {board}: {every.total()} cards that are not the {packs} packs in play")
    return FileDeal(board, hands)


def _hands(board: str, value: str) -> dict[str, tuple[str, ...]]:
    first, colon, rest = value.partition(":")
    hands = rest.split()
    if not colon or first not in ("0", "1", "2", "3") or len(hands) != 4:
        raise NotADeal(f'board {board}: a deal is written as "SEAT:hand hand hand hand", SEAT 0 to 3')
    return {str((int(first) + i) % 4): _hand(board, hand) for i, hand in enumerate(hands)}


def _hand(board: str, hand: str) -> tuple[str, ...]:
    parts = hand.upper().split(".")
    jokers = parts[4] if len(parts) == 5 else ""
    good = len(parts) in (4, 5) and all(rank in _RANKS for part in parts[:4] for rank in part)
    if not good or any(letter not in _JOKERS for letter in jokers):
        raise NotADeal(f"board {board}: a hand is spades.hearts.diamonds.clubs.jokers, one letter a card")
    cards = [
        suit + ("10" if rank == "T" else rank)
        for suit, part in zip(_SUITS, parts[:4], strict=True)
        for rank in part
    ]
    return (*cards, *(_JOKERS[letter] for letter in jokers))


class DealFolder:
    """Looks into the folder and seals what is new. A file is read once it has stopped growing and is whole.

    Sealed files are overwritten and removed: what lies open on the disk is no secret. With `keep` among the options they
    stay, and whoever can read the folder knows the hands.

    Args:
        device: as the setup file names it; its port is the folder.
        store: where the deals are sealed.
        packs: in play.
        sealed: called when a deal is sealed.
        wall: Unix time, s.
    """

    def __init__(
        self,
        device: DeviceSetup,
        store: SealedStore,
        packs: int,
        sealed: Callable[[Facts], None],
        wall: Callable[[], float],
    ) -> None:
        self._device = device
        self._folder = Path(device.port)
        self._store = store
        self._packs = packs
        self._sealed = sealed
        self._wall = wall
        self._keep = bool(device.options.get("keep", False))
        self._seen: dict[str, tuple[int, int]] = {}
        self._looks: Counter[str] = Counter()
        self._done: set[tuple[str, int, int]] = set()
        self._why: Words = NOTHING
        self._count = 0

    def look(self) -> None:
        """Look once; about once a second is right."""
        try:
            files = sorted(path for path in self._folder.iterdir() if path.suffix.lower() in ENDINGS)
        except OSError as error:
            self._why = words("folder_gone", folder=self._folder, error=error.strerror)
            return
        self._why = NOTHING
        for path in files:
            try:
                self._look_at(path)
            except OSError as error:
                self._why = words("file_fault", file=path, error=error.strerror)
            except SealError as error:
                self._why = words("sealed_fault", error=error.reason)
        self._looks = Counter(
            {path.name: self._looks[path.name] for path in files if path.name in self._looks}
        )

    def health(self) -> DeviceHealth:
        """How it does."""
        progress: dict[str, Any] = {"state": "watching", "deals": self._count}
        device = self._device
        return DeviceHealth(
            device.name, device.kind, reason=self._why, port=str(self._folder), progress=progress
        )

    def _look_at(self, path: Path) -> None:
        stat = path.stat()
        state = (stat.st_size, stat.st_mtime_ns)
        if (path.name, *state) in self._done:
            return
        if self._seen.get(path.name) != state:
            self._seen[path.name] = state
            return
        try:
            deals = parse_deals(path.read_text("utf-8", "replace"), self._packs)
        except NotADeal as error:
            self._looks[path.name] += 1
            if self._looks[path.name] >= _PATIENT:
                self._why = words("file_not_whole", file=path.name, error=error)
            return
        known = facts_of(self._store.folder)
        names = {one.label for one in known if one.device == self._device.name and one.state == "sealed"}
        for number, deal in enumerate(deals):
            # The label tells which deals of the file were sealed before the program was interrupted.
            mark = f"{path.name} {stat.st_mtime_ns} {number}"
            label = f"{deal.board}@{mark}"
            if label not in names:
                self._seal(deal, label)
        if self._keep:
            self._done.add((path.name, *state))
        elif (now := path.stat()) and (now.st_size, now.st_mtime_ns) == state:
            _wipe(path, stat.st_size)
        self._looks.pop(path.name, None)

    def _seal(self, deal: FileDeal, label: str) -> None:
        sealing = self._store.begin(
            label=label,
            device=self._device.name,
            reveal=str(self._device.options.get("reveal", "after_deal")),
            begun=self._wall(),
        )
        for place, cards in deal.hands.items():
            for card in cards:
                sealing.add(place, card)
        counts = {place: len(cards) for place, cards in deal.hands.items()}
        facts = sealing.finish(counts, self._packs)
        self._count += 1
        self._sealed(facts)


def board_of(label: str) -> str:
    """The board's name in the label of a deal that came as a file."""
    return label.partition("@")[0]


def _wipe(path: Path, size: int) -> None:
    """Overwrite a file and remove it; what a file system keeps elsewhere (snapshots, journals) is out of reach."""
    with path.open("r+b") as file:
        file.write(b" " * size)
        file.flush()
        os.fsync(file.fileno())
    path.unlink()
