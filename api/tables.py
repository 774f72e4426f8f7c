"""Opens what a setup file names: its sources, and for a simulated table the inputs that come with it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from calibration.setup import CameraSetup, TableSetup
from calibration.setup_file import load_draft, load_setup
from calibration.toml_keys import BadTableFile, nearest
from devices.recorded import Film, is_recorded
from devices.simulator.table import SimulatedTable
from devices.sources import Clock, Source, SourceFailed, open_source
from devices.watchdog import WatchedCamera, any_gives, is_watched, limits_of
from table.event_json import event_from_json
from table.events import Event
from table.rulesets import load_profile
from vision.frames import Frame

PACED: Final = ("simulated", "video", "stills")
"""Kinds of sources whose frames are there before their time."""


@dataclass(slots=True)
class Opened:
    """A table that is ready to be looked at.

    Attributes:
        sources: one for each camera.
        inputs: events that no camera sees and that are known to come.
        paced: names of the cameras whose frames are there before their time.
    """

    sources: Sequence[Source]
    inputs: Sequence[Event] = ()
    paced: frozenset[str] = field(default_factory=frozenset)


class Reopening:
    """A source that is opened when it is first read, and again after it failed; fulfils `Source`.

    Args:
        camera: its setup: frames of another size are refused.
        open_: opens it; SourceFailed where that cannot be done now.
        source: the source, where it is open already.
    """

    def __init__(
        self, camera: CameraSetup, open_: Callable[[], Source], source: Source | None = None
    ) -> None:
        self._name = camera.name
        self._size = camera.size
        self._open = open_
        self._source = source
        self._closed = False

    @property
    def name(self) -> str:
        """Name of the camera."""
        return self._name

    @property
    def warning(self) -> str:
        """What the source says about how it ended."""
        return str(getattr(self._source, "warning", ""))

    def read(self) -> Frame | None:
        """The next frame; None at the end.

        Raises:
            SourceFailed: it cannot be opened or read at the moment; a later read tries to open it again.
        """
        if self._closed:
            return None
        if self._source is None:
            self._source = self._open()
        try:
            frame = self._source.read()
        except SourceFailed:
            self._source.close()
            self._source = None
            raise
        if frame is not None and frame.image.shape[1::-1] != self._size:
            height, width = frame.image.shape[:2]
            raise SourceFailed(
                f"camera {self._name}: its pictures are {width}x{height} px, the table file says "
                f"{self._size[0]}x{self._size[1]}; set `size`, or the camera, and solve its plane for that size"
            )
        return frame

    def close(self) -> None:
        """Let it go for good."""
        self._closed = True
        if self._source is not None:
            self._source.close()


def game_of(profile: str) -> str:
    """The game of a profile (ValueError with one line where there is none)."""
    return load_profile(profile).game


def read_setup(path: Path) -> TableSetup:
    """The setup file of a table, its profile and options checked; paths in it are taken from where it lies.

    Raises:
        BadTableFile: one line that names the file, the key and what to do.
    """
    setup = load_setup(path, game_of)
    try:
        load_profile(setup.profile).with_options(dict(setup.options))
    except ValueError as error:
        raise BadTableFile(f"{path}: options: {error}") from None
    return replace(
        setup,
        cameras=tuple(_from_here(camera, path.parent) for camera in setup.cameras),
        devices=tuple(
            replace(device, port=str(path.parent / device.port)) if device.kind == "deal-folder" else device
            for device in setup.devices
        ),
    )


def read_draft(path: Path) -> TableSetup:
    """The setup file of a table that is to be calibrated; see `calibration.setup_file.load_draft`.

    Raises:
        BadTableFile: one line that names the file, the key and what to do.
    """
    setup = load_draft(path, game_of)
    return replace(setup, cameras=tuple(_from_here(camera, path.parent) for camera in setup.cameras))


def _from_here(camera: CameraSetup, folder: Path) -> CameraSetup:
    places = {
        key: str(folder / place)
        for key in ("path", "segments")
        if isinstance(place := camera.options.get(key), str)
    }
    return replace(camera, options={**camera.options, **places}) if places else camera


def with_sources(setup: TableSetup, places: Sequence[str]) -> TableSetup:
    """The setup with some cameras' sources elsewhere than its file says.

    Args:
        setup: as read.
        places: `CAMERA=PLACE` each: a path for films and stills, a device for cameras; paths are those of the caller.

    Raises:
        BadTableFile: no `=`, a camera that the table does not have, or one that is simulated.
    """
    wanted: dict[str, str] = {}
    kinds = {camera.name: camera.kind for camera in setup.cameras}
    for place in places:
        name, equals, where = place.partition("=")
        if not (name and equals and where):
            raise BadTableFile(
                f"--source {place}: write CAMERA=PLACE, for example {setup.cameras[0].name}=film.mkv"
            )
        if name not in kinds:
            raise BadTableFile(
                f"--source {place}: the table has no camera {name!r}; {nearest(name, tuple(kinds))}"
            )
        if kinds[name] == "simulated":
            raise BadTableFile(f"--source {place}: camera {name!r} is simulated, it has no place")
        wanted[name] = where
    cameras = []
    for camera in setup.cameras:
        if camera.name in wanted:
            key = "device" if camera.kind == "uvc" else "path"
            camera = replace(camera, options={**camera.options, key: wanted[camera.name]})
        cameras.append(camera)
    return replace(setup, cameras=tuple(cameras))


def open_table(setup: TableSetup, start: float, clock: Clock) -> Opened:
    """Open the sources of a table.

    Args:
        setup: as read from its file.
        start: time of the record at which to begin, where the sources allow that; more than 0 is a match that goes on:
            it does so without any camera, which are looked for meanwhile.
        clock: the record's, for live cameras.

    Raises:
        SourceFailed: no source of a new match can be opened; one line.
        BadTableFile: simulated and real cameras together, or options that a simulated table does not have.
    """
    if not setup.cameras:
        return Opened(())
    kinds = {camera.kind for camera in setup.cameras}
    if kinds == {"simulated"}:
        return simulated(setup, start)
    if "simulated" in kinds:
        raise BadTableFile(
            "simulated and real cameras cannot look at one table; give them tables of their own"
        )
    sources: list[Source] = []
    failed: list[SourceFailed] = []
    watched: list[WatchedCamera] = []
    for camera in setup.cameras:
        if is_watched(camera):
            # It opens itself, now and after every fault.
            watched.append(WatchedCamera(camera, clock, limits_of(camera)))
            sources.append(watched[-1])
            continue
        opener = _opener(camera, clock)
        first: Source | None = None
        try:
            first = opener()
        except SourceFailed as error:
            failed.append(error)
        sources.append(Reopening(camera, opener, first))
    if not start and len(failed) + len(watched) == len(sources):
        failed += any_gives(watched)
    if not start and len(failed) == len(sources):
        for source in sources:
            source.close()
        raise failed[0]
    paced = frozenset(
        camera.name for camera in setup.cameras if camera.kind in PACED and not is_watched(camera)
    )
    return Opened(sources, (), paced)


def _opener(camera: CameraSetup, clock: Clock) -> Callable[[], Source]:
    path = Path(str(camera.options.get("path", "")))
    if camera.kind == "video" and is_recorded(path):
        return lambda: Film(path, camera.name)
    return lambda: open_source(camera, clock=clock)


def simulated(setup: TableSetup, start: float = 0.0) -> Opened:
    """The simulated table that a setup's options describe.

    Raises:
        BadTableFile: options that it does not have.
    """
    try:
        table = SimulatedTable.from_setup(setup)
    except (OSError, ValueError, TypeError, LookupError) as error:
        raise BadTableFile(f"options of a simulated camera: {error}") from None
    return opened_simulated(table, start)


def opened_simulated(table: SimulatedTable, start: float = 0.0) -> Opened:
    """The sources and inputs of a simulated table, from `start` on."""
    sources = table.sources()
    for source in sources:
        source.start_at(start)
    return Opened(sources, as_events(table.inputs), frozenset(source.name for source in sources))


def as_events(lines: Sequence[Mapping[str, Any]]) -> list[Event]:
    """Events from JSON objects."""
    return [event_from_json(dict(line)) for line in lines]
