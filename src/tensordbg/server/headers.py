"""What every response says to the browser for safety: what a page may load, and who may show it."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Nothing comes from elsewhere, no script stands in the page itself, nothing is sent anywhere. Styles that the page's
# libraries make need the nonce, which only the page knows.
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; worker-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors {ancestors}"
)


class SafeHeaders:
    """Adds the headers to all that the application sends."""

    def __init__(self, app: ASGIApp, frame_ancestors: str) -> None:
        """Takes what it stands before, and who may put the page into a frame."""
        self._app = app
        self._ancestors = frame_ancestors
        self._headers = {
            "x-content-type-options": "nosniff",
            "referrer-policy": "no-referrer",
            "cross-origin-resource-policy": "same-origin",
            "cross-origin-opener-policy": "same-origin",
        }
        if frame_ancestors == "'none'":
            self._headers["x-frame-options"] = "DENY"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """See ASGI; the nonce of a request stands in `scope["nonce"]`."""
        nonce = scope["nonce"] = secrets.token_urlsafe(16)
        policy = _POLICY.format(nonce=nonce, ancestors=self._ancestors)

        async def send_safely(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.update({"content-security-policy": policy, **self._headers})
                headers.setdefault("cache-control", "no-store")
            await send(message)

        await self._app(scope, receive, send_safely)
