"""Bounds what visitors may keep open: how many connections, and how long one may take to ask its question."""

from __future__ import annotations

import asyncio
import contextlib
import resource
import sys
from typing import Any

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tensordbg.server.problems import ADVICE, SHORTAGES

MOST_CONNECTIONS = 256
"""Browsers have six for each tab; those beyond this are closed at once."""
PATIENCE = 10.0
"""Seconds that a connection may take until all headers of its question are there, the first as well as later ones."""


def most_connections() -> int:
    """Returns how many connections are kept: at most a quarter of the descriptors that this process may have."""
    allowed, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return MOST_CONNECTIONS if allowed == resource.RLIM_INFINITY else max(8, min(MOST_CONNECTIONS, allowed // 4))


# What is overridden has been in uvicorn's protocol by these names since 0.12; a test asks a slow question.
class BoundedProtocol(H11Protocol):
    """One connection, which is closed where too many are open, or where its question is not whole in time."""

    _waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """See `asyncio.Protocol`."""
        super().connection_made(transport)
        if len(self.connections) > most_connections():
            transport.close()
        else:
            self._watch()

    def data_received(self, data: bytes) -> None:
        """See `asyncio.Protocol`."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """See `asyncio.Protocol`."""
        self._rest()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """See uvicorn: what comes is no question. Where one is being answered already, that goes nowhere any more.

        One that was answered before its body was whole can't be answered again.
        """
        if self._is_answering():
            self.cycle.disconnected = True
            self.cycle.message_event.set()
            self.transport.close()
        elif self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            super().send_400_response(msg)
        else:
            self.transport.close()

    def _watch(self) -> None:
        """Starts the clock where a question is not whole, and stops it where one is being answered."""
        if self._is_answering():
            self._rest()
        elif self._waiting is None:
            self._waiting = self.loop.call_later(PATIENCE, self._give_up)

    def _rest(self) -> None:
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    def _give_up(self) -> None:
        self._waiting = None
        if not self._is_answering():
            self.transport.close()

    def _is_answering(self) -> bool:
        cycle: Any = self.cycle  # None before the first question
        return cycle is not None and not cycle.response_complete


class Shortages:
    """Takes what the event loop reports; that descriptors have run out is told once, in one line."""

    def __init__(self) -> None:
        self._has_warned = False

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """See `asyncio.loop.set_exception_handler`."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in SHORTAGES:
            loop.default_exception_handler(context)
        elif not self._has_warned:
            self._has_warned = True
            with contextlib.suppress(OSError):
                sys.stderr.write(f"tdbg: warning: {ADVICE}\n")
