"""The truth about a synthetic picture: where indices, cards, backs and rows lie, and how much shows."""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.camera import Look, Matrix, project
from models.synth.deck import Deck
from models.synth.layouts import Place, Play
from models.synth.printing import FaceStore, grid_over


@dataclass(frozen=True, slots=True)
class Indices:
    """Every corner index in the picture, in parallel arrays of length N.

    `boxes` are x0, y0, x1, y1 px, cut at the picture's edge; points have pixel centres at whole numbers.
    `visible` is the part of the ink that is in the picture and not covered, `rank_visible` and `suit_visible`
    that of the region's two halves; `in_sight` says that both points are in the picture and not covered.
    `contrast` is what is left of ink against stock in the photograph, grey levels 0..255, the fainter of the
    two halves. `glare` is the shine at the region's middle. `cards` points into `Scene.cards`.
    """

    names: tuple[str, ...]
    boxes: NDArray[np.float64]
    quads: NDArray[np.float64]
    ranks: NDArray[np.float64]
    suits: NDArray[np.float64]
    visible: NDArray[np.float64]
    rank_visible: NDArray[np.float64]
    suit_visible: NDArray[np.float64]
    cards: NDArray[np.int64]
    px_per_mm: NDArray[np.float64]
    glare: NDArray[np.float64]
    in_sight: NDArray[np.bool_]
    contrast: NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.names)

    def readable(
        self, least: float = 0.7, least_half: float = 0.6, faintest: float = 16.0
    ) -> NDArray[np.bool_]:
        """Which indices show enough to be asked for: by default seven tenths, six of each half, and not burnt
        out."""
        enough = (self.visible >= least) & (np.minimum(self.rank_visible, self.suit_visible) >= least_half)
        return enough & self.in_sight & (self.contrast >= faintest)

    @property
    def jokers(self) -> NDArray[np.bool_]:
        """Which are of a joker."""
        return np.array([name in ("LJ", "BJ") for name in self.names], bool)


@dataclass(frozen=True, slots=True)
class Backs:
    """Face-down cards in the picture: boxes px, two points on the long axis at 1/4 and 3/4, visible part
    0..1."""

    boxes: NDArray[np.float64]
    firsts: NDArray[np.float64]
    seconds: NDArray[np.float64]
    visible: NDArray[np.float64]
    cards: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SceneCard:
    """A card in the picture: outline (4, 2) px from its top left corner on clockwise; `name` also where face
    down."""

    name: str
    deck: str
    outline: NDArray[np.float64]
    face_up: bool
    turn: float
    px_per_mm: float


@dataclass(frozen=True, slots=True)
class Row:
    """One play: which of `Scene.cards` form it, from left to right as its player sees it."""

    kind: str
    cards: tuple[int, ...]
    step_mm: float


@dataclass(frozen=True, slots=True)
class Scene:
    """A picture (H, W, 3 uint8 BGR) and the truth about it. `facts` are the numbers that were drawn."""

    image: NDArray[np.uint8]
    indices: Indices
    backs: Backs
    cards: tuple[SceneCard, ...]
    rows: tuple[Row, ...]
    look: Look
    facts: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class Laid:
    """A card on its way into the picture: its matrix from mm on the card to px, its outline (4, 2) px."""

    name: str
    deck: Deck
    place: Place
    to_px: Matrix
    outline: NDArray[np.float64]
    scale: float


def cards_and_rows(
    laid: list[Laid], rows: list[tuple[Play, list[int]]]
) -> tuple[tuple[SceneCard, ...], tuple[Row, ...]]:
    """What lies in the picture, and which of it forms a play."""
    cards = tuple(
        SceneCard(c.name, c.deck.name, c.outline, c.place.face_up, c.place.turn, c.scale) for c in laid
    )
    tables = tuple(Row(play.kind, tuple(sorted(members)), play.step) for play, members in rows if members)
    return cards, tables


def _seen(
    owner: NDArray[np.int16], points: NDArray[np.float64], who: int | NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Which of the points (..., 2) px lie in the picture and on a pixel that `who` owns."""
    h, w = owner.shape
    at = np.round(points).astype(int)
    inside = (at[..., 0] >= 0) & (at[..., 0] < w) & (at[..., 1] >= 0) & (at[..., 1] < h)
    x, y = np.clip(at[..., 0], 0, w - 1), np.clip(at[..., 1], 0, h - 1)
    return np.asarray(inside & (owner[y, x] == who), bool)


def measure_indices(
    laid: list[Laid],
    owner: NDArray[np.int16],
    shine: NDArray[np.float32] | None,
    store: FaceStore,
    image: NDArray[np.uint8],
) -> Indices:
    """Where every index of the cards laid is, and what of it shows; `owner` says which card owns a pixel."""
    h, w = owner.shape
    who = [(i, k) for i, c in enumerate(laid) if c.place.face_up for k in range(len(c.deck.indices[c.name]))]
    if not who:
        return _no_indices()
    probes = [store.probe(laid[i].deck, laid[i].name, k) for i, k in who]
    cards = np.array([i for i, _ in who], np.int64)
    to_px = np.stack([laid[i].to_px for i in cards])
    points = (
        np.stack([p.points for p in probes]) @ to_px[:, :2, :2].transpose(0, 2, 1) + to_px[:, None, :2, 2]
    )
    depth = np.stack([p.points for p in probes]) @ to_px[:, 2, :2, None] + to_px[:, 2, 2, None, None]
    points = points / depth
    quads, ranks, suits, grid = points[:, :4], points[:, 4], points[:, 5], points[:, 6:]
    boxes = np.concatenate([quads.min(1), quads.max(1)], axis=1)
    boxes = np.clip(boxes, -0.5, [w - 0.5, h - 0.5] * 2)
    seen = _seen(owner, grid, cards[:, None])
    ink = np.stack([p.ink for p in probes])
    upper = np.stack([p.upper for p in probes])
    shares = [_share(seen, part) for part in (ink, ink * upper, ink * ~upper)]
    middle = np.clip(np.round(quads.mean(1)).astype(int), 0, [w - 1, h - 1])
    bright = np.zeros(len(who)) if shine is None else shine[middle[:, 1], middle[:, 0]].astype(np.float64)
    in_sight = np.asarray(_seen(owner, points[:, 4:6], cards[:, None]).all(axis=1), bool)
    # Smoothed, because noise on a burnt-out card would pass for ink.
    contrast = _contrast(np.asarray(cv2.blur(image, (3, 3)), np.uint8), grid, upper)
    scale = np.sqrt(np.abs(np.linalg.det(to_px) / depth[:, 4, 0] ** 3))
    keep = np.flatnonzero(np.min(boxes[:, 2:] - boxes[:, :2], axis=1) > 1.0)
    names = tuple(laid[i].name for i in cards[keep])
    return Indices(
        names=names,
        boxes=boxes[keep],
        quads=quads[keep],
        ranks=ranks[keep],
        suits=suits[keep],
        visible=shares[0][keep],
        rank_visible=shares[1][keep],
        suit_visible=shares[2][keep],
        cards=cards[keep],
        px_per_mm=scale[keep],
        glare=bright[keep],
        in_sight=in_sight[keep],
        contrast=contrast[keep],
    )


def _contrast(
    image: NDArray[np.uint8], grid: NDArray[np.float64], upper: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """The span from dark to light over each region's grid (N, n, 2), in the channel where it is widest."""
    h, w = image.shape[:2]
    at = np.clip(np.round(grid).astype(int), 0, [w - 1, h - 1])
    values = image[at[..., 1], at[..., 0]].astype(np.float32)
    spans = []
    for part in (upper, ~upper):
        low = np.where(part[..., None], values, np.inf)
        high = np.where(part[..., None], values, -np.inf)
        # Not the very extremes: noise would count as ink.
        n = max(2, part.shape[1] // 20)
        dark = np.partition(low, n, axis=1)[:, n]
        light = -np.partition(-high, n, axis=1)[:, n]
        spans.append((light - dark).max(axis=1))
    return np.asarray(np.maximum(np.minimum(*spans), 0), np.float64)


def _no_indices() -> Indices:
    none = np.zeros(0)
    return Indices(
        (), np.zeros((0, 4)), np.zeros((0, 4, 2)), np.zeros((0, 2)), np.zeros((0, 2)), none, none, none,
        np.zeros(0, np.int64), none, none, np.zeros(0, bool), none,
    )  # fmt: skip


def _share(seen: NDArray[np.bool_], ink: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.asarray((seen * ink).sum(1) / np.maximum(ink.sum(1), 1e-6), np.float64)


def measure_backs(laid: list[Laid], owner: NDArray[np.int16]) -> Backs:
    """Where face-down cards lie and how much of each shows."""
    h, w = owner.shape
    numbers: list[list[float]] = []
    for i, card in enumerate(laid):
        if card.place.face_up:
            continue
        deck = card.deck
        seen = _seen(owner, project(card.to_px, grid_over((0.0, 0.0, deck.width, deck.height))), i).mean()
        box = np.clip([*card.outline.min(0), *card.outline.max(0)], -0.5, [w - 0.5, h - 0.5] * 2)
        if seen <= 0 or box[2] - box[0] < 2 or box[3] - box[1] < 2:
            continue
        axis = np.array([[deck.width / 2, deck.height / 4], [deck.width / 2, deck.height * 3 / 4]])
        points = project(card.to_px, axis)
        if points[1, 1] < points[0, 1]:
            # Backs have no up: the first point is the upper one in the picture, so that a network can tell.
            points = points[::-1]
        numbers.append([*box, *points.ravel(), float(seen), i])
    table = np.array(numbers, np.float64).reshape(-1, 10)
    return Backs(table[:, :4], table[:, 4:6], table[:, 6:8], table[:, 8], table[:, 9].astype(np.int64))
