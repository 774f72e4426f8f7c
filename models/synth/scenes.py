"""Synthetic photographs of card tables, with the truth about every index, card, back and row that shows on them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth import clutter
from models.synth.camera import Look, Matrix, expose, light_field, local_scale, look_down, project
from models.synth.clutter import Stage
from models.synth.deck import Deck
from models.synth.layouts import DEFAULT_MIX, Lay, Place, Play, Range, lay_table
from models.synth.looks import draw_look
from models.synth.printing import FaceStore, card_to_table
from models.synth.surfaces import paint_surface

NOBODY: Final = -1
"""Owner of a pixel that shows the table."""
THING: Final = -2
HAND: Final = -3
_GRID: Final = (8, 14)
"""Sample points across and down an index region, by which its visible fraction is counted."""


@dataclass(frozen=True, slots=True)
class SceneSpec:
    """What a scene shall be like. A range is (low, high), a fixed value has low = high; None is the usual mix.

    Lengths in mm on the table, blurs in px, angles in degrees (turns counter-clockwise, 0 upright).
    """

    size: tuple[int, int] = (320, 320)
    px_per_mm: Range = (1.4, 4.0)
    layouts: dict[str, float] | None = None
    step_mm: Range = (8.0, 30.0)
    ragged: float = 1.0
    turn: float | None = None
    tilt: Range | None = None
    packs: Range = (1, 4)
    most_plays: int = 4
    two_decks: float = 0.12
    face_down: float = 0.03
    joker_share: float = 0.07
    close_up: float = 0.1
    things: float = 0.45
    hands: float = 0.2
    light: float = 1.0
    """Strength of uneven light, 0 none to 1 usual."""
    glare: Range | None = None
    """How strongly spots of light shine on the cards, 0 none to 1 burnt out."""
    focus_px: Range | None = None
    motion_px: Range | None = None
    noise: Range | None = None
    exposure: Range | None = None
    jpeg: Range | None = None
    cast: float = 1.0
    """Strength of colour casts, 0 none."""
    clean: float = 0.2
    """How many of the scenes no lens or chip has spoilt much."""


@dataclass(frozen=True, slots=True)
class Indices:
    """Every corner index in the picture, in parallel arrays of length N.

    `boxes` are x0, y0, x1, y1 px, cut at the picture's edge; points have pixel centres at whole numbers. `visible` is
    the part of the ink that is in the picture and not covered, `rank_visible` and `suit_visible` that of the region's
    two halves. `cards` points into `Scene.cards`.
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

    def __len__(self) -> int:
        return len(self.names)

    def readable(self, least: float = 0.7, least_half: float = 0.6) -> NDArray[np.bool_]:
        """Which indices show enough to be asked for: by default seven tenths, and six of each half."""
        return (
            (self.visible >= least) & (self.rank_visible >= least_half) & (self.suit_visible >= least_half)
        )

    @property
    def jokers(self) -> NDArray[np.bool_]:
        """Which are of a joker."""
        return np.array([name in ("LJ", "BJ") for name in self.names], bool)


@dataclass(frozen=True, slots=True)
class Backs:
    """Face-down cards in the picture: boxes px, two points on the long axis at 1/4 and 3/4, visible part 0..1."""

    boxes: NDArray[np.float64]
    firsts: NDArray[np.float64]
    seconds: NDArray[np.float64]
    visible: NDArray[np.float64]
    cards: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class SceneCard:
    """A card in the picture: outline (4, 2) px from its top left corner on clockwise; `name` also where face down."""

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
class _Laid:
    """A card on its way into the picture."""

    name: str
    deck: Deck
    place: Place
    to_px: Matrix
    outline: NDArray[np.float64]
    scale: float


def render_scene(
    rng: np.random.Generator, decks: Sequence[Deck], spec: SceneSpec | None = None, store: FaceStore | None = None
) -> Scene:
    """Lay cards of one of `decks` (sometimes of two) on a table and photograph it.

    Args:
        rng: the source of chance: the same state gives the same scene.
        decks: designs to choose from.
        spec: what the scene shall be like.
        store: pictures of the faces at several sizes, kept from scene to scene; a passing one if None.
    """
    spec = spec or SceneSpec()
    store = store if store is not None else FaceStore()
    used = [decks[int(rng.integers(len(decks)))]]
    if len(decks) > 1 and rng.random() < spec.two_decks:
        used.append(decks[int(rng.integers(len(decks)))])
    ppm, matrix, facts = _aim(rng, spec)
    plays = _plays(rng, used[0], spec, ppm)
    laid, rows = _project_plays(rng, plays, used, matrix, spec.size)
    stage, facts["shadow"] = _set_stage(rng, spec, ppm)
    order = [i for row, members in rows for i in members]
    position = {i: k for k, i in enumerate(order)}
    _lay_cards(rng, stage, laid, store, {i: k for i, k in position.items()})
    _cover(rng, stage, spec, laid)
    shine = _glare(rng, stage, spec)
    facts["glare"] = float(shine.max()) if shine is not None else 0.0
    field_ = light_field(rng, spec.size, spec.light) if spec.light > 0 else np.float32(1)
    picture = stage.picture * field_
    if shine is not None:
        picture += shine[..., None] * np.float32(255)
    look = draw_look(rng, spec, ppm)
    image = expose(rng, picture, look)
    cards, tables = _cards_and_rows(laid, rows)
    indices = _indices(laid, stage.owner, shine, store)
    backs = _backs(laid, stage.owner)
    return Scene(image, indices, backs, cards, tables, look, facts)


def _aim(rng: np.random.Generator, spec: SceneSpec) -> tuple[float, Matrix, dict[str, float]]:
    low, high = spec.px_per_mm
    ppm = float(np.exp(rng.uniform(np.log(low), np.log(high))))
    if spec.close_up and rng.random() < spec.close_up:
        ppm = float(rng.uniform(max(low, 0.75 * high), high))
    if spec.tilt is not None:
        tilt = float(rng.uniform(*spec.tilt))
    else:
        tilt = float(np.clip(abs(rng.normal(0, 12)), 0, 25)) if rng.random() < 0.92 else float(rng.uniform(25, 50))
    azimuth = float(rng.normal(0, 25)) if rng.random() < 0.6 else float(rng.uniform(0, 360))
    far = float(rng.uniform(1.2, 4.0)) * max(spec.size) / ppm
    matrix = look_down(spec.size, ppm, tilt, azimuth, far, (0.0, 0.0))
    return ppm, matrix, {"px_per_mm": ppm, "tilt": tilt, "azimuth": azimuth}


def _plays(rng: np.random.Generator, deck: Deck, spec: SceneSpec, ppm: float) -> list[Play]:
    reach = min(spec.size) / ppm / 2
    lay = Lay(deck.width, deck.height, spec.step_mm, reach, spec.ragged)
    # A picture that shows much of a table holds more plays.
    most = max(1, round(spec.most_plays * min(1.0, reach / 75)))
    return lay_table(
        rng,
        lay,
        packs=int(rng.integers(int(spec.packs[0]), int(spec.packs[1]) + 1)),
        mix=spec.layouts or DEFAULT_MIX,
        turn=spec.turn,
        most_plays=most,
        face_down=spec.face_down,
        joker_share=spec.joker_share,
    )


def _project_plays(
    rng: np.random.Generator, plays: list[Play], decks: list[Deck], matrix: Matrix, size: tuple[int, int]
) -> tuple[list[_Laid], list[tuple[Play, list[int]]]]:
    """Every card that touches the picture, left to right play by play, and which of them each play has."""
    laid: list[_Laid] = []
    rows: list[tuple[Play, list[int]]] = []
    for play in plays:
        deck = decks[0] if len(decks) == 1 or rng.random() < 0.5 else decks[1]
        seen: dict[int, int] = {}
        for position, (name, place) in enumerate(zip(play.names, play.places, strict=True)):
            to_px = matrix @ card_to_table(deck, place)
            corners = np.array([[0, 0], [deck.width, 0], [deck.width, deck.height], [0, deck.height]], float)
            depth = corners @ to_px[2, :2] + to_px[2, 2]
            if depth.min() < 0.35 * abs(matrix[2, 2]):
                continue
            outline = project(to_px, corners)
            if (outline.max(0) < 0).any() or (outline.min(0) > np.array(size) - 1).any():
                continue
            middle = np.array([deck.width / 2, deck.height / 2])
            seen[position] = len(laid)
            laid.append(_Laid(name, deck, place, to_px, outline, float(local_scale(to_px, middle))))
        ordered = [seen[p] for p in play.order if p in seen]
        rows.append((play, ordered))
    return laid, rows


def _set_stage(rng: np.random.Generator, spec: SceneSpec, ppm: float) -> tuple[Stage, float]:
    picture = paint_surface(rng, spec.size, ppm)
    owner = np.full(picture.shape[:2], NOBODY, np.int16)
    angle, slope = rng.uniform(0, 2 * np.pi), rng.uniform(0, 1.2) * ppm
    stage = Stage(picture, owner, ppm, (float(np.cos(angle) * slope), float(np.sin(angle) * slope)))
    if rng.random() < spec.things:
        clutter.strew(rng, stage, int(rng.integers(1, 5)), THING)
    return stage, float(slope)


def _lay_cards(
    rng: np.random.Generator, stage: Stage, laid: list[_Laid], store: FaceStore, position: dict[int, int]
) -> None:
    """Paint the cards from the lowest up, each with its shadow on what is below."""
    soft = float(rng.uniform(0.25, 1.6))
    dark = float(rng.uniform(0.12, 0.6))
    raised = float(rng.uniform(0.3, 1.6))
    uneven = float(rng.uniform(0.0, 0.07))
    back = int(rng.integers(8))
    for i in sorted(range(len(laid)), key=lambda i: position[i]):
        card = laid[i]
        if card.place.face_up:
            sheet = store.face(card.deck, card.name, card.scale)
        else:
            sheet = store.back(card.deck, back, card.scale)
        _card_shadow(rng, stage, card, raised, soft, dark)
        _paste(rng, stage, card, sheet, uneven, i)


def _card_shadow(
    rng: np.random.Generator, stage: Stage, card: _Laid, raised: float, soft: float, dark: float
) -> None:
    lift = raised * float(rng.uniform(0.5, 1.5))
    sigma = max(0.45, soft * stage.px_per_mm * float(rng.uniform(0.7, 1.3)))
    shift = np.array(stage.light) * lift
    quad = card.outline + shift
    h, w = stage.owner.shape
    pad = int(3 * sigma) + 2
    x0, y0 = np.maximum(np.floor(quad.min(0)).astype(int) - pad, 0)
    x1, y1 = np.minimum(np.ceil(quad.max(0)).astype(int) + pad + 1, [w, h])
    if x1 <= x0 or y1 <= y0:
        return
    mask = np.zeros((y1 - y0, x1 - x0), np.uint8)
    cv2.fillConvexPoly(mask, np.round((quad - [x0, y0]) * 16).astype(np.int32), 255, cv2.LINE_AA, shift=4)
    mask = cv2.GaussianBlur(mask, (0, 0), sigma)  # type: ignore[assignment]
    stage.picture[y0:y1, x0:x1] *= cv2.LUT(mask, _shadow_table(dark))[..., None]


def _shadow_table(dark: float) -> NDArray[np.float32]:
    return np.asarray(1 - np.float32(dark / 255) * np.arange(256, dtype=np.float32), np.float32)


def _paste(
    rng: np.random.Generator,
    stage: Stage,
    card: _Laid,
    sheet: tuple[NDArray[np.uint8], Matrix],
    uneven: float,
    owner: int,
) -> None:
    """Warp one face (BGRA, premultiplied) into its bounding box and blend it in."""
    h, w = stage.owner.shape
    x0, y0 = np.maximum(np.floor(card.outline.min(0)).astype(int) - 1, 0)
    x1, y1 = np.minimum(np.ceil(card.outline.max(0)).astype(int) + 2, [w, h])
    if x1 - x0 < 2 or y1 - y0 < 2:
        return
    face, face_to_card = sheet
    shift = np.array([[1, 0, -x0], [0, 1, -y0], [0, 0, 1.0]])
    warped = cv2.warpPerspective(
        face, shift @ card.to_px @ face_to_card, (int(x1 - x0), int(y1 - y0)), flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_CONSTANT, borderValue=0,
    )  # fmt: skip
    gain = 1 + rng.normal(0, uneven)
    slope = rng.normal(0, uneven, 2) / 2
    across = np.linspace(-slope[0], slope[0], x1 - x0, dtype=np.float32)[None]
    down = np.linspace(-slope[1], slope[1], y1 - y0, dtype=np.float32)[:, None]
    shade = (np.float32(gain) + across + down)[..., None]
    view = stage.picture[y0:y1, x0:x1]
    view *= (255 - warped[..., 3:]).astype(np.float32) / np.float32(255)
    view += warped[..., :3] * shade
    stage.owner[y0:y1, x0:x1][warped[..., 3] > 127] = owner


def _cover(rng: np.random.Generator, stage: Stage, spec: SceneSpec, laid: list[_Laid]) -> None:
    """Things that stand on cards and hands that reach over them."""
    if rng.random() < 0.12 * spec.things / 0.45:
        clutter.chip(rng, stage, _somewhere(rng, spec, laid), THING)
    if rng.random() < spec.hands:
        for _ in range(int(rng.choice([1, 1, 2]))):
            clutter.hand(rng, stage, _somewhere(rng, spec, laid), HAND)


def _somewhere(rng: np.random.Generator, spec: SceneSpec, laid: list[_Laid]) -> NDArray[np.float64]:
    if laid and rng.random() < 0.6:
        outline = laid[int(rng.integers(len(laid)))].outline
        mix = rng.dirichlet([0.6] * 4)
        return np.clip(mix @ outline, 0, spec.size)
    return rng.uniform(0, 1, 2) * spec.size


def _glare(rng: np.random.Generator, stage: Stage, spec: SceneSpec) -> NDArray[np.float32] | None:
    """Light thrown back by the cards' gloss: (h, w), 0..1 and more where it burns out; None where there is none."""
    if spec.glare is None:
        if rng.random() > 0.28:
            return None
        strength = float(rng.beta(1.3, 1.6)) * 0.9
    else:
        strength = float(rng.uniform(*spec.glare))
    if strength <= 0:
        return None
    h, w = stage.owner.shape
    spots = np.zeros((h // 2, w // 2), np.float32)
    for _ in range(int(rng.choice([1, 1, 2, 3]))):
        centre = rng.uniform(0.1, 0.9, 2) * (w // 2, h // 2)
        axes = rng.uniform(6, 45, 2) * stage.px_per_mm / 2
        at, half = (int(centre[0]), int(centre[1])), (int(axes[0]) + 1, int(axes[1]) + 1)
        cv2.ellipse(spots, at, half, float(rng.uniform(0, 180)), 0, 360, float(rng.uniform(0.5, 1)), -1)
    soft = cv2.GaussianBlur(spots, (0, 0), float(rng.uniform(2, 9)) * stage.px_per_mm / 2)
    shine = cv2.resize(soft, (w, h), interpolation=cv2.INTER_LINEAR)
    # Plastic shines, cloth does not; a table top may.
    table = np.float32(rng.choice([0.0, 0.15, 0.6]))
    return np.asarray(np.float32(strength) * shine * np.where(stage.owner >= 0, np.float32(1), table), np.float32)


def _cards_and_rows(
    laid: list[_Laid], rows: list[tuple[Play, list[int]]]
) -> tuple[tuple[SceneCard, ...], tuple[Row, ...]]:
    cards = tuple(
        SceneCard(c.name, c.deck.name, c.outline, c.place.face_up, c.place.turn, c.scale) for c in laid
    )
    tables = tuple(Row(play.kind, tuple(sorted(members)), play.step) for play, members in rows if members)
    return cards, tables


def _seen(owner: NDArray[np.int16], points: NDArray[np.float64], who: int) -> NDArray[np.bool_]:
    """Which of the points (..., 2) px lie in the picture and on a pixel that `who` owns."""
    h, w = owner.shape
    at = np.round(points).astype(int)
    inside = (at[..., 0] >= 0) & (at[..., 0] < w) & (at[..., 1] >= 0) & (at[..., 1] < h)
    x, y = np.clip(at[..., 0], 0, w - 1), np.clip(at[..., 1], 0, h - 1)
    return np.asarray(inside & (owner[y, x] == who), bool)


def _grid(box: tuple[float, float, float, float]) -> NDArray[np.float64]:
    """Sample points of a region in mm: (down, across, 2)."""
    u = (np.arange(_GRID[0]) + 0.5) / _GRID[0]
    v = (np.arange(_GRID[1]) + 0.5) / _GRID[1]
    x0, y0, x1, y1 = box
    xs, ys = np.meshgrid(x0 + u * (x1 - x0), y0 + v * (y1 - y0))
    return np.stack([xs, ys], axis=-1)


def _indices(
    laid: list[_Laid], owner: NDArray[np.int16], shine: NDArray[np.float32] | None, store: FaceStore
) -> Indices:
    h, w = owner.shape
    names: list[str] = []
    numbers: list[list[float]] = []
    quads: list[NDArray[np.float64]] = []
    for i, card in enumerate(laid):
        if not card.place.face_up:
            continue
        for k, region in enumerate(card.deck.indices[card.name]):
            x0, y0, x1, y1 = region.box
            quad = project(card.to_px, np.array([[x0, y0], [x1, y0], [x1, y1], [x0, y1]]))
            box = np.clip([*quad.min(0), *quad.max(0)], -0.5, [w - 0.5, h - 0.5] * 2)
            if box[2] - box[0] < 1 or box[3] - box[1] < 1:
                continue
            points = project(card.to_px, np.array([region.rank, region.suit]))
            seen = _seen(owner, project(card.to_px, _grid(region.box)), i)
            ink = store.ink(card.deck, card.name, k, _GRID)
            first = (_grid(region.box) - (np.array(region.rank) + region.suit) / 2) @ (
                np.array(region.suit) - region.rank
            ) < 0
            halves = [_share(seen[part], ink[part]) for part in (first, ~first)]
            scale = float(local_scale(card.to_px, np.array(region.rank)))
            bright = 0.0 if shine is None else _mean_at(shine, quad)
            names.append(card.name)
            quads.append(quad)
            numbers.append([*box, *points.ravel(), _share(seen, ink), *halves, i, scale, bright])
    table = np.array(numbers, np.float64).reshape(-1, 14)
    return Indices(
        tuple(names), table[:, :4], np.array(quads, np.float64).reshape(-1, 4, 2), table[:, 4:6], table[:, 6:8],
        table[:, 8], table[:, 9], table[:, 10], table[:, 11].astype(np.int64), table[:, 12], table[:, 13],
    )  # fmt: skip


def _share(seen: NDArray[np.bool_], ink: NDArray[np.float32]) -> float:
    return float((seen * ink).sum() / max(float(ink.sum()), 1e-6))


def _mean_at(values: NDArray[np.float32], quad: NDArray[np.float64]) -> float:
    h, w = values.shape
    x, y = np.clip(np.round(quad.mean(0)).astype(int), 0, [w - 1, h - 1])
    return float(values[y, x])


def _backs(laid: list[_Laid], owner: NDArray[np.int16]) -> Backs:
    h, w = owner.shape
    numbers: list[list[float]] = []
    for i, card in enumerate(laid):
        if card.place.face_up:
            continue
        deck = card.deck
        seen = _seen(owner, project(card.to_px, _grid((0.0, 0.0, deck.width, deck.height))), i).mean()
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
