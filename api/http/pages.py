"""The pages: files of the display and of the overlays, asked for anew each time by their ETag."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, FastAPI, Request
from fastapi.responses import RedirectResponse, Response

from api.overlay_routes import STATIC, NoCacheStatic, kept

_PAGES: Final = {
    "/display": {"title": "", "style": "display", "script": "main"},
    "/display/setup": {"title": "设置 · ", "style": "setup", "script": "setup"},
    "/login": {"title": "登录 · ", "style": "setup", "script": "login"},
}
"""Address of a page to what stands in its head until its own script has the words."""


def add_pages(app: FastAPI) -> None:
    """Mount the pages; they hold no data and need no token. Call it after all routers."""
    pages = APIRouter(include_in_schema=False)

    @pages.get("/")
    def root() -> Response:
        return RedirectResponse("/display")

    @pages.get("/display")
    @pages.get("/display/setup")
    @pages.get("/login")
    def page(request: Request) -> Response:
        template = (STATIC / "display" / "page.html").read_text("utf-8")
        filled = template.format(**_PAGES[request.url.path])
        return kept(request, filled.encode(), "text/html; charset=utf-8")

    app.include_router(pages)
    app.mount("/static", NoCacheStatic(directory=STATIC), name="static")
