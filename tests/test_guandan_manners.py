"""How cards are laid, shown, touched and taken back."""

from __future__ import annotations

import pytest

from tests.guandan_tools import EVENT, OFFICIAL, Table


@pytest.mark.rule("GDO-48")
@pytest.mark.parametrize(
    ("level", "cards", "kind"),
    [
        ("5", "S7 H5", None),
        ("5", "H5 S7", "wild_misplaced"),
        ("5", "S3 S4 H5 C6 S7", None),
        ("2", "S3 S4 H2 C6 S7", None),
        ("2", "S3 H2 S4 C6 S7", "wild_misplaced"),
        ("5", "S7 C7 S8 C8 H5 H5", None),
        ("9", "S7 C7 D7 H9 H9", "ambiguous_wild"),
    ],
)
def test_the_place_of_a_wild_says_what_it_stands_for(level: str, cards: str, kind: str | None) -> None:
    table = Table(level=level)
    table.play(0, cards)
    assert [claim.kind for claim in table.claims()] == ([kind] if kind else [])
    if kind:
        assert table.rule_of(table.claims()[0]) == "GDO-48"


@pytest.mark.rule("GDO-48", "GDE-04")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-48"), (EVENT, "GDE-04")])
def test_what_layout_and_words_leave_open_is_asked(profile: str, rule: str) -> None:
    # Dispute A47.
    table = Table(profile, level="9")
    table.play(0, "S7 C7 D7 H9 H9")
    claim = table.only("ambiguous_wild")
    assert (claim.certainty, table.rule_of(claim)) == ("check", rule)
    table = Table(profile, level="9")
    table.play(0, "S7 C7 D7 H9 H9", says="三带对")
    assert table.found() == []


@pytest.mark.rule("GDO-48")
def test_words_settled_later_by_a_correction_clear_the_question() -> None:
    table = Table(level="9")
    table.play(0, "S7 C7 D7 H9 H9")
    of = table.seq
    table.add("correction", of=of, replacement={
        "event": "play", "seat": 0, "cards": "S7 C7 D7 H9 H9", "says": "炸弹"})  # fmt: skip
    assert table.found() == []
    table.play(1, "S8 H8 C8 D8")
    assert table.found() == [("does_not_beat", 1, "proven")]


@pytest.mark.rule("GDO-48")
def test_a_follow_that_only_one_reading_allows_is_not_ambiguous() -> None:
    table = Table(level="5")
    table.play(0, "S6 C6 S7 C7 S8 D8")
    table.play(1, "S7 C7 S8 C8 H5 H5")
    assert table.found() == []


@pytest.mark.rule("GDO-48")
def test_beating_one_reading_of_an_open_play_is_to_be_checked() -> None:
    table = Table(level="9")
    table.play(0, "S7 C7 D7 H9 H9")
    table.play(1, "S10 C10 D10 SA CA")
    assert ("does_not_beat", 1, "check") in table.found()


@pytest.mark.rule("GDO-48")
def test_words_that_do_not_fit_the_cards_are_told() -> None:
    table = Table()
    table.play(0, "S7 C7", says="顺子")
    assert table.only("declaration_wrong").certainty == "likely"


@pytest.mark.rule("GDO-49")
def test_an_exposed_card_is_told() -> None:
    table = Table()
    table.add("exposed", seat=2, cards="S9")
    claim = table.only("exposed_card")
    assert (claim.seat, table.rule_of(claim)) == (2, "GDO-49")


@pytest.mark.rule("GDO-50", "GDE-19")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-50"), (EVENT, "GDE-19")])
def test_a_hand_on_played_cards_is_told(profile: str, rule: str) -> None:
    table = Table(profile)
    table.add("moved", seat=2, what="a hand on played cards")
    claim = table.only("touched_played_cards")
    assert (claim.certainty, table.rule_of(claim)) == ("likely", rule)


@pytest.mark.rule("GDO-51", "GDE-29")
def test_a_pass_is_an_event_of_its_own_from_any_device() -> None:
    table = Table()
    table.play(0, "S5")
    for seat, source in ((1, "seatbox"), (2, "camera"), (3, "referee")):
        table.add("pass", seat=seat, source=source)
    assert table.state.deal.trick.open
    assert table.found() == []


@pytest.mark.rule("GDE-35")
def test_a_move_to_play_out_of_turn_is_a_warning_and_two_in_a_deal_cost_a_level() -> None:
    table = Table(EVENT)
    table.play(0, "S5")
    table.add("moved", seat=2, what="a gesture to play out of turn")
    claim = table.claims("out_of_turn")[0]
    assert (claim.certainty, table.rule_of(claim)) == ("likely", "GDE-35")
    assert str(claim.cost(table.state.profile)) == "warning:gesture"
    table.add("moved", seat=0, what="抢出牌的动作")
    limit = table.claims("warning_limit")[0]
    assert (limit.offender, table.rule_of(limit)) == (0, "GDE-35")


@pytest.mark.rule("GDE-35")
def test_warnings_for_gestures_do_not_carry_over_to_the_next_deal() -> None:
    table = Table(EVENT)
    table.play(0, "S5")
    table.add("moved", seat=2, what="a gesture to play out of turn")
    table.deal("4", [1, 2, 3, 0])
    table.add("tribute", seat=0, to=1, card="SA")
    table.add("tribute_return", seat=1, to=0, card="S4")
    table.play(0, "S5")
    table.add("moved", seat=2, what="a gesture to play out of turn")
    assert table.claims("warning_limit") == []


@pytest.mark.rule("GDE-35")
def test_a_gesture_of_the_player_in_turn_is_nothing() -> None:
    table = Table(EVENT)
    table.play(0, "S5")
    table.add("moved", seat=1, what="a gesture to play")
    assert table.found() == []


@pytest.mark.rule("GDE-37")
def test_a_hidden_card_costs_the_match_when_upheld() -> None:
    table = Table(EVENT)
    table.add("moved", seat=1, what="threw an unplayed card into the pile")
    claim = table.only("hidden_card")
    assert (claim.certainty, table.rule_of(claim)) == ("likely", "GDE-37")
    table.rule(table.number("hidden_card"))
    assert (table.match()["winner"], table.match()["decided_by"]) == (0, "disqualified")


@pytest.mark.rule("GDE-37", "GDO-50")
@pytest.mark.parametrize(("profile", "rule"), [(OFFICIAL, "GDO-50"), (EVENT, "GDE-37")])
def test_a_card_of_an_earlier_trick_taken_back_into_the_hand_is_told(profile: str, rule: str) -> None:
    table = Table(profile)
    table.play(0, "S5")
    table.passes(1, 2, 3)
    table.play(0, "S6")
    table.add("taken_back", seat=0, cards="S5", consent=False)
    claim = table.only("recovered_card")
    assert (claim.seat, claim.certainty, table.rule_of(claim)) == (0, "proven", rule)


@pytest.mark.rule("GDO-50")
def test_a_card_taken_back_by_who_is_on_turn_may_be_its_twin_that_nobody_saw_played() -> None:
    table = Table()
    table.play(0, "S5")
    table.passes(1, 2, 3)
    table.add("taken_back", seat=0, cards="S5", consent=False)
    assert table.only("recovered_card").certainty == "check"


@pytest.mark.rule("GDO-50")
def test_a_card_of_which_no_other_is_left_is_the_one_that_was_played() -> None:
    table = Table()
    table.play(0, "S5 S5")
    table.passes(1, 2, 3)
    table.add("taken_back", seat=0, cards="S5", consent=False)
    assert table.only("recovered_card").certainty == "proven"


@pytest.mark.rule("GDO-50")
def test_taking_back_a_card_that_was_badly_seen_played_is_only_to_be_checked() -> None:
    table = Table()
    table.add("play", seat=0, cards="S5", source="camera", confidence=0.6)
    table.passes(1, 2, 3)
    table.play(0, "S6")
    table.add("taken_back", seat=0, cards="S5", consent=False)
    assert table.only("recovered_card").certainty == "check"


@pytest.mark.rule("GDE-38", "GDO-50")
@pytest.mark.parametrize(
    ("profile", "consent", "rule"),
    [(EVENT, True, "GDE-38"), (EVENT, False, "GDE-38"), (OFFICIAL, False, "GDO-50"), (OFFICIAL, True, None)],
)
def test_a_play_taken_back_is_undone_and_told(profile: str, consent: bool, rule: str | None) -> None:
    table = Table(profile)
    table.play(0, "S5")
    table.play(1, "SJ")
    table.add("taken_back", seat=1, cards="SJ", consent=consent)
    assert table.state.deal.left[1] == 27
    assert table.state.deal.trick.turn == 1
    assert [table.rule_of(claim) for claim in table.claims("taken_back")] == ([rule] if rule else [])
    table.play(1, "SQ")
    table.play(2, "SK")
    assert len(table.claims()) == len(table.claims("taken_back"))


@pytest.mark.rule("GDE-38")
def test_each_play_taken_back_gives_the_other_side_a_level_when_upheld() -> None:
    table = Table(EVENT)
    table.play(0, "S5")
    for number in (1, 2):
        table.play(1, "SJ")
        table.add("taken_back", seat=1, cards="SJ", consent=True)
        table.rule(table.number("taken_back"))
        assert table.match()["levels"] == [str(2 + number), "2"]


@pytest.mark.rule("GDE-38")
def test_a_play_taken_back_after_others_have_acted_leaves_the_trick_to_go_on() -> None:
    table = Table(EVENT)
    table.play(0, "S5")
    table.play(1, "SJ")
    table.passes(2)
    table.add("taken_back", seat=1, cards="SJ", consent=True)
    assert table.state.deal.left[1] == 27
    table.play(1, "S9")
    assert [claim.kind for claim in table.claims()] == ["taken_back"]
