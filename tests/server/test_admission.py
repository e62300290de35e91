from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.responses import PlainTextResponse

from tensordbg.server.admission import Admission
from tensordbg.server.settings import Settings, local_hosts
from tests.server.conftest import PORT, visit

TOKEN = "s3cret-token"
LOCAL = Admission(PlainTextResponse("in"), Settings(local_hosts(PORT)))


async def where(scope: Any, receive: Any, send: Any) -> None:
    """Answers with the path that it is asked for."""
    await PlainTextResponse(scope["path"])(scope, receive, send)


SHARED = Admission(where, Settings(token=TOKEN))


@pytest.mark.parametrize("host", ["localhost:8000", "127.0.0.1:8000", "[::1]:8000", "LocalHost:8000"])
def test_names_of_this_machine(host: str) -> None:
    assert visit(LOCAL, "/", host=host).text == "in"


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8000",
        "localhost",
        "localhost:8001",
        "127.0.0.1",
        "localhost:8000.evil.example",
        "",
    ],
)
def test_other_names_are_refused(host: str) -> None:
    response = visit(LOCAL, "/", host=host)
    assert response.status_code == 400
    assert response.json()["error"] == (
        f"the Host header {host!r} is none of this server's; use the link that `tdbg view` printed"
    )


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH", "TRACE", "BREW"])
def test_only_reading(method: str) -> None:
    response = visit(LOCAL, "/", method)
    assert response.status_code == 405
    assert response.headers["allow"] == "GET, HEAD"
    assert response.json()["error"] == f"{method} is not possible: a trace is only read; use GET"


def test_head_is_reading() -> None:
    assert visit(LOCAL, "/", "HEAD").status_code == 200


@pytest.mark.parametrize(
    "path",
    [
        *("/", "/api/runs", f"/?token={TOKEN}", "/wrong/", f"/{TOKEN}x/", f"/{TOKEN[:-1]}/", f"//{TOKEN}/", "/%C3%A9/"),
        *(f"/{TOKEN.upper()}/", f"/%2F{TOKEN}/", "/%ED%A0%80/"),
    ],
)
def test_without_the_token(path: str) -> None:
    headers = {"cookie": f"tensordbg-8000={TOKEN}", "authorization": f"Bearer {TOKEN}"}
    response = visit(SHARED, path, **headers)
    assert response.status_code == 403
    assert response.json()["error"].startswith("the token is missing or wrong; ")
    assert TOKEN not in response.text


@pytest.mark.parametrize(
    ("path", "below"), [("/", "/"), ("/api/runs?x=1", "/api/runs"), ("//", "//"), ("/%2e/", "/./")]
)
def test_below_the_token(path: str, below: str) -> None:
    assert visit(SHARED, f"/{TOKEN}{path}").text == below


def test_the_token_alone_is_led_to_what_is_below() -> None:
    response = visit(SHARED, f"/{TOKEN}")
    assert (response.status_code, response.headers["location"]) == (307, f"/{TOKEN}/")


def test_sockets_are_refused() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(LOCAL({"type": "websocket"}, None, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close"}]
