"""Dealers and shufflers: what they do is told to everybody, which cards they deal only to the sealed store."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, Final

from calibration.device_setup import DeviceSetup
from devices.health import DeviceHealth
from devices.protocol import NotALine, Said
from devices.seal_format import KITTY, UNREAD, CannotSeal, Facts, SealError, facts_of
from devices.sealed import SealedDeal, SealedStore
from devices.talk import CannotKeep, DeviceTalk
from devices.words import NOTHING, Words, words

MOST_CARDS: Final = 216
"""Four packs."""
Sealed = Callable[[Facts], None]
"""Takes what is public of a deal that was closed."""


class Dealer(DeviceTalk):
    """The conversation with one dealer or shuffler.

    Args:
        device: as the setup file names it.
        store: where its deals are sealed.
        packs: in play.
        sealed: called when a deal is closed.
        wall: Unix time, s.
        clock: seconds of a clock that only runs forward.
    """

    def __init__(
        self,
        device: DeviceSetup,
        store: SealedStore,
        packs: int,
        sealed: Sealed,
        wall: Callable[[], float] = time.time,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(device, self._told, clock, clock)
        self._store = store
        self._packs = packs
        self._sealed = sealed
        self._wall = wall
        self._deal: SealedDeal | None = store.unfinished(device.name)
        self._fault: Words = NOTHING
        self._broken: Words = NOTHING
        self._progress: dict[str, Any] = {"state": "idle", "cards": 0}

    def health(self, link_why: Words, reopened: int) -> DeviceHealth:
        """How it does: what it says is wrong with it stands behind what is wrong with its link."""
        found = super().health(link_why, reopened)
        found.reason = found.reason or self._fault or self._broken
        found.progress = dict(self._progress)
        return found

    def keep(self, said: list[Said], now: float | None) -> None:
        """Cards go to the sealed store, on disk, first."""
        try:
            for one in said:
                try:
                    self._take(one)
                except NotALine:
                    self.receiver.counts.odd += 1
            if self._deal is not None:
                self._deal.sync()
        except SealError as error:
            raise CannotKeep("sealed_fault", error=error.reason) from None

    def _told(self, serial: str, boot: str) -> int | None:
        """The last line that is in a sealed deal."""
        lines = [
            facts.told[2]
            for facts in facts_of(self._store.folder)
            if facts.told is not None and facts.told[:2] == (serial, boot)
        ]
        return max(lines, default=None)

    def _take(self, said: Said) -> None:
        match said.word:
            case "SHUFFLE_START":
                self._progress = {"state": "shuffling", "cards": 0}
            case "SHUFFLE":
                self._progress = {"state": "shuffling", "percent": said.whole(0, 0, 100)}
            case "SHUFFLE_DONE":
                self._progress = {"state": "shuffled", "cards": said.whole(0, 0, MOST_CARDS)}
            case "DEAL_START":
                self._begin(said)
            case "CARD":
                self._card(said)
            case "DEAL_DONE":
                self._end(said)
            case "DEAL_VOID":
                self._drop("the dealer gave the deal up", said)
            case "JAM" | "ERROR":
                self._fault = words(said.word.lower(), code=said.whole(0, 0, 999))
            case "CLEARED":
                self._fault = NOTHING

    def _begin(self, said: Said) -> None:
        total = said.whole(0, 1, MOST_CARDS)
        label = said.words[1] if len(said.words) > 1 else ""
        self._drop("cards were dealt anew", said)
        hello = self.receiver.hello
        assert hello is not None
        self._broken = NOTHING
        self._deal = self._store.begin(
            label=label[:24],
            device=self.device.name,
            reveal=str(self.device.options.get("reveal", "after_deal")),
            begun=self._wall(),
            told=(hello.serial, hello.boot, said.number),
        )
        self._progress = {"state": "dealing", "cards": 0, "of": total}

    def _card(self, said: Said) -> None:
        index = said.whole(0, 1, MOST_CARDS)
        if self._deal is None:
            self._broken = self._broken or words("no_deal_begun")
            return
        known = self._deal.facts.cards
        if index <= known:
            return
        if index > known + 1:
            self._broken = words("cards_missing", first=known + 1, last=index - 1)
            self._drop("cards are missing", said)
            return
        place = said.words[1] if len(said.words) > 1 else ""
        face = said.words[2] if len(said.words) > 2 else UNREAD
        if place in ("0", "1", "2", "3") and self.device.seats:
            place = str(self.device.seats[int(place)])
        elif place not in ("0", "1", "2", "3", KITTY):
            raise NotALine("CARD: no place of that name")
        try:
            self._deal.add(place, face, said.number)
        except CannotSeal:
            raise
        except SealError:
            self._broken = words("bad_face")
            self._drop("a card's name was not understood", said)
            return
        self._progress = {**self._progress, "state": "dealing", "cards": index}

    def _end(self, said: Said) -> None:
        counts = [said.whole(place, 0, MOST_CARDS) for place in range(min(len(said.words), 5))]
        if len(counts) < 4:
            raise NotALine("DEAL_DONE needs how many cards each of the four places got")
        if self._deal is None:
            return
        seats = self.device.seats or (0, 1, 2, 3)
        given = {str(seat): count for seat, count in zip(seats, counts, strict=False)}
        given[KITTY] = counts[4] if len(counts) > 4 else 0
        facts = self._deal.finish(given, self._packs, said.number)
        self._deal = None
        if facts.check == "wrong":
            self._broken = words("wrong_deal")
        self._progress = {"state": "dealt", "cards": facts.cards, "check": facts.check}
        self._sealed(facts)

    def _drop(self, why: str, said: Said) -> None:
        if self._deal is not None:
            deal, self._deal = self._deal, None
            deal.void(why, said.number)
            self._progress = {"state": "void", "cards": 0}
