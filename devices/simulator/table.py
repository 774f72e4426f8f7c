"""The simulated table: a match that bots play, laid by hands, seen by cameras, with the ground truth beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from calibration.setup import CameraSetup, Plane, TableSetup, ZoneSetup, play_zones
from calibration.tags import Mat, edge_tags, mat_tags
from devices.simulator.bots import NAMES, Habits, play_match
from devices.simulator.camera import Looks, SimulatedSource, fault_spans
from devices.simulator.conditions import Conditions
from devices.simulator.decks import demo_deck
from devices.simulator.laying import to_table
from devices.simulator.light import paint_ground
from devices.simulator.motions import Lying, Timeline
from devices.simulator.optics import mistaken, mounts, plane_of, shifted
from devices.simulator.staging import stage
from devices.simulator.view import HandAt, View
from models.synth.deck import Deck
from models.synth.deck_file import load_deck
from models.synth.printing import FaceStore
from table.rulesets import load_profile

KITTY_MM: Final = (160.0, 160.0)
_RESTS_AT: Final = (-96.0, 286.0)
"""Where a resting hand has its finger tips: to the player's right and towards it from the centre, mm."""
_OWN: Final = ("profile", "seed", "deals", "cameras", "camera", "record", "deck", "skip_idle", "tags")


class SimulatedTable:
    """A whole match on a table that is not there. The same arguments give the same frames.

    Args:
        events: of a record (as JSON objects) to be played; None for a match of bots.
        profile: of the bots' match.
        seed: of the match, of how cards are laid, of cloth and hands and noise.
        deals: how many the bots play.
        deck: the packs in play, or a file of `models.synth.deck_file`; None for the one that is shipped.
        how: light, lens, chip, how people lay cards, what goes wrong.
        cameras: 1 over the whole table (4K), 2 over its halves, 4 over the seats' zones (1080p).
        size: of the cameras' pictures, px; None for the usual.
        habits: of the bots. Nobody acts exactly on the limit unless this says so: no camera could tell that from
            a moment too late.
        skip_idle: leave out the frames of stretches in which nothing moves.
        tags: number of the table whose tags are printed on its edge and on a mat; None for a table without.

    Attributes:
        setup: what is known about the table: planes, zones, profile.
        truth: the ground-truth record, with final times; `source` says who told (`camera` for what is seen).
        seen: the events of it that cameras see.
        inputs: the events that they do not, without numbers, with `at` and `source`.
        rests: number of a seen event to when its cards came to rest, s.
        clears: number of a seen event to when the hand that laid them was gone, s.
        laid: number of a seen event to its cards as they came to lie, mm.
        spoken: what players said with their plays (`at`, `of`, `seat`, `says`): neither camera nor box tells it.
    """

    def __init__(
        self,
        events: Iterable[Mapping[str, Any]] | None = None,
        *,
        profile: str = "guandan-official",
        seed: int = 0,
        deals: int = 1,
        deck: Deck | Path | None = None,
        how: Conditions | None = None,
        cameras: int = 1,
        size: tuple[int, int] | None = None,
        habits: Habits | None = None,
        skip_idle: bool = False,
        options: Mapping[str, Any] | None = None,
        tags: int | None = None,
    ) -> None:
        self.seed = seed
        self.how = how or Conditions()
        self.skip_idle = skip_idle
        self.deck = deck if isinstance(deck, Deck) else load_deck(deck) if deck is not None else demo_deck()
        self._options: dict[str, Any] = {"seed": seed, "cameras": cameras, **(options or {})}
        self._tags = () if tags is None else (*edge_tags(tags), *mat_tags(tags))
        if tags is not None:
            self._options["tags"] = tags
        if isinstance(deck, Path):
            self._options["deck"] = str(deck)
        if events is None:
            habits = habits or Habits(on_the_limit=0.0)
            events = play_match(load_profile(profile), Random(seed), deals=deals, habits=habits).events
            self._options |= {"profile": profile, "deals": deals}
        card = (self.deck.width, self.deck.height)
        staged = stage(events, Random(seed * 7919 + 11), card, self.how)
        self.timeline: Timeline = staged.timeline
        self.truth: list[dict[str, Any]] = staged.truth
        self.inputs: list[dict[str, Any]] = staged.inputs
        self.rests: dict[int, float] = staged.rests
        self.clears: dict[int, float] = staged.clears
        self.laid: dict[int, tuple[Lying, ...]] = staged.laid
        self._mounts = mounts(cameras, size)
        self.planes: tuple[Plane, ...] = tuple(plane_of(mount, self.how) for mount in self._mounts)
        self.setup: TableSetup = self._setup(profile)
        self._store = FaceStore(400)
        self._ground: tuple[NDArray[np.uint8], NDArray[np.float64]] | None = None

    @property
    def seen(self) -> list[dict[str, Any]]:
        """The events that cameras see."""
        return [event for event in self.truth if event["seq"] in self.rests]

    @property
    def spoken(self) -> list[dict[str, Any]]:
        """What players said with their plays."""
        return [
            {"at": event["at"], "of": event["seq"], "seat": event["seat"], "says": event["says"]}
            for event in self.truth
            if event.get("says")
        ]

    @classmethod
    def from_setup(cls, setup: TableSetup) -> SimulatedTable:
        """The table whose setup this is: as `SimulatedTable.setup` wrote it, or a table file.

        Raises:
            ValueError: an option that the simulated table does not have, or a value that cannot be.
            OSError: the record or the deck that it names cannot be read.
        """
        camera = next((camera for camera in setup.cameras if camera.kind == "simulated"), None)
        if camera is None:
            raise ValueError(f"table {setup.name}: no camera of kind simulated")
        return cls.from_options(camera.options, camera.size, camera.fps, setup.profile)

    @classmethod
    def from_options(
        cls, options: Mapping[str, Any], size: tuple[int, int], fps: float, profile: str = "guandan-official"
    ) -> SimulatedTable:
        """The table that a camera of kind `simulated` looks at.

        Args:
            options: of the camera: `seed`, `profile`, `deals`, `cameras`, `record`, `deck`, `skip_idle`, and the
                fields of `Conditions`.
            size: of its pictures, px.
            fps: pictures a second.
            profile: of the match where the options name none.

        Raises:
            ValueError, OSError: as `from_setup`.
        """
        own = {key: options[key] for key in _OWN if key in options}
        look = {key: value for key, value in options.items() if key not in _OWN}
        how = Conditions.from_options({**look, "fps": float(fps)})
        record = own.get("record")
        events = None
        if record is not None:
            lines = Path(record).read_text(encoding="utf-8").splitlines()
            events = [json.loads(line) for line in lines if line.strip()]
        return cls(
            events,
            profile=own.get("profile", profile),
            seed=int(own.get("seed", 0)),
            deals=int(own.get("deals", 1)),
            deck=Path(own["deck"]) if own.get("deck") else None,
            how=how,
            cameras=int(own.get("cameras", 1)),
            size=size,
            skip_idle=bool(own.get("skip_idle", False)),
            options={"record": record} if record is not None else None,
            tags=None if own.get("tags") is None else int(own["tags"]),
        )

    def sources(self) -> list[SimulatedSource]:
        """One source for each camera, each from the beginning of the match."""
        faults = self.how.faults
        spans = None
        if self.skip_idle:
            spans = tuple(self.timeline.busy([(0.0, 1.0), *fault_spans(faults)]))
        resting: tuple[HandAt, ...] = ()
        if self.how.resting_hand is not None:
            seat = self.how.resting_hand
            resting = (HandAt(seat, *to_table(seat, *_RESTS_AT), 24.0),)
        sources = []
        for i, camera in enumerate(self.setup.cameras):
            mine = tuple(fault for fault in faults if fault.camera == i)
            looks = Looks(self.timeline, resting, mine, spans)
            phase = 0.35 * i / self.how.fps
            sources.append(
                SimulatedSource(camera.name, self.how.fps, round(phase, 4), looks, partial(self._view, i))
            )
        return sources

    def write(self, folder: Path) -> None:
        """Write the ground truth as `truth.jsonl` and what no camera sees as `inputs.jsonl`."""
        folder.mkdir(parents=True, exist_ok=True)
        for name, events in (("truth", self.truth), ("inputs", self.inputs)):
            lines = [json.dumps(event, ensure_ascii=False) + "\n" for event in events]
            (folder / f"{name}.jsonl").write_text("".join(lines), encoding="utf-8")

    def _view(self, camera: int, knocked_mm: float) -> View:
        if self._ground is None:
            self._ground = paint_ground(self.how.surface, self.seed, self._tags)
        plane = self.planes[camera]
        if knocked_mm:
            plane = shifted(plane, 0.8 * knocked_mm, -0.6 * knocked_mm)
        size = self.setup.cameras[camera].size
        return View(plane, size, self.deck, self.how, self.seed * 4 + camera, self._ground, self._store)

    def _setup(self, profile: str) -> TableSetup:
        start = next((event for event in self.truth if event["event"] == "match_started"), {})
        rules = load_profile(start.get("profile", profile))
        rng = Random(self.seed * 31 + 5)
        looks = {key: value for key, value in self.how.as_options().items() if key != "fps"}
        if self.skip_idle:
            looks["skip_idle"] = True
        cameras = tuple(
            CameraSetup(
                name=f"camera {i + 1}",
                kind="simulated",
                size=mount.size,
                plane=mistaken(self.planes[i], self.how.setup_error, rng),
                fps=self.how.fps,
                options={**self._options, "camera": i, **looks},
            )
            for i, mount in enumerate(self._mounts)
        )
        zones = play_zones()
        if rules.game == "shengji":
            zones = (*zones, ZoneSetup("kitty", None, (0.0, 0.0), KITTY_MM, 0.0, "kitty"))
        players = tuple(start.get("players", NAMES))
        return TableSetup(
            name="simulated",
            profile=rules.name,
            cameras=cameras,
            zones=zones,
            packs=rules.whole("packs"),
            players=(players[0], players[1], players[2], players[3]),
            options=start.get("options") or {},
            tags=self._tags,
            mat=Mat() if self._tags else None,
        )
