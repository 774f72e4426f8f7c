"""How people lay cards on a table: plays as cards with places in millimetres, before any picture exists."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from models.synth.shoe import Shoe

Range = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Lay:
    """What a layout may choose from: sizes in mm, angles in degrees counter-clockwise.

    `step` is the range of the distance between neighbours of an overlapped row; `reach` is half of what the
    picture shows, so that plays can be made long enough to fill it.
    """

    width: float
    height: float
    step: Range
    reach: float
    ragged: float = 1.0


@dataclass(frozen=True, slots=True)
class Place:
    """A card's centre (x right, y towards the viewer, mm) and its turn (degrees counter-clockwise, 0
    upright)."""

    x: float
    y: float
    turn: float
    face_up: bool = True


@dataclass(frozen=True, slots=True)
class Play:
    """Cards that belong together: `names` and `places` from left to right, and the order in which they are
    laid.

    `order` lists positions, the first one lies lowest. `step` is the mean distance between neighbours in mm,
    and 0 where the cards do not form a row.
    """

    kind: str
    names: tuple[str, ...]
    places: tuple[Place, ...]
    order: tuple[int, ...]
    step: float = 0.0


Layout = Callable[[np.random.Generator, Lay], tuple[list[Place], list[int], float]]


def turned(places: list[Place], turn: float, x: float, y: float) -> list[Place]:
    """The places turned about the origin by `turn` degrees counter-clockwise as seen, then moved by (x, y)
    mm."""
    angle = np.deg2rad(turn)
    cos, sin = float(np.cos(angle)), float(np.sin(angle))
    return [
        Place(p.x * cos + p.y * sin + x, -p.x * sin + p.y * cos + y, p.turn + turn, p.face_up) for p in places
    ]


def _log_uniform(rng: np.random.Generator, low: float, high: float) -> float:
    return float(np.exp(rng.uniform(np.log(low), np.log(high)))) if high > low else float(low)


def _order(rng: np.random.Generator, count: int, reverse: float = 0.1, shuffled: float = 0.04) -> list[int]:
    """Mostly each card over its left neighbour, so that upper left indices stay in sight."""
    order = list(range(count))
    what = rng.random()
    if what < reverse:
        order.reverse()
    elif what < reverse + shuffled:
        rng.shuffle(order)
    return order


def row(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """An overlapped row, ragged and slightly fanned."""
    step = _log_uniform(rng, *lay.step)
    fits = int(2.2 * lay.reach / step) + 1
    count = int(np.clip(rng.choice([2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 20]), 2, max(fits, 3)))
    ragged = lay.ragged * rng.gamma(2.0, 0.5)
    gaps = step * np.clip(1 + 0.14 * ragged * rng.standard_normal(count), 0.55, 1.6)
    along = np.cumsum(gaps) - gaps.sum() / 2
    across = np.cumsum(rng.normal(0, 0.5 * ragged, count)) + rng.normal(0, 0.9 * ragged, count)
    fan = rng.normal(0, 0.7) * lay.ragged if rng.random() < 0.6 else 0.0
    turns = fan * -(np.arange(count) - (count - 1) / 2) + rng.normal(0, 1.3 * ragged, count)
    bow = np.deg2rad(fan) * step / 2 * (np.arange(count) - (count - 1) / 2) ** 2 if fan else np.zeros(count)
    places = [Place(*p) for p in zip(along, across + bow, turns, strict=True)]
    return places, _order(rng, count), step


def spread(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """Cards side by side, in one line or in several, without overlap."""
    across = lay.width * rng.uniform(1.02, 1.3)
    down = lay.height * rng.uniform(1.02, 1.25)
    columns = int(rng.integers(1, max(2, int(2 * lay.reach / across) + 2)))
    lines = int(rng.choice([1, 1, 2, 3]))
    loose = rng.uniform(0.1, 1.0)
    places = [
        Place(
            (c - (columns - 1) / 2) * across + rng.normal(0, 1.6 * loose),
            (r - (lines - 1) / 2) * down + rng.normal(0, 2.2 * loose),
            float(rng.normal(0, 2.2 * loose)),
        )
        for r in range(lines)
        for c in range(columns)
    ]
    return places, list(range(len(places))), 0.0


def fan(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """A hand fanned wide on an arc; the pivot lies below the cards."""
    count = int(rng.choice([5, 7, 9, 11, 13, 13, 13, 16, 20, 27]))
    each = float(rng.uniform(2.5, 9.0)) if count <= 13 else float(rng.uniform(2.0, 6.0))
    each = min(each, 170.0 / count)
    radius = lay.height * rng.uniform(0.75, 2.2)
    # The top left corner of a card sits half a card further out than its centre: there the step shows.
    step = np.deg2rad(each) * (radius + 0.4 * lay.height)
    wanted = float(np.clip(step, lay.step[0] * 0.85, lay.step[1] * 1.1))
    each, step = each * wanted / step, wanted
    angles = np.deg2rad(
        each * (np.arange(count) - (count - 1) / 2)
        + rng.normal(0, 0.12 * each, count) * lay.ragged
        + rng.normal(0, 4)
    )
    radii = radius + rng.normal(0, 1.2 * lay.ragged, count)
    middle = float(angles[int(rng.integers(count))])
    x = radii * np.sin(angles) - radius * np.sin(middle)
    y = -radii * np.cos(angles) + radius * np.cos(middle)
    turns = -np.rad2deg(angles) + rng.normal(0, 0.8 * lay.ragged, count)
    places = [Place(*p) for p in zip(x, y, turns, strict=True)]
    return places, _order(rng, count, reverse=0.15, shuffled=0.0), float(step)


def column(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """Cards downwards, each over the lower part of the one before."""
    step = float(rng.uniform(max(lay.step[0], 15.0), max(lay.step[1] * 1.3, 16.0)))
    count = int(np.clip(rng.integers(2, 9), 2, int(2.4 * lay.reach / step) + 2))
    slant = rng.normal(0, 4)
    places = [
        Place(
            i * slant + rng.normal(0, 1.5),
            (i - (count - 1) / 2) * step + rng.normal(0, 1.5),
            float(rng.normal(0, 2)),
        )
        for i in range(count)
    ]
    return places, _order(rng, count, reverse=0.12), step


def heap(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """Cards thrown on each other."""
    count = int(rng.integers(3, 13))
    wide = rng.uniform(18, 55)
    every_way = rng.random() < 0.6
    places = [
        Place(
            rng.normal(0, wide),
            rng.normal(0, wide),
            float(rng.uniform(0, 360)) if every_way else float(rng.normal(0, 18)),
        )
        for _ in range(count)
    ]
    return places, list(range(count)), 0.0


def pair(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """Two or three cards, overlapped or just touching."""
    count = int(rng.choice([2, 2, 2, 3]))
    step = (
        _log_uniform(rng, lay.step[0], lay.width * 1.05)
        if rng.random() < 0.5
        else _log_uniform(rng, *lay.step)
    )
    places = [
        Place(
            (i - (count - 1) / 2) * step + rng.normal(0, 1),
            float(rng.normal(0, 3)) + i * rng.normal(0, 2),
            float(rng.normal(0, 5)),
        )
        for i in range(count)
    ]
    return places, _order(rng, count), step


def single(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """One card."""
    return [Place(0.0, 0.0, float(rng.normal(0, 3)))], [0], 0.0


def trick(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """One card from each of four seats, meeting in the middle."""
    near = rng.uniform(0.25, 0.75) * lay.height
    places = []
    for seat in rng.permutation(4):
        card = Place(rng.normal(0, 6), near + rng.normal(0, 6), float(rng.normal(0, 7)))
        places += turned([card], 90 * float(seat), 0, 0)
    return places, list(range(4)), 0.0


def scattered(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """Cards strewn over all that the picture shows, at any turn."""
    count = int(rng.integers(3, 10))
    far = 1.05 * lay.reach
    places = [
        Place(float(rng.uniform(-far, far)), float(rng.uniform(-far, far)), float(rng.uniform(0, 360)))
        for _ in range(count)
    ]
    return places, list(range(count)), 0.0


def pile(rng: np.random.Generator, lay: Lay) -> tuple[list[Place], list[int], float]:
    """A face-down stack, squared or sloppy."""
    count = int(rng.integers(2, 14))
    loose = rng.gamma(1.2, 1.0)
    places = [
        Place(rng.normal(0, loose), rng.normal(0, loose), float(rng.normal(0, loose)), face_up=False)
        for _ in range(count)
    ]
    return places, list(range(count)), 0.0


LAYOUTS: Final[dict[str, Layout]] = {
    "row": row,
    "spread": spread,
    "fan": fan,
    "column": column,
    "heap": heap,
    "pair": pair,
    "single": single,
    "trick": trick,
    "scattered": scattered,
    "pile": pile,
}
DEFAULT_MIX: Final = {
    "row": 0.29,
    "spread": 0.11,
    "fan": 0.15,
    "column": 0.07,
    "heap": 0.08,
    "pair": 0.11,
    "single": 0.07,
    "trick": 0.03,
    "scattered": 0.06,
    "pile": 0.05,
}
"""How often each layout is the one that a scene is built around."""


def base_turn(rng: np.random.Generator) -> float:
    """How a play lies to the camera, degrees: upright in 45 of 100, right angles favoured among the rest."""
    what = rng.random()
    if what < 0.45:
        return float(np.clip(rng.normal(0, 5), -12, 12))
    if what < 0.57:
        return 180 + float(rng.normal(0, 6))
    if what < 0.72:
        return float(rng.choice([90, 270])) + float(rng.normal(0, 6))
    return float(rng.uniform(0, 360))


def lay_table(
    rng: np.random.Generator,
    lay: Lay,
    *,
    packs: int,
    mix: dict[str, float],
    turn: float | None = None,
    most_plays: int = 4,
    face_down: float = 0.03,
    joker_share: float = 0.07,
) -> list[Play]:
    """The plays on the part of a table that one picture shows, the lowest first.

    Args:
        rng: the source of chance.
        lay: sizes and freedom.
        packs: how many packs are mixed.
        mix: weight of each layout of `LAYOUTS`.
        turn: how all plays lie to the camera in degrees, or None for `base_turn`.
        most_plays: plays per picture at most.
        face_down: chance that one card of a play, or all of them, lie face down.
        joker_share: chance that a loose card is a joker.
    """
    shoe = Shoe(rng, packs, joker_share)
    kinds = list(mix)
    weights = np.array([mix[k] for k in kinds], float)
    common = base_turn(rng) if turn is None else turn
    plays: list[Play] = []
    centres: list[NDArray[np.float64]] = []
    for number in range(min(most_plays, int(rng.choice([1, 1, 1, 2, 2, 3, 4])))):
        kind = str(rng.choice(kinds, p=weights / weights.sum()))
        places, order, step = LAYOUTS[kind](rng, lay)
        if turn is not None:
            this = turn + float(rng.normal(0, 1.5))
        elif rng.random() < 0.6:
            this = common + float(rng.normal(0, 4))
        elif rng.random() < 0.3:
            this = common + 180 + float(rng.normal(0, 5))
        else:
            this = base_turn(rng)
        at = _free_spot(rng, lay, centres, first=number == 0)
        centres.append(at)
        places = _turn_over(rng, turned(places, this, *at.tolist()), face_down)
        plays.append(Play(kind, tuple(shoe.draw(len(places))), tuple(places), tuple(order), step))
    return plays


def _free_spot(
    rng: np.random.Generator, lay: Lay, centres: list[NDArray[np.float64]], first: bool
) -> NDArray[np.float64]:
    """A spot for a play's middle, away from the others; the first is near the picture's middle."""
    if first:
        return rng.normal(0, 0.3 * lay.reach, 2)
    spots = rng.uniform(-1.1, 1.1, (6, 2)) * lay.reach
    nearest = np.min([np.hypot(*(spots - c).T) for c in centres], axis=0)
    return np.asarray(spots[int(np.argmax(nearest))], np.float64)


def _turn_over(rng: np.random.Generator, places: list[Place], chance: float) -> list[Place]:
    if rng.random() >= 2 * chance:
        return places
    every = rng.random() < 0.5
    one = int(rng.integers(len(places)))
    return [
        Place(p.x, p.y, p.turn, face_up=p.face_up and not (every or i == one)) for i, p in enumerate(places)
    ]
