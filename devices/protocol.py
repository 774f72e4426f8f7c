"""The line protocol of seat boxes, shufflers and dealers: lines with a checksum, told again until they are acknowledged.

Written down for makers in docs/serial-protocol.md. Nothing here reads or writes a port: bytes go in, lines come out,
and `Receiver.due` says what is to be sent. A line is `BODY*CCCCCCCC` and a line feed; C is the CRC-32 of the body.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

VERSION: Final = 1
"""The version of the protocol that is spoken here."""
LONGEST: Final = 160
"""Bytes of a line, its line feed not counted. What is longer is no line."""
ASK_AGAIN_S: Final = 0.25
"""So long an answer to `RESEND` or `WHO` may take before it is asked for again."""
_DRIFT: Final = 0.0005
"""A device's clock may lose so many seconds a second against ours."""
_BACK_MS: Final = 60_000
_RECENT: Final = 64
"""Lines that a device can say between two beats."""


class NotALine(ValueError):
    """Bytes or words that are no line of the protocol."""


def checksum(body: bytes) -> str:
    """CRC-32 (reflected, polynomial 0xEDB88320, start and end inverted) as eight hexadecimal digits.

    >>> checksum(b"123456789")
    'CBF43926'
    """
    return f"{zlib.crc32(body):08X}"


def encode(body: str) -> bytes:
    """A line as it goes over the wire.

    Raises:
        NotALine: a body that no line may have.

    >>> encode("17 83211 PASS")
    b'17 83211 PASS*4194FBC9\\n'
    """
    data = body.encode("ascii", "replace")
    if not body or b"*" in data or not body.isascii() or not body.isprintable() or len(data) > LONGEST - 9:
        raise NotALine(f"{body!r}: a line is {LONGEST - 9} printable ASCII characters at most, without `*`")
    return data + b"*" + checksum(data).encode() + b"\n"


def decode(line: bytes) -> str:
    """The body of a line without its line feed; a carriage return before it is passed over.

    Raises:
        NotALine: damaged, or no line at all.
    """
    body, star, crc = line.removesuffix(b"\r").rpartition(b"*")
    if not star or len(crc) != 8 or crc.upper() != checksum(body).encode():
        raise NotALine("damaged")
    text = body.decode("ascii", "replace")
    if not text.isascii() or not text.isprintable():
        raise NotALine("characters other than printable ASCII")
    return text


class Framer:
    """Cuts what comes over the wire into lines; holds one line's bytes at most."""

    def __init__(self) -> None:
        self._rest = bytearray()
        self._skipping = False

    def take(self, data: bytes) -> list[str | None]:
        """Bodies of the lines that these bytes complete, in order; None for each that is damaged."""
        bodies: list[str | None] = []
        *ended, rest = data.split(b"\n")
        for part in ended:
            line = bytes(self._rest) + part
            self._rest.clear()
            skipping, self._skipping = self._skipping, False
            if skipping or len(line) > LONGEST + 1:
                bodies.append(None)
            elif line.strip(b"\r"):
                try:
                    bodies.append(decode(line))
                except NotALine:
                    bodies.append(None)
        self._rest += rest
        if len(self._rest) > LONGEST + 1:
            self._rest.clear()
            self._skipping = True
        return bodies

    def clear(self) -> None:
        """Forget the beginning of a line: the link was cut."""
        self._rest.clear()
        self._skipping = False


@dataclass(frozen=True, slots=True, repr=False)
class Said:
    """What a device says in one line. Its text shows neither in logs nor in errors: it may name a card.

    Attributes:
        number: counts the lines that are kept until they are acknowledged; 0 for what is only of the moment.
        ms: of the device's clock when it happened.
        word: what kind of line.
        words: the rest.
    """

    number: int
    ms: int
    word: str
    words: tuple[str, ...] = ()

    def __repr__(self) -> str:
        return f"Said({self.number}, {self.word})"

    def whole(self, place: int, low: int = 0, high: int = 2**31) -> int:
        """The whole number at a place among the words.

        Raises:
            NotALine: there is none, or it lies outside.
        """
        word = self.words[place] if place < len(self.words) else ""
        if not (word.isdecimal() and word.isascii() and len(word) < 11 and low <= int(word) <= high):
            raise NotALine(
                f"{self.word}: a whole number from {low} to {high} is missing at place {place + 1}"
            )
        return int(word)


def parse(body: str) -> Said:
    """A device's line from its body.

    Raises:
        NotALine: it does not begin with two numbers and a word.

    >>> parse("17 83211 PASS").word
    'PASS'
    """
    parts = body.split()
    if len(parts) < 3 or not all(part.isdecimal() and len(part) < 16 for part in parts[:2]):
        raise NotALine("a line is its number, the device's milliseconds, a word, and what the word needs")
    return Said(int(parts[0]), int(parts[1]), parts[2], tuple(parts[3:]))


@dataclass(frozen=True, slots=True)
class Hello:
    """How a device introduces itself.

    Attributes:
        version: of the protocol, its whole part; `minor` the rest.
        kind: `seatbox`, `dealer`, `shuffler`, or a word that is not known here.
        model, serial, firmware: of the device.
        boot: differs each time that it is switched on.
        oldest: number of the oldest line that it can still tell.
        seat: which seat it claims (a switch on the box); None where it does not.
    """

    version: int
    minor: int
    kind: str
    model: str
    serial: str
    firmware: str
    boot: str
    oldest: int
    seat: int | None = None


def hello(said: Said) -> Hello:
    """The device's introduction.

    Raises:
        NotALine: something is missing or no number.
    """
    if len(said.words) < 7:
        raise NotALine("HELLO needs version, kind, model, serial, firmware, boot and oldest")
    version, kind, model, serial, firmware, boot = said.words[:6]
    whole, _, minor = version.partition(".")
    if not whole.isdecimal() or (minor and not minor.isdecimal()):
        raise NotALine(f"HELLO: no version: {version[:12]!r}")
    seat = said.whole(7, 0, 3) if len(said.words) > 7 else None
    return Hello(int(whole), int(minor or 0), kind, model, serial, firmware, boot, said.whole(6, 1), seat)


class DeviceClock:
    """Tells when something happened by our clock, given the device's: what came with the least delay counts."""

    def __init__(self) -> None:
        self._offset: float | None = None
        self._set_at = 0.0
        self._ms = 0

    def heard(self, ms: int, now: float) -> None:
        """A line that was sent just now says what the device's clock shows.

        Args:
            ms: of the device.
            now: s of ours.
        """
        if ms < self._ms - _BACK_MS:
            self._offset = None
        self._ms = ms
        offset = now - ms / 1000
        if self._offset is not None:
            offset = min(offset, self._offset + max(0.0, now - self._set_at) * _DRIFT)
        self._offset, self._set_at = offset, now

    def at(self, ms: int, now: float) -> float:
        """When the device's clock showed `ms`, s of ours; never later than now."""
        return now if self._offset is None else min(now, self._offset + ms / 1000)

    def reset(self) -> None:
        """The device was switched on anew: its clock began again."""
        self._offset, self._ms = None, 0


@dataclass(slots=True)
class Counts:
    """What a link has been through: lines damaged, asked for again, told twice, lost for good, not understood."""

    damaged: int = 0
    asked_again: int = 0
    twice: int = 0
    lost: int = 0
    odd: int = 0


class Receiver:
    """Our end of one device's conversation: lines in order and each once, whatever the wire does to them.

    Lines that `take` gave count as taken only once `confirm` says that they are on disk; what is not confirmed is
    asked for again after `again`.

    Attributes:
        hello: how the device introduced itself; None before it has.
        refused: why it is not listened to, one word; empty where it is.
        counts: what the link has been through.
        heard: whole lines so far.
        clock: tells when something happened by our clock.
        settled: the device's ms at which it had told all that it has to tell; None while that is not known.
        whole_from: the device's ms from which on none of its lines is lost; None: from the beginning.
        resumed: others listened before: a device that is not known may have been switched off and on since.

    Args:
        last_of: the last line that is on disk of a device (its serial number) since it was switched on (its boot);
            None where it is not known.
        judge: says whether a device that introduced itself is listened to: the reason why not, one word, or empty.
    """

    def __init__(
        self,
        last_of: Callable[[str, str], int | None] = lambda serial, boot: None,
        judge: Callable[[Hello], str] = lambda hello: "",
    ) -> None:
        self.hello: Hello | None = None
        self.refused = ""
        self.counts = Counts()
        self.heard = 0
        self.clock = DeviceClock()
        self.settled: int | None = None
        self.whole_from: int | None = None
        self.resumed = False
        self._last_of = last_of
        self._judge = judge
        self._who: tuple[str, str] | None = None
        self._framer = Framer()
        self._recent: dict[int, Said] = {}
        self._strays: dict[int, Said] = {}
        self._last = 0
        self._confirmed = 0
        self._out: list[bytes] = []
        self._gap = False
        self._acknowledge = False
        self._asked_at = -1e9

    def opened(self) -> None:
        """A link was opened, for the first time or again: who is there?"""
        self._framer.clear()
        self.hello, self.refused = None, ""
        self._gap = self._acknowledge = False
        self._asked_at = -1e9
        self._out = []

    def take(self, data: bytes, now: float) -> list[Said]:
        """New lines in order, each once.

        Args:
            data: as it came.
            now: s of the clock by which the device's own is told.
        """
        fresh: list[Said] = []
        for body in self._framer.take(data):
            try:
                said = None if body is None else parse(body)
            except NotALine:
                said = None
            if said is None:
                self.counts.damaged += 1
                self._gap = self._gap or self.hello is not None
                continue
            self.heard += 1
            try:
                fresh += self._line(said, now)
            except NotALine:
                self.counts.odd += 1
        return fresh

    def confirm(self) -> None:
        """All lines that `take` gave are on disk."""
        if self._confirmed != self._last:
            self._confirmed = self._last
            self._acknowledge = True

    def again(self) -> None:
        """The lines that are not confirmed could not be kept: they are to be told again."""
        self._last = self._confirmed
        self._gap = True
        self.settled = None

    def send(self, body: str) -> None:
        """Say something to the device; not told again when it is lost."""
        if len(self._out) < 16:
            self._out.append(encode(body))

    def due(self, now: float) -> bytes:
        """What is to be sent now.

        Args:
            now: s of a clock that only runs forward.
        """
        out, self._out = self._out, []
        if self.refused:
            return b"".join(out)
        if self._acknowledge and self.hello is not None:
            self._acknowledge = False
            out.append(encode(f"ACK {self._confirmed} {self.hello.boot}"))
        if now - self._asked_at >= ASK_AGAIN_S and (self.hello is None or self._gap):
            self._asked_at = now
            if self.hello is None:
                out.append(encode("WHO"))
            else:
                self.counts.asked_again += 1
                self._gap = False
                out.append(encode(f"RESEND {self._last + 1}"))
        return b"".join(out)

    def _line(self, said: Said, now: float) -> list[Said]:
        if said.word == "HELLO":
            self._hello(hello(said), said, now)
            return []
        if self.hello is None or self.refused:
            return []
        if said.number == 0:
            self.clock.heard(said.ms, now)
            if said.word == "BEAT":
                newest = said.whole(0)
                self._gap = self._gap or newest > self._last
                if newest < self._confirmed or said.words[1:2] != (self.hello.boot,):
                    # It was switched off and on, and what it said of that was lost.
                    self.hello = None
                else:
                    self._recent = {}
                    self.settled = said.ms if newest == self._last else self.settled
            return []
        if said.number <= self._last:
            self.counts.twice += 1
            self._acknowledge = True
            return []
        if said.number > self._last + 1:
            self._gap = True
            return []
        self._last, self.settled = said.number, said.ms
        if self._strays.get(said.number) == said:
            # It came before it was known that the device counts anew.
            return []
        self._recent = {n: old for n, old in self._recent.items() if n > said.number - _RECENT} | {
            said.number: said
        }
        return [said]

    def _hello(self, found: Hello, said: Said, now: float) -> None:
        who = (found.serial, found.boot)
        same = who == self._who
        if not same:
            self.clock.reset()
            self.settled = None
            self._strays, self._recent = self._recent, {}
        self.hello = found
        self.refused = self._judge(found)
        if self.refused:
            self._out.append(encode(f"REFUSE {self.refused}"))
            return
        others, self._who = self._who is not None, who
        self.clock.heard(said.ms, now)
        last = self._last if same else self._last_of(*who)
        if not same:
            anew = last is None and (self.resumed or others)
            self.whole_from = said.ms if anew else None
        if last is None:
            last = found.oldest - 1
        if found.oldest > last + 1:
            self.whole_from = said.ms
            self.counts.lost += found.oldest - last - 1
            last = found.oldest - 1
        if not same or last > self._last:
            self._last = self._confirmed = last
        self._acknowledge = True
