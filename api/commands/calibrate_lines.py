"""What `paizhuo calibrate` prints about lenses, planes, mats and scores, a line each, from the catalogue."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from api.places import told
from calibration.notes import Note, note
from calibration.plane_solving import GOOD_AGREEMENT_MM
from calibration.setup_score import ZoneScore
from calibration.zone_finding import MatFound
from table.texts import text


def say(key: str, lang: str, **fields: Any) -> None:
    """A line of the catalogue `calibration`."""
    print(text(f"calibration.{key}", lang, **fields), flush=True)


def tell(notes: Iterable[Note], lang: str, indent: str = "  ") -> None:
    """Notes, a line each."""
    for one in notes:
        print(f"{indent}{told(one, lang)}", flush=True)


def tell_score(one: ZoneScore, lang: str) -> None:
    """A zone's score, and what is wrong or could be better."""
    verdict = text("calibration.score_is_good" if one.good else "calibration.score_is_bad", lang)
    blur, white = one.blur, one.white
    say(
        "score_line", lang, zone=one.zone, camera=one.camera, verdict=verdict, detail=f"{one.detail:.1f}",
        blur="?" if blur is None else f"{blur:.2f}", white="?" if white is None else f"{white:.0f}",
    )  # fmt: skip
    tell((*one.faults, *one.hints), lang)


def tell_mat(found: MatFound | None, lang: str) -> None:
    """Where the mat lies, mm on the table; nothing where none was looked for."""
    if found is not None:
        (x, y), turn = found.mat.centre, found.mat.turn
        values = {
            "x": round(x, 1) + 0.0,
            "y": round(y, 1) + 0.0,
            "turn": round(turn, 2) + 0.0,
            "mm": f"{found.residual:.2f}",
        }
        say("mat_line", lang, count=len(found.used), **values)


def tell_agreement(apart: Mapping[tuple[str, str], Any], lang: str) -> None:
    """How far two cameras put the same tags apart, mm, pair by pair."""
    for (one, other), distances in apart.items():
        if not len(distances):
            say("agreement_none", lang, one=one, other=other)
            continue
        worst = float(distances.max())
        say(
            "agreement_line",
            lang,
            one=one,
            other=other,
            p50=f"{np.median(distances):.2f}",
            worst=f"{worst:.2f}",
        )
        if worst > GOOD_AGREEMENT_MM:
            line = note("agreement_off", one=one, other=other, worst=f"{worst:.1f}", good=GOOD_AGREEMENT_MM)
            tell([line], lang)
