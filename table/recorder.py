"""The recorder: makes events of a game record from what cameras see and other inputs say; knows no game itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from table.events import Event
from table.match import MatchState
from table.rulesets import Profile
from table.sightings import Sighting


class Recorder:
    """Turns sightings and inputs of one table into events, in the order in which they are to be recorded.

    Call it like this, for everything that comes in: `see`, `hear` or `tick` with the fold of all that is recorded so
    far; append what it returns to the journal; give the numbered events to `recorded`; push them to the referee. It
    has no clock: times are those of sightings and events (s since the record's start).

    Args:
        profile: of the match, its options applied.
        zones: kind of each zone by its name (`play`, `exchange`, `discard`, `kitty`, `points`). A zone that is not
            named here is of the kind with which its name begins, else a play zone.
    """

    def __init__(self, profile: Profile, zones: Mapping[str, str] | None = None) -> None:
        self.profile = profile
        self.zones = dict(zones or {})

    def see(self, sighting: Sighting, state: MatchState | None) -> list[Event]:
        """What a sighting means in the game as it stands: no event, one or several (not numbered yet)."""
        return []

    def hear(self, event: Event, state: MatchState | None) -> list[Event]:
        """An input (referee, seat box, feed), completed where the record needs it; empty where it is known already."""
        return [event]

    def tick(self, at: float, state: MatchState | None) -> list[Event]:
        """What falls due by time alone, at `at` (s since the record's start)."""
        return []

    def recorded(self, events: Sequence[Event]) -> None:
        """Events as they went into the journal, numbered: later corrections say `of`."""

    def resume(self, events: Iterable[Event], state: MatchState | None) -> None:
        """Go on after a restart: `events` are all of the journal, `state` their fold.

        What lies on the table and is in the record already is not recorded again when the cameras see it anew.
        """
