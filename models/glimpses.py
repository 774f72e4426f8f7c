"""Close looks at single indices, for the reader's volume: a card and its neighbours, at the camera's pixels.

A whole scene costs fifty milliseconds and shows five indices; a glimpse paints only what lies around one of
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.camera import expose, light_field, local_scale, look_down, project
from models.synth.deck import Deck, IndexRegion
from models.synth.layouts import Place, base_turn
from models.synth.looks import draw_look
from models.synth.printing import card_to_table
from models.synth.scenes import SceneSpec
from models.synth.surfaces import any_colour, paint_surface
from table.cards import ALL_CARDS

NAMES: Final = tuple(map(str, ALL_CARDS))
NONE: Final = len(NAMES)
_REACH: Final = 1.75
"""How far a patch looks from the middle of its index, in distances of rank and suit."""
_SPEC: Final = SceneSpec(grey=0.08)
_ENOUGH: Final = 0.62
"""An index of which rank and suit both show at least this much is a card."""
_LEAST_CONTRAST: Final = 22.0
"""Grey levels: an index burnt out or lost in the dark is not asked for."""
_LITTLE: Final = 0.35
"""An index whose rank or suit shows at most this much is none; what is between is not shown to the reader."""


@dataclass(frozen=True, slots=True)
class Glimpse:
    """A small picture and the index in its middle.

    `image` is (H, W, 3) uint8 BGR; `rank` and `suit` are px; `label` is a place in `NAMES`, or `NONE` where
    too little
    shows or nothing is there.
    """

    image: NDArray[np.uint8]
    rank: NDArray[np.float64]
    suit: NDArray[np.float64]
    label: int


class Cuts:
    """Faces cut round at the sizes asked for; small ones are halved from larger ones, quickly."""

    def __init__(self) -> None:
        self._kept: dict[tuple[int, str, int], NDArray[np.uint8]] = {}
        self._sheets: dict[tuple[int, str, int], NDArray[np.uint8]] = {}

    def get(self, deck: Deck, name: str, px_per_mm: float) -> tuple[NDArray[np.uint8], NDArray[np.float64]]:
        """A face or back (`back 0`) as BGRA, premultiplied, and the matrix from its pixels to mm."""
        level = int(np.clip(np.floor(2 * np.log2(deck.px_per_mm / max(px_per_mm, 0.3)) + 0.15), 0, 7))
        key = (id(deck), name, level)
        if key not in self._sheets:
            self._sheets[key] = self._sheet(deck, name, level)
        sheet = self._sheets[key]
        sx, sy = deck.width / (sheet.shape[1] - 2), deck.height / (sheet.shape[0] - 2)
        return sheet, np.array([[sx, 0, -0.5 * sx], [0, sy, -0.5 * sy], [0, 0, 1.0]])

    def _sheet(self, deck: Deck, name: str, level: int) -> NDArray[np.uint8]:
        face = self._shrunk(deck, name, level)
        alpha = self._shrunk(deck, "", level)
        out = np.zeros((face.shape[0] + 2, face.shape[1] + 2, 4), np.uint8)
        out[1:-1, 1:-1, :3] = cv2.multiply(face, cv2.cvtColor(alpha, cv2.COLOR_GRAY2BGR), scale=1 / 255)
        out[1:-1, 1:-1, 3] = alpha
        return out

    def _shrunk(self, deck: Deck, name: str, level: int) -> NDArray[np.uint8]:
        """A face (without a name: the card's shape) shrunk by the root of two to the power of `level`."""
        key = (id(deck), name, level)
        if key not in self._kept:
            if level == 0:
                self._kept[key] = self._whole(deck, name)
            else:
                larger = self._shrunk(deck, name, level - (2 if level > 1 else 1))
                factor = 0.5 if level > 1 else 2**-0.5
                size = (round(larger.shape[1] * factor), round(larger.shape[0] * factor))
                # Halving by area is quick; the odd steps start from one mild linear step.
                how = cv2.INTER_AREA if level > 1 else cv2.INTER_LINEAR
                self._kept[key] = np.asarray(cv2.resize(larger, size, interpolation=how), np.uint8)
        return self._kept[key]

    def _whole(self, deck: Deck, name: str) -> NDArray[np.uint8]:
        if name.startswith("back"):
            return deck.backs[int(name[5:]) % len(deck.backs)]
        if name:
            return deck.faces[name]
        h, w = deck.backs[0].shape[:2]
        r = deck.corner * deck.px_per_mm
        x = np.maximum(np.abs(np.arange(w) - (w - 1) / 2) - (w / 2 - r), 0)
        y = np.maximum(np.abs(np.arange(h) - (h - 1) / 2) - (h / 2 - r), 0)
        return np.asarray(np.clip(r - np.hypot(x[None], y[:, None]) + 0.5, 0, 1) * 255, np.uint8)


def glimpses(
    rng: np.random.Generator, decks: Sequence[Deck], cuts: Cuts, kind: str = "index", photos: int = 2
) -> list[Glimpse]:
    """Photographs of one close look, each in another light and by another camera; [] where too little shows.

    Args:
        rng: the source of chance.
        decks: designs to choose from; the neighbours are of the same design.
        cuts: faces that were cut before.
        kind: `index`; `elsewhere` for a spot of a face where no index is; `back`; `table` for no card at all.
        photos: how many.
    """
    deck = decks[int(rng.integers(len(decks)))]
    name = _any_name(rng)
    region = deck.indices[name][int(rng.integers(len(deck.indices[name])))]
    if kind in ("elsewhere", "back", "table"):
        region = _elsewhere(rng, deck, name, region)
    span = float(np.hypot(region.suit[0] - region.rank[0], region.suit[1] - region.rank[1]))
    ppm = (
        float(np.exp(rng.uniform(np.log(1.3), np.log(4.3))))
        if rng.random() < 0.82
        else float(rng.uniform(3, 9))
    )
    ppm = float(np.clip(ppm, 7.0 / span, 40.0 / span))
    tilt = float(abs(rng.normal(0, 12))) if rng.random() < 0.9 else float(rng.uniform(20, 52))
    side = int(np.ceil(2 * _REACH * span * ppm))
    matrix = look_down(
        (side, side), ppm, tilt, float(rng.uniform(0, 360)), float(rng.uniform(250, 900)), (0.0, 0.0)
    )
    picture = _ground(rng, side, ppm)
    owner = np.full((side, side), -1, np.int8)
    turn = base_turn(rng)
    middle = (np.array(region.rank) + region.suit) / 2
    own = _place_of(deck, middle, turn)
    laid = [] if kind == "table" else _neighbours(rng, deck, name, own, middle)
    points = np.array([region.rank, region.suit], float)
    to_px = matrix @ card_to_table(deck, own)
    soft, dark, lean = rng.uniform(0.25, 1.6) * ppm, rng.uniform(0.1, 0.6), rng.normal(0, 0.8, 2) * ppm
    for number, (card, place) in enumerate(laid):
        this = f"back {rng.integers(8)}" if kind == "back" and card == name else card
        _lay(
            rng,
            picture,
            owner,
            deck,
            this,
            matrix @ card_to_table(deck, place),
            cuts,
            number,
            soft,
            dark,
            lean,
        )
    if rng.random() < 0.1:
        _cover(rng, picture, owner, span * ppm)
    label = -1 if kind == "index" else NONE
    if kind == "index":
        label = _label(
            owner, to_px, region, next(i for i, (_, place) in enumerate(laid) if place is own), name
        )
    rank, suit = project(to_px, points)
    if label < 0 or (label == NONE and kind == "index" and rng.random() < 0.6):
        return []
    pictures = [_photograph(rng, picture, float(np.hypot(*(suit - rank)))) for _ in range(photos)]
    return [
        Glimpse(p, rank, suit, label) for p in pictures if label == NONE or _contrast(p) >= _LEAST_CONTRAST
    ]


def _contrast(photo: NDArray[np.uint8]) -> float:
    """Grey levels between the dark and the light of the picture's middle, in its clearest channel."""
    side = photo.shape[0]
    low, high = round(side * 0.33), max(round(side * 0.67), round(side * 0.33) + 3)
    middle = cv2.blur(photo, (3, 3))[low:high, low:high].reshape(-1, 3)
    return float((np.percentile(middle, 96, axis=0) - np.percentile(middle, 4, axis=0)).max())


def _any_name(rng: np.random.Generator) -> str:
    # Jokers have many more ways to look than one card of 52: three times as often.
    number = int(rng.integers(52 + 6))
    return NAMES[number] if number < 52 else NAMES[52 + number % 2]


def _elsewhere(rng: np.random.Generator, deck: Deck, name: str, like: IndexRegion) -> IndexRegion:
    """A made-up region of the same size, at a spot of the card that is no upright index."""
    span = float(np.hypot(like.suit[0] - like.rank[0], like.suit[1] - like.rank[1])) * float(
        rng.uniform(0.6, 1.8)
    )
    angle = 0.0 if rng.random() < 0.6 else float(rng.uniform(0, 2 * np.pi))
    down = np.array([np.sin(angle), np.cos(angle)]) * span
    for _ in range(20):
        at = rng.uniform([2, 2], [deck.width - 2, deck.height - 2])
        if all(np.hypot(*(at - (np.array(r.rank) + r.suit) / 2)) > 1.1 * span for r in deck.indices[name]):
            break
    rank, suit = at - down / 2, at + down / 2
    return IndexRegion(
        (0.0, 0.0, 1.0, 1.0), (float(rank[0]), float(rank[1])), (float(suit[0]), float(suit[1]))
    )


def _ground(rng: np.random.Generator, side: int, ppm: float) -> NDArray[np.float32]:
    if rng.random() < 0.35:
        return np.asarray(paint_surface(rng, (side, side), ppm), np.float32)
    plain = np.empty((side, side, 3), np.float32)
    plain[:] = any_colour(rng)
    return plain * (
        1 + np.float32(rng.uniform(0, 0.08)) * rng.standard_normal((side, side, 1), dtype=np.float32)
    )


def _place_of(deck: Deck, middle: NDArray[np.float64], turn: float) -> Place:
    """Where a card lies, turned, when this point of it lies at the table's origin."""
    away = card_to_table(deck, Place(0.0, 0.0, turn)) @ [*middle, 1.0]
    return Place(float(-away[0]), float(-away[1]), turn)


def _neighbours(
    rng: np.random.Generator, deck: Deck, name: str, own: Place, middle: NDArray[np.float64]
) -> list[tuple[str, Place]]:
    """The card with some under and over it, the lowest first, mostly so that the index still shows."""
    away = np.array(
        [1.0 if middle[0] < deck.width / 2 else -1.0, 1.0 if middle[1] < deck.height / 2 else -1.0]
    )
    sideways = rng.random() < 0.78
    step = float(rng.uniform(7, 32))
    fan = float(rng.normal(0, 1.5)) if rng.random() < 0.7 else float(rng.uniform(-16, 16))

    def beside(places: float) -> Place:
        shift = (
            np.array([away[0] * step, rng.normal(0, 1.5)])
            if sideways
            else np.array([rng.normal(0, 2), away[1] * step])
        )
        shift = shift * places + rng.normal(0, 0.8, 2)
        a = np.deg2rad(own.turn)
        across, down = np.array([np.cos(a), -np.sin(a)]), np.array([np.sin(a), np.cos(a)])
        x, y = np.array([own.x, own.y]) + across * shift[0] + down * shift[1]
        return Place(float(x), float(y), own.turn + fan * places + float(rng.normal(0, 1.2)))

    below = [
        (_any_name(rng), beside(-n))
        for n in range(int(rng.choice([0, 1, 2, 3], p=[0.3, 0.3, 0.25, 0.15])), 0, -1)
    ]
    way = 1.0 if rng.random() < 0.88 else -1.0
    above = [
        (_any_name(rng), beside(way * n))
        for n in range(1, 1 + int(rng.choice([0, 1, 2], p=[0.35, 0.4, 0.25])))
    ]
    return [*below, (name, own), *above]


def _lay(
    rng: np.random.Generator,
    picture: NDArray[np.float32],
    owner: NDArray[np.int8],
    deck: Deck,
    name: str,
    to_px: NDArray[np.float64],
    cuts: Cuts,
    number: int,
    soft: float,
    dark: float,
    lean: NDArray[np.float64],
) -> None:
    side = owner.shape[0]
    corners = np.array([[0, 0], [deck.width, 0], [deck.width, deck.height], [0, deck.height]], float)
    outline = project(to_px, corners)
    if (outline.max(0) < 0).any() or (outline.min(0) >= side).any():
        return
    shadow = np.zeros((side, side), np.uint8)
    cv2.fillConvexPoly(shadow, np.round((outline + lean) * 16).astype(np.int32), 255, cv2.LINE_AA, shift=4)
    shadow = cv2.GaussianBlur(shadow, (0, 0), max(0.45, float(soft)))  # type: ignore[assignment]
    picture *= (1 - np.float32(dark / 255) * shadow.astype(np.float32))[..., None]
    scale = float(local_scale(to_px, np.array([deck.width / 2, deck.height / 2])))
    sheet, to_card = cuts.get(deck, name, scale)
    warped = cv2.warpPerspective(
        sheet, to_px @ to_card, (side, side), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT, borderValue=0,
    )  # fmt: skip
    picture *= (255 - warped[..., 3:]).astype(np.float32) / np.float32(255)
    picture += warped[..., :3] * np.float32(1 + rng.normal(0, 0.04))
    owner[warped[..., 3] > 127] = number


def _cover(
    rng: np.random.Generator, picture: NDArray[np.float32], owner: NDArray[np.int8], span: float
) -> None:
    """A finger or a thing over part of it."""
    side = owner.shape[0]
    mask = np.zeros((side, side), np.uint8)
    start = np.array([side / 2, side / 2]) + rng.normal(0, 0.9, 2) * span
    end = start + 4 * span * np.array([np.cos(a := rng.uniform(0, 2 * np.pi)), np.sin(a)])
    ends = [(int(p[0]), int(p[1])) for p in (start, end)]
    cv2.line(mask, ends[0], ends[1], 255, max(3, int(rng.uniform(0.5, 1.6) * span)), cv2.LINE_AA)
    skin = np.array([rng.uniform(70, 170), rng.uniform(90, 190), rng.uniform(120, 235)], np.float32)
    colour = skin if rng.random() < 0.7 else any_colour(rng)
    share = cv2.GaussianBlur(mask, (0, 0), 0.8).astype(np.float32)[..., None] / 255
    picture *= 1 - share
    picture += share * colour
    owner[mask > 127] = -2


def _label(
    owner: NDArray[np.int8], to_px: NDArray[np.float64], region: IndexRegion, number: int, name: str
) -> int:
    """The card if enough of its rank and suit shows, none if too little does, -1 between."""
    rank, suit = np.array(region.rank), np.array(region.suit)
    x0, y0, x1, y1 = region.box
    xs, ys = np.meshgrid(np.linspace(x0, x1, 9)[1:-1], np.linspace(y0, y1, 15)[1:-1])
    grid = np.stack([xs.ravel(), ys.ravel()], 1)
    at = np.round(project(to_px, grid)).astype(int)
    inside = ((at >= 0) & (at < owner.shape[0])).all(1)
    at = np.clip(at, 0, owner.shape[0] - 1)
    seen = inside & (owner[at[:, 1], at[:, 0]] == number)
    first = (grid - (rank + suit) / 2) @ (suit - rank) < 0
    least = min(float(seen[first].mean()), float(seen[~first].mean()))
    if least >= _ENOUGH:
        return NAMES.index(name)
    return NONE if least <= _LITTLE else -1


def _photograph(rng: np.random.Generator, picture: NDArray[np.float32], span: float) -> NDArray[np.uint8]:
    side = picture.shape[0]
    if rng.random() < 0.6:
        picture = picture * light_field(rng, (side, side), 1.0)
    if rng.random() < 0.25:
        y, x = np.mgrid[0:side, 0:side].astype(np.float32)
        centre, width = rng.uniform(0, side, 2), rng.uniform(0.5, 2.5) * span
        spot = np.exp(-((x - centre[0]) ** 2 + (y - centre[1]) ** 2) / (2 * width**2))
        picture = picture + np.float32(255 * 0.9 * rng.beta(1.3, 1.6)) * spot[..., None]
    return expose(rng, picture, draw_look(rng, _SPEC, span))
