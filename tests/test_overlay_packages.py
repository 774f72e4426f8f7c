"""The same graphics in other hands: OGraf hosts, CasparCG and SPX, and the colours of a match."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import jsonschema_rs
import pytest
from playwright.sync_api import Browser, sync_playwright
from playwright.sync_api import Page as Tab
from typer.testing import CliRunner

from api.cli import app
from api.ograf import BUNDLE, bootstrap_page, manifest, template_page, write_ograf
from api.outputs import OutputPolicy, Outputs
from api.overlay_routes import GRAPHICS
from table.texts import catalogue
from tests.overlay_tools import Air, free_port, picture, put, state, until

CHROMIUM = shutil.which("chromium")
in_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium"
)

NUMBER: dict[str, Any] = {
    "type": "object",
    "properties": {key: {"type": "number"} for key in ("min", "max", "exact", "ideal")},
    "patternProperties": {"^v_": {}},
    "additionalProperties": False,
}
# What the OGraf specification, version 1, says of a manifest.
MANIFEST: dict[str, Any] = {
    "type": "object",
    "required": ["$schema", "id", "name", "main", "supportsRealTime", "supportsNonRealTime"],
    "properties": {
        "$schema": {"const": "https://ograf.ebu.io/v1/specification/json-schemas/graphics/schema.json"},
        "id": {"type": "string", "pattern": "^[^/]+$"},
        "version": {"type": "string"},
        "name": {"type": "string"},
        "description": {"type": "string"},
        "main": {"type": "string"},
        "author": {
            "type": "object",
            "required": ["name"],
            "properties": {key: {"type": "string"} for key in ("name", "email", "url")},
            "patternProperties": {"^v_": {}},
            "additionalProperties": False,
        },
        "supportsRealTime": {"type": "boolean"},
        "supportsNonRealTime": {"type": "boolean"},
        "stepCount": {"type": "integer", "minimum": -1},
        "schema": {"type": "object", "properties": {"type": {"const": "object"}}, "required": ["type"]},
        "customActions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["id", "name"],
                "properties": {
                    **{key: {"type": "string"} for key in ("id", "name", "description")},
                    "schema": {"type": ["object", "null"]},
                },
                "patternProperties": {"^v_": {}},
                "additionalProperties": False,
            },
        },
        "renderRequirements": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "resolution": {"type": "object", "properties": {"width": NUMBER, "height": NUMBER}},
                    "frameRate": NUMBER,
                    "accessToPublicInternet": {
                        "type": "object",
                        "properties": {"exact": {"type": "boolean"}, "ideal": {"type": "boolean"}},
                    },
                },
                "patternProperties": {"^v_": {}},
                "additionalProperties": False,
            },
        },
    },
    "patternProperties": {"^v_": {}},
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as browsers:
        one = browsers.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield one
        one.close()


@pytest.fixture(scope="module")
def package(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("ograf")
    write_ograf(folder, "1.0.0")
    return folder


@pytest.fixture
def host(package: Path) -> Iterator[str]:
    """Serves the package as a renderer would: files, nothing else."""
    quiet = type("Quiet", (SimpleHTTPRequestHandler,), {"log_message": lambda *_: None})
    quiet.extensions_map = {**SimpleHTTPRequestHandler.extensions_map, ".mjs": "text/javascript"}  # type: ignore[attr-defined]
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(quiet, directory=str(package)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    server.server_close()


def test_every_manifest_is_what_the_specification_asks(package: Path) -> None:
    found = {path.name: json.loads(path.read_text("utf-8")) for path in package.glob("*.ograf.json")}
    assert set(found) == {f"{name}.ograf.json" for name in GRAPHICS}
    rules = jsonschema_rs.validator_for(MANIFEST)
    for described in found.values():
        assert [error.message for error in rules.iter_errors(described)] == []
        assert (package / described["main"]).is_file()
        jsonschema_rs.validator_for(described["schema"])
    assert len({described["id"] for described in found.values()}) == len(GRAPHICS)


def test_a_manifest_that_is_wrong_would_be_noticed() -> None:
    rules = jsonschema_rs.validator_for(MANIFEST)
    assert not rules.is_valid({**manifest("bug", "1"), "colour": "red"})
    assert not rules.is_valid({**manifest("bug", "1"), "id": "a/b"})


def loaded(browser: Browser, host: str, graphic: str, data: dict[str, Any]) -> Tab:
    """A renderer's page with the graphic created and loaded, as the specification has it."""
    tab = browser.new_page(viewport={"width": 1920, "height": 1080})
    tab.goto(f"{host}/{graphic}.ograf.json")
    tab.evaluate(
        """async ([graphic, data]) => {
            document.documentElement.innerHTML = '<body style="margin:0;background:transparent"></body>';
            const module = await import(`/${graphic}.mjs`);
            customElements.define('renderer-made-this-name', module.default);
            window.graphic = document.createElement('renderer-made-this-name');
            document.body.append(window.graphic);
            window.loaded = await window.graphic.load({ data, renderType: 'realtime', renderCharacteristics: {} });
        }""",
        [graphic, data],
    )
    return tab


@in_chromium
def test_an_ograf_host_plays_updates_and_stops_a_graphic(browser: Browser, host: str) -> None:
    names = {f"player{seat}": name for seat, name in enumerate(("甲", "乙", "丙", "丁"))}
    tab = loaded(browser, host, "names", {**names, "level0": "8", "level1": "5", "title": "决赛"})
    assert tab.evaluate("window.loaded") == {"statusCode": 200}
    assert picture(tab).max() == 0, "nothing may be painted before play"
    assert tab.evaluate("graphic.playAction({})") == {"statusCode": 200, "currentStep": 0}
    assert picture(tab)[..., 3].max() > 200
    assert tab.evaluate("graphic.updateAction({ data: { player0: '新人' } })") == {"statusCode": 200}
    told = tab.evaluate(
        "document.querySelector('pz-overlay').shadowRoot.querySelector('.plate .names').textContent"
    )
    assert told == "新人 · 丙"
    assert tab.evaluate("graphic.customAction({ id: 'explode' })")["statusCode"] == 400
    assert tab.evaluate("graphic.customAction({ id: 'leave' })") == {"statusCode": 200}
    assert tab.evaluate("graphic.customAction({ id: 'automatic' })") == {"statusCode": 200}
    assert tab.evaluate("graphic.stopAction({})") == {"statusCode": 200}
    assert picture(tab).max() == 0
    assert tab.evaluate("graphic.dispose({})") == {"statusCode": 200}
    assert tab.evaluate("document.querySelector('pz-overlay')") is None
    tab.close()


@in_chromium
def test_an_ograf_graphic_takes_its_table_from_the_service(browser: Browser, host: str) -> None:
    outputs = Outputs()
    put(outputs, state())
    air = Air(outputs, {"t": OutputPolicy("ograf")}, free_port()).start()
    tab = loaded(browser, host, "seats", {"server": f"http://127.0.0.1:{air.port}/", "token": "t"})
    tab.evaluate("graphic.playAction({ skipAnimation: true })")
    tab.wait_for_function(
        "document.querySelector('pz-overlay').shadowRoot.querySelectorAll('.seat').length === 4"
    )
    tab.close()
    air.stop()


@in_chromium
@pytest.mark.parametrize(
    "data",
    [
        json.dumps(
            {"f0": "names", "f6": "甲<b>", "f7": "乙", "f8": "丙", "f9": "丁", "f10": "8", "f11": "5"}
        ),
        '<templateData><componentData id="f0"><data id="text" value="names"/></componentData>'
        '<componentData id="f6"><data id="text" value="甲&lt;b&gt;"/></componentData>'
        '<componentData id="f8"><data id="text" value="丙"/></componentData></templateData>',
    ],
)
def test_casparcg_and_spx_play_a_file_without_a_server(browser: Browser, tmp_path: Path, data: str) -> None:
    page = tmp_path / "paizhuo.html"
    page.write_text(template_page(), "utf-8")
    tab = browser.new_page(viewport={"width": 1920, "height": 1080})
    tab.goto(page.as_uri())
    tab.evaluate("data => { update('<broken'); update('{broken'); update(''); update(data); }", data)
    assert picture(tab).max() == 0
    tab.evaluate("play()")
    until(lambda: picture(tab)[..., 3].max() > 200)
    told = tab.evaluate(
        "document.querySelector('pz-overlay').shadowRoot.querySelector('.plate .names').textContent"
    )
    assert told == "甲<b> · 丙"
    tab.evaluate("stop()")
    until(lambda: picture(tab).max() == 0)
    tab.evaluate("next()")
    until(lambda: picture(tab)[..., 3].max() > 200)
    assert tab.evaluate("SPXGCTemplateDefinition.DataFields.map(one => one.field)") == [
        f"f{at}" for at in range(12)
    ]
    tab.close()


@in_chromium
def test_side_colours_are_checked_before_they_are_used(browser: Browser, host: str) -> None:
    tab = browser.new_page()
    tab.goto(f"{host}/all.ograf.json")
    source = (Path(__file__).parents[1] / "api/static/overlay/colours.js").read_text("utf-8")
    tab.evaluate(
        "async source => { window.c = await import(URL.createObjectURL(new Blob([source], {type: 'text/javascript'}))); }",
        source,
    )
    for theme in ("dark", "light"):
        assert tab.evaluate("theme => c.sideFaults(c.DEFAULT_SIDES[theme], theme)", theme) == []
        assert tab.evaluate("theme => c.sideFaults(c.DEFAULT_SIDES[theme], theme, '#00ff00')", theme) == []
    assert tab.evaluate("c.sideColours(['#cc79a7', 'f0e442'], 'dark').asked") is True
    # Red and green that many men cannot tell apart; a colour that drowns in the panel; one that is no colour.
    for pair in (["#c0392b", "#6d7a1f"], ["#101820", "#f0a202"], ["blue", "#f0a202"], ["#123"]):
        assert tab.evaluate("pair => c.sideColours(pair, 'dark').sides", pair) == tab.evaluate(
            "c.DEFAULT_SIDES.dark"
        )
    assert round(tab.evaluate("c.contrastOf('#000000', '#ffffff')"), 2) == 21
    tab.close()


def test_the_command_writes_all_three(tmp_path: Path) -> None:
    run = CliRunner().invoke
    assert run(app, ["export", "ograf", "-o", str(tmp_path / "og")]).exit_code == 0
    assert (tmp_path / "og" / BUNDLE).stat().st_size > 10_000
    assert run(app, ["export", "caspar", "-o", str(tmp_path / "c.html")]).exit_code == 0
    address = "http://192.0.2.7:8000/overlay/all?token=t"
    assert run(app, ["export", "overlay-bootstrap", address, "-o", str(tmp_path / "b.html")]).exit_code == 0
    assert f'"{address}"' in (tmp_path / "b.html").read_text("utf-8")


def test_a_record_is_still_exported_by_its_name_alone(tmp_path: Path) -> None:
    record = tmp_path / "r.jsonl"
    record.write_text(
        '{"event": "match_started", "profile": "guandan-official", "players": ["甲","乙","丙","丁"]}\n',
        "utf-8",
    )
    for arguments in ([str(record)], ["--lang", "zh", str(record)], ["record", str(record)]):
        result = CliRunner().invoke(app, ["export", *arguments])
        assert result.exit_code == 0, result.output
        assert "甲" in result.stdout


@pytest.mark.parametrize(
    "address", ["ftp://host/overlay/all", "http:///overlay/all", "http://host/overlay/nothing", "host"]
)
def test_an_address_that_is_no_overlay_is_one_line(tmp_path: Path, address: str) -> None:
    result = CliRunner().invoke(app, ["export", "overlay-bootstrap", address, "-o", str(tmp_path / "b.html")])
    assert result.exit_code == 2
    assert result.stderr.startswith(f"{address}: ")
    assert len(result.stderr.splitlines()) == 1


def test_an_address_cannot_end_the_script_that_it_stands_in() -> None:
    page = bootstrap_page("http://host/overlay/all?token=</script><script>alert(1)")
    assert page.count("</script>") == 1


def test_every_word_is_there_in_both_languages() -> None:
    assert all(set(entry) == {"zh", "en"} and all(entry.values()) for entry in catalogue("overlay").values())
