"""Renew the outputs and pictures in both READMEs from the running commands: `make readme`."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Final

import cv2
import numpy as np

ROOT: Final = Path(__file__).resolve().parent.parent
PAIZHUO: Final = ROOT / ".venv" / "bin" / "paizhuo"
TABLES: Final = ROOT / "docs" / "examples" / "tables"
RECORD: Final = ROOT / "docs" / "examples" / "protest.jsonl"


def run(*arguments: str | Path, lang: str) -> str:
    """What the command prints, with paths as a reader of the page would type them."""
    done = subprocess.run(
        [PAIZHUO, *map(str, arguments)], capture_output=True, text=True, check=True, cwd=ROOT,
        env={"PATH": "/usr/bin:/bin", "PAIZHUO_LANG": lang, "COLUMNS": "110", "LANG": "C.UTF-8"},
    )  # fmt: skip
    return done.stdout.strip()


def fenced(command: str, output: str) -> str:
    """A command and its output as a block."""
    return f"```console\n$ {command}\n{output}\n```"


def judged(lang: str) -> str:
    """The findings of the example record, a line each: certainty, kind, text."""
    lines = []
    for line in run("judge", RECORD.relative_to(ROOT), lang=lang).splitlines():
        row = json.loads(line)
        if "text" in row:
            lines.append(f"{row['certainty']:9} {row['kind']:15} {row['text'][lang]}")
    return "\n".join(lines)


def reading(lang: str) -> str:
    """The example pictures, read."""
    tables = [path.relative_to(ROOT) for path in sorted(TABLES.glob("*.jpg"))]
    return fenced("paizhuo read docs/examples/tables/*.jpg", run("read", *tables, lang=lang))


def judging(lang: str) -> str:
    """The example record, judged."""
    return fenced("paizhuo judge docs/examples/protest.jsonl    # certainty, kind, text", judged(lang))


def session(lang: str) -> str:
    """The demo in a terminal that only takes lines: the first minutes of the match, as long as they last."""
    words = ("demo", "--fast", "--no-page", "--seconds", "95")
    return fenced(f"paizhuo {' '.join(words)}", run(*words, lang=lang))


def picture() -> None:
    """The annotated tables side by side."""
    with tempfile.TemporaryDirectory() as folder:
        run("read", *sorted(TABLES.glob("*.jpg"))[:3], "--annotate", folder, lang="en")
        pictures = [cv2.imread(str(p)) for p in sorted(Path(folder).iterdir())]
    height = 480
    scaled = [
        cv2.resize(p, (round(p.shape[1] * height / p.shape[0]), height)) for p in pictures if p is not None
    ]
    cv2.imwrite(str(ROOT / "docs" / "pictures" / "read.png"), np.hstack(scaled))


def renewed(text: str, outputs: Mapping[str, Callable[[], str]]) -> str:
    """A page with each output between its marks renewed; only what the page has marks for is run.

    Raises:
        SystemExit: the page has marks for an output that there is not.
    """
    for key in re.findall(r"<!-- output:([\w-]+) -->", text):
        if key not in outputs:
            raise SystemExit(f"no output {key!r}; there are {', '.join(outputs)}")
        start = text.index(f"<!-- output:{key} -->")
        stop = text.index("<!-- end -->", start)
        text = f"{text[:start]}<!-- output:{key} -->\n{outputs[key]()}\n{text[stop:]}"
    return text


def main() -> None:
    """Rewrite what stands between the output marks."""
    for name, lang in (("README.md", "en"), ("README.zh-CN.md", "zh")):
        page = ROOT / name
        text = page.read_text(encoding="utf-8")
        outputs = {
            "read": partial(reading, lang),
            "judge": partial(judging, lang),
            "demo": partial(session, lang),
        }
        page.write_text(renewed(text, outputs), encoding="utf-8")
    picture()


if __name__ == "__main__":
    if not shutil.which(str(PAIZHUO)):
        raise SystemExit("run `make setup` first")
    main()
