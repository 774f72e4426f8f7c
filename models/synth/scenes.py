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
from models.synth.printing import FaceStore, card_to_table, grid_over
from models.synth.surfaces import darken, paint_surface, soften

NOBODY: Final = -1
"""Owner of a pixel that shows the table."""
THING: Final = -2
HAND: Final = -3
_LEAST_SPAN_PX: Final = 8.5
"""From rank to suit there should be as many pixels for the index to be readable."""


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
    face_down: float = 0.06
    empty: float = 0.03
    """How many of the scenes have no cards at all."""
    joker_share: float = 0.07
    close_up: float = 0.1
    things: float = 0.45
    hands: float = 0.15
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
    grey: float = 0.03
    """How many of the pictures have no colour at all."""
    clean: float = 0.2
    """How many of the scenes no lens or chip has spoilt much."""


@dataclass(frozen=True, slots=True)
class Indices:
    """Every corner index in the picture, in parallel arrays of length N.

    `boxes` are x0, y0, x1, y1 px, cut at the picture's edge; points have pixel centres at whole numbers. `visible` is
    the part of the ink that is in the picture and not covered, `rank_visible` and `suit_visible` that of the region's
    two halves; `in_sight` says that both points are in the picture and not covered. `contrast` is what is left of
    ink against stock in the photograph, grey levels 0..255, the fainter of the two halves. `glare` is the shine at the
    region's middle. `cards` points into `Scene.cards`.
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

    def readable(self, least: float = 0.7, least_half: float = 0.6, faintest: float = 14.0) -> NDArray[np.bool_]:
        """Which indices show enough to be asked for: by default seven tenths, six of each half, and not burnt out."""
        enough = (self.visible >= least) & (np.minimum(self.rank_visible, self.suit_visible) >= least_half)
        return enough & self.in_sight & (self.contrast >= faintest)

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
    ppm, matrix, facts = _aim(rng, spec, used)
    plays = _plays(rng, used[0], spec, ppm)
    laid, rows = _project_plays(rng, plays, used, matrix, spec.size)
    stage, facts["shadow"] = _set_stage(rng, spec, ppm)
    order = [i for row, members in rows for i in members]
    _lay_cards(rng, stage, laid, store, order)
    _cover(rng, stage, spec, laid)
    shine = _glare(rng, stage, spec)
    facts["glare"] = float(shine.max()) if shine is not None else 0.0
    field_ = light_field(rng, spec.size, spec.light) if spec.light > 0 else np.float32(1)
    picture = stage.picture.astype(np.float32) * field_
    if shine is not None:
        picture += shine[..., None] * np.float32(255)
    look = draw_look(rng, spec, ppm * min(deck_span(deck) for deck in used))
    image = expose(rng, picture, look)
    cards, tables = _cards_and_rows(laid, rows)
    indices = _indices(laid, stage.owner, shine, store, image)
    backs = _backs(laid, stage.owner)
    return Scene(image, indices, backs, cards, tables, look, facts)


def deck_span(deck: Deck) -> float:
    """The least distance from rank centre to suit centre among the deck's suited cards, mm: how small its print is."""
    spans = [
        np.hypot(r.suit[0] - r.rank[0], r.suit[1] - r.rank[1])
        for name in ("S8", "HK", "D10")
        for r in deck.indices[name]
    ]
    return float(min(spans))


def _aim(
    rng: np.random.Generator, spec: SceneSpec, decks: list[Deck]
) -> tuple[float, Matrix, dict[str, float]]:
    low, high = spec.px_per_mm
    # Print so small that nobody could read it from afar is looked at from nearer, unless the scale is fixed.
    low = min(high, max(low, _LEAST_SPAN_PX / min(deck_span(deck) for deck in decks)))
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
    if rng.random() < spec.empty:
        return []
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
    rng: np.random.Generator, stage: Stage, laid: list[_Laid], store: FaceStore, order: list[int]
) -> None:
    """Paint the cards from the lowest up, each with its shadow on what is below."""
    soft = float(rng.uniform(0.25, 1.6))
    dark = float(rng.uniform(0.12, 0.6))
    raised = float(rng.uniform(0.3, 1.6))
    uneven = float(rng.uniform(0.0, 0.07))
    back = int(rng.integers(8))
    for i in order:
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
    darken(stage.picture[y0:y1, x0:x1], soften(mask, sigma), dark)


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
    view = stage.picture[y0:y1, x0:x1]
    alpha = warped[..., 3]
    paint = cv2.cvtColor(warped, cv2.COLOR_BGRA2BGR)
    # Cards bow and tip a little: each throws back its own share of light, with a slope over the card.
    slope = rng.normal(1 + rng.normal(0, uneven), uneven / 2, (2, 2, 1))
    shade = (np.clip(slope, 0, 1.2) * [1, 1, 1] * 200).astype(np.uint8)
    paint = cv2.multiply(paint, cv2.resize(shade, paint.shape[1::-1], interpolation=cv2.INTER_LINEAR), scale=1 / 200)
    under = cv2.multiply(view, cv2.cvtColor(255 - alpha, cv2.COLOR_GRAY2BGR), scale=1 / 255)
    view[:] = cv2.add(under, paint)
    stage.owner[y0:y1, x0:x1][alpha > 127] = owner


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


def _seen(owner: NDArray[np.int16], points: NDArray[np.float64], who: int | NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which of the points (..., 2) px lie in the picture and on a pixel that `who` owns."""
    h, w = owner.shape
    at = np.round(points).astype(int)
    inside = (at[..., 0] >= 0) & (at[..., 0] < w) & (at[..., 1] >= 0) & (at[..., 1] < h)
    x, y = np.clip(at[..., 0], 0, w - 1), np.clip(at[..., 1], 0, h - 1)
    return np.asarray(inside & (owner[y, x] == who), bool)


def _indices(
    laid: list[_Laid],
    owner: NDArray[np.int16],
    shine: NDArray[np.float32] | None,
    store: FaceStore,
    image: NDArray[np.uint8],
) -> Indices:
    h, w = owner.shape
    who = [(i, k) for i, c in enumerate(laid) if c.place.face_up for k in range(len(c.deck.indices[c.name]))]
    if not who:
        return _no_indices()
    probes = [store.probe(laid[i].deck, laid[i].name, k) for i, k in who]
    cards = np.array([i for i, _ in who], np.int64)
    to_px = np.stack([laid[i].to_px for i in cards])
    points = np.stack([p.points for p in probes]) @ to_px[:, :2, :2].transpose(0, 2, 1) + to_px[:, None, :2, 2]
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
    in_sight = _seen(owner, points[:, 4:6], cards[:, None]).all(1)
    contrast = _contrast(image, grid, upper)
    scale = np.sqrt(np.abs(np.linalg.det(to_px) / depth[:, 4, 0] ** 3))
    keep = ((boxes[:, 2:] - boxes[:, :2]) > 1).all(1)
    names = tuple(laid[i].name for i in cards[keep])
    return Indices(
        names, boxes[keep], quads[keep], ranks[keep], suits[keep], *(s[keep] for s in shares), cards[keep],
        scale[keep], bright[keep], in_sight[keep], contrast[keep],
    )  # fmt: skip


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
    return np.maximum(np.minimum(*spans), 0).astype(np.float64)


def _no_indices() -> Indices:
    none = np.zeros(0)
    return Indices(
        (), np.zeros((0, 4)), np.zeros((0, 4, 2)), np.zeros((0, 2)), np.zeros((0, 2)), none, none, none,
        np.zeros(0, np.int64), none, none, np.zeros(0, bool), none,
    )  # fmt: skip


def _share(seen: NDArray[np.bool_], ink: NDArray[np.float32]) -> NDArray[np.float64]:
    return np.asarray((seen * ink).sum(1) / np.maximum(ink.sum(1), 1e-6), np.float64)


def _backs(laid: list[_Laid], owner: NDArray[np.int16]) -> Backs:
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
