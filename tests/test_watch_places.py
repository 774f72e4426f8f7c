"""A camera stands where it stood, whatever is put down beside the zones and cleared away again."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from api.places import Places
from devices.simulator.table import SimulatedTable
from vision.camera_health import KNOCKED_MM, CameraHealth
from vision.card_reader import CardReader
from vision.frames import Frame, Image
from vision.plane import table_to_px
from vision.table_watch import TableWatch


def pictures() -> tuple[SimulatedTable, Image, Image]:
    """A table, and two pictures of its first camera: packs lie beside the zones, and have been cleared away."""
    table = SimulatedTable(seed=1, cameras=2, tags=1)
    bare = table._view(0, 0.0).frame((), (), (), 0, 0.0)
    laid = bare.copy()
    for x in (-330.0, 330.0):
        for dx, dy in ((0, 0), (14, 9)):
            pack = np.array([[-45, -30], [45, -30], [45, 30], [-45, 30]]) + np.array([x + dx, -300 + dy])
            corners = np.rint(table_to_px(table.setup.cameras[0].plane, pack)).astype(np.int32)
            cv2.fillPoly(laid, [corners], (200, 200, 200))
            cv2.polylines(laid, [corners], True, (20, 20, 20), 3)
    return table, laid, bare


def shifted(image: Image, px: float) -> Image:
    move = np.array([[1, 0, px], [0, 1, -px]], np.float32)
    return np.asarray(cv2.warpAffine(image, move, image.shape[1::-1], borderMode=cv2.BORDER_REPLICATE))


@pytest.mark.parametrize("tags", [True, False])
def test_packs_that_are_cleared_away_are_no_knock_and_a_knock_is_found_all_the_same(tags: bool) -> None:
    table, laid, bare = pictures()
    health = CameraHealth(table.setup.cameras[0], table.setup.zones, table.setup.placed_tags if tags else ())
    health.look_around(laid, 0.0)
    stays = [health.look_around(bare, float(at)) for at in range(1, 12)]
    assert all(mm is not None and mm < KNOCKED_MM for mm in stays)
    assert stays[-1] == 0.0  # it is compared with the table as it looks now
    mm = health.look_around(shifted(bare, 16.0), 20.0)
    assert mm is not None
    assert mm > KNOCKED_MM


def test_a_camera_that_was_knocked_unseen_and_put_back_is_where_it_was_set_up() -> None:
    table = SimulatedTable(seed=1, cameras=2, tags=1)
    watch = TableWatch(table.setup, CardReader.open(1))
    places = Places(table.setup, watch, every=0.0)
    name, at, rng = table.setup.cameras[0].name, 0.0, np.random.default_rng(1)
    states = []
    for mm in (12.0, 0.0):  # it was knocked before the program was started
        seen = table._view(0, mm).frame((), (), (), 0, 0.0)
        for _ in range(12):
            at += 0.6
            noisy = np.asarray(seen + rng.integers(0, 2, seen.shape, np.uint8), np.uint8)
            frames = [Frame(noisy, at, name)]
            watch.see(frames)
            places.see(frames)
        states.append(places.states[name].state)
    assert states == ["moved", "ok"]
    assert np.allclose(watch.place(name).plane.to_px, table.setup.cameras[0].plane.to_px)
