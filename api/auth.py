"""Who may do what at a table: tokens that are stored hashed, the roles that they carry, and patience with wrong ones."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
import threading
import tomllib
from collections import OrderedDict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from api.outputs import BadPolicy, OutputPolicy

TOKENS: Final = "tokens.toml"
ROLES: Final = ("viewer", "operator", "referee", "overlay")
_MAY: Final = {
    "viewer": frozenset({"viewer"}),
    "operator": frozenset({"viewer", "operator"}),
    "referee": frozenset({"viewer", "referee"}),
    "overlay": frozenset({"overlay"}),
}
_TOKEN: Final = re.compile(r"pz_([a-z2-7]{8})_([A-Za-z0-9_-]{43})")


class BadTokens(ValueError):
    """The file of tokens cannot be used; one line."""


@dataclass(frozen=True, slots=True)
class Grant:
    """What somebody who showed a token may do.

    Attributes:
        role: of the token.
        name: of the person, or of the output of an overlay.
        id: of the token; empty without one.
        delay_ms: overlay: how much later than it happened everything is sent, ms.
        security_delay_s: overlay: the same against cheating, s.
        reveal: overlay: when hidden cards may be sent (`never`, `deal_over`, `delayed`).
    """

    role: str
    name: str = ""
    id: str = ""
    delay_ms: int = 0
    security_delay_s: float = 0.0
    reveal: str = "never"

    @property
    def may(self) -> frozenset[str]:
        """The roles that it stands for."""
        return _MAY.get(self.role, frozenset())

    def policy(self) -> OutputPolicy:
        """What its output may show, and how late.

        Raises:
            BadPolicy: it cannot be.
        """
        return OutputPolicy(self.name or self.id, self.delay_ms, self.security_delay_s, self.reveal)


@dataclass(frozen=True, slots=True)
class LocalGrant(Grant):
    """The local user of a table that nobody else can reach."""

    role: str = "referee"

    @property
    def may(self) -> frozenset[str]:
        """Everything but to be an overlay's output."""
        return _MAY["operator"] | _MAY["referee"]


@dataclass(frozen=True, slots=True)
class Stored:
    """A token as it is kept: its grant and the hash of its secret (SHA-256 of 32 random bytes: nothing to guess)."""

    grant: Grant
    digest: str


class Tokens:
    """The tokens of one table; the file is read again when it changes.

    Args:
        path: of the file, which need not exist.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._read_at: tuple[int, int] | None = None
        self._known: dict[str, Stored] = {}

    def __len__(self) -> int:
        with self._lock:
            self._reread()
            return len(self._known)

    def grant(self, token: str) -> Grant | None:
        """What a token grants; None for one that is not of this table.

        Raises:
            BadTokens: the file cannot be read.
        """
        match = _TOKEN.fullmatch(token)
        with self._lock:
            self._reread()
            stored = self._known.get(match[1]) if match else None
        if match is None or stored is None:
            return None
        return stored.grant if hmac.compare_digest(_digest(match[2]), stored.digest) else None

    def listed(self) -> list[Grant]:
        """All grants, without anything secret."""
        with self._lock:
            self._reread()
            return [stored.grant for stored in self._known.values()]

    def add(self, grant: Grant) -> str:
        """Make a token; it is shown once, here, and cannot be had again.

        Raises:
            BadTokens, OSError: the file cannot be read or written.
        """
        id_ = "".join(secrets.choice("abcdefghijklmnopqrstuvwxyz234567") for _ in range(8))
        secret = secrets.token_urlsafe(32)
        with self._lock:
            self._reread()
            self._known[id_] = Stored(replace(grant, id=id_), _digest(secret))
            self._write()
        return f"pz_{id_}_{secret}"

    def remove(self, id_: str) -> bool:
        """Take a token back by its id; whoever holds it is out at once."""
        with self._lock:
            self._reread()
            if self._known.pop(id_, None) is None:
                return False
            self._write()
            return True

    def _reread(self) -> None:
        try:
            found = self.path.stat()
        except FileNotFoundError:
            self._known, self._read_at = {}, None
            return
        except OSError as error:
            raise BadTokens(f"{self.path}: {error.strerror or error}") from None
        stamp = (found.st_mtime_ns, found.st_size)
        if stamp != self._read_at:
            self._known = {stored.grant.id: stored for stored in _parsed(self.path)}
            self._read_at = stamp

    def _write(self) -> None:
        lines = ["# Tokens of this table, hashed. `paizhuo token` adds and removes them.\n"]
        for stored in self._known.values():
            grant = stored.grant
            lines += [
                "\n[[token]]\n", f'id = "{grant.id}"\n', f'role = "{grant.role}"\n', f"name = {_toml(grant.name)}\n",
                f'sha256 = "{stored.digest}"\n',
            ]  # fmt: skip
            if grant.role == "overlay":
                lines += [
                    f"delay_ms = {grant.delay_ms}\n", f"security_delay_s = {grant.security_delay_s}\n",
                    f'reveal = "{grant.reveal}"\n',
                ]  # fmt: skip
        new = self.path.with_suffix(".new")
        new.touch(mode=0o600)
        new.write_text("".join(lines), encoding="utf-8")
        new.replace(self.path)
        found = self.path.stat()
        self._read_at = (found.st_mtime_ns, found.st_size)


class Patience:
    """How often one address may be wrong: after a few wrong tokens it waits, each time longer.

    Args:
        clock: seconds of a clock that only runs forward.
        free: wrong tries before it has to wait.
    """

    def __init__(self, clock: Callable[[], float], free: int = 5) -> None:
        self._clock = clock
        self._free = free
        self._wrong: OrderedDict[str, tuple[int, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, address: str) -> float:
        """Seconds until this address may try again; 0: now."""
        with self._lock:
            count, last = self._wrong.get(address, (0, 0.0))
        if count < self._free:
            return 0.0
        return max(0.0, last + min(2.0 ** (count - self._free), 300.0) - self._clock())

    def wrong(self, address: str) -> None:
        """Note a wrong try."""
        with self._lock:
            count, last = self._wrong.pop(address, (0, 0.0))
            forgiven = self._clock() - last > 900.0
            self._wrong[address] = (1 if forgiven else count + 1, self._clock())
            while len(self._wrong) > 1000:
                self._wrong.popitem(last=False)

    def right(self, address: str) -> None:
        """Forget what was wrong before."""
        with self._lock:
            self._wrong.pop(address, None)


def _digest(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def _toml(text: str) -> str:
    kept = "".join(char for char in text if char.isprintable())
    return '"' + kept.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _parsed(path: Path) -> Iterable[Stored]:
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadTokens(f"{path}: {getattr(error, 'strerror', None) or error}") from None
    entries = raw.get("token", [])
    if not isinstance(entries, list):
        raise BadTokens(f"{path}: token must be [[token]] tables")
    return [_stored(path, number, entry) for number, entry in enumerate(entries, 1)]


def _stored(path: Path, number: int, entry: Any) -> Stored:
    def wrong(what: str) -> BadTokens:
        return BadTokens(f"{path}: token {number}: {what}")

    if not isinstance(entry, dict):
        raise wrong("must be a table")
    id_, role, digest = entry.get("id"), entry.get("role"), entry.get("sha256")
    if not isinstance(id_, str) or not re.fullmatch(r"[a-z2-7]{8}", id_):
        raise wrong(f"id must be eight letters, got {id_!r}")
    if role not in ROLES:
        raise wrong(f"role must be one of {', '.join(ROLES)}, got {role!r}")
    if not isinstance(digest, str) or not re.fullmatch(r"[0-9a-f]{64}", digest):
        raise wrong("sha256 must be 64 hexadecimal digits")
    delay, security, reveal = (
        entry.get("delay_ms", 0), entry.get("security_delay_s", 0.0), entry.get("reveal", "never")
    )  # fmt: skip
    if isinstance(delay, bool) or not isinstance(delay, int):
        raise wrong(f"delay_ms must be a whole number, got {delay!r}")
    if isinstance(security, bool) or not isinstance(security, int | float):
        raise wrong(f"security_delay_s must be a number, got {security!r}")
    grant = Grant(role, str(entry.get("name", "")), id_, delay, float(security), str(reveal))
    try:
        grant.policy()
    except BadPolicy as error:
        raise wrong(str(error)) from None
    return Stored(grant, digest)
