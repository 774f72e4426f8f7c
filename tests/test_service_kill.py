"""The service is killed at random moments of a match and started again: nothing acknowledged is lost, nothing doubled.

`PAIZHUO_KILLS=30` kills it more often; each kill comes after a random number of events more.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from api.runner import JOURNAL
from table.event_json import event_to_json
from table.journal import Journal
from table.session import Referee, replay
from tests.recorder_eyes import findings, judged, plain
from tests.service_tables import scripted

KILLS = int(os.environ.get("PAIZHUO_KILLS", "4"))
ROOT = Path(__file__).resolve().parent.parent


def until_killed(data: Path, profile: str, seed: int, after: int) -> tuple[bool, int]:
    """Run the service until it has told of `after` events, then kill it.

    Returns:
        Whether the match was over before, and the last event that it told of.
    """
    command = [sys.executable, "-m", "tests.service_tables", str(data), profile, str(seed)]
    told = last = 0
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as service:
        assert service.stdout is not None
        for line in service.stdout:
            if line == "over\n":
                return True, last
            if line.startswith("event "):
                told, last = told + 1, int(line.split()[1])
                if told == after:
                    service.send_signal(signal.SIGKILL)
                    break
        # What it still told while it was being killed counts as told.
        last = max([last, *(int(line.split()[1]) for line in service.stdout if line.startswith("event "))])
    assert service.returncode == -signal.SIGKILL
    return False, last


@pytest.mark.parametrize(("profile", "seed"), [("guandan-event", 11)])
def test_a_match_survives_being_killed_again_and_again(tmp_path: Path, profile: str, seed: int) -> None:
    rng = random.Random(KILLS)
    table = scripted(profile, seed)
    most = max(2, 2 * len(table.expected) // (KILLS + 1))
    killed = 0
    while killed < KILLS:
        over, told = until_killed(tmp_path, profile, seed, rng.randrange(1, most))
        with Journal(tmp_path / JOURNAL) as journal:  # Verifies the chain.
            assert journal.last_seq >= told
        if over:
            break
        killed += 1
    while not until_killed(tmp_path, profile, seed, 10**9)[0]:
        pass
    with Journal(tmp_path / JOURNAL) as journal:
        referee: Referee = replay(list(journal.events()))[0]
    assert killed
    assert [plain(event_to_json(event)) for event in referee.effective()] == table.expected
    assert findings(referee) == findings(judged(table.expected))
