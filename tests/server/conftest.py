"""What the tests of the server share: a visitor who asks an application as a browser does."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import httpx
import pytest
from starlette.types import ASGIApp

from tensordbg.server.app import make_app
from tensordbg.server.library import Library
from tensordbg.server.settings import Settings, local_hosts

PORT = 8000
Visit = Callable[..., httpx.Response]


def visit(app: ASGIApp, path: str, method: str = "GET", **headers: str) -> httpx.Response:
    """What the application answers."""

    async def ask() -> httpx.Response:
        transport = httpx.ASGITransport(app=app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=f"http://localhost:{PORT}") as client:
            return await client.request(method, path, headers=headers)

    return asyncio.run(ask())


@pytest.fixture
def ask(sample: Path) -> Visit:
    """Asks about the folder that the sample trace lies in."""
    app = make_app(Library(sample.parent), Settings(local_hosts(PORT)))
    return lambda path, method="GET", **headers: visit(app, path, method, **headers)
