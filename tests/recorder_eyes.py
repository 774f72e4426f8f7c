"""Perfect cameras for tests: shows a recorder what a record's events would look like on the table, and runs it.

`Watched` is a table with a recorder, a journal in memory and a referee, as the service wires them. `Eyes` turns the
events of a script into sightings and inputs for it.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass, field, replace
from typing import Any

from table import sightings as sight
from table.cards import ALL_CARDS, Card, parse_cards
from table.event_json import event_from_json, event_to_json
from table.events import Correction, Event, TakenBack
from table.lateness import is_alarm
from table.match import MatchState
from table.recorder import Recorder
from table.referee import Ruled
from table.rulesets import Profile, load_profile
from table.session import Line, Referee, replay
from table.sightings import TrackedCard

Record = list[dict[str, Any]]
IGNORED = ("seq", "source", "confidence", "alternatives", "evidence", "chosen_by", "unseen")
"""Fields that a camera adds, or that no camera sees."""


class Watched:
    """A table under a recorder: what comes in is recorded, numbered and judged at once."""

    def __init__(self, profile: Profile, zones: dict[str, str] | None = None) -> None:
        self.profile = profile
        self.zones = zones
        self.record: list[Event] = []
        self.lines: list[Line] = []
        self.referee = Referee()
        self.recorder = Recorder(profile, zones)

    @property
    def state(self) -> MatchState | None:
        return self.referee.state

    def see(self, sighting: sight.Sighting) -> list[Event]:
        return self._take(self.recorder.see(sighting, self.state))

    def hear(self, event: Event) -> list[Event]:
        return self._take(self.recorder.hear(event, self.state))

    def tick(self, at: float) -> list[Event]:
        return self._take(self.recorder.tick(at, self.state))

    def restart(self) -> None:
        """Everything in memory is lost; the journal is not (nor the state, which is its fold)."""
        self.recorder = Recorder(self.profile, self.zones)
        self.recorder.resume(self.record, self.state)

    def _take(self, events: list[Event]) -> list[Event]:
        numbered = [event.numbered(len(self.record) + 1 + n) for n, event in enumerate(events)]
        self.record += numbered
        self.recorder.recorded(numbered)
        for event in numbered:
            self.lines += self.referee.push(event)
        return numbered

    def effective(self) -> Record:
        """The events as they count, as a script would have them."""
        every = self.referee.effective()
        events = [event for event in every if not isinstance(event, Ruled) and not is_alarm(event)]
        return [plain(event_to_json(event)) for event in events]

    def found(self) -> list[tuple[str, int | None, str, str]]:
        """Kind, seat, check and certainty of the findings that stand."""
        return findings(self.referee)


def plain(event: dict[str, Any]) -> dict[str, Any]:
    """An event without what a camera adds or cannot see, and without defaults."""
    event = event_to_json(event_from_json(event))
    return {key: value for key, value in event.items() if key not in IGNORED and value is not None}


def findings(referee: Referee) -> list[tuple[str, int | None, str, str]]:
    """Kind, seat, check and certainty of the findings that stand."""
    found = [(c.kind, c.seat, c.check, c.certainty) for c in referee.findings().values()]
    return sorted(found, key=str)


def judged(events: Record) -> Referee:
    """The referee after a record."""
    return replay([event_from_json(event) for event in events])[0]


@dataclass
class Eyes:
    """Shows a script's events to a table, one by one.

    Attributes:
        table: who is shown.
        rng: where cards lie, what comes by plaque and what by the referee's keys.
        doubt: number of an event in the script to how its cards are read (a function of its cards).
        two_goes: numbers of plays that are laid in two goes.
        late: seconds between the two goes.
        restart_every: the service restarts after so many events; 0 never.
    """

    table: Watched
    rng: random.Random
    doubt: dict[int, list[sight.Chances]] = field(default_factory=dict)
    two_goes: set[int] = field(default_factory=set)
    late: float = 1.0
    restart_every: int = 0
    both_ways: bool = False
    tracks: int = 0
    lying: dict[str, list[TrackedCard]] = field(default_factory=dict)
    down: Counter[str] = field(default_factory=Counter)
    seats: dict[str, int | None] = field(default_factory=dict)
    of: dict[int, int] = field(default_factory=dict)
    expected: Record = field(default_factory=list)
    truth: Referee = field(default_factory=Referee)
    sealed: bool = False

    def show(self, script: Record) -> None:
        """The whole script."""
        self.sealed = any(event["event"] == "dealt" for event in script)
        for number, event in enumerate(script, 1):
            self.show_one(event)
            if self.restart_every and number % self.restart_every == 0:
                self.restart(event["at"])
        self.table.tick(script[-1]["at"] + 10)

    def restart(self, at: float) -> None:
        """The service comes back; what lies on the table has new tracks."""
        self.table.restart()
        self.table.tick(at)
        for zone, cards in self.lying.items():
            if cards:
                self.lying[zone] = [replace(card, track=self._track()) for card in cards]
                row = tuple(self.lying[zone])
                self.table.see(sight.Laid(at=at, zone=zone, seat=self.seats[zone], cards=row, row=row))

    def show_one(self, event: dict[str, Any]) -> None:
        """One event of the script."""
        if event.get("at") is not None:
            self.table.tick(event["at"])
        self._clear_away(event)
        name = event["event"]
        self.expected.append(plain(event))
        shown = getattr(self, f"_{name}", None)
        before = len(self.table.record)
        if shown is None or not shown(event):
            self.table.hear(self._event(event))
        if len(self.table.record) > before:
            self.of[event["seq"]] = before + 1
        self.truth.push(event_from_json(event))

    # What each event looks like. False: no camera sees it.

    def _play(self, event: dict[str, Any]) -> bool:
        zone, cards = f"seat {event['seat']}", parse_cards(event["cards"])
        self._laid(zone, event["seat"], cards, event)
        if event.get("says"):
            seq = (
                self.table.record[-1].seq if event["seq"] not in self.two_goes else self.table.record[-2].seq
            )
            now = next(e for e in self.table.referee.effective() if e.seq == seq)
            said = {**event_to_json(now), "says": event["says"]}
            said.pop("seq")
            self.table.hear(Correction(of=seq, replacement=said, at=event["at"], source="referee"))
        return True

    def _turned_up(self, event: dict[str, Any]) -> bool:
        return self._laid(f"seat {event['seat']}", event["seat"], (Card.parse(event["card"]),), event)

    def _tribute(self, event: dict[str, Any]) -> bool:
        if "card" not in event:
            return False
        zone = f"exchange {event['seat']}" if self.table.zones else f"seat {event['seat']}"
        return self._laid(zone, event["seat"], (Card.parse(event["card"]),), event)

    _tribute_return = _tribute

    def _tribute_refused(self, event: dict[str, Any]) -> bool:
        if event.get("cards") != "BJ BJ":
            return False
        each = 2 if len(event["seats"]) == 1 else 1
        for seat in event["seats"]:
            zone = f"exchange {seat}" if self.table.zones else f"seat {seat}"
            self._laid(zone, seat, parse_cards("BJ BJ")[:each], event)
        self.expected[-1]["seats"] = sorted(event["seats"])
        return True

    def _trump_shown(self, event: dict[str, Any]) -> bool:
        zone, cards = f"seat {event['seat']}", parse_cards(event["cards"])
        there = sum(card.card == cards[0] for card in self.lying.get(zone, ()))
        new = len(cards) - there if len(cards) > there else len(cards)
        self.expected[-1]["cards"] = " ".join([str(cards[0])] * (there + new))
        return self._laid(zone, event["seat"], cards[:new], event)

    def _exposed(self, event: dict[str, Any]) -> bool:
        state, zone = self.truth.state, f"discard {event['seat']}"
        if state is not None and state.deal.over:
            return False
        self._laid(zone, event["seat"], parse_cards(event["cards"]), event)
        return self._lift(zone, self.lying[zone], event["at"])

    def _taken_back(self, event: dict[str, Any]) -> bool:
        wanted, zone = Counter(parse_cards(event["cards"])), f"seat {event['seat']}"
        gone = []
        for card in reversed(self.lying[zone]):
            if card.card is not None and wanted[card.card] > 0:
                wanted[card.card] -= 1
                gone.append(card)
        self._lift(zone, gone, event["at"])
        if event.get("consent"):
            self.table.hear(replace(self._event(event), source="referee"))
        return True

    def _throw_forced(self, event: dict[str, Any]) -> bool:
        kept, zone = Counter(parse_cards(event["cards"])), f"seat {event['seat']}"
        gone = []
        for card in self.lying[zone]:
            if card.card is not None and kept[card.card] > 0:
                kept[card.card] -= 1
            else:
                gone.append(card)
        return self._lift(zone, gone, event["at"])

    def _kitty_turned(self, event: dict[str, Any]) -> bool:
        return self._laid("kitty", None, (Card.parse(event["card"]),), event)

    def _kitty_revealed(self, event: dict[str, Any]) -> bool:
        return self._laid("kitty", None, parse_cards(event["cards"]), event)

    def _kitty_taken(self, event: dict[str, Any]) -> bool:
        if self.sealed:
            return False
        self._lift("kitty", self.lying.get("kitty", []), event["at"])
        self.table.see(sight.Backs(at=event["at"], zone="kitty", count=0, before=1))
        return True

    def _kitty_laid(self, event: dict[str, Any]) -> bool:
        if self.sealed:
            return False
        self.table.see(sight.Backs(at=event["at"], zone="kitty", count=1, before=0))
        return True

    def _pass(self, event: dict[str, Any]) -> bool:
        return self._plaque(event, "pass")

    def _count_called(self, event: dict[str, Any]) -> bool:
        return self._plaque(event, "count", event["count"])

    # How it looks.

    def _plaque(self, event: dict[str, Any], says: str, count: int | None = None) -> bool:
        zone, seat = f"seat {event['seat']}", event["seat"]
        shown = sight.PlaqueShown(at=event["at"], zone=zone, seat=seat, says=says, count=count)
        if self.both_ways:
            self.table.see(shown)
            self.table.hear(replace(self._event(event), at=event["at"] + 0.5, source="seatbox"))
            return True
        if says == "count" or self.rng.random() < 0.5:
            # Counts are heard: one that is called twice must not pass for a plaque and a key.
            return False
        self.table.see(shown)
        return True

    def _event(self, event: dict[str, Any]) -> Event:
        return replace(event_from_json(event), seq=0)

    def _track(self) -> int:
        self.tracks += 1
        return self.tracks

    def _laid(self, zone: str, seat: int | None, cards: tuple[Card, ...], event: dict[str, Any]) -> bool:
        chances = self.doubt.get(event["seq"]) or [((card, 1.0),) for card in cards]
        if "alternatives" in event:
            ((other, chance),) = event["alternatives"]
            pairs = zip(cards, parse_cards(other), strict=True)
            chances = [((card, event["confidence"]), (true, chance)) for card, true in pairs]
        new = [
            TrackedCard(self._track(), chance, confidence=chance[0][1], place=self._somewhere())
            for chance in chances
        ]
        self.seats[zone] = seat
        parts = [new]
        if event["seq"] in self.two_goes and len(new) > 1:
            parts = [new[1:], new[:1]]
        at = event["at"]
        for part in parts:
            self.lying.setdefault(zone, [])
            row = (
                [*self.lying[zone], *part]
                if part is parts[0]
                else [*self.lying[zone][: -len(parts[0])], *new]
            )
            self.lying[zone] = row
            self.table.see(sight.Laid(at=at, zone=zone, seat=seat, cards=tuple(part), row=tuple(row)))
            at += self.late
        return True

    def _lift(self, zone: str, gone: list[TrackedCard], at: float) -> bool:
        tracks = {card.track for card in gone}
        self.lying[zone] = [card for card in self.lying.get(zone, []) if card.track not in tracks]
        if gone:
            left = len(self.lying[zone])
            self.table.see(
                sight.Lifted(at=at, zone=zone, seat=self.seats.get(zone), cards=tuple(gone), left=left)
            )
        return True

    def _somewhere(self) -> tuple[float, float]:
        return (self.rng.uniform(-200, 200), self.rng.uniform(-140, 140))

    def _clear_away(self, event: dict[str, Any]) -> None:
        """What the players do between the events: finished tricks are cleared, exchanged cards taken up."""
        if not self._over(event):
            return
        for zone, cards in self.lying.items():
            if not cards:
                continue
            if zone.startswith("seat") and self.rng.random() < 0.5:
                self.table.see(
                    sight.TurnedOver(at=event["at"], zone=zone, seat=self.seats[zone], cards=tuple(cards))
                )
            self._lift(zone, list(cards), event["at"])

    def _over(self, event: dict[str, Any]) -> bool:
        """Whether what lies there is done with before this event."""
        state = self.truth.state
        if event["event"] == "deal_started":
            return True
        if (
            state is None
            or state.deal is None
            or event["event"] not in ("play", "kitty_revealed", "draw_ended")
        ):
            return False
        if event["event"] == "draw_ended":
            return state.profile.game == "guandan"
        if event["event"] == "kitty_revealed":
            return True
        if state.profile.game == "guandan":
            return bool(state.deal.trick.open)
        return state.deal.current is None and (bool(state.deal.tricks) or state.deal.banker == event["seat"])


def watched(profile: str, script: Record, seed: int = 1, **options: Any) -> tuple[Watched, Eyes]:
    """A table that was shown a whole script."""
    table = Watched(load_profile(profile), options.pop("zones", None))
    eyes = Eyes(table, random.Random(seed), **options)
    eyes.show(script)
    return table, eyes


def near(card: Card) -> Card:
    """A card that looks like this one: the next rank of its suit."""
    at = card.index
    return ALL_CARDS[at + 1] if card.suit and card.rank != "A" else ALL_CARDS[max(0, at - 1)]


def consent_of(event: Event) -> bool | None:
    """Whether a taking back was by consent."""
    return event.consent if isinstance(event, TakenBack) else None
