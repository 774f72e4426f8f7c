"""Synthetic photographs of card tables, with the truth about every index, card, back and row that shows on
them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth import clutter
from models.synth.camera import Matrix, expose, light_field, local_scale, look_down, project
from models.synth.clutter import Stage
from models.synth.deck import Deck
from models.synth.layouts import DEFAULT_MIX, Lay, Play, Range, lay_table
from models.synth.looks import draw_look
from models.synth.printing import FaceStore, card_to_table
from models.synth.surfaces import darken, paint_surface, soften
from models.synth.truth import Laid, Scene, cards_and_rows, measure_backs, measure_indices

NOBODY: Final = -1
"""Owner of a pixel that shows the table."""
THING: Final = -2
HAND: Final = -3
_LEAST_SPAN_PX: Final = 8.5
"""From rank to suit there should be as many pixels for the index to be readable."""


@dataclass(frozen=True, slots=True)
class SceneSpec:
    """What a scene shall be like. A range is (low, high), a fixed value has low = high; None is the usual
    mix.

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


def render_scene(
    rng: np.random.Generator,
    decks: Sequence[Deck],
    spec: SceneSpec | None = None,
    store: FaceStore | None = None,
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
    cards, tables = cards_and_rows(laid, rows)
    indices = measure_indices(laid, stage.owner, shine, store, image)
    backs = measure_backs(laid, stage.owner)
    return Scene(image, indices, backs, cards, tables, look, facts)


def deck_span(deck: Deck) -> float:
    """The least distance from rank centre to suit centre among the deck's suited cards, mm: how small its
    print is."""
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
        tilt = (
            float(np.clip(abs(rng.normal(0, 12)), 0, 25))
            if rng.random() < 0.92
            else float(rng.uniform(25, 50))
        )
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
) -> tuple[list[Laid], list[tuple[Play, list[int]]]]:
    """Every card that touches the picture, left to right play by play, and which of them each play has."""
    laid: list[Laid] = []
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
            laid.append(Laid(name, deck, place, to_px, outline, float(local_scale(to_px, middle))))
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
    rng: np.random.Generator, stage: Stage, laid: list[Laid], store: FaceStore, order: list[int]
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
    rng: np.random.Generator, stage: Stage, card: Laid, raised: float, soft: float, dark: float
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
    card: Laid,
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
    paint = cv2.multiply(
        paint, cv2.resize(shade, paint.shape[1::-1], interpolation=cv2.INTER_LINEAR), scale=1 / 200
    )
    under = cv2.multiply(view, cv2.cvtColor(255 - alpha, cv2.COLOR_GRAY2BGR), scale=1 / 255)
    view[:] = cv2.add(under, paint)
    stage.owner[y0:y1, x0:x1][alpha > 127] = owner


def _cover(rng: np.random.Generator, stage: Stage, spec: SceneSpec, laid: list[Laid]) -> None:
    """Things that stand on cards and hands that reach over them."""
    if rng.random() < 0.12 * spec.things / 0.45:
        clutter.chip(rng, stage, _somewhere(rng, spec, laid), THING)
    if rng.random() < spec.hands:
        for _ in range(int(rng.choice([1, 1, 2]))):
            clutter.hand(rng, stage, _somewhere(rng, spec, laid), HAND)


def _somewhere(rng: np.random.Generator, spec: SceneSpec, laid: list[Laid]) -> NDArray[np.float64]:
    if laid and rng.random() < 0.6:
        outline = laid[int(rng.integers(len(laid)))].outline
        mix = rng.dirichlet([0.6] * 4)
        return np.clip(mix @ outline, 0, spec.size)
    return rng.uniform(0, 1, 2) * spec.size


def _glare(rng: np.random.Generator, stage: Stage, spec: SceneSpec) -> NDArray[np.float32] | None:
    """Light thrown back by the cards' gloss: (h, w), 0..1 and more where it burns out; None where there is
    none."""
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
    return np.asarray(
        np.float32(strength) * shine * np.where(stage.owner >= 0, np.float32(1), table), np.float32
    )
