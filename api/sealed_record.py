"""What the record says of sealed deals: bound when they are dealt, their hands in place of that once they may be known.

Which sealed deal is which deal of the match: a dealer's latest, while nobody has acted since the deal began; of a deal
folder the board with the deal's number. Hands that do not agree with what was played are not put into the record.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from devices.deal_folder import board_of
from devices.seal_format import KITTY, UNREAD, Facts, OpenedHand, SealError, commitment_of
from table.cards import Card
from table.event_json import BadEvent, corrected, event_to_json
from table.events import (
    Correction,
    DealStarted,
    Dealt,
    DealVoided,
    Event,
    Exposed,
    HandSealed,
    KittyTaken,
    MatchEnded,
    MatchStarted,
    Play,
    SealOpened,
    TakenBack,
    Tribute,
    TributeReturn,
    TrumpShown,
)
from table.knowledge import new_cards

SOURCE: Final = "feed"
OLDEST_S: Final = 1800.0
"""A deal that a dealer dealt longer ago than this is not the one that begins now."""
_ACTS: Final = (Play, Tribute, TributeReturn)
"""Once a card was laid the hands are no longer those that were dealt; a pass may have been pressed by mistake."""
_STRANGE: Final = 0.1
"""Share of the cards shown that may be missing from the sealed hands: more, and it is another deal."""


@dataclass(slots=True)
class _Deal:
    """A deal of the match with what a sealed feed knows of it: number of the event that binds each seat's hand."""

    number: int
    at: float = float("-inf")
    sealed: str = ""
    bound: dict[int, int] = field(default_factory=dict)
    acted: bool = False
    opened: bool = False
    shown: dict[int, Counter[Card]] = field(default_factory=dict)
    came: dict[int, Counter[Card]] = field(default_factory=dict)
    took_kitty: set[int] = field(default_factory=set)


class SealedRecord:
    """Follows the events of a record as far as sealed deals are concerned."""

    def __init__(self, events: Iterable[Event] = ()) -> None:
        self._deals: list[_Deal] = []
        self._standing = False
        self._ended = False
        self._looks = 0
        for event in events:
            self.note(event)

    def note(self, event: Event) -> None:
        """The next event of the record."""
        match event:
            case MatchStarted():
                self._ended = False
            case DealStarted():
                number = event.deal if event.deal is not None else len(self._deals) + 1
                self._deals.append(_Deal(number, float("-inf") if event.at is None else event.at))
                self._standing = True
            case DealVoided():
                self._standing = False
            case MatchEnded():
                self._standing, self._ended = False, True
            case SealOpened():
                self._looks += 1
            case HandSealed() if self._deals:
                self._deals[-1].sealed = event.sealed
                self._deals[-1].bound[event.seat] = event.seq
            case Correction(replacement=found) if found is not None and found.get("event") == Dealt.name:
                for deal in self._deals:
                    deal.opened = deal.opened or event.of in deal.bound.values()
            case _ if self._deals:
                self._shown(self._deals[-1], event)

    def sealing(self, known: Sequence[Facts], at: float | None, wall: float) -> list[Event]:
        """The events that bind the hands of the deal that has begun; empty where no sealed deal is that deal.

        Args:
            known: what is public of the sealed deals.
            at: the time of the record, s.
            wall: Unix time, s.
        """
        facts = self._its(self._deals[-1], known, wall) if self.wants() else None
        if facts is None:
            return []
        return [
            HandSealed(
                at=at, source=SOURCE, seat=int(place), count=hand.count, sealed=facts.deal,
                commitment=hand.commitment,
            )
            for place, hand in sorted(facts.hands.items())
            if place != KITTY
        ]  # fmt: skip

    def may_open(self, known: Sequence[Facts]) -> list[tuple[str, str]]:
        """The deals that may be opened by now and are not, each with the policy that allows it."""
        policies = {facts.deal: facts.reveal for facts in known}
        found = []
        for deal in self._deals:
            if not deal.sealed or deal.opened:
                continue
            policy = policies.get(deal.sealed, "referee")
            over = self._ended or deal is not self._deals[-1]
            if (policy == "after_deal" and over) or (policy == "after_match" and self._ended):
                found.append((deal.sealed, policy))
        return found

    def closed(self) -> list[str]:
        """The sealed deals of the record that are not opened in it."""
        return [deal.sealed for deal in self._deals if deal.sealed and not deal.opened]

    def is_over(self, sealed: str) -> bool:
        """Whether the deal that a sealed deal is has been played; a sealed deal of none has not."""
        deal = next((deal for deal in self._deals if deal.sealed == sealed), None)
        return deal is not None and (self._ended or deal is not self._deals[-1])

    def opening(self, sealed: str, hands: Mapping[str, OpenedHand], at: float | None) -> list[Event]:
        """The corrections that put opened hands where they were bound.

        Args:
            sealed: which deal.
            hands: by place.
            at: the time of the record, s.

        Raises:
            AnotherDeal: what was played cannot come from these hands.
        """
        deal = next((deal for deal in self._deals if deal.sealed == sealed and not deal.opened), None)
        if deal is None:
            return []
        self._agree(deal, hands)
        corrections: list[Event] = []
        for seat, seq in sorted(deal.bound.items()):
            hand = hands.get(str(seat))
            if hand is None or UNREAD in hand.cards:
                continue
            cards = tuple(Card.parse(card) for card in hand.cards)
            dealt = Dealt(seat=seat, cards=cards, source=SOURCE, sealed=sealed, opening=hand.opening)
            corrections.append(Correction(of=seq, at=at, source=SOURCE, replacement=event_to_json(dealt)))
        return corrections

    @property
    def looks(self) -> int:
        """How many openings by a person the record tells."""
        return self._looks

    def wants(self) -> bool:
        """Whether a deal has begun whose hands may still be bound."""
        deal = self._deals[-1] if self._deals and self._standing else None
        return deal is not None and not deal.acted and not deal.sealed

    def _its(self, deal: _Deal, known: Sequence[Facts], wall: float) -> Facts | None:
        """The sealed deal that a deal of the match is."""
        used = {other.sealed for other in self._deals}
        for facts in reversed(known):
            if facts.state == "dealing" and wall - facts.begun <= OLDEST_S:
                # The cards are being dealt.
                return None
            if facts.state != "sealed" or facts.check == "wrong":
                continue
            board = board_of(facts.label) if "@" in facts.label else None
            if board is None:
                # A dealer: only its latest deal can lie on the table.
                fresh = wall - facts.begun <= OLDEST_S
                return facts if facts.deal not in used and fresh else None
            if facts.deal not in used and board == str(deal.number):
                return facts
        return None

    def _agree(self, deal: _Deal, hands: Mapping[str, OpenedHand]) -> None:
        shown = strange = 0
        for seat, cards in deal.shown.items():
            hand = Counter(Card.parse(card) for card in hands[str(seat)].cards if card != UNREAD)
            hand += deal.came.get(seat, Counter())
            if seat in deal.took_kitty and KITTY in hands:
                hand.update(Card.parse(card) for card in hands[KITTY].cards if card != UNREAD)
            shown += cards.total()
            strange += (cards - hand).total()
        if strange > 2 and strange > _STRANGE * shown:
            raise AnotherDeal(
                "another_deal", deal=deal.sealed, number=deal.number, strange=strange, shown=shown
            )

    def _shown(self, deal: _Deal, event: Event) -> None:
        late = event.at is not None and event.at < deal.at
        deal.acted = deal.acted or (isinstance(event, _ACTS) and not late)
        if event.alternatives:
            return
        seat = getattr(event, "seat", None)
        if isinstance(event, Play | Tribute | TributeReturn) and seat is not None:
            deal.shown.setdefault(seat, Counter()).update(new_cards(event))
        elif isinstance(event, Exposed | TrumpShown) and seat is not None:
            deal.shown[seat] = deal.shown.get(seat, Counter()) | Counter(new_cards(event))
        elif isinstance(event, TakenBack):
            deal.shown.setdefault(event.seat, Counter()).subtract(event.cards)
        elif isinstance(event, KittyTaken):
            deal.took_kitty.add(event.seat)
        if isinstance(event, Tribute | TributeReturn) and event.to is not None and event.card is not None:
            deal.came.setdefault(event.to, Counter())[event.card] += 1


class AnotherDeal(SealError):
    """Opened hands that are not those of the deal in the record."""


def looks_at(log: Sequence[Mapping[str, Any]], after: int, at: float | None) -> list[Event]:
    """Events for the openings by a person in a store's log, beyond the first `after` of them."""
    by_hand = [one for one in log if one.get("by")]
    return [
        SealOpened(
            at=at, source=SOURCE, sealed=str(one["deal"]), by=str(one["by"]), why=str(one.get("why") or "")
        )
        for one in by_hand[after:]
    ]


def verify_record(events: Iterable[Event]) -> list[tuple[str, int, str]]:
    """What became of every hand that was bound: sealed deal, seat, and `verified`, `still_sealed` or `broken`."""
    bound: dict[int, HandSealed] = {}
    state: dict[int, str] = {}
    for event in events:
        if isinstance(event, HandSealed):
            bound[event.seq], state[event.seq] = event, "still_sealed"
        elif isinstance(event, Correction) and event.of in bound:
            state[event.of] = "verified" if _is_bound(bound[event.of], event) else "broken"
    return [(event.sealed, event.seat, state[seq]) for seq, event in bound.items()]


def _is_bound(event: HandSealed, correction: Correction) -> bool:
    """Whether a correction puts the hand there that was bound."""
    try:
        dealt = corrected(event, correction)
        if not isinstance(dealt, Dealt) or dealt.opening is None or dealt.seat != event.seat:
            return False
        hand = OpenedHand(tuple(map(str, dealt.cards)), dealt.opening)
        return commitment_of(event.sealed, str(event.seat), hand) == event.commitment
    except (BadEvent, SealError):
        return False
