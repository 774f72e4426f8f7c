"""How sure a card is: the one place where all evidence about a card becomes its confidence."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

FEATURES: Final = (
    "bias",
    "reader",
    "finder",
    "paired",
    "disagree",
    "odd_size",
    "small",
    "joker",
    "impossible",
    "inside",
)
"""What a confidence is made of, see `features`."""
DEFAULT: Final = {
    "bias": -0.2,
    "reader": 0.8,
    "finder": 0.25,
    "paired": 0.8,
    "disagree": -1.5,
    "odd_size": -2.0,
    "small": -0.5,
    "joker": -0.5,
    "impossible": -1.5,
    "inside": -0.5,
}
LIST_ABOVE: Final = 0.5
LIST_PHOTO_ABOVE: Final = 0.6
"""Where the scale had to be searched: the best threshold on synthetic photographs of the validation designs."""
SURE_ABOVE: Final = 0.9
_PRESENT: Final = 0.8
_SURE: Final = 7.0
_TYPICAL_SPAN: Final = 13.0


@dataclass(frozen=True, slots=True)
class Certainty:
    """A logistic model of "this card is right", fitted on synthetic held-out scenes only.

    Attributes:
        weights: one number a feature of `FEATURES`.
        list_above: cards less sure than this are not reported at all.
        list_photo_above: the same for pictures of unknown scale.
        sure_above: cards less sure than this are doubtful.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT))
    list_above: float = LIST_ABOVE
    list_photo_above: float = LIST_PHOTO_ABOVE
    sure_above: float = SURE_ABOVE

    @classmethod
    def from_settings(cls, settings: Mapping[str, Any]) -> Certainty:
        """Take the keys `certainty`, `list_above` and `sure_above` of the settings of `weights.json`."""
        return cls(
            {**DEFAULT, **settings.get("certainty", {})},
            float(settings.get("list_above", LIST_ABOVE)),
            float(settings.get("list_photo_above", settings.get("list_above", LIST_PHOTO_ABOVE))),
            float(settings.get("sure_above", SURE_ABOVE)),
        )

    def confidence(self, columns: NDArray[np.float64]) -> NDArray[np.float32]:
        """(N, 10) features to (N,) confidences, 0..1."""
        weights = np.array([self.weights[name] for name in FEATURES])
        return np.asarray(1 / (1 + np.exp(-(columns @ weights))), np.float32)

    def worth_telling(
        self,
        confidence: NDArray[np.float32],
        card: NDArray[np.int64],
        chances: NDArray[np.float32],
        columns: NDArray[np.float64],
        known_scale: bool = True,
    ) -> NDArray[np.bool_]:
        """Which of N cards to report: the sure ones, and those whose two indices leave open which card it is.

        Args:
            confidence: (N,) of the name.
            card: (N,) the name.
            chances: (N, 54) of every name.
            columns: (N, 10) features.
            known_scale: whether the picture's scale was given.
        """
        least = self.list_above if known_scale else self.list_photo_above
        own = chances[np.arange(len(card)), card] if len(card) else np.empty(0, np.float32)
        present = np.minimum(confidence / np.maximum(own, 1e-6) * chances.sum(1), 1.0)
        disagree = columns[:, FEATURES.index("disagree")] > 0
        open_which = disagree & (present >= _PRESENT) & (confidence >= 0.6 * least)
        return np.asarray((confidence >= least) | open_which, np.bool_)


def features(
    named: ArrayLike,
    score: ArrayLike,
    count: ArrayLike,
    disagree: ArrayLike,
    off_size: ArrayLike,
    span: ArrayLike,
    joker: ArrayLike = 0.0,
    impossible: ArrayLike = 0.0,
    inside: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """The features of N cards, in the order of `FEATURES`.

    Args:
        named: probability of the name after all its indices were put together, none included, 0..1.
        score: the finder's scores of the card's indices together, 0..1.
        count: how many indices of the card were seen.
        disagree: whether its indices name different cards.
        off_size: octaves between the index's size and the size expected at its place.
        span: rank to suit in px of the camera's picture.
        joker: whether the name is a joker's; court figures look like jokers.
        impossible: whether it and a clearer card would lie over each other, see `vision.assemble`.
        inside: whether its one index lies in the face of a card both of whose corners show: art and print do.

    Returns:
        (N, 10) float64.
    """
    named, score, span = (np.asarray(value, np.float64) for value in (named, score, span))
    off = np.clip(np.abs(np.asarray(off_size, np.float64)) - 0.15, 0, 1.5)
    return np.stack(
        [
            np.ones_like(named),
            _logit(named),
            _logit(score),
            (np.asarray(count) > 1).astype(np.float64),
            np.asarray(disagree, np.float64),
            off,
            np.clip(np.log2(_TYPICAL_SPAN / np.maximum(span, 1.0)), 0, 3),
            np.broadcast_to(np.asarray(joker, np.float64), named.shape),
            np.broadcast_to(np.asarray(impossible, np.float64), named.shape),
            np.broadcast_to(np.asarray(inside, np.float64), named.shape),
        ],
        1,
    )


def fit_certainty(
    columns: NDArray[np.float64], right: NDArray[np.bool_], prior: float = 1.0, rounds: int = 50
) -> dict[str, float]:
    """Weights that make confidences true on cards of which it is known whether they were read right.

    Newton's method on the logistic likelihood; `prior` pulls the weights to `DEFAULT` with that strength.

    Args:
        columns: (N, 10) features.
        right: (N,) whether the card was there under that name.
        prior: strength of the pull.
        rounds: at most so many steps.
    """
    start = np.array([DEFAULT[name] for name in FEATURES])
    sign = np.where(right, 1.0, -1.0)

    def loss(at: NDArray[np.float64]) -> float:
        return float(np.logaddexp(0, -sign * (columns @ at)).sum() + prior / 2 * ((at - start) ** 2).sum())

    weights = start.copy()
    for _ in range(rounds):
        chance = 1 / (1 + np.exp(-np.clip(columns @ weights, -30, 30)))
        slope = columns.T @ (right - chance) - prior * (weights - start)
        bend = (columns * (chance * (1 - chance))[:, None]).T @ columns + prior * np.eye(len(start))
        step = np.linalg.solve(bend, slope)
        # Far from the answer a whole step of Newton's can lead away from it.
        while np.abs(step).max() > 1e-9 and loss(weights + step) > loss(weights):
            step /= 2
        weights = weights + step
        if np.abs(step).max() < 1e-6:
            break
    return dict(zip(FEATURES, (round(float(value), 4) for value in weights), strict=True))


def _logit(chance: NDArray[np.float64]) -> NDArray[np.float64]:
    edge = 1 / (1 + np.exp(_SURE))
    inside = np.clip(chance, edge, 1 - edge)
    return np.asarray(np.log(inside / (1 - inside)), np.float64)
