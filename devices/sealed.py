"""The sealed store: hands that a dealer knows, bound by hashes when they are dealt, readable only with a key kept elsewhere.

One file a deal, `deal-ID.sealed`, JSON lines, each on disk before the dealer is told that the card was taken. Every card
is in a box (AES-256-GCM) that was closed with a key which only the holder of the private seal key can make again
(X25519, HKDF-SHA256): whoever writes the file cannot read it back, and a copy of the folder reveals who got how many
cards and in which order, but no face. Beside each box stands the hash that binds the card: of the deal, the card's
number, the place, a salt of 16 random bytes and the face. A hand's commitment is the hash over those of its cards.
"""

from __future__ import annotations

import base64
import errno
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any

from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from devices.seal_format import (
    FORMAT,
    PLACES,
    UNREAD,
    Bound,
    CannotSeal,
    Facts,
    SealError,
    box_key,
    card_commitment,
    deal_files,
    facts_of,
    fingerprint,
    hand_commitment,
    padded,
    whole_lines,
)
from table.cards import BadCard, Card, format_cards, full_packs


class SealedDeal:
    """A deal that is being written. Its text shows no card.

    Args:
        path: of its file.
        recipient: public seal key.
        facts: what is public so far.
        bound: place and hash of each card that the file holds already (a deal that goes on after a restart).
    """

    def __init__(
        self, path: Path, recipient: X25519PublicKey, facts: Facts, bound: Iterable[tuple[str, str]] = ()
    ) -> None:
        self.facts = facts
        self._bound = list(bound)
        self._resumed = bool(self._bound)
        self._faces: Counter[str] = Counter()
        new = not path.exists()
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT
        self._file: IO[bytes] = os.fdopen(os.open(path, flags, 0o600), "ab", buffering=0)
        self._path = path
        if new:
            self._write({
                "sealed": FORMAT, "deal": facts.deal, "label": facts.label, "device": facts.device,
                "reveal": facts.reveal, "begun": facts.begun, "key": fingerprint(recipient), "told": facts.told,
            })  # fmt: skip
        ephemeral = X25519PrivateKey.generate()
        public = ephemeral.public_key().public_bytes_raw()
        # Only the key that closes boxes stays in memory, and only while cards are dealt.
        self._key = box_key(ephemeral.exchange(recipient), public, recipient.public_bytes_raw())
        self._write({"segment": base64.b64encode(public).decode()})
        self.sync()
        if new:
            _sync_folder(path.parent)

    def __repr__(self) -> str:
        return f"SealedDeal({self.facts.deal}, {self.facts.cards} cards)"

    def add(self, place: str, face: str, line: int = 0) -> None:
        """The next card. It is on disk once `sync` has returned.

        Args:
            place: `0` to `3`, `K` for the kitty.
            face: a card's name, or `?`.
            line: number of the device's line.

        Raises:
            SealError: no such place or card, or it cannot be written (the file is as it was before).
        """
        if place not in PLACES:
            raise SealError("no_place", deal=self.facts.deal)
        face = _face(face, self.facts.deal)
        index = self.facts.cards + 1
        salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
        commitment = card_commitment(self.facts.deal, index, place, salt, face)
        about = f"{self.facts.deal}|{index}|{place}".encode()
        box = self._key.encrypt(nonce, salt + padded(face), about)
        closed = base64.b64encode(nonce + box).decode()
        self._write({"i": index, "to": place, "line": line, "bound": commitment, "box": closed})
        self._tell(line)
        self.facts.cards = index
        self._bound.append((place, commitment))
        self._faces[face] += 1

    def sync(self) -> None:
        """Have on disk what was added.

        Raises:
            SealError: it is not.
        """
        try:
            os.fsync(self._file.fileno())
        except OSError as error:
            raise CannotSeal("cannot_write", path=self._path, error=error.strerror) from None

    def finish(self, counts: Mapping[str, int], packs: int, line: int = 0) -> Facts:
        """All cards are dealt.

        Args:
            counts: how many the feed says that each place got.
            packs: how many packs are in play.
            line: number of the device's line.

        Returns:
            What is public from now on.
        """
        hands = {}
        for place in PLACES:
            cards = [commitment for whose, commitment in self._bound if whose == place]
            if cards:
                hands[place] = Bound(len(cards), hand_commitment(self.facts.deal, place, cards))
        told = {place: count for place, count in counts.items() if count}
        check = "wrong"
        if told == {place: hand.count for place, hand in hands.items()} and self.facts.cards == 54 * packs:
            unread = self._resumed or self._faces[UNREAD]
            whole = Counter({str(card): count for card, count in full_packs(packs).items()}) == self._faces
            check = "counted" if unread else "whole" if whole else "wrong"
        self._faces.clear()
        shown = {place: [hand.count, hand.commitment] for place, hand in hands.items()}
        self._write({"end": "sealed", "line": line, "hands": shown, "check": check})
        self._tell(line)
        self.sync()
        self._file.close()
        self.facts.hands, self.facts.state, self.facts.check = hands, "sealed", check
        return self.facts

    def void(self, why: str, line: int = 0) -> Facts:
        """The deal is not finished: cards are dealt anew."""
        self._faces.clear()
        self._write({"end": "void", "line": line, "why": why})
        self._tell(line)
        self.sync()
        self._file.close()
        self.facts.state = "void"
        return self.facts

    def _tell(self, line: int) -> None:
        if self.facts.told is not None and line:
            self.facts.told = (*self.facts.told[:2], line)

    def _write(self, line: Mapping[str, Any]) -> None:
        """A line as a whole or not at all."""
        size = os.fstat(self._file.fileno()).st_size
        data = json.dumps(line).encode() + b"\n"
        try:
            if self._file.write(data) != len(data):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        except OSError as error:
            os.ftruncate(self._file.fileno(), size)
            raise CannotSeal("cannot_write", path=self._path, error=error.strerror) from None


class SealedStore:
    """The sealed deals of one table.

    Args:
        folder: where their files are; made when it does not exist.
        recipient: the public seal key.

    Raises:
        SealError: the folder cannot be used.
    """

    def __init__(self, folder: Path, recipient: X25519PublicKey) -> None:
        self.folder = folder
        self._recipient = recipient
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            raise SealError("folder", path=folder, error=error.strerror) from None

    def begin(
        self,
        *,
        label: str,
        device: str,
        reveal: str,
        begun: float,
        told: tuple[str, str, int] | None = None,
    ) -> SealedDeal:
        """A deal begins; see `Facts`."""
        number = 1 + max((int(path.stem.split("-")[1]) for path in deal_files(self.folder)), default=0)
        facts = Facts(f"{number:04}-{secrets.token_hex(4)}", label, device, reveal, begun, told=told)
        return SealedDeal(self._path(facts.deal), self._recipient, facts)

    def unfinished(self, device: str) -> SealedDeal | None:
        """The deal of a feed that was being dealt when the program ended, to go on with; None where none was."""
        for facts in reversed(facts_of(self.folder)):
            if facts.device == device and facts.state == "dealing":
                path = self._path(facts.deal)
                bound = [(line["to"], line["bound"]) for line in whole_lines(path) if "i" in line]
                _cut_torn_end(path)
                return SealedDeal(path, self._recipient, facts, bound)
        return None

    def _path(self, deal: str) -> Path:
        return self.folder / f"deal-{deal}.sealed"


def _face(face: str, deal: str) -> str:
    if face == UNREAD:
        return face
    try:
        return format_cards([Card.parse(face)])
    except BadCard:
        # The word stays untold: it may be most of a card's name.
        raise SealError("no_card", deal=deal) from None


def _cut_torn_end(path: Path) -> None:
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
