"""The findings as displays show them: words of the rule apart, rulings, evidence; nothing of hands that are still hidden."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final

from api.live import Json, public
from api.service import Told
from table.cards import BadCard, Card, parse_cards
from table.events import DealStarted, Dealt, Event
from table.findings import Claim, article, claim_text
from table.knowledge import new_cards
from table.match import MatchState
from table.session import Referee
from table.texts import LANGUAGES
from table.views import SPLIT

_CARD: Final = re.compile("[♠♥♣♦](?:10|[2-9JQKA])|大王|小王")
HIDDEN: Final = "▒"


def findings_part(referee: Referee, told: Sequence[Told]) -> list[Json]:
    """The findings that stand, newest first, with what was ruled and where the evidence is."""
    state = referee.state
    if state is None:
        return []
    clips: dict[int, str] = {}
    events: dict[int, Event] = {}
    for one in told:
        clips.update(one.clips)
        events[one.event.seq] = one.event
    hides = _Hides(referee, state)
    standing = referee.findings()
    return [
        _finding(referee, state, number, standing[number], clips.get(number), events, hides)
        for number in sorted(standing, reverse=True)
    ]


def _finding(
    referee: Referee,
    state: MatchState,
    number: int,
    claim: Claim,
    clip: str | None,
    events: Mapping[int, Event],
    hides: _Hides,
) -> Json:
    line = referee.finding_line(number) or {}
    event, rule, game = events.get(claim.event), line.get("rule") or "", state.profile.game
    decision = state.decisions.get(claim.key)
    penalty = decision.penalty if decision is not None and decision.upheld else None
    words = {lang: claim_text(claim, "", lang, game) for lang in LANGUAGES}
    cards = names(claim.cards)
    if hides.hides(claim):
        words = {lang: hides.masked(claim, text) for lang, text in words.items()}
        cards = [name for name in cards if name in hides.known(claim)]
    return {
        "side": None,
        "events": [],
        **line,
        "text": words,
        "article": {lang: article(rule, lang, game) for lang in LANGUAGES},
        "cards": cards,
        "alternatives": alternatives_json(event) if event is not None else [],
        "ruling": None if decision is None else "upheld" if decision.upheld else "dismissed",
        "ruled_penalty": penalty.to_json(claim.offender) if penalty is not None else None,
        "ruled_by": None if decision is None else decision.by or None,
        "ruled_at": None if decision is None else decision.event,
        "clip": clip,
        "stills": list(event.evidence) if event is not None else [],
    }


class _Hides:
    """Which cards a finding may name while a deal runs whose hands somebody knows."""

    def __init__(self, referee: Referee, state: MatchState) -> None:
        _, events = referee.deal_so_far()
        sealed = any(hand.dealt is not None for hand in state.known.hands) or any(
            isinstance(event, Dealt) for event in events
        )
        running = state.deal is not None and state.begun not in state.results and state.ended is None
        self._active = sealed and running
        self._since = next((event.seq for event in events if isinstance(event, DealStarted)), 0)
        self._shown = [shown for event in events if (shown := public(event)) is not None]

    def hides(self, claim: Claim) -> bool:
        """Whether a claim is about the deal whose hands are hidden."""
        return self._active and claim.event >= self._since

    def known(self, claim: Claim) -> set[str]:
        """Names of the cards that everybody has seen its seat show, or that it rests on."""
        about = {claim.event, *claim.rests_on}
        return {
            str(card)
            for event in self._shown
            if event.seq in about or getattr(event, "seat", None) == claim.seat
            for card in new_cards(event)
        }

    def masked(self, claim: Claim, text: str) -> str:
        """A text without the cards that nobody has seen."""
        known = {Card.parse(name).pretty for name in self.known(claim)}
        return _CARD.sub(lambda found: found[0] if found[0] in known else HIDDEN, text)


def names(cards: Iterable[Card]) -> list[str]:
    """Cards as a list of their names."""
    return [str(card) for card in cards]


def alternatives_json(event: Event) -> list[list[Any]]:
    """Other readings of an event's cards, likeliest first: a list of names and the probability."""
    return [[names(cards), round(p, 4)] for cards, p in event.alternatives]


def split_json(event: Event) -> list[list[list[str]]]:
    """The two plays that one may be which nobody saw being laid: what lies on the left and on the right, each a way."""
    ways = event.extra.get(SPLIT)
    if not isinstance(ways, list):
        return []
    found = []
    for way in ways:
        # A record of another hand may say anything here.
        with suppress(BadCard, AttributeError, TypeError):
            parts = [names(parse_cards(part)) for part in way]
            found += [parts] if len(parts) == 2 and all(parts) else []
    return found
