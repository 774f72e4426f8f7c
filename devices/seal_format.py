"""The form of sealed deals: what binds a card and a hand, what is public, how a box is closed.

A card's hash is of the deal, the card's number, the place, a salt of 16 random bytes and the face; a hand's commitment is
the hash over those of its cards in the order in which they were dealt.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from devices.words import Words
from table.texts import both

FORMAT: Final = 1
KITTY: Final = "K"
PLACES: Final = ("0", "1", "2", "3", KITTY)
UNREAD: Final = "?"
"""The face of a card that the dealer could not read."""
_INFO: Final = b"paizhuo sealed deal 1"
_FACE: Final = 4
"""Every face takes as many bytes: the length of a box says nothing."""


class SealError(Exception):
    """A sealed deal that cannot be written, read or opened; its text is the English line, without any card in it.

    Attributes:
        reason: the line in both languages.
    """

    def __init__(self, key: str, /, **fields: Any) -> None:
        self.reason: Words = both(f"sealed.{key}", **fields)
        super().__init__(self.reason["en"])


class CannotSeal(SealError):
    """Nothing can be written at the moment."""


@dataclass(frozen=True, slots=True)
class Bound:
    """What is public of one hand: how many cards, and the hash that binds them."""

    count: int
    commitment: str


@dataclass(slots=True)
class Facts:
    """What is public of a sealed deal.

    Attributes:
        deal: its name, unique.
        label: what the feed calls it (the board's number), or empty.
        device: which feed.
        reveal: its policy (`calibration.device_keys.REVEALS`).
        begun: Unix time, s.
        cards: so many are in the file.
        hands: by place (`0` to `3`, `K`); empty until the deal is closed.
        state: `dealing`, `sealed`, `void`.
        check: `whole` (exactly the packs in play), `counted` (the numbers are right, not every face is known),
            `wrong`.
        told: by which line of a device the latest of it was told: serial number, boot, number of the line.
    """

    deal: str
    label: str = ""
    device: str = ""
    reveal: str = "after_deal"
    begun: float = 0.0
    cards: int = 0
    hands: dict[str, Bound] = field(default_factory=dict)
    state: str = "dealing"
    check: str = ""
    told: tuple[str, str, int] | None = None


@dataclass(frozen=True, slots=True, repr=False)
class OpenedHand:
    """A hand as it was dealt, with what proves it. Its text does not show the cards."""

    cards: tuple[str, ...]
    opening: str

    def __repr__(self) -> str:
        return f"OpenedHand({len(self.cards)} cards)"


def card_commitment(deal: str, index: int, place: str, salt: bytes, face: str) -> str:
    """The hash that binds one card."""
    head = f"paizhuo card 1\n{deal}\n{index}\n{place}\n".encode()
    return hashlib.sha256(head + salt + padded(face)).hexdigest()


def hand_commitment(deal: str, place: str, cards: Iterable[str]) -> str:
    """The hash that binds a hand, given the hashes of its cards in the order in which they were dealt."""
    head = f"paizhuo hand 1\n{deal}\n{place}\n"
    return hashlib.sha256((head + "\n".join(cards)).encode()).hexdigest()


def commitment_of(deal: str, place: str, hand: OpenedHand) -> str:
    """The commitment that an opened hand must have had.

    Raises:
        SealError: its opening is none.
    """
    bound = []
    parts = hand.opening.split(",") if hand.opening else []
    if len(parts) != len(hand.cards):
        raise SealError("opening_counts", deal=deal, place=place, opened=len(parts), cards=len(hand.cards))
    for part, face in zip(parts, hand.cards, strict=True):
        index, _, salt = part.partition(":")
        try:
            bound.append(card_commitment(deal, int(index), place, bytes.fromhex(salt), face))
        except ValueError:
            raise SealError("opening_unreadable", deal=deal, place=place) from None
    return hand_commitment(deal, place, bound)


def padded(face: str) -> bytes:
    """A face, all of one length."""
    return face.encode("ascii").ljust(_FACE)


def box_key(secret: bytes, ephemeral: bytes, recipient: bytes) -> AESGCM:
    """The key of a segment's boxes, from the secret that the two halves of a key share."""
    derived = HKDF(hashes.SHA256(), 32, salt=None, info=_INFO + ephemeral + recipient).derive(secret)
    return AESGCM(derived)


def fingerprint(key: X25519PublicKey) -> str:
    """A short name of a public key."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:12]


def facts_of(folder: Path) -> list[Facts]:
    """What is public of all deals in a folder, oldest first."""
    found = []
    for path in deal_files(folder):
        facts: Facts | None = None
        for line in whole_lines(path):
            if "sealed" in line:
                facts = Facts(
                    str(line["deal"]), str(line["label"]), str(line["device"]), str(line["reveal"]),
                    float(line["begun"]),
                )  # fmt: skip
                facts.told = tuple(line["told"]) if line.get("told") else None
            elif facts is not None and "i" in line:
                facts.cards = int(line["i"])
            elif facts is not None and "end" in line:
                facts.state, facts.check = str(line["end"]), str(line.get("check", ""))
                facts.hands = {place: Bound(*hand) for place, hand in line.get("hands", {}).items()}
            if facts is not None and facts.told is not None and line.get("line"):
                facts.told = (*facts.told[:2], int(line["line"]))
        if facts is not None:
            found.append(facts)
    return found


def deal_files(folder: Path) -> list[Path]:
    """The files of sealed deals, oldest first."""
    return sorted(folder.glob("deal-*.sealed"))


def whole_lines(path: Path) -> Iterator[dict[str, Any]]:
    """The lines of a file that are whole: the last may be torn."""
    if not path.is_file():
        return
    for line in path.read_bytes().splitlines():
        try:
            body = json.loads(line)
        except ValueError:
            continue
        if isinstance(body, dict):
            yield body


def private(path: str, flags: int) -> int:
    """Opens a file that only its owner may read (for `open`)."""
    return os.open(path, flags, 0o600)
