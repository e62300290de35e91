"""News told to commands and to servers."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tensordbg.watching.news import News
from tensordbg.watching.telling import by_command, by_webhook, message_of

NEWS = News("finding", "log_of_zero", "Log:0 was -inf", "train.py:3", "a 0", "clip it", "", "Log:0")
MESSAGE = message_of(NEWS, "runs/a", "https://here/a.html")


class Hook:
    """A server that answers with given codes, the last again and again, and keeps what it was sent."""

    def __init__(self, *codes: int) -> None:
        self.bodies: list[dict[str, object]] = []
        hook = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                code = codes[min(len(hook.bodies), len(codes) - 1)]
                hook.bodies.append(body)
                self.send_response(code)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def hook() -> Iterator[Hook]:
    server = Hook(500, 200)
    yield server
    server.close()


def test_the_message_says_what_where_and_has_the_link() -> None:
    assert MESSAGE["text"] == "finding in runs/a: Log:0 was -inf (train.py:3)\nhttps://here/a.html"
    assert (MESSAGE["kind"], MESSAGE["name"], MESSAGE["suggestion"]) == ("finding", "log_of_zero", "clip it")


def test_a_command_finds_it_on_its_input_and_around_it(tmp_path: Path) -> None:
    told = tmp_path / "told"
    assert not by_command(f'cat > {told}; echo "$TDBG_NAME $TDBG_REPORT" >> {told}')(MESSAGE)
    body, _, rest = told.read_text().partition("}")
    assert json.loads(body + "}") == MESSAGE
    assert rest == "log_of_zero https://here/a.html\n"


def test_a_command_that_fails_is_named() -> None:
    assert by_command("exit 3")(MESSAGE) == "--on-finding exit 3: ended with code 3"


def test_a_server_is_sent_it_and_what_it_refuses_is_said(hook: Hook) -> None:
    tell = by_webhook(hook.url)
    assert tell(MESSAGE) == f"--webhook {hook.url.removesuffix('/hook')}: HTTP Error 500: Internal Server Error"
    assert tell(MESSAGE) == ""
    assert hook.bodies == [MESSAGE, MESSAGE]


def test_a_server_that_is_not_there_is_said() -> None:
    assert "Connection refused" in by_webhook("http://127.0.0.1:9/")(MESSAGE)
