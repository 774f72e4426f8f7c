"""Watches the small grey picture of one zone: is it at rest, what changed, what lies there that is no card."""

from __future__ import annotations

from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.plane import Points
from vision.zone_views import Region, ZoneGrid

Grey = NDArray[np.uint8]
Mask = NDArray[np.uint8]
"""(H, W) of the small picture: 255 or 0."""

AT_REST_S: Final = 0.13
ELSEWHERE_S: Final = 1.0
"""What changed is looked at when it lay still for so long, though something moves elsewhere in the zone."""
_LEAST_FRAMES: Final = 2
_MOVES: Final = 11.0
"""Grey levels between two frames, after what the whole neighbourhood did is taken off."""
_DIFFERS: Final = 18.0
"""Grey levels from an older picture, after its exposure is made the same."""
_NEIGHBOURHOOD: Final = 41
_LEAST_PX: Final = 14
"""Of the small picture: 56 mm² on the table."""
_LEARNS: Final = 0.2
_LASTING_S: Final = 20.0
_BARE_WITHOUT_MEMORY: Final = 26.0
_SUPPORT_PX: Final = 40
_BARE_PX: Final = 200
_LAMP: Final = 0.12
"""Exposure that changes by more than this share needs all of the zone as a witness."""
_MOST: Final = 0.85
_SAME: Final = 0.1
_LIGHT_TABLE: Final = 165
"""Grey levels: a table that may be as light as cards, as long as nobody has seen one on it."""


class Gate:
    """Motion, rest and change of one zone in one camera.

    Args:
        grid: of the small picture.
        seen: (H, W) what of it the camera sees.
        at_rest_s: how long nothing may move before the zone is at rest, s.
        stills: single pictures come, seconds apart: each is at rest.
    """

    def __init__(
        self, grid: ZoneGrid, seen: NDArray[np.bool_], at_rest_s: float = AT_REST_S, stills: bool = False
    ) -> None:
        self.grid, self.seen, self.at_rest_s, self.stills = grid, seen, at_rest_s, stills
        self._seen8 = np.where(seen, np.uint8(255), np.uint8(0))
        self._now: Grey | None = None
        self._read: Grey | None = None
        self._ground = np.zeros(seen.shape, np.float32)
        self._known = np.zeros(seen.shape, np.bool_)
        self._moved_at = np.full(seen.shape, -np.inf, np.float64)
        self._changed = np.zeros(seen.shape, np.uint8)
        self.paper: float | None = None
        """How light the faces of cards are here, grey levels; None before a card was read."""
        self.at = self._first = -np.inf
        self.rest_since = np.inf
        self.still_frames = 0

    def see(self, small: Grey, at: float) -> None:
        """The next picture, of capture time `at`, s."""
        before, self._now = self._now, small
        if before is None:
            self._restart(at)
            return
        moving = self._motion(before, small)
        if cv2.countNonZero(moving) >= _LEAST_PX:
            self._moved_at[cv2.dilate(moving, np.ones((9, 9), np.uint8)) > 0] = at
            self.rest_since, self.still_frames = at, 0
        else:
            self.still_frames += 1
        self.at = at

    def lose(self) -> None:
        """The camera saw nothing for a while: what comes next is compared with nothing."""
        self._now = None
        self.rest_since, self.still_frames = np.inf, 0

    def forget(self) -> None:
        """The camera looks from elsewhere now: neither the last reading nor the bare table is known."""
        self.lose()
        self._read = None
        self._known[:] = False

    @property
    def at_rest(self) -> bool:
        """Nothing moved for long enough, over at least two frames without motion."""
        return self._still(self.at_rest_s, _LEAST_FRAMES)

    @property
    def nearly_at_rest(self) -> bool:
        """On the way to being at rest: time for a first reading, of which nothing is told yet."""
        return self._still(self.at_rest_s / 3, 1)

    def _still(self, seconds: float, frames: int) -> bool:
        if self._now is None:
            return False
        return self.stills or (self.still_frames >= frames and self.at - self.rest_since >= seconds - 1e-6)

    @property
    def changed(self) -> bool:
        """Whether the zone looks other than when it was last read (or was never read)."""
        return self._read is None or cv2.countNonZero(self._difference()) >= _LEAST_PX

    @property
    def changed_beside_motion(self) -> bool:
        """Whether something changed and lies still for a while, though something moves elsewhere."""
        if self._now is None or self._read is None or self.at - self._first <= ELSEWHERE_S:
            return False
        if self.at - self.rest_since > ELSEWHERE_S:
            return False
        still = self._moved_at < self.at - ELSEWHERE_S
        return int(np.count_nonzero(self._difference()[still])) >= 8 * _LEAST_PX

    def mark_read(self) -> None:
        """The zone is read now: what changed since the reading before is kept for `changed_share`."""
        if self._now is None:
            return
        self._changed = self._seen8.copy() if self._read is None else self._difference()
        self._read = self._now

    def changed_share(self, outline: Points) -> float:
        """How much of a card's place, mm, changed between the last two readings, 0..1."""
        inside = self.grid.mask(outline, -2.0) > 0
        return float((self._changed[inside] > 0).mean()) if inside.any() else 0.0

    def still_since(self, outline: Points) -> float:
        """When something last moved over a card's place, s; the beginning of all seeing if nothing did."""
        inside = self.grid.mask(outline, -4.0) > 0
        latest = float(self._moved_at[inside].max()) if inside.any() else -np.inf
        return min(latest, self.at) if np.isfinite(latest) else self._first

    def calm(self, outline: Points) -> bool:
        """Whether nothing moves over a card's place; on a still nothing does."""
        if self.stills:
            return True
        inside = self.grid.mask(outline) > 0
        return not inside.any() or bool((self._moved_at[inside] > self.at - self.at_rest_s / 4).mean() < 0.1)

    def visible(self, outline: Points) -> bool:
        """Whether the camera sees all of a card's place."""
        inside = self.grid.mask(outline) > 0
        return bool(inside.any() and self.seen[inside].mean() > 0.98)

    def bare(self, outline: Points, others: Points) -> bool:
        """Whether a card's place shows the table, as far as no other card lies over it.

        Args:
            outline: (4, 2) mm.
            others: (N, 4, 2) mm: where other things are known to lie.
        """
        if self._now is None:
            return False
        over = self.grid.mask(others, 3.0)
        inside = (self.grid.mask(outline, -4.0) > 0) & (over == 0) & self.seen
        if np.count_nonzero(inside) < 60:
            return False
        now = self._now.astype(np.float32)
        known = inside & self._known
        if np.count_nonzero(known) >= 0.5 * np.count_nonzero(inside):
            gain = self._gain(self._ground, self._known)
            alike = np.abs(now - self._ground * gain)[known] < _DIFFERS
        elif self._known.any():
            alike = np.abs(now[inside] - np.median(now[self._known & (over == 0)])) < _BARE_WITHOUT_MEMORY
        else:
            return False
        return float(alike.mean()) > 0.75

    @property
    def as_lit(self) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_]] | None:
        """The picture of now, the bare table in the light of now, and where both are known; None where none is."""
        if self._now is None or not self._known.any():
            return None
        gain = self._gain(self._ground, self._known)
        return self._now.astype(np.float32), self._ground * np.float32(gain), self._known & self.seen

    def support(self, outline: Points, others: Points) -> float | None:
        """How much of a card's place looks other than the bare table, as far as no other card lies over it, 0..1.

        Args:
            outline: (4, 2) mm.
            others: (N, 4, 2) mm: where other cards are known to lie.

        Returns:
            None where too little shows, or cards are not lighter than the table there.
        """
        free = (self.grid.mask(others, 3.0) == 0) & self.seen
        place = (self.grid.mask(outline, -3.0) > 0) & free
        if np.count_nonzero(place & self._known) < 0.5 * np.count_nonzero(place):
            return self._stands_out(outline, place, free)
        light = self.as_lit
        if light is None:
            return None
        now, ground, known = light
        inside = place & known
        if np.count_nonzero(inside) < _SUPPORT_PX:
            return None
        if float(np.median(ground[inside])) > self._lightest_table:
            return None
        share = float((np.abs(now - ground)[inside] >= _DIFFERS).mean())
        # A narrow strip of table shows where an outline is a little off.
        return None if share < 0.5 and np.count_nonzero(inside) < _BARE_PX else share

    def _stands_out(self, outline: Points, place: NDArray[np.bool_], free: NDArray[np.bool_]) -> float | None:
        """Stands for `support` where nobody knows the bare table yet: 0 where a place looks as what is around it."""
        around = (self.grid.mask(outline, 12.0) > 0) & (self.grid.mask(outline, 3.0) == 0) & free
        if self._now is None or min(np.count_nonzero(place), np.count_nonzero(around)) < _SUPPORT_PX:
            return None
        inside, beside = (float(np.median(self._now[where])) for where in (place, around))
        return 0.0 if abs(inside - beside) < _DIFFERS / 2 and beside < self._lightest_table else None

    @property
    def _lightest_table(self) -> float:
        """On what is lighter, cards need not stand out, grey levels."""
        return _LIGHT_TABLE if self.paper is None else self.paper - 2 * _DIFFERS

    def note_paper(self, cards: Points) -> None:
        """Remember how light the faces of cards are: `cards` (N, 4, 2) mm lie there for certain."""
        inside = self.grid.mask(cards, -4.0) > 0
        if self._now is not None and np.count_nonzero(inside) >= _SUPPORT_PX:
            self.paper = float(np.percentile(self._now[inside], 70))

    def learn(self, things: Mask) -> None:
        """Remember what the bare table looks like, outside of `things` that lie on it."""
        if self._now is None:
            return
        now = self._now.astype(np.float32)
        free = (cv2.dilate(things, np.ones((5, 5), np.uint8)) == 0) & self.seen
        free &= self._moved_at < self.at - self.at_rest_s / 4 if not self.stills else True
        if self._known.any():
            self._ground *= self._gain(self._ground, self._known)
        alike = np.abs(now - self._ground) < _DIFFERS
        old = free & self._known & alike
        self._ground[old] += _LEARNS * (now - self._ground)[old]
        # What lies there for long and is nothing that is watched belongs to the table from now on.
        lasting = (
            self._known
            & ~alike
            & (self._moved_at < self.at - _LASTING_S)
            & (self.at - self._first > _LASTING_S)
        )
        new = free & (~self._known | lasting)
        self._ground[new] = now[new]
        self._known |= new

    def strange(self, things: Mask) -> Mask:
        """Where something lies that is neither the bare table nor one of `things`: a hand, a cup, a shadow."""
        if self._now is None or not self._known.any():
            return np.zeros(self.seen.shape, np.uint8)
        gain = self._gain(self._ground, self._known)
        off = np.abs(self._now.astype(np.float32) - self._ground * gain)
        odd = (off > _DIFFERS) & self._known & (cv2.dilate(things, np.ones((7, 7), np.uint8)) == 0)
        return np.asarray(cv2.morphologyEx(_mask(odd), cv2.MORPH_OPEN, np.ones((5, 5), np.uint8)), np.uint8)

    def hand(self, strange: Mask, least_mm2: float = 2500.0) -> Mask:
        """The part of `strange` that reaches in from outside: a hand with its arm."""
        count, labels, stats, _ = cv2.connectedComponentsWithStats(strange)
        out = np.zeros_like(strange)
        height, width = strange.shape
        least = least_mm2 * self.grid.px_per_mm**2
        for k in range(1, count):
            x, y, wide, high, area = stats[k]
            at_edge = x <= 1 or y <= 1 or x + wide >= width - 1 or y + high >= height - 1
            if at_edge and area >= least:
                out[labels == k] = 255
        return out

    def busy_region(self, scale: float, size: tuple[int, int], margin_mm: float = 24.0) -> Region | None:
        """The part of the crop in which anything can lie that is not the bare table; None: nowhere.

        Args:
            scale: px/mm of the crop.
            size: of the crop, px.
            margin_mm: so much more on every side, so that cards are whole.
        """
        if self._now is None:
            return None
        gain = self._gain(self._ground, self._known) if self._known.any() else 1.0
        off = np.abs(self._now.astype(np.float32) - self._ground * gain) > 0.7 * _DIFFERS
        odd = _mask((off | ~self._known) & self.seen)
        odd = np.asarray(cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
        x, y, wide, high = cv2.boundingRect(odd)
        if not wide:
            return None
        factor, margin = scale / self.grid.px_per_mm, margin_mm * scale
        x0, x1 = _whole_blocks(x * factor - margin, (x + wide) * factor + margin, size[0])
        y0, y1 = _whole_blocks(y * factor - margin, (y + high) * factor + margin, size[1])
        return x0, y0, x1, y1

    @property
    def level(self) -> float:
        """How light the zone is, grey levels; 255 before anything was seen."""
        return 255.0 if self._now is None else float(np.median(self._now[::4, ::4][self.seen[::4, ::4]]))

    def _restart(self, at: float) -> None:
        self.rest_since, self.still_frames, self.at, self._first = at, 0, at, at
        self._moved_at[:] = -np.inf

    def _motion(self, before: Grey, now: Grey) -> Mask:
        """Where two frames differ by more than their noise; what lamps do to a whole region does not count."""
        step = cv2.subtract(now, before, dtype=cv2.CV_16S).astype(np.float32)
        sample = step[::3, ::3]
        calm, drift = float(np.median(np.abs(sample))), float(np.median(sample))
        # A fast hand changes a whole neighbourhood at once, but by more than any lamp.
        moved = np.abs(step - drift) > 3 * _MOVES
        step -= cv2.blur(step, (_NEIGHBOURHOOD, _NEIGHBOURHOOD))
        moved |= np.abs(cv2.blur(step, (2, 2))) > max(_MOVES, 4.5 * calm)
        return np.asarray(cv2.bitwise_and(_mask(moved), self._seen8), np.uint8)

    def _difference(self) -> Mask:
        """Where the picture of now differs from that of the last reading."""
        if self._now is None or self._read is None:
            return np.zeros(self.seen.shape, np.uint8)
        then = self._read.astype(np.float32)
        off = self._now.astype(np.float32) - then * self._gain(then, self.seen)
        odd = cv2.bitwise_and(_mask(np.abs(off) > _DIFFERS), self._seen8)
        return np.asarray(cv2.morphologyEx(odd, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)

    def _gain(self, then: NDArray[np.float32], where: NDArray[np.bool_]) -> float:
        """By how much the exposure changed since `then`: what most of the zone says.

        Where that is much and a good part of the zone looks other all the same, while another part looks as it did,
        no lamp changed: a hand lies on most of it.
        """
        assert self._now is not None
        old, new, good = then[::3, ::3], self._now[::3, ::3], where[::3, ::3]
        good = good & (old > 12) & (new > 4) & (new < 250)
        if np.count_nonzero(good) < 50:
            return 1.0
        old, new = old[good], new[good]
        ratio = new / old
        gain = float(np.median(ratio))
        if abs(gain - 1) > _LAMP:
            same = np.abs(ratio - 1) < _LAMP
            fits = float((np.abs(new - old * gain) < _DIFFERS).mean())
            if fits < _MOST and float(same.mean()) > _SAME:
                gain = float(np.median(ratio[same]))
        return float(np.clip(gain, 0.4, 2.5))


class Insisting:
    """A gate for somebody who wants to know now, whatever moves: everything is calm, everything may be new."""

    def __init__(self, gate: Gate) -> None:
        self._gate = gate

    def changed_share(self, outline: Points) -> float:
        """As the gate says."""
        return self._gate.changed_share(outline)

    def bare(self, outline: Points, others: Points) -> bool:
        """As the gate says."""
        return self._gate.bare(outline, others)

    def visible(self, outline: Points) -> bool:
        """As the gate says."""
        return self._gate.visible(outline)

    def support(self, outline: Points, others: Points) -> float | None:
        """As the gate says."""
        return self._gate.support(outline, others)

    def calm(self, outline: Points) -> bool:
        """Always."""
        return True

    def still_since(self, outline: Points) -> float:
        """As the gate says."""
        return self._gate.still_since(outline)


def _mask(where: NDArray[np.bool_]) -> Mask:
    return where.astype(np.uint8) * np.uint8(255)


def _whole_blocks(low: float, high: float, size: int, block: int = 32) -> tuple[int, int]:
    """A span that holds low..high, in whole blocks where the picture is large enough, within 0..size."""
    first = max(0, int(low) // block * block)
    last = min(size, first + -(-(int(np.ceil(high)) - first) // block) * block)
    return first, last
