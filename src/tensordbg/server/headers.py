"""Headers of every response for the browser's safety: what a page may load, and who may show it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from tensordbg.server.settings import NONCE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from tensordbg.server.settings import Settings

# Nothing comes from elsewhere, no script stands in the page itself, nothing is sent anywhere.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' {styles}; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'"
)


class SafeHeaders:
    """Adds the headers to all that the application sends."""

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        """Takes what it stands before."""
        self._app = app
        framed = f"; frame-ancestors {settings.frame_ancestors}" if settings.frame_ancestors else ""
        self._policy = _POLICY.format(styles=settings.made_styles) + framed
        self._headers = {
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
        }
        if settings.frame_ancestors == "'none'":
            self._headers["x-frame-options"] = "DENY"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI; the nonce of a request stands in `scope["nonce"]`."""
        nonce = scope["nonce"] = secrets.token_urlsafe(16)
        policy = self._policy.replace(NONCE, nonce)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({"content-security-policy": policy, **self._headers})
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, send_safely)
