"""A camera stands where it stood, whatever is put down beside the zones and cleared away again."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from devices.simulator.table import SimulatedTable
from vision.camera_health import KNOCKED_MM, CameraHealth
from vision.frames import Image
from vision.plane import table_to_px


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
