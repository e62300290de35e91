"""The application: the answers below `api/`, and the page."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.routing import Mount

from tensordbg.server.admission import Admission
from tensordbg.server.endpoints import Endpoints
from tensordbg.server.headers import SafeHeaders
from tensordbg.server.library import Library
from tensordbg.server.page import Page
from tensordbg.server.problems import on_fault, on_http_exception, on_shortage
from tensordbg.server.settings import Settings


def make_app(library: Library, settings: Settings) -> Starlette:
    """An ASGI application over the runs of a library; `app.state.closing`, once set, ends all waiting for news."""
    endpoints = Endpoints(library)
    app = Starlette(
        routes=[Mount("/api", routes=endpoints.routes()), Mount("/", Page())],
        middleware=[
            Middleware(SafeHeaders, settings=settings),
            Middleware(Admission, settings=settings),
        ],
        exception_handlers={HTTPException: on_http_exception, OSError: on_shortage, Exception: on_fault},
    )
    app.state.closing = endpoints.closing
    return app
