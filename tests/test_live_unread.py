"""Cards that nobody could read, and print that is no card: told apart by the light of the table, without any network."""

from __future__ import annotations

import numpy as np
import pytest

from calibration.setup import play_zones
from tests.test_live_tracker import ZONE, EverythingMoved, Seen
from vision.gate import Gate
from vision.placing import overlap
from vision.plane import Points
from vision.rows import row_gaps
from vision.unread import Piece, unread_pieces
from vision.zone_views import SMALL_PX_PER_MM, ZoneGrid

CLOTH, PAPER, SHADE = 90, 225, 60


def card(x: float, y: float, wide: float = 60.0, high: float = 88.0) -> Points:
    """The outline of something upright with its middle at (x, y) mm from the zone's."""
    box = np.array([(-wide, high), (wide, high), (wide, -high), (-wide, -high)]) / 2
    return np.asarray(box + np.array([x, y]) + np.asarray(play_zones()[0].centre), np.float64)


class Light:
    """The small grey picture of a zone in which things lie."""

    def __init__(self) -> None:
        self.grid = ZoneGrid(ZONE, SMALL_PX_PER_MM)
        shape = (self.grid.size[1], self.grid.size[0])
        self.gate = Gate(self.grid, np.ones(shape, bool))
        self.nobody = np.zeros(shape, np.uint8)
        self.at = 0.0
        self.show()
        self.gate.learn(self.nobody)

    def show(self, *things: tuple[Points, int]) -> None:
        for _ in range(4):
            self.at += 0.1
            picture = np.full(self.nobody.shape, CLOTH, np.uint8)
            for outline, light in things:
                picture[self.grid.mask(outline) > 0] = light
            self.gate.see(picture, self.at)

    def paper(self) -> None:
        """A card has been read before: how light faces are is known."""
        self.show((card(0, 0), PAPER))
        self.gate.note_paper(card(0, 0)[None])

    def pieces(self, *cards: Points) -> list[Piece]:
        return unread_pieces(self.gate, cards, self.nobody)


@pytest.fixture
def light() -> Light:
    light = Light()
    light.paper()
    return light


def test_a_light_thing_as_large_as_a_card_is_taken_for_one(light: Light) -> None:
    light.show((card(80, 10), PAPER))
    (piece,) = light.pieces()
    assert piece.nothing < 0.2
    assert piece.outline.mean(0) == pytest.approx(card(80, 10).mean(0), abs=2)


def test_the_first_card_of_all_is_seen_though_nobody_knows_yet_how_light_faces_are() -> None:
    light = Light()
    light.show((card(80, 10), PAPER))
    (piece,) = light.pieces()
    assert piece.nothing < 0.2


def test_how_light_faces_are_is_learnt_from_the_other_zones_of_the_picture() -> None:
    light = Light()
    light.show((card(80, 10), PAPER))
    assert unread_pieces(light.gate, (), light.nobody, float(PAPER))
    assert unread_pieces(light.gate, (), light.nobody, 2.5 * PAPER) == []


def test_a_card_that_was_read_explains_its_own_light(light: Light) -> None:
    light.show((card(80, 10), PAPER))
    assert light.pieces(card(81, 10)) == []


@pytest.mark.parametrize(("wide", "high", "shade"), [(60, 88, SHADE), (30, 30, PAPER), (200, 120, PAPER)])
def test_what_is_dark_or_of_another_size_is_no_card(
    light: Light, wide: float, high: float, shade: int
) -> None:
    light.show((card(40, 0, wide, high), shade))
    assert light.pieces() == []


def test_a_card_that_sticks_out_from_under_another_is_seen_by_its_strip(light: Light) -> None:
    light.show((card(0, 0), PAPER), (card(16, 0), PAPER))
    (piece,) = light.pieces(card(0, 0))
    assert piece.nothing > 0.2
    assert piece.outline.mean(0) == pytest.approx(card(16, 0).mean(0), abs=5)


def test_the_bare_table_where_a_card_would_lie_disproves_it(light: Light) -> None:
    light.show((card(0, 0), PAPER))
    support = light.gate.support(card(16, 18), card(0, 0)[None])
    assert support is not None
    assert support < 0.1


def test_a_card_laid_over_another_is_supported_by_its_own_light(light: Light) -> None:
    light.show((card(0, 0), PAPER), (card(16, 18), PAPER))
    assert light.gate.support(card(16, 18), card(0, 0)[None]) == pytest.approx(1.0, abs=0.05)


def test_a_strip_of_table_beside_an_outline_a_little_off_disproves_nothing(light: Light) -> None:
    light.show((card(0, 0), PAPER))
    assert light.gate.support(card(8, 0), card(0, 0)[None]) is None


def test_on_a_table_as_light_as_cards_nothing_is_said(light: Light) -> None:
    light.gate.paper = CLOTH + 20.0
    light.show((card(0, 0), CLOTH + 20))
    assert light.gate.support(card(90, 0), card(0, 0)[None]) is None
    assert light.pieces() == []


def test_half_believed_print_where_the_table_shows_is_no_card() -> None:
    seen = Seen()
    seen.read(("DJ", 0, 0, 0), look=EverythingMoved(shows=0.1), confidence=0.65)
    assert seen.tracker.tracks == []


def test_a_card_surely_read_where_the_table_shows_is_kept_in_doubt() -> None:
    seen = Seen()
    seen.read(("DJ", 0, 0, 0), look=EverythingMoved(shows=0.1), confidence=0.97)
    assert seen.tracker.tracks[0].as_seen(ZONE).doubtful


def test_a_doubtful_card_is_no_surer_than_its_readings_however_often_they_are_repeated() -> None:
    seen = Seen()
    for _ in range(6):
        seen.read(("DJ", 0, 0, 0), look=EverythingMoved(changed=0.0), confidence=0.65)
    assert seen.tracker.tracks[0].as_seen(ZONE).confidence == pytest.approx(0.65, abs=0.01)


class PrintedTable(EverythingMoved):
    """Nothing lies on the table; what a surer card covers says nothing."""

    def support(self, outline: np.ndarray, others: np.ndarray) -> float | None:
        return None if any(overlap(outline, other) > 0.5 for other in others) else 0.0


def test_print_on_the_table_is_no_card_though_other_print_lies_over_it() -> None:
    seen = Seen()
    changes = seen.read(("DJ", 0, 0, 0), ("S7", 6, 8, 0), look=PrintedTable(), confidence=0.6)
    assert seen.tracker.tracks == []
    assert sorted(changes.print) == [0, 1]


def test_what_looks_as_the_table_round_it_is_no_card_though_nobody_knows_the_table_yet() -> None:
    light = Light()
    light.gate.forget()
    light.show((card(80, 10), PAPER))
    nothing = np.empty((0, 4, 2))
    assert light.gate.support(card(-80, 10), nothing) == 0.0
    assert light.gate.support(card(80, 10), nothing) is None


def test_the_bare_table_disproves_a_card_before_any_face_was_seen() -> None:
    light = Light()
    light.show((card(80, 10), PAPER))
    nothing = np.empty((0, 4, 2))
    assert light.gate.support(card(-80, 10), nothing) == 0.0
    assert light.gate.support(card(80, 10), nothing) == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize(
    ("places", "missing"),
    [
        ((0, 16, 48, 64), [32]),
        ((0, 30, 45), [15]),
        ((0, 8, 16, 24, 40), [32]),
        ((0, 29, 87), [58]),
    ],
)
def test_a_gap_of_two_steps_in_an_even_row_is_a_card(places: tuple[float, ...], missing: list[float]) -> None:
    gaps = row_gaps([card(x, 0) for x in places], ZONE)
    assert [float(gap.mean(0)[0]) for gap in gaps] == pytest.approx(missing)


@pytest.mark.parametrize(
    "places",
    [
        (0, 20),
        (0, 18, 41, 60, 77),
        (0, 12, 30, 58),
        (0, 14, 28, 84, 98),
        (0, 70, 140),
        (0, 16, 32, 92, 108),
    ],
    ids=["no other step", "ragged", "uneven", "too wide", "side by side", "two plays"],
)
def test_steps_that_people_make_are_no_gap(places: tuple[float, ...]) -> None:
    assert row_gaps([card(x, 0) for x in places], ZONE) == []


def test_cards_of_two_rows_are_no_row() -> None:
    assert row_gaps([card(0, 0), card(16, 0), card(48, -38), card(64, -38)], ZONE) == []


def test_a_card_read_at_last_in_a_gap_keeps_its_track() -> None:
    seen = Seen()
    seen.read(("S7", 0, 0, 0), ("H7", 16, 0, 0), ("C7", 48, 0, 0), ("D7", 64, 0, 0))
    (gap,) = seen.tracker.see_gaps(ZONE, seen.tracker.tracks)
    assert gap.as_seen(ZONE).unread
    seen.read(("S7", 0, 0, 0), ("H7", 16, 0, 0), ("S9", 32, 0, 0), ("C7", 48, 0, 0), ("D7", 64, 0, 0))
    assert (str(gap.as_seen(ZONE).card), len(seen.tracker.tracks)) == ("S9", 5)


def piece(x: float = 80.0) -> Piece:
    return Piece(card(x, 10), card(x, 10), 0.1)


def test_what_could_not_be_read_is_a_track_that_says_so() -> None:
    seen = Seen()
    seen.tracker.see_unread(ZONE, [piece()], EverythingMoved(), 1.0)
    told = seen.tracker.tracks[0].as_seen(ZONE)
    assert (told.unread, told.card, told.confidence, told.nothing) == (True, None, 0.0, 0.1)


def test_what_lay_there_unchanged_is_nothing_new() -> None:
    seen = Seen()
    seen.tracker.see_unread(ZONE, [piece()], EverythingMoved(changed=0.0), 1.0)
    assert seen.tracker.tracks == []


def test_what_shows_no_more_before_it_was_told_is_forgotten() -> None:
    seen = Seen()
    seen.tracker.see_unread(ZONE, [piece()], EverythingMoved(), 1.0)
    seen.tracker.see_unread(ZONE, [], EverythingMoved(), 1.0)
    assert seen.tracker.tracks == []


def test_a_card_read_at_last_keeps_its_track() -> None:
    seen = Seen()
    seen.tracker.see_unread(ZONE, [piece()], EverythingMoved(), 1.0)
    seen.tell()
    seen.read(("LJ", 80, -10, 0))
    (track,) = seen.tracker.tracks
    assert (track.number, str(track.as_seen(ZONE).card), track.blank) == (1, "LJ", False)
