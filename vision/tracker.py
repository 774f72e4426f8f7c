"""Cards over time: which card of one reading is which of the reading before, what is covered, gone, turned over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import cv2
import numpy as np
from scipy.optimize import linear_sum_assignment

from calibration.setup import ZoneSetup
from vision.evidence_sum import Evidence, Row, reading_row
from vision.placing import canonical, overlap, owner, turned_apart
from vision.plane import Points
from vision.rows import GAP_NOTHING, row_gaps
from vision.tracks import COVERED, GONE, HIDDEN, OVER, VISIBLE, Changes, Look, Pair, Track, ZoneReading
from vision.unread import Piece

__all__ = ["VISIBLE", "Tracker"]

_SAME_MM: Final = 14.0
_SAME_TURN: Final = 25.0
_SPREAD_MM: Final = 6.0
_SPREAD_TURN: Final = 8.0
_FAR_MM: Final = 170.0
_CHANGED: Final = 0.08
_OTHER_NAME: Final = 0.05
_ONE_NAME: Final = 0.3
_COVERED: Final = 0.3
_GONE_AFTER: Final = 2
_TWICE_MM: Final = 9.0
_MOVED_MM: Final = 12.0
_MOVED_TURN: Final = 8.0
_PUSHED_MM: Final = 4.0
_WITH_IT_MM: Final = 5.0
_NO: Final = 1e3
_EMPTY: Final = 0.35
_SURE_ALL_THE_SAME: Final = 0.9
_SAME_PIECE_MM: Final = 20.0
_NEW_PIECE: Final = 0.5


class Tracker:
    """Keeps the cards of one table.

    Args:
        zones: all zones: where they overlap, a card belongs to the one for whom it stands upright.
        packs: how many packs are in play.
    """

    def __init__(self, zones: Sequence[ZoneSetup], packs: int) -> None:
        self.zones = {zone.name: zone for zone in zones}
        self.packs = packs
        self.tracks: list[Track] = []
        self._next = 1

    def of_zone(self, zone: str) -> list[Track]:
        """Tracks of a zone, the oldest first, none that is gone."""
        return [track for track in self.tracks if track.zone == zone]

    def drop(self, track: Track) -> None:
        """It was no card, or it is gone and told."""
        track.state = GONE
        self.tracks = [other for other in self.tracks if other is not track]

    def update(self, zone: ZoneSetup, reading: ZoneReading, look: Look) -> Changes:
        """Take in one reading of one zone by one camera.

        Args:
            zone: the zone that was read.
            reading: what was read.
            look: what the eye for motion says at the same moment.
        """
        changes = Changes()
        rows = [reading_row(reading.cards, i) for i in range(len(reading.cards))]
        free = _each_once(reading)
        # Cards that were pushed together, then those that lie where they lay, then those pushed singly.
        pairs = self._pushed_together(self._up(zone), reading, rows, free, look)
        pairs += self._same_places(self._without(self.tracks, pairs), reading, rows, _left(free, pairs), look)
        pairs += self._pushed(self._without(self._up(zone), pairs), reading, rows, _left(free, pairs), look)
        # Where zones overlap, a card of another zone is seen but read in its own zone.
        for track, i in [pair for pair in pairs if pair[0].zone == zone.name]:
            self._found(track, i, reading, look, changes)
        for i in _left(free, pairs):
            if look.calm(reading.outlines[i]):
                self._new(zone, i, reading, look, changes)
        present = {id(track) for track, _ in pairs} | {id(track) for track in changes.born}
        # The clearest cases first: what lies beside a card that was turned over went with it.
        lost = [track for track in self.of_zone(zone.name) if id(track) not in present]
        lost.sort(key=lambda track: -_under(track, reading.backs))
        for track in lost:
            self._not_found(track, present, reading, look, changes)
        self._limit()
        return changes

    def _up(self, zone: ZoneSetup) -> list[Track]:
        return [track for track in self.of_zone(zone.name) if track.face_up]

    @staticmethod
    def _without(tracks: Sequence[Track], pairs: Sequence[Pair]) -> list[Track]:
        found = {id(track) for track, _ in pairs}
        return [track for track in tracks if id(track) not in found]

    def _same_places(
        self, tracks: list[Track], reading: ZoneReading, rows: list[Row], free: list[int], look: Look
    ) -> list[Pair]:
        """Cards that lie where a track lies, of any zone."""
        if not tracks or not free:
            return []
        cost = np.full((len(tracks), len(free)), _NO)
        for a, track in enumerate(tracks):
            changed: float | None = None
            for b, i in enumerate(free):
                apart = float(np.linalg.norm(reading.outlines[i].mean(0) - track.centre))
                turn = turned_apart(reading.outlines[i], track.outline)
                if apart > _SAME_MM or turn > _SAME_TURN:
                    continue
                if changed is None:
                    changed = 1.0 if track.touched else look.changed_share(track.outline)
                like = track.evidence.likeness(rows[i])
                if changed >= _CHANGED and like < _OTHER_NAME and not track.blank:
                    continue
                weight = 0.5 if changed < _CHANGED else 1.0
                cost[a, b] = (apart / _SPREAD_MM) ** 2 / 2 + (turn / _SPREAD_TURN) ** 2 / 2
                cost[a, b] -= weight * np.log(max(like, 0.02))
        return [
            (tracks[a], free[b])
            for a, b in zip(*linear_sum_assignment(cost), strict=True)
            if cost[a, b] < _NO
        ]

    def _pushed_together(
        self, tracks: list[Track], reading: ZoneReading, rows: list[Row], free: list[int], look: Look
    ) -> list[Pair]:
        """At least three cards that one push brought from where they lay to where they lie."""
        pairs = self._elsewhere(tracks, reading, rows, free, look)
        steps = [(track.centre, reading.outlines[i].mean(0)) for track, i in pairs]
        return _one_to_one([pairs[k] for k in _moved_as_one(steps)])

    def _pushed(
        self, tracks: list[Track], reading: ZoneReading, rows: list[Row], free: list[int], look: Look
    ) -> list[Pair]:
        """Cards whose place is bare and that lie elsewhere, and those that went with them."""
        pairs = self._elsewhere(tracks, reading, rows, free, look)
        steps = [reading.outlines[i].mean(0) - track.centre for track, i in pairs]
        bare = [look.bare(track.outline, reading.outlines) for track, _ in pairs]
        good = [
            k
            for k in range(len(pairs))
            if any(bare[j] and np.linalg.norm(steps[j] - steps[k]) < _WITH_IT_MM for j in range(len(pairs)))
        ]
        good.sort(key=lambda k: (not bare[k], float(np.linalg.norm(steps[k]))))
        return _one_to_one([pairs[k] for k in good])

    def _elsewhere(
        self, tracks: list[Track], reading: ZoneReading, rows: list[Row], free: list[int], look: Look
    ) -> list[Pair]:
        """Tracks whose place changed with every card of the same name that may be it."""
        tracks = [
            t for t in tracks if t.misses == 0 and (t.touched or look.changed_share(t.outline) >= _CHANGED)
        ]
        return [
            (track, i)
            for track in tracks
            for i in free
            if np.linalg.norm(reading.outlines[i].mean(0) - track.centre) <= _FAR_MM
            and track.evidence.likeness(rows[i]) >= _ONE_NAME
        ]

    def _found(self, track: Track, i: int, reading: ZoneReading, look: Look, changes: Changes) -> None:
        zone = self.zones[track.zone]
        new = canonical(reading.outlines[i], zone)
        apart = float(np.linalg.norm(new.mean(0) - track.centre))
        elsewhere = apart > _MOVED_MM or turned_apart(new, track.outline) > _MOVED_TURN
        if track.told and elsewhere and look.changed_share(track.outline) >= _CHANGED:
            changes.moved.append(track)
        if track.state == OVER:
            changes.up.append(track)
        track.evidence.add(reading.cards, i, reading.rest)
        track.place(new, reading.rest)
        track.state, track.misses, track.touched = VISIBLE, 0, False

    def _new(
        self,
        zone: ZoneSetup,
        i: int,
        reading: ZoneReading,
        look: Look,
        changes: Changes,
    ) -> None:
        outline = reading.outlines[i]
        # The surer cards of the reading, and what lies there and was covered since.
        sure = reading.cards.confidence
        surer = [j for j in range(len(reading.outlines)) if (sure[j], -j) > (sure[i], -i)]
        beside = [reading.outlines[j] for j in surer if j not in changes.print]
        beside += [t.outline for t in self.tracks if t.face_up and not t.blank]
        beside += list(reading.backs)
        support = look.support(outline, np.array(beside).reshape(-1, 4, 2))
        empty = support is not None and support < _EMPTY
        if empty and reading.cards.confidence[i] < _SURE_ALL_THE_SAME:
            # Where the card would lie the bare table shows: it was print on another card, or on the table.
            changes.print.append(i)
            return
        others = [(track.outline, track.zone) for track in self.tracks if track.face_up]
        if owner(outline, tuple(self.zones.values()), others) != zone.name:
            return
        evidence = Evidence()
        evidence.add(reading.cards, i, reading.rest)
        outline = canonical(outline, zone)
        track = Track(self._next, zone.name, outline, evidence, look.still_since(outline), reading.rest)
        track.place(outline, reading.rest)
        track.support, track.suspect = support, empty
        self._next += 1
        self.tracks.append(track)
        changes.born.append(track)

    def _not_found(
        self, track: Track, present: set[int], reading: ZoneReading, look: Look, changes: Changes
    ) -> None:
        if track.blank and not track.told:
            return
        track.touched |= look.changed_share(track.outline) >= _CHANGED
        if not look.visible(track.outline) or not look.calm(track.outline):
            return
        track.unread += not track.told
        newer = [t.outline for t in self.tracks if id(t) in present and t.number > track.number]
        others = [t.outline for t in self.tracks if id(t) in present] + list(reading.backs)
        under_back = _under(track, reading.backs) > 0.5
        # Of backs that lie overlapped not each is found.
        beside = any(overlap(track.outline, other.outline) > 0.3 for other in changes.over)
        if track.state == OVER:
            if not under_back and look.bare(track.outline, np.array(others).reshape(-1, 4, 2)):
                self.drop(track)
        elif track.touched and (under_back or (beside and _covered(track, newer) < _COVERED)):
            if track.told:
                changes.over.append(track)
            track.state = OVER
        elif track.touched and look.bare(track.outline, np.array(others).reshape(-1, 4, 2)):
            track.missed_at = track.missed_at if track.misses else look.still_since(track.outline)
            track.misses += 1
            if track.misses >= _GONE_AFTER or not track.told:
                self.drop(track)
                changes.gone.append(track)
        elif track.touched:
            track.state = COVERED if _covered(track, newer) >= _COVERED else HIDDEN

    def see_unread(self, zone: ZoneSetup, pieces: Sequence[Piece], look: Look, rest: float) -> None:
        """Take in what lies in a zone like a card and could not be read.

        It becomes a track when something changed where it shows, and stays one while it shows at each reading; once it
        was told it is followed like any other card.
        """
        waiting = [t for t in self.of_zone(zone.name) if t.blank and not t.told]
        for piece in pieces:
            others = [(t.outline, t.zone) for t in self.tracks if t.face_up]
            if owner(piece.outline, tuple(self.zones.values()), others) != zone.name:
                continue
            centre = piece.outline.mean(0)
            same = [t for t in waiting if float(np.linalg.norm(t.centre - centre)) < _SAME_PIECE_MM]
            if same:
                waiting.remove(same[0])
                same[0].outline, same[0].missing = canonical(piece.outline, zone), piece.nothing
                same[0].shown += 1
            elif look.calm(piece.shows) and look.changed_share(piece.shows) >= _NEW_PIECE:
                outline = canonical(piece.outline, zone)
                track = Track(self._next, zone.name, outline, Evidence(), look.still_since(piece.shows), rest)
                track.shown, track.missing = 1, piece.nothing
                self._next += 1
                self.tracks.append(track)
        for track in waiting:
            self.drop(track)

    def see_gaps(self, zone: ZoneSetup, new: Sequence[Track]) -> list[Track]:
        """Tracks for cards that seem to be missing in a row of new ones; each is read later perhaps, or never."""
        gaps = row_gaps([track.outline for track in new], zone)
        still, rest = (max(getattr(t, name) for t in new) for name in ("still", "rest"))
        out = []
        for outline in gaps:
            track = Track(self._next, zone.name, outline, Evidence(), still, rest)
            track.missing = GAP_NOTHING
            self._next += 1
            self.tracks.append(track)
            out.append(track)
        return out

    def _limit(self) -> None:
        """Beyond as many copies as there are packs, the weakest are doubtful."""
        by_name: dict[int, list[Track]] = {}
        for track in self.tracks:
            track.beyond = False
            if track.face_up and not track.blank:
                by_name.setdefault(track.evidence.name, []).append(track)
        for same in by_name.values():
            for track in sorted(same, key=lambda t: -t.evidence.confidence)[self.packs :]:
                track.beyond = True


def _each_once(reading: ZoneReading) -> list[int]:
    """Numbers of the cards, the surest first; a card of which each corner was taken for a card only once."""
    kept: list[int] = []
    cards = reading.cards
    for i in np.argsort(-cards.confidence, kind="stable"):
        outline = reading.outlines[i]
        twice = False
        for j in kept:
            other = reading.outlines[j]
            opposite = float(cards.upright[i] @ cards.upright[j]) < -0.9 and cards.corners[[i, j]].max() == 1
            near = float(np.linalg.norm(outline.mean(0) - other.mean(0))) < _TWICE_MM
            twice |= (
                opposite and near and cards.card[i] == cards.card[j] and turned_apart(outline, other) < 12
            )
        if not twice:
            kept.append(int(i))
    return kept


def _covered(track: Track, newer: Sequence[Points]) -> float:
    """How much of a card's place newer cards cover, 0..1 and more."""
    return sum(overlap(track.outline, outline) for outline in newer)


def _under(track: Track, backs: Points) -> float:
    """How much of a card's place lies under a back, 0..1."""
    return max((overlap(track.outline, back) for back in backs), default=0.0)


def _left(free: Sequence[int], pairs: Sequence[Pair]) -> list[int]:
    taken = {i for _, i in pairs}
    return [i for i in free if i not in taken]


def _one_to_one(pairs: Sequence[Pair]) -> list[Pair]:
    """Of pairs, the best first, those whose track and card are free yet."""
    out: list[Pair] = []
    for track, i in pairs:
        if not any(track is other or i == j for other, j in out):
            out.append((track, i))
    return out


def _moved_as_one(steps: list[tuple[Points, Points]]) -> list[int]:
    """Numbers of the steps (from, to) that one push of at least three cards explains, if it moved them."""
    if len(steps) < 3:
        return []
    start, end = (np.array(side, np.float32) for side in zip(*steps, strict=True))
    fitted, inside = cv2.estimateAffinePartial2D(start, end, ransacReprojThreshold=6.0)
    if fitted is None or inside is None:
        return []
    size = float(np.hypot(fitted[0, 0], fitted[1, 0]))
    members = [int(k) for k in np.flatnonzero(np.asarray(inside).ravel())]
    if abs(size - 1) > 0.06 or len({tuple(start[k]) for k in members}) < 3:
        return []
    far = np.median(np.linalg.norm(end[members] - start[members], axis=1))
    return members if far > _PUSHED_MM else []
