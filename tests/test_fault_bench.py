"""The bench of faults: its cameras fail as ordered, its clock stands still, and it sees each promise that is broken."""

from __future__ import annotations

import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from api.fault_bench import PROFILE, _match
from api.fault_check import check_findings, check_presses
from api.fault_kinds import KINDS
from api.fault_outcome import Kind, Outcome, broken_promises
from api.fault_world import PlayerBox, Press, WorldClock
from calibration.setup import CameraSetup, Plane
from devices.sources import SourceFailed
from devices.staged import Stage
from devices.watchdog import Limits, WatchedCamera
from table.event_json import event_from_json
from table.events import Event
from table.rulesets import load_profile
from table.session import replay
from vision.frames import Frame

SIZE = (96, 72)
QUICK = Limits(silent=1.0, repeated=0.4, broken=0.4, wait=0.1, wait_most=0.2)


class Staged:
    """A camera before a stage on which pictures are painted."""

    def __init__(self, folder: Path) -> None:
        self.node, self.link = folder / "video1", folder / "camera0"
        self.order(do="give")
        self.link.symlink_to(self.node)
        self.stage = Stage(folder / "stage", [SIZE], new=True)
        options = {"device": str(self.link), "stage": str(folder / "stage"), "sizes": [list(SIZE)]}
        setup = CameraSetup("c", "scripted", SIZE, Plane(np.eye(3)), 20.0, options)
        self.camera = WatchedCamera(setup, time.monotonic, QUICK)
        self.stopped = threading.Event()
        threading.Thread(target=self._paint, daemon=True).start()

    def order(self, **what: Any) -> None:
        self.node.write_text(json.dumps(what))

    def _paint(self) -> None:
        draw, slope = np.random.default_rng(1), np.linspace(60, 200, SIZE[0]).astype(np.uint8)
        number = 0
        while not self.stopped.wait(0.05):
            number += 1
            image = np.repeat(np.tile(slope, (SIZE[1], 1))[:, :, None], 3, 2)
            noise = draw.integers(0, 4, image.shape, np.uint8)
            self.stage.write(0, number, np.asarray(image + noise, np.uint8), time.monotonic(), time.time())

    def frame(self) -> Frame:
        while True:
            try:
                frame = self.camera.read()
            except SourceFailed:
                continue
            assert frame is not None
            return frame

    def fault(self) -> str:
        while True:
            try:
                self.camera.read()
            except SourceFailed:
                return self.camera.status.fault


@pytest.fixture
def staged(tmp_path: Path) -> Iterator[Staged]:
    one = Staged(tmp_path)
    yield one
    one.stopped.set()
    one.camera.close()


def test_a_staged_camera_shows_what_is_painted(staged: Staged) -> None:
    frame = staged.frame()
    assert frame.image[:, -1].mean() > 190
    assert 0 <= time.monotonic() - frame.at < 2
    staged.order(do="give", dim=24)
    while staged.frame().image.mean() > 20:
        pass
    staged.order(do="give", shift=[40, 0])
    while not 60 < staged.frame().image[:, 40].mean() < 70:
        pass


@pytest.mark.parametrize(
    ("what", "fault"), [("hang", "hangs"), ("die", "died"), ("repeat", "repeats"), ("noise", "garbage")]
)
def test_a_staged_camera_fails_as_ordered_and_comes_back(what: str, fault: str, staged: Staged) -> None:
    staged.frame()
    staged.order(do=what)
    assert staged.fault() == fault
    staged.order(do="give")
    staged.frame()


def test_a_staged_camera_comes_back_as_another_node(staged: Staged) -> None:
    staged.frame()
    staged.node.unlink()
    assert staged.fault() in ("gone", "no_camera_at_all", "other_cameras")
    staged.node = staged.node.with_name("video2")
    staged.order(do="give")
    staged.link.unlink()
    staged.link.symlink_to(staged.node)
    staged.frame()


def test_the_match_stands_still_while_its_referee_waits() -> None:
    told: list[dict[str, Any]] = []
    clock = WorldClock(told.append)
    assert clock.now() == 0.0
    clock.run()
    clock.stand()
    stood = clock.now()
    time.sleep(0.05)
    assert clock.now() == stood
    clock.run()
    again = time.time()
    assert clock.wall(stood + 1.0) == pytest.approx(again + 1.0, abs=0.05)
    assert [one["runs"] for one in told] == [True, False, True]


def heard(*presses: tuple[str, float]) -> list[Event]:
    events = []
    for words, at in presses:
        name, _, count = words.partition(" ")
        line: dict[str, Any] = {"event": {"PASS": "pass", "COUNT": "count_called"}[name], "at": at, "seat": 2}
        events.append(
            event_from_json({**line, "source": "seatbox"} | ({"count": int(count)} if count else {}))
        )
    return events


def test_presses_that_are_lost_doubled_made_up_or_out_of_order_are_seen(tmp_path: Path) -> None:
    box = PlayerBox(tmp_path, 2, random.Random(1))
    pressed = [("PASS", 10.0, True), ("COUNT 4", 20.0, True), ("PASS", 30.0, True), ("PASS", 40.0, False)]
    box.presses = [Press(words, 1000.0 + at, sure) for words, at, sure in pressed]
    fine = check_presses([box], heard(("PASS", 10.1), ("COUNT 4", 20.0), ("PASS", 30.0)), 1000.0)
    assert (fine.acknowledged, fine.recorded, fine.untold, fine.lines) == (3, 3, 1, [])
    lost = check_presses([box], heard(("PASS", 10.1), ("PASS", 30.0), ("PASS", 40.0)), 1000.0)
    assert (lost.lost, lost.recorded) == (1, 2)
    bad = check_presses(
        [box], heard(("COUNT 4", 20), ("PASS", 10), ("PASS", 10.2), ("PASS", 30), ("PASS", 70)), 1000.0
    )
    assert (bad.lost, bad.doubled, bad.made_up, bad.out_of_order) == (0, 1, 1, 1)
    box.wire.close()


def played(*acts: dict[str, Any]) -> list[Event]:
    lines: list[dict[str, Any]] = [
        {"event": "match_started", "profile": PROFILE, "levels": ["2", "2"]},
        {"event": "deal_started", "deal": 1, "level": "2"},
        {"event": "draw_ended"},
        *acts,
    ]
    return [event_from_json({"seq": n, "at": 3.0 * n, **line}) for n, line in enumerate(lines, 1)]


def test_a_finding_that_was_wrongly_proven_is_seen_though_it_was_withdrawn() -> None:
    lead = {"event": "play", "seat": 0, "cards": "S7"}
    late = {"event": "pass", "seat": 2}
    fix = {"event": "correction", "of": 5, "replacement": {"event": "pass", "seat": 1}, "source": "referee"}
    seen = played(lead, late, fix)
    assert replay(seen)[0].findings() == {}
    found = check_findings(played(lead, {"event": "pass", "seat": 1}), seen)
    assert (found.planned, found.right, found.wrong, found.standing) == (0, 0, 1, 0)
    found = check_findings(played(lead, late), seen)
    assert (found.planned, found.met, found.right, found.wrong) == (1, 1, 1, 0)


def test_the_match_has_its_violations_and_the_dealer_its_hands() -> None:
    events, hands = _match(3.0, 3)
    assert load_profile(PROFILE).game == "guandan"
    assert not any(event["event"] == "dealt" for event in events)
    assert {len(hand) for four in hands.values() for hand in four} == {27}
    kinds = {
        claim.kind for claim in replay([event_from_json(event) for event in events])[0].findings().values()
    }
    assert {"does_not_beat", "out_of_turn"} <= kinds


def test_what_health_never_told_and_memory_that_grows_break_a_promise() -> None:
    fine = Outcome(kinds={KINDS[0]: Kind(times=2, found=2, healed=2)}, memory_mb=(500.0, 540.0), minutes=60)
    assert broken_promises(fine) == []
    bad = Outcome(kinds={KINDS[0]: Kind(times=2, found=1, healed=2)}, memory_mb=(500.0, 600.0), minutes=60)
    assert len(broken_promises(bad)) == 2
