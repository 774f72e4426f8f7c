"""Numbered changes of a state in parts, for any number of readers, none of whom can slow the writer or each other."""

from __future__ import annotations

import json
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from api.bells import Watched

KEPT: Final = 1000
"""Changes that a reader may be behind before he gets the whole state again."""
KEPT_CHARS: Final = 8_000_000
"""Text that is kept for readers who are behind: what bounds the memory of a stream."""


@dataclass(frozen=True, slots=True)
class Change:
    """One change.

    Attributes:
        n: its number; numbers count up by one.
        part: of the state.
        text: the message for readers, JSON.
    """

    n: int
    part: str
    text: str


class Stream(Watched):
    """The newest value of every part, and the changes that led there; safe between threads.

    Args:
        first: number before that of the first change. Where it comes from a clock (milliseconds since 1970), a number
            from before a restart is never taken for one of this run.
        kept: changes kept for readers who are behind.
        wall: Unix time, s: every change says when what it tells came to be (`t`, ms).
    """

    def __init__(self, first: int = 0, kept: int = KEPT, wall: Callable[[], float] = time.time) -> None:
        super().__init__()
        self._lock = threading.Lock()
        self._n = self._first = first
        self._parts: dict[str, str] = {}
        self._lists: dict[str, dict[int, str]] = {}
        self._changes: deque[Change] = deque(maxlen=kept)
        self._chars = 0
        self._wall = wall

    @property
    def n(self) -> int:
        """Number of the latest change."""
        return self._n

    @property
    def count(self) -> int:
        """Changes so far."""
        return self._n - self._first

    def put(self, part: str, value: Any, t: float | None = None) -> bool:
        """Set a part; the same value again is no change. Returns whether it was one.

        Args:
            part: of the state.
            value: its value, plain JSON.
            t: when it came to be, Unix time, s; now when left out.
        """
        return self.put_text(part, dumps(value), t)

    def put_text(self, part: str, text: str, t: float | None = None) -> bool:
        """`put` for a value that is compact JSON already."""
        with self._lock:
            if self._parts.get(part) == text:
                return False
            self._parts[part] = text
            self._add(part, f'"value":{text}', t)
        self._ring()
        return True

    def add(self, part: str, entries: Mapping[int, str], keep: int, t: float | None = None) -> None:
        """Set a part that is a list by what readers have to add to it.

        Args:
            part: of the state.
            entries: number to entry as compact JSON: new, or in place of the one with that number.
            keep: entries that the part holds; the oldest go.
            t: see `put`.
        """
        with self._lock:
            held = self._lists.setdefault(part, {})
            held.update(entries)
            while len(held) > keep:
                del held[next(iter(held))]
            self._add(part, f'"add":{_listed(entries.values())}', t)
        self._ring()

    def snapshot(self) -> tuple[int, dict[str, str]]:
        """Number of the latest change, and every part as JSON text."""
        with self._lock:
            lists = {part: _listed(held.values()) for part, held in self._lists.items()}
            return self._n, {**self._parts, **lists}

    def part(self, name: str) -> Any:
        """The newest value of a part; None where there is none."""
        with self._lock:
            held = self._lists.get(name)
            text = self._parts.get(name) if held is None else _listed(held.values())
        return None if text is None else json.loads(text)

    def since(self, n: int) -> list[Change] | None:
        """The changes after number `n`, in order; None where some of them are not kept any more (or never were)."""
        with self._lock:
            if n == self._n:
                return []
            first = self._changes[0].n if self._changes else self._n + 1
            if n > self._n or n + 1 < first:
                return None
            return [self._changes[i] for i in range(n + 1 - first, len(self._changes))]

    def _add(self, part: str, what: str, t: float | None) -> None:
        self._n += 1
        if len(self._changes) == self._changes.maxlen:
            self._chars -= len(self._changes[0].text)
        ms = round(1000 * (self._wall() if t is None else t))
        text = f'{{"type":"change","n":{self._n},"t":{ms},"part":{json.dumps(part)},{what}}}'
        self._changes.append(Change(self._n, part, text))
        self._chars += len(text)
        while self._chars > KEPT_CHARS and len(self._changes) > 1:
            self._chars -= len(self._changes.popleft().text)


def snapshot_text(n: int, parts: Mapping[str, str]) -> str:
    """The message that brings a reader the whole state."""
    inner = ",".join(f"{json.dumps(name)}:{text}" for name, text in parts.items())
    return f'{{"type":"snapshot","n":{n},"state":{{{inner}}}}}'


def _listed(entries: Iterable[str]) -> str:
    return f"[{','.join(entries)}]"


def dumps(value: Any) -> str:
    """Compact JSON, readable as it is."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
