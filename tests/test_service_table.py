"""The service of a table: what cameras and people say becomes the record, in order, on disk before anybody hears."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from api.runner import JOURNAL, Runner
from api.service import TableService, Told
from table.event_json import event_from_json, event_to_json
from table.events import ClockSet, Pass, UnknownEvent
from table.journal import Journal
from tests.recorder_eyes import findings, judged, plain
from tests.service_tables import PICTURE, kinds, run, scripted, setup_of
from vision.card_reader import CardReader
from vision.frames import Frame
from vision.table_watch import TableWatch

PROFILE = "guandan-official"


def effective(service: TableService) -> list[dict[str, object]]:
    """The events as they count, without what a camera adds."""
    return [plain(event_to_json(event)) for event in service.referee.effective()]


@pytest.mark.parametrize(
    ("profile", "seed"), [("guandan-official", 5), ("guandan-event", 6), ("shengji-event", 7)]
)
def test_a_deal_is_recorded_as_it_was_played(tmp_path: Path, profile: str, seed: int) -> None:
    table = scripted(profile, seed)
    service = run(table, tmp_path, profile)
    assert effective(service) == table.expected
    assert findings(service.referee) == findings(judged(table.expected))


def test_the_journal_has_an_event_before_anybody_hears_of_it(tmp_path: Path) -> None:
    table = scripted(PROFILE, 5)
    early: list[int] = []
    with Journal(tmp_path / JOURNAL) as journal, sqlite3.connect(tmp_path / JOURNAL) as other:
        service = TableService(setup_of(PROFILE), table.watch(), journal)

        def listener(told: Told) -> None:
            if not other.execute("SELECT 1 FROM event WHERE seq = ?", (told.event.seq,)).fetchone():
                early.append(told.event.seq)

        service.listen(listener)
        Runner(service, inputs=table.heard).all_at_once([table.source()])
    assert service.told
    assert not early


@pytest.mark.parametrize("share", [0.1, 0.35, 0.6, 0.9])
def test_a_match_that_was_stopped_goes_on_as_if_nothing_had_happened(tmp_path: Path, share: float) -> None:
    table = scripted(PROFILE, 5)
    stop_at = table.expected[round(len(table.expected) * share)]["at"]
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(setup_of(PROFILE), table.watch(), journal)
        Runner(service, inputs=table.heard).all_at_once(
            [table.source()], stop=lambda: (service.now or 0) > stop_at
        )
    service = run(table, tmp_path, PROFILE)
    assert effective(service) == table.expected


def test_time_that_nobody_watched_is_named(tmp_path: Path) -> None:
    table = scripted(PROFILE, 5)
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(setup_of(PROFILE), table.watch(), journal)
        Runner(service, inputs=table.heard).all_at_once(
            [table.source()], stop=lambda: (service.now or 0) > 150
        )
    service = run(table, tmp_path, PROFILE, missed=30.0)
    gaps = [
        told.event
        for told in service.told
        if isinstance(told.event, UnknownEvent) and "from" in told.event.extra
    ]
    assert len(gaps) == 1
    assert all(claim.certainty != "proven" for claim in service.referee.findings().values())


def test_an_input_waits_for_what_came_to_rest_before_it(tmp_path: Path) -> None:
    """A pass on the seat box comes at once, the cards laid before it are read a quarter of a second later."""
    table = scripted(PROFILE, 5)
    service = run(table, tmp_path, PROFILE)
    times = [told.event.at for told in service.told if told.event.at is not None]
    assert times == sorted(times)


def test_inputs_given_again_after_a_restart_are_recorded_once(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        for _ in range(2):
            service = TableService(setup_of(PROFILE), scripted(PROFILE, 5).watch(), journal)
            service.start()
            service.hear(ClockSet(at=3.0, source="referee", state="stopped"))
            service.step([Frame(PICTURE, 5.0, "above")])
    assert kinds([told.event for told in service.told]) == ["match_started", "clock"]


def test_a_full_disk_stops_recording_and_says_so_and_loses_nothing(tmp_path: Path) -> None:
    """The journal may not grow any more; what happens meanwhile is recorded once it may."""
    table = scripted(PROFILE, 5)
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(setup_of(PROFILE), table.watch(), journal)
        heard: list[int] = []
        service.listen(lambda told: heard.append(told.event.seq))
        troubles = set()

        def fill(_: object) -> None:
            full = 100 < (service.now or 0) < 200
            pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
            journal._db.execute(f"PRAGMA max_page_count = {pages if full else 1 << 20}")

        def watch_trouble() -> bool:
            fill(None)
            if service.trouble:
                troubles.add(service.trouble)
                assert max(heard) == journal.last_seq
            return False

        Runner(service, inputs=table.heard).all_at_once([table.source()], stop=watch_trouble)
        assert journal.verify() == journal.head
        assert [event.seq for event in journal.events()] == heard
    assert any("full" in trouble and "\n" not in trouble for trouble in troubles)
    assert not service.trouble
    assert effective(service) == table.expected


def test_latency_counts_from_cards_at_rest(tmp_path: Path) -> None:
    """Known with the first frame a quarter of a second or more after they came to rest, at five frames a second."""
    service = run(scripted(PROFILE, 5), tmp_path, PROFILE)
    assert service.latencies
    assert all(0.25 <= seconds < 0.25 + 0.2 + 0.2 for seconds in service.latencies)


def test_passes_of_people_need_no_camera(tmp_path: Path) -> None:
    with Journal(tmp_path / JOURNAL) as journal:
        service = TableService(setup_of(PROFILE), scripted(PROFILE, 5).watch(1e9), journal)
        service.start()
        service.hear(Pass(at=1.0, source="seatbox", seat=2))
        service.finish()
    assert kinds([told.event for told in service.told]) == ["match_started", "pass"]


def test_nobody_is_accused_of_a_turn_while_no_camera_looks(tmp_path: Path) -> None:
    setup = setup_of("guandan-official")
    with Journal(tmp_path / "journal.sqlite") as journal:
        service = TableService(setup, TableWatch(setup, CardReader.open(1)), journal)
        service.start()
        for name, at, more in (
            ("deal_started", 1.0, {"deal": 1, "level": "2"}),
            ("draw_ended", 2.0, {}),
            ("play", 3.0, {"seat": 0, "cards": "S7"}),
            # Seat 1 has played, and nobody saw it.
            ("pass", 9.0, {"seat": 2}),
        ):
            source = "seatbox" if name == "pass" else "referee"
            while service.now is None or service.now < at:
                service.pass_time((service.now or 0.0) + 0.5)
            service.hear(event_from_json({"event": name, "at": at, "source": source, **more}))
        service.finish()
        assert set(service.blind.values()) == {"gone"}
        assert [claim.certainty for claim in service.referee.findings().values()] == ["check"]
        gap = next(told.event for told in service.told if isinstance(told.event, UnknownEvent))
        assert gap.extra["why"] == "blind"
