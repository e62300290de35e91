"""Who is let in: only reading, only by a name of this machine, and only with the token where there is one.

The token is the beginning of every path, as the link that is printed has it. So it works the same for a browser, for a
page in a notebook's frame, which can't keep a cookie, and for programs; and no strange page can have it sent along.
"""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tensordbg.server.problems import problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from tensordbg.server.settings import Settings


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
            refusal = self._refusal(Request(scope))
            if refusal is not None:
                await refusal(scope, receive, send)
            else:
                await self._app(_below_token(scope) if self._settings.token else scope, receive, send)
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
        return self._challenge(request.scope["path"]) if self._settings.token else None

    def _host_is_ours(self, request: Request) -> bool:
        """Whether the name is one of this machine: a strange site may have its name resolved to our address."""
        hosts = self._settings.hosts
        said = request.headers.getlist("host")
        return hosts is None or (len(said) == 1 and said[0].lower() in hosts)

    def _challenge(self, path: str) -> Response | None:
        token, slash, _ = path.removeprefix("/").partition("/")
        if not secrets.compare_digest(token.encode(errors="replace"), self._settings.token.encode()):
            return problem(403, "the token is missing or wrong; use the whole link that `tdbg view` printed")
        # Without the slash at its end, addresses that are relative to the page would lead past the token.
        return None if slash else RedirectResponse(f"/{self._settings.token}/")


def _below_token(scope: Scope) -> Scope:
    """The scope of the same request with the address behind the token."""
    return {**scope, "path": "/" + scope["path"].split("/", 2)[2], "raw_path": None}
