"""One zone over time: when it is due for reading, and what of it is told as sightings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from calibration.setup import ZoneSetup
from table.sightings import (
    Backs,
    Laid,
    Lifted,
    Moved,
    PlaqueShown,
    Revised,
    Sighting,
    TrackedCard,
    TurnedOver,
)
from vision.evidence_sum import NAMES
from vision.gate import Gate
from vision.placing import left_to_right, overlap
from vision.plane import Points
from vision.tracker import Tracker
from vision.tracks import HIDDEN, Changes, Track
from vision.zone_views import ZoneView

AGAIN_S: Final = (0.2, 0.45, 0.8, 1.2, 1.8)
"""When a zone in which something is open is read again, s after the rest began."""
LAST_WORD: Final = 3
"""At this reading what is new is told, with its doubt."""
LEAST_TOLD: Final = 0.5
_SURE_ALONE: Final = 0.9
_PLAQUE_APART_MM: Final = 60.0
_RECHECK_S: Final = 1.0
_GREW: Final = 0.15
DARK_S: Final = 1.0
"""Of a zone that was not seen for longer than this, nobody knows how many plays came to lie in it."""
_WHOLE: Final = 0.9
_LAST_WORD_CLEARING: Final = 6
"""The same while cards are being turned over or taken away: hands and backs look like much."""
_SHOWN: Final = 2
"""So often what could not be read must have been seen before anybody is told."""


@dataclass(slots=True)
class Eye:
    """One camera's view of the zone with its gate, and when it last saw, s."""

    view: ZoneView
    gate: Gate
    seen: float = -np.inf


@dataclass(slots=True)
class Shown:
    """A plaque that lies in the zone."""

    says: str
    count: int | None
    place: Points
    misses: int = 0


@dataclass(slots=True)
class Rest:
    """A stretch in which nothing moves in the zone.

    Attributes:
        since: when it began, s.
        readings: how often it was read.
        beside: something moves elsewhere in the zone.
        settled: it lasts long enough for what was read to be told.
        checked: when it was last looked whether anything changed, s.
        seen: when it was last known to go on, s.
        cleared: what lay there was turned over or taken away in it.
    """

    since: float
    readings: int = 0
    beside: bool = False
    settled: bool = False
    checked: float = -np.inf
    seen: float = -np.inf
    cleared: bool = False


@dataclass(slots=True)
class ZoneWatch:
    """What is known of one zone between readings.

    Attributes:
        zone: the zone.
        eyes: its views, the best first.
        rest: the rest that goes on; None while it moves.
        hand: whether something reaches into it while it is at rest.
        hidden: how much of it a hand hides, 0..1.
        backs: how many backs were told.
        plaques: the plaques that lie in it.
        why_blind: why it is blind, empty while it sees.
        shares: how much of it cameras see together, by their names; empty it when a camera looks elsewhere.
        dark: for how long it was not seen before it was seen again, s; 0 where it never was lost.
        calm: when it was first at rest since then, s; infinite while it was not.
    """

    zone: ZoneSetup
    eyes: list[Eye]
    rest: Rest | None = None
    hand: bool = False
    hidden: float = 0.0
    backs: int = 0
    plaques: list[Shown] = field(default_factory=list)
    why_blind: str = ""
    shares: dict[tuple[str, ...], float] = field(default_factory=dict)
    dark: float = 0.0
    calm: float = np.inf
    _seen_at: float = -np.inf
    _backs_seen: list[int] = field(default_factory=list)

    def share(self, eyes: Sequence[Eye]) -> float:
        """How much of the zone these eyes see together, 0..1."""
        key = tuple(eye.view.camera.name for eye in eyes)
        if key not in self.shares:
            seen = np.any([eye.view.seen for eye in eyes], axis=0) if eyes else np.zeros((1, 1), bool)
            inside = eyes[0].view.small_grid.mask(self.zone.corners) > 0 if eyes else np.ones((1, 1), bool)
            self.shares[key] = float(seen[inside].mean())
        return self.shares[key]

    def note_seen(self, eye: Eye, at: float) -> None:
        """A picture of one of its eyes, of capture time `at`, s: notes when the zone had not been seen for long."""
        eye.seen = np.inf if eye.gate.stills else at
        since, enough = -np.inf, _WHOLE * self.share(self.eyes)
        seeing: list[Eye] = []
        for other in sorted(self.eyes, key=lambda one: -one.seen):
            seeing.append(other)
            if self.share(seeing) >= enough:
                since = min(other.seen, at)  # All of it was seen last then.
                break
        if np.isfinite(self._seen_at) and since - self._seen_at > DARK_S and not eye.gate.stills:
            # Where it looks as it was read before, nothing came to lie there.
            came = any(other.gate.changed for other in seeing)
            self.dark, self.calm = since - self._seen_at if came else 0.0, np.inf
        self._seen_at = max(self._seen_at, since)

    def note_calm(self, eyes: Sequence[Eye], now: float) -> None:
        """What comes to lie there after it was at rest once was seen coming."""
        if self.dark and not np.isfinite(self.calm) and eyes and all(eye.gate.at_rest for eye in eyes):
            self.calm = now

    def due(self, eyes: Sequence[Eye], now: float, tracks: Sequence[Track]) -> bool:
        """Whether the zone should be read now by these eyes; keeps count of its rests."""
        if not eyes:
            return False
        if all(eye.gate.nearly_at_rest for eye in eyes):
            since = max(eye.gate.rest_since for eye in eyes)
            if self.rest is None or self.rest.beside or since > self.rest.seen:
                self.rest = Rest(since)
            self.rest.seen = now
            self.rest.settled = all(eye.gate.at_rest for eye in eyes)
            return self._due_at_rest(self.rest, eyes, now, tracks)
        if any(eye.gate.changed_beside_motion for eye in eyes):
            if self.rest is None or not self.rest.beside:
                self.rest = Rest(now, beside=True, settled=True)
            return True
        return False

    def over(self, eyes: Sequence[Eye]) -> bool:
        """Whether a rest in which something was read has ended."""
        return self.rest is not None and not any(
            eye.gate.nearly_at_rest or eye.gate.changed_beside_motion for eye in eyes
        )

    def _due_at_rest(self, rest: Rest, eyes: Sequence[Eye], now: float, tracks: Sequence[Track]) -> bool:
        """A first reading as soon as it is calm, a second when at rest, more while something is open."""
        changed = False
        if rest.readings == 0 or now - rest.checked >= _RECHECK_S:
            if now - rest.checked < _RECHECK_S:
                return False
            rest.checked = now
            changed = any(eye.gate.changed for eye in eyes)
            if changed and rest.readings:
                rest.readings = 0
        if rest.readings == 0:
            return changed or self._open(tracks)
        if rest.readings == 1:
            # The cards may lie still for long enough though the hand that laid them has only just gone.
            rest.settled |= _lie_still(tracks, now - eyes[0].gate.at_rest_s)
            return rest.settled
        k = rest.readings - 2
        return k < len(AGAIN_S) and now - rest.since >= AGAIN_S[k] - 1e-6 and self._open(tracks)

    def begin_reading(self, now: float) -> Rest:
        """A reading starts: returns the rest that it belongs to."""
        if self.rest is None:
            self.rest = Rest(now, beside=True)
        self.rest.readings += 1
        return self.rest

    def tell(self, tracker: Tracker, changes: Sequence[Changes], frames: int, last: bool) -> list[Sighting]:
        """What a reading makes known.

        Args:
            tracker: of the table.
            changes: of this reading, one a camera.
            frames: how many frames at rest it rests on.
            last: whether nothing more will come that could clear up what is open.
        """
        out: list[Sighting] = []
        out += self._told_gone(tracker, [t for c in changes for t in c.gone if t.told], frames)
        over = [t for c in changes for t in c.over]
        if self.rest is not None:
            self.rest.cleared |= bool(over or out)
        if over:
            out.append(TurnedOver(at=self._moment(over), cards=self._cards(over), **self._common(frames)))
        up = [t for c in changes for t in c.up if t.told]
        if up:
            out.append(
                TurnedOver(at=self._moment(up), cards=self._cards(up), face_up=True, **self._common(frames))
            )
        moved = [t for c in changes for t in c.moved if t.face_up]
        if moved:
            out.append(Moved(at=self._since(), row=self._row(tracker), **self._common(frames)))
        out += self._told_new(tracker, frames, last)
        out += self._told_revised(tracker, frames, last)
        return out

    def flush(self, tracker: Tracker, frames: int = 1) -> list[Sighting]:
        """The rest is over: what was read but waited for more evidence is told as it is."""
        settled = self.rest is not None and self.rest.settled
        out = self._told_new(tracker, frames, last=True, over=True) if settled else []
        self.rest = None
        return out

    def see_backs(self, count: int, frames: int) -> list[Sighting]:
        """Backs of one reading: told when two readings agree on another number."""
        self._backs_seen = [*self._backs_seen[-1:], count]
        if len(self._backs_seen) < 2 or self._backs_seen[0] != count or count == self.backs:
            return []
        before, self.backs = self.backs, count
        return [Backs(at=self._since(), count=count, before=before, **self._common(frames))]

    def see_plaques(
        self, found: Sequence[tuple[str, int | None, Points]], at: float, frames: int
    ) -> list[Sighting]:
        """Plaques of one reading (says, count, centre in mm): each is told once while it lies there."""
        out: list[Sighting] = []
        kept = []
        for shown in self.plaques:
            shown.misses += 1
            kept += [shown] if shown.misses < 2 else []
        self.plaques = kept
        for says, count, place in found:
            same = [
                shown
                for shown in self.plaques
                if (shown.says, shown.count) == (says, count)
                and np.linalg.norm(shown.place - place) < _PLAQUE_APART_MM
            ]
            if same:
                same[0].misses, same[0].place = 0, place
            else:
                self.plaques.append(Shown(says, count, place))
                out.append(PlaqueShown(at=at, says=says, count=count, **self._common(frames)))
        return out

    def _open(self, tracks: Sequence[Track]) -> bool:
        """Whether another reading may clear something up."""
        backs = len(self._backs_seen) > 1 and self._backs_seen[-1] != self._backs_seen[-2]
        return backs or any(t.face_up and (not t.told or t.misses > 0 or t.doubtful) for t in tracks)

    def _told_new(self, tracker: Tracker, frames: int, last: bool, over: bool = False) -> list[Sighting]:
        """What is new, once it is clear, or at the last word; `over`: the rest has ended."""
        new = [t for t in tracker.of_zone(self.zone.name) if not t.told and t.face_up]
        if last and new and all(t.blank for t in new) and self._readings() < LAST_WORD:
            return []
        if last:
            for track in [t for t in new if t.blank and t.shown < _SHOWN]:
                tracker.drop(track)
            new = [t for t in new if t.face_up]
        for track in [t for t in new if _dismissed(t)]:
            if not weak(track):
                _suspect(new, track)
            tracker.drop(track)
        new = [t for t in new if t.face_up]
        if self._being_cleared(tracker) and not all(_clear(t) for t in new):
            # A hand that takes cards away, and what it holds, may look like a card.
            new = [t for t in new if _clear(t)] if over else []
        settled = self.rest is not None and self.rest.settled
        if not new or (not last and not (settled and all(_clear(t) for t in new))):
            return []
        for track in [t for t in new if weak(t)]:
            # It was seen again and again and never became a card: what lies beside it is not all there is.
            if len(track.evidence.sure) > 1:
                _suspect(new, track)
            tracker.drop(track)
        new = [t for t in new if not weak(t)]
        if not new:
            return []
        new += tracker.see_gaps(self.zone, new)
        for track in new:
            track.told, track.doubt_told = True, track.doubtful
            track.name_told = -1 if track.blank else track.evidence.name
        new = [new[i] for i in left_to_right([t.outline for t in new], self.zone)]
        return [
            Laid(
                at=max(t.still for t in new),
                cards=self._cards(new),
                row=self._row(tracker),
                hand=self.hand or (self.rest is not None and self.rest.beside),
                dark=round(self.dark, 3) if any(t.still <= self.calm for t in new) else 0.0,
                **self._common(frames),
            )
        ]

    def _being_cleared(self, tracker: Tracker) -> bool:
        """Whether cards are being turned over or taken away, or something lies on them, and may soon be gone."""
        if self.rest is None or self.rest.beside or self._readings() >= _LAST_WORD_CLEARING:
            return False
        return self.rest.cleared or any(t.told and t.state == HIDDEN for t in tracker.of_zone(self.zone.name))

    def _told_revised(self, tracker: Tracker, frames: int, last: bool) -> list[Sighting]:
        changed = []
        for track in tracker.of_zone(self.zone.name):
            if not track.told or not track.face_up or track.blank:
                continue
            name, doubt = track.evidence.name, track.doubtful
            renamed = name != track.name_told
            if renamed or (doubt != track.doubt_told and (last or not doubt)):
                track.name_told, track.doubt_told = name, doubt
                changed.append(track)
        if not changed:
            return []
        cards, row = self._cards(changed), self._row(tracker)
        return [Revised(at=self._since(), cards=cards, row=row, **self._common(frames))]

    def _told_gone(self, tracker: Tracker, gone: list[Track], frames: int) -> list[Sighting]:
        if not gone:
            return []
        left = sum(1 for t in tracker.of_zone(self.zone.name) if t.told and t.face_up)
        return [
            Lifted(
                at=max(t.missed_at for t in gone), cards=self._cards(gone), left=left, **self._common(frames)
            )
        ]

    def _row(self, tracker: Tracker) -> tuple[TrackedCard, ...]:
        there = [t for t in tracker.of_zone(self.zone.name) if t.face_up and t.told]
        return self._cards([there[i] for i in left_to_right([t.outline for t in there], self.zone)])

    def _cards(self, tracks: Sequence[Track]) -> tuple[TrackedCard, ...]:
        return tuple(track.as_seen(self.zone) for track in tracks)

    def _readings(self) -> int:
        return self.rest.readings if self.rest is not None else 0

    def _since(self) -> float:
        return self.rest.since if self.rest is not None else 0.0

    def _moment(self, tracks: Sequence[Track]) -> float:
        return max((t.missed_at for t in tracks if t.missed_at), default=self._since())

    def _common(self, frames: int) -> dict[str, Any]:
        return {"zone": self.zone.name, "seat": self.zone.seat, "frames": frames}


def _clear(track: Track) -> bool:
    return not track.doubtful and track.evidence.confidence >= _SURE_ALONE


def _lie_still(tracks: Sequence[Track], since: float) -> bool:
    """Whether there are cards to tell, and nothing moved over any of them since then."""
    new = [track for track in tracks if not track.told and track.face_up]
    return bool(new) and all(track.still <= since + 1e-6 for track in new)


def weak(track: Track) -> bool:
    """Whether a track that has readings is hardly believed to be a card of the name that they give."""
    if track.blank:
        return False
    return track.evidence.confidence < LEAST_TOLD or float(track.evidence.chances[NAMES]) > LEAST_TOLD


def _dismissed(track: Track) -> bool:
    """Whether an untold track is no card after all: hardly believed or mostly not found again."""
    readings = len(track.evidence.sure)
    if track.blank:
        return False
    return track.unread > readings or (track.unread >= readings and weak(track))


def _suspect(tracks: Sequence[Track], beside: Track) -> None:
    """What touches a thing that could not be read may be more, or other, than was read."""
    for track in tracks:
        track.suspect |= track is not beside and overlap(track.outline, beside.outline) > 0
