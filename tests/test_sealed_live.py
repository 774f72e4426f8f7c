"""A table that really runs, with a dealer: until a hand may be known it is found nowhere but in the dealer's own process."""

from __future__ import annotations

import io
import re
import urllib.error
import urllib.request
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from typer.testing import CliRunner

from api.cli import app
from devices.simulator.serial_device import Device, Running, deal
from devices.simulator.serial_wire import Wire
from table.events import Correction, SealOpened
from table.record import read_record
from tests.serial_tools import PaizhuoRun, hands_of, shuffled, until

SETUP = """version = 2
name = "sealed"
profile = "guandan-official"

[[device]]
name = "dealer"
kind = "dealer"
port = "{port}"
"""
DEALT = shuffled(42)
ANSWERS = (
    "api/v1/state", "api/v1/record", "api/v1/record.txt", "api/v1/record.xlsx", "api/v1/match.zip",
    "api/v1/devices", "api/v1/setup", "metrics", "healthz",
)  # fmt: skip


class Run(PaizhuoRun):
    """The table of this test."""

    def answers(self) -> Iterator[bytes]:
        """What the API answers."""
        for path in ANSWERS:
            try:
                answer = urllib.request.urlopen(self.address + path).read()
            except urllib.error.HTTPError as error:
                answer = error.read()
            yield answer
            if answer.startswith(b"PK"):
                with zipfile.ZipFile(io.BytesIO(answer)) as packed:
                    yield from (packed.read(name) for name in packed.namelist())

    def memory(self) -> Iterator[bytes]:
        """All that the process may write to, and so may hold."""
        with (
            Path(f"/proc/{self.process.pid}/maps").open() as maps,
            Path(f"/proc/{self.process.pid}/mem").open("rb") as memory,
        ):
            for line in maps:
                area, rights = line.split()[:2]
                low, high = (int(end, 16) for end in area.split("-"))
                if not rights.startswith("rw") or "[v" in line:
                    continue
                try:
                    memory.seek(low)
                    yield memory.read(high - low)
                except (OSError, ValueError):
                    continue


@pytest.fixture
def run(tmp_path: Path) -> Iterator[Run]:
    run = Run(tmp_path, SETUP.format(port=tmp_path / "tty"))
    yield run
    run.stop()


def sealed(folder: Path, *words: str) -> Result:
    """A command of `paizhuo sealed`."""
    surroundings = {"PAIZHUO_SEAL_KEY": str(folder / "keys" / "seal.key"), "PAIZHUO_LANG": "en"}
    return CliRunner().invoke(app, ["sealed", *words], env=surroundings)


CARD = rb"(?:[SHDC](?:10|[2-9JQKA])|LJ|BJ)"
IN_A_ROW = re.compile(CARD + rb"(?:[^A-Za-z0-9]{1,24}?" + CARD + rb"){4}")
TOLD = re.compile(rb"CARD \d{1,3} [0-3K] " + CARD)


def given_away(places: Iterable[bytes]) -> list[bytes]:
    """What gives a hand away: five of its cards in a row, in any notation; lines of the dealer."""
    hands = [[card.encode() for card in cards] for cards in hands_of(DEALT).values()]
    rows = {tuple(cards[start : start + 5]) for cards in hands for start in range(len(cards) - 4)}
    lines = {f"CARD {i} {place} {face}".encode() for i, (place, face) in enumerate(DEALT, 1)}
    found = []
    for place in places:
        found += [one for one in IN_A_ROW.findall(place) if tuple(re.findall(CARD, one)) in rows]
        found += [one for one in TOLD.findall(place) if one in lines]
    return found


def files(folder: Path) -> Iterator[bytes]:
    for path in folder.rglob("*"):
        if path.is_file():
            yield path.read_bytes()


def test_sealed_hands_are_nowhere_before_they_may_be_known_and_in_the_record_after(
    run: Run, tmp_path: Path
) -> None:
    wire = Wire(tmp_path / "tty")
    with Running(Device(wire, "dealer")) as dealer:
        run.put(event="deal_started", deal=1, level="2")
        deal(dealer, DEALT)
        until(lambda: run.names().count("hand_sealed") == 4, "the hands are bound")

        # Before time: only a referee who says why, and the record tells.
        listed = sealed(tmp_path, "list", str(run.data)).stdout
        assert "108 cards" in listed
        name = listed.split()[0]
        refused = sealed(tmp_path, "reveal", str(run.data), name)
        assert (refused.exit_code, len(refused.stderr.splitlines())) == (2, 1)
        assert "may not be opened yet" in refused.stderr
        looked = sealed(
            tmp_path, "reveal", str(run.data), name, "--by", "referee Li", "--reason", "card on the floor"
        )
        assert " ".join(hands_of(DEALT)["2"]) in looked.stdout
        until(lambda: "seal_opened" in run.names(), "the record tells")

        assert given_away(files(run.data)) == []
        assert given_away([run.printed]) == []
        assert given_away(run.answers()) == []
        # The process that serves the table has never been told a card: its memory holds none.
        assert given_away(run.memory()) == []

        run.put(event="deal_started", deal=2, level="2")
        until(lambda: given_away(files(run.data)), "now they may be known")
        until(lambda: run.names().count("correction") == 4, "in the record")
        # And this search finds what there is.
        assert any(given_away([part]) for part in run.memory())
    run.stop()
    said = sealed(tmp_path, "verify", str(run.data))
    assert said.exit_code == 0, said.output
    assert said.stdout.count("these are the cards that were bound when dealt") == 4
    events = read_record(run.data / "record.jsonl").events
    told = {
        str(event.replacement["seat"]): event.replacement["cards"].split()
        for event in events
        if isinstance(event, Correction) and event.replacement is not None
    }
    assert told == hands_of(DEALT)
    looks = [(event.by, event.why) for event in events if isinstance(event, SealOpened)]
    assert looks == [("referee Li", "card on the floor")]
    # Displays go without hands at all times.
    assert given_away([run.printed]) == []
