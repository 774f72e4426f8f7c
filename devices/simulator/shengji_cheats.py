"""Faults of Shengji planted by a bot that does not keep the rules once: revokes, wrong shapes, bad throws."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

from devices.simulator.bots import Habits, Script
from devices.simulator.faults import Expected, Planted
from devices.simulator.shengji_bots import Deal, ShengjiBots
from table.cards import Card, format_cards, parse_cards
from table.rulesets import Profile
from table.seats import SEATS, Seat, next_seat
from table.shengji.claims import FOLLOW
from table.shengji.follow import follow
from table.shengji.formats import Unit, best_reading
from table.shengji.throws import forced, stops


class _Cheat(Deal):
    """A deal in which somebody cheats at the first occasion after a random number of tricks."""

    done: int = 0
    """Number of the event of the cheat, 0 before it."""
    seat: Seat = 0
    led: tuple[Unit, ...] = ()
    patience: int = 0
    held: tuple[Card, ...] = ()
    others: dict[Seat, tuple[Card, ...]]

    def _occasion(self) -> bool:
        return not self.done and self.tricks >= self.patience

    def _mark(self, seat: Seat, led: tuple[Unit, ...]) -> None:
        self.done = len(self.script.events) + 1
        self.seat, self.led, self.held = seat, led, tuple(self.hands[seat])
        self.others = {other: tuple(self.hands[other]) for other in SEATS if other != seat}


class _Revoker(_Cheat):
    """Plays other cards while he holds cards of the led suit."""

    def _follow(self, seat: Seat) -> tuple[Card, ...]:
        right = super()._follow(seat)
        assert self.order is not None
        assert self.lead is not None
        group = self.order.group(self.lead[0].cards[0])
        others = [card for card in self.hands[seat] if self.order.group(card) != group]
        holds = len(self.hands[seat]) > len(others)
        if not (self._occasion() and holds and len(others) >= len(right)):
            return right
        self._mark(seat, self.lead)
        return tuple(self.rng.sample(others, len(right)))


class _Misshaper(_Cheat):
    """Follows the suit but not the shape."""

    def _follow(self, seat: Seat) -> tuple[Card, ...]:
        right = super()._follow(seat)
        assert self.order is not None
        assert self.lead is not None
        mine = self.order.of_group(self.hands[seat], self.order.group(self.lead[0].cards[0]))
        if not self._occasion() or len(mine) <= len(right):
            return right
        for _ in range(20):
            other = tuple(self.rng.sample(mine, len(right)))
            if follow(self.lead, self.hands[seat], other, self.order, self.rules.follow).problem == "shape":
                self._mark(seat, self.lead)
                return other
        return right


class _Thrower(_Cheat):
    """Throws what others can beat; `answer` says what happens then."""

    answer = "accepted"
    stop_seq = 0
    kept: tuple[Card, ...] = ()

    def _lead(self, seat: Seat) -> tuple[Card, ...]:
        right = super()._lead(seat)
        assert self.order is not None
        if not self._occasion():
            return right
        for group in self.rng.sample("SHCDT", 5):
            mine = self.order.of_group(self.hands[seat], group)
            for size in (2, 3, 4):
                if len(mine) < size:
                    continue
                thrown = tuple(self.rng.sample(mine, size))
                if wanted := self._bad_throw(seat, thrown):
                    return wanted
        return right

    def _bad_throw(self, seat: Seat, thrown: tuple[Card, ...]) -> tuple[Card, ...]:
        """What is led in the end of a throw that does not hold; empty where it holds."""
        assert self.order is not None
        parts = best_reading(thrown, self.order, self.tractors)
        others = {other: tuple(self.hands[other]) for other in SEATS if other != seat}
        found = stops(parts, seat, others, self.order, self.rules.throw, self.tractors)
        if len(parts) < 2 or not found:
            return ()
        must = forced(parts, found, self.rules.throw)
        if self.answer == "wrong_part" and len(must) == len(parts):
            return ()
        self._mark(seat, parts)
        if self.answer == "accepted":
            return thrown
        self.script.add("play", self._pause(), seat=seat, cards=format_cards(thrown))
        stop = self.rng.choice(found)
        self.script.add("throw_stopped", 1, seat=stop.seat, cards=format_cards(stop.with_cards))
        self.stop_seq = len(self.script.events)
        part = self.rng.choice(must)
        if self.answer == "wrong_part":
            part = self.rng.choice([p for p in parts if p not in must])
        chosen = next_seat(seat) if len(must) > 1 else None
        self.script.add("throw_forced", 1, seat=seat, cards=format_cards(part.cards), chosen_by=chosen)
        self.kept = part.cards
        return part.cards

    def _lay(self, seat: Seat, played: tuple[Card, ...]) -> None:
        if self.kept and seat == self.seat and played == self.kept:
            # The cards lie on the table already.
            for card in played:
                self.hands[seat].remove(card)
            self.turn = next_seat(seat)
            self.kept = ()
            return
        super()._lay(seat, played)


class _Stopped(_Thrower):
    answer = "stopped"


class _WrongPart(_Thrower):
    answer = "wrong_part"


class _Objector(_Cheat):
    """Objects to a throw that holds, with cards that beat no part of it."""

    def _lay(self, seat: Seat, played: tuple[Card, ...]) -> None:
        super()._lay(seat, played)
        assert self.order is not None
        assert self.lead is not None
        if self.leader != seat or len(self.lead) < 2 or self.done:
            return
        for other in self.rng.sample([s for s in SEATS if s != seat], 3):
            if self.hands[other]:
                self.done, self.seat = len(self.script.events) + 1, other
                shown = str(self.rng.choice(self.hands[other]))
                self.script.add("throw_stopped", 1, seat=other, cards=shown)
                return


def _play(
    profile: Profile, rng: random.Random, kind: type[_Cheat], sealed: bool
) -> tuple[Script, _Cheat] | None:
    """A deal with the cheat in it; None where there was no occasion."""
    cheats: list[_Cheat] = []
    patience = rng.randint(0, 8)

    class Cheating(kind):  # type: ignore[valid-type,misc]
        def __init__(self, bots: ShengjiBots, script: Script, level: str) -> None:
            super().__init__(bots, script, level)
            self.patience = patience
            cheats.append(self)

    class Bots(ShengjiBots):
        deal_class = Cheating

    script = Script()
    bots = Bots(profile, rng, Habits(sealed=sealed, slow=3.0, gap=(5, 10)))
    script.add("match_started", profile=profile.name, players=list("甲乙丙丁"), levels=list(bots.levels))
    bots.play_deal(script)
    return (script, cheats[-1]) if cheats[-1].done else None


def _shown_since(script: Script, seat: Seat, since: int) -> list[tuple[int, Counter[Card]]]:
    """For each event from `since` on: what the seat has shown by then that was in its hand at `since`."""
    shown: Counter[Card] = Counter()
    found = []
    for event in script.events[since - 1 :]:
        if event["event"] == "play" and event["seat"] == seat:
            shown = shown + Counter(parse_cards(event["cards"]))
        found.append((event["seq"], shown))
    return found


def _follow_fault(name: str, kind: type[_Cheat], profile: Profile, rng: random.Random) -> Planted | None:
    protected = not (profile.flag("follow.split_triples") and profile.flag("follow.break_tractors"))
    sealed = rng.random() < 0.3 or (protected and kind is _Misshaper)
    made = _play(profile, rng, kind, sealed)
    if made is None:
        return None
    script, cheat = made
    order = cheat.order
    assert order is not None
    play = parse_cards(script.events[cheat.done - 1]["cards"])
    known_at = cheat.done if sealed else 0
    declared = _declared_before(script, cheat.seat, cheat.done, cheat.banker)
    for number, shown in _shown_since(script, cheat.seat, cheat.done):
        hand = tuple((shown | declared).elements())
        if not known_at and not follow(cheat.led, hand, play, order, cheat.rules.follow).legal:
            known_at = number
    # Counting can prove it before the last cards are shown; such ends of deals are tried elsewhere.
    if not known_at or (not sealed and len(script.events) - known_at < 32):
        return None
    check = "revoke" if kind is _Revoker else FOLLOW["throw" if len(cheat.led) > 1 else cheat.led[0].kind]
    kind_name = "revoke" if kind is _Revoker else "shape_not_followed"
    expected = Expected(kind_name, cheat.seat, known_at, profile.rule(check))
    return Planted(name, script.events, (expected,))


def _declared_before(script: Script, seat: Seat, before: int, banker: Seat | None) -> Counter[Card]:
    """Level cards that a seat, not the banker, has shown when declaring and not played before the event."""
    if seat == banker:
        return Counter()
    shown: Counter[Card] = Counter()
    played: Counter[Card] = Counter()
    for event in script.events[: before - 1]:
        if event.get("seat") == seat and event["event"] == "trump_shown":
            shown = shown | Counter(parse_cards(event["cards"]))
        if event.get("seat") == seat and event["event"] == "play":
            played += Counter(parse_cards(event["cards"]))
    return shown - played


def revoke(profile: Profile, rng: random.Random) -> Planted | None:
    """A card of the led suit is held back (SJO-34, SJE-42)."""
    return _follow_fault("revoke", _Revoker, profile, rng)


def shape_not_followed(profile: Profile, rng: random.Random) -> Planted | None:
    """The suit is followed, a pair, triple or tractor held back (SJO-36 to SJO-41)."""
    return _follow_fault("shape_not_followed", _Misshaper, profile, rng)


def throw_accepted(profile: Profile, rng: random.Random) -> Planted | None:
    """A throw that somebody could have beaten goes through; a beating card shows it later (SJO-30)."""
    sealed = rng.random() < 0.3
    made = _play(profile, rng, _Thrower, sealed)
    if made is None:
        return None
    script, cheat = made
    assert cheat.order is not None
    known_at = cheat.done if sealed else 0
    shown = {seat: dict(_shown_since(script, seat, cheat.done)) for seat in SEATS}
    for event in script.events[cheat.done - 1 :]:
        hands: dict[Seat, Sequence[Card]] = {}
        for seat in SEATS:
            if seat != cheat.seat:
                declared = _declared_before(script, seat, cheat.done, cheat.banker)
                hands[seat] = tuple((shown[seat][event["seq"]] | declared).elements())
        beaten = stops(cheat.led, cheat.seat, hands, cheat.order, cheat.rules.throw, cheat.tractors)
        if beaten and not known_at:
            known_at = event["seq"]
    expected = Expected("throw_failed", cheat.seat, known_at, profile.rule("throw_failed"))
    return Planted("throw_accepted", script.events, (expected,)) if known_at else None


def throw_stopped(profile: Profile, rng: random.Random) -> Planted | None:
    """A throw that does not hold is stopped and cut down as it must be (SJO-31, SJE-22)."""
    made = _play(profile, rng, _Stopped, sealed=rng.random() < 0.3)
    if made is None:
        return None
    script, cheat = made
    assert isinstance(cheat, _Thrower)
    known_at = _throw_known_at(script, cheat)
    expected = Expected("throw_failed", cheat.seat, known_at, profile.rule("throw_failed"))
    return Planted("throw_stopped", script.events, (expected,))


def throw_forced_wrong(profile: Profile, rng: random.Random) -> Planted | None:
    """Of a throw that was stopped a part stays that nobody could beat (SJO-31)."""
    made = _play(profile, rng, _WrongPart, sealed=True)
    if made is None:
        return None
    script, cheat = made
    assert isinstance(cheat, _Thrower)
    first = Expected("throw_failed", cheat.seat, cheat.done, profile.rule("throw_failed"))
    second = Expected("throw_forced_wrong", cheat.seat, cheat.stop_seq + 1, profile.rule("throw_forced"))
    return Planted("throw_forced_wrong", script.events, (first, second))


def _throw_known_at(script: Script, cheat: _Thrower) -> int:
    """At once where the feed is sealed or a card shown before beats it; else when it is stopped."""
    if any(event["event"] == "dealt" for event in script.events):
        return cheat.done
    assert cheat.order is not None
    hands = {
        seat: tuple(_declared_before(script, seat, cheat.done, cheat.banker).elements())
        for seat in SEATS
        if seat != cheat.seat
    }
    if stops(cheat.led, cheat.seat, hands, cheat.order, cheat.rules.throw, cheat.tractors):
        return cheat.done
    return cheat.stop_seq


def throw_stop_wrong(profile: Profile, rng: random.Random) -> Planted | None:
    """Somebody objects to a throw with cards that beat no part of it (SJO-30)."""
    made = _play(profile, rng, _Objector, sealed=False)
    if made is None:
        return None
    script, cheat = made
    expected = Expected("throw_stop_wrong", cheat.seat, cheat.done, profile.rule("throw_stop"))
    return Planted("throw_stop_wrong", script.events, (expected,))
