"""Prints every rule of the catalogue with the tests that exercise it; fails when one has none.

Usage: rules_report.py [--parts 1 2] [--quiet]. A test exercises a rule when its marker says so:
`@pytest.mark.rule("GDO-26")`. A rule that the catalogue marks R (for people only) and that no test exercises
is listed as such. Parts of the catalogue are in scope when there is a profile of their game.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import re
import sys
from collections import defaultdict
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from table.rulesets import profile_names
from tests.conftest import shared_folder

PARTS = {1: "GDO", 2: "GDE", 3: "SJO", 4: "SJE"}
GAMES = {1: "guandan", 2: "guandan", 3: "shengji", 4: "shengji"}
LINE = re.compile(r"^- \*\*((?:GDO|GDE|SJO|SJE)-\d+)\*\* \|(.*)$", re.MULTILINE)


def rules_of(catalogue: str) -> dict[str, tuple[str, bool]]:
    """Rule id to its text and whether one of its columns marks it R."""
    rules = {}
    for rule, rest in LINE.findall(catalogue):
        text, *columns = [column.strip() for column in rest.split("|")]
        people = any(re.match(r"(D: )?R\b", column) for column in columns)
        rules[rule] = (text, people)
    return rules


class Collector:
    """A pytest plugin that notes which tests carry which rule ids."""

    def __init__(self) -> None:
        self.tests: dict[str, list[str]] = defaultdict(list)

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        for item in session.items:
            for marker in item.iter_markers("rule"):
                for rule in marker.args:
                    name = item.nodeid.split("[")[0]
                    if name not in self.tests[rule]:
                        self.tests[rule].append(name)


def collected() -> dict[str, list[str]]:
    """Rule id to the tests that carry it."""
    collector = Collector()
    folder = Path(__file__).resolve().parent
    with contextlib.redirect_stdout(io.StringIO()):
        arguments = ["--collect-only", "-qq", "-p", "no:cacheprovider", "--no-header", str(folder)]
        code = pytest.main(arguments, plugins=[collector])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        sys.exit("the tests cannot be collected: run pytest to see why")
    return collector.tests


def scope(parts: list[int] | None) -> list[int]:
    """The parts asked for, else those whose game has a profile."""
    names = profile_names()
    return parts or [part for part, game in GAMES.items() if any(name.startswith(game) for name in names)]


def main() -> int:
    """Print the report; 1 when a rule has no test, 2 when the catalogue is not there."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--parts", type=int, nargs="+", choices=sorted(PARTS), help="parts of the catalogue")
    parser.add_argument("--quiet", action="store_true", help="only rules without a test, and the sums")
    asked = parser.parse_args()
    path = shared_folder() / "rules" / "catalogue.md"
    if not path.is_file():
        print(f"{path}: the catalogue is not here; PAIZHUO_SHARED names the folder with rules/catalogue.md")
        return 2
    rules = rules_of(path.read_text("utf-8"))
    prefixes = tuple(PARTS[part] for part in scope(asked.parts))
    tests = collected()
    missing, people, covered = [], 0, 0
    for rule, (text, marked) in rules.items():
        if not rule.startswith(prefixes):
            continue
        names = tests.get(rule, [])
        if names:
            covered += 1
            if not asked.quiet:
                print(f"{rule}: {', '.join(names)}")
        elif marked:
            people += 1
            print(f"{rule}: for people only (R): {text}")
        else:
            missing.append(rule)
            print(f"{rule}: NO TEST: {text}")
    strange = sorted(set(tests) - set(rules))
    if strange:
        print(f"markers of rules that are not in the catalogue: {', '.join(strange)}")
    print(f"{covered} rules with tests, {people} for people only, {len(missing)} without a test")
    return 1 if missing or strange else 0


if __name__ == "__main__":
    sys.exit(main())
