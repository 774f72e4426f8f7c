"""What a table costs at which nothing happens: share of a core and memory over time, the renderer's own apart.

Two cameras look at cards that lie still. A process of its own renders some seconds of that as raw frames into files and
ends before anything is measured; the service then reads them round and round through the code that runs a real table:
runner, service, watch (health, gate, reader), evidence, board, journal.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, field, replace
from itertools import pairwise
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, Final

import cv2
import numpy as np
import psutil

from api.feeds import LiveFeed
from api.live import Board, shown_box
from api.parts import Parts
from api.runner import ALIVE, EVIDENCE, JOURNAL, Runner
from api.service import TableService
from api.streams import Streams
from calibration.setup_file import load_setup, save_setup
from table.journal import Journal
from vision.card_reader import CardReader
from vision.evidence import Evidence
from vision.frames import Frame, Image
from vision.table_watch import TableWatch

CAMERAS: Final = 2
_LOOP: Final = 24
"""So many frames of each camera are rendered: no two that follow each other have the same noise."""
_SETTLES_S: Final = 20.0
"""What happens in the first seconds (cards found and read, the ring buffer filling) is no idle cost."""
_SETUP: Final = "table.toml"


@dataclass(slots=True)
class Idle:
    """What was measured.

    Attributes:
        service_s: CPU seconds of the whole process, threads included, without the reading of the rendered frames.
        film_s: seconds of film that they are spread over.
        decode_ms: CPU time of decoding one such frame from JPEG, as a camera's capture does it besides.
        jpeg_kb: how long that JPEG is.
        rss_mb: memory at the marks: `weights`, and minutes of film.
        events: how many events were recorded (a table at rest has only its first).
        readings: how many crops were read.
    """

    service_s: float = 0.0
    film_s: float = 0.0
    decode_ms: float = 0.0
    jpeg_kb: float = 0.0
    rss_mb: dict[str, float] = field(default_factory=dict)
    events: int = 0
    readings: int = 0

    def numbers(self, fps: float, speed: float | None) -> dict[str, Any]:
        """The figures of `paizhuo bench idle --json`."""
        share = self.service_s / max(self.film_s, 1e-9)
        marks = [value for key, value in self.rss_mb.items() if key.endswith("min")]
        return {
            "cameras": CAMERAS,
            "fps": fps,
            "speed": speed or 0,
            "film_s": round(self.film_s, 1),
            "core_share": round(share, 4),
            "core_share_per_camera": round(share / CAMERAS, 4),
            "decode_share_per_camera": round(self.decode_ms / 1000 * fps, 4),
            "jpeg_kb": round(self.jpeg_kb),
            "rss_mb": {key: round(value, 1) for key, value in self.rss_mb.items()},
            "growth_mb": round(marks[-1] - marks[0], 1) if len(marks) > 1 else 0.0,
            "readings": self.readings,
            "events": self.events,
        }


class Loop:
    """A rendered camera as a source: its frames again and again, with times that go on; fulfils `Source`.

    Args:
        path: of its raw frames.
        name: of the camera.
        size: of its frames, px.
        fps: frames a second.
        phase: time of the first, s.
        ends: time of the last, s.

    Attributes:
        cpu_s: processor time that reading took so far, s.
    """

    def __init__(
        self, path: Path, name: str, size: tuple[int, int], fps: float, phase: float, ends: float
    ) -> None:
        self.name = name
        self.cpu_s = 0.0
        self._shape = (size[1], size[0], 3)
        self._file = path.open("rb", buffering=0)
        self._bytes = size[0] * size[1] * 3
        self._count = path.stat().st_size // self._bytes
        self._fps, self._phase, self._ends = fps, phase, ends
        self._number = 0

    def read(self) -> Frame | None:
        """The next frame; None once the time is over."""
        at = self._phase + self._number / self._fps
        if at > self._ends or self._file.closed:
            return None
        began = time.thread_time()
        image = self.picture(self._number)
        self._number += 1
        self.cpu_s += time.thread_time() - began
        return Frame(image, round(at, 4), self.name)

    def picture(self, number: int) -> Image:
        """A rendered frame."""
        image = np.empty(self._shape, np.uint8)
        self._file.seek(number % self._count * self._bytes)
        self._file.readinto(image.data.cast("B"))
        return image

    def close(self) -> None:
        """Let the file go."""
        self._file.close()


def measure(reader: CardReader, minutes: Sequence[float], fps: float, speed: float | None, seed: int) -> Idle:
    """Run an idle table for the longest of `minutes` of film.

    Args:
        reader: of the cards.
        minutes: of film after which memory is looked at, rising.
        fps: of the cameras.
        speed: seconds of film to a second of the wall, through the live feed with its threads; None: as fast as it
            goes.
        seed: of the simulated table.
    """
    out = Idle()
    out.rss_mb["weights"] = rss_mb()
    with tempfile.TemporaryDirectory(prefix="paizhuo-idle-") as place, ExitStack() as stack:
        folder = Path(place)
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            pool.submit(render, folder, fps, seed).result()
        setup = load_setup(folder / _SETUP)
        ends = 60 * max(minutes)
        sources = [
            Loop(folder / f"{number}.raw", camera.name, camera.size, fps, 0.35 * number / fps, ends)
            for number, camera in enumerate(setup.cameras)
        ]
        out.decode_ms, out.jpeg_kb = decode_ms(sources[0].picture(0))
        journal = stack.enter_context(Journal(folder / JOURNAL))
        watch = TableWatch(setup, reader)
        service = TableService(setup, watch, journal, evidence=Evidence(folder / EVIDENCE, setup))
        board = Board({camera.name: shown_box(setup, camera) for camera in setup.cameras})
        clock = time.monotonic if speed is not None else lambda: service.now or 0.0
        parts = Parts(service, Streams())
        runner = Runner(service, board, alive=folder / ALIVE, clock=clock, parts=parts)
        marks = _Marks(service, sources, sorted(minutes), out)
        if speed is None:
            runner.all_at_once(sources, stop=marks)
        else:
            feed = LiveFeed(sources, [source.name for source in sources], speed=speed)
            runner.live(feed, stop=marks)
        marks.end()
        out.events, out.readings = len(service.told), watch.readings
    return out


class _Marks:
    """Looks at processor time and memory as film time goes by; asked after each step, never says stop."""

    def __init__(
        self, service: TableService, sources: Sequence[Loop], minutes: Sequence[float], out: Idle
    ) -> None:
        self._service, self._sources, self._out = service, sources, out
        self._due = list(minutes)
        self._began: tuple[float, float] | None = None

    def __call__(self) -> bool:
        now = self._service.now
        if now is None:
            return False
        if self._began is None and now >= min(_SETTLES_S, 60 * self._due[-1] / 2 if self._due else 0.0):
            self._began = (now, self._spent())
        # The last frame comes a little before the end.
        while self._due and now >= 60 * self._due[0] - 0.2:
            self._out.rss_mb[f"{self._due.pop(0):g} min"] = rss_mb()
            self._note(now)
        return False

    def end(self) -> None:
        """Nothing more comes."""
        for minute in self._due:
            self._out.rss_mb[f"{minute:g} min"] = rss_mb()
        self._due = []

    def _note(self, now: float) -> None:
        if self._began is not None:
            self._out.film_s = now - self._began[0]
            self._out.service_s = self._spent() - self._began[1]

    def _spent(self) -> float:
        return time.process_time() - sum(source.cpu_s for source in self._sources)


def render(folder: Path, fps: float, seed: int) -> None:
    """Write the setup of a simulated table with two cameras and some frames of a moment at which cards lie there."""
    from devices.simulator.bots import play_match
    from devices.simulator.conditions import Conditions
    from devices.simulator.table import SimulatedTable
    from table.rulesets import load_profile

    cv2.setNumThreads(1)
    events = play_match(load_profile("guandan-official"), Random(seed), deals=1).events
    table = SimulatedTable(events, seed=seed, cameras=CAMERAS, how=Conditions(fps=fps))
    spans = table.timeline.busy()
    calm = [(a[1], b[0]) for a, b in pairwise(spans[4:25])]
    start, end = max(calm, key=lambda gap: gap[1] - gap[0])
    cameras = tuple(replace(camera, kind="uvc", options={}) for camera in table.setup.cameras)
    save_setup(replace(table.setup, cameras=cameras), folder / _SETUP)
    for number, source in enumerate(table.sources()):
        with (folder / f"{number}.raw").open("wb") as file:
            for frame in range(_LOOP):
                file.write(np.ascontiguousarray(source.picture((start + end) / 2, frame)).data)
        source.close()


def decode_ms(image: Image, tries: int = 20) -> tuple[float, float]:
    """Processor time, ms, of decoding a frame from JPEG, and how long the JPEG is, kB."""
    _, data = cv2.imencode(".jpg", image, [cv2.IMWRITE_JPEG_QUALITY, 85])
    began = time.thread_time()
    for _ in range(tries):
        cv2.imdecode(data, cv2.IMREAD_COLOR)
    return (time.thread_time() - began) / tries * 1000, len(data) / 1000


def rss_mb() -> float:
    """Memory of this process now, MB."""
    return float(psutil.Process(os.getpid()).memory_info().rss) / 2**20
