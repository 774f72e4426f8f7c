"""Routes of pictures: stills and clips of events and findings, what a camera shows now."""

from __future__ import annotations

import re
from typing import Annotated, Any, Final

from fastapi import Path as InPath
from fastapi import Response
from fastapi.responses import FileResponse

from api.desk import Desk
from api.http.access import Routes
from api.http.problems import Problem
from api.pictures import jpeg

_EVIDENCE: Final = re.compile(r"e\d{4,9}-(before|after)\.jpg|f\d{4,9}\.(webm|mp4)")
_TYPES: Final = {".jpg": "image/jpeg", ".webm": "video/webm", ".mp4": "video/mp4"}
_CONTENT: Final[dict[str, dict[str, str]]] = {kind: {} for kind in _TYPES.values()}
STAFF: Final = "referee|operator"
STILL_WIDTH: Final = 1920


def media_routes(desk: Desk) -> Routes:
    """The routes of pictures of a table."""
    routes = Routes(tags=["pictures"])

    @routes.add(
        "GET", "/api/v1/evidence/{name}", STAFF, 404, 422,
        response_class=FileResponse,
        responses={200: {"description": "A still or a clip.", "content": _CONTENT},
                   206: {"description": "A part of it.", "content": _CONTENT},
                   416: {"description": "No such part.", "content": {"text/plain": {}}}},
    )  # fmt: skip
    def evidence(name: Annotated[str, InPath(max_length=40)]) -> Any:
        """A still or clip by its name, as the log and the findings give it."""
        if desk.evidence is None or not _EVIDENCE.fullmatch(name):
            raise Problem(404, "no_evidence")
        path = desk.evidence / name
        if path.suffix == ".mp4" and not path.is_file():
            # It was to be cut out of a recording, and had to be made of small pictures.
            path = path.with_suffix(".webm")
        if not path.is_file():
            raise Problem(404, "no_evidence")
        headers = {"Cache-Control": "private, max-age=3600"}
        return FileResponse(path, media_type=_TYPES[path.suffix], headers=headers)

    @routes.add(
        "GET", "/api/v1/cameras/{name}/still.jpg", STAFF, 404, 422,
        response_class=Response,
        responses={200: {"description": "The picture.", "content": {"image/jpeg": {}}}},
    )  # fmt: skip
    def still(name: Annotated[str, InPath(max_length=100)]) -> Response:
        """The newest picture of a camera, all of it."""
        frame = desk.board.picture(name)
        if frame is None:
            raise Problem(404, "no_picture")
        headers = {"Cache-Control": "no-store", "X-Captured-At": f"{frame.at:.3f}"}
        return Response(jpeg(frame, None, STILL_WIDTH), media_type="image/jpeg", headers=headers)

    return routes
