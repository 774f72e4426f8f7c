"""A correction before it is made: what would change, in words that a person can decide on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from pydantic import BaseModel

from api.corrections import Outlook
from api.finding_parts import findings_part
from api.live import Json
from api.parts import results_part, seats_part
from api.service import TableService, Told
from table.texts import both

_TOLD: Final = ("certainty", "text", "penalty", "kind")


class Words(BaseModel):
    """A text in both languages."""

    zh: str
    en: str


class Change(BaseModel):
    """One thing that would change."""

    what: str
    """`finding_gone`, `finding_new`, `finding_changed`, `result`, `turn`, `remaining`."""
    text: Words
    finding: int | None = None
    deal: int | None = None
    seat: int | None = None


def changes(view: Outlook, told: Sequence[Told], service: TableService) -> dict[str, Any]:
    """Findings, results and seats now and then, and what differs."""
    now, then = findings_part(view.now, told), findings_part(view.then, told)
    results_now, results_then = results_part(view.now), results_part(view.then)
    seats_now = seats_part(service.setup.players, view.now.state, view.now.deal_so_far()[1])
    seats_then = seats_part(service.setup.players, view.then.state, view.then.deal_so_far()[1])
    return {
        "findings_now": now, "findings_then": then, "results_now": results_now, "results_then": results_then,
        "seats_then": seats_then,
        "changes": [
            *_findings(now, then), *_results(results_now, results_then), *_seats(seats_now, seats_then)
        ],
    }  # fmt: skip


def _findings(now: Sequence[Json], then: Sequence[Json]) -> list[Json]:
    old, new = {one["finding"]: one for one in now}, {one["finding"]: one for one in then}
    found = []
    for number, one in old.items():
        if number not in new:
            found.append(_change("finding_gone", one["text"], finding=number))
        elif any(one[key] != new[number][key] for key in _TOLD):
            found.append(_change("finding_changed", new[number]["text"], finding=number))
    return found + [
        _change("finding_new", one["text"], finding=number)
        for number, one in new.items()
        if number not in old
    ]


def _results(now: Sequence[Json], then: Sequence[Json]) -> list[Json]:
    old, new = {one["deal"]: one for one in now}, {one["deal"]: one for one in then}
    gone = [_change("result_gone", one["text"], deal=deal) for deal, one in old.items() if deal not in new]
    return gone + [
        _change("result", one["text"], deal=deal) for deal, one in new.items() if old.get(deal) != one
    ]


def _seats(now: Sequence[Json], then: Sequence[Json]) -> list[Json]:
    found = []
    for old, new in zip(now, then, strict=True):
        who = both("seats.seat", seat=new["seat"])
        if old["remaining"] != new["remaining"]:
            counts = f"{old['remaining']} → {new['remaining']}"
            found.append(_change("remaining", who, seat=new["seat"], counts=counts))
        if new["turn"] and not old["turn"]:
            found.append(_change("turn", who, seat=new["seat"]))
    return found


def _change(what: str, of: Mapping[str, str], *, counts: str = "", **about: int) -> Json:
    words = both(f"api.change_{what}", counts=counts, of="{of}")
    return {"what": what, "text": {lang: words[lang].replace("{of}", of[lang]) for lang in words}, **about}
