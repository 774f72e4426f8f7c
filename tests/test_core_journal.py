"""The journal: nothing acknowledged is lost, nothing changed goes unnoticed."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
from pathlib import Path
from typing import TextIO

import pytest

from table.cards import parse_cards
from table.events import Event, Pass, Play
from table.journal import BrokenJournal, Journal
from table.record import parse_record
from table.session import replay
from table.snapshot import snapshot

KILLS = 200


def some_events(count: int) -> list[Pass]:
    return [Pass(seat=number % 4, at=float(number)) for number in range(count)]


def start_writer(path: Path, events: list[Event]) -> tuple[TextIO, int]:
    """A process that goes on writing the events into the journal; its pipe has the number of each one
    written."""
    out, into = os.pipe()
    pid = os.fork()
    if pid:
        os.close(into)
        return os.fdopen(out), pid
    try:
        journal = Journal(path)
        for event in events[journal.last_seq :]:
            os.write(into, b"%d\n" % journal.append(event).seq)
    finally:
        os._exit(0)


def match_record(deals: int) -> str:
    from devices.simulator.bots import play_match
    from table.event_json import event_from_json
    from table.record import format_record
    from table.rulesets import load_profile

    script = play_match(load_profile("guandan-official"), random.Random(11), deals=deals)
    return format_record(event_from_json(event) for event in script.events)


def test_what_was_appended_is_there_after_reopening(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path) as journal:
        written = journal.extend(some_events(5))
        head = journal.head
    with Journal(path) as journal:
        assert list(journal.events()) == written
        assert (journal.head, len(journal), journal.last_seq) == (head, 5, 5)
        assert list(journal.events(after=3)) == written[3:]


def test_a_killed_writer_loses_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    record = tmp_path / "match.jsonl"
    record.write_text(match_record(12), "utf-8")
    events = parse_record(record.read_text("utf-8")).events
    rng = random.Random(5)
    path = tmp_path / "j.db"
    acknowledged = 0
    for _ in range(KILLS):
        reader, pid = start_writer(path, events)
        for _ in range(rng.randrange(0, 12)):
            line = reader.readline()
            if line:
                acknowledged = int(line)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        # What it had acknowledged before the signal reached it still counts.
        for line in reader.read().split("\n")[:-1]:
            acknowledged = int(line)
        reader.close()
        with Journal(path) as journal:
            assert journal.last_seq >= acknowledged
            assert journal.last_seq <= acknowledged + 1
            acknowledged = journal.last_seq
    with Journal(path) as journal:
        kept = list(journal.events())
    assert kept == events[: len(kept)]
    assert acknowledged > KILLS
    assert snapshot(replay(kept)[0].state) == snapshot(replay(events[: len(kept)])[0].state)


def test_a_changed_row_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path) as journal:
        journal.extend(some_events(5))
    with sqlite3.connect(path) as db:
        db.execute("UPDATE event SET body = replace(body, '\"seat\": 2', '\"seat\": 1') WHERE seq = 3")
    with pytest.raises(BrokenJournal, match="row 3 was changed"):
        Journal(path)


def test_a_missing_row_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    with Journal(path) as journal:
        journal.extend(some_events(5))
    with sqlite3.connect(path) as db:
        db.execute("DELETE FROM event WHERE seq = 2")
    with pytest.raises(BrokenJournal, match="row 2 is missing"):
        Journal(path)


def test_any_first_rows_are_a_journal(tmp_path: Path) -> None:
    for count in range(6):
        path = tmp_path / f"{count}.db"
        with Journal(path) as journal:
            journal.extend(some_events(5))
        with sqlite3.connect(path) as db:
            db.execute("DELETE FROM event WHERE seq > ?", (count,))
        with Journal(path) as journal:
            assert len(journal) == count
            journal.append(Pass(seat=0))
            journal.verify()


def test_a_file_that_is_no_journal_is_named(tmp_path: Path) -> None:
    path = tmp_path / "j.db"
    path.write_bytes(b"not a database, " * 400)
    with pytest.raises(BrokenJournal, match="cannot be used as a journal"):
        Journal(path)


def test_a_journal_exports_the_record_and_takes_one(tmp_path: Path) -> None:
    with Journal(tmp_path / "one.db") as one:
        one.append(Play(seat=1, cards=parse_cards("S7 BJ"), at=1.5, confidence=0.5))
        one.extend(some_events(3))
        exported = one.export()
    with Journal(tmp_path / "two.db") as two:
        two.extend(parse_record(exported).events)
        assert two.export() == exported
        assert two.head == one.head
