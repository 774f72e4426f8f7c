"""Turning a card, who draws first, who leads the first deal, hands counted."""

from __future__ import annotations

import pytest

from table.cards import Card, full_packs
from table.guandan.opening import first_drawer, must_turn_again, roles_before
from table.rulesets import load_profile
from tests.guandan_tools import EVENT, OFFICIAL, Table


@pytest.mark.rule("GDO-17")
@pytest.mark.parametrize("card", ["LJ", "BJ", "H2"])
def test_a_joker_or_the_heart_two_is_turned_again(card: str) -> None:
    table = Table(draw=False)
    table.add("turned_up", seat=1, card=card)
    table.add("turned_up", seat=1, card="S9")
    table.add("draw_ended")
    assert table.found() == []
    table = Table(draw=False)
    table.add("turned_up", seat=1, card=card)
    table.add("draw_ended")
    claim = table.only("cut_invalid")
    assert (claim.seat, table.rule_of(claim)) == (1, "GDO-17")


@pytest.mark.rule("GDE-15")
def test_the_event_counts_jokers_instead_of_turning_again() -> None:
    table = Table(EVENT, draw=False)
    table.add("turned_up", seat=1, card="BJ")
    table.add("draw_ended")
    assert table.found() == []
    event = load_profile(EVENT)
    # The turner counts as one; LJ = 3, BJ = 6.
    assert [first_drawer(event, Card.parse(card), 1) for card in ("LJ", "BJ")] == [3, 2]


@pytest.mark.rule("GDO-18", "GDE-15")
@pytest.mark.parametrize(
    ("card", "drawer"),
    [("SA", 1), ("S2", 2), ("S4", 0), ("S5", 1), ("S10", 2), ("SJ", 3), ("SQ", 0), ("SK", 1)],
)
def test_the_first_drawer_is_counted_from_the_turner(card: str, drawer: int) -> None:
    # South, seat 1, cuts and turns; A = 1, J = 11, Q = 12, K = 13.
    assert first_drawer(load_profile(OFFICIAL), Card.parse(card), 1) == drawer
    assert first_drawer(load_profile(EVENT), Card.parse(card), 1) == drawer


@pytest.mark.rule("GDO-17", "GDO-18")
def test_what_must_be_turned_again_names_no_drawer() -> None:
    official = load_profile(OFFICIAL)
    assert must_turn_again(official, Card.parse("H2"))
    assert first_drawer(official, Card.parse("LJ"), 1) is None


@pytest.mark.rule("GDO-19", "GDE-16")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-19"), (EVENT, "GDE-16")])
def test_who_did_not_draw_the_turned_card_may_not_lead(profile: str, rule: str) -> None:
    table = Table(profile, draw=False)
    table.add("turned_up", seat=1, card="S9")
    table.add("draw_ended")
    table.play(0, "S3")
    table.play(1, "S9")
    assert table.found() == []
    table.passes(2, 3, 0)
    table.play(1, "S9")
    claim = table.only("wrong_leader")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (0, "proven", rule)


@pytest.mark.rule("GDO-19")
@pytest.mark.parametrize("before", ["a lead that may be none", "a gap"])
def test_a_first_lead_that_may_be_none_or_not_the_first_proves_nothing(before: str) -> None:
    table = Table(draw=False)
    table.add("turned_up", seat=1, card="S9")
    table.add("draw_ended")
    if before == "a gap":
        table.add("missing", seat=1, why="unnoticed")
    doubt = {"confidence": 0.3, "alternatives": [["", 0.4]]} if before != "a gap" else {}
    table.play(0, "S3", source="camera", **doubt)
    table.play(1, "S9")
    table.passes(2, 3, 0)
    table.play(1, "S9")
    found = [claim.certainty for claim in table.claims() if claim.check == "wrong_drawn_leader"]
    assert found == ["check"]


@pytest.mark.rule("GDO-19")
def test_one_copy_of_the_turned_card_elsewhere_proves_nothing() -> None:
    table = Table(draw=False)
    table.add("turned_up", seat=1, card="S9")
    table.add("draw_ended")
    table.play(0, "S3")
    table.play(1, "S9")
    table.passes(2, 3, 0)
    assert table.found() == []


@pytest.mark.rule("GDO-20")
@pytest.mark.parametrize(
    ("finish", "roles"),
    [
        ((0, 1, 2, 3), {"shuffles": 3, "cuts": 0, "draws_first": 3}),
        ((1, 0, 2, 3), {"shuffles": 0, "cuts": 1, "draws_first": 3}),
        ((0, 2, 1, 3), {"shuffles": 3, "cuts": 0, "draws_first": 1}),
    ],
)
def test_from_the_second_deal_the_winner_cuts(finish: tuple[int, ...], roles: dict[str, int]) -> None:
    assert roles_before(load_profile(OFFICIAL), finish) == roles


@pytest.mark.rule("GDE-18", "GDE-13")
def test_in_the_event_the_last_player_shuffles_and_draws_first() -> None:
    assert roles_before(load_profile(EVENT), (0, 2, 1, 3)) == {"shuffles": 3, "cuts": 0, "draws_first": 3}


@pytest.mark.rule("GDO-20", "GDE-18")
def test_the_view_of_a_deal_names_who_shuffles_cuts_and_draws() -> None:
    table = Table(level="5", finish=[0, 1, 2, 3])
    view = table.state.game.view(table.state.deal)
    assert view["roles"] == {"shuffles": 3, "cuts": 0, "draws_first": 3}


@pytest.mark.rule("GDO-23", "GDE-01")
def test_two_packs_are_twenty_seven_cards_each() -> None:
    assert full_packs(2).total() == 108
    assert Table().state.deal.left == (27, 27, 27, 27)


@pytest.mark.rule("GDO-24", "GDE-01")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-24"), (EVENT, "GDE-01")])
def test_a_hand_that_is_counted_and_is_not_what_it_should_be(profile: str, rule: str) -> None:
    table = Table(profile)
    table.play(0, "S3 H3")
    table.add("hand_count", seat=0, count=25)
    table.add("hand_count", seat=1, count=27)
    assert table.found() == []
    table.add("hand_count", seat=2, count=26)
    claim = table.only("card_count")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (2, "proven", rule)
    # From here on the referee's count is the one that counts.
    assert table.state.deal.left[2] == 26


@pytest.mark.rule("GDO-24")
def test_a_dealt_hand_of_the_wrong_size_is_told() -> None:
    table = Table(draw=False)
    table.add(
        "dealt", seat=1, cards=" ".join(["S3"] * 2 + [f"S{rank}" for rank in range(4, 11)] * 2 + ["HA"] * 2)
    )
    assert table.only("card_count").seat == 1


@pytest.mark.rule("GDO-25")
def test_cards_dealt_instead_of_drawn_are_as_good() -> None:
    table = Table(draw=False)
    pack = list(full_packs(2).elements())
    for seat in range(4):
        table.add("dealt", seat=seat, cards=" ".join(map(str, pack[seat::4])))
    table.add("draw_ended")
    table.play(0, str(pack[0]))
    assert table.found() == []


@pytest.mark.rule("GDO-24", "GDE-37")
def test_more_cards_played_than_the_hand_held_is_told_with_the_first_too_many() -> None:
    table = Table()
    table.left(s0=1)
    table.play(0, "S3 H3")
    assert table.only("card_count").seat == 0


@pytest.mark.rule("GDO-24", "GDE-01")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-24"), (EVENT, "GDE-01")])
def test_a_third_copy_of_a_card_cannot_exist(profile: str, rule: str) -> None:
    table = Table(profile)
    table.play(0, "S9 S9")
    table.play(1, "SJ SJ")
    table.passes(2, 3, 0)
    table.play(1, "S9")
    claim = table.only("card_impossible")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (1, "proven", rule)


@pytest.mark.rule("GDE-01")
def test_a_doubtful_third_copy_is_a_matter_to_check() -> None:
    table = Table()
    table.play(0, "S9 S9")
    table.play(1, "SJ SJ")
    table.passes(2, 3, 0)
    table.play(1, "S9", confidence=0.5, alternatives=[["S6", 0.4]])
    assert table.only("card_impossible").certainty == "check"


@pytest.mark.rule("GDE-37")
def test_tribute_that_changes_hands_is_not_counted_twice() -> None:
    table = Table(level="5", finish=[0, 1, 2, 3])
    table.add("tribute", seat=3, to=0, card="SA")
    table.add("tribute_return", seat=0, to=3, card="S4")
    table.play(3, "S4")
    table.play(0, "SA")
    table.passes(1, 2, 3)
    table.play(0, "SA SA")
    assert [claim.kind for claim in table.claims()] == ["card_impossible"]
    assert table.claims()[0].cards == (Card.parse("SA"),)


@pytest.mark.rule("GDE-37")
def test_a_card_that_a_sealed_hand_does_not_hold_is_told() -> None:
    table = Table(draw=False)
    pack = list(full_packs(2).elements())
    table.add("dealt", seat=0, cards=" ".join(map(str, pack[:27])))
    table.play(0, "D9")
    claim = table.only("card_impossible")
    assert claim.check == "card_not_in_hand"
