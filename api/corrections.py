"""What a correction would change, which cards can be where one was misread, and what an undo takes back; all of it pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from api.live import Json, public
from api.service import Told
from table.cards import ALL_CARDS, Card
from table.event_json import BadEvent, corrected, event_from_json, event_to_json
from table.events import Correction, DealStarted, Dealt, Event, MatchStarted, Ruling, UnknownEvent
from table.findings import PROVEN
from table.knowledge import NOTHING_KNOWN, Knowledge, new_cards
from table.ledger import INFERRED
from table.lots import UNREAD
from table.match import MatchState, doubtful
from table.session import Referee
from table.views import SPLIT, UNSEEN

BY: Final = "by"
UNDOES: Final = "undoes"
_OWN: Final = ("seq", "event", "at", "source", "confidence", "alternatives", "evidence", BY, UNDOES)
_SIGHT: Final = (UNREAD, UNSEEN, SPLIT, INFERRED)
"""What cameras note of their doubt beside an event."""


class BadCorrection(ValueError):
    """A correction that cannot be.

    Attributes:
        field: of the request that is wrong.
        key: entry of the texts of the API that says why.
        fields: what the text names.
    """

    def __init__(self, field: str, key: str, **fields: Any) -> None:
        super().__init__(f"{field}: {key}")
        self.field = field
        self.key = key
        self.fields = fields


@dataclass(frozen=True, slots=True)
class Versions:
    """An event of the record as it was recorded and as it counts now (None: void)."""

    original: Event
    now: Event | None


def versions(told: Sequence[Told], of: int, before: int | None = None) -> Versions | None:
    """The versions of event `of`, by the corrections up to event `before` (left out: all); None: no such event."""
    original: Event | None = None
    now: Event | None = None
    for one in told:
        event = one.event
        if before is not None and event.seq >= before:
            break
        if event.seq == of:
            original = now = event
        elif isinstance(event, Correction) and event.of == of and original is not None:
            try:
                now = corrected(original, event)
            except BadEvent:
                continue
    return None if original is None else Versions(original, now)


def correction_of(
    told: Sequence[Told], of: int, replacement: Mapping[str, Any] | None, void: bool, by: str
) -> Correction:
    """A correction as a person asks for it: fields that he does not name stay as they are.

    Raises:
        BadCorrection: there is no such event, nothing may replace it, or the replacement is no event.
    """
    known = versions(told, of)
    if known is None or public(known.original) is None:
        raise BadCorrection("of", "no_such_event", of=of)
    if isinstance(known.original, Correction | Ruling):
        raise BadCorrection("of", "not_to_be_corrected", of=of)
    if void or replacement is None:
        if not void:
            raise BadCorrection("replacement", "replacement_or_void")
        if replacement is not None:
            raise BadCorrection("void", "replacement_or_void")
        if isinstance(known.original, MatchStarted):
            raise BadCorrection("void", "match_stays")
        return Correction(of=of, void=True, source="referee", extra={BY: by})
    base = known.now or known.original
    event = readable(_whole(base, replacement), "replacement")
    if isinstance(event, Correction | Ruling | UnknownEvent):
        raise BadCorrection("replacement.event", "cannot_replace")
    # Whoever corrects has looked: what the cameras thought of it does not count any more.
    event = replace(event, source="referee", evidence=known.original.evidence)
    data = {key: value for key, value in event_to_json(event).items() if key != "seq"}
    return Correction(of=of, replacement=data, source="referee", extra={BY: by})


def _whole(base: Event, given: Mapping[str, Any]) -> Json:
    name = base.kind if isinstance(base, UnknownEvent) else base.name
    data = dict(given)
    if data.get("event", name) == name:
        kept = {key: value for key, value in event_to_json(base).items() if key not in (*_OWN, *_SIGHT)}
        data = {**kept, **data}
    data.setdefault("event", name)
    data.setdefault("at", base.at)
    return data


def readable(data: Mapping[str, Any], where: str = "") -> Event:
    """An event from a request; cards may also be a list of names.

    Raises:
        BadCorrection: it is none; names the field.
    """
    plain = {
        key: " ".join(value)
        if key == "cards" and isinstance(value, list) and all(map(_is_text, value))
        else value
        for key, value in data.items()
    }
    try:
        return event_from_json(plain)
    except BadEvent as error:
        field, why = _field_of(str(error))
        raise BadCorrection(f"{where}.{field}".strip("."), "wrong_value", what=why) from None


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _field_of(message: str) -> tuple[str, str]:
    """The field that a message of `table.event_json` names, and what it says of it."""
    before, mark, rest = message.partition("field '")
    if not mark:
        return "event", message
    field, _, why = rest.partition("'")
    return field, why.lstrip(": ").strip() or before


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a correction would bring about."""

    correction: Correction
    now: Referee
    then: Referee
    lines: tuple[Json, ...]


def outlook(referee: Referee, correction: Correction) -> Outlook:
    """What a correction would change; `referee` is a copy that may be kept, the correction is not recorded.

    Raises:
        BadCorrection: it cannot be: there would be more copies of a card than the packs hold.
    """
    then = referee.copy()
    lines = tuple(then.push(replace(correction, seq=0)))
    event = None
    if correction.replacement is not None:
        event = event_from_json(dict(correction.replacement))
    before = {claim.key for claim in referee.findings().values()}
    for claim in then.findings().values():
        clear = claim.certainty == PROVEN and claim.kind == "card_impossible" and claim.key not in before
        if event is not None and clear and set(claim.cards) & set(new_cards(event)):
            packs = then.state.profile.whole("packs") if then.state is not None else 0
            cards = " ".join(card.pretty for card in claim.cards)
            raise BadCorrection("replacement.cards", "too_many_copies", cards=cards, packs=packs)
    return Outlook(correction, referee, then, lines)


# Which cards can be where one was read.


def candidates(referee: Referee, told: Sequence[Told], of: int, place: int) -> list[Json]:
    """The cards that can be at a place of an event, likeliest first; then those that cannot.

    Args:
        referee: a copy.
        told: everything recorded.
        of: number of the event.
        place: of the card in it, from 0; its number of cards: one that was missed.

    Returns:
        For each of the 54 cards its name, its chance by the sighting (None: not seen as that), whether it can be.

    Raises:
        BadCorrection: there is no such event or place.
    """
    known = versions(told, of)
    event = None if known is None else known.now or known.original
    if known is None or event is None or public(known.original) is None:
        raise BadCorrection("of", "no_such_event", of=of)
    cards = new_cards(event)
    if not 0 <= place <= len(cards) or (not hasattr(event, "cards") and not hasattr(event, "card")):
        raise BadCorrection("card", "no_such_place", of=of, count=len(cards))
    chances = _chances(known, place)
    state = referee.state
    deal = _deal_of(referee, of)
    packs = state.profile.whole("packs") if state is not None else 2
    out = []
    for card in ALL_CARDS:
        could = _with_card(event, place, card)
        possible = could is not None and state is not None and _can_be(deal, could, card, packs, state)
        out.append({"card": str(card), "p": chances.get(card), "possible": possible})
    read = cards[place] if place < len(cards) else None
    return sorted(
        out, key=lambda one: (not one["possible"], -(one["p"] or 0.0), _unlike(Card.parse(one["card"]), read))
    )


def _chances(known: Versions, place: int) -> dict[Card, float]:
    """What the sighting says of one card of an event: chances by its readings."""
    seen = known.original
    found: dict[Card, float] = {}
    names = new_cards(seen)
    if seen.confidence is not None and place < len(names):
        found[names[place]] = seen.confidence
    for cards, p in seen.alternatives:
        if place < len(cards) and len(cards) == len(names):
            found[cards[place]] = found.get(cards[place], 0.0) + p
    return {card: round(min(p, 1.0), 4) for card, p in found.items()}


def _unlike(card: Card, read: Card | None) -> tuple[int, int]:
    """What is easily taken for another: the same rank in another suit, then the same suit."""
    if read is None:
        return (0, card.index)
    return (
        0 if card == read else 1 if card.rank == read.rank else 2 if card.suit == read.suit else 3,
        card.index,
    )


def _with_card(event: Event, place: int, card: Card) -> Event | None:
    if hasattr(event, "card"):
        return replace(event, card=card, confidence=None, alternatives=())  # type: ignore[call-arg]
    cards = list(new_cards(event))
    cards[place : place + 1] = [card]
    return replace(event, cards=tuple(cards), confidence=None, alternatives=())  # type: ignore[call-arg]


def _deal_of(referee: Referee, of: int) -> list[Event]:
    """The events of the deal in which an event lies, as they count now, without what a sealed feed told."""
    found: list[Event] = []
    here = False
    for event in referee.effective():
        if isinstance(event, DealStarted | MatchStarted):
            if here:
                break
            found = []
        here = here or event.seq == of
        if not isinstance(event, Dealt):
            found.append(event)
    return found if here else []


def _can_be(deal: Iterable[Event], could: Event, card: Card, packs: int, state: MatchState) -> bool:
    """Whether the packs hold a card once more than was surely read of it elsewhere in the deal."""
    known: Knowledge = NOTHING_KNOWN
    there = False
    for event in deal:
        there = there or event.seq == could.seq
        event = could if event.seq == could.seq else event
        if not doubtful(state.profile, event):
            known = known.after(event)
    if not there:
        known = known.after(could)
    return card not in known.impossible((card,), packs)


# What an undo takes back.


@dataclass(frozen=True, slots=True)
class Undo:
    """What takes something back: `event` is to be recorded, `of` names what it takes back."""

    of: Event
    event: Event


def by_hand(event: Event) -> bool:
    """Whether a person put an event in at this table's pages."""
    return BY in event.extra or (isinstance(event, Ruling) and event.by is not None)


def last_by_hand(told: Sequence[Told]) -> Event | None:
    """The last thing that a person did and that has not been taken back."""
    done: list[Event] = []
    for one in told:
        event = one.event
        if UNDOES in event.extra:
            done = [other for other in done if other.seq != event.extra[UNDOES]]
        elif by_hand(event) and not isinstance(event, MatchStarted):
            done.append(event)
    return done[-1] if done else None


def undo_of(told: Sequence[Told], event: Event, by: str) -> Undo:
    """What takes back an event that a person put in: the version before counts again; all of them stay."""
    mark = {BY: by, UNDOES: event.seq}
    if isinstance(event, Correction):
        known = versions(told, event.of, event.seq)
        before = None if known is None else known.now
        if before is None:
            return Undo(event, Correction(of=event.of, void=True, source="referee", extra=mark))
        data = {key: value for key, value in event_to_json(before).items() if key != "seq"}
        return Undo(event, Correction(of=event.of, replacement=data, source="referee", extra=mark))
    if isinstance(event, Ruling):
        earlier = [one for one in _rulings(told, event.finding) if one.seq < event.seq]
        if earlier:
            again = earlier[-1]
            return Undo(
                event, replace(again, seq=0, at=None, by=by, extra={**again.extra, UNDOES: event.seq})
            )
        return Undo(event, Correction(of=_counting(told, event), void=True, source="referee", extra=mark))
    return Undo(event, Correction(of=event.seq, void=True, source="referee", extra=mark))


def _rulings(told: Sequence[Told], finding: int) -> list[Ruling]:
    """The rulings on a finding that nobody has taken back, as they were given."""
    found: list[Ruling] = []
    for one in told:
        event = one.event
        if UNDOES in event.extra:
            found = [other for other in found if other.seq != event.extra[UNDOES]]
        elif isinstance(event, Ruling) and event.finding == finding:
            found.append(event)
        elif isinstance(event, Correction) and event.void:
            found = [other for other in found if other.seq != event.of]
    return found


def _counting(told: Sequence[Told], ruling: Ruling) -> int:
    """Number of the event by which the ruling counts now: itself, or the one that put it back."""
    seq = ruling.seq
    for one in told:
        if isinstance(one.event, Ruling) and one.event.finding == ruling.finding:
            seq = one.event.seq
    return seq


def ruling_of(told: Sequence[Told], finding: int) -> Ruling | None:
    """The ruling on a finding that counts now, as it was given."""
    found = _rulings(told, finding)
    return found[-1] if found else None


def touched(told: Sequence[Told], *, finding: int | None = None, event: int | None = None) -> int:
    """Number of the event by which a finding, or an event, became what it is now."""
    last = 0
    rulings: set[int] = set()
    for one in told:
        about = one.event
        if finding is not None:
            if isinstance(about, Ruling) and about.finding == finding:
                rulings.add(about.seq)
            if any(line.get("finding") == finding for line in one.lines):
                last = about.seq
            if isinstance(about, Correction) and about.of in rulings:
                last = about.seq
        if event is not None and (
            about.seq == event or (isinstance(about, Correction) and about.of == event)
        ):
            last = about.seq
    return last
