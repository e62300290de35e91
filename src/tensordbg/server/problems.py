"""Answers of one sentence, for what can't be answered."""

from __future__ import annotations

import errno
from typing import TYPE_CHECKING

import msgspec
from starlette.exceptions import HTTPException
from starlette.responses import Response

from tensordbg.wire.view.errors import Problem

if TYPE_CHECKING:
    from starlette.requests import Request

SHORTAGES = frozenset({errno.EMFILE, errno.ENFILE})
"""What the system says where a process, or the machine, has too many files and connections open."""
ADVICE = "the server has too many files and connections open; close some of its pages, or raise `ulimit -n`"

_SENTENCES = {404: "there is no such address here; api/openapi.json lists what may be asked"}


def problem(status: int, sentence: str) -> Response:
    """A response with a `Problem`, the sentence without line breaks."""
    content = msgspec.json.encode(Problem(" ".join(sentence.split())))
    return Response(content, status, media_type="application/json")


async def on_http_exception(_: Request, error: Exception) -> Response:
    """For what Starlette refuses: an address that does not exist, mostly."""
    status = error.status_code if isinstance(error, HTTPException) else 404
    return problem(status, _SENTENCES.get(status, str(getattr(error, "detail", error))))


async def on_shortage(_: Request, error: Exception) -> Response:
    """For descriptors that have run out; what else the system refused is a fault like any other."""
    if isinstance(error, OSError) and error.errno in SHORTAGES:
        return problem(503, f"{error.strerror}: {ADVICE}")
    raise error


async def on_fault(_: Request, error: Exception) -> Response:
    """For a mistake of ours; Starlette raises it again, so that the server's own log has it in full."""
    return problem(500, f"{type(error).__name__}: {error}; this is a fault of tensordbg, whose terminal says more")
