"""Compares what a table recorded under faults with what was so: presses, findings, hands of sealed deals."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

from api.compare import Tally
from api.fault_world import PlayerBox, Press
from devices.seatbox import SOURCE
from table.event_json import event_from_json
from table.events import Correction, CountCalled, Event, Pass, RefereeCalled
from table.findings import PROVEN, Claim
from table.record import format_event
from table.rulesets import Profile
from table.session import Referee

_NEAR_S: Final = 2.0
"""A press in the record is at most so far in time from when it was made."""
_ABOUT_S: Final = 20.0
"""Two findings of one kind and seat that are about moments within this are the same one."""


@dataclass(slots=True)
class Presses:
    """What became of the presses.

    Attributes:
        acknowledged: that a box was told were taken.
        recorded: of these, in the record as it stands.
        lost, doubled, made_up, out_of_order: promises broken; a press is made up where nobody pressed it.
        untold: made, and the box was switched off before anybody answered; recorded or not, either is right.
        unmade: not made, for the box was off or full.
        lines: in words, what is wrong.
    """

    acknowledged: int = 0
    recorded: int = 0
    lost: int = 0
    doubled: int = 0
    made_up: int = 0
    out_of_order: int = 0
    untold: int = 0
    unmade: int = 0
    lines: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Findings:
    """Findings that were ever shown as proven, also those that were withdrawn later.

    Attributes:
        planned: findings that the truth leads to.
        met: of these, those that the record came to as well, however sure.
        right: shown as proven, and so.
        wrong: shown as proven, and not so; `standing`: of these, at the end still.
        lines: of the wrong ones.
    """

    planned: int = 0
    met: int = 0
    right: int = 0
    wrong: int = 0
    standing: int = 0
    lines: list[str] = field(default_factory=list)


def check_presses(boxes: Iterable[PlayerBox], standing: Sequence[Event], began: float) -> Presses:
    """Compare.

    Args:
        boxes: with what was pressed.
        standing: the events as they count at the end.
        began: Unix time at which the record begins, s.
    """
    out = Presses()
    for box in boxes:
        heard = [
            event
            for event in standing
            if isinstance(event, Pass | CountCalled | RefereeCalled)
            and event.seat == box.seat
            and event.source == SOURCE
        ]
        _compare(out, box, heard, began)
    return out


def _compare(out: Presses, box: PlayerBox, heard: Sequence[Event], began: float) -> None:
    left = list(range(len(box.presses)))
    places: list[int] = []
    for event in heard:
        fits = [
            place
            for place in left
            if box.presses[place].words == _words(event)
            and _apart(event, box.presses[place], began) < _NEAR_S
        ]
        if fits:
            places.append(min(fits, key=lambda place: _apart(event, box.presses[place], began)))
            left.remove(places[-1])
            continue
        again = any(
            press.words == _words(event) and _apart(event, press, began) < _NEAR_S for press in box.presses
        )
        out.doubled += again
        out.made_up += not again
        out.lines.append(f"box {box.seat}: {_words(event)} at {event.at} {'twice' if again else 'made up'}")
    for place in left:
        if box.presses[place].sure:
            at = round(box.presses[place].wall - began, 2)
            out.lines.append(f"box {box.seat}: {box.presses[place].words} at {at} lost")
    sure = [press.sure for press in box.presses]
    out.acknowledged += sum(sure)
    out.untold += len(sure) - sum(sure)
    out.unmade += box.unmade
    out.recorded += sum(sure[place] for place in places)
    out.lost += sum(sure[place] for place in left)
    wrong = sum(one > other for one, other in pairwise(places))
    out.out_of_order += wrong
    if wrong:
        out.lines.append(f"box {box.seat}: {wrong} presses stand before earlier ones")


def _apart(event: Event, press: Press, began: float) -> float:
    return abs((event.at or 0.0) - (press.wall - began))


def _words(event: Event) -> str:
    if isinstance(event, CountCalled):
        return f"COUNT {event.count}"
    return {"pass": "PASS", "referee_called": "CALL"}[event.name]


def check_findings(true: Sequence[Event], seen: Sequence[Event]) -> Findings:
    """Compare two records whole, corrections included."""
    out = Findings()
    theirs, ours = _ever(true), _ever(seen)
    planned = [(claim.kind, claim.seat, at) for claim, at, _ in theirs.values()]
    out.planned = len(planned)
    left = list(planned)
    for number, (claim, at, stands) in sorted(ours.items()):
        near = [one for one in left if _same(one, claim, at)]
        if near:
            left.remove(near[0])
            out.met += 1
        if claim.certainty != PROVEN:
            continue
        # Several findings may be about one fault: one that was planned justifies all that are about it.
        if near or any(_same(one, claim, at) for one in planned):
            out.right += 1
            continue
        out.wrong += 1
        out.standing += stands
        out.lines.append(
            f"finding {number}: {claim.kind} ({claim.check}) seat {claim.seat} event {claim.event} at {at}"
            f"{'' if stands else ', withdrawn later'}"
        )
    return out


def _same(planned: tuple[str, int | None, float | None], claim: Claim, at: float | None) -> bool:
    kind, seat, then = planned
    return (kind, seat) == (claim.kind, claim.seat) and (
        at is None or then is None or abs(at - then) <= _ABOUT_S
    )


def _ever(events: Sequence[Event]) -> dict[int, tuple[Claim, float | None, bool]]:
    """Every finding that a record ever led to, at its surest; when the event was that it is about; whether it stands."""
    referee = Referee()
    found: dict[int, tuple[Claim, float | None, bool]] = {}
    times: dict[int, float | None] = {}
    last: float | None = None
    for event in events:
        last = last if event.at is None else event.at
        times[event.seq] = last
        referee.push(event)
        for number, claim in referee.findings().items():
            before = found.get(number)
            if before is None or (claim.certainty == PROVEN and before[0].certainty != PROVEN):
                found[number] = (claim, times.get(claim.event, last), False)
    for number, claim in referee.findings().items():
        _, at, _ = found[number]
        found[number] = (found[number][0], at, claim.certainty == PROVEN)
    return found


@dataclass(slots=True)
class Hands:
    """Hands of sealed deals: dealt, put into the record once they may be known, and right."""

    dealt: int = 0
    opened: int = 0
    right: int = 0


def check_hands(events: Iterable[Event], hands: Mapping[int, Sequence[Sequence[str]]], dealt: int) -> Hands:
    """Compare the hands that the feed put into the record with those that were dealt."""
    told = [
        event.replacement
        for event in events
        if isinstance(event, Correction) and event.source == "feed" and event.replacement is not None
    ]
    true = Counter(tuple(sorted(hand)) for four in hands.values() for hand in four)
    right = sum(tuple(sorted(_cards(one["cards"]))) in true for one in told)
    return Hands(4 * dealt, len(told), right)


def _cards(cards: str | Sequence[str]) -> list[str]:
    return cards.split() if isinstance(cards, str) else [str(card) for card in cards]


def truth_of(lines: Iterable[Mapping[str, Any]], at: Mapping[float, float]) -> Iterator[Event]:
    """The true record with the times of the recorded one.

    Args:
        lines: as the simulated table has them.
        at: time of the match to the time of the record, s.
    """
    for number, line in enumerate(lines, 1):
        yield event_from_json({**line, "seq": number, "at": at[line["at"]]})


def tally(profile: Profile, true: Sequence[Event], seen: Sequence[Event]) -> Tally:
    """How well the cards were read all the same; see `api.compare`."""
    out = Tally()
    out.add(profile, true, seen)
    return out


def keep(folder: Path, name: str, events: Iterable[Event]) -> None:
    """Write events as JSON lines, for whoever wants to look at what went wrong."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.jsonl").write_text("".join(f"{format_event(event)}\n" for event in events), "utf-8")


def keep_json(folder: Path, name: str, what: object) -> None:
    """Write anything else."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.json").write_text(json.dumps(what, ensure_ascii=False, indent=1), "utf-8")
