"""What leaves a table for the air: one place where delay, reveal policy, hold and clear act, for every output alike.

The table puts its state here part by part; each output opens a feed under its policy and gets what is due for it. A part
is cut down to what viewers may know when it comes in: what is not named here cannot leave.

    put(part, value) -> clean -> timeline -> feed of a policy (delay, hold, correction, reveal) -> WebSocket, vMix
"""

from __future__ import annotations

import json
import threading
import time
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from api.bells import Watched
from api.output_parts import CLEANERS, same_clock

NEVER: Final = "never"
DEAL_OVER: Final = "deal_over"
DELAYED: Final = "delayed"
REVEALS: Final = (NEVER, DEAL_OVER, DELAYED)
"""Hands of a sealed feed leave never; when their deal has its result; with everything else, late enough to be harmless."""
LIVE: Final = "live"
HOLD: Final = "hold"
CLEAR: Final = "clear"
MAX_DELAY_MS: Final = 60_000
MAX_SECURITY_S: Final = 3600.0
MIN_SECURITY_S: Final = 60.0
"""Hands may only leave while their deal runs from an output that is at least this late."""
_KEEP_S: Final = MAX_SECURITY_S + MAX_DELAY_MS / 1000 + 5
_TRIM: Final = 512


class BadPolicy(ValueError):
    """A policy that cannot be; the message names the output, the field and what to do."""


@dataclass(frozen=True, slots=True)
class OutputPolicy:
    """What one output may show, and how late.

    Attributes:
        name: of the output.
        delay_ms: milliseconds to match the video (画面延迟), 0 to 60,000.
        security_delay_s: seconds against signals from outside (安全延迟), 0 to 3600.
        reveal: when hands of a sealed feed leave: `never`, `deal_over` or `delayed`.

    Raises:
        BadPolicy: a value is out of its range, or hands would leave too early.
    """

    name: str
    delay_ms: int = 0
    security_delay_s: float = 0.0
    reveal: str = NEVER

    def __post_init__(self) -> None:
        if not 0 <= self.delay_ms <= MAX_DELAY_MS:
            raise BadPolicy(f"output {self.name}: delay_ms {self.delay_ms}: expected 0 to {MAX_DELAY_MS}")
        if not 0 <= self.security_delay_s <= MAX_SECURITY_S:
            raise BadPolicy(
                f"output {self.name}: security_delay_s {self.security_delay_s}: "
                f"expected 0 to {MAX_SECURITY_S:.0f}"
            )
        if self.reveal not in REVEALS:
            raise BadPolicy(
                f"output {self.name}: reveal {self.reveal!r}: expected one of {', '.join(REVEALS)}"
            )
        if self.reveal == DELAYED and self.security_delay_s < MIN_SECURITY_S:
            raise BadPolicy(
                f"output {self.name}: reveal 'delayed' shows hands while they are played; it needs a "
                f"security_delay_s of at least {MIN_SECURITY_S:.0f}"
            )

    @property
    def delay(self) -> float:
        """Seconds that everything comes late."""
        return self.security_delay_s + self.delay_ms / 1000

    def later(self, delay_ms: int | None) -> OutputPolicy:
        """The policy with a longer delay to match the video; a page can ask for more, never for less."""
        if delay_ms is None or delay_ms <= self.delay_ms:
            return self
        return replace(self, delay_ms=min(delay_ms, MAX_DELAY_MS))


@dataclass(frozen=True, slots=True)
class _Entry:
    """A part as it was from `at` on (seconds of the outputs' clock); packed, for an hour of them may have to be kept."""

    at: float
    part: str
    packed: bytes

    @property
    def value(self) -> Any:
        """As it was told."""
        return json.loads(zlib.decompress(self.packed))


@dataclass(slots=True)
class _Control:
    """What the operator and the referee have set.

    Attributes:
        graphics: `live`, `hold` or `clear`; acts at once, however late an output is.
        since: when it was set.
        taken: graphics that are shown (true) or kept off (false) by hand; acts at once.
        correcting: since when somebody corrects, and until when, in order; acts with the delay, as what is corrected.
    """

    graphics: str = LIVE
    since: float = 0.0
    taken: dict[str, bool] = field(default_factory=dict)
    correcting: list[tuple[float, float | None]] = field(default_factory=list)


class Outputs(Watched):
    """The timeline of what may be shown, shared by all outputs of a table; safe between threads.

    Args:
        clock: seconds of a clock that only runs forward.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        super().__init__()
        self._lock = threading.Lock()
        self._entries: list[_Entry] = []
        self._first = 0
        self._base: dict[str, _Entry] = {}
        self._latest: dict[str, _Entry] = {}
        self._texts: dict[str, str] = {}
        self._control = _Control()

    def put(self, part: str, value: Any) -> None:
        """Take a part of the table's state as it changes; parts that no output shows are passed over.

        `findings` becomes `upheld`; `control` acts on the outputs; `hands` (of a sealed feed: `deal`, `hands`, `kitty`)
        is kept back until a policy lets it go.
        """
        now = self._clock()
        if part == "control":
            self._set(value, now)
            self._ring()
            return
        cleaner = CLEANERS.get(part)
        if cleaner is None:
            return
        name, clean = cleaner(value)
        text = json.dumps(clean, ensure_ascii=False, separators=(",", ":"))
        with self._lock:
            before = self._latest.get(name)
            if before is not None and _same(before, clean, text, self._texts[name], now):
                return
            entry = _Entry(now, name, zlib.compress(text.encode(), 1))
            self._texts[name] = text
            self._entries.append(entry)
            self._latest[name] = entry
            self._trim(now)
        self._ring()

    def open(self, policy: OutputPolicy) -> OutputFeed:
        """A feed for one output, or for one connection of it."""
        return OutputFeed(self, policy, self._clock)

    def _set(self, value: Mapping[str, Any], now: float) -> None:
        with self._lock:
            control = self._control
            graphics = value.get("graphics", control.graphics)
            if graphics in (LIVE, HOLD, CLEAR) and graphics != control.graphics:
                control.graphics, control.since = graphics, now
            if isinstance(value.get("taken"), Mapping):
                control.taken = {str(key): bool(on) for key, on in value["taken"].items()}
            spans = control.correcting
            open_ = bool(spans) and spans[-1][1] is None
            if value.get("correcting", open_) and not open_:
                spans.append((now, None))
            elif open_ and not value.get("correcting", open_):
                spans[-1] = (spans[-1][0], now)

    def _trim(self, now: float) -> None:
        """Fold what no output can still ask for; what is held is held however long it takes."""
        control = self._control
        oldest = min([now, control.since if control.graphics == HOLD else now])
        spans = [span for span in control.correcting if span[1] is None or span[1] > now - 2 * _KEEP_S]
        control.correcting[:] = spans
        oldest = min([oldest, *(start for start, _ in spans)]) - _KEEP_S
        count = 0
        while count < len(self._entries) and self._entries[count].at < oldest:
            count += 1
        if count >= _TRIM:
            for entry in self._entries[:count]:
                self._base[entry.part] = entry
            del self._entries[:count]
            self._first += count

    def horizon(self, delay: float, now: float) -> tuple[float, dict[str, Any]]:
        """Up to which moment an output that is `delay` seconds late may show the table, and the control part.

        Held graphics stay at the moment of the hold, a correction at the moment at which it began.
        """
        with self._lock:
            control = self._control
            until = now - delay
            if control.graphics == HOLD:
                until = min(until, control.since - delay)
            correcting = False
            for start, end in control.correcting:
                if start <= until and (end is None or end > until):
                    until, correcting = start, True
            return until, {
                "graphics": control.graphics, "correcting": correcting, "taken": dict(control.taken)
            }  # fmt: skip

    def until(self, cursor: int, until: float) -> tuple[int, list[_Entry]]:
        """The entries from `cursor` on up to a moment, and the cursor behind them; -1 begins at the beginning."""
        with self._lock:
            found = list(self._base.values()) if cursor < self._first else []
            at = max(cursor, self._first) - self._first
            while at < len(self._entries) and self._entries[at].at <= until:
                found.append(self._entries[at])
                at += 1
            return at + self._first, found

    def after(self, cursor: int, until: float) -> float | None:
        """The moment of what comes next behind a cursor and a moment: an entry, or a correction that begins or ends.

        None where nothing is known to come.
        """
        with self._lock:
            at = cursor - self._first
            coming = [self._entries[at].at] if 0 <= at < len(self._entries) else []
            for start, end in self._control.correcting:
                coming += [moment for moment in (start, end) if moment is not None and moment > until]
            return min(coming, default=None)


class OutputFeed:
    """One output's view of the table; not to be shared between threads.

    Attributes:
        policy: what it may show, and how late.
        state: part to value, as it may be shown at the last look.
    """

    def __init__(self, outputs: Outputs, policy: OutputPolicy, clock: Callable[[], float]) -> None:
        self.policy = policy
        self.state: dict[str, Any] = {}
        self._outputs = outputs
        self._clock = clock
        self._cursor = -1
        self._since: dict[str, float] = {}
        self._sealed: dict[Any, _Entry] = {}
        self._number = 0
        self._horizon = 0.0

    def look(self) -> dict[str, Any]:
        """The parts that changed for this output since the last look; all of it at the first."""
        self._horizon, control = self._outputs.horizon(self.policy.delay, self._clock())
        self._cursor, entries = self._outputs.until(self._cursor, self._horizon)
        if not entries and control == self.state.get("control"):
            return {}
        before = dict(self.state)
        for entry in entries:
            self._take(entry)
        self._reveal()
        self.state["control"] = control
        gone = {part: None for part in before if part not in self.state}
        return gone | {
            part: value for part, value in self.state.items() if before.get(part, _NOTHING) != value
        }

    def wait(self, longest: float) -> float:
        """Seconds until something may be due, at most `longest`."""
        due = self._outputs.after(self._cursor, self._horizon)
        return longest if due is None else min(longest, max(0.001, due + self.policy.delay - self._clock()))

    def present(self) -> dict[str, Any]:
        """The state as it may be shown now, for outputs that ask now and then: clocks have counted on."""
        self.look()
        clock = self.state.get("clock")
        if not clock or clock.get("stopped"):
            return dict(self.state)
        gone = max(0.0, self._horizon - self._since["clock"])
        waits = [
            {**wait, "left": wait["left"] - gone} if wait.get("left") is not None else wait
            for wait in clock["waits"]
        ]
        return {**self.state, "clock": {**clock, "waits": waits}}

    def snapshot(self) -> dict[str, Any]:
        """The message that begins a connection: everything that may be shown, and for how long each part has been."""
        self.look()
        age = {part: round(max(0.0, self._horizon - at), 3) for part, at in self._since.items()}
        return {"type": "snapshot", "n": self._number, "state": dict(self.state), "age": age}

    def changes(self) -> list[dict[str, Any]]:
        """The messages that are due now; their numbers count up by one."""
        messages = []
        for part, value in self.look().items():
            self._number += 1
            messages.append({"type": "change", "n": self._number, "part": part, "value": value})
        return messages

    def heartbeat(self) -> dict[str, Any]:
        """The message that says that the connection lives; `at` in seconds of the table's clock."""
        return {"type": "heartbeat", "n": self._number, "at": round(self._clock(), 3)}

    def _take(self, entry: _Entry) -> None:
        if entry.part == "hands":
            if self.policy.reveal != NEVER:
                self._sealed[entry.value["deal"]] = entry
            return
        self.state[entry.part] = entry.value
        self._since[entry.part] = entry.at

    def _reveal(self) -> None:
        """Let hands go that the policy lets go, and drop them when another deal is on the table."""
        if self.policy.reveal == NEVER:
            return
        deal = (self.state.get("match") or {}).get("deal")
        over = {result["deal"] for result in self.state.get("results") or ()}
        entry = self._sealed.get(deal)
        free = entry is not None and (self.policy.reveal == DELAYED or deal in over)
        if free and entry is not None:
            self.state["hands"] = entry.value
            self._since.setdefault("hands", self._horizon)
        else:
            self.state.pop("hands", None)
            self._since.pop("hands", None)
        for old in [number for number in self._sealed if number != deal]:
            if isinstance(deal, int) and isinstance(old, int) and old < deal:
                del self._sealed[old]


_NOTHING: Final = object()


def _same(before: _Entry, value: Any, text: str, was: str, now: float) -> bool:
    """Nothing that a viewer could see has changed: a clock that goes on as it went needs no new entry every time."""
    if before.part == "clock":
        return same_clock(before.value, value, now - before.at)
    return was == text
