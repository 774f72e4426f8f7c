"""A table watched over time: rendered frames in, sightings out, read by the real networks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pytest

from calibration.setup import TableSetup, play_zones
from table.sightings import Backs, Blind, Laid, Lifted, Moved, PlaqueShown, Sighting, TrackedCard, TurnedOver
from tests.live_scenes import Lying, Scene, one_zone, overhead
from vision.card_reader import CardReader
from vision.frames import Frame
from vision.table_watch import TableWatch

ZONE = play_zones()[0]
Kind = TypeVar("Kind", bound=Sighting)


class Live:
    """A scene under watch."""

    def __init__(self, reader: CardReader, setup: TableSetup | None = None) -> None:
        self.scene = Scene(setup or one_zone())
        self.watch = TableWatch(self.scene.setup, reader)
        self.told: list[Sighting] = []
        self.pass_time(5)

    def pass_time(self, frames: int, fps: float = 15.0, only: Sequence[str] | None = None) -> list[Sighting]:
        """What is told while nothing moves any more."""
        new: list[Sighting] = []
        for frame in self.scene.frames(frames, fps, only):
            new += self.watch.see(frame, self.scene.at)
        self.told += new
        return new

    def of(self, kind: type[Kind]) -> list[Kind]:
        return [sighting for sighting in self.told if isinstance(sighting, kind)]


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader.open(1)


def names(cards: Sequence[TrackedCard]) -> str:
    return " ".join(str(card.card) for card in cards)


def test_cards_are_told_left_to_right_with_the_time_at_which_they_came_to_rest(reader: CardReader) -> None:
    live = Live(reader)
    before = live.scene.at
    live.scene.lay("S9 H3 D9", -40, -210)
    live.pass_time(6)
    (laid,) = live.of(Laid)
    assert names(laid.cards) == "S9 H3 D9"
    assert laid.seat == 0
    assert laid.at == pytest.approx(before + 1 / 15)
    assert laid.frames >= 3


def test_two_goes_are_told_as_two_with_a_growing_row(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S9 H9", -40, -210)
    live.pass_time(6)
    live.scene.lay("D9", -76, -210)
    live.pass_time(6)
    first, second = live.of(Laid)
    assert (names(first.cards), names(second.cards)) == ("S9 H9", "D9")
    assert (names(first.row), names(second.row)) == ("S9 H9", "D9 S9 H9")


def test_a_play_over_the_earlier_one_is_all_that_is_new_and_nothing_is_lifted(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7 D7", -40, -200)
    live.pass_time(6)
    live.scene.lay("SJ HJ DJ", -34, -226)
    live.pass_time(8)
    assert [names(laid.cards) for laid in live.of(Laid)] == ["S7 H7 D7", "SJ HJ DJ"]
    assert not live.of(Lifted)
    assert len(live.watch.tracks()["seat 0"]) == 6


def test_what_is_taken_up_is_lifted_and_what_lay_under_it_stays(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(6)
    over = live.scene.lay("SJ HJ", -34, -226)
    live.pass_time(6)
    live.scene.lift(*over)
    live.pass_time(6)
    (lifted,) = live.of(Lifted)
    assert {str(card.card) for card in lifted.cards} == {"SJ", "HJ"}
    assert lifted.left == 2


def test_cards_turned_face_down_are_turned_over_not_lifted(reader: CardReader) -> None:
    live = Live(reader)
    cards = live.scene.lay("S7 H7 D7", -40, -200)
    live.pass_time(6)
    for card in cards:
        card.what = "back"
    live.pass_time(6)
    (turned,) = live.of(TurnedOver)
    assert {str(card.card) for card in turned.cards} == {"S7", "H7", "D7"}
    assert not turned.face_up
    assert not live.of(Lifted)
    assert live.of(Backs)[-1].count > 0


def test_identical_cards_side_by_side_are_two(reader: CardReader) -> None:
    live = Live(reader)
    pair = live.scene.lay("H10 H10", -40, -210)
    live.pass_time(6)
    assert names(live.of(Laid)[0].cards) == "H10 H10"
    live.scene.lift(pair[0])
    live.pass_time(6)
    (lifted,) = live.of(Lifted)
    assert [card.track for card in lifted.cards] == [live.of(Laid)[0].cards[0].track]


def test_a_row_knocked_askew_is_moved_not_laid_anew(reader: CardReader) -> None:
    live = Live(reader)
    cards = live.scene.lay("S7 H9 DJ CK", -40, -200)
    live.pass_time(6)
    for card in cards:
        card.x, card.y, card.turn = card.x + 14, card.y - 0.12 * (card.x + 40) - 12, card.turn - 7
    live.pass_time(8)
    assert len(live.of(Laid)) == 1
    assert [names(moved.row) for moved in live.of(Moved)] == ["S7 H9 DJ CK"]


def test_a_resting_hand_keeps_nobody_from_reading_the_other_cards(reader: CardReader) -> None:
    live = Live(reader)
    cards = live.scene.lay("S7 H7", 120, -200)
    live.pass_time(6)
    live.scene.lying.append(Lying("hand", 150, -300, 15))
    live.pass_time(6)
    live.scene.lay("CK", -120, -200)
    live.pass_time(6)
    assert [names(laid.cards) for laid in live.of(Laid)] == ["S7 H7", "CK"]
    assert live.of(Laid)[1].hand
    assert not live.of(Lifted)
    assert len(live.watch.tracks()["seat 0"]) == len(cards) + 1


def test_a_frozen_camera_blinds_the_zone_and_lifts_nothing(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(6)
    old = next(live.scene.frames(1))[0]
    for _ in range(20):
        live.scene.at += 1 / 15
        live.told += live.watch.see([Frame(old.image, live.scene.at, "top")])
    (blind,) = live.of(Blind)
    assert (blind.why, blind.blind, blind.cameras) == ("frozen", True, ("top",))
    assert not live.of(Lifted)
    live.pass_time(4)
    assert not live.of(Blind)[-1].blind
    assert len(live.of(Laid)) == 1


def test_a_dark_picture_blinds_the_zone_and_lifts_nothing(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(6)
    live.scene.light = 0.02
    live.pass_time(8)
    live.scene.light = 1.0
    live.pass_time(8)
    assert [(blind.why, blind.blind) for blind in live.of(Blind)] == [("dark", True), ("", False)]
    assert not live.of(Lifted)
    assert len(live.of(Laid)) == 1


def halves() -> TableSetup:
    """Two cameras that see a part of the zone each; the middle is in both."""
    cameras = tuple(
        overhead(name, (700, 760), centre=(x, -230)) for name, x in (("left", -110), ("right", 110))
    )
    return TableSetup("test", "guandan-official", cameras, (ZONE,))


def test_a_zone_seen_by_two_cameras_gives_each_card_once(reader: CardReader) -> None:
    live = Live(reader, halves())
    live.scene.lay("S7 H9 DJ CK HK S3", -150, -210, step=60)
    live.pass_time(8)
    assert [names(laid.cards) for laid in live.of(Laid)] == ["S7 H9 DJ CK HK S3"]


def test_a_camera_that_is_gone_blinds_and_what_only_it_saw_is_not_lifted(reader: CardReader) -> None:
    live = Live(reader, halves())
    cards = live.scene.lay("S7 H9", -180, -210, step=60)
    live.pass_time(6)
    live.pass_time(18, only=["right"])
    live.scene.lift(*cards)
    live.pass_time(8, only=["right"])
    (blind,) = live.of(Blind)
    assert (blind.why, blind.cameras) == ("gone", ("left",))
    assert not live.of(Lifted)
    live.pass_time(8)
    assert {str(card.card) for lifted in live.of(Lifted) for card in lifted.cards} == {"S7", "H9"}


def test_a_stretch_without_any_frame_blinds_nobody(reader: CardReader) -> None:
    live = Live(reader, halves())
    live.scene.at += 30
    for name in ("left", "right") * 4:
        for frame in live.scene.frames(1, only=[name]):
            live.told += live.watch.see(frame)
    assert not live.of(Blind)


def test_a_camera_is_gone_when_others_go_on_though_nobody_tells_the_time(reader: CardReader) -> None:
    live = Live(reader, halves())
    for frame in live.scene.frames(18, only=["right"]):
        live.told += live.watch.see(frame)
    assert [(blind.why, blind.cameras) for blind in live.of(Blind)] == [("gone", ("left",))]


def test_a_camera_that_has_given_nothing_yet_leaves_its_zones_blind(reader: CardReader) -> None:
    scene = Scene(halves())
    watch = TableWatch(scene.setup, reader)
    told = [one for frame in scene.frames(18, only=["right"]) for one in watch.see(frame)]
    assert [(one.why, one.cameras) for one in told if isinstance(one, Blind)] == [("gone", ("left",))]
    told = [one for frame in scene.frames(3) for one in watch.see(frame)]
    assert [one.blind for one in told if isinstance(one, Blind)] == [False]


def test_time_that_passes_without_any_picture_leaves_every_zone_blind(reader: CardReader) -> None:
    watch = TableWatch(one_zone(), reader)
    told = [one for step in range(10) for one in watch.see((), step * 0.2)]
    assert [one.why for one in told if isinstance(one, Blind)] == ["gone"]


def test_a_second_camera_goes_on_where_the_first_is_gone(reader: CardReader) -> None:
    cameras = (overhead("one", (1080, 760), centre=(0, -230)), overhead("two", (1080, 760), centre=(4, -226)))
    live = Live(reader, TableSetup("test", "guandan-official", cameras, (ZONE,)))
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(6)
    live.pass_time(18, only=["two"])
    live.scene.lay("CK", 90, -200)
    live.pass_time(6, only=["two"])
    assert [names(laid.cards) for laid in live.of(Laid)] == ["S7 H7", "CK"]
    assert not live.of(Blind)


def test_a_knocked_camera_is_told_and_its_plane_set_right(reader: CardReader) -> None:
    live = Live(reader, one_zone(overhead(size=(1500, 1100), centre=ZONE.centre)))
    live.scene.lay("S7 H7 D8", -40, -200)
    live.pass_time(10)
    live.scene.shift_px = (16.0, -14.0)
    live.pass_time(24)
    assert [(blind.why, blind.blind) for blind in live.of(Blind)] == [("knocked", True), ("", False)]
    assert len(live.of(Laid)) == 1
    assert not live.of(Lifted)
    left = min(live.watch.tracks()["seat 0"], key=lambda track: float(track.centre[0]))
    assert np.linalg.norm(left.centre - [-40, -200]) < 3
    px = live.watch.outline_px("top", left).mean(0)
    assert np.linalg.norm(px - [750 - 84 + 16, 550 - 63 - 14]) < 6


def test_drifting_exposure_is_no_motion_and_costs_no_reading(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(6)
    readings = live.watch.readings
    for _ in range(12):
        live.scene.light *= 0.98
        live.pass_time(2)
    assert live.watch.readings == readings
    assert len(live.told) == 1


def test_an_idle_table_is_not_read(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(8)
    readings = live.watch.readings
    live.pass_time(30)
    assert live.watch.readings == readings


@pytest.mark.parametrize(("marker", "says", "count"), [(0, "pass", None), (7, "count", 7)])
def test_a_plaque_is_told_once_while_it_lies(
    reader: CardReader, marker: int, says: str, count: int | None
) -> None:
    live = Live(reader)
    plaque = Lying(f"plaque {marker}", 10, -250, 25)
    live.scene.lying.append(plaque)
    live.pass_time(8)
    live.scene.lay("CK", -120, -200)
    live.pass_time(8)
    assert [(shown.says, shown.count) for shown in live.of(PlaqueShown)] == [(says, count)]
    assert [names(laid.cards) for laid in live.of(Laid)] == ["CK"]


def test_look_again_reads_at_once(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(1)
    (laid,) = live.watch.read_now("seat 0")
    assert isinstance(laid, Laid)
    assert names(laid.cards) == "S7 H7"


def test_eight_frames_a_second_are_enough(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S9 H3 D9", -40, -210)
    live.pass_time(3, fps=8.0)
    assert [names(laid.cards) for laid in live.of(Laid)] == ["S9 H3 D9"]


def test_what_noise_makes_unreadable_is_told_with_doubt_or_not_at_all(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.noise = 60.0
    live.scene.lay("S9 H3 D9", -40, -210)
    live.pass_time(14)
    for laid in live.of(Laid):
        for card in laid.cards:
            assert card.doubtful or str(card.card) in {"S9", "H3", "D9"}


def test_a_frame_of_an_unknown_camera_is_refused_by_name(reader: CardReader) -> None:
    watch = TableWatch(one_zone(), reader)
    with pytest.raises(ValueError, match=r"'side'.*top"):
        watch.see([Frame(np.zeros((760, 1080, 3), np.uint8), 0.0, "side")])


def test_a_frame_of_another_size_is_refused_with_both_sizes(reader: CardReader) -> None:
    watch = TableWatch(one_zone(), reader)
    picture = np.random.default_rng(1).integers(0, 255, (480, 640, 3), np.uint8)
    with pytest.raises(ValueError, match=r"640x480.*1080x760"):
        watch.see([Frame(picture, 0.0, "top")])


def test_cards_that_came_while_the_only_camera_was_away_are_told_as_such(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7", -180, -210)
    live.scene.at += 12
    live.pass_time(6)
    live.scene.lay("D9", 60, -210)
    live.pass_time(6)
    first, second = live.of(Laid)
    assert (names(first.cards), names(second.cards)) == ("S7", "D9")
    assert first.dark == pytest.approx(12.0, abs=0.5)
    assert second.dark == 0


def test_cards_that_came_where_a_camera_was_gone_are_told_as_such(reader: CardReader) -> None:
    live = Live(reader, halves())
    live.pass_time(8, only=["right"])
    live.scene.lay("S7", -180, -210)
    live.pass_time(20, only=["right"])
    live.pass_time(8)
    live.scene.lay("H7", -120, -210)
    live.pass_time(8)
    first, second = live.of(Laid)
    assert first.dark > 1
    assert second.dark == 0


def test_a_zone_that_another_camera_sees_was_not_out_of_sight(reader: CardReader) -> None:
    cameras = (overhead("one", (1080, 760), centre=(0, -230)), overhead("two", (1080, 760), centre=(4, -226)))
    live = Live(reader, TableSetup("test", "guandan-official", cameras, (ZONE,)))
    live.pass_time(20, only=["two"])
    live.scene.lay("S7", -40, -210)
    live.pass_time(8)
    assert [laid.dark for laid in live.of(Laid)] == [0]
