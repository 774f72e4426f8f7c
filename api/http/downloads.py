"""Routes of what is taken away: the record as lines, text and sheet, the evidence of a finding, the whole match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any, Final, Literal

from fastapi import Path as InPath
from fastapi import Response
from fastapi.responses import StreamingResponse

from api.bundles import finding_bundle, match_bundle, sheet
from api.desk import Desk
from api.http.access import Routes, Who
from api.http.problems import Problem
from api.http.setup import setup_json
from api.record_view import RecordView, record_view
from api.streams import STAFF
from table.record import format_event
from table.transcript import transcript

_ALL: Final = "viewer|operator|referee"
_STAFF: Final = "referee|operator"
_SHEET: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
_LINES: Final = "application/x-ndjson"
_PART: Final = 256 * 1024


def _content(media: str, says: str) -> dict[int | str, dict[str, Any]]:
    return {200: {"description": says, "content": {media: {"schema": {"type": "string"}}}}}


def download_routes(desk: Desk) -> Routes:
    """The routes of what can be taken away from a table."""
    routes = Routes(tags=["downloads"])
    table = re.sub(r"[^\w-]+", "_", desk.service.setup.name, flags=re.ASCII).strip("_") or "table"

    def named(name: str) -> dict[str, str]:
        return {"Content-Disposition": f'attachment; filename="{table}-{name}"', "Cache-Control": "no-store"}

    def seen_by(who: Who) -> RecordView:
        return record_view(desk.service, staff=bool(who.may & set(STAFF)))

    @routes.add(
        "GET", "/api/v1/record", _ALL, response_class=Response,
        responses=_content(_LINES, "One event a line; see the record's format."),
    )  # fmt: skip
    def lines(who: Who) -> Response:
        """The record as JSON lines."""
        body = "".join(f"{format_event(event)}\n" for event in seen_by(who).events)
        return Response(body, media_type=_LINES, headers=named("record.jsonl"))

    @routes.add(
        "GET", "/api/v1/record.txt", _ALL, 422, response_class=Response,
        responses=_content("text/plain; charset=utf-8", "For reading and printing."),
    )  # fmt: skip
    def as_text(who: Who, lang: Literal["zh", "en", "both"] = "both") -> Response:
        """The record as text."""
        view = seen_by(who)
        body = transcript(view.events, view.lines, view.end, lang)
        return Response(body, media_type="text/plain; charset=utf-8", headers=named("record.txt"))

    @routes.add(
        "GET", "/api/v1/record.xlsx", _ALL, response_class=Response,
        responses=_content(_SHEET, "The match record sheet."),
    )  # fmt: skip
    def as_sheet(who: Who) -> Response:
        """The match record sheet."""
        return Response(sheet(seen_by(who)), media_type=_SHEET, headers=named("record.xlsx"))

    @routes.add(
        "GET", "/api/v1/findings/{finding}/bundle.zip", _STAFF, 404, 422, response_class=StreamingResponse,
        responses=_content("application/zip", "Finding, record of its deal, stills, clip, hashes."),
    )  # fmt: skip
    def evidence(who: Who, finding: int = InPath(ge=1, le=10**9)) -> StreamingResponse:
        """The evidence of a finding."""
        file = finding_bundle(seen_by(who), finding, desk.evidence, desk.service.setup.name)
        if file is None:
            raise Problem(404, "no_such_finding")
        return _streamed(file, named(f"finding-{finding}.zip"))

    @routes.add(
        "GET", "/api/v1/match.zip", _STAFF, response_class=StreamingResponse,
        responses=_content("application/zip", "Record, text, sheet, findings, evidence, rules, hashes."),
    )  # fmt: skip
    def whole(who: Who) -> StreamingResponse:
        """The whole match; `paizhuo replay` opens it on any machine."""
        setup = setup_json(desk.service.places.setup, desk.zones, desk.table_file is not None)
        return _streamed(match_bundle(seen_by(who), desk.evidence, setup), named("match.zip"))

    return routes


def _streamed(file: IO[bytes], headers: dict[str, str]) -> StreamingResponse:
    def parts() -> Iterator[bytes]:
        with file:
            while part := file.read(_PART):
                yield part

    return StreamingResponse(parts(), media_type="application/zip", headers=headers)
