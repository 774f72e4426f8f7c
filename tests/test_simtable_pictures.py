"""What the cameras of the simulated table see: the faces that were laid, where the setup says, frame for frame the same."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import cv2
import numpy as np
import pytest
from numpy.typing import NDArray

from calibration.plaques import DICTIONARY, PLAQUE_MM
from calibration.setup import Plane
from devices.simulator.conditions import CameraFault, Conditions
from devices.simulator.decks import demo_deck, fit_for_an_event
from devices.simulator.motions import PLAQUE, Lying
from devices.simulator.table import SimulatedTable
from devices.sources import SourceFailed, open_source
from vision.frames import Frame

SMALL = (1280, 720)
STILL = Conditions(noise=0.0, vignetting=0.0, slope=0.0)
Points = NDArray[np.float64]


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    """Later tests fork: a pool of OpenCV's threads in this process would leave them waiting for ever."""
    cv2.setNumThreads(1)


@lru_cache
def table(how: Conditions = STILL, cameras: int = 1, skip_idle: bool = True, seed: int = 1) -> SimulatedTable:
    return SimulatedTable(seed=seed, how=how, cameras=cameras, size=SMALL, skip_idle=skip_idle)


def projected(plane: Plane, points: Points) -> Points:
    """Points on the table to px by OpenCV's own model of plane and lens."""
    assert plane.lens is not None
    rays = np.linalg.inv(plane.lens.matrix) @ plane.to_px @ np.c_[points, np.ones(len(points))].T
    zero = np.zeros(3)
    found, _ = cv2.projectPoints(
        rays.T.reshape(-1, 1, 3), zero, zero, plane.lens.matrix, np.array(plane.lens.distortion)
    )
    return np.asarray(found, np.float64).reshape(-1, 2)


def corners(thing: Lying, width: float, height: float) -> Points:
    """Top left, top right, bottom right, bottom left of a thing on the table, mm."""
    a = np.deg2rad(thing.turn)
    right, up = np.array([np.cos(a), np.sin(a)]), np.array([-np.sin(a), np.cos(a)])
    half = [(-1, 1), (1, 1), (1, -1), (-1, -1)]
    return np.array([[thing.x, thing.y] + x * width / 2 * right + y * height / 2 * up for x, y in half])


def flattened(image: NDArray[np.uint8], quad: Points, size: tuple[int, int]) -> NDArray[np.float32]:
    w, h = size
    to = np.array([[-0.5, -0.5], [w - 0.5, -0.5], [w - 0.5, h - 0.5], [-0.5, h - 0.5]], np.float32)
    matrix = cv2.getPerspectiveTransform(quad.astype(np.float32), to)
    return np.asarray(cv2.warpPerspective(image, matrix, size), np.float32)


@pytest.mark.parametrize("cameras", [1, 2, 4])
def test_a_card_at_rest_shows_its_face_where_the_setup_says(cameras: int) -> None:
    here = table(cameras=cameras)
    deck, size = here.deck, (116, 176)
    faces = {name: np.asarray(cv2.resize(face, size), np.float32) for name, face in deck.faces.items()}
    sources = here.sources()
    checked = 0
    for event in [event for event in here.seen if event["event"] == "play"][:6]:
        top = here.laid[event["seq"]][-1]
        for source, camera in zip(sources, here.setup.cameras, strict=True):
            quad = projected(camera.plane, corners(top, deck.width, deck.height))
            if (quad < 2).any() or (quad > np.array(SMALL) - 3).any():
                continue
            seen = flattened(source.picture(here.clears[event["seq"]] + 0.05), quad, size)
            away = {name: float(np.abs(face - seen)[6:-6, 6:-6].mean()) for name, face in faces.items()}
            assert min(away, key=lambda name: away[name]) == top.what
            checked += 1
    assert checked >= 5


def test_the_lens_bends_the_picture_as_the_setup_says() -> None:
    here = table(replace(STILL, distortion=-0.15, tilt=8.0, passes="plaque"))
    source, camera = here.sources()[0], here.setup.cameras[0]
    detector = cv2.aruco.ArucoDetector(cv2.aruco.getPredefinedDictionary(DICTIONARY))
    found = 0
    for event in [event for event in here.seen if event["event"] == "pass"][:5]:
        plaque = here.laid[event["seq"]][0]
        image = source.picture(here.clears[event["seq"]] + 0.05)
        quads, ids, _ = detector.detectMarkers(image)
        assert ids is not None
        for quad, number in zip(quads, np.ravel(ids), strict=True):
            if plaque.what == f"{PLAQUE}{number}":
                expected = projected(camera.plane, corners(plaque, PLAQUE_MM, PLAQUE_MM))
                assert np.abs(quad.reshape(4, 2) - expected).max() < 1.5
                found += 1
    assert found >= 4


def test_the_same_table_gives_the_same_frames() -> None:
    how = replace(Conditions(), glare=0.4, blur=0.6, drift=0.1)
    first, second = (
        SimulatedTable(seed=4, how=how, size=SMALL, skip_idle=True).sources()[0] for _ in range(2)
    )
    for _ in range(40):
        one, two = first.read(), second.read()
        assert one is not None
        assert two is not None
        assert one.at == two.at
        assert np.array_equal(one.image, two.image)


def test_moving_pictures_leave_nothing_behind() -> None:
    """What was painted step by step is what one would paint anew."""
    here = table()
    stepped, fresh = here.sources()[0], here.sources()[0]
    ends = [trip.end for trip in here.timeline.trips]
    for at in ends[:14]:
        stepped.picture(at - 0.5)
        stepped.picture(at - 0.2)
        image = stepped.picture(at + 0.01)
        if at in ends[11:14]:
            assert np.array_equal(image, fresh.picture(at + 0.01))


def frames(source: object, most: int = 100_000) -> list[Frame]:
    got: list[Frame] = []
    while len(got) < most:
        frame = source.read()  # type: ignore[attr-defined]
        if frame is None:
            break
        got.append(frame)
    return got


def times_of(here: SimulatedTable, camera: int = 0) -> list[float]:
    """When the frames of a source are taken, without painting them."""
    source = here.sources()[camera]
    source._frame = lambda at: Frame(np.zeros((1, 1, 3), np.uint8), at)  # type: ignore[method-assign]
    return [frame.at for frame in frames(source)]


def test_leaving_out_idle_stretches_keeps_every_change() -> None:
    here = table()
    times = np.array(times_of(here))
    assert len(times) < 0.5 * here.timeline.end * here.how.fps
    for change in here.timeline.changes:
        for offset in (-0.25, 0.0, 0.3, 0.6):
            gap = times - (change.at + offset)
            assert gap[gap >= 0].min(initial=9.0) <= 1 / here.how.fps + 1e-3


@lru_cache
def faulty(kind: str, until: float | None) -> SimulatedTable:
    rest = min(table().rests.values())
    fault = CameraFault(kind, rest, rest + until if until is not None else None)
    return table(replace(STILL, faults=(fault,), noise=1.0, fps=5.0))


def around(here: SimulatedTable, before: float = 0.6, after: float = 1.6) -> list[Frame]:
    """The frames shortly before and after the camera's fault begins."""
    at = here.how.faults[0].at
    source = here.sources()[0]
    source.start_at(at - before)
    got = []
    while (frame := source.read()) is not None and frame.at < at + after:
        got.append(frame)
    return got


def test_a_stalled_camera_gives_nothing_and_comes_back() -> None:
    here = faulty("stall", 1.0)
    at = here.how.faults[0].at
    times = [frame.at for frame in around(here)]
    assert [time for time in times if time < at]
    assert not [time for time in times if at <= time < at + 1.0]
    assert [time for time in times if time >= at + 1.0]


def test_a_frozen_camera_repeats_its_last_picture_bit_for_bit() -> None:
    here = faulty("freeze", 1.0)
    at = here.how.faults[0].at
    got = around(here)
    last = [frame for frame in got if frame.at < at][-1]
    frozen = [frame for frame in got if at <= frame.at < at + 1.0]
    assert len(frozen) >= 4
    assert all(np.array_equal(frame.image, last.image) for frame in frozen)
    assert not np.array_equal(got[-1].image, last.image)


def test_an_unplugged_camera_fails_with_one_line_and_may_come_back() -> None:
    here = faulty("unplug", 1.0)
    fault = here.how.faults[0]
    source = here.sources()[0]
    source.start_at(fault.at - 0.5)
    with pytest.raises(SourceFailed, match="camera 1") as failed:
        frames(source)
    assert "\n" not in str(failed.value)
    frame = source.read()
    assert frame is not None
    assert frame.at >= fault.at + 1.0


def test_a_source_that_ends_stays_ended() -> None:
    here = faulty("end", None)
    source = here.sources()[0]
    source.start_at(here.how.faults[0].at - 0.5)
    assert frames(source)[-1].at < here.how.faults[0].at
    assert source.read() is None


def test_a_dark_camera_sees_next_to_nothing() -> None:
    here = faulty("dark", 1.0)
    at = here.how.faults[0].at
    assert all(f.image.mean() < 12 for f in around(here) if at <= f.at < at + 1.0)


def test_a_knocked_camera_sees_the_table_elsewhere_from_then_on() -> None:
    fault = CameraFault("knocked", 3.0, mm=10.0)
    got = around(table(replace(STILL, faults=(fault,), noise=1.0, fps=5.0), skip_idle=False), 0.5, 0.5)
    grey = [cv2.cvtColor(frame.image, cv2.COLOR_BGR2GRAY).astype(np.float64) for frame in got]
    first = next(i for i, frame in enumerate(got) if frame.at >= fault.at)
    moved, _ = cv2.phaseCorrelate(grey[0], grey[first])
    assert np.hypot(*moved) == pytest.approx(10.0 * SMALL[1] / 950, abs=1.0)
    moved, _ = cv2.phaseCorrelate(grey[first], grey[-1])
    assert np.hypot(*moved) < 0.3


def test_the_setup_may_be_wrong_by_so_many_millimetres() -> None:
    exact, wrong = table(), table(replace(STILL, setup_error=3.0))
    place = np.array([[0.0, -230.0]])
    a, b = (projected(t.setup.cameras[0].plane, place) for t in (exact, wrong))
    assert 1.0 < np.hypot(*(a - b)[0]) / (SMALL[1] / 950) < 6.0


def test_a_camera_setup_alone_opens_the_same_table() -> None:
    here = SimulatedTable(seed=9, how=replace(Conditions(), glare=0.2), size=SMALL, skip_idle=True)
    one, two = here.sources()[0].read(), open_source(here.setup.cameras[0]).read()
    assert one is not None
    assert two is not None
    assert np.array_equal(one.image, two.image)


def test_the_deck_that_is_shipped_is_one_that_an_event_would_use() -> None:
    deck = demo_deck()
    assert fit_for_an_event(deck)
    assert len(deck.faces) == 54
