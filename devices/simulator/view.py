"""One camera's pictures of the simulated table: what lies still is painted once, a frame adds what moves, and noise."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from calibration.plaques import DICTIONARY, PLAQUE_BOARD_MM, PLAQUE_MM
from calibration.setup import Plane
from devices.simulator.conditions import Conditions
from devices.simulator.hand_pictures import Sprite, draw_hand, turned
from devices.simulator.light import Light
from devices.simulator.motions import PLAQUE, Lying
from devices.simulator.optics import apply, to_picture
from devices.simulator.pasting import Box, Image, Patch, Warp, around, blend, cut_out, joined, lay
from models.synth.deck import Deck
from models.synth.printing import FaceStore
from models.synth.surfaces import soften

_LYING_MM: Final = 0.8
_CARRIED_MM: Final = 7.0
"""How high a card's edge is over what its shadow falls on."""


@dataclass(frozen=True, slots=True)
class HandAt:
    """A hand with its finger tips at a place on the table, mm; `angle` is added to its seat's own."""

    seat: int
    x: float
    y: float
    angle: float = 0.0


class View:
    """Paints what one camera sees.

    Args:
        plane: where the table really lies in its picture.
        size: of the picture, px.
        deck: the packs in play.
        how: light, lens and chip.
        seed: of everything that chance decides: cloth, hands, noise.
        ground: the table from above, see `light.paint_ground`.
        store: faces at several sizes, shared between cameras.
    """

    def __init__(
        self, plane: Plane, size: tuple[int, int], deck: Deck, how: Conditions, seed: int,
        ground: tuple[Image, NDArray[np.float64]], store: FaceStore,
    ) -> None:  # fmt: skip
        self.plane = plane
        self.size = size
        self.deck = deck
        self.how = how
        self.seed = seed
        self.store = store
        self.light = Light(plane, size, how, seed)
        self._warp = Warp(plane)
        self.bare = self._ground(*ground)
        self.sharp = self.bare.copy()
        self.gloss = np.zeros((size[1], size[0]), np.uint8) if self.light.shines else None
        self.shown = self.light.on(self.sharp, self.gloss, (0, 0, *size))
        self._lying: tuple[Lying, ...] = ()
        self._patches: dict[tuple[Lying, bool], Patch | None] = {}
        self._sheets: dict[int, Image] = {}
        self._hands: dict[tuple[int, float], Sprite] = {}
        self._scale = self._scale_at(0.0, -200.0)

    # Frames.

    def frame(
        self,
        lying: Sequence[Lying],
        carried: Sequence[Lying],
        hands: Sequence[HandAt],
        number: int,
        at: float,
    ) -> Image:
        """The picture at a moment.

        Args:
            lying: what lies still, the lowest first.
            carried: what is being moved, as it lies now.
            hands: over the table.
            number: of the frame: decides its noise.
            at: s, for what changes slowly.
        """
        self.settle(tuple(lying))
        out = self.light.develop(self.shown, number)
        pieces: list[tuple[Box, Patch | HandAt]] = []
        for thing in carried:
            patch = self._paint(thing, carried=True)
            if patch is not None:
                pieces.append((around(patch.box, patch.shade_box), patch))
        for hand in hands:
            box = self._hand_box(hand)
            if box is not None:
                pieces.append((box, hand))
        for box in joined([self._padded(box) for box, _ in pieces]):
            wide = self._padded(box)
            x0, y0, x1, y1 = wide
            part = self.sharp[y0:y1, x0:x1].copy()
            gloss = None if self.gloss is None else self.gloss[y0:y1, x0:x1].copy()
            for _, piece in pieces:
                if isinstance(piece, Patch):
                    lay(part, gloss, piece, (x0, y0))
                else:
                    self._lay_hand(part, gloss, piece, (x0, y0))
            lit = cut_out(self.light.on(part, gloss, wide), wide, box)
            self.light.develop_into(out, lit, box, number)
        return self.light.finish(out, at)

    def settle(self, lying: tuple[Lying, ...]) -> None:
        """Bring the picture of what lies still up to date: paint what is new, and anew where something is gone."""
        if lying == self._lying:
            return
        old, self._lying = self._lying, lying
        if lying[: len(old)] == old:
            for thing in lying[len(old) :]:
                patch = self._still(thing)
                if patch is not None:
                    lay(self.sharp, self.gloss, patch, (0, 0))
                    self._light_up(around(patch.box, patch.shade_box))
            return
        kept = set(lying)
        seen = set(old)
        boxes = []
        for thing in (*[t for t in old if t not in kept], *[t for t in lying if t not in seen]):
            patch = self._still(thing)
            if patch is not None:
                boxes.append(around(patch.box, patch.shade_box))
        for box in joined(boxes):
            self._paint_anew(box)
        for key in [key for key in self._patches if key[0] not in kept]:
            del self._patches[key]

    def outline(self, thing: Lying) -> NDArray[np.float64]:
        """(4, 2) px: the corners of a card or plaque in the picture, from its own top left on, clockwise."""
        w, h = self._size_of(thing)
        return to_picture(
            self.plane, apply(_to_table(thing, w, h), np.array([[0, 0], [w, 0], [w, h], [0, h]], float))
        )

    def _paint_anew(self, box: Box) -> None:
        x0, y0, x1, y1 = box
        part = self.sharp[y0:y1, x0:x1]
        part[:] = self.bare[y0:y1, x0:x1]
        gloss = None if self.gloss is None else self.gloss[y0:y1, x0:x1]
        if gloss is not None:
            gloss[:] = 0
        for thing in self._lying:
            patch = self._still(thing)
            if patch is not None:
                lay(part, gloss, patch, (x0, y0))
        self._light_up(box)

    def _light_up(self, box: Box) -> None:
        """Light, lens and chip over what has changed and as far around as the blur carries it."""
        x0, y0, x1, y1 = box = self._padded(box)
        a0, b0, a1, b1 = wide = self._padded(box)
        gloss = None if self.gloss is None else self.gloss[b0:b1, a0:a1]
        lit = self.light.on(self.sharp[b0:b1, a0:a1], gloss, wide)
        self.shown[y0:y1, x0:x1] = cut_out(lit, wide, box)

    def _padded(self, box: Box) -> Box:
        pad = self.light.reach
        x0, y0, x1, y1 = box
        return max(x0 - pad, 0), max(y0 - pad, 0), min(x1 + pad, self.size[0]), min(y1 + pad, self.size[1])

    # Things.

    def _still(self, thing: Lying) -> Patch | None:
        key = (thing, False)
        if key not in self._patches:
            self._patches[key] = self._paint(thing)
        return self._patches[key]

    def _size_of(self, thing: Lying) -> tuple[float, float]:
        if thing.what.startswith(PLAQUE):
            return PLAQUE_BOARD_MM, PLAQUE_BOARD_MM
        return self.deck.width, self.deck.height

    def _scale_at(self, x: float, y: float) -> float:
        near = apply(self.plane.to_px, np.array([[x, y], [x + 1, y], [x, y + 1]], float))
        (ax, ay), (bx, by) = near[1] - near[0], near[2] - near[0]
        return math.sqrt(abs(ax * by - ay * bx))

    def _paint(self, thing: Lying, carried: bool = False) -> Patch | None:
        """Warp a thing into the picture; None where it lies outside."""
        w, h = self._size_of(thing)
        outline = self.outline(thing)
        box = self._clip(outline, 1)
        if box is None:
            return None
        sheet, to_thing = self._sheet(thing)
        to_px = self.plane.to_px @ _to_table(thing, w, h) @ to_thing
        warped = self._warp.warp(sheet, to_px, box)
        colour = cv2.cvtColor(warped, cv2.COLOR_BGRA2BGR)
        # Cards bow and tip a little: each throws back its own share of light.
        share = 0.95 + 0.05 * math.sin(thing.key * 12.9898)
        colour = cv2.convertScaleAbs(colour, alpha=share)
        shade_box, shade = self._shadow(outline, carried)
        return Patch(
            box, np.asarray(colour, np.uint8), np.ascontiguousarray(warped[..., 3]), shade_box, shade
        )

    def _sheet(self, thing: Lying) -> tuple[Image, NDArray[np.float64]]:
        if thing.what.startswith(PLAQUE):
            marker = int(thing.what[len(PLAQUE) :])
            if marker not in self._sheets:
                self._sheets[marker] = draw_plaque(marker)
            size = self._sheets[marker].shape[0]
            mm = PLAQUE_BOARD_MM / size
            return self._sheets[marker], np.array([[mm, 0, 0.5 * mm], [0, mm, 0.5 * mm], [0, 0, 1.0]])
        scale = self._scale_at(thing.x, thing.y)
        if thing.face_up and thing.what != "back":
            return self.store.face(self.deck, thing.what, scale)
        return self.store.back(self.deck, 0, scale)

    def _shadow(self, outline: NDArray[np.float64], carried: bool) -> tuple[Box, Image]:
        lift = _CARRIED_MM if carried else _LYING_MM
        sigma = max(0.6, (2.4 if carried else 0.7) * self._scale)
        quad = outline + np.array(self.light.falls) * lift * self._scale
        box = self._clip(quad, int(3 * sigma) + 2)
        if box is None:
            return (0, 0, 0, 0), np.zeros((0, 0), np.uint8)
        x0, y0, x1, y1 = box
        mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
        cv2.fillConvexPoly(mask, np.round((quad - [x0, y0]) * 16).astype(np.int32), 255, cv2.LINE_AA, shift=4)
        return box, soften(mask, sigma)

    def _clip(self, points: NDArray[np.float64], pad: int) -> Box | None:
        x0, y0 = np.maximum(np.floor(points.min(0)).astype(int) - pad, 0)
        x1, y1 = np.minimum(np.ceil(points.max(0)).astype(int) + pad + 1, self.size)
        return (int(x0), int(y0), int(x1), int(y1)) if x1 - x0 > 1 and y1 - y0 > 1 else None

    # Hands.

    def _sprite(self, hand: HandAt) -> Sprite:
        # Upwards in the picture of an untilted camera is away from seat 0.
        low, high = apply(self.plane.to_px, np.array([[0.0, 0.0], [0.0, 100.0]]))
        up = math.degrees(math.atan2(-(high[1] - low[1]), high[0] - low[0]))
        angle = up - 90.0 + 90.0 * hand.seat + hand.angle
        key = (hand.seat, angle)
        if key not in self._hands:
            self._hands[key] = turned(draw_hand(self.seed % 1000 * 4 + hand.seat, self._scale), angle)
        return self._hands[key]

    def _hand_at(self, hand: HandAt) -> tuple[int, int]:
        """Where the top left of a hand's picture goes, px."""
        tip = to_picture(self.plane, np.array([[hand.x, hand.y]]))[0]
        sprite = self._sprite(hand)
        return round(tip[0] - sprite.tip[0]), round(tip[1] - sprite.tip[1])

    def _hand_box(self, hand: HandAt) -> Box | None:
        x, y = self._hand_at(hand)
        h, w = self._sprite(hand).alpha.shape
        x0, y0, x1, y1 = max(x, 0), max(y, 0), min(x + w, self.size[0]), min(y + h, self.size[1])
        return (x0, y0, x1, y1) if x1 > x0 and y1 > y0 else None

    def _lay_hand(self, part: Image, gloss: Image | None, hand: HandAt, origin: tuple[int, int]) -> None:
        sprite = self._sprite(hand)
        x, y = self._hand_at(hand)
        h, w = sprite.alpha.shape
        blend(part, gloss, sprite.colour, sprite.alpha, (x, y, x + w, y + h), origin, shines=False)

    def _ground(self, picture: Image, to_table: NDArray[np.float64]) -> Image:
        """The bare table through this camera."""
        box = (0, 0, *self.size)
        warped = self._warp.warp(picture, self.plane.to_px @ to_table, box, cv2.BORDER_REPLICATE)
        return np.ascontiguousarray(warped)


def draw_plaque(marker: int) -> Image:
    """A printed plaque: the marker on a white board, (H, W, 4) BGRA at 6 px/mm."""
    size, inner = round(6 * PLAQUE_BOARD_MM), round(6 * PLAQUE_MM)
    board = np.full((size, size), 245, np.uint8)
    code = cv2.aruco.generateImageMarker(cv2.aruco.getPredefinedDictionary(DICTIONARY), marker, inner)
    edge = (size - inner) // 2
    board[edge : edge + inner, edge : edge + inner] = np.maximum(code, 18)
    colour = cv2.cvtColor(board, cv2.COLOR_GRAY2BGR)
    alpha = np.full((size, size), 255, np.uint8)
    return np.ascontiguousarray(np.dstack([colour, alpha]))


def _to_table(thing: Lying, w: float, h: float) -> NDArray[np.float64]:
    """From mm on a thing (origin at its top left, y down) to mm on the table."""
    a = math.radians(thing.turn)
    c, s = math.cos(a), math.sin(a)
    # The thing's y runs down, the table's y away from seat 0.
    turn = np.array([[c, s, thing.x], [s, -c, thing.y], [0, 0, 1.0]])
    return np.asarray(turn @ np.array([[1, 0, -w / 2], [0, 1, -h / 2], [0, 0, 1.0]]), np.float64)
