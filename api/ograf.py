"""Packs the graphics for systems that do not open addresses: OGraf v1 packages, one-file templates, a local start page."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from api.overlay_routes import GRAPHICS, STATIC, words_module
from table.texts import text

OGRAF_SCHEMA: Final = "https://ograf.ebu.io/v1/specification/json-schemas/graphics/schema.json"
BUNDLE: Final = "paizhuo.mjs"
_OVERLAY: Final = STATIC / "overlay"
_IMPORT: Final = re.compile(r'^import \{ (?P<names>[^}]+) \} from "(?P<path>[^"]+)";$', re.MULTILINE)
_EXPORT: Final = re.compile(
    r"^export (?=(?:async )?(?:function|class|const|let) (?P<name>\w+))", re.MULTILINE
)
_TITLES: Final = {
    "all": ("All graphics", "全部图形"), "bug": ("Score bug", "比分条"), "trump": ("Trump and points", "主牌与得分"),
    "seats": ("Seats", "座位与余牌"), "trick": ("Trick", "本圈出牌"), "clock": ("Clock", "倒计时"),
    "finding": ("Ruling", "裁定"), "result": ("Result of the deal", "本副结果"), "names": ("Names", "人名条"),
    "hands": ("Hands", "四家手牌"),
}  # fmt: skip
_ACTIONS: Final = (
    ("take", "Take", "Show it by hand. 手动播出。"),
    ("leave", "Leave", "Keep it off by hand. 手动撤下。"),
    ("automatic", "Automatic", "Leave it to the table again. 恢复自动。"),
)


def bundle(entry: str) -> str:
    """A module of the graphics with all that it imports as one script; each module keeps its own scope.

    Args:
        entry: file name in the overlay folder; its exports are those of `M["entry"]` in the script.

    Raises:
        ValueError: a module imports in a way that is not understood here.
    """
    done: dict[str, str] = {}
    _collect(_OVERLAY / entry, done)
    return "const M = {};\n" + "\n".join(done.values())


def _collect(path: Path, done: dict[str, str]) -> None:
    path = path.resolve()
    if path.stem in done:
        return
    source = words_module() if path.name == "words.js" else path.read_text("utf-8")
    for found in _IMPORT.finditer(source):
        _collect(path.parent / found["path"], done)
    if re.search(r"^(import|export (default|\{|\*))", _IMPORT.sub("", source), re.MULTILINE):
        raise ValueError(f"{path.name}: only single-line named imports and exports can be packed")
    names = ", ".join(found["name"] for found in _EXPORT.finditer(source))
    body = _IMPORT.sub(
        lambda found: f'const {{ {found["names"]} }} = M["{Path(found["path"]).stem}"];', source
    )
    done[path.stem] = f'M["{path.stem}"] = (() => {{\n{_EXPORT.sub("", body)}\nreturn {{ {names} }};\n}})();'


def manifest(graphic: str, version: str) -> dict[str, Any]:
    """The OGraf manifest of a graphic (EBU OGraf Graphics specification, version 1)."""
    english, chinese = _TITLES[graphic]
    return {
        "$schema": OGRAF_SCHEMA,
        "id": f"paizhuo.overlay.{graphic}",
        "version": version,
        "name": f"Paizhuo: {english} {chinese}",
        "description": "Live card table graphics, fed by a Paizhuo table. 牌桌直播图形，数据来自牌桌服务。",
        "author": {"name": "Paizhuo"},
        "main": f"{graphic}.mjs",
        "supportsRealTime": True,
        "supportsNonRealTime": False,
        "stepCount": 1,
        "customActions": [
            {"id": key, "name": name, "description": why, "schema": None} for key, name, why in _ACTIONS
        ],
        "schema": {"type": "object", "properties": _fields(graphic)},
        "renderRequirements": [
            {
                "resolution": {"width": {"exact": width}, "height": {"exact": height}},
                "accessToPublicInternet": {"exact": False},
            }
            for width, height in ((1920, 1080), (1080, 1920))
        ],
    }


def _fields(graphic: str) -> dict[str, Any]:
    def line(title: str, default: str = "") -> dict[str, Any]:
        return {"type": "string", "gddType": "single-line", "title": title, "default": default}

    def choice(title: str, labels: Mapping[str, str]) -> dict[str, Any]:
        return {
            "type": "string", "enum": list(labels), "gddType": "select", "gddOptions": {"labels": dict(labels)},
            "title": title, "default": next(iter(labels)),
        }  # fmt: skip

    fields = {
        "server": line("Server of the table, http://host:port 牌桌服务地址"),
        "token": line("Token of this output 输出令牌"),
        "table": line("Table 牌桌"),
        "delay_ms": {"type": "integer", "title": "Delay in ms 延迟（毫秒）", "default": 0, "minimum": 0},
        "lang": choice("Language 语言", {"zh": "中文", "en": "English"}),
        "theme": choice("Theme 主题", {"dark": "Dark 深色", "light": "Light 浅色"}),
        "layout": choice("Layout 版式", {"1080p": "1920x1080", "vertical": "1080x1920"}),
        "sides": line("Two side colours, e.g. 0072b2,e69f00 双方颜色"),
        "demo": {"type": "boolean", "title": "Test pattern 测试画面", "default": False},
    }
    if graphic in ("all", "bug", "names"):
        fields |= {f"player{seat}": line(f"Player, seat {seat} {seat}号位选手") for seat in range(4)}
        fields |= {f"level{side}": line(f"Level, side {'AB'[side]} 级数") for side in range(2)}
        fields["title"] = line("Title 标题")
    return fields


def write_ograf(folder: Path, version: str) -> list[Path]:
    """Write the package: a manifest and a main module for each graphic, and the one script that they share.

    Raises:
        OSError: the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    written = [folder / BUNDLE]
    written[0].write_text(bundle("ograf.js") + '\nexport const { ografClass } = M["ograf"];\n', "utf-8")
    for graphic in GRAPHICS:
        main, described = folder / f"{graphic}.mjs", folder / f"{graphic}.ograf.json"
        main.write_text(
            f'import {{ ografClass }} from "./{BUNDLE}";\n\nexport default ografClass("{graphic}");\n',
            "utf-8",
        )
        body = json.dumps(manifest(graphic, version), ensure_ascii=False, indent=2)
        described.write_text(body + "\n", "utf-8")
        written += [main, described]
    return written


def template_page() -> str:
    """One HTML file for CasparCG and SPX that needs nothing beside it."""
    script = bundle("template.js")
    definition = json.dumps(_spx(), ensure_ascii=False, indent=1)
    return _PAGE.format(definition=definition, script=script)


def _spx() -> dict[str, Any]:
    """What SPX wants to know of a template."""
    graphics = [
        {"text": f"{english} {chinese}", "value": name} for name, (english, chinese) in _TITLES.items()
    ]

    def choice(field: str, title: str, items: list[dict[str, str]]) -> dict[str, Any]:
        return {
            "field": field, "ftype": "dropdown", "title": title, "items": items, "value": items[0]["value"]
        }  # fmt: skip

    fields = [
        choice("f0", "Graphic 图形", graphics),
        {"field": "f1", "ftype": "textfield", "title": "Server 服务地址", "value": "http://127.0.0.1:8770"},
        {"field": "f2", "ftype": "textfield", "title": "Token 令牌", "value": ""},
        choice("f3", "Language 语言", [{"text": "中文", "value": "zh"}, {"text": "English", "value": "en"}]),
        choice("f4", "Theme 主题", [{"text": "Dark", "value": "dark"}, {"text": "Light", "value": "light"}]),
        {"field": "f5", "ftype": "textfield", "title": "Title 标题", "value": ""},
    ]
    fields += [
        {"field": f"f{6 + seat}", "ftype": "textfield", "title": f"Seat {seat} {seat}号位", "value": ""}
        for seat in range(4)
    ]
    fields += [
        {"field": f"f{10 + side}", "ftype": "textfield", "title": f"Level {'AB'[side]} 级数", "value": ""}
        for side in range(2)
    ]
    return {
        "description": f"Paizhuo {text('overlay.test_pattern', 'zh')}".split(maxsplit=1)[0],
        "playserver": "OVERLAY",
        "playchannel": "1",
        "playlayer": "10",
        "webplayout": "10",
        "steps": "1",
        "out": "manual",
        "uicolor": "4",
        "dataformat": "json",
        "DataFields": fields,
    }


def bootstrap_page(address: str) -> str:
    """A local page that waits for the service at an overlay's address, and then shows it.

    Raises:
        ValueError: it is no http address of an overlay.
    """
    parts = urlsplit(address)
    name = parts.path.rpartition("/")[2]
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ValueError(f"{address}: expected an address like http://host:port/overlay/all?token=…")
    if not parts.path.startswith("/overlay/") or name not in GRAPHICS:
        raise ValueError(
            f"{address}: no overlay; there are {', '.join(f'/overlay/{one}' for one in GRAPHICS)}"
        )
    page = (_OVERLAY / "bootstrap.html").read_text("utf-8")
    # Inside a script a closing tag would end it, even in a string.
    return page.replace('/*address*/""', json.dumps(address).replace("<", "\\u003c"))


_PAGE: Final = """<!doctype html>
<html>
<head>
<meta charset="utf-8">
<title>Paizhuo</title>
<style>html,body{{margin:0;background:transparent;overflow:hidden}}</style>
<script>
window.SPXGCTemplateDefinition = {definition};
</script>
</head>
<body>
<script>
{script}
M["template"].startTemplate();
</script>
</body>
</html>
"""
