"""Servers that take a message, or do anything else."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import pytest

from tensordbg.watching.posting import host_of, post

OK = b"HTTP/1.1 204 No Content\r\n\r\n"
MOVED = b"HTTP/1.1 302 Found\r\nLocation: /other\r\nContent-Length: 0\r\n\r\n"


@contextmanager
def answering(answer: Callable[[socket.socket], object]) -> Iterator[tuple[str, list[bytes]]]:
    """A server that does so with each connection; its address, and what it was sent."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        asked: list[bytes] = []

        def serve() -> None:
            while True:
                try:
                    there, _ = server.accept()
                except OSError:
                    return
                with there:
                    asked.append(there.recv(65536))
                    with suppress(OSError):
                        answer(there)

        threading.Thread(target=serve, daemon=True).start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/secret", asked
        server.shutdown(socket.SHUT_RDWR)


def dribble(there: socket.socket) -> None:
    there.sendall(OK[:-2])
    for _ in range(20):
        time.sleep(0.05)
        there.sendall(b"X: y\r\n")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (lambda there: there.sendall(OK), ""),
        (lambda there: there.sendall(b"\0 no HTTP\r\n\r\n"), "its answer is no HTTP (BadStatusLine)"),
        (lambda there: there.sendall(OK[:-2] + 200 * b"X: y\r\n" + b"\r\n"), "its answer is no HTTP (HTTPException)"),
        (lambda there: there.close(), "the connection was closed without an answer"),
        (lambda there: there.sendall(MOVED), "HTTP Error 302: Found"),
        (dribble, "no answer within 0.3 s"),
    ],
)
def test_what_servers_do(answer: Callable[[socket.socket], object], said: str) -> None:
    with answering(answer) as (url, asked):
        assert post(url, b"{}", 0.3) == said
        assert len(asked) == 1


def test_nobody_there() -> None:
    assert post("http://127.0.0.1:9/", b"{}", 1) == "Connection refused"


def test_what_is_said_of_an_address_holds_no_password() -> None:
    assert host_of("https://me:word@hooks.example.com:8443/services/T0/B0?key=1") == "https://hooks.example.com:8443"
