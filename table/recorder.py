"""The recorder: makes events of a game record from what cameras see and other inputs say; knows no game itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from table import sightings as sight
from table.drafting import drafted
from table.event_json import corrected
from table.events import Correction, CountCalled, Event, Pass, Play, TakenBack
from table.knowledge import new_cards
from table.ledger import CAMERA, ENDS, Ledger
from table.lifting import SETTLE, cleared_after_all, gone_meanwhile, lifted, settled
from table.lots import Draft, Lot, never_away, seen_anew, without
from table.match import MatchState
from table.ordering import TURN, held_against, in_order, placed, time_up, unnoticed
from table.recording import Recording, Seen, recording_of
from table.referee import apply
from table.rereading import (
    improved,
    may_be_new,
    read_at_last,
    reading_of,
    reconsidered,
    reread,
    without_strangers,
)
from table.rulesets import Profile
from table.sightings import Laid, Sighting, TrackedCard
from table.views import Views

TOGETHER: Final = 6.0
"""Seconds within which a card laid by the same seat, before anybody else acts, joins his play."""
UNDER_HAND: Final = 2.0
"""The same where a hand still lay on the first part, even if somebody has acted since."""
AT_ONCE: Final = 2.5
"""Seconds within which the rest of a play surely joins what lies there: later, that may have been taken up meanwhile."""
_RATHER: Final = 0.5
"""Chance of being no card from which on something is taken for none where nobody is to play."""
_WHEN: Final = (*TURN, "timeout")
"""Kinds of findings that are about when a seat acts, not about its cards."""


class Recorder:
    """Turns sightings and inputs of one table into events, in the order in which they are to be recorded.

    Call it like this, for everything that comes in: `see`, `hear` or `tick` with the fold of all that is recorded so
    far; append what it returns to the journal; give the numbered events to `recorded`; push them to the referee. It
    has no clock: times are those of sightings and events (s since the record's start).

    Args:
        profile: of the match, its options applied.
        zones: kind of each zone by its name (`play`, `exchange`, `discard`, `kitty`, `points`). A zone that is not
            named here is of the kind with which its name begins, else a play zone.
        together: s within which a late card joins the play that the seat has just laid.
    """

    def __init__(
        self, profile: Profile, zones: Mapping[str, str] | None = None, *, together: float = TOGETHER
    ) -> None:
        self.profile = profile
        self.zones = dict(zones or {})
        self.together = together
        self._ledger = Ledger()
        self._zones = Views()
        self._considered = 0
        self._before: tuple[Lot, ...] = ()
        self._backs: dict[str, int] = {}

    def see(self, sighting: Sighting, state: MatchState | None) -> list[Event]:
        """What a sighting means in the game as it stands: no event, one or several (not numbered yet)."""
        self._zones.note(sighting, self._ledger)
        if isinstance(sighting, sight.Backs):
            self._backs[sighting.zone] = sighting.count
        if state is None or state.deal is None:
            return []
        return self._ledger.give(self._meaning(sighting, state), CAMERA)

    def hear(self, event: Event, state: MatchState | None) -> list[Event]:
        """An input (referee, seat box, feed), completed where the record needs it; empty where it is known already."""
        if state is None or state.deal is None or isinstance(event, ENDS):
            return [event]
        if self._ledger.said_before(event) or self._ledger.seen_before(event, self.together):
            return []
        before: list[Draft] = []
        if isinstance(event, TakenBack):
            kept = [lift for lift in self._ledger.lifts if lift.lot.seat != event.seat]
            self._ledger.lifts = kept
            told = self._ledger.consented(event)
            if told is not None:
                return self._ledger.give([told], event.source)
        elif isinstance(event, Play):
            before = settled(self._ledger, state, by=event.seat, count=len(event.cards))
        if isinstance(event, Play | Pass):
            return self._ledger.give(
                [*before, *in_order(self._ledger, self._zones, Draft(event), event.seat, state)], None
            )
        before += unnoticed(self._ledger, self._game(state).betrays(event, state), state)
        heard = drafted(self._ledger, self._game(state).completed(event, state))
        return self._ledger.give([*before, *heard], None)

    def tick(self, at: float, state: MatchState | None) -> list[Event]:
        """What falls due at `at` (s since the record's start) without a sighting; call it a few times a second."""
        self._zones.open(at)
        if state is None or state.deal is None:
            return []
        due = [*settled(self._ledger, state, at=at), *without_strangers(self._ledger, state, at)]
        if self._considered != self._ledger.last_seq:
            self._considered = self._ledger.last_seq
            due += reconsidered(self._ledger, state, at)
        if self._before and all(self._zones.awake(lot.seat, at) for lot in self._before):
            due += gone_meanwhile(self._ledger, self._before, state)
            self._before = ()
        # What has just become known may be the act that was waited for.
        due = due or time_up(self._zones, state, at)
        return self._ledger.give(due, CAMERA)

    def recorded(self, events: Sequence[Event]) -> None:
        """Events as they went into the journal, numbered: later corrections say `of`."""
        for event in events:
            self._ledger.note(event)

    def resume(self, events: Iterable[Event], state: MatchState | None) -> None:
        """Go on after a restart: `events` are all of the journal, `state` their fold.

        What lies on the table and is in the record already is not recorded again when the cameras see it anew.
        """
        self._ledger = Ledger()
        self.recorded(tuple(events))
        for lot in self._ledger.lots:
            lot.loose = True
        self._before = tuple(self._ledger.lots)
        self._zones = Views(asleep=True)

    def _meaning(self, sighting: Sighting, state: MatchState) -> list[Draft]:
        match sighting:
            case Laid():
                return self._laid(sighting, state)
            case sight.Lifted():
                return self._lifted(sighting, state)
            case sight.TurnedOver():
                return self._turned(sighting, state)
            case sight.Moved():
                return self._moved(sighting, state)
            case sight.Revised():
                return self._revised(sighting, state)
            case sight.Backs():
                kind = self._kind(sighting.zone)
                found = self._game(state).backs(kind, sighting.before, sighting.count, sighting.at, state)
                events = [replace(event, source=CAMERA) for event in found]
                return [Draft(event) for event in events if not self._ledger.said_before(event)]
            case sight.PlaqueShown():
                return self._plaque(sighting, state)
            case _:
                return []

    # Cards that come to rest.

    def _laid(self, seen: Laid, state: MatchState, *, turned: bool = False) -> list[Draft]:
        cards = self._unknown(tuple(card for card in seen.cards if card.chances), seen, state)
        unread = [card for card in seen.cards if card.unread]
        cards += without(unread, [card for lot in self._ledger.lots for card in lot.beside])
        if not cards or self._of_another_deal(seen, state):
            return []
        seen = replace(seen, cards=cards)
        before = settled(self._ledger, state, by=seen.seat, count=len(cards), at=seen.at)
        for draft in before:
            state = self._folded(state, draft.event)
        late = self._late_for(cards, seen, state)
        if late is not None and not before:
            return [self._joined(late, cards, seen, state)]
        kind = self._kind(seen.zone)
        reading = reading_of(cards, seen.seat, state, shown=kind != "play")
        others = tuple(names for names, _ in reading.alternatives)
        lots = self._ledger.lots
        here = [lot for lot in lots if lot.seat == seen.seat and lot.zone == seen.zone and not lot.play]
        lying = tuple(card for lot in here for card in lot.face_up())
        apart = "exchange" in self.zones.values()
        soon = here[-1].event.seq if here and seen.at - here[-1].at <= self.together else 0
        kitty = sum(count for zone, count in self._backs.items() if self._kind(zone) == "kitty")
        asked = Seen(kind, seen.seat, reading.cards, seen.at, others, lying, soon, turned, apart, kitty)
        named = tuple(card for card in cards if card.chances)
        due = self._game(state).due(state)
        if seen.seat not in due and (not named or (due and all(card.nothing > _RATHER for card in cards))):
            # Something that nobody could read, or rather no card than one, where nobody is to play.
            self._zones.strange(seen)
            return before
        drafts = drafted(self._ledger, self._game(state).laid(asked, state), named, reading, seen)
        return [*before, *placed(self._ledger, self._zones, drafts, seen, state)]

    def _unknown(
        self, cards: tuple[TrackedCard, ...], seen: Laid, state: MatchState
    ) -> tuple[TrackedCard, ...]:
        """The cards less those that are recorded already: lost from sight for a moment, or not seen so far."""
        ledger = self._ledger
        for lot in ledger.lots:
            cards = without(
                cards, [c for p, c in enumerate(lot.slots) if c is not None and p not in lot.gone]
            )
        for lift in tuple(ledger.lifts):
            if lift.lot.zone == seen.zone and seen.at - lift.at <= SETTLE:
                cards = never_away(cards, lift)
            if not lift.places:
                ledger.lifts.remove(lift)
        for lot in reversed(ledger.lots):
            if not cards or not lot.loose or lot.seat != seen.seat:
                continue
            standing = lot.play and self._game(state).standing(state, lot.event.seq)
            heard = not lot.zone and lot.event.at is not None and abs(seen.at - lot.event.at) <= self.together
            if standing or heard or self._zones.waking(seen.zone, seen.at):
                part = standing or not lot.play or self._zones.lay_there(seen.zone, seen.at)
                cards = seen_anew(cards, lot, seen.zone, part=part)
        return cards

    def _of_another_deal(self, seen: Laid, state: MatchState) -> bool:
        """Whether cards lay there before the deal began, or when the table was first seen, in one still being drawn."""
        if state.began_at is not None and seen.at < state.began_at:
            return True
        begun = state.drawn or self._ledger.acted or self._ledger.lots
        return not begun and self._zones.lay_there(seen.zone, seen.at)

    def _late_for(self, cards: tuple[TrackedCard, ...], seen: Laid, state: MatchState) -> Lot | None:
        """The event that new cards belong to, laid in two goes.

        It is one play while nobody else has acted (or a hand had not left it), the seat is not on turn again (unless
        something is held against what lies there), and it follows soon: GDO-48 wants it down in one go, but nobody is
        told off for a card that slips after. What comes later is a play of its own.
        """
        lot = self._ledger.latest_of(seen.seat, seen.zone)
        game = self._game(state)
        if lot is None or lot.gone or lot.turned or lot.away or lot.fixed:
            return None
        if isinstance(lot.event, game.growing):
            return lot
        wrong = held_against(state, lot.event.seq, _WHEN, excluded=True)
        if not lot.play or (seen.seat in game.due(state) and not wrong):
            return None
        alone = lot.event.seq == self._ledger.acted and seen.at - lot.at <= self.together
        under_hand = lot.hand and seen.at - lot.at <= UNDER_HAND and game.standing(state, lot.event.seq)
        names = tuple(card.card for card in cards if card.card is not None)
        return lot if (alone or under_hand) and game.joins(state, lot.cards, names) else None

    def _joined(self, lot: Lot, cards: tuple[TrackedCard, ...], seen: Laid, state: MatchState) -> Draft:
        """The whole play in place of its first part, at the time when all of it lay there.

        The later time counts: until then nobody could know what to beat, so that the next player's time (GDO-54) must
        not run before; and who has not laid all in time has not played in time.

        What comes seconds after, with no hand left on the first part, may be another play: nobody is held to what lay
        there first.
        """
        every = [*(card for card in lot.slots if card is not None), *lot.beside, *cards]
        when = seen.at if lot.event.seq == self._ledger.acted else lot.at
        order = {card.track: place for place, card in enumerate(seen.row)}
        if all(card.track in order for card in every):
            every.sort(key=lambda card: order[card.track])
        slow = lot.play and not lot.hand and seen.at - lot.at > AT_ONCE
        return reread(self._ledger, lot, tuple(every), state, at=when, dark=seen.dark > 0 or slow)

    # Cards that are lifted, turn, move, or are read otherwise.

    def _lifted(self, gone: sight.Lifted, state: MatchState) -> list[Draft]:
        """Cards are gone, or things beside them that nobody could read."""
        for lot in self._ledger.lots:
            alone = not lot.gone and not lot.places_of(gone.cards) and not lot.turned
            if lot.loses(gone.cards) and alone:
                lot.lost_at = gone.at
        return lifted(self._ledger, gone, state)

    def _turned(self, turned: sight.TurnedOver, state: MatchState) -> list[Draft]:
        known: set[int] = set()
        for lot in self._ledger.lots:
            known |= lot.shows_again(turned.cards) if turned.face_up else set()
            if not turned.face_up:
                lot.loses(turned.cards)
            places = lot.places_of(turned.cards)
            known |= {card.track for place in places if (card := lot.slots[place]) is not None}
            lot.turned = lot.turned - places if turned.face_up else lot.turned | places
        if not turned.face_up:
            return cleared_after_all(self._ledger)
        new = tuple(card for card in turned.cards if card.track not in known)
        laid = Laid(
            at=turned.at, zone=turned.zone, seat=turned.seat, frames=turned.frames, cards=new, row=new
        )
        return self._laid(laid, state, turned=True)

    def _moved(self, moved: sight.Moved, state: MatchState) -> list[Draft]:
        """Cards put in another order count while the play has just been laid; later they were only knocked."""
        lot = self._ledger.latest_of(moved.seat, moved.zone)
        if lot is None or not lot.play or lot.fixed or lot.event.seq != self._ledger.acted:
            return []
        order = {card.track: place for place, card in enumerate(moved.row)}
        own = [card for card in lot.slots if card is not None and card.track in order]
        if len(own) != len(lot.slots) or lot.beside or moved.at - lot.at > self.together:
            return []
        new = tuple(sorted(own, key=lambda card: order[card.track]))
        if [card.track for card in new] == [card.track for card in own]:
            return []
        draft = reread(self._ledger, lot, new, state)
        after = corrected(lot.event, draft.event) if isinstance(draft.event, Correction) else None
        return [draft] if after is not None and new_cards(after) != new_cards(lot.event) else []

    def _revised(self, revised: sight.Revised, state: MatchState) -> list[Draft]:
        """Another name is a correction; the same name is one only where it ends a doubt."""
        drafts = []
        now = {card.track: card for card in revised.cards}
        order = {card.track: place for place, card in enumerate(revised.row)}
        for lot in self._ledger.lots:
            read = [now[card.track] for card in lot.unread_among(revised.cards)]
            if lot.fixed or not (read or lot.places_of(revised.cards)):
                continue
            if read and may_be_new(self._ledger, lot, state) and lot.slots and lot.all_off:
                drafts += self._laid_on_it(lot, read, revised, state)
                continue
            if read:
                drafts.append(read_at_last(self._ledger, lot, now, order, state, revised.at))
                continue
            lot.slots = [now.get(card.track, card) if card is not None else None for card in lot.slots]
            drafts += improved(self._ledger, lot, state, revised.at)
        return drafts

    def _laid_on_it(
        self, lot: Lot, read: list[TrackedCard], revised: sight.Revised, state: MatchState
    ) -> list[Draft]:
        """Cards where something unread was left of a play that is gone: laid there since, by who is on turn.

        When they were laid nobody can tell; while it is not his turn they stay what was left.
        """
        if lot.seat not in self._game(state).due(state):
            return []
        lot.loses(read)
        return self._laid(
            Laid(
                at=revised.at,
                zone=revised.zone,
                seat=lot.seat,
                frames=revised.frames,
                cards=tuple(read),
                row=revised.row,
                dark=revised.at - lot.at,
            ),
            state,
        )

    # Plaques and what is said.

    def _plaque(self, plaque: sight.PlaqueShown, state: MatchState) -> list[Draft]:
        if plaque.seat is None or (plaque.says == "count" and plaque.count is None):
            return []
        event: Event = Pass(seat=plaque.seat, at=plaque.at, source=CAMERA)
        if plaque.says == "count" and plaque.count is not None:
            event = CountCalled(seat=plaque.seat, count=plaque.count, at=plaque.at, source=CAMERA)
        if self._ledger.said_before(event):
            return []
        if isinstance(event, Pass):
            return in_order(self._ledger, self._zones, Draft(event), plaque.seat, state)
        return [*unnoticed(self._ledger, self._game(state).betrays(event, state), state), Draft(event)]

    # Small questions.

    def _game(self, state: MatchState) -> Recording:
        return recording_of(state.profile.game)

    def _kind(self, zone: str) -> str:
        if zone in self.zones:
            return self.zones[zone]
        return next(
            (kind for kind in ("exchange", "discard", "kitty", "points") if zone.startswith(kind)), "play"
        )

    def _folded(self, state: MatchState, event: Event) -> MatchState:
        """The state as it will be once an event is recorded."""
        return (
            state
            if isinstance(event, Correction)
            else apply(state, event.numbered(self._ledger.last_seq + 1))
        )
