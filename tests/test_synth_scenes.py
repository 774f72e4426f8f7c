"""Synthetic scenes: one seed is one picture, labels sit on the ink, what is covered is not asked for."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from models.synth.camera import look_down, project
from models.synth.dataset import pose_labels, read_records, write_finder_dataset
from models.synth.deck import Deck, IndexRegion
from models.synth.layouts import LAYOUTS, Lay, Place, base_turn, turned
from models.synth.scenes import SceneSpec, render_scene
from models.synth.shoe import Shoe
from table.cards import ALL_CARDS, Card
from vision.patches import cut_patches

PPM = 6
PLAIN = SceneSpec(
    px_per_mm=(2.5, 2.5),
    tilt=(0, 0),
    things=0,
    hands=0,
    light=0,
    glare=(0, 0),
    focus_px=(0, 0),
    motion_px=(0, 0),
    noise=(0, 0),
    exposure=(1, 1),
    jpeg=(100, 100),
    cast=0,
    clean=1,
    grey=0,
    empty=0,
    face_down=0,
    close_up=0,
    packs=(1, 1),
)
"""Nothing spoils the picture."""


def crude_deck(name: str = "crude") -> Deck:
    """White cards; the rank is a red square and the suit a blue one, at both corners; green backs."""
    w, h = 57 * PPM, 88 * PPM
    face = np.full((h, w, 3), 250, np.uint8)
    for turn in (0, 1):
        corner = face if not turn else face[::-1, ::-1]
        corner[4 * PPM : 10 * PPM, 3 * PPM : 8 * PPM] = (0, 0, 255)
        corner[12 * PPM : 17 * PPM, 3 * PPM : 8 * PPM] = (255, 0, 0)
    box = (3.0, 4.0, 8.0, 17.0)
    first = IndexRegion(box, (5.5, 7.0), (5.5, 14.5))
    last = IndexRegion((57 - 8.0, 88 - 17.0, 57 - 3.0, 88 - 4.0), (51.5, 81.0), (51.5, 73.5))
    names = [str(card) for card in ALL_CARDS]
    back = np.zeros((h, w, 3), np.uint8)
    back[:] = (0, 200, 0)
    return Deck(
        name, 57, 88, 3, dict.fromkeys(names, face), dict.fromkeys(names, (first, last)), (back,), PPM
    )


@pytest.fixture(scope="module")
def deck() -> Deck:
    return crude_deck()


def scenes(deck: Deck, spec: SceneSpec, count: int):
    return [render_scene(np.random.default_rng([7, k]), [deck], spec) for k in range(count)]


def test_the_same_seed_gives_the_same_picture(deck):
    first, second = (render_scene(np.random.default_rng(3), [deck]) for _ in range(2))
    assert np.array_equal(first.image, second.image)
    assert first.indices.names == second.indices.names


def test_keypoints_of_readable_indices_lie_on_their_ink(deck):
    seen = 0
    for scene in scenes(deck, PLAIN, 12):
        good = scene.indices.readable()
        for rank, suit in zip(scene.indices.ranks[good], scene.indices.suits[good], strict=True):
            (rx, ry), (sx, sy) = np.round(rank).astype(int), np.round(suit).astype(int)
            assert scene.image[ry, rx].argmax() == 2, "the rank is red"
            assert scene.image[sy, sx].argmax() == 0, "the suit is blue"
            seen += 1
    assert seen > 20


def test_patches_of_readable_indices_stand_upright(deck):
    for scene in scenes(deck, PLAIN, 6):
        good = scene.indices.readable(least=0.99, least_half=0.99)
        for patch in cut_patches(scene.image, scene.indices.ranks[good], scene.indices.suits[good]):
            assert patch[17, 20].argmax() == 2
            assert patch[41, 20].argmax() == 0


def test_a_covered_index_is_not_asked_for(deck):
    spec = SceneSpec(
        layouts={"row": 1.0}, step_mm=(5, 5), ragged=0, turn=0, tilt=(0, 0), things=0, hands=0, empty=0
    )
    covered = 0
    for scene in scenes(deck, spec, 10):
        part = (scene.indices.visible < 0.5) & (scene.indices.visible > 0)
        assert not scene.indices.readable()[part].any()
        covered += int(part.sum())
    assert covered > 5


def test_an_index_cut_by_the_edge_counts_only_what_is_in_the_picture(deck):
    for scene in scenes(deck, PLAIN, 10):
        h, w = scene.image.shape[:2]
        outside = ((scene.indices.quads < -2) | (scene.indices.quads > [w + 1, h + 1])).all(2).all(1)
        assert (scene.indices.visible[outside] == 0).all()


def test_face_down_cards_are_backs_and_have_no_index(deck):
    spec = SceneSpec(layouts={"pile": 1.0}, hands=0, things=0, empty=0, px_per_mm=(1.5, 1.5))
    for scene in scenes(deck, spec, 4):
        assert len(scene.indices) == 0
        assert len(scene.backs.visible) >= 1
        assert all(line.startswith("2 ") for line in pose_labels(scene))


def test_rows_name_their_cards_from_left_to_right(deck):
    spec = SceneSpec(
        layouts={"row": 1.0}, turn=0, tilt=(0, 0), empty=0, step_mm=(20, 25), px_per_mm=(1.4, 1.4)
    )
    for scene in scenes(deck, spec, 8):
        for row in scene.rows:
            middles = [scene.cards[i].outline[:, 0].mean() for i in row.cards]
            assert middles == sorted(middles)


def test_a_turn_is_counter_clockwise_as_seen():
    (place,) = turned([Place(10, 0, 0)], 90, 0, 0)
    assert (place.x, place.y, place.turn) == pytest.approx((0, -10, 90))


def test_upright_is_the_commonest_turn():
    rng = np.random.default_rng(0)
    turns = (np.array([base_turn(rng) for _ in range(4000)]) + 180) % 360 - 180
    assert 0.42 < (np.abs(turns) <= 12).mean() < 0.55


def test_one_pack_gives_each_card_once():
    names = [name for _ in range(9) for name in Shoe(np.random.default_rng(1), 1).draw(1)]
    assert all(Card.parse(name) for name in names)
    shoe = Shoe(np.random.default_rng(2), 1)
    drawn = [name for _ in range(9) for name in shoe.draw(6)]
    assert sorted(drawn) == sorted(str(card) for card in ALL_CARDS)


@pytest.mark.parametrize("kind", LAYOUTS)
def test_every_layout_lays_each_card_once_in_an_order(kind):
    for seed in range(8):
        places, order, step = LAYOUTS[kind](np.random.default_rng(seed), Lay(57, 88, (8, 30), 80))
        assert sorted(order) == list(range(len(places)))
        assert step >= 0


def test_a_tilted_camera_sees_the_far_side_smaller():
    matrix = look_down((320, 320), 2.0, tilt=40, azimuth=0, distance_mm=400, aim=(0, 0))
    near, far = (project(matrix, np.array([[-20.0, y], [20.0, y]])) for y in (50, -50))
    assert near[1, 0] - near[0, 0] > far[1, 0] - far[0, 0]
    assert project(matrix, np.array([0.0, 0.0])) == pytest.approx([159.5, 159.5])


def test_a_data_set_has_a_label_for_every_readable_index_and_is_the_same_again(deck, tmp_path: Path):
    decks = [deck, crude_deck("other")]
    folders = [tmp_path / "a", tmp_path / "b"]
    for folder, workers in zip(folders, (1, 2), strict=True):
        write_finder_dataset(folder, decks, count=6, seed=5, workers=workers, val_count=2, each=3, together=1)
    records = read_records(folders[0], "train")
    assert records == read_records(folders[1], "train")
    assert len(records) == 6
    for record in records:
        label = folders[0] / str(record["image"]).replace("images", "labels").replace(".jpg", ".txt")
        lines = [line.split() for line in label.read_text().splitlines()]
        assert all(len(line) == 11 for line in lines)
        assert all(0 <= float(n) <= 2 for line in lines for n in line)
        assert sum(line[0] in "01" for line in lines) == sum(i["readable"] for i in record["indices"])
        assert cv2.imread(str(folders[0] / record["image"])).shape == (320, 320, 3)


def test_a_data_set_that_was_cut_off_goes_on(deck, tmp_path: Path):
    write_finder_dataset(tmp_path, [deck], count=4, seed=5, workers=1, val_count=1, each=2, together=1)
    (tmp_path / "records" / "train-00001.jsonl").unlink()
    kept = (tmp_path / "records" / "train-00000.jsonl").stat().st_mtime_ns
    write_finder_dataset(tmp_path, [deck], count=4, seed=5, workers=1, val_count=1, each=2, together=1)
    assert len(read_records(tmp_path, "train")) == 4
    assert (tmp_path / "records" / "train-00000.jsonl").stat().st_mtime_ns == kept
