"""What cannot be seen: a zone under a hand, cards under backs; watched over time on rendered frames."""

from __future__ import annotations

import pytest

from table.sightings import Backs, Blind, Laid, Lifted, TurnedOver
from tests.live_scenes import Lying
from tests.test_live_watch import Live, names
from vision.card_reader import CardReader


@pytest.fixture(scope="module")
def reader() -> CardReader:
    return CardReader.open(1)


def arm() -> list[Lying]:
    """An arm with its sleeve over most of a zone, from the player's edge."""
    return [Lying("hand", x, y) for x in range(-190, 191, 54) for y in (-200, -300)]


def test_a_zone_under_an_arm_is_blind_until_it_is_seen_again(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("S7 H7", -40, -200)
    live.pass_time(6)
    live.scene.lying += (over := arm())
    live.pass_time(40)
    (blind,) = live.of(Blind)
    assert (blind.why, blind.blind, blind.zone) == ("hand", True, "seat 0")
    for thing in over:
        thing.x += 5
    live.pass_time(3)
    assert len(live.of(Blind)) == 1
    live.scene.lift(*over)
    live.pass_time(8)
    assert [one.blind for one in live.of(Blind)] == [True, False]
    assert not live.of(Lifted)
    assert len(live.of(Laid)) == 1


def test_a_hand_in_a_corner_blinds_nobody(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lying.append(Lying("hand", 150, -300))
    live.pass_time(40)
    assert not live.of(Blind)


def test_a_row_turned_over_is_all_turned_over_though_its_backs_lie_overlapped(reader: CardReader) -> None:
    live = Live(reader)
    cards = live.scene.lay("S7 H8 D9 C10 SJ", -40, -200, step=12)
    live.pass_time(6)
    for card in cards:
        card.what = "back"
    live.pass_time(8)
    turned = [card for one in live.of(TurnedOver) for card in one.cards]
    assert sorted(str(card.card) for card in turned) == ["C10", "D9", "H8", "S7", "SJ"]
    assert not live.of(Lifted)
    assert len(live.of(Laid)) == 1
    assert live.of(Backs)[-1].count > 0


def test_a_card_laid_beside_overlapped_backs_is_all_that_is_new(reader: CardReader) -> None:
    live = Live(reader)
    live.scene.lay("back back back back", -120, -210, step=9)
    live.pass_time(8)
    live.scene.lay("CK", 80, -210)
    live.pass_time(8)
    assert [names(laid.cards) for laid in live.of(Laid)] == ["CK"]


def test_one_of_overlapped_backs_turned_up_is_that_card(reader: CardReader) -> None:
    live = Live(reader)
    cards = live.scene.lay("S7 H8 D9", -40, -200, step=20)
    live.pass_time(6)
    for card in cards:
        card.what = "back"
    live.pass_time(8)
    cards[2].what = "D9"
    live.pass_time(8)
    up = [one for one in live.of(TurnedOver) if one.face_up]
    assert [names(one.cards) for one in up] == ["D9"]
    assert len(live.of(Laid)) == 1
