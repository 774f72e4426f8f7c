"""How many cards a seat has left: counts owed and called, and what a call says about the count that we hold.

Cameras miss a card now and then, or read one twice. Where they made the record, a count that a player calls is evidence
about us as well: it accuses nobody while a card or two in his plays would explain it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, combinations_with_replacement
from typing import TYPE_CHECKING, Any, Final

from table.cards import JOKERS, RANKS, SUITS, Card
from table.events import CountCalled, HandCount, Play
from table.evolve import evolve
from table.guandan.combos import Reading, readings, wild_of
from table.match import doubtful, from_cameras
from table.seats import SEATS, Seat

if TYPE_CHECKING:
    from table.guandan.deal import Deal

MARGIN: Final = 2
"""So many cards of a seat cameras may have missed or read twice without anybody noticing."""


@dataclass(frozen=True, slots=True)
class Duty:
    """A count that a seat owes since event `since`; `asked`: somebody asked for it."""

    seat: Seat
    since: int
    left: int
    asked: bool = False


@dataclass(frozen=True, slots=True)
class Heard:
    """What a seat's calls say of the count that is held of its cards.

    Attributes:
        off: so many cards fewer than held were called last (negative: more); 0 where nothing differs.
        calls: numbers of the calls that differ in this way.
        agreed: number of the latest call (or count by the referee) that was as held; 0 for none.
    """

    off: int = 0
    calls: tuple[int, ...] = ()
    agreed: int = 0


@dataclass(frozen=True, slots=True)
class ReadPlay:
    """A play that cameras read since the seat's count was last confirmed, and what it had to beat."""

    seat: Seat
    seq: int
    cards: tuple[Card, ...]
    prior: tuple[Reading, ...] = ()


NOTHING_HEARD: Final = (Heard(), Heard(), Heard(), Heard())


def put(four: tuple[Any, ...], seat: Seat, value: Any) -> Any:
    """Four values, one for each seat, with another one for a seat."""
    return (*four[:seat], value, *four[seat + 1 :])


def certain(deal: Deal, seat: Seat) -> bool:
    """Whether nothing that is known speaks against the count held of a seat."""
    return deal.count_sure[seat] and not deal.heard[seat].off


def confirmed(deal: Deal, seat: Seat) -> bool:
    """Whether the count held of a seat is more than what cameras made out of its plays."""
    return certain(deal, seat) and (not deal.watched or bool(deal.heard[seat].agreed))


def turn_counted(deal: Deal, seat: Seat, nearly_out: int) -> bool:
    """Whether it is known who still has cards, as far as that matters to an act of a seat.

    Args:
        deal: before it.
        seat: who acts.
        nearly_out: with so few cards by a count that is not certain a seat may be out, or may not.
    """
    for other, left in enumerate(deal.left):
        if left <= nearly_out and not certain(deal, other):
            return False
        if not confirmed(deal, other) and (0 < left <= MARGIN or (other == seat and not left)):
            return False
    return True


def owed_for_sure(deal: Deal, duty: Duty) -> bool:
    """Whether a seat owes the count whatever cameras may have missed or read twice of its cards."""
    if confirmed(deal, duty.seat):
        return True
    most = deal.profile.whole("report.at") - MARGIN
    return certain(deal, duty.seat) and not deal.gap and MARGIN < duty.left <= most


def may_explain(deal: Deal, seat: Seat, off: int) -> tuple[int, ...] | None:
    """Numbers of the plays of a seat that may have had `off` cards more than were read (negative: fewer).

    None where nothing explains it: then it is certain that the count is another. Before a first call that is as held,
    and where an act may be missing, anything may explain it.
    """
    if not deal.watched:
        return None if deal.count_sure[seat] else ()
    mine = [play for play in deal.read if play.seat == seat]
    fits = {
        step: tuple(play.seq for play in mine if _may_have(deal, play, step)) for step in (off, _half(off))
    }
    found = fits[off] if abs(off) <= MARGIN else ()
    if not found and abs(off) == MARGIN and len(fits[_half(off)]) >= MARGIN:
        found = fits[_half(off)]
    open_ = (
        not confirmed(deal, seat) or deal.gap or deal.turn_open or deal.profile.word("passes") == "inferred"
    )
    return found if found or open_ else None


def _half(off: int) -> int:
    return 1 if off > 0 else -1


def _may_have(deal: Deal, play: ReadPlay, more: int) -> bool:
    """Whether a play would be as legal with so many cards more, or fewer."""
    if abs(more) > MARGIN:
        return False
    if len(play.cards) + more <= 0:
        # A card that lay there and was taken up again, or none at all.
        return len(play.cards) + more == 0
    return any(_legal(deal, play, cards) for cards in _others(play.cards, more, deal.level))


def _others(cards: tuple[Card, ...], more: int, level: str) -> Iterable[tuple[Card, ...]]:
    if more < 0:
        return combinations(cards, len(cards) + more)
    if more == 1:
        return ((*cards, card) for card in _any_card(SUITS, level))
    return ((*cards, *new) for new in combinations_with_replacement(_any_card(SUITS[:1], level), more))


def _any_card(suits: Sequence[str], level: str) -> list[Card]:
    """One card of each name: of these suits, the jokers, the wild."""
    names = [suit + rank for rank in RANKS for suit in suits]
    return list(dict.fromkeys((*(Card.parse(name) for name in (*names, *JOKERS)), wild_of(level))))


def _legal(deal: Deal, play: ReadPlay, cards: Sequence[Card]) -> bool:
    found = readings(cards, deal.level, deal.rules)
    if not play.prior:
        return bool(found)
    return any(mine.beats(theirs, deal.level, deal.rules) for mine in found for theirs in play.prior)


def with_play(deal: Deal, event: Play, size: int, prior: Iterable[Reading]) -> dict[str, Any]:
    """What changes of a deal's counts with a play: cards left, how sure that is, what cameras read."""
    seat = event.seat
    changes: dict[str, Any] = {"left": put(deal.left, seat, max(0, deal.left[seat] - size))}
    if from_cameras(event):
        play = ReadPlay(seat, event.seq, event.cards, tuple(prior))
        changes |= {"watched": True, "read": (*deal.read, play)}
    return changes


def called(deal: Deal, event: CountCalled) -> Deal:
    """A count called: where the count is not certain, the player's word is the better one from now on.

    In a record that cameras made it is not certain once he has called twice what differs by the same number.
    """
    seat, left = event.seat, deal.left[event.seat]
    duties = tuple(duty for duty in deal.duties if duty.seat != seat)
    deal = evolve(deal, duties=duties, called=tuple(dict.fromkeys((*deal.called, seat))))
    off, heard = left - event.count, deal.heard[seat]
    if doubtful(deal.profile, event):
        return deal
    if not left:
        # Who calls a count has cards.
        out = not event.count or may_explain(deal, seat, -event.count) is None
        return deal if out else not_out(deal, seat, event.count)
    if not off:
        return _agreed(deal, seat, event.seq)
    if not deal.count_sure[seat]:
        return not_out(deal, seat, event.count) if event.count else deal
    if may_explain(deal, seat, off) is None:
        return deal
    calls = (*heard.calls, event.seq) if heard.off == off else (event.seq,)
    deal = evolve(deal, heard=put(deal.heard, seat, replace(heard, off=off, calls=calls)))
    if len(calls) < 2 or not event.count:
        return deal
    settled = put(deal.heard, seat, replace(heard, off=0, calls=calls))
    return evolve(
        deal,
        left=put(deal.left, seat, event.count),
        count_sure=put(deal.count_sure, seat, False),
        heard=settled,
    )


def not_out(deal: Deal, seat: Seat, left: int) -> Deal:
    """The deal where a seat, whose cards are not counted for certain, says that it has some left."""
    out = tuple(other for other in deal.out if other != seat)
    return evolve(deal, left=put(deal.left, seat, left), count_sure=unsure_of(deal, (seat,)), out=out)


def _agreed(deal: Deal, seat: Seat, seq: int) -> Deal:
    """The count held of a seat is confirmed, where nothing else speaks against it."""
    if not deal.watched or not deal.count_sure[seat]:
        return deal
    rest = tuple(play for play in deal.read if play.seat != seat)
    return evolve(deal, heard=put(deal.heard, seat, Heard(agreed=seq)), read=rest)


def counted(deal: Deal, event: HandCount) -> Deal:
    """A hand counted by the referee: that is how many cards it has."""
    seat = event.seat
    others = tuple(other for other in deal.out if other != seat)
    out = others if event.count else deal.out if seat in deal.out else (*deal.out, seat)
    left, sure = put(deal.left, seat, event.count), put(deal.count_sure, seat, True)
    return _agreed(evolve(deal, left=left, count_sure=sure, out=out), seat, event.seq)


def asked(deal: Deal, seat: Seat, seq: int) -> Deal:
    """Somebody asks for the count of a seat."""
    owes = deal.profile.word("report.mode") == "on_request" and deal.left[seat] <= deal.profile.whole(
        "report.at"
    )
    if not owes or not deal.left[seat] or any(duty.seat == seat for duty in deal.duties):
        return deal
    return evolve(deal, duties=(*deal.duties, Duty(seat, seq, deal.left[seat], asked=True)))


def duties_after(deal: Deal, seat: Seat, seq: int) -> tuple[Duty, ...]:
    """Counts owed after a play of a seat; what was owed before it has been judged with it."""
    left, most = deal.left[seat], deal.profile.whole("report.at")
    if deal.profile.word("report.mode") != "duty" or not 0 < left <= most:
        return ()
    if deal.profile.word("report.repeat") == "once" and left + len(deal.plays[-1][2]) <= most:
        return ()
    return (Duty(seat, seq, left),)


def unsure_of(deal: Deal, seats: Iterable[Seat]) -> tuple[bool, bool, bool, bool]:
    """`count_sure` where these seats may have played and nobody saw it."""
    whose = set(seats)
    four = tuple(sure and seat not in whose for seat, sure in zip(SEATS, deal.count_sure, strict=True))
    return four[0], four[1], four[2], four[3]
