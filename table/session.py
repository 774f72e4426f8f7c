"""A table's referee at work: takes events in the order they come in, folds corrections and rulings into the
past.

`Referee` keeps what a pure fold cannot: the numbers of findings, which event a correction replaces,
checkpoints so that a correction re-folds from its deal and not from the start. Its state is always the fold
of the effective events; feeding the same events again gives the same state and the same lines.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from table.event_json import BadEvent, corrected
from table.events import Correction, DealStarted, Event, MatchStarted, Ruling, UnknownEvent
from table.findings import Claim, ClaimKey, finding_json
from table.formats import match_result
from table.match import MatchState
from table.penalties import penalty_from_json
from table.referee import Ruled, is_table_event, open_match, step
from table.rulesets import Profile, flatten, load_profile

Line = dict[str, Any]

GAME_PENALTIES = ("points", "finish_last", "lose_turn", "lose_deal", "replay_deal", "special")


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something in the record that is nobody's offence: an event that fits nowhere, a correction of
    nothing."""

    seq: int
    text: str


class Referee:
    """Folds events one by one; `push` returns the lines that became known (as `paizhuo judge` prints them).

    Args:
        profile: used in place of the profile that the record names.

    >>> referee = Referee()
    >>> referee.push(DealStarted(level="2"))
    []
    >>> referee.troubles[0].text
    'deal_started before match_started (expected match_started first)'
    """

    def __init__(self, profile: Profile | None = None) -> None:
        self.profile = profile
        self.state: MatchState | None = None
        self.troubles: list[Trouble] = []
        self._steps: list[Event | None] = []
        self._index: dict[int, int] = {}
        self._original: dict[int, Event] = {}
        self._marks: list[int] = []
        self._mark_states: list[MatchState | None] = []
        self._numbers: dict[ClaimKey, int] = {}
        self._by_number: dict[int, ClaimKey] = {}
        self._at: dict[int, float | None] = {}
        self._last_seq = 0
        self._early = ""
        if profile is not None:
            self.state = open_match(MatchStarted(profile=profile.name), profile)

    def push(self, event: Event) -> list[Line]:
        """Take one event; number it when it has no number.

        Returns:
            Findings raised, changed, withdrawn or ruled on, and results of deals, in that order.
        """
        if not event.seq:
            event = event.numbered(self._last_seq + 1)
        self._last_seq = max(self._last_seq, event.seq)
        before = self.state
        self._at[event.seq] = event.at
        if isinstance(event, Correction):
            self._correct(event)
        elif isinstance(event, Ruling):
            return self._rule(event, before)
        else:
            self._add(event)
        return self._news(before, self.state, event)

    def findings(self) -> dict[int, Claim]:
        """The claims that stand, by the number of their finding."""
        claims: Mapping[ClaimKey, Claim] = self.state.claims if self.state is not None else {}
        return {self._numbers[key]: claim for key, claim in claims.items()}

    def finding_line(self, number: int) -> Line | None:
        """The line of a finding that stands, with its ruling if there is one."""
        key = self._by_number.get(number)
        if key is None or self.state is None or key not in self.state.claims:
            return None
        return self._line(self.state, key, self._last_seq)

    def finish(self) -> list[Line]:
        """The line about the match, as it stands now."""
        return [{"match": match_result(self.state)}] if self.state is not None else []

    def copy(self) -> Referee:
        """A referee that goes on from here by itself: what would follow, without it happening."""
        other = Referee.__new__(Referee)
        for name, value in vars(self).items():
            setattr(other, name, value.copy() if isinstance(value, list | dict) else value)
        return other

    def deal_so_far(self) -> tuple[MatchState | None, list[Event]]:
        """The state before the latest deal began (before the match, where none has), and the events since as they
        count now."""
        place = self._marks[-1] if self._marks else 0
        before = self._mark_states[-1] if self._mark_states else None
        return before, [event for event in self._steps[place:] if event is not None]

    def effective(self) -> list[Event]:
        """The events as they count now: corrected, without void ones."""
        return [event for event in self._steps if event is not None]

    def _once(self, event: Event, text: str) -> None:
        """Report the first of several events in a row that fit nowhere for the same reason."""
        reason = text.partition(" ")[2]
        if reason != self._early:
            self._trouble(event, text)
        self._early = reason

    def _trouble(self, event: Event, text: str) -> None:
        self.troubles.append(Trouble(event.seq, text))

    def _add(self, event: Event) -> None:
        self._original.setdefault(event.seq, event)
        if event.seq in self._index:
            self._trouble(event, f"number {event.seq} was used before; the later event counts from here on")
        if self.state is None and not isinstance(event, MatchStarted):
            self._once(event, f"{_name(event)} before match_started (expected match_started first)")
        elif self.state is not None and self.state.deal is None and is_table_event(event):
            self._once(event, f"{_name(event)} outside a deal (expected deal_started first)")
        else:
            self._early = ""
        self._index[event.seq] = len(self._steps)
        self._steps.append(event)
        self._fold(event, len(self._steps) - 1)

    def _fold(self, event: Event | None, place: int) -> None:
        if event is None:
            return
        if isinstance(event, MatchStarted):
            self._mark(place)
            self._open(event)
            return
        if self.state is None:
            return
        if isinstance(event, DealStarted):
            self._mark(place)
        self.state = step(self.state, event)

    def _open(self, event: MatchStarted) -> None:
        """Open a match; options that the profile does not have are reported and left out."""
        try:
            self.state = open_match(event, self.profile)
            return
        except ValueError as error:
            self._trouble(event, str(error))
            if not event.options:
                return
        try:
            plain = self.profile or load_profile(event.profile)
        except ValueError:
            return
        good: dict[str, Any] = {}
        for key, value in flatten(event.options, plain.schema).items():
            try:
                plain.with_options({key: value})
            except ValueError:
                continue
            good[key] = value
        self.state = open_match(replace(event, options=good), self.profile)

    def _mark(self, place: int) -> None:
        """Remember the state before a step, to fold again from there."""
        self._marks.append(place)
        self._mark_states.append(self.state)

    def _again(self, place: int, last: int | None = None) -> None:
        """Fold again from the deal in which step `place` lies; steps up to `last` have changed."""
        last = place if last is None else last
        before = self.state
        at = bisect_right(self._marks, place) - 1
        start = self._marks[at] if at >= 0 else 0
        later = self._marks[max(at, 0) :]
        states = self._mark_states[max(at, 0) :]
        self.state = states[0] if states else None
        del self._marks[max(at, 0) :], self._mark_states[max(at, 0) :]
        old = dict(zip(later, states, strict=True))
        for index in range(start, len(self._steps)):
            event = self._steps[index]
            if index > last and index in old and isinstance(event, DealStarted) and old[index] == self.state:
                # From here on nothing changes: keep what was folded before.
                self._marks += [mark for mark in later if mark >= index]
                self._mark_states += [state for mark, state in old.items() if mark >= index]
                self.state = before
                return
            self._fold(event, index)

    def _correct(self, event: Correction) -> None:
        place = self._index.get(event.of)
        if place is None:
            self._trouble(event, f"correction of {event.of}: there is no event with that number")
            return
        original = self._original[event.of]
        try:
            replacement = corrected(original, event)
        except BadEvent as error:
            self._trouble(event, f"correction of {event.of}: replacement: {error}")
            return
        if isinstance(replacement, Correction | Ruling):
            self._trouble(event, f"correction of {event.of}: a {replacement.name} cannot replace an event")
            return
        if replacement is not None:
            self._at[event.of] = replacement.at
        self._steps[place] = replacement
        self._again(place)

    def _rule(self, event: Ruling, before: MatchState | None) -> list[Line]:
        key = self._by_number.get(event.finding)
        claim = before.claims.get(key) if before is not None and key is not None else None
        if before is None or key is None or claim is None:
            self._trouble(event, f"ruling on finding {event.finding}: no such finding stands")
            return []
        penalty = claim.cost(before.profile)
        if event.penalty is not None or "penalty" in event.extra:
            try:
                penalty = penalty_from_json(event.penalty)
            except ValueError as error:
                self._trouble(event, f"ruling on finding {event.finding}: {error}")
        ruled = Ruled(
            seq=event.seq, at=event.at, key=key, upheld=event.decision == "upheld", penalty=penalty,
            by=event.by or "",
        )  # fmt: skip
        self._original[event.seq] = ruled
        self._place_ruling(ruled, claim, before)
        return self._news(before, self.state, event)

    def _place_ruling(self, ruled: Ruled, claim: Claim, before: MatchState) -> None:
        """Put a ruling where it takes effect: now, or at the end of the deal whose result it changes."""
        earlier = [
            place
            for place, item in enumerate(self._steps)
            if isinstance(item, Ruled) and item.key == ruled.key
        ]
        for place in earlier:
            self._steps[place] = None
        about = self._index.get(claim.event, len(self._steps))
        deals = [mark for mark in self._marks if mark > about]
        game_penalty = ruled.penalty is not None and ruled.penalty.kind in GAME_PENALTIES
        place = deals[0] if ruled.upheld and game_penalty and deals else len(self._steps)
        if before.profile.flag("penalties.automatic"):
            # The profile's penalty has taken effect already: the ruling is folded before it would.
            place, ruled = about, replace(ruled, ahead=True)
        if place < len(self._steps):
            self._insert(place, ruled)
            self._again(min([place, *earlier]), max([place, *earlier]))
            return
        self._index[ruled.seq] = place
        self._steps.append(ruled)
        if earlier:
            self._again(earlier[0], place)
        else:
            self._fold(ruled, place)

    def _insert(self, place: int, event: Event) -> None:
        self._steps.insert(place, event)
        self._index = {seq: at + (at >= place) for seq, at in self._index.items()}
        self._index[event.seq] = place
        self._marks = [mark + (mark >= place) for mark in self._marks]

    def _news(self, before: MatchState | None, after: MatchState | None, event: Event) -> list[Line]:
        if after is None or before is after:
            return []
        lines: list[Line] = []
        old = before.claims if before is not None else {}
        if after.claims is not old:
            for key in old:
                if key not in after.claims:
                    lines.append({"finding": self._numbers[key], "withdrawn": True, "event": event.seq})
            for key, claim in after.claims.items():
                if old.get(key) is not claim and old.get(key) != claim:
                    known = key in self._numbers
                    line = self._line(after, key, event.seq)
                    lines.append({**line, "changed": True} if known and key in old else line)
        decided = before.decisions if before is not None else {}
        for key, decision in after.decisions.items():
            if decided.get(key) is not decision and decided.get(key) != decision and key in after.claims:
                side = after.claims[key].offender
                penalty = decision.penalty.to_json(side) if decision.penalty else None
                word = "upheld" if decision.upheld else "dismissed"
                lines.append(
                    {"finding": self._number(key), "ruling": word, "event": event.seq, "penalty": penalty}
                )
        return lines + self._results(before, after)

    def _results(self, before: MatchState | None, after: MatchState) -> list[Line]:
        old = before.results if before is not None else {}
        if after.results is old:
            return []
        return [
            {"deal": result.get("deal", deal), "result": dict(result)}
            for deal, result in after.results.items()
            if old.get(deal) != result
        ]

    def _number(self, key: ClaimKey) -> int:
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self._numbers) + 1
            self._by_number[number] = key
        return number

    def _line(self, state: MatchState, key: ClaimKey, known_at: int) -> Line:
        claim = state.claims[key]
        return finding_json(self._number(key), claim, state.profile, self._at.get(claim.event), known_at)


def _name(event: Event) -> str:
    return event.kind if isinstance(event, UnknownEvent) else event.name


def replay(events: list[Event], profile: Profile | None = None) -> tuple[Referee, list[Line]]:
    """A referee that has taken these events, and every line it gave, the match's last."""
    referee = Referee(profile)
    lines: list[Line] = []
    for event in events:
        lines += referee.push(event)
    return referee, lines + referee.finish()
