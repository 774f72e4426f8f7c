"""The tricks of a record: turn, length, following as far as it is proven, throws, corrections, doubt."""

from __future__ import annotations

import pytest

from tests.shengji_tools import EVENT, OFFICIAL, findings, record, rule_of

FIXED = ("deal", {"banker": 0, "trump": "S", "level": "2"})
BEGUN = (FIXED, ("kitty_taken", 0), ("kitty_laid", 0))


ELEVEN = ("3", "4", "6", "7", "8", "9", "10", "J", "Q", "K", "A")


def after(*events, profile=OFFICIAL[2], **options):
    return record(profile, *BEGUN, *events, **options)


@pytest.mark.rule("SJO-22", "SJE-48")
def test_the_banker_leads_first_and_then_the_winner_of_each_trick():
    assert findings(after(("play", 0, "HA"))) == []
    assert findings(after(("play", 1, "HA"))) == [("wrong_leader", 1, "proven")]
    trick = [("play", 0, "H3"), ("play", 1, "HA"), ("play", 2, "H4"), ("play", 3, "H6")]
    assert findings(after(*trick, ("play", 1, "C3"))) == []
    assert findings(after(*trick, ("play", 0, "C3"))) == [("wrong_leader", 0, "proven")]


@pytest.mark.rule("SJO-33", "SJE-48", "SJE-50")
def test_play_goes_round_in_order():
    found = after(("play", 0, "H3"), ("play", 2, "H4"), profile=EVENT)
    assert findings(found) == [("out_of_turn", 2, "proven")]
    assert rule_of(found, "out_of_turn") == "SJE-48"
    assert findings(after(("play", 0, "H3"), ("play", 2, "H4"), ("play", 1, "H6"))) == [
        ("out_of_turn", 2, "proven")
    ]  # fmt: skip


@pytest.mark.rule("SJO-33", "SJE-45")
@pytest.mark.parametrize("play", ["H4", "H4x2 H6"])
def test_a_play_longer_or_shorter_than_the_lead(play):
    assert findings(after(("play", 0, "H3x2"), ("play", 1, play))) == [("wrong_length", 1, "proven")]


@pytest.mark.rule("SJO-29", "SJE-21")
def test_a_lead_of_several_suits():
    assert findings(after(("play", 0, "H3 C4"))) == [("not_a_combination", 0, "proven")]
    assert findings(after(("play", 0, "S3 H2"))) == []


@pytest.mark.rule("SJO-34", "SJE-42")
def test_a_revoke_is_proven_when_a_card_of_the_suit_appears():
    start = [("play", 0, "HA"), ("play", 1, "D3"), ("play", 2, "H4"), ("play", 3, "H6"), ("play", 0, "CA")]
    assert findings(after(*start)) == []
    later = [("play", 1, "C3"), ("play", 2, "C4"), ("play", 3, "C6"), ("play", 0, "HK"), ("play", 1, "H9")]
    assert findings(after(*start, *later)) == [("revoke", 1, "proven")]


@pytest.mark.rule("SJO-42")
def test_level_cards_shown_later_prove_no_revoke_in_their_printed_suit():
    start = [("play", 0, "HA"), ("play", 1, "D3"), ("play", 2, "H4"), ("play", 3, "H6")]
    later = [("play", 0, "SA"), ("play", 1, "H2")]
    assert findings(after(*start, *later)) == []


@pytest.mark.rule("SJO-34")
def test_a_declared_card_that_is_not_followed_with_is_proven_at_once_but_the_banker_may_have_buried_his():
    deal = ("deal", {"banker": 0, "level": "5"})
    start = [
        deal,
        ("trump_shown", 0, "S5"),
        ("trump_shown", 1, "H5x2"),
        ("kitty_taken", 0),
        ("kitty_laid", 0),
    ]
    held = record(OFFICIAL[2], *start, ("play", 0, "HA"), ("play", 1, "C3"), levels=("5", "5"))
    assert findings(held) == [("revoke", 1, "proven")]
    tail = [("play", 0, "C3"), ("play", 1, "HA"), ("play", 2, "C4"), ("play", 3, "C6"), ("play", 1, "HK"),
            ("play", 2, "H4"), ("play", 3, "H6"), ("play", 0, "D9")]  # fmt: skip
    buried = record(OFFICIAL[2], *start[:-1], ("kitty_laid", 0), *tail, levels=("5", "5"))
    assert ("revoke", 0, "proven") not in findings(buried)


@pytest.mark.rule("SJO-36", "SJE-26", "SJE-42")
def test_protected_triples_leave_a_missing_pair_provisional_until_the_third_card_is_seen():
    start = [("play", 0, "HAx2"), ("play", 1, "H7 H8"), ("play", 2, "H4 H6"), ("play", 3, "H9 H10")]
    second = [("play", 0, "CAx2"), ("play", 1, "H3x2"), ("play", 2, "C4 C6"), ("play", 3, "C9 C10")]
    official = after(*start, *second, profile=OFFICIAL[3])
    assert ("shape_not_followed", 1, "proven") in findings(official)
    open_ = after(*start, *second, profile=EVENT)
    assert findings(open_) == [("shape_not_followed", 1, "provisional")]
    elsewhere = [("play", 0, "HK"), ("play", 1, "HJ"), ("play", 2, "H3")]
    assert findings(after(*start, *second, *elsewhere, profile=EVENT)) == [
        ("shape_not_followed", 1, "proven")
    ]
    third = [("play", 0, "HK"), ("play", 1, "H3")]
    assert findings(after(*start, *second, *third, profile=EVENT)) == []


@pytest.mark.rule("SJO-37", "SJO-38", "SJO-39", "SJO-41", "SJE-27", "SJE-28", "SJE-29", "SJE-30")
@pytest.mark.parametrize(
    ("led", "play", "shown", "rule"),
    [
        ("H6x3", "H7 H8 H9", "HJx3", ("SJO-37", "SJE-28")),
        ("H6x2 H7x2", "H8 H9 HJ H3", "HQx2", ("SJO-38", "SJE-27")),
        ("H6x3 H7x3", "H8 H9 HJ H3 H4 HK", "HQx3", ("SJO-39", "SJE-29")),
        ("HAx3 HK", "H8 H9 HJ H3", "HQx3", ("SJO-41", "SJE-30")),
    ],
)
def test_a_shape_held_back_cites_the_article_of_what_was_led(led, play, shown, rule):
    size = led.count("x3") * 3 + led.count("x2") * 2 + (1 if led.endswith("K") else 0)
    others = [("play", seat, "C3 C4 C5 C6 C7 C8 C9"[: 3 * size - 1]) for seat in (2, 3)]
    then = ("exposed", 1, shown)
    official = after(("play", 0, led), ("play", 1, play), *others, then, profile=OFFICIAL[3])
    assert rule_of(official, "shape_not_followed") == rule[0]
    event = after(
        ("play", 0, led), ("play", 1, play), *others, then, profile=EVENT, follow__split_triples=True
    )
    assert rule_of(event, "shape_not_followed") == rule[1]


@pytest.mark.rule("SJO-30", "SJO-31", "SJE-22")
def test_a_throw_fails_when_it_is_stopped_with_what_beats_a_part_and_a_beaten_part_stays():
    thrown = ("play", 0, "HQ H4x2")
    stopped = after(thrown, ("throw_stopped", 1, "HK"), ("throw_forced", 0, "HQ"), ("play", 1, "HK"))
    assert findings(stopped) == [("throw_failed", 0, "proven")]
    wrong = after(thrown, ("throw_stopped", 1, "HK H5x2"), ("throw_forced", 0, "HQ H4"))
    assert findings(wrong) == [("throw_failed", 0, "proven"), ("throw_forced_wrong", 0, "proven")]
    smaller = after(("play", 0, "HQ H9 H4x2"), ("throw_stopped", 1, "HK"), ("throw_forced", 0, "HQ"))
    assert ("throw_forced_wrong", 0, "proven") in findings(smaller)


@pytest.mark.rule("SJO-31", "SJE-22")
def test_the_next_player_names_the_part_where_several_are_beaten():
    start = [("play", 0, "HQ H4x2"), ("throw_stopped", 1, "HK"), ("throw_stopped", 2, "H5x2")]
    good = after(*start, ("throw_forced", 0, "H4x2", {"chosen_by": 1}))
    assert findings(good) == [("throw_failed", 0, "proven")]
    wrong = after(*start, ("throw_forced", 0, "H4x2", {"chosen_by": 0}))
    assert ("throw_forced_wrong", 0, "proven") in findings(wrong)


@pytest.mark.rule("SJO-30")
def test_an_objection_must_beat_a_part():
    assert findings(after(("play", 0, "HQ H4x2"), ("throw_stopped", 1, "HJ H3x2"))) == [
        ("throw_stop_wrong", 1, "proven")
    ]  # fmt: skip
    assert findings(after(("play", 0, "HQ"), ("throw_stopped", 1, "HK"))) == [
        ("throw_stop_wrong", 1, "proven")
    ]
    assert findings(after(("play", 0, "HQ H4x2"), ("throw_stopped", 1))) == [
        ("throw_failed", 0, "provisional")
    ]


@pytest.mark.rule("SJO-30", "SJE-21", "SJE-24")
def test_a_throw_that_went_through_is_disproven_when_the_beating_card_appears():
    start = [("play", 0, "HA HQ"), ("play", 1, "H3 H4"), ("play", 2, "H6 H7"), ("play", 3, "H8 H9")]
    assert findings(after(*start)) == []
    assert findings(after(*start, ("play", 0, "C3"), ("play", 1, "HK"))) == [
        ("throw_failed", 0, "proven"), ("revoke", 1, "proven"),
    ][:1]  # fmt: skip


@pytest.mark.rule("SJE-19")
def test_what_is_said_about_a_throw_is_how_it_is_followed():
    spoken = ("play", 0, "HAx3 HKx2", {"says": "三条加一对"})
    follow = [("play", 1, "H3x3 H4 H6"), ("exposed", 1, "H9x2")]
    assert ("shape_not_followed", 1, "proven") in findings(after(spoken, *follow, profile=OFFICIAL[3]))
    tractor = ("play", 0, "HAx3 HKx2", {"says": "拖拉机加一单张"})
    units = after(tractor, profile=OFFICIAL[3]).state.deal.tricks[0].units
    assert [unit.kind for unit in units] == ["tractor", "single"]


def test_the_winner_is_found_again_when_the_last_play_is_changed():
    """Dispute A24."""
    trick = [("play", 0, "H3"), ("play", 1, "H4"), ("play", 2, "H6"), ("play", 3, "HA")]
    changed = after(*trick, ("taken_back", 3, "HA", {"consent": True}), ("play", 3, "H5"), ("play", 2, "C3"))
    assert findings(changed) == []
    assert changed.state.deal.tricks[0].winner == 2


@pytest.mark.rule("SJE-44", "SJE-42")
def test_a_wrong_play_put_right_in_time_is_fined_and_is_no_revoke():
    sealed = [("dealt", 1, "H3x2 H9 " + " ".join(f"C{rank}x3" for rank in ELEVEN) + " D3x3")]
    start = [FIXED, *sealed, ("kitty_taken", 0), ("kitty_laid", 0), ("play", 0, "HAx2"), ("play", 1, "C3x2")]
    wrong = record(EVENT, *start)
    assert findings(wrong) == [("revoke", 1, "proven")]
    (claim,) = wrong.findings().values()
    assert str(claim.penalty) == "points:20"
    right = record(EVENT, *start, ("taken_back", 1, "C3x2"), ("play", 1, "H3x2"), ("play", 2, "H4 H6"))
    assert findings(right) == [("taken_back", 1, "proven")]
    (claim,) = right.findings().values()
    assert str(claim.penalty) == "points:20"
    too_late = record(EVENT, *start, ("play", 2, "H4 H6"), ("play", 3, "H7 H8"), ("play", 0, "DA"))
    (claim,) = too_late.findings().values()
    assert str(claim.cost(too_late.state.profile)) == "special:revoke"


def test_a_play_that_any_reading_makes_legal_is_only_to_be_checked():
    start = [("play", 0, "HA"), ("play", 1, "D3", {"alternatives": [["H3", 0.4]]}), ("play", 2, "H4"),
             ("play", 3, "H6"), ("play", 0, "HK"), ("play", 1, "H9")]  # fmt: skip
    assert findings(after(*start)) == [("revoke", 1, "check")]
    both = [start[0], ("play", 1, "D3", {"alternatives": [["C3", 0.4]]}), *start[2:]]
    assert findings(after(*both)) == [("revoke", 1, "proven")]
    vague = [start[0], ("play", 1, "D3", {"confidence": 0.5, "alternatives": [["C3", 0.45]]}), *start[2:]]
    assert findings(after(*vague)) == [("revoke", 1, "likely")]
    vaguer = [start[0], ("play", 1, "D3", {"confidence": 0.4, "alternatives": [["C3", 0.4]]}), *start[2:]]
    assert findings(after(*vaguer)) == [("revoke", 1, "check")]


def test_a_revoke_that_rests_on_a_doubtful_card_is_only_to_be_checked():
    start = [("play", 0, "HA"), ("play", 1, "D3"), ("play", 2, "H4"), ("play", 3, "H6"), ("play", 0, "HK")]
    assert findings(after(*start, ("play", 1, "H9", {"confidence": 0.5}))) == [("revoke", 1, "check")]


def test_a_revoke_that_rests_on_a_card_seen_too_often_is_only_to_be_checked():
    start = [("play", 0, "H9"), ("play", 1, "D3"), ("play", 2, "H4"), ("play", 3, "H9"), ("play", 3, "HK"),
             ("play", 0, "H6"), ("play", 1, "H9")]  # fmt: skip
    assert ("revoke", 1, "check") in findings(after(*start))


def test_a_correction_that_removes_the_proof_withdraws_the_finding():
    start = [("play", 0, "HA"), ("play", 1, "D3"), ("play", 2, "H4"), ("play", 3, "H6"), ("play", 0, "HK"),
             ("play", 1, "H9")]  # fmt: skip
    replacement = {"event": "play", "seat": 1, "cards": "D9"}
    found = after(*start, ("correction", 10, {"replacement": replacement}))
    assert findings(found) == []
    back = after(*start, ("correction", 10, {"replacement": replacement}),
                 ("correction", 10, {"replacement": {**replacement, "cards": "H9"}}))  # fmt: skip
    assert findings(back) == [("revoke", 1, "proven")]


def test_a_sealed_deal_is_judged_at_once():
    hands = ("dealt", 1, "H3 " + " ".join(f"C{rank}x2" for rank in ELEVEN) + " D3x2")
    found = record(OFFICIAL[2], FIXED, hands, ("kitty_taken", 0), ("kitty_laid", 0), ("play", 0, "HA"),
                   ("play", 1, "D3"))  # fmt: skip
    assert findings(found) == [("revoke", 1, "proven")]


@pytest.mark.parametrize("lang", ["zh", "en"])
def test_a_finding_says_in_both_languages_what_was_owed_and_cites_the_article(lang):
    found = after(("play", 0, "HAx2"), ("play", 1, "H7 H8"), ("exposed", 1, "H3x2"), profile=OFFICIAL[3])
    line = found.finding_line(1)
    assert line is not None
    assert "SJO-36" in line["text"][lang]
    assert {"zh": "含一对", "en": "a pair"}[lang] in line["text"][lang]
    assert "♥3 ♥3" in line["text"][lang]


SEEN = {"source": "camera", "confidence": 0.99}


@pytest.mark.rule("SJO-23")
def test_a_lead_that_cameras_read_accuses_nobody_of_a_wrong_length_until_others_agree_with_it():
    """Where all three play one card to two, one card of the lead was read twice."""
    lead = ("play", 0, "H3x2", SEEN)
    one = after(lead, ("play", 1, "H5", SEEN))
    assert findings(one) == [("wrong_length", 1, "check")]
    agreed = after(lead, ("play", 1, "H5 H9 H10", SEEN), ("play", 2, "H6x2", SEEN))
    assert ("wrong_length", 1, "proven") in findings(agreed)
    # Of a play that is too short a card may lie there unseen, whoever agrees with the lead.
    short = after(lead, ("play", 1, "H5", SEEN), ("play", 2, "H6x2", SEEN))
    assert findings(short) == [("wrong_length", 1, "check")]
    all_of_them = after(
        lead, *(("play", seat, card, SEEN) for seat, card in ((1, "H5"), (2, "H6"), (3, "H7")))
    )
    assert {certainty for _, _, certainty in findings(all_of_them)} == {"check"}


@pytest.mark.rule("SJO-22")
def test_who_leads_after_a_trick_of_uneven_plays_that_cameras_read_is_only_to_be_checked():
    trick = [
        ("play", 0, "H3", SEEN),
        ("play", 1, "H5", SEEN),
        ("play", 2, "H6x2", SEEN),
        ("play", 3, "HK", SEEN),
    ]
    found = findings(after(*trick, ("play", 2, "C4", SEEN)))
    assert ("wrong_leader", 2, "check") in found
