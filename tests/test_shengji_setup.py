"""What comes before the tricks, as a record tells it: bank, level, declarations, kitty."""

from __future__ import annotations

import pytest

from table.findings import article
from table.rulesets import load_profile
from tests.shengji_tools import EVENT, FINAL, OFFICIAL, findings, record, rule_of, rules

BANKED = ("deal", {"banker": 0, "level": "2"})


def trump_of(referee):
    return referee.state.deal.trump


@pytest.mark.rule("SJO-01", "SJO-02", "SJE-01")
@pytest.mark.parametrize(
    ("profile", "packs", "hand", "kitty", "points"),
    [
        (OFFICIAL[1], 1, 12, 6, 100), (OFFICIAL[2], 2, 25, 8, 200), (OFFICIAL[3], 3, 39, 6, 300),
        (EVENT, 3, 39, 6, 300), (FINAL, 2, 25, 8, 200),
    ],
)  # fmt: skip
def test_packs_hands_and_kitty(profile, packs, hand, kitty, points):
    keys = rules(profile)
    assert (keys.pack.packs, keys.hand_size, keys.pack.kitty_size) == (packs, hand, kitty)
    assert keys.total_points == points


def test_four_packs_and_short_packs_by_key():
    four = rules(packs=4, pack__kitty_size=8)
    assert four.hand_size == 52
    short = rules(pack__removed=["LJ", "BJ", "S3", "H3", "C3", "D3"])
    assert (short.hand_size, short.cards.total()) == (22, 96)


@pytest.mark.rule("SJO-11", "SJO-03", "SJE-04")
def test_a_match_starts_at_the_level_of_the_record_and_a_deal_at_the_banks():
    assert findings(record(OFFICIAL[2], ("deal", {"level": "2"}))) == []
    found = record(OFFICIAL[2], ("deal", {"level": "5"}))
    assert findings(found) == [("wrong_level", None, "proven")]
    other = record(OFFICIAL[2], ("deal", {"level": "5", "banker": 1}), levels=("5", "7"))
    assert findings(other) == [("wrong_level", None, "proven")]
    assert findings(record(OFFICIAL[2], ("deal", {"level": "7", "banker": 1}), levels=("5", "7"))) == []


@pytest.mark.rule("SJO-18", "SJO-12", "SJE-02", "SJE-13")
@pytest.mark.parametrize("profile", [OFFICIAL[2], EVENT])
def test_in_the_first_deal_the_declaration_that_stands_takes_the_bank(profile):
    found = record(profile, ("deal",), ("trump_shown", 1, "S2"), ("trump_shown", 3, "H2x2"), ("draw_ended",))
    assert found.state.deal.banker == 3
    assert trump_of(found) == "H"
    first = record(profile, ("deal",), ("trump_shown", 1, "S2"), ("trump_shown", 3, "H2x2"),
                   declare__first_banker="first")  # fmt: skip
    assert first.state.deal.banker == 1


def test_in_later_deals_declaring_does_not_move_the_bank():
    found = record(EVENT, BANKED, ("trump_shown", 1, "S2"))
    assert (found.state.deal.banker, trump_of(found)) == (0, "S")


@pytest.mark.rule("SJE-05", "SJO-17")
@pytest.mark.parametrize(
    ("shows", "rule"),
    [
        ([(0, "H3")], "SJE-09"), ([(0, "LJx2")], "SJE-05"), ([(0, "H2"), (1, "S2")], "SJE-10"),
        ([(0, "H2"), (0, "S2x2")], "SJE-11"), ([(0, "H2"), (1, "S2x2"), (0, "H2")], "SJE-10"),
    ],
)  # fmt: skip
def test_a_declaration_that_does_not_count_cites_its_article_and_changes_nothing(shows, rule):
    found = record(EVENT, BANKED, *(("trump_shown", seat, text) for seat, text in shows))
    assert findings(found) == [("trump_declaration_invalid", shows[-1][0], "proven")]
    assert rule_of(found, "trump_declaration_invalid") == rule
    good = shows[:-1]
    assert trump_of(found) == (good[-1][1][0] if good else None)


@pytest.mark.rule("SJE-12")
@pytest.mark.parametrize(("after", "early"), [(4.99, True), (5.0, False), (9.0, False)])
def test_the_kitty_is_left_for_five_seconds_after_the_draw(after, early):
    found = record(EVENT, BANKED, ("trump_shown", 0, "H2", {"at": 9.0}), ("draw_ended", {"at": 10.0}),
                   ("kitty_taken", 0, {"at": 10.0 + after}))  # fmt: skip
    assert findings(found) == ([("early_kitty", 0, "proven")] if early else [])
    at_once = [("trump_shown", 0, "H2"), ("draw_ended", {"at": 10.0}), ("kitty_taken", 0, {"at": 10.0})]
    official = record(OFFICIAL[3], BANKED, *at_once)
    assert findings(official) == []


@pytest.mark.rule("SJE-12")
def test_others_may_overturn_in_the_pause_and_not_after_it():
    start = [BANKED, ("trump_shown", 0, "H2"), ("draw_ended",)]
    in_time = record(EVENT, *start, ("trump_shown", 1, "S2x2"), ("kitty_taken", 0))
    assert (findings(in_time), trump_of(in_time)) == ([], "S")
    late = record(EVENT, *start, ("kitty_taken", 0), ("trump_shown", 1, "S2x2"))
    assert findings(late) == [("trump_declaration_invalid", 1, "proven")]
    assert trump_of(late) == "H"


def test_overturning_after_the_kitty_by_key_lets_the_other_take_it_up():
    fried = record(EVENT, BANKED, ("trump_shown", 0, "H2"), ("kitty_taken", 0), ("kitty_laid", 0),
                   ("trump_shown", 1, "S2x2"), ("kitty_taken", 1), ("kitty_laid", 1), ("play", 0, "DA"),
                   declare__after_kitty=True)  # fmt: skip
    assert (findings(fried), trump_of(fried)) == ([], "S")


@pytest.mark.rule("SJO-21", "SJE-02")
def test_the_kitty_is_the_bankers_and_is_taken_when_trump_is_fixed():
    other = record(OFFICIAL[2], BANKED, ("trump_shown", 0, "H2"), ("kitty_taken", 1))
    assert findings(other) == [("kitty_wrong_seat", 1, "proven")]
    laid = record(OFFICIAL[2], BANKED, ("trump_shown", 0, "H2"), ("kitty_taken", 0), ("kitty_laid", 2))
    assert findings(laid) == [("kitty_wrong_seat", 2, "proven")]
    early = record(OFFICIAL[2], BANKED, ("kitty_taken", 0))
    assert findings(early) == [("early_kitty", 0, "proven")]


@pytest.mark.rule("SJO-02", "SJO-21", "SJE-36")
@pytest.mark.parametrize("name", ["kitty_taken", "kitty_laid", "kitty_revealed"])
def test_a_kitty_of_the_wrong_size(name):
    start = [BANKED, ("trump_shown", 0, "H2"), ("kitty_taken", 0)]
    event = (name, "S3x2 S4x2 S6x2 S7") if name == "kitty_revealed" else (name, 0, "S3x2 S4x2 S6x2 S7")
    found = record(OFFICIAL[2], *start[: 2 if name == "kitty_taken" else 3], event)
    assert findings(found) == [("kitty_count", 0, "proven")]


@pytest.mark.rule("SJE-36")
def test_the_kitty_turned_over_is_what_was_laid():
    start = [("deal", {"banker": 0, "trump": "S"}), ("kitty_taken", 0)]
    eight = "S3x2 S4x2 S6x2 S7x2"
    other = "S3x2 S4x2 S6x2 S8x2"
    assert findings(record(OFFICIAL[2], *start, ("kitty_laid", 0, eight), ("kitty_revealed", eight))) == []
    changed = record(OFFICIAL[2], *start, ("kitty_laid", 0, eight), ("kitty_revealed", other))
    assert findings(changed) == [("kitty_changed", 0, "proven")]


@pytest.mark.rule("SJO-19")
def test_nobody_declared_is_dealt_again_in_the_first_deal_and_turned_later():
    """Dispute A23."""
    again = record(OFFICIAL[2], ("deal",), ("draw_ended",), ("deal_voided",), ("deal",))
    assert findings(again) == []
    turned = record(OFFICIAL[2], ("deal",), ("draw_ended",), ("kitty_turned", "H9"))
    assert findings(turned) == [("trump_declaration_invalid", None, "proven")]
    later = record(OFFICIAL[2], BANKED, ("draw_ended",), ("kitty_turned", "LJ"), ("kitty_turned", "H9"))
    assert (findings(later), trump_of(later)) == ([], "H")


@pytest.mark.rule("SJE-14")
def test_at_the_event_a_card_of_the_kitty_is_turned_in_the_first_deal_too():
    found = record(EVENT, ("deal",), ("draw_ended",), ("kitty_turned", "C9"), ("kitty_taken", 2))
    assert (findings(found), trump_of(found), found.state.deal.banker) == ([], "C", 2)


@pytest.mark.rule("SJO-19", "SJE-14")
def test_no_card_is_turned_where_somebody_has_declared():
    found = record(EVENT, BANKED, ("trump_shown", 1, "S2"), ("draw_ended",), ("kitty_turned", "C9"))
    assert findings(found) == [("trump_declaration_invalid", None, "proven")]
    assert trump_of(found) == "S"


@pytest.mark.rule("SJO-20")
def test_duplicate_matches_preset_the_bank_and_the_partner_names_trump():
    keys = {"declare__order": "partner_first", "declare__nobody": "partner_names"}
    named = record(OFFICIAL[2], BANKED, ("draw_ended",), ("trump_named", 2, "H"), **keys)
    assert (findings(named), trump_of(named)) == ([], "H")
    wrong = record(OFFICIAL[2], BANKED, ("draw_ended",), ("trump_named", 1, "H"), **keys)
    assert findings(wrong) == [("trump_declaration_invalid", 1, "proven")]
    order = record(OFFICIAL[2], BANKED, ("trump_shown", 3, "H2"), ("trump_shown", 2, "S2x2"), **keys)
    assert findings(order) == [("trump_declaration_invalid", 2, "proven")]
    fixed = record(OFFICIAL[2], ("deal", {"banker": 0, "trump": "D"}), ("trump_shown", 1, "H2"))
    assert findings(fixed) == [("trump_declaration_invalid", 1, "proven")]
    assert trump_of(fixed) == "D"


@pytest.mark.rule("SJO-07", "SJE-05")
def test_a_deal_without_trump_is_forbidden_where_the_profile_forbids_it():
    found = record(EVENT, ("deal", {"banker": 0, "trump": "NT"}))
    assert findings(found) == [("trump_declaration_invalid", None, "proven")]
    free = record(OFFICIAL[2], ("deal", {"banker": 0, "trump": "NT"}), declare__no_trump=True)
    assert findings(free) == []


def test_a_record_from_which_trump_does_not_follow_is_reported_so():
    found = record(OFFICIAL[2], BANKED, ("play", 0, "HA"))
    assert findings(found) == [("record_gap", None, "check")]


@pytest.mark.rule("SJO-10", "SJE-46")
def test_a_hand_that_is_dealt_short_is_reported():
    found = record(OFFICIAL[2], BANKED, ("dealt", 1, "HAx2"))
    assert findings(found) == [("card_count", 1, "proven")]


def test_a_level_card_shown_in_doubt_is_only_asked_to_be_checked():
    doubt = {"confidence": 0.5, "alternatives": [["H2", 0.4]]}
    found = record(EVENT, BANKED, ("trump_shown", 1, "H3", doubt))
    assert findings(found) == [("trump_declaration_invalid", 1, "check")]
    sure = record(EVENT, BANKED, ("trump_shown", 1, "H3", {"alternatives": [["H4", 0.4]]}))
    assert findings(sure) == [("trump_declaration_invalid", 1, "proven")]


@pytest.mark.parametrize(
    "profile", ["shengji-official-1", "shengji-official-2", "shengji-official-3", EVENT, FINAL]
)
def test_every_profile_loads_and_names_itself_in_both_languages(profile):
    found = load_profile(profile)
    assert found.game == "shengji"
    assert found.zh != found.en


@pytest.mark.parametrize("profile", [OFFICIAL[2], EVENT])
def test_every_rule_that_a_profile_cites_has_its_article_in_both_languages(profile):
    found = load_profile(profile)
    cited = {found.rule(key.removeprefix("rules.")) for key in found if key.startswith("rules.")}
    for rule in cited - {""}:
        if rule.startswith("SJ"):
            assert article(rule, "zh", "shengji"), rule
            assert article(rule, "en", "shengji"), rule


def test_a_declaration_may_be_taken_back_by_key():
    shows = [BANKED, ("trump_shown", 1, "H2"), ("trump_shown", 3, "S2x2"), ("taken_back", 3, "S2x2")]
    assert trump_of(record(OFFICIAL[2], *shows, declare__take_back=True)) == "H"
    assert trump_of(record(OFFICIAL[2], *shows)) == "S"


@pytest.mark.rule("SJO-53")
def test_nothing_follows_from_a_deal_that_was_not_recorded_to_its_end():
    cut = record(OFFICIAL[2], BANKED, ("trump_shown", 0, "H2"), ("deal", {"banker": 3, "level": "5"}))
    assert findings(cut) == []
    voided = record(OFFICIAL[2], BANKED, ("deal_voided",), ("deal", {"level": "2"}))
    assert findings(voided) == []
