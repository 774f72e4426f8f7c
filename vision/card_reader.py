"""Reads the cards of a picture or of a batch of zones: finder, reader and assembly in their order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from vision.assemble import assemble
from vision.cards_read import CardsRead, Reading
from vision.certainty import SURE_ABOVE, Certainty
from vision.detections import JOKER, Detections, of_a_cards_size, suppress
from vision.finder import Finder, is_flat
from vision.frames import Image
from vision.indices import FIRST_JOKER, Indices, chance_of_joker, with_class, without_backs
from vision.joker_ends import joker_at
from vision.paper import laid_flat, open_cards
from vision.patches import cut_patches
from vision.reader import NONE, Reader, cut_indices, log_softmax
from vision.scale import search_scale
from vision.weights import Weights, load_weights
from vision.words import LEAST, may_be_words, word_keypoints

PX_PER_MM: Final = 2.0
"""The scale at which the finder was trained."""
_MOST_INDICES: Final = 400
_TURN_BELOW: Final = 0.5
_WORD: Final = 0.7
_FAINT: Final = 0.06
"""Score from which a joker's print is looked at in a photograph, whose scale may be any."""
_CLEAR: Final = 0.9
_OTHER_SIZE: Final = 0.18
"""How much larger or smaller a card may look than others, by its area, as a natural logarithm."""
_SEEN: Final = 0.4
"""Score of an index that is there."""


class CardReader:
    """Reads cards; one finder and one reader session are shared by all calls.

    Args:
        weights: both networks and their settings.
        threads: how many threads a call may use.
    """

    def __init__(self, weights: Weights, threads: int = 2) -> None:
        self.finder = Finder(weights.finder, threads)
        self.reader = Reader(weights.reader, threads)
        self.certainty = Certainty.from_settings(weights.settings)
        self._threshold = float(weights.settings.get("finder_threshold", 0.15))
        self._back_threshold = float(weights.settings.get("back_threshold", 0.4))

    @classmethod
    def open(cls, threads: int = 2) -> CardReader:
        """With the weights of the repository.

        Raises:
            BadWeights: they are missing or altered.
        """
        return cls(load_weights(), threads)

    def read(self, image: Image, px_per_mm: float | None = None, packs: int | None = None) -> Reading:
        """What lies in one picture of any size.

        Args:
            image: (H, W, 3) uint8 BGR.
            px_per_mm: scale of the picture where it is known; otherwise it is searched.
            packs: at most so many copies of a card.
        """
        height, width = image.shape[:2]
        if min(height, width) < 8:
            return Reading()
        if px_per_mm is not None:
            indices, backs = self._look(image, PX_PER_MM / px_per_mm, self._threshold, LEAST)
            return self._assembled(indices, backs, packs, px_per_mm, image=image)
        reading = self._searched(image, packs, self._threshold, LEAST)
        if not len(reading.cards):
            # Nothing tells the scale, nothing else lies there: what is faint may be a joker's word.
            reading = self._searched(image, packs, min(_FAINT, self._threshold), _FAINT)
        return reading

    def _searched(self, image: Image, packs: int | None, least: float, least_word: float) -> Reading:
        """What lies in a picture whose scale is searched; `least` and `least_word` as of `_look`."""
        backs_of: dict[float, Detections] = {}

        def look(factor: float) -> Indices:
            indices, backs_of[factor] = self._look(image, factor, least, least_word)
            return indices

        sizes, _ = search_scale(image.shape[0], image.shape[1], look)
        backs = Detections.merge(backs_of.values())
        jokers, taken = self._open_jokers(image, Indices.merge(sizes))
        reading = Reading()
        for indices in sizes:
            # Where the likeliest size holds no card after all, specks were taken for indices: the next is tried.
            left = indices[~_within(taken, indices.found.middle)]
            reading = self._assembled(self._read_again(image, left), backs, packs, None)
            if len(reading.cards):
                break
        jokers = jokers[_as_large(jokers, reading.cards)]
        cards = CardsRead.merge([reading.cards, jokers])
        return replace(reading, cards=cards[np.argsort(-cards.confidence, kind="stable")])

    def read_zones(
        self, zones: Sequence[Image], packs: int | None = None, least: float | None = None
    ) -> list[Reading]:
        """What lies in each zone, all zones in one call to each network.

        Args:
            zones: (H, W, 3) uint8 BGR each, rectified at 2 px/mm, upright for its player.
            packs: at most so many copies of a card in a zone.
            least: cards less sure than this are left out, where that shall be other than the weights say.
        """
        certainty = self.certainty if least is None else replace(self.certainty, list_above=least)
        seen = [i for i, zone in enumerate(zones) if not is_flat(zone)]
        found = [Detections.empty()] * len(zones)
        for i, detections in zip(
            seen, self.finder.find([zones[i] for i in seen], self._threshold), strict=True
        ):
            found[i] = detections
        parts = [without_backs(detections) for detections in found]
        named = self._named([(zone, part[0]) for zone, part in zip(zones, parts, strict=True)])
        return [
            self._assembled(indices, backs, packs, PX_PER_MM, certainty, zone)
            for zone, indices, (_, backs) in zip(zones, named, parts, strict=True)
        ]

    def _open_jokers(self, image: Image, indices: Indices) -> tuple[CardsRead, list[NDArray[np.float64]]]:
        """The jokers among whole cards that lie open in a photograph, and their outlines: what else was seen in those
        is print."""
        jokers = [CardsRead.empty()]
        outlines: list[NDArray[np.float64]] = []
        clear = ~indices.is_joker & (indices.named > _CLEAR) & (indices.found.confidence > _SEEN)
        for outline in open_cards(image):
            if _within([outline], indices.found.middle[clear]).any():
                continue
            if _within(outlines, outline.mean(0, keepdims=True)).any():
                continue
            picture, flat = laid_flat(image, outline)
            joker = self.joker_at(picture, flat)
            if len(joker):
                jokers.append(replace(joker, outline=outline[None].astype(np.float32)))
                outlines.append(outline)
        return CardsRead.merge(jokers), outlines

    def joker_at(self, image: Image, outline: NDArray[np.float64]) -> CardsRead:
        """The joker that lies in the outline (4, 2), px, of a whole card that nobody could read: see `joker_ends`."""
        return joker_at(self.reader, image, outline)

    def _look(
        self, image: Image, factor: float, least: float, least_word: float
    ) -> tuple[Indices, Detections]:
        """Indices, named, and backs in a picture enlarged by `factor`, in px of the picture itself.

        Args:
            image: (H, W, 3) uint8 BGR.
            factor: how much to enlarge it.
            least: score from which a joker's print is looked at.
            least_word: score from which it may be a word whose place is tried.
        """
        found = self.finder.find_in_tiles(enlarged(image, factor), least).mapped(1 / factor)
        clear = found.confidence >= self._threshold
        indices, backs = without_backs(found[clear | (found.class_id == JOKER)])
        named = self._named([(image, indices[:_MOST_INDICES])], least_word)[0]
        # What the finder hardly sees has to be clear to the reader.
        clear = named.found.confidence >= self._threshold
        return named[clear | (chance_of_joker(named.log_probs) > _CLEAR)], backs

    def _read_again(self, image: Image, indices: Indices) -> Indices:
        """Read each index once more where all views together put it: that place is better than any one
        view's."""
        rows = self._read([(image, indices.found)])[0]
        rows = with_class(rows, indices.found.class_id)
        both = log_softmax(np.asarray((indices.log_probs + rows) / 2, np.float32))
        # The place of a level word was the best of many: another look at it tells nothing new.
        return Indices(indices.found, np.where(indices.is_joker[:, None], indices.log_probs, both))

    def _named(
        self, pictures: Sequence[tuple[Image, Detections]], least_word: float = LEAST
    ) -> list[Indices]:
        """Read every index of every picture in one batch, those that read as none once more the other way
        round, and what may be a word of at least this score from its box."""
        log_probs = self._read(pictures)
        out = []
        turned = []
        for (image, found), rows in zip(pictures, log_probs, strict=True):
            again = np.flatnonzero(np.exp(rows[:, NONE]) > _TURN_BELOW)
            turned.append((image, found[again].turned_over(), again))
        others = self._read([(image, found) for image, found, _ in turned])
        for (image, found), rows, (_, flipped, again), new in zip(
            pictures, log_probs, turned, others, strict=True
        ):
            better = new[:, NONE] < rows[again, NONE]
            keypoints, rows = found.keypoints.copy(), rows.copy()
            keypoints[again[better]] = flipped.keypoints[better]
            rows[again[better]] = new[better]
            both = Detections(found.xyxy, found.class_id, found.confidence, keypoints)
            out.append(self._words(image, Indices(both, with_class(rows, found.class_id)), least_word))
        return out

    def _words(self, image: Image, indices: Indices, least: float) -> Indices:
        """Jokers whose word runs level, read once more with keypoints from their boxes."""
        found = indices.found
        unread = indices.is_card < _TURN_BELOW
        if least < LEAST:
            unread |= indices.is_joker & (chance_of_joker(indices.log_probs) < _CLEAR)
        wanted = np.flatnonzero(unread & may_be_words(found, least))
        points = [word_keypoints(found.xyxy[i]) for i in wanted]
        owner = np.repeat(wanted, [len(part) for part in points])
        if not len(owner):
            return indices
        keypoints = np.concatenate(points)
        rows = self.reader.log_probs(cut_patches(image, list(keypoints[:, 0]), list(keypoints[:, 1])))
        clear = chance_of_joker(rows)
        own, log_probs = found.keypoints.copy(), indices.log_probs.copy()
        for i in wanted:
            mine = np.flatnonzero(owner == i)
            if len(mine) and clear[best := mine[clear[mine].argmax()]] > _WORD:
                own[i], log_probs[i] = keypoints[best], rows[best]
        return Indices(Detections(found.xyxy, found.class_id, found.confidence, own), log_probs)

    def _read(self, pictures: Sequence[tuple[Image, Detections]]) -> list[np.ndarray]:
        """Log-probabilities of the detections of each picture, read as one batch."""
        patches = [cut_indices(image, found) for image, found in pictures]
        rows = (
            self.reader.log_probs(np.concatenate(patches)) if patches else np.empty((0, NONE + 1), np.float32)
        )
        return np.split(rows, np.cumsum([len(part) for part in patches])[:-1])

    def _assembled(
        self,
        indices: Indices,
        backs: Detections,
        packs: int | None,
        px_per_mm: float | None,
        certainty: Certainty | None = None,
        image: Image | None = None,
    ) -> Reading:
        cards, _ = assemble(indices, certainty or self.certainty, packs, px_per_mm, image)
        scale = px_per_mm
        if scale is None and len(cards):
            scale = float(np.median(np.linalg.norm(cards.outline[:, 3] - cards.outline[:, 0], axis=1))) / 88
        return Reading(cards, self._backs(backs, cards, scale), scale)

    def _backs(self, backs: Detections, cards: CardsRead, px_per_mm: float | None) -> Detections:
        """The backs that are as large as a card is here, each once; none that is the face of a card."""
        backs = backs[backs.confidence >= self._back_threshold]
        if px_per_mm is not None:
            backs = of_a_cards_size(backs, px_per_mm)
        if len(backs) and len(cards):
            centre = backs.xyxy.reshape(-1, 2, 2).mean(1)
            apart = np.linalg.norm(centre[:, None] - cards.centre[None], axis=2).min(1)
            backs = backs[apart > 0.25 * (backs.xyxy[:, 2:] - backs.xyxy[:, :2]).min(1)]
        return backs[suppress(backs)]


def _within(outlines: Sequence[NDArray[np.float64]], points: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Which points (N, 2) lie in any of the outlines: (N,)."""
    shapes = [outline.astype(np.float32) for outline in outlines]
    return np.array(
        [
            any(cv2.pointPolygonTest(shape, (float(x), float(y)), False) >= 0 for shape in shapes)
            for x, y in points
        ],
        bool,
    )


def _as_large(cards: CardsRead, others: CardsRead) -> NDArray[np.bool_]:
    """Which cards are as large as those others that are surely read, where there are any: (N,)."""
    sure = others[(others.confidence >= SURE_ABOVE) & (others.card < FIRST_JOKER)]
    if not len(sure) or not len(cards):
        return np.ones(len(cards), bool)
    usual = float(np.median([cv2.contourArea(outline) for outline in sure.outline]))
    area = np.array([cv2.contourArea(outline) for outline in cards.outline])
    return np.asarray(np.abs(np.log(area / max(usual, 1e-6))) < _OTHER_SIZE, np.bool_)


def enlarged(image: Image, factor: float) -> Image:
    """The picture `factor` times as large, with the filter that fits."""
    if abs(factor - 1) < 0.01:
        return image
    height, width = (max(1, round(side * factor)) for side in image.shape[:2])
    how = cv2.INTER_AREA if factor < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(image, (width, height), interpolation=how), np.uint8)
