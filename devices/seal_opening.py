"""Opens sealed deals: every card verified against what bound it, every opening noted before it happens."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from devices.seal_format import (
    OpenedHand,
    SealError,
    box_key,
    card_commitment,
    commitment_of,
    fingerprint,
    private,
    whole_lines,
)

LOG: Final = "openings.jsonl"


def open_deal(folder: Path, deal: str, key: X25519PrivateKey) -> dict[str, OpenedHand]:
    """The hands of a sealed deal by place, each verified against what bound it. Log the opening first.

    Raises:
        SealError: no such deal, another key, or a file that was changed; one line.
    """
    path = folder / f"deal-{deal}.sealed"
    if not path.is_file():
        raise SealError("no_deal", folder=folder, deal=deal)
    recipient = key.public_key()
    cards: dict[str, list[str]] = {}
    openings: dict[str, list[str]] = {}
    ends: dict[str, Any] = {}
    boxes: AESGCM | None = None
    for line in whole_lines(path):
        if "sealed" in line and line.get("key") != fingerprint(recipient):
            raise SealError("other_key", deal=deal, sealed=line.get("key"), this=fingerprint(recipient))
        if "segment" in line:
            public = base64.b64decode(line["segment"])
            secret = key.exchange(X25519PublicKey.from_public_bytes(public))
            boxes = box_key(secret, public, recipient.public_bytes_raw())
        elif "i" in line and boxes is not None:
            box = base64.b64decode(line["box"])
            try:
                plain = boxes.decrypt(box[:12], box[12:], f"{deal}|{line['i']}|{line['to']}".encode())
            except InvalidTag:
                raise SealError("card_changed", path=path, card=line["i"]) from None
            salt, face = plain[:16], plain[16:].decode().strip()
            if card_commitment(deal, line["i"], line["to"], salt, face) != line["bound"]:
                raise SealError("card_not_bound", path=path, card=line["i"])
            cards.setdefault(line["to"], []).append(face)
            openings.setdefault(line["to"], []).append(f"{line['i']}:{salt.hex()}")
        elif "end" in line:
            ends = line
    hands = {place: OpenedHand(tuple(faces), ",".join(openings[place])) for place, faces in cards.items()}
    for place, (_, commitment) in ends.get("hands", {}).items():
        if place not in hands or commitment_of(deal, place, hands[place]) != commitment:
            raise SealError("hand_not_bound", path=path, place=place)
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
        with open(folder / LOG, "ab", opener=private) as file:
            file.write(json.dumps(line, ensure_ascii=False).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except OSError as error:
        raise SealError("not_noted", path=folder / LOG, error=error.strerror) from None


def openings(folder: Path) -> list[dict[str, Any]]:
    """All openings so far, oldest first."""
    return list(whole_lines(folder / LOG))


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
        with open(path.with_suffix(".new"), "wb", opener=private) as file:
            file.write(json.dumps(body).encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())
        path.with_suffix(".new").replace(path)
    except OSError as error:
        raise SealError("cannot_write", path=path, error=error.strerror) from None


def opened_hands(folder: Path, deal: str) -> dict[str, OpenedHand] | None:
    """The hands of a deal that was opened for the record; None of one that was not."""
    for body in whole_lines(folder / f"deal-{deal}.opened"):
        return {
            place: OpenedHand(tuple(cards.split()), opening)
            for place, (cards, opening) in body["hands"].items()
        }
    return None


def format_hand(hand: OpenedHand) -> str:
    """The cards of a hand in the order in which they were dealt."""
    return " ".join(hand.cards)
