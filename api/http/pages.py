"""The pages: files of the display and of the overlays, asked for anew each time by their ETag."""

from __future__ import annotations

from fastapi import APIRouter, FastAPI
from fastapi.responses import FileResponse, RedirectResponse, Response

from api.overlay_routes import STATIC, NoCacheStatic


def add_pages(app: FastAPI) -> None:
    """Mount the pages; they hold no data and need no token. Call it after all routers."""
    pages = APIRouter(include_in_schema=False)

    @pages.get("/")
    def root() -> Response:
        return RedirectResponse("/display")

    def page(*names: str) -> Response:
        path = next(
            (STATIC / "display" / name for name in names if (STATIC / "display" / name).is_file()), None
        )
        if path is None:
            return Response("no such page", 404)
        return FileResponse(path, headers={"Cache-Control": "no-cache"})

    @pages.get("/display")
    def display() -> Response:
        return page("index.html")

    @pages.get("/display/setup")
    def setup() -> Response:
        return page("setup.html", "index.html")

    @pages.get("/login")
    def login() -> Response:
        return page("login.html", "index.html")

    app.include_router(pages)
    app.mount("/static", NoCacheStatic(directory=STATIC), name="static")
    app.mount("/display", NoCacheStatic(directory=STATIC / "display", check_dir=False), name="display")
