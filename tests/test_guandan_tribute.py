"""Tribute: what is due from whom, what proves that another card was, who leads then."""

from __future__ import annotations

from collections import Counter

import pytest

from table.cards import full_packs, parse_cards
from table.guandan.tribute import highest_to_pay
from tests.guandan_tools import DOUBLE, EVENT, OFFICIAL, SINGLE, Table, deal_out, give_back, tribute


@pytest.mark.rule("GDO-26", "GDE-20")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-26"), (EVENT, "GDE-20")])
def test_a_higher_card_shown_later_proves_that_the_tribute_was_not_the_highest(
    profile: str, rule: str
) -> None:
    table = Table(profile, level="5", finish=SINGLE)
    tribute(table, 3, 0, "SK")
    event = table.seq
    give_back(table, 0, 3, "S4")
    table.play(3, "S3")
    table.passes(0, 1, 2)
    assert table.found() == []
    table.play(3, "SA")
    claim = table.only("tribute_not_highest")
    assert (claim.seat, claim.event, claim.certainty, table.rule_of(claim)) == (3, event, "proven", rule)
    line = next(line for line in table.lines if line.get("kind") == "tribute_not_highest")
    assert line["known_at"] == table.seq


@pytest.mark.rule("GDO-26")
def test_a_sealed_hand_proves_it_at_once() -> None:
    table = Table(level="5", finish=SINGLE, draw=False)
    deal_out(table, 3, "SK SA")
    tribute(table, 3, 0, "SK")
    assert table.only("tribute_not_highest").certainty == "proven"


@pytest.mark.rule("GDO-26")
def test_a_card_that_came_back_in_return_proves_nothing() -> None:
    table = Table(level="5", finish=SINGLE, options={"tribute.return_max": "any"})
    tribute(table, 3, 0, "SK")
    give_back(table, 0, 3, "SA")
    table.play(3, "SA")
    assert table.found() == []


@pytest.mark.rule("GDO-26")
def test_a_return_that_nobody_saw_leaves_one_higher_card_open_and_two_proven() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SK")
    give_back(table, 0, 3, None)
    table.play(3, "SA")
    assert table.found() == [("tribute_not_highest", 3, "provisional")]
    table.passes(0, 1, 2)
    table.play(3, "LJ")
    assert table.found() == [("tribute_not_highest", 3, "proven")]


@pytest.mark.rule("GDO-26")
def test_a_wild_is_never_tribute() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "H5")
    assert table.only("tribute_not_highest").certainty == "proven"


@pytest.mark.rule("GDO-26")
def test_a_wild_shown_later_is_no_higher_card() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SA")
    give_back(table, 0, 3, "S4")
    table.play(3, "H5")
    assert table.found() == []


@pytest.mark.rule("GDO-26", "GDO-27", "GDO-43")
def test_level_cards_outrank_the_ace_and_the_payer_chooses_the_suit() -> None:
    # Dispute A32: level 5, H5 S5 D5 SA.
    assert [str(card) for card in highest_to_pay(parse_cards("H5 S5 D5 SA"), "5")] == ["S5", "D5"]
    assert [str(card) for card in highest_to_pay(parse_cards("H5 SA HA SK"), "5")] == ["SA", "HA"]
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SA")
    give_back(table, 0, 3, "S4")
    table.play(3, "D5")
    assert table.only("tribute_not_highest").seat == 3


@pytest.mark.rule("GDO-27")
def test_any_suit_of_the_highest_rank_may_be_paid() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SA")
    give_back(table, 0, 3, "S4")
    table.play(3, "HA")
    assert table.found() == []


@pytest.mark.rule("GDO-26")
@pytest.mark.rule("GDO-30", "GDE-20")
def test_last_of_the_winning_side_pays_his_own_partner_and_leads() -> None:
    # Dispute A31: a 1-4 finish.
    table = Table(level="3", finish=[0, 1, 3, 2])
    tribute(table, 2, 0, "SA")
    give_back(table, 0, 2, "S4")
    table.play(2, "S6")
    assert table.found() == []


@pytest.mark.rule("GDO-26", "GDE-20")
def test_tribute_from_who_owes_none_is_told() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 1, 0, "SA")
    assert table.only("tribute_not_due").seat == 1
    table = Table()
    tribute(table, 3, 0, "SA")
    assert table.only("tribute_not_due").seat == 3


@pytest.mark.rule("GDO-30")
def test_after_a_single_tribute_the_payer_leads() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SA")
    give_back(table, 0, 3, "S4")
    table.play(0, "S6")
    claim = table.only("wrong_leader")
    assert (claim.seat, table.rule_of(claim)) == (0, "GDO-30")


@pytest.mark.rule("GDO-31", "GDE-22")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-31"), (EVENT, "GDE-22")])
def test_a_double_tribute_goes_by_rank_not_by_seat(profile: str, rule: str) -> None:
    # Dispute A29: seat 1 pays A, seat 3 pays LJ: LJ to seat 0, A to seat 2, seat 3 leads.
    table = Table(profile, level="5", finish=DOUBLE)
    tribute(table, 1, 2, "SA")
    tribute(table, 3, 0, "LJ")
    give_back(table, 0, 3, "S3")
    give_back(table, 2, 1, "S4")
    table.play(3, "S6")
    assert table.found() == []
    table = Table(profile, level="5", finish=DOUBLE)
    tribute(table, 1, 0, "SA")
    tribute(table, 3, 2, "LJ")
    assert {table.rule_of(claim) for claim in table.claims("tribute_wrong_receiver")} == {rule}


@pytest.mark.rule("GDO-33", "GDO-34")
def test_equal_tributes_go_by_seat_and_the_first_player_s_next_leads() -> None:
    # Dispute A28.
    table = Table(level="5", finish=DOUBLE)
    tribute(table, 1, 0, "SA")
    tribute(table, 3, 2, "HA")
    give_back(table, 0, 1, "S3")
    give_back(table, 2, 3, "S4")
    table.play(1, "S6")
    assert table.found() == []
    table = Table(level="5", finish=DOUBLE)
    tribute(table, 1, 2, "SA")
    tribute(table, 3, 0, "HA")
    assert {table.rule_of(claim) for claim in table.claims("tribute_wrong_receiver")} == {"GDO-33"}


@pytest.mark.rule("GDO-34")
def test_after_a_double_whose_card_went_to_the_first_player_leads() -> None:
    table = Table(level="5", finish=DOUBLE)
    tribute(table, 1, 2, "SA")
    tribute(table, 3, 0, "LJ")
    give_back(table, 0, 3, "S3")
    give_back(table, 2, 1, "S4")
    table.play(1, "S6")
    assert table.only("wrong_leader").seat == 1


@pytest.mark.rule("GDE-23")
@pytest.mark.parametrize(
    ("to_1", "to_3", "leader"), [("S3", "S9", 1), ("S9", "S3", 3), ("S9", "H9", 1)],
    ids=["smaller to seat 1", "smaller to seat 3", "equal: next after the winner"],
)  # fmt: skip
def test_equal_tributes_with_free_choice_let_the_smaller_return_lead(
    to_1: str, to_3: str, leader: int
) -> None:
    for seat in (1, 3):
        table = Table(EVENT, level="5", finish=DOUBLE)
        tribute(table, 1, 2, "SA")
        tribute(table, 3, 0, "HA")
        give_back(table, 2, 3, to_3)
        give_back(table, 0, 1, to_1)
        table.play(seat, "S6")
        assert (table.found() == []) is (seat == leader)


@pytest.mark.parametrize("procedure", ["random", "winners_choose"])
def test_equal_tributes_by_chance_or_choice_bind_nobody_but_the_taker_s_payer_leads(procedure: str) -> None:
    table = Table(level="5", finish=DOUBLE, options={"tribute.equal": procedure})
    tribute(table, 1, 2, "SA")
    tribute(table, 3, 0, "HA")
    give_back(table, 0, 3, "S3")
    give_back(table, 2, 1, "S4")
    table.play(3, "S6")
    assert table.found() == []


@pytest.mark.rule("GDO-26")
def test_a_doubtful_card_makes_it_a_matter_to_check() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SK")
    give_back(table, 0, 3, "S4")
    table.play(3, "SA", confidence=0.4)
    assert ("tribute_not_highest", 3, "check") in table.found()
    table.passes(0, 1, 2)
    table.play(3, "LJ")
    assert ("tribute_not_highest", 3, "proven") in table.found()


@pytest.mark.rule("GDO-26")
def test_a_correction_of_the_proof_withdraws_it() -> None:
    table = Table(level="5", finish=SINGLE)
    tribute(table, 3, 0, "SK")
    give_back(table, 0, 3, "S4")
    table.play(3, "SA")
    said = table.add("correction", of=table.seq, replacement={"event": "play", "seat": 3, "cards": "S6"})
    assert said == [{"finding": 1, "withdrawn": True, "event": table.seq}]
    assert table.found() == []


def test_no_tribute_is_due_where_the_profile_has_none() -> None:
    table = Table(level="5", finish=SINGLE, options={"tribute.played": False})
    table.play(1, "S4")
    assert table.found() == []


@pytest.mark.rule("GDO-26")
def test_at_the_end_of_a_deal_what_the_last_player_never_showed_is_known_and_audited() -> None:
    table = Table(level="5", finish=SINGLE, draw=False)
    last = parse_cards("SA SK " + " ".join(f"{suit}{rank}" for rank in "346789" for suit in "SHCD") + " S3")
    rest = list((full_packs(2) - Counter(last)).elements())
    hands = [rest[seat::3] for seat in range(3)]
    for seat, hand in enumerate(hands):
        table.add("dealt", seat=seat, cards=" ".join(map(str, hand)))
    tribute(table, 3, 0, "SK")
    give_back(table, 0, 3, str(next(card for card in hands[0] if card.rank in "3467")))
    table.play(3, "S3")
    table.left(s0=1, s1=1, s2=1)
    # Nothing shown is higher than the king that seat 3 paid: the ace still in hand comes out by counting.
    for seat, rank in ((0, "Q"), (1, "K"), (2, "A")):
        assert table.claims("tribute_not_highest") == []
        table.play(seat, str(next(card for card in hands[seat] if card.rank == rank)))
    claim = table.claims("tribute_not_highest")[0]
    assert (claim.seat, claim.certainty, claim.fields["higher"]) == (3, "proven", "♠A")
