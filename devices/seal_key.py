"""The seal key: the public half closes the boxes of sealed deals, the private half opens them and never lies beside them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey

from devices.seal_format import SealError

VARIABLE: Final = "PAIZHUO_SEAL_KEY"
_NAME: Final = Path("paizhuo") / "seal.key"


class NeedsPassphrase(SealError):
    """The key opens by hand only."""


def key_path(environment: Mapping[str, str]) -> Path:
    """Where the private key of this machine is: `$PAIZHUO_SEAL_KEY`, else `seal.key` in the user's settings."""
    if environment.get(VARIABLE):
        return Path(environment[VARIABLE])
    settings = environment.get("XDG_CONFIG_HOME")
    return (Path(settings) if settings else Path.home() / ".config") / _NAME


def check_apart(key: Path, data: Path) -> None:
    """The key does not lie in the folder that it protects.

    Raises:
        SealError: it does.
    """
    if key.resolve().is_relative_to(data.resolve()):
        raise SealError("key_in_data", path=key, variable=VARIABLE)


def make_key(path: Path, passphrase: str = "") -> X25519PublicKey:
    """A new pair of keys: the private one at `path`, the public one beside it with `.pub`.

    Args:
        path: of the private key.
        passphrase: without which it cannot be read; empty for none.

    Raises:
        SealError: there is one already, or it cannot be written.
    """
    key = X25519PrivateKey.generate()
    guard: serialization.KeySerializationEncryption = serialization.NoEncryption()
    if passphrase:
        guard = serialization.BestAvailableEncryption(passphrase.encode())
    secret = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, guard)
    public = key.public_key().public_bytes(
        serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    )
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        for place, data in ((path, secret), (_public_path(path), public)):
            descriptor = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(descriptor, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
    except FileExistsError:
        raise SealError("key_there", path=path) from None
    except OSError as error:
        raise SealError("key_unwritten", path=path, error=error.strerror, variable=VARIABLE) from None
    return key.public_key()


def public_key(path: Path) -> X25519PublicKey:
    """The public key; a pair is made where there is none.

    Raises:
        SealError: it cannot be read.
    """
    place = _public_path(path)
    if not path.exists() and not place.exists():
        return make_key(path)
    try:
        found = serialization.load_pem_public_key(place.read_bytes())
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "PEM"
        raise SealError("public_unreadable", path=place, error=why) from None
    if not isinstance(found, X25519PublicKey):
        raise SealError("key_other_kind", path=place)
    return found


def private_key(path: Path, passphrase: str = "") -> X25519PrivateKey:
    """The private key.

    Raises:
        SealError: it is not there, others may read it, or the passphrase is needed or wrong.
    """
    try:
        if path.stat().st_mode & 0o077:
            raise SealError("key_open", path=path)
        data = path.read_bytes()
    except OSError as error:
        raise SealError("key_unreadable", path=path, error=error.strerror) from None
    try:
        found = serialization.load_pem_private_key(data, passphrase.encode() if passphrase else None)
    except TypeError:
        raise NeedsPassphrase("key_passphrase", path=path) from None
    except ValueError:
        raise SealError("key_wrong_passphrase", path=path) from None
    if not isinstance(found, X25519PrivateKey):
        raise SealError("key_other_kind", path=path)
    return found


def _public_path(path: Path) -> Path:
    return path.with_suffix(".pub")
