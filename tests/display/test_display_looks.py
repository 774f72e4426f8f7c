"""How the pages look and whom they serve: axe, contrast, touch, what may never be covered, set-up by dragging.

axe-core comes from npm into a folder of its own; `PAIZHUO_AXE` names an `axe.min.js` that is there already.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tarfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, expect
from playwright.sync_api import Page as Tab

from api.http.pages import STATIC
from calibration.setup_file import load_setup, save_setup
from table.texts import catalogue
from tests.display_tables import (
    CHROMIUM,
    PLAYERS,
    PROFILE,
    SIZES,
    TOO_LOW,
    Node,
    context_of,
    hand_setup,
    look,
    until,
)
from tests.service_tables import ScriptedTable, script, setup_of

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="Debian's chromium is not installed")
expect.set_options(timeout=20_000)
AXE = "axe-core@4.11"
PANELS = ("", "m", "a", "c", "x", "h", "g", "?")
"""Keys that open what stands beside the table."""
PAGES = (
    "login",
    "display/setup#match",
    "display/setup#zones",
    "display/setup#devices",
    "display/setup#doctor",
)


@pytest.fixture(scope="module")
def node(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Node]:
    """A deal with a proven finding and one to be checked."""
    with Node(tmp_path_factory.mktemp("table")) as table:
        table.deal()
        # Nobody runs out of time while it is looked at.
        table.put_in({"event": "clock", "state": "stopped"})
        doubtful = {"confidence": 0.6, "alternatives": [["SK DK", 0.3]]}
        table.put_in(TOO_LOW, {"event": "play", "seat": 0, "cards": "SK HK", **doubtful})
        yield table


@pytest.fixture(scope="module")
def axe(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The source of axe."""
    given = os.environ.get("PAIZHUO_AXE")
    if given:
        return Path(given).read_text("utf-8")
    if shutil.which("npm") is None:
        pytest.skip("axe-core: no npm here; set PAIZHUO_AXE to an axe.min.js")
    folder = tmp_path_factory.mktemp("axe")
    packed = subprocess.run(
        ["npm", "pack", AXE, "--silent"], cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    if packed.returncode:
        pytest.skip("axe-core: npm has no network here; set PAIZHUO_AXE to an axe.min.js")
    with tarfile.open(next(folder.glob("*.tgz"))) as package:
        file = package.extractfile("package/axe.min.js")
        assert file is not None
        return file.read().decode()


def faults(tab: Tab, axe: str) -> list[tuple[str, object]]:
    """What axe holds to be serious."""
    tab.evaluate(axe)
    found = tab.evaluate("axe.run({resultTypes: ['violations']})")["violations"]
    return [
        (one["id"], [node["target"] for node in one["nodes"]][:3])
        for one in found
        if one["impact"] in ("serious", "critical")
    ]


def opened(tab: Tab, key: str) -> Tab:
    """The display with what a key opens."""
    tab.keyboard.press("Escape")
    if key:
        tab.keyboard.press(key)
        expect(tab.locator("pz-panel > .body")).to_be_visible()
    return tab


@pytest.mark.parametrize(("lang", "theme"), [("zh", "dark"), ("en", "light")])
def test_axe_finds_no_serious_fault_on_the_display(
    browser: Browser, node: Node, axe: str, lang: str, theme: str
) -> None:
    context = context_of(browser, lang=lang, theme=theme)
    tab = look(context, node.address)
    expect(tab.locator("pz-queue .item")).to_have_count(2)
    assert {key: faults(opened(tab, key), axe) for key in PANELS} == {key: [] for key in PANELS}
    tab.keyboard.press("Escape")
    tab.locator("pz-log li button").first.click()
    tab.locator("pz-panel .chosen button").first.click()
    expect(tab.locator("pz-panel .keypad")).to_be_visible()
    assert faults(tab, axe) == []
    context.close()


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_axe_finds_no_serious_fault_on_the_other_pages(
    browser: Browser, node: Node, axe: str, theme: str
) -> None:
    context = context_of(browser, theme=theme)
    for page in PAGES:
        tab = look(context, node.address, page)
        expect(tab.locator(".card, form").first).to_be_visible()
        assert faults(tab, axe) == [], page
        tab.close()
    context.close()


@pytest.mark.parametrize("size", SIZES)
def test_the_clock_is_never_covered_and_nothing_is_too_small_to_touch(
    browser: Browser, node: Node, size: tuple[int, int]
) -> None:
    context = context_of(browser, size, lang="en")
    tab = look(context, node.address)
    for key in PANELS:
        opened(tab, key)
        assert tab.evaluate(_UNCOVERED), key
        assert tab.evaluate(_SMALL) == [], key
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), key
    context.close()


_UNCOVERED = """(() => {
  const box = document.querySelector('pz-clock').getBoundingClientRect();
  return [[.1, .2], [.9, .2], [.5, .5], [.1, .8], [.9, .8]].every(([x, y]) => {
    const there = document.elementFromPoint(box.left + x * box.width, box.top + y * box.height);
    // The drawing lets taps through; only what lies over the clock would be found instead of the table.
    return there?.closest('pz-table') !== null && !there.closest('.views');
  }) && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.right <= innerWidth;
})()"""
_SMALL = """[...document.querySelectorAll('button, a, select, input, summary')]
  .filter((one) => one.checkVisibility({visibilityProperty: true}))
  .map((one) => [one.textContent.slice(0, 20) || one.name, one.getBoundingClientRect()])
  .filter(([, box]) => box.width && (box.width < 47.5 || box.height < 47.5)).map(([name]) => name)"""


@pytest.mark.parametrize("theme", ["dark", "light"])
def test_what_matters_has_a_contrast_of_seven(browser: Browser, node: Node, theme: str) -> None:
    context = context_of(browser, theme=theme)
    tab = look(context, node.address)
    pairs = (
        "text bg", "text panel", "text raised", "text felt", "quiet panel", "quiet raised", "amber panel",
        "amber-ink amber", "key-ink key", "red-ink red-fill", "violet panel", "green panel",
    )  # fmt: skip
    low = {}
    for pair in pairs:
        ratio = _contrast(*(_colour(tab, name) for name in pair.split()))
        if ratio < 7:
            low[pair] = round(ratio, 2)
    assert low == {}
    context.close()


def _colour(tab: Tab, name: str) -> tuple[float, ...]:
    value = tab.evaluate(f"getComputedStyle(document.documentElement).getPropertyValue('--{name}').trim()")
    return tuple(int(value[at : at + 2], 16) / 255 for at in (1, 3, 5))


def _contrast(a: tuple[float, ...], b: tuple[float, ...]) -> float:
    """The contrast of WCAG 2."""

    def light(colour: tuple[float, ...]) -> float:
        parts = [c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in colour]
        return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

    high, low = sorted((light(a), light(b)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.fixture
def tab(browser: Browser, node: Node) -> Iterator[Tab]:
    context = context_of(browser, lang="en")
    yield look(context, node.address)
    context.close()


LONG = ("欧阳静怡", "司马相如", "Alexandros Papadopoulos", "Konstantin Wagenknechtson")


@pytest.mark.parametrize("size", SIZES)
def test_ten_cards_of_a_long_name_hide_neither_its_count_nor_other_cards(
    browser: Browser, tmp_path: Path, size: tuple[int, int]
) -> None:
    with Node(tmp_path, replace(hand_setup(), players=LONG)) as table:
        table.deal()
        table.put_in({"event": "play", "seat": 3, "cards": "S6 S6 H6 H6 C6 C6 D6 D6 H5 H5"})
        context = context_of(browser, size, lang="en")
        tab = look(context, table.address)
        expect(tab.locator("[data-seat='3'] pz-card")).to_have_count(10)
        assert tab.evaluate(_OVERLAPS) == []
        context.close()


_OVERLAPS = """(() => {
  const boxes = [...document.querySelectorAll('.seat .count, .seat .fan, pz-clock')].map((one) => [
    `${one.closest('.seat')?.dataset.seat ?? ''} ${one.className || one.localName}`, one.getBoundingClientRect()]);
  return boxes.flatMap(([name, a], at) => boxes.slice(at + 1).filter(([, b]) =>
    Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1)
    .map(([other]) => `${name} / ${other}`));
})()"""


def test_no_sign_stands_without_a_word(tab: Tab) -> None:
    opened(tab, "h")
    bare = "[...document.querySelectorAll('.sign')].filter((one) => !one.parentElement.textContent.trim()).length"
    assert tab.locator(".sign").count() > 3
    assert tab.evaluate(bare) == 0


def test_the_table_turns_to_where_the_referee_stands(tab: Tab) -> None:
    for seat in (1, 2, 3, 0):
        tab.keyboard.press("r")
        expect(tab.locator(".seat.bottom")).to_have_attribute("data-seat", str(seat))
        expect(tab.locator(".seat.right")).to_have_attribute("data-seat", str((seat + 1) % 4))


def test_nothing_comes_from_elsewhere(browser: Browser, node: Node) -> None:
    context = context_of(browser)
    asked: list[str] = []
    context.on("request", lambda request: asked.append(request.url))
    tab = look(context, node.address)
    expect(tab.locator(".played > .fan pz-card").first).to_be_visible()
    assert asked
    assert all(url.startswith((node.address, "data:", "blob:")) for url in asked)
    context.close()


def test_every_card_has_a_face_of_its_own_and_is_named(tab: Tab) -> None:
    found = tab.evaluate(
        """async () => {
          const { CARD_NAMES, cardSvg, cardWords, parseCards } = await import('/static/cards/pz-card.js');
          return [CARD_NAMES.length, new Set(CARD_NAMES.map((name) => cardSvg(name))).size,
                  new Set(CARD_NAMES.map((name) => cardWords(name, 'en'))).size, parseCards('s7 ♥T 大王'), parseCards('S1')];
        }"""
    )
    assert found == [54, 54, 54, ["S7", "H10", "BJ"], None]


def test_every_word_that_the_pages_say_is_in_the_catalogue() -> None:
    known = catalogue("display")
    said = {
        word
        for file in (STATIC / "display").glob("*.js")
        for word in re.findall(r'\bt\("([a-z_0-9]+)"', file.read_text("utf-8"))
    }
    assert len(said) > 150
    assert said - set(known) == set()
    assert [word for word, entry in known.items() if not entry["zh"] or not entry["en"]] == []


@pytest.fixture
def watched(browser: Browser, tmp_path: Path) -> Iterator[tuple[Node, BrowserContext, Path]]:
    """A table with a camera and a setup file."""
    setup = replace(setup_of(PROFILE), players=PLAYERS)
    file = tmp_path / "table.toml"
    save_setup(setup, file)
    shown = ScriptedTable(PROFILE, script(PROFILE, 5))
    context = context_of(browser, lang="en")
    with Node(tmp_path / "data", setup, script=shown, speed=2.0, table_file=file) as table:
        yield table, context, file
    context.close()


def test_a_zone_is_dragged_over_the_live_picture_and_written(
    watched: tuple[Node, BrowserContext, Path],
) -> None:
    table, context, file = watched
    tab = look(context, table.address, "display/setup#zones")
    tab.wait_for_function("document.querySelector('img.still')?.naturalWidth > 0")
    before = places(file)
    box = tab.locator(".zone polygon").first.bounding_box()
    assert box is not None
    middle = (box["x"] + box["width"] / 2, box["y"] + box["height"] - 20)
    tab.mouse.move(*middle)
    tab.mouse.down()
    tab.mouse.move(middle[0] + 20, middle[1] - 10, steps=4)
    tab.mouse.up()
    tab.get_by_role("button", name="Save the zones").click()
    until(lambda: places(file)["seat 0"] != before["seat 0"])
    (x, y), (old_x, old_y) = places(file).pop("seat 0"), before["seat 0"]
    assert x > old_x
    assert y > old_y
    assert {**places(file), "seat 0": (old_x, old_y)} == before
    # Whoever comes later learns that the table still looks where the zones were.
    expect(tab.locator(".waits")).to_contain_text("once it is started again")
    tab.reload()
    expect(tab.locator(".waits")).to_contain_text("once it is started again")


@pytest.mark.parametrize("size", SIZES)
def test_zones_lie_on_a_picture_of_its_own_shape(
    watched: tuple[Node, BrowserContext, Path], size: tuple[int, int]
) -> None:
    table, context, _ = watched
    tab = look(context, table.address, "display/setup#zones")
    tab.set_viewport_size({"width": size[0], "height": size[1]})
    tab.wait_for_function("document.querySelector('img.still')?.naturalWidth > 0")
    box = tab.locator(".stage").bounding_box()
    assert box is not None
    assert box["width"] / box["height"] == pytest.approx(1.0, abs=0.02)
    assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth")


def places(file: Path) -> dict[str, tuple[float, float]]:
    """Where the zones of a setup file lie, mm."""
    return {
        zone.name: (round(zone.centre[0], 1), round(zone.centre[1], 1)) for zone in load_setup(file).zones
    }


def test_the_live_picture_is_shown_and_turned_with_the_table(
    watched: tuple[Node, BrowserContext, Path],
) -> None:
    table, context, _ = watched
    tab = look(context, table.address)
    tab.wait_for_function("document.querySelector('pz-picture img')?.naturalWidth > 0")
    expect(tab.locator("pz-picture")).to_have_attribute("data-live", "true")
    tab.keyboard.press("r")
    expect(tab.locator("pz-picture .turned")).to_have_attribute("style", re.compile(r"rotate\(90deg\)"))
