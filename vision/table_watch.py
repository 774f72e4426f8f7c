"""Watches a whole table: frames of its cameras come in, sightings of what was laid, lifted, turned over go out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np

from calibration.setup import CameraSetup, TableSetup, ZoneSetup
from table.sightings import Blind, Sighting
from vision.camera_health import GONE_S, KNOCKED_MM, CameraHealth
from vision.card_reader import CardReader
from vision.cards_read import CardsRead, Reading
from vision.frames import Frame, Image
from vision.gate import AT_REST_S, Gate, Insisting
from vision.placing import local, overlap
from vision.plane import Points, moved_camera, table_to_px
from vision.plaques import PlaqueFinder
from vision.tracker import Tracker
from vision.tracks import GONE, Changes, Look, Track, ZoneReading
from vision.unread import WHOLE_NOTHING, unread_pieces
from vision.zone_views import Region, ZoneView
from vision.zone_watch import LAST_WORD, LEAST_TOLD, Eye, ZoneWatch, weak

LEAST: Final = 0.25
"""Readings less sure than this are no evidence at all; those below one half must be confirmed."""
IGNORED: Final = "ignore"
"""Kind of the zones in which nothing is read: there players hold their hands."""
_ALL_OF_IT: Final = 0.97
_SOME_OF_IT: Final = 0.08
_BLIND_BELOW: Final = 0.9
_HAND_HIDES: Final = 0.5
_HAND_S: Final = 2.0
_SMALLEST_PX: Final = 64
_SURE: Final = 0.9
_PAUSE_S: Final = 0.25
"""A longer stretch in which no camera gave a frame counts as so much against one that is silent."""


@dataclass(slots=True)
class _Camera:
    """A camera with what is known of it now."""

    setup: CameraSetup
    health: CameraHealth
    frame: Frame | None = None
    usable: bool = False
    knocked: bool = False
    silent: float = 0.0
    """For how long others gave frames since its last one, or time passed without any, s."""
    shift: Points | None = None


@dataclass(slots=True)
class _Job:
    """One crop that is to be read."""

    watch: ZoneWatch
    eye: Eye
    region: Region | None
    crop: Image | None
    forced: bool


class TableWatch:
    """From frames to sightings.

    Args:
        setup: the table: cameras, zones, packs.
        reader: reads the crops.
        at_rest_s: how long nothing may move in a zone before it is read, s.
    """

    def __init__(self, setup: TableSetup, reader: CardReader, *, at_rest_s: float = AT_REST_S) -> None:
        self.setup, self._reader, self._at_rest_s = setup, reader, at_rest_s
        self.tracker = Tracker(setup.zones, setup.packs)
        self._plaques = PlaqueFinder()
        tags = setup.placed_tags
        self._cameras = {c.name: _Camera(c, CameraHealth(c, setup.zones, tags)) for c in setup.cameras}
        self._zones = {zone.name: ZoneWatch(zone, []) for zone in setup.zones if zone.kind != IGNORED}
        self._ignored = [zone for zone in setup.zones if zone.kind == IGNORED]
        for camera in setup.cameras:
            self._aim(camera)
        self._now = self._newest = -np.inf
        self.readings = 0
        """How many crops were given to the reader so far."""

    def see(self, frames: Sequence[Frame], now: float | None = None) -> list[Sighting]:
        """Take in the next frames, of any of the cameras, in order of capture.

        Args:
            frames: each with `source` the camera's name.
            now: the time up to which no other frame came, s; else that of the newest frame.

        Returns:
            What became known by them; `at` is when the cards came to rest, by the time of capture.

        Raises:
            ValueError: a frame of a camera that the table does not have, or of another size.
        """
        for frame in frames:
            self._take_in(frame)
        if now is not None and not frames and np.isfinite(self._now):
            for camera in self._cameras.values():
                camera.silent += min(max(now - self._now, 0.0), _PAUSE_S)
        self._now = max([self._now, *(f.at for f in frames), *([] if now is None else [now])])
        out = self._check_cameras(told_time=now is not None)
        jobs: list[_Job] = []
        for watch in self._zones.values():
            eyes = self._working(watch)
            watch.note_calm(eyes, self._now)
            if watch.due(eyes, self._now, self.tracker.of_zone(watch.zone.name)):
                jobs += self._jobs(watch, eyes, forced=False)
            elif watch.over(eyes):
                out += watch.flush(self.tracker)
        return out + self._read(self._from_their_places(jobs))

    def read_now(self, zone: str) -> list[Sighting]:
        """Read a zone at once, moving or not: the referee said "look again".

        Raises:
            KeyError: no such zone.
        """
        watch = self._zones[zone]
        eyes = [eye for eye in watch.eyes if self._cameras[eye.view.camera.name].frame is not None]
        jobs = self._jobs(watch, eyes[:1] if eyes and eyes[0].view.share >= _ALL_OF_IT else eyes, forced=True)
        return self._read(jobs)

    def tracks(self) -> Mapping[str, tuple[Track, ...]]:
        """What lies on the table now, by zone: cards that were told and lie face up or were turned over."""
        return {
            name: tuple(t for t in self.tracker.of_zone(name) if t.told and t.state != GONE)
            for name in self._zones
        }

    def outline_px(self, camera: str, track: Track) -> Points:
        """(4, 2) px: where a card lies in a camera's picture, clockwise from its reader's top left.

        Raises:
            KeyError: no such camera.
        """
        return table_to_px(self._cameras[camera].setup.plane, track.outline)

    def idle(self, camera: str) -> bool:
        """Whether nothing moves in any zone that a camera sees.

        Raises:
            KeyError: no such camera.
        """
        self._cameras[camera]
        eyes = [e for w in self._zones.values() for e in w.eyes if e.view.camera.name == camera]
        return all(eye.gate.at_rest for eye in eyes)

    def place(self, camera: str) -> CameraSetup:
        """A camera with its plane as it is taken to be now, after it was knocked perhaps.

        Raises:
            KeyError: no such camera.
        """
        return self._cameras[camera].setup

    def put_place(self, setup: CameraSetup) -> None:
        """A camera is where this says from now on.

        Raises:
            KeyError: no such camera.
        """
        camera = self._cameras[setup.name]
        camera.setup = camera.health.camera = setup
        camera.health.accept()
        camera.knocked, camera.shift = False, None
        self._aim(setup)

    def seers(self, zone: str) -> tuple[str, ...]:
        """Names of the cameras that see a zone.

        Raises:
            KeyError: no such zone.
        """
        return tuple(dict.fromkeys(eye.view.camera.name for eye in self._zones[zone].eyes))

    def _aim(self, camera: CameraSetup) -> None:
        """Make the views of one camera, in place of those that it had."""
        for watch in self._zones.values():
            watch.eyes = [eye for eye in watch.eyes if eye.view.camera.name != camera.name]
            view = ZoneView(camera, watch.zone)
            if view.share >= _SOME_OF_IT:
                stills = camera.kind == "stills"
                watch.eyes.append(Eye(view, Gate(view.small_grid, view.seen, self._at_rest_s, stills)))
            # What sees all of the zone comes first, then what sees it in most detail.
            watch.shares.clear()
            watch.eyes.sort(key=lambda eye: (eye.view.share < _ALL_OF_IT, -eye.view.detail))

    def _take_in(self, frame: Frame) -> None:
        camera = self._cameras.get(frame.source)
        if camera is None:
            known = ", ".join(self._cameras)
            raise ValueError(
                f"a frame of camera {frame.source!r}, which the table does not have (it has {known})"
            )
        step = min(max(frame.at - self._newest, 0.0), _PAUSE_S) if np.isfinite(self._newest) else 0.0
        self._newest = max(self._newest, frame.at)
        for other in self._cameras.values():
            other.silent = 0.0 if other is camera else other.silent + step
        was_usable = camera.usable
        fresh = camera.health.see(frame.image, frame.at)
        camera.usable = not camera.health.trouble and not camera.knocked
        if fresh:
            camera.frame = frame
        if not fresh or not camera.usable:
            if was_usable and not camera.usable:
                self._lose(camera)
            return
        for watch in self._zones.values():
            for eye in watch.eyes:
                if eye.view.camera.name == frame.source:
                    eye.gate.see(eye.view.small(frame.image), frame.at)
                    watch.note_seen(eye, frame.at)

    def _lose(self, camera: _Camera) -> None:
        for watch in self._zones.values():
            for eye in watch.eyes:
                if eye.view.camera.name == camera.setup.name:
                    eye.gate.lose()

    def _check_cameras(self, told_time: bool) -> list[Sighting]:
        for camera in self._cameras.values():
            # A stretch without any frames says nothing about one camera: it is gone when others go on.
            if told_time or camera.silent > GONE_S:
                camera.health.miss(self._now, camera.silent)
            if camera.health.trouble and camera.usable:
                camera.usable = False
                self._lose(camera)
            if camera.frame is not None and not camera.health.trouble:
                self._check_place(camera)
        return [told for watch in self._zones.values() for told in self._blindness(watch)]

    def _from_their_places(self, jobs: Sequence[_Job]) -> list[_Job]:
        """Without the crops of cameras that were knocked just now: their places would be wrong."""
        for name in {job.eye.view.camera.name for job in jobs}:
            self._check_place(self._cameras[name], at_once=True)
        return [job for job in jobs if self._cameras[job.eye.view.camera.name].usable]

    def _check_place(self, camera: _Camera, at_once: bool = False) -> None:
        """Whether a camera was knocked; once it stays where it is now, its plane is set right by as much."""
        assert camera.frame is not None
        mm = camera.health.look_around(camera.frame.image, camera.frame.at, at_once)
        if mm is None:
            return
        if mm < KNOCKED_MM:
            camera.knocked, camera.shift = False, None
            return
        motion = camera.health.motion
        if motion is None:
            return
        centre = motion[:2, :2] @ (np.array(camera.setup.size) / 2) + motion[:2, 2]
        settled = camera.shift is not None and float(np.linalg.norm(centre - camera.shift)) < 3.0
        camera.shift = centre
        if not camera.knocked:
            camera.knocked, camera.usable = True, False
            self._lose(camera)
        elif settled:
            camera.setup = moved_camera(camera.setup, motion)
            camera.health.camera = camera.setup
            camera.health.accept()
            camera.knocked, camera.shift = False, None
            self._aim(camera.setup)

    def _blindness(self, watch: ZoneWatch) -> list[Sighting]:
        """Told when a zone becomes blind, and when it sees again."""
        working = [eye for eye in watch.eyes if self._cameras[eye.view.camera.name].usable]
        out = [eye for eye in watch.eyes if eye not in working and self._heard_of(eye)]
        share = watch.share(working)
        why = ""
        if out and share < _BLIND_BELOW and share < watch.share(watch.eyes) - 0.05:
            camera = self._cameras[out[0].view.camera.name]
            why = camera.health.trouble or "knocked"
        elif watch.hidden > _HAND_HIDES and (watch.why_blind == "hand" or self._rests(watch) > _HAND_S):
            # It is there until a reading says that it is gone, though it moves now and then.
            why = "hand"
        if why == watch.why_blind:
            return []
        at, seat = self._now, watch.zone.seat
        before, watch.why_blind = watch.why_blind, why
        names = tuple(eye.view.camera.name for eye in (out if why else working))
        if why:
            return [Blind(at=at, zone=watch.zone.name, seat=seat, blind=True, why=why, cameras=names)]
        return [Blind(at=at, zone=watch.zone.name, seat=seat, blind=False, cameras=names)] if before else []

    def _rests(self, watch: ZoneWatch) -> float:
        """For how long a zone has been at rest, s."""
        return 0.0 if watch.rest is None else self._now - watch.rest.since

    def _heard_of(self, eye: Eye) -> bool:
        camera = self._cameras[eye.view.camera.name]
        return camera.knocked or bool(camera.health.trouble)

    def _working(self, watch: ZoneWatch) -> list[Eye]:
        """The eyes with which a zone is read next: one that sees all of it, another each time, else all."""
        working = [
            eye
            for eye in watch.eyes
            if self._cameras[eye.view.camera.name].usable and np.isfinite(eye.gate.at)
        ]
        whole = [eye for eye in working if eye.view.share >= _ALL_OF_IT]
        if not whole:
            return working
        readings = watch.rest.readings if watch.rest is not None else 0
        turn = whole[readings % len(whole)]
        return [turn if turn.gate.at_rest else whole[0]]

    def _jobs(self, watch: ZoneWatch, eyes: Sequence[Eye], forced: bool) -> list[_Job]:
        jobs = []
        for eye in eyes:
            frame = self._cameras[eye.view.camera.name].frame
            if frame is None:
                continue
            grid = eye.view.grid
            region = (0, 0, *grid.size) if forced else eye.gate.busy_region(grid.px_per_mm, grid.size)
            crop = None if region is None else eye.view.crop(frame.image, region)
            if crop is not None and min(crop.shape[:2]) < _SMALLEST_PX:
                crop = None
            jobs.append(_Job(watch, eye, region, crop, forced))
        return jobs

    def _read(self, jobs: Sequence[_Job]) -> list[Sighting]:
        """Read all crops in one batch and take in what they say, zone by zone."""
        if not jobs:
            return []
        crops = [job.crop for job in jobs if job.crop is not None]
        read = iter(self._reader.read_zones(crops, self.setup.packs, LEAST) if crops else [])
        self.readings += len(crops)
        readings = [Reading() if job.crop is None else next(read) for job in jobs]
        out: list[Sighting] = []
        for watch in dict.fromkeys(job.watch.zone.name for job in jobs):
            mine = [(j, r) for j, r in zip(jobs, readings, strict=True) if j.watch.zone.name == watch]
            out += self._take_in_zone(self._zones[watch], mine)
        return out

    def _take_in_zone(self, watch: ZoneWatch, read: Sequence[tuple[_Job, Reading]]) -> list[Sighting]:
        rest = watch.begin_reading(self._now)
        changes: list[Changes] = []
        shown: list[tuple[str, int | None, Points]] = []
        frames, backs, hidden = 0, 0, 1.0
        for job, reading in read:
            gate = job.eye.gate
            gate.mark_read()
            plaques, boxes = self._find_plaques(job)
            shown += plaques
            zone_reading = self._with_jokers(job, _on_table(job, reading, boxes, rest.since, self._ignored))
            look = Insisting(gate) if job.forced else gate
            changes.append(self.tracker.update(watch.zone, zone_reading, look))
            zone_reading = zone_reading.without(changes[-1].print)
            frames = max(frames, gate.still_frames + 1)
            backs = max(backs, sum(_in_zone(back.mean(0), watch.zone) for back in zone_reading.backs))
            hidden = min(hidden, self._learn(job, zone_reading, boxes, look))
        watch.hand, watch.hidden = hidden > 0, hidden
        single = all(job.forced or job.eye.gate.stills for job, _ in read)
        last = rest.beside or rest.readings >= LAST_WORD or single
        out = watch.tell(self.tracker, changes, frames, last)
        out += watch.see_backs(backs, frames)
        return out + watch.see_plaques(shown, rest.since, frames)

    def _with_jokers(self, job: _Job, reading: ZoneReading) -> ZoneReading:
        """With the jokers among whole cards that lie there and that nobody could read so far."""
        if job.crop is None or job.region is None:
            return reading
        for track in self.tracker.of_zone(job.watch.zone.name):
            if not track.blank or not track.face_up or track.missing > WHOLE_NOTHING:
                continue
            if any(overlap(other, track.outline) > 0 for other in reading.outlines):
                continue
            outline = job.eye.view.grid.px(track.outline) - np.array(job.region[:2])
            if outline.min() < 0 or (outline > np.array(job.crop.shape[1::-1])).any():
                continue
            joker = self._reader.joker_at(job.crop, outline)
            if len(joker):
                outlines = np.concatenate([reading.outlines, track.outline[None]])
                cards = CardsRead.merge([reading.cards, joker])
                reading = ZoneReading(cards, outlines, reading.backs, reading.rest)
        return reading

    def _find_plaques(self, job: _Job) -> tuple[list[tuple[str, int | None, Points]], list[Points]]:
        """Plaques as (says, count, centre in mm), and the boards round them, (4, 2) mm."""
        if job.crop is None or job.region is None:
            return [], []
        told, boards = [], []
        for plaque in self._plaques.find(job.crop):
            corners = job.eye.view.grid.table(plaque.corners + np.array(job.region[:2]))
            centre = corners.mean(0)
            boards.append(np.asarray(centre + (corners - centre) * 1.6))
            if _in_zone(centre, job.watch.zone):
                told.append((plaque.says, plaque.count, centre))
        return told, boards

    def _learn(self, job: _Job, reading: ZoneReading, boards: Sequence[Points], look: Look) -> float:
        """Remember the bare table round what lies there; says how much of the zone a hand hides, 0..1."""
        gate = job.eye.gate
        up = [t for t in self.tracker.tracks if t.face_up and (t.told or not t.blank)]
        tracks = [t.outline for t in up]
        things = gate.grid.mask(np.array([*tracks, *reading.outlines, *boards]).reshape(-1, 4, 2), 3.0)
        things |= gate.grid.mask(reading.backs, 6.0)
        hand = gate.hand(gate.strange(things))
        # Under what is hardly believed may lie a card that nobody can read.
        believed = [t.outline for t in up if t.told or not weak(t)]
        cards = [*believed, *reading.outlines[reading.cards.confidence >= LEAST_TOLD]]
        gate.note_paper(reading.outlines[(reading.cards.confidence > _SURE) & ~reading.cards.doubtful])
        other = gate.grid.mask(np.array(list(boards)).reshape(-1, 4, 2), 3.0)
        wide = np.asarray(cv2.dilate(hand, np.ones((9, 9), np.uint8)), np.uint8)
        other = np.maximum(np.maximum(other, gate.grid.mask(reading.backs, 6.0)), wide)
        pieces = unread_pieces(gate, cards, other, self._paper(job.eye))
        self.tracker.see_unread(job.watch.zone, pieces, look, reading.rest)
        shown = np.array([piece.shows for piece in pieces]).reshape(-1, 4, 2)
        gate.learn(things | hand | gate.grid.mask(shown, 4.0))
        return float((hand > 0).mean())

    def _paper(self, eye: Eye) -> float | None:
        """How light faces are in the zones that an eye's camera sees; None where none was read yet."""
        name = eye.view.camera.name
        eyes = (e for watch in self._zones.values() for e in watch.eyes if e.view.camera.name == name)
        known = [e.gate.paper for e in eyes if e.gate.paper is not None]
        return float(np.median(known)) if known else None


def _in_zone(point: Points, zone: ZoneSetup) -> bool:
    x, y = np.abs(local(point, zone))
    return bool(x <= zone.size[0] / 2 and y <= zone.size[1] / 2)


def _on_table(
    job: _Job, reading: Reading, boards: Sequence[Points], rest: float, ignored: Sequence[ZoneSetup]
) -> ZoneReading:
    """What was read in a crop, in mm; nothing that was read on a plaque, or where hands are to be ignored."""
    if job.region is None:
        nothing = np.empty((0, 4, 2))
        return ZoneReading(reading.cards, nothing, nothing, rest)
    start = np.array(job.region[:2], np.float64)
    grid = job.eye.view.grid
    outlines = grid.table(reading.cards.outline.astype(np.float64) + start)
    good = np.array([all(overlap(board, outline) < 0.6 for board in boards) for outline in outlines], bool)
    good &= ~np.array([any(_in_zone(one.mean(0), zone) for zone in ignored) for one in outlines], bool)
    x0, y0, x1, y1 = reading.backs.xyxy.astype(np.float64).T
    corners = np.stack([np.stack(c, -1) for c in ((x0, y0), (x1, y0), (x1, y1), (x0, y1))], 1)
    backs = grid.table(corners + start)
    good = good.reshape(-1)
    return ZoneReading(reading.cards[good], outlines[good], backs.reshape(-1, 4, 2), rest)
