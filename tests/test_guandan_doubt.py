"""Never an accusation on a doubtful reading; findings that strengthen, weaken, are withdrawn."""

from __future__ import annotations

import pytest

from tests.guandan_tools import Table


def test_a_low_confidence_leaves_a_play_that_does_not_beat_to_be_checked() -> None:
    table = Table()
    table.play(0, "S9")
    table.play(1, "S8", confidence=0.4)
    assert table.found() == [("does_not_beat", 1, "check")]


def test_an_alternative_that_beats_leaves_it_to_be_checked() -> None:
    table = Table()
    table.play(0, "S9")
    table.play(1, "S8", confidence=0.97, alternatives=[["SJ", 0.03]])
    assert table.found() == [("does_not_beat", 1, "check")]


def test_alternatives_that_do_not_beat_either_leave_no_excuse() -> None:
    table = Table()
    table.play(0, "S9")
    table.play(1, "S8", alternatives=[["S6", 0.2]])
    assert table.found() == [("does_not_beat", 1, "proven")]


def test_a_legal_first_reading_raises_nothing_whatever_the_alternatives() -> None:
    table = Table()
    table.play(0, "S9")
    table.play(1, "SJ", confidence=0.5, alternatives=[["S4", 0.4]])
    assert table.found() == []


def test_doubt_about_what_was_to_be_beaten_excuses_too() -> None:
    table = Table()
    table.play(0, "S9", confidence=0.5, alternatives=[["S6", 0.4]])
    table.play(1, "S8")
    assert table.found() == [("does_not_beat", 1, "check")]
    table = Table()
    table.play(0, "S9", confidence=0.5)
    table.play(1, "S8")
    assert table.found() == [("does_not_beat", 1, "check")]


def test_no_combination_under_any_reading_is_proven_under_one_to_be_checked() -> None:
    for other, certainty in (("S9", "check"), ("SK", "proven")):
        table = Table()
        table.play(0, "S8 H9", alternatives=[[f"{other} H9", 0.2]])
        expected = [("not_a_combination", 0, certainty)]
        assert table.found() == expected


def test_how_sure_a_reading_must_be_is_a_key() -> None:
    table = Table(options={"reading.doubt_below": 0.3})
    table.play(0, "S9")
    table.play(1, "S8", confidence=0.4)
    assert table.found() == [("does_not_beat", 1, "proven")]


def test_a_correction_withdraws_and_correcting_back_raises_the_same_finding_again() -> None:
    table = Table()
    table.play(0, "S9")
    table.play(1, "S8")
    of = table.seq
    state, found = table.state, table.referee.findings()
    said = table.add("correction", of=of, replacement={"event": "play", "seat": 1, "cards": "SJ"})
    assert said == [{"finding": 1, "withdrawn": True, "event": table.seq}]
    said = table.add("correction", of=of, replacement={"event": "play", "seat": 1, "cards": "S8"})
    assert [line["finding"] for line in said] == [1]
    assert table.referee.findings() == found
    assert table.state == state


def test_a_voided_event_is_as_if_it_had_not_been() -> None:
    table = Table()
    table.play(0, "S9")
    before = table.state
    table.passes(2)
    table.add("correction", of=table.seq, void=True)
    assert table.state == before


def test_a_corrected_seat_changes_everything_that_depends_on_it() -> None:
    table = Table()
    table.play(0, "S9")
    table.passes(2)
    wrong = table.seq
    table.play(2, "S10")
    table.passes(3, 0, 1)
    assert [kind for kind, _, _ in table.found()] == ["out_of_turn", "out_of_turn"]
    table.add("correction", of=wrong, replacement={"event": "pass", "seat": 1})
    assert table.found() == []


@pytest.mark.parametrize("seat", [0, 1, 2, 3])
def test_a_ruling_on_what_a_correction_takes_away_loses_its_penalty(seat: int) -> None:
    table = Table("guandan-event")
    table.play(seat, "S9")
    table.play((seat + 1) % 4, "S8")
    table.add("taken_back", seat=(seat + 1) % 4, cards="S8", consent=True)
    back = table.seq
    table.rule(table.number("taken_back"))
    assert sorted(table.match()["levels"]) == ["2", "3"]
    table.add("correction", of=back, void=True)
    assert table.match()["levels"] == ["2", "2"]
