"""Wakes everybody who waits in the event loop for what another thread changes: what rings, and who is woken by it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable


class Watched:
    """What changes and says so; the base of `api.stream.Stream` and `api.outputs.Outputs`."""

    def __init__(self) -> None:
        self._bells: tuple[Callable[[], None], ...] = ()
        self._bells_lock = threading.Lock()

    def watch(self, bell: Callable[[], None]) -> Callable[[], None]:
        """Call `bell` after every change, in the writer's thread; it must return at once. Returns what ends that."""
        with self._bells_lock:
            self._bells = (*self._bells, bell)

        def unwatch() -> None:
            with self._bells_lock:
                self._bells = tuple(one for one in self._bells if one is not bell)

        return unwatch

    def _ring(self) -> None:
        for bell in self._bells:
            bell()


class Bells:
    """Wakes everybody who waits for it, by one call into the event loop however many they are; made inside that loop.

    Args:
        watched: what changes.
    """

    def __init__(self, watched: Watched) -> None:
        self._loop = asyncio.get_running_loop()
        self._waiting: set[asyncio.Event] = set()
        self._rung = False
        self.close = watched.watch(self._ring)

    def join(self) -> asyncio.Event:
        """An event that is set after every change; clear it before looking."""
        bell = asyncio.Event()
        self._waiting.add(bell)
        return bell

    def leave(self, bell: asyncio.Event) -> None:
        """Wake it no more."""
        self._waiting.discard(bell)

    def _ring(self) -> None:
        if self._rung:
            return
        self._rung = True
        try:
            self._loop.call_soon_threadsafe(self._wake)
        except RuntimeError:
            # The loop is closed: nobody waits any more.
            self.close()

    def _wake(self) -> None:
        self._rung = False
        for bell in self._waiting:
            bell.set()
