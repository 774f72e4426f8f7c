"""What tests of the display start from: a browser, a table kept by hand, a page that looks at it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab

from tests.display_tables import (
    TOO_LOW,
    Node,
    browser_of,
    context_of,
    look,
)


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = browser_of(playwright)
        yield chromium
        chromium.close()


@pytest.fixture
def node(tmp_path: Path) -> Iterator[Node]:
    """A table kept by hand, in a deal, seat 3 to play."""
    with Node(tmp_path / "table") as table:
        table.deal()
        yield table


@contextmanager
def looking(browser: Browser, node: Node) -> Iterator[Tab]:
    """A page at a table, which must have told of no error when it is closed."""
    context = context_of(browser, lang="en")
    errors: list[str] = []
    yield look(context, node.address, errors=errors)
    context.close()
    assert not errors


@pytest.fixture
def tab(browser: Browser, node: Node) -> Iterator[Tab]:
    with looking(browser, node) as page:
        yield page


@pytest.fixture(scope="module")
def standing(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A table with a finding, its clock stopped, at which nothing is decided or put in."""
    with Node(tmp_path_factory.mktemp("standing")) as table:
        table.deal()
        table.put_in({"event": "clock", "state": "stopped"}, TOO_LOW)
        yield table


@pytest.fixture
def onlooker(browser: Browser, standing: Node) -> Iterator[Tab]:
    with looking(browser, standing) as page:
        yield page
