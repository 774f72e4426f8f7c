"""Count calls (报牌): a duty at ten, on request at seven, right or wrong, asked or repeated."""

from __future__ import annotations

import pytest

from tests.guandan_tools import EVENT, Table


def near_the_end(profile: str = "guandan-official", left: int = 12, **options: object) -> Table:
    table = Table(profile, options=options or None)
    table.left(s0=left)
    return table


@pytest.mark.rule("GDO-55")
def test_with_ten_or_fewer_the_count_is_called_before_the_next_acts() -> None:
    table = near_the_end()
    table.play(0, "S3 H3")
    duty = table.seq
    table.add("count_called", seat=0, count=10)
    table.passes(1)
    assert table.found() == []
    table = near_the_end()
    table.play(0, "S3 H3")
    said = table.passes(1)
    claim = table.only("count_not_called")
    assert (claim.seat, claim.event, claim.certainty, table.rule_of(claim)) == (0, duty, "proven", "GDO-55")
    assert said[0]["known_at"] == table.seq


@pytest.mark.rule("GDO-55")
def test_eleven_cards_left_need_no_call() -> None:
    table = near_the_end(left=13)
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []


@pytest.mark.rule("GDO-55")
def test_going_out_needs_no_call() -> None:
    table = near_the_end(left=2)
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []


@pytest.mark.rule("GDO-55")
def test_the_duty_comes_with_every_play_or_only_the_first_by_key() -> None:
    for repeat, expected in (("every_play", [("count_not_called", 0, "proven")]), ("once", [])):
        table = near_the_end(**{"report.repeat": repeat})
        table.play(0, "S3 H3")
        table.add("count_called", seat=0, count=10)
        table.passes(1, 2, 3)
        table.play(0, "S4 H4")
        table.passes(1)
        assert table.found() == expected


@pytest.mark.rule("GDO-55", "GDE-30")
@pytest.mark.parametrize("profile", ["guandan-official", EVENT])
def test_a_wrong_count_is_told(profile: str) -> None:
    table = near_the_end(profile, left=8)
    table.play(0, "S3 H3")
    table.add("count_called", seat=0, count=5)
    claim = table.only("count_wrong")
    assert (claim.seat, claim.certainty) == (0, "proven")


@pytest.mark.rule("GDO-55")
def test_a_count_after_a_play_in_doubt_is_to_be_checked() -> None:
    table = near_the_end(left=8)
    table.play(0, "S3 H3", alternatives=[["S3 H3 C3", 0.3]])
    table.add("count_called", seat=0, count=5)
    assert ("count_wrong", 0, "check") in table.found()


@pytest.mark.rule("GDO-55")
def test_asking_and_repeating_are_forbidden_where_calling_is_a_duty() -> None:
    table = near_the_end()
    table.play(0, "S3 H3")
    table.add("count_called", seat=0, count=10)
    table.add("count_called", seat=0, count=10)
    assert table.only("count_repeated").seat == 0
    table = near_the_end()
    table.add("count_asked", seat=2, of=0)
    assert table.only("count_asked_wrongly").seat == 2


@pytest.mark.rule("GDE-30")
def test_on_request_a_count_is_owed_only_when_asked_with_seven_or_fewer() -> None:
    table = near_the_end(EVENT, left=9)
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []
    table.add("count_asked", seat=1, of=0)
    table.add("count_called", seat=0, count=7)
    table.passes(2)
    assert table.found() == []
    table.add("count_asked", seat=3, of=0)
    asked = table.seq
    table.passes(3)
    claim = table.only("count_not_called")
    assert (claim.seat, claim.event, table.rule_of(claim)) == (0, asked, "GDE-30")


@pytest.mark.rule("GDE-30")
def test_asked_with_eight_cards_nothing_is_owed() -> None:
    table = near_the_end(EVENT, left=10)
    table.play(0, "S3 H3")
    table.add("count_asked", seat=1, of=0)
    table.passes(1)
    assert table.found() == []


@pytest.mark.rule("GDO-55")
def test_counts_may_be_waived_for_a_match() -> None:
    table = near_the_end(**{"report.mode": "none"})
    table.play(0, "S3 H3")
    table.passes(1)
    assert table.found() == []
