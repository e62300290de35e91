"""Who is let in: only reading, only by a name of this machine, and only with the token where there is one.

The token comes in the query of the first request, and then in a cookie; or in a header; or as the beginning of every
path, for a page in a notebook's frame, which can't keep a cookie.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from tensordbg.server.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from tensordbg.server.settings import Settings

# A cookie that is SameSite=Strict is not sent where another site led to the link, but it is when our own page goes on.
_GO_ON = (
    '<!doctype html><meta http-equiv="refresh" content="0;url=./"><title>tensordbg</title><a href="./">tensordbg</a>'
)


def _below_token(scope: Scope) -> Scope:
    """Returns the scope of the same request with the address behind the token."""
    return {**scope, "path": "/" + scope["path"].split("/", 2)[2], "raw_path": None}


class Admission:
    """Stands before the application and answers what must not reach it."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Takes what it stands before."""
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            request = Request(scope)
            refusal = self._refusal(request)
            if refusal is None and self._path_bears_token(request):
                await self._app(_below_token(scope), receive, send)
            else:
                await (refusal or self._app)(scope, receive, send)
        else:
            await send({"type": "websocket.close"})

    def _refusal(self, request: Request) -> Response | None:
        """None for a request that is let in."""
        if not self._host_is_ours(request):
            host = request.headers.get("host", "")[:200]
            return problem(
                400, f"the Host header {host!r} is none of this server's; use the link that `tdbg view` printed"
            )
        if request.method not in {"GET", "HEAD"}:
            refused = problem(405, f"{request.method} is not possible: a trace is only read; use GET")
            refused.headers["allow"] = "GET, HEAD"
            return refused
        return self._challenge(request) if self._settings.token else None

    def _host_is_ours(self, request: Request) -> bool:
        """Whether the name is one of this machine: a strange site may have its name resolved to our address."""
        hosts = self._settings.hosts
        said = request.headers.getlist("host")
        return hosts is None or (len(said) == 1 and said[0].lower() in hosts)

    def _path_bears_token(self, request: Request) -> bool:
        return bool(self._settings.token) and self._is_token(request.url.path.split("/")[1])

    def _challenge(self, request: Request) -> Response | None:
        if self._path_bears_token(request):
            # Without the slash at its end, addresses that are relative to the page would lead past the token.
            return None if request.url.path.count("/") > 1 else RedirectResponse(f"{request.url.path}/")
        if self._is_token(request.cookies.get(self._settings.cookie, "")):
            return None
        if self._is_token(request.headers.get("authorization", "").removeprefix("Bearer ")):
            return None
        if self._is_token(request.query_params.get("token", "")):
            return self._welcome()
        return problem(403, "the token is missing or wrong; use the whole link that `tdbg view` printed")

    def _is_token(self, said: str) -> bool:
        return secrets.compare_digest(said.encode(errors="replace"), self._settings.token.encode())

    def _welcome(self) -> Response:
        """Keeps the token in a cookie, and goes on to the page without it in the address."""
        response = HTMLResponse(_GO_ON)
        response.set_cookie(self._settings.cookie, self._settings.token, httponly=True, samesite="strict")
        return response
