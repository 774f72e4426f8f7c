"""Results of whole deals: points, kitty, bank, and what upheld penalties make of them. Deals of ten cards."""

from __future__ import annotations

import pytest

from table.cards import ALL_CARDS
from tests.shengji_tools import EVENT, FINAL, OFFICIAL, cards, findings, record, result

TEN = "HA HK H5 S3 C4"
"""Two of each are in play: two cards in each hand, two in the kitty; the step of levels is 10 points."""


def tiny(profile, *events, step=10, **options):
    kept = set(cards(TEN))
    keys = {"pack__removed": [str(card) for card in ALL_CARDS if card not in kept], "pack__kitty_size": 2,
            "levels__step": step, **options}  # fmt: skip
    start = [("deal", {"banker": 0, "trump": "S", "level": "2"}), ("kitty_taken", 0), ("kitty_laid", 0)]
    return record(profile, *start, *events, **keys)


WON_BY_ATTACKERS = [
    ("play", 0, "HA"), ("play", 1, "HK"), ("play", 2, "H5"), ("play", 3, "S3"),
    ("play", 3, "C4"), ("play", 0, "HA"), ("play", 1, "HK"), ("play", 2, "H5"),
]  # fmt: skip
WON_BY_BANK = [
    ("play", 0, "HAx2"), ("play", 1, "HKx2"), ("play", 2, "H5x2"), ("play", 3, "S3 C4"),
]  # fmt: skip


@pytest.mark.rule("SJO-08", "SJO-09", "SJO-47", "SJO-53", "SJE-03", "SJE-37")
def test_points_go_to_the_side_that_wins_the_trick():
    found = result(tiny(FINAL, *WON_BY_ATTACKERS))
    assert (found["attackers"], found["trick_points"], found["next_banker"]) == (1, 30, 1)
    bank = result(tiny(FINAL, *WON_BY_BANK))
    assert (bank["points"], bank["rise"], bank["next_banker"], bank["levels"]) == (0, 3, 2, ["5", "2"])


@pytest.mark.rule("SJO-48", "SJE-38")
def test_the_kitty_follows_from_the_cards_that_were_not_played_and_counts_for_the_attackers():
    plays = [
        ("play", 0, "HA"), ("play", 1, "S3"), ("play", 2, "H5"), ("play", 3, "C4"),
        ("play", 1, "S3"), ("play", 2, "H5"), ("play", 3, "C4"), ("play", 0, "HA"),
    ]  # fmt: skip
    found = result(tiny(FINAL, *plays))
    assert (found["kitty"], found["kitty_points"], found["kitty_multiplier"]) == ("HK HK", 20, 2)
    assert found["points"] == 10 + 40


def test_a_claim_that_a_deal_is_decided_does_not_end_it():
    """Dispute A25: kitty points times the multiplier can still move the band."""
    assert tiny(FINAL, *WON_BY_ATTACKERS[:4]).state.results == {}


@pytest.mark.rule("SJE-41", "SJE-46", "SJE-47", "SJE-48")
@pytest.mark.parametrize(
    ("offence", "fine"),
    [
        (("exposed", 1, "HK"), -10), (("exposed", 0, "HA"), 10), (("exposed", 0, "HAx2"), 20),
        (("hand_count", 1, 5), -10), (("hand_count", 0, 1), 10),
    ],
)  # fmt: skip
def test_fines_count_for_the_other_side_once_they_are_upheld(offence, fine):
    found = tiny(FINAL, offence, *WON_BY_ATTACKERS)
    assert result(found)["points"] == 30
    upheld = tiny(FINAL, offence, *WON_BY_ATTACKERS, ("upheld", 1))
    assert (result(upheld)["fines"], result(upheld)["points"]) == (fine, 30 + fine)
    assert result(tiny(FINAL, offence, *WON_BY_ATTACKERS, ("dismissed", 1)))["points"] == 30


@pytest.mark.rule("SJO-51")
def test_fines_make_points_negative_and_the_bank_rises_more():
    exposed = [("exposed", 1, "HKx2"), ("upheld", 1)]
    found = result(tiny(FINAL, *exposed, *WON_BY_BANK))
    assert (found["points"], found["rise"]) == (-20, 5)


@pytest.mark.rule("SJE-46")
def test_wrong_counts_of_both_sides_have_the_deal_played_again():
    both = tiny(FINAL, ("hand_count", 1, 5), ("hand_count", 0, 1), *WON_BY_ATTACKERS)
    assert {str(claim.penalty) for claim in both.findings().values()} == {"replay_deal"}
    again = tiny(FINAL, ("hand_count", 1, 5), ("hand_count", 0, 1), *WON_BY_ATTACKERS, ("upheld", 1))
    assert result(again)["replay"] is True
    assert again.state.standing.levels == ("2", "2")


def _revoked(seat: int, *, points: int, policy: str = "graded"):
    """A deal in which a revoke of a seat is upheld while the attackers have so many points."""
    reading = {0: "HA", 1: "HK", 2: "H5", 3: "S3"}
    plays = WON_BY_ATTACKERS if points >= 20 else WON_BY_BANK
    claim = ("exposed", seat, reading[seat])
    special = {"penalty": {"kind": "special", "name": "revoke"}}
    return result(tiny(FINAL, claim, *plays, ("upheld", 1, special), fines__revoke=policy))


@pytest.mark.rule("SJE-43")
@pytest.mark.parametrize(
    ("seat", "points", "taken", "rise"),
    [(0, 0, True, 0), (0, 30, True, 2), (1, 30, False, 1), (1, 0, False, 4)],
)
def test_an_upheld_revoke_is_graded_by_the_points(seat, points, taken, rise):
    """At a step of 10: 0 points give the bank +3, 30 give the attackers the bank and +1."""
    found = _revoked(seat, points=points)
    assert (found["attackers_take_bank"], found["rise"]) == (taken, rise)


@pytest.mark.rule("SJE-44")
@pytest.mark.parametrize(
    ("seat", "points", "taken", "rise"),
    [(0, 0, True, 1), (0, 30, True, 2), (1, 30, False, 1), (1, 0, False, 4)],
)
def test_by_key_the_other_side_steps_up_and_one_level_more(seat, points, taken, rise):
    found = _revoked(seat, points=points, policy="other_side_up")
    assert (found["attackers_take_bank"], found["rise"]) == (taken, rise)


@pytest.mark.rule("SJE-43", "SJE-42")
def test_a_revoke_found_by_the_referee_costs_the_bank_when_upheld():
    """Seat 2 holds a heart and plays a club; the heart shows it in the next trick."""
    plays = [
        ("play", 0, "HA"), ("play", 1, "HK"), ("play", 2, "C4"), ("play", 3, "S3"),
        ("play", 3, "C4"), ("play", 0, "HA"), ("play", 1, "HK"), ("play", 2, "H5"),
    ]  # fmt: skip
    found = tiny(FINAL, *plays, ("kitty_revealed", "S3 H5"))
    assert ("revoke", 2, "proven") in findings(found)
    number = next(n for n, claim in found.findings().items() if claim.kind == "revoke")
    upheld = tiny(FINAL, *plays, ("kitty_revealed", "S3 H5"), ("upheld", number))
    assert result(upheld)["attackers_take_bank"] is True
    assert result(upheld)["rise"] == result(found)["rise"] + 1


@pytest.mark.rule("SJE-49")
def test_illegal_information_costs_the_deal_when_upheld_and_is_never_proven():
    sign = ("moved", 0, "coughs")
    assert findings(tiny(FINAL, sign)) == [("information", 0, "likely")]
    found = result(tiny(FINAL, sign, *WON_BY_BANK, ("upheld", 1)))
    assert (found["attackers_take_bank"], found["rise"]) == (True, 0)
    assert findings(tiny(OFFICIAL[2], sign)) == []


@pytest.mark.rule("SJE-44")
def test_a_house_table_may_price_offences_otherwise():
    """Dispute A27: penalties are keys of a profile."""
    offence = ("exposed", 0, "HA")
    keys = {"fines__exposed_per_card": 0, "penalties__exposed_card": "levels:1"}
    found = tiny(FINAL, offence, *WON_BY_BANK, ("upheld", 1), **keys)
    assert result(found)["levels"] == ["5", "3"]


@pytest.mark.rule("SJO-55", "SJE-51")
def test_nobody_is_on_a_clock_with_a_limit_while_playing():
    found = tiny(FINAL, ("play", 0, "HA", {"at": 10.0}), ("play", 1, "HK", {"at": 10_000.0}))
    assert findings(found) == []
    assert [wait.wait.seat for wait in found.state.clock.running] == [2]


@pytest.mark.rule("SJO-54")
def test_the_match_is_won_by_holding_the_bank_at_A_and_by_deals_by_the_higher_level():
    deal = ("deal", {"banker": 0, "trump": "S", "level": "A"})
    kept = set(cards(TEN))
    keys = {"pack__removed": [str(card) for card in ALL_CARDS if card not in kept], "pack__kitty_size": 2}
    begin = [("kitty_taken", 0), ("kitty_laid", 0)]
    won = record(FINAL, deal, *begin, *WON_BY_BANK, levels=("A", "5"), **keys)
    assert won.finish()[0]["match"]["winner"] == 0
    deal = ("deal", {"banker": 0, "trump": "S", "level": "2"})
    keys.update(format__kind="deals", format__deals=1)
    by_deals = record(FINAL, deal, *begin, *WON_BY_BANK, **keys)
    assert by_deals.finish()[0]["match"]["winner"] == 0
    tied = record(FINAL, ("match_ended", "time"), format__kind="time", format__tie="last_declarer")
    assert tied.finish()[0]["match"]["winner"] is None


def test_a_table_by_the_event_counts_three_packs_and_the_official_one_two():
    assert tiny(EVENT, packs=2).state.profile.whole("packs") == 2


def test_a_J_back_is_found_in_the_last_trick():
    """Dispute A26: the bank plays J and loses the last trick to a single J."""
    kept = set(cards("HA HK CJ S3 C4"))
    keys = {"pack__removed": [str(card) for card in ALL_CARDS if card not in kept], "pack__kitty_size": 2,
            "levels__jack_back": "single_jack", "levels__step": 10}  # fmt: skip
    plays = [
        ("play", 0, "HA"), ("play", 1, "S3"), ("play", 2, "HK"), ("play", 3, "C4"),
        ("play", 1, "CJ"), ("play", 2, "HK"), ("play", 3, "C4"), ("play", 0, "HA"),
    ]  # fmt: skip
    deal = [("deal", {"banker": 0, "trump": "S", "level": "J"}), ("kitty_taken", 0), ("kitty_laid", 0)]
    found = record(FINAL, *deal, *plays, levels=("J", "5"), **keys)
    assert result(found)["levels"][0] == "2"
    off = record(FINAL, *deal, *plays, levels=("J", "5"), **{**keys, "levels__jack_back": "none"})
    assert result(off)["levels"][0] == "J"


@pytest.mark.rule("SJO-30")
def test_an_objection_without_cards_is_provisional_until_the_hands_are_known():
    kept = set(cards("HA HK CQ S3 C4"))
    keys = {"pack__removed": [str(card) for card in ALL_CARDS if card not in kept], "pack__kitty_size": 2}
    start = [("deal", {"banker": 0, "trump": "S", "level": "2"}), ("kitty_taken", 0), ("kitty_laid", 0)]
    thrown = [("play", 0, "HA HK"), ("throw_stopped", 1)]
    before = record(OFFICIAL[2], *start, *thrown, **keys)
    assert findings(before) == [("throw_failed", 0, "provisional")]
    rest = [("play", 1, "C4x2"), ("play", 2, "CQx2"), ("play", 3, "S3 HA")]
    good = record(OFFICIAL[2], *start, *thrown, *rest[:2], ("play", 3, "S3x2"), **keys)
    assert findings(good) == [("throw_stop_wrong", 1, "proven")]
    bad = record(OFFICIAL[2], *start, *thrown, *rest, **keys)
    assert ("throw_failed", 0, "proven") in findings(bad)


@pytest.mark.rule("SJE-46")
@pytest.mark.parametrize(("seen", "certainty"), [({}, "proven"), ({"confidence": 0.99}, "check")])
def test_a_hand_that_differs_from_what_cameras_counted_is_no_proof(seen, certainty):
    played = ("play", 0, "HA", {"source": "camera", **seen})
    counted = tiny(FINAL, played, ("hand_count", 0, 0))
    found = [c.certainty for c in counted.findings().values() if c.kind == "card_count"]
    assert found == [certainty]
