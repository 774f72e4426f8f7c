"""One trick (圈): what lies on top, who has passed, whose turn it is; and what a play on it amounts to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from table.cards import Card
from table.guandan.combos import ComboRules, Reading, layout_readings, named_by, readings
from table.seats import SEATS, Seat


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the cards of a play may mean.

    Attributes:
        first: readings of the cards as they were read, strongest first, narrowed by layout and words.
        other: readings of the other ways in which the cards may be read.
        misplaced: the cards are a combination, but a wild lies where it stands for none.
        words_misfit: the words name something that the cards are not.
        sure: the cards are not in doubt; `open_ended`: they may be something that nobody listed.
        unlisted: that is so likely that no list of readings is worth anything.
        nothing: nothing may have been played at all.
    """

    first: tuple[Reading, ...]
    other: tuple[Reading, ...] = ()
    misplaced: bool = False
    words_misfit: bool = False
    sure: bool = True
    open_ended: bool = False
    unlisted: bool = False
    nothing: bool = False

    @property
    def all(self) -> tuple[Reading, ...]:
        """Every reading."""
        return (*self.first, *self.other)

    @property
    def open(self) -> bool:
        """Whether it may be anything, or nothing: whatever is held against it is to be looked at."""
        return self.unlisted or self.nothing or (self.open_ended and not self.other)


@dataclass(frozen=True, slots=True)
class Top:
    """A play that lies to be beaten."""

    seat: Seat
    seq: int
    cards: tuple[Card, ...]
    meaning: Meaning


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a play amounts to, for the judge: decided when it is recorded, against the trick as it was then.

    Attributes:
        beats: `yes`; `open`: under some readings only; `no`: under none of the first readings.
        excused: another reading of the cards, of this play or of what it was to beat, makes it legal.
        meant: the readings that remain (they beat what lay there).
        leads: it opens a trick.
    """

    seq: int
    leads: bool
    beats: str
    excused: bool
    meant: tuple[Reading, ...]
    meaning: Meaning
    prior: Top | None = None


@dataclass(frozen=True)
class Trick:
    """A trick in progress.

    Attributes:
        number: counts from 1 in the deal.
        leaders: who may lead it, the likeliest first; empty: anybody (it does not follow).
        tops: what the next play has to beat: the last is what lies on top; earlier ones stay while the last
            is in dispute.
        passed: seats that have passed, or played what does not count, since the top was played.
        owed: seats that were skipped by a play out of turn and may still act.
        turn: who is to act; None when any of several may.
        relay: the leader leads for a partner who is out (接风).
        laid: every play of the trick that counts, in order: what is on top again when one is taken back.
    """

    number: int = 1
    leaders: tuple[Seat, ...] = ()
    tops: tuple[Top, ...] = ()
    passed: frozenset[Seat] = frozenset()
    owed: frozenset[Seat] = frozenset()
    turn: Seat | None = None
    relay: bool = False
    laid: tuple[Top, ...] = ()

    @property
    def open(self) -> bool:
        """Nothing has been led yet."""
        return not self.tops

    @property
    def top(self) -> Top | None:
        """What lies on top."""
        return self.tops[-1] if self.tops else None


def meaning_of(
    cards: Sequence[Card],
    says: str | None,
    others: Iterable[Sequence[Card]],
    level: str,
    rules: ComboRules,
    *,
    sure: bool,
    open_ended: bool,
    by_layout: bool = True,
    unlisted: bool = False,
    nothing: bool = False,
) -> Meaning:
    """What a play's cards may mean, with the other ways in which they may be read.

    Args:
        cards: left to right as the player sees them.
        says: the meaning spoken.
        others: other readings of the picture, likeliest first.
        level: of the deal.
        rules: of the profile about combinations.
        sure: the cards are not in doubt.
        open_ended: they may be something that nobody listed.
        by_layout: the place of a wild tells its meaning.
        unlisted: no list of readings is worth anything.
        nothing: nothing may have been played at all.
    """
    every = readings(cards, level, rules)
    said = [reading for reading in every if named_by(reading, says)]
    misfit = bool(every) and not said
    laid = said or every
    if by_layout:
        laid = layout_readings(cards, level, rules, None if misfit else says)
    first = tuple(laid or said or every)
    other = tuple(reading for read in others for reading in readings(read, level, rules))
    return Meaning(first, other, bool(every) and not laid, misfit, sure, open_ended, unlisted, nothing)


def verdict_on(seq: int, meaning: Meaning, tops: Sequence[Top], level: str, rules: ComboRules) -> Verdict:
    """What a play amounts to on what lies there (nothing: it leads)."""
    if not tops:
        excused = not meaning.first and (bool(meaning.other) or meaning.open or meaning.open_ended)
        return Verdict(seq, True, "yes" if meaning.first else "no", excused, meaning.first, meaning)
    prior = tops[-1]
    target = prior.meaning.first
    if not target:
        # What lies there is no combination: nothing can be said against a combination on it.
        excused = not meaning.first and (bool(meaning.other) or meaning.open or meaning.open_ended)
        return Verdict(seq, False, "yes" if meaning.first else "no", excused, meaning.first, meaning, prior)
    sure = tuple(r for r in meaning.first if all(r.beats(t, level, rules) for t in target))
    some = tuple(r for r in meaning.first if any(r.beats(t, level, rules) for t in target))
    beats = "yes" if sure else "open" if some else "no"
    excused = beats != "yes" and (beats == "open" or _excused(meaning, tops, level, rules))
    return Verdict(seq, False, beats, excused, sure or some or meaning.first, meaning, prior)


def _excused(meaning: Meaning, tops: Sequence[Top], level: str, rules: ComboRules) -> bool:
    """Whether any reading of this play beats any reading of what it may have had to beat.

    A play that may not have happened breaks no rule; where all that lies there may be nothing, it led.
    """
    if meaning.open:
        return True
    own = (*meaning.first, *meaning.other)
    if own and all(top.meaning.nothing for top in tops):
        return True
    for top in tops:
        if (top.meaning.unlisted or (top.meaning.open_ended and not top.meaning.other)) and own:
            return True
        lying = (*top.meaning.first, *top.meaning.other)
        if any(mine.beats(theirs, level, rules) for mine in own for theirs in lying):
            return True
    return False


def following(seat: Seat, counts: Sequence[int], skip: Iterable[Seat] = ()) -> Seat | None:
    """The next seat after this one that has cards and is not to be skipped; None when there is none."""
    skipped = set(skip)
    for step in (1, 2, 3):
        other = (seat + step) % 4
        if counts[other] > 0 and other not in skipped:
            return other
    return None


def between(first: Seat, last: Seat) -> tuple[Seat, ...]:
    """The seats from `first` on, in order of play, that come before `last`."""
    found: list[Seat] = []
    seat = first
    while seat != last and len(found) < len(SEATS):
        found.append(seat)
        seat = (seat + 1) % 4
    return tuple(found)
