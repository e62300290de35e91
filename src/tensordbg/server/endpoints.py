"""Turns each question into a route: decodes it, answers it in a thread of its own, and encodes the answer."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import anyio
import anyio.to_thread
import msgspec
from starlette.responses import Response
from starlette.routing import Route

from tensordbg.errors import AbsentError, TensordbgError, TraceError, beyond_bounds
from tensordbg.server import openapi
from tensordbg.server.comparing import Comparisons
from tensordbg.server.decoding import decode
from tensordbg.server.parameters import Compared, Following
from tensordbg.server.problems import problem
from tensordbg.server.routes import QUESTIONS, Question

if TYPE_CHECKING:
    from starlette.requests import Request

    from tensordbg.server.library import Library
    from tensordbg.wire.view.overview import Live

_THREADS = 8
"""Answers that are worked on at a time; others wait, so that fast scrolling does not fill the memory."""
_LOOK = 0.25
"""Seconds between two looks at a trace that somebody follows."""

Answer = TypeVar("Answer")


class Endpoints:
    """The routes below `api/`, over the runs of a library."""

    def __init__(self, library: Library) -> None:
        """Takes the runs to speak of."""
        self._library = library
        self._comparisons = Comparisons()
        self._threads = anyio.CapacityLimiter(_THREADS)
        self.closing = threading.Event()
        """Set when the server is to end: nobody waits for news any longer."""

    def routes(self) -> list[Route]:
        """One for each question, and the description of them all."""
        described = Route("/openapi.json", self._description)
        return [*(Route(f"/{question.path}", self._answering(question)) for question in QUESTIONS), described]

    def _answering(self, question: Question) -> Callable[[Request], Any]:
        async def endpoint(request: Request) -> Response:
            try:
                asked = decode(request, question.parameters)
                if isinstance(asked, Following):
                    return _encoded(await self._news(asked))
                return _encoded(await self._in_thread(self._answer, asked))
            except (AbsentError, TraceError) as error:
                return problem(404, str(error))
            except TensordbgError as error:
                return problem(400, str(error))
            except (MemoryError, RecursionError) as error:
                return problem(400, beyond_bounds(error))

        return endpoint

    def _answer(self, asked: Any) -> Any:
        """Blocks while the trace is read."""
        if isinstance(asked, Compared):
            a, b = self._library.answers(asked.against), self._library.answers(asked.run)
            return self._comparisons.compared(a, b, asked.process)
        return asked.ask(self._library.answers(asked.run)) if hasattr(asked, "run") else self._library.runs()

    async def _news(self, asked: Following) -> Live:
        """The state of the trace, as soon as it is newer than what is known, or when the patience is over."""
        until = time.monotonic() + asked.wait
        while True:
            live: Live = await self._in_thread(self._answer, asked)
            left = until - time.monotonic()
            if live.revision != asked.revision or left <= 0 or self.closing.is_set():
                return live
            await anyio.sleep(min(_LOOK, left))

    async def _in_thread(self, function: Callable[..., Answer], *arguments: Any) -> Answer:
        return await anyio.to_thread.run_sync(function, *arguments, limiter=self._threads)

    async def _description(self, _: Request) -> Response:
        return _encoded(openapi.description())


def _encoded(answer: object) -> Response:
    """As JSON; a number that it lacks becomes null."""
    return Response(msgspec.json.encode(answer), media_type="application/json")
