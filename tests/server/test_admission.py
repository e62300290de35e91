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
SHARED = Admission(PlainTextResponse("in"), Settings(token=TOKEN, cookie="tensordbg-8000"))


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
    ("path", "headers"),
    [
        ("/", {}),
        ("/api/runs", {}),
        ("/?token=wrong", {}),
        ("/?token=", {}),
        ("/?token=%C3%A9", {}),
        ("/", {"cookie": "tensordbg-8000=wrong"}),
        ("/", {"cookie": f"tensordbg-8001={TOKEN}"}),
        ("/", {"authorization": f"Basic {TOKEN}"}),
    ],
)
def test_without_the_token(path: str, headers: dict[str, str]) -> None:
    response = visit(SHARED, path, **headers)
    assert response.status_code == 403
    assert response.json()["error"].startswith("the token is missing or wrong; ")
    assert "set-cookie" not in response.headers


def test_link_with_the_token_leaves_a_cookie_and_goes_on_without_it() -> None:
    response = visit(SHARED, f"/?token={TOKEN}")
    assert response.status_code == 200
    assert "url=./" in response.text
    assert TOKEN not in response.text
    cookie = response.headers["set-cookie"]
    assert cookie.startswith(f"tensordbg-8000={TOKEN};")
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    assert visit(SHARED, "/api/runs", cookie=f"other=1; tensordbg-8000={TOKEN}").text == "in"


def test_programs_bear_the_token() -> None:
    assert visit(SHARED, "/api/runs", authorization=f"Bearer {TOKEN}").text == "in"


def test_sockets_are_refused() -> None:
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    asyncio.run(LOCAL({"type": "websocket"}, None, send))  # type: ignore[arg-type]
    assert sent == [{"type": "websocket.close"}]
