"""From named indices to cards: which two indices are one card, where its outline lies, and how sure it is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from table.cards import ALL_CARDS, JOKERS, RANKS
from vision.card_shape import (
    CARD_MM,
    CardShape,
    Pairs,
    facing_pairs,
    learn_shape,
    opposite_pairs,
)
from vision.cards_read import CardsRead
from vision.certainty import Certainty, features
from vision.corners import beside_each_other, four_corners, grouped
from vision.frames import Image
from vision.indices import FIRST_JOKER, Indices
from vision.joker_pairs import across_a_joker, misfit_of_jokers, with_level_words
from vision.outlines import outline_of_group
from vision.sides import Corners, on_their_own_side
from vision.sizes import off_size, usual_span

_READABLE: Final = 0.3
_ENOUGH_PAIRS: Final = 3
_CLEAR: Final = 0.9
_COMMON: Final = 0.02
_LIKELY: Final = 0.1
_FURTHER: Final = 0.8
_RANK: Final = np.array([(*RANKS, *JOKERS).index(card.rank) for card in ALL_CARDS])
_RED: Final = np.array([card.suit in ("H", "D") for card in ALL_CARDS])
_SPOILT: Final = 0.5
_TOO_ODD: Final = 1.6
_DIAGONAL: Final = 0.09
"""How far off the distance of opposite corners may be where only it tells, as a natural logarithm (7 mm)."""
_SLANT: Final = 28.0
"""Degrees by which a suit beside the index may lead its direction astray."""
_DEEP: Final = 0.15
"""Share of a card's sides from where on its face is art, not corners."""
_EDGE: Final = 0.06
"""Share of a card's sides by which outlines may be off."""


@dataclass(frozen=True, slots=True)
class Gates:
    """How far a pair may be from where the card's shape puts it and still be one card.

    Distances as natural logarithms of their ratio: 0.1 is a tenth too near or too far.

    Attributes:
        same: how far off the distance may be for two indices of one name, as a natural logarithm.
        turn: degrees by which the directions may miss being opposite.
        size: octaves between the sizes.
        contradict: for two indices that clearly name different cards.
        weak: for an unclear index and one that may be the same card.
        rank: for two indices of one rank under different suits.
        suit: the same where both suits are red or both black, which are the likelier to be mistaken.
    """

    same: float
    turn: float
    size: float
    contradict: float
    weak: float
    rank: float
    suit: float


PHOTOGRAPH: Final = Gates(same=0.55, turn=35, size=0.8, contradict=0.07, weak=0.25, rank=0.35, suit=0.55)
"""Of an unknown view: perspective, tilt and bent cards move things."""
RECTIFIED: Final = Gates(same=0.17, turn=15, size=0.5, contradict=0.05, weak=0.12, rank=0.12, suit=0.12)
"""On the table plane at a known scale: 11 mm, 15 degrees."""


def assemble(
    indices: Indices,
    certainty: Certainty,
    packs: int | None = None,
    px_per_mm: float | None = None,
    image: Image | None = None,
) -> tuple[CardsRead, CardShape]:
    """Put the indices of one picture together to cards.

    Two indices are one card if they have one name and each lies where the other's pose puts the opposite
    corner; of identical cards each keeps its own. Two indices that lie like that with hardly a millimetre
    to spare but name different cards are one card read in two ways: the evidence of both counts, and the
    card is doubtful.

    Args:
        indices: what was found and named, each index once.
        certainty: turns evidence to confidence.
        packs: at most so many copies of a card: the weakest beyond are doubtful, with lowered confidence.
        px_per_mm: the scale, if the picture is a rectified view of the table.
        image: the picture, (H, W, 3) uint8 BGR; of a rectified view it tells on which side of a lone index its
            card lies, where packs print four.

    Returns:
        The cards, surest first, and what their shape was found to be.
    """
    readable = indices[(indices.is_card >= _READABLE) & (np.abs(off_size(indices)) < _TOO_ODD)]
    unit = usual_span(readable)
    if px_per_mm is not None:
        readable = with_level_words(readable, unit, px_per_mm)
    gates = PHOTOGRAPH if px_per_mm is None else RECTIFIED
    pairs = opposite_pairs(readable, unit)
    shape = learn_shape(readable, pairs, unit, px_per_mm)
    if packs == 1 or (px_per_mm is None and shape.pairs < _ENOUGH_PAIRS):
        # Where no second copy can be, or where little says where the other corner lies, less will do.
        gates = replace(gates, same=0.6, turn=PHOTOGRAPH.turn)
    height = _card_height(readable, unit, shape) if px_per_mm is None else CARD_MM[1] * px_per_mm
    groups = _pair_by_name(readable, pairs, unit, height, shape, gates)
    spoilt: set[int] = set()
    if px_per_mm is not None or shape.pairs > 0:
        groups, spoilt = _join_contradictions(readable, groups, pairs, shape, gates)
    cards = _build(readable, groups, spoilt, unit, shape, certainty, height, px_per_mm is not None, image)
    cards = cards[
        certainty.worth_telling(
            cards.confidence, cards.card, cards.chances, cards.evidence, px_per_mm is not None
        )
    ]
    cards = cards[np.argsort(-cards.confidence, kind="stable")]
    return (limit_packs(cards, packs) if packs else cards), shape


def limit_packs(cards: CardsRead, packs: int) -> CardsRead:
    """Beyond `packs` copies of a card the weakest are doubtful, at most half as sure; none is dropped.

    Args:
        cards: cards of one picture, surest first.
        packs: how many packs are on the table.
    """
    seen: defaultdict[int, int] = defaultdict(int)
    beyond = np.zeros(len(cards), bool)
    for i, card in enumerate(cards.card):
        seen[int(card)] += 1
        beyond[i] = seen[int(card)] > packs
    lowered = np.where(beyond, np.minimum(cards.confidence, _SPOILT), cards.confidence).astype(np.float32)
    return replace(cards, confidence=lowered, doubtful=cards.doubtful | beyond)


def _pair_by_name(
    indices: Indices, pairs: Pairs, unit: NDArray[np.float64], height: float, shape: CardShape, gates: Gates
) -> list[list[int]]:
    """Groups of one to four indices of one name that lie as the corners of one card do, each index once.

    `height` of a card in this picture, px.
    """
    name, joker = indices.name, indices.is_joker
    along, across = _misfit(pairs, shape)
    fits = (name[pairs.i] == name[pairs.j]) & (along < gates.same) & (across < gates.same * 1.3)
    fits &= (pairs.turn < gates.turn) & (pairs.ratio < gates.size) & ~joker[pairs.i]
    cost = along + across + pairs.turn / 90 + pairs.ratio / 2
    if gates is RECTIFIED:
        # A suit beside the index leads the direction astray, at both corners alike: their distance stays.
        slanted = (name[pairs.i] == name[pairs.j]) & ~joker[pairs.i] & ~fits & _slanted(pairs, shape)
        fits |= slanted
        cost = cost + slanted
    # A joker's index is of any length and may run along or across: only its distance tells, in card heights.
    middle = indices.found.middle
    apart = np.linalg.norm(middle[pairs.i] - middle[pairs.j], axis=1) / height
    jokers = joker[pairs.i] & joker[pairs.j] & (pairs.turn < 35) & (apart > 0.4) & (apart < 1.1)
    missed = np.abs(apart - 0.95)
    if gates is RECTIFIED:
        missed = misfit_of_jokers(indices, pairs, unit, height / CARD_MM[1])
        jokers &= missed < 1
    fits |= jokers
    cost = np.where(joker[pairs.i], missed + 0.3 * (name[pairs.i] != name[pairs.j]), cost)
    # An index at the top right is rare: a pair the other way round must be clearly better.
    cost = cost + 0.15 * (pairs.across < 0)
    facing = facing_pairs(indices, unit)
    four = four_corners(indices, pairs, facing, shape)
    edges = [(float(cost[k]), int(pairs.i[k]), int(pairs.j[k])) for k in np.flatnonzero(fits)]
    if gates is RECTIFIED:
        edges += across_a_joker(indices, height)
    if four:
        edges += beside_each_other(indices, pairs, facing, shape, min(gates.same, 0.25))
        return grouped(len(indices), edges)
    return grouped(len(indices), edges, most=2)


def _misfit(pairs: Pairs, shape: CardShape) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """How far off each pair is from the card's shape, along and across, as natural logarithms: (M,) each."""
    along = np.abs(np.log(np.maximum(pairs.along, 1e-3) / shape.along))
    across = np.abs(np.log(np.maximum(np.abs(pairs.across), 1e-3) / shape.across))
    return along, across


def _slanted(pairs: Pairs, shape: CardShape) -> NDArray[np.bool_]:
    """Which pairs are as far apart as opposite corners are, their directions off by one and the same angle: (M,)."""
    apart, usual = np.hypot(pairs.along, pairs.across), np.hypot(shape.along, shape.across)
    angle = np.arctan2(pairs.across, pairs.along) - np.arctan2(shape.across, shape.along)
    near = np.abs(np.log(np.maximum(apart, 1e-3) / usual)) < _DIAGONAL
    return np.asarray(near & (np.abs(np.degrees(angle)) < _SLANT) & (pairs.turn < 12) & (pairs.ratio < 0.3))


def _card_height(indices: Indices, unit: NDArray[np.float64], shape: CardShape) -> float:
    """Of a card in this picture, px: from the usual indices, else from the length of the jokers' own (22
    mm)."""
    if (~indices.is_joker).any():
        return shape.height * float(np.median(unit))
    return float(np.median(unit)) * 2 / 22 * CARD_MM[1] if len(unit) else 1.0


def _join_contradictions(
    indices: Indices, groups: list[list[int]], pairs: Pairs, shape: CardShape, gates: Gates
) -> tuple[list[list[int]], set[int]]:
    """Join two single indices of different names that can only be the two corners of one card.

    Two cards that lie exactly on one another show one face. So where the poses agree to a few millimetres,
    one of the readings is wrong. Two readings that are both clear and have nothing in common stay apart:
    then it is the place that may be wrong. Returns the groups, and the numbers of all indices that were
    contradicted.
    """
    spoilt: set[int] = set()
    single = {group[0]: group for group in groups if len(group) == 1}
    name = indices.name
    for i, j in _contradictions(indices, pairs, shape, gates):
        if i not in single or j not in single:
            continue
        spoilt |= {i, j}
        one, other = ALL_CARDS[name[i]], ALL_CARDS[name[j]]
        alike = one.suit == other.suit or one.rank == other.rank
        if alike or min(indices.named[i], indices.named[j]) < _CLEAR:
            single[i].append(j)
            groups = [group for group in groups if group is not single[j]]
            del single[i], single[j]
    return groups, spoilt


def _contradictions(
    indices: Indices, pairs: Pairs, shape: CardShape, gates: Gates
) -> Iterator[tuple[int, int]]:
    """Indices of different names that lie as the two corners of one card do, the best fitting first.

    The place must fit to a few millimetres; less will do for an index that was not read clearly, if the
    name of the other is among those that it may have.
    """
    name = indices.name
    cost = np.hypot(*_misfit(pairs, shape))
    cost = np.where(pairs.across > 0, cost, np.inf)
    usual = ~(indices.is_joker[pairs.i] | indices.is_joker[pairs.j])
    exact = (cost < gates.contradict) & (pairs.turn < 10) & (pairs.ratio < 0.3)
    if gates is not RECTIFIED and shape.pairs < _ENOUGH_PAIRS:
        exact[:] = False
    alike = (pairs.turn < 20) & (pairs.ratio < gates.size)
    unclear = np.minimum(indices.named[pairs.i], indices.named[pairs.j]) < _CLEAR
    chance = np.exp(indices.log_probs[:, :-1])
    same_rank = _RANK[name[pairs.i]] == _RANK[name[pairs.j]]
    common = np.einsum("nk,nk->n", chance[pairs.i], chance[pairs.j])
    # One rank under two suits at the two corners of one place: the suit of one of them is hidden or faint.
    same_colour = _RED[name[pairs.i]] == _RED[name[pairs.j]]
    near = (cost < np.where(same_colour, gates.suit, gates.rank)) & same_rank | (
        cost < gates.weak
    ) & unclear & (common > _COMMON)
    if gates is not RECTIFIED:
        # Bent and tilted cards: what both readings allow may lie further off.
        near |= (cost < _FURTHER) & unclear & (common > _LIKELY)
    good = (name[pairs.i] != name[pairs.j]) & usual & (exact | near & alike)
    for k in np.flatnonzero(good)[np.argsort(cost[good], kind="stable")]:
        yield int(pairs.i[k]), int(pairs.j[k])


def _build(
    indices: Indices,
    groups: list[list[int]],
    spoilt: set[int],
    unit: NDArray[np.float64],
    shape: CardShape,
    certainty: Certainty,
    height: float,
    flat: bool,
    image: Image | None,
) -> CardsRead:
    """One row a group; what holds a contradicted index is doubtful."""
    if not groups:
        return CardsRead.empty()
    found = indices.found
    odd = off_size(indices)
    chances = np.stack([_together(indices.log_probs[group]) for group in groups])
    card = chances[:, :-1].argmax(1)
    best = [max(group, key=lambda i: float(found.confidence[i] * indices.is_card[i])) for group in groups]
    disagree = np.array([not spoilt.isdisjoint(group) for group in groups])
    outlined = [
        outline_of_group(indices, group, i, unit, shape, height, flat)
        for group, i in zip(groups, best, strict=True)
    ]
    outline = np.stack([each.corners for each in outlined])
    if image is not None and flat:
        one_sided = np.array([each.one_sided for each in outlined])
        anchor = np.stack([each.anchor for each in outlined])
        owner = np.concatenate([np.full(len(group), k) for k, group in enumerate(groups)])
        member = np.concatenate([np.asarray(group) for group in groups])
        sure = np.array([each.crosswise for each in outlined])[owner]
        settled = Corners(found.middle[member][sure], found.down[member][sure], outline.mean(1)[owner][sure])
        outline = on_their_own_side(image, outline, one_sided, anchor, settled, height / CARD_MM[1])
    impossible, inside = _over(indices, groups, outline)
    evidence = features(
        named=chances[np.arange(len(groups)), card],
        # Corners are seen one by one: two faint ones are more than one.
        score=[1 - float(np.prod(1 - found.confidence[group])) for group in groups],
        count=[len(group) for group in groups],
        disagree=disagree,
        off_size=odd[best],
        span=found.span[best],
        joker=card >= FIRST_JOKER,
        impossible=impossible,
        inside=inside,
    )
    confidence = certainty.confidence(evidence)
    return CardsRead(
        card=card.astype(np.int64),
        confidence=confidence,
        doubtful=(confidence < certainty.sure_above) | disagree,
        outline=outline,
        chances=np.ascontiguousarray(chances[:, :-1], np.float32),
        upright=found.down[best].astype(np.float32),
        corners=np.array([len(group) for group in groups], np.int64),
        evidence=evidence,
    )


def _over(
    indices: Indices, groups: list[list[int]], outline: NDArray[np.float32]
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which groups cannot lie where they seem to, because of a clearer one, and which lie in a whole face: (N,) each.

    An index that shows inside of another card's outline lies over that card. Two cards cannot both lie over each
    other: one of them is none (a pip, a court figure) or a corner of the other. And what lies well inside of a card of
    which two corners show is more often its own print than a card laid between its corners.
    """
    found = indices.found
    weight = np.array([sum(float(found.confidence[i] * indices.named[i]) for i in group) for group in groups])
    over = np.zeros((len(groups), len(groups)), bool)
    well = over.copy()
    owner = np.concatenate([np.full(len(group), k) for k, group in enumerate(groups)])
    point = found.middle[np.concatenate([np.asarray(group) for group in groups])]
    for k, corners in enumerate(outline):
        across, along = corners[1] - corners[0], corners[3] - corners[0]
        step = point - corners[0]
        u = step @ across / max(float(across @ across), 1e-6)
        v = step @ along / max(float(along @ along), 1e-6)
        inside = (np.minimum(u, v) > _EDGE) & (np.maximum(u, v) < 1 - _EDGE)
        over[owner[inside], k] = True
        deep = (np.minimum(u, v) > _DEEP) & (np.maximum(u, v) < 1 - _DEEP)
        well[owner[deep], k] = len(groups[k]) > 1
    both = over & over.T
    np.fill_diagonal(both, False)
    np.fill_diagonal(well, False)
    single = np.array([len(group) == 1 for group in groups])
    impossible = (both & (weight[:, None] <= weight[None])).any(1)
    return np.asarray(impossible, np.bool_), np.asarray(single & well.any(1), np.bool_)


def _together(log_probs: NDArray[np.float32]) -> NDArray[np.float64]:
    """Probabilities (55,) after all indices of one card were heard."""
    total = log_probs.astype(np.float64).sum(0)
    chance = np.exp(total - total.max())
    return np.asarray(chance / chance.sum(), np.float64)
