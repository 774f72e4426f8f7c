"""The journal: append-only on disk (SQLite), one row an event, each chained by hash to the row before.

An event is acknowledged when `append` returns: by then it is on disk (WAL, synchronous FULL). A row that is
changed or missing breaks the chain and is noticed when the journal is opened or verified. Any number of first
rows is a journal too.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Final

from table.event_json import event_from_json
from table.events import Event
from table.record import format_event

GENESIS: Final = "0" * 64
_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS event (
    seq INTEGER PRIMARY KEY,
    body TEXT NOT NULL,
    hash TEXT NOT NULL
) STRICT
"""


class BrokenJournal(ValueError):
    """A row was changed, is missing, or is no event; the message names the file and the row."""


def chained(previous: str, body: str) -> str:
    """The hash of a row: over the hash of the row before and its own body."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


class Journal:
    """A journal on disk. Use it as a context manager, or `close` it.

    Args:
        path: of the SQLite file; made when it does not exist.
        verify: check the whole chain when opening.

    Raises:
        BrokenJournal: the chain does not hold, or the file is no journal.
    """

    def __init__(self, path: Path, *, verify: bool = True) -> None:
        self.path = path
        try:
            self._db = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = FULL")
            self._db.execute(_SCHEMA)
            if verify:
                self.verify()
            row = self._db.execute("SELECT seq, hash FROM event ORDER BY seq DESC LIMIT 1").fetchone()
        except sqlite3.DatabaseError as error:
            raise BrokenJournal(f"{path}: cannot be used as a journal ({error})") from None
        self._last: int = row[0] if row else 0
        self._hash: str = row[1] if row else GENESIS

    def __enter__(self) -> Journal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __len__(self) -> int:
        return int(self._db.execute("SELECT count(*) FROM event").fetchone()[0])

    @property
    def last_seq(self) -> int:
        """Number of the last event; 0 in an empty journal."""
        return self._last

    @property
    def head(self) -> str:
        """The hash of the last row: seals everything before it."""
        return self._hash

    def append(self, event: Event) -> Event:
        """Write one event, numbered, to disk; when this returns it survives a kill or a power cut."""
        return self.extend([event])[0]

    def extend(self, events: Iterable[Event]) -> list[Event]:
        """Write several events in one transaction: all of them or none."""
        seq, digest = self._last, self._hash
        rows, written = [], []
        for event in events:
            seq += 1
            numbered = event.numbered(seq)
            body = format_event(numbered)
            digest = chained(digest, body)
            rows.append((seq, body, digest))
            written.append(numbered)
        self._db.execute("BEGIN IMMEDIATE")
        try:
            self._db.executemany("INSERT INTO event VALUES (?, ?, ?)", rows)
            self._db.execute("COMMIT")
        except BaseException:
            # A full disk has ended the transaction already.
            if self._db.in_transaction:
                self._db.execute("ROLLBACK")
            raise
        self._last, self._hash = seq, digest
        return written

    def events(self, after: int = 0) -> Iterator[Event]:
        """The events in order, those numbered above `after`."""
        for (body,) in self._db.execute("SELECT body FROM event WHERE seq > ? ORDER BY seq", (after,)):
            yield event_from_json(json.loads(body))

    def verify(self) -> str:
        """Check every row against the chain; returns the hash of the last.

        Raises:
            BrokenJournal: names the first row that does not fit.
        """
        digest, expected = GENESIS, 1
        for seq, body, stored in self._db.execute("SELECT seq, body, hash FROM event ORDER BY seq"):
            if seq != expected:
                raise BrokenJournal(f"{self.path}: row {expected} is missing (found row {seq})")
            digest = chained(digest, body)
            if digest != stored:
                raise BrokenJournal(f"{self.path}: row {seq} was changed, or a row before it")
            expected += 1
        return digest

    def export(self) -> str:
        """The record of the journal, as JSON lines."""
        rows = self._db.execute("SELECT body FROM event ORDER BY seq")
        return "".join(f"{body}\n" for (body,) in rows)

    def close(self) -> None:
        """Close the file."""
        self._db.close()
