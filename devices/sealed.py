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
import hashlib
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from table.cards import BadCard, Card, format_cards, full_packs

FORMAT: Final = 1
KITTY: Final = "K"
PLACES: Final = ("0", "1", "2", "3", KITTY)
UNREAD: Final = "?"
"""The face of a card that the dealer could not read."""
LOG: Final = "openings.jsonl"
_INFO: Final = b"paizhuo sealed deal 1"
_FACE: Final = 4
"""Every face takes as many bytes: the length of a box says nothing."""


class SealError(Exception):
    """A sealed deal that cannot be written, read or opened; one line, without any card in it."""


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
    return hashlib.sha256(head + salt + _padded(face)).hexdigest()


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
        raise SealError(
            f"deal {deal}: the opening of hand {place} is for {len(parts)} cards, not {len(hand.cards)}"
        )
    for part, face in zip(parts, hand.cards, strict=True):
        index, _, salt = part.partition(":")
        try:
            bound.append(card_commitment(deal, int(index), place, bytes.fromhex(salt), face))
        except ValueError:
            raise SealError(f"deal {deal}: the opening of hand {place} cannot be read") from None
    return hand_commitment(deal, place, bound)


def _padded(face: str) -> bytes:
    return face.encode("ascii").ljust(_FACE)


def _box_key(secret: bytes, ephemeral: bytes, recipient: bytes) -> AESGCM:
    derived = HKDF(hashes.SHA256(), 32, salt=None, info=_INFO + ephemeral + recipient).derive(secret)
    return AESGCM(derived)


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
        self._key = _box_key(ephemeral.exchange(recipient), public, recipient.public_bytes_raw())
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
            raise SealError(f"deal {self.facts.deal}: no place of that name")
        face = _face(face, self.facts.deal)
        index = self.facts.cards + 1
        salt, nonce = secrets.token_bytes(16), secrets.token_bytes(12)
        commitment = card_commitment(self.facts.deal, index, place, salt, face)
        about = f"{self.facts.deal}|{index}|{place}".encode()
        box = self._key.encrypt(nonce, salt + _padded(face), about)
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
            raise CannotSeal(f"{self._path}: {error.strerror}; free some space") from None

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
            raise CannotSeal(f"{self._path}: {error.strerror}; free some space") from None


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
            raise SealError(f"{folder}: {error.strerror}") from None

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
        number = 1 + max((int(path.stem.split("-")[1]) for path in _files(self.folder)), default=0)
        facts = Facts(f"{number:04}-{secrets.token_hex(4)}", label, device, reveal, begun, told=told)
        return SealedDeal(self._path(facts.deal), self._recipient, facts)

    def unfinished(self, device: str) -> SealedDeal | None:
        """The deal of a feed that was being dealt when the program ended, to go on with; None where none was."""
        for facts in reversed(facts_of(self.folder)):
            if facts.device == device and facts.state == "dealing":
                path = self._path(facts.deal)
                bound = [(line["to"], line["bound"]) for line in _lines(path) if "i" in line]
                _cut_torn_end(path)
                return SealedDeal(path, self._recipient, facts, bound)
        return None

    def _path(self, deal: str) -> Path:
        return self.folder / f"deal-{deal}.sealed"


def facts_of(folder: Path) -> list[Facts]:
    """What is public of all deals in a folder, oldest first."""
    found = []
    for path in _files(folder):
        facts: Facts | None = None
        for line in _lines(path):
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


def open_deal(folder: Path, deal: str, key: X25519PrivateKey) -> dict[str, OpenedHand]:
    """The hands of a sealed deal by place, each verified against what bound it. Log the opening first.

    Raises:
        SealError: no such deal, another key, or a file that was changed; one line.
    """
    path = folder / f"deal-{deal}.sealed"
    if not path.is_file():
        raise SealError(f"{folder}: no sealed deal {deal}; `paizhuo sealed list` names those that are there")
    recipient = key.public_key()
    cards: dict[str, list[str]] = {}
    openings: dict[str, list[str]] = {}
    ends: dict[str, Any] = {}
    box_key: AESGCM | None = None
    for line in _lines(path):
        if "sealed" in line and line.get("key") != fingerprint(recipient):
            raise SealError(
                f"deal {deal}: sealed with key {line.get('key')}, this is {fingerprint(recipient)}; use that one"
            )
        if "segment" in line:
            public = base64.b64decode(line["segment"])
            secret = key.exchange(X25519PublicKey.from_public_bytes(public))
            box_key = _box_key(secret, public, recipient.public_bytes_raw())
        elif "i" in line and box_key is not None:
            box = base64.b64decode(line["box"])
            try:
                plain = box_key.decrypt(box[:12], box[12:], f"{deal}|{line['i']}|{line['to']}".encode())
            except InvalidTag:
                raise SealError(f"{path}: card {line['i']} was changed after it was sealed") from None
            salt, face = plain[:16], plain[16:].decode().strip()
            if card_commitment(deal, line["i"], line["to"], salt, face) != line["bound"]:
                raise SealError(f"{path}: card {line['i']} is not the one that was bound")
            cards.setdefault(line["to"], []).append(face)
            openings.setdefault(line["to"], []).append(f"{line['i']}:{salt.hex()}")
        elif "end" in line:
            ends = line
    hands = {place: OpenedHand(tuple(faces), ",".join(openings[place])) for place, faces in cards.items()}
    for place, (_, commitment) in ends.get("hands", {}).items():
        if place not in hands or commitment_of(deal, place, hands[place]) != commitment:
            raise SealError(f"{path}: hand {place} is not the one that was bound when it was dealt")
    return hands


def log_opening(folder: Path, deal: str, *, at: float, policy: str, by: str = "", why: str = "") -> None:
    """Note on disk that a deal is opened, before it is.

    Args:
        folder: of the store.
        deal: which.
        at: Unix time, s.
        policy: what allows it.
        by: who opens it; `why`: the reason that he gives.

    Raises:
        SealError: it cannot be noted: then nothing may be opened.
    """
    line = {"at": round(at, 3), "deal": deal, "policy": policy, "by": by, "why": why}
    try:
        with open(folder / LOG, "ab", opener=_private) as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SealError(f"{folder / LOG}: {error.strerror}: what cannot be noted is not opened") from None


def openings(folder: Path) -> list[dict[str, Any]]:
    """All openings so far, oldest first."""
    return list(_lines(folder / LOG))


def keep_opened(folder: Path, deal: str, hands: Mapping[str, OpenedHand]) -> None:
    """Put opened hands beside the sealed ones, for the record: from now on they are no secret.

    Raises:
        SealError: they cannot be written.
    """
    body = {
        "deal": deal,
        "hands": {place: [format_hand(hand), hand.opening] for place, hand in hands.items()},
    }
    path = folder / f"deal-{deal}.opened"
    try:
        with open(path.with_suffix(".new"), "wb", opener=_private) as file:
            file.write(json.dumps(body).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        path.with_suffix(".new").replace(path)
    except OSError as error:
        raise SealError(f"{path}: {error.strerror}; free some space") from None


def opened_hands(folder: Path, deal: str) -> dict[str, OpenedHand] | None:
    """The hands of a deal that was opened for the record; None of one that was not."""
    for body in _lines(folder / f"deal-{deal}.opened"):
        return {
            place: OpenedHand(tuple(cards.split()), opening)
            for place, (cards, opening) in body["hands"].items()
        }
    return None


def format_hand(hand: OpenedHand) -> str:
    """The cards of a hand in the order in which they were dealt."""
    return " ".join(hand.cards)


def fingerprint(key: X25519PublicKey) -> str:
    """A short name of a public key."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:12]


def _face(face: str, deal: str) -> str:
    if face == UNREAD:
        return face
    try:
        return format_cards([Card.parse(face)])
    except BadCard:
        # The word stays untold: it may be most of a card's name.
        raise SealError(
            f"deal {deal}: a card whose name is none; check what the feed calls its cards"
        ) from None


def _files(folder: Path) -> list[Path]:
    return sorted(folder.glob("deal-*.sealed"))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
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


def _cut_torn_end(path: Path) -> None:
    data = path.read_bytes()
    if not data.endswith(b"\n"):
        os.truncate(path, data.rfind(b"\n") + 1)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
