"""A record that cameras made with one play misread and nobody the wiser: whoever did nothing wrong is not accused."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any, Final

import pytest

from devices.simulator.bots import play_match
from table.event_json import event_from_json
from table.findings import LIKELY, PROVEN, Claim
from table.rulesets import load_profile
from table.session import replay

Event = dict[str, Any]
DEALS: Final = 4


def missed(event: Event) -> Event:
    """One of its cards was not seen."""
    cards = event["cards"].split()
    return {**event, "cards": " ".join(cards[1:] or cards)}


def read_twice(event: Event) -> Event:
    """One of its cards was taken for two."""
    cards = event["cards"].split()
    return {**event, "cards": " ".join([cards[0], *cards])}


def unseen(event: Event) -> Event:
    """Nobody saw the play; the recorder names the gap when the game goes on."""
    return {"event": "missing", "seat": event["seat"], "seq": event["seq"], "why": "unnoticed"}


def accused(profile: str, seed: int, spoil: Callable[[Event], Event] | None) -> tuple[int, list[Claim]]:
    """The number of the play that is spoilt, and what is held against others as proven or likely."""
    rng = random.Random(seed)
    script = play_match(load_profile(profile), rng, deals=1).events
    number = rng.choice([event["seq"] for event in script if event["event"] == "play"])
    seen = []
    for event in script:
        if event["event"] == "play":
            event = {**event, "source": "camera", "confidence": 0.995}
            event = spoil(event) if spoil is not None and event["seq"] == number else event
        seen.append(event_from_json(event))
    claims = replay(seen)[0].findings().values()
    return number, [claim for claim in claims if claim.certainty in (PROVEN, LIKELY)]


@pytest.mark.parametrize("profile", ["guandan-official", "guandan-event", "shengji-official-2"])
@pytest.mark.parametrize("spoil", [None, missed, read_twice, unseen])
def test_one_play_that_is_misread_proves_nothing_against_others(
    profile: str, spoil: Callable[[Event], Event] | None
) -> None:
    for seed in range(DEALS):
        number, claims = accused(profile, seed, spoil)
        assert [claim for claim in claims if claim.event != number and number not in claim.rests_on] == []
