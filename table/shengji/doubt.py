"""What plays in doubt leave open in a deal of Shengji: cards that nobody saw, who may have won a trick."""

from __future__ import annotations

from table.seats import Seat
from table.shengji.deal import Deal
from table.shengji.trick import FOUR, Played, Trick
from table.shengji.tricks import trick as decide


def miscounted(trick: Trick, seq: int, count: int) -> bool:
    """Whether `count` cards can hardly be all of play `seq` of a trick (0: of the one that comes), by the others.

    Who follows has as many cards as were led (SJO-33): with fewer he is believed only if two others have as few. A lead
    is not believed against two who follow with another number of cards, the same both. That a follower has too many is
    seen well enough.
    """
    others = [play.count for play in trick.plays if play.seq != seq]
    if trick.lead.seq == seq:
        return any(others.count(size) > 1 for size in others if size != count)
    return count < trick.lead.count and others.count(count) < 2


def uncounted(deal: Deal, seat: Seat, *, sure: bool) -> bool:
    """Whether cards may have left a hand that are not among those that count as played.

    What nobody has seen of such a hand need not have stayed in it.

    Args:
        deal: as far as it has gone.
        seat: whose hand.
        sure: cards of plays in doubt do not count as played.
    """
    tricks = ((trick, trick.play_of(seat)) for trick in deal.tricks)
    plays = [play for trick, play in tricks if play is not None and _more_than_read(trick, play, sure)]
    return bool(plays) or any(play.seat == seat and play.doubtful for play in deal.strays)


def _more_than_read(trick: Trick, play: Played, sure: bool) -> bool:
    vague = play.doubtful and (sure or not play.readings)
    return vague or (play.seen and miscounted(trick, play.seq, play.count))


def may_have_won(deal: Deal) -> tuple[Seat, ...]:
    """Seats that some reading of the last trick makes its winner.

    All of them, where nobody knows what its winner or its leader has played.
    """
    trick, order = deal.tricks[-1] if deal.tricks else None, deal.order
    if trick is None or order is None or not trick.done or not trick.units:
        return ()
    vague = {play.seat for play in trick.plays if play.doubtful and not play.readings}
    if vague & {trick.winner, trick.leader}:
        return tuple(play.seat for play in trick.plays)
    found = sorted(vague)
    in_order = sorted(trick.plays, key=lambda play: (play.seat - trick.leader) % FOUR)
    for place, play in enumerate(in_order[1:], start=1):
        for reading in play.readings:
            cards = [other.cards for other in in_order]
            cards[place] = reading
            found.append((trick.leader + decide(trick.units, cards, order, deal.rules.ruff).winner) % FOUR)
    return tuple(found)
