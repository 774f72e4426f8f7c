"""What cards at rest mean in a deal of Shengji: trump shown, the kitty, plays, what a failed throw leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from table.cards import Card
from table.events import (
    Event,
    Exposed,
    KittyLaid,
    KittyRevealed,
    KittyTaken,
    KittyTurned,
    Play,
    ThrowForced,
    ThrowStopped,
    TrumpShown,
)
from table.findings import LIKELY, PROVEN
from table.ledger import CAMERA, INFERRED
from table.match import MatchState
from table.ordering import INFERRED_CHANCE
from table.recording import Act, Amend, Recording, Seen, Two, cuts, named_since
from table.seats import Seat, next_seat
from table.shengji.bidding import show
from table.shengji.claims import FOLLOW_CHECKS
from table.shengji.deal import Deal
from table.shengji.doubt import may_have_won, miscounted
from table.shengji.trick import FOUR, Trick

_LENGTH: Final = "wrong_length"
_ACCUSING: Final = (PROVEN, LIKELY)


class ShengjiRecording:
    """Shengji's part in recording."""

    growing: tuple[type[Event], ...] = (KittyRevealed,)

    def laid(self, seen: Seen, match: MatchState) -> Sequence[Event | Amend]:
        """What new cards at rest mean in the deal as it stands.

        Before the first lead level cards and jokers in a play zone declare (SJO-12), in time or not (SJE-12); other
        cards then are exposed (SJE-47). Later what lies in a play zone is played, in turn or not; but who has objected
        to a throw shows there what beats it.
        """
        deal: Deal = match.deal
        if seen.kind == "kitty" and seen.cards:
            return _in_the_kitty(deal, seen)
        seat = seen.seat
        if seat is None or deal.over:
            return ()
        if not seen.cards:
            played = seen.kind == "play" and deal.closed and _stop_open(deal) is None
            return (Play(seat=seat, cards=(), at=seen.at),) if played else ()
        if seen.kind == "discard":
            return _exposed(deal, seen, seat)
        if seen.kind != "play":
            return ()
        stopped = _stop_open(deal)
        if stopped is not None and seat != stopped.leader:
            return _objection(stopped, seen, seat)
        play = Play(seat=seat, cards=seen.cards, at=seen.at)
        if not deal.tricks and (not deal.closed or seat != deal.banker):
            if any(_declares(deal, card) for names in (seen.cards, *seen.others) for card in names):
                return _declaration(deal, seen, seat)
            if not deal.closed:
                shown = Exposed(seat=seat, cards=seen.cards, at=seen.at)
                return (*_kitty_unseen(seat), play) if _leads(deal, seen) else (shown,)
        return (play,)

    def backs(self, kind: str, before: int, count: int, at: float, match: MatchState) -> Sequence[Event]:
        """The kitty taken up, or laid down again (扣底, SJO-21): by the banker, or who has overturned since."""
        deal: Deal = match.deal
        if kind != "kitty" or deal.tricks:
            return ()
        up = deal.kitty_up()
        if before == 0 and count > 0 and up is not None:
            return (KittyLaid(seat=up, at=at),)
        taker = _taker(deal)
        drawn = deal.draw_ended is not None or deal.laid
        if before > 0 and count == 0 and up is None and taker is not None and drawn:
            return (KittyTaken(seat=taker, at=at),)
        return ()

    def lifted(self, event: Event, left: tuple[Card, ...], at: float, match: MatchState) -> Event | None:
        """Cards of a throw that was stopped go back into the hand: what stays is forced (SJO-31)."""
        deal: Deal = match.deal
        trick = deal.current
        if (
            trick is None
            or not left
            or trick.lead.seq != event.seq
            or not trick.stopped
            or len(trick.plays) > 1
        ):
            return None
        return ThrowForced(seat=trick.leader, cards=left, at=at)

    def completed(self, event: Event, match: MatchState) -> Sequence[Event | Amend]:
        """An objection to a throw: cards that the objector laid down a moment before are what beats it."""
        deal: Deal = match.deal
        trick = deal.current
        if isinstance(event, ThrowStopped) and trick is not None and len(trick.plays) == 2:
            shown = trick.plays[1]
            if shown.seat == event.seat and (
                event.cards is None or Counter(event.cards) == Counter(shown.cards)
            ):
                return (Amend(shown.seq, {}, void=True), replace(event, cards=shown.cards))
        return (event,)

    def joins(self, match: MatchState, first: tuple[Card, ...], late: tuple[Card, ...]) -> bool:
        """Always: who is not on turn can only mean the play that he has just made."""
        return True

    def splits(self, seat: Seat, cards: tuple[Card, ...], match: MatchState) -> Sequence[Two]:
        """As many cards as were led in this trick or the last, and as many as are left, of one group, led."""
        deal: Deal = match.deal
        if not deal.tricks or deal.order is None:
            return ()
        size, order = len(deal.tricks[-1].lead.cards), deal.order
        if len(cards) == size or (deal.current is None and order.only_group(cards) is not None):
            return ()
        return [
            (left, right)
            for left, right in cuts(cards)
            if (len(left) == size and order.only_group(right))
            or (len(right) == size and order.only_group(left))
        ]

    def due(self, match: MatchState) -> tuple[Seat, ...]:
        """Who may play now: where cards of the last trick are in doubt, whoever may have won it."""
        deal: Deal = match.deal
        others = () if deal.turn is None or deal.current is not None else may_have_won(deal)
        return tuple(dict.fromkeys((*_turn(deal), *others)))

    def standing(self, match: MatchState, seq: int) -> bool:
        """Whether a play lies in the trick in progress."""
        trick = match.deal.current
        return trick is not None and seq >= trick.lead.seq

    def amendable(self, match: MatchState, seq: int) -> bool:
        """Until the next trick is led a follower may still put his play right (SJE-44)."""
        deal: Deal = match.deal
        if not deal.tricks or deal.over:
            return False
        trick = deal.tricks[-1]
        return any(play.seq == seq and not (trick.done and play.seat == trick.winner) for play in trick.plays)

    def puts_right(self, match: MatchState, seq: int, count: int) -> bool:
        """As many cards as were led, where cards clearly read are held against that play: what is in doubt may have been
        right, and have won, so that its seat leads."""
        held = any(
            c.event == seq and c.certainty in _ACCUSING and (c.check in FOLLOW_CHECKS or c.kind == _LENGTH)
            for c in match.claims.values()
        )
        return held and self.amendable(match, seq) and count == len(match.deal.tricks[-1].lead.cards)

    def miscounted(self, match: MatchState, seat: Seat, count: int, seq: int = 0) -> bool:
        """By what the others have played in the trick; of tricks that are not over long."""
        deal: Deal = match.deal
        if not seq:
            trick = deal.current
            return trick is not None and trick.play_of(seat) is None and miscounted(trick, 0, count)
        trick = next((t for t in deal.tricks[-2:] if any(play.seq == seq for play in t.plays)), None)
        if trick is None or (seq == trick.lead.seq and (trick.stopped or trick.thrown is not None)):
            return False  # Of a throw that was stopped only a part stays (SJO-31).
        return miscounted(trick, seq, count)

    def skipped(self, event: Event, match: MatchState) -> tuple[Seat, ...]:
        """Who is to play."""
        return _turn(match.deal)

    def overdue(self, event: Event, acts: Sequence[Act], match: MatchState) -> tuple[Seat, ...]:
        """Who has acted less often since the trick began than the others show: each acts once in a trick.

        The trick in progress stays incomplete where an act was not seen; what comes after it counts on from there.
        """
        seat, trick, due = getattr(event, "seat", None), match.deal.current, _turn(match.deal)
        if seat is None or not due:
            return ()
        if trick is None:
            return () if seat in due or named_since(due[0], acts) else due
        start = next((at for at, act in enumerate(acts) if act.seen and act.seq >= trick.lead.seq), len(acts))
        while start and not acts[start - 1].seen:
            start -= 1  # He who was to lead, and whom nobody saw.
        times = Counter(act.seat for act in acts[start:])
        latest = next((act.seat for act in reversed(acts[start:]) if act.seen), seat)
        here = times[seat] + 1
        passed_over: set[Seat] = set()
        if here <= times[latest]:
            passed_over = {(latest + step) % FOUR for step in range(1, (seat - latest) % FOUR)}
        others = ((seat + step) % FOUR for step in range(1, FOUR))
        return tuple(other for other in others if times[other] < here - (other not in passed_over))

    def next_after(self, seat: Seat, match: MatchState) -> Seat | None:
        """The next seat at the table."""
        return next_seat(seat)

    def may_pass(self, match: MatchState) -> bool:
        """Never."""
        return False

    def owing(self, match: MatchState) -> tuple[Seat, ...]:
        """Nobody: there is nothing to call."""
        return ()

    def betrays(self, event: Event, match: MatchState) -> Seat | None:
        """Who plays again in a trick that is not complete takes it to be over: the one who is due has played."""
        trick = match.deal.current
        again = trick is not None and isinstance(event, Play) and trick.play_of(event.seat) is not None
        return match.deal.turn if again else None


def _leads(deal: Deal, seen: Seen) -> bool:
    """Whether the banker leads, though nobody has seen him take the kitty: it does not lie there any more, or never
    could be seen."""
    return deal.draw_ended is not None and seen.seat == deal.banker and not seen.kitty


def _kitty_unseen(seat: Seat) -> tuple[Event, Event]:
    """Taking the kitty and laying it down again, which follow from the lead; when is not known."""
    extra = {INFERRED: True}
    taken = KittyTaken(seat=seat, source=CAMERA, confidence=INFERRED_CHANCE, extra=extra)
    return taken, KittyLaid(seat=seat, source=CAMERA, confidence=INFERRED_CHANCE, extra=extra)


def _turn(deal: Deal) -> tuple[Seat, ...]:
    return () if deal.turn is None else (deal.turn,)


def _declares(deal: Deal, card: Card) -> bool:
    return card.is_joker or card.rank == deal.level


def _declaration(deal: Deal, seen: Seen, seat: Seat) -> Sequence[Event | Amend]:
    """A showing of trump; a card that may only count as one with those shown just before is part of that showing."""
    cards = _all_shown(seen)
    if len(cards) > len(seen.cards) and seen.soon_after:
        alone = show(deal.bidding, seat, cards, deal.rules, after_kitty=deal.closed)
        if alone.problem in ("reinforce", "own"):
            return (Amend(seen.soon_after, {"cards": cards}),)
    return (TrumpShown(seat=seat, cards=cards, at=seen.at),)


def _all_shown(seen: Seen) -> tuple[Card, ...]:
    """The cards shown with those alike that lie there already: a declaration is all that lies (加固)."""
    alike = tuple(card for card in seen.lying if card in seen.cards) if len(set(seen.cards)) == 1 else ()
    return (*alike, *seen.cards)


def _exposed(deal: Deal, seen: Seen, seat: Seat) -> Sequence[Event]:
    """Cards face up beside the play zone, but for those that the seat has played and may have put there."""
    played = Counter(
        card for trick in deal.tricks for play in trick.plays if play.seat == seat for card in play.cards
    )
    if any(not Counter(names) - played for names in (seen.cards, *seen.others)):
        return ()
    return (Exposed(seat=seat, cards=seen.cards, at=seen.at),)


def _in_the_kitty(deal: Deal, seen: Seen) -> Sequence[Event]:
    """Face-up cards where the kitty lies: turned because nobody declared, or revealed at the end."""
    if not deal.closed:
        return tuple(KittyTurned(card=card, at=seen.at) for card in seen.cards)
    if deal.tricks and (deal.over or len(seen.cards) >= deal.rules.pack.kitty_size):
        return (KittyRevealed(cards=seen.cards, at=seen.at),)
    return ()


def _taker(deal: Deal) -> Seat | None:
    """Who takes the kitty up: the banker; where trump is overturned after the kitty, who stands now."""
    standing = deal.bidding.standing
    if deal.laid and deal.rules.declare.after_kitty and standing is not None:
        return standing.seat
    return deal.banker


def _stop_open(deal: Deal) -> Trick | None:
    """The trick whose lead was objected to while it is open what stays of it."""
    trick = deal.current
    if trick is None or not trick.stopped or trick.thrown is not None or len(trick.plays) > 1:
        return None
    return trick


def _objection(trick: Trick, seen: Seen, seat: Seat) -> Sequence[Event | Amend]:
    """Cards laid by who has objected: what beats the throw, where the objection did not name it."""
    stop = next((stop for stop in trick.stopped if stop.seat == seat), None)
    follows = len(seen.cards) == len(trick.lead.cards)
    if stop is not None and not follows:
        if not stop.cards:
            return (Amend(stop.seq, {"cards": seen.cards}),)
        if Counter(stop.cards) == Counter(seen.cards):
            return ()
    return (Play(seat=seat, cards=seen.cards, at=seen.at),)


RECORDING: Final[Recording] = ShengjiRecording()
