"""A table for tests of the recorder where each sighting is written by hand: short calls, a clock that is told."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from table import sightings as sight
from table.cards import Card, parse_cards
from table.event_json import event_from_json
from table.events import Event
from table.rulesets import load_profile
from table.sightings import Chances, TrackedCard
from tests.recorder_eyes import Watched

OFFICIAL = "guandan-official"


class Desk(Watched):
    """A match with one deal begun; two seconds pass before each sighting unless `after` says else.

    Args:
        profile: of the match.
        level: of the deal.
        draw: the draw has ended.
        zones: kinds of zones by name.
        options: keys of the profile that the match overrides.
        more: fields of `deal_started`.
    """

    def __init__(
        self,
        profile: str = OFFICIAL,
        *,
        level: str = "2",
        draw: bool = True,
        zones: dict[str, str] | None = None,
        options: dict[str, Any] | None = None,
        **more: Any,
    ) -> None:
        super().__init__(load_profile(profile).with_options(options or {}), zones)
        self.now = 0.0
        self.tracks = 0
        self.lying: dict[str, list[TrackedCard]] = {}
        self.put("match_started", profile=profile, levels=[level, level], options=options or {})
        self.put("deal_started", deal=1, level=level, **more)
        if draw:
            self.put("draw_ended")

    def put(self, name: str, after: float = 2.0, **fields: Any) -> list[Event]:
        """An input: a key of the referee, a seat box."""
        fields.setdefault("source", "referee")
        return self.hear(event_from_json({"event": name, "at": self._at(after), **fields}))

    def lay(
        self,
        seat: int | None,
        cards: str,
        *,
        after: float = 2.0,
        zone: str = "",
        left: bool = False,
        hand: bool = False,
        doubt: dict[str, list[tuple[str, float]]] | None = None,
        nothing: dict[str, float] | None = None,
        unread: int = 0,
        at: float | None = None,
        dark: float = 0.0,
    ) -> list[Event]:
        """New cards at rest (`left`: to the left of what lies there); `doubt`: what some of them may be.

        `nothing`: how likely some of them are no card; `unread`: so many more lie there and could not be read;
        `dark`: the zone had not been seen for so long, s.
        """
        zone = zone or f"seat {seat}"
        at = self._at(after) if at is None else at
        new = [
            replace(
                self._card(card, (doubt or {}).get(str(card))), nothing=(nothing or {}).get(str(card), 0.0)
            )
            for card in parse_cards(cards)
        ]
        new += [self._unread() for _ in range(unread)]
        there = self.lying.setdefault(zone, [])
        self.lying[zone] = [*new, *there] if left else [*there, *new]
        row = tuple(self.lying[zone])
        laid = sight.Laid(at=at, zone=zone, seat=seat, cards=tuple(new), row=row, hand=hand, dark=dark)
        return self.see(laid)

    def lift(self, seat: int, cards: str, *, after: float = 2.0) -> list[Event]:
        """Cards that lay there are gone."""
        zone = f"seat {seat}"
        gone = [self._pick(zone, card) for card in parse_cards(cards)]
        return self.see(sight.Lifted(at=self._at(after), zone=zone, seat=seat, cards=tuple(gone)))

    def turn_over(self, seat: int, *, up: bool = False, after: float = 2.0) -> list[Event]:
        """All cards of a seat's zone lie face down now, or face up again."""
        zone = f"seat {seat}"
        cards = tuple(self.lying[zone])
        return self.see(sight.TurnedOver(at=self._at(after), zone=zone, seat=seat, cards=cards, face_up=up))

    def again(self, seat: int, *, after: float = 2.0) -> list[Event]:
        """The cameras see anew what lies in a zone, under other tracks."""
        zone = f"seat {seat}"
        self.lying[zone] = [
            TrackedCard(self._track(), c.chances, c.confidence, c.doubtful, c.place) for c in self.lying[zone]
        ]
        row = tuple(self.lying[zone])
        return self.see(sight.Laid(at=self._at(after), zone=zone, seat=seat, cards=row, row=row))

    def revise(
        self, seat: int, card: str, now: list[tuple[str, float]], *, after: float = 1.0
    ) -> list[Event]:
        """More frames say otherwise about a card."""
        zone = f"seat {seat}"
        old = next(c for c in self.lying[zone] if str(c.card) == card)
        new = TrackedCard(old.track, _chances(now), now[0][1], place=old.place)
        self.lying[zone] = [new if c is old else c for c in self.lying[zone]]
        return self.see(sight.Revised(at=self._at(after), zone=zone, seat=seat, cards=(new,)))

    def read_at_last(self, seat: int, card: str, *, after: float = 1.0) -> list[Event]:
        """What could not be read in a seat's zone gets its name."""
        zone = f"seat {seat}"
        old = next(c for c in self.lying[zone] if c.unread)
        new = TrackedCard(old.track, ((Card.parse(card), 0.99),), 0.99, place=old.place)
        self.lying[zone] = [new if c is old else c for c in self.lying[zone]]
        row = tuple(self.lying[zone])
        return self.see(sight.Revised(at=self._at(after), zone=zone, seat=seat, cards=(new,), row=row))

    def lift_unread(self, seat: int, *, after: float = 1.0) -> list[Event]:
        """What could not be read in a seat's zone is gone."""
        zone = f"seat {seat}"
        old = next(c for c in self.lying[zone] if c.unread)
        self.lying[zone].remove(old)
        return self.see(sight.Lifted(at=self._at(after), zone=zone, seat=seat, cards=(old,)))

    def plaque(self, seat: int, count: int | None = None, *, after: float = 2.0) -> list[Event]:
        """A plaque: a pass, or a count."""
        says = "pass" if count is None else "count"
        shown = sight.PlaqueShown(at=self._at(after), zone=f"seat {seat}", seat=seat, says=says, count=count)
        return self.see(shown)

    def blind(self, seat: int, blind: bool = True, *, after: float = 0.1) -> list[Event]:
        """A seat's zone goes blind, or is seen again."""
        return self.see(
            sight.Blind(at=self._at(after), zone=f"seat {seat}", seat=seat, blind=blind, why="gone")
        )

    def said(self) -> list[str]:
        """The events of the deal as they count, in short: `play 0 S7 H7`, `pass 1`."""
        return [_short(event) for event in self.effective() if event["event"] not in _FRAME]

    def kinds(self) -> list[tuple[str, int | None, str]]:
        """Kind, seat and certainty of the findings that stand."""
        return [(kind, seat, certainty) for kind, seat, _, certainty in self.found()]

    def _at(self, after: float) -> float:
        self.now = round(self.now + after, 3)
        return self.now

    def _track(self) -> int:
        self.tracks += 1
        return self.tracks

    def _card(self, card: Card, doubt: list[tuple[str, float]] | None) -> TrackedCard:
        chances = _chances(doubt) if doubt else ((card, 1.0),)
        track = self._track()
        return TrackedCard(track, chances, chances[0][1], place=(20.0 * track, 0.0))

    def _unread(self) -> TrackedCard:
        track = self._track()
        return TrackedCard(track, (), 0.0, doubtful=True, place=(20.0 * track, 0.0), nothing=0.1, unread=True)

    def _pick(self, zone: str, card: Card) -> TrackedCard:
        found = next(c for c in self.lying[zone] if c.card == card)
        self.lying[zone].remove(found)
        return found


_FRAME = ("match_started", "deal_started", "draw_ended")


def _chances(names: list[tuple[str, float]]) -> Chances:
    return tuple((Card.parse(name), chance) for name, chance in names)


def _short(event: dict[str, Any]) -> str:
    words = [event[key] for key in ("seat", "to", "cards", "card", "count") if key in event]
    words += event.get("unread", [])
    return " ".join(map(str, [event["event"], *words]))
