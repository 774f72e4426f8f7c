"""What else lies on a table or reaches over it: chips, cups, phones, pens, printed paper, keys, and hands."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from models.synth.joker_column import LATIN_FONTS, glyph, installed
from models.synth.surfaces import any_colour, darken, hsv, soften

_WORDS: Final = (
    "10", "A", "K", "Q", "J", "7", "8", "JOKER", "2026", "OPEN", "Score", "Total", "No. 42", "MENU", "Coffee",
    "A4", "K9", "Team", "East", "North", "0", "6", "9", "3/4", "100", "500", "25", "EXIT", "Shift", "Q1",
)  # fmt: skip
_TEXT: Final = (
    "table", "lucky", "water", "player", "north", "tokyo", "power", "coffee", "matcha", "ticket", "order", "royal",
    "menu", "paper", "jogger", "poker", "joke", "broker", "sugar", "fresh", "energy", "delete", "shift", "enter",
)  # fmt: skip
"""Words that packets and keys bear; some are near the word on a joker, none is that word."""
_KEYS: Final = "QWERTYUIOPASDFGHJKLZXCVBNM1234567890"
Box = tuple[int, int, int, int]
Paint = NDArray[np.uint8]


@dataclass(slots=True)
class Stage:
    """The scene being painted: `picture` and, pixel by pixel, what is on top (`owner`, see `scenes`)."""

    picture: NDArray[np.uint8]
    owner: NDArray[np.int16]
    px_per_mm: float
    light: tuple[float, float]
    """Where shadows fall, px per mm of height."""


def _whole(point: object) -> tuple[int, int]:
    x, y = np.asarray(point, float)
    return round(float(x)), round(float(y))


def _colour(colour: NDArray[np.float32]) -> tuple[float, ...]:
    return tuple(float(c) for c in np.clip(colour, 0, 255))


def _box_of(mask: NDArray[np.uint8], grow: int) -> Box | None:
    x, y, w, h = cv2.boundingRect(mask)
    if w == 0 or h == 0:
        return None
    return (
        max(x - grow, 0),
        max(y - grow, 0),
        min(x + w + grow, mask.shape[1]),
        min(y + h + grow, mask.shape[0]),
    )


def drop_shadow(
    stage: Stage, mask: NDArray[np.uint8], height_mm: float, soft_px: float, strength: float
) -> None:
    """Darken what lies beside a thing of this mask (whole picture, 0..255) that rises `height_mm`."""
    dx, dy = stage.light[0] * height_mm, stage.light[1] * height_mm
    box = _box_of(mask, int(abs(dx) + abs(dy) + 3 * soft_px) + 1)
    if box is None:
        return
    x0, y0, x1, y1 = box
    move = np.array([[1, 0, dx], [0, 1, dy]])
    moved = cv2.warpAffine(np.ascontiguousarray(mask[y0:y1, x0:x1]), move, (x1 - x0, y1 - y0))
    darken(stage.picture[y0:y1, x0:x1], soften(np.asarray(moved, np.uint8), soft_px), strength)


def put(stage: Stage, paint: Paint, mask: NDArray[np.uint8], owner: int) -> None:
    """Lay a painted thing over the scene where its mask (0..255) says."""
    box = _box_of(mask, 0)
    if box is None:
        return
    x0, y0, x1, y1 = box
    over = mask[y0:y1, x0:x1].astype(np.float32)
    view = stage.picture[y0:y1, x0:x1]
    view[:] = cv2.blendLinear(
        np.ascontiguousarray(view), np.ascontiguousarray(paint[y0:y1, x0:x1]), 255 - over, over
    )
    stage.owner[y0:y1, x0:x1][mask[y0:y1, x0:x1] > 100] = owner


def _blank(stage: Stage) -> tuple[Paint, NDArray[np.uint8]]:
    # OpenCV draws smooth lines and letters on bytes only.
    return np.zeros(stage.picture.shape, np.uint8), np.zeros(stage.owner.shape, np.uint8)


def chip(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A poker chip or a stack of them, or a coin."""
    ppm = stage.px_per_mm
    coin = rng.random() < 0.3
    radius = (rng.uniform(8, 13) if coin else rng.uniform(17, 22)) * ppm
    colour = (
        hsv(rng.uniform(25, 45), rng.uniform(0.05, 0.5), rng.uniform(0.4, 0.9)) if coin else any_colour(rng)
    )
    spots = any_colour(rng)
    for _ in range(1 if coin else int(rng.integers(1, 5))):
        paint, mask = _blank(stage)
        cv2.circle(mask, _whole(at), int(radius), 255, -1, cv2.LINE_AA)
        cv2.circle(paint, _whole(at), int(radius) + 1, _colour(colour), -1)
        if not coin:
            turn = rng.uniform(0, 90)
            for k in range(6):
                cv2.ellipse(
                    paint, _whole(at), (int(radius * 0.92),) * 2, turn + 60 * k, 0, 22, _colour(spots),
                    max(1, int(radius * 0.2)), cv2.LINE_AA,
                )  # fmt: skip
        ring = _colour(colour * rng.uniform(0.6, 1.2))
        cv2.circle(paint, _whole(at), int(radius * 0.62), ring, max(1, int(0.06 * radius)), cv2.LINE_AA)
        _print(rng, paint, at, radius * 0.5, _colour(any_colour(rng)))
        drop_shadow(stage, mask, 3.0, 0.8 * ppm, 0.45)
        put(stage, paint, mask, owner)
        at = at + rng.normal(0, 1.2 * ppm, 2)


def _print(
    rng: np.random.Generator, paint: Paint, at: NDArray[np.float64], tall: float, colour: tuple[float, ...]
) -> None:
    """A short word, often one that looks like a rank."""
    word = _WORDS[int(rng.integers(len(_WORDS)))]
    if rng.random() < 0.5:
        _set(rng, paint, at, 1.4 * tall, word, colour, float(rng.uniform(0, 360)))
        return
    font = int(rng.choice([cv2.FONT_HERSHEY_SIMPLEX, cv2.FONT_HERSHEY_DUPLEX, cv2.FONT_HERSHEY_COMPLEX]))
    scale = tall / 22
    (wide, high), _ = cv2.getTextSize(word, font, scale, 1)
    origin = _whole(at + np.array([-wide / 2, high / 2]))
    cv2.putText(
        paint, word, origin, font, scale, colour, max(1, int(scale * rng.uniform(1, 3.5))), cv2.LINE_AA
    )


def _set(
    rng: np.random.Generator,
    paint: Paint,
    at: NDArray[np.float64],
    tall: float,
    word: str,
    colour: tuple[float, ...],
    turn: float,
) -> None:
    """A word in a printer's font, `tall` px high round `at`, turned by degrees counter-clockwise."""
    fonts = installed(LATIN_FONTS)
    ink = (
        np.asarray(glyph(fonts[int(rng.integers(len(fonts)))] if fonts else "", word, 0.0), np.float32) / 255
    )
    scale = tall / ink.shape[0]
    middle = (np.array(ink.shape[::-1], float) - 1) / 2
    centre = (float(middle[0]), float(middle[1]))
    matrix = np.asarray(cv2.getRotationMatrix2D(centre, turn, scale), np.float64)
    half = int(np.ceil(np.hypot(*ink.shape) * scale / 2)) + 1
    x, y = _whole(at)
    matrix[:, 2] = matrix[:, 2] + half - middle
    if scale < 0.7:
        # Area averaging first: warpAffine alone would leave out strokes.
        ink = np.asarray(cv2.GaussianBlur(ink, (0, 0), 0.4 / scale), np.float32)
    stamp = cv2.warpAffine(ink, matrix, (2 * half + 1, 2 * half + 1), flags=cv2.INTER_LINEAR)
    height, width = paint.shape[:2]
    left, top, right, bottom = (
        max(0, x - half),
        max(0, y - half),
        min(width, x + half + 1),
        min(height, y + half + 1),
    )
    if left >= right or top >= bottom:
        return
    part = stamp[top - y + half : bottom - y + half, left - x + half : right - x + half, None]
    under = paint[top:bottom, left:right].astype(np.float32)
    paint[top:bottom, left:right] = np.round(under + (np.asarray(colour[:3], np.float32) - under) * part)


def label(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A packet, a ticket or a badge with words that run along it or stand letter under letter, as a joker's do."""
    ppm = stage.px_per_mm
    corners, paint, mask, turn = _slab(rng, stage, at, rng.uniform(30, 110) * ppm, rng.uniform(25, 110) * ppm)
    paint[:] = rng.uniform(190, 250) if rng.random() < 0.6 else any_colour(rng)
    for _ in range(int(rng.integers(1, 5))):
        word = _TEXT[int(rng.integers(len(_TEXT)))]
        word = (word.upper, word.capitalize, word.lower)[int(rng.integers(3))]()
        ink = _colour(any_colour(rng) * rng.choice([0.3, 1.0]))
        tall = rng.uniform(2, 12) * ppm
        place = _on_slab(corners, rng.uniform(0.15, 0.85), rng.uniform(0.15, 0.85))
        if rng.random() < 0.4:
            a = np.radians(turn)
            down = np.array([-np.sin(a), np.cos(a)]) * tall * rng.uniform(1.05, 1.4)
            for k, letter in enumerate(word[:6]):
                _set(rng, paint, place + k * down, tall, letter, ink, -turn)
        else:
            _set(rng, paint, place, tall, word, ink, -turn + float(rng.choice([0, 0, 90, 180])))
    drop_shadow(stage, mask, 2, 1 * ppm, 0.4)
    put(stage, paint, mask, owner)


def cup(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A cup or glass from above: rim, inside, drink."""
    ppm = stage.px_per_mm
    radius = rng.uniform(28, 48) * ppm
    colour, drink = any_colour(rng), hsv(rng.uniform(10, 50), rng.uniform(0.2, 0.9), rng.uniform(0.1, 0.7))
    paint, mask = _blank(stage)
    cv2.circle(mask, _whole(at), int(radius), 255, -1, cv2.LINE_AA)
    if rng.random() < 0.7:
        a = rng.uniform(0, 2 * np.pi)
        end = at + radius * 1.4 * np.array([np.cos(a), np.sin(a)])
        cv2.line(mask, _whole(at), _whole(end), 255, int(9 * ppm), cv2.LINE_AA)
    paint[:] = colour
    inner = at + rng.normal(0, 0.06 * radius, 2)
    cv2.circle(paint, _whole(inner), int(radius * 0.9), _colour(colour * 0.6), -1, cv2.LINE_AA)
    cv2.circle(paint, _whole(inner), int(radius * rng.uniform(0.6, 0.85)), _colour(drink), -1, cv2.LINE_AA)
    cv2.ellipse(paint, _whole(at), (int(radius * 0.95),) * 2, 0, 200, 250, (250, 250, 250), 2, cv2.LINE_AA)
    drop_shadow(stage, mask, rng.uniform(10, 40), 3 * ppm, 0.4)
    put(stage, paint, mask, owner)


def _slab(
    rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], wide: float, high: float
) -> tuple[NDArray[np.float64], Paint, NDArray[np.uint8], float]:
    turn = (
        float(rng.choice([0, 90]) + rng.normal(0, 12)) if rng.random() < 0.5 else float(rng.uniform(0, 360))
    )
    paint, mask = _blank(stage)
    corners = cv2.boxPoints((tuple(at.tolist()), (wide, high), turn)).astype(np.float64)
    cv2.fillPoly(mask, [np.round(corners * 16).astype(np.int32)], 255, cv2.LINE_AA, shift=4)
    return corners, paint, mask, turn


def _on_slab(corners: NDArray[np.float64], u: float, v: float) -> NDArray[np.float64]:
    a, b, _, d = corners
    return np.asarray(a + u * (b - a) + v * (d - a), np.float64)


def phone(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A telephone, a remote control or a notebook: a dark or coloured slab, sometimes with a lit screen."""
    ppm = stage.px_per_mm
    corners, paint, mask, _ = _slab(rng, stage, at, rng.uniform(65, 82) * ppm, rng.uniform(140, 170) * ppm)
    paint[:] = rng.uniform(10, 60) if rng.random() < 0.6 else any_colour(rng)
    if rng.random() < 0.4:
        inner = np.array(
            [_on_slab(corners, u, v) for u, v in ((0.05, 0.05), (0.95, 0.05), (0.95, 0.95), (0.05, 0.95))]
        )
        cv2.fillPoly(paint, [inner.astype(np.int32)], _colour(any_colour(rng)))
        for _ in range(8):
            _print(
                rng, paint, _on_slab(corners, *rng.uniform(0.15, 0.85, 2)), 5 * ppm, _colour(any_colour(rng))
            )
    drop_shadow(stage, mask, 6, 1.2 * ppm, 0.5)
    put(stage, paint, mask, owner)


def paper(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A score sheet, a ticket or a leaflet: white, printed with words and rules; a decoy for card finders."""
    ppm = stage.px_per_mm
    corners, paint, mask, _ = _slab(rng, stage, at, rng.uniform(50, 150) * ppm, rng.uniform(60, 200) * ppm)
    paint[:] = rng.uniform(195, 250) if rng.random() < 0.8 else any_colour(rng)
    ink = _colour(hsv(rng.choice([0, 220, 0]), rng.choice([0, 0.9]), rng.uniform(0.05, 0.6)))
    for k in range(int(rng.integers(3, 14))):
        p, q = (
            _on_slab(corners, 0.1, 0.06 * (k + 1)),
            _on_slab(corners, rng.uniform(0.3, 0.9), 0.06 * (k + 1)),
        )
        if rng.random() < 0.5:
            cv2.line(paint, _whole(p), _whole(q), ink, max(1, int(rng.uniform(0.2, 1.2) * ppm)), cv2.LINE_AA)
        else:
            _print(rng, paint, (p + q) / 2, rng.uniform(3, 12) * ppm, ink)
    drop_shadow(stage, mask, 0.8, 0.8 * ppm, 0.3)
    put(stage, paint, mask, owner)


def pen(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A pen, a cable or a stick."""
    ppm = stage.px_per_mm
    paint, mask = _blank(stage)
    a = rng.uniform(0, 2 * np.pi)
    d = rng.uniform(40, 90) * ppm * np.array([np.cos(a), np.sin(a)])
    thick = max(1, int(rng.uniform(3, 11) * ppm))
    cv2.line(mask, _whole(at - d), _whole(at + d), 255, thick, cv2.LINE_AA)
    colour = any_colour(rng)
    paint[:] = colour
    cv2.line(
        paint, _whole(at - d), _whole(at + d), _colour(colour * 0.5 + 120), max(1, thick // 4), cv2.LINE_AA
    )
    drop_shadow(stage, mask, 4, 0.8 * ppm, 0.4)
    put(stage, paint, mask, owner)


def keyboard(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """Rows of keys with letters: the hardest decoys there are."""
    ppm = stage.px_per_mm
    corners, paint, mask, _ = _slab(rng, stage, at, 290 * ppm, 110 * ppm)
    body = any_colour(rng)
    light = rng.random() < 0.5
    key = np.asarray(rng.uniform(150, 245, 1) if light else rng.uniform(10, 60, 1), np.float32).repeat(3)
    ink = (30.0,) * 3 if light else _colour(any_colour(rng) * 0.4 + 150)
    paint[:] = body * 0.7
    for r in range(5):
        for c in range(14):
            u, v = (c + 0.1 + 0.2 * (r % 3)) / 14.6, (r + 0.08) / 5
            cap = np.array(
                [_on_slab(corners, u + du, v + dv) for du, dv in ((0, 0), (0.06, 0), (0.06, 0.17), (0, 0.17))]
            )
            cv2.fillPoly(paint, [cap.astype(np.int32)], _colour(key), cv2.LINE_AA)
            where = _whole(_on_slab(corners, u + 0.015, v + 0.1))
            letter = _KEYS[int(rng.integers(len(_KEYS)))]
            cv2.putText(paint, letter, where, cv2.FONT_HERSHEY_SIMPLEX, 0.16 * ppm, ink, 1, cv2.LINE_AA)
    drop_shadow(stage, mask, 12, 2 * ppm, 0.5)
    put(stage, paint, mask, owner)


def plaque(rng: np.random.Generator, stage: Stage, at: NDArray[np.float64], owner: int) -> None:
    """A small board with one big word or number: a seat sign, a count call, a label."""
    ppm = stage.px_per_mm
    corners, paint, mask, _ = _slab(rng, stage, at, rng.uniform(30, 90) * ppm, rng.uniform(20, 60) * ppm)
    paint[:] = any_colour(rng)
    _print(rng, paint, _on_slab(corners, 0.5, 0.5), rng.uniform(10, 26) * ppm, _colour(any_colour(rng)))
    drop_shadow(stage, mask, 3, 1 * ppm, 0.4)
    put(stage, paint, mask, owner)


Thing = Callable[[np.random.Generator, Stage, NDArray[np.float64], int], None]
THINGS: Final[dict[str, tuple[Thing, float]]] = {
    "chip": (chip, 0.36),
    "cup": (cup, 0.1),
    "phone": (phone, 0.12),
    "paper": (paper, 0.15),
    "pen": (pen, 0.12),
    "keyboard": (keyboard, 0.06),
    "plaque": (plaque, 0.1),
    "label": (label, 0.14),
}


def strew(rng: np.random.Generator, stage: Stage, count: int, owner: int) -> None:
    """`count` things at random places, marked as `owner` in the stage's ownership."""
    kinds = list(THINGS)
    weights = np.array([THINGS[k][1] for k in kinds])
    h, w = stage.owner.shape
    for _ in range(count):
        thing = THINGS[str(rng.choice(kinds, p=weights / weights.sum()))][0]
        thing(rng, stage, rng.uniform(-0.1, 1.1, 2) * (w, h), owner)


def hand(rng: np.random.Generator, stage: Stage, tip: NDArray[np.float64], owner: int) -> None:
    """A hand that reaches in from outside with its fingers near `tip` (px): palm, fingers, sleeve, shadow."""
    ppm = stage.px_per_mm
    h, w = stage.owner.shape
    side = rng.integers(4)
    edge = np.array(
        [(rng.uniform(0, w), h), (0, rng.uniform(0, h)), (rng.uniform(0, w), 0), (w, rng.uniform(0, h))]
    )
    toward = tip - edge[int(side)]
    toward = toward / max(float(np.hypot(*toward)), 1.0)
    across = np.array([-toward[1], toward[0]])
    mask = np.zeros((h, w), np.uint8)
    palm = tip - toward * rng.uniform(75, 100) * ppm
    wide = rng.uniform(15, 19) * ppm
    curl = rng.uniform(0.6, 1.0)
    tips = []
    for k in range(-2, 2):
        root = palm + across * (k + 0.5) * wide * 1.05 + toward * 20 * ppm
        long = (rng.uniform(50, 62) - 6 * abs(k + 0.5)) * curl * ppm
        end = root + toward * long + across * ((k + 0.5) * rng.uniform(0, 9) * ppm)
        cv2.line(mask, _whole(root), _whole(end), 255, max(1, int(wide)), cv2.LINE_AA)
        tips.append(end)
    thumb_side = 1 if rng.random() < 0.5 else -1
    root = palm + across * thumb_side * 2.2 * wide - toward * 15 * ppm
    end = root + (toward * rng.uniform(25, 55) + across * thumb_side * rng.uniform(-15, 18)) * ppm
    cv2.line(mask, _whole(root), _whole(end), 255, max(1, int(wide * 1.1)), cv2.LINE_AA)
    axes = _whole((2.4 * wide, 45 * ppm))
    turn = float(np.degrees(np.arctan2(across[1], across[0])))
    cv2.ellipse(mask, _whole(palm - toward * 15 * ppm), axes, turn, 0, 360, 255, -1, cv2.LINE_AA)
    cv2.line(mask, _whole(palm), _whole(palm - toward * 300 * ppm), 255, max(1, int(wide * 3.2)), cv2.LINE_AA)
    _lay_skin(rng, stage, mask, [*tips, end], toward, wide, owner)


def _lay_skin(
    rng: np.random.Generator,
    stage: Stage,
    mask: NDArray[np.uint8],
    tips: list[NDArray[np.float64]],
    toward: NDArray[np.float64],
    wide: float,
    owner: int,
) -> None:
    """Shade the hand's mask by the distance to its edge, add nails, and lay it with its shadow."""
    ppm = stage.px_per_mm
    skin = hsv(rng.normal(20, 4), rng.uniform(0.22, 0.55), rng.uniform(0.3, 0.95))
    deep = cv2.distanceTransform(mask, cv2.DIST_L2, 3)
    round_ = np.clip(deep / (wide * 0.5), 0, 1)
    tone = 0.62 + 0.38 * np.sqrt(round_ * (2 - round_))
    tone += (0.05 * rng.standard_normal(tone.shape, dtype=np.float32)) * (round_ > 0)
    paint = np.clip(tone[..., None] * skin, 0, 255).astype(np.uint8)
    turn = float(np.degrees(np.arctan2(toward[1], toward[0])))
    nail = _colour(np.clip(skin * rng.uniform(1.0, 1.2) + 15, 0, 255))
    if rng.random() < 0.6:
        for end in tips:
            cv2.ellipse(
                paint, _whole(end + toward * wide * 0.1), _whole((wide * 0.33 + 1, wide * 0.25 + 1)), turn, 0,
                360, nail, -1, cv2.LINE_AA,
            )  # fmt: skip
    drop_shadow(stage, mask, rng.uniform(3, 40), rng.uniform(1, 8) * ppm, rng.uniform(0.2, 0.5))
    put(stage, paint, cv2.GaussianBlur(mask, (0, 0), 0.8), owner)  # type: ignore[arg-type]
